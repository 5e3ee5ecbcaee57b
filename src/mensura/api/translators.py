"""Translators by address: Apertium where it is installed, language models, and commands of one's own."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable

from mensura.agent.errors import MensuraError

SECONDS = 120.0
"""The longest that one translation may take."""
_MARKS = re.compile(r"(?<!\w)[*#@](?=\w)|(?<=\w)#")
"""What Apertium puts at words that it does not know."""


def translator(address: str) -> Callable[[str], str]:
    """There and back, by an address: apertium:eng-spa, cmd:THERE|BACK, or openai:MODEL@French."""
    scheme, mark, rest = address.partition(":")
    if scheme == "apertium" and re.fullmatch(r"[a-z]{2,3}-[a-z]{2,3}(_[A-Za-z]+)?", rest):
        if shutil.which("apertium") is None:
            raise MensuraError(
                f"{address}: Apertium is not installed; on Debian, apt install apertium and a pair of languages."
            )
        there, back = rest, "-".join(reversed(rest.split("-")))
        commands = [["apertium", "-u", pair] for pair in (there, back)]
        return lambda text: _MARKS.sub("", _through(_through(text, commands[0]), commands[1]))
    if scheme == "cmd" and rest.count("|") == 1:
        both = [shlex.split(one) for one in rest.split("|")]
        if all(both):
            return lambda text: _through(_through(text, both[0]), both[1])
    elif mark and "@" in rest:
        return _by_model(address)
    raise MensuraError(
        f"{address!r} is no translator; write apertium:eng-spa, cmd:THERE|BACK with two commands, or "
        "openai:MODEL@French."
    )


def _through(text: str, command: list[str]) -> str:
    """What a command makes of a text."""
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=SECONDS, encoding="utf-8"
        )
    except FileNotFoundError:
        raise MensuraError(f"The translator {command[0]} was not found.") from None
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        raise MensuraError(
            f"The translator {command[0]} did not answer within {SECONDS:g} seconds, or not with text in UTF-8."
        ) from None
    if done.returncode or not done.stdout.strip():
        lines = done.stderr.strip().splitlines()
        why = lines[-1][:200] if lines else "it wrote nothing"
        raise MensuraError(f"The translator {command[0]} failed: {why}.")
    return done.stdout


def _by_model(address: str) -> Callable[[str], str]:
    from mensura.agents.address import parse
    from mensura.agents.language_model.schemes import MODEL_SCHEMES
    from mensura.agents.language_model.services import service_of
    from mensura.agents.language_model.settings import read_settings

    named, _, language = address.rpartition("@")
    parts = parse(named)
    if len(parts) != 1 or parts[0].scheme not in MODEL_SCHEMES or not language.strip():
        raise MensuraError(f"{address!r} is no translator; write openai:MODEL@French.")
    service = service_of(read_settings(parts[0]))

    def ask(text: str, into: str) -> str:
        wish = f"Translate this text into {into}. Answer with the translation and nothing else.\n\n{text}"
        reply = service.complete(
            [{"role": "user", "content": wish}], (), time.monotonic() + SECONDS
        )
        if not reply.text.strip() or reply.refused:
            raise MensuraError(f"{named} gave no translation into {into}.")
        return reply.text

    return lambda text: ask(ask(text, language.strip()), "English")
