"""The page of a leaderboard: a table for each test, the rules first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mensura.core.account import FEWEST
from mensura.records.validity import LIMIT
from mensura.reports.number_words import some
from mensura.reports.page import fill

RULES = (
    "Scores stand in one table where the world, all of its parameters and the assessment are the same, but for how "
    "much was played.",
    "A score is added where the run is finished, its world has the present version, its seed was drawn for it, so that "
    f"nobody could know the environments, it rests on at least {FEWEST} scores, and at most {LIMIT} of the actions "
    "were the environment's default for want of an answer.",
    "Scores of one subject from several runs are taken together. Intervals are of 95%; equal scores share a place, and "
    "subjects whose intervals overlap may well be equals. References were assessed beforehand and come with Mensura.",
    "Every entry has its seed, so that anybody can play it again.",
)


def render_leaderboard(
    boards: Sequence[Mapping[str, Any]], left_out: Sequence[str] = (), title: str = "Leaderboard"
) -> str:
    """The page; each board has a title, a sentence on it, and rows as the command prints them."""
    numbered = [{**board, "anchor": f"board-{i + 1}"} for i, board in enumerate(boards)]
    contents = [
        ("rules", "The rules"),
        *((str(board["anchor"]), str(board["title"])) for board in numbered),
        *([("left-out", "What is left out")] if left_out else []),
    ]
    subjects = {row["subject"] for board in boards for row in board["rows"]}
    return fill(
        "leaderboard.html",
        contents,
        {},
        title=title,
        meta=f"{some(len(subjects), 'subject')} in {some(len(boards), 'table')}",
        rules=list(RULES),
        boards=numbered,
        left_out=list(left_out),
    )
