"""Every world that is registered, and one that knows nothing but the contract, through all of the house.

A world of ours that lacks any of this fails here: commands, assessments, pictures, pages, Gymnasium, PettingZoo,
subjects in a process of their own, and a golden file. Sizes are the smallest that there are.

Write the golden file of a new world, or of one whose rules have a new version: python -m tests.worlds.test_every_world
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test
from tests.cli.conftest import mensura
from tests.testing.guessing import GuessingWorld
from tests.web.conftest import PASSWORD, serve, served

from mensura.adapters.aec import aec_env
from mensura.adapters.gymnasium import WorldEnv, id_of
from mensura.agent.keys import Key, fold, key
from mensura.assessments.anytime import Anytime
from mensura.assessments.grades import bounds
from mensura.core.abilities import default_measure, horizon, make, parameters, seats
from mensura.core.contract import World
from mensura.core.registry import WORLDS, Registry
from mensura.testing.trials import in_short, random_actions

__all__ = ["mensura", "serve", "served"]

TOY = "guessing-v0"
"""A world that knows only the contract: no parameters, no picture, no words, no subjects, two seats."""

NAMES = [*WORLDS.names(), TOY]

GOLDEN = Path(__file__).parent / "golden"


def but_dear(*names: str) -> list[Any]:
    """All worlds, those for `make thorough` marked in which the same code takes longest."""
    return [
        pytest.param(name, marks=pytest.mark.thorough) if name in names else name for name in NAMES
    ]


def all_thorough_but(*names: str) -> list[Any]:
    """All worlds, those for `make thorough` marked in which the same commands do the same."""
    return but_dear(*(name for name in NAMES if name not in names))


CALIBRATED = ("analogies-v1", TOY, "items-v1")
"""Worlds that the adaptive test is calibrated for first, which takes seconds; people take it in the last of them
(tests/web/test_questions.py)."""

SMALL: dict[str, tuple[str, ...]] = {
    "adaptive": ("--with", "sittings=1", "--with", "most=12"),
    "anytime": ("--with", "sittings=1", "--with", "interactions=30"),
    "attempts": ("--with", "sittings=1", "--with", "attempts=2"),
    "battery": ("--with", "episodes=2"),
    "coordination": ("--with", "environments=2"),
    "exercises": ("--with", "sittings=1"),
    "fixed-battery": ("--with", "sittings=1", "--with", "count=2"),
    "social": ("--with", "sittings=1", "--with", "company=[random]"),
    "timed": ("--with", "sittings=1", "--with", "interactions=5"),
    "universal": (
        "--with",
        "sittings=1",
        "--with",
        "environments=6",
        "--with",
        "strata=2",
        "--with",
        "pilot=2",
    ),
}

ALONE: dict[str, dict[str, Any]] = {"constraints-v1": {"n": 1}}
"""Parameters under which a world without a parameter ``subjects`` has one seat, for pages of one participant."""

AGENT = '''"""Plays at random, from the spaces alone."""

from mensura.agent.spaces import Discrete


class Mine:
    def begin(self, task, rng):
        self.space, self.rng = task.action_space, rng

    def act(self, observation, reward):
        return self.space.sample(self.rng)
'''


@pytest.fixture(autouse=True)
def with_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy among the worlds that are installed."""
    own = Registry.entries
    toy = EntryPoint(TOY, "tests.testing.guessing:GuessingWorld", "mensura.worlds")

    def entries(self: Registry) -> dict[str, EntryPoint]:
        return own(self) | ({TOY: toy} if self.group == "mensura.worlds" else {})

    monkeypatch.setattr(Registry, "entries", entries)


def made(name: str, **given: Any) -> World:
    kind = GuessingWorld if name == TOY else WORLDS.load(name)
    return make(kind, **given)


def short(name: str) -> tuple[str, ...]:
    """Short episodes, as a command says it, where the world lets one choose."""
    return ("--set", "horizon=5") if "horizon" in parameters(type(made(name))) else ()


def allowed(name: str) -> set[str]:
    """The assessments that what a world promises and has allows for."""
    world = made(name)
    found = {"attempts", "battery", "fixed-battery"}
    measure = default_measure(Anytime, world)
    if measure and bounds(world, measure).low < bounds(world, measure).high:
        found |= {"anytime", "timed", "universal"}
        if {"bounded", "balanced"} <= world.promises:
            found.add("adaptive")
    return found


@pytest.fixture
def typed(mensura: Any) -> Any:
    """What a command prints, that does as it is told."""

    def type_(*words: str) -> str:
        done = mensura(*words)
        assert done.status == 0, (words, done.err)
        return str(done.out)

    return type_


@pytest.mark.parametrize("name", all_thorough_but("echo-v1", "items-v1", "framotec-v1", TOY))
def test_every_command_shows_it(name: str, typed: Any, tmp_path: Path) -> None:
    assert name in typed("worlds", "list")
    assert name.partition("-v")[0] in typed("worlds", "parameters", name)
    size = short(name)
    typed("worlds", "show", name, *size, "--seed", "1", "-o", "a.svg", "--description", "a.json")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    if name != TOY:  # which cannot read environments
        assert "seed 1" in typed("worlds", "show", name, *size, "--seed", "1", "--from", "a.json")
    typed("worlds", "show", name, *size, "--seed", "1", "-o", "a.png")
    assert "mean reward" in typed("watch", "random", "-w", name, *size, "--seed", "1")
    for film in ("a.gif", "b.svg"):
        typed("watch", "random", "-w", name, *size, "--seed", "1", "-o", film)
        assert (tmp_path / film).stat().st_size > 500
    assert "random" in typed("agents", "list", name)


@pytest.mark.parametrize("name", all_thorough_but(TOY))
@pytest.mark.usefixtures("words_only")
def test_every_command_assesses_in_it(name: str, typed: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENT, encoding="utf-8")
    size = (*short(name), "--seed", "1")
    typed("assess", "random", "mine.py:Mine", "-w", name, *size, "-a", "battery", "-e", "2")
    report = ("--report", "r.html", "--name", "kept", "--store", "s.db")
    typed("assess", "random", "-w", name, *size, "-a", "battery", "-e", "2", *report)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "nothing was left to chance" in page
    typed("report", "kept", "--store", "s.db", "-o", "again.html")
    typed("agents", "check", "mine.py:Mine", "-w", name)
    study = {
        "mensura": 1,
        "name": "two",
        "seed": 3,
        "subjects": ["random", {"subject": "mine.py:Mine", "in_process": True}],
        "worlds": [{"world": name, "parameters": {"horizon": 5} if short(name) else {}}],
        "assessments": [{"assessment": "battery", "parameters": {"episodes": 2}}],
    }
    (tmp_path / "study.yaml").write_text(json.dumps(study), encoding="utf-8")
    typed("study", "check", "study.yaml")
    typed("study", "run", "study.yaml", "--store", "s.db", "--executor", "threads")
    assert "identical" in typed("replay", "two", "1", "--store", "s.db")
    typed("compare", "two", "--store", "s.db")
    assert "two" in typed("runs", "show", "two", "--store", "s.db")


@pytest.mark.parametrize(
    "name", all_thorough_but("framotec-v1", "imitation-v1", "items-v1", "pagi-v1", TOY)
)
def test_every_assessment_works_or_says_why_not(name: str, mensura: Any, full_size: bool) -> None:
    for assessment in SMALL:
        if full_size or assessment != "adaptive" or name not in CALIBRATED:
            assess(name, assessment, mensura)


@pytest.mark.thorough
@pytest.mark.parametrize("name", CALIBRATED[:-1])
def test_the_adaptive_test_works_where_it_is_calibrated_first(name: str, mensura: Any) -> None:
    assess(name, "adaptive", mensura)


def assess(name: str, assessment: str, mensura: Any) -> None:
    """Assess a random subject; what a world does not allow for gets a sentence."""
    words = ("assess", "random", "-w", name, "-a", assessment, "--seed", "1", *SMALL[assessment])
    done = mensura(*words, *(short(name) if assessment != "exercises" else ()))
    if assessment in allowed(name):
        assert done.status == 0, (assessment, done.err)
    else:
        assert done.status in (0, 2), (assessment, done.err)
        assert done.status == 0 or done.err.startswith("mensura: ")
        assert "Traceback" not in done.err


@pytest.mark.filterwarnings("ignore:Observation", "ignore:.*", "error::DeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_learners_of_other_libraries_can_play(name: str) -> None:
    given = {"subjects": 1} if "subjects" in parameters(type(made(name))) else {}
    world = made(name, **given)
    if seats(world) == 1:
        env = WorldEnv(world, render_mode="rgb_array")
        check_env(env, skip_render_check=True)
        assert env.reset(seed=1)
        assert np.asarray(env.render()).dtype == np.uint8
    if name != TOY:
        assert id_of(name) in gymnasium.registry or not __import__("mensura.adapters.gymnasium")
    brief = {"letters": 2, "longest": 16} if name == "constraints-v1" else {}
    api_test(aec_env(made(name, **brief)), num_cycles=20)


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_every_page_works(name: str, served: Any) -> None:
    api = "/api/research"
    with served.client() as client:
        client.post("/login", data={"password": PASSWORD})
        form = client.get(f"{api}/worlds/{name}").json()
        assert form["world"] == made(name).id
        drawn = client.post(f"{api}/environments", json={"world": name, "seed": "7"})
        assert drawn.status_code == 200, drawn.text
        if name == TOY:
            return
        body = {"world": name, "description": drawn.json()["description"], "seed": "7"}
        begun = client.post(f"{api}/visits", json={**body, "subject": "random"})
        assert begun.status_code == 201, begun.text
        state, about = begun.json()["state"], begun.json()["about"]
        assert state["svg"].startswith("<svg")
        assert about["sentences"]
        visit = f"{api}/visits/{state['visit']}"
        on = client.post(f"{visit}/steps", json={"count": 3}).json()
        assert on["interaction"] == min(3, horizon(made(name)) or 3)
        assert client.post(f"{visit}/back", json={"to": 0}).json()["interaction"] == 0
        assert client.delete(visit).status_code == 204
    given = {"subjects": 1} if "subjects" in parameters(type(made(name))) else ALONE.get(name, {})
    people = served.app.state.people
    study = people.create(
        name=name.replace("-v0", ""),
        title="",
        assessment="attempts",
        parameters={"attempts": 2},
        world=name,
        world_parameters=given,
        places=1,
        theme="colors",
        language="",
        seed=7,
    )
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    with served.client() as client:
        assert client.get(f"/p/{code}/instructions").status_code == 200
        state = client.post(f"/api/participants/{code}/answers", json={"number": 0}).json()
        assert state["phase"] == "act"
        assert state["kind"] == "cells" or state["svg"].startswith("<svg")


# Golden files --------------------------------------------------------------------------


def written(name: str) -> str:
    """Two environments of a world, and what a random subject meets in them, to nine digits."""
    world = made(name)
    lines = [f"# {world.id}"]
    for number in range(2):
        root: Key = key(2026, "golden", number)
        description = world.sample(root)
        lines.append(json.dumps(_rounded(description.to_json()), sort_keys=True))
        lines.append(
            " ".join(f"{one} {world.complexity(description, one):.9g}" for one in world.measures)
        )
        environment = world.build(description)
        rng = np.random.Generator(np.random.PCG64(fold(root, 1)))
        turn = environment.reset(fold(root, 2))
        for _ in range(8):
            seen = [_rounded(in_short(one)) for one in turn.observations]
            lines.append(json.dumps([turn.due, seen, _rounded(list(turn.rewards)), turn.ended]))
            if turn.ended is not None:
                break
            actions = random_actions(environment, turn, rng)
            turn = environment.step(actions, [0.0] * len(actions))
    return "\n".join(lines) + "\n"


def _rounded(value: Any) -> Any:
    """Numbers to nine digits: sines and logarithms may differ in their last bits from one processor to another."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


@pytest.mark.quick
@pytest.mark.parametrize("name", NAMES)
def test_the_golden_file_is_unchanged(name: str) -> None:
    assert written(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), (
        f"{name} plays differently now, or draws other environments. If that is meant, give it a new version, say so "
        "in the changelog, and write the file anew: python -m tests.worlds.test_every_world"
    )


def write_all() -> Iterator[str]:
    for name in NAMES:
        (GOLDEN / f"{name}.txt").write_text(written(name), encoding="utf-8")
        yield name


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    sys.stdout.write(f"written: {', '.join(write_all())}\n")
