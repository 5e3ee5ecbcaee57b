"""``mensura analogy parser``: what reads English sentences is trained and tested here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, say, say_where, status, table, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from mensura.texts.parser.network import Network

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Train or test the parser that reads sentences; read some with it.",
    epilog="One is shipped: `mensura analogy parser read story.txt` uses it.",
)

Parser = Annotated[
    Path | None,
    typer.Option("--parser", help="A file that `train` wrote.", show_default="the one that comes along"),
]  # fmt: skip


@app.command("train")
def train(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A treebank: *train*.conllu and *dev*.conllu, maybe packed (.xz, .gz)."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of the parser.")] = Path(
        "parser.npz"
    ),
    epochs: Annotated[int, typer.Option(help="Times that it reads all sentences.", min=1)] = 60,
    device: Annotated[str, typer.Option(help="`cpu`, or `cuda` for a GPU.")] = "cpu",
    seed: Seed = None,
) -> None:
    """Train a parser on a treebank in CoNLL-U.

    On English-EWT the 60 epochs take seven minutes on a GPU, and a night on a processor. After each epoch the parser as
    it is then is written, so what is interrupted leaves the best so far.
    """
    from mensura.texts.conllu import read_parts

    Files(output=output)
    parts = read_parts(folder, ("train", "dev"))
    trained, course, check = _training()
    check(device)
    from mensura.texts.parser.scores import scores

    with status("Training") as tell:

        def after(epoch: int, loss: float, network: Callable[[], Network]) -> None:
            now = network()
            now.save(output)
            found = scores(now, parts["dev"])
            tell(f"epoch {epoch} of {epochs}: loss {loss:.3f}, LAS {found.las:.3f} on the dev part")

        network = trained(
            parts["train"],
            course(epochs=epochs, seed=seed_or_fresh(seed) % (1 << 31)),
            device=device,
            after_epoch=after,
        )
    found = scores(network, parts["dev"])
    say(
        f"LAS {found.las:.3f}, UAS {found.uas:.3f}, parts of speech {found.upos:.3f}, "
        f"lemmas {found.lemmas:.3f} on the dev part."
    )
    say_where("The parser", output)


def _training() -> tuple[Any, Any, Callable[[str], None]]:
    """What trains and its settings, where PyTorch is installed, and what refuses an unknown device."""
    try:
        import torch

        from mensura.texts.parser.training import Course, trained
    except ModuleNotFoundError as missing:
        raise MensuraError(
            f"Training a parser needs PyTorch ({missing.name} is missing): pip install 'mensura[sb3]'."
        ) from missing

    def check(device: str) -> None:
        try:
            torch.zeros(1, device=device)
        except (RuntimeError, AssertionError) as why:
            raise MensuraError(f"There is no device {device!r} here; cpu is always there.") from why

    return trained, Course, check


@app.command("evaluate")
def evaluate(
    folder: Annotated[Path, typer.Argument(help="A treebank with a file *test*.conllu.")],
    part: Annotated[str, typer.Option(help="Which part: test, dev or train.")] = "test",
    parser: Parser = None,
    json: Json = None,
) -> None:
    """Compare what the parser tells with what a treebank says."""
    from mensura.texts.conllu import PARTS, read_parts
    from mensura.texts.parser import WEIGHTS, loaded
    from mensura.texts.parser.scores import raw_scores, scores

    files = Files(json=json)
    if part not in PARTS:
        raise MensuraError(f"{part!r:.40} is no part of a treebank; {', '.join(PARTS)} are.")
    gold = read_parts(folder, (part,))[part]
    network = loaded(parser or WEIGHTS)
    given, raw = scores(network, gold), raw_scores(network, gold)
    table(
        f"{given.words:,} words of {len(gold):,} sentences",
        [("", False), ("words given", True), ("from the text", True)],
        [
            ("head and relation (LAS)", f"{given.las:.4f}", f"{raw.las:.4f}"),
            ("head (UAS)", f"{given.uas:.4f}", f"{raw.uas:.4f}"),
            ("words", "1", f"{raw.words:.4f}"),
            ("parts of speech", f"{given.upos:.4f}", ""),
            ("lemmas", f"{given.lemmas:.4f}", ""),
            ("features", f"{given.features:.4f}", ""),
        ],
    )
    files.json({"part": part, "words_given": given._asdict(), "from_text": raw._asdict()})


@app.command("read")
def read(
    text: Annotated[Path, typer.Argument(help="A text; - is what comes in.")],
    parser: Parser = None,
) -> None:
    """Print the sentences of a text as CoNLL-U."""
    import sys

    from mensura.texts.conllu import written
    from mensura.texts.parser import WEIGHTS, parse

    try:
        words = sys.stdin.read() if str(text) == "-" else text.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as why:
        raise MensuraError(f"{text} cannot be read as text: {why}.") from why
    write(written(parse(words, parser or WEIGHTS)))
