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

NEXT_STEPS = {
    "holds": "Every threshold of the plan holds. Keep the evidence file with the release.",
    "fails": "The file must change before it leaves: coarsen or drop the variables that drive the risk.",
    "not assessable": "Give the population's size or a population file, or decide on another threshold.",
}
