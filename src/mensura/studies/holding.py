"""How the subjects of a run are held on this machine."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from mensura.agent.task import Limits
from mensura.agents.address import Part, is_code
from mensura.agents.language_model.schemes import MODEL_SCHEMES
from mensura.agents.process import isolation_here
from mensura.core.abilities import subject_names
from mensura.core.around import innermost
from mensura.core.contract import World
from mensura.core.registry import AGENTS, SCHEMES
from mensura.records.cell import Cell, has_people
from mensura.records.holding import (
    BUILT_IN,
    ELSEWHERE,
    FULL,
    IN_PROCESS,
    OFF,
    OPENED,
    OUTSIDE,
    PEOPLE,
    REACHED,
    WEIGHTS,
    joined,
    warn,
)
from mensura.studies.place import Place
from mensura.studies.subjects import named

STARTED = ("cmd", "sb3")
"""The schemes of programs that Mensura starts in a process of their own."""
CONNECTED = ("listen", "pagi")
"""Those of programs that connect to Mensura, from wherever they are."""
ADDRESSED = ("tcp", "ws", "wss")
"""Those of programs that run at an address."""


def warn_of(places: Iterable[Place]) -> None:
    """Warn of isolation that is not whole, where somebody wants to know."""
    warn({one.cell.name: holding_of(one.cell, one.world) for one in places})


def holding_of(cell: Cell, world: World) -> str:
    """How the subject of a cell is held on this machine, in the words of :mod:`mensura.records.holding`."""
    if has_people(cell.subject):
        return PEOPLE
    return held_as(named(cell), world, cell.in_process, cell.limits)


def held_as(parts: Sequence[Part], world: World, in_process: bool, limits: Limits) -> str:
    """How a subject with the parts of this address is held; without any it was made in Python."""
    held = (_held(part, world, in_process, limits) for part in parts)
    return joined(held) if parts else IN_PROCESS


def holdings_of(places: Sequence[Place], elsewhere: bool = False) -> dict[int, str]:
    """The same for each cell, by its number; ``elsewhere``: workers on other machines start what is started."""
    found = {one.cell.number: holding_of(one.cell, one.world) for one in places}
    if not elsewhere:
        return found
    return {
        number: joined((words, ELSEWHERE)) if FULL in words else words
        for number, words in found.items()
    }


def _held(part: Part, world: World, in_process: bool, limits: Limits) -> str:
    if is_code(part) or part.scheme in STARTED:
        return IN_PROCESS if in_process else _isolation(limits)
    if part.scheme:
        return _by_scheme(part)
    if part.name in subject_names(world):
        return BUILT_IN if _is_ours(type(innermost(world))) else IN_PROCESS
    known = part.name in AGENTS.names() and _is_ours(AGENTS.load(part.name))
    return BUILT_IN if known else IN_PROCESS


def _by_scheme(part: Part) -> str:
    if not _is_ours(SCHEMES.load(part.scheme)):
        return IN_PROCESS
    if part.scheme == "gguf":
        return WEIGHTS
    if part.scheme in MODEL_SCHEMES:
        from mensura.agents.language_model.settings import read_settings

        return _reached(read_settings(part).url)
    if part.scheme in ADDRESSED:
        return _reached(f"{part.scheme}:{part.target}")
    return OUTSIDE if part.scheme in CONNECTED else BUILT_IN


def _reached(url: str) -> str:
    return OUTSIDE if _is_here(urlsplit(url).hostname or "") else REACHED


def _is_here(host: str) -> bool:
    """Whether a host is this machine, as far as its name tells."""
    if host in ("", "localhost", socket.gethostname()) or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _is_ours(thing: object) -> bool:
    return str(getattr(thing, "__module__", "")).partition(".")[0] == "mensura"


def _isolation(limits: Limits) -> str:
    """That of a program that Mensura starts, on this machine and under these limits."""
    if not limits.isolation:
        return OFF
    here = isolation_here()
    opened = [
        *(["the network allowed"] if limits.network else []),
        *(["further files readable"] if limits.readable else []),
    ]
    if not opened or not here.startswith(FULL):
        return here
    return f"{OPENED}{' and '.join(opened)}{here.removeprefix(FULL)}"
