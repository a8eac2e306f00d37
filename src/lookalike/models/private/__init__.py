"""Differential privacy: an account of what is spent, noise drawn on it, and a synthesizer that keeps to it."""

from lookalike.models.private.accounting import (
    delta_of,
    discrete_delta,
    discrete_sigma,
    epsilon_of,
    gaussian_delta,
    gaussian_sigma,
    rho_of,
    rho_of_gaussian,
)
from lookalike.models.private.ledger import Adjacency, Ledger, Spend
from lookalike.models.private.mechanisms import choose, gaussian, gaussian_once, laplace, randomize, unrandomized
from lookalike.models.private.private_tree import PrivateTree
from lookalike.models.private.regression import NoisyRegression, NoisyRegressionLaw
from lookalike.models.private.tree_law import PrivateTreeLaw

__all__ = [
    "Adjacency",
    "Ledger",
    "NoisyRegression",
    "NoisyRegressionLaw",
    "PrivateTree",
    "PrivateTreeLaw",
    "Spend",
    "choose",
    "delta_of",
    "discrete_delta",
    "discrete_sigma",
    "epsilon_of",
    "gaussian",
    "gaussian_delta",
    "gaussian_once",
    "gaussian_sigma",
    "laplace",
    "randomize",
    "rho_of",
    "rho_of_gaussian",
    "unrandomized",
]
