"""Laws of one column given others: what a sequential model is made of."""

from lookalike.models.steps.cells import Nested, Saturated
from lookalike.models.steps.forest import Bagging, Forest
from lookalike.models.steps.inference_tree import ConditionalTree
from lookalike.models.steps.logistic import Logistic
from lookalike.models.steps.multinomial import Multinomial
from lookalike.models.steps.normal import Normal
from lookalike.models.steps.one_to_one import Copied
from lookalike.models.steps.ordinal import Ordinal
from lookalike.models.steps.plain import Constant, Sample
from lookalike.models.steps.proportional_fit import ProportionalFit
from lookalike.models.steps.rank import NormalRank
from lookalike.models.steps.smoothing import Smoothing
from lookalike.models.steps.step import FittedStep, Step
from lookalike.models.steps.survival_tree import FittedPair, SurvivalTree
from lookalike.models.steps.tables import CellLaw, SaturatedTable
from lookalike.models.steps.transformed import CubeRootNormal, LogNormal, SqrtNormal
from lookalike.models.steps.tree import Cart
from lookalike.models.steps.tree_fitted import FittedTree

__all__ = [
    "Bagging",
    "Cart",
    "CellLaw",
    "ConditionalTree",
    "Constant",
    "Copied",
    "CubeRootNormal",
    "FittedPair",
    "FittedStep",
    "FittedTree",
    "Forest",
    "LogNormal",
    "Logistic",
    "Multinomial",
    "Nested",
    "Normal",
    "NormalRank",
    "Ordinal",
    "ProportionalFit",
    "Sample",
    "Saturated",
    "SaturatedTable",
    "Smoothing",
    "SqrtNormal",
    "Step",
    "SurvivalTree",
]
