"""``mensura robustness``, as a person types it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.reports.reading import check

Typed = Callable[..., tuple[int, str, str]]

SMALL = ("--world", "echo", "--set", "longest=0", "--set", "horizon=12", "--seed", "1", "-e", "6")


@pytest.mark.thorough
@pytest.mark.usefixtures("words_only")
def test_a_table_a_page_and_data(mensura: Typed) -> None:
    words = ("robustness", "q-learning", *SMALL, "-p", "observation-noise,action-latency")
    words = (*words, "--strengths", "0.5,1", "--json", "r.json", "-o", "r.html")
    status, out, err = mensura(*words)
    assert (status, err) == (0, "")
    assert "breaking point" in out
    assert "kept as the run robustness-" in out
    data = json.loads(Path("r.json").read_text())
    assert [one["operator"] for one in data] == ["observation-noise", "action-latency"]
    assert [point["strength"] for point in data[0]["curve"]] == [0.0, 0.5, 1.0]
    page = check(Path("r.html").read_text(encoding="utf-8"))
    assert [row[0] for row in page.tables["robustness-table"][1:]] == ["q-learning"] * 2
    before = Path("r.json").read_text()
    assert mensura(*words)[0] == 0  # goes on with the run, of which nothing is missing
    assert Path("r.json").read_text() == before
    assert mensura(*words, "--repeat", "2")[0] == 0  # another run under the same seed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("-p", "action-nois"),
            "There is no perturbation 'action-nois'; did you mean action-noise",
        ),
        (
            ("-p", "memory-los"),
            "There is no perturbation 'memory-los'; did you mean memory-loss",
        ),
        (("-p", "cpu-share"), "planner runs inside our own process, where cpu-share cannot act"),
        (("-p", "messages-late"), "lambda-v1 has one seat here; give it more."),
        (("--strengths", "0,2"), "The strength 2.0 is none; a strength is a number from 0 to 1."),
        (("--strengths", "0,a"), "--strengths has 'a'; it has numbers from 0 to 1"),
        (("-w", "items", "-p", "action-latency"), "and here an episode has one."),
        (("--recovery", "2"), "say how many episodes of training that is"),
        (("--threads", "0"), "0 threads cannot do any work"),
        (("-a", "anytime", "-e", "3"), "--episodes belongs to battery"),
        (("--with", "episodes"), "--with 'episodes' is not understood"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    mensura: Typed, words: tuple[str, ...], sentence: str
) -> None:
    status, out, err = mensura("robustness", "planner", *words)
    assert status == 2
    assert sentence in err
    assert out == ""
    assert err.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_operators_are_listed_with_what_they_do(mensura: Typed) -> None:
    status, out, _ = mensura("worlds", "perturbations", "--json", "o.json")
    assert status == 0
    assert "observation-noise" in out
    acts = [one["acts"] for one in json.loads(Path("o.json").read_text())]
    assert acts == ["world"] * 14 + ["inside"] * 7


SLOW = """
import time


class Slow:
    def act(self, observation, reward):
        time.sleep(0.05)
        return observation
"""


@pytest.mark.thorough
def test_a_real_ctrl_c_ends_it_with_130_and_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    words = ("robustness", "slow.py:Slow", *SMALL[:-1], "500", "-p", "killed-and-restored")
    process = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            # A shell may have told its background jobs to ignore it.
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from mensura.cli.main import main; print('begun', flush=True); main()",
            *(*words, "--store", "runs.db"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "episodes" in line or "item" in line:  # something was played
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130, out
    assert "Traceback" not in out
    assert "go on with:  mensura study resume robustness-" in out
    assert "Then the same command with its --seed or --name shows what was found." in out


def test_ctrl_c_before_anything_is_played_has_a_sentence_of_its_own(
    mensura: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mensura.api.robustness.study_of", interrupted)
    assert mensura("robustness", "planner")[::2] == (130, "Stopped before anything was played.\n")


@pytest.mark.usefixtures("words_only")
def test_withdrawals_have_a_table(mensura: Typed) -> None:
    words = ("robustness", "linear", *SMALL, "-p", "action-noise", "--strengths", "1", "--withdraw")
    status, out, err = mensura(*words)
    assert (status, err) == (0, "")
    assert "Withdrawals" in out
    status, _, err = mensura("robustness", "sarsa", "-w", "framotec", "--withdraw")
    assert status == 2
    assert "an action is something else" in err
