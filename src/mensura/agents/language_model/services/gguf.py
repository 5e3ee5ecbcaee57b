"""Models whose weights are a file: a server of this process's own, on loopback, asked over the wire of OpenAI.

There is one server for each file, in a process of its own, so that weights that bring the native code down do not bring
the run down. It is started when the model is first asked, knows only who has its key, and ends with this process,
however that ends: it waits for the end of its standard input.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agents.language_model.conversation import Message
from mensura.agents.language_model.services.openai import LIMITS, OpenAIService
from mensura.agents.language_model.settings import Settings
from mensura.core.interpreter import our_python

SECONDS_TO_LOAD = 600.0
"""How long weights may take to be loaded."""

MAGIC = b"GGUF"
"""What such a file begins with."""


class GgufService(OpenAIService):
    """Weights in a file, served on this machine."""

    needs = "Weights in a file need the extra local: pip install 'mensura[local]'."

    def __init__(self, settings: Settings) -> None:
        """Raise if something is asked for that cannot be had here."""
        super().__init__(settings)
        self._limit = LIMITS[1]
        if settings.base_url is not None:
            raise MensuraError(
                "Weights in a file are served by Mensura itself; leave base_url out, or name a model that is served "
                "elsewhere as openai:MODEL."
            )
        if settings.see != "text":
            raise MensuraError("Weights in a file are asked in words only; leave see out.")

    def _connected(self) -> Any:
        from openai import OpenAI

        settings = self.settings
        window = settings.context + settings.max_tokens
        server = serve(checked(settings.model), settings.concurrency, window)
        return OpenAI(api_key=server.key, base_url=server.url, max_retries=0)

    def _arguments(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], max_tokens: int
    ) -> dict[str, Any]:
        """As for OpenAI; of the file only its name, which comes back as the model that answered."""
        given = super()._arguments(messages, tools, max_tokens)
        return {**given, "model": Path(self.settings.model).name}


def checked(name: str) -> Path:
    """The file of some weights; a sentence where there is none, or it is something else."""
    path = Path(name).expanduser()
    try:
        with path.open("rb") as file:
            begins = file.read(len(MAGIC))
    except FileNotFoundError:
        raise MensuraError(
            f"There is no file {name}; a path is read from the current folder, here {Path.cwd()}."
        ) from None
    except OSError as error:
        raise MensuraError(f"{name} cannot be read: {error.strerror}.") from None
    if begins != MAGIC:
        raise MensuraError(f"{name} holds no weights in the format GGUF, which llama.cpp reads.")
    return path.resolve()


# The server, from this side -----------------------------------------------------


@dataclass(frozen=True)
class Server:
    """A server under way."""

    process: subprocess.Popen[str]
    url: str
    key: str

    def close(self) -> None:
        """End it, if it did not end by itself."""
        _end(self.process)


_servers: dict[tuple[Path, int, int], Server] = {}
_starting = Lock()


def serve(path: Path, slots: int, window: int) -> Server:
    """The server of some weights, for so many conversations at once of so many tokens; started once in this process."""
    with _starting:
        server = _servers.get((path, slots, window))
        if server is None or server.process.poll() is not None:
            server = _servers[path, slots, window] = _start(path, slots, window)
        return server


def _start(path: Path, slots: int, window: int) -> Server:
    process = subprocess.Popen(
        our_python("mensura.agents.language_model.services.gguf"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # Ctrl-C is for those who ask
    )
    assert process.stdin is not None
    assert process.stdout is not None
    key = secrets.token_urlsafe(24)
    server_ends = Timer(SECONDS_TO_LOAD, process.kill)
    server_ends.start()
    try:
        told = {"path": str(path), "slots": slots, "window": window, "key": key}
        process.stdin.write(f"{json.dumps(told)}\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline() or "{}")
    except (OSError, ValueError):
        answer = {}
    finally:
        server_ends.cancel()
    if "url" not in answer:
        _end(process)
        if answer.get("missing"):
            raise ModuleNotFoundError(answer["missing"])
        why = answer.get("error") or "llama.cpp gave up"
        raise MensuraError(f"The weights in {path.name} could not be loaded: {why}.")
    server = Server(process, answer["url"], key)
    atexit.register(server.close)
    return server


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


# The server, in its own process ---------------------------------------------------


def main() -> int:
    """Serve the weights that the first line of standard input names, until that ends."""
    told = json.loads(sys.stdin.readline())
    back = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever native code prints is not part of the answer
    answer: dict[str, str] = {}
    server = None
    try:
        server = _serving(told)
        answer["url"] = f"{server.listening_address.rstrip('/')}/v1"
    except ModuleNotFoundError as error:
        answer["missing"] = str(error)
    except Exception as error:
        answer["error"] = " ".join(str(error).split())[:200].rstrip(".")
    back.write(f"{json.dumps(answer)}\n")
    back.flush()
    if server is not None:
        sys.stdin.read()
    return 0


def _serving(told: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = told["path"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [told["key"]]
    params.n_parallel = told["slots"]
    params.n_ctx = told["slots"] * told["window"]
    params.use_jinja = True
    params.offline = True
    params.warmup = False
    return xllamacpp.Server(params)
