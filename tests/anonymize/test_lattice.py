"""The search finds what looking at every version would find."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator

import lookalike as la
from lookalike import risk
from lookalike.anonymize.generalizing import lattice, merging
from lookalike.anonymize.generalizing.class_table import FinestTable, NodeTable
from lookalike.anonymize.generalizing.generalization import Generalization
from lookalike.anonymize.generalizing.generalized import Generalized
from lookalike.anonymize.generalizing.lattice import Search
from lookalike.anonymize.generalizing.merging import cell_sums, merge_classes, merge_counts
from lookalike.anonymize.generalizing.roll_up import RollUp
from lookalike.anonymize.method import Asked, Changed
from lookalike.classes import EquivalenceClasses, Missing, Spread
from lookalike.data.hierarchy import Table, lay
from lookalike.errors import NotAssessable
from lookalike.threshold import Threshold, holds

NONE = Threshold(sample_to_population=None)


def nested(rng: Generator, values: int) -> Table:
    """A random monotone hierarchy of v0, v1, …"""
    rows, now = [[f"v{i}"] for i in range(values)], [f"v{i}" for i in range(values)]
    for level in range(1, int(rng.integers(2, 4))):
        groups = sorted(set(now))
        to = {group: f"L{level}{rng.integers(0, len(groups) // 2 + 1)}" for group in groups}
        now = [to[cell] for cell in now]
        for row, cell in zip(rows, now, strict=True):
            row.append(cell)
    return Table(rows=tuple((*row, "*") for row in rows))


def random_file(rng: Generator) -> tuple[la.Microdata, dict[str, Table]]:
    n, hierarchies, columns = int(rng.integers(1, 40)), {}, {}
    for j in range(int(rng.integers(1, 4))):
        values = int(rng.integers(1, 6))
        hierarchies[f"q{j}"] = nested(rng, values)
        columns[f"q{j}"] = holed(rng, [f"v{i}" for i in rng.integers(0, values, n)], 0.15)
    columns["cat"] = holed(rng, ["abc"[i] for i in rng.integers(0, 3, n)], 0.3)
    columns["num"] = pl.Series(rng.integers(0, 6, n))
    sensitive = ["cat", "num"][: int(rng.integers(1, 3))]
    file = la.read(pl.DataFrame(columns), quasi_identifiers=list(hierarchies), sensitive=sensitive)
    kinds = {v.name: la.Kind.NUMERIC if v.name == "num" else la.Kind.NOMINAL for v in file.variables}
    return replace(file, variables=tuple(replace(v, kind=kinds[v.name]) for v in file.variables)), hierarchies


def holed(rng: Generator, cells: list[str], share: float) -> pl.Series:
    some = rng.random() < 0.3
    return pl.Series([None if some and rng.random() < share else cell for cell in cells], dtype=pl.String)


def random_limits(rng: Generator, records: int) -> Threshold:
    choices: dict[str, list[Any]] = {
        "k_anonymity": [1, 2, 3, 4],
        "l_diversity": [1, 2, 3],
        "t_closeness": [0.2, 0.3, 0.5, 0.8],
        "unique_records": [0.05, 0.2, 0.5],
        "attribute_disclosure": [0.05, 0.3, 0.6],
        "prosecutor_maximum": [0.5, 0.34, 0.2],
        "sample_to_population": [0.2, 0.5, 0.8],
    }
    found: dict[str, Any] = {name: rng.choice(some).item() for name, some in choices.items() if rng.random() < 0.3}
    found = found or {"k_anonymity": 2}
    if "k_anonymity" in found:
        found["k_anonymity"] = min(found["k_anonymity"], records)
    return Threshold(**{"sample_to_population": None, **found})


def random_search(seed: int) -> Generalized:
    rng = np.random.default_rng(seed)
    file, hierarchies = random_file(rng)
    method = Generalization(
        hierarchies=hierarchies,
        max_suppression=float(rng.choice([0, 0, 0.1, 0.3, 1])),
        drop=bool(rng.random() < 0.4),
        loss=str(rng.choice(["domain", "domain", "discernibility", "class_size"])),  # type: ignore[arg-type]
        weights={"q0": 3.0} if rng.random() < 0.3 else {},
    )
    until = random_limits(rng, file.records)
    present = file.head(file.records)["cat"].drop_nulls().to_list()
    targets = ()
    if until.attribute_disclosure is not None and present and rng.random() < 0.4:
        targets = (la.Target(variable="cat", equals=(present[0],)),)
    if all(cell is None for cell in file.head(file.records)["cat"]):
        until = replace(until, l_diversity=None, t_closeness=None, attribute_disclosure=None)
        until = until if list(until) else replace(NONE, k_anonymity=1)
    missing = Missing(str(rng.choice(["own", "own", "wildcard", "conservative"])))
    return method.search(Asked(file=file, rng=rng, until=until, targets=targets, missing=missing))


def released(made: Generalized, changed: Changed) -> la.Microdata:
    file = made.asked.file
    whole = file.head(file.records).with_columns([cells.alias(name) for name, cells in changed.columns.items()])
    kept = whole if changed.stays is None else whole.filter(pl.Series(changed.stays))
    return replace(la.read(kept), variables=file.variables)


def measured(data: la.Microdata, made: Generalized) -> dict[str, float]:
    """The figures of a release by the measures of one file."""
    asked, names = made.asked, made.judge.finest.names
    classes = EquivalenceClasses.of(data, names, missing=asked.missing)
    found: dict[str, float] = {
        "k_anonymity": risk.k_anonymity(classes),
        "prosecutor_maximum": risk.prosecutor(classes).maximum,
        "unique_records": risk.unique_records(classes).value,
        "sample_to_population": risk.prosecutor(classes).mean,
    }
    if set(asked.until.__iter__()) and any(name in dict(asked.until) for name in ("l_diversity", "t_closeness")):
        spreads = {name: Spread.of(classes, name) for name in data.sensitive}
        found["l_diversity"] = min(risk.distinct_diversity(s).minimum for s in spreads.values())
        measures = {"cat": risk.total_variation_closeness, "num": risk.earth_mover_closeness}
        found["t_closeness"] = max(measures[name](s).t for name, s in spreads.items())
    if asked.until.attribute_disclosure is not None:
        spread = Spread.of(classes, "cat")
        if asked.targets:
            wanted = risk.equal_to(spread, *asked.targets[0].equals)
            found["attribute_disclosure"] = risk.attribute_disclosure(spread, wanted).value
        else:
            found["attribute_disclosure"] = max(
                risk.any_disclosure(Spread.of(classes, name)).value for name in data.sensitive
            )
    return {name: found[name] for name, _ in asked.until}


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_the_search_is_as_good_as_looking_at_every_version(seed: int) -> None:
    made = random_search(seed)
    judge = made.judge
    every = [judge.judge(levels) for levels in itertools.product(*map(range, judge.finest.depths))]
    good = [node.loss for node in every if node.holds]
    assert made.found.complete
    assert made.best.holds == bool(good)
    if good:
        assert made.best.loss == pytest.approx(min(good), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_where_nothing_holds_no_more_records_fail_than_at_the_coarsest_version(seed: int) -> None:
    made = random_search(seed)
    judge = made.judge
    top = tuple(depth - 1 for depth in judge.finest.depths)
    free = replace(judge, allowed=judge.finest.records, drop=True)
    if made.best.holds or not judge.judge(top).final or not judge.goals.suppressible or not free.judge(top).holds:
        return
    every = [free.judge(levels) for levels in itertools.product(*map(range, judge.finest.depths))]
    fine = [node.loss for node in every if node.holds and node.suppressed <= free.judge(top).suppressed]
    assert free.judge(made.best.levels).loss == pytest.approx(min(fine), abs=1e-12)
    assert made.changed().figures["reached"] == 0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_the_release_has_the_figures_that_the_search_tells(seed: int) -> None:
    made = random_search(seed)
    if not made.best.holds:
        return
    changed = made.changed()
    try:
        figures = measured(released(made, changed), made)
    except NotAssessable:  # every record with the value was dropped
        return
    for name, limit in made.asked.until:
        assert holds(name, figures[name], limit)
        if made.asked.missing is not Missing.WILDCARD:
            assert figures[name] == pytest.approx(made.best.figures[name], abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_loss_and_suppression_are_those_of_the_cells(seed: int) -> None:
    made = random_search(seed)
    file, finest = made.asked.file, made.judge.finest
    changed = made.changed()
    gone = np.zeros(file.records, bool) if (marks := made._gone()) is None else marks
    assert int(changed.figures["suppressed_records"]) == gone.sum() <= made.max_suppression * file.records + 1e-9
    if (
        made.judge.loss.__class__.__name__ != "DomainLoss"
        or (made.judge.loss.weights != made.judge.loss.weights[0]).any()
    ):
        return
    total = float(gone.sum() * len(finest.names))
    for name, laid, level in zip(finest.names, finest.laid, made.best.levels, strict=True):
        rows = laid.hierarchy.rows
        covered, cell = Counter(row[level] for row in rows), {row[0]: row[level] for row in rows}
        shares = {value: (covered[c] - 1) / max(len(rows) - 1, 1) for value, c in cell.items()}
        cells = file.head(file.records)[name].to_list()
        total += sum(shares[v] for v, out in zip(cells, gone, strict=True) if v is not None and not out)
    if made.best.holds or not gone.any():
        assert made.best.loss == pytest.approx(total / (file.records * len(finest.names)), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 3))
def test_exactly_the_classes_that_fail_are_dropped(seed: int, k: int, diverse: int) -> None:
    """By a group-by in plain Python."""
    rng = np.random.default_rng(seed)
    file, hierarchies = random_file(rng)
    if k > file.records or file.head(file.records)["cat"].null_count() == file.records:
        return
    levels = {name: int(rng.integers(0, table.levels)) for name, table in hierarchies.items()}
    file = file.assign({**dict.fromkeys(hierarchies, la.Role.QUASI_IDENTIFIER), "cat": la.Role.SENSITIVE})
    method = Generalization(hierarchies=hierarchies, levels=levels, max_suppression=1.0, drop=True)
    until = replace(NONE, k_anonymity=k, l_diversity=diverse)
    changed = method.change(Asked(file=file, rng=rng, until=until))
    books = {name: {row[0]: row[levels[name]] for row in table.rows} for name, table in hierarchies.items()}
    rows = file.head(file.records).to_dicts()
    keys = [tuple(None if row[n] is None else books[n][row[n]] for n in books) for row in rows]
    size, values = Counter(keys), dict[Any, set[str]]()
    for key, row in zip(keys, rows, strict=True):
        values.setdefault(key, set()).update({row["cat"]} - {None})
    kept = [size[key] >= k and (not values[key] or len(values[key]) >= diverse) for key in keys]
    if not any(kept):
        assert changed.figures["reached"] == 0
        return
    assert (changed.stays is None) == all(kept)
    assert changed.stays is None or changed.stays.tolist() == kept


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_rolled_up_tables_equal_a_group_by(seed: int, compiled: bool) -> None:
    rng = np.random.default_rng(seed)
    file, hierarchies = random_file(rng)
    finest = FinestTable.of(EquivalenceClasses.of(file))
    finest = replace(finest, laid=tuple(lay(hierarchies[c.name], c.values) for c in finest.columns))
    tables = RollUp(finest)
    tables._work = merging.PAYS if compiled else -(10**9)
    for _ in range(8):
        levels = [int(rng.integers(0, depth)) for depth in finest.depths]
        node = tables.classes(levels)
        cells = [
            laid.cells[level - 1] if level else laid.values for laid, level in zip(finest.laid, levels, strict=True)
        ]
        frame = file.head(file.records).select(
            pl.col(c.name).replace_strict(c.values, cell, default=None, return_dtype=pl.String)
            if len(c.values)
            else pl.col(c.name)
            for c, cell in zip(finest.columns, cells, strict=True)
        )
        assert sorted(node.sizes.tolist()) == sorted(frame.group_by(frame.columns).len()["len"].to_list())
        assert (np.diff(node.places) > 0).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_compiled_kernels_and_numpy_merge_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, words = int(rng.integers(1, 3000)), int(rng.integers(1, 3))
    codes = np.column_stack([rng.integers(0, 9, rows), rng.integers(9, 30, rows)]).astype(np.int32)
    parts = np.stack([rng.integers(0, int(rng.choice([3, 2**40])), 30) for _ in range(words)])
    places = np.sort(rng.choice(rows, int(rng.integers(1, rows + 1)), replace=False)).astype(np.int32)
    sizes = rng.integers(1, 9, len(places))
    slow, fast = (merge_classes(codes, places, sizes, parts, large=large) for large in (False, True))
    for one, other in zip(slow, fast, strict=True):
        assert one.tolist() == other.tolist()
    values = int(rng.integers(1, 6))
    starts = np.append(0, np.cumsum(rng.integers(0, values + 1, len(places))))
    inside = [np.sort(rng.choice(values, size, replace=False)) for size in np.diff(starts)]
    spread = (starts, np.concatenate(inside).astype(np.int32), rng.integers(1, 9, starts[-1]), values)
    merged = [merge_counts(slow.labels, len(slow.places), *spread, large=large) for large in (False, True)]
    for one, other in zip(*merged, strict=True):
        assert one.tolist() == other.tolist()
    terms = rng.random(30)
    sums = [cell_sums(codes, places, terms, large=large) for large in (False, True)]
    assert sums[0] == pytest.approx(sums[1])


def test_keys_of_many_variables_take_several_words() -> None:
    rng = np.random.default_rng(1)
    columns = {f"q{j}": [f"v{i:05d}" for i in rng.integers(0, 40, 300)] for j in range(14)}
    table = {name: Table(rows=tuple((f"v{i:05d}", "*") for i in range(40))) for name in columns}
    file = la.read(pl.DataFrame(columns), quasi_identifiers=list(columns))
    finest = FinestTable.of(EquivalenceClasses.of(file))
    finest = replace(finest, laid=tuple(lay(table[c.name], c.values) for c in finest.columns))
    assert len(finest.parts([0] * 14)) == 2
    for compiled in (False, True):
        tables = RollUp(finest)
        tables._work = merging.PAYS if compiled else 0
        wanted = pl.DataFrame(columns).select(list(columns)[:12]).n_unique()
        assert len(tables.classes([0] * 12 + [1] * 2)) == wanted


def asked(table: dict[str, list[Any]], until: Threshold, **more: Any) -> Asked:
    names = [name for name in table if name != "result"]
    sensitive = ["result"] if "result" in table else []
    file = la.read(pl.DataFrame(table), quasi_identifiers=names, sensitive=sensitive)
    return Asked(file=file, rng=np.random.default_rng(1), until=until, **more)


LETTERS = Table(rows=(("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")))


def test_the_version_of_the_least_loss_is_chosen_by_hand() -> None:
    # Level 1 of one column makes pairs: (x or y, same) twice; its loss is (2 − 1)/(4 − 1) on half of the cells.
    wanted = asked({"p": ["a", "b", "c", "d"], "q": ["a", "a", "c", "c"]}, replace(NONE, k_anonymity=2))
    made = Generalization(hierarchies={"p": LETTERS, "q": LETTERS}).search(wanted)
    assert made.levels == {"p": 1, "q": 0}
    assert made.best.loss == pytest.approx((1 / 3) / 2)


def test_a_column_that_counts_more_is_kept_finer() -> None:
    wanted = asked({"p": list("aabb"), "q": list("abab")}, replace(NONE, k_anonymity=2))
    given = {"p": LETTERS, "q": LETTERS}
    for column, other in (("p", "q"), ("q", "p")):
        made = Generalization(hierarchies=given, weights={column: 5.0}).search(wanted)
        assert (made.levels[column], made.levels[other]) == (0, 1)


def test_a_rare_record_is_suppressed_where_that_loses_less() -> None:
    wanted = asked({"p": ["a"] * 9 + ["d"]}, replace(NONE, k_anonymity=2))
    made = Generalization(hierarchies={"p": LETTERS}, max_suppression=0.1, drop=True).change(wanted)
    assert made.stays is not None
    assert made.stays.tolist() == [True] * 9 + [False]
    assert made.figures["loss"] == pytest.approx(1 / 10)


def test_suppressed_records_that_stay_are_a_class_that_keeps_the_limits() -> None:
    # One record alone would be a class of one: the smallest other class joins it.
    wanted = asked({"p": ["a"] * 6 + ["c"] * 2 + ["d"]}, replace(NONE, k_anonymity=2))
    made = Generalization(hierarchies={"p": Table(rows=tuple((v, "*") for v in "abcd"))}, max_suppression=0.4)
    cells = made.change(wanted).columns["p"].to_list()
    assert cells == ["a"] * 6 + [None] * 3


def test_a_limit_on_uniques_lets_some_be() -> None:
    wanted = asked({"p": ["a"] * 6 + ["b", "c", "d"] + ["a"]}, replace(NONE, unique_records=0.1))
    made = Generalization(hierarchies={"p": LETTERS}, max_suppression=0.2).change(wanted)
    assert made.figures["unique_records"] == pytest.approx(0.1)
    assert made.figures["suppressed_records"] == 2


def test_without_people_the_upper_bound_of_b_decides() -> None:
    wanted = asked({"p": list("aabbccdd")}, Threshold(sample_to_population=0.25))
    changed = Generalization(hierarchies={"p": LETTERS}).change(wanted)
    assert changed.details["levels"] == {"p": 1}  # 2 classes of 8 records
    assert changed.figures["sample_to_population"] == 2 / 8
    assert any("its upper bound decided" in caveat for caveat in changed.caveats)


def test_a_match_rate_sees_levels_maps_classes_and_sizes() -> None:
    seen: list[NodeTable] = []

    def rate(node: NodeTable) -> float:
        seen.append(node)
        return len(node.sizes) / 100

    wanted = asked({"p": [*"aabbccdd", None]}, Threshold(sample_to_population=0.03))
    made = Generalization(hierarchies={"p": LETTERS}).search(wanted, rate)
    assert made.levels == {"p": 1}
    node = next(node for node in seen if node.levels == (1,))
    assert node.maps[0].tolist() == [0, 0, 1, 1, 2]  # missing has a code of its own
    assert sorted(zip(node.codes[:, 0].tolist(), node.sizes.tolist(), strict=True)) == [(0, 4), (1, 4), (2, 1)]


def test_the_people_of_a_population_bring_b_down() -> None:
    rng = np.random.default_rng(3)
    table = {"p": [str(i) for i in rng.integers(0, 60, 400)], "q": [str(i) for i in rng.integers(0, 9, 400)]}
    few = Generalization().search(asked(table, Threshold(sample_to_population=0.05), population=800))
    many = Generalization().search(asked(table, Threshold(sample_to_population=0.05), population=100_000))
    assert few.best.holds
    assert few.best.figures["sample_to_population"] <= 0.05
    assert few.best.loss > many.best.loss == 0


def test_a_target_is_protected_and_other_values_are_not() -> None:
    table = {"p": list("aabbccdd"), "result": ["+", "+", "-", "-", "+", "-", "+", "-"]}
    until, target = replace(NONE, attribute_disclosure=0.1), la.Target(variable="result", equals=("+",))
    given = {"p": Table(rows=(("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")))}
    plain = Generalization(hierarchies=given).search(asked(table, until))
    aimed = Generalization(hierarchies=given).search(asked(table, until, targets=(target,)))
    assert plain.levels == aimed.levels == {"p": 1}
    minus = la.Target(variable="result", equals=("-",))
    assert Generalization(hierarchies=given).search(asked(table, until, targets=(minus,))).levels == {"p": 1}
    table["result"] = ["+", "-", "-", "-", "+", "-", "+", "-"]
    assert Generalization(hierarchies=given).search(asked(table, until, targets=(target,))).levels == {"p": 0}


def test_a_time_limit_gives_the_best_so_far_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    table = {f"q{j}": [f"v{i}" for i in rng.integers(0, 8, 300)] for j in range(6)}
    wanted = asked(table, replace(NONE, k_anonymity=3))
    looks = iter(range(10**6))
    monkeypatch.setattr(Search, "_late", lambda self: next(looks) > 12)
    changed = Generalization(time_limit=1.0).change(wanted)
    assert changed.figures["reached"] == 1
    assert not changed.details["complete"]
    assert "versions judged: a better one may exist." in changed.caveats[0]


@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_beyond_the_exact_size_the_best_are_tried_first(monkeypatch: pytest.MonkeyPatch, limit: float) -> None:
    rng = np.random.default_rng(4)
    table = {f"q{j}": [f"v{i}" for i in rng.integers(0, 6, 400)] for j in range(4)}
    wanted, method = asked(table, replace(NONE, k_anonymity=3)), Generalization(max_suppression=limit)
    exact = method.search(wanted)
    monkeypatch.setattr(lattice, "MOST_NODES", 0)
    monkeypatch.setattr(lattice, "FEW_NODES", 0)
    found = method.search(wanted)
    assert found.best.holds
    assert found.best.loss == pytest.approx(exact.best.loss)


def test_a_descent_before_the_search_changes_nothing_but_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    table = {f"q{j}": [f"v{i}" for i in rng.integers(0, 6, 200)] for j in range(4)}
    wanted = asked(table, replace(NONE, k_anonymity=4))
    exact = Generalization(max_suppression=0.05).search(wanted)
    monkeypatch.setattr(lattice, "FEW_NODES", 0)
    assert Generalization(max_suppression=0.05).search(wanted).levels == exact.levels


def test_the_allowed_records_are_a_whole_number_of_the_share() -> None:
    wanted = asked({"p": list("abcd") * 25 + ["a"]}, replace(NONE, k_anonymity=2))
    made = Generalization(max_suppression=0.1).search(wanted)
    assert made.judge.allowed == 10 == ceil(0.1 * 100)
