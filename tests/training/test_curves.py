"""Logs of training as pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import mensura

from mensura.agent.errors import MensuraError
from mensura.training.curves import picture, read

__all__ = ["mensura"]


def written(path: Path, first: int, count: int, learners: int = 2) -> Path:
    lines = [
        {
            "interactions": at,
            "score": [None, *[float(at)] * (learners - 1)],
            "value": [0.5] * (at % 3),
        }
        for at in range(first, first + count)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def test_logs_that_go_on_from_one_another_are_one_curve(tmp_path: Path) -> None:
    logs = [written(tmp_path / "a", 1, 3), written(tmp_path / "b", 4, 2)]
    first, second = read(logs, ["one", "two"])
    assert first.interactions == [1, 2, 3, 4, 5]
    assert second.scores == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert [value == value for value in second.values] == [False, True, False, False, True]
    drawn = picture([first, second], 4)
    assert "two: highest value 0.5, score 5 at the end" in drawn


def test_the_command_writes_a_picture(mensura: Any, tmp_path: Path) -> None:
    written(tmp_path / "m.zip.log", 1, 4)
    done = mensura("train", "curves", "m.zip.log", "-o", "a.svg")
    assert done.status == 0, done.err
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert mensura("train", "curves", "m.zip.log", "-o", "a.pdf").status == 0
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("text", "names", "said"),
    [
        ("", (), "nothing was trained yet"),
        ('{"interactions": 1}\n', (), "Line 1 of"),
        ("no\n", (), "Line 1 of"),
        ('{"interactions": 1, "score": [1], "value": 3}\n', (), "Line 1 of"),
        (
            '{"interactions": 1, "score": [1], "value": []}\n',
            ("a", "b"),
            "1 learners in the log and 2",
        ),
        (
            '{"interactions": 1, "score": [1], "value": []}\n{"interactions": 2, "score": [], "value": []}\n',
            (),
            "Line 2 of .* tells of 0 learners, those before of 1",
        ),
    ],
)
def test_what_is_no_log_is_one_sentence(
    text: str, names: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "log").write_text(text, encoding="utf-8")
    with pytest.raises(MensuraError, match=said):
        read([tmp_path / "log"], names)


def test_a_file_that_is_no_picture_is_refused(mensura: Any, tmp_path: Path) -> None:
    written(tmp_path / "log", 1, 2)
    done = mensura("train", "curves", "log", "-o", "a.txt")
    assert done.status == 2
    assert "name a .svg or a .pdf file" in done.err
