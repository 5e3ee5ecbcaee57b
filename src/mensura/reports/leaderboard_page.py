"""The page of a leaderboard: a table for each test, the rules first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.core.account import FEWEST
from mensura.records.validity import LIMIT
from mensura.reports.number_words import some
from mensura.reports.page import fill

RULES = (
    "Scores stand in one table where the world, all of its parameters and the assessment are the same, but for how "
    "much was played.",
    "Places have scores of which their entries say that Mensura drew the seed, that the subject was fully isolated, "
    "and that the world generates its environments afresh. All others stand in tables of their own, which say why.",
    "Whoever adds a score by the command has a finished run in the present version of its world, at least "
    f"{FEWEST} scores, and at most {LIMIT} of the actions were the environment's default for want of an answer. "
    "Whoever writes into the file by hand has to keep no rule.",
    "Scores of one subject from several runs are taken together. Intervals are of 95%; equal scores share a place, and "
    "subjects whose intervals overlap may well be equals. References were assessed beforehand and come with Mensura.",
)


def trust(verified: int, total: int) -> Iterator[str]:
    """Whom one has to believe: of all entries of a leaderboard, so many were verified here."""
    others = total - verified
    if verified:
        who = (
            "Every entry was"
            if not others
            else f"{verified} of {some(total, 'entry', 'entries')} were"
        )
        yield (
            f"{who} verified here: made again from the records of their runs, and some of their sittings played again, "
            "with the same rewards to the bit."
        )
    if others:
        which = "Every entry reads" if not verified else "The others read"
        yield (
            f"{which} as told by whoever added it: nobody has checked here how it came about. With the records of the "
            "runs, `mensura leaderboard verify FILE --store STORE` does."
        )


def render_leaderboard(
    boards: Sequence[Mapping[str, Any]],
    left_out: Sequence[str] = (),
    trusted: Sequence[str] = (),
    title: str = "Leaderboard",
) -> str:
    """The page; each board has a title, a sentence on it, its marks, and rows as the command prints them.

    ``trusted`` says whom one has to believe.
    """
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
        rules=[*trusted, *RULES],
        boards=numbered,
        left_out=list(left_out),
    )
