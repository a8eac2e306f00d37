"""From sample to population: estimators of B behind one Protocol."""

from collections.abc import Mapping

from lookalike.population.entropy import Entropy
from lookalike.population.estimator import Estimator, Finding
from lookalike.population.sample import Sample

ESTIMATORS: Mapping[str, Estimator] = {e.key: e for e in (Entropy(),)}
"""Every estimator with its default choices, by its name in plans and evidence."""

__all__ = ["ESTIMATORS", "Entropy", "Estimator", "Finding", "Sample"]
