"""The entry point of the command line: its commands, and one sentence for every error."""

from __future__ import annotations

import io
import os
import sys

import typer

import mensura
from mensura.agent.errors import MensuraError, StoppedEarly
from mensura.cli import (
    agents,
    assess,
    assessments,
    checkpoints,
    choose,
    compare,
    complexity,
    demo,
    leaderboard,
    learn_rate,
    new,
    profile,
    replay,
    report,
    reproduce,
    robustness,
    runs,
    serve,
    study,
    tasks,
    train,
    transcript,
    transfer,
    understand,
    warm_up,
    watch,
    worlds,
)
from mensura.cli.plugin_commands import Commands
from mensura.core.compiling import on_compile
from mensura.records.holding import on_warning
from mensura.terminal.output import complain, make_troubles_visible, note, say
from mensura.terminal.paper import TEXT, want

app = typer.Typer(
    name="mensura",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Measure the general intelligence of any subject, on environments of known complexity.",
    epilog="Begin with `mensura demo`, then assess your own: `mensura assess my_agent.py:MyAgent`.",
)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"mensura {mensura.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Measure the general intelligence of any subject, on environments of known complexity."""


app.command("demo")(demo.demo)
app.command("assess", epilog=assess.EXAMPLES)(assess.assess)
app.command("assessments")(assessments.assessments)
app.command("new")(new.new)
app.command("reproduce")(reproduce.reproduce)
app.command("watch")(watch.watch)
app.command("replay")(replay.replay)
app.command("transcript")(transcript.transcript)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("profile", epilog=profile.EXAMPLES)(profile.profile)
app.command("transfer", epilog=transfer.EXAMPLES)(transfer.transfer)
app.command("learn-rate", epilog=learn_rate.EXAMPLES)(learn_rate.learn_rate)
app.command("robustness", epilog=robustness.EXAMPLES)(robustness.robustness)
app.command("understand", epilog=understand.EXAMPLES)(understand.understand)
app.command("choose", epilog=choose.EXAMPLES)(choose.choose)
app.command("complexity")(complexity.complexity)
app.command("serve")(serve.serve)
app.command("warm-up")(warm_up.warm_up)
app.add_typer(study.app, name="study")
app.add_typer(runs.app, name="runs")
app.add_typer(leaderboard.app, name="leaderboard")
app.add_typer(worlds.app, name="worlds")
app.add_typer(agents.app, name="agents")
app.add_typer(tasks.app, name="tasks")
app.add_typer(checkpoints.app, name="checkpoints")
app.add_typer(train.app, name="train")


def main() -> None:
    """Run a command; bad input is one sentence on standard error and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Better a sign that the terminal lacks is replaced than that nothing is shown.
            stream.reconfigure(errors="replace")
    make_troubles_visible()
    before = on_compile(_Compiling())
    warned_before = on_warning(_Warning())
    try:
        app()
    except StoppedEarly as error:
        _fail(str(error), 130)
    except MensuraError as error:
        _fail(str(error))
    except SystemExit as end:
        if end.__context__ is not None and isinstance(end.__context__.__cause__, KeyboardInterrupt):
            complain("mensura: stopped.")  # Typer makes an exit of it, without a word
        raise
    except KeyboardInterrupt:
        complain("mensura: stopped.")
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        _fail(f"The system refused: {error.strerror or error}{where}.")
    finally:
        on_compile(before)
        on_warning(warned_before)
        want(TEXT)


class _Compiling:
    """Says once that kernels are compiled, whichever command needs them."""

    def __init__(self) -> None:
        self._said = False

    def __call__(self, door: str) -> None:
        if not self._said:
            self._said = True
            note("Compiling the kernels (once; kept for the next time) ...")


class _Warning:
    """Says each sentence of warning once, on standard error."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            note(f"Warning. {sentence}")


def _fail(sentence: str, status: int = 2) -> None:
    complain(f"mensura: {sentence}")
    sys.exit(status)


if __name__ == "__main__":
    main()
