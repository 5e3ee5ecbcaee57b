"""Phenomena of worlds: what can be read, what causes what, and models that run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.core.abilities import phenomena
from mensura.core.phenomena import Phenomenon, named, run, run_without
from mensura.worlds.echo import Echo

WORLDS = {
    "framotec": {"task": "locking-plotter"},
    "lambda": {},
    "lambda-star": {"rows": 5, "cols": 5},
}


@pytest.fixture(params=WORLDS)
def found(request: pytest.FixtureRequest) -> tuple[Phenomenon, ...]:
    return phenomena(ms.make(request.param, **WORLDS[request.param]))


def sequence(system: Any, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [system.actions[at] for at in rng.integers(len(system.actions), size=system.length)]


def test_the_true_model_goes_where_the_environment_goes(found: tuple[Phenomenon, ...]) -> None:
    system: Any = found[0].system
    actions = sequence(system, 1)
    states = run(system, system.rules, 3, actions)
    kind = type(system.environment(system.rules))
    environment = kind(system.description)
    environment.reset(3)
    assert system.read(environment) == states[0]
    for action, state in zip(actions, states[1:], strict=True):
        for _ in range(system.held):
            environment.step([action], [0.0])
        assert system.read(environment) == state


def test_every_near_model_goes_elsewhere_on_some_sequence(found: tuple[Phenomenon, ...]) -> None:
    system = found[0].system
    assert system.near
    for model in system.near:
        assert any(
            run(system, model, seed, sequence(system, seed))
            != run(system, system.rules, seed, sequence(system, seed))
            for seed in range(20)
        )


def test_starts_differ_and_follow_from_their_key(found: tuple[Phenomenon, ...]) -> None:
    system = found[0].system
    starts = [run(system, system.rules, seed, [])[0] for seed in range(10)]
    assert len(set(starts)) > 1
    assert starts == [run(system, system.rules, seed, [])[0] for seed in range(10)]


def test_the_causes_of_the_locking_plotter_are_those_of_its_file() -> None:
    system = phenomena(ms.make("framotec", task="locking-plotter"))[0].system
    told = {(one.cause, one.effect): one.sign for one in system.causes}
    assert told["position_motor", "position"] == 1
    assert told["plot_it", "lock"] == 1
    assert told["lock", "position"] == -1
    assert ("position", "plot_it") not in told


def test_without_its_motor_the_plotter_never_rises() -> None:
    found = phenomena(ms.make("framotec", task="locking-plotter"))
    plot_it = named(found, "plot_it", "framotec")
    system = plot_it.system
    up = [[0.0, 1.0]] * system.length
    assert any(map(plot_it.happens, run(system, system.rules, 1, up)))
    assert not any(map(plot_it.happens, run_without(system, "plot_it_motor", 1, up)))


@pytest.mark.parametrize(
    ("world", "model", "why"),
    [
        ("framotec", "objects: [", "line 1"),
        ("framotec", "{goals: []}", "other parts than objects, motors, transitions"),
        ("framotec", "{objects: [{name: position}]}", "no object 'plot_it'|plot_it"),
        ("lambda", "nonsense", "not JSON"),
        ("lambda", '{"good_and_evil": {"kind": "angry"}}', "is no behavior"),
        ("lambda", '{"objects": [{"kind": "shy"}]}', "1 objects; the environment has 0"),
        ("lambda-star", '{"good_moves": [12]}', "not an action|need the same number"),
        ("lambda-star", "[]", "an object with some of"),
    ],
)
def test_a_model_that_is_none_is_refused_in_a_sentence(world: str, model: str, why: str) -> None:
    system = phenomena(ms.make(world, **WORLDS[world]))[0].system
    with pytest.raises(MensuraError, match=why) as told:
        system.environment(model)
    assert str(told.value).endswith((".", "?"))


def test_a_world_may_have_no_phenomena() -> None:
    assert phenomena(Echo()) == ()
    with pytest.raises(MensuraError, match="offers no phenomena"):
        named((), "good", "echo")


def test_an_unknown_phenomenon_is_answered_with_its_neighbor() -> None:
    with pytest.raises(MensuraError, match="good"):
        named(phenomena(ms.make("lambda")), "godo", "lambda")
