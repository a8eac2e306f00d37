"""Original against release, and against records that were not used: what an attacker gains."""

from lookalike.attacks.attribute_bayes import BayesianAttribute
from lookalike.attacks.attribution import Attributed, Attribution
from lookalike.attacks.bins import Classes, Edges, EqualFrequency, EqualLength, ReleaseIntervals
from lookalike.attacks.cap import Guess, Undefined, dataset_cap, record_cap
from lookalike.attacks.cap_classes import ClassCap, class_cap, sweep
from lookalike.attacks.cap_flags import Flags, flags
from lookalike.attacks.cap_knowledge import unsure_of_presence, with_beliefs
from lookalike.attacks.cap_nearest import nearest_cap
from lookalike.attacks.cells import Cells
from lookalike.attacks.common_values import CommonApart
from lookalike.attacks.copies import Copied, Copies, CopiesFound
from lookalike.attacks.disclosure import Disclosure, disclosure
from lookalike.attacks.distances import Distanced, Distances
from lookalike.attacks.files import Files
from lookalike.attacks.guessing import Guessed, Guessing, Naive
from lookalike.attacks.inference import Inference, Inferred, InferredTarget
from lookalike.attacks.key_subsets import KeySubsets, key_subsets
from lookalike.attacks.learners import Neighbours, Perceptron
from lookalike.attacks.linkability import Joined, Linkability
from lookalike.attacks.linkage import Linkage, Linked, Links, LinkTable, Weights
from lookalike.attacks.matching import Matched, Matches, Matching
from lookalike.attacks.membership import Members, Membership
from lookalike.attacks.outcome import Outcome, Reading, Share, excess
from lookalike.attacks.predictions import Errors
from lookalike.attacks.ranges import Radius
from lookalike.attacks.release_ranges import ReleaseRanges
from lookalike.attacks.singling_out import SingledOut, SinglingOut

__all__ = [
    "Attributed",
    "Attribution",
    "BayesianAttribute",
    "Cells",
    "ClassCap",
    "Classes",
    "CommonApart",
    "Copied",
    "Copies",
    "CopiesFound",
    "Disclosure",
    "Distanced",
    "Distances",
    "Edges",
    "EqualFrequency",
    "EqualLength",
    "Errors",
    "Files",
    "Flags",
    "Guess",
    "Guessed",
    "Guessing",
    "Inference",
    "Inferred",
    "InferredTarget",
    "Joined",
    "KeySubsets",
    "LinkTable",
    "Linkability",
    "Linkage",
    "Linked",
    "Links",
    "Matched",
    "Matches",
    "Matching",
    "Members",
    "Membership",
    "Naive",
    "Neighbours",
    "Outcome",
    "Perceptron",
    "Radius",
    "Reading",
    "ReleaseIntervals",
    "ReleaseRanges",
    "Share",
    "SingledOut",
    "SinglingOut",
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
