"""The text on each measure: what it is called and what it says, in plain words."""

from __future__ import annotations

MEASURES = {
    "sample_to_population": "a record is matched to the right person of the population (B)",
    "prosecutor_maximum": "the most exposed record is matched by someone who knows it is in the file",
    "unique_records": "share of records that are unique in the file",
    "attribute_disclosure": "share of records whose sensitive value is given away by their class",
    "t_closeness": "largest distance of a class's sensitive values from the whole file's",
    "k_anonymity": "smallest number of records that look alike",
    "l_diversity": "smallest number of different sensitive values among records that look alike",
}

MISSING = {
    "own": "a missing value is a category of its own",
    "wildcard": "a missing value matches every value",
    "conservative": "a missing value matches nothing",
}

HOLDS_NEXT = "Keep the evidence (--json FILE) with the release."
FAILS_NEXT = (
    "Change the file before it leaves. What drives the risk most: {drivers}. Coarsen or drop them, then assess again."
)
NO_SIZE_NEXT = "Say how many people the file was drawn from (--population N), or give a file of them."
NO_FILE_NEXT = "Give a file of the population (--population FILE), or decide on another measure (--k 5)."
