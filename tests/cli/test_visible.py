"""Text of others on its way to terminals and reports: no control character gets through, and no markup."""

from __future__ import annotations

import json
import logging
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Typed

import mensura as package
from mensura.api.progress import Events, Pace
from mensura.core.interpreter import our_python
from mensura.core.visible import visible, visible_line
from mensura.terminal.output import VisibleFormatter

RANGES = (
    *((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C)),
    *((0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF)),
    *((0xDC80, 0xDCFF), (0xD800, 0xD801), (0xFFF9, 0xFFFB), (0xE0041, 0xE0041)),
)
CONTROLS = "".join(chr(code) for low, high in RANGES for code in range(low, high + 1))
RAW = re.compile(f"[{re.escape(CONTROLS)}]")
TEXT = re.sub("[\x00\ud800-\udfff]", "", CONTROLS)
"""Those that a name can hold."""
MARKUP = "[red]x[/red][link=http://a]y[/link][/nothing]:warning:"


def in_yaml(text: str) -> str:
    """The text as YAML writes it."""
    return '"' + "".join(f"\\U{ord(character):08x}" for character in text) + '"'


AGENTS = f"""
import os, sys
ALL = {TEXT!a}

class Raising:
    def act(self, observation, reward):
        raise ValueError("{MARKUP}" + ALL)

class Dying:
    def act(self, observation, reward):
        os.write(2, ("{MARKUP}" + ALL).encode())
        os._exit(3)

class Wordy:
    def act(self, observation, reward):
        return ALL
"""

STUDY = f"""
mensura: 1
name: plain
title: {in_yaml(MARKUP + TEXT)}
seed: 1
worlds: [{{world: lambda-star, parameters: {{rows: 4, cols: 4, subjects: 1, horizon: 3}}}}]
subjects:
  - {{subject: "agents.py:Raising", name: {in_yaml(MARKUP)}}}
  - {{subject: "agents.py:Dying", name: dying}}
  - {{subject: "agents.py:Wordy", name: wordy}}
assessments: [{{assessment: battery, parameters: {{episodes: 1}}}}]
"""

Typing = Callable[..., Typed]


def assert_visible(*texts: str) -> None:
    for text in texts:
        assert sorted(set(map(ascii, RAW.findall(text)))) == []


@pytest.mark.quick
def test_every_control_character_is_written_out_and_nothing_else_changes() -> None:
    for code in (*range(0x2100), *range(0xD7F0, 0x10010), *range(0xDFFF0, 0xE1010)):
        character = chr(code)
        shown = visible(character)
        if RAW.match(character):
            assert shown.startswith("\\")
            assert shown.isascii()
        elif character in "\n\t":
            assert shown == character
            assert visible_line(character) == ascii(character)[1:-1]
        elif character.isprintable() and not 0xE0000 <= code < 0xE1000:
            assert (
                shown == character
                or character in "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
            )
    assert visible(visible(CONTROLS)) == visible(CONTROLS)


@pytest.mark.usefixtures("words_only")
def test_what_subjects_say_reaches_neither_the_terminal_nor_the_report(
    mensura: Typing, tmp_path: Path
) -> None:
    (tmp_path / "agents.py").write_text(AGENTS)
    (tmp_path / "study.yaml").write_text(STUDY)
    for words in (
        ("study", "check", "study.yaml"),
        ("study", "run", "study.yaml", "--store", "runs.db", "--report", "report.html"),
        ("study", "status", "--store", "runs.db"),
        ("runs", "list", "--store", "runs.db"),
        ("runs", "show", "plain", "--store", "runs.db"),
        ("compare", "plain", "--store", "runs.db"),
        (
            "watch",
            "agents.py:Raising",
            "--world",
            "lambda-star",
            "--iterations",
            "3",
            "--pause",
            "0",
        ),
        ("agents", "check", "agents.py:Dying"),
    ):
        typed = mensura(*words)
        # Nobody has a valid score to compare, and the sentence that says so names them.
        assert typed.status in ((2,) if words[0] == "compare" else (0, 1)), typed.err
        assert_visible(typed.out, typed.err)
        if words[0] in ("runs", "compare") and words[1] != "list":
            assert MARKUP in (typed.out + typed.err).replace("\n", "")
    page = (tmp_path / "report.html").read_text()
    assert_visible(page)
    assert r"\x1b" in page


def test_a_run_may_be_called_anything(mensura: Typing) -> None:
    few = ("--world", "lambda-star", "--grid", "4x4", "--iterations", "3", "--episodes", "1")
    typed = mensura(
        *("assess", "random", *few, "--assessment", "battery", "--store", "runs.db"),
        *("--name", MARKUP + TEXT),
    )
    assert_visible(typed.out, typed.err)
    listed = mensura("runs", "list", "--store", "runs.db")
    assert_visible(listed.out, listed.err)


@pytest.mark.parametrize(
    "words",
    [
        ("assess", "{}"),
        ("assess", "file{}.py:Agent"),
        ("assess", "random", "--world", "{}"),
        ("assess", "random", "--set", "{}"),
        ("assess", "random", "--assessment", "{}"),
        ("assess", "random", "--report", "{}/nowhere/report.html"),
        ("assess", "random", "--agents", "{}"),
        ("assess", "--{}"),
        ("{}",),
        ("study", "run", "{}"),
        ("study", "{}"),
        ("study", "resume", "{}", "--store", "none.db"),
        ("runs", "show", "{}", "--store", "{}.db"),
        ("replay", "{}", "0"),
        ("report", "{}"),
        ("compare", "{}"),
        ("worlds", "show", "{}"),
        ("tasks", "show", "{}"),
        ("analyze", "graph", "{}"),
        ("reproduce", "{}"),
        ("agents", "check", "{}"),
        ("agents", "ages", "{}"),
        ("serve", "--allow", "{}"),
    ],
)
def test_a_complaint_quotes_what_was_typed_visibly(mensura: Typing, words: tuple[str, ...]) -> None:
    # Surrogates are how Python reads bytes that are no text; a name may not be longer than 255 bytes.
    for some in (
        "\x1b]0;title\x07\x9b31m\x7f\r",
        "\u202e\u2066\u200f\u200b\u2028\ufeff",
        "\udc80\udcff",
    ):
        typed = mensura(*(word.replace("{}", f"a{some}") for word in words))
        assert typed.status == 2
        assert_visible(typed.out, typed.err)
        assert typed.err


def test_files_are_quoted_visibly(mensura: Typing, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY.replace("lambda-star,", in_yaml(TEXT) + ","))
    (tmp_path / "task.yaml").write_text(f"{in_yaml(TEXT)}: 1\n")
    (tmp_path / "a\x1b[2J.py").write_text(f"raise ValueError({CONTROLS!a})\n")
    for words in (
        ("study", "check", "study.yaml"),
        ("tasks", "show", "task.yaml"),
        ("assess", "a\x1b[2J.py:Agent"),
        ("assess", "a\x1b[2J.py:Agent", "--in-process"),
    ):
        typed = mensura(*words)
        assert typed.status == 2
        assert_visible(typed.out, typed.err)


def test_what_python_and_libraries_print_is_visible(tmp_path: Path) -> None:
    (tmp_path / "troubled.py").write_text(
        "import logging, warnings\n"
        "from mensura.terminal.output import make_troubles_visible\n"
        "def main():\n"
        "    make_troubles_visible()\n"
        f"    logging.getLogger('x').warning({TEXT!a})\n"
        f"    warnings.warn({TEXT!a})\n"
        f"    raise ValueError({TEXT!a})\n"
    )
    command = our_python("troubled")
    command[-1] = f"import sys; sys.path.append({str(tmp_path)!r}); {command[-1]}".replace(
        "sys.path[:] = ", "sys.path[:0] = ", 1
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "ValueError" in done.stderr
    assert done.stderr.count(r"\x1b") >= 3
    assert_visible(done.stderr)
    record = logging.LogRecord("x", 30, "", 1, TEXT, (), None)
    assert_visible(VisibleFormatter().format(record))


def test_events_are_lines_of_plain_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    Events(Pace(1)).say("death", reason=CONTROLS)
    out = capsys.readouterr().out
    assert_visible(out)
    assert json.loads(out)["reason"] == CONTROLS


def test_commands_print_through_one_door() -> None:
    source = Path(package.__file__).parent
    raw = re.compile(r"(?<![.\w])print\(|std(out|err)\.write|typer\.s?echo|\bConsole\(")
    found = [
        f"{file.name}: {line.strip()}"
        for file in sorted((*source.glob("cli/*.py"), *source.glob("worlds/*/commands.py")))
        for line in file.read_text().splitlines()
        if raw.search(line) and "u007f" not in line
    ]
    assert found == []
