"""The commands, as a person types them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from mensura.cli.making import interval, make_world
from mensura.core import compiling
from mensura.records.store import open_store
from mensura.worlds.echo import Echo
from mensura.worlds.lambda_class.switches import PRESETS
from mensura.worlds.lambda_class.world import Lambda

AGENTS = '''
import os, time

class Greedy:
    """Goes to the best cell it sees."""

    def act(self, observation, reward):
        return 1 + int(observation["rewards"].argmax())

class Raises:
    def act(self, observation, reward):
        raise ValueError("oops")

class Hangs:
    def act(self, observation, reward):
        time.sleep(60)

class Wrong:
    def act(self, observation, reward):
        return 17

class Dies:
    def act(self, observation, reward):
        os._exit(3)

class Mute:
    pass
'''

STAR = ("--world", "lambda-star", "--assessment", "battery")

SMALL = (*STAR, "--grid", "5x5", "--agents", "2", "-i", "8", "-k", "any", "--seed", "1")


def test_help_teaches_and_needs_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['mensura', '--help']\n"
        "from mensura.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'matplotlib', 'gymnasium', 'jinja2'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert out.returncode == 0, out.stderr
    for command in ("demo", "assess", "reproduce", "watch", "worlds", "agents"):
        assert command in out.stdout


def test_assess_prints_scores_with_intervals_and_writes_them(mensura) -> None:
    typed = mensura(
        "assess",
        "local-search",
        "random",
        *SMALL,
        "-e",
        "30",
        "--json",
        "t.json",
        "--rows",
        "r.csv",
    )
    assert typed.status == 0, typed.err
    assert "95% interval" in typed.out
    rows = {row["subject"]: row for row in json.loads(Path("t.json").read_text())}
    assert set(rows) == {"local-search", "random"}
    assert (
        rows["local-search"]["low"] < rows["local-search"]["score"] < rows["local-search"]["high"]
    )
    assert f"{rows['local-search']['score']:+.3f}" in typed.out
    assert rows["local-search"]["score"] > rows["random"]["score"]
    assert len(Path("r.csv").read_text().splitlines()) == 61


def test_the_same_seed_gives_the_same_table(mensura) -> None:
    first, second = (mensura("assess", "crowd", *SMALL, "-e", "20").out for _ in range(2))
    assert first.partition("seed")[0] == second.partition("seed")[0]


def test_an_agent_of_ones_own_is_assessed_in_a_process_and_in_process_alike(mensura) -> None:
    Path("mine.py").write_text(AGENTS)
    tables = []
    for option in ((), ("--in-process",)):
        typed = mensura("assess", "mine.py:Greedy", *SMALL, "-e", "3", "--json", "t.json", *option)
        assert typed.status == 0, typed.err
        assert "code of your own" in typed.out
        (row,) = json.loads(Path("t.json").read_text())
        tables.append((row["score"], row["faults"]))
    assert tables[0] == tables[1]
    assert tables[0][1] == 0


BAD = """
class Crash:
    def act(self, observation, reward):
        print("about to crash")
        return {}["missing"]

class Garbage:
    def act(self, observation, reward):
        return "garbage"
"""


def test_a_subject_that_only_played_the_default_is_marked_and_not_ranked(mensura) -> None:
    Path("bad.py").write_text(BAD)
    kept = ("--store", "s.db", "--name", "bad")
    words = ("bad.py:Crash", "bad.py:Garbage", "random", *SMALL, "-e", "5")
    typed = mensura("assess", *words, *kept, "--json", "t.json")
    assert typed.status == 1
    assert (
        "bad.py:Crash has no valid score (100% of its actions were the environment's" in typed.err
    )
    rests = [
        line.partition("(invalid)")[2] for line in typed.out.splitlines() if "(invalid)" in line
    ]
    assert [re.findall(r"[\w.+-]+", rest)[0] for rest in rests] == ["none"] * 2
    assert (
        "No valid score: bad.py:Crash and bad.py:Garbage. More than 5% of the actions" in typed.out
    )
    assert "KeyError: 'missing' (bad.py, line 5)" in " ".join(typed.out.split())
    rows = {row["subject"]: row for row in json.loads(Path("t.json").read_text())}
    assert [rows[one]["valid"] for one in ("bad.py:Crash", "bad.py:Garbage", "random")] == [
        False,
        False,
        True,
    ]
    crash = rows["bad.py:Crash"]
    assert [crash[name] for name in ("score", "low", "high", "spread")] == [None] * 4
    assert crash["reason"] == "100% of its actions were the environment's default"
    assert rows["random"]["score"] is not None
    assert "reason" not in rows["random"]
    assert crash["default_share"] == 1.0
    # Each sitting is done after three faults.
    assert crash["asked"] == crash["faults"]
    again = mensura("runs", "show", "bad", "--store", "s.db", "--json", "again.json")
    assert "bad.py:Crash (invalid)" in again.out
    scores = json.loads(Path("again.json").read_text())["scores"]
    assert {row["subject"]: row["default_share"] for row in scores}["bad.py:Crash"] == 1.0
    refused = mensura("compare", "bad", "--store", "s.db", "--subject", "bad.py:Crash")
    assert refused.status == 2
    assert "There are no two valid scores to compare" in refused.err
    with open_store(Path("s.db")) as store:
        result = store.result(store.find("bad"))
    printed = {one.subject: one.printed for one in result.conditions[0].subjects}
    assert printed["bad.py:Crash"][0].text.startswith("about to crash\nabout to crash")
    assert printed["random"] == ()


@pytest.mark.parametrize(("least", "status"), [("-1", 0), ("0.999", 1)])
def test_a_score_below_the_least_ends_with_status_1_and_a_sentence(
    mensura: Any, least: str, status: int
) -> None:
    typed = mensura("assess", "random", *SMALL, "-e", "5", "--seed", "1", "--fail-under", least)
    assert typed.status == status
    assert ("random scored " in typed.err and ", below 0.999." in typed.err) == (status == 1)


@pytest.mark.parametrize(
    ("name", "kind", "faults"),
    [
        ("Raises", "raised: ValueError: oops", 6),
        pytest.param("Wrong", "illegal: 17", 6, marks=pytest.mark.thorough),
        ("Hangs", "late", 6),
        pytest.param("Dies", "died", 6, marks=pytest.mark.thorough),
    ],
)
def test_an_agent_that_breaks_costs_itself_its_score_and_never_the_run(
    mensura, name: str, kind: str, faults: int
) -> None:
    Path("mine.py").write_text(AGENTS)
    typed = mensura(
        "assess",
        f"mine.py:{name}",
        "oracle",
        *SMALL,
        "-e",
        "1",
        "--timeout",
        "0.2",
        "--json",
        "t.json",
    )
    assert typed.status == 1
    assert f"mine.py:{name} has no valid score" in typed.err
    rows = {row["subject"]: row for row in json.loads(Path("t.json").read_text())}
    assert rows[f"mine.py:{name}"]["faults"] == faults
    assert rows["oracle"]["faults"] == 0
    assert kind in typed.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("assess", "random", *STAR, "--grid", "1x1"),
            "A grid of 1x1 has no room for Good and Evil",
        ),
        (("assess", "random", *STAR, "--grid", "ten"), "write ROWSxCOLS, as 10x10"),
        (("assess", "random", *STAR, "--agents", "0"), "0 subjects cannot be assessed"),
        (("assess", "random", *STAR, "--agents", "-4"), "-4 subjects cannot be assessed"),
        (("assess", "random", *STAR, "-e", "-5"), "A battery of -5 episodes is empty"),
        (("assess", "random", *STAR, "-i", "-1"), "An episode of -1 interactions is out of range"),
        (("assess", "random", *STAR, "-k", "99"), "A complexity K of 99 is out of reach"),
        (("assess", "random", *STAR, "-k", "9:3"), "The complexity range from 9 to 3 is empty"),
        (("assess", "random", *STAR, "--training", "-1"), "-1 training episodes are impossible"),
        (("assess", "random", "--threads", "0"), "0 threads cannot do any work"),
        (("assess", "random", "--seed", "-1"), "The seed -1 is out of range"),
        (("assess", "random", "--set", "rows"), "write NAME=VALUE"),
        (("assess", "random", *STAR, "--set", "rows=x"), "rows is 'x'; it must be a whole number"),
        (
            ("assess", "random", *STAR, "--set", "guided=x"),
            "guided is 'x'; it must be true or false",
        ),
        (
            ("assess", "random", *STAR, "--set", "colour=1"),
            "has no parameter 'colour'; did you mean cols",
        ),
        (
            ("assess", "random", "--world", "lamda-star"),
            "did you mean lambda-star-v2 or lambda-v1?",
        ),
        (
            ("assess", "random", "--world", "lambda-star-v0"),
            "lambda-star-v0 is an older version of lambda-star-v2, the present one; what changed in v1: under",
        ),
        (("assess", "random", *STAR, "--preset", "papers"), "did you mean paper?"),
        (
            ("assess", "randon", *STAR),
            "There is no subject 'randon' for lambda-star-v2; did you mean random?",
        ),
        (("assess", "stigmergy"), "it is one of lambda-star-v2: name that world, as --world"),
        (
            ("assess", "greedy"),
            "it is one of constraints-v1 and of lambda-star-v2: name one of these worlds, as --world constraints-v1 "
            "--preset queens or --world lambda-star-v2 --preset commons.",
        ),
        (
            ("assess", "oracle", "--world", "lambda-star", "--preset", "landscape"),
            "for lambda-star-v2 as it is set; there is one under --preset paper.",
        ),
        (("assess", "oracle+random", *STAR), "2 members and the environment 5 seats"),
        (("assess", "nowhere.py:Me"), "There is no file nowhere.py"),
        (("assess", "mine.py:Greedyy"), "has no class 'Greedyy'; did you mean Greedy?"),
        (("assess", "mine.py:Mute"), "has no method act(observation, reward)"),
        (("assess", "random", "--report", "no/folder.html"), "The folder no does not exist"),
        (("assess", "random", "--json", "."), "is a folder; give the name of a file in it"),
        (("demo", "--report", "no/folder.html"), "The folder no does not exist"),
        (("reproduce", "lambda-star-2015"), "did you mean lambda-star-2016"),
        (("reproduce", "lambda-star-2016", "-e", "1"), "1 episodes give no interval"),
        (("worlds", "show", "lambda-star", "-k", "77"), "A complexity K of 77 is out of reach"),
        (("worlds", "show", "--picture", "x.bmp"), "x.bmp"),
        (("worlds", "show", "--from", "mine.py"), "mine.py is not JSON"),
        (("worlds", "show", "--from", "e.json"), "There is no file e.json"),
        (("watch", "random", "-o", "x.mp4"), "x.mp4"),
        (("watch", "random", "--training", "-1"), "-1 training episodes are impossible"),
        (("watch", "--from", "e.json", "-k", "9"), "leave out --complexity"),
        (("worlds", "show", "-k", "L=3"), "has no complexity 'L'; "),
        (
            ("worlds", "show", "lambda-star", "--preset", "commons", "-k", "K=3"),
            "has no complexity 'K'; there are none.",
        ),
        (
            ("worlds", "show", "lambda-star", "-k", "few"),
            "write a number, LOW..HIGH, or MEASURE=LOW..HIGH as K=",
        ),
        (("worlds", "show", "lambda", "--grid", "3x3"), "lambda has no rows and columns"),
        (
            ("worlds", "show", "lambda", "--set", "cycle_length=drwan"),
            "cycle_length is 'drwan'; it must be a whole number or drawn",
        ),
        (
            ("worlds", "show", "lambda", "--set", "cells=2,3,4"),
            "cells is '2,3,4'; it must be a whole number or two numbers as 2,9",
        ),
        (
            ("worlds", "show", "lambda", "--set", "good_drops=much"),
            "good_drops is 'much'; it must be numbers as 0.5,0.25",
        ),
        (("worlds", "show", "lambda", "--set", "moves=jumping"), "moves is 'jumping'"),
        (("worlds", "show", "lambda", "--preset", "thesys"), "did you mean thesis"),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_nothing_behind(
    mensura, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "mine.py").write_text(AGENTS)
    typed = mensura(*words)
    assert typed.status == 2
    assert typed.err.startswith("mensura: ")
    assert sentence in typed.err
    assert len(typed.err.strip().splitlines()) == 1
    assert typed.err.strip().endswith((".", "?"))
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["mine.py"]


def test_an_unwritable_folder_gets_a_sentence(
    mensura, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    monkeypatch.setattr(os, "access", lambda path, mode: False)
    typed = mensura("assess", "random", *SMALL, "--report", "r.html")
    assert typed.status == 2
    assert "r.html cannot be written; choose a folder that you may write to." in typed.err


@pytest.mark.usefixtures("words_only")
def test_demo_prints_all_subjects_and_writes_a_report(mensura, tmp_path: Path) -> None:
    typed = mensura(
        *("demo", "-b", "100", "-s", "2", "--seed", "2"),
        *("--report", "demo.html", "--json", "demo.json"),
    )
    assert typed.status == 0, typed.err
    rows = json.loads(Path("demo.json").read_text())
    assert len(rows) == 8
    page = Path("demo.html").read_text()
    assert "planner" in page
    assert str(tmp_path / "demo.html") in typed.out.replace("\n", "")


@pytest.mark.usefixtures("words_only")
def test_reproduce_shows_published_values_beside_ours(mensura) -> None:
    typed = mensura("reproduce", "lambda-star-2016", "-e", "3", "--seed", "2", "--json", "r.json")
    assert typed.status == 0, typed.err
    rows = json.loads(Path("r.json").read_text())
    assert len(rows) == 3 * 13 * 2
    assert {"name", "published", "measured", "low", "high", "settings"} <= set(rows[0])
    crowd = next(row for row in rows if row["name"].startswith("crowd, 10x10"))
    assert crowd["published"] == 0.5516
    assert "+0.552" in typed.out
    assert "known defects" in typed.out
    assert Path("lambda-star-2016.html").exists()


def test_reproduce_lists_the_experiments_there_are(mensura) -> None:
    typed = mensura("reproduce")
    assert "lambda-star-2016" in typed.out
    assert "collective-factors" in typed.out


def test_worlds_show_prints_draws_and_describes_an_environment(mensura) -> None:
    words = ("worlds", "show", "lambda-star", "--seed", "7", "-k", "9")
    typed = mensura(*words, "--picture", "e.svg", "--description", "e.json")
    assert typed.status == 0, typed.err
    assert "K = 9" in typed.out
    assert "H = 13.27 bits" in typed.out
    assert "<svg" in Path("e.svg").read_text()
    described = json.loads(Path("e.json").read_text())
    assert described["rows"] == 10
    assert mensura(*words).out.partition("seed")[0] in typed.out
    again = mensura("worlds", "show", "lambda-star", "--from", "e.json")
    assert "K = 9" in again.out


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("cells=3", 3),
        ("cells=2,9", (2, 9)),
        ("actions=2,none", (2, None)),
        ("actions=2,4", (2, 4)),
        ("cycle_length=drawn", "drawn"),
        ("cycle_length=7", 7),
        ("division=infinity", "infinity"),
        ("division=2.5", 2.5),
        ("good_drops=0.5,0.25", (0.5, 0.25)),
        ("future=0", (0,)),
        ("future=", ()),
        ("sieves=", ()),
        ("sieves=balanced", ("balanced",)),
        ("shared=yes", True),
        ("topology=weak", "weak"),
        ("p_stop=0.1", 0.1),
    ],
)
def test_every_kind_of_parameter_can_be_set(change: str, expected: object) -> None:
    world = make_world("lambda", changes=[change, *(["sieves="] if "drops" in change else [])])
    found = getattr(world, change.partition("=")[0])
    assert found == expected
    assert type(found) is type(expected)


def test_without_a_preset_a_world_is_under_its_first() -> None:
    assert make_world("lambda") == make_world("lambda", "thesis")
    assert make_world("lambda-star") == make_world("lambda-star", "paper")
    assert make_world("lambda", "theory").division == 2.0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("any", None),
        ("7", ("zlib_space_pattern", 7.0, 7.0)),
        ("50..90", ("zlib_space_pattern", 50.0, 90.0)),
        ("zlib_pattern=9.5..20", ("zlib_pattern", 9.5, 20.0)),
        ("lempel_ziv=4", ("lempel_ziv", 4.0, 4.0)),
        ("lempel_ziv=4:6", ("lempel_ziv", 4.0, 6.0)),
    ],
)
def test_a_complexity_is_asked_for_by_number_range_or_name(
    text: str | None, expected: object
) -> None:
    assert interval(make_world("lambda"), text) == expected


def test_worlds_show_draws_lambda_too(mensura) -> None:
    words = (
        "worlds",
        "show",
        "lambda",
        "--seed",
        "7",
        "-k",
        "lempel_ziv=4..6",
        "--preset",
        "theory",
    )
    typed = mensura(*words, "--picture", "e.svg", "--description", "e.json")
    assert typed.status == 0, typed.err
    assert "who" in typed.out
    (told,) = (line for line in typed.out.splitlines() if line.startswith("lempel_ziv = "))
    assert told.endswith("(of the pattern alone: the space does not count)")
    assert "<svg" in Path("e.svg").read_text()
    data = json.loads(Path("e.json").read_text())
    assert data["division"] == 2.0
    data["good_and_evil"] = {"kind": "shy"}
    Path("shy.json").write_text(json.dumps(data))
    typed = mensura("worlds", "show", "lambda", "--from", "shy.json")
    assert typed.status == 0, typed.err
    assert "Good and Evil: shy" in typed.out
    assert "zlib_pattern: The complexity zlib_pattern is that of a pattern" in typed.out


def test_watch_plays_lambda_too(mensura) -> None:
    words = ("watch", "random", "--world", "lambda", "--seed", "7", "-i", "4", "-n", "2")
    typed = mensura(*words, "-k", "zlib_pattern=10..30")
    assert typed.status == 0, typed.err
    assert typed.out.count("iteration ") == 5
    assert mensura(*words, "-o", "e.gif").status == 0
    assert Path("e.gif").read_bytes()[:3] == b"GIF"
    coverage = ("watch", "crowd", "-w", "lambda-star", "--preset", "coverage", "--seed", "7")
    typed = mensura(*coverage, "-i", "5", "-o", "c.svg", "--picture", "end.svg")
    assert typed.status == 0, typed.err
    assert "never seen" in Path("end.svg").read_text()


def test_all_switches_of_lambda_are_listed_under_both_presets(mensura) -> None:
    out = mensura("worlds", "parameters", "lambda", "--json", "p.json").out
    rows = {row["parameter"]: row for row in json.loads(Path("p.json").read_text())}
    assert set(rows) == {field.name for field in fields(Lambda)}
    for name, changes in PRESETS.items():
        for parameter, value in changes.items():
            shown = rows[parameter][name]
            assert (tuple(shown) if isinstance(shown, list) else shown) == value
    assert "thesis" in out
    assert "theory" in out
    assert ":class:" not in out
    assert "take lempel_ziv unless one is named, of the pattern alone" in out


def test_worlds_and_their_parameters_are_listed(mensura) -> None:
    assert "lambda-star-v2" in mensura("worlds", "list").out
    out = mensura("worlds", "parameters", "lambda-star", "--json", "p.json").out
    assert "authors-2016" in out
    rows = {row["parameter"]: row for row in json.loads(Path("p.json").read_text())}
    assert rows["generator"]["authors-2016"] == "walk"
    assert rows["company"]["coordination"] == 2
    assert rows["cols"]["meaning"] == "Columns of the torus."
    assert "Columns of the torus (whole number)" in out
    assert "company=2" in out


def test_a_question_is_asked_of_the_subjects_that_show_it(mensura) -> None:
    out = mensura("agents", "list", "lambda-star", "--preset", "coverage").out
    assert "dispersal" in out
    few = ("--episodes", "2", "--iterations", "5", "--grid", "5x5", "--seed", "1")
    typed = mensura("assess", *STAR, "--preset", "coordination", *few, "--json", "c.json")
    assert typed.status == 0, typed.err
    found = {row["subject"] for row in json.loads(Path("c.json").read_text())}
    assert {"random", "crowd", "auction"} <= found
    typed = mensura(
        "assess", "random", *STAR, "--preset", "coordination", "--set", "sense=-1", *few
    )
    assert (typed.status, "sense is -1" in typed.err) == (2, True)


def test_agents_are_listed_with_their_parameters(mensura) -> None:
    out = mensura("agents", "list", "lambda-star", "--json", "a.json").out
    assert "wisdom of the crowd" in out
    rows = {row["subject"]: row for row in json.loads(Path("a.json").read_text())}
    assert rows["q-learning"]["parameters"]["training"] == 1000


def test_agents_for_every_world_are_listed_with_what_their_parameters_mean(mensura) -> None:
    out = mensura("agents", "list", "framotec", "--json", "a.json").out
    assert "Draws every action evenly" in out
    assert "alpha: How far a value moves" in out
    rows = {row["subject"]: row for row in json.loads(Path("a.json").read_text())}
    assert rows["linear"]["parameters"]["trace"] == 0.8


def test_agents_check_says_what_is_wrong(mensura) -> None:
    Path("mine.py").write_text(AGENTS)
    assert mensura("agents", "check", "mine.py:Greedy", "--world", "lambda-star").status == 0
    typed = mensura("agents", "check", "mine.py:Wrong", "--world", "lambda-star")
    assert typed.status == 1
    assert "wrong:" in typed.out
    assert "17" in typed.out


def test_watch_shows_an_episode_and_saves_an_animation(mensura) -> None:
    typed = mensura("watch", "local-search", "-w", "lambda-star", "--seed", "7", "-i", "5")
    assert typed.status == 0, typed.err
    assert "mean reward" in typed.out
    typed = mensura(
        *("watch", "imitation", "-w", "lambda-star", "--seed", "7", "-i", "5", "-o", "e.gif")
    )
    assert typed.status == 0, typed.err
    assert Path("e.gif").read_bytes()[:3] == b"GIF"
    coverage = ("watch", "crowd", "-w", "lambda-star", "--preset", "coverage", "--seed", "7")
    typed = mensura(*coverage, "-i", "5", "-o", "c.svg", "--picture", "end.svg")
    assert typed.status == 0, typed.err
    assert "never seen" in Path("end.svg").read_text()


@pytest.mark.thorough
def test_a_terminal_without_the_signs_gets_all_the_rest() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "mensura.cli.main", "worlds", "show", "lambda", "--seed", "3"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"seed 3" in shown.stdout
    assert shown.stdout.isascii()


def test_ctrl_c_shows_the_scores_so_far_and_leaves_with_130(
    mensura: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tired.py").write_text(
        "import os, signal, time\n"
        "from pathlib import Path\n"
        "class Tired:\n"
        "    asked = 0\n"
        "    def act(self, observation, reward):\n"
        "        Tired.asked += 1\n"
        "        if Tired.asked == 60:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "            while not Path('interrupted').exists():\n"
        "                time.sleep(0.001)\n"
        "        return 0\n"
    )

    def interrupt(*_: object) -> None:
        Path("interrupted").touch()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    few = ("--sittings", "3", "--budget", "50", "--threads", "1", "--seed", "1")
    try:
        typed = mensura("assess", "tired.py:Tired", "--in-process", *few, "--report", "r.html")
    finally:
        signal.signal(signal.SIGINT, before)
    assert typed.status == 130, typed
    assert "tired.py:Tired" in typed.out
    assert Path("r.html").exists()


def test_a_world_is_taken_as_an_argument_and_as_an_option(mensura: Any) -> None:
    shown = [
        mensura("worlds", "show", *words, "--seed", "1")
        for words in (["echo"], ["--world", "echo"])
    ]
    assert shown[0] == shown[1]
    assert shown[0].status == 0
    assert mensura("agents", "list", "-w", "echo").out == mensura("agents", "list", "echo").out
    both = mensura("worlds", "parameters", "echo", "--world", "lambda")
    assert both.status == 2
    assert "Two worlds are named, echo and lambda; this command takes one." in both.err


def test_tables_are_written_for_a_paper(mensura: Any) -> None:
    few = ("--sittings", "2", "--budget", "20", "--seed", "1", "--world", "echo")
    typed = mensura("assess", "random", *few, "--format", "markdown")
    assert typed.out.splitlines()[4].startswith("| random | ")
    assert "seed 1" in typed.err
    assert "seed 1" in mensura("assess", "random", *few).out


def test_every_command_says_that_it_compiles_and_only_once(
    mensura: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sample(self: Any, *given: Any) -> Any:
        compiling.tell("a door")
        compiling.tell("another")
        return real(self, *given)

    real = Echo.sample
    monkeypatch.setattr(Echo, "sample", sample)
    for words in (["worlds", "show", "echo"], ["watch", "random", "--world", "echo"]):
        assert mensura(*words).err.count("Compiling the kernels") == 1
