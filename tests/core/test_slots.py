"""Slots of time: an episode ends with its slot, nobody is told, and what is journaled can be played again."""

from __future__ import annotations

import itertools
import json
import math
import zlib
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assessments.ladder import Climber, Ladder, LadderWorld, Rung, Ticking
from tests.toys import Relay, RelayDescription

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents, InProcess
from mensura.agent.task import Task
from mensura.core import journaled
from mensura.core.contract import Episode, Plan, Stopped, counted_interactions
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import History, diminished, play
from mensura.core.players import Renewed, drive
from mensura.core.sitting import sit
from mensura.records.journal import Entry, pack, unpack

pytestmark = pytest.mark.quick


def episode_of(player: Any, level: int = 3, horizon: int = 4, **options: Any) -> Episode:
    environment = Ladder(Rung(level, horizon=horizon))
    return drive(play(environment, 1, world="ladder-v0", seed=2, **options), player)


@given(st.integers(1, 40), st.integers(1, 9))
def test_a_slot_of_interactions_has_just_so_many_whatever_the_horizon(
    slot: int, length: int
) -> None:
    climber = Climber(9)
    episode = episode_of(Agents([climber]), horizon=length, interactions=slot)
    assert episode.interactions == (slot,)
    assert (episode.slot, episode.elapsed) == (slot, slot)
    assert climber.begun == climber.ended == math.ceil(slot / length)


def test_every_restart_has_keys_of_its_own() -> None:
    climber = Climber(9)
    environment = Ladder(Rung(3, horizon=4))
    asked: list[Ask] = []

    class Noting(Agents):
        def answer(self, asks: list[Ask]) -> list[Answer]:
            asked.extend(asks)
            return super().answer(asks)

    drive(play(environment, 1, world="ladder-v0", seed=2, interactions=12), Noting([climber]))
    assert len(set(environment.resets)) == 3 == len({a.key for a in asked if a.kind == "begin"})
    assert [a.terminated for a in asked if a.kind == "end"] == [True, True, True]


def test_a_subject_is_never_told_its_slot() -> None:
    told: list[Task] = []

    class Listening(Climber):
        def begin(self, task: Task, rng: Any) -> None:
            told.append(task)

    episode_of(Agents([Listening(9)]))
    episode_of(Agents([Listening(9)]), interactions=3)
    episode_of(Ticking([Listening(9)], 1.0), seconds=2.5, clock=lambda: 0.0)
    assert [(task.horizon, task.clock) for task in told] == [
        (4, "interactions"),
        (None, "interactions"),
        (None, "wall"),
    ]


def test_an_answer_that_comes_after_the_slot_is_not_played() -> None:
    ticking = Ticking([Climber(9)], 1.0)
    episode = episode_of(ticking, horizon=100, seconds=2.5)
    assert episode.interactions == (2,)
    assert episode.elapsed == 2.0
    assert episode.seconds == (3.0,)
    assert episode.faults == ()


def test_the_end_of_a_slot_tells_no_reward_twice() -> None:
    class Adding(Climber):
        total = 0.0

        def act(self, observation: float, reward: float) -> int:
            self.total += reward
            return super().act(observation, reward)

        def end(self, observation: float, reward: float, terminated: bool) -> None:
            self.total += reward

    adding = Adding(9)
    episode = episode_of(Ticking([adding], 1.0), horizon=3, seconds=7.5)
    assert adding.total == sum(episode.rewards) == 7.0


def test_a_slot_of_seconds_is_over_when_nobody_is_left_to_be_asked() -> None:
    class Broken:
        def act(self, observation: float, reward: float) -> int:
            raise ValueError

    episode = episode_of(Ticking([Broken()], 1.0), horizon=100, seconds=1e9)
    assert len(episode.faults) == 3
    assert episode.interactions == (3,)


def test_seats_with_clocks_of_their_own_share_a_slot() -> None:
    class Still:
        def act(self, observation: float, reward: float) -> int:
            return 0

    environment = Relay(RelayDescription(3))
    player = Agents([Still(), Still()])
    episode = drive(play(environment, 1, world="relay-v0", seed=2, interactions=5), player)
    assert episode.interactions == (4, 3)  # at the ticks 0, 2, 3, 4 and 6


@given(
    st.integers(1, 1000),
    st.floats(0.0, 1.0),
    st.floats(1e-6, 1e6, allow_nan=False, allow_infinity=False),
)
def test_the_earlier_a_subject_stops_the_fewer_interactions_count(
    n: int, share: float, slot: float
) -> None:
    count = counted_interactions(n, share * slot, slot)
    assert 0 <= count <= n
    assert counted_interactions(n, slot, slot) == n
    assert counted_interactions(n, 0.0, slot) == 0
    assert counted_interactions(n, share * slot / 2, slot) <= count
    assert count == pytest.approx(n * share, abs=1.0)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50), st.floats(0.0, 1.0))
def test_the_diminished_average_is_that_of_the_first_that_count(
    rewards: list[float], share: float
) -> None:
    count = counted_interactions(len(rewards), share, 1.0)
    history = History()
    history.changed((0,), (0,))
    history.rewards = [[r] for r in rewards]
    found = diminished(history, frozenset({0}), share, 1.0)
    assert found == (sum(rewards[:count]) / count if count else 0.0)


SEATS = st.sampled_from([(0,), (1,), (0, 1), (0, 1, 2), (2,)])


@given(st.lists(st.tuples(SEATS, SEATS), max_size=30), st.floats(0.0, 1.0), st.integers(0, 9))
def test_it_is_over_scored_seats_whoever_acts_and_whoever_gets_rewards(
    turns: list[tuple[tuple[int, ...], tuple[int, ...]]], share: float, seed: int
) -> None:
    rng = np.random.Generator(np.random.PCG64(seed))
    history = History()
    happened = []
    for acted, got in turns:
        rewards = rng.uniform(-1, 1, len(got)).tolist()
        history.changed(acted, got)
        history.rewards.append(rewards)
        happened.append((acted, dict(zip(got, rewards, strict=True))))
    first = happened[: counted_interactions(len(turns), share, 1.0)]
    total = sum(reward for _, got in first for seat, reward in got.items() if seat < 2)
    count = sum(seat < 2 for acted, _ in first for seat in acted)
    found = diminished(history, frozenset({0, 1}), share, 1.0)
    assert found == pytest.approx(total / count if count else 0.0)


def test_definition_16_is_a_measure_of_an_episode_that_asks_for_it() -> None:
    class Fading(Climber):
        """Right twice, then wrong, and from the fifth time on silent."""

        acts = 0

        def act(self, observation: float, reward: float) -> int:
            self.acts += 1
            if self.acts > 4:
                ticking.now += 1000.0
            return 1 if self.acts <= 2 else -1

    ticking = Ticking([Fading(9)], 1.0)
    episode = episode_of(ticking, horizon=100, seconds=8.0, diminishing=True)
    assert episode.mean_reward == 0.0
    # Four interactions, the last at half of the slot: the first two count.
    assert episode.measures == {"diminished": 1.0}
    assert episode.diminished_reward == 1.0


def test_a_slot_is_a_number_of_interactions_or_of_seconds_and_not_empty() -> None:
    rung = Rung(1)
    assert Plan(rung, 1).slot is None
    assert Plan(rung, 1, interactions=3).slot == 3.0
    for wrong in ({"interactions": 0}, {"seconds": 0.0}, {"interactions": 1, "seconds": 1.0}):
        with pytest.raises(MensuraError, match="slot"):
            Plan(rung, 1, **wrong)  # type: ignore[arg-type]


class Planned:
    """An assessment of listed plans that counts episodes, and can be stopped."""

    sittings = 1

    def __init__(self, plans: list[Plan], patient: bool = False) -> None:
        self.plans = plans
        self.patient = patient

    def sitting(self, world: Any, key: int) -> Any:
        played = 0
        try:
            for plan in self.plans:
                yield plan
                played += 1
        except Stopped:
            if self.patient:
                raise
        return float(played)


def test_a_subject_sits_down_anew_only_where_a_plan_says_so() -> None:
    made: list[Climber] = []

    def make() -> Climber:
        made.append(Climber(9))
        return made[-1]

    plans = [Plan(Rung(1), 1, fresh=fresh) for fresh in (True, True, False, True)]
    player = Renewed(InProcess("climber", make), 1)
    sit(Planned(plans), LadderWorld(), player, 1, 2)
    assert [climber.begun for climber in made] == [1, 2, 1]
    made.clear()
    sit(Planned(plans), LadderWorld(), InProcess("climber", make).sit(1), 1, 2)
    assert [climber.begun for climber in made] == [1, 2, 1]
    with pytest.raises(MensuraError, match=r"cannot forget.*memory: continuous"):
        sit(Planned(plans), LadderWorld(), Agents([Climber(9)]), 1, 2)


def test_what_an_assessment_tells_of_an_episode_is_kept_with_it() -> None:
    plans = [Plan(Rung(1), 1, measures={"xi": 2.5})]
    sitting = sit(Planned(plans), LadderWorld(), Agents([Climber(9)]), 1, 2)
    assert sitting.episodes[0][1].measures["xi"] == 2.5


@pytest.mark.parametrize("how", ["event", "Ctrl-C"])
def test_a_sitting_that_is_stopped_has_the_score_of_what_was_played(how: str) -> None:
    stop = Event()

    class Stopping(Climber):
        acts = 0

        def act(self, observation: float, reward: float) -> int:
            self.acts += 1
            if self.acts == 6:
                stop.set()
                if how == "Ctrl-C":
                    raise KeyboardInterrupt
            return super().act(observation, reward)

    plans = [Plan(Rung(1, horizon=4), 1)] * 3
    given_event = stop if how == "event" else None
    sitting = sit(Planned(plans), LadderWorld(), Agents([Stopping(9)]), 1, 2, stop=given_event)
    assert (sitting.score, sitting.stopped, len(sitting.episodes)) == (1.0, True, 1)
    with pytest.raises((KeyboardInterrupt, Stopped)):
        sit(
            Planned(plans, patient=True),
            LadderWorld(),
            Agents([Stopping(9)]),
            1,
            2,
            stop=given_event,
        )


def test_an_episode_in_physical_time_is_replayed_from_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the times at which its answers came, so that it has as many interactions as then."""
    moments = itertools.count(
        1000.0, 0.003
    )  # a busy machine may take longer than the slot for the first answer
    monkeypatch.setattr(journaled, "perf_counter", lambda: next(moments))
    path = tmp_path / "journal.jsonl"
    first = Ticking([Climber(2)], 0.0)
    with Journal(path) as journal:
        played = episode_of(Journaled(first, journal), horizon=50, seconds=0.02, diminishing=True)
    assert 0 < played.interactions[0] < 10

    class Nobody:
        speakers: frozenset[int] = frozenset()

        def answer(self, asks: list[Ask]) -> list[Answer]:
            raise AssertionError("nobody may be asked")

        def close(self) -> None:
            pass

    with Journal(path) as journal:
        again = episode_of(Journaled(Nobody(), journal), horizon=50, seconds=0.02, diminishing=True)
    assert again == played


def test_packed_answers_keep_the_time_at_which_they_came_where_it_matters() -> None:
    entries = [
        Entry("act", 0, 1, 0.5, None),
        Entry("act", 0, 1, 0.5, ("late", "x"), 3.25),
        Entry("act", 0, 1, 0.5, None, None, {"text": "left"}),
    ]
    assert unpack(pack(entries)) == entries
    old = json.dumps(["act", 0, 1, 0.5, None], separators=(",", ":"))
    assert old.encode() in zlib.decompress(pack(entries))
