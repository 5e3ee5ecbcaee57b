"""Addresses: what they mean, what is refused and in which words, and what they load."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.toy import write_agent

from mensura.agent.errors import MensuraError
from mensura.agent.loading import value_of
from mensura.agents.address import Part, is_code, load, parse

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def _unchanged_interpreter() -> Iterator[None]:
    """Loading makes folders importable; no test should see those of another."""
    paths, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        del sys.modules[name]


# Reading ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("random", [Part("random")]),
        ("q-learning-2016", [Part("q-learning-2016")]),
        ("q-learning?alpha=0.1", [Part("q-learning", {"alpha": "0.1"})]),
        (
            "q-learning?alpha=0.1&q0=-2*4",
            [Part("q-learning", {"alpha": "0.1", "q0": "-2"}, 4)],
        ),
        ("oracle+random*4", [Part("oracle"), Part("random", {}, 4)]),
        (" oracle + random * 4 ", [Part("oracle"), Part("random", {}, 4)]),
        ("agent.py:Mine", [Part("agent.py:Mine")]),
        ("../my agents/v1.2/agent.py:Mine*2", [Part("../my agents/v1.2/agent.py:Mine", {}, 2)]),
        ("package.module:Mine?depth=3", [Part("package.module:Mine", {"depth": "3"})]),
        ("c%2B%2B/agent.py:Mine", [Part("c++/agent.py:Mine")]),
        ("a.py:A?pattern=x%2Ay%26z", [Part("a.py:A", {"pattern": "x*y&z"})]),
        ("a.py:A?where=b?c=d", [Part("a.py:A", {"where": "b?c=d"})]),
    ],
)
def test_an_address_means(text: str, parts: list[Part]) -> None:
    assert list(parse(text)) == parts


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty; write a name such as random"),
        ("  ", "is empty"),
        ("random++oracle", "empty part beside a '+'"),
        ("random+", "empty part beside a '+'"),
        ("c++/agent.py:Mine", "a '+' that belongs to a path as %2B"),
        ("random*0", "The count '0' in 'random*0' must be a whole number from 1"),
        ("random*-3", "The count '-3'"),
        ("random*2.5", "The count '2.5'"),
        ("random*", "The count ''"),
        ("random*²", "The count '²'"),
        ("random*9999999", "from 1 to 999999"),
        ("a.py:A?pattern=x*y", "a '*' that belongs to a path or value is written %2A"),
        ("random?", "The parameter '' in 'random?' must be written name=value"),
        ("random?alpha", "The parameter 'alpha' in"),
        ("random?=1", "The parameter '=1' in"),
        ("random?alpha=", "The parameter 'alpha=' in"),
        ("random?al-pha=1", "The parameter 'al-pha=1' in"),
        ("random?a=1&a=2", "The parameter 'a' stands twice"),
        ("agent.py", "'agent.py' names a file but no class in it; write agent.py:Class."),
        ("agent.py:", "has no class after the colon; write agent.py:Class."),
        (":Mine", "has no file or module before the colon"),
        ("agent.py:my-class", "'my-class' in 'agent.py:my-class' cannot be the name of a class"),
        ("my agent:Mine", "'my agent' in 'my agent:Mine' is neither a file"),
        ("Random", "'Random' in 'Random' is not the name of a subject"),
        ("my agent", "is not the name of a subject; write a built-in name such as q-learning"),
    ],
)
def test_a_wrong_address_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=re.escape(sentence)) as caught:
        parse(text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@given(
    st.lists(
        st.builds(
            Part,
            name=st.text(min_size=1).map(lambda folder: f"{folder}/x.py:Mine")
            | st.sampled_from(["random", "q-learning", "package.module:Mine"]),
            parameters=st.dictionaries(st.sampled_from(["a", "b_2"]), st.text(min_size=1)),
            count=st.none() | st.integers(1, 99),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_the_text_of_any_parts_is_read_back(parts: list[Part]) -> None:
    assert list(parse("+".join(map(str, parts)))) == parts


@given(st.text())
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        said = str(parse(text)[0])
    except MensuraError as error:
        said = str(error)
    assert said


def test_code_is_told_from_built_in_names() -> None:
    mine, theirs, built_in = parse("a/b.py:Mine+package.module:Theirs+q-learning")
    assert is_code(mine)
    assert is_code(theirs)
    assert not is_code(built_in)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-3", 1e-3),
        (".5", 0.5),
        ("true", True),
        ("False", False),
        ("none", "none"),
        ("1_000", "1_000"),
        ("nan", "nan"),
        ("9" * 500, float("inf")),
    ],
)
def test_values_are_numbers_truths_or_words(text: str, value: object) -> None:
    got = value_of(text)
    assert got == value
    assert type(got) is type(value)


# Loading ----------------------------------------------------------------------

AGENT = """
    class Mine:
        def __init__(self, depth=1, greedy=False, name=""):
            self.given = (depth, greedy, name)

        def act(self, observation, reward):
            return 1
"""


def only(text: str) -> Part:
    (part,) = parse(text)
    return part


def test_a_class_is_loaded_from_a_file_with_its_parameters(tmp_path: Path) -> None:
    path = write_agent(tmp_path, AGENT)
    make = load(only(f"{path}:Mine?depth=3&greedy=true&name=a b"))
    assert make().given == (3, True, "a b")  # type: ignore[attr-defined]
    assert make() is not make()


def test_a_relative_path_is_read_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent(tmp_path, AGENT)
    monkeypatch.chdir(tmp_path)
    assert load(only("agent.py:Mine"))().given == (1, False, "")  # type: ignore[attr-defined]


def test_a_file_may_import_its_neighbors(tmp_path: Path) -> None:
    write_agent(tmp_path, "ACTION = 3", "neighbor_of_mine.py")
    path = write_agent(
        tmp_path,
        """
        from neighbor_of_mine import ACTION
        class Mine:
            def act(self, observation, reward):
                return ACTION
        """,
    )
    assert load(only(f"{path}:Mine"))().act(None, 0.0) == 3


def test_a_file_called_as_a_module_of_pythons_does_not_take_its_place(tmp_path: Path) -> None:
    before = sys.modules["json"]
    make = load(only(f"{write_agent(tmp_path, AGENT, 'json.py')}:Mine"))
    assert make().act(None, 0.0) == 1
    assert sys.modules["json"] is before


def test_a_changed_file_is_loaded_anew(tmp_path: Path) -> None:
    path = write_agent(tmp_path, AGENT)
    load(only(f"{path}:Mine"))
    write_agent(tmp_path, AGENT.replace("return 1", "return 2"))
    assert load(only(f"{path}:Mine"))().act(None, 0.0) == 2
    assert os.listdir(tmp_path) == ["agent.py"]


def test_dataclasses_and_factories_make_agents_too(tmp_path: Path) -> None:
    path = write_agent(
        tmp_path,
        """
        from __future__ import annotations
        from dataclasses import dataclass

        @dataclass
        class Mine:
            depth: int = 2
            def act(self, observation, reward):
                return self.depth

        def deep():
            return Mine(7)
        """,
    )
    assert load(only(f"{path}:Mine?depth=4"))().act(None, 0.0) == 4
    assert load(only(f"{path}:deep"))().act(None, 0.0) == 7


def test_a_class_is_loaded_from_a_module_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package_of_mine").mkdir()
    write_agent(tmp_path / "package_of_mine", AGENT, "inner.py")
    monkeypatch.chdir(tmp_path)
    assert load(only("package_of_mine.inner:Mine"))().act(None, 0.0) == 1


def test_a_class_is_loaded_from_an_installed_module() -> None:
    assert hasattr(load(only("mensura.agent.random:RandomAgent"))(), "act")


BROKEN = """
    import math

    SIZE = 3

    class Agent:
        def act(self, observation, reward):
            return 1

    class OtherAgent(Agent):
        def __init__(self, depth, seed=1):
            self.depth = depth

    class Mute:
        pass
"""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Agnet", "agent.py has no class 'Agnet'; did you mean Agent"),
        ("Zzz", "agent.py has no class 'Zzz'; known are: Agent, OtherAgent."),
        ("SIZE", "SIZE in agent.py is of type int; a subject is a class with a method act"),
        ("math", "math in agent.py is of type module"),
        ("Mute", "Mute in agent.py has no method act(observation, reward)"),
        ("Agent?depth=1", "agent.py:Agent has no parameter 'depth'; it has none."),
        ("OtherAgent?dept=1", "agent.py:OtherAgent has no parameter 'dept'; did you mean depth?"),
        ("OtherAgent", "needs the parameter 'depth'; write agent.py:OtherAgent?depth=VALUE."),
    ],
)
def test_a_class_that_cannot_be_had_gets_a_sentence(
    name: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent(tmp_path, BROKEN)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MensuraError, match=re.escape(sentence)):
        load(only(f"agent.py:{name}"))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("x = 1\nclass A(:\n    pass", "agent.py fails on import, line 2: SyntaxError: invalid"),
        ("x = 1\n\nx = y", "agent.py fails on import, line 3: NameError: name 'y' is not defined."),
        (
            "import no_such_library",
            "agent.py fails on import, line 1: ModuleNotFoundError: No module named 'no_such_",
        ),
        (
            "def f():\n    raise ValueError('bad\\nluck')\n\nf()",
            "agent.py fails on import, line 2: ValueError: bad luck.",
        ),
        ("import sys\nsys.exit(4)", "agent.py fails on import, line 2: SystemExit: 4."),
        ("x = 1", "agent.py has no class 'A', nor any other class with a method act"),
    ],
)
def test_a_file_that_fails_on_import_gets_a_sentence_with_the_line(
    code: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent(tmp_path, code)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MensuraError, match=re.escape(sentence)):
        load(only("agent.py:A"))


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("no/such file.py:A", "There is no file no/such file.py; a path is read from the current"),
        ("folder.py:A", "folder.py is a folder; name a Python file in it, as folder.py/file.py"),
        ("no_such_package:A", "There is no module no_such_package, which no_such_package names"),
        ("json.no_such:A", "There is no module json.no_such, which json.no_such names"),
        ("failing:A", "failing fails on import, line 2: ZeroDivisionError: division by zero."),
        ("needy:A", "needy fails on import, line 1: ModuleNotFoundError: No module named 'no_s"),
        ("random", "'random' names no code; code is named as file.py:Class"),
    ],
)
def test_a_place_where_there_is_no_code_gets_a_sentence(
    address: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.py").mkdir()
    write_agent(tmp_path, "\n1 / 0", "failing.py")
    write_agent(tmp_path, "import no_such_package", "needy.py")
    with pytest.raises(MensuraError, match=re.escape(sentence)):
        load(only(address))
