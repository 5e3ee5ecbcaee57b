"""The commands on study files, before anything is run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from click.testing import Result
from typer.testing import CliRunner

from mensura.agent.errors import MensuraError
from mensura.cli import study_files
from mensura.studies.files import STUDIES, read_study, schema

app = typer.Typer()
for command in (study_files.schema, study_files.check, study_files.copy, study_files.shipped):
    app.command()(command)

STUDY = """\
mensura: 1
name: mine
title: A small one
repetitions: 2
subjects: [random, crowd]
worlds: [{world: lambda-star, parameters: {rows: 5, cols: 5, subjects: 2, horizon: 10}}]
assessments: [{assessment: battery, parameters: {episodes: 30}}]
factors:
  - name: time
    levels: [{label: short, world: {horizon: 8}}, {label: long, world: {horizon: 12}}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def typed(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


def test_check_says_what_will_be_run() -> None:
    Path("mine.yaml").write_text(STUDY.replace("horizon: 10}", "radius: 1}"))
    out = typed("check", "mine.yaml", "--json", "c.json").output
    for words in ("mine: A small one", "time: short, long", "It takes a few seconds or so"):
        assert words in out
    for line in ("conditions", "sittings", "episodes, training included", "240", "4,800"):
        assert line in out
    assert "mensura study run mine.yaml" in out
    data = json.loads(Path("c.json").read_text())
    assert (data["conditions"], data["cells"], data["sittings"]) == (2, 8, 240)
    assert data["interactions"] == 4 * 30 * 2 * (8 + 12)


def test_check_says_what_is_wrong_with_the_line() -> None:
    Path("mine.yaml").write_text(STUDY.replace("crowd", "craud"))
    with pytest.raises(MensuraError, match=r"mine.yaml, line 5: There is no subject 'craud'"):
        typed("check", "mine.yaml")


def test_check_finds_a_complexity_out_of_reach() -> None:
    Path("mine.yaml").write_text(STUDY.replace("episodes: 30", "spread: [2, 50]"))
    with pytest.raises(MensuraError, match=r"mine.yaml, line 7: .*K of 50 is out of reach"):
        typed("check", "mine.yaml")


@pytest.mark.thorough
def test_check_names_the_first_of_many_conditions() -> None:
    out = typed("check", "collective-factors").output
    assert "and 340 more" in out
    assert "each factor alone and each pair of them crossed" in out


def test_copy_gives_the_file_with_its_comments() -> None:
    out = typed("copy", "lambda-star-2016").output
    copied = Path("lambda-star-2016.yaml")
    assert copied.read_text() == STUDIES.load("lambda-star-2016").read_text()
    assert str(copied.resolve()) in out.replace("\n", "")
    assert read_study("lambda-star-2016.yaml") == read_study(STUDIES.load("lambda-star-2016"))
    assert typed("copy", "lambda-star-2016", "-o", "-").output == copied.read_text()


def test_copy_overwrites_nothing() -> None:
    Path("mine.yaml").write_text("precious")
    with pytest.raises(MensuraError, match=r"mine.yaml already exists; write elsewhere"):
        typed("copy", "lambda-star-2016", "-o", "mine.yaml")
    assert Path("mine.yaml").read_text() == "precious"
    with pytest.raises(MensuraError, match="did you mean lambda-star-2016"):
        typed("copy", "lambda-star-2015")


def test_schema_is_printed_for_programs_and_for_people() -> None:
    assert json.loads(typed("schema").output) == schema()
    words = typed("schema", "--words").output
    for field in ("repetitions", "seconds_per_action", "baseline", "doubts"):
        assert field in words


def test_shipped_studies_are_listed() -> None:
    out = typed("shipped", "--json", "s.json").output
    assert "collective-factors" in out
    rows = {row["name"]: row for row in json.loads(Path("s.json").read_text())}
    assert rows["lambda-star-2016"]["title"].startswith("Isolated subjects")


def test_a_copy_can_be_changed_and_checked() -> None:
    typed("copy", "collective-factors", "-o", "mine.yaml")
    plain = yaml.safe_load(Path("mine.yaml").read_text())
    plain["name"], plain["design"] = "mine", "one-at-a-time"
    Path("mine.yaml").write_text(yaml.safe_dump(plain))
    assert "29" in typed("check", "mine.yaml").output


def test_checking_phases_says_how_many_trainings_are_saved(mensura: Any) -> None:
    Path("school.yaml").write_text(
        "mensura: 1\nname: school\nsubjects: [random]\nworlds: [lambda]\n"
        "assessments: [{assessment: battery, parameters: {episodes: 3, spread: any}}]\n"
        "phases:\n  - {name: a, interactions: 8}\n"
        "  - {name: b, interactions: 8, then: [[{name: c, interactions: 8}], [{name: d, interactions: 8}]]}\n"
    )
    out = " ".join(mensura("study", "check", "school.yaml").out.split())
    assert "The phases take 12 trainings, and not 27" in out
    assert "15 are saved" in out
