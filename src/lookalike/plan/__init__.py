"""The choices of a run as data."""

from lookalike.plan.comparison import Comparison
from lookalike.plan.document import as_document
from lookalike.plan.people import people_in
from lookalike.plan.plan import MARGINS_TOO, NO_CLUSTER, Plan, Roles
from lookalike.plan.repair import WAYS, Repair
from lookalike.plan.starter import starter
from lookalike.plan.toml import load_plan, parse_plan
from lookalike.target import Target
from lookalike.threshold import AT_LEAST, Threshold, holds

__all__ = [
    "AT_LEAST",
    "MARGINS_TOO",
    "NO_CLUSTER",
    "WAYS",
    "Comparison",
    "Plan",
    "Repair",
    "Roles",
    "Target",
    "Threshold",
    "as_document",
    "holds",
    "load_plan",
    "parse_plan",
    "people_in",
    "starter",
]
