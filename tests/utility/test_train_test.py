"""Train on the release, test on the original."""

import numpy as np
import polars as pl
import pytest

from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.train_test import Learner, train_on_release


def people(n: int, seed: int, link: float = 1.0) -> pl.DataFrame:
    g = np.random.default_rng(seed)
    x, job = g.normal(size=n), g.choice(["a", "b", "c"], n)
    eta = link * (2 * x + (job == "b"))
    return pl.DataFrame(
        {
            "x": x,
            "job": job,
            "yes": np.where(g.random(n) < 1 / (1 + np.exp(-eta)), "yes", "no"),
            "mood": np.array(["bad", "fair", "good"])[
                np.clip(np.round(eta / 2 + g.normal(size=n)) + 1, 0, 2).astype(int)
            ],
            "pay": eta + g.normal(size=n),
        }
    )


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


MEASURES = {"yes": "AUC", "mood": "accuracy", "pay": "R²"}


@pytest.mark.parametrize(
    ("learner", "target"),
    [(one, target) for one in (Learner.BOOSTING, Learner.LINEAR) for target in MEASURES] + [(Learner.FOREST, "yes")],
)
def test_a_good_release_teaches_and_a_bad_one_does_not(learner, target) -> None:
    file, good, bad, held = people(400, 1), people(400, 2), people(400, 3, link=0), people(400, 4)
    columns = ["x", "job"]
    taught = train_on_release(file, good, target, rng=rng(), holdout=held, learner=learner, columns=columns)
    failed = train_on_release(file, bad, target, rng=rng(), holdout=held, learner=learner, columns=columns)
    first = taught.scores[0]
    assert first.measure == MEASURES[target]
    assert first.original > first.baseline + 0.05
    assert first.release > first.baseline + 0.05
    assert first.difference[0] < first.release - first.original < first.difference[1]
    assert failed.scores[0].difference[1] < 0
    assert failed.scores[0].original == pytest.approx(first.original, abs=1e-3)
    assert taught.caveats == ()
    assert (taught.trained, taught.tested) == ((400, 400), 400)


def test_the_same_seed_gives_the_same_scores() -> None:
    file = people(300, 1)
    found = [train_on_release(file, people(200, 2), "yes", rng=rng()) for _ in range(2)]
    assert found[0] == found[1]
    assert found[0].trained == (210, 200)
    assert found[0].tested == 90
    assert "A holdout that it has never seen gives an honest figure" in found[0].caveats[0]


def test_missing_cells_new_levels_and_lost_classes_are_handled() -> None:
    file = people(300, 1).with_columns(x=pl.when(pl.col("x") > 1).then(None).otherwise(pl.col("x")))
    release = people(300, 2).filter(pl.col("mood") != "good").with_columns(job=pl.lit("z"))
    found = train_on_release(file, release, "mood", rng=rng())
    assert 0 < found.scores[0].release <= found.scores[0].original
    gaps = file.with_columns(yes=pl.when(pl.int_range(300) < 100).then(None).otherwise(pl.col("yes")))
    assert train_on_release(gaps, file, "yes", rng=rng()).trained == (140, 300)


def test_bad_requests_are_refused() -> None:
    file = people(60, 1)
    with pytest.raises(BadPlan, match="Target 'mod' is not in the original"):
        train_on_release(file, file, "mod", rng=rng())
    with pytest.raises(BadPlan, match="There is no column to learn the target from"):
        train_on_release(file, file, "mood", rng=rng(), columns=["mood"])
    with pytest.raises(BadPlan, match="Column 'job' is not in the release"):
        train_on_release(file, file.drop("job"), "mood", rng=rng())
    with pytest.raises(NotAssessable, match="The target has one value in the release"):
        train_on_release(file, file.with_columns(yes=pl.lit("yes")), "yes", rng=rng())
