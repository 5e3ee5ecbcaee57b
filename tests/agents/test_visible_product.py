"""Of the product a process in its cage sees ``mensura.agent`` alone, however it looks for the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents import other_user
from tests.agents.test_isolation import HERE, deed, tried

from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.isolation import product
from mensura.agents.process import ProcessSubject

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
        ("import mensura.worlds.items.world", "mensura.worlds"),
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


def test_a_class_of_ours_that_is_hidden_cannot_be_a_subject() -> None:
    (part,) = parse("mensura.worlds.echo:Echo")
    with pytest.raises(Exception, match=r"mensura\.worlds is hidden from subjects"):
        ProcessSubject(part, Limits()).sit(1)


def test_the_agents_of_ours_can() -> None:
    (part,) = parse("mensura.agent.random:RandomAgent")
    ProcessSubject(part, Limits()).sit(1).close()


@pytest.mark.skipif("namespaces" in HERE, reason=f"this machine has {HERE}")
def test_the_folders_of_the_product_are_not_even_there_by_name(subject: Any) -> None:
    """Of the package nothing but what is visible."""
    assert subject(f"return sorted(os.listdir({product.PACKAGE!r}))") == ["agent"]
