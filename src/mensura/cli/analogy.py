"""``mensura analogy``: texts as graphs, how one maps onto another, which of many do, and how novel one is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.analogy_evaluate import app as evaluate
from mensura.cli.analogy_evaluate import opened
from mensura.cli.analogy_looks import looks
from mensura.cli.analogy_parser import app as parser
from mensura.cli.analogy_ratings import app as ratings
from mensura.terminal.options import Json
from mensura.terminal.output import Files, say, say_where, status, table, write

if TYPE_CHECKING:
    from mensura.texts.corpus import Corpus
    from mensura.texts.mapping import Mapping, Options
    from mensura.texts.skeletons import Skeleton

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Map texts onto one another by their structure, as Dr Inventor does.",
    epilog="Begin with `mensura analogy stories`, then `mensura analogy map stories/the-ferry.txt "
    "stories/the-kite.txt`.",
)
app.add_typer(parser, name="parser")
app.add_typer(evaluate, name="evaluate")
app.add_typer(ratings, name="ratings")
app.command("looks")(looks)
categories = typer.Typer(no_args_is_help=True, help="Rhetorical categories of sentences.")
app.add_typer(categories, name="categories")

Report = Annotated[
    Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
]
PartOption = Annotated[
    str, typer.Option("--part", help="What of each text is read: all, or its abstract.")
]
Senses = Annotated[
    str,
    typer.Option(help="Senses of a word that count: common (90% of its uses), first, or all."),
]
Semantics = Annotated[
    float,
    typer.Option(
        help="What likeness of words counts: 0 nothing, up to 1 only between mappings of equal structure, beyond that "
        "it may outvote structure."
    ),
]
EffortOption = Annotated[
    int,
    typer.Option(
        "--effort",
        help="Search so many times as long; worth it where the best mapping is not proved.",
        min=1,
        max=1000,
    ),
]
Text = Annotated[
    Path,
    typer.Argument(help="A text (.txt, .md, .pdf), or a skeleton (.yaml, .graphml)."),
]
Folder = Annotated[Path, typer.Argument(help="A folder of texts.")]


@app.command("map")
def map_(
    source: Text,
    target: Text,
    part: PartOption = "all",
    senses: Senses = "common",
    semantics: Semantics = 1.0,
    required: Annotated[
        list[str] | None,
        typer.Option("--require", help="A pair that has to be, as matrix=filter; may be repeated."),
    ] = None,
    effort: EffortOption = 1,
    report: Report = None,
    json: Json = None,
) -> None:
    """Map one text onto another: what corresponds, how alike they are, and what the source suggests of the target."""
    from mensura.reports.analogy_page import analogy_page, explained, score_rows

    files = Files(json=json, report=report)
    chosen = _options(senses, semantics, required, effort)
    found = _mapped(_skeleton(source, part), _skeleton(target, part), chosen)
    first = len(found.source.concepts)
    for kind, wanted in (("concepts", False), ("relations", True)):
        table(
            f"Pairs of {kind}",
            [("source", False), ("target", False), ("both are", False), ("Lin", True)],
            [
                (
                    found.source.told(one.source),
                    found.target.told(one.target),
                    one.generic,
                    f"{one.lin:.2f}",
                )
                for one in found.pairs
                if (one.source >= first) == wanted
            ],
        )
    table("Scores", [("score", False), ("value", True), ("what it is", False)], score_rows(found))
    for sentence in explained(found)[1:]:
        say(sentence)
    files.json(as_data(found))
    if report is not None:
        _write(report, analogy_page(found))


@app.command("skeleton")
def show_skeleton(
    text: Text,
    part: PartOption = "all",
    model: Annotated[
        Path | None,
        typer.Option(
            "--categories",
            help="A classifier that `categories train` wrote: nodes get their category.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write it here: .yaml or .graphml.", show_default="printed"
        ),
    ] = None,
) -> None:
    """Read a text and show its skeleton: who does what to whom."""
    from mensura.texts.skeleton_files import to_graphml, to_yaml

    if output is not None and output.suffix not in (".yaml", ".graphml"):
        raise MensuraError(f"{output}: a skeleton is written to a file .yaml or .graphml.")
    Files(output=output)
    found = _skeleton(text, part)
    if model is not None:
        from mensura.texts.categories import load

        found = found.categorized(load(model).categories_of(found.sentences))
    if output is None:
        write(to_yaml(found))
        return
    from mensura.records.results import write_whole

    write_whole(output, to_graphml(found) if output.suffix == ".graphml" else to_yaml(found))
    say_where("The skeleton", output)


@app.command("stories")
def stories(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder that they are written to.")
    ] = Path("stories"),
) -> None:
    """Write our 18 stories, in analogous pairs, to files: something to begin with."""
    from mensura.records.results import write_whole
    from mensura.texts.evaluations.translation import stories_of

    if output.exists() and not output.is_dir():
        raise MensuraError(f"{output} is a file; name a folder.")
    output.mkdir(parents=True, exist_ok=True)
    for name, text in stories_of().items():
        write_whole(output / f"{name.replace(' ', '-')}.txt", f"{text}\n")
    say_where("The stories", output)


@app.command("rank")
def rank(
    target: Text,
    folder: Folder,
    part: PartOption = "all",
    top: Annotated[int, typer.Option(help="How many are shown.", min=1)] = 10,
    senses: Senses = "common",
    store: options.StoreOption = None,
    graphs: options.GraphsOption = None,
    report: Report = None,
    json: Json = None,
) -> None:
    """Rank the texts of a folder by how well each maps onto a target; each is parsed once, and kept in the store."""
    files = Files(json=json, report=report)
    goal = _skeleton(target, part)
    corpus = _corpus(folder, part, (store, graphs), target)
    chosen = _briefly(senses)
    if report is None:
        best = corpus.rank(goal, top, chosen)
        scores = None
    else:
        with status("Mapping") as tell:
            every = []
            for number, one in enumerate(corpus.all_scores(goal, chosen), 1):
                tell(f"{number} of {len(corpus)}")
                every.append(one)
        scores = [one.mapping.score for one in every]
        best = sorted(every, key=lambda one: (-one.mapping.score, one.name))[:top]
    rows = [
        (
            one.name,
            f"{one.mapping.score:.3f}",
            f"{one.mapping.jaccard:.3f}",
            f"{one.mapping.semantic:.3f}",
            str(one.mapping.common),
        )
        for one in best
    ]
    table(
        f"Sources for {goal.name or target.stem}",
        [("text", False), ("AS", True), ("J", True), ("S", True), ("relations in common", True)],
        rows,
    )
    _say_left_out(corpus)
    files.json({
        "target": str(target), "part": part, "left_out": corpus.left_out,
        "ranked": [{"text": one.name, **as_data(one.mapping)} for one in best],
    })  # fmt: skip
    if report is not None:
        from mensura.reports.analogy_rank_page import rank_page

        _write(report, rank_page(goal.name or target.stem, best, scores or [], corpus.left_out))


@app.command("novelty")
def novelty(
    text: Text,
    folder: Folder,
    part: PartOption = "all",
    among: Annotated[
        int, typer.Option(help="So many texts of the folder are compared with all others.", min=1)
    ] = 50,
    senses: Senses = "common",
    store: options.StoreOption = None,
    graphs: options.GraphsOption = None,
    json: Json = None,
) -> None:
    """Say how novel a text is against a folder of them: 1 minus its highest AS, and where that is among theirs."""
    from mensura.texts.corpus import read_once

    files = Files(json=json)
    words, goal = read_once(text, _part(part), None)
    corpus = _corpus(folder, part, (store, graphs), text)
    with status("Comparing the texts of the folder"):
        found = corpus.novelty(words, goal, among, _briefly(senses))
    say(
        f"Novelty {found.value:.3f}: more than {found.percentile:.0f}% of {found.compared} texts of the folder, each "
        "against the others."
    )
    say(
        f"Nearest in structure: {found.by_structure.name} (AS {found.by_structure.mapping.score:.3f})."
    )
    say(f"Nearest in words: {found.by_words} (TF-IDF cosine {found.likeness_by_words:.3f}).")
    _say_left_out(corpus)
    files.json({
        "novelty": found.value, "percentile": found.percentile, "compared": found.compared,
        "by_structure": found.by_structure.name, "score": found.by_structure.mapping.score,
        "by_words": found.by_words, "likeness_by_words": found.likeness_by_words, "left_out": corpus.left_out,
    })  # fmt: skip


@categories.command("train")
def train_categories(
    labelled: Annotated[
        Path, typer.Argument(help="A CSV file with columns sentence and category.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write the classifier here.")
    ] = Path("categories.npz"),
) -> None:
    """Train a classifier of rhetorical categories on sentences of your own (mensura[text])."""
    from mensura.texts.categories import read_labelled, save, train

    Files(output=output)
    sentences, labels = read_labelled(labelled)
    found = train(sentences, labels)
    save(found.model, output)
    say(
        f"{len(sentences)} sentences, {len(found.model.categories)} categories; {found.right:.0%} right in "
        f"{found.folds}-fold cross-validation, {found.most_frequent:.0%} if the most frequent were always said."
    )
    say_where("The classifier", output)


@categories.command("read")
def read_categories(
    text: Text,
    model: Annotated[Path, typer.Option("--model", help="A classifier that train wrote.")] = Path(
        "categories.npz"
    ),
) -> None:
    """Say the rhetorical category of each sentence of a text."""
    from mensura.texts.categories import load

    found = _skeleton(text, "all")
    said = load(model).categories_of(found.sentences)
    table(
        f"Sentences of {text.name}",
        [("category", False), ("sentence", False)],
        list(zip(said, (" ".join(one.split()) for one in found.sentences), strict=True)),
    )


# What they share


def as_data(found: Mapping) -> dict[str, Any]:
    """A mapping as plain data."""
    return {
        "score": found.score, "jaccard": found.jaccard, "semantic": found.semantic, "conceptual": found.conceptual,
        "relational": found.relational, "common": found.common, "bound": found.bound, "proved": found.proved,
        "pairs": [
            {
                "source": found.source.told(one.source), "target": found.target.told(one.target), "lin": one.lin,
                "generic": one.generic,
            }
            for one in found.pairs
        ],
        "inferences": [one.sentence for one in found.inferences],
    }  # fmt: skip


def _options(senses: str, semantics: float, required: list[str] | None, effort: int) -> Options:
    from mensura.texts.mapping import Options
    from mensura.texts.solving import Effort

    pairs = []
    for one in required or ():
        source, mark, target = one.partition("=")
        if not mark or not source.strip() or not target.strip():
            raise MensuraError(
                f"--require {one}: a pair is written source=target, as matrix=filter."
            )
        pairs.append((source.strip(), target.strip()))
    return Options(semantics, cast(Any, senses), pairs, Effort().times(effort))


def _briefly(senses: str) -> Options:
    from mensura.texts.mapping import Options
    from mensura.texts.solving import QUICK

    return Options(senses=cast(Any, senses), effort=QUICK)


def _part(part: str) -> Any:
    from mensura.texts.reading import part_of

    part_of("abstract", part, "")  # refuses what is unknown
    return part


def _skeleton(path: Path, part: str) -> Skeleton:
    from mensura.texts.documents import skeleton_of_file

    return skeleton_of_file(path, _part(part))


def _mapped(source: Skeleton, target: Skeleton, chosen: Options) -> Mapping:
    from mensura.texts.mapping import map_skeletons

    return map_skeletons(source, target, chosen)


def _corpus(folder: Path, part: str, kept: tuple[str | None, str | None], target: Path) -> Corpus:
    """The texts of a folder without the target, if that is one of them; ``kept`` in a store, or a graph database."""
    from mensura.texts.corpus import Corpus

    with opened(*kept) as records, status("Reading texts") as tell:
        found = Corpus(folder, _part(part), records, tell)
    for name in list(found.structures):
        if (folder / name).resolve() == target.resolve():
            found.forget(name)
    return found


def _say_left_out(corpus: Corpus) -> None:
    for name, sentence in corpus.left_out.items():
        say(f"Left out: {name}. {sentence}")


def _write(path: Path, page: str) -> None:
    from mensura.records.results import write_whole

    write_whole(path, page)
    say_where("The report", path)
