"""Whether one writes one sentence or two makes little difference, as the paper claims."""

from __future__ import annotations

import re

import pytest

from mensura.texts.documents import skeleton_of_text
from mensura.texts.evaluations.translation import stories_of
from mensura.texts.mapping import map_skeletons


def joined(text: str) -> str:
    """Every two sentences as one."""
    sentences = re.split(r"(?<=\.) ", text)
    pairs = [
        f"{one[:-1]}, and {two[0].lower()}{two[1:]}"
        for one, two in zip(sentences[::2], sentences[1::2], strict=False)
    ]
    return " ".join([*pairs, *sentences[len(pairs) * 2 :]])


def split(text: str) -> str:
    """What is joined by "and" and has a subject of its own as two sentences."""
    pattern = r", and (the|a|he|she|they|each|no) "
    return re.sub(pattern, lambda found: f". {found[1].capitalize()} ", text)


def scores(names: list[str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"joined": [], "split": []}
    for name in names:
        text = stories_of()[name]
        whole = skeleton_of_text(text)
        for way, changed in (("joined", joined(text)), ("split", split(text))):
            assert changed != text
            found[way].append(map_skeletons(whole, skeleton_of_text(changed)).score)
    return found


def test_splitting_and_joining_sentences_leaves_the_score_above_9_tenths() -> None:
    found = scores(["the lake"])
    assert min(found["joined"] + found["split"]) > 0.9


@pytest.mark.thorough
def test_so_it_is_in_all_stories() -> None:
    found = scores(list(stories_of()))
    assert min(found["joined"] + found["split"]) > 0.9
