"""Pages of the documentation as tests read them: their tables, and their code and commands, which are run."""

import re
import shlex
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from tests.readers import blocks

from mensura.cli.main import main

DOCS = Path(__file__).resolve().parents[1] / "docs"


def cells(line: str) -> list[str]:
    """The cells of a line of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def table(page: str, *names: str) -> list[list[str]]:
    """The rows of the table with these headings."""
    lines = page.splitlines()
    heading = next(i for i, line in enumerate(lines) if cells(line)[: len(names)] == [*names])
    return [
        cells(line) for line in takewhile(lambda one: one.startswith("|"), lines[heading + 2 :])
    ]


def column(page: str, *names: str) -> dict[str, list[str]]:
    """The rows of a table by their first column; several names share a row."""
    return {
        name.strip("`"): row[1:]
        for row in table(page, *names)
        for name in row[0].split(", ")
        if name.startswith("`")
    }


def follow(page: str, folder: Path) -> None:
    """Run all code and all commands of a page, one after another in one folder, as a reader would type them."""
    scope: dict[str, Any] = {"__name__": "page"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for kind, title, _, block in blocks(page):
            if title:
                Path(title).write_text(block, encoding="utf-8")
            elif kind == "python":
                exec(compile(block, "page", "exec"), scope)
            elif kind == "console":
                for line in block.splitlines():
                    patch.setattr(sys, "argv", shlex.split(line))
                    with pytest.raises(SystemExit) as end:
                        main()
                    assert not end.value.code, line
