"""Language models assessed: from the command line to the store, interrupted and resumed, many sittings at once."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, completion, error, first_action

from mensura.agent.errors import MensuraError
from mensura.agents.language_model.services import patience as service_module
from mensura.cli.main import main
from mensura.records.journal import unpack
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.study import study_from_plain

Typed = Callable[..., tuple[int, str]]
KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Type a command; its exit status, and all that it says."""

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["mensura", *words])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        captured = capsys.readouterr()
        return status, " ".join(f"{captured.out} {captured.err}".split())

    return run


def study(server: Server, sittings: int = 3, **more: Any) -> Any:
    return study_from_plain(
        {
            "mensura": 1,
            "name": "models",
            "title": "models",
            "seed": 7,
            "subjects": [
                {
                    "subject": "openai:toy",
                    "parameters": {"base_url": server.url, "retries": 1, **more},
                }
            ],
            "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 5}}],
            "assessments": [
                {"assessment": "battery", "parameters": {"episodes": sittings, "spread": "any"}}
            ],
        }
    )


def plays(server: Server) -> list[dict[str, Any]]:
    """What was asked but for the checks."""
    return [request for request in server.requests if request["max_tokens"] != 16]


def test_a_model_is_assessed_and_all_of_it_is_in_the_record(server: Server) -> None:
    with open_store("store.db") as store:
        run = runs.begin(store, study(server, price_in=1, price_out=2))
        result = runs.resume(store, run)
        (cell,) = store.cells(run)
    assert cell.ask_once
    assert "&prompt_hash=" in cell.subject
    one = result.conditions[0].subjects[0]
    assert one.measures["requests"].mean == 5
    # Three episodes of five requests, and one to check that it answers.
    assert 3 * one.measures["tokens_in"].mean == pytest.approx(1600)
    assert 3 * one.measures["cost"].mean == pytest.approx((1600 + 2 * 160) / 1e6)
    assert one.measures["requests_to_check"].mean == 1
    assert len(plays(server)) == 15
    with open_store("store.db") as store:
        (page,) = store.journal(run, 0, 0)
    answers = [entry for entry in unpack(page) if entry.kind == "act"]
    assert [entry.value for entry in answers] == [0] * 5
    assert all(entry.attachment["call"] == '{"action": 0}' for entry in answers)
    for file in Path().rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


def test_sittings_are_played_side_by_side(server: Server) -> None:
    together = threading.Barrier(6, timeout=60)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request["max_tokens"] != 16 and len(request["messages"]) == 2:
            together.wait()  # nobody goes on before six have begun
        return first_action(request)

    server.answerer = answer
    result = runs.run_study(study(server, sittings=6, concurrency=6))
    assert result.conditions[0].subjects[0].moments.count == 6
    assert server.most_at_once >= 6


def test_an_interrupted_run_asks_nothing_twice(server: Server) -> None:
    """The service fails for good in the middle of three sittings; resumed, the run gives what it would have given."""
    with open_store("whole.db") as store:
        whole = runs.resume(store, runs.begin(store, study(server)))
    asked = sorted(json.dumps(request["messages"]) for request in plays(server))
    server.requests.clear()
    broken = Act(500, error("down"))
    with open_store("store.db") as store:
        run = runs.begin(store, study(server))
        server.script = [Act(), *[Act()] * 7, *[broken] * 30]
        with pytest.raises(
            MensuraError,
            match=r"failed 2 times.* is kept; go on with:  mensura study resume models",
        ):
            runs.resume(store, run)
        assert store.find("models").status == "failed"
        answered = len(plays(server)) - (30 - len(server.script))
        assert answered == 7
        server.script = []
        failed = len(plays(server)) - answered
        result = runs.resume(store, store.find("models"))
        assert not list(store.journals(run).glob("*"))
    assert result.conditions[0].subjects[0].moments == whole.conditions[0].subjects[0].moments
    again = sorted(json.dumps(request["messages"]) for request in plays(server))
    assert len(again) == len(asked) + failed
    assert sorted(set(again)) == sorted(set(asked))


def test_a_key_that_is_not_accepted_leaves_nothing_behind(server: Server, typed: Typed) -> None:
    server.script = [Act(401, error(f"Incorrect API key: {KEY}"))]
    status, said = typed(
        "assess", "openai:toy", "--base-url", server.url, "--sittings", "2", "--budget", "10"
    )
    assert status == 2
    assert "does not accept the key in OPENAI_API_KEY" in said
    assert KEY not in said
    assert len(server.requests) == 1
    with open_store(None) as store:
        assert store.runs() == []


def test_the_command_keeps_paid_answers_by_itself_and_says_what_they_took(
    server: Server, typed: Typed
) -> None:
    status, said = typed(
        *(
            "assess",
            "openai:toy",
            "--base-url",
            server.url,
            "--sittings",
            "2",
            "--budget",
            "10",
            "--seed",
            "1",
        ),
        *(
            "--price-in",
            "1",
            "--price-out",
            "2",
            "--context",
            "4000",
            "--requests-per-minute",
            "1e6",
        ),
    )
    assert status == 0, said
    assert "go on with: mensura study resume assess-0000000000000001" in said
    assert "openai:toy took" in said
    assert "tokens in and" in said
    connection = sqlite3.connect("mensura.db")
    (row,) = connection.execute(
        "select address, name, summary, ask_once, limits from subject"
    ).fetchall()
    connection.close()
    assert row[0].startswith(
        f"openai:toy?base_url={server.url}&context=4000&price_in=1&price_out=2"
    )
    assert row[1] == "openai:toy"
    assert "prompts" in row[2]
    assert row[3]
    assert json.loads(row[4])["seconds_per_action"] == 120.0


@pytest.mark.thorough
def test_ctrl_c_leaves_a_run_that_goes_on_where_it_was(server: Server, typed: Typed) -> None:
    """The command is a process of its own, stopped as a person stops it, in the middle of its sittings."""
    enough, interrupted = threading.Event(), threading.Event()

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if len(plays(server)) >= 9:
            enough.set()
            assert interrupted.wait(120)
            time.sleep(0.05)
        return first_action(request)

    server.answerer = answer
    words = ("assess", "openai:toy", "--base-url", server.url, "--sittings", "3", "--budget", "20")
    process = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            # A shell may have told its background jobs to ignore it.
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from mensura.cli.main import main; main()",
            *(*words, "--seed", "3"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert enough.wait(120)
    process.send_signal(signal.SIGINT)
    interrupted.set()
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130, out
    assert "go on with:  mensura study resume assess-0000000000000003" in out
    asked = len(plays(server))
    status, said = typed("study", "resume")
    assert status == 0, said
    (told,) = re.findall(r"openai:toy took (\d+) requests", said)
    assert int(told) == len(plays(server))
    assert int(told) > asked


@pytest.mark.usefixtures("words_only")
def test_what_a_model_says_commands_neither_the_terminal_nor_the_report(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answerer = lambda _: completion("ACTION: \x1b]0;owned\x07\x9b2J\u202e[red]x[/red]")
    words = ("assess", "openai:toy", "--base-url", server.url, "--answer", "text", "--seed", "3")
    few = ("--sittings", "1", "--budget", "5", "--report", "report.html")
    monkeypatch.setattr(sys, "argv", ["mensura", *words, *few])
    with pytest.raises(SystemExit, match="1"):
        main()
    captured = capsys.readouterr()
    page = Path("report.html").read_text(encoding="utf-8")
    assert "\\x1b]0;owned" in captured.out
    for text in (captured.out, captured.err, page):
        assert not set(text) & set("\x1b\x07\x9b\u202e")
    assert "[red" in captured.out


def test_text_answers_and_prompts_are_options_too(
    server: Server, tmp_path: Path, typed: Typed
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("Play as well as you can. {rules} {instructions} {answer}", encoding="utf-8")
    server.answerer = lambda _: completion("ACTION: 0")
    status, said = typed(
        *("assess", "openai:toy", "--base-url", server.url, "--sittings", "1", "--budget", "10"),
        *("--answer", "text", "--prompt", str(mine)),
    )
    assert status == 0, said
    assert server.requests[-1]["messages"][0]["content"].startswith("Play as well as you can.")


def test_two_models_under_one_seed_are_two_runs(server: Server, typed: Typed) -> None:
    few = ("--base-url", server.url, "--sittings", "1", "--budget", "10", "--seed", "4")
    for model in ("openai:a/one", "openai:two", "openai:two"):
        status, said = typed("assess", model, "random", *few)
        assert status == 0, said
    with open_store("mensura.db") as store:
        names = sorted(run.name for run in store.runs())
    assert names == ["assess-0000000000000004-a-one", "assess-0000000000000004-two"]


@pytest.mark.thorough
def test_the_name_of_a_model_is_not_read_as_an_emoji(server: Server, typed: Typed) -> None:
    few = ("--base-url", server.url, "--sittings", "1", "--budget", "10", "--name", "smiling")
    status, said = typed("assess", "openai:smile:", *few)
    assert status == 0, said
    assert said.count("openai:smile:") >= 2
    assert "\N{SMILING FACE WITH OPEN MOUTH AND SMILING EYES}" not in said
    assert said.isascii() or not any(0x1F300 <= ord(one) < 0x1FB00 for one in said)
    for words in (("runs", "show", "smiling"), ("transcript", "smiling")):
        status, said = typed(*words)
        assert status == 0, said
        assert "openai:smile:" in said


def test_a_prompt_that_leaves_out_what_a_world_tells_is_refused_before_the_first_request(
    server: Server, tmp_path: Path, typed: Typed
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("Play as well as you can. {answer}", encoding="utf-8")
    few = ("--base-url", server.url, "--sittings", "1", "--budget", "10")
    status, said = typed("assess", "openai:toy", "--prompt", str(mine), *few)
    assert status == 2
    assert "lacks the field {rules}; write it where that belongs" in said
    assert server.requests == []


def test_styles_and_histories_are_options_and_recorded(server: Server, typed: Typed) -> None:
    few = ("--base-url", server.url, "--sittings", "1", "--budget", "10", "--name", "short")
    chosen = ("--prompt", "notepad", "--history", "window", "--window", "3")
    status, said = typed("assess", "openai:toy", *few, *chosen)
    assert status == 0, said
    assert "Keep a notepad" in server.requests[-1]["messages"][0]["content"]
    assert max(len(one["messages"]) for one in server.requests) == 8
    with open_store("mensura.db") as store:
        (cell,) = store.cells(store.find("short"))
    for words in ("prompt=notepad", "history=window", "window=3", "prompt_hash="):
        assert words in cell.subject


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("random", "--base-url", "http://h/v1"),
            "--base-url is of language models, and none is assessed",
        ),
        (("openai:toy", "--answer", "yaml"), "answer is 'yaml'; it is tool, text or json"),
        (("openai:toy", "--history", "some"), "history is 'some'; it is all, window or notes"),
        (("openai:toy", "--window", "0"), "window is 0; it is from 1 to"),
        (("openai:toy", "--price-in", "3"), "give both price_in and price_out"),
        (("openai:toy?api_key=sk-secret-123456",), "Keys are not written into addresses"),
        (("openai:toy", "--prompt", "nowhere"), "no file or folder nowhere"),
        (("openai:toy", "--base-url", "http://127.0.0.1:9/v1"), "refused"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(
    arguments: tuple[str, ...], words: str, typed: Typed
) -> None:
    status, said = typed("assess", *arguments, "--sittings", "1", "--budget", "10")
    assert status == 2
    assert words in said
    assert "sk-secret" not in said


def test_agents_check_says_what_is_wrong_with_a_model(server: Server) -> None:
    from mensura.studies.subjects import resolve
    from mensura.testing.agents import check_subject
    from mensura.worlds.lambda_class.world import Lambda

    world = Lambda(horizon=3)
    address = f"openai:toy?base_url={server.url}"
    assert check_subject(resolve(address, world), world) == []
    assert len(plays(server)) == 9  # three episodes, once
    server.answerer = lambda _: completion("left")
    (first, *_) = check_subject(resolve(address, world), world)
    assert "garbled: There is no call of the function act." in first
    server.script = [Act(404, error("no such model"))]
    (only,) = check_subject(resolve(address, world), world)
    assert only.startswith("it could not start: There is no model 'toy'")


def test_prompts_and_replies_are_shown_after_the_fact_and_nobody_is_asked_again(
    server: Server, typed: Typed
) -> None:
    garbled = iter([True, True])

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request["max_tokens"] != 16 and len(plays(server)) > 2 and next(garbled, False):
            return completion("I cannot decide")
        return first_action(request)

    server.answerer = answer
    with open_store("store.db") as store:
        runs.resume(store, runs.begin(store, study(server, sittings=1)))
    asked = plays(server)
    status, said = typed(
        "replay", "models", "0", "--show", "--store", "store.db", "--json", "s.json"
    )
    assert status == 0, said
    assert "identical" in said
    assert len(plays(server)) == len(asked)
    (one,) = json.loads(Path("s.json").read_text(encoding="utf-8"))
    steps = one["interactions"]
    assert [step["reply"] for step in steps].count('{"action": 0}') == 4
    sent = [request["messages"] for request in asked]
    assert steps[0]["system"] == sent[0][0]["content"]
    assert [step["prompt"] for step in steps[:2]] == [
        messages[-1]["content"] for messages in sent[:2]
    ]
    (broken,) = [step for step in steps if "fault" in step]
    assert broken["reply"] == "I cannot decide"
    assert broken["fault"][0] == "garbled"
    assert "reply: I cannot decide no answer that could be played (garbled:" in said
