"""What holds for any file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike import risk
from lookalike.classes import Missing

NAMES = ["a", "b", "c"]
files = st.lists(
    st.tuples(
        st.none() | st.integers(0, 3),
        st.none() | st.sampled_from(["x", "y", ""]),
        st.none() | st.booleans(),
        st.sampled_from("pqr"),
    ),
    min_size=1,
    max_size=40,
).map(lambda rows: pl.DataFrame(rows, {"a": pl.Int64, "b": pl.String, "c": pl.Boolean, "s": pl.String}, orient="row"))
readings = st.sampled_from(list(Missing))
any_file = settings(max_examples=60, deadline=None)


def classes_of(table: pl.DataFrame, missing: Missing = Missing.OWN) -> la.EquivalenceClasses:
    return la.EquivalenceClasses.of(la.read(table), NAMES, missing=missing)


def figures(table: pl.DataFrame, missing: Missing) -> list[float]:
    """Measures of identity and of a sensitive variable."""
    classes = classes_of(table, missing)
    spread = la.Spread.of(classes, "s")
    return [
        classes.records,
        len(classes),
        risk.k_anonymity(classes),
        risk.unique_records(classes).count,
        risk.unique_classes(classes).count,
        risk.records_below(classes, 3).count,
        risk.prosecutor(classes).mean,
        risk.distinct_diversity(spread).minimum,
        risk.entropy_diversity(spread).mean,
        risk.total_variation_closeness(spread).t,
        risk.any_disclosure(spread).count,
    ]


@any_file
@given(files, readings)
def test_class_sizes_add_up_to_the_records(table: pl.DataFrame, missing: Missing) -> None:
    classes = classes_of(table, missing)
    assert classes.sizes.sum() == classes.records == table.height
    assert (classes.sizes >= 1).all()
    assert (classes.lookalikes >= classes.sizes).all()
    assert len(classes.size_per_record()) == table.height


@any_file
@given(files, readings, st.randoms())
def test_the_order_of_rows_changes_nothing(
    table: pl.DataFrame, missing: Missing, random: np.random.RandomState
) -> None:
    order = list(range(table.height))
    random.shuffle(order)
    assert figures(table[order], missing) == pytest.approx(figures(table, missing))
    sizes = classes_of(table, missing).size_per_record()
    assert classes_of(table[order], missing).size_per_record().tolist() == sizes[order].tolist()


RELABELLED: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "other numbers": lambda t: t.with_columns(10**12 - 7 * pl.col("a")),
    "numbers as texts": lambda t: t.with_columns(pl.col("a").cast(pl.String)),
    "longer texts": lambda t: t.with_columns(pl.lit("é ") + pl.col("b")),
    "yes and no swapped": lambda t: t.with_columns(~pl.col("c")),
    "variables in another order": lambda t: t.select("s", "c", "b", "a"),
}


@any_file
@given(files, readings, st.sampled_from(sorted(RELABELLED)))
def test_other_labels_change_nothing(table: pl.DataFrame, missing: Missing, how: str) -> None:
    assert figures(RELABELLED[how](table), missing) == pytest.approx(figures(table, missing))


@any_file
@given(files, readings, st.sampled_from(NAMES))
def test_more_knowledge_never_lowers_uniqueness(table: pl.DataFrame, missing: Missing, name: str) -> None:
    data = la.read(table)
    fewer = la.EquivalenceClasses.of(data, [n for n in NAMES if n != name], missing=missing)
    more = la.EquivalenceClasses.of(data, NAMES, missing=missing)
    assert risk.unique_records(more).count >= risk.unique_records(fewer).count
    assert risk.k_anonymity(more) <= risk.k_anonymity(fewer)
    assert (more.size_per_record() <= fewer.size_per_record()).all()
    # What the class table says of fewer variables is what classes formed anew say.
    unique, mean = more.known(fewer.variables)
    assert unique == risk.unique_records(fewer).count
    assert mean == pytest.approx(risk.prosecutor(fewer).mean)
    if missing is not Missing.WILDCARD:
        assert sorted(more.sizes_on(fewer.variables).tolist()) == sorted(fewer.sizes.tolist())


@any_file
@given(files)
def test_a_file_appended_to_itself_has_double_classes(table: pl.DataFrame) -> None:
    once, twice = classes_of(table), classes_of(pl.concat([table, table]))
    assert sorted(twice.sizes.tolist()) == sorted((2 * once.sizes).tolist())
    assert risk.unique_records(twice).count == 0
    assert risk.k_anonymity(twice) == 2 * risk.k_anonymity(once)
    assert risk.prosecutor(twice).mean == pytest.approx(risk.prosecutor(once).mean / 2)
    assert twice.size_per_record().tolist() == (2 * once.size_per_record()).tolist() * 2
    # The spread of a sensitive variable stays what it was.
    of_once, of_twice = la.Spread.of(once, "s"), la.Spread.of(twice, "s")
    assert of_twice.whole.tolist() == (2 * of_once.whole).tolist()
    assert risk.distinct_diversity(of_twice).minimum == risk.distinct_diversity(of_once).minimum
    assert risk.total_variation_closeness(of_twice).t == pytest.approx(risk.total_variation_closeness(of_once).t)
    # With the original as population, every record has itself once and its lookalikes.
    assert (twice.sizes == 2 * twice.sizes_in(once)).all()


@any_file
@given(files)
def test_wildcards_hide_and_a_conservative_reading_shows(table: pl.DataFrame) -> None:
    own, wildcard, conservative = (classes_of(table, m).size_per_record() for m in Missing)
    assert (wildcard >= own).all()
    assert (conservative <= own).all()
