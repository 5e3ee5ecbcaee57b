"""The learners learn, explore when they should, and do the same again with the same seed."""

from typing import Any

import numpy as np
import pytest
from tests.agent.learners.worlds import Bandit, Chain, episodes, generator, play, task

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.learners import Linear, QLearning, Sarsa
from mensura.agent.random import RandomAgent
from mensura.agent.spaces import Box, Discrete, Record
from mensura.testing.agents import check_subject
from mensura.worlds.framotec.subjects.agents import member
from mensura.worlds.framotec.subjects.learners import Sarsa as SarsaOfFramotec
from mensura.worlds.lambda_class.world import Lambda

pytestmark = pytest.mark.quick

LEARNERS = [QLearning, Sarsa, Linear]
all_learners = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.name)


@all_learners
def test_it_learns_which_action_pays_in_which_context(kind: Any) -> None:
    agent = kind(epsilon=0.1)
    play(agent, Bandit(), 40, seed=1, learning=True)
    assert play(agent, Bandit(), 10, seed=2) > 0.9
    assert play(RandomAgent(), Bandit(), 10, seed=2) < 0.4


@all_learners
def test_it_learns_to_pay_for_what_comes_later(kind: Any) -> None:
    agent = kind()
    play(agent, Chain(), 10, seed=1, learning=True)
    assert play(agent, Chain(), 10, seed=2) > 0.9
    assert play(RandomAgent(), Chain(), 10, seed=2) < 0.4


class Trap:
    """To stay pays a little; to leave ends it all, at once or after ten interactions."""

    observation = Discrete(2)
    action = Discrete(2)

    def reset(self, rng: np.random.Generator) -> int:
        self._left = 10
        return 0

    def step(self, action: int) -> tuple[int, float, str | None]:
        self._left -= 1
        if action == 1:
            return 1, 0.0, "terminated"
        return 0, 0.1, None if self._left else "truncated"


@all_learners
def test_it_hopes_for_nothing_after_an_end(kind: Any) -> None:
    agent = kind()
    play(agent, Trap(), 60, seed=1, learning=True)
    assert play(agent, Trap(), 5, seed=2) == pytest.approx(0.1)


@all_learners
def test_an_end_at_the_horizon_is_only_the_end_of_time(kind: Any) -> None:
    """Worlds whose episodes have a fixed length say that they have terminated, too."""
    values = []
    for horizon in (1, 2):
        agent = kind(alpha=1.0, gamma=0.5, q0=1.0)
        agent.begin(task(Discrete(3), Discrete(1), horizon=horizon), generator(1))
        agent.act(0, 0.0)
        agent.end(0, 0.25, True)
        agent.begin(task(Discrete(3), Discrete(1), horizon=horizon), generator(1))
        agent.act(0, 0.0)
        values.append(agent._values(agent._last[0])[0])
    assert values[0] == pytest.approx(0.75)
    assert values[1] == pytest.approx(0.25)


@all_learners
def test_it_explores_in_training_and_not_when_assessed_after_it(kind: Any) -> None:
    agent = kind(epsilon=1.0)

    def chosen(learning: bool) -> set[int]:
        agent.begin(task(Discrete(1), Discrete(5), learning=learning), generator(3))
        actions = [agent.act(0, 0.0) for _ in range(60)]
        agent.end(0, 0.0, False)
        return set(actions[20:])

    def best(learning: bool) -> set[int]:
        agent.begin(task(Discrete(1), Discrete(5), learning=learning), generator(3))
        reward, actions = 0.0, []
        for _ in range(60):
            actions.append(agent.act(0, reward))
            reward = float(actions[-1] == 2)
        agent.end(0, reward, False)
        return set(actions[20:])

    assert chosen(learning=False) == {0, 1, 2, 3, 4}
    assert best(learning=True) == {0, 1, 2, 3, 4}
    assert best(learning=False) == {2}


@all_learners
def test_equal_seeds_give_equal_actions(kind: Any) -> None:
    def actions(seed: int) -> list[Any]:
        return [
            one.tolist()
            for one in episodes(
                kind(epsilon=0.2), Box(0.0, 1.0, (2,)), Box(-1.0, 1.0, (4,)), 4, seed
            )
        ]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)


@all_learners
def test_it_keeps_the_contract(kind: Any) -> None:
    assert check_subject(InProcess(kind.name, kind), Lambda(horizon=20)) == []


@all_learners
def test_other_spaces_are_learned_from_nothing(kind: Any) -> None:
    agent = kind()
    play(agent, Bandit(), 10, seed=1)
    play(agent, Chain(), 1, seed=1)
    fresh = kind()
    play(fresh, Chain(), 1, seed=1)
    assert play(agent, Chain(), 2, seed=5) == play(fresh, Chain(), 2, seed=5)


def test_what_is_held_of_an_action_belongs_to_the_state() -> None:
    agent = QLearning()
    agent.begin(task(Discrete(1), Box(-1.0, 1.0, (4,))), generator(1))
    for _ in range(20):
        agent.act(0, -1.0)
    assert len(agent._table) > 5


def test_linear_learns_of_earlier_actions_too_and_once_of_what_they_share() -> None:
    agent = Linear(alpha=1.0, gamma=0.5, trace=1.0, q0=0.0)

    def begin() -> float:
        agent.begin(task(Discrete(1), Discrete(1)), generator(1))
        agent.act(0, 0.0)
        return agent._values(agent._last[0])[0]

    begin()
    agent.act(0, 0.0)
    agent.end(0, 1.0, True)
    # Half of the error goes to the state, and half to it with the one before; of that, half to the action before.
    assert begin() == pytest.approx(0.5 + 0.25)


def test_sarsa_is_the_sarsa_of_framotec_where_all_numbers_are_whole() -> None:
    space = Record((("at", Box(0.0, 6.0)), ("near", Box(-2.0, 4.0))))
    given = {"alpha": 0.4, "gamma": 0.9, "epsilon": 0.1, "q0": 0.5}
    ours = Sarsa(**given)
    theirs = SarsaOfFramotec(member("sarsa", {**given, "bins": 6}))

    def actions(agent: Any) -> list[int]:
        rng = generator(5)
        done = []
        for number in range(6):
            agent.begin(task(space, Discrete(3)), generator(number))
            reward = 0.0
            for _ in range(50):
                seen = np.zeros((), space.dtype)
                seen["at"], seen["near"] = rng.integers(0, 7), rng.integers(-2, 5)
                done.append(agent.act(seen[()], reward))
                reward = float(rng.uniform(-1, 1)) + 0.5 * (done[-1] == seen["at"] % 3)
            agent.end(seen[()], reward, number % 2 == 0)
        return done

    assert actions(ours) == actions(theirs)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"alpha": 1.5}, "alpha of q-learning is 1.5; it must be a number from 0 to 1"),
        ({"alpha": "much"}, "alpha of q-learning is 'much'"),
        ({"gamma": float("nan")}, "gamma of q-learning is nan"),
        ({"bins": 2.5}, "bins of q-learning is 2.5; it must be a whole number from 1"),
        ({"training": True}, "training of q-learning is True"),
    ],
)
def test_a_parameter_out_of_bounds_is_refused_with_a_sentence(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        QLearning(**given)
