"""Attempts: training on ever harder copies, then the task itself again and again, in one sitting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assessments.ladder import LadderWorld

from mensura.agent.errors import MensuraError
from mensura.api.checkpoints import record
from mensura.assessments.attempts import Attempts
from mensura.core.contract import Episode, Plan
from mensura.core.scored import measures_of
from mensura.core.steps import ATTEMPT
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.echo import Echo
from mensura.worlds.framotec.world import Framotec

pytestmark = pytest.mark.quick


@dataclass
class Played:
    plans: list[Plan]
    score: float


def played(
    assessment: Attempts, world: Any, solved: Any = lambda number: False, key: int = 5
) -> Played:
    """All plans of a sitting whose n-th attempt is solved or not and takes n seconds and 10 n joules."""
    plans: list[Plan] = []
    sitting = assessment.sitting(world, key)
    try:
        plan = next(sitting)
        while True:
            plans.append(plan)
            number = sum(not one.learning for one in plans)
            measures = {"solved": float(solved(number)), "time": number, "energy": 10.0 * number}
            episode = Episode((float(number),), (2,), (0,), measures=measures)
            plan = sitting.send(episode)
    except StopIteration as stop:
        return Played(plans, stop.value)


def starts(plans: list[Plan]) -> list[float]:
    return [plan.description.task.objects[0].value for plan in plans]  # type: ignore[attr-defined]


def test_training_starts_near_the_goal_and_ends_where_the_task_starts() -> None:
    made = played(Attempts(attempts=3, training=8, curriculum=4), Framotec())
    assert [plan.learning for plan in made.plans] == [True] * 8 + [False] * 3
    assert starts(made.plans) == pytest.approx([76.25] * 2 + [57.5] * 2 + [38.75] * 2 + [20.0] * 5)
    assert [plan.measures.get(ATTEMPT) for plan in made.plans[8:]] == [1.0, 2.0, 3.0]
    assert len({plan.key for plan in made.plans}) == 11


@given(st.integers(1, 300), st.integers(1, 40))
def test_copies_get_harder_and_never_harder_than_the_task(training: int, curriculum: int) -> None:
    one = Attempts(training=training, curriculum=curriculum)
    shares = [one.share(number) for number in range(training)]
    assert shares == sorted(shares)
    assert 0.0 < shares[0] <= shares[-1] <= 1.0
    if training >= curriculum:
        assert shares[-1] == 1.0


def test_every_attempt_has_a_task_of_its_own_or_all_have_the_same() -> None:
    world = Framotec(task="n-dimensional", dimensions=2)
    drawn = played(Attempts(attempts=5), world).plans
    same = played(Attempts(attempts=5, environments="same"), world).plans
    assert len(set(starts(drawn))) == 5
    assert len(set(starts(same))) == 1
    assert [world.sample(plan.environment or 0) for plan in drawn] == [
        plan.description for plan in drawn
    ]


def test_the_score_is_the_mean_reward_and_what_was_spent_until_success_is_told() -> None:
    made = played(Attempts(attempts=6), Framotec(), solved=lambda number: number >= 3)
    assert made.score == pytest.approx(np.mean([number / 2 for number in range(1, 7)]))
    assert measures_of(made.score) == {
        "ever solved": 1.0,
        "attempts until solved": 3.0,
        "time until solved": 6.0,
        "energy until solved": 60.0,
    }
    never = played(Attempts(attempts=6), Framotec())
    assert measures_of(never.score) == {"ever solved": 0.0}


def test_a_world_without_easier_copies_is_told_what_to_write() -> None:
    with pytest.raises(MensuraError, match="write curriculum: 1"):
        played(Attempts(training=2, curriculum=2), LadderWorld())
    made = played(Attempts(training=2, attempts=1), LadderWorld())
    assert [plan.learning for plan in made.plans] == [True, True, False]


@pytest.mark.parametrize(
    "wrong",
    [{"attempts": 0}, {"sittings": 0}, {"curriculum": 0}, {"training": -1}, {"environments": "x"}],
)
def test_what_cannot_be_played_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MensuraError, match=next(iter(wrong))):
        Attempts(**wrong)


def test_every_attempt_of_a_run_is_kept() -> None:
    world = Framotec(ends=True)
    subjects = [resolve(name, world) for name in ("plotter", "random")]
    result = run(world, subjects, Attempts(sittings=2, attempts=4), seed=3)
    plotter, at_random = result.subjects
    assert [one.item for one in plotter.attempts] == [0, 1]
    for one in plotter.attempts:
        assert one.solved == (True,) * 4
        assert all(6.0 < time < 8.0 for time in one.time)
        assert one.energy == pytest.approx([200.0 * time for time in one.time])
    assert sum(sum(one.solved) for one in at_random.attempts) < 8
    assert ATTEMPT not in plotter.measures
    assert replace(plotter, attempts=()).measures["solved"].mean == 1.0


def test_training_may_start_from_the_checkpoints_of_a_pool(tmp_path: Path) -> None:
    world = Echo(horizon=20)
    pool = record(resolve("random", world), world, every=4, count=8, seed=3, pictures=False)
    pool.write(tmp_path / "a.pool")
    attempts = Attempts(
        attempts=2, training=30, checkpoints=str(tmp_path / "a.pool"), limit=3, sittings=1
    )
    assert attempts.pools == (pool.digest,)
    attempts.check(world)
    sitting = attempts.sitting(world, 5)
    plans = [next(sitting)]
    episode = Episode(rewards=(1.0,), interactions=(1,), scored=(0,))
    plans += [sitting.send(episode) for _ in range(31)]
    training, assessed = plans[:30], plans[30:]
    digests = {one.start.digest for one in training if one.start is not None}
    assert all(one.learning and one.interactions == 3 and one.start for one in training)
    assert digests <= set(pool.snapshots)
    assert len(digests) > 4
    assert all(one.start is None and one.interactions is None for one in assessed)
    found = run(world, [resolve("q-learning", world)], attempts, 1, training=10)
    assert found.subjects[0].moments.count == 1


def test_checkpoints_and_a_curriculum_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="not on both"):
        Attempts(curriculum=2, checkpoints="a.pool")
    with pytest.raises(MensuraError, match="cannot be read"):
        Attempts(checkpoints=str(tmp_path / "a.pool"))
    with pytest.raises(MensuraError, match="limit is 0"):
        Attempts(limit=0)
