"""Of the product a process in its cage sees ``mensura.agent`` alone, however it looks for the rest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from tests.agents import lookup, other_user
from tests.agents.test_isolation import HERE, deed, tried

import mensura as ms
from mensura.agent.asks import Ask
from mensura.agent.in_process import InProcess
from mensura.agent.task import Limits, Task
from mensura.agents.address import parse
from mensura.agents.isolation import product
from mensura.agents.isolation.cage import for_command
from mensura.agents.process import Child, ProcessSubject

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "no isolation" in HERE, reason=f"this machine has {HERE}"
)

KINDS = ("class", "cmd", "sb3")


def reached(told: subprocess.CompletedProcess[str], least: int) -> list[Any]:
    """The files of the product that a walk found; it has to have seen so many files."""
    assert told.returncode == 0, told.stderr
    said = json.loads(told.stdout)
    assert said["seen"] >= least
    found: list[Any] = said["found"]
    return found


def as_we_are(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.agents.walked", *words],
        capture_output=True,
        text=True,
        cwd=other_user.ROOT,
        timeout=300,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_of_the_product_can_be_read_by_its_name(kind: str) -> None:
    assert reached(as_we_are(kind), 0) == []


def test_without_namespaces_neither() -> None:
    assert reached(as_we_are("class", "no-namespaces"), 0) == []


def test_as_a_user_without_rights_neither() -> None:
    assert reached(other_user.run("tests.agents.walked", "class"), 0) == []


def test_without_isolation_all_of_them_can() -> None:
    assert len(reached(as_we_are("class", "no-isolation"), 1000)) > 1000


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", [(), ("no-namespaces",)], ids=["namespaces", "none"])
@pytest.mark.parametrize("way", [as_we_are, other_user.run], ids=["as we are", "other user"])
def test_nowhere_on_the_machine_is_a_file_of_the_product(
    kind: str, more: tuple[str, ...], way: Any
) -> None:
    first = ("tests.agents.walked",) if way is other_user.run else ()
    assert reached(way(*first, kind, "everything", *more), 1000) == []


def test_another_installation_beside_python_is_hidden_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    names = ("mensura", "mensura-0.1.0.dist-info", "mensura_of_others", "numpy")
    for name in names:
        (packages / name).mkdir(parents=True)
        (packages / name / "__init__.py").touch()
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    hidden = {Path(place).name for place in product.hidden.__wrapped__() if str(tmp_path) in place}
    assert hidden == set(names[:2])


# What it can import -----------------------------------------------------------------


@pytest.fixture
def subject(tmp_path: Path) -> Iterator[Any]:
    """What a subject answers whose act is some code."""
    from tests.agents.toy import write_agent

    players = []

    def answer(code: str, limits: Limits | None = None) -> Any:
        from tests.agents.test_process import ask, begin

        (part,) = parse(write_agent(tmp_path, deed(code)) + ":A")
        player = ProcessSubject(part, limits or Limits()).sit(1)
        players.append(player)
        ask(player, begin())
        return tried(player)

    yield answer
    for player in players:
        player.close()


SENTENCE = (
    "is hidden from subjects: of Mensura a subject in a process of its own can import mensura.agent"
)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import mensura.worlds.items.world", "mensura.worlds.items"),
        ("from mensura.core import registry", "mensura.core"),
        ("import mensura as ms; ms.make('items')", "mensura.make"),
        ("from mensura import make", "mensura.make"),
        ("import mensura.agents", "mensura.agents"),
    ],
)
def test_an_import_of_anything_else_of_ours_is_a_sentence(
    subject: Any, code: str, name: str
) -> None:
    assert f"{name} {SENTENCE}" in subject(code)


def test_no_module_of_ours_but_those_of_agents_is_in_memory(subject: Any) -> None:
    names = subject(
        "return [name for name in sys.modules if name.partition('.')[0] == 'mensura'"
        " and not name.startswith('mensura.agent.')]"
    )
    assert sorted(names) == ["mensura", "mensura.agent"]


def test_a_program_that_a_subject_starts_imports_the_same(subject: Any) -> None:
    code = "import mensura.agent; import mensura.core"
    said = subject(
        f"return subprocess.run([sys.executable, '-c', {code!r}], capture_output=True, text=True).stderr"
    )
    assert f"mensura.core {SENTENCE}" in said


def test_a_program_in_python_imports_the_same(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import mensura.agent\ntry:\n    import mensura.core\n"
        "except ImportError as error:\n    print(error, flush=True)\n"
    )
    command = [sys.executable, str(program)]
    child = Child(command, for_command(command, Limits()))
    with closing(child):
        (line,) = child.lines(perf_counter() + 60.0)
    assert f"mensura.core {SENTENCE}" in line.decode()


def test_a_class_of_ours_that_is_hidden_cannot_be_a_subject() -> None:
    (part,) = parse("mensura.worlds.echo:Echo")
    with pytest.raises(Exception, match=r"mensura\.worlds\.echo is hidden from subjects"):
        ProcessSubject(part, Limits()).sit(1)


def test_the_agents_of_ours_can() -> None:
    (part,) = parse("mensura.agent.random:RandomAgent")
    ProcessSubject(part, Limits()).sit(1).close()


@pytest.mark.skipif("namespaces" in HERE, reason=f"this machine has {HERE}")
def test_the_folders_of_the_product_are_not_even_there_by_name(subject: Any) -> None:
    """Of the package nothing but what is visible, and the way there."""
    seen = {Path(place).relative_to(product.PACKAGE).parts[0] for place in product.visible()}
    assert set(subject(f"return os.listdir({product.PACKAGE!r})")) == seen


# What it was for --------------------------------------------------------------------


def mean_reward(player: Any, count: int = 24) -> float:
    """Of a subject in its seat, over Winograd schemas."""
    world = ms.make("items", preset="winograd")
    total = 0.0
    for number in range(count):
        environment = world.build(world.sample(number))
        spaces = environment.spaces(0)
        turn = environment.reset(number)
        task = Task(world.id, environment.seats[0], 1, *spaces, 1)
        player.answer([Ask("begin", 0, task=task, key=number)])
        (answer,) = player.answer([Ask("act", 0, turn.observations[0])])
        assert answer.fault is None, answer.fault
        total += environment.step([answer.value], [0.0]).rewards[0]
    return total / count


def test_a_bank_of_answers_in_the_package_helps_nobody_in_a_cage() -> None:
    (part,) = parse(f"{Path(lookup.__file__)}:Lookup")
    with closing(InProcess("lookup", lookup.Lookup).sit(1)) as outside:
        assert mean_reward(outside) > 0.9
    with closing(ProcessSubject(part, Limits()).sit(1)) as inside:
        assert mean_reward(inside) < 0.6


# What worlds declare ------------------------------------------------------------------


@pytest.mark.parametrize("base", product.bases())
def test_a_public_base_of_agents_can_be_imported_and_nothing_else_of_its_world(
    subject: Any, base: str
) -> None:
    world = base.rpartition(".")[0]
    names = subject(
        f"import {base}; return sorted(name for name in sys.modules if name.startswith('mensura.')"
        " and not name.startswith('mensura.agent'))"
    )
    assert base in names
    parents = {base[: at.start()] for at in re.finditer(r"\.", base)}
    assert all(name in parents or name.startswith(base) for name in names)
    assert f"{world}.world {SENTENCE}" in subject(f"import {world}.world")


FOLLOWS = """
from mensura.worlds.constraints.agent_base import Algorithm, on

class Follow(Algorithm):
    def start(self):
        self.send_all(self.neighbors, "value", self.value)

    @on("value")
    def follow(self, sender, words):
        self.value = int(words[0]) % self.size
"""


def test_an_algorithm_of_ones_own_plays_constraints_in_its_cage(tmp_path: Path) -> None:
    path = tmp_path / "follow.py"
    path.write_text(FOLLOWS)
    result = ms.assess(f"{path}:Follow", "constraints", environments=2, seed=1)
    (score,) = result.scores
    assert score.valid
