"""A multi-layer perceptron that tells two files apart."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.random import Generator

from lookalike.models.steps.heeding import heeding_interrupts
from lookalike.models.steps.one_thread import one_thread
from lookalike.utility.designs import Design, Floats
from lookalike.utility.formula import all_terms
from lookalike.utility.propensity_scores import Labels
from lookalike.utility.stacked import Stacked


class ReadyNetwork:
    """Standardized columns, a 0/1 column a level, in single precision."""

    def __init__(self, stacked: Stacked, *, hidden: tuple[int, ...], decay: float, rounds: int) -> None:
        design = Design.of(stacked, all_terms(tuple(dict.fromkeys(stacked.owners)), 1))
        self.hidden, self.decay, self.rounds = hidden, decay, rounds
        x = design.matrix(slice(0, stacked.records))[:, 1:].astype(np.float32)
        spread = x.std(axis=0)
        x = x[:, spread > 0]
        self.x = (x - x.mean(axis=0)) / spread[spread > 0]

    def scores(self, drawn: Labels, learn: Labels | None, *, rng: Generator) -> Floats:
        """Learned from a start drawn from rng."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier

        rows = np.ones(len(drawn), np.bool_) if learn is None else learn
        if not self.x.shape[1]:
            return np.full(len(drawn), float(drawn[rows].mean()))
        network = MLPClassifier(
            self.hidden,
            alpha=self.decay,
            max_iter=self.rounds,
            batch_size=min(200, int(rows.sum())),
            random_state=int(rng.integers(2**31)),
        )
        with one_thread(), warnings.catch_warnings(), heeding_interrupts():
            # How long it learns is part of the choice; that it could learn on is no news.
            warnings.simplefilter("ignore", ConvergenceWarning)
            network.fit(self.x[rows], drawn[rows])
            found = network.predict_proba(self.x)[:, 1]
        return np.asarray(found, np.float64)

    def caveats(self) -> tuple[str, ...]:
        """Nothing to tell."""
        return ()
