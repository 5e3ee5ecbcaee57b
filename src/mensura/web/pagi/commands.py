"""``mensura pagi``: free play of PAGI World, for its clients and for somebody who watches."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.output import say

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="PAGI World for its clients: free play that is watched in a browser.",
    epilog="To assess a client, `mensura assess pagi://:42209 --world pagi --task catch`.",
)

WEB_PORT = 8643


@app.callback()
def main() -> None:
    """PAGI World for its clients."""


def _missing(error: ImportError) -> MensuraError:
    return MensuraError(
        f'The page needs the extras "web" and "pagi" ({error.name} is missing): pip install "mensura[web,pagi]".'
    )


@app.command("serve")
def serve(
    task: Annotated[
        str, typer.Option(help="A sample task, or a file: .yaml, or .tsk of the authors' program.")
    ] = "catch",
    port: Annotated[int, typer.Option(help="Where clients connect.", min=0, max=65535)] = 42209,
    web_port: Annotated[
        int, typer.Option("--web-port", help="Where the page is.", min=0, max=65535)
    ] = WEB_PORT,
    speed: Annotated[
        float, typer.Option(help="Seconds of the world in one second.", min=0.1, max=100.0)
    ] = 1.0,
    authors: Annotated[
        bool,
        typer.Option(
            "--authors", help="Sensors and notifications as the authors' program has them."
        ),
    ] = False,
) -> None:
    """Let clients of PAGI World play freely, and watch them in a browser.

    Clients may arrange the world (dropItem, loadTask and the like), which they never may when they are assessed. Files
    that they name are those in the folder of the task. Ctrl-C ends it.
    """
    try:
        from mensura.agents.listening import Listener
        from mensura.web.pagi.free_play import FreePlay
        from mensura.web.pagi.live import create_live_app
        from mensura.web.server import listening, server_of
        from mensura.web.settings import Settings
    except ImportError as error:
        raise _missing(error) from error

    listener = Listener.without_introduction("127.0.0.1", port)
    page = listening("127.0.0.1", web_port, "--web-port")
    play = FreePlay(task, listener, speed, "authors" if authors else "paper")
    server = server_of(Settings(), create_live_app(play))
    say(f"Clients of PAGI World connect to {listener.place}")
    say(f"Watch at http://127.0.0.1:{page.getsockname()[1]}/ (Ctrl-C ends it)")
    sys.stdout.flush()  # a program that starts others waits for this line
    play.start()
    try:
        server.run(sockets=[page])
    finally:
        play.stop()


@app.command("watch")
def watch(
    subject: Annotated[
        str, typer.Argument(help="The client, as for mensura assess.")
    ] = "pagi://:42209",
    task: Annotated[str, typer.Option(help="A sample task, or a file.")] = "catch",
    episodes: Annotated[int, typer.Option(help="How many are played.", min=1, max=10_000)] = 1,
    web_port: Annotated[
        int, typer.Option("--web-port", help="Where the page is.", min=0, max=65535)
    ] = WEB_PORT,
    seed: Annotated[int | None, typer.Option(help="The root of all draws.")] = None,
) -> None:
    """Let a client play as when it is assessed, and watch it in a browser.

    It has the rights and the clock of an assessment, and nobody can take part from the page. Nothing is recorded.
    """
    try:
        from mensura.web.pagi.watching import watch_client
        from mensura.web.server import listening
    except ImportError as error:
        raise _missing(error) from error

    page = listening("127.0.0.1", web_port, "--web-port")
    played = watch_client(subject, task, episodes, seed, page)
    say(f"Watch at http://127.0.0.1:{page.getsockname()[1]}/ (Ctrl-C ends it)")
    sys.stdout.flush()
    for number, watched in enumerate(played, 1):
        say(f"Episode {number}: mean reward {watched.score:+.3f}, seed {watched.seed}")
