"""Joint laws one can fit and sample; they know nothing of privacy."""

from lookalike.models.counts import Counts
from lookalike.models.d_vine_copula import DVineCopula, DVineCopulaModel
from lookalike.models.gaussian_copula import GaussianCopula, GaussianCopulaModel
from lookalike.models.independent import Independent, IndependentModel
from lookalike.models.latent import LatentNormal
from lookalike.models.latent_classes import LatentClasses, LatentClassesModel, LatentDraw

__all__ = [
    "Counts",
    "DVineCopula",
    "DVineCopulaModel",
    "GaussianCopula",
    "GaussianCopulaModel",
    "Independent",
    "IndependentModel",
    "LatentClasses",
    "LatentClassesModel",
    "LatentDraw",
    "LatentNormal",
]
