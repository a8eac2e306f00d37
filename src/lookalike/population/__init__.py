"""From sample to population: estimators of B behind one Protocol."""

from collections.abc import Mapping

from lookalike.population.backtest import Backtest, backtest
from lookalike.population.benedetti_franconi import BenedettiFranconi
from lookalike.population.chao import Chao
from lookalike.population.clusters import Clusters
from lookalike.population.dankar import Dankar
from lookalike.population.eligible import some_people_only, too_even
from lookalike.population.entropy import Entropy
from lookalike.population.estimator import RATIOS, Estimator, Finding
from lookalike.population.hypothesis_test import HypothesisTest
from lookalike.population.log_linear import LogLinear
from lookalike.population.margins import Margin
from lookalike.population.pitman_yor import PitmanYor
from lookalike.population.posterior import Posterior
from lookalike.population.profile import RecordRisk, ValueGroup, profile
from lookalike.population.sample import Sample
from lookalike.population.slide_negative_binomial import SlideNegativeBinomial
from lookalike.population.synthetic import AVERAGE, D_VINE, GAUSSIAN_COPULA, SyntheticPopulation
from lookalike.population.zayatz import Zayatz

ESTIMATORS: Mapping[str, Estimator] = {
    e.key: e
    for e in (
        Posterior(),
        Entropy(),
        HypothesisTest(),
        BenedettiFranconi(),
        GAUSSIAN_COPULA,
        D_VINE,
        AVERAGE,
        PitmanYor(),
        Zayatz(),
        SlideNegativeBinomial(),
        Dankar(),
        Chao(),
        LogLinear(),
    )
}
"""Every estimator with its default choices, by its name in plans and evidence."""

__all__ = [
    "ESTIMATORS",
    "RATIOS",
    "Backtest",
    "BenedettiFranconi",
    "Chao",
    "Clusters",
    "Dankar",
    "Entropy",
    "Estimator",
    "Finding",
    "HypothesisTest",
    "LogLinear",
    "Margin",
    "PitmanYor",
    "Posterior",
    "RecordRisk",
    "Sample",
    "SlideNegativeBinomial",
    "SyntheticPopulation",
    "ValueGroup",
    "Zayatz",
    "backtest",
    "profile",
    "some_people_only",
    "too_even",
]
