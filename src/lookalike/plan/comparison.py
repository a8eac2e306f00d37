"""The choices of a comparison: what the release is, what is compared, what an attacker knows."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import BadPlan, unknown
from lookalike.utility.origin import How, Origin

MODELS = ("logistic", "cart", "mlp")
"""Models that tell the release from the original, by their names in the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How an original and a release are compared.

    >>> Comparison(how="drawn", ways=(4,)).faults()[1]
    'Ways must be different numbers of 1, 2 and 3.'
    """

    columns: tuple[str, ...] = ()
    """Those to compare; none named: all that both files have, but identifiers, weights and household numbers."""
    how: str | None = None
    """How the release came about (see `How`); None: told by its evidence, else guessed."""
    proper: bool = False
    drawn: tuple[str, ...] = ()
    """The columns that a partial release drew."""
    linked: bool = False
    """Whether row i of the release is row i of the original."""
    made: str | None = None
    """The evidence of the release, as `protect` and `synthesize` write it."""
    control: str | None = None
    """Records that were not used for the release."""
    keys: tuple[str, ...] = ()
    """What an attacker knows; none named: the quasi-identifiers."""
    targets: tuple[str, ...] = ()
    """What is to be predicted; none named: the sensitive columns."""
    formulas: tuple[str, ...] = ()
    models: tuple[str, ...] = MODELS
    """That tell the release from the original; without `mlp` no network guesses the targets either."""
    terms: str | None = None
    """What the logistic regression sees, as the right side of a formula; None: every column by itself."""
    folds: int = 0
    """Parts of which each is scored by models learned from the others; 0: all by one model."""
    ways: tuple[int, ...] = (1, 2, 3)
    draws: int = 100
    """Tables drawn for the expectation of each table; 0: formulas alone."""
    sample: int = 1_000_000
    """Records of each file at most; of more a random part is compared."""
    attacks: bool = True
    """Whether attacks are tried, if something is said of what an attacker knows."""

    def faults(self) -> list[str]:
        """What is wrong with the choices by themselves."""
        faults = []
        kinds = [how.value for how in How]
        if self.how is not None and self.how not in kinds:
            faults.append(unknown("Origin", self.how, kinds, where="known", listed="Origins"))
        elif self.how is not None:
            faults += self._origin_faults(self.how)
        if not self.ways or any(way not in (1, 2, 3) for way in self.ways) or len(set(self.ways)) < len(self.ways):
            faults.append("Ways must be different numbers of 1, 2 and 3.")
        faults += [unknown("Model", m, MODELS, where="known", listed="Models") for m in self.models if m not in MODELS]
        if self.folds < 0 or self.folds == 1:
            faults.append("Folds are 0, or at least 2.")
        if self.draws < 0:
            faults.append("Tables drawn cannot be fewer than 0.")
        if self.sample < 100:
            faults.append("The part that is compared must have at least 100 records.")
        faults += [f"Column '{n}' is both a key and a target. Choose one." for n in self.keys if n in self.targets]
        if self.made is not None and self.how is not None:
            faults.append("The origin is told twice: by --made and by --how. Keep one.")
        return faults

    def _origin_faults(self, how: str) -> tuple[str, ...]:
        if how == How.PARTIAL and not self.drawn:
            return ("A partial release needs the names of the columns that were drawn (--drawn).",)
        try:
            Origin(how=How(how), proper=self.proper, drawn=self.drawn)
        except BadPlan as error:
            return error.faults
        return ()
