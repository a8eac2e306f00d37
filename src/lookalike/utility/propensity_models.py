"""What tells an original from a release: a logistic regression, a tree, or a network. Each scores every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from lookalike.errors import BadPlan
from lookalike.utility.designs import Design, Floats, estimable
from lookalike.utility.formula import all_terms, read_terms
from lookalike.utility.glm_fits import CERTAIN, fit_logistic
from lookalike.utility.propensity_scores import Labels
from lookalike.utility.stacked import Stacked


class Ready(Protocol):
    """A model with its columns coded, to be fitted to many labellings."""

    def scores(self, drawn: Labels, learn: Labels | None, *, rng: Generator) -> Floats:
        """P(drawn | row) for every row, learned from the rows of `learn`, or from all."""
        ...

    def caveats(self) -> tuple[str, ...]:
        """What the last fit has to tell."""
        ...


class Teller(Protocol):
    """A choice of what tells the files apart."""

    name: ClassVar[str]
    permutations: ClassVar[int]
    """How often labels are shuffled where there is no other null, unless told."""

    def ready(self, stacked: Stacked) -> Ready:
        """Code the columns."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """Logistic regression, not penalized: main effects of all columns unless told.

    >>> Logistic(terms="age*sex").name
    'logistic regression'
    """

    name: ClassVar[str] = "logistic regression"
    permutations: ClassVar[int] = 20
    order: int = 1
    """All products of up to so many columns."""
    terms: str | None = None
    """The terms as the right side of a formula, in place of the order."""

    def __post_init__(self) -> None:
        if self.order < 1:
            raise BadPlan("The order of a logistic regression is at least 1.")

    def ready(self, stacked: Stacked) -> ReadyLogistic:
        """The design of the terms."""
        columns = tuple(dict.fromkeys(stacked.owners))
        terms = all_terms(columns, self.order) if self.terms is None else read_terms(self.terms, columns)
        return ReadyLogistic(Design.of(stacked, terms))


class ReadyLogistic:
    """A design to be fitted."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self._certain = self._stopped = False

    def scores(self, drawn: Labels, learn: Labels | None, *, rng: Generator) -> Floats:
        """By maximum likelihood."""
        rows = slice(0, self.design.stacked.records)
        weights = None if learn is None else learn.astype(np.float64)
        fit = fit_logistic(self.design, drawn.astype(np.float64), rows, weights)
        found = np.asarray(expit(self.design.times(rows, fit.coefficients[0])), np.float64)
        self._certain = bool((found < CERTAIN).any() or (found > 1 - CERTAIN).any())
        self._stopped = not fit.converged
        return found

    def free(self, drawn: Sequence[str] = ()) -> int:
        """Coefficients that can be estimated, the intercept left out; of those that involve a drawn column, if named.

        With columns that were kept the count is the rank of all less the rank of what they alone make.
        """
        gram = self.design.products(slice(0, self.design.stacked.records))
        kept = [j for j, owners in enumerate(self.design.owners) if drawn and not owners & set(drawn)] or [0]
        return len(estimable(gram)) - len(estimable(gram[np.ix_(kept, kept)]))

    def caveats(self) -> tuple[str, ...]:
        """Where a combination tells some records apart for certain, and where the search did not end."""
        found = []
        if self._certain:
            found.append("Some records are told apart for certain: a value or combination is in one file only.")
        if self._stopped:
            found.append("The logistic regression did not converge; its last step was taken.")
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cart:
    """A classification tree pruned by cost and complexity, grown and pruned as rpart does.

    >>> Cart(cp=1.5)
    Traceback (most recent call last):
    lookalike.errors.BadPlan: cp of a tree is at least 0 and below 1.
    """

    name: ClassVar[str] = "tree"
    permutations: ClassVar[int] = 50
    cp: float = 0.001
    """By how much a split must lower the records guessed wrong, relative to those at the root."""
    leaf: int = 5
    """Records of a leaf at least."""
    depth: int = 30

    def __post_init__(self) -> None:
        faults = [] if 0 <= self.cp < 1 else ["cp of a tree is at least 0 and below 1."]
        if self.leaf < 1 or self.depth < 0:
            faults.append("A leaf has at least 1 record, and the depth is at least 0.")
        if faults:
            raise BadPlan(faults)

    def ready(self, stacked: Stacked) -> Ready:
        """Code the columns for the trees."""
        from lookalike.utility.propensity_tree import ReadyTree

        return ReadyTree(stacked, cp=self.cp, leaf=self.leaf, depth=self.depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceptron:
    """A multi-layer perceptron on standardized columns (scikit-learn's, trained by Adam).

    >>> Perceptron(hidden=()).hidden
    Traceback (most recent call last):
    lookalike.errors.BadPlan: A perceptron has layers of at least 1 unit, and at least 1 round.
    """

    name: ClassVar[str] = "multi-layer perceptron"
    permutations: ClassVar[int] = 10
    hidden: tuple[int, ...] = (16,)
    """Units of each layer between columns and score."""
    decay: float = 0.01
    """The weight of the sum of squares of all coefficients, as scikit-learn counts it."""
    rounds: int = 60
    """Passes over the records at most."""

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1 or self.rounds < 1:
            raise BadPlan("A perceptron has layers of at least 1 unit, and at least 1 round.")

    def ready(self, stacked: Stacked) -> Ready:
        """The standardized matrix of main effects."""
        from lookalike.utility.propensity_network import ReadyNetwork

        return ReadyNetwork(stacked, hidden=self.hidden, decay=self.decay, rounds=self.rounds)
