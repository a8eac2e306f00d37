"""How far a model of the population is to be trusted: a factor on each class, its spread learned from the file."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

FACTORS = np.geomspace(0.2, 1e4, 10)  # κ: ties between variables that the model has no class for
REPEATS = np.geomspace(1e2, 1e10, 17)  # θ: records that repeat each other, however improbable
PRIOR = 0.25 * np.log(FACTORS)[:, None] + 0.5 * np.log(REPEATS)[None, :]
"""Before the data, a κ ten times as large is 1.8 times as likely, such a θ 3.2 times: distrust must be earned."""

Floats = NDArray[np.float64]


class Trust:
    """The share of a class is p·g, g ~ Gamma(s) with mean 1 and 1/s = 1/κ + 1/(θ p), not the model's p itself.

    A model errs in two ways. It has no latent class for some ties between variables: then classes are larger or
    smaller than p says by a factor whose spread does not depend on p (κ). And some records repeat others though p is
    tiny (θ): then the shares are those of a Dirichlet law with parameters θ p. Both show in the sample as larger
    classes than p foresees: f is negative binomial with mean n p and shape s. (κ, θ) is drawn from its likelihood
    over the classes seen (f ≥ 1, so the classes nobody has need not be listed) times the prior. Given f, the share is
    p · Gamma(s + f) / (s + n p): between p, where s is large, and f/n.
    """

    def __init__(self, sizes: Floats, *, rng: Generator) -> None:
        self.sizes, self.records, self.rng = sizes, float(sizes.sum()), rng
        self._odds = np.full(PRIOR.size, 1 / PRIOR.size)

    def learn(self, p: Floats) -> None:
        """Weigh the pairs (κ, θ) by how well they explain the class sizes; p as seen in the sample."""
        from lookalike.population import _inverse as kernel

        fit = kernel.trust_likelihood(self.sizes, p, self.records, FACTORS, REPEATS) + PRIOR
        odds = np.exp(fit - fit.max()).ravel()
        self._odds = odds / odds.sum()

    def factors(self, p: Floats) -> Floats:
        """A draw of g for each class, given its size; p as seen in the sample."""
        factor, repeat = divmod(int(self.rng.choice(PRIOR.size, p=self._odds)), len(REPEATS))
        p = np.maximum(p, 1e-300)
        shape = 1 / (1 / FACTORS[factor] + 1 / (REPEATS[repeat] * p))
        return np.asarray(self.rng.standard_gamma(shape + self.sizes) / (shape + self.records * p))
