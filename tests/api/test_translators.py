"""Translators by address: what they make of a text, and what is said where one fails."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.api import translators
from mensura.api.translators import translator


def python(program: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}"


def test_a_command_translates_there_and_another_one_back() -> None:
    there = python("import sys; sys.stdout.write(sys.stdin.read().upper())")
    back = python("import sys; sys.stdout.write(sys.stdin.read().lower() + '!')")
    assert translator(f"cmd:{there}|{back}")("A Ferry") == "a ferry!"


def test_apertium_is_asked_both_ways_and_its_marks_are_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []

    def through(text: str, command: list[str]) -> str:
        asked.append(command)
        return f"{text} *granary #be @door"

    monkeypatch.setattr(translators.shutil, "which", lambda name: name)
    monkeypatch.setattr(translators, "_through", through)
    assert translator("apertium:eng-spa")("x") == "x granary be door granary be door"
    assert asked == [["apertium", "-u", "eng-spa"], ["apertium", "-u", "spa-eng"]]


def test_a_model_is_asked_there_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from mensura.agents.language_model import services
    from mensura.agents.language_model.services.reply import Reply

    said: list[str] = []

    class Service:
        def complete(self, messages: Any, tools: Any, deadline: float) -> Reply:
            said.append(messages[0]["content"])
            return Reply("le bac" if "French" in said[-1] else "the ferry")

    monkeypatch.setattr(services, "service_of", lambda settings: Service())
    assert translator("openai:MODEL@French")("the boat") == "the ferry"
    assert "into French" in said[0]
    assert said[1].endswith("le bac")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("apertium:spanish", "is no translator"),
        ("cmd:cat", "is no translator"),
        ("cmd:|cat", "is no translator"),
        ("random@French", "is no translator"),
        ("random:x@French", "is no translator"),
    ],
)
def test_what_is_no_translator_is_refused(address: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        translator(address)


@pytest.mark.parametrize(
    ("there", "sentence"),
    [
        (python("import sys; sys.exit('no such language')"), "failed: no such language"),
        (python("pass"), "failed: it wrote nothing"),
        ("no-such-program-here", "was not found"),
    ],
)
def test_a_translator_that_fails_is_one_sentence(there: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        translator(f"cmd:{there}|cat")("a text")
