"""Stories translated there and back: how much of their structure is left (Hurley et al. 2016, figure 7)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from mensura.agent.errors import MensuraError
from mensura.core.yaml_text import Form, parse_yaml
from mensura.texts.documents import skeleton_of_text
from mensura.texts.mapping import map_skeletons

STORIES = Path(__file__).parents[1] / "data" / "stories.yaml"
FORM = Form("set of stories", "pairs of texts", 200_000, 1_000)
Translate = Callable[[str], str]
"""A text in English, there and back; raises MensuraError where that fails."""
SCORES = ("AS", "J", "S")


@cache
def story_pairs() -> dict[str, dict[str, str]]:
    """Our stories in analogous pairs: two texts under the name of each pair."""
    data, _ = parse_yaml(STORIES.read_text(encoding="utf-8"), STORIES.name, FORM)
    return {
        pair: {name: " ".join(text.split()) for name, text in both.items()}
        for pair, both in data.items()
    }


def stories_of() -> dict[str, str]:
    """All stories by their names."""
    return {name: text for both in story_pairs().values() for name, text in both.items()}


def evaluated(
    stories: Mapping[str, str],
    translators: Mapping[str, Translate],
    tell: Callable[[str], None] | None = None,
) -> tuple[dict[str, dict[str, list[float]]], dict[str, str]]:
    """AS, J and S of each story against what came back, by translator; and what was left out, with why.

    A story that cannot be translated is left out, and so is a translator after three failures in a row.
    """
    found: dict[str, dict[str, list[float]]] = {}
    left_out: dict[str, str] = {}
    skeletons = {name: skeleton_of_text(text, name) for name, text in stories.items()}
    for translator, translate in translators.items():
        values: dict[str, list[float]] = {score: [] for score in SCORES}
        failures = 0
        for name, text in stories.items():
            if tell:
                tell(f"{translator}: {name}")
            try:
                back = skeleton_of_text(translate(text), f"{name} by {translator}")
                mapped = map_skeletons(skeletons[name], back)
            except MensuraError as error:
                left_out[f"{translator}: {name}"] = str(error)
                failures += 1
                if failures == 3:
                    left_out[translator] = "It failed three times in a row, and was asked no more."
                    break
                continue
            failures = 0
            for score, value in zip(
                SCORES, (mapped.score, mapped.jaccard, mapped.semantic), strict=True
            ):
                values[score].append(value)
        found[translator] = values
    return found, left_out


def order_found(found: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Whether the medians of AS fall in the order in which translators are given; nothing where there are not two."""
    medians = [statistics.median(values["AS"]) for values in found.values() if values["AS"]]
    if len(medians) < 2:
        return ""
    if medians != sorted(medians, reverse=True):
        return "The medians of AS are not in the expected order."
    if len(set(medians)) == len(medians):
        return "The medians of AS are in the expected order."
    if len(set(medians)) == 1:
        return "The medians of AS are equal, which tells nothing of the expected order."
    return "The medians of AS are in the expected order where they differ; some are equal."
