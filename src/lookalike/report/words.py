"""The text on each measure: what it is called and what it says, in plain words."""

from __future__ import annotations

MEASURES = {
    "sample_to_population": "a record is matched to the right person of the population (B)",
    "sample_to_population_upper": "upper end of the interval of B",
    "prosecutor_maximum": "the most exposed record is matched by someone who knows it is in the file",
    "unique_records": "share of records that are unique in the file",
    "attribute_disclosure": "share of records whose sensitive value is given away by their class",
    "t_closeness": "largest distance of a class's sensitive values from the whole file's",
    "k_anonymity": "smallest number of records that look alike",
    "l_diversity": "smallest number of different sensitive values among records that look alike",
}

MISSING = {
    "own": "a missing value is a category of its own",
    "wildcard": "a missing value matches every value",
    "conservative": "a missing value matches nothing",
}

SAYS = {
    "holds": "The file may leave the house: every threshold of the plan holds.",
    "fails": "The file must not leave the house as it is: a threshold does not hold.",
    "not assessable": "No verdict: a measure the plan decides on could not be assessed.",
    "undecided": "Undecided: every threshold of the plan holds by the estimate, but the estimate may be too low. "
    "Settle that before the file leaves.",
}
HOLDS_WITHOUT_IDENTIFIERS = (
    "Every threshold of the plan holds, but the file names people: remove {names} before it leaves."
)
DOUBTS = {
    "interval": "The interval of B reaches to {value}.",
    "backtest": "The estimate was too low on samples of the file itself. If it is as much too low here, B is {value}.",
    "repeats": "Records repeat each other. If people are in the file more than once, B may be {value}.",
    "eligible": (
        "The file seems to hold only some of the people ({about}). If N counts others too, B is higher: {value} if "
        "half of them could be in the file."
    ),
    "not eligible": "N counts people who could not be in the file ({about}): B may be as high as {value}.",
    "weights": "The weights sum to fewer people than N. With as many people as they sum to, B is {value}.",
    "clusters": (
        "Records seem to come in groups ({about}), such as households sampled whole. If they do, B may be {value}."
    ),
    "even counts": (
        "Each value of {about} occurs about equally often, more so than in any random sample. If places were chosen "
        "first, or a fixed number was taken of each, B may be as high as {value}."
    ),
    "margins": "The file is not a random sample of the people counted by {about}. Without these margins B is {value}.",
}
"""Why an estimate may be too low, by the name of the doubt, with the value that B would then have."""
ELIGIBLE = (
    "The file seems to hold only some of the people ({about}). B is right if N counts only people who could be in the "
    "file."
)
NOT_RANDOM = (
    "The file is not a random sample of the people counted by {about}. B was estimated with these margins; without "
    "them it is {value}."
)
WEIGHTS_OFF = "The weights sum to {share} of N: check both. They were scaled to N."
IDENTIFIERS = "Remove the identifiers before anything leaves: {names}."
NOTHING_DECIDED = "No verdict: the plan has no threshold, so nothing was decided."
KNOWN = "An attacker is taken to know: {names}."
OVERLOOKED = "Not counted, though it looks like something an attacker may know: {names}."
ALONE = "{count} records are alone in the file (k = 1); the plan does not decide on k (--k 5)."
ALONE_ONE = "1 record is alone in the file (k = 1); the plan does not decide on k (--k 5)."
AND_MORE = "{names} and {count} more"

BACKTEST = (
    "On samples of the file itself the interval missed the truth in {missed} of {tests}, {under} of them too low: "
    "trust the estimate less. See the backtest below."
)
BACKTEST_HIGH = (
    "On samples of the file itself the interval missed the truth in {missed} of {tests}, each time too high: the "
    "estimate is on the safe side there. See the backtest below."
)

NEAR = "Close: the interval of B, {low:.3g} to {high:.3g}, contains the threshold. {end} decided."
SMALLER = "The verdict rests on the number of people: were there {people}, B would be {b}, above the threshold."
GIVEN_AWAY = (
    "For {share} of the records all who look alike in the file share one value of {name}: who finds them knows it. The "
    "plan does not decide on that (lookalike protect --l 2)."
)
OTHERS_ABOVE = (
    "By other estimators B is above the threshold: {names}. What speaks for and against each stands beside it below."
)
NEAR_ENDS = ("Its lower end", "The value in its middle", "Its upper end")

HOLDS_NEXT = "Keep the evidence of this run (--json FILE) in the house."
KEPT_NEXT = "Keep the evidence in the house: it says what was decided, and on what."
SETTLE = {
    "interval": (
        "Narrow the interval with known margins (--margins FILE) or a file of the population (--population FILE), or "
        "coarsen the file until the whole interval is below the threshold (lookalike protect)."
    ),
    "backtest": (
        "Give known margins (--margins FILE) or a file of the population (--population FILE), or coarsen the file "
        "(lookalike protect)."
    ),
    "repeats": "Make sure that each person is in the file once: remove repeats, or keep one record of each person.",
    "eligible": (
        "Say who N counts: --population-counts eligible if it counts only people who could be in the file. If it "
        "counts others, give the number of those who could (--population N)."
    ),
    "not eligible": "Give the number of people who could be in the file (--population N --population-counts eligible).",
    "weights": "Check the number of people against the weights.",
    "clusters": (
        "Name the column of what was sampled whole (--cluster COLUMN), or say that each record was sampled by itself "
        "(--cluster none)."
    ),
    "even counts": (
        "Say how the file was sampled: name the column of what was chosen first (--cluster COLUMN), give known margins "
        "(--margins FILE), or say that each record was sampled by itself (--cluster none)."
    ),
    "margins": "Check that the margins count the people that the file was drawn from.",
}
"""What would settle a doubt."""
SETTLE_FILE = (
    "Narrow the interval with a file of the population (--population FILE), or coarsen the file until the whole "
    "interval is below the threshold (lookalike protect)."
)
LOWER_NEXT = (
    "Ask an estimator that tells more than a lower limit (--estimators posterior), or give a file of the population "
    "(--population FILE)."
)
FAILS_NEXT = (
    "Change the file before it leaves: lookalike protect searches what to coarsen. What drives the risk most: "
    "{drivers}."
)
NO_DRIVER_NEXT = (
    "Change the file before it leaves: lookalike protect searches what to coarsen. No single variable lowers the risk "
    "much; {drivers} make most records unique together with few others."
)
FEW_NEXT = "Only {count} records are below k = {k}: suppress them, or coarsen {drivers} (lookalike protect)."
FEW_NEXT_ONE = "Only 1 record is below k = {k}: suppress them, or coarsen {drivers} (lookalike protect)."
NO_SIZE_NEXT = "Say how many people the file was drawn from (--population N), or give a file of them."
NO_FILE_NEXT = "Give a file of the population (--population FILE), or decide on another measure (--k 5)."
EXPLAINED = "Every measure has a page that explains it and says when it lies: docs/concepts."
UNDECLARED = (
    "Looks like something that names a person, and has no role: {names}. Name it an identifier (--id), and remove it "
    "before anything leaves."
)
NOT_SHOWN_NEXT = "It has not been shown that the limit holds: {reason}."


def risk_title(copies: int) -> str:
    """Over the risk of a release: of several copies it is that of the first.

    >>> risk_title(1), risk_title(2)
    ('The risk of the release', 'The risk of the release (first copy)')
    """
    return "The risk of the release (first copy)" if copies > 1 else "The risk of the release"
