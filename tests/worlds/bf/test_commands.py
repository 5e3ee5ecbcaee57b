"""``mensura bf``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mensura.cli.main import app


def typed(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["bf", "run", *words])
    return result.exit_code, result.output


def test_a_program_runs_by_hand(tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    code, said = typed(",.#", "--actions", "0142", "--json", str(table))
    assert code == 0
    assert "stratum 1" in said
    rows = json.loads(table.read_text())
    assert [row["reward"] for row in rows] == [-1.0, -0.5, 1.0, 0.0]
    assert {row["steps"] for row in rows} == {3}


def test_who_reaches_the_limit_is_told_so() -> None:
    code, said = typed("+[]#", "--actions", "0")
    assert code == 0
    assert "1000 (the limit)" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([",].#"], "Instruction 2 of the program, ], has no partner."),
        ([",.#", "--actions", "07"], "Action 2 is '7'; with 5 symbols actions are 0 to 4."),
        ([",.#", "--actions", ""], "There is no action"),
        ([""], "The program is empty"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], sentence: str) -> None:
    from mensura.agent.errors import MensuraError

    result = CliRunner().invoke(app, ["bf", "run", *words])
    assert result.exit_code != 0
    assert isinstance(result.exception, MensuraError | SystemExit)
    assert sentence in result.output + str(result.exception)
