"""Seats whose subjects only pick values, since a proxy speaks for them: what they see and do, and who has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.abilities import is_person, is_told_in_words
from mensura.core.group import stretches
from mensura.core.players import Subject
from mensura.worlds.constraints.agent_base.algorithm import OPEN
from mensura.worlds.constraints.agent_base.knowledge import MOST_VALUES, Knowledge
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.proxy import PROXIES, Proxy, proxy_at
from mensura.worlds.kit import Discrete, Record, Several, Space, State, Text
from mensura.worlds.kit.minds import Group

NONE = "none"
"""What the parameter is where nobody is spoken for."""
LONGEST_TOLD = 2000
"""The most characters of what a proxy says that it did."""


def seats_of(world: str, proxies: tuple[str, ...]) -> dict[int, str]:
    """By seat, who speaks for it, as the parameter says: "0:abt"."""
    found: dict[int, str] = {}
    for one in proxies:
        seat, colon, kind = one.partition(":")
        if one == NONE and len(proxies) == 1:
            return {}
        if not colon or not seat.isdecimal() or not seat.isascii() or len(seat) > 9:
            raise MensuraError(
                f"proxies of {world} has {one!r}; it must be a seat and who speaks for it, as 0:abt, or none."
            )
        if kind not in PROXIES:
            raise MensuraError(
                f"proxies of {world} has {one!r}, and nobody speaks {kind!r}; {neighbors(kind, list(PROXIES))}"
            )
        if int(seat) in found:
            raise MensuraError(f"proxies of {world} names seat {seat} twice; once is right.")
        found[int(seat)] = kind
    return found


def wanted(subject: Subject, seats: int) -> tuple[str, ...]:
    """Who has to speak for whom: for people always, for language models where those around have a proxy.

    People need one that speaks what all others do; without agents of ours there, it tells values.
    """
    kinds: set[str] = set()
    names: list[str] = []
    pickers: list[tuple[int, bool]] = []
    for part, first, count in stretches(subject, seats):
        if isinstance(part, Group):
            for one in part.seated(count):
                made = part.minds[one.code].make
                kinds.add(getattr(getattr(made, "func", made), "proxy", ""))
                names.append(one.name)
        elif is_told_in_words(part):
            pickers += [(seat, is_person(part)) for seat in range(first, first + count)]
    kinds.discard("any")
    people = any(person for _, person in pickers)
    if not pickers or not (people or kinds):
        return ()
    if len(kinds) > 1 or "" in kinds:
        if people:
            others = ", ".join(dict.fromkeys(names))
            raise MensuraError(
                f"Nobody can speak for people among {others}; they sit with dsa or greedy, with mgm, with abt, or with "
                "awcs."
            )
        return ()
    kind = next(iter(kinds), "values")
    return tuple(f"{seat}:{kind}" for seat, person in pickers)


class Picking:
    """The rules of such seats."""

    def __init__(self, kinds: Mapping[int, str], told: Callable[[Network, int], str]) -> None:
        self.kinds = kinds
        """Who speaks for each of them."""
        self._told = told

    def spaces(self, network: Network, seat: int) -> tuple[Space, Space]:
        """The problem and what is known, and the values that are open; one of these values."""
        sizes = {
            one: prod(
                len(network.problem.variables[v].values) for v in network.problem.variables_of[one]
            )
            for one in (seat, *network.problem.neighbors_of[seat])
        }
        if max(sizes.values()) > MOST_VALUES:
            raise MensuraError(
                f"Agent {seat} or a neighbor has {max(sizes.values()):,} values; who only picks values can have at "
                f"most {MOST_VALUES:,}."
            )
        value = Discrete(sizes[seat])
        told = Record(
            (("agent", Discrete(network.count)), ("value", Discrete(max(sizes.values()))))
        )
        seen = Record(
            (
                ("problem", Text(1 << 30)),
                ("value", value),
                (OPEN, Several(value, sizes[seat])),
                ("told", Several(told, max(1, len(sizes) - 1))),
                ("news", Text(LONGEST_TOLD)),
            )
        )
        return seen, value

    def listening(self, network: Network, state: State, seat: int, shown: int) -> Proxy:
        """The proxy of a seat, after it has read the letters of this turn; the state stays as it is."""
        knows, _ = network.known_by(seat, partial(self._told, network, seat))
        now = tuple(state.values[v] for v in network.problem.variables_of[seat]) or (0,)
        agent = proxy_at(self.kinds[seat], knows, now, state.proxies.get(seat))
        agent.read_mail(state.boxes[seat][:shown])
        return agent

    def observe(self, network: Network, agent: Proxy) -> dict[str, Any]:
        """What a seat sees at its turn: the problem at each, since people do not look back."""
        _, told = network.known_by(agent.seat, partial(self._told, network, agent.seat))
        return {
            "problem": told,
            "value": agent.value,
            OPEN: agent.open_values(),
            "told": [{"agent": one, "value": value} for one, value in agent.told().items()],
            "news": " ".join(agent.reasons)[:LONGEST_TOLD],
        }

    def spoken(self, state: State, seat: int, agent: Proxy, value: int) -> dict[str, Any]:
        """A pick as an action with letters; the proxy remembers it."""
        agent.take(value)
        mail = agent.written_mail()
        state.proxies[seat] = agent.remember()
        knows: Knowledge = agent.knows
        return {
            "value": dict(zip(knows.names, knows.domain[value], strict=True)),
            "mail": mail,
        }
