"""Original against release, and against records that were not used: what an attacker gains."""

from lookalike.attacks.attribution import Attributed, Attribution
from lookalike.attacks.bins import Classes, Edges, EqualFrequency, EqualLength, ReleaseIntervals
from lookalike.attacks.cap import Guess, Undefined, dataset_cap, record_cap
from lookalike.attacks.cap_classes import ClassCap, class_cap, sweep
from lookalike.attacks.cap_flags import Flags, flags
from lookalike.attacks.cap_knowledge import unsure_of_presence, with_beliefs
from lookalike.attacks.cap_nearest import nearest_cap
from lookalike.attacks.cells import Cells
from lookalike.attacks.disclosure import Disclosure, disclosure
from lookalike.attacks.files import Files
from lookalike.attacks.inference import Inference, Inferred, InferredTarget
from lookalike.attacks.key_subsets import KeySubsets, key_subsets
from lookalike.attacks.learners import Neighbours, Perceptron
from lookalike.attacks.linkage import Linkage, Linked, Links, LinkTable, Weights
from lookalike.attacks.matching import Matched, Matches, Matching
from lookalike.attacks.outcome import Outcome, Reading, Share, excess
from lookalike.attacks.predictions import Errors
from lookalike.attacks.ranges import Radius

__all__ = [
    "Attributed",
    "Attribution",
    "Cells",
    "ClassCap",
    "Classes",
    "Disclosure",
    "Edges",
    "EqualFrequency",
    "EqualLength",
    "Errors",
    "Files",
    "Flags",
    "Guess",
    "Inference",
    "Inferred",
    "InferredTarget",
    "KeySubsets",
    "LinkTable",
    "Linkage",
    "Linked",
    "Links",
    "Matched",
    "Matches",
    "Matching",
    "Neighbours",
    "Outcome",
    "Perceptron",
    "Radius",
    "Reading",
    "ReleaseIntervals",
    "Share",
    "Undefined",
    "Weights",
    "class_cap",
    "dataset_cap",
    "disclosure",
    "excess",
    "flags",
    "key_subsets",
    "nearest_cap",
    "record_cap",
    "sweep",
    "unsure_of_presence",
    "with_beliefs",
]
