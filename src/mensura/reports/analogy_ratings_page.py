"""How readers rated analogies: means by pair, agreement beside that of the paper, comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mensura.reports.analogy_page import sheet
from mensura.reports.page import fill
from mensura.texts.evaluations.ratings import SCALES, Agreement, Rating, means

MEANS = [("pair", False), *((scale, True) for scale in SCALES)]
AGREEMENT = [
    ("scale", False),
    ("mean", True),
    ("alpha", True),
    ("95% interval", True),
    ("published", True),
]
COMMENTS = [("pair", False), ("rater", False), ("comment", False)]


def mean_rows(
    by_pair: Mapping[str, Mapping[str, tuple[float | None, int]]],
) -> list[tuple[str, ...]]:
    """Mean ratings with how many there were, a row for each pair."""
    return [
        (
            pair,
            *("-" if mean is None else f"{mean:.2f} ({count})" for mean, count in own.values()),
        )
        for pair, own in by_pair.items()
    ]


def agreement_rows(agreed: Sequence[Agreement]) -> list[tuple[str, ...]]:
    """Alpha of each scale with its interval, beside that of Hurley et al. (2016)."""
    return [
        (
            one.scale,
            "-" if one.mean is None else f"{one.mean:.2f}",
            "-" if one.alpha is None else f"{one.alpha.value:.3f}",
            "-" if one.alpha is None else f"{one.alpha.low:.3f} to {one.alpha.high:.3f}",
            f"{one.published:.3f}",
        )
        for one in agreed
    ]


def comment_rows(ratings: Sequence[Rating]) -> list[tuple[str, ...]]:
    """What was commented, by whom."""
    return [(one.pair, one.rater, " ".join(one.comment.split())) for one in ratings if one.comment]


def found(ratings: Sequence[Rating], agreed: Sequence[Agreement]) -> list[str]:
    """The whole in sentences."""
    raters = len({one.rater for one in ratings})
    pairs = len({one.pair for one in ratings})
    told = [
        f"Raters: {raters}. Pairs of texts: {pairs}. Published values are of 12 raters and other texts (Hurley, Abgaz, "
        "Ali and O'Donoghue, 2016); intervals come from resampling pairs.",
    ]
    missing = [one.scale for one in agreed if one.alpha is None]
    if missing:
        told.append(
            f"There is no alpha for {', '.join(missing)}: it needs two pairs that two readers have rated, and ratings "
            "that differ."
        )
    return told


def ratings_page(
    study: str, ratings: Sequence[Rating], agreed: Sequence[Agreement], left_out: Sequence[str]
) -> str:
    """The report as one HTML page."""
    sheets = [
        sheet("means", "Mean ratings", [name for name, _ in MEANS], mean_rows(means(ratings))),
        sheet(
            "agreement", "Krippendorff's alpha", [name for name, _ in AGREEMENT], agreement_rows(agreed)
        ),
        sheet("comments", "Comments", [name for name, _ in COMMENTS], comment_rows(ratings)),
        sheet("left", "Left out", ["whose answers could not be read"], [[one] for one in left_out]),
    ]  # fmt: skip
    sheets = [one for one in sheets if one["rows"]]
    return fill(
        "analogy_ratings.html",
        [(one["anchor"], one["title"]) for one in sheets],
        {},
        title=f"Ratings in {study}",
        meta=f"{len(ratings)} analogies rated, 1 (not at all) to 5 (very); in parentheses, how many ratings",
        found=found(ratings, agreed),
        sheets=sheets,
    )
