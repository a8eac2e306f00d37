"""The latent-class model recovers a known law, whatever the threads, and tells probabilities that are right."""

import numpy as np
import pytest

from lookalike.models import Counts, LatentClasses, LatentClassesModel, LatentDraw

SMALL = LatentClasses(classes=8, sweeps=120, burn_in=60)


def mixture(n: int, seed: int = 1) -> tuple[Counts, np.ndarray]:
    """A file of two classes that differ in three variables, and the true probability of its distinct rows."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.7, 0.3])
    theta = [np.array([[0.8, 0.15, 0.05], [0.1, 0.2, 0.7]])] * 3
    z = rng.choice(2, n, p=shares)
    codes = np.column_stack([[rng.choice(3, p=t[h]) for h in z] for t in theta])
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    truth = sum(shares[h] * np.prod([theta[j][h][rows[:, j]] for j in range(3)], axis=0) for h in range(2))
    return Counts.of(rows, counts), np.asarray(truth)


def test_it_recovers_the_probabilities_of_a_known_mixture() -> None:
    table, truth = mixture(4000)
    model = SMALL.fit(table, rng=np.random.default_rng(2))
    found = model.class_probabilities(table.codes)
    # A count of 4,000 p has the standard deviation √(4,000 p); the model smooths it.
    assert (np.abs(found - truth) < 4 * np.sqrt(truth / 4000)).all()


def test_a_draw_tells_the_probability_of_every_row_it_was_fitted_on() -> None:
    table, _ = mixture(500)
    draw = next(SMALL.draws(table, rng=np.random.default_rng(3)))
    assert draw.probability == pytest.approx(draw.class_probabilities(table.codes))
    by_hand = sum(
        draw.shares[h] * np.prod([draw.levels[draw.first[j] + table.codes[0, j], h] for j in range(3)])
        for h in range(8)
    )
    assert draw.probability[0] == pytest.approx(by_hand)


def test_probabilities_of_all_rows_sum_to_one() -> None:
    table, _ = mixture(500)
    draw = next(SMALL.draws(table, rng=np.random.default_rng(3)))
    grid = np.array(np.meshgrid(*[range(levels) for levels in table.levels])).reshape(3, -1).T
    assert draw.class_probabilities(grid).sum() == pytest.approx(1)


def test_the_number_of_threads_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    table = Counts.of(rng.integers(0, 60, (20_000, 3)), rng.integers(1, 4, 20_000))
    short = LatentClasses(classes=8, sweeps=6, burn_in=3)
    one, two = (list(short.draws(table, rng=np.random.default_rng(5), threads=t)) for t in (1, 3))
    assert all((a.probability == b.probability).all() for a, b in zip(one, two, strict=True))


def test_a_large_file_is_fitted_on_a_part_and_told_for_all_rows() -> None:
    table, truth = mixture(4000)
    part = LatentClasses(classes=8, sweeps=120, burn_in=60, most_records=2000)
    draws = list(part.draws(table, rng=np.random.default_rng(6)))
    found = np.mean([d.probability for d in draws], axis=0)
    assert len(found) == len(table.counts)
    assert (np.abs(found - truth) < 5 * np.sqrt(truth / 2000)).all()


def test_weights_move_the_probabilities() -> None:
    codes, sizes = np.array([[0], [1]]), np.array([50, 50])
    weighted = Counts(Counts.of(codes, sizes).codes, np.array([90.0, 10.0]), (2,))
    found = SMALL.fit(weighted, rng=np.random.default_rng(7), records=sizes).class_probabilities(codes)
    assert found[0] == pytest.approx(0.9, abs=0.03)


def test_many_variables_do_not_underflow() -> None:
    rng = np.random.default_rng(8)
    table = Counts.of(rng.integers(0, 2000, (200, 120)), np.ones(200, np.int64))
    draws: list[LatentDraw] = list(LatentClasses(classes=4, sweeps=6, burn_in=3).draws(table, rng=rng))
    assert all(np.isfinite(d.probability).all() and (d.probability >= 0).all() for d in draws)


def test_drawn_records_have_the_law_of_the_model() -> None:
    table, _ = mixture(2000)
    # One draw of the posterior: with several, each chunk of records comes from one of them.
    model = LatentClassesModel(SMALL.fit(table, rng=np.random.default_rng(9)).draws[:1], table.levels)
    codes = model.sample_codes(200_000, rng=np.random.default_rng(10))
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    expected = model.class_probabilities(rows)
    assert (np.abs(counts / 200_000 - expected) < 5 * np.sqrt(expected / 200_000)).all()
    keys = model.sample_keys(200_000, rng=np.random.default_rng(10))
    assert len(np.unique(keys)) == len(rows)
