"""Every sentence of the page of a protected file, as whole sentences with places for names and figures."""

from __future__ import annotations

TITLE = "{release}, made from {file}"
NO_NAME, NO_FILE = "A release", "RELEASE"
"""Of a release that was not written yet: in a title, and in a command."""

SAYS = {
    "holds": "The release may leave the house: every threshold of the plan holds.",
    "undecided": (
        "Undecided: every threshold holds by the estimate, but the estimate may be too low. Settle that before the "
        "release leaves."
    ),
    "fails": "The release must not leave the house as it is: a threshold does not hold.",
    "not assessable": "No verdict on the release: a measure the plan decides on could not be assessed.",
    "none": "No verdict on the release: the plan has no threshold, so nothing was decided.",
}
UNCHANGED = "The release may leave the house: every threshold of the plan held already, and no cell was changed."
NEXT = {
    "holds": (
        "Before it leaves, see what analysts keep and what attackers gain: lookalike compare {file} {release} --made "
        "EVIDENCE. EVIDENCE is what --json writes: keep it in the house, signed (--sign), and check it at any "
        "time (lookalike verify)."
    ),
    "undecided": "Settle the doubts named above, or name a lower threshold (--threshold). Then protect again.",
    "not assessable": (
        "Say how many people the file was drawn from (--population N), or decide on another measure (--k 5). Then "
        "protect again."
    ),
    "none": "Name a threshold (--threshold 0.09, --k 5), and protect again.",
}
ALONE_FIRST = (
    "First see to the columns left as they are (notes): they say more of a record than what any threshold counts."
)
SAFER = "To be safer than the plan asks, name a lower threshold (--threshold) or a larger k (--k), and protect again."
FAILS_NEXT = {
    "time": "The search ran out of time: allow more (--time-limit 600).",
    "few": "Allow a few records to be suppressed (--max-suppression 0.02), or single cells of them (--cells).",
    "column": "Leave out {name}, which lowers the risk most (--drop).",
    "levels": (
        "The levels were given, not searched. Let them be searched: protect again by generalize, without levels of "
        "your own."
    ),
    "method": (
        "{method} does not search for a version that keeps this threshold. Take the method that does (--method "
        "generalize), ask this one for larger groups (--k), or leave a column out (--drop)."
    ),
    "last": (
        "If nothing of this helps, draw a new file instead (lookalike synthesize), or let the analysis be done in the "
        "house."
    ),
}
"""What to try where a threshold does not hold, in this order, as far as it applies."""

CHANGED = "{records} of {all} records of {file} are in the release, changed by {method}."
NOT_CHANGED = "{records} of {all} records of {file} are in the release; {method} changed no cell of them."
IN_ORDER = (
    "The records stand in the order of the file: who has a list in that order knows whose record is whose (--shuffle "
    "mixes them)."
)
ALL_BUT_FEW = "all but <5"
LEFT_OUT = "Columns that the release does not have: {names}."
MORE_NAMES = "{names} and {count} more"

B_LABEL = "B of the release"
B_NOTE = "{span}; threshold {threshold}; before: {before}"
B_NOTE_ALONE = "{span}; no threshold was set on it; before: {before}"
B_SPAN = "interval {low} to {high}"
B_EXACT = "without interval"
CELLS_LABEL = "Cells changed"
CELLS_UNDER = "generalized {generalized}, suppressed {suppressed}, perturbed {perturbed}"
RECORDS_LABEL = "Records released"
RECORDS_NOTE = "of {all}; {removed} were removed"
LOSS_LABEL = "Detail lost"
LOSS_NOTE = "the share of its column that a cell stands for, on average; mean standardized distance {distance}"
NOT_KNOWN = "not known"
AT_MOST = "at most {value}"
WITH_INTERVAL = "{value} ({low} to {high})"

B_TITLE = "B, record to person: before and after"
B_SAYS = "B was {before} in the file and is {after} in the release."
B_SAYS_LIMIT = "B was {before} in the file and is {after} in the release; the threshold is {threshold}."
B_AXIS = "chance of a right match"
B_HEADS = ("file", "B", "interval from", "to")
FILE, RELEASE = "the file", "the release"
THRESHOLD = "threshold {value}"

RISK_TITLE = "Before and after"
RISK_MEANS = (
    "Each measure of risk in the file and in the release. A measure that did not fall was not what the method changed."
)
RISK_CHART = "Measures of risk: from the file to the release"
RISK_SAYS = "{fell} of {of} measures fell; most fell {name}, from {before} down to {after}."
RISK_SAME = "None of {of} measures fell."
RISK_AXIS = "share or chance (axis by square roots)"
RISK_HEADS = ("measure", "file", "release")
RISK_NOTE = "A dash: not measured, or not known."
RISK_MORE = (
    "1/f: one over the records that look alike in the file, for an attacker who knows that a person is in it. A = "
    "K/N, K classes and N people. B = (1/n) Σ 1/F, F the people of the population who look alike. t: the largest "
    "distance of a class's sensitive values from the whole file's. See docs/concepts/match-rates.md and "
    "docs/concepts/closeness.md.",
    "Source: Duncan, Keller-McNulty and Stokes (2001) for risk beside loss; each measure has a page in docs/concepts.",
    "Limits: where values were changed at random, class sizes count values that are not real, and these measures do "
    "not tell what an attacker gains. Compare the release with the file for that.",
)
MEASURES = {
    "records": "records",
    "classes": "classes of records that look alike",
    "k": "k, the smallest class",
    "unique": "unique records",
    "worst": "risk 1/f of the most exposed record",
    "mean": "mean risk 1/f in the file",
    "fitting": "alone even where intervals overlap",
    "A": "A, person to record",
    "B": "B, record to person",
    "l": "ℓ of {name}",
    "t": "t of {name}",
    "one_value": "records whose class gives {name} away",
    "target": "disclosure of {name}",
}

CELLS_TITLE = "What changed, column by column"
CELLS_MEANS = (
    "What became of the cells of each column that was changed: kept, made coarser, emptied, or replaced by another "
    "value. Columns that are not named here are as they were in the file; codes that mean missing are written empty."
)
CELLS_NONE = "No cell of the records that stay was changed."
CELLS_CHART = "Cells of each changed column"
CELLS_SAYS = "{count} columns were changed. Most changed is {name}: {share} of its cells are not as they were."
CELLS_EMPTIED = "No value is left in {names}: every cell is *, or empty where the value was missing already."
EMPTIED, ALL = "removed (every cell is *)", "all"
CELLS_FEW = "{count} columns were changed. How many cells of each is told as far as that names no few of them."
CELLS_AXIS = "share of the cells"
CELLS_HEADS = ("column", "kept", "generalized", "suppressed", "perturbed")
CELLS_NOTE = "Counts of one to four are told as <5, and where a rest would tell them it is not told."
FATES = {
    "KEPT": "kept",
    "GENERALIZED": "generalized",
    "SUPPRESSED": "suppressed",
    "PERTURBED": "perturbed",
}
UNTOLD = "not told apart"
CELLS_MORE = (
    "Told from both files, cell by cell, whatever the method says of itself: a coarser value is generalized, a value "
    "that became empty or a wildcard is suppressed, another value is perturbed. See docs/concepts/protect.md.",
    "Limits: the cells of records that were removed are not counted here; they are lost as a whole.",
)

COLUMNS_TITLE = "Columns of the release and of the file"
COLUMNS_MEANS = "All columns with their role and what became of them. What is not left out here leaves the house."
COLUMNS_GRID = "Columns of both files"
COLUMNS_HEADS = ("column", "role", "what became of it")
ROLES = {
    "identifier": "identifier",
    "quasi-identifier": "quasi-identifier",
    "sensitive": "sensitive",
    "weight": "weight",
    "household": "household",
    "other": "none",
}
BECAME = {
    "kept": "as it was",
    "coded": "as it was; codes for missing are empty",
    "generalized": "generalized",
    "suppressed": "cells suppressed",
    "perturbed": "perturbed",
    "generalized suppressed": "generalized, some cells suppressed",
    "suppressed perturbed": "perturbed, some cells suppressed",
    "several": "changed in several ways",
    "left out": "left out",
    "added": "added",
}
"""What became of a column; of one without a value left, `EMPTIED`."""
COLUMNS_MORE = (
    "Told from both files. Removed: the column is there, without a value. Left out: the release has no such column. "
    "See docs/concepts/protect.md.",
    "Limits: a column as it was is protected by nothing. Roles are those that the plan names.",
)

LOSS_TITLE = "What was lost"
LOSS_MEANS = (
    "A cell that became a range stands for a part of its column: 0 % is a value as it was, 100 % says nothing. The "
    "mean over the cells of each quasi-identifier is what an analyst cannot see any more."
)
LOSS_CHART = "Share of its column that a cell stands for"
LOSS_SAYS = "Most was lost of {name}: a cell stands for {share} of its column, on average."
LOSS_NOTHING = "No quasi-identifier lost detail by this measure."
LOSS_AXIS = "share of the column, mean over cells"
LOSS_HEADS = ("column", "share of the column", "cells emptied")
LOSS_TOTAL = "What was lost in all"
LOSS_TOTAL_HEADS = ("measure", "value")
LOSS_ROWS = {
    "distance": "mean standardized distance (information loss)",
    "granularity": "share of its column a cell stands for",
    "suppressed": "cells of quasi-identifiers emptied",
    "removed": "records removed",
    "class_size": "records of a class, mean",
    "discernibility": "discernibility, Σ f²",
}
LOSS_MORE = (
    "Share of the column: width over width for numbers and dates, (v − 1)/(d − 1) for other values, v those that the "
    "cell stands for and d all; 1 if it is empty (Iyengar 2002). Distance: (1/nm) Σ √(Σ ((a − a′)/σ)²), a′ the "
    "farther end of the released range (Sánchez, Martínez and Domingo-Ferrer 2016). See "
    "docs/concepts/information-loss.md.",
    "Limits: one wide column can be all of the distance. Values replaced by others of their column keep their detail "
    "and count 0 in the share. Neither says whether your analysis still works: compare the analysis.",
)

FRONTIER_TITLE = "The frontier: other versions"
FRONTIER_MEANS = (
    "Each point is a version of the file that the search judged and that no other one beats in both risk and loss. "
    "Moving right pays for less risk with detail; the large diamond is the version that was chosen."
)
FRONTIER_CHART = "Risk and loss of the versions searched"
FRONTIER_SAYS = (
    "{count} versions: from risk {most} at loss {least_loss} to risk {least} at loss {most_loss}; the chosen one has "
    "risk {risk} at loss {loss}."
)
FRONTIER_LIMIT = "The line is the threshold of B, {threshold}."
FRONTIER_RISK_B = "B, as the search judges it"
FRONTIER_RISK_F = "mean risk 1/f"
FRONTIER_LOSS = "loss by hierarchies"
FRONTIER_HEADS = (
    "columns made coarser, to level",
    "chosen",
    "risk",
    FRONTIER_LOSS,
    "records suppressed",
    "limits hold",
)
FRONTIER_NONE = "none"
FRONTIER_AGAIN = (
    "The search judges all versions by one estimate, made from the file as it was; the verdict rests on B of the "
    "release, estimated anew: {again}."
)
FRONTIER_EXACT = (
    "The search judges all versions by one estimate, made from the file as it was; the verdict rests on B of the "
    "release, counted in the file of the population: {again}."
)
FRONTIER_AFTER = "Something was changed after the search: in the release this risk is {again}."
YES, NO = "yes", "no"
CHOSEN, HOLDS, FAILS = "chosen", "limits hold", "limits do not hold"
LEVELS_GRID = "Levels of generalization (0: as it is)"
LEVELS_HEADS = ("column", "in the release", "hierarchy", "level", "highest")
EVERY_LEVEL = "Every level there is, for --option levels"
EVERY_HEADS = ("column", "level", "what the level is")
AS_IT_IS = "as it is"
STEPS = {
    "intervals": "intervals of {width}",
    "bottom": "all below {bottom} as one",
    "top": "all from {top} on as one",
    "day": "by day",
    "month": "by month",
    "quarter": "by quarter",
    "year": "by year",
    "decade": "by decade",
    "prefix": "first {characters} characters",
    "first": "first character",
    "neighbours": "groups of {size} neighbours",
    "rare": "values of fewer than {fewer_than} records as one",
    "groups": "{groups} groups",
    "example": "{groups} groups, such as {example}",
    "one groups": "{groups} group",
    "one example": "{groups} group, {example}",
    "level": "coarser",
    "removed": "removed (every cell is *)",
}
"""What a level of a hierarchy does to its column."""
FRONTIER_MORE = (
    "Risk is B where B is limited, by the estimate that the search uses; else the mean over the records of 1/f. Loss "
    "is the mean share of its column that a cell stands for. Another point is taken by its levels (--option levels). "
    "See docs/concepts/frontier.md.",
    "Source: Duncan, Keller-McNulty and Stokes (2001), the R-U confidentiality map.",
    "Limits: it is the frontier of the versions seen, and of recoding along these hierarchies; other methods may lie "
    "below it. B on the first screen is estimated again on the release and may differ a little.",
)

BUYS_TITLE = "Which column buys most"
BUYS_MEANS = (
    "What one column alone would change if it were made one level coarser, or left out. The column whose bar reaches "
    "farthest to the left lowers the risk most."
)
BUYS_FROM_FILE = "From the file as it was: change of risk"
BUYS_FROM_CHOSEN = "From the version chosen, before any suppression: change of risk"
BUYS_SAYS = "Leaving out {name} changes the risk most, by {risk}; it costs {loss} of loss."
BUYS_AXIS = "change of risk"
BUYS_STEPS = {"raised": "one level up", "removed": "left out"}
BUYS_HEADS = ("column", "one level up: risk", "loss", "left out: risk", "loss")
BUYS_MORE = (
    "Risk and loss are those of the frontier; nothing is suppressed. A column at its highest level cannot be raised. "
    "See docs/concepts/frontier.md.",
    "Limits: columns act together. What two of them buy is not the sum of what each buys alone.",
)

STEPS_TITLE = "Steps and their settings"
STEPS_MEANS = (
    "The methods in the order they were taken, with all settings, so that the run can be repeated. Figures are what "
    "each method tells of its own work."
)
STEP = "Step {number}: {method}"
STEP_HEADS = ("setting or figure", "value")
STEP_ENTRIES = "{count} entries: see the evidence"
STEPS_MORE = (
    "The plan of the evidence (--json FILE) holds the same, and the seed. Each method has a page in docs/concepts.",
    "Limits: where a method draws, the seed is a secret. Whoever knows it can undo the change.",
)
FIGURES = {
    "reached": "the limits were reached (1: yes)",
    "loss": "loss by its own measure",
    "suppressed_records": "records suppressed",
    "nodes": "versions there are",
    "nodes_checked": "versions judged",
    "sample_to_population": "B, as the search judges it",
    "k_anonymity": "k, the smallest class",
    "groups": "groups",
    "mean size": "records of a group, mean",
    "left alone": "records left alone",
    "rare_records": "rare records",
    "unique records": "unique records before",
    "masked records": "records masked",
    "records still unique": "records still unique",
    "epsilon": "ε in all",
    "delta": "δ",
    "epsilon_a_column": "ε of a column",
    "epsilon_a_person": "ε of a person",
    "cells_coded": "cells coded",
}
"""Figures of methods in words; others are told by their own name."""
RECORD_FIGURES = frozenset(
    {
        "suppressed_records",
        "left alone",
        "rare_records",
        "not_in_the_table",
        "unique records",
        "masked records",
        "records still unique",
        "in_the_same_month",
        "alone_by_intervals",
        "alone_after",
        "cells_coded",
        "fewest_in_a_code",
        "persons",
        "persons_with_intervals",
    }
)
"""Figures that count records, cells or persons: one to four of them are told as <5."""

SECRET_SEED = "a secret: values were drawn, and whoever knows it can undo them"
RELEASE_RISK = "The risk of the release"
RELEASE_RISK_MEANS = (
    "What follows is the assessment of the release as it would be of any file. An attacker who has the release and "
    "not the file sees this risk."
)
EXPLAINED = "Every method and measure has a page that explains it and says when it lies: docs/concepts."
