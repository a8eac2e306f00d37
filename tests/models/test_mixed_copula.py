"""Copulas of mixed tables: known laws come back, odd tables are met, threads change nothing."""

import numpy as np
import pytest

from lookalike.errors import BadPlan
from lookalike.models import DVineCopula, GaussianCopula, Independent
from lookalike.models.mixed import Categories, Conditional, Joint, Mixed, Numbers

CHOICES = [
    GaussianCopula(),
    GaussianCopula(margins="empirical"),
    GaussianCopula(margins="parametric"),
    GaussianCopula(correlation="information"),
    DVineCopula(),
    DVineCopula(order="dependence", levels=2),
    DVineCopula(correlation="information", levels=1),
    Independent(),
]
every = pytest.mark.parametrize("choice", CHOICES, ids=str)

MATRIX = np.array([[1, 0.6, -0.4, 0.3], [0.6, 1, -0.2, 0.5], [-0.4, -0.2, 1, 0.1], [0.3, 0.5, 0.1, 1]])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def numbers(*values: float) -> Numbers:
    return Numbers(np.array(values, float))


def codes(*values: int, levels: int, ordered: bool = False) -> Categories:
    return Categories(np.array(values, np.int32), levels, ordered)


def known_law(n: int, seed: int = 1) -> Mixed:
    z = rng(seed).multivariate_normal(np.zeros(4), MATRIX, n)
    nominal = np.array([2, 0, 1])[np.digitize(z[:, 3], [-0.5, 0.7])]
    return Mixed(
        (
            Numbers(np.exp(z[:, 0])),
            Numbers(np.maximum(np.rint(3 * z[:, 1]), 0)),  # a spike of more than half at 0
            Categories(np.digitize(z[:, 2], [-1, 0, 1]).astype(np.int32), 4, ordered=True),
            Categories(nominal.astype(np.int32), 3),
        )
    )


def grouped(table: Mixed, by: Mixed) -> np.ndarray:
    """Codes: numbers cut at the tenths of another table."""
    found = []
    for column, reference in zip(table.columns, by.columns, strict=True):
        if isinstance(column, Numbers):
            assert isinstance(reference, Numbers)
            cuts = np.unique(np.quantile(reference.values, np.arange(1, 10) / 10))
            found.append(np.searchsorted(cuts, column.values, side="right"))
        else:
            found.append(column.codes)
    return np.column_stack(found)


def same(a: Mixed, b: Mixed) -> bool:
    return all(
        np.array_equal(x.values, y.values) if isinstance(x, Numbers) else np.array_equal(x.codes, y.codes)  # type: ignore[union-attr]
        for x, y in zip(a.columns, b.columns, strict=True)
    )


def assert_like(drawn: Mixed, table: Mixed, n: int) -> None:
    assert drawn.records == n
    for x, y in zip(drawn.columns, table.columns, strict=True):
        assert type(x) is type(y)
        assert x.known.all()
        if isinstance(x, Categories):
            assert isinstance(y, Categories)
            assert (x.levels, x.ordered) == (y.levels, y.ordered)
            assert (x.codes < x.levels).all()
        else:
            assert np.isfinite(x.values).all()


@pytest.mark.parametrize("choice", [GaussianCopula(), GaussianCopula(margins="empirical"), DVineCopula()], ids=str)
def test_a_known_law_comes_back(choice: GaussianCopula | DVineCopula) -> None:
    n = 60_000
    table = known_law(n)
    law = choice.fit_mixed(table, rng=rng())
    # The axis of a nominal column has no direction, so its ρ may have the other sign.
    found = np.array(law.correlation)  # type: ignore[attr-defined]
    if found[1, 3] < 0:
        found[3, :3] = found[:3, 3] = -found[:3, 3]
    assert np.abs(found - MATRIX).max() < 4 * 1.5 / np.sqrt(n)
    a, b = grouped(table, table), grouped(law.sample(n, rng=rng(2)), table)
    for i in range(4):
        for j in range(i + 1):
            width = int(max(a[:, j].max(), b[:, j].max())) + 1
            cells = int(max(a[:, i].max(), b[:, i].max()) + 1) * width
            one, two = (np.bincount(x[:, i] * width + x[:, j], minlength=cells) / n for x in (a, b))
            # Two samples of n: the deviation of a cell is √(2 p / n).
            assert (np.abs(one - two) < 5 * np.sqrt(2 * (one + two) / 2 / n) + 3 / n).all()


def test_independent_columns_are_independent_with_their_margins() -> None:
    table = known_law(30_000)
    drawn = Independent().fit_mixed(table, rng=rng()).sample(30_000, rng=rng(3))
    a, b = grouped(table, table), grouped(drawn, table)
    for j in range(4):
        width = int(a[:, j].max()) + 1
        assert np.bincount(a[:, j], minlength=width) / 3e4 == pytest.approx(
            np.bincount(b[:, j], minlength=width) / 3e4, abs=4 * np.sqrt(0.5 / 3e4)
        )
    assert np.abs(np.corrcoef(b.T) - np.eye(4)).max() < 4 / np.sqrt(30_000)


def test_empirical_numbers_are_numbers_of_the_file_and_interpolated_ones_are_not() -> None:
    table = known_law(2_000)
    for margins, copied in (("empirical", True), ("interpolated", False)):
        law = GaussianCopula(margins=margins).fit_mixed(table, rng=rng())  # type: ignore[arg-type]
        drawn, given = law.sample(5_000, rng=rng(4)).columns[0], table.columns[0]
        assert isinstance(drawn, Numbers)
        assert isinstance(given, Numbers)
        assert np.isin(drawn.values, given.values).mean() == (1.0 if copied else 0.0)
        assert given.values.min() <= drawn.values.min()
        assert drawn.values.max() <= given.values.max()
        assert any(("is a number of the file" in caveat) == copied for caveat in law.caveats[:1])


@every
def test_the_contract_is_kept(choice: Joint) -> None:
    table = known_law(500)
    law = choice.fit_mixed(table, rng=rng())
    assert isinstance(choice, Joint)
    assert isinstance(law, Conditional)
    assert_like(law.sample(700, rng=rng(5)), table, 700)
    assert_like(law.sample(0, rng=rng(5)), table, 0)
    assert_like(law.complete(table.blank([1, 3]), rng=rng(6)), table, 500)
    assert law.caveats
    assert same(table, known_law(500))


@every
def test_threads_change_nothing(choice: Joint) -> None:
    table = known_law(3_000)
    fits = [choice.fit_mixed(table, rng=rng(), threads=threads) for threads in (1, 2)]
    samples = [law.sample(50_000, rng=rng(7), threads=t) for law, t in zip(fits, (1, 3), strict=True)]
    assert same(*samples)
    assert not same(samples[0], fits[0].sample(50_000, rng=rng(8)))


ODD = {
    "one row": Mixed((numbers(3.5), codes(1, levels=3), codes(0, levels=2, ordered=True))),
    "two rows": Mixed((numbers(3.5, 1.0), codes(1, 0, levels=3), numbers(2.0, 2.0))),
    "constants": Mixed((numbers(*[4.0] * 9), codes(*[0] * 9, levels=1), numbers(*range(9)))),
    "one column of numbers": Mixed((numbers(1, 2, 2, 5),)),
    "one column of levels": Mixed((codes(0, 2, 2, 1, levels=4),)),
    "all distinct": Mixed((codes(*range(30), levels=30), numbers(*range(30)), codes(*range(30), levels=30))),
    "unknown cells": Mixed(
        (numbers(1, np.nan, 3, 4, 5), codes(-1, 0, 1, 1, 0, levels=2), numbers(np.nan, np.nan, 7, 8.5, 9))
    ),
    "huge and tiny": Mixed(
        (numbers(1e300, -1e300, 5e299, 2e299), numbers(1e-300, 2e-300, 3e-300, 9e-300), numbers(1e15, 1e15 + 1, 2, 3))
    ),
    "copies": Mixed((numbers(1, 2, 3, 4, 5), numbers(1, 2, 3, 4, 5), codes(0, 1, 2, 3, 4, levels=5))),
}


@every
@pytest.mark.parametrize("name", ODD)
def test_odd_tables_are_learned_and_drawn(choice: Joint, name: str) -> None:
    table = ODD[name]
    law = choice.fit_mixed(table, rng=rng())
    assert_like(law.sample(200, rng=rng(9)), table, 200)
    assert isinstance(law, Conditional)
    assert_like(law.complete(table.blank([0]), rng=rng(10)), table, table.records)
    assert_like(law.complete(table, rng=rng(11)), table, table.records)


@every
def test_a_column_of_nothing_is_refused(choice: Joint) -> None:
    with pytest.raises(BadPlan, match="No value is known in column 2 of the table"):
        choice.fit_mixed(Mixed((numbers(1, 2), codes(-1, -1, levels=2))), rng=rng())
    with pytest.raises(BadPlan, match="No value is known in column 1"):
        choice.fit_mixed(Mixed((numbers(),)), rng=rng())
    with pytest.raises(BadPlan, match="no columns"):
        choice.fit_mixed(Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="Column 1 of the table holds an infinite number"):
        choice.fit_mixed(Mixed((numbers(1, np.inf),)), rng=rng())


def test_information_without_a_whole_record_is_refused() -> None:
    table = Mixed((numbers(1, 2, np.nan, np.nan), codes(-1, -1, 0, 1, levels=2)))
    with pytest.raises(BadPlan, match="take correlation='likelihood'"):
        GaussianCopula(correlation="information").fit_mixed(table, rng=rng())


def test_wrong_options_are_told_together() -> None:
    with pytest.raises(BadPlan, match="2 faults"):
        GaussianCopula(margins="x", correlation="y")  # type: ignore[arg-type]
    with pytest.raises(BadPlan, match="levels must be at least 1"):
        DVineCopula(levels=0)
    with pytest.raises(BadPlan, match="order must be"):
        DVineCopula(order="best")  # type: ignore[arg-type]
    with pytest.raises(BadPlan, match="at least one family"):
        DVineCopula(pair_families=())
    with pytest.raises(BadPlan, match="margins must be"):
        Independent(margins="x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "choice", [GaussianCopula(), DVineCopula(order="dependence", levels=3), Independent()], ids=str
)
def test_a_thousand_columns_are_learned_and_drawn(choice: Joint) -> None:
    z = rng(12).normal(size=(1000, 150)) + 0.8 * rng(13).normal(size=150)
    columns = tuple(
        Numbers(row) if j % 3 else Categories(np.digitize(row, [-0.5, 0.5]).astype(np.int32), 3)
        for j, row in enumerate(z)
    )
    law = choice.fit_mixed(Mixed(columns), rng=rng())
    drawn = law.sample(300, rng=rng(14))
    assert_like(drawn, Mixed(columns), 300)
    if isinstance(choice, GaussianCopula):
        both = [c.values for c in drawn.columns[1:60:3] if isinstance(c, Numbers)]
        # 0.64 / 1.64 = 0.39 between all; fewer records than columns take some of it.
        assert 0.2 < np.corrcoef(both)[np.triu_indices(20, 1)].mean() < 0.55


def test_a_parametric_margin_far_from_the_file_is_told_without_a_value() -> None:
    x = np.concatenate([np.zeros(500), rng(15).lognormal(10, 1, 500)])
    law = GaussianCopula(margins="parametric").fit_mixed(Mixed((Numbers(x),)), rng=rng())
    assert any("column 1: " in caveat and "Kolmogorov" in caveat for caveat in law.caveats)


def test_pairs_that_do_not_fit_together_are_told() -> None:
    x, y, w = rng(16).integers(0, 2, (3, 400)).astype(np.int32)
    # Each pair known alone: 0 = 1, 1 = 2, but 0 is the opposite of 2.
    first, second, third = np.r_[x, x, y * 0 - 1], np.r_[x, y * 0 - 1, y], np.r_[w * 0 - 1, 1 - x, y]
    table = Mixed(tuple(Categories(c.astype(np.int32), 2) for c in (first, second, third)))
    law = GaussianCopula().fit_mixed(table, rng=rng())
    assert any("did not fit together" in caveat for caveat in law.caveats)
    assert np.linalg.eigvalsh(law.correlation)[0] > 0
