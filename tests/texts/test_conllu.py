"""Reading and writing treebanks."""

import contextlib
import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.texts.conllu import read_conllu, read_parts, sentences_of, written
from mensura.texts.sentences import Sentence, Token

TEXT = """# sent_id = 1
# text = They don't sleep.
1\tThey\tthey\tPRON\tPRP\tNumber=Plur\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
4.1\twell\twell\tADV\tRB\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


def test_words_have_their_places_and_implied_ones_are_left_out() -> None:
    (one,) = sentences_of(TEXT.splitlines(keepends=True))
    assert [one.text[t.start : t.end] for t in one.tokens] == ["They", "do", "n't", "sleep", "."]
    assert [t.head for t in one.tokens] == [4, 4, 4, 0, 4]
    assert one.tokens[0].features == "Number=Plur"
    assert one.children(4) == [1, 2, 3, 5]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1\tThey\tthey", "line 1: a word has 10 columns"),
        ("2\tThey\tthey\tPRON\t_\t_\t0\troot\t_\t_", "line 1: word 1 is expected here, not '2'"),
        ("1\tThey\tthey\tPRON\t_\t_\tx\troot\t_\t_", "line 1: 'x' is no word"),
        ("1\tThey\tthey\tPRON\t_\t_\t7\troot\t_\t_", "line 1: word 1 ('They') depends on word 7"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(line: str, says: str) -> None:
    with pytest.raises(MensuraError) as told:
        list(sentences_of([line]))
    assert says in str(told.value)


@pytest.mark.parametrize("ending", ["", ".xz", ".gz"])
def test_packed_files_are_read_as_they_are(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"a-test.conllu{ending}"
    packed = {"": bytes, ".xz": lzma.compress, ".gz": gzip.compress}[ending](TEXT.encode())
    file.write_bytes(packed)
    assert len(read_conllu(file)) == 1
    assert len(read_parts(tmp_path, ("test",))["test"]) == 1
    file.write_bytes(packed[: len(packed) // 2] + b"\xff")
    with pytest.raises(MensuraError):
        read_conllu(file)


def test_a_folder_without_a_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match=r"one file .train.*; it has 0"):
        read_parts(tmp_path)


WORD = st.text("abcXY'-", min_size=1, max_size=5)


@given(st.lists(st.tuples(WORD, WORD, st.integers(0, 9)), min_size=1, max_size=6))
def test_what_is_written_is_read_again(words: list[tuple[str, str, int]]) -> None:
    tokens = []
    for number, (form, lemma, head) in enumerate(words, 1):
        above = head % (len(words) + 1)
        tokens.append(Token(form, lemma, "NOUN", 0 if above == number else above, "dep", "A=B"))
    sentence = Sentence(tuple(tokens), " ".join(form for form, _, _ in words))
    (again,) = sentences_of(written([sentence]).splitlines(keepends=True))
    assert [t[:6] for t in again.tokens] == [t[:6] for t in sentence.tokens]
    assert again.text == sentence.text


@given(st.text("1234.\t\n#-_abroot", max_size=200))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    with contextlib.suppress(MensuraError):
        list(sentences_of(text.splitlines(keepends=True)))
