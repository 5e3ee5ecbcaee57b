"""Commands that worlds and other packages bring, beside ours: entry points, loaded when they are used or listed."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from mensura.agent.errors import MensuraError
from mensura.core.registry import BrokenPlugin, Registry
from mensura.core.visible import visible, visible_line
from mensura.terminal.output import complain


class Commands(TyperGroup):
    """The commands of a group, ours first, then those that are registered for it.

    Complaints about what was typed quote it visibly.
    """

    brought: ClassVar[Registry] = Registry("mensura.commands", "command")

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands; where the registered ones cannot be told, a sentence says why."""
        own = super().list_commands(ctx)
        try:
            names = self.brought.names()
        except MensuraError as error:
            complain(f"mensura: {error}")
            names = []
        return [*own, *(name for name in names if name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name; one that cannot be loaded says so, in the list and when it is used."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in self.brought.entries():
            return own
        try:
            return _command(cmd_name, self.brought.load(cmd_name))
        except Exception as error:
            return _broken(cmd_name, error)

    def make_context(self, *given: Any, **options: Any) -> Any:
        """Read what was typed."""
        with _quoted_visibly():
            return super().make_context(*given, **options)

    def invoke(self, ctx: Any) -> Any:
        """Do it."""
        with _quoted_visibly():
            return super().invoke(ctx)


def _command(name: str, thing: Any) -> Any:
    """What was registered, as a command: a Typer app is a group, a function one command."""
    if isinstance(thing, typer.Typer):
        command = typer.main.get_group(thing)
        command.name = name
        return command
    if inspect.isfunction(thing):
        return _single(thing, name=name)
    raise TypeError(f"it is a {type(thing).__name__}, and would be a Typer app or a function")


def _broken(name: str, error: Exception) -> Any:
    """A command that does nothing but say what is wrong with it, whatever else is typed."""
    sentence = str(error)
    if not isinstance(error, BrokenPlugin):
        sentence = f"The command {name} cannot be used: {type(error).__name__}: {sentence}."

    def say_so() -> None:
        raise BrokenPlugin(sentence)

    return _single(
        say_so,
        name=name,
        help=visible_line(sentence),
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )


def _single(function: Any, **settings: Any) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    app.command(**settings)(function)
    return typer.main.get_command(app)


@contextmanager
def _quoted_visibly() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        complaint = getattr(error, "format_message", None)
        if complaint is not None:
            sentence = visible(complaint())
            error.format_message = lambda: sentence  # type: ignore[attr-defined]
        raise
