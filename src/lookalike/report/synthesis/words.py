"""Every sentence of the page of a synthetic release, as whole sentences with places for names and figures."""

from __future__ import annotations

TITLE_ONE = "{release}, drawn from a model of {file}"
TITLE_MANY = "{copies} copies drawn from a model of {file}"
NO_NAME, NO_FILE = "A release", "RELEASE"
"""Of a release that was not written yet, or is a folder: in a title, and in a command."""

SAYS = {
    "holds": (
        "Every threshold of the plan holds, read as if the drawn records were real people. See what the release "
        "repeats of the file before it leaves."
    ),
    "undecided": (
        "Undecided: every threshold holds by the estimate, read as if the drawn records were real people, but the "
        "estimate may be too low."
    ),
    "fails": (
        "A threshold does not hold, read as if the drawn records were real people. Whether an attacker gains from the "
        "release is to be tried against the file: compare them before it leaves."
    ),
    "not assessable": (
        "No verdict: a measure the plan decides on could not be assessed. See what the release repeats of the file."
    ),
    "none": "No verdict: the plan has no threshold, so nothing was decided.",
    "nothing": "No verdict: no quasi-identifier was named (--qi), so nothing was measured but what the release "
    "repeats.",
}
LINKED_SAYS = {
    "holds": "Every threshold of the plan holds for the release, whose kept columns are real.",
    "undecided": (
        "Undecided: every threshold holds by the estimate, but the estimate may be too low; the kept columns are real."
    ),
    "fails": "The release must not leave the house as it is: a threshold does not hold, and the kept columns are real.",
}
"""Where row i of the release is row i of the file."""
NEXT = (
    "Try attacks and analyses on it: lookalike compare {file} {release}, with real records that were not used to "
    "learn the model, if there are any (--control FILE). Keep the evidence of this run (--json FILE) in the house: "
    "it holds the seed, which is a secret."
)
NOT_SAFE = "A synthetic file is not safe by name: {repeated} of its records equal a record of the file in all columns."
NOT_SAFE_UNIQUES = (
    "A synthetic file is not safe by name: of the records that are unique in the file {uniques} stand in the release "
    "again, unique there too; by chance it would be about {chance}."
)
MADE = "{copies} copies of {records} records each were drawn by {model} from {file} ({all} records)."
MADE_ONE = "{records} records were drawn by {model} from {file} ({all} records)."
REAL = (
    "Row i of the release is row i of the file, and the columns that were kept are real. B is that of the file by "
    "these columns; only what was drawn is protected."
)
PARTLY = (
    "Row i of the release is row i of the file, and the columns that were kept are real. Of the quasi-identifiers "
    "{drawn} was drawn: B is what it would be if the drawn values were real."
)
NOBODY = (
    "No record of the release is a person's: B and the other figures are what they would be if its records were real "
    "people. They tell how far the release singles out, not whom."
)

REPEATED_LABEL = "Records repeated"
REPEATED_NOTE = "of the copy with most; equal to a record of the file in all columns"
UNIQUES_LABEL = "Unique records again"
UNIQUES_NOTE = "unique in the file and in the copy with most; about {chance} by chance"
NO_UNIQUES = "none is unique"
B_LABEL = "B, as if real"
B_NOTE = "of the first copy; {span}; threshold {threshold}"
B_NOTE_ALONE = "of the first copy; {span}; no threshold was set on it"
COPIES_LABEL = "Copies"
COPIES_NOTE = "of {records} records each, by {model}"

LIKE_TITLE = "How like the file"
LIKE_MEANS = (
    "What the release repeats of the file: whole records, and records that are unique in both. Compare each share "
    "with what chance alone would give; far more than that means that the model copies."
)
LIKE_CHART = "Records that a copy repeats"
LIKE_SAYS = "Of the copy that repeats most: {told}."
LIKE_PART = "{what} {share}"
LIKE_AXIS = "share (axis by square roots)"
LIKE_NAMES = {
    "repeated": "records equal to a record of the file",
    "repeated_uniques": "unique records again, by all columns",
    "known_uniques": "unique records again, by quasi-identifiers",
}
LIKE_CHANCE = {
    "repeated_uniques": "unique records again, by all columns: by chance",
    "known_uniques": "unique records again, by quasi-identifiers: by chance",
}
COPY = "copy {number}"
CHANCE = "by chance"
LOWEST, HIGHEST = "lowest of the copies", "highest"
LIKE_HEAD = "what"
LIKE_NOTE = "Counts of one to four are told as <5."
EQUAL_CHART = "Drawn cells that equal the real ones"
EQUAL_SAYS = "Row i is row i of the file. Most often right is {name}: {share} of its cells; guessing gives {guess}."
EQUAL_AXIS = "share of the cells that hold a value, first copy"
EQUAL_HEADS = ("column", "equal to the original", "guessing its most frequent value")
EQUAL, GUESS = "equal", "guessing"
SINGLE_GRID = "Values of one record alone that stand in the first copy again"
SINGLE_HEADS = ("column", "values that stand there again")
SINGLE_NOTE = "A number or a text that one record alone has points at it, whatever stands beside it."
LIKE_MORE = (
    "By chance: if the drawn columns knew nothing of the others, a record that is unique in the file would stand "
    "once in a copy with chance λ e^−λ, λ = k Π p_j, p_j the share of its value in the copy and k the records that "
    "have its kept values. See docs/concepts/synthesis.md.",
    "Limits: equal records are a sign, no attack. A release without any may still give people away by near values; "
    "lookalike compare tries that.",
)

COLUMNS_TITLE = "Columns: drawn, kept, left out"
COLUMNS_MEANS = (
    "What is drawn comes from the model; what is kept is real. A column that was left out is not in the release at all."
)
COLUMNS_GRID = "What became of each column"
COLUMNS_HEADS = ("column", "what became of it")
BECAME = {
    "drawn": "drawn from the model",
    "given": "one given value in all records",
    "kept": "kept as it is",
    "left_out": "left out",
}
COLUMNS_MORE = (
    "Identifiers are left out, or replaced by new running numbers (--identifiers new). Columns without any value and "
    "lists are left out. See docs/concepts/synthesis.md.",
    "Limits: a text that is different in each record can only be copied or left out.",
)

MODEL_TITLE = "The model and its fit"
MODEL_MEANS = "{model} {learns}. What it has no word for is lost, and what it has learned by heart is given away."
LEARNS = {
    "latent-classes": "learns groups of people inside which columns have nothing to do with each other",
    "gaussian-copula": "learns each column by itself, and one correlation for each pair of columns",
    "d-vine": "learns each column by itself, and how pairs go together given the columns between them",
    "sequential": "learns each column given those before it, one after another",
    "all-others": "learns each column given all others that a selection keeps",
    "private-tree": "learns noisy counts of single columns and of some pairs",
    "independent": "learns each column by itself and no tie between columns",
    "normal": "learns the mean and the covariance of numbers",
    "parametric": "learns a family of laws for each column",
    "interpolation": "learns boxes around records and draws inside them",
    "smote": "draws on lines between neighbouring records",
    "bootstrap": "learns nothing: it copies records",
    "noisy-regression": "learns a regression for each column and adds noise",
}
LEARNS_OTHER = "was given by name"
FIT_GRID = "What the model tells of its fit"
FIT_HEADS = ("what", "value")
FIGURES = {
    "epsilon": "ε that may be spent",
    "delta": "δ",
    "epsilon_spent": "ε that was spent",
    "records_by_noisy_counts": "records, by the noisy counts",
    "groups_a_column": "groups of values of a column, mean",
    "differential_privacy_guarantee": "guarantee of differential privacy (0: none)",
    "epsilon_of_the_noise_alone": "ε of the noise alone",
}
"""Figures of models in words; others are told by their own name."""
MODEL_MORE = (
    "Each model has a page that gives its law, its source and when it lies: docs/concepts/synthesis.md has the list.",
    "Limits: figures of fit say how well the model foresees the file, not how safe the release is; a perfect fit "
    "copies.",
)
TRACE_CHART = "The chain: {what} by sweep"
TRACE_SAYS = (
    "{what} over {sweeps} sweeps; after the first {burn_in} (dashed line) the mean is {mean}, worth about {effective} "
    "independent draws."
)
TRACES = {
    "occupied": "Latent classes in use",
    "log_likelihood": "The log-likelihood",
}
TRACE_SWEEP = "sweep"
TRACE_HEADS = ("sweeps", "mean", "lowest", "highest")
TRACE_SPAN = "{first} to {last}"

SEQUENCE_TITLE = "One column after another"
SEQUENCE_MEANS = (
    "Columns in the order they are drawn, with the method of each and the columns that predict it. A column that "
    "nothing predicts keeps no tie to those before it."
)
OTHERS_TITLE = "Each column given the others"
OTHERS_MEANS = (
    "Each column is drawn given other columns of a real record, with the method and the predictors named here. A "
    "column with many predictors stays close to the record it was drawn around."
)
SEQUENCE_CHART = "Which column predicts which"
SEQUENCE_SAYS = (
    "Row by row the columns as they are drawn, across the columns that predict them: {columns} columns, and {used} of "
    "{asked} predictors that were asked for were used."
)
OTHERS_SAYS = (
    "Row by row the columns that are drawn, across the columns that predict them: {columns} columns, and {used} "
    "predictors in all."
)
USED, NOT_USED = "used", "asked for, not used"
SEQUENCE_HEADS = ("column", "method", "predicted by", "asked for, not used")
SEQUENCE_COUNT = "{count} columns"
SEQUENCE_MORE = (
    "Each column is drawn from its law given the columns before it: p(x₁) p(x₂ | x₁) … (Raghunathan, Reiter and Rubin "
    "2003; Nowok, Raab and Dibben 2016). See docs/concepts/sequential.md and docs/concepts/order-of-columns.md.",
    "Limits: trees draw cells of real records, one by one. A predictor with too many levels, or that is constant, is "
    "not used.",
)
MORE_NAMES = "{names} and {count} more"

LEDGER_TITLE = "The account of the privacy budget"
LEDGER_MEANS = (
    "Differential privacy promises that the release would look nearly the same without any one record; ε says how "
    "nearly, and smaller is safer. Every look at the file is paid for from the budget, and the account refuses to be "
    "overdrawn."
)
LEDGER_CHART = "The budget, look by look"
LEDGER_SAYS = "Allowed: ε = {epsilon}, δ = {delta}. Spent: ε = {spent} at that δ, in {looks} looks at the file."
LEDGER_AXIS = "share of what was spent"
LEDGER_HEADS = ("look at the file", "mechanism", "looks", "ε", "δ", "ρ")
LEDGER_SAME = "{what}: {count} looks"
NEIGHBOURS = "Neighbouring files: {adjacency}."
DOMAINS_GRID = "What was taken for known of each column"
DOMAINS_HEADS = ("column", "what", "who said so")
DOMAIN_GIVEN, DOMAIN_READ = "given by you", "read from the file, not protected"
LEDGER_MORE = (
    "P(M(D) ∈ S) ≤ e^ε P(M(D′) ∈ S) + δ for all neighbouring files D and D′. Costs are added as ε, or as ρ of "
    "zero-concentrated privacy (Bun and Steinke 2016), whichever total is smaller. The tree is MST (McKenna, Miklau "
    "and Sheldon 2021). See docs/concepts/differential-privacy.md.",
    "Limits: what was read from the file, and the figures of this page, are not covered by the guarantee. Whoever "
    "publishes the page spends privacy that the account does not know of.",
)

RULES_TITLE = "Rules"
RULES_MEANS = (
    "Records that broke a rule were drawn again until none did. A rule on columns that were kept says nothing, and a "
    "missing value breaks none."
)
RULES_GRID = "Rules of the plan"
RULES_HEADS = ("rule", "what")
RULES_WHEN = "where {when}"
RULES_THEN = "{columns} set"
RULES_IMPOSSIBLE = "no record may meet it"
RULES_REDRAWN = "{count} records were drawn again because they broke a rule."
RULES_MORE = (
    "A rule that the file itself breaks is refused before anything is drawn. See docs/concepts/synthesis.md.",
    "Limits: drawing again cuts the law to what is possible; shares of what is left may shift a little.",
)

COMBINING_TITLE = "Estimates from the copies"
COMBINING_MEANS = (
    "Compute an estimate and its variance in each copy as if it were real; the estimate is the mean over the copies. "
    "Its variance follows the rule below, and another rule gives intervals that are too short or too long."
)
COMBINING = {
    "COMPLETE_IMPROPER": (
        "All columns were drawn, from one fitted law: the variance is v̄ (k/n + 1/m), v̄ the mean of the variances, n "
        "records in the file, k in a copy, m copies."
    ),
    "COMPLETE_PROPER": (
        "All columns were drawn, and the law too: the variance is v̄ (k/n + (1 + k/n)/m), v̄ the mean of the "
        "variances, n records in the file, k in a copy, m copies."
    ),
    "PARTIAL": (
        "Some columns were kept: the variance is v̄ + b/m, v̄ the mean of the variances, b the variance between the "
        "estimates of the m copies."
    ),
}
COMBINING_MORE = (
    "Source: Raab, Nowok and Dibben (2016); Reiter (2003). See docs/concepts/combining-rules.md.",
    "Limits: with one copy the rule of some columns has no b; draw several. No rule mends a model that is wrong.",
)

SECRET_SEED = "a secret: it stands in the evidence, which stays in the house"
EXPLAINED = "Every model and measure has a page that explains it and says when it lies: docs/concepts."
