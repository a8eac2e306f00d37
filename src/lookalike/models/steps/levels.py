"""What the fitted regressions of levels have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.steps.design import Design, Floats


@dataclass(frozen=True, slots=True)
class FittedLevels:
    """Coefficients, and the levels that they are of."""

    design: Design
    scaled: Floats
    """Coefficients for the centred and scaled columns; of several levels, one column a level seen but the first."""
    seen: NDArray[np.int32]
    levels: int
    ordered: bool
    rows: int
    converged: bool

    @property
    def coefficients(self) -> Floats:
        """The intercept, then one slope a column of the design, in the units of the columns."""
        return self.design.in_units(self.scaled)
