"""Protection as the library runs it: limits, people, seeds, steps by hand."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize.cells import Done
from lookalike.data.cells import ends_of
from lookalike.data.hierarchy import Intervals
from lookalike.errors import BadPlan
from lookalike.evaluate.protection import NO_PEOPLE

QUASI = ["age", "sex"]


def people(rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return pl.DataFrame({"age": rng.integers(20, 70, rows), "sex": rng.choice(["F", "M"], rows)})


TENS = la.Generalization(hierarchies={"age": Intervals(widths=(10,))}, levels={"age": 1})


def test_b_is_counted_in_a_population_that_is_recoded_like_the_release() -> None:
    everyone = people()
    file = everyone.head(40)
    made = la.protect(file, TENS, population=everyone, until=0.5, quasi_identifiers=QUASI)
    decades = everyone.with_columns(age=pl.col("age") // 10)
    sizes = decades.group_by(QUASI).len()
    truth = (1 / decades.head(40).join(sizes, on=QUASI)["len"]).mean()
    assert made.assessed.risk.sample_to_population.method == "exact"
    assert made.assessed.risk.sample_to_population.value == pytest.approx(truth)


def test_b_of_groups_is_estimated_by_the_size_of_the_population() -> None:
    """Ranges of groups overlap, so that a person has no one group to be counted in."""
    everyone = people()
    made = la.protect(everyone.head(60), la.Mondrian(k=3), population=everyone, until=0.5, quasi_identifiers=QUASI)
    assert made.assessed.risk.population == 400
    assert made.assessed.risk.sample_to_population.method != "exact"


def test_without_people_b_gives_way_to_a_limit_that_was_named() -> None:
    made = la.protect(people(), la.Mondrian(k=3), until=la.Threshold(k_anonymity=3), quasi_identifiers=QUASI)
    assert NO_PEOPLE in made.warnings
    assert [v.measure for v in made.assessed.verdicts] == ["k_anonymity"]
    assert made.outcome is la.Outcome.HOLDS


def test_without_people_and_another_limit_the_mean_of_1_over_f_decides() -> None:
    made = la.protect(people(), until=0.09, quasi_identifiers=QUASI)
    assert made.assessed.risk.prosecutor.mean <= 0.09
    assert made.outcome is la.Outcome.HOLDS


@pytest.mark.parametrize("on_the_value", [True, False])
def test_b_is_searched_for_until_no_doubt_is_left(on_the_value: bool) -> None:
    hierarchies = {"age": Intervals(widths=(2, 4, 8, 16, 32))}
    name = "sample_to_population" if on_the_value else "sample_to_population_upper"
    until = la.Threshold(**{"sample_to_population": None, name: 0.005})
    made = la.protect(
        people(300),
        la.Generalization(hierarchies=hierarchies),
        until=until,
        population=20_000,
        population_counts="eligible",
        quasi_identifiers=QUASI,
        backtest=False,
    )
    assert made.outcome is la.Outcome.HOLDS
    assert made.assessed.risk.sample_to_population.high <= 0.005
    assert [v.measure for v in made.assessed.verdicts] == [name]


def test_the_upper_end_of_b_does_not_give_way_without_people() -> None:
    until = la.Threshold(k_anonymity=3, sample_to_population_upper=0.09)
    made = la.protect(people(), la.Mondrian(k=3), until=until, quasi_identifiers=QUASI)
    assert NO_PEOPLE not in made.warnings
    measures = [v.measure for v in made.assessed.verdicts]
    assert measures == ["sample_to_population", "sample_to_population_upper", "k_anonymity"]


def test_a_given_seed_repeats_the_draws_and_is_told_to_be_a_secret() -> None:
    def noisy(seed: int | None) -> la.ProtectedRun:
        until = la.Threshold(unique_records=1.0)
        return la.protect(people(), la.Noise(columns=("age",)), until=until, quasi_identifiers=QUASI, seed=seed)

    one, other, secret = noisy(4), noisy(4), noisy(None)
    assert one.data.head(400).equals(other.data.head(400))
    assert any("keep it secret" in warning for warning in one.warnings)
    assert not secret.data.head(400).equals(one.data.head(400))


def test_a_release_without_quasi_identifiers_cannot_be_measured() -> None:
    plan = la.Plan().changed(roles=la.Roles(quasi_identifiers=("age",)))
    plan = plan.changed(protection=type(plan.protection)(drop=("age",)), thresholds=la.Threshold(k_anonymity=2))
    with pytest.raises(BadPlan, match="no quasi-identifier left"):
        la.protect(people(), la.Mondrian(k=2), plan=plan)


def test_a_column_that_is_left_out_costs_the_others_nothing() -> None:
    """Named known or not, a column that is dropped does not drive the search; the file itself is measured with it."""
    file = people().with_columns(case=pl.int_range(400) % 97)
    limit = la.Threshold(k_anonymity=4)
    drop = type(la.Plan().protection)(drop=("case",))
    known, unknown = (
        la.protect(file, "generalize", until=limit, quasi_identifiers=names, protection=drop)
        for names in ([*QUASI, "case"], QUASI)
    )
    assert known.data.head(400).equals(unknown.data.head(400))
    assert known.losses == unknown.losses
    assert known.assessed.risk.k_anonymity == unknown.assessed.risk.k_anonymity >= 4
    assert known.before.risk.unique_records.count > unknown.before.risk.unique_records.count


def test_records_that_were_made_equal_are_no_repeats() -> None:
    file = people().with_columns(pay=pl.int_range(400))
    asked = {"until": la.Threshold(k_anonymity=5), "quasi_identifiers": QUASI}
    made = la.protect(file, "mondrian", protection=type(la.Plan().protection)(drop=("pay",)), **asked)
    assert made.data.head(400).is_duplicated().any()
    assert made.assessed.risk.repeated is made.before.risk.repeated is None
    twice = la.protect(pl.concat([file, file]), "mondrian", **asked)
    assert twice.before.risk.repeated is not None
    assert twice.assessed.risk.repeated == twice.before.risk.repeated


def test_a_limit_that_holds_on_drawn_values_has_not_been_shown_to_hold() -> None:
    until = la.Threshold(k_anonymity=2)
    made = la.protect(people(), la.Pram(columns=("sex",)), until=until, quasi_identifiers=["sex"])
    assert made.assessed.risk.k_anonymity >= 2
    assert made.outcome is la.Outcome.NOT_ASSESSABLE
    assert "changed at random" in made.assessed.verdicts[0].reason
    assert made.losses.granularity == 0


def test_a_column_that_looks_like_a_name_is_not_released_without_a_word() -> None:
    named = people().with_columns(patient_id=pl.int_range(400).cast(pl.String) + "-P")
    with pytest.raises(BadPlan, match="looks like something that names a person, and would be released"):
        la.protect(named, la.Mondrian(k=3), until=la.Threshold(k_anonymity=3), quasi_identifiers=QUASI)


def test_ranges_after_top_coding_are_in_the_order_of_numbers_and_cover_their_values() -> None:
    steps = (la.TopBottom(columns={"age": (None, 60)}), la.Microaggregation(k=4))
    made = la.protect(people(), *steps, until=la.Threshold(k_anonymity=4), quasi_identifiers=QUASI)
    before, after = made.release.pair("age")
    for value, cell in zip(before, after, strict=True):
        ends = ends_of(cell)
        assert ends is not None
        low, high = ends
        assert low is None or low <= value
        assert high is None or value <= high
    fates = made.release.cells["age"]
    assert fates[Done.PERTURBED] == 0


def test_a_recode_keeps_new_values_of_a_column_at_level_0() -> None:
    first = people().with_columns(quarter=pl.lit("2013Q4"))
    quasi = [*QUASI, "quarter"]
    until = la.Threshold(k_anonymity=5)
    made = la.protect(first, TENS, until=until, quasi_identifiers=quasi)
    following = people().with_columns(quarter=pl.lit("2014Q1"))
    again = la.protect(following, made.release.taken[0].recode, until=until, quasi_identifiers=quasi)
    assert again.data.head()["quarter"].unique().to_list() == ["2014Q1"]


def test_a_release_is_written(tmp_path: Path) -> None:
    made = la.protect(people(), TENS, until=la.Threshold(k_anonymity=5), quasi_identifiers=QUASI)
    assert pl.read_csv(made.write(tmp_path / "release.csv")).shape == (400, 2)


def test_a_session_applies_undoes_and_releases() -> None:
    session = la.Session(people(), quasi_identifiers=QUASI, until=la.Threshold(k_anonymity=20))
    before = session.now.evaluation.risk.k_anonymity
    after = session.apply(TENS)
    assert after.evaluation.risk.k_anonymity > before
    assert after.losses is not None
    assert after.losses.granularity > 0
    assert len(session.looks) == 2
    assert session.undo().evaluation.risk.k_anonymity == before
    assert session.undo() is session.now
    session.apply(TENS)
    made = session.release()
    assert made.before.risk.k_anonymity == before
    assert made.outcome is la.Outcome.HOLDS
    assert repr(session).count("\n") == 1
