"""Distribution functions, histograms, densities with contours, and records that moved."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.contours import contour_lines
from lookalike.utility.density import density_pair
from lookalike.utility.ecdf import NO_P_VALUE, ecdf_pair
from lookalike.utility.histograms import histogram_pair
from lookalike.utility.linked import determination, moved
from lookalike.utility.margins import CategoryMargin, NumberMargin, margins

VALUES = st.lists(st.floats(-100, 100).map(lambda x: round(x, 1)), min_size=1, max_size=40)


# Distribution functions


def largest_gap(one, other) -> float:
    return max(abs(np.mean(np.array(one) <= v) - np.mean(np.array(other) <= v)) for v in one + other)


@given(VALUES, VALUES)
def test_the_distance_is_the_largest_gap_at_any_value(one, other) -> None:
    found = ecdf_pair(np.array(one), np.array(other))
    assert found.distance == pytest.approx(largest_gap(one, other))
    assert found.distance == pytest.approx(max(found.higher, found.lower))


def test_the_distance_is_that_of_the_two_sample_test() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=300), rng.normal(0.2, 1, 200)
    assert ecdf_pair(one, other).distance == pytest.approx(ks_2samp(one, other).statistic)


def test_a_curve_is_thinned_and_keeps_its_ends_and_its_largest_gap() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=20_000), rng.normal(0.3, 1, size=5_000)
    found = ecdf_pair(one, other, points=50)
    assert len(found.values) <= 54
    assert found.values[0] == min(one.min(), other.min())
    assert found.original[-1] == found.release[-1] == 1
    assert np.abs(found.original - found.release).max() == found.distance
    assert (np.diff(found.original) >= 0).all()


def test_there_is_no_p_value_and_it_is_said_why() -> None:
    found = ecdf_pair(np.array([1.0]), np.array([2.0]))
    assert not any("p_value" in name for name in dir(found))
    assert found.caveats == (NO_P_VALUE,)
    assert "independent samples" in NO_P_VALUE


def test_missing_numbers_are_left_out_and_a_column_of_them_is_refused() -> None:
    assert ecdf_pair(np.array([1.0, np.nan]), np.array([1.0])).distance == 0
    with pytest.raises(NotAssessable, match=r"A column without any value has no distribution function."):
        ecdf_pair(np.array([np.nan]), np.array([1.0]))


# Histograms


def test_bins_are_shared_and_hold_every_value() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=1000), rng.normal(2, 1, size=500)
    found = histogram_pair(one, np.append(other, np.nan))
    assert (found.original.sum(), found.release.sum(), found.missing) == (1000, 500, (0, 1))
    assert found.edges[0] == min(one.min(), other.min())
    assert len(found.edges) - 1 <= 60
    assert [share.sum() for share in found.shares] == pytest.approx([1, 1])


def test_a_constant_column_and_a_spike_have_a_histogram() -> None:
    assert histogram_pair(np.ones(5), np.ones(3)).original.sum() == 5
    spike = np.array([0.0] * 1000 + [1e6])
    assert len(histogram_pair(spike, spike).edges) == 61


def test_histograms_refuse_what_they_cannot_count() -> None:
    with pytest.raises(BadPlan, match=r"A histogram needs 1 bin at least."):
        histogram_pair(np.ones(2), np.ones(2), bins=0)
    with pytest.raises(NotAssessable, match=r"A column without any value has no histogram."):
        histogram_pair(np.ones(2), np.full(2, np.nan))


# Densities and contours


def direct(x, y, gx, gy, h):
    """The formula as it stands."""
    kx = np.exp(-0.5 * ((gx[:, None] - x) / h[0]) ** 2) / np.sqrt(2 * np.pi)
    ky = np.exp(-0.5 * ((gy[:, None] - y) / h[1]) ** 2) / np.sqrt(2 * np.pi)
    return kx @ ky.T / (len(x) * h[0] * h[1])


def test_the_density_is_the_sum_of_kernels() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 400)), rng.normal(0.5, 2, size=(2, 300))
    found = density_pair((one[0], one[1]), (other[0], other[1]), points=40, cover=1.0)
    for density, (x, y) in ((found.original, one), (found.release, other)):
        exact = direct(x, y, found.x, found.y, found.bandwidths)
        assert np.abs(density - exact).max() < 0.002 * exact.max()
    assert found.outside == (0, 0)


def test_a_density_sums_to_one_and_its_levels_hold_their_shares() -> None:
    rng = np.random.default_rng(2)
    one = rng.normal(size=(2, 20_000))
    found = density_pair((one[0], one[1]), (one[0], one[1]), cover=1.0)
    cell = (found.x[1] - found.x[0]) * (found.y[1] - found.y[0])
    assert found.original.sum() * cell == pytest.approx(1, abs=0.01)
    assert found.distance == 0
    for level, mass in zip(found.levels, found.masses, strict=True):
        assert found.original[found.original >= level].sum() * cell == pytest.approx(mass, abs=0.01)
    # Half of a bivariate normal lies within √(2 ln 2) of its middle; smoothing widens it a little.
    (line,) = found.contours()[0][1]
    radius = np.hypot(*line.T)
    assert radius.mean() == pytest.approx(np.sqrt(2 * np.log(2)) * np.hypot(1, found.bandwidths[0]), rel=0.03)


def test_densities_that_do_not_overlap_are_one_apart() -> None:
    rng = np.random.default_rng(3)
    one = rng.normal(size=(2, 500))
    found = density_pair((one[0], one[1]), (one[0] + 50, one[1]), cover=1.0, points=200)
    assert found.distance == pytest.approx(1, abs=0.02)


def test_extremes_are_beyond_the_grid_and_counted() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 5000))
    x[:10] = 1e6
    found = density_pair((x, y), (x, y), cover=0.99)
    assert found.x[-1] < 10
    assert 0.002 <= found.outside[0] < 0.02


def test_densities_refuse_columns_without_spread() -> None:
    x = np.arange(5.0)
    with pytest.raises(NotAssessable, match=r"A column with one value has no density."):
        density_pair((x, np.ones(5)), (x, x))
    with pytest.raises(NotAssessable, match=r"Two columns without a record that has both values have no density."):
        density_pair((x, np.full(5, np.nan)), (x, x))


def test_a_circle_and_an_open_line_are_followed() -> None:
    x, y = np.linspace(-1, 1, 60), np.linspace(-2, 2, 80)
    (circle,) = contour_lines(x, y, x[:, None] ** 2 + y[None, :] ** 2, 0.36)
    assert (circle[0] == circle[-1]).all()
    a, b = circle[:-1].T, circle[1:].T
    assert abs((a[0] * b[1] - b[0] * a[1]).sum()) / 2 == pytest.approx(np.pi * 0.36, rel=0.01)
    (slope,) = contour_lines(x, y, x[:, None] + 0 * y[None, :], 0.25)
    assert slope[:, 0] == pytest.approx(0.25)
    assert sorted((slope[0, 1], slope[-1, 1])) == [-2, 2]


def test_two_hills_are_two_lines_and_a_saddle_goes_by_its_middle() -> None:
    x = np.linspace(-3, 3, 61)
    hills = np.exp(-((x[:, None] - 1.5) ** 2) - x**2) + np.exp(-((x[:, None] + 1.5) ** 2) - x**2)
    assert len(contour_lines(x, x, hills, 0.5)) == 2
    grid = np.array([0.0, 1.0])
    high, low = np.array([[1.0, 0.4], [0.4, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    assert len(contour_lines(grid, grid, high, 0.6)) == 2
    assert len(contour_lines(grid, grid, low, 0.6)) == 2
    joined = contour_lines(grid, grid, high, 0.6)[0]
    apart = contour_lines(grid, grid, low, 0.6)[0]
    assert not np.allclose(joined, apart)


@given(st.lists(st.integers(0, 3), min_size=25, max_size=25), st.sampled_from([0.5, 1.5, 2.5]))
def test_every_point_of_a_contour_is_at_its_level(heights, level) -> None:
    surface, grid = np.array(heights, float).reshape(5, 5), np.arange(5.0)
    lines = contour_lines(grid, grid, surface, level)
    above = surface > level
    crossed = (above[1:] != above[:-1]).sum() + (above[:, 1:] != above[:, :-1]).sum()
    points = {tuple(point) for line in lines for point in line}
    assert len(points) == crossed
    for x, y in points:
        i, j = min(int(x), 3), min(int(y), 3)
        u, v = x - i, y - j
        height = (1 - u) * ((1 - v) * surface[i, j] + v * surface[i, j + 1])
        height += u * ((1 - v) * surface[i + 1, j] + v * surface[i + 1, j + 1])
        assert height == pytest.approx(level)


# All columns


def test_margins_of_mixed_columns() -> None:
    original = pl.DataFrame({"age": [20, 30, 40, -8], "sex": ["F", "M", None, "F"], "born": [date(2000, 1, 1)] * 4})
    release = pl.DataFrame({"age": [20, 30, 50, 60], "sex": ["F", "F", "F", "X"], "born": [date(2000, 1, 3)] * 4})
    variables = [Variable(name="age", kind=Kind.NUMERIC, missing=("-8",))]
    age, sex, born = margins(original, release, variables=variables)
    assert isinstance(age, NumberMargin)
    assert isinstance(sex, CategoryMargin)
    assert (age.means, str(age.missing[0])) == ((30, 40), "1 of 4 records")
    assert age.distance == pytest.approx(0.5)  # all of the original are at most 40, half of the release
    assert sex.labels == ("F", "M", "X", "missing")
    assert sex.distance == pytest.approx(0.5)
    assert born.distance == 1
    assert born.deviations == (0, 0)


def test_a_column_without_values_has_no_curves() -> None:
    empty = pl.DataFrame({"age": [None, None]}, schema={"age": pl.Int64})
    (age,) = margins(pl.DataFrame({"age": [1, 2]}), empty)
    assert (age.ecdf, age.histogram, age.distance, age.means[1]) == (None, None, None, None)
    (one,) = margins(pl.DataFrame({"age": [1]}), pl.DataFrame({"age": [1]}))
    assert one.deviations == (None, None)


# Linked records


def test_errors_of_linked_records_by_hand() -> None:
    original = pl.DataFrame({"age": [10, 20, 30, None], "sex": ["F", "M", "F", None]})
    release = pl.DataFrame({"age": ["[8;12]", "24", "*", None], "sex": ["F", "F", "F", None]})
    age, sex = moved(original, release)
    assert age.compared == 2
    assert age.squared_error == (0 + 16) / 2
    assert age.determination == pytest.approx(1 - 16 / 50)
    assert str(age.changed) == "2 of 4 cells"
    assert (str(sex.changed), sex.squared_error) == ("1 of 4 cells", None)


def test_determination_is_one_for_no_change_zero_for_the_mean_and_below_for_worse() -> None:
    x = np.array([1.0, 2, 3, 6])
    assert determination(x, x) == 1
    assert determination(x, np.full(4, x.mean())) == pytest.approx(0)
    assert determination(x, x[::-1]) < 0
    assert determination(np.ones(3), np.array([1.0, 2, 3])) is None


def test_linked_files_must_have_as_many_records() -> None:
    with pytest.raises(BadPlan, match=r"The original has 2 records and the release 1: linked files have as many."):
        moved(pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [1]}))


def test_a_linked_column_without_a_common_value_has_no_error() -> None:
    empty = pl.Series("a", [None, None], dtype=pl.Int64)
    (found,) = moved(pl.DataFrame({"a": [1, 2]}), pl.DataFrame([empty]))
    assert (found.squared_error, found.determination, found.compared, found.changed.count) == (None, None, 0, 2)
