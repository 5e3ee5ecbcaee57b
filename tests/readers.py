"""A reader who follows a page of the documentation: types its commands where a reader would, verbatim.

Only the size differs: studies are cut down (see `cut`), servers do not stay, and what was paid for is answered by a
server of ours.
"""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from mensura.cli.main import main
from mensura.core.registry import ASSESSMENTS
from mensura.studies import layout
from mensura.studies.study import Study, study_from_plain

ROOT = Path(__file__).resolve().parents[1]

MOST = {
    "interactions": 12,
    "sittings": 2,
    "episodes": 2,
    "attempts": 2,
    "training": 1,
    "tests": 1,
    "environments_each": 2,
    "seconds": 0.05,
}
"""No parameter of an assessment of these names is larger when a study is cut down."""


@dataclass(frozen=True)
class Line:
    """A command of a page."""

    page: str
    number: int
    text: str

    @property
    def words(self) -> list[str]:
        """As a shell cuts it, with what stands for the virtual environment left out."""
        words = shlex.split(self.text, comments=True)
        return [words[0].removeprefix(".venv/bin/"), *words[1:]] if words else []


def pages() -> list[Path]:
    """Every page with commands."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[tuple[str, str, int, str]]:
    """The blocks of a page: kind, title, the line that it begins on, and text."""
    pattern = r'^```(\w*)(?: title="([\w./-]+)")?[^\n]*\n(.*?)^```'
    for found in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        yield found[1], found[2] or "", text[: found.start()].count("\n") + 2, found[3]


def lines(page: Path) -> Iterator[Line]:
    """The commands of a page; those that go on after a backslash are one."""
    name = str(page.relative_to(ROOT))
    for kind, _, first, text in blocks(page.read_text(encoding="utf-8")):
        if kind in ("console", "bash", "sh"):
            joined = text.replace("\\\n", "\0")
            number = first
            for line in joined.splitlines():
                if line.strip() and not line.lstrip().startswith("#"):
                    yield Line(name, number, line.replace("\0", " "))
                number += 1 + line.count("\0")


def cut(study: Study) -> Study:
    """The same study, as small as can be: few sittings, once, and short ones."""
    plain: dict[str, Any] = study.to_plain()
    plain["repetitions"] = 1
    plain["assessments"] = [
        _short({"assessment": one} if isinstance(one, str) else one)
        for one in plain.get("assessments") or ["battery"]
    ]
    if plain.get("training"):
        plain["training"] = 1
    return study_from_plain(plain)


def _short(one: dict[str, Any]) -> dict[str, Any]:
    """An assessment with no more of anything than is needed."""
    usual = {field.name: field.default for field in fields(ASSESSMENTS.load(one["assessment"]))}
    given = {**usual, **one.get("parameters", {})}
    short = {
        name: most
        for name, most in MOST.items()
        if isinstance(given.get(name), int | float)
        and not isinstance(given[name], bool)
        and given[name] > most
    }
    return {**one, "parameters": {**one.get("parameters", {}), **short}}


class Begun(Exception):
    """A run that would go on for long was begun; that is enough."""


class Reader:
    """Somebody with a checkout, in whose folder commands are typed one after another."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self.patch = patch
        self.capsys = capsys
        self.entered = ExitStack()
        """What is to be left when the page is read."""
        self.instead: dict[str, str] = {}
        """Words of a page that stand for something which only the reader knows."""
        self.stands_in = False
        """Whether somebody stands in for a model, whose answers may be of no use."""
        self.whole = False
        """Whether studies are not cut down."""
        patch.chdir(folder)
        patch.delenv("MENSURA_STORE", raising=False)
        for name in ("examples", "docs", "Makefile", "pyproject.toml"):
            (folder / name).symlink_to(ROOT / name)
        settle = layout.settled
        patch.setattr(
            layout, "settled", lambda study: settle(study) if self.whole else cut(settle(study))
        )
        patch.setattr(
            "mensura.web.server.listening", lambda *_: socket.create_server(("127.0.0.1", 0))
        )
        patch.setattr(
            "uvicorn.Server.run", lambda server, sockets: [each.close() for each in sockets]
        )
        # Which closes the handlers of all libraries, some of them with the stream that pytest keeps what is printed in.
        patch.setattr("uvicorn.Config.configure_logging", lambda config: None)
        patch.setattr(
            "mensura.pictures.film.Film.stepped", lambda *_: None
        )  # the first frame is enough
        patch.setattr("mensura.cli.runs._ask", lambda *_: None)  # and the reader says yes

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.entered.close()

    def write(self, page: Path) -> None:
        """Save the files that the page shows with their names."""
        for _, title, _, text in blocks(page.read_text(encoding="utf-8")):
            if title:
                Path(title).write_text(text, encoding="utf-8")

    def type(self, line: Line) -> None:
        """Type a command, and see that it ends well."""
        words = line.words
        if not words:
            return
        program = words[0]
        if program == "mensura":
            self._mensura(line, words[1:])
        elif program == "make":
            targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert set(words[1:]) <= set(targets), line
        elif program == "pip":
            known = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
            for extra in re.findall(r"\[([\w,]+)\]", line.text):
                assert all(f"\n{one} = [" in known for one in extra.split(",")), line
        elif program == "export":
            name, _, value = words[1].partition("=")
            self.patch.setenv(name, value)
        elif program == "source":
            assert words[1:] == [".venv/bin/activate"], line
        else:
            assert program in ("cc", "cp", "python3", "sqlite3"), line
            if shutil.which(program):
                subprocess.run(words, check=True, timeout=120)

    def _mensura(self, line: Line, words: list[str]) -> None:
        if ">" in words:  # which the shell sees to
            words = words[: words.index(">")]
        words = [self.instead.get(word, word) for word in words]
        self.patch.setattr(sys, "argv", ["mensura", *words])
        try:
            main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        except Begun:
            status = 0
        captured = self.capsys.readouterr()
        if self.stands_in and "has no valid score" in captured.err:
            status -= 1
        assert status == 0, f"{line.page}:{line.number}: {line.text}\n{captured.out}{captured.err}"
