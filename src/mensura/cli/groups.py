"""Options that belong together, declared once, and what becomes of them; several commands take them as a group."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from json import dumps, loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.making import described, interval, make_world
from mensura.terminal.options import Device

if TYPE_CHECKING:
    from mensura.agents.listening import Listener
    from mensura.core.contract import World
    from mensura.studies.place import Place
    from mensura.studies.runs import Manner
    from mensura.studies.spending import Outlay


@dataclass(frozen=True)
class WorldOptions:
    """Parameters of the world that is chosen."""

    panel: ClassVar[str] = "The world"

    grid: Annotated[
        str | None,
        typer.Option(
            help="ROWSxCOLS, of a world that is a grid or a torus.",
            show_default="as the world says",
        ),
    ] = None
    agents: Annotated[
        int | None,
        typer.Option("--agents", "-n", help="How many seats.", show_default="as the world says"),
    ] = None
    iterations: Annotated[
        int | None,
        typer.Option(
            "--iterations",
            "-i",
            help="Interactions of an episode.",
            show_default="as the world says",
        ),
    ] = None
    task: options.TaskName = None
    changes: options.Changes = None

    def make(self, name: str, preset: str | None) -> World:
        """The world of that name with these parameters."""
        return make_world(
            name, preset, self.grid, self.agents, self.iterations, self.changes, self.task
        )


@dataclass(frozen=True)
class EnvironmentOptions:
    """Which environment of the world is shown."""

    panel: ClassVar[str] = "The environment"

    complexity: Annotated[
        str | None,
        typer.Option(
            "--complexity",
            "-k",
            help="The wanted complexity: a number, LOW..HIGH, or of another measure MEASURE=LOW..HIGH.",
            show_default="any",
        ),
    ] = None
    file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="The environment that this JSON file describes; `worlds show` writes such files.",
        ),
    ] = None

    def described(self, world: Any) -> Any:
        """The environment that a file describes; None without a file."""
        return described(world, self.file, self.complexity)

    def within(self, world: World) -> tuple[str, float, float] | None:
        """The wanted complexity; None where any will do."""
        return interval(world, self.complexity)


@dataclass(frozen=True)
class ConnectionOptions:
    """Programs that connect to us."""

    panel: ClassVar[str] = "The run"

    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            help="Assess a program that connects to us, at this PORT of this machine, or at HOST:PORT.",
            show_default="nobody connects",
        ),
    ] = None
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            help="With `--listen`: the word that programs have to know. Off this machine there is always one.",
            show_default="MENSURA_TOKEN; else made where it is needed, and printed",
        ),
    ] = None

    def open(self, subjects: Sequence[str]) -> tuple[list[str], list[Listener]]:
        """The subjects, the one that connects among them, and the ports that are open until they are closed."""
        from mensura.cli.listening import listening

        return listening(subjects, self.listen, self.token)


@dataclass(frozen=True)
class LimitOptions:
    """What agents and programs of the user may use."""

    panel: ClassVar[str] = "The run"

    in_process: options.InProcess = False
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            help="Seconds that an agent of yours may take for an action.",
            show_default="10; 120 where a language model is assessed",
            min=0.001,
        ),
    ] = None
    allow_network: Annotated[
        bool,
        typer.Option("--allow-network", help="Let your agents and programs use the network."),
    ] = False
    allow_read: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-read",
            metavar="PATH",
            help="A file or folder that your agents and programs may read beside their own; may be repeated.",
        ),
    ] = None
    pass_env: Annotated[
        list[str] | None,
        typer.Option(
            "--pass-env",
            metavar="NAME",
            help="A variable of the environment that your agents and programs see; may be repeated.",
        ),
    ] = None
    memory_mb: Annotated[
        int | None,
        typer.Option(
            "--memory-mb",
            help="Megabytes of memory that an agent or program of yours may take.",
            min=1,
            show_default="8192",
        ),
    ] = None
    no_isolation: Annotated[
        bool,
        typer.Option(
            "--no-isolation",
            help="Let your agents and programs read your files and use the network and your devices, as if you had "
            "started them by hand: for code that you trust.",
        ),
    ] = False

    def limits(self, subjects: Sequence[str]) -> dict[str, Any]:
        """The limits of these subjects, as a study file writes them; what is as usual is left out."""
        from mensura.api.assessing import seconds_per_action

        given = {
            "network": self.allow_network,
            "readable": list(self.allow_read or ()),
            "environment": list(self.pass_env or ()),
            "memory_mb": self.memory_mb,
        }
        limits: dict[str, Any] = {name: value for name, value in given.items() if value}
        if self.no_isolation:
            limits["isolation"] = False
        return {"seconds_per_action": seconds_per_action(subjects, self.timeout), **limits}


REQUESTS = "Language models: prices, rates, requests"


@dataclass(frozen=True)
class ModelOptions:
    """How language models are asked."""

    panel: ClassVar[str] = "Language models"

    base_url: Annotated[
        str | None,
        typer.Option(
            help="Of a language model: where its service is, as http://127.0.0.1:8080/v1.",
            show_default="its own",
        ),
    ] = None
    prompt: Annotated[
        str | None,
        typer.Option(
            help="Of a language model: a style of prompts (direct, reason-then-act, notepad, examples-first), a folder "
            "of prompts, or a file in place of system.txt.",
            show_default="ours",
        ),
    ] = None
    answer: Annotated[
        str | None,
        typer.Option(
            "--answer",
            help="Of a language model: whether it answers by a function call (tool), in words (text), or to a "
            "schema (json).",
            show_default="tool",
        ),
    ] = None
    context: Annotated[
        int | None,
        typer.Option(
            help="Of a language model: how many tokens of its conversation it is sent; older turns are left out.",
            show_default="8000",
        ),
    ] = None
    history: Annotated[
        str | None,
        typer.Option(
            help="Of a language model: what it is sent of earlier turns: all that fit, a window of the last ones, or "
            "the last one and notes that it keeps itself.",
            show_default="all",
        ),
    ] = None
    window: Annotated[
        int | None,
        typer.Option(
            help="Of a language model, with `--history window`: how many turns.",
            show_default="8",
        ),
    ] = None
    see: Annotated[
        str | None,
        typer.Option(
            help="Of a language model: whether observations are told in words (text), shown as the picture that people "
            "see (picture), or both.",
            show_default="text",
        ),
    ] = None
    price_in: Annotated[
        float | None,
        typer.Option(
            help="Of a language model: the price of a million tokens that it reads.",
            show_default="unknown",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    price_out: Annotated[
        float | None,
        typer.Option(
            help="Of a language model: the price of a million tokens that it writes.",
            show_default="unknown",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    batch: Annotated[
        bool | None,
        typer.Option(
            "--batch",
            help="Of a language model: send requests in batches, which cost about half and take minutes to hours each "
            "(openai and anthropic).",
            show_default=False,
            rich_help_panel=REQUESTS,
        ),
    ] = None
    tokens_per_minute: Annotated[
        float | None,
        typer.Option(
            help="Of a language model: so many tokens in any minute, all sittings together.",
            show_default="no limit",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    requests_per_minute: Annotated[
        float | None,
        typer.Option(
            help="Of a language model: so many requests in any minute, all sittings together.",
            show_default="no limit",
            rich_help_panel=REQUESTS,
        ),
    ] = None

    body: Annotated[
        list[str] | None,
        typer.Option(
            "--body",
            metavar="NAME=VALUE",
            help="Of a language model: a further field of every request, as top_k=40; may be repeated.",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    headers: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            metavar="NAME=VALUE",
            help="Of a language model: a further header of every request; $NAME is a variable of the environment. May "
            "be repeated.",
            rich_help_panel=REQUESTS,
        ),
    ] = None

    def addresses(self, subjects: Sequence[str]) -> list[str]:
        """The addresses, those of language models with these options; what an address says itself is right.

        A sentence where an option is given and no subject is a language model.
        """
        from mensura.agents.address import Part, parse
        from mensura.agents.language_model.schemes import is_model

        given = {name: _as_text(value) for name, value in asdict(self).items() if value is not None}
        for name, option in (("body", "--body"), ("headers", "--header")):
            pairs = getattr(self, name)
            if pairs:
                given[name] = _as_object(option, pairs, plain=name == "headers")
        if not given:
            return list(subjects)
        addresses, has_model = [], False
        for subject in subjects:
            parts = []
            for part in parse(subject):
                if is_model(part):
                    has_model = True
                    part = Part(part.name, {**given, **part.parameters}, part.count)
                parts.append(str(part))
            addresses.append("+".join(parts))
        if not has_model:
            name = next(iter(given)).replace("_", "-")
            raise MensuraError(
                f"--{name} is of language models, and none is assessed; name one as openai:MODEL."
            )
        return addresses


def _as_text(value: str | float | list[str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, int | float) else str(value)


def _as_object(option: str, pairs: Sequence[str], *, plain: bool) -> str:
    """Names and values as a JSON object; values are JSON where they can be read as such, if they are not plain."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise MensuraError(f"{option} {pair!r} is not understood; write NAME=VALUE.")
        try:
            found[name.strip()] = text if plain else loads(text)
        except ValueError:
            found[name.strip()] = text
    return dumps(found)


@dataclass(frozen=True)
class SpendingLimits:
    """What language models may take from now on."""

    panel: ClassVar[str] = "What language models may take"

    max_cost: Annotated[
        float | None,
        typer.Option(
            help="Of language models: what they may cost in all; a request that might go beyond it is not sent, and "
            "the run can be resumed.",
            show_default="no limit",
        ),
    ] = None
    max_tokens_total: Annotated[
        float | None,
        typer.Option(
            help="Of language models: how many tokens they may read and write in all.",
            show_default="no limit",
        ),
    ] = None
    max_hours: Annotated[
        float | None,
        typer.Option(
            help="Of language models: for how many hours they are asked.", show_default="no limit"
        ),
    ] = None

    def limit(self) -> None:
        """Set what this process, and those that it starts, may take."""
        from mensura.agents.language_model.budget import allow

        allow(self.max_cost, self.max_tokens_total, self.max_hours)


@dataclass(frozen=True)
class SpendingOptions(SpendingLimits):
    """What language models may take, and whether that is confirmed."""

    yes: Annotated[
        bool,
        typer.Option(
            "--yes", help="Of language models: go ahead, also where that takes much money or time."
        ),
    ] = False

    def allow(self, places: Sequence[Place]) -> None:
        """Say what the run is going to take, and set what it may take at most.

        Raise, before the first request, if the run takes so much that it has to be confirmed.
        """
        from mensura.studies.spending import ADVICE, outlays
        from mensura.terminal.output import working

        with working("Estimating what language models are going to take"):
            found = outlays(places)
        self._allow_outlays(found, ADVICE)

    def allow_learners(self, found: Sequence[Outlay]) -> AbstractContextManager[None]:
        """The same of learners, whose training is estimated already; it ends with the process, not with the context."""
        from mensura.studies.spending import LEARNERS_ADVICE

        self._allow_outlays(found, LEARNERS_ADVICE)
        return nullcontext()

    def allow_questions(self, found: Sequence[Outlay]) -> AbstractContextManager[None]:
        """The same of examinations."""
        from mensura.studies.spending import QUESTIONS_ADVICE

        self._allow_outlays(found, QUESTIONS_ADVICE)
        return nullcontext()

    def allow_profile(self, found: Sequence[Outlay]) -> None:
        """The same of a profile."""
        from mensura.studies.spending import PROFILE_ADVICE

        self._allow_outlays(found, PROFILE_ADVICE)

    def _allow_outlays(self, found: Sequence[Outlay], advice: str) -> None:
        from mensura.studies.spending import ASSUMED, check_confirmed
        from mensura.terminal.output import say

        self.limit()
        if not found:
            if not (self.max_cost is self.max_tokens_total is self.max_hours is None):
                raise MensuraError(
                    "--max-cost, --max-tokens-total and --max-hours are of language models, and none is assessed."
                )
            return
        if self.max_cost is not None and any(one.cost is None for one in found):
            raise MensuraError(
                "--max-cost needs prices, and some are unknown: give --price-in and --price-out, or keep them in a "
                "file that MENSURA_PRICES names."
            )
        limited = self.max_cost is not None or self.max_tokens_total is not None
        if not self.yes and not limited:
            check_confirmed(found, advice)
        for one in found:
            say(str(one))
        say(ASSUMED)


@dataclass(frozen=True)
class WorkerOptions:
    """Who computes a study."""

    panel: ClassVar[str] = "The run"

    executor: Annotated[
        str,
        typer.Option(
            "--executor",
            help="Who computes: threads, processes, ray, or auto (threads where they are enough). It changes no "
            "result.",
        ),
    ] = "auto"
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", "-j", help="How many sittings at a time.", show_default="all cores"
        ),
    ] = None
    address: Annotated[
        str | None,
        typer.Option(
            help="With `--executor ray`: a running cluster, as HOST:PORT or auto.",
            show_default="a local one, started for you",
        ),
    ] = None

    device: Device = None

    def manner(self) -> Manner:
        """How a run is computed."""
        from mensura.studies.runs import Manner

        return Manner(self.executor, self.workers, self.address, self.device)
