"""Termination detection and vector clocks, on networks that Hypothesis draws."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.worlds.constraints.execution.clocks import Clock, Entries
from mensura.worlds.constraints.execution.crew import Event
from mensura.worlds.constraints.execution.logs import merged
from mensura.worlds.constraints.execution.termination import Detector, Token

pytestmark = pytest.mark.quick


class Ring:
    """Hosts that have work to do, letters on their way between them, and a token."""

    def __init__(self, work: list[int]) -> None:
        self.hosts = [Detector(at) for at in range(len(work))]
        self.work = work
        """So many turns each host has still to do."""
        self.way: list[int] = []
        """The readers of letters on their way."""
        self.token: tuple[int, Token] | None = None
        self.quiet = False

    def act(self, host: int, writes_to: int, writes: bool) -> None:
        """Do one turn of a host, where it has one to do."""
        if self.work[host]:
            self.work[host] -= 1
            if writes and writes_to != host:
                self.hosts[host].sent()
                self.way.append(writes_to)

    def arrive(self, at: int) -> None:
        """Let a letter arrive, any of them."""
        if self.way:
            reader = self.way.pop(at % len(self.way))
            self.hosts[reader].received()
            self.work[reader] += 1

    def probe(self, host: int) -> None:
        """Let a host pass the token on."""
        if self.token is not None and self.token[0] == host:
            self.hosts[host].take(self.token[1])
            self.token = None
        passed = self.hosts[host].pass_on(self.work[host] == 0)
        if passed == "quiet":
            self.quiet = True
            assert not self.way
            assert not any(self.work)
        elif isinstance(passed, Token):
            self.token = (host + 1) % len(self.hosts), passed


MOVES = st.tuples(st.sampled_from("awp"), st.integers(0, 4), st.integers(0, 4), st.booleans())


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.lists(MOVES, max_size=120))
def test_quiet_is_said_only_where_all_is_quiet_and_always_in_the_end(
    work: list[int], moves: list[tuple[str, int, int, bool]]
) -> None:
    ring = Ring(work)
    for kind, one, other, writes in moves:
        host = one % len(work)
        if ring.quiet:
            break
        if kind == "a":
            ring.act(host, other % len(work), writes)
        elif kind == "w":
            ring.arrive(other)
        else:
            ring.probe(host)
    while ring.way or any(ring.work):
        ring.arrive(0)
        for host in range(len(work)):
            ring.act(host, host, False)
    for _ in range(4):
        for host in range(len(work)):
            if not ring.quiet:
                ring.probe(host)
    assert ring.quiet


def test_the_oldest_mistake_is_not_made() -> None:
    """A letter that overtakes the token, from a host not yet passed to one that was."""
    ring = Ring([0, 1, 1])
    ring.probe(0)
    ring.act(1, 0, True)  # the token has left the first host
    ring.probe(1)
    ring.arrive(0)
    ring.act(2, 2, False)
    ring.probe(2)
    ring.work[0] = 0
    ring.probe(0)
    assert not ring.quiet


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)), max_size=80))
def test_letters_that_carry_changes_alone_make_the_clocks_that_whole_ones_make(
    moves: list[tuple[int, int, int]],
) -> None:
    clocks = [Clock(seat) for seat in range(4)]
    whole: list[dict[int, int]] = [{seat: 0} for seat in range(4)]
    channels: dict[tuple[int, int], deque[tuple[Entries, dict[int, int]]]] = {}
    events: list[Event] = []
    causes: list[tuple[int, int]] = []
    last: dict[int, int] = {}
    origin: dict[int, int] = {}
    for seat, other, reads in moves:
        read = []
        for sender in range(4):
            channel = channels.get((sender, seat), deque())
            read += [channel.popleft() for _ in range(min(reads, len(channel)))]
        clocks[seat].begin_turn([entries for entries, _ in read])
        whole[seat][seat] += 1
        for _, clock in read:
            causes.append((origin[id(clock)], len(events)))
            for one, turn in clock.items():
                whole[seat][one] = max(whole[seat].get(one, 0), turn)
        assert clocks[seat].turns == whole[seat]
        if seat in last:
            causes.append((last[seat], len(events)))
        last[seat] = len(events)
        clock = dict(whole[seat])
        origin[id(clock)] = len(events)
        events.append(Event(seat, clock[seat], clock, [], [], {}, 0))
        if other != seat:
            entries = clocks[seat].entries_for(other)
            channels.setdefault((seat, other), deque()).append((entries, clock))
    place = {(one.agent, one.turn): at for at, one in enumerate(merged(events))}
    for cause, effect in causes:
        before, after = events[cause], events[effect]
        assert place[before.agent, before.turn] < place[after.agent, after.turn]
