"""Smoothing of drawn numbers, and the bandwidth it takes."""

import numpy as np
import pytest

from lookalike.errors import BadPlan
from lookalike.models.mixed import Numbers
from lookalike.models.steps.bandwidth import sheather_jones
from lookalike.models.steps.smoothing import Smoothing

HOW = ["density", "spline", "rmean"]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def direct(values: np.ndarray) -> float:
    """The same equation with all pairs of records, by halving."""
    n = len(values)
    scale = min(values.std(ddof=1), np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349)
    gaps = values[:, None] - values[None]

    def functional(width: float, order: int) -> float:
        d = (gaps / width) ** 2
        terms = d**2 - 6 * d + 3 if order == 2 else d**3 - 15 * d**2 + 45 * d - 15
        return float((terms * np.exp(-d / 2)).sum() / (n * (n - 1) * width ** (2 * order + 1) * np.sqrt(2 * np.pi)))

    ratio = functional(1.241 * scale * n ** (-1 / 7), 2) / -functional(1.230 * scale * n ** (-1 / 9), 3)
    alpha = 1.357 * ratio ** (1 / 7)
    low, high = 1e-3 * scale, 3 * scale
    for _ in range(60):
        h = (low + high) / 2
        wanted = (1 / (2 * np.sqrt(np.pi) * n * functional(alpha * h ** (5 / 7), 2))) ** 0.2
        low, high = (h, high) if wanted > h else (low, h)
    return float(h)


@pytest.mark.parametrize("seed", range(3))
def test_the_bandwidth_solves_its_equation(seed: int) -> None:
    r = rng(seed)
    values = np.concatenate([r.normal(-3, 1, 150), r.normal(3, 0.5, 150)])
    assert sheather_jones(values) == pytest.approx(direct(values), rel=0.01)


def test_the_bandwidth_moves_with_the_scale_and_sees_two_humps() -> None:
    r = rng()
    values = np.concatenate([r.normal(-5, 1, 500), r.normal(5, 1, 500)])
    assert sheather_jones(7 * values + 3) == pytest.approx(7 * sheather_jones(values), rel=1e-3)
    assert sheather_jones(values) < 1.06 * values.std() * 1_000**-0.2 / 3  # what one normal law would need
    assert sheather_jones(np.ones(10)) == 0.0


@pytest.mark.parametrize("how", HOW)
def test_values_are_no_longer_those_of_the_file_and_the_law_stays(how: str) -> None:
    file = Numbers(np.round(rng().gamma(3, 10, 500), 3))
    drawn = file.take(rng(2).integers(0, 500, 2_000))
    smooth = Smoothing(how=how).smooth(drawn, file, rng=rng(3))
    copied = np.isin(smooth.values, file.values).mean()
    # Running means over records that were drawn five times or more do not move.
    assert copied < (0.45 if how == "rmean" else 0.2)
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    assert np.quantile(smooth.values, levels) == pytest.approx(np.quantile(file.values, levels), rel=0.1)
    assert smooth.values.min() >= file.values.min()
    assert np.array_equal(smooth.values, np.round(smooth.values, 3))


@pytest.mark.parametrize("how", HOW)
def test_spikes_top_codes_and_unknown_cells_stay(how: str) -> None:
    r = rng()
    spiky = np.concatenate([np.zeros(800), r.gamma(3, 10, 200)])
    smooth = Smoothing(how=how).smooth(Numbers(spiky), Numbers(spiky), rng=r).values
    assert (smooth[:800] == 0).all()
    topped = np.concatenate([r.uniform(0, 90, 500), np.full(60, 90.0), [np.nan]])
    smooth = Smoothing(how=how).smooth(Numbers(topped), Numbers(topped), rng=r).values
    assert (smooth[500:560] == 90).all()
    assert np.nanmax(smooth) == 90
    assert np.isnan(smooth[-1])


@pytest.mark.parametrize("how", HOW)
def test_one_value_few_values_and_none_are_left_alone(how: str) -> None:
    for values in ([5.0], [5.0, 5.0], [np.nan], []):
        column = Numbers(np.array(values))
        found = Smoothing(how=how).smooth(column, column, rng=rng()).values
        assert np.array_equal(found, values, equal_nan=True)
    two = Numbers(np.array([1.0, 2.0, 2.0]))
    assert np.isfinite(Smoothing(how=how).smooth(two, two, rng=rng()).values).all()


def test_the_drawn_column_is_not_changed() -> None:
    drawn = Numbers(np.arange(50.0))
    Smoothing().smooth(drawn, drawn, rng=rng())
    assert np.array_equal(drawn.values, np.arange(50.0))


def test_another_way_is_refused() -> None:
    with pytest.raises(BadPlan, match="'how' is 'density', 'spline' or 'rmean', not 'kernel'"):
        Smoothing(how="kernel")  # type: ignore[arg-type]
