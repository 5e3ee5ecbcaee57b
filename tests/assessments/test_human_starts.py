"""Human starts: the same starts for everybody, source episodes as units, and no test of what was trained."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.api.checkpoints import record
from mensura.assessments.human_starts import RETURN, HumanStarts, drawn, sources
from mensura.core.contract import Episode, Plan
from mensura.records.pool_shelf import SHELF, PoolReference
from mensura.records.pools import Checkpoint, Pool, digest_of
from mensura.records.training_note import TrainedOn
from mensura.studies.parameters import plain_parameters, typed_parameters
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.echo import Echo

pytestmark = pytest.mark.quick

WORLD = Echo(horizon=20)


@pytest.fixture(scope="module")
def pool() -> Pool:
    """Four episodes of five checkpoints."""
    return record(
        resolve("random", WORLD), WORLD, every=4, count=16, seed=3, training=0, pictures=False
    )


@pytest.fixture
def file(pool: Pool, tmp_path: Path) -> str:
    path = tmp_path / "a.pool"
    pool.write(path)
    return str(path)


def plans(assessment: HumanStarts, number: int, key: int = 5) -> list[Plan]:
    """The plans of a sitting in which every episode brings 1 in two interactions."""
    found = []
    sitting = assessment.sitting_of(WORLD, key, number)
    plan: Plan | None = next(sitting)
    score = None
    while plan is not None:
        found.append(plan)
        try:
            plan = sitting.send(Episode(rewards=(1.0,), interactions=(2,), scored=(0,)))
        except StopIteration as end:
            plan, score = None, end.value
    assert score == pytest.approx(0.5)
    assert score.measures == {RETURN: 1.0}
    return found


def test_a_sitting_has_the_starts_of_one_source_episode(pool: Pool, file: str) -> None:
    assessment = HumanStarts(file, evaluations=10, limit=3)
    assert assessment.sittings == 4
    starts = [[one.start.digest for one in plans(assessment, n) if one.start] for n in range(4)]
    assert [len(some) for some in starts] == [3, 3, 2, 2]
    episodes = {one.digest: one.episode for one in pool.checkpoints}
    assert [len({episodes[one] for one in some}) for some in starts] == [1] * 4
    assert len({episodes[some[0]] for some in starts}) == 4
    assert starts[0] == [one.start.digest for one in plans(assessment, 0) if one.start]
    assert all(one.interactions == 3 and one.fresh for one in plans(assessment, 1))


@given(st.integers(1, 6), st.integers(1, 20), st.integers(0, 1 << 63))
def test_all_checkpoints_come_before_one_comes_again(have: int, want: int, key: int) -> None:
    some = [Checkpoint(str(at), 0, "", "e", at, 0.0) for at in range(have)]
    found = Counter(one.digest for one in drawn(some, want, key))
    assert sum(found.values()) == want
    assert max(found.values()) - min(found.get(str(at), 0) for at in range(have)) <= 1


def test_subjects_meet_the_same_starts_and_the_interval_is_over_source_episodes(file: str) -> None:
    assessment = HumanStarts(file, evaluations=40)
    who = [resolve(name, WORLD) for name in ("random", "q-learning")]
    found = run(WORLD, who, assessment, 1, training=0)
    for one in found.subjects:
        assert one.moments.count == 4
        assert RETURN in one.measures
    again = run(WORLD, [resolve("random", WORLD)], assessment, 1)
    assert again.subjects[0].moments == found.subjects[0].moments


def test_parameters_name_the_pool_by_what_it_holds(pool: Pool, file: str) -> None:
    assessment = HumanStarts(file)
    Path(file).unlink()
    again = HumanStarts(**typed_parameters(plain_parameters(assessment)))
    assert again == assessment
    assert again.reference == PoolReference.of(pool)
    assert again.pools == (pool.digest,)
    told = {"name": "human-starts", **plain_parameters(assessment)}
    words = " ".join(HumanStarts.account.done(told))
    assert f"the pool {pool.digest}: 16 checkpoints of 4 episodes, played by random" in words


def test_a_normalized_return_is_0_at_random_and_1_for_the_players(file: str) -> None:
    given: dict[str, Any] = {"random_return": 2.0, "player_return": 6.0, "evaluations": 4}
    sitting = HumanStarts(file, **given).sitting_of(WORLD, 1, 0)
    next(sitting)
    with pytest.raises(StopIteration) as end:
        sitting.send(Episode(rewards=(5.0,), interactions=(10,), scored=(0,)))
    assert end.value.value.measures["normalized return"] == 0.75


def test_training_and_test_must_not_share_an_episode(pool: Pool, file: str, tmp_path: Path) -> None:
    training, test = pool.split(4, 1)
    for name, part in (("train", training), ("test", test)):
        part.write(tmp_path / name)
    assert HumanStarts(str(tmp_path / "test"), trained_on=str(tmp_path / "train")).sittings == 1
    with pytest.raises(MensuraError, match="have 1 episode in common"):
        HumanStarts(file, trained_on=str(tmp_path / "test"))
    renamed = replace(test, checkpoints=[replace(o, episode="other") for o in test.checkpoints])
    renamed.write(tmp_path / "renamed")
    with pytest.raises(MensuraError, match="have 4 states in common"):
        HumanStarts(file, trained_on=str(tmp_path / "renamed"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"pool": ""}, "name its file, as pool"),
        ({"pool": "none.pool"}, "none.pool cannot be read: No such file"),
        ({"pool": "{}"}, "no reference to a pool"),
        ({"evaluations": 0}, "evaluations is 0"),
        ({"limit": 0}, "limit is 0"),
        ({"memory": "none"}, "memory is 'none'"),
        ({"random_return": 1.0}, "both random_return and player_return"),
        ({"random_return": 1.0, "player_return": 1.0}, "two different numbers"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    file: str, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        HumanStarts(**{"pool": file, **given})


def test_a_pool_of_another_world_or_of_none_at_hand_is_one_sentence(pool: Pool) -> None:
    other = replace(pool, world="lambda-v1")
    with pytest.raises(MensuraError, match="of lambda-v1 and cannot be used in echo-v1"):
        HumanStarts(SHELF.put(other).text).check(WORLD)
    absent = replace(PoolReference.of(pool), digest="0" * 32)
    with pytest.raises(MensuraError, match=f"{'0' * 32} is not at hand"):
        HumanStarts(absent.text).check(WORLD)


def test_sources_are_in_an_order_of_their_own(pool: Pool) -> None:
    SHELF.put(pool)
    found = [one[0].episode for one in sources(pool)]
    assert sorted(found) == sorted(pool.episodes)
    assert found == [one[0].episode for one in sources(pool)]


def test_who_says_that_it_was_trained_on_these_episodes_is_refused(pool: Pool, file: str) -> None:
    assessment = HumanStarts(file)
    known = TrainedOn("0" * 32, frozenset({pool.episodes[2], "other"}))
    with pytest.raises(MensuraError, match=r"was trained on the pool 000.*1 episode in"):
        assessment.check_subject(SimpleNamespace(name="model.zip", trained_on=known))
    for note in (None, TrainedOn("0" * 32, frozenset({"other"}))):
        assessment.check_subject(SimpleNamespace(name="model.zip", trained_on=note))


def test_a_state_that_is_none_is_found_before_anything_begins(pool: Pool) -> None:
    one = pool.checkpoints[5]
    false = pool.snapshots[one.digest].replace(b'"acted": [8]', b'"acted": [-8]')
    assert false != pool.snapshots[one.digest]
    name = digest_of(false)
    forged = replace(
        pool,
        checkpoints=[replace(o, digest=name) if o is one else o for o in pool.checkpoints],
        snapshots={**pool.snapshots, name: false},
    )
    with pytest.raises(MensuraError, match=f"The checkpoint {name}, interaction 8 of the"):
        HumanStarts(SHELF.put(forged).text).check(WORLD)
