"""Drawing: exact margins, exact keys, the same records on any number of threads."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from lookalike.engine import listening
from lookalike.models import Counts, Independent, LatentNormal
from lookalike.models.cut_normal import CutNormal
from lookalike.models.distinct import DistinctKeys
from lookalike.models.sampler import BLOCK, CHUNK

SHARES = [np.array([0.5, 0.5]), np.array([0.1, 0.2, 0.7]), np.full(300, 1 / 300)]
MATRIX = np.array([[1, 0.6, -0.4], [0.6, 1, 0.2], [-0.4, 0.2, 1]])
LAW = CutNormal(SHARES, MATRIX)
WIDE = CutNormal([*SHARES, np.full(10**5, 1e-5), np.full(10**5, 1e-5)], 0.5 + 0.5 * np.eye(5))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def rows(codes: np.ndarray) -> int:
    return len(np.unique(codes, axis=0))


def test_normals_are_normal_and_correlated_as_asked() -> None:
    z = LAW.normals(300_000, rng=rng())
    assert np.abs(np.corrcoef(z.T) - MATRIX).max() < 0.006
    assert kstest(z[:, 1], "norm").pvalue > 0.001
    assert (np.abs(z) > 3.6541528853610088).mean() == pytest.approx(2.58e-4, rel=0.15)


def test_margins_are_reproduced() -> None:
    codes = LAW.codes(200_000, rng=rng(2))
    for j, share in enumerate(SHARES):
        seen = np.bincount(codes[:, j], minlength=len(share))
        assert chisquare(seen, share * 200_000).pvalue > 0.001


@pytest.mark.parametrize("draw", [LAW.codes, LAW.keys, LAW.normals, LAW.distinct, WIDE.distinct])
def test_the_number_of_threads_changes_nothing(draw: Callable) -> None:
    one, three = (draw(5 * CHUNK + 7, rng=rng(), threads=threads) for threads in (1, 3))
    assert np.array_equal(one, three) if isinstance(one, np.ndarray) else one == three


def test_chunks_have_streams_of_their_own() -> None:
    z = LAW.normals(4 * CHUNK, rng=rng(3)).reshape(4, -1)
    assert np.abs(np.corrcoef(z) - np.eye(4)).max() < 0.03


def test_keys_are_the_codes_in_one_number() -> None:
    codes, keys = LAW.codes(50_000, rng=rng(4)), LAW.keys(50_000, rng=rng(4))
    assert (keys == (codes[:, 0] * 3 + codes[:, 1]) * 300 + codes[:, 2]).all()


def test_keys_of_forty_variables_are_exact_too() -> None:
    # 9 levels to the power 40 is beyond 2^126: three words a key.
    law = CutNormal([np.full(9, 1 / 9)] * 40, 0.97 * np.ones((40, 40)) + 0.03 * np.eye(40))
    codes, keys = law.codes(20_000, rng=rng(5)), law.keys(20_000, rng=rng(5))
    _, by_code = np.unique(codes, axis=0, return_inverse=True)
    pairs = np.unique(np.column_stack([by_code, keys]), axis=0)
    assert len(pairs) == len(np.unique(keys)) == rows(codes) < 20_000
    assert law.distinct(20_000, rng=rng(5)).count == rows(codes)


def test_levels_are_found_by_thresholds_alone() -> None:
    # Many thin levels, some of no weight, some far in the tail: the guide must never start too high.
    shares = np.concatenate([[0.0, 1e-12], np.full(20_000, 1e-8), [0.6, 0.0], rng(6).dirichlet(np.ones(500)) * 0.3998])
    law = CutNormal([shares], np.eye(1))
    z, codes = law.normals(200_000, rng=rng(7)), law.codes(200_000, rng=rng(7))
    assert (codes[:, 0] == np.searchsorted(law._thresholds[0], z[:, 0], side="right")).all()


@pytest.mark.parametrize("levels", [300, 300_000], ids=["marks", "hashes"])
@pytest.mark.parametrize("n", [1, 1000, BLOCK + 12_345])
def test_distinct_records_are_counted_like_np_unique(n: int, levels: int) -> None:
    law = CutNormal([*SHARES[:2], np.full(levels, 1 / levels), np.full(levels, 1 / levels)], 0.5 + 0.5 * np.eye(4))
    found = law.distinct(n, rng=rng(8))
    assert found.exact
    assert found.count == len(np.unique(law.keys(n, rng=rng(8))))


@pytest.mark.parametrize("words", [1, 2])
def test_distinct_keys_grow_block_by_block(words: int) -> None:
    blocks = [rng(s).integers(0, 40_000, (60_000, words)) for s in range(4)]
    seen = DistinctKeys(words=words, block=60_000, threads=2)
    for block in blocks:
        seen.add(block)
    assert seen.count == rows(np.concatenate(blocks))
    assert seen.exact


def test_beyond_its_room_the_count_is_scaled_up() -> None:
    keys = rng(9).permutation(400_000)[:, None] * 7
    seen = DistinctKeys(words=1, block=100_000, room=100_000)
    for block in np.split(keys, 4):
        seen.add(block)
    assert not seen.exact
    assert seen.count == pytest.approx(400_000, rel=0.02)


def test_independent_classes_have_the_product_of_shares() -> None:
    table = Counts.of(np.array([[0, 0], [0, 1], [1, 1]]), np.array([1, 1, 2]))
    model = Independent().fit(table)
    assert model.class_probabilities(np.array([[0, 0], [1, 1]])) == pytest.approx([0.5 * 0.25, 0.5 * 0.75])
    codes = model.sample_codes(100_000, rng=rng(10))
    assert (codes == [0, 0]).all(axis=1).mean() == pytest.approx(0.125, abs=0.005)


def test_one_constant_variable_has_one_record() -> None:
    assert LatentNormal((np.ones(1),), np.eye(1)).count_distinct(10, rng=rng()).count == 1


class Listener:
    def __init__(self) -> None:
        self.told: list[object] = []

    def begin(self, what: str, total: int | None) -> None:
        self.told.append((what, total))

    def advance(self, steps: int) -> None:
        self.told.append(steps)

    def end(self) -> None:
        self.told.append("end")


def test_drawing_tells_its_progress() -> None:
    listener = Listener()
    with listening(listener):
        LAW.distinct(10, rng=rng())
    assert listener.told == [("drawing records", 10), 10, "end"]
