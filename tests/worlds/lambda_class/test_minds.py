"""The minds of Lambda, held step by step against plain readings of sections 4.6 and 5.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_class.spaces import draw_space

from mensura.agent.keys import Key, below, draw, fold, unit
from mensura.agent.task import Task
from mensura.worlds.lambda_class.behaviors import Attached, Pattern, Random
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.kernels import memory
from mensura.worlds.lambda_class.space import Space, ring
from mensura.worlds.lambda_class.world import Lambda

ANY, TIE, EXPLORE, COIN, THOUGHT = range(5)
"""The slots of a mind's draws."""

keys = st.integers(0, 2**64 - 1)
spaces = st.builds(lambda key, most: draw_space(key, cells=(2, most)), keys, st.integers(2, 6))


def described(space: Space, pattern: tuple[int, ...], **switches: Any) -> Description:
    moves = Pattern(tuple(a % space.actions for a in pattern))
    return Description(space=space, good_and_evil=moves, **switches)


def seat(world: Lambda, environment: Any, name: str, **parameters: Any) -> Any:
    """One agent at seat 0, which has begun with the key 7."""
    agent = world.group([(name, parameters, 1)]).sit(1).agents[0]
    spaces = environment.spaces(0)
    horizon = environment.horizon
    task = Task(world.id, environment.seats[0], 1, *spaces, horizon)
    agent.begin_with_key(task, 7)
    return agent


def interactions(
    d: Description, name: str, **parameters: Any
) -> Iterator[tuple[LambdaEnvironment, Any, Any, float, int]]:
    """Environment, agent, observation, reward and action in each interaction of one episode, then the last."""
    world = Lambda(**d.switches(), sieves=())
    environment = LambdaEnvironment(d)
    turn = environment.reset(3)
    agent = seat(world, environment, name, **parameters)
    while turn.ended is None:
        action = agent.act(turn.observations[0], turn.rewards[0])
        yield environment, agent, turn.observations[0], turn.rewards[0], action
        turn = environment.step([action])
    agent.end(turn.observations[0], turn.rewards[0], True)
    yield environment, agent, turn.observations[0], turn.rewards[0], -1


def first_actions(ways: list[int]) -> list[int]:
    """One action for each different cell, the first that leads there."""
    return [a for a, cell in enumerate(ways) if cell not in ways[:a]]


@given(spaces, st.lists(st.integers(0, 5), min_size=1, max_size=6), st.booleans())
@settings(max_examples=30)
def test_the_follower_does_what_section_5_2_says(
    space: Space, pattern: list[int], partial: bool
) -> None:
    seen = "partial" if partial else "full"
    d = described(space, tuple(pattern), horizon=30, observability=seen)
    for _, _, o, _, action in interactions(d, "follower"):
        if action >= 0:
            ways = [int(cell) for cell in o["ways"]]
            safe = [a for a in first_actions(ways) if ways[a] != o["evil"]]
            if o["good"] in ways:
                assert ways[action] == o["good"]
            elif safe:
                assert action == safe[below(draw(7, int(o["iteration"]), TIE), len(safe))]
            else:
                assert ways[action] == o["cell"]


@given(spaces, st.lists(st.integers(0, 5), min_size=1, max_size=6))
@settings(max_examples=30)
def test_the_oracle_does_what_section_5_2_says(space: Space, pattern: list[int]) -> None:
    d = described(space, tuple(pattern), horizon=30, future=(0,))
    for _, _, o, _, action in interactions(d, "oracle"):
        if action >= 0:
            ways = [int(cell) for cell in o["ways"]]
            cells = first_actions(ways)
            safe = [a for a in cells if ways[a] != o["next_evil"]] or cells
            if o["next_good"] in ways:
                assert ways[action] == o["next_good"]
            else:
                assert action == safe[below(draw(7, int(o["iteration"]), TIE), len(safe))]


@given(
    spaces,
    st.lists(st.integers(0, 5), min_size=1, max_size=6),
    st.fixed_dictionaries(
        {
            "consumed": st.sampled_from(["before", "after"]),
            "division": st.sampled_from([1, 1.5, 2, "infinity"]),
            "drops_on_subject": st.booleans(),
            "eaten": st.booleans(),
            "evil_drops": st.sampled_from([(1.0,), (0.25, 1.0, 0.5)]),
            "junk": st.integers(0, 3),
            "cycle": st.sampled_from(["none", "swap", "relocate"]),
            "cycle_length": st.just(7),
        }
    ),
)
@settings(max_examples=examples(15, 60))
def test_no_action_pays_more_than_the_oracles_unless_it_goes_with_good(
    space: Space, pattern: list[int], switches: dict[str, Any]
) -> None:
    """What each action would bring is tried out in copies of the environment."""
    d = described(space, tuple(pattern), horizon=25, future=(0,), rewards_seen=(0,), **switches)
    paid_by_good = d.consumed == "after" and d.drops_on_subject
    for environment, _, o, _, action in interactions(d, "oracle"):
        if action < 0 or o["next_good"] == o["next_evil"]:
            continue
        state = environment.snapshot()
        pays = []
        for a in range(space.actions):
            pays.append(environment.step([a]).rewards[0])
            environment.restore(state)
        if paid_by_good and o["next_good"] in o["ways"]:
            assert o["ways"][action] == o["next_good"]
        else:
            assert pays[action] == pytest.approx(max(pays), abs=1e-12)


class PlainLearner:
    """Temporal differences over a dictionary of states."""

    def __init__(self, kind: str, actions: int, p: dict[str, float]) -> None:
        self.kind, self.n, self.p = kind, actions, p
        self.values: dict[Any, list[list[float]]] = {}
        self.model: dict[Any, list[Any]] = {}
        self.history: list[Any] = []
        self.last: Any = None

    def of(self, state: Any, table: int = 0) -> list[float]:
        tables = self.values.get(state, [[self.p["q0"]] * self.n] * 2)
        return tables[table]

    def learn(self, state: Any, a: int, reward: float, ahead: float, table: int = 0) -> None:
        v = self.of(state, table)
        v[a] += self.p["alpha"] * (reward + self.p["offset"] + self.p["gamma"] * ahead - v[a])

    def choose(self, state: Any, t: int) -> int:
        if self.p["exploration"] > 0 and unit(draw(7, t, EXPLORE)) < self.p["exploration"]:
            return below(draw(7, t, ANY), self.n)
        other = 1 if self.kind == "double-q" else 0
        values = [x + y for x, y in zip(self.of(state), self.of(state, other), strict=True)]
        best = [a for a, v in enumerate(values) if v == max(values)]
        return best[below(draw(7, t, TIE), len(best))]

    def improve(self, state: Any, a: int | None, reward: float, t: int, end: bool = False) -> None:
        if self.last is None or self.last[0] not in self.values:
            return
        last, did = self.last
        if self.kind == "sarsa":
            self.learn(last, did, reward, self.p["q0"] if end else self.of(state)[a or 0])
        elif self.kind == "double-q":
            table = draw(7, t, COIN) & 1
            own = self.of(state, table)
            self.learn(last, did, reward, self.of(state, 1 - table)[own.index(max(own))], table)
        else:
            self.learn(last, did, reward, max(self.of(state)))
            if self.kind == "dyna-q" and not end:
                self.think(last, did, reward, state, t)

    def think(self, last: Any, did: int, reward: float, state: Any, t: int) -> None:
        mean, count, _ = self.model.get((last, did), (0.0, 0, None))
        self.model[last, did] = [mean + (reward - mean) / (count + 1), count + 1, state]
        pairs = list(self.model)
        for k in range(int(self.p["planning"])):
            one, a = pairs[below(draw(7, t, THOUGHT + k), len(pairs))]
            mean, _, to = self.model[one, a]
            self.learn(one, a, mean, max(self.of(to)))

    def act(self, o: Any, reward: float) -> int:
        seen = tuple(o[["good", "evil"]]), *map(tuple, (o["subjects"], o["objects"]))
        m = int(self.p["memory"])
        state = (seen, *self.history[:m])
        self.history = [seen, *self.history]
        if state not in self.values and len(self.values) < self.p["states"]:
            self.values[state] = [[self.p["q0"]] * self.n for _ in range(2)]
        t = int(o["iteration"])
        if self.kind == "sarsa":
            a = self.choose(state, t)
            self.improve(state, a, reward, t)
        else:
            self.improve(state, None, reward, t)
            a = self.choose(state, t)
        self.last = state, a
        return a


@given(
    st.sampled_from(["q-learning", "sarsa", "double-q", "dyna-q"]),
    st.sampled_from([{}, {"memory": 0}, {"exploration": 0.3, "memory": 1}, {"states": 5}]),
    spaces,
    st.lists(st.integers(0, 5), min_size=1, max_size=6),
)
@settings(max_examples=examples(16, 40))
def test_learners_learn_as_plain_tables_do(
    kind: str, given_: dict[str, float], space: Space, pattern: list[int]
) -> None:
    d = described(space, tuple(pattern), horizon=60, subjects=2, objects=(Random(),))
    world = Lambda(**d.switches(), sieves=())
    environment = LambdaEnvironment(d)
    turn = environment.reset(3)
    agent = seat(world, environment, kind, **given_)
    p = {**world.subject_parameters(kind), **given_}
    plain = PlainLearner(kind, space.actions, p)
    while turn.ended is None:
        action = agent.act(turn.observations[0], turn.rewards[0])
        assert action == plain.act(turn.observations[0], turn.rewards[0])
        turn = environment.step([action, 0])
    t = int(turn.observations[0]["iteration"])
    agent.end(turn.observations[0], turn.rewards[0], True)
    plain.improve(None, None, turn.rewards[0], t, end=True)
    learned = entries(agent)
    tables = 2 if kind == "double-q" else 1
    wanted = [[v for table in plain.values[s][:tables] for v in table] for s in plain.values]
    assert len(learned) == len(wanted) <= p["states"]
    assert learned[:, 1 : 1 + tables * space.actions].tolist() == wanted


def entries(agent: Any) -> np.ndarray:
    """The table of a learner, one state after another."""
    row = agent.row
    first, width = row[memory.AT_ENTRIES], row[memory.WIDTH]
    return row[first : first + row[memory.USED] * width].view(np.float64).reshape(-1, width)


def test_q_learning_is_that_of_the_thesis() -> None:
    """One update by hand: from 2 towards 1 + 1 + 0.35 * 2, a twentieth of the way."""
    still = Description(space=ring(4), good_and_evil=Pattern((0,)), starts=(0, 2, 0), horizon=1)
    *_, (_, agent, _, reward, _) = interactions(still, "q-learning")
    paid = reward + 1 + 0.35 * 2
    (values,) = entries(agent)[:, 1:].tolist()
    assert sorted(values) == sorted([2.0, 2.0, 2 + 0.05 * (paid - 2)])


def test_a_full_table_learns_no_more_states() -> None:
    d = described(ring(6), (1, 1, 2), horizon=300)
    *_, (_, agent, *_) = interactions(d, "q-learning", states=4)
    assert len(entries(agent)) == 4
    *_, (_, agent, *_) = interactions(d, "q-learning")
    assert len(entries(agent)) > 4


def test_the_table_is_kept_over_the_episodes_of_a_sitting_and_grows() -> None:
    d = described(ring(6), (1, 1, 2), horizon=20)
    world = Lambda(horizon=20)
    environment = LambdaEnvironment(d)
    agent = seat(world, environment, "q-learning")
    counts = []
    for episode in range(12):
        task = Task(world.id, environment.seats[0], 1, *environment.spaces(0), 20)
        agent.begin_with_key(task, fold(7, episode))
        turn = environment.reset(fold(3, episode))
        while turn.ended is None:
            turn = environment.step([agent.act(turn.observations[0], turn.rewards[0])])
        counts.append(len(entries(agent)))
    assert counts == sorted(counts)
    assert counts[-1] > 2 * counts[0]


@given(st.integers(3, 6), st.lists(st.integers(0, 2), min_size=2, max_size=7), keys)
@settings(max_examples=examples(8, 20))
def test_the_planner_comes_to_predict_a_pattern(cells: int, pattern: list[int], key: Key) -> None:
    """Around a ring nobody is ever blocked by another for good: from some time on all is foreseen."""
    assume(any(pattern))
    horizon = 400
    d = described(ring(cells), tuple(pattern), horizon=horizon)
    cells_seen, foreseen = [], []
    for _, agent, o, _, action in interactions(d, "planner", lookahead=3, depth=16):
        if action >= 0:
            cells_seen.append((int(o["good"]), int(o["evil"])))
            row = agent.row
            first = row[memory.AT_HISTORY] + row[memory.DEPTH]
            foreseen.append([divmod(int(s), cells + 1) for s in row[first : first + 3]])
    for t in range(horizon - 60, horizon - 3):
        assert foreseen[t] == cells_seen[t + 1 : t + 4]


def test_the_planner_waits_where_good_will_be() -> None:
    """Two steps ahead there is a reward for which it has to set out now."""
    d = described(ring(7), (1, 1, 1, 0, 2, 2, 2, 0), horizon=600)
    for name, least in (("planner", 0.9), ("follower", -0.1)):
        rewards = [reward for _, _, _, reward, _ in interactions(d, name)]
        assert np.mean(rewards[300:]) >= least


@pytest.mark.parametrize("behavior", [Random(), Attached()])
def test_the_planner_copes_with_what_it_cannot_see_or_foresee(behavior: Any) -> None:
    d = Description(space=ring(6), good_and_evil=behavior, horizon=200, observability="partial")
    assert all(0 <= action < 3 for *_, action in list(interactions(d, "planner"))[:-1])
