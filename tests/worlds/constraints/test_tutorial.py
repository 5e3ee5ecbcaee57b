"""The tutorial: agents say what it says that they say. That its commands run is tested with all pages."""

import re
from pathlib import Path

import pytest
from tests.pages import DOCS
from typer.testing import CliRunner

from mensura.worlds.constraints.commands import app

PAGE = (DOCS / "worlds" / "constraints-tutorial.md").read_text(encoding="utf-8")


def test_agents_say_what_it_says_that_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r'```yaml title="([^"]+)"\n(.*?)```', PAGE, re.S):
        Path(name).write_text(text, encoding="utf-8")
    shown = re.findall(
        r"```console\nmensura constraints (explain [^\n]*)\n```\n\n```text\n(.*?)```", PAGE, re.S
    )
    assert len(shown) == 4
    for command, text in shown:
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0
        assert result.output == text
