"""Language models assessed in batches: what is sent together, what it costs, and what survives a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.batch_server import BatchServer
from tests.agents.language_model.server import completion, first_action
from tests.agents.language_model.test_player import LIMITS, ToyWorld, episode
from tests.agents.toy import Toy

from mensura.agents.address import parse
from mensura.agents.language_model import from_model
from mensura.agents.language_model.player import LanguageModel
from mensura.agents.language_model.services import batch_files, batches
from mensura.cli.main import main
from mensura.core.contract import Stopped
from mensura.core.loop import play
from mensura.core.players import Unanswered, drive
from mensura.records.results import StudyResult
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.study import study_from_plain

KEY = "sk-test-0123456789abcdefghij"
SITTINGS, STEPS = 6, 4
COMMAND = (
    # A shell may have told its background jobs to ignore it.
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from mensura.cli.main import main; main()"
)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(batches, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(batches, "_shared", {})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=["openai", "anthropic"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer().running() as running:
        yield running
        running.released.set()


def study(scheme: str, server: BatchServer, **more: Any) -> dict[str, Any]:
    url = f"{server.root}/v1" if scheme == "openai" else server.root
    parameters = {"base_url": url, "price_in": 1, "price_out": 2, **more}
    return {
        "mensura": 1,
        "name": "batched",
        "title": "batched",
        "seed": 7,
        "subjects": [{"subject": f"{scheme}:toy", "parameters": parameters}],
        "worlds": [{"world": "lambda-v1", "parameters": {"horizon": STEPS}}],
        "assessments": [
            {"assessment": "battery", "parameters": {"episodes": SITTINGS, "spread": "any"}}
        ],
    }


IN_BATCHES = {"batch": True, "batch_wait": 60, "concurrency": SITTINGS}


def totals(result: StudyResult) -> dict[str, float]:
    (one,) = result.conditions[0].subjects
    return {name: moments.mean * moments.count for name, moments in one.measures.items()}


def test_all_first_steps_are_one_batch_and_cost_half(scheme: str, server: BatchServer) -> None:
    with open_store("plain.db") as store:
        plain = runs.resume(store, runs.begin(store, study_from_plain(study(scheme, server))))
    assert not server.batches
    with open_store("store.db") as store:
        run = runs.begin(store, study_from_plain(study(scheme, server, **IN_BATCHES)))
        result = runs.resume(store, run)
        (cell,) = store.cells(run)
    assert [len(batch) for batch in server.batches.values()] == [SITTINGS] * STEPS
    lengths = [
        {len(one["messages"]) for one in batch.values()} for batch in server.batches.values()
    ]
    assert lengths[0] == {2 if scheme == "openai" else 1}
    assert all(len(one) == 1 for one in lengths)
    one, other = (each.conditions[0].subjects[0] for each in (result, plain))
    assert one.moments == other.moments
    assert one.faults == 0
    taken = totals(result)
    assert taken["requests"] == SITTINGS * STEPS
    check = 100 + 2 * 10
    assert taken["cost"] == pytest.approx((SITTINGS * STEPS * check / 2 + check) / 1e6)
    assert totals(plain)["cost"] == pytest.approx((SITTINGS * STEPS + 1) * check / 1e6)
    assert "batch=true" in cell.subject
    assert "batch_price=0.5" in cell.subject
    assert not list(batch_files.folder().glob("*"))


def command(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ),
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("scheme", "how"), [("openai", signal.SIGKILL), ("anthropic", signal.SIGINT)]
)
def test_who_is_killed_in_the_middle_of_a_batch_does_not_pay_for_it_again(
    scheme: str, server: BatchServer, how: signal.Signals
) -> None:
    Path("study.yaml").write_text(json.dumps(study(scheme, server, **IN_BATCHES)))
    server.released.clear()
    process = command("study", "run", "study.yaml", "--store", "store.db", "--yes")
    server.wait_for(lambda: server.looks > 0)  # it has the id, and awaits the batch
    process.send_signal(how)
    out, _ = process.communicate(timeout=120)
    assert process.returncode in (-signal.SIGKILL, 130), out
    (file,) = batch_files.folder().glob("*")
    assert KEY not in file.read_text()
    server.released.set()
    with open_store("store.db") as store:
        result = runs.resume(store, store.find("batched"))
    assert [len(batch) for batch in server.batches.values()] == [SITTINGS] * STEPS
    assert totals(result)["requests"] == SITTINGS * STEPS
    assert not list(batch_files.folder().glob("*"))


def model(server: BatchServer) -> LanguageModel:
    (part,) = parse(f"openai:toy?base_url={server.root}/v1&batch=true&concurrency=1")
    made = from_model(part, ToyWorld(), LIMITS)  # type: ignore[arg-type]
    assert isinstance(made, LanguageModel)
    return made


def test_an_answer_that_was_to_be_repaired_is_there_for_who_goes_on(server: BatchServer) -> None:
    server.answerer = lambda request: (
        completion("Hm.") if len(request["messages"]) == 2 else first_action(request)
    )
    server.ending = 1  # the first batch ends; that of the repair does not
    stopped = model(server)
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(episode, stopped.sit(1))
        server.wait_for(lambda: len(server.batches) == 2)
        stopped.hurry()
        with pytest.raises(Stopped):
            playing.result(60)
    assert len(list(batch_files.folder().glob("*"))) == 2
    server.ending = 100
    played = episode(model(server).sit(1))
    assert len(played.rewards) == 1
    asked = [len(one["messages"]) for one in server.requests]
    assert asked == [2, 4, 4, 6, 8]


def test_where_time_is_in_seconds_batches_are_refused(server: BatchServer) -> None:
    with pytest.raises(Unanswered, match=r"Time is in seconds in toy-v0.*leave batch out"):
        drive(
            play(Toy(), 1, world="toy-v0", seed=2, limits=LIMITS, seconds=1.0), model(server).sit(1)
        )
    assert not server.batches


def test_the_command_takes_batches_and_says_what_they_cost(
    server: BatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--sittings", "2", "--budget", "3", "--seed", "1")
    words = ("assess", "openai:toy?batch_wait=0.1", "--base-url", f"{server.root}/v1", *few)
    prices = ("--price-in", "1000", "--price-out", "2000")
    monkeypatch.setattr(sys, "argv", ["mensura", *words, *prices, "--batch", "--yes"])
    with pytest.raises(SystemExit, match="0"):
        main()
    captured = capsys.readouterr()
    said = " ".join(f"{captured.out} {captured.err}".split())
    assert "with 5 minutes for each batch of answers" in said
    assert "took 6 requests" in said
    assert sum(len(batch) for batch in server.batches.values()) == 6
