"""What people hand over as subjects, and by which address a study names it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.api.conftest import CELL

from mensura.agent.errors import MensuraError
from mensura.agent.random import RandomAgent
from mensura.agents import at_hand
from mensura.api.naming import named, notes


def test_one_subject_needs_no_list_and_labels_come_from_a_dict(my_agent: Any) -> None:
    assert [one.label for one in named("random")] == ["random"]
    assert [one.label for one in named(my_agent)] == ["MyAgent"]
    both = named({"a": my_agent, "b": lambda: my_agent(), "c": "random"})
    assert [one.label for one in both] == ["a", "b", "c"]
    assert len({one.address for one in both}) == 3
    assert notes(both) == [
        "a, b are code without a file and ran inside the Python process that assessed it: not isolated, and not to be "
        "assessed again by address."
    ]


def test_labels_that_make_the_same_word_get_addresses_of_their_own(my_agent: Any) -> None:
    first, second = named({"my agent": my_agent, "my-agent": my_agent})
    assert first.address != second.address


def test_a_class_with_a_file_is_named_by_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted agent+.py").write_text(CELL)
    monkeypatch.chdir(tmp_path)
    import importlib.util

    spec = importlib.util.spec_from_file_location("planted", "planted agent+.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "planted", module)
    spec.loader.exec_module(module)
    (one,) = named(module.MyAgent)
    assert (one.address, one.in_process, one.factory) == (
        "planted agent%2B.py:MyAgent",
        False,
        None,
    )
    assert named(module.MyAgent, in_process=True)[0].in_process
    module.MyAgent = None  # type: ignore[attr-defined]  # as if defined again since
    (one,) = named(type("MyAgent", (RandomAgent,), {"__module__": "planted"}))
    assert one.factory is not None


def test_a_class_of_a_package_is_named_by_its_module() -> None:
    assert named(RandomAgent)[0].address == "mensura.agent.random:RandomAgent"


class Needy:
    def __init__(self, depth: int) -> None:
        self.depth = depth

    def act(self, observation: Any, reward: float) -> int:
        return 0


@pytest.mark.parametrize(
    ("handed", "sentence"),
    [
        ([], "Nobody is to be assessed"),
        (["random", "random"], "The subject random is named twice"),
        (RandomAgent(), "This RandomAgent is one agent, and every sitting needs a new one"),
        ([RandomAgent()], "hand over its class, RandomAgent"),
        (3, "A value of type int is no subject"),
        ([3], "A value of type int is no subject"),
        (int, "int has no method act"),
        (Needy, "Needy needs the parameter 'depth'; hand over a function"),
    ],
)
def test_what_is_no_subject_is_told_in_a_sentence(handed: Any, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        named(handed)


def test_code_without_a_file_is_not_run_in_a_process_of_its_own(my_agent: Any) -> None:
    with pytest.raises(MensuraError, match="MyAgent has no file"):
        named(my_agent, in_process=False)


def test_what_is_lent_is_there_within_the_block_only(my_agent: Any) -> None:
    with at_hand.lend({"Mine": my_agent}):
        assert at_hand.Mine is my_agent
        with (
            pytest.raises(MensuraError, match="Another Mine is being assessed"),
            at_hand.lend({"Mine": RandomAgent}),
        ):
            pass
        with at_hand.lend({"Mine": my_agent}):
            pass
        assert at_hand.Mine is my_agent
    with pytest.raises(MensuraError, match=r"put it into a file and name it file\.py:Mine"):
        at_hand.Mine  # noqa: B018
