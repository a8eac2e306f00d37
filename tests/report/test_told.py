"""Counts on a page: none below five, and none that a rest would tell."""

from hypothesis import given
from hypothesis import strategies as st

from lookalike.estimate import Rate
from lookalike.report.few import FEWEST
from lookalike.report.told import NOT_TOLD, shared, told_apart


@given(st.lists(st.integers(0, 60), min_size=2, max_size=4))
def test_no_rest_of_the_total_tells_a_small_count(counts: list[int]) -> None:
    told = told_apart(counts)
    hidden = [count for count, text in zip(counts, told, strict=True) if text != f"{count:,}"]
    assert all(text == f"<{FEWEST}" for count, text in zip(counts, told, strict=True) if 0 < count < FEWEST)
    enough = sum(hidden) >= FEWEST or NOT_TOLD not in told
    assert enough
    if any(0 < count < FEWEST for count in counts) and sum(counts) >= FEWEST:
        assert sum(hidden) >= FEWEST


@given(st.integers(0, 300), st.integers(1, 300))
def test_a_share_names_no_small_count_nor_its_rest(count: int, of: int) -> None:
    count = min(count, of)
    text = shared(Rate(count=count, of=of, what="records"))
    few = {str(n) for n in range(1, FEWEST)}
    assert not few & set(text.replace("(", " ").split())
    if 0 < of - count < FEWEST <= count:
        assert f"({count} of" not in text
