"""Numbers on one file as it stands."""

from lookalike.risk.attribute import any_disclosure, attribute_disclosure, equal_to, in_range
from lookalike.risk.closeness import (
    Closeness,
    earth_mover_closeness,
    kullback_leibler_closeness,
    total_variation_closeness,
)
from lookalike.risk.diversity import Diversity, distinct_diversity, entropy_diversity, recursive_diversity
from lookalike.risk.drivers import Driver, drivers
from lookalike.risk.fitting import FittingUniqueness, fitting_uniques
from lookalike.risk.household import household_risk, households
from lookalike.risk.k_anonymity import classes_below, k_anonymity, records_below
from lookalike.risk.knowledge import Knowledge, by_knowledge
from lookalike.risk.match_rates import (
    MatchRisk,
    at_least_sample,
    bounds_of_sample_to_population,
    journalist,
    over_records,
    population_to_sample,
    prosecutor,
    sample_to_population,
)
from lookalike.risk.presence import delta_presence, k_map
from lookalike.risk.repeats import repeated_records
from lookalike.risk.suda import Suda, check_affordable, suda
from lookalike.risk.telling import telling
from lookalike.risk.uniqueness import (
    estimated_frequency_of_uniques,
    relative_frequency_of_uniques,
    unique_classes,
    unique_records,
)

__all__ = [
    "Closeness",
    "Diversity",
    "Driver",
    "FittingUniqueness",
    "Knowledge",
    "MatchRisk",
    "Suda",
    "any_disclosure",
    "at_least_sample",
    "attribute_disclosure",
    "bounds_of_sample_to_population",
    "by_knowledge",
    "check_affordable",
    "classes_below",
    "delta_presence",
    "distinct_diversity",
    "drivers",
    "earth_mover_closeness",
    "entropy_diversity",
    "equal_to",
    "estimated_frequency_of_uniques",
    "fitting_uniques",
    "household_risk",
    "households",
    "in_range",
    "journalist",
    "k_anonymity",
    "k_map",
    "kullback_leibler_closeness",
    "over_records",
    "population_to_sample",
    "prosecutor",
    "records_below",
    "recursive_diversity",
    "relative_frequency_of_uniques",
    "repeated_records",
    "sample_to_population",
    "suda",
    "telling",
    "total_variation_closeness",
    "unique_classes",
    "unique_records",
]
