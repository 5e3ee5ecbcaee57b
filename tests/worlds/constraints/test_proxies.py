"""Proxies: who only picks values sits among algorithms, and everybody hears what they need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.agents.language_model.server import Server, completion
from tests.sizes import examples
from tests.worlds.constraints.small_problems import hard_problem, soft_problem

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.keys import fold, key
from mensura.core.loop import play
from mensura.core.mixed import Mixed
from mensura.core.players import drive
from mensura.studies.subjects import resolve
from mensura.testing import check_world
from mensura.worlds.constraints.agent_base.algorithm import Algorithm
from mensura.worlds.constraints.picking_sentences import described
from mensura.worlds.constraints.solving import environment_for
from mensura.worlds.constraints.truth import brute_force
from mensura.worlds.constraints.world import Constraints


@pytest.fixture
def nothing_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies and algorithms understand every letter of each other."""
    monkeypatch.setattr(Algorithm, "forgiving", False)


def coloring(**given: Any) -> Constraints:
    return Constraints(**{"family": "coloring", "nodes": 4, "links": 4, **given})


class Keeper:
    """Keeps its value as long as it is open, and takes the first that is otherwise."""

    def act(self, observation: Any, reward: float) -> int:
        value, values = observation["value"], list(observation["open"])
        return int(value if value in values else values[0])


class Restless:
    """Takes any value that is open, for some turns, and then keeps it."""

    def begin(self, task: Any, rng: np.random.Generator) -> None:
        self.rng, self.turns = rng, 0

    def act(self, observation: Any, reward: float) -> int:
        self.turns += 1
        value, values = observation["value"], list(observation["open"])
        if self.turns > 6 and value in values:
            return int(value)
        return int(values[int(self.rng.integers(len(values)))])


def played(
    world: Constraints, problem: Any, algorithm: str, kind: type, seats: tuple[int, ...], seed: int
) -> tuple[Any, Any]:
    """An episode in which pickers have some seats and an algorithm the others."""
    own = world.group([(algorithm, {}, 1)])
    picker = InProcess("picker", kind)
    count = len(problem.agents)
    parts = Mixed([(picker if seat in seats else own, 1) for seat in range(count)])
    environment = environment_for(problem, world)
    episode = drive(
        play(environment, fold(seed, 0), world=world.id, seed=key(seed, "subject")),
        parts.sit(count),
    )
    return environment, episode


@pytest.mark.usefixtures("nothing_is_forgiven")
@pytest.mark.parametrize("kind", [Keeper, Restless])
@pytest.mark.parametrize(
    ("algorithm", "proxy"),
    [("abt", "abt"), ("disdb", "abt"), ("abt-temporary", "abt"), ("awcs", "awcs")],
)
@pytest.mark.parametrize("delays", ["none", pytest.param("random", marks=pytest.mark.thorough)])
def test_a_picker_among_complete_agents_comes_to_the_right_verdict(
    algorithm: str, proxy: str, delays: Any, kind: type
) -> None:
    verdicts = set()
    for seed in range(examples(6, 12)):
        problem = hard_problem(seed)
        if problem.satisfaction is False:
            continue
        seats = (0,) if seed % 2 else (len(problem.agents) - 1, 0)
        proxies = tuple(f"{seat}:{proxy}" for seat in sorted(set(seats)))
        world = Constraints(
            delays=delays, horizon=400, proxies=proxies, proof=0.0, letters=1000, longest=100_000
        )
        environment, episode = played(world, problem, algorithm, kind, seats, seed)
        truth = brute_force(problem)
        assert not episode.faults
        if truth.status == "unsatisfiable":
            assert environment.state.claimed, seed
        else:
            assert episode.measures["solved"] == 1.0, seed
        verdicts.add(truth.status)
    assert len(verdicts) == 2


@pytest.mark.usefixtures("nothing_is_forgiven")
@pytest.mark.parametrize(("algorithm", "proxy"), [("dsa", "values"), ("mgm", "gains")])
@pytest.mark.parametrize("delays", ["none", "random"])
def test_agents_in_rounds_go_on_with_a_picker_among_them(
    algorithm: str, proxy: str, delays: Any
) -> None:
    for seed in range(4):
        problem = soft_problem(seed)
        world = Constraints(delays=delays, horizon=20, proxies=(f"0:{proxy}",), proof=0.0)
        environment, episode = played(world, problem, algorithm, Restless, (0,), seed)
        assert not episode.faults
        if problem.neighbors_of[0]:
            assert environment.state.acted[0] >= 10
            told = environment.state.proxies[0]["view"]
            assert set(told) == set(problem.neighbors_of[0])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "proxies", [("0:values",), ("0:abt", "2:abt"), ("1:awcs",), ("0:gains", "1:gains")]
)
def test_a_world_with_proxies_keeps_the_contract(proxies: tuple[str, ...]) -> None:
    world = coloring(horizon=5, letters=8, longest=60, proxies=proxies)
    assert check_world(world, episodes=1) == []


def test_a_value_that_is_not_open_is_no_action() -> None:
    world = coloring(family="queens", nodes=None, links=None, n=4, proxies=("1:abt",), horizon=9)
    environment = world.build(world.sample(1))
    environment.reset(2)
    own = [environment.default(seat) for seat in range(4)]
    own[0] = {"value": {"x0": 1}, "mail": ["1 ok? 1"]}
    turn = environment.step(own, [0.0] * 4)
    assert list(turn.observations[1]["open"]) == [3]
    assert [environment.legal(1, value) for value in range(4)] == [False, False, False, True]
    assert environment.default(1) == 3


def test_proxies_that_cannot_be_are_refused_in_a_sentence() -> None:
    for given, said in (
        (("0",), "a seat and who speaks for it"),
        (("0:dpop",), "nobody speaks 'dpop'"),
        (("0:abt", "0:awcs"), "names seat 0 twice"),
        (("none", "0:abt"), "a seat and who speaks for it"),
    ):
        with pytest.raises(MensuraError, match=said):
            Constraints(proxies=given)
    people = "mensura.agents.person:Person*2"
    world = coloring()
    with pytest.raises(MensuraError, match="Nobody can speak for people among dpop"):
        world.hosting(resolve(f"{people}+dpop*2", world))


def test_people_have_the_proxy_that_those_around_them_need() -> None:
    world = coloring()
    people = "mensura.agents.person:Person"
    for address, proxy in (
        (f"{people}*2+awcs*2", "awcs"),
        (f"{people}*2+dsa*1+greedy", "values"),
        (f"{people}*2+abt+random", "abt"),
        (f"{people}*2+mgm*2", "gains"),
    ):
        host = world.hosting(resolve(address, world))
        assert host.proxies == (f"0:{proxy}", f"1:{proxy}")
    assert world.hosting(resolve(f"{people}*4", world)).proxies[3] == "3:values"
    named = coloring(proxies=("none",))
    assert named.hosting(resolve(f"{people}*2+awcs*2", named)).proxies == ("none",)


def test_tables_are_told_in_words_that_are_true_of_them() -> None:
    """Whatever the words say, they allow exactly what the table does."""
    rng = np.random.default_rng(1)
    same = np.eye(4, dtype=bool)
    apart = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    for bad, said in (
        (same, "your numbers must differ"),
        (~same, "your numbers must be the same"),
        (apart < 2, "your numbers must be at least 2 apart"),
        ((apart == 0) | (apart == 2), "your numbers must differ, and not by 2"),
        (np.zeros((4, 4), bool), "nothing is forbidden"),
    ):
        assert described(np.where(bad, np.inf, 0.0), 1) == said
    for _ in range(20):
        bad = rng.random((3, 4)) < 0.4
        told = described(np.where(bad, np.inf, 0.0), 1)
        pairs = {
            (int(part.split()[1]), int(one))
            for part in told.split("; ")
            if part.startswith("not ")
            for one in part.partition("with its ")[2].split(", ")
        }
        assert pairs == set(zip(*np.nonzero(bad), strict=True))


# Language models ------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    with Server().running() as running:
        yield running


def last_open(request: dict[str, Any]) -> dict[str, Any]:
    """A model that reads what is open and takes the last."""
    said = str(request["messages"][-1]["content"])
    numbers = [line.split()[2].rstrip(":") for line in said.splitlines() if line[:9] == "- number "]
    return completion(calls=[("act", json.dumps({"action": int(numbers[-1]) if numbers else 0}))])


@pytest.mark.parametrize("algorithm", ["dsa", "abt"])
def test_a_language_model_among_algorithms_only_picks_values(
    server: Server, algorithm: str
) -> None:
    server.answerer = last_open
    world = coloring(horizon=4)
    address = f"openai:m?base_url={server.url}&retries=0+{algorithm}*3"
    subject = resolve(address, world)
    host = world.hosting(subject)
    assert host.proxies == (f"0:{'values' if algorithm == 'dsa' else 'abt'}",)
    environment = host.build(host.sample(3))
    episode = drive(play(environment, 5, world=host.id, seed=7), subject.sit(4))
    assert not episode.faults
    asked = [one for one in server.requests if one.get("tools")]
    schema = asked[-1]["tools"][0]["function"]["parameters"]["properties"]["action"]
    assert schema["type"] == "integer"
    assert "These values are open:" in str(asked[-1]["messages"])
    assert environment.state.kinds["round" if algorithm == "dsa" else "ok?"] > 3


def test_language_models_alone_write_letters_themselves(server: Server) -> None:
    world = coloring()
    for address in (f"openai:m?base_url={server.url}", f"openai:m?base_url={server.url}+dpop*3"):
        assert world.hosting(resolve(address, world)).proxies == ()
