"""A subject that knows how Mensura draws tries to find the seed of its study, and is too slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from mensura.agent.keys import stretched
from mensura.agents.isolation.cheat import Nothing, _stretched, _told_by, guess_seed
from mensura.agents.isolation.examination import guessed
from mensura.studies.runs import Manner, run_study
from mensura.studies.study import study_from_plain

AGENT = """
import pathlib

class Told:
    def begin_with_key(self, task, key):
        path = pathlib.Path(__file__).with_name("told")
        with path.open("a") as file:
            file.write(f"{key}\\n")

    def act(self, observation, reward):
        return 0
"""


def test_the_cheat_knows_what_a_subject_is_told(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    subject = {"subject": f"{tmp_path}/agent.py:Told", "name": "cheat", "in_process": True}
    study = {
        "mensura": 1,
        "name": "guessed",
        "seed": 20261,
        "subjects": [subject],
        "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 2}}],
        "assessments": [{"assessment": "battery", "parameters": {"episodes": 1}}],
    }
    run_study(study_from_plain(study), manner=Manner("threads", 1))
    (told,) = {int(line) for line in (tmp_path / "told").read_text().split()}
    assert guessed()["seed"] == told


def test_a_seed_that_is_not_stretched_is_found_at_once() -> None:
    told = guessed()
    told["seed"] = _told_by(2026, told["names"])
    assert guess_seed({"guessed": told}) == "the seed is 2026"


@pytest.mark.thorough
def test_who_has_the_time_finds_a_seed_all_the_same() -> None:
    told = guessed(seconds=600.0)
    told["seed"] = _told_by(_stretched(1), told["names"])
    told["quick"] = 0
    assert guess_seed({"guessed": told}) == "the seed is 1"
    assert _stretched(1) == stretched(1)


@pytest.mark.slow
@pytest.mark.timeout(36_000)
def test_ten_minutes_of_processor_time_are_not_enough_for_five_digits() -> None:
    with pytest.raises(Nothing, match="it tried"):
        guess_seed({"guessed": guessed(seconds=600.0)})
