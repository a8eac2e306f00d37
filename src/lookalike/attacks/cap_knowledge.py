"""Attackers who know less or more than the CAP set-up: unsure that a person is in the file, or told about a group."""

from __future__ import annotations

import numpy as np

from lookalike.attacks.cells import Floats
from lookalike.errors import BadPlan


def unsure_of_presence(cap: Floats, *, present: float, levels: int) -> Floats:
    """The chance of a right guess if a person is in the file with chance `present`, else any of the levels is guessed.

    p·CAP + (1 − p)/L. Source: Qu (2024), example 2.6.6, the low-knowledge scenario.

    >>> float(unsure_of_presence(np.array(1.0), present=0.5, levels=2))
    0.75
    """
    if not 0 <= present <= 1:
        raise BadPlan("The chance that a person is in the file must lie between 0 and 1.")
    if levels < 1:
        raise BadPlan("The target must have at least one level to guess.")
    return present * np.asarray(cap, np.float64) + (1 - present) / levels


def with_beliefs(law: Floats, beliefs: Floats) -> Floats:
    """The chance that each target class is guessed by one who does not take the release at its word.

    P(guess j) = Σ_j' B[j', j] · P(T_a = j' | K_a), B[j', j] the chance of guessing j when the release shows j'. One
    who believes the release has B = 1 on the diagonal, and this is CAP. Source: Qu (2024), section 2.6.4 and example
    2.6.6.

    All men of the release are negative, but the attacker knows that all men are positive:

    >>> with_beliefs(np.array([0.0, 1.0]), np.array([[1.0, 0.0], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    law, beliefs = np.asarray(law, np.float64), np.asarray(beliefs, np.float64)
    if beliefs.shape != (len(law), len(law)):
        raise BadPlan(f"Beliefs need {len(law)} rows and columns, one a class of the target.")
    if (beliefs < 0).any() or not np.allclose(beliefs.sum(axis=1), 1):
        raise BadPlan("Every row of beliefs must hold chances that add up to 1.")
    found: Floats = law @ beliefs
    return found
