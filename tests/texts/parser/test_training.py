"""Training a parser: small ones, from sentences of our own."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mensura.cli.analogy_parser import app
from mensura.texts.conllu import sentences_of, written
from mensura.texts.sentences import Sentence, Token

pytestmark = pytest.mark.thorough

NOUNS = ["dog", "cat", "fox", "owl", "cow", "hen"]
VERBS = ["sees", "bites", "hears", "finds"]


def sentences() -> list[Sentence]:
    """Somebody does something to somebody, in all ways."""
    found = []
    for one in NOUNS:
        for verb in VERBS:
            for other in NOUNS:
                words = [("The", "the", "DET", 2, "det"), (one, one, "NOUN", 3, "nsubj")]
                words += [(verb, verb[:-1], "VERB", 0, "root"), ("a", "a", "DET", 5, "det")]
                words += [(other, other, "NOUN", 3, "obj"), (".", ".", "PUNCT", 3, "punct")]
                tokens = tuple(Token(*word) for word in words)
                found.append(Sentence(tokens, f"The {one} {verb} a {other}."))
    return list(sentences_of(written(found).splitlines()))


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    pytest.importorskip("torch")
    known = sentences()
    for part, some in (("train", known[:20]), ("dev", known[-20:]), ("test", known[-20:])):
        (tmp_path / f"small-{part}.conllu").write_text(written(some), encoding="utf-8")
    return tmp_path


def test_a_parser_learns_what_its_sentences_have_in_common(treebank: Path) -> None:
    from mensura.texts.parser.network import Sizes
    from mensura.texts.parser.scores import raw_scores, scores
    from mensura.texts.parser.training import Course, trained

    known = sentences()
    small = Sizes(word=16, character=8, filters=8, units=24, layers=2, arc=24, label=16, tag=24)
    course = Course(epochs=25, words=300, rate=5e-3, dropout=0.1)
    seen = []
    network = trained(known[:-20], course, small, after_epoch=lambda *told: seen.append(told[1]))
    assert seen[-1] < seen[0] / 2
    found, raw = scores(network, known[-20:]), raw_scores(network, known[-20:])
    assert found.las > 0.95
    assert found.upos > 0.95
    assert found.lemmas > 0.95
    assert raw.words == 1.0
    assert raw.las == pytest.approx(found.las)
    again = trained(known[:-20], course, small)
    assert again.parse([["The", "dog", "sees"]]) == network.parse([["The", "dog", "sees"]])


def test_numpy_computes_what_pytorch_computes(treebank: Path) -> None:
    import numpy as np
    import torch

    from mensura.texts.parser import training
    from mensura.texts.parser.network import Sizes

    known = [*sentences()[:3], Sentence((Token("Go", "go", "VERB", 0, "root"),), "Go")]
    vocabulary = training.vocabulary_of(known)
    sizes = Sizes(word=16, character=8, filters=8, units=24, layers=2, arc=24, label=16, tag=24)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        net = training._Net(sizes, vocabulary, 0.3).eval()
    numbered = training._Numbered(known, vocabulary, torch.device("cpu"))
    batch = numbered.batch(range(4), 0.0, np.random.default_rng(0))
    _, right = net.told(batch.words, batch.spelled, batch.forms, batch.lengths)
    ours: list[np.ndarray] = []
    network = training._exported(net, sizes, vocabulary)
    network._read = lambda words, told, alone: [ours.append(told)]  # type: ignore[assignment,func-returns-value,method-assign]
    network.parse([[one.form for one in s.tokens] for s in known])
    by_length = sorted(range(4), key=lambda k: len(known[k].tokens))
    for place, told in zip(by_length, ours, strict=True):
        wanted = right[: len(told), place].detach().numpy()
        np.testing.assert_allclose(told, wanted, atol=1e-5)


def test_the_commands_train_evaluate_and_read(treebank: Path) -> None:
    run = CliRunner()
    file = treebank / "mine.npz"
    done = run.invoke(
        app, ["train", str(treebank), "-o", str(file), "--epochs", "1", "--seed", "1"]
    )
    assert done.exit_code == 0, done.output
    given = ["--parser", str(file), "--json", str(treebank / "t.json")]
    done = run.invoke(app, ["evaluate", str(treebank), *given])
    assert done.exit_code == 0
    assert "LAS" in done.output
    (treebank / "t.txt").write_text("The dog sees a cat.", encoding="utf-8")
    done = run.invoke(app, ["read", str(treebank / "t.txt"), "--parser", str(file)])
    assert done.exit_code == 0
    assert done.output.startswith("# text = The dog sees a cat.\n1\tThe")
