"""The optional members of worlds, environments, assessments and subjects: one place that looks for them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.testing.guessing import GuessingWorld

import mensura
from mensura.agent import base
from mensura.agent.errors import MensuraError
from mensura.core import abilities, contract, players
from mensura.core.abilities import content, pages, worlds
from mensura.core.registry import WORLDS
from mensura.testing import check_world

SOURCE = Path(mensura.__file__).parent

LOOKING = {
    *(f"agent/{name}.py" for name in ("in_process", "memory")),
    *(f"core/{name}.py" for name in ("players", "mixed", "journaled")),
}
"""The files that may look whether a member is there; worlds may look at what is their own."""

OTHERS = {"close", "id", "name", "shape", "n"}
"""Members that everything has, and names that other libraries use too."""


def members() -> set[str]:
    """The names of all members, required or not, of the protocols of the contract."""
    found = {name for kind in (base.Agent, base.Probes) for name in vars(kind) if name[0] != "_"}
    for module in (contract, abilities, players):
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind is not Protocol and getattr(kind, "_is_protocol", False):
                found |= {name for name in (*vars(kind), *kind.__annotations__) if name[0] != "_"}
    return found - OTHERS


def probes() -> Iterator[str]:
    """Where the house looks, by a constant name, whether something has a member of the contract."""
    names = members()
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        if where in LOOKING or where.startswith(
            ("core/abilities/", "worlds/", "agents/isolation/")
        ):
            continue
        text = path.read_text(encoding="utf-8")
        if "getattr(" not in text and "hasattr(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("getattr", "hasattr")
                and isinstance(node.args[1], ast.Constant)
                and node.args[1].value in names
            ):
                yield f"{where}:{node.lineno} looks for {node.args[1].value}"


@pytest.mark.quick
def test_nobody_else_looks_for_what_may_be_missing() -> None:
    assert list(probes()) == []


@pytest.mark.quick
def test_every_optional_member_is_told_in_the_table() -> None:
    table = abilities.__doc__ or ""
    protocols = [
        kind
        for _, kind in inspect.getmembers(abilities, inspect.isclass)
        if kind.__module__.startswith(abilities.__name__)
        and getattr(kind, "_is_protocol", False)
        and kind.__name__
        not in ("Telling", "Rows", "Pictured", "Assessing", "Assessed", "Learning", "Retelling")
    ]
    assert len(protocols) >= 9
    for kind in protocols:
        assert f"\n{kind.__name__} " in table
        for name in (*vars(kind), *kind.__annotations__):
            assert name[0] == "_" or f"``{name}``" in table, f"{kind.__name__}.{name}"


@pytest.mark.quick
def test_every_optional_member_of_worlds_is_of_a_stated_kind() -> None:
    """Where nobody states it, no wrapper hands the member on."""
    stated = {
        name
        for _, kind in inspect.getmembers(abilities, inspect.isclass)
        if kind.__module__ in (worlds.__name__, pages.__name__, content.__name__)
        and getattr(kind, "_is_protocol", False)
        and kind is not abilities.Optimum  # of what a world gives, not of the world
        for name in (*vars(kind), *kind.__annotations__)
        if name[0] != "_"
    }
    assert set(abilities.KINDS) == stated


@pytest.mark.quick
@pytest.mark.parametrize("name", sorted(abilities.MEMBERS))
def test_a_parameter_that_shadows_a_member_is_refused_wherever_a_world_is_taken(name: str) -> None:
    shadow: Any = make_dataclass("Shadow", [(name, int, 3)])
    sentence = f"Shadow has a parameter '{name}', which is the name of a member of worlds; choose"
    with pytest.raises(MensuraError, match=sentence):
        abilities.make(shadow)
    with pytest.raises(MensuraError, match=sentence):
        WORLDS.check(shadow)  # type: ignore[misc]


@pytest.mark.quick
def test_the_check_of_a_world_names_the_parameter_that_shadows_a_member() -> None:
    kind: Any = make_dataclass("Shadow", [("words", int, 3)], bases=(GuessingWorld,), frozen=True)
    assert "Shadow has a parameter 'words'" in " ".join(check_world(kind()))


@pytest.mark.quick
def test_a_world_that_knows_only_the_contract_has_every_fallback() -> None:
    world: Any = GuessingWorld()
    described = world.sample(1)
    assert abilities.content_of(object()) == abilities.NOT_STATED  # type: ignore[arg-type]
    assert abilities.parameters(world) == {}
    assert abilities.presets(type(world)) == {}
    assert abilities.make(GuessingWorld).id == world.id
    assert abilities.seats(world) == abilities.seats_of(world, described) == 2
    assert abilities.horizon(world) is None
    assert abilities.hosting(world, None) is world
    assert abilities.subject_names(world) == {}
    assert abilities.demo(world) == ()
    assert abilities.graded_by(world) is None
    assert abilities.complexity_bounds(world, "length") is None
    assert abilities.usual_assessment(world) == "anytime"
    assert abilities.tallies(world) == ()
    assert abilities.thrown_away(world, 1) == {}
    assert abilities.changes(GuessingWorld) == {}
    assert abilities.drawn_as(world) == world.id
    assert abilities.task_files(GuessingWorld) is abilities.task_parameter(GuessingWorld) is None
    assert abilities.own_view(world) is abilities.own_words(world) is None
    assert abilities.clock_of(world.build(described)) == "interactions"
    assert abilities.instructions_for(world.build(described), 0) == ""
    assert abilities.measures_of(world.build(described)) == {}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"preset": "usual"}, "The world guessing-v0 has no preset 'usual'; it has none."),
        ({"rows": 3}, "The world guessing-v0 has no parameter 'rows'; it has none."),
    ],
)
def test_a_world_without_parameters_says_so(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        abilities.make(GuessingWorld, **given)
    assert str(error.value) == sentence


@pytest.mark.quick
def test_a_world_that_cannot_read_files_says_so() -> None:
    with pytest.raises(MensuraError, match="cannot read environments from files"):
        abilities.describe_from_json(GuessingWorld(), {})  # type: ignore[arg-type]


class NoWorld:
    """Something that somebody registered by mistake."""

    id = "no-world-v0"


class Unmade(GuessingWorld):
    """A world whose author made a mistake."""

    def __init__(self) -> None:
        raise KeyError("boom")


@pytest.mark.quick
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (
            NoWorld,
            "no-world-v0 is no world: it has no measures, promises, sample, build, complexity",
        ),
        (Unmade, "The world guessing-v0 cannot be made: KeyError: 'boom'"),
    ],
)
def test_what_is_no_world_is_told_in_a_sentence(kind: Any, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        abilities.make(kind)
    assert str(error.value).startswith(sentence)
