"""WordNet as it is shipped: lookups, Lin's similarity by its definition and by NLTK, and how the file is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.texts.wordnet_writer import write

from mensura.agent.errors import MensuraError
from mensura.texts import wordnet_files
from mensura.texts.wordnet import Lexicon, Word, WordNet, supersenses, wordnet

RNG = np.random.default_rng(7)


def some_lemmas(lexicon: Lexicon, count: int) -> list[str]:
    tagged = [lemma for lemma in lexicon.lemmas if len(lexicon.synsets(lemma)) > 1]
    return [str(one) for one in RNG.choice(tagged, count, replace=False)]


# The reference's figures


@pytest.mark.parametrize(
    ("one", "two", "lin", "ancestor"),
    [
        ("leg", "bus", 0.32, "device"),
        ("matrix", "filter", 0.28, "instrumentality"),
        ("hole", "area", 0.44, "location"),
        ("dog", "cat", 0.82, "carnivore"),
        ("circle", "square", 0.82, "plane_figure"),
    ],
)
def test_pairs_of_nouns_have_the_similarity_that_was_found_before(
    one: str, two: str, lin: float, ancestor: str
) -> None:
    nouns = wordnet().nouns
    found = nouns.likeness(one, two, "all")
    assert found.lin == pytest.approx(lin, abs=0.006)
    assert nouns.name(found.ancestor) == ancestor


def test_far_fetched_senses_are_left_out_by_default() -> None:
    verbs = wordnet().verbs
    found = verbs.likeness("run", "walk", "all")
    assert verbs.name(found.ancestor) == "accompany"
    assert verbs.likeness("run", "walk").lin < found.lin
    nouns = wordnet().nouns
    for lemma in ("dog", "matrix", "leg"):
        first, common, every = (
            nouns.synsets(lemma, senses).tolist() for senses in ("first", "common", "all")
        )
        assert every[: len(common)] == common
        assert common[:1] == first
    assert len(nouns.synsets("matrix", "common")) < len(nouns.synsets("matrix"))


# Laws


@settings(max_examples=examples(25, 100), deadline=None)
@given(st.data(), st.sampled_from(["all", "common", "first"]))
def test_lin_is_within_0_and_1_and_symmetric(data: Any, senses: Any) -> None:
    lexicon = data.draw(st.sampled_from([wordnet().nouns, wordnet().verbs]))
    lemma = st.integers(0, len(lexicon.lemmas) - 1).map(lambda k: Word(lexicon.lemmas[k]))
    words = data.draw(st.lists(lemma, min_size=1, max_size=6))
    others = data.draw(st.lists(lemma, min_size=1, max_size=6))
    lin, found = lexicon.table(words, others, senses)
    back, found_back = lexicon.table(others, words, senses)
    assert np.array_equal(lin, back.T)
    assert np.array_equal(found, found_back.T)
    assert lin.min() >= 0.0
    assert lin.max() <= 1.0 + 1e-12


def test_the_table_is_the_best_over_senses_by_the_definition() -> None:
    for lexicon in (wordnet().nouns, wordnet().verbs):
        words, others = some_lemmas(lexicon, 12), some_lemmas(lexicon, 12)
        lin, found = lexicon.table(
            [Word(one) for one in words], [Word(two) for two in others], "all"
        )
        for i, one in enumerate(words):
            for j, two in enumerate(others):
                best = max(
                    lexicon.lin_of_synsets(a, b)
                    for a in lexicon.synsets(one)
                    for b in lexicon.synsets(two)
                )
                assert lin[i, j] == pytest.approx(best, abs=1e-12) or one == two
                assert (found[i, j] >= 0) == (best > 0)


def test_equal_words_have_1_and_unknown_ones_0() -> None:
    nouns = wordnet().nouns
    words = [Word("dog"), Word("zzyzx"), Word("rebel_general", "general"), Word("entity")]
    lin, found = nouns.table(words, [*words, Word("general")])
    assert lin[0].tolist()[:2] == [1.0, 0.0]
    assert lin[1].tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert lin[2, 2] == lin[2, 4] == 1.0
    assert lin[3, 0] == 0.0
    assert found[1].tolist() == [-1] * 5


def test_nothing_of_one_table_is_left_for_the_next() -> None:
    nouns = wordnet().nouns
    words = [Word(one) for one in some_lemmas(nouns, 20)]
    first = nouns.table(words, words)[0]
    nouns.table([Word("cat")], words)
    assert np.array_equal(first, nouns.table(words, words)[0])
    assert np.isinf(nouns._least).all()


@pytest.mark.thorough
def test_1000_pairs_agree_with_nltk_on_the_same_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nltk = pytest.importorskip("nltk.data")
    reader = pytest.importorskip("nltk.corpus.reader.wordnet")
    monkeypatch.setattr(nltk, "path", [str(tmp_path)])
    monkeypatch.setattr(reader.WordNetCorpusReader, "map_wn", lambda *_: None)  # of translations
    nouns = wordnet().nouns
    rng = np.random.default_rng(11)
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, len(nouns.counts), (1000, 2)).tolist()]
    offsets = write(tmp_path, nouns, {one for pair in pairs for one in pair})
    with pytest.warns(UserWarning, match="multilingual"):
        theirs = reader.WordNetCorpusReader(str(tmp_path), None)
    counts = {offset: float(nouns.counts[one]) for one, offset in offsets.items()}
    # NLTK keeps the sum of a part of speech at 0, where our first synset, the root, is: the two are the same number.
    assert counts[0] == nouns.total
    content = {"n": counts}
    above = 0
    for a, b in pairs:
        one, two = (theirs.synset_from_pos_and_offset("n", offsets[k]) for k in (a, b))
        expected = one.lin_similarity(two, content)
        assert nouns.lin_of_synsets(a, b) == pytest.approx(expected, abs=1e-12)
        above += expected > 0
    assert above > 500


# Lookups


@pytest.mark.parametrize(
    ("part", "form", "lemma"),
    [
        ("n", "geese", "goose"), ("n", "Cities", "city"), ("n", "boxes", "box"), ("n", "firemen", "fireman"),
        ("n", "glass", "glass"), ("n", "zzyzxs", None), ("v", "running", "run"), ("v", "went", "go"),
        ("v", "tries", "try"), ("v", "baked", "bake"), ("n", "ice cream", "ice_cream"),
    ],
)  # fmt: skip
def test_forms_have_lemmas(part: str, form: str, lemma: str | None) -> None:
    assert (wordnet().nouns if part == "n" else wordnet().verbs).morphy(form) == lemma


def test_supersenses_of_a_noun_in_any_form() -> None:
    assert supersenses("generals") == ["noun.person"]
    assert "noun.animal" in supersenses("dogs")
    assert supersenses("zzyzx") == []


def test_unknown_senses_are_refused_in_a_sentence() -> None:
    with pytest.raises(MensuraError, match="common, first, all are known"):
        wordnet().nouns.likeness("dog", "cat", "best")  # type: ignore[arg-type]


# The script

DATA = """  1 Notice of the owners
00000100 03 n 01 top 0 000 | all
00000200 05 n 02 beast 0 animal 0 001 @ 00000100 n 0000 | any
00000300 05 n 01 dog 0 001 @ 00000200 n 0000 | barks
00000400 05 n 01 Rex 0 002 @i 00000300 n 0000 @ 00000100 n 0000 | a dog
"""
INDEX = """  1 Notice of the owners
animal n 1 1 @ 1 0 00000200
beast n 1 1 @ 1 0 00000200
dog n 1 1 @ 1 0 00000300
rex n 1 1 @ 1 0 00000400
top n 1 0 1 0 00000100
"""
SENSES = "animal%1:05:00:: 00000200 1 2\ndog%1:05:00:: 00000300 1 5\ndog%2:38:00:: 00000100 1 9\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in ("noun", "verb"):
        data = DATA if part == "noun" else DATA.replace(" n ", " v ")
        (tmp_path / f"data.{part}").write_text(data)
        (tmp_path / f"index.{part}").write_text(INDEX)
        (tmp_path / f"{part}.exc").write_text("doggies dog\n")
    (tmp_path / "index.sense").write_text(SENSES)
    return tmp_path


def test_the_compact_file_has_what_the_files_of_the_database_have(folder: Path) -> None:
    file = folder / "small.npz"
    np.savez_compressed(file, **wordnet_files.build(folder))
    nouns = WordNet(file).nouns
    assert nouns.lemmas == ["animal", "beast", "dog", "rex", "top"]
    # one each, and two of animal, five of dog; Rex is below the top by two ways and counts once
    assert nouns.counts.tolist() == [11, 10, 7, 1]
    assert nouns.total == 11
    assert nouns.ancestors(3) == {0, 1, 2, 3}
    assert nouns.name(1) == "beast"
    assert nouns.supersense(3) == "noun.animal"
    assert nouns.morphy("doggies") == "dog"
    assert wordnet_files.notice_of(folder) == "Notice of the owners\n"


def test_a_broken_line_is_named(folder: Path) -> None:
    (folder / "data.noun").write_text(DATA + "00000500 05 n zz\n")
    with pytest.raises(MensuraError, match=r"data.noun, line 6: this is no line of a data file"):
        wordnet_files.build(folder)


def test_the_notice_is_shipped_beside_the_file() -> None:
    assert "Princeton University" in wordnet_files.NOTICE.read_text()
