"""The sentences and labels of the page of an assessment, whole and in one place, so that a language can be added."""

from __future__ import annotations

TITLE = "How many people look like the records of {name}"
ABOUT = "{records} records, {columns} columns; {people} people ({source})."
ABOUT_FILE = "{records} records, {columns} columns; the number of people they were drawn from is not known."
LAST = (
    "No record and no value of the file is on this page. Counts of one to four records or classes are shown as <5. "
    "Every measure has a page that explains it and says when it lies: docs/concepts."
)

# --- the first screen

B = "A record is matched to the right person (B)"
B_INTERVAL = "likely between {low} and {high} (method: {method})"
B_EXACT = "exact: counted, not estimated"
B_POINT = "by {method}, without an interval"
B_LOWER = "a lower limit, by {method}; at most {high}"
B_UPPER = "at most so much; some records are not in the population file"
B_BOUNDS = "{low} to {high} is certain, whatever the population looks like"
NOT_KNOWN = "not known"
THRESHOLD = "Highest B that the plan allows"
THRESHOLD_NOTE = "one right match in {records} records"
NO_THRESHOLD = "none"
NO_THRESHOLD_NOTE = "the plan does not decide on B"
DRIVES = "Drives the risk most"
DRIVES_NOTE = "without it the mean risk in the file is {without} instead of {mean}"
NO_DRIVER = "no one variable"
NO_DRIVER_NOTE = "without any one of them the mean risk in the file hardly falls"
DRAWN_FROM = "B is the risk among {people} people ({source})."
UNIQUE = "Unique in the file"
UNIQUE_NOTE = "{count} of {records} records"
HOLDS_WORD, FAILS_WORD, UNKNOWN_WORD, UNDECIDED_WORD = "holds", "fails", "not assessable", "undecided"
VERDICT = "{measure}: {value}, threshold {threshold}."
VERDICT_REASON = "{measure}: {value}, threshold {threshold}. {reason}."
GAUGE = "B against the threshold"
GAUGE_SAYS = "B is {value}; the threshold is {threshold}."
GAUGE_SAYS_INTERVAL = "B is {value}, between {low} and {high}; the threshold is {threshold}."
GAUGE_SAYS_BOUNDS = "B is not known; certain is {low} to {high}. The threshold is {threshold}."
GAUGE_SAYS_FREE = "B is {value}. The plan has no threshold for it."
ESTIMATE, CERTAIN = "estimate", "what is possible"
LIMIT = "threshold {value}"
CHANCE = "chance of a right match"

# --- tables

WHAT, VALUE, INTERVAL, MEAN, WORST, ABOVE = "what", "value", "interval", "mean", "worst", "records above {threshold}"
LOW, HIGH = "from", "to"
VARIABLE, RECORDS, SHARE, CLASSES = "variable", "records", "share of records", "classes"
COUNT = "records or classes"
RANGE = "{low} to {high}"
NONE = "–"
NOT_ASSESSABLE = "not assessable"

# --- risk by attack

ATTACKS = "The chance of a right match, by attack"
ATTACKS_SAYS = (
    "Mean and worst chance of a right match by what the attacker starts from. The highest mean is {value} ({attack})."
)
ATTACK_HEAD = "attacker"
PROSECUTOR = "prosecutor: knows that the person is in the file"
JOURNALIST = "journalist: knows that the person is in the population"
MARKETER = "marketer: wants any record's person (B)"
TO_RECORD = "takes a person, looks for the record (A)"
SHORT = {"prosecutor": "prosecutor", "journalist": "journalist", "marketer": "marketer (B)", "A": "person first (A)"}
POPULATION = "Against the population file"
K_MAP, K_MAP_OF = "k-map: the fewest people who look like a record", "of {people} people"
PRESENCE = "δ-presence: the share of a class's people who are in the file"
UNMATCHED = "records that the population file does not hold"
UNIQUE_THERE = "unique in the population, of the classes unique in the file"

# --- the population

ESTIMATORS = "B by estimator"
ESTIMATORS_SAYS = "{count} estimators answer, between {low} and {high}; {chosen} decides."
ESTIMATOR, CAVEATS, CAVEAT = "estimator", "Caveats", "caveat"
EXACT_FILE, EXACT_WHOLE = "exact (population file)", "exact (the file is the population)"
BOUNDS = "certain bounds"
AGREE = "The largest answer is {times} times the smallest."
MARGINS = "Known margins, used by {estimators}: {margins}."
MARGIN = "{name}, by {variables}, {people} people"
DISTRIBUTION = "Records by their risk"
DISTRIBUTION_SAYS = (
    "{share} of the records are above {threshold}; half of the records are at most at {median}; the worst is at "
    "{worst}."
)
RISK_OF_RECORD, UP_TO = "chance of a right match", "chance of a right match, up to"
GROUPS = "Mean risk by how rare a value is"
GROUPS_SAYS = "The mean risk is highest, {mean}, among records with {group} of {variable}."
GROUP, MEAN_RISK, PART = "records with", "mean risk", "part of all risk"
GROUP_LABEL = {
    "rare values (below 1 % of records each)": "rare: {variable}",
    "values in between": "in between: {variable}",
    "common values (10 % and more)": "common: {variable}",
}
GROUPS_LEFT = "Groups of fewer than five records are left out; {count} groups with a lower mean risk are not shown."
GROUPS_ALL = "Groups of fewer than five records are left out."
SIZE = "B if the population were of another size"
SIZE_SAYS = "B goes from {low} to {high} as the population goes from {smallest} to {largest} of what was told."
SIZE_SAYS_CROSSES = (
    "B goes from {low} to {high} as the population goes from {smallest} to {largest} of what was told, and crosses the "
    "threshold on the way."
)
TOLD, PEOPLE = "size, share of N", "people"
BACKTEST = "Estimate and truth on parts of the file"
BACKTEST_SAYS = "The interval contains the truth in {held} of {tests} parts of the file."
BACKTEST_SAYS_POINT = "Estimates without an interval are between {low} and {high} away from the truth."
BACKTEST_SAYS_NONE = "The estimator has no answer for parts of the file."
PART_OF_FILE, TRUTH, HELD = "part of the file", "true B", "interval contains it"
YES, NO = "yes", "no"
PART_LABEL = "{fraction} of the file"
NO_MARGINS_HERE = "The backtest does not use the known margins: they are not those of the file."

# --- the file

DRIVERS = "Mean risk in the file without one variable"
DRIVERS_SAYS = "With all variables the mean of 1/f is {mean}. Without {variable} it is {without}, the lowest."
DRIVERS_LIMIT = "all: {value}"
WITHOUT, VALUES, UNIQUES_LEFT, SUDA_PART = "without", "its values", "unique records left", "part in special uniques"
NOTHING = "nothing: all variables"
MORE_ROWS = "{count} more variables, which change less, are not shown."
KNOWLEDGE = "Unique records, by what is known"
KNOWLEDGE_SAYS = "Who knows all {all} variables finds {share} of the records unique."
KNOWLEDGE_SAYS_HALF = (
    "Who knows all {all} variables finds {share} of the records unique; {size} well-chosen variables make half of the "
    "records unique."
)
KNOWN, UNIQUE_MEAN, UNIQUE_WORST, RISK_WORST, B_WORST, CHOICE = (
    "variables known",
    "unique, mean",
    "unique, worst choice",
    "mean 1/f, worst choice",
    "B, worst choice",
    "worst choice",
)
NONE_UNIQUE = "none is unique"
SUDA = "Part in special uniques, by variable"
SUDA_SAYS = (
    "{records} records have a special unique of up to {largest} variables. The variable that takes part most is "
    "{variable}, in {part}."
)
SUDA_SAYS_NONE = "No record has a special unique of up to {largest} variables."
SUDA_SIZES, SUDA_SIZE, SUDA_SETS = "Special uniques by size", "variables in the set", "sets"
HOUSEHOLD = "The chance that a record is given away by its household"
SINGLE, SINGLE_ESTIMATE, SINGLE_FILE = "by itself, 1/f", "by itself (B)", "by itself (population file)"
AS_HOUSEHOLD = "with its household"
HOUSEHOLD_SAYS = "The mean risk of a record is {mean} with its household and {alone} by itself."
ALIKE = "Records in small classes"
ALIKE_SAYS = "The smallest class has {k} records. {share} of the records are in classes of fewer than {largest}."
ALIKE_SAYS_ONE = "The smallest class is a single record. {share} of the records are in classes of fewer than {largest}."
ALIKE_LINE = "k-anonymity: k = {k}, the smallest of {classes} classes of {records} records."
BELOW_LABEL = "below {k}"
BELOW, RECORDS_BELOW, CLASSES_BELOW = "class size below", "records in them", "classes"
FITTING = "Records that are alone even where intervals and wildcards overlap: {count} of {records} ({share})."
REPEATED = "Records that equal another in every column: {count} of {records} ({share})."
MISSING = "How missing values are read: {mode}."

# --- what classes give away

DISCLOSED = "Records whose lookalikes all share one value"
SPREAD = "How values spread in classes: diversity ℓ and closeness t"
DISCLOSED_SAYS = "The largest share is {share}, of {variable}."
DISTINCT, ENTROPY, RECURSIVE, ONE_VALUE = "ℓ", "entropy ℓ", "recursive ℓ (c = 3)", "one value only"
KL, TV, EMD = "t KL", "t TV", "t ordered"
OF = "{share} of {records}"
REASON = "{what}: {reason}."

# --- the plan

PLAN = "Choices"
CHOSEN, CHOICE_VALUE = "choice", "value"
