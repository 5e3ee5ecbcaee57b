"""Ratings of analogies by invited readers: the study that they take part in, and what their ratings say.

Hurley, Abgaz, Ali and O'Donoghue (2016) asked for ratings from 1 to 5 of how novel and useful an analogy is, and how
much it challenges the normal view of its topic; 12 raters agreed to the values of Krippendorff's alpha below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mensura.agent.errors import MensuraError

if TYPE_CHECKING:
    from mensura.agent.keys import Key
    from mensura.statistics.interval import Estimate
    from mensura.texts.mapping import Mapping as Analogy
    from mensura.texts.reading import Part

SCALES = ("novel", "useful", "challenging")
PUBLISHED = {"novel": 0.344, "useful": 0.274, "challenging": 0.394}
"""Alpha on the interval scale, of 12 raters."""
HIGHEST = 5
"""The highest rating; 0 leaves a scale out."""
LONGEST_TEXT = 20_000
MOST_PAIRS = 200
LONGEST_PAIR = 500
JOINT = " = "
"""What stands between the two sides of a pair."""
WORLD = "ratings-v1"


class Rating(NamedTuple):
    """What one reader said of one analogy."""

    rater: str
    pair: str
    values: Mapping[str, int]
    """By scale; a scale that was left out is 0."""
    comment: str = ""


class Agreement(NamedTuple):
    """How far raters agree on a scale."""

    scale: str
    mean: float | None
    """Of all ratings; None where there are none."""
    alpha: Estimate | None
    """None where no two analogies were rated by two readers each, or all ratings are the same."""
    published: float


def study_of(
    pairs: Sequence[tuple[Path, Path]], name: str, places: int, seed: int, part: Part = "all"
) -> dict[str, Any]:
    """The study file, as plain data: each analogy is a condition, and everybody goes through all of them."""
    worlds: list[dict[str, Any]] = []
    for source, target in pairs:
        label = f"{source.stem} and {target.stem}"
        if any(one["name"] == label for one in worlds):
            raise MensuraError(f"{label}: this pair is named twice; each is rated once.")
        # As JSON, which the pages take for no path of a file whatever the texts are.
        shown = json.dumps(_shown(source, target, part), ensure_ascii=False)
        worlds.append({"world": WORLD, "name": label, "parameters": {"analogy": shown}})
    return {
        "mensura": 1,
        "name": name,
        "title": "Analogies between texts, rated by readers",
        "seed": seed,
        "worlds": worlds,
        "assessments": [{"assessment": "attempts", "parameters": {"attempts": 1}}],
        "people": {
            "places": places,
            "design": "within",
            "order": "latin-square",
            "usual_questions": False,
            "show_score": False,
        },
    }


def _shown(source: Path, target: Path, part: Part) -> dict[str, Any]:
    """What raters see of two texts."""
    from mensura.texts.documents import skeleton_of_text
    from mensura.texts.mapping import map_skeletons
    from mensura.texts.reading import SUFFIXES, read_document

    texts = []
    for path in (source, target):
        if path.suffix.lower() not in SUFFIXES:
            raise MensuraError(
                f"{path} is no text that raters could read; files that end in {', '.join(SUFFIXES)} are."
            )
        text = read_document(path, part)
        if len(text) > LONGEST_TEXT:
            raise MensuraError(
                f"{path} has {len(text)} characters, and raters read at most {LONGEST_TEXT}: take a shorter text, or "
                "the abstract alone."
            )
        texts.append(text)
    one, two = (
        skeleton_of_text(text, path.stem)
        for text, path in zip(texts, (source, target), strict=True)
    )
    found = pairs_of(map_skeletons(one, two))
    if not 0 < len(found) <= MOST_PAIRS:
        raise MensuraError(
            f"{source} and {target} have {len(found)} pairs that correspond; 1 to {MOST_PAIRS} can be rated."
        )
    return {"source": readable(texts[0]), "target": readable(texts[1]), "pairs": found}


def pairs_of(mapping: Analogy) -> list[str]:
    """What corresponds, in words, concepts first."""

    def side(told: str) -> str:
        return " ".join(told.split()).replace(JOINT, " ")[: (LONGEST_PAIR - len(JOINT)) // 2]

    return [
        f"{side(mapping.source.told(one.source))}{JOINT}{side(mapping.target.told(one.target))}"
        for one in sorted(mapping.pairs, key=lambda one: one.source >= len(mapping.source.concepts))
    ]


def readable(text: str) -> str:
    """A text with one line for each of its paragraphs, and nothing invisible in it.

    >>> readable("One\\nparagraph.\\n\\n\\nAnother\\tone.")
    'One paragraph.\\nAnother one.'
    """
    lines = [" ".join(one.split()) for one in re.split(r"\n\s*\n", text)]
    return "\n".join("".join(filter(str.isprintable, one)) for one in lines if one)


def means(ratings: Sequence[Rating]) -> dict[str, dict[str, tuple[float | None, int]]]:
    """The mean rating of each pair on each scale, and of how many."""
    found: dict[str, dict[str, tuple[float | None, int]]] = {}
    for pair in dict.fromkeys(one.pair for one in ratings):
        own = [one for one in ratings if one.pair == pair]
        found[pair] = {}
        for scale in SCALES:
            values = [one.values[scale] for one in own if one.values[scale]]
            mean = sum(values) / len(values) if values else None
            found[pair][scale] = (mean, len(values))
    return found


def agreements(ratings: Sequence[Rating], seed: Key) -> list[Agreement]:
    """Krippendorff's alpha of each scale, with an interval by resampling pairs."""
    import numpy as np

    from mensura.statistics.agreement import alpha_with_interval

    raters = list(dict.fromkeys(one.rater for one in ratings))
    pairs = list(dict.fromkeys(one.pair for one in ratings))
    found = []
    for scale in SCALES:
        table = np.full((len(raters), len(pairs)), np.nan)
        for one in ratings:
            if one.values[scale]:
                table[raters.index(one.rater), pairs.index(one.pair)] = one.values[scale]
        given = table[np.isfinite(table)]
        alpha = None
        if (np.isfinite(table).sum(axis=0) >= 2).sum() >= 2:
            alpha = alpha_with_interval(table, seed)
        if alpha is not None and not np.isfinite(alpha.value):
            alpha = None
        mean = float(given.mean()) if len(given) else None
        found.append(Agreement(scale, mean, alpha, PUBLISHED[scale]))
    return found
