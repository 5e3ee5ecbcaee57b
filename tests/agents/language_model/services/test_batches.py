"""Requests in batches, through the SDKs of both services that take them."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.agents.language_model.batch_server import BatchServer

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete
from mensura.agents.language_model.actions import function
from mensura.agents.language_model.services import (
    batch_files,
    batches,
    patience,
    service_of,
)
from mensura.agents.language_model.services.patience import PatientService
from mensura.agents.language_model.services.reply import Reply
from mensura.agents.language_model.settings import Settings
from mensura.core.contract import Stopped
from mensura.core.players import Unanswered

TOOLS = [function(Discrete(3))]
KEY = "sk-test-0123456789abcdefghij"
ACTION = (("act", '{"action": 0}'),)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(batches, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(batches, "LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(batches, "_shared", {})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(variable, KEY)


@pytest.fixture(params=["openai", pytest.param("anthropic", marks=pytest.mark.thorough)])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer().running() as running:
        yield running


class Asking:
    """Sittings that ask at the same time, each in a thread."""

    def __init__(self, service: PatientService, pool: ThreadPoolExecutor) -> None:
        self.service = service
        self._pool = pool

    def begin(self, *told: str) -> list[Future[Reply]]:
        return [self._pool.submit(self._ask, one) for one in told]

    def ask(self, *told: str) -> list[Reply]:
        return [one.result(60) for one in self.begin(*told)]

    def _ask(self, told: str) -> Reply:
        return self.service.complete([{"role": "user", "content": told}], TOOLS, 0.001)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(32) as made:
        yield made


def made(scheme: str, server: BatchServer, **more: Any) -> PatientService:
    url = f"{server.root}/v1" if scheme == "openai" else server.root
    given = {"concurrency": 4, "batch_wait": 60.0, "retries": 3, "patience": 60.0, **more}
    service = service_of(Settings("toy", scheme, base_url=url, batch=True, **given))
    assert isinstance(service, PatientService)
    return service


@pytest.fixture
def asking(scheme: str, server: BatchServer, pool: ThreadPoolExecutor) -> Iterator[Asking]:
    service = made(scheme, server)
    yield Asking(service, pool)
    service.hurry()


def words(request: dict[str, Any]) -> str:
    content = request["messages"][-1]["content"]
    return str(content if isinstance(content, str) else content[0]["text"])


def noted() -> list[Path]:
    return sorted(batch_files.folder().glob("*"))


def test_all_that_wait_go_out_as_one_batch(server: BatchServer, asking: Asking) -> None:
    replies = asking.ask("a", "b", "c", "d")
    assert [reply.calls for reply in replies] == [ACTION] * 4
    assert all((one.tokens_in, one.tokens_out, one.seconds) == (100, 10, 0) for one in replies)
    (batch,) = server.batches.values()
    assert sorted(map(words, batch.values())) == ["a", "b", "c", "d"]
    assert not server.at_once


def test_everybody_gets_their_own_answer(server: BatchServer, asking: Asking) -> None:
    server.fate = lambda request: 400 if words(request) == "b" else 200
    good, bad, *others = asking.begin("a", "b", "c", "d")
    with pytest.raises(Unanswered, match=r"refuses the request \(status 400: no good\)"):
        bad.result(60)
    assert [one.result(60).calls for one in (good, *others)] == [ACTION] * 3


def test_requests_that_say_the_same_are_answered_each(server: BatchServer, asking: Asking) -> None:
    asking.ask("a", "a", "a", "a")
    (batch,) = server.batches.values()
    assert len(batch) == 4


def test_nobody_waits_long_for_others(
    scheme: str, server: BatchServer, pool: ThreadPoolExecutor
) -> None:
    asking = Asking(made(scheme, server, batch_wait=0.05), pool)
    assert asking.ask("a")[0].calls == ACTION


def test_a_batch_has_so_many_bytes_at_most(
    scheme: str, server: BatchServer, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_BYTES", 1500)
    asking = Asking(made(scheme, server, batch_wait=0.05), pool)
    asking.ask(*(letter * 1000 for letter in "abcd"))
    assert [len(batch) for batch in server.batches.values()] == [1, 1, 1, 1]


@pytest.mark.parametrize("fate", ["expired", "missing", 429, 500])
def test_what_came_to_nothing_in_passing_is_sent_again(
    scheme: str, server: BatchServer, pool: ThreadPoolExecutor, fate: int | str
) -> None:
    server.fate = lambda request: (
        fate if words(request) == "b" and [*map(words, server.requests)].count("b") == 1 else 200
    )
    replies = Asking(made(scheme, server, batch_wait=0.05), pool).ask("a", "b", "c", "d")
    assert [reply.retries for reply in replies] == [0, 1, 0, 0]
    assert sorted(map(words, server.requests)) == ["a", "b", "b", "c", "d"]


def test_a_batch_that_is_not_taken_is_sent_again(server: BatchServer, asking: Asking) -> None:
    server.creations = [(429, {"Retry-After": "0.01"}), (500, {})]
    assert [reply.calls for reply in asking.ask("a", "b", "c", "d")] == [ACTION] * 4
    assert len(server.batches) == 1


def test_who_is_never_taken_says_so(server: BatchServer, asking: Asking) -> None:
    server.creations = [(429, {})] * 9
    for one in asking.begin("a", "b", "c", "d"):
        with pytest.raises(Unanswered, match="failed 4 times and was not asked again: status 429"):
            one.result(60)
    assert not noted()


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_service_without_batches_is_named(
    server: BatchServer, asking: Asking, status: int
) -> None:
    server.creations = [(status, {})]
    for one in asking.begin("a", "b", "c", "d"):
        with pytest.raises(Unanswered, match=r"takes no batches .*; leave batch out"):
            one.result(60)


def test_looks_that_fail_are_repeated(server: BatchServer, asking: Asking) -> None:
    server.troubles = [500, 429, 503]
    assert [reply.calls for reply in asking.ask("a", "b", "c", "d")] == [ACTION] * 4
    assert len(server.batches) == 1


def test_who_cannot_look_may_come_again(
    scheme: str, server: BatchServer, asking: Asking, pool: ThreadPoolExecutor
) -> None:
    server.troubles = [401]
    for one in asking.begin("a", "b", "c", "d"):
        with pytest.raises(Unanswered, match="does not accept the key"):
            one.result(60)
    assert len(noted()) == 1
    again = Asking(made(scheme, server), pool)
    assert [reply.calls for reply in again.ask("a", "b", "c", "d")] == [ACTION] * 4
    assert len(server.batches) == 1


def test_who_is_stopped_leaves_a_batch_under_way_and_finds_it_again(
    scheme: str, server: BatchServer, asking: Asking, pool: ThreadPoolExecutor
) -> None:
    server.released.clear()
    waiting = asking.begin("a", "b", "c", "d")
    server.wait_for(lambda: len(server.batches) == 1)
    asking.service.hurry()
    for one in waiting:
        with pytest.raises(Stopped):
            one.result(60)
    (file,) = noted()
    server.released.set()
    again = Asking(made(scheme, server), pool)
    replies = again.ask("a", "b", "c", "d")
    assert len(server.batches) == 1
    for reply in replies[1:]:
        assert reply.claim is not None
        reply.claim.safe()
    assert file.exists()
    assert replies[0].claim is not None
    replies[0].claim.safe()
    assert not noted()


def test_another_process_awaits_what_one_left_behind_and_asks_for_the_rest(
    scheme: str,
    server: BatchServer,
    asking: Asking,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replies = asking.ask("a", "b", "c", "d")
    assert replies[0].claim is not None
    replies[0].claim.safe()
    _let_go()
    monkeypatch.setattr(batches, "_shared", {})
    again = Asking(made(scheme, server, batch_wait=0.05), pool)
    # One is safe, so that who asks the same asks for another answer; the others are there.
    waiting = again.begin("b", "c", "d")
    assert [one.result(60).calls for one in waiting] == [ACTION] * 3
    assert len(server.batches) == 1
    assert again.ask("a")[0].calls == ACTION
    assert [len(one) for one in server.batches.values()] == [4, 1]


def test_what_another_process_awaits_is_left_alone(
    scheme: str,
    server: BatchServer,
    asking: Asking,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asking.ask("a", "b", "c", "d")
    monkeypatch.setattr(batches, "_shared", {})
    Asking(made(scheme, server), pool).ask("a", "b", "c", "d")
    assert [len(one) for one in server.batches.values()] == [4, 4]


def test_a_batch_that_nobody_knows_any_more_is_sent_again(
    scheme: str,
    server: BatchServer,
    asking: Asking,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asking.ask("a", "b", "c", "d")
    _let_go()
    monkeypatch.setattr(batches, "_shared", {})
    server.forgotten = {"batch_0"}
    again = Asking(made(scheme, server), pool)
    assert [one.calls for one in again.ask("a", "b", "c", "d")] == [ACTION] * 4
    assert [len(one) for one in server.batches.values()] == [4, 4]


def _let_go() -> None:
    """As if the process had ended."""
    for batching in batches._shared.values():
        for batch in batching._known():
            assert batch.file is not None
            batch.file.let_go()


def test_notes_are_private_and_hold_no_words_and_no_key(
    server: BatchServer, asking: Asking
) -> None:
    asking.ask("a secret", "b", "c", "d")
    (file,) = noted()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    text = file.read_text()
    assert "secret" not in text
    assert KEY not in text
    assert [*map(json.loads, text.splitlines())][1]["batch"] == "batch_0"


def test_a_folder_that_cannot_be_written_is_named_before_anything_is_sent(
    server: BatchServer, asking: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    for one in asking.begin("a", "b", "c", "d"):
        with pytest.raises(Unanswered, match="Batches cannot be noted in"):
            one.result(60)
    assert not server.batches


def test_notes_that_are_of_no_use_are_removed(tmp_path: Path) -> None:
    never_sent = batch_files.BatchFile.prepared("here", ["x-0"])
    old = batch_files.BatchFile.prepared("here", ["x-0"])
    with old.path.open("a") as file:
        file.write('{"batch": "b", "sent": 0}\n')
    broken = batch_files.BatchFile.prepared("here", ["x-0", "y-1"])
    broken.sent("b2")
    with broken.path.open("a") as file:
        file.write('{"safe": "x-')
    elsewhere = batch_files.BatchFile.prepared("there", ["x-0"])
    assert batch_files.left_behind("here") == []
    for one in (never_sent, old, broken, elsewhere):
        one.let_go()
    (found,) = batch_files.left_behind("here")
    assert (found.batch, found.open_items) == ("b2", {"x-0", "y-1"})
    assert noted() == sorted([broken.path, elsewhere.path])


def test_headers_and_keys_go_with_every_request(
    scheme: str, server: BatchServer, pool: ThreadPoolExecutor
) -> None:
    asking = Asking(made(scheme, server, headers='{"X-Team": "blue"}'), pool)
    asking.ask("a", "b", "c", "d")
    names = [{name.lower(): one[name] for name in one} for one in server.headers]
    assert all(one["x-team"] == "blue" for one in names)
    assert all(KEY in str(one) for one in server.headers)


def test_further_fields_go_with_every_request_of_a_batch(
    scheme: str, server: BatchServer, pool: ThreadPoolExecutor
) -> None:
    Asking(made(scheme, server, body='{"top_k": 40}'), pool).ask("a", "b", "c", "d")
    assert all(one["top_k"] == 40 for one in server.requests)
    assert not any("extra_body" in one or "extra_headers" in one for one in server.requests)


def test_a_batch_that_fails_as_a_whole(server: BatchServer, pool: ThreadPoolExecutor) -> None:
    server.status, server.errors = "failed", [{"code": "invalid_model", "message": "no model toy"}]
    for one in Asking(made("openai", server), pool).begin("a", "b", "c", "d"):
        with pytest.raises(Unanswered, match=r"refuses a batch \(no model toy\)"):
            one.result(60)
    assert not noted()


def test_where_too_much_is_under_way_a_batch_is_sent_again(
    server: BatchServer, pool: ThreadPoolExecutor
) -> None:
    server.status = "failed"
    server.errors = [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]
    waiting = Asking(made("openai", server, batch_wait=0.05, retries=99), pool).begin(*"abcd")
    server.wait_for(lambda: len(server.batches) >= 2)
    server.status = "completed"
    assert [one.result(60).calls for one in waiting] == [ACTION] * 4


def test_keys_are_not_sent_to_where_results_are_said_to_be(
    server: BatchServer, pool: ThreadPoolExecutor
) -> None:
    server.results_host = "http://127.0.0.1:9"
    for one in Asking(made("anthropic", server), pool).begin("a", "b", "c", "d"):
        with pytest.raises(Unanswered, match=r"are said to be at 127\.0\.0\.1:9; the key is not"):
            one.result(60)


@pytest.mark.parametrize("scheme", ["gemini", "gguf"])
def test_others_refuse_batches_in_a_sentence(scheme: str) -> None:
    with pytest.raises(MensuraError, match=f"Models of {scheme}: are not asked in batches"):
        Settings("toy", scheme, batch=True)


def test_who_leaves_while_a_batch_is_refused_leaves_no_failure_behind(
    pool: ThreadPoolExecutor,
) -> None:
    class Wire:
        settings = Settings("toy", batch=True, concurrency=1)

        def __init__(self) -> None:
            self.sending, self.refusing = Event(), Event()

        def send_batch(self, bodies: Any) -> str:
            self.sending.set()
            assert self.refusing.wait(60)
            raise Unanswered("No.")

        def batch_results(self, batch: str) -> None:
            return None

    batching, stopping = batches.Batching("here"), Event()
    for wire in (Wire(), Wire()):
        stopping.clear()
        waiting = pool.submit(batching.submit(wire, {"same": 1}).wait, stopping)
        assert wire.sending.wait(60)
        stopping.set()
        batching.hurry(wire)
        wire.refusing.set()
        with pytest.raises((Stopped, Unanswered)):
            waiting.result(60)
        assert not batching._claims()


def test_pauses_grow_from_a_second_to_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    class Wire:
        settings = Settings("toy", batch=True)

        def send_batch(self, bodies: Any) -> str:
            raise AssertionError

        def batch_results(self, batch: str) -> None:
            return None

    now = [0.0]
    batching = batches.Batching("nowhere", clock=lambda: now[0])
    one = batches._Batch({}, Wire(), 0.0)
    one.id = "b"
    pauses = []
    for _ in range(15):
        batching._tend(one)
        pauses.append(one.due - now[0])
        now[0] = one.due
    assert pauses[0] == 1.0
    assert pauses[1] == 1.5
    assert pauses[-1] == 60.0
    assert pauses == sorted(pauses)
