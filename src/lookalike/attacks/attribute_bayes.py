"""Bayesian attribute risk: what somebody who knows all other records and the model reads off a synthetic release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.attribute_guesses import BayesianRisk, Guessed, chance, likeliest, of_truth, raised
from lookalike.attacks.distance_space import some
from lookalike.attacks.distances import measured
from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.latent_guesses import Codes, coded, guess_weights, latent_draws
from lookalike.attacks.outcome import Outcome, Share, sure
from lookalike.errors import BadPlan
from lookalike.models.latent_chain import Draw
from lookalike.models.latent_mixed import DPMPM

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW = 10.0
"""Draws of the posterior that must count for a record before its figure is trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianAttribute:
    """The posterior of a record's target given the release, all other records, and what is known of the record.

        P(y* | S, O₋ᵢ) ∝ P(S | y*, O₋ᵢ) P(y*),
        P(S | y*, O₋ᵢ) ∝ E[r | O, S] / E[r | O],    r(θ) = f(xᵢ, y* | θ)/f(oᵢ | θ),

    f the density of the latent classes (DPMPM), means over draws of the posterior given the original, and given the
    original and the release together. The weights r put the guess in the place of the truth. Source: Reiter, Wang and
    Zhang (2014); Hu, Reiter and Wang (2014). They weigh draws given O by P(S | θ) too, so that of all draws one counts;
    drawing θ given both files is the same mean without those weights. Releases are taken for independent given O.

    >>> import polars as pl
    >>> rng = np.random.default_rng(1)
    >>> original = pl.DataFrame({"sex": ["F", "M"] * 20, "ill": ["yes", "no"] * 20})
    >>> attack = BayesianAttribute(known=("sex",), target="ill", model=DPMPM(classes=5, sweeps=200, burn_in=100))
    >>> found = attack.attack(Files(original=original, releases=(original,)), rng=rng)
    >>> found.people.chance.mean() > found.chance.baseline.value, found.people.posterior.shape
    (np.True_, (40, 2))
    """

    name: ClassVar[str] = "Bayesian attribute risk"

    known: tuple[str, ...]
    target: str
    model: DPMPM = field(default_factory=lambda: DPMPM(sweeps=1_000, burn_in=400, kept=200, prior="uniform"))
    """How the release was made, as the attacker believes; its `bins` are those of numbers. Its prior is not made from
    the file, for a record cannot be taken out of margins."""
    prior: Literal["margin", "uniform", "others"] = "margin"
    """What is believed before: the shares of the target among the other records, each level as likely as another, or
    what the model says of the target given what is known and the other records."""
    most: int = 500
    """Records of each file that are asked for at most, a random part of more."""

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        wrong = ["most must be at least 1."] if self.most < 1 else []
        if self.prior not in ("margin", "uniform", "others"):
            wrong.append("prior must be 'margin', 'uniform' or 'others'.")
        if self.model.zeros:
            wrong.append("Structural zeros are not taken into account here. Give the model without them.")
        return wrong

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        wrong = [*self.faults(), *faults_in(lambda: files.check(self.known, (self.target,))), *self._unfit(files)]
        if wrong:
            raise BadPlan(wrong)

    def _unfit(self, files: Files) -> Iterator[str]:
        if files.linked:
            yield (
                "The Bayesian attribute risk is for releases whose rows were all drawn from the model. In a linked "
                "release rows were made from records. Take attribution instead, or say linked=False if they were not."
            )
        most = files.original.height + max(files.original.height, *(r.height for r in files.releases))
        if most > self.model.most_records:
            yield (
                f"The model learns from {self.model.most_records:,} records at most, and the original and a release "
                f"have {most:,} together. Give a random part of each, or raise most_records of the model."
            )

    def attack(self, files: Files, *, rng: Generator) -> BayesianRisk:
        """Guess the target of records of the original and of the control."""
        self.check(files)
        codes = coded(files, measured(files), self.target, self.model.bins)
        original = codes.files[0]
        asked = some(len(original), self.most, rng)
        own = latent_draws(self.model, original, codes, rng)
        both = [latent_draws(self.model, np.concatenate([original, r]), codes, rng) for r in codes.releases]
        twice = latent_draws(self.model, np.concatenate([original, original]), codes, rng)
        people = self._guessed(codes, original[asked], own, both, used=True)
        itself = self._guessed(codes, original[asked], own, [twice], used=True)
        control = codes.control
        if control is not None:
            control = control[some(len(control), self.most, rng)]
        others = None if control is None else self._guessed(codes, control, own, both, used=False)
        return self._risk(codes, people, itself, others, asked)

    def _guessed(
        self,
        codes: Codes,
        people: NDArray[np.int32],
        own: Sequence[Draw],
        both: Sequence[Sequence[Draw]],
        *,
        used: bool,
    ) -> Guessed:
        """`used`: the records are among those that the draws were made from, and are to be taken out of them."""
        known = [codes.columns.index(name) for name in self.known]
        before, _ = guess_weights(own, codes, people, known, taken_out=used)
        told = [guess_weights(draws, codes, people, known, taken_out=used) for draws in both]
        prior = self._prior(codes, people, before, used=used)
        log_posterior = np.log(prior) + sum(after - before for after, _ in told)
        posterior = _normalized(log_posterior)
        best = posterior.argmax(axis=1)
        counting = np.min([of_truth(effective, best) for _, effective in told], axis=0)
        return Guessed(
            prior=prior,
            posterior=posterior,
            truth=people[:, codes.target].astype(np.int64),
            effective_draws=counting,
        )

    def _prior(self, codes: Codes, people: NDArray[np.int32], before: Floats, *, used: bool) -> Floats:
        if self.prior == "others":
            return _normalized(before)
        if self.prior == "uniform":
            return np.full(before.shape, 1 / before.shape[1])
        margin = np.bincount(codes.files[0][:, codes.target], minlength=before.shape[1]).astype(np.float64)
        counts = np.tile(margin, (len(people), 1))
        if used:
            counts[np.arange(len(people)), people[:, codes.target]] -= 1
        # One more of each: a level that no other record has is rare, not impossible.
        return np.asarray((counts + 1) / (counts + 1).sum(axis=1, keepdims=True), np.float64)

    def _risk(
        self, codes: Codes, people: Guessed, itself: Guessed, others: Guessed | None, asked: Ints
    ) -> BayesianRisk:
        caveats = self._caveats(people, len(codes.files[0]))

        def outcome(measure: str, share: Callable[[Guessed], Share], baseline: Share) -> Outcome:
            return Outcome(
                attack=self.name,
                measure=f"{measure}, {self.target}",
                main=share(people),
                control=None if others is None else share(others),
                baseline=baseline,
                original=share(itself),
                caveats=caveats,
            )

        before = replace(people, posterior=people.prior)
        found = {
            "chance": outcome("chance of the true value", chance, chance(before)),
            "likeliest": outcome("likeliest guess is true", likeliest, likeliest(before)),
            "raised": outcome("true value made likelier", raised, sure(0.5, "records, up or down by chance")),
        }
        return BayesianRisk(**found, people=people, asked=asked, others=others, levels=codes.guesses, caveats=caveats)

    def _caveats(self, people: Guessed, records: int) -> tuple[str, ...]:
        found = []
        few = int((people.effective_draws < FEW).sum())
        if few:
            found.append(
                f"For {few:,} of {len(people.truth):,} records fewer than {FEW:.0f} draws of the posterior count. "
                "Keep more draws: raise `kept` and `sweeps` of the model."
            )
        if self.model.prior == "margin":
            found.append(
                "The model's prior holds the margins of the file, which a record cannot be taken out of: figures of "
                "the original lie somewhat below those of the control. Take prior='uniform'."
            )
        if len(people.truth) < records:
            found.append(f"A random part of {len(people.truth):,} of {records:,} records was asked for.")
        return tuple(found)


def _normalized(logs: Floats) -> Floats:
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float64)
