"""The anytime test goes its path as Definition 18 says, uses nothing twice, and always has a score."""

from __future__ import annotations

import _thread
import math
import signal
from dataclasses import replace
from itertools import pairwise
from threading import Event
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.assessments.ladder import (
    Climber,
    CoinWorld,
    Gambler,
    LadderWorld,
    Ticking,
    stop_when_ahead,
)
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents, InProcess
from mensura.assessments.anytime import PACES, Anytime
from mensura.core.contract import Episode, Plan, Stopped
from mensura.core.players import Renewed
from mensura.core.sitting import Sitting, sit
from mensura.core.steps import RUNNING, USED, WANTED
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar


def chain(
    anytime: Anytime, level: float, world: Any = None, key: int = 1, **options: Any
) -> Sitting:
    subject = InProcess("climber", lambda: Climber(level))
    return sit(anytime, world or LadderWorld(), Renewed(subject, 1), key, 2, **options)


def path(sitting: Sitting) -> list[tuple[Plan, Episode]]:
    return list(sitting.episodes)


budgets = st.integers(1, 3000)
levels = st.integers(0, 25)


def test_the_path_follows_the_rewards_as_printed(full_size: bool) -> None:
    @settings(max_examples=40 if full_size else 8)
    @given(budgets, levels, st.sampled_from([1.0, 3.0, 10.0]), st.sampled_from([0.0, 0.5, 1.0]))
    @example(1868, 20, 1.0, 0.0)
    def follows(budget: int, level: int, first: float, growth: float) -> None:
        world = LadderWorld(
            each=1_000_000
        )  # no level is ever used up, which would open the interval
        anytime = Anytime(interactions=budget, first=first, growth=growth, overrun=True)
        sitting = chain(anytime, level, world)
        xi, slot, used, rewards = 1.0, first, 0, []
        seen = set()
        for plan, episode in path(sitting):
            assert used < budget
            assert plan.measures[WANTED] == pytest.approx(xi)
            asked = plan.measures[USED]
            assert asked == pytest.approx(min(max(xi, 1.0), 20.0)) or asked > xi
            assert asked - 1 <= plan.description.level <= asked  # type: ignore[attr-defined]
            assert plan.description not in seen
            seen.add(plan.description)
            assert plan.interactions == math.floor(slot) == episode.interactions[0]
            running = sum(rewards) / len(rewards) if rewards else 0.0
            assert plan.measures[RUNNING] == pytest.approx(running)
            rewards.append(episode.mean_reward)
            xi = asked + asked * episode.mean_reward / 2
            slot += slot * growth
            used += episode.interactions[0]
        assert budget <= used < budget + episode.interactions[0]
        assert used == anytime.expected_interactions(world)
        assert sitting.score == pytest.approx(sum(rewards) / len(rewards))

    follows()


def slots(anytime: Anytime) -> list[float]:
    """Of a chain in which nobody is late, in interactions or in seconds."""
    sitting = anytime.sitting(LadderWorld(), 1)
    lengths = []
    try:
        plan = next(sitting)
        while True:
            lengths.append(plan.interactions or plan.seconds or 0.0)
            made = plan.interactions or 1
            plan = sitting.send(Episode((0.0,), (made,), (0,), seconds=(plan.seconds or 0.0,)))
    except StopIteration:
        return lengths


firsts = st.one_of(st.integers(1, 4000).map(float), st.floats(1.0, 4000.0))
growths = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.0, 10.0))


@settings(max_examples=examples(25, 500), deadline=None)
@given(budgets, firsts, growths)
def test_a_chain_takes_its_budget_exactly_and_no_slot_is_shorter_than_the_one_before(
    budget: int, first: float, growth: float
) -> None:
    lengths = slots(Anytime(interactions=budget, first=first, growth=growth))
    assert sum(lengths) == budget
    assert all(one <= then for one, then in pairwise(lengths))
    if budget < first:
        assert lengths == [budget]


@settings(max_examples=examples(15, 300), deadline=None)
@given(st.floats(0.1, 500.0), st.floats(0.05, 500.0), st.floats(0.0, 10.0))
def test_in_seconds_too(budget: float, first: float, growth: float) -> None:
    lengths = slots(Anytime(seconds=budget, first=first, growth=growth))
    assert sum(lengths) == pytest.approx(budget, rel=1e-9)
    assert all(one <= then * (1 + 1e-9) for one, then in pairwise(lengths))
    if budget < first:
        assert lengths == [budget]


def test_the_last_slot_takes_what_would_be_less_than_a_slot_more() -> None:
    assert slots(Anytime(interactions=100)) == [10, 15, 22, 53]
    assert slots(Anytime(interactions=100, overrun=True)) == [10, 15, 22, 33, 50]
    assert slots(Anytime(interactions=80)) == [10, 15, 22, 33]
    sitting = chain(Anytime(interactions=1000), 5)
    assert sum(episode.interactions[0] for _, episode in path(sitting)) == 1000


def test_what_late_answers_take_of_the_budget_the_last_slot_does_not_have() -> None:
    player = Ticking([Climber(99)], 7.0)
    anytime = Anytime(seconds=20.0, first=4.0, growth=0.0, memory="continuous")
    sitting = sit(anytime, LadderWorld(), player, 1, 2)
    assert [plan.seconds for plan, _ in sitting.episodes] == [4.0, 4.0, 6.0]


def test_complexity_is_kept_to_what_the_world_has_and_the_path_tells() -> None:
    told = [
        (plan.measures[WANTED], plan.measures[USED])
        for plan, _ in path(chain(Anytime(interactions=10_000), 99, LadderWorld(5, 20)))
    ]
    assert told[0] == (1.0, 5.0)
    assert told[-1][1] == 20.0 < told[-1][0]


def test_a_complexity_that_no_environment_has_is_raised_by_one() -> None:
    sitting = chain(Anytime(interactions=10_000), 12, LadderWorld(absent=(5, 6, 7, 8)))
    for plan, _ in path(sitting):
        assert plan.measures[USED] - plan.measures[WANTED] in (0.0, 1.0, 2.0, 3.0, 4.0)
    assert any(plan.measures[USED] > plan.measures[WANTED] for plan, _ in path(sitting))


@settings(max_examples=examples(5, 10))
@given(st.integers(1, 4), levels)
def test_nothing_is_used_twice_as_long_as_there_is_anything_else(each: int, level: int) -> None:
    world = LadderWorld(1, 6, each=each)
    sitting = chain(Anytime(interactions=30, first=1, growth=0.0), level, world)
    met = [plan.description for plan, _ in path(sitting)]
    # Rungs above the level that all are wrong on are met only when those below are used up.
    assert len(set(met)) >= min(len(met), each)
    for first, then in pairwise(range(len(met))):
        if met[then] in met[: first + 1]:
            assert len(set(met[: first + 1])) >= each


def test_a_small_world_comes_to_no_end() -> None:
    sitting = chain(Anytime(interactions=200, first=2, growth=0.0), 3, LadderWorld(1, 2, each=1))
    assert len(sitting.episodes) == 100


def test_better_subjects_get_higher_and_score_higher() -> None:
    scores = [chain(Anytime(interactions=5000, first=2), level).score for level in (0, 3, 30)]
    assert scores == sorted(scores)
    assert scores[0] < 0 < scores[2] == 1.0


def test_the_fast_approach_is_at_the_level_of_a_subject_sooner() -> None:
    """In a world of many levels, as in the maze of section 7.1; both get to where rewards turn."""

    def environments(approach: Any) -> int:
        sitting = chain(
            Anytime(interactions=5000, first=2, approach=approach), 600, LadderWorld(1, 5000)
        )
        xis = [plan.measures[USED] for plan, _ in path(sitting)]
        assert 250 <= xis[-1] <= 1300
        return next(i for i, xi in enumerate(xis) if xi > 500)

    assert environments("fast") <= 3
    assert environments("printed") >= 12


def test_an_environment_without_time_to_act_is_not_counted_unless_it_is_to_be() -> None:
    """The first slots are shorter than the subject takes for an action."""

    def score(idle: Any, **options: Any) -> tuple[float, int]:
        anytime = Anytime(seconds=30.0, first=0.1, memory="continuous", idle=idle, average="plain")
        player = Ticking([Climber(99)], 1.0)
        sitting = sit(anytime, LadderWorld(), player, 1, 2)
        idles = sum(not any(episode.interactions) for _, episode in sitting.episodes)
        return sitting.score, idles

    assert score("skip") == (1.0, 6)
    counted, idles = score("count")
    assert idles == 6
    assert 0.0 < counted < 1.0


def test_a_subject_that_never_answers_has_a_score_of_nothing() -> None:
    class Silent(Climber):
        def act(self, observation: float, reward: float) -> int:
            player.now += 1e6
            return 1

    player = Ticking([Silent(9)], 1.0)
    sitting = sit(Anytime(seconds=5.0, first=1.0, memory="continuous"), LadderWorld(), player, 1, 2)
    assert (sitting.score, len(sitting.episodes)) == (0.0, 1)


def test_time_beyond_a_slot_is_taken_from_the_budget() -> None:
    player = Ticking([Climber(99)], 3.0)
    anytime = Anytime(seconds=20.0, first=1.0, growth=0.0, memory="continuous")
    sitting = sit(anytime, LadderWorld(), player, 1, 2)
    assert len(sitting.episodes) == 7


def test_it_can_be_stopped_at_any_moment_with_a_score() -> None:
    stop = Event()
    played: list[float] = []

    def after(plan: Plan, episode: Episode) -> None:
        played.append(episode.mean_reward)
        if len(played) == 4:
            stop.set()

    sitting = chain(Anytime(interactions=10**9), 2, after=after, stop=stop)
    assert sitting.stopped
    assert sitting.score == pytest.approx(sum(played) / 4)


def test_who_is_stopped_in_the_first_environment_has_no_score() -> None:
    stop = Event()
    stop.set()
    with pytest.raises(Stopped):
        chain(Anytime(), 2, stop=stop)


def test_the_memory_of_a_subject_goes_on_or_starts_anew() -> None:
    made: list[Climber] = []

    def make() -> Climber:
        made.append(Climber(3))
        return made[-1]

    for memory in ("fresh", "continuous"):
        made.clear()
        anytime = Anytime(interactions=200, memory=memory)  # type: ignore[arg-type]
        sitting = sit(anytime, LadderWorld(), Renewed(InProcess("c", make), 1), 1, 2)
        assert len(made) == (len(sitting.episodes) if memory == "fresh" else 1)


def test_in_seconds_nothing_is_gained_by_stopping_while_one_is_ahead() -> None:
    """A chain of the default test, whose subject tosses coins and does nothing more once it has gained."""

    def score(policy: Any, **given: Any) -> float:
        chains = []
        for item in range(6):
            gambler = Gambler(policy)
            gambler.clock = Ticking([gambler], 0.001)
            anytime = Anytime(seconds=2.0, first=0.02, memory="continuous", **given)
            chains.append(sit(anytime, CoinWorld(), gambler.clock, item, 2).score)
        return sum(chains) / len(chains)

    assert score(stop_when_ahead, average="plain") > 0.3  # the exploit
    assert score(stop_when_ahead) < 0.1
    assert abs(score(lambda *_: 0.0)) < 0.15


def test_time_in_seconds_is_averaged_with_diminishing_history_unless_one_says_otherwise() -> None:
    assert Anytime(seconds=1.0).average == "diminishing"
    assert Anytime(pace="person").average == "diminishing"
    assert Anytime(pace="agent").average == "diminishing"
    assert Anytime(interactions=10).average == "plain"
    assert Anytime(pace="person", interactions=50).average == "plain"
    assert Anytime(seconds=1.0, average="plain").average == "plain"


def test_a_pace_gives_what_is_not_given() -> None:
    person = Anytime(pace="person")
    assert (person.seconds, person.interactions, person.first, person.memory) == (
        1200.0,
        None,
        5.0,
        "continuous",
    )
    assert Anytime(pace="person", interactions=50).first == 5
    assert Anytime(seconds=60).first == 0.001
    assert replace(person) == person
    assert set(PACES) == {"person", "agent", "compiled"}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"interactions": 0}, "The budget is 0 interactions; it is a whole number from 1 on"),
        ({"seconds": 0.0}, "The budget is 0.0 seconds; it is a number above 0"),
        ({"seconds": 1.0, "interactions": 1}, "in interactions .1. and in seconds .1.0.; one"),
        ({"pace": "slow"}, "pace is 'slow'; it is 'person' or 'agent' or 'compiled'"),
        ({"first": 0.5}, "The first slot is 0.5 interactions; it is 1 or more"),
        ({"seconds": 1.0, "first": -1.0}, "The first slot is -1.0 seconds; it is a number above 0"),
        ({"growth": -1.0}, "growth is -1.0; it is a number from 0 to 10"),
        ({"sittings": 0}, "sittings is 0; it is a whole number from 1 on"),
        ({"approach": "slow"}, "approach is 'slow'; it is 'printed' or 'fast'"),
    ],
)
def test_what_makes_no_test_gets_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Anytime(**wrong)


@pytest.mark.parametrize("memory", ["fresh", "continuous"])
@pytest.mark.parametrize(
    ("world", "name"),
    [
        (Lambda(horizon=30), "q-learning"),
        pytest.param(Lambda(horizon=30), "planner", marks=pytest.mark.thorough),
        (LambdaStar(horizon=20, subjects=2), "shared-q-learning"),
    ],
    ids=["q-learning", "planner", "collective"],
)
def test_virtual_time_gives_the_same_bits_each_time_and_through_both_doors(
    world: Any, name: str, memory: Any
) -> None:
    anytime = Anytime(interactions=500, memory=memory, average="diminishing")
    subject = resolve(name, world)
    host = world.hosting(subject)

    def bits(compiled: bool) -> list[Any]:
        player = Renewed(subject, world.subjects)
        door = None
        if compiled:
            door = lambda plan, seed: host.play_compiled(subject, plan, seed, player.player)  # noqa: E731
        sitting = sit(anytime, host, player, 5, 6, compiled=door)
        return [
            sitting.score,
            *((p.key, e.rewards, e.interactions, e.measures) for p, e in sitting.episodes),
        ]

    assert bits(compiled=True) == bits(compiled=True) == bits(compiled=False)


def test_a_run_keeps_the_path_of_every_chain() -> None:
    """Complexity wanted and got, slot, reward and running score stand in the records, in order."""
    from mensura.studies.desk import Job
    from mensura.studies.runner import parameters_of

    world = Lambda(horizon=30)
    anytime = Anytime(interactions=500, sittings=2)
    result = run(world, [resolve("q-learning", world)], anytime, 3)
    assert result.subjects[0].moments.count == 2
    assert parameters_of(anytime)["first"] == 10.0

    class Keeping:
        batches: list[Any] = []  # noqa: RUF012

        def counted(self, cell: Any, batch: Any) -> None:
            self.batches.append(batch)

        def died(self, cell: Any, job: Job, death: str) -> None:
            raise AssertionError(death)

        def stepped(self, cell: Any, step: Any) -> None:
            pass

    keeping = Keeping()
    run(world, [resolve("q-learning", world)], anytime, 3, watcher=keeping)
    (batch,) = [b for b in keeping.batches if len(b)][:1]
    measured: dict[tuple[int, int], dict[str, float]] = {}
    for row in batch.measures:
        measured.setdefault((row.item, row.sequence), {})[row.name] = row.value
    rewards: dict[int, list[float]] = {}
    for item, sequence, complexity, reward, interactions in zip(
        batch.episodes.item.tolist(),
        batch.episodes.sequence.tolist(),
        batch.episodes.complexity.tolist(),
        batch.episodes.reward.tolist(),
        batch.episodes.interactions.tolist(),
        strict=True,
    ):
        told = measured[item, sequence]
        assert told[USED] - 1 <= complexity <= told[USED]
        assert told["slot"] == told["elapsed"] == interactions
        before = rewards.setdefault(item, [])
        assert told[RUNNING] == pytest.approx(sum(before) / len(before) if before else 0.0)
        before.append(reward)
    for item, score in zip(batch.item.tolist(), batch.score.tolist(), strict=True):
        assert score == pytest.approx(sum(rewards[item]) / len(rewards[item]))


def test_agents_in_this_process_are_assessed_in_physical_time() -> None:
    subject = InProcess("climber", lambda: Climber(4))
    result = run(LadderWorld(), [subject], Anytime(pace="agent", seconds=0.05, sittings=2), 3)
    assert -1.0 <= result.subjects[0].moments.mean <= 1.0
    assert result.subjects[0].moments.count == 2


def test_ctrl_c_leaves_the_score_of_what_was_played() -> None:
    """Also that of the chain under way, which says that it was stopped."""
    # Whatever ran before in this process may have left Ctrl-C to somebody else.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _ctrl_c_leaves_the_score()
    finally:
        signal.signal(signal.SIGINT, before)


def _ctrl_c_leaves_the_score() -> None:

    class Interrupting(Climber):
        acts = 0

        def act(self, observation: float, reward: float) -> int:
            Interrupting.acts += 1
            if Interrupting.acts == 3000:
                _thread.interrupt_main()
            return super().act(observation, reward)

    batches: list[Any] = []

    class Keeping:
        def counted(self, cell: Any, batch: Any) -> None:
            batches.append(batch)

        def died(self, cell: Any, job: Any, death: str) -> None:
            raise AssertionError(death)

        def stepped(self, cell: Any, step: Any) -> None:
            pass

    subject = InProcess("climber", lambda: Interrupting(4))
    anytime = Anytime(interactions=10**9, sittings=1)
    result = run(LadderWorld(), [subject], anytime, 3, watcher=Keeping())
    assert result.subjects[0].moments.count == 1
    (batch,) = batches
    assert batch.score[0] == pytest.approx(batch.episodes.reward.mean())
    assert [row.sequence for row in batch.measures if row.name == "stopped"] == [
        batch.episodes.sequence[-1]
    ]


def test_a_player_that_cannot_forget_is_told_so() -> None:
    with pytest.raises(MensuraError, match="memory: continuous"):
        sit(Anytime(interactions=100), LadderWorld(), Agents([Climber(3)]), 1, 2)
