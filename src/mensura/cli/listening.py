"""What commands say and do about programs that connect to us."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mensura.agent.errors import MensuraError
from mensura.terminal.output import say

if TYPE_CHECKING:
    from mensura.agents.address import Part
    from mensura.agents.listening import Listener


def listening(
    subjects: Sequence[str], place: str | None, token: str | None
) -> tuple[list[str], list[Listener]]:
    """The subjects with the one of ``--listen`` among them, and the ports that are open for them.

    The addresses come back without tokens, which no record should hold. Whoever calls holds the ports until the end.
    """
    from mensura.agents.address import Part, parse
    from mensura.agents.listening import Listener

    addresses = list(subjects)
    if place is not None:
        addresses.append(address_of(place))
    elif token is not None:
        raise MensuraError(
            "--token is the word for programs that connect: say where they do with --listen PORT."
        )
    if not addresses:
        raise MensuraError(
            "Name who is assessed: a built-in subject (`mensura agents list`), file.py:Class, or --listen PORT for a "
            "program that connects."
        )
    opened: list[Listener] = []
    for number, address in enumerate(addresses):
        parts = parse(address)
        if len(parts) == 1 and parts[0].scheme == "pagi":
            opened.append(_clients_of_pagi(parts[0]))
        if len(parts) != 1 or parts[0].scheme != "listen":
            continue
        (part,) = parts
        given = token if place is not None and number == len(addresses) - 1 else None
        if given is not None:
            part = Part(part.name, {**part.parameters, "token": given}, part.count)
        listener = Listener.at(part, make_token=True)
        made = bool(listener.token) and "token" not in part.parameters
        say(
            f"Programs connect to {listener.place}"
            + (f" with the token {listener.token}" if made else "")
        )
        sys.stdout.flush()  # a program that starts others waits for this line
        opened.append(listener)
        addresses[number] = str(Part(part.name, {}, part.count))
    return addresses, opened


def _clients_of_pagi(part: Part) -> Listener:
    """Open the port that clients of PAGI World connect to, and say so."""
    from mensura.agents.listening import Listener
    from mensura.agents.pagi import place

    listener = Listener.without_introduction(*place(part))
    say(f"Clients of PAGI World connect to {listener.place}")
    sys.stdout.flush()
    return listener


def address_of(place: str) -> str:
    """``--listen`` as an address: a port of this machine, or a host with a port."""
    if place.isdigit():
        return f"listen://127.0.0.1:{place}"
    if re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/?+*&%\s]+):\d+", place):
        return f"listen://{place}"
    raise MensuraError(
        f"--listen {place!r} is not understood; write a port as 7001, or a host with one as 0.0.0.0:7001."
    )


def shown_arguments() -> list[str]:
    """The arguments of this command as a record may show them: without tokens."""
    shown: list[str] = []
    for word in sys.argv[1:]:
        secret = bool(shown) and shown[-1] == "--token"
        hidden = re.sub(r"((?:^--token|[?&]token)=)[^&+*]+", r"\1...", word)
        shown.append("..." if secret else hidden)
    return shown
