"""What a comparison says, in sentences: one an analysis, and one over all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lookalike.attacks.outcome import Outcome, Reading
from lookalike.evaluate.comparison.attacks import Attacks
from lookalike.evaluate.comparison.grades import Finding, Grade
from lookalike.report.numbers import fixed
from lookalike.report.protection.next_step import MOODS, decided
from lookalike.report.protection.words import SAYS
from lookalike.report.tables import percent
from lookalike.report.told import counted
from lookalike.utility.origin import How

if TYPE_CHECKING:
    from lookalike.evaluate.comparison import Compared

NAMED = 4
"""Names in a sentence; of more, how many."""
GRADES = {Grade.KEPT: "kept", Grade.PARTLY: "partly kept", Grade.LOST: "lost", Grade.OPEN: "open"}
COLOURS = {Grade.KEPT: "green", Grade.PARTLY: "yellow", Grade.LOST: "red", Grade.OPEN: "yellow"}
EXPLAINED = (
    "Grades are rules of thumb (docs/concepts/compare.md). They are about analysis alone and say nothing of risk."
)
ATTACKED = (
    "Risk is what the attack gains over the control, else how often it succeeds. An attack that does no better than a "
    "guess failed; that does not show that the release is safe."
)
NO_CONTROL = (
    "Without a control (--control) what holds for everybody is not told apart from what the release tells of its own "
    "records."
)
KEPT_LABEL = "Analyses kept"
KEPT_NOTE = "partly kept {partly}, lost {lost}, open {open}"
GAIN_LABEL = "Attacks that gain"
GAIN_NOTE = "more from records of the file than from records that were not used, beyond chance"
OPEN_GAIN = "open"
GAIN_NO_CONTROL = "{tried} attacks were tried without a control (--control)"
B_LABEL = "B of the release"
B_NOTE, B_NOTE_ALONE = "{span}; threshold {threshold}", "{span}; no threshold was set on it"
OF = "{count} of {of}"
NEXT = (
    "Look first at what is lost below, and whether you need it. An attack that gains says which records or columns to "
    "change: protect or synthesize again, and compare again. Keep the evidence (--json FILE) in the house."
)
NEXT_FAILS = (
    "Do not release it yet. Change it more (lookalike protect, lookalike repair), or draw it anew with fewer columns "
    "(lookalike synthesize), and compare again. What is lost and what attackers gain, below, says where."
)
NEXT_FAILS_DRAWN = (
    "Try the attacks beside real records that were not used (--control). If none gains and no record is copied, B says "
    "little of drawn records, and the plan may go without that threshold; else draw fewer columns, or by another "
    "model, and compare again."
)
NEXT_REPAIR = (
    "Change the rows behind what is found, the attacks that gain or the copies (lookalike repair), and compare again. "
    "Look then at what is lost below, and whether you need it. Keep the evidence (--json FILE) in the house."
)
NEXT_KEPT = (
    "No analysis is lost and no attack gains beyond chance: it may be used as planned. Keep the evidence (--json FILE) "
    "in the house."
)
NEXT_UNJUDGED = (
    "No analysis is lost. What attackers gain is not judged yet: that needs the columns they know (--qi) and records "
    "kept aside (--control). Keep the evidence (--json FILE) in the house."
)
EXPOSED = (
    "Every threshold of the plan holds, but attackers gain from the release, or records of the original stand in it: "
    "see to that before it leaves."
)
FAILS_DRAWN = (
    "A threshold does not hold, read as if the drawn records were real people. What attackers gain, below, weighs more "
    "than that."
)
HOLDS_DRAWN = "Every threshold of the plan holds, read as if the drawn records were real people."
NOT_ASSESSED = "{what}: {reason}"
_ORIGINS = {
    "complete": "a synthetic file, all columns drawn",
    "partial": "a partly synthetic file",
    "populations": "samples of synthetic populations",
    "incomplete": "a file with some values drawn",
    "nested": "imputed and drawn copies",
    "independent": "another sample of the same people",
    "changed": "the original with its records changed",
}
BY_B = (
    "B decides on the release by its threshold: it asks how often a record of it leads to the right person of the "
    "population."
)
BY_B_AND_MORE = (
    "B and the other thresholds of the plan decide on the release: B asks how often a record of it leads to the right "
    "person of the population."
)
BY_OTHERS = "The thresholds of the plan decide on the release; B is not among them."
BY_NONE = "Nothing decides on the release here: the plan has no threshold."
UNKNOWN_PEOPLE = (
    "Nothing decides on the release here: B would, and needs quasi-identifiers (--qi) and the population "
    "(--population)."
)
UNKNOWN_SIZE = "Nothing decides on the release here: B would, and needs the number of people (--population)."
TRIED = (
    "Matching, linkage and the other attacks are tried by somebody who already holds values of the original: they "
    "decide nothing here and show where to look."
)
AS_IF = (
    "It reads the drawn records as if each were a person: of a synthetic file it is a caution, and the attacks weigh "
    "more."
)
_MODELS = {"logistic": "A logistic regression", "cart": "A tree", "mlp": "A neural network"}


def origin_in_words(how: str, *, proper: bool, told: str) -> str:
    """What the release is taken for, and who says so."""
    drawn = " from a law that was drawn too" if proper else ""
    who = "as was told" if told == "told" else told if told.startswith("guessed") else f"says {told}"
    return f"The release is taken for {_ORIGINS[how]}{drawn} ({who})."


def gained(attacks: Attacks | None) -> str | None:
    """What attackers gain, in one sentence; None if no attack was tried."""
    if attacks is None or not attacks.outcomes:
        return None
    if not attacks.control:
        return (
            f"{len(attacks.outcomes)} attacks were tried without a control: see what each finds beside a guess, below."
        )
    beyond = attacks.beyond
    if not beyond:
        return f"None of {len(attacks.outcomes)} attacks gains over records that were not used, beyond chance."
    worst = beyond[0]
    return (
        f"{len(beyond)} of {len(attacks.outcomes)} attacks gain over records that were not used; most gains "
        f"{in_plain_words(worst)}: {worst.risk.value:.2f}."
    )


def decides(result: Compared) -> str | None:
    """How B and the attacks go together, and what decides; None if no attack was tried."""
    if result.attacks is None or not result.attacks.outcomes:
        return None
    measures = set() if result.assessed is None else {verdict.measure for verdict in result.assessed.verdicts}
    as_if = (AS_IF,) if measures & _OF_B and result.origin.how is How.COMPLETE else ()
    return " ".join((_deciding(result), *as_if, TRIED))


def decided_on(result: Compared) -> str | None:
    """How the thresholds came out, by the keys of the sentences; None if nothing was decided on."""
    if result.assessed is None or not result.assessed.verdicts:
        return None
    return decided(result.assessed)


def verdict_of(result: Compared) -> tuple[str, str] | None:
    """The verdict by the thresholds in one sentence, and its mood; None if nothing was decided on.

    Thresholds that hold do not let a release go from which attackers gain, or in which records stand as they were.
    """
    how = decided_on(result)
    if how is None:
        return None
    if how == "holds" and _exposed(result.attacks):
        return EXPOSED, MOODS["undecided"]
    drawn = {"holds": HOLDS_DRAWN, "fails": FAILS_DRAWN} if result.origin.how is How.COMPLETE else {}
    return {**SAYS, **drawn}[how], MOODS[how]


def next_step(result: Compared, found: Sequence[Finding]) -> str:
    """What to do next, by what failed, what attackers gain, and what is lost."""
    how = decided_on(result)
    if how == "fails" and (result.origin.how is not How.COMPLETE or _exposed(result.attacks)):
        return NEXT_FAILS
    if how == "fails":
        return NEXT_FAILS_DRAWN
    if _exposed(result.attacks):
        return NEXT_REPAIR
    if any(finding.grade is Grade.LOST for finding in found) or how not in (None, "holds"):
        return NEXT
    return NEXT_KEPT if _judged(result.attacks) else NEXT_UNJUDGED


def _judged(attacks: Attacks | None) -> bool:
    """Whether attacks were tried beside records that were not used."""
    return attacks is not None and bool(attacks.outcomes) and attacks.control


def _exposed(attacks: Attacks | None) -> bool:
    """Whether an attack gains beyond chance, or records were copied."""
    gains = attacks is not None and _judged(attacks) and bool(attacks.beyond)
    return gains or copied(attacks) is not None


def _deciding(result: Compared) -> str:
    if result.assessed is None:
        return UNKNOWN_SIZE if result.plan.roles.quasi_identifiers else UNKNOWN_PEOPLE
    measures = {verdict.measure for verdict in result.assessed.verdicts}
    if not measures & _OF_B:
        return BY_OTHERS if measures else BY_NONE
    return BY_B_AND_MORE if measures - _OF_B else BY_B


_OF_B = {"sample_to_population", "sample_to_population_upper"}
ATTRIBUTED = {
    "DCAP": "{target} guessed from known columns",
    "DiSCO": "{target} given away by known columns",
}


def in_plain_words(outcome: Outcome) -> str:
    """An attack for the first screen: without the names of measures that only tables need.

    >>> from lookalike.attacks.outcome import Share
    >>> share = Share(successes=3, of=4, what="records")
    >>> in_plain_words(Outcome(attack="attribution", measure="DCAP of pay", main=share, baseline=share))
    'attribution (pay guessed from known columns)'
    """
    name, _, target = outcome.measure.partition(" of ")
    plain = ATTRIBUTED.get(name) if outcome.attack == "attribution" else None
    return f"{outcome.attack} ({outcome.measure if plain is None else plain.format(target=target)})"


COPIED = (
    "{count} records of the original, which no other record equals, stand in the release as they are, in all columns."
)
COPIED_CONTROL = "Of the records that were not used {share} do."


def copied(attacks: Attacks | None) -> str | None:
    """How many records were copied, in a sentence for the first screen; None if none was, or rows are linked."""
    if attacks is None or attacks.copies is None:
        return None
    if attacks.matching is not None and attacks.matching.hits is not None:
        return None
    found = attacks.copies.whole.unique
    if not found.main.successes or found.reading is Reading.NOT_INFORMATIVE:
        return None
    said = COPIED.format(count=counted(round(found.main.successes)))
    return said if found.control is None else f"{said} {COPIED_CONTROL.format(share=percent(found.control.value))}"


def overall(findings: Sequence[Finding]) -> str:
    """How many analyses are kept."""
    counts = {grade: sum(f.grade is grade for f in findings) for grade in Grade}
    said = ", ".join(f"{count} {GRADES[grade]}" for grade, count in counts.items() if count)
    return f"Of {len(findings)} analyses: {said}."


def sentence(finding: Finding) -> str:
    """One analysis in words."""
    return _SENTENCES[finding.analysis](finding)


def _regression(finding: Finding) -> str:
    f, lost = finding.figures, finding.figures["lost"]
    name = f"The {f['family']} model {finding.what}"
    overlap = f"mean overlap of intervals {f['overlap']:.2f}"
    if f["moved"] is not None:
        overlap += f"; most moved is {f['moved'][0]}, by {f['moved'][1]:+.1f} standard errors"
    if not lost and finding.grade is Grade.PARTLY:
        return f"{name} keeps the conclusions of all {f['of']} coefficients, but not all sizes: {overlap}."
    if not lost:
        return f"{name} keeps its conclusions: all {f['of']} coefficients, {overlap}."
    kept = "keeps most conclusions" if finding.grade is Grade.PARTLY else "loses its conclusions"
    named = f": {_names(f['named'])}" if f["named"] else ", of few records"
    return f"{name} {kept}; {lost} of {f['of']} do not hold{named}; {overlap}."


def _learning(finding: Finding) -> str:
    f = finding.figures
    release, original, guess = (fixed(f[name]) for name in ("release", "original", "baseline"))
    measure = f"{f['measure']} {release}, {original} from the original, {guess} by a guess"
    if finding.grade is Grade.OPEN:
        return f"{finding.what}: the learner finds nothing in the original, so what is kept is not told ({measure})."
    says = {
        Grade.KEPT: "is learned from the release as well as from the original",
        Grade.PARTLY: "is learned less well from the release",
        Grade.LOST: "is hardly learned from the release",
    }
    return f"{finding.what} {says[finding.grade]} ({measure})."


def _columns(finding: Finding) -> str:
    f = finding.figures
    far = f"the farthest is {f['column']}, distance {f['distance']:.3f}"
    if finding.grade is Grade.KEPT:
        return f"Each of {f['of']} columns alone is distributed as in the original ({far})."
    return f"{len(f['beyond'])} of {f['of']} columns are distributed otherwise: {_names(f['beyond'])} ({far})."


def _tables(finding: Finding) -> str:
    f = finding.figures
    good, fine = f["within"]
    limits = f["limits"]
    worst = " × ".join(f["worst"])
    if f["expected"]:
        said = f"{good} of {f['of']} are within {limits[0]:g} times what drawing gives, {fine} within {limits[1]:g}"
        far = f"{f['worst_value']:.1f} times"
    else:
        said = (
            f"{good} of {f['of']} differ by at most {limits[0]:.0%} of the records, {fine} by at most {limits[1]:.0%}"
        )
        far = f"{f['worst_value']:.1%}"
    which = "Tables" if f["all"] else "Tables with a column that was changed,"
    return f"{which} of {finding.what} columns: {said}; the worst is {worst} ({far})."


def _pairs(finding: Finding) -> str:
    f = finding.figures
    one, other = f["pair"]
    there = "none" if f["release"] is None else f"{f['release']:.2f}"
    change = f"{f['method']} of {one} and {other}: {f['original']:.2f} in the original, {there} in the release"
    if finding.grade is Grade.KEPT:
        return f"Columns go together as in the original (most moved: {change})."
    return f"{f['beyond']} of {f['of']} pairs of columns go together otherwise (most moved: {change})."


def _shares(finding: Finding) -> str:
    f = finding.figures
    return (
        f"Shares of {f['of']} values: mean overlap of their intervals {f['overlap']:.2f}; "
        f"intervals apart: {f['apart']}."
    )


def _propensity(finding: Finding) -> str:
    f = finding.figures
    model = _MODELS[finding.what]
    if f["ratio"] is None:
        says = {Grade.KEPT: "hardly", Grade.PARTLY: "partly", Grade.LOST: "clearly"}[finding.grade]
        return f"{model} tells the records of the release {says} from the original's (AUC {f['auc']:.2f})."
    says = {Grade.KEPT: "does not tell", Grade.PARTLY: "tells partly", Grade.LOST: "tells"}[finding.grade]
    of = "two samples of the same people would have" if f["ceiling"] else "a right release has"
    return f"{model} {says} release from original: pMSE is {f['ratio']:.1f} times what {of}."


def _unanswered(finding: Finding) -> str:
    return f"{finding.what} cannot be had from the release: {finding.figures['reason']}"


def _names(names: Sequence[str]) -> str:
    """The first of them, and how many more."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


_SENTENCES = {
    "unanswered": _unanswered,
    "regression": _regression,
    "learning": _learning,
    "columns": _columns,
    "tables": _tables,
    "pairs": _pairs,
    "shares": _shares,
    "propensity": _propensity,
}
