"""Real runs: agents on hosts and in processes, peer to peer, against the truth and with a bad network between them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds.constraints.real_runs import LONG, TOKEN, run_between, run_on
from tests.worlds.constraints.relay import Relay
from tests.worlds.constraints.small_problems import hard_problem, mixed_problem, soft_problem

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.agent_base.algorithm import Algorithm, on
from mensura.worlds.constraints.algorithms.table import MINDS
from mensura.worlds.constraints.execution import links
from mensura.worlds.constraints.execution.coordinator import Coordinator, run_on_hosts
from mensura.worlds.constraints.execution.crew import Seat
from mensura.worlds.constraints.execution.host import Host
from mensura.worlds.constraints.execution.processes import processes, run_in_processes
from mensura.worlds.constraints.execution.replay import check_log
from mensura.worlds.constraints.execution.runs import Plan, Run
from mensura.worlds.constraints.execution.session import Session
from mensura.worlds.constraints.execution.wire import BadFrame, address_of, connect, packed
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import brute_force
from mensura.worlds.kit import Mind

ENDLESS = 1 << 40
"""Turns: more than can be played."""


def queens(n: int = 6) -> Problem:
    return FAMILIES["queens"].problem(np.random.default_rng(1), n=n)


def check(problem: Problem, run: Run) -> None:
    """Verdict and cost are those of brute force, and the simulator plays the same from the log."""
    truth = brute_force(problem)
    if truth.status == "unsatisfiable":
        assert run.verdict == "no solution"
        assert "cannot be solved" in run.sentence
    else:
        assert (run.verdict, run.ended) == ("solved", "quiet")
        assert run.assignment is not None
        assert problem.cost(run.assignment) == pytest.approx(truth.value)
    checked = check_log(problem, run.log())
    assert checked.left_out == 0
    assert checked.turns == len(run.events) > 0
    assert checked.assignment == run.assignment
    assert checked.nccc == run.counts["nccc"] <= run.counts["checks"]


@pytest.mark.parametrize(
    ("name", "problem_of"),
    [
        ("abt", hard_problem),
        ("awcs", hard_problem),
        ("dpop", mixed_problem),
        ("dpop", soft_problem),
        ("adopt", soft_problem),
        ("afc", hard_problem),
    ],
)
def test_verdicts_on_hosts_are_those_of_brute_force_and_logs_are_played_again(
    name: str, problem_of: Any, full_size: bool
) -> None:
    for seed in range(60 if full_size else 3):
        problem = problem_of(seed)
        check(problem, run_on(Plan(problem, name, seed=seed, logs=True), 1 + seed % 4))


@pytest.mark.parametrize("name", ["abt", "awcs", "dpop"])
def test_delays_and_cut_connections_change_no_verdict(name: str, full_size: bool) -> None:
    cut = 0
    for seed in range(30 if full_size else 2):
        problem = hard_problem(seed + 100) if seed else queens()
        relays = [Relay(seed * 10 + at, delay=0.004, cuts=2) for at in range(3)]
        check(problem, run_on(Plan(problem, name, seed=seed, logs=True), 3, relays))
        cut += sum(one.cut for one in relays)
    assert cut > 0


def test_a_host_that_others_cannot_reach_any_more_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "PATIENCE", 0.2)
    problem = queens()
    relays = [Relay(at, delay=0.001) for at in range(3)]
    relays[2].dies_after = 3000
    run = run_on(Plan(problem, "dsa", turns=ENDLESS, logs=True), 3, relays)
    assert (run.ended, run.verdict) == ("lost", "unfinished")
    assert "is out of reach of 127.0.0.1:" in run.sentence
    assert run.assignment is not None  # the host itself lives, and tells what it has
    checked = check_log(problem, run.log())
    assert (checked.turns, checked.left_out) == (len(run.events), 0)


def test_a_search_without_an_end_stops_at_its_turns_and_its_cost_is_verified() -> None:
    problem = soft_problem(3)
    run = run_on(Plan(problem, "dsa", turns=30, logs=True), 3)
    assert (run.ended, run.verdict) == ("limit", "assignment")
    assert "was stopped after 30 turns" in run.sentence
    assert run.assignment is not None
    assert f"cost {problem.cost(run.assignment):.12g}" in run.sentence
    check_log(problem, run.log())


def test_a_search_of_so_many_rounds_ends_by_itself() -> None:
    run = run_on(Plan(queens(), "dsa", {"rounds": 20.0}), 3)
    assert run.ended == "quiet"
    assert run.counts["messages"] == 21 * 30 - 30
    assert not run.events


def test_time_that_is_over_is_no_proof() -> None:
    relays = [Relay(swallows=True) for _ in range(2)]
    run = run_on(Plan(hard_problem(1), "abt", seconds=0.3, logs=True), 2, relays)
    assert (run.ended, run.verdict) == ("time", "unfinished")
    assert "is not known" in run.sentence
    check_log(hard_problem(1), run.log())


@pytest.mark.thorough
def test_agents_in_processes_solve() -> None:
    check(queens(), run_in_processes(Plan(queens(), "awcs", logs=True), 2))


@pytest.mark.thorough
def test_agents_in_processes_find_out_that_there_is_no_solution() -> None:
    check(queens(3), run_in_processes(Plan(queens(3), "abt", logs=True), 9))


async def at_work(pid: int, seconds: float = 0.2) -> None:
    """Wait until a process has worked for some time: agents who play without an end have had many turns by then."""

    def worked() -> int:
        times = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return int(times[11]) + int(times[12])

    before = worked()
    while worked() - before < seconds * os.sysconf("SC_CLK_TCK"):
        await asyncio.sleep(0.01)


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="it looks at processes as on Linux"
)
def test_a_host_that_dies_is_told_and_never_read_as_no_solution() -> None:
    problem = queens()

    async def killed() -> Run:
        async with processes(2) as started:
            plan = Plan(problem, "dsa", turns=ENDLESS, logs=True)
            one = Coordinator(plan, started.addresses, started.token)
            async with asyncio.timeout(LONG):
                running = asyncio.create_task(one.run())
                await at_work(started.pids[1])
                os.kill(started.pids[1], signal.SIGKILL)
                return await running

    run = asyncio.run(killed())
    assert (run.ended, run.verdict) == ("lost", "unfinished")
    assert run.sentence.startswith("The run ended early: the host 127.0.0.1:")
    assert "the values of 3 agents are not known" in run.sentence
    assert set(run.values) == {0, 1, 2}
    log = run.log()
    assert log.head.lost == (3, 4, 5)
    assert check_log(problem, log).turns >= 1


def test_the_coordinator_sees_no_letters_and_is_asked_where_agents_are() -> None:
    heard: list[Any] = []
    asked: list[Any] = []

    class Spied(Coordinator):
        def _answer(self, at: int, agent: Any) -> None:
            asked.append(agent)
            super()._answer(at, agent)

        async def _wait(self) -> Any:
            put = self._heard.put

            async def noted(item: Any) -> None:
                heard.append(item[1])
                await put(item)

            self._heard.put = noted  # type: ignore[method-assign]
            return await super()._wait()

    rng = np.random.default_rng(4)
    problem = FAMILIES["random-binary"].problem(rng, n=12, m=3, p1=0.3, p2=0.45)
    run = run_on(Plan(problem, "abt"), 6, make=Spied)
    assert run.counts["messages"] > 100
    assert {one["is"] for one in heard} <= {"quiet", "claim", "end"}
    assert sum(len(packed(one)) for one in heard) < 3000
    assert asked  # ABT adds links to agents whom letters name
    assert len(asked) <= 6 * 12


def test_letters_to_agents_that_do_not_exist_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MINDS, "abt", Mind(Misled))  # type: ignore[index]
    run = run_on(Plan(queens(), "abt", logs=True), 3)
    assert run.ended == "quiet"
    assert run.counts["undelivered"] == 6 * 5
    assert run.counts["messages"] == 6 * 5


class Misled(Algorithm):
    """Writes to an agent whom letters name and who does not exist."""

    def start(self) -> None:
        self.send_all(self.neighbors, "named", "#99")

    @on("named")
    def follow(self, sender: int, words: list[str]) -> None:
        self.send(int(words[0][1:]), "named", self.seat)


def test_strangers_are_not_heard() -> None:
    async def tried() -> int:
        host = Host(TOKEN)
        address = await host.listen(("127.0.0.1", 0))
        for said in (b"GET / HTTP/1.1\r\n\r\n", packed({"hello": 1}), b"\xff" * 9, b"\0\0\0\1["):
            reader, writer = await asyncio.open_connection(*address)
            writer.write(said)
            async with asyncio.timeout(LONG):
                await reader.read()  # a number to answer, then the end
            writer.close()
        with pytest.raises(OSError, match="over"):
            await connect(address, "another token", {"is": "coordinator"})
        with pytest.raises(MensuraError, match="cannot be reached with this token"):
            await Coordinator(Plan(queens(), "abt"), [address], "another").run()
        await Coordinator(Plan(queens(), "awcs"), [address], TOKEN).run()
        await host.close()
        return host.strangers

    assert asyncio.run(tried()) == 6


def test_a_host_serves_one_run_after_another_and_not_two_at_once() -> None:
    async def twice() -> None:
        host = Host(TOKEN)
        address = await host.listen(("127.0.0.1", 0))
        busy: list[asyncio.Task[Run]] = []

        def started() -> None:
            second = Coordinator(Plan(queens(), "abt"), [address], TOKEN)
            busy.append(asyncio.create_task(second.run()))

        class Waiting(Coordinator):
            async def _wait(self) -> Any:
                with pytest.raises(MensuraError, match="refused: it serves another run"):
                    await busy[0]
                return await super()._wait()

        for _ in range(2):
            host.served.clear()
            run = await Waiting(Plan(queens(), "abt"), [address], TOKEN, started).run()
            assert run.verdict == "solved"
            await host.served.wait()
            busy.clear()
        await host.close()

    asyncio.run(twice())


SEATS = [Seat(seat, 0, "{}", {"x": 0}, []) for seat in range(3)]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.sampled_from(["letter", "token"]), JSON)
def test_frames_that_make_no_sense_are_dropped(what: str, content: Any) -> None:
    frame = {
        "run": "x", "index": 1, "hosts": 2, "algorithm": "abt", "parameters": {}, "turns": 5, "logs": True,
        "where": {}, "addresses": {},
    }  # fmt: skip

    async def taken() -> None:
        session = Session(frame, SEATS, TOKEN, lambda _: None)
        try:
            assert session.take(0, {"number": 1, what: content})
        except BadFrame:
            pass
        assert not session.take(0, {"number": 1, what: content})

    asyncio.run(taken())


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Plan(queens(), "magic"), "There is no algorithm 'magic'"),
        (lambda: Plan(soft_problem(3), "abt"), "abt solves problems whose tuples are allowed or forbidden"),
        (lambda: Plan(queens(), "central"), "central has to see the whole problem"),
        (lambda: Plan(queens(), "dsa", {"p": 3.0}), "p"),
        (lambda: run_on_hosts(Plan(queens(3), "abt"), [("127.0.0.1", 1)] * 4, TOKEN), "4 hosts were named for 3"),
        (lambda: run_in_processes(Plan(queens(3), "abt"), 0), "0 processes were asked for"),
        (lambda: address_of("nowhere"), "'nowhere' is no address; one is HOST:PORT"),
        (lambda: address_of("a:99999"), "is no address"),
        (lambda: address_of("a:" + "9" * 5000), "is no address"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_nothing_is_run(make: Any, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        make()


def test_an_agent_that_cannot_go_on_ends_the_run_in_a_sentence() -> None:
    with pytest.raises(MensuraError, match="dpop is allowed 10"):
        run_on(Plan(queens(), "dpop", {"cells": 10.0}), 2)


def test_a_host_that_leaves_before_the_start_is_told() -> None:
    async def left() -> None:
        host = Host(TOKEN)

        async def leave(*_: Any) -> None:
            raise ConnectionResetError

        host._obey = leave  # type: ignore[method-assign, assignment]
        address = await host.listen(("127.0.0.1", 0))
        with pytest.raises(MensuraError, match="left before the run began; nothing was run"):
            await Coordinator(Plan(queens(), "abt"), [address], TOKEN).run()
        await host.close()

    asyncio.run(left())


@pytest.mark.thorough
def test_hosts_are_started_by_a_command(tmp_path: Path) -> None:
    code = "from mensura.cli.main import main; main()"
    words = ("constraints", "host", "--once", "--token-file", str(tmp_path / "token"))
    hosts: list[subprocess.Popen[str]] = []
    addresses = []
    try:
        for _ in range(2):
            hosts.append(
                subprocess.Popen(
                    [sys.executable, "-P", "-c", code, *words], stdout=subprocess.PIPE, text=True
                )
            )
            assert hosts[-1].stdout is not None
            line = hosts[-1].stdout.readline()
            assert line.startswith("Listening on 127.0.0.1:")
            addresses.append(address_of(line.split()[2].rstrip(";")))
        token = (tmp_path / "token").read_text().strip()
        assert (tmp_path / "token").stat().st_mode & 0o077 == 0
        check(queens(), run_on_hosts(Plan(queens(), "abt", logs=True), addresses, token))
        for one in hosts:
            assert one.wait(LONG) == 0
    finally:
        for one in hosts:
            one.kill()
            one.communicate()


@pytest.mark.thorough
def test_runs_in_one_event_loop_do_not_disturb_each_other() -> None:
    async def both() -> list[Run]:
        plans = [Plan(queens(), name, logs=True) for name in ("abt", "awcs")]
        return await asyncio.gather(*(run_between(plan, 2) for plan in plans))

    for run in asyncio.run(both()):
        check(queens(), run)
