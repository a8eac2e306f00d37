"""What is said of guesses of an attribute: how likely the truth is, its place among the guesses, what was gained."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.attacks.outcome import Outcome, Share
from lookalike.estimate import Estimate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Guessed:
    """The guesses of one file's targets: one row a record, one column a guess.

    >>> chances = np.array([[0.2, 0.8], [0.5, 0.5]])
    >>> even, truth = np.full((2, 2), 0.5), np.array([1, 0])
    >>> found = Guessed(prior=even, posterior=chances, truth=truth, effective_draws=np.ones(2))
    >>> found.chance.tolist(), found.gain.round(1).tolist(), found.rank.tolist(), str(likeliest(found))
    ([0.8, 0.5], [0.3, 0.0], [1, 2], '1.5 of 2 records')
    """

    prior: Floats = field(repr=False)
    posterior: Floats = field(repr=False)
    truth: Ints = field(repr=False)
    effective_draws: Floats = field(repr=False)
    """How many draws of the posterior each record's likeliest guess rests on (Kish)."""

    @property
    def chance(self) -> Floats:
        """P(truth | release) of every record."""
        return of_truth(self.posterior, self.truth)

    @property
    def gain(self) -> Floats:
        """P(truth | release) − P(truth) of every record."""
        return self.chance - of_truth(self.prior, self.truth)

    @property
    def rank(self) -> Ints:
        """The place of the truth among the guesses, 1 the likeliest; the last of those as likely."""
        return np.asarray((self.posterior >= self.chance[:, None] * (1 - 1e-12)).sum(axis=1), np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianRisk:
    """What the release tells of the target, of the records that were asked."""

    chance: Outcome
    """The mean of P(truth | release); the baseline is that of P(truth)."""
    likeliest: Outcome
    """Records whose likeliest guess is the truth."""
    raised: Outcome
    """Records whose true value the release makes likelier than it was."""
    people: Guessed
    """The records of the original that were asked, `asked` their places."""
    asked: Ints = field(repr=False)
    others: Guessed | None
    """The records of the control."""
    levels: tuple[str, ...] = field(repr=False)
    """The guesses, in the order of the columns of `Guessed`: for numbers bins."""
    caveats: tuple[str, ...] = ()

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All outcomes."""
        return self.chance, self.likeliest, self.raised

    @property
    def gain(self) -> Estimate:
        """The mean of P(truth | release) − P(truth), less that of the control if there is one."""
        own = self.people.gain
        others = np.zeros(1) if self.others is None else self.others.gain
        value = float(own.mean() - others.mean())
        error = 1.96 * float(np.sqrt(own.var() / len(own) + others.var() / len(others)))
        method = "mean gain" if self.others is None else "mean gain over that of the control"
        return Estimate(value=value, low=value - error, high=value + error, method=method, caveats=self.caveats)


def of_truth(chances: Floats, truth: Ints) -> Floats:
    """The chance of one guess a record."""
    found: Floats = chances[np.arange(len(truth)), truth]
    return found


def chance(of: Guessed) -> Share:
    """The mean chance of the truth."""
    return Share(successes=float(of.chance.sum()), of=len(of.truth), what="records")


def likeliest(of: Guessed) -> Share:
    """Records whose likeliest guess is the truth; a guess among several as likely counts by its part."""
    top = of.posterior >= of.posterior.max(axis=1, keepdims=True) * (1 - 1e-12)
    right = of_truth(top * 1.0, of.truth) / top.sum(axis=1)
    return Share(successes=float(right.sum()), of=len(of.truth), what="records")


def raised(of: Guessed) -> Share:
    """Records whose truth became likelier."""
    return Share(successes=int((of.gain > 0).sum()), of=len(of.truth), what="records")
