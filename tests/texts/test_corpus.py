"""A folder of texts: read once, ranked as mapping all would, and measured for novelty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.texts.drawn import renumbered, rewired, skeleton

from mensura.agent.errors import MensuraError
from mensura.records.store import open_store
from mensura.texts import corpus as corpora
from mensura.texts.corpus import BRIEFLY, Corpus, from_json, score_bound, to_json
from mensura.texts.mapping import map_skeletons
from mensura.texts.skeleton_files import to_yaml
from mensura.texts.structure import Structure

STORY = "The army attacked the fort because the king hated the duke. The duke guarded the town, and he fed the poor."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Skeletons of which some are more like the first than others."""
    rng = np.random.default_rng(3)
    first = skeleton(rng, 8, 12, 1)
    made = tmp_path / "corpus"
    made.mkdir()
    for k in range(14):
        one = renumbered(rng, rewired(rng, first, k / 14)) if k < 10 else skeleton(rng, 9, 12)
        (made / f"text{k:02}.yaml").write_text(to_yaml(one), encoding="utf-8")
    return made


def test_ranking_gives_the_same_as_mapping_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus(folder)
    target = corpus.structures["text00.yaml"].skeleton
    every = sorted(corpus.all_scores(target), key=lambda one: (-one.mapping.score, one.name))
    mapped = []

    def counted(*given: Any) -> Any:
        mapped.append(given)
        return map_skeletons(*given)

    monkeypatch.setattr(corpora, "map_skeletons", counted)
    for top in (1, 3, 10):
        best = corpus.rank(target, top)
        assert [one.name for one in best] == [one.name for one in every[:top]]
    assert best[0].mapping.score == 1.0
    mapped.clear()
    corpus.rank(target, 1)
    assert len(mapped) < len(corpus)  # the bound spares some


def test_no_score_is_above_its_bound(folder: Path) -> None:
    structures = list(Corpus(folder).structures.values())
    for one in structures[:6]:
        for two in structures:
            assert map_skeletons(one, two, BRIEFLY).score <= score_bound(one, two, BRIEFLY)


def test_novelty_is_one_minus_the_highest_score(folder: Path) -> None:
    corpus = Corpus(folder)
    known = corpus.structures["text00.yaml"].skeleton
    found = corpus.novelty("dog cat", known)
    assert found.value == 0.0
    assert found.by_structure.name == "text00.yaml"
    assert found.compared == 14
    assert found.percentile < 10.0
    new = corpus.novelty("dog cat", skeleton(np.random.default_rng(77), 20, 30))
    assert new.value > 0.3
    assert new.percentile > 50.0


def test_a_text_is_parsed_once_where_there_is_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "story.txt").write_text(STORY)
    (texts / "empty.txt").write_text("")
    with open_store(tmp_path / "a.db") as store:
        first = Corpus(texts, store=store)
        assert first.left_out == {
            "empty.txt": f"{texts / 'empty.txt'} is empty: there is no word in it."
        }
        assert ("army", "attack", "fort") in first.structures["story.txt"].skeleton.triples()
        monkeypatch.setattr(corpora, "skeleton_of_text", None)
        again = Corpus(texts, store=store)
    assert again.structures["story.txt"].skeleton == first.structures["story.txt"].skeleton


def test_skeletons_are_kept_as_they_are(folder: Path) -> None:
    for structure in Corpus(folder).structures.values():
        assert from_json(to_json(structure.skeleton)) == structure.skeleton


def test_a_folder_without_a_text_that_can_be_used_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="There is no text in"):
        Corpus(tmp_path)
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(MensuraError, match=r"could be used\. The first: .* is empty"):
        Corpus(tmp_path)
    with pytest.raises(MensuraError, match="is no folder"):
        Corpus(tmp_path / "none")


def test_structures_are_what_corpora_hold(folder: Path) -> None:
    assert all(isinstance(one, Structure) for one in Corpus(folder).structures.values())


# From Python


def test_the_doors_for_python_take_texts_files_and_skeletons(folder: Path, tmp_path: Path) -> None:
    from mensura import analogy

    file = tmp_path / "story.txt"
    file.write_text(STORY)
    told = analogy.skeleton(STORY)
    assert analogy.skeleton(file).triples() == told.triples()
    assert analogy.skeleton(str(file)).triples() == told.triples()
    assert analogy.map(told, STORY, required={"king": "king"}).score == 1.0
    assert isinstance(analogy.Corpus(folder).rank(told, 2)[0].mapping, analogy.Mapping)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("It rained.", "has no triple"),
        (
            "Die Armee griff die Festung an, weil der Herrscher den Herzog hasste und das Volk litt.",
            "not seem to be in English",
        ),
    ],
)
def test_a_text_without_a_skeleton_is_one_sentence(text: str, sentence: str) -> None:
    from mensura import analogy

    with pytest.raises(MensuraError, match=sentence):
        analogy.skeleton(text)
