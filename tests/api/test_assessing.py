"""``ms.assess``: whoever, wherever, however."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server
from tests.api.conftest import CELL, in_a_notebook
from tests.cli.conftest import mensura  # noqa: F401

import mensura as ms
from mensura.studies import runs


def test_a_class_of_a_notebook_is_assessed_in_this_process_and_says_so(result: ms.Result) -> None:
    assert [one.label for one in result.scores] == ["q-learning", "MyAgent"]
    assert all(one.low < one.score < one.high and one.n == 12 for one in result.scores)
    assert result.notes[0].startswith("MyAgent is code without a file and ran inside the Python")
    assert result.details.study["subjects"][0]["subject"] == "mensura.agents.at_hand:MyAgent"


def test_the_first_lines_of_a_notebook_work(
    my_agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    monkeypatch.chdir(tmp_path)
    world = ms.make("lambda-star-v2", rows=6, subjects=3)
    with Server().running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        result = ms.assess(
            [my_agent, "q-learning", "openai:MODEL"],
            world,
            "anytime",
            budget=20,
            sittings=1,
            seed=1,
        )
    assert {one.label for one in result.scores} == {"MyAgent", "q-learning", "openai:MODEL"}
    # Answers that cost money are kept, as by the command.
    assert result.store == "mensura.db"
    assert Path("mensura.db").is_file()
    assert result.details.study["limits"] == {"seconds_per_action": 120.0}


def test_it_scores_what_the_command_scores(mensura: Any) -> None:  # noqa: F811
    words = [
        "assess",
        "random",
        "q-learning",
        "--world",
        "echo",
        "--budget",
        "100",
        "--sittings",
        "3",
        "--seed",
        "5",
    ]
    typed = mensura(*words, "--json", "scores.json")
    assert typed.status == 0, typed.err
    result = ms.assess(["random", "q-learning"], "echo", budget=100, sittings=3, seed=5)
    by_command = json.loads(Path("scores.json").read_text())
    for row, other in zip(result.rows(), by_command, strict=True):
        assert (row["subject"], row["score"]) == (other["subject"], other["score"])


def test_a_class_in_a_file_runs_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pid_agent.py").write_text(
        "import os\n" + CELL + "\n    def agent_metrics(self):\n        return {}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import pid_agent  # type: ignore[import-not-found]

    monkeypatch.setitem(sys.modules, "pid_agent", pid_agent)
    result = ms.assess(
        pid_agent.MyAgent,
        "echo",
        "battery",
        episodes=1,
        seed=1,
        timeout=20,
        limits={"isolation": False},
    )
    assert result.details.study["subjects"] == [
        {"subject": "pid_agent.py:MyAgent", "name": "MyAgent"}
    ]
    assert not any("without a file" in note for note in result.notes)
    assert result.details.study["limits"] == {"seconds_per_action": 20.0, "isolation": False}
    assert "no isolation" in result.details.machine


def test_a_named_run_is_kept_and_completed_under_its_name(
    my_agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "records.db"
    calls: list[str] = []
    played = runs.resume

    def resume(*given: Any, **named: Any) -> Any:
        calls.append(given[1].status)
        return played(*given, **named)

    monkeypatch.setattr(runs, "resume", resume)

    def assess() -> ms.Result:
        return ms.assess(my_agent, "echo", "battery", episodes=2, seed=1, name="mine", store=store)

    assert assess().scores == assess().scores
    assert calls == ["running", "finished"]
    loaded = ms.load("mine", store)
    assert loaded.scores == assess().scores
    assert "kept as the run mine" in str(loaded)
    with pytest.raises(ms.MensuraError, match="episodes: 2 became 3"):
        ms.assess(my_agent, "echo", "battery", episodes=3, seed=1, name="mine", store=store)


@pytest.mark.usefixtures("words_only")
def test_what_only_this_process_could_make_is_told_by_commands_in_a_sentence(
    my_agent: Any,
    mensura: Any,  # noqa: F811
) -> None:
    ms.assess(my_agent, "echo", "battery", episodes=1, seed=1, name="mine")
    assert mensura("runs", "show", "mine").status == 0
    assert mensura("report", "mine", "-o", "r.html").status == 0
    typed = mensura("replay", "mine", "0")
    assert typed.status == 2
    assert "MyAgent was an object of the Python program that assessed it" in typed.err


@pytest.mark.usefixtures("words_only")
def test_a_world_that_is_not_registered_can_be_assessed_in_and_reported(tmp_path: Path) -> None:
    names = in_a_notebook(
        "from mensura.worlds.echo import Echo\n"
        "class Other(Echo):\n    '''Another echo.'''\n    id = 'other-v0'\n"
        "class Same(Echo):\n    '''The same id.'''\n"
    )
    result = ms.assess("random", names["Other"](horizon=5), "battery", episodes=2, seed=1)
    assert result.scores[0].condition == "other-v0"
    assert "The first environment" in result.report(tmp_path / "r.html").read_text()
    with pytest.raises(ms.MensuraError, match="There is no world 'other-v0'"):
        ms.make("other-v0")
    with pytest.raises(ms.MensuraError, match="Same calls itself echo-v1"):
        ms.assess("random", names["Same"](), "battery", episodes=2)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"assessment": "batery"}, "There is no assessment 'batery'; did you mean battery"),
        (
            {"assessment": 3},
            "An assessment is named by a text, as 'anytime', not by a value of type int",
        ),
        ({"budget": "soon"}, "The budget 'soon' is not understood"),
        ({"budget": 10.5}, "The budget 10.5 is not understood"),
        (
            {"assessment": "battery", "budget": 100},
            "A budget belongs to anytime.*and this is battery; leave it out",
        ),
        ({"seed": -1}, "The seed -1 is out of range"),
        ({"seed": "one"}, "The seed 'one' is no whole number"),
        ({"sitings": 3}, "has no parameter 'sitings'; did you mean sittings"),
        ({"training": -1}, "-1 training episodes are impossible"),
        ({"limits": {"netwrk": True}}, "netwrk"),
    ],
)
def test_bad_input_is_told_in_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ms.MensuraError, match=sentence):
        ms.assess("random", "echo", **given)


def test_interrupted_it_gives_the_scores_so_far(
    my_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    conducted = runs.conduct

    def interrupted(places: Any, executor: Any, sink: Any, **more: Any) -> None:
        def once(batches: Any) -> None:
            sink(batches)
            raise KeyboardInterrupt

        conducted(places, executor, once, **more)

    monkeypatch.setattr(runs, "conduct", interrupted)
    result = ms.assess(my_agent, "echo", "battery", episodes=200, seed=1, threads=1)
    assert not result.finished
    assert 0 < result.scores[0].n < 200
    assert "Stopped early: " in str(result)


def test_a_budget_of_time_becomes_seconds() -> None:
    from mensura.api.assessing import read_budget

    assert read_budget("2min") == {"seconds": 120.0}
    assert read_budget(10_000) == read_budget("10_000") == {"interactions": 10_000}


def test_somebody_who_is_kept_goes_on_with_what_was_learned(tmp_path: Path) -> None:
    result = ms.assess("q-learning", "echo", budget=50, sittings=1, seed=1, keep=tmp_path / "lives")
    assert result.details.study["assessments"][0]["parameters"]["memory"] == "continuous"
    assert any((tmp_path / "lives").rglob("*"))


def test_progress_is_shown_where_it_is_wanted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mensura.api import progress

    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 0.0)
    ms.assess("random", "echo", "battery", episodes=2, seed=1)
    assert capsys.readouterr() == ("", "")
    ms.assess("random", "echo", "battery", episodes=2, seed=1, progress=True)
    assert "2 of 2 episodes" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_program_that_defines_its_agent_assesses_it_without_starting_itself_again(
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import mensura as ms\n" + CELL + "\nprint('once')\n"
        "print(ms.assess(MyAgent, 'echo', 'battery', episodes=2, seed=1).scores[0].label)\n"
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert done.stdout.split() == ["once", "MyAgent"], done.stderr
