"""The parser that comes along."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.texts.parser import WEIGHTS, loaded, parse
from mensura.texts.parser.network import Network


def told(text: str) -> list[tuple[str, str, str, str]]:
    """Each word with its lemma, what it depends on and how."""
    (sentence,) = parse(text)
    above = ["-", *(one.form for one in sentence.tokens)]
    return [(one.form, one.lemma, above[one.head], one.relation) for one in sentence.tokens]


def test_who_does_what_is_told_in_the_active_and_in_the_passive() -> None:
    active = told("The general attacked the fortress.")
    assert ("general", "general", "attacked", "nsubj") in active
    assert ("attacked", "attack", "-", "root") in active
    assert ("fortress", "fortress", "attacked", "obj") in active
    passive = told("The fortress was attacked by the general.")
    assert ("fortress", "fortress", "attacked", "nsubj:pass") in passive
    assert ("general", "general", "attacked", "obl:agent") in passive


def test_words_know_their_place_in_the_text() -> None:
    text = "  Mr. Lee can't swim.\n\nHe sinks!  "
    first, second = parse(text)
    assert [text[w.start : w.end] for w in first.tokens] == ["Mr.", "Lee", "ca", "n't", "swim", "."]
    assert (first.text, second.text) == ("Mr. Lee can't swim.", "He sinks!")


def test_a_sentence_is_read_alike_alone_and_among_others() -> None:
    texts = ["A dog barks.", "The old man who lives by the sea caught a very large fish yesterday.", "Go!"]  # fmt: skip
    alone = [parse(one)[0] for one in texts]
    together = parse(" ".join(texts))
    assert [[t[:6] for t in s.tokens] for s in alone] == [[t[:6] for t in s.tokens] for s in together]  # fmt: skip


@given(st.text(max_size=60))
def test_any_text_has_a_tree_for_each_sentence(text: str) -> None:
    for sentence in parse(text):
        assert sum(one.head == 0 for one in sentence.tokens) == 1
        assert all((one.relation == "root") == (one.head == 0) for one in sentence.tokens)


def test_a_text_without_periods_is_read_in_pieces() -> None:
    assert [len(one.tokens) for one in parse("word " * 450)] == [200, 200, 50]


def test_nothing_is_read_in_nothing() -> None:
    assert parse("") == [] == parse("\n \n\n")


def test_what_is_kept_is_what_was_loaded(tmp_path: Path) -> None:
    network = loaded(WEIGHTS)
    network.save(tmp_path / "again.npz")
    again = Network.load(tmp_path / "again.npz")
    words = ["The", "cat", "sat", "."]
    assert again.parse([words]) == network.parse([words])
    assert [p.name for p in tmp_path.iterdir()] == ["again.npz"]


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_a_file_that_is_no_parser_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "bad.npz"
    if content is None:
        np.savez(file, about=np.frombuffer(b'{"format": 99}', np.uint8))
    else:
        file.write_bytes(content)
    with pytest.raises(MensuraError, match=r"bad\.npz"):
        Network.load(file)
    with pytest.raises(MensuraError, match="missing"):
        Network.load(tmp_path / "missing.npz")


def test_the_notice_of_the_treebank_is_beside_the_weights() -> None:
    notice = (WEIGHTS.parent / "NOTICE.txt").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in notice
    assert "UD_English-EWT" in notice
    assert WEIGHTS.stat().st_size < 20_000_000
