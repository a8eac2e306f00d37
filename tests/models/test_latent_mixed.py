"""The DPMPM recovers known laws, with unknown cells and zeros; it fills, redraws and draws by the law it learned."""

from itertools import combinations, product
from math import lgamma

import numpy as np
import pytest

from lookalike.errors import BadPlan
from lookalike.models import DPMPM, DPMPMLaw
from lookalike.models.mixed import Categories, Conditional, Joint, Mixed, Numbers, Redrawing, Several

SIZES = (3, 2, 4)
SHARES = np.array([0.5, 0.3, 0.2])
THETA = [
    np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]),
    np.array([[0.9, 0.1], [0.4, 0.6], [0.1, 0.9]]),
    np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7], [0.1, 0.4, 0.4, 0.1]]),
]
TRUTH = np.einsum("h,ha,hb,hc->abc", SHARES, *THETA)
ZEROS = ((0, 1, -1), (-1, 0, 3), (0, -1, 3))
"""Two of them overlap."""
SHORT = DPMPM(classes=12, sweeps=600, burn_in=200)


def impossible() -> np.ndarray:
    found = np.zeros(SIZES, bool)
    for piece in ZEROS:
        found[tuple(slice(None) if c < 0 else c for c in piece)] = True
    return found


def drawn(truth: np.ndarray, n: int, *, unknown: float = 0.0, seed: int = 1) -> Mixed:
    """Records of a known table of probabilities, a share of their cells unknown."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack(np.unravel_index(rng.choice(truth.size, n, p=truth.ravel()), truth.shape))
    return table(np.where(rng.random(codes.shape) < unknown, -1, codes))


def table(codes: np.ndarray, sizes: tuple[int, ...] = SIZES) -> Mixed:
    columns = (np.ascontiguousarray(codes[:, j], np.int32) for j in range(len(sizes)))
    return Mixed(tuple(Categories(c, size) for c, size in zip(columns, sizes, strict=True)))


def codes(found: Mixed) -> np.ndarray:
    return np.column_stack([c.codes for c in found.columns if isinstance(c, Categories)])


def frequencies(found: Mixed) -> np.ndarray:
    return np.bincount(np.ravel_multi_index(tuple(codes(found).T), SIZES), minlength=24).reshape(SIZES) / found.records


def cells(law: DPMPMLaw, cut: np.ndarray | None = None) -> np.ndarray:
    """The mean over draws of the probability of every cell, cut to the possible."""
    found = []
    for draw in law.draws:
        theta = np.split(draw.levels, np.cumsum(SIZES)[:-1])
        cell = np.einsum("h,ah,bh,ch->abc", draw.shares, *theta)
        cell = cell if cut is None else np.where(cut, 0, cell)
        found.append(cell / cell.sum())
    return np.asarray(np.mean(found, axis=0))


def marginal(law: np.ndarray, keep: tuple[int, ...]) -> np.ndarray:
    return np.asarray(law.sum(axis=tuple(j for j in range(3) if j not in keep)))


@pytest.mark.parametrize("prior", ["margin", "uniform"])
@pytest.mark.parametrize("unknown", [0.0, 0.2])
def test_one_and_two_way_tables_of_a_known_law_are_recovered(prior: str, unknown: float) -> None:
    law = DPMPM(classes=12, sweeps=600, burn_in=200, prior=prior).fit_mixed(  # type: ignore[arg-type]
        drawn(TRUTH, 4_000, unknown=unknown), rng=np.random.default_rng(2)
    )
    found = frequencies(law.sample(40_000, rng=np.random.default_rng(3)))
    for keep in [(0,), (1,), (2,), *combinations(range(3), 2)]:
        p = marginal(TRUTH, keep)
        # Of 4,000 records a share 1 − unknown of the cells is known; 40,000 drawn ones add their own error.
        known = 4_000 * (1 - unknown) ** len(keep)
        assert (np.abs(marginal(found, keep) - p) < 4.5 * np.sqrt(p * (1 - p) * (1 / known + 1 / 40_000))).all()


@pytest.mark.parametrize("prior", ["margin", "uniform"])
@pytest.mark.parametrize("unknown", [0.0, 0.2])
def test_with_zeros_nothing_impossible_is_drawn_and_the_law_is_near_the_file(prior: str, unknown: float) -> None:
    cut = impossible()
    truth = np.where(cut, 0, TRUTH) / TRUTH[~cut].sum()
    given, whole = drawn(truth, 4_000, unknown=unknown), drawn(truth, 4_000)
    law = DPMPM(classes=12, sweeps=1_500, burn_in=500, kept=50, prior=prior, zeros=ZEROS).fit_mixed(  # type: ignore[arg-type]
        given, rng=np.random.default_rng(2)
    )
    rng = np.random.default_rng(3)
    for found in (law.sample(20_000, rng=rng), law.complete(given, rng=rng), law.redraw(whole, [1], rng=rng)):
        assert frequencies(found)[cut].sum() == 0
    # Against the records before cells were lost: what the model adds. A binomial share of 4,000 alone errs by 0.008.
    assert np.abs(cells(law, cut) - frequencies(whole)).max() < (0.005 if unknown == 0 else 0.008)
    assert np.abs(frequencies(law.sample(40_000, rng=rng)) - truth).max() < 0.02


def test_filled_cells_have_the_exact_conditional_law() -> None:
    law = SHORT.fit_mixed(drawn(TRUTH, 4_000), rng=np.random.default_rng(2)).apart(1)[0]
    assert isinstance(law, DPMPMLaw)
    known = np.tile([0, -1, 3], (60_000, 1))
    found = codes(law.complete(table(known), rng=np.random.default_rng(3)))
    assert (found[:, [0, 2]] == [0, 3]).all()
    p = cells(law)[0, :, 3] / cells(law)[0, :, 3].sum()
    assert np.bincount(found[:, 1], minlength=2) / 60_000 == pytest.approx(p, abs=4 * np.sqrt(p[0] * p[1] / 60_000))


def test_filled_cells_have_the_exact_conditional_law_with_zeros_too() -> None:
    cut = impossible()
    truth = np.where(cut, 0, TRUTH) / TRUTH[~cut].sum()
    choice = DPMPM(classes=12, sweeps=300, burn_in=100, zeros=ZEROS)
    law = choice.fit_mixed(drawn(truth, 2_000), rng=np.random.default_rng(2)).apart(1)[0]
    assert isinstance(law, DPMPMLaw)
    # Level 0 in the first column leaves (0, 0), (0, 1) and (0, 2) of the other two: 3 of 8 cells.
    found = codes(law.complete(table(np.tile([0, -1, -1], (60_000, 1))), rng=np.random.default_rng(3)))
    p = (cells(law, cut)[0] / cells(law, cut)[0].sum()).ravel()
    seen = np.bincount(found[:, 1] * 4 + found[:, 2], minlength=8) / 60_000
    assert (np.abs(seen - p) <= 4 * np.sqrt(p * (1 - p) / 60_000)).all()


def test_cells_that_rejection_misses_are_drawn_column_by_column() -> None:
    # Twenty levels in two columns, all but the equal pairs impossible: of pairs drawn by θ one in twenty is possible.
    rng = np.random.default_rng(1)
    pairs = np.repeat(rng.permutation(100), 3)
    zeros = tuple((a, b) for a in range(20) for b in range(20) if a != b)
    small = table(np.column_stack([pairs % 20, pairs % 20]), (20, 20))
    law = DPMPM(classes=2, sweeps=60, burn_in=30, zeros=zeros).fit_mixed(small, rng=rng)
    found = codes(law.sample(2_000, rng=rng))
    assert (found[:, 0] == found[:, 1]).all()
    assert len(np.unique(found[:, 0])) == 20


def test_columns_drawn_anew_leave_the_others_and_keep_the_ties() -> None:
    given = drawn(TRUTH, 5_000)
    law = SHORT.fit_mixed(given, rng=np.random.default_rng(2))
    for copy in law.apart(3):
        assert isinstance(copy, Redrawing)
        found = copy.redraw(given, [2], rng=np.random.default_rng(3))
        assert (codes(found)[:, :2] == codes(given)[:, :2]).all()
        assert (codes(found)[:, 2] != codes(given)[:, 2]).mean() > 0.1
        # ½ Σ |p − q| over the 8 or 12 cells of a pair; two samples of 5,000 would have about 0.015.
        for keep in ((0, 2), (1, 2)):
            assert np.abs(marginal(frequencies(found), keep) - marginal(frequencies(given), keep)).sum() / 2 < 0.035


def test_cells_unknown_elsewhere_stay_unknown_when_a_column_is_drawn_anew() -> None:
    given = drawn(TRUTH, 300, unknown=0.3)
    found = SHORT.fit_mixed(given, rng=np.random.default_rng(2)).redraw(given, [0], rng=np.random.default_rng(3))
    assert (codes(found)[:, 1:] == codes(given)[:, 1:]).all()
    assert (codes(found)[:, 0] >= 0).all()


def mixed(n: int, seed: int = 1) -> Mixed:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n).astype(np.int32)
    income = np.exp(rng.normal(group, 0.4))
    age = np.rint(rng.normal(40 + 10 * group, 8))
    income[rng.random(n) < 0.2] = 0.0
    age[rng.random(n) < 0.1] = np.nan
    return Mixed((Numbers(income), Categories(group, 3, ordered=True), Numbers(age)))


def test_numbers_keep_their_heaps_their_range_and_their_ties() -> None:
    given = mixed(4_000)
    law = DPMPM(sweeps=400, burn_in=200).fit_mixed(given, rng=np.random.default_rng(2))
    found = law.sample(4_000, rng=np.random.default_rng(3))
    (income, group, age), (wages, groups, ages) = given.columns, found.columns
    assert isinstance(income, Numbers)
    assert isinstance(wages, Numbers)
    assert isinstance(age, Numbers)
    assert isinstance(ages, Numbers)
    assert isinstance(group, Categories)
    assert isinstance(groups, Categories)
    assert (wages.values == 0).mean() == pytest.approx(0.2, abs=4 * np.sqrt(0.2 * 0.8 / 4_000) * 1.5)
    assert wages.values.max() <= income.values.max()
    assert (ages.values == np.rint(ages.values)).all()
    assert groups.ordered
    for g in range(3):
        assert ages.values[groups.codes == g].mean() == pytest.approx(40 + 10 * g, abs=1.5)
    filled = law.complete(given, rng=np.random.default_rng(4)).columns[2]
    assert isinstance(filled, Numbers)
    assert (filled.values[age.known] == age.values[age.known]).all()
    assert filled.known.all()


@pytest.mark.parametrize("zeros", [(), ((0, -1, 1, *[-1] * 7),)])
def test_the_number_of_threads_changes_no_byte(zeros: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(4)
    wide = rng.integers(-1, 4, (6_000, 10))
    wide[(wide[:, 0] <= 0) & (wide[:, 2] == 1), 0] = 2
    given = table(wide, (4,) * 10)
    choice = DPMPM(classes=40, sweeps=8, burn_in=4, kept=2, zeros=zeros)
    seen = []
    for threads in (1, 2):
        law = choice.fit_mixed(given, rng=np.random.default_rng(5), threads=threads)
        rng = np.random.default_rng(6)
        made = [law.sample(5_000, rng=rng, threads=threads), law.complete(given, rng=rng, threads=threads)]
        made.append(law.redraw(given, [0, 3], rng=rng, threads=threads))
        seen.append((*[codes(m).tobytes() for m in made], law.diagnostics.log_likelihood.tobytes()))
    assert seen[0] == seen[1]


def test_copies_take_draws_apart_and_say_so_when_there_are_too_few() -> None:
    law = DPMPM(classes=4, sweeps=60, burn_in=30, kept=5).fit_mixed(drawn(TRUTH, 200), rng=np.random.default_rng(1))
    assert all(isinstance(law, kind) for kind in (Several, Conditional, Redrawing))
    assert isinstance(DPMPM(), Joint)
    assert law.diagnostics.kept == (35, 41, 47, 53, 59)
    assert [copy.draws[0].sweep for copy in law.apart(3)] == [35, 47, 59]
    many = law.apart(7)
    assert [copy.draws[0].sweep for copy in many] == [35, 41, 47, 53, 59, 35, 41]
    assert "7 copies share 5 draws of the posterior" in many[0].caveats[-1]


def test_one_row_one_constant_column_is_drawn_again() -> None:
    one = Mixed((Categories(np.zeros(1, np.int32), 1), Numbers(np.array([3.5]))))
    law = SHORT.fit_mixed(one, rng=np.random.default_rng(1))
    found = law.sample(5, rng=np.random.default_rng(2))
    assert codes(found).tolist() == [[0]] * 5
    assert isinstance(found.columns[1], Numbers)
    assert found.columns[1].values.tolist() == [3.5] * 5
    assert law.sample(0, rng=np.random.default_rng(2)).records == 0


@pytest.mark.parametrize("prior", ["margin", "uniform"])
def test_a_thousand_columns_are_fitted_and_drawn(prior: str) -> None:
    rng = np.random.default_rng(1)
    half = rng.integers(0, 2, (300, 1))
    wide = np.where(rng.random((300, 1_000)) < 0.9, half, 1 - half)
    choice = DPMPM(classes=10, sweeps=30, burn_in=15, kept=3, prior=prior)  # type: ignore[arg-type]
    law = choice.fit_mixed(table(wide, (2,) * 1_000), rng=rng)
    found = codes(law.sample(300, rng=rng))
    assert np.isfinite(law.diagnostics.log_likelihood).all()
    # Two groups of records that agree in nine of ten columns: a product of 1,000 margins would give 0.5, and so may the
    # few records of a class that the file has not.
    assert (np.abs(found.mean(axis=1) - 0.5) > 0.3).mean() > 0.95


@pytest.mark.parametrize("prior", ["margin", "uniform"])
def test_a_column_all_distinct_and_numbers_of_any_size_are_drawn(prior: str) -> None:
    rng = np.random.default_rng(1)
    values = np.append(rng.normal(size=398), [1e308, -1e308])
    odd = Mixed((Categories(np.arange(400, dtype=np.int32), 400), Numbers(values), Numbers(values * 1e-308)))
    law = DPMPM(classes=8, sweeps=40, burn_in=20, prior=prior).fit_mixed(odd, rng=rng)  # type: ignore[arg-type]
    found = law.sample(1_000, rng=rng)
    for column in found.columns[1:]:
        assert isinstance(column, Numbers)
        assert np.isfinite(column.values).all()


def test_a_large_file_is_fitted_on_a_part_and_says_so() -> None:
    choice = DPMPM(classes=6, sweeps=60, burn_in=30, most_records=500)
    law = choice.fit_mixed(drawn(TRUTH, 2_000), rng=np.random.default_rng(1))
    assert law.caveats[-1] == "The model was fitted on a random part of 500 of 2,000 records."


def test_too_few_classes_are_told() -> None:
    law = DPMPM(classes=2, sweeps=60, burn_in=30).fit_mixed(drawn(TRUTH, 2_000), rng=np.random.default_rng(1))
    assert law.caveats[0].startswith("All 2 latent classes were in use; raise `classes`")


def test_a_tie_that_is_lost_is_named() -> None:
    x = np.random.default_rng(1).normal(size=2_000)
    other = np.random.default_rng(2).normal(size=2_000)
    table = Mixed((Numbers(x), Numbers(other), Numbers(x + 0.05 * other)))
    law = DPMPM(classes=2, sweeps=60, burn_in=30).fit_mixed(table, rng=np.random.default_rng(3))
    assert any("1 pairs tell less than half as much" in said and "columns 1, 3" in said for said in law.caveats)
    kept = DPMPM(classes=12, sweeps=200, burn_in=100).fit_mixed(drawn(TRUTH, 4_000), rng=np.random.default_rng(1))
    assert not kept.diagnostics.two_way.lost


def test_a_slow_chain_is_told() -> None:
    law = DPMPM(classes=6, sweeps=40, burn_in=30, kept=2).fit_mixed(drawn(TRUTH, 500), rng=np.random.default_rng(1))
    assert any(caveat.startswith("The chain moves slowly, as seen by ") for caveat in law.caveats)


def test_what_cannot_be_learned_from_is_refused() -> None:
    rng = np.random.default_rng(1)
    bad = Mixed((Numbers(np.array([np.nan, np.nan])), Numbers(np.array([1, np.inf])), Categories(np.array([0, -1]), 1)))
    with pytest.raises(BadPlan) as refused:
        SHORT.fit_mixed(bad, rng=rng)
    assert refused.value.faults == (
        "Column 1 has no known cell; leave it out of the model.",
        "Column 2 holds an infinite number; make it unknown or a category.",
    )
    with pytest.raises(BadPlan, match="no record or no column"):
        SHORT.fit_mixed(Mixed(()), rng=rng)
    with pytest.raises(BadPlan, match="Column 1 has a code that is none of its levels"):
        SHORT.fit_mixed(Mixed((Categories(np.array([3], np.int32), 2),)), rng=rng)
    with pytest.raises(BadPlan, match="too much for memory"):
        DPMPM(classes=20_000_000).fit_mixed(drawn(TRUTH, 100), rng=rng)


def test_impossible_records_and_tables_of_other_columns_are_refused() -> None:
    rng, cut = np.random.default_rng(1), impossible()
    choice = DPMPM(classes=4, sweeps=20, burn_in=10, zeros=ZEROS)
    with pytest.raises(BadPlan, match="3 records are impossible by the structural zeros given"):
        choice.fit_mixed(table(np.array([[0, 1, 0]] * 3 + [[1, 1, 1]])), rng=rng)
    both = DPMPM(classes=4, sweeps=20, burn_in=10, zeros=((0, 0, -1), (0, 1, -1)))
    with pytest.raises(BadPlan, match="Some records are impossible: whatever their unknown cells"):
        both.fit_mixed(table(np.array([[0, -1, 0], [1, 0, 1], [1, 1, 1]])), rng=rng)
    law = choice.fit_mixed(drawn(np.where(cut, 0, TRUTH) / TRUTH[~cut].sum(), 200), rng=rng)
    with pytest.raises(BadPlan, match="2 records are impossible by the structural zeros, whatever is drawn"):
        law.complete(table(np.array([[0, 1, -1], [0, 1, -1], [1, 1, -1]])), rng=rng)
    with pytest.raises(BadPlan, match="other columns or other levels"):
        law.complete(Mixed((Numbers(np.ones(1)),)), rng=rng)


def test_wrong_options_are_told_together() -> None:
    with pytest.raises(BadPlan) as refused:
        DPMPM(classes=0, sweeps=5, burn_in=5, alpha_rate=0, prior="flat")  # type: ignore[arg-type]
    assert refused.value.faults == (
        "classes must be at least 1.",
        "burn_in must be at least 0 and less than sweeps.",
        "alpha_shape and alpha_rate must be above 0.",
        "prior must be 'margin' or 'uniform'.",
    )


def test_the_chain_has_the_exact_posterior_of_a_file_small_enough_to_enumerate() -> None:
    # Six records, four classes: 4^6 allocations. P(z, α) by the sizes, P(x | z) with θ ~ Dirichlet(1, 1) summed out.
    x = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1], [1, 0, 1]])
    alpha = np.exp(np.linspace(-14, 5, 400))
    log_gamma = np.vectorize(lgamma)
    # Γ(α + r) for r = 0, …, 7; the prior Gamma(1, 1) on the scale of ln α.
    table_of = [log_gamma(alpha + r) for r in range(8)]
    exact, mean = np.zeros(5), 0.0
    for z in product(range(4), repeat=6):
        sizes = np.bincount(z, minlength=4)
        after = 6 - np.cumsum(sizes)
        fit = sum(
            np.log(alpha) + lgamma(1 + m) + table_of[r] - table_of[1 + r + m]
            for m, r in zip(sizes[:3], after[:3], strict=True)
        )
        for h, j in product(range(4), range(3)):
            ones = int(x[np.array(z) == h, j].sum())
            fit = fit + lgamma(1 + ones) + lgamma(1 + sizes[h] - ones) - lgamma(2 + sizes[h])
        weight = alpha * np.exp(-alpha) * np.exp(fit)
        exact[(sizes > 0).sum()] += weight.sum()
        mean += float((weight * alpha).sum())
    choice = DPMPM(classes=4, sweeps=100_000, burn_in=1_000, prior="uniform", alpha_shape=1.0, alpha_rate=1.0)
    told = choice.fit_mixed(table(x, (2, 2, 2)), rng=np.random.default_rng(1)).diagnostics
    found = np.bincount(told.occupied[1_000:], minlength=5) / 99_000
    # An effective size of about 14,000: three standard errors of a share near 0.4 are 0.0125.
    assert found == pytest.approx(exact / exact.sum(), abs=0.0125)
    assert told.alpha[1_000:].mean() == pytest.approx(mean / exact.sum(), abs=0.04)
