"""Sittings side by side in one thread: the same results as in threads, whatever the subjects do."""

import gc
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mensura.agent.task import Limits
from mensura.agent.waiting import Wait, Waiting
from mensura.agents.address import parse
from mensura.agents.sockets import from_tcp
from mensura.assessments.anytime import Anytime
from mensura.assessments.battery import Battery
from mensura.core.event_loop import EventLoop
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.studies.desk import Desk, Job
from mensura.studies.executors import make_executor
from mensura.studies.executors.executor import Outcome
from mensura.studies.executors.side_by_side import SideBySide
from mensura.studies.executors.threads import Threads
from mensura.studies.place import Place
from mensura.studies.runner import conduct
from mensura.worlds.lambda_class.world import Lambda


class Program:
    """A program that listens, with a thread for each connection; its actions follow from what it sees."""

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._server = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        threads = []
        try:
            while True:
                threads.append(threading.Thread(target=self._serve, args=self._server.accept()[:1]))
                threads[-1].start()
        except OSError:
            for thread in threads:
                thread.join()

    def _serve(self, connection: socket.socket) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            with connection, connection.makefile("rw") as stream:
                for line in stream:
                    message = json.loads(line)
                    value: Any = {"version": 1} if message["ask"] == "hello" else None
                    if message["ask"] == "act":
                        time.sleep(self.pause)
                        seen = message["observation"]
                        value = int(seen["iteration"] + seen["cell"]) % 2
                        if seen["iteration"] == 7.0:
                            value = "nonsense"
                    print(
                        json.dumps({"id": message["id"], "value": value}), file=stream, flush=True
                    )
        except OSError:
            pass
        with self._lock:
            self._now -= 1

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()


@pytest.fixture
def program() -> Iterator[Program]:
    made = Program()
    yield made
    made.close()


def place_of(program: Program, assessment: Any, sittings: int, **limits: float) -> Place:
    world = Lambda(horizon=12)
    own = Limits(**limits)  # type: ignore[arg-type]
    subject = from_tcp(parse(f"tcp://127.0.0.1:{program.port}")[0], world, own)
    cell = Cell(
        number=0,
        condition="",
        world=world.id,
        parameters={},
        assessment="battery",
        assessment_parameters={},
        subject=subject.name,
        name="program",
        seed=5,
        sittings=sittings,
        limits=own,
    )
    return Place(cell, world, subject, assessment)


def played(place: Place, executor: Any) -> list[Batch]:
    batches: list[Batch] = []
    conduct([place], executor, batches.extend)
    return sorted(batches, key=lambda batch: int(batch.item[0]))


@pytest.mark.parametrize(
    "assessment", [Battery(12), Anytime(sittings=6, interactions=60)], ids=["battery", "anytime"]
)
def test_the_results_are_those_of_threads(program: Program, assessment: Any) -> None:
    place = place_of(program, assessment, assessment.sittings)
    assert place.polled
    # One sitting a job, so that batches can be held against each other.
    beside = played(place, SideBySide(1, 6, Desk.laid([place])))
    threads = played(place, Threads(2, Desk.laid([place])))

    def flat(batches: list[Batch]) -> list[Any]:
        return [
            np.concatenate([getattr(batch, name) for batch in batches]).tolist()
            for name in ("item", "score", "interactions", "fault_count")
        ] + [sorted(row for batch in batches for row in batch.faults)]

    assert flat(beside) == flat(threads)
    assert any(one for one in flat(beside)[3])  # nonsense was noticed
    rewards = [np.concatenate([one.episodes.reward for one in run]) for run in (beside, threads)]
    assert rewards[0].tobytes() == rewards[1].tobytes()


def test_sittings_are_under_way_at_once() -> None:
    program = Program(pause=0.02)
    try:
        place = place_of(program, Battery(16), 16)
        batches = played(place, SideBySide(1, 16, Desk.laid([place])))
    finally:
        program.close()
    assert sum(len(batch.item) for batch in batches) == 16
    assert program.most >= 8


def test_sittings_under_way_end_at_once_with_their_score_when_they_are_hurried() -> None:
    program = Program()
    try:
        place = place_of(program, Anytime(sittings=4, interactions=10**9), 4)
        executor = SideBySide(1, 4, Desk.laid([place]))
        executor.start([place], None)
        for item in range(4):
            executor.submit(Job(0, item, 1))
        while not executor.wait(5.0):  # until an episode has been played
            pass
        begun = time.monotonic()
        outcomes = [one for one in executor.hurry() if one.batch is not None]
        assert time.monotonic() - begun < 60.0
    finally:
        program.close()
    assert outcomes
    assert not executor._thread.is_alive()


def test_a_sitting_that_waits_forever_is_dropped_when_the_executor_stops() -> None:
    program = Program(pause=0.5)
    try:
        place = place_of(program, Battery(2), 2)
        executor = SideBySide(1, 2, Desk.laid([place]))
        executor.start([place], None)
        executor.submit(Job(0, 0, 1))
        time.sleep(0.2)
        executor.stop()
        executor.stop()
        (outcome,) = executor.wait(0.0)
    finally:
        program.close()
    assert isinstance(outcome, Outcome)
    assert outcome.batch is None


def test_the_executor_is_chosen_where_it_pays(program: Program) -> None:
    from mensura.studies.runs import Manner

    place = place_of(program, Battery(1000), 1000)
    before = gc.get_threshold()
    executor = Manner("auto").make([place])
    assert isinstance(executor, SideBySide)
    assert executor.workers >= 500
    executor.stop()
    assert gc.get_threshold() == before
    asked_once = replace(place, cell=replace(place.cell, ask_once=True))
    executor = Manner("threads").make([asked_once])
    assert type(executor) is Threads
    executor.stop()
    executor = make_executor("threads", 3, side_by_side=1000)
    assert executor.workers == 3
    executor.stop()


# The loop itself ------------------------------------------------------------------


@pytest.fixture
def loop() -> Iterator[EventLoop]:
    made = EventLoop()
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.stop()
    thread.join()


class Results:
    def __init__(self) -> None:
        self.all: list[Any] = []
        self._more = threading.Condition()

    def add(self, result: Any, error: BaseException | None) -> None:
        with self._more:
            self.all.append(result if error is None else error)
            self._more.notify_all()

    def wait(self, count: int) -> list[Any]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.all) >= count, 20)
        return self.all


def received(connection: socket.socket, until: float) -> Waiting[bytes]:
    def take(_: float) -> list[bytes]:
        try:
            return [connection.recv(100)]
        except BlockingIOError:
            return []

    came = yield Wait(take, until, lambda: ((connection.fileno(), 1),))
    return came[0] if came else b"nothing"


def test_who_has_something_to_go_on_with_goes_on(loop: EventLoop) -> None:
    pairs = [socket.socketpair() for _ in range(20)]
    results = Results()
    for ours, _ in pairs:
        ours.setblocking(False)
        loop.add(received(ours, time.perf_counter() + 60), results.add)
    for number, (_, theirs) in enumerate(reversed(pairs)):
        theirs.send(b"%d" % number)
        results.wait(number + 1)
    assert results.all == [b"%d" % number for number in range(20)]
    for pair in pairs:
        for one in pair:
            one.close()


def test_whose_time_is_over_gets_nothing(loop: EventLoop) -> None:
    results = Results()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        now = time.perf_counter()
        loop.add(received(ours, now + 0.05), results.add)
        assert results.wait(1) == [b"nothing"]
        assert time.perf_counter() >= now + 0.05


def test_those_who_wait_for_one_thing_get_it_one_after_another(loop: EventLoop) -> None:
    results = Results()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, theirs:
        ours.setblocking(False)
        for _ in range(3):
            loop.add(received(ours, time.perf_counter() + 60), results.add)
        for word in (b"a", b"b", b"c"):
            theirs.send(word)
        assert results.wait(3) == [b"a", b"b", b"c"]


def test_what_is_raised_reaches_the_work_and_whoever_began_it(loop: EventLoop) -> None:
    results = Results()

    def broken() -> Waiting[str]:
        def take(_: float) -> list[Any]:
            raise OSError("broken")

        try:
            yield Wait(take, time.perf_counter() + 60, None)
        except OSError as error:
            return f"caught {error}"
        return "not raised"

    loop.add(broken(), results.add)
    assert results.wait(1) == ["caught broken"]

    def failing() -> Waiting[str]:
        yield from ()
        raise ValueError("mine")

    loop.add(failing(), results.add)
    assert isinstance(results.wait(2)[1], ValueError)
    # A descriptor that is closed already is told to whoever waits for it.
    loop.add(_watching_nothing(), results.add)
    assert isinstance(results.wait(3)[2], OSError)


def _watching_nothing() -> Waiting[str]:
    yield Wait(lambda _: [], time.perf_counter() + 60, lambda: ((999_999, 1),))
    return "never"


def test_all_can_be_interrupted(loop: EventLoop) -> None:
    results = Results()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        for _ in range(3):
            loop.add(received(ours, time.perf_counter() + 60), results.add)
        loop.interrupt(KeyError)
        assert [type(one) for one in results.wait(3)] == [KeyError] * 3
