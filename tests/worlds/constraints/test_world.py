"""The world: its letters, its time, its score, and that nobody can know more than its seat is shown."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.worlds.constraints.small_problems import hard_problem, soft_problem

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.keys import fold
from mensura.core.budgets import BUDGETS
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.testing import check_subject, check_world
from mensura.worlds.constraints.agent_base.letters import CLAIM
from mensura.worlds.constraints.mail import delay, letter
from mensura.worlds.constraints.scoring import yardstick
from mensura.worlds.constraints.solving import environment_for, solve
from mensura.worlds.constraints.truth import brute_force
from mensura.worlds.constraints.world import Constraints
from mensura.worlds.kit import StepEnvironment


def small(**given: Any) -> Constraints:
    return Constraints(**{"family": "coloring", "nodes": 4, "links": 4, "horizon": 6, **given})


def begun(world: Constraints, problem: Any = None) -> Any:
    environment = (
        world.build(world.sample(3)) if problem is None else environment_for(problem, world)
    )
    environment.reset(5)
    return environment


def said(environment: Any, **mail: list[str]) -> list[Any]:
    """The default of every seat that is due, with these letters."""
    actions = []
    for seat in environment._due:
        action = environment.default(seat)
        actions.append({**action, "mail": mail.get(f"a{seat}", [])})
    return actions


def step(environment: Any, **mail: list[str]) -> Any:
    actions = said(environment, **mail)
    return environment.step(actions, [0.0] * len(actions))


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({}, marks=pytest.mark.thorough),
        {"delays": "random", "loss": 0.2, "read": "one", "order": "degree"},
    ],
)
def test_it_keeps_the_contract(given: dict[str, Any]) -> None:
    assert check_world(small(letters=8, longest=60, **given), episodes=2) == []


def test_what_a_seat_may_know_is_told_once() -> None:
    environment = begun(small())
    turn = environment.restore(environment.snapshot())
    told = json.loads(turn.observations[1]["problem"])
    assert told["seat"] == 1
    assert set(map(str, environment.rules.problem(environment.description).neighbors_of[1])) == set(
        told["neighbors"]
    )
    turn = step(environment, a0=[f"{told['seat']} hello"] if "0" in told["neighbors"] else [])
    assert all(one["problem"] == "" for one in turn.observations)


def test_a_seat_is_shown_nothing_of_what_it_may_not_know() -> None:
    """Changing constraints and values elsewhere leaves what it is shown as it is, to the byte."""
    problem = hard_problem(11)
    environment = begun(small(), problem)
    shown = [
        repr(environment.rules.observe(environment.state, s)) for s in range(len(problem.agents))
    ]
    for seat in range(len(problem.agents)):
        for agent in range(len(problem.agents)):
            if agent != seat:
                environment.state.values[agent] ^= 1
        assert repr(environment.rules.observe(environment.state, seat)) == shown[seat]
        environment.reset(5)


def test_letters_arrive_in_the_next_cycle_with_the_number_of_the_sender() -> None:
    environment = begun(Constraints(n=4))
    turn = step(environment, a0=["2 hello 1 2", "2 hello 3"], a3=["2 value 1"])
    assert turn.observations[2]["mail"] == ["0 hello 1 2", "0 hello 3", "3 value 1"]
    assert turn.observations[1]["mail"] == []
    figures = environment.measures()
    assert (figures["messages"], figures["numbers"]) == (3, 4)


def test_a_letter_to_a_stranger_is_illegal_until_a_letter_names_it() -> None:
    problem = hard_problem(3)
    far = [
        (a, b)
        for a in range(len(problem.agents))
        for b in range(len(problem.agents))
        if b > a + 1 and b not in problem.neighbors_of[a]
    ]
    a, b = far[0]
    between = next(iter(problem.neighbors_of[a]))
    environment = begun(small(horizon=20), problem)
    value = environment.default(a)["value"]
    assert not environment.legal(a, {"value": value, "mail": [f"{b} hello"]})
    assert environment.legal(a, {"value": value, "mail": [f"{between} hello", "what is no letter"]})
    step(environment, **{f"a{between}": [f"{a} tell #{b}=1"]})
    assert environment.legal(a, {"value": value, "mail": [f"{b} hello"]})
    turn = step(environment, **{f"a{a}": [f"{b} hello"]})
    assert turn.observations[b]["mail"] == [f"{a} hello"]
    assert environment.legal(b, {"value": environment.default(b)["value"], "mail": [f"{a} hello"]})


@pytest.mark.parametrize("kind", ["fixed", "random", "heavy-tailed"])
def test_channels_keep_the_order_of_letters(kind: Any) -> None:
    environment = begun(Constraints(n=4, delays=kind, horizon=200))
    turn = step(environment, a0=[f"1 hello {i}" for i in range(40)], a2=["3 hello"])
    heard: list[str] = []
    while turn.ended is None:
        for seat, seen in zip(turn.due, turn.observations, strict=True):
            assert seen["mail"]
            heard += seen["mail"] if seat == 1 else []
        turn = step(environment)
    assert heard == [f"0 hello {i}" for i in range(40)]
    assert len({delay(kind, 10, 7, i) for i in range(50)}) > (0 if kind == "fixed" else 3)


def test_one_letter_a_turn_is_read_where_that_is_asked_for() -> None:
    environment = begun(Constraints(n=4, read="one"))
    turn = step(environment, a0=["1 hello 0", "1 hello 1"])
    assert turn.observations[1]["mail"] == ["0 hello 0"]
    assert step(environment).observations[1]["mail"] == ["0 hello 1"]
    assert step(environment).ended == "terminated"


def test_lost_letters_are_counted_and_do_not_arrive() -> None:
    environment = begun(Constraints(n=4, loss=0.5))
    turn = step(environment, a0=[f"1 hello {i}" for i in range(40)])
    figures = environment.measures()
    assert 5 < figures["undelivered"] == 40 - len(turn.observations[1]["mail"]) < 35


def test_a_snapshot_holds_the_letters_under_way() -> None:
    environment = begun(Constraints(n=4, delays="random", horizon=50))
    step(environment, a0=["1 a #3", "2 b"], a3=["1 c"])
    state = environment.snapshot()
    twin = begun(Constraints(n=4, delays="random", horizon=50))
    assert repr(twin.restore(state)) == repr(environment.restore(state))
    assert repr(step(twin)) == repr(step(environment))


def test_the_largest_counter_of_checks_travels_with_letters() -> None:
    environment = begun(Constraints(n=4))
    step(environment, a0=["checks 10", "1 hello"], a1=["checks 3", "2 hello"], a2=["checks 50"])
    step(environment, a1=["checks 5", "3 hello"])
    step(environment, a3=["checks 1"])
    figures = environment.measures()
    assert figures["checks"] == 69
    assert figures["nccc"] == 50
    assert environment.state.nccc == [10, 15, 50, 16]


@pytest.mark.parametrize(("line", "read"), [
    ("3 ok? 2", (3, "ok?", "ok? 2")), ("3 ok?", (3, "ok?", "ok?")), ("3", None), ("ok? 2", None), ("-1 ok?", None),
    ("3 OK", None), ("", None), ("\N{SUPERSCRIPT TWO} ok?", None), ("9999999999 ok?", None),
])  # fmt: skip
def test_only_letters_are_letters(line: str, read: Any) -> None:
    assert letter(line) == read


# The score ------------------------------------------------------------------------------


def test_quality_is_1_at_the_optimum_and_0_on_average() -> None:
    for seed in range(12):
        problem = soft_problem(seed)
        known = yardstick(problem)
        truth = brute_force(problem)
        if truth.value is None:
            continue
        assert known.proven
        assert known.quality(truth.value) == (1.0 if known.expected != known.optimum else 0.0)
        assert known.quality(known.expected) == 0.0
        assert -1.0 <= known.quality(known.expected + 1e9) <= 0.0


def test_claims_are_scored() -> None:
    outcomes = set()
    for seed in range(12):
        problem = hard_problem(seed)
        environment = begun(small(), problem)
        turn = step(environment, a0=[CLAIM])
        right = brute_force(problem).status == "unsatisfiable"
        assert turn.ended == "terminated"
        assert set(turn.rewards) == {1.0 if right else -1.0}
        assert environment.measures()["claim"] == (1.0 if right else -1.0)
        outcomes.add(right)
    assert outcomes == {True, False}


def test_the_reward_is_the_quality_averaged_since_a_seats_last_turn() -> None:
    world = small(delays="random", horizon=60)
    environment: Any = begun(world)
    qualities: list[float] = []
    last = dict.fromkeys(range(4), 0)
    rng = np.random.default_rng(0)
    for _ in range(40):
        due = environment._due
        actions = []
        for seat in due:
            last[seat] = len(qualities)
            to = world.problem(environment.description).neighbors_of[seat]
            mail = [f"{one} hello" for one in to if rng.random() < 0.8]
            name = next(iter(environment.default(seat)["value"]))
            actions.append({"value": {name: int(rng.integers(3))}, "mail": mail})
        turn = environment.step(actions, [0.0] * len(actions))
        qualities.append(environment.state.quality)
        for seat, reward in zip(turn.due, turn.rewards, strict=True):
            assert reward == pytest.approx(np.mean(qualities[last[seat] :]))
        if turn.ended:
            break
    assert len(qualities) > 5


def test_the_curve_tells_the_quality_within_each_budget() -> None:
    figures = solve(hard_problem(6), "dsa", limit=30).metrics
    curve = [figures[f"quality_at_{one}_messages"] for one in BUDGETS]
    assert curve[-1] == figures["quality"]
    silent = solve(hard_problem(6), "random").metrics
    assert {silent[f"quality_at_{one}_messages"] for one in BUDGETS} == {silent["quality"]}


# Nobody knows more than its seat is shown ---------------------------------------------


class Honest:
    """Counts its letters."""

    def begin(self, task: Any, rng: np.random.Generator) -> None:
        self.read = 0
        self.neighbors: list[str] = []

    def act(self, observation: Any, reward: float) -> Any:
        if observation["problem"]:
            self.neighbors = list(json.loads(observation["problem"])["neighbors"])
        self.read += len(observation["mail"])
        (name,) = observation["value"]
        return {"value": {name: self.read % 3}, "mail": [f"{one} hello" for one in self.neighbors]}


class Peeking(Honest):
    """Looks for the environment in memory, and takes the first color that nobody has."""

    def act(self, observation: Any, reward: float) -> Any:
        found = [
            one
            for one in gc.get_objects()
            if isinstance(one, StepEnvironment) and "values" in vars(one.state)
        ]
        action = super().act(observation, reward)
        if found:
            (name,) = observation["value"]
            # All that there are: others may be left in memory by tests that failed.
            everything = sum(int(sum(one.state.values)) for one in found)
            action["value"] = {name: everything % 3}
        return action


BOARD: list[int] = []


class Whispering(Honest):
    """Tells the others through memory that they share, not by letters."""

    def begin(self, task: Any, rng: np.random.Generator) -> None:
        super().begin(task, rng)
        if task.seat.index == 0:
            BOARD.clear()

    def act(self, observation: Any, reward: float) -> Any:
        action = super().act(observation, reward)
        (name,) = observation["value"]
        BOARD.append(1)
        return {**action, "value": {name: len(BOARD) % 3}}


@pytest.mark.thorough
def test_who_peeks_or_whispers_is_found_out() -> None:
    world = small()
    assert check_subject(InProcess("honest", Honest), world) == []
    assert check_subject(InProcess("peeking", Peeking), world) != []
    (problem,) = check_subject(InProcess("whispering", Whispering), world)
    assert "it knows more than its seat was shown" in problem


@pytest.mark.parametrize(
    "name",
    [
        "abt",
        "mgm-2",
        "dpop",
        *(
            pytest.param(one, marks=pytest.mark.thorough)
            for one in ("awcs", "dsa", "adopt", "afc", "max-sum")
        ),
    ],
)
def test_algorithms_know_what_their_seat_is_shown(name: str) -> None:
    world = small()
    assert check_subject(world.group([(name, {}, 1)]), world, episodes=1) == []


def test_a_collective_is_named_by_one_algorithm_or_by_several() -> None:
    world = small()
    subject = world.group([("dsa", {}, 3), ("random", {}, 1)])
    environment = world.build(world.sample(1))
    episode = drive(play(environment, fold(1, 0), world=world.id, seed=2), subject.sit(4))
    assert not episode.faults
    assert subject.name == "dsa*3+random"


def test_who_takes_no_costs_is_refused_before_anything_is_played() -> None:
    world = Constraints.preset("sensors")
    with pytest.raises(MensuraError, match=r"^abt solves .* this one has costs.*\.$"):
        world.hosting(world.group([("abt", {}, 1)]))
    assert world.hosting(world.group([("dsa", {}, 1)])) is world
    seen = world.hosting(world.group([("central", {}, 1)]))
    assert "whole" in json.loads(begun(seen).rules.observe(begun(seen).state, 0)["problem"])


def test_a_problem_of_ones_own_is_played_and_kept_as_text(tmp_path: Path) -> None:
    world = Constraints(task="coloring")
    assert "\n" in world.task
    assert Constraints(task=world.task) == world
    assert len(begun(world).seats) == world.subjects
    (tmp_path / "own.yaml").write_text(world.task, encoding="utf-8")
    assert Constraints(task=str(tmp_path / "own.yaml")) == world
    with pytest.raises(MensuraError, match=r"\.$"):
        Constraints(task="no-such-problem")


@pytest.mark.parametrize("preset", Constraints.presets)
def test_every_preset_is_played(preset: str, full_size: bool) -> None:
    world = Constraints.preset(preset, horizon=2, proof=0.0)
    subject = world.group([("mgm", {}, 1)])
    for number in range(2 if full_size else 1):
        environment = world.build(world.sample(number))
        episode = drive(play(environment, 1, world=world.id, seed=2), subject.sit(world.subjects))
        assert not episode.faults
        assert -1.0 <= episode.measures["quality"] <= 1.0
        picture = environment.picture()
        assert "agents" in picture.label
        assert environment.picture(0).shapes


def test_sentences_tell_what_the_numbers_do() -> None:
    world = Constraints(n=4)
    environment = begun(world)
    turn = environment.restore(environment.snapshot())
    words = world.words()
    space = environment.spaces(1)[1]
    task: Any = type("T", (), {"seats": 4, "seat": environment.seats[1], "action_space": space})()
    assert "you are agent 1" in words.rules(task)
    told = words.observation(task, turn.observations[1])
    assert "Your neighbors are the agents 0, 2, 3." in told
    assert "Forbidden: (0, 0), (0, 1), (1, 0)" in told
    assert "There are no letters." in told


@pytest.mark.parametrize("wanted", ["solvable", "unsolvable"])
def test_problems_are_solvable_or_not_on_request(wanted: Any) -> None:
    pytest.importorskip("ortools")
    world = Constraints(family="random-binary", n=5, m=3, p1=1.0, p2=0.5, solvable=wanted)
    for key in range(4):
        truth = brute_force(world.problem(world.sample(key)))
        assert (truth.status == "unsatisfiable") == (wanted == "unsolvable")


def test_an_episode_tells_messages_by_kind_and_puts_unknown_kinds_together() -> None:
    environment = begun(Constraints(n=4))
    step(environment, a0=["1 ok? 2", "1 gossip", "1 rumor x"], a1=["2 nogood #3=1"])
    figures = environment.measures()
    assert figures["messages of ok?"] == figures["messages of nogood"] == 1
    assert figures["messages of other kinds"] == 2


@pytest.mark.parametrize("family", ["queens", "coloring", "random-binary", "scale-free"])
def test_families_have_as_many_agents_as_they_say_and_no_costs(family: str) -> None:
    sizes = {"nodes": 9, "links": 12} if family == "coloring" else {"n": 9}
    more = {"md": 2} if family == "scale-free" else {}
    world = Constraints(family=family, **sizes, **more)
    problem = world.problem(world.sample(1))
    assert len(problem.agents) == world.subjects == 9
    assert problem.satisfaction


def test_a_language_model_and_nine_of_dsa_have_a_seat_each_in_a_preset() -> None:
    assert Constraints.preset("coloring").subjects == 10
