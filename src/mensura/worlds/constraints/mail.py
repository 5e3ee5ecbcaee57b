"""Letters: how they are written, how long they take, and what is counted of them.

Letters are lines: ``"3 nogood #1=4 #2=0"`` is one to agent 3 of the kind ``nogood``; whatever follows is up to the
kind, and ``#1`` in it names agent 1. On the way the number of the receiver is replaced by that of the sender.
Channels are FIFO for each ordered pair of agents. An agent may write to its neighbors, to those before and after it
in the static order, to whoever wrote to it, and to those whom letters that it read have named.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mensura.agent.keys import Key, draw, prf
from mensura.worlds.constraints.agent_base.letters import CLAIM, REPORTS
from mensura.worlds.constraints.network import Network
from mensura.worlds.kit import State

KIND = re.compile(r"[a-z][a-z0-9?!-]{0,23}")
SHORT = 40
"""Letters of so few characters, which agents write again and again, are remembered as they were read."""
MOST_KINDS = 1000
"""So many kinds are remembered as right."""
NAMED = re.compile(r"#(\d{1,9})\b")
_DELAY, _LOSS = 0, 1


def open_boxes(state: State, count: int) -> None:
    """Empty boxes, and nothing counted yet."""
    state.boxes = [[] for _ in range(count)]
    state.stamps = [[] for _ in range(count)]
    state.known = [{} for _ in range(count)]
    state.way = []
    state.time = 0
    state.sent = {}
    state.latest = {}
    state.kinds = {}
    state.messages = state.numbers = state.unreadable = state.lost = state.obsolete = 0
    state.nogood_checks = state.learned_nogoods = state.learned_costs = 0
    state.checks = [0] * count
    state.nccc = [0.0] * count


def take_out(state: State, seat: int, shown: int) -> None:
    """A seat has read its letters: they leave its box, and it knows the largest counter that they carried."""
    if shown:
        stamps = state.stamps[seat]
        state.nccc[seat] = max(state.nccc[seat], *stamps[:shown])
        del stamps[:shown], state.boxes[seat][:shown]


@dataclass(frozen=True)
class Post:
    """Takes letters and carries them."""

    delays: str
    delay: int
    loss: float

    def take(self, network: Network, state: State, seat: int, lines: Sequence[str]) -> None:
        """Take the letters of a seat, and its reports first, since letters carry its counter of checks.

        Whatever is neither, or is to somebody to whom it may not write, is not sent.
        """
        letters = []
        for line in lines:
            if not line[:1].isdigit():
                self._note(state, seat, line)
                continue
            found = letter(line)
            if found is not None:
                letters.append(found)
            else:
                state.unreadable += 1
        at_once = self.delays == "none" and self.loss == 0.0
        book, known = network.books[seat], state.known[seat]
        counter, kinds = state.nccc[seat], state.kinds
        words = 0
        for to, kind, rest in letters:
            if to not in book and to not in known:
                state.unreadable += 1
                continue
            kinds[kind] = kinds.get(kind, 0) + 1
            state.messages += 1
            if len(rest) > len(kind) + 1:
                words += rest.count(" ")
            if at_once:
                deliver(network, state, to, seat, f"{seat} {rest}", counter)
            else:
                self._send(network, state, seat, to, rest)
        state.numbers += words

    def _note(self, state: State, seat: int, line: str) -> None:
        """Take a report or a claim."""
        told = report(line)
        if told is not None:
            word, number = told
            if word == "checks":
                state.checks[seat] += number
                state.nccc[seat] += number
            else:
                name = REPORTS[word]
                setattr(state, name, getattr(state, name) + number)
        elif line == CLAIM:
            state.claimed = True
        else:
            state.unreadable += 1

    def _send(self, network: Network, state: State, seat: int, to: int, rest: str) -> None:
        """Put a letter on its way; it is not faster than those before it between the same two."""
        pair = seat * network.count + to
        number = state.sent.get(pair, 0)
        state.sent[pair] = number + 1
        number = number * network.count**2 + pair
        if lost(self.loss, state.key, number):
            state.lost += 1
            return
        line, counter = f"{seat} {rest}", state.nccc[seat]
        if self.delays == "none":
            deliver(network, state, to, seat, line, counter)
            return
        wait = delay(self.delays, self.delay, state.key, number)
        at = max(state.time + wait, state.latest.get(pair, 0))
        state.latest[pair] = at
        heapq.heappush(state.way, (at, state.messages, to, seat, line, counter + wait))


def deliver(
    network: Network, state: State, to: int, sender: int, line: str, counter: float
) -> None:
    """Put a letter into a box; its reader may then write to the sender, and to those whom it names."""
    state.boxes[to].append(line)
    state.stamps[to].append(counter)
    book = network.books[to]
    if sender not in book:
        state.known[to][sender] = 1
    if "#" in line:
        for name in NAMED.findall(line):
            other = int(name)
            if other not in book and other != to and other < network.count:
                state.known[to][other] = 1


def arrive(network: Network, state: State) -> None:
    """Deliver what is due; where all boxes are empty, let time go on until a letter is."""
    way = state.way
    if way and not any(state.boxes):
        state.time = way[0][0]
    while way and way[0][0] <= state.time:
        _, _, to, sender, line, counter = heapq.heappop(way)
        deliver(network, state, to, sender, line, counter)


_kinds_known: set[str] = set()


def letter(line: str) -> tuple[int, str, str] | None:
    """To whom a line is addressed, its kind, and what it says from its kind on; None where it is no letter."""
    return _short_letter(line) if len(line) <= SHORT else _letter(line)


def _letter(line: str) -> tuple[int, str, str] | None:
    to, _, rest = line.partition(" ")
    if not to.isdecimal() or not to.isascii() or len(to) > 9:
        return None
    kind = rest.partition(" ")[0]
    if kind not in _kinds_known:
        if KIND.fullmatch(kind) is None:
            return None
        if len(_kinds_known) < MOST_KINDS:
            _kinds_known.add(kind)
    return int(to), kind, rest


_short_letter = lru_cache(1 << 14)(_letter)


def report(line: str) -> tuple[str, int] | None:
    """What a line reports, and how many; None where it is no report."""
    word, _, number = line.partition(" ")
    if word in REPORTS and number.isdecimal() and number.isascii() and len(number) < 16:
        return word, int(number)
    return None


def delay(kind: str, spread: int, key: Key, number: int) -> int:
    """How long a letter takes, at least 1; the same for the same key and number."""
    if kind == "fixed":
        return spread
    unit = (prf(key, number, _DELAY) >> 11) / (1 << 53)
    if kind == "random":
        return 1 + int(unit * spread)
    pareto: float = (1.0 - unit) ** (-1.0 / 1.5)  # which has a mean but no variance
    return min(int(pareto * max(1, spread // 2)), 1000 * spread)


def lost(loss: float, key: Key, number: int) -> bool:
    """Whether a letter is lost."""
    return loss > 0.0 and (draw(key, number, _LOSS) >> 11) / (1 << 53) < loss
