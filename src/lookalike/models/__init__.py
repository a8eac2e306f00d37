"""Joint laws one can fit and sample; they know nothing of privacy."""

from lookalike.models.bootstrap import Bootstrap
from lookalike.models.counts import Counts
from lookalike.models.d_vine_copula import DVineCopula, DVineCopulaModel
from lookalike.models.gaussian_copula import GaussianCopula, GaussianCopulaModel
from lookalike.models.independent import Independent, IndependentModel
from lookalike.models.interpolation import Interpolation
from lookalike.models.latent import LatentNormal
from lookalike.models.latent_classes import LatentClasses, LatentClassesModel, LatentDraw
from lookalike.models.latent_law import DPMPMLaw
from lookalike.models.latent_mixed import DPMPM
from lookalike.models.mixed_copula import MixedCopula
from lookalike.models.multivariate_normal import MultivariateNormal
from lookalike.models.pair_copulas import VineLaw
from lookalike.models.parametric import Parametric
from lookalike.models.private import NoisyRegression, PrivateTree, PrivateTreeLaw
from lookalike.models.sequential import AllOthers, AllOthersLaw, Sequential, SequentialLaw
from lookalike.models.smote import Smote

__all__ = [
    "DPMPM",
    "AllOthers",
    "AllOthersLaw",
    "Bootstrap",
    "Counts",
    "DPMPMLaw",
    "DVineCopula",
    "DVineCopulaModel",
    "GaussianCopula",
    "GaussianCopulaModel",
    "Independent",
    "IndependentModel",
    "Interpolation",
    "LatentClasses",
    "LatentClassesModel",
    "LatentDraw",
    "LatentNormal",
    "MixedCopula",
    "MultivariateNormal",
    "NoisyRegression",
    "Parametric",
    "PrivateTree",
    "PrivateTreeLaw",
    "Sequential",
    "SequentialLaw",
    "Smote",
    "VineLaw",
]
