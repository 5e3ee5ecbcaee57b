"""The page of an experiment: the figures that its study asks for, statistics beside ours, and claims with verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.records.results import StudyResult
from mensura.reports import attempt_tables, difficulty_tables, series_figures
from mensura.reports.drawing import score_range
from mensura.reports.number_words import interval, listed, percent, plain, signed, some, whole
from mensura.reports.page import fill
from mensura.reports.protocols import at_random
from mensura.reports.study_figures import Panel, figures_of, line_through, panel_of, pooled
from mensura.statistics.claims import Claim, Finding
from mensura.statistics.interval import zero_probability
from mensura.statistics.multiple import corrected
from mensura.statistics.scatter import Scatter
from mensura.statistics.series import Asked, Axis


def render_experiment(
    result: StudyResult,
    asked: Sequence[Asked],
    told: Sequence[Scatter],
    published: Sequence[Mapping[str, Any]] = (),
    claims: Sequence[Claim] = (),
    digest: str = "",
) -> str:
    """The page of a study that asks for figures or statistics, or claims something.

    ``published`` are values beside ours, as data; ``digest`` is the fingerprint of all scores.
    """
    if not result.done:
        raise MensuraError("No sitting of this study was played, so there is nothing to report.")
    figures = figures_of(result, asked)
    contents = [("what", "What was run")]
    held = claim_panels(claims)
    contents += [("claims", "Claims")] if held else []
    contents += [(str(figure["anchor"]), str(figure["title"])) for figure in figures]
    contents += [("statistics", "Statistics of a sample")] if told else []
    beside = [_beside(row) for row in published if row["published"] is not None]
    contents += [("published", "Published values")] if beside else []
    contents += [("again", "How to reproduce")]
    return fill(
        "experiment.html",
        contents,
        {"figures": figures, "scatters": _scatter_panels(told), "claims": held},
        title=result.title,
        meta=f"{some(len(result.conditions), 'condition')}, {whole(result.done)} sittings",
        found=[
            *_verdicts(claims),
            *_dependence(asked),
            *(sentence for figure in asked for sentence in attempt_tables.words(figure)),
            *(sentence for figure in asked for sentence in difficulty_tables.words(figure)),
            *_within(told),
        ],
        what=(
            "Claims held against scores."
            if claims
            else "A published experiment run again, figure by figure."
            if beside or any(figure.published for figure in asked)
            else "An experiment, figure by figure."
        ),
        at_random=all(map(at_random, result.conditions)),
        digest=digest,
        source=result.source,
        warnings=list(result.warnings),
        notes=result.notes,
        rows=[_row(one) for one in told],
        published=beside,
        again=(
            "The same version of Mensura gives the same scores on any machine with this command:"
            if result.command
            else "The seed that the command printed gives the same scores again."
        ),
        command=result.command,
    )


# Claims -------------------------------------------------------------------------

MOST_ROWS = 40
"""Of so many findings each has its row in a figure; of more, those nearest to a refutation."""


def claim_panels(claims: Sequence[Claim]) -> list[Panel]:
    """Each claim with its verdict, its figures and its findings."""
    return [
        {
            "anchor": f"claim-{i}",
            "title": claim.title,
            "text": claim.text,
            "verdict": claim.verdict,
            "count": _counted(claim),
            "svg": "",
            "panels": list(_claim_figures(claim, f"claim-{i}")),
            "what": claim.what,
            "also": list(claim.findings[0].also) if claim.findings else [],
            "rows": [_finding(one) for one in _telling(claim)],
            "left_out": max(0, len(claim.findings) - MOST_ROWS),
        }
        for i, claim in enumerate(claims)
    ]


def _telling(claim: Claim) -> list[Finding]:
    """The findings of a claim, those nearest to a refutation where they are many, in their order."""
    if len(claim.findings) <= MOST_ROWS:
        return list(claim.findings)
    order = {"does not hold": 0, "holds within error": 1, "holds": 2}
    worst = sorted(claim.findings, key=lambda one: (order[one.verdict], one.p))[:MOST_ROWS]
    return [one for one in claim.findings if one in worst]


def _counted(claim: Claim) -> str:
    parts = [f"{word}: {count}" for word, count in claim.count.items() if count]
    return (
        f"Of {some(len(claim.findings), 'part')}, {listed(parts)}."
        if parts
        else "The sample is too small for any part."
    )


def _claim_figures(claim: Claim, name: str) -> Iterator[Panel]:
    looks = {one: i for i, one in enumerate(claim.curves)}
    points = [p for own in claim.curves.values() for _, p in own]
    if points and claim.height == "score":
        yield panel_of(
            "",
            series_figures.curves(
                claim.curves,
                looks,
                Axis(claim.axis, claim.axis, {}),
                score_range(points),
                f"{name}-curve",
                f"{claim.title}: scores along {claim.axis}",
                logarithmic=True,
            ),
            "Bands are 95% intervals.",
        )
    elif points:
        yield panel_of(
            "",
            series_figures.errors(
                claim.curves,
                looks,
                claim.axis,
                f"{name}-curve",
                f"{claim.title}: standard deviations along {claim.axis}",
            ),
            "Both axes are logarithmic; bars are 95% intervals by the jackknife.",
        )
    told = [one for one in _telling(claim) if math.isfinite(one.estimate.value)]
    if told and "complexit" not in claim.what:
        yield panel_of(
            "",
            series_figures.findings(
                [(one.of, one.estimate, one.verdict) for one in told],
                claim.what,
                f"{name}-findings",
                f"{claim.title}: what was found, with 95% intervals",
            ),
            "Bars are 95% intervals of each part by itself; the verdicts are corrected for all parts together.",
        )


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "of": one.of,
        "value": signed(one.estimate.value),
        "interval": interval(one.estimate.low, one.estimate.high),
        "also": [f"{signed(e.value)} {interval(e.low, e.high)}" for e in one.also.values()],
        "p": plain(one.corrected),
        "verdict": one.verdict,
    }


def _verdicts(claims: Sequence[Claim]) -> Iterator[str]:
    for word in ("holds", "holds within error", "does not hold", "not tried"):
        own = [claim.title for claim in claims if claim.verdict == word]
        if own:
            yield f"{word[0].upper()}{word[1:]}: {listed(own, 20)}."


# What was found, and statistics ---------------------------------------------------


def _dependence(asked: Sequence[Asked]) -> Iterator[str]:
    """Who depends on complexity in the figures by complexity."""
    for entry in asked:
        if entry.kind != "complexity":
            continue
        lines = {
            subject: line
            for subject, (x, y) in pooled(entry.series).items()
            if (line := line_through(x, y)) is not None
        }
        slopes = {name: line.slope for name, line in lines.items()}
        p = corrected([zero_probability(one, one.n - 2) for one in slopes.values()]).tolist()
        sure = [name for name, value in zip(slopes, p, strict=True) if value <= 0.05]
        falls = [name for name in sure if slopes[name].value < 0]
        rises = [name for name in sure if slopes[name].value > 0]
        rest = [name for name in lines if name not in (*falls, *rises)]
        parts = [
            f"{words} {listed([f'{n} (r {signed(lines[n].r.value, 2)})' for n in names])}"
            for names, words in (
                (falls, "the score falls with complexity for"),
                (rises, "it rises for"),
                (rest, "no dependence is beyond noise for"),
            )
            if names
        ]
        if parts:
            yield f"{entry.title}: {'; '.join(parts)}."


def _within(told: Sequence[Scatter]) -> Iterator[str]:
    """How many published statistics chance could have given."""
    both = [one for one in told if one.published is not None and one.samples]
    if not both:
        return
    inside = [one for one in both if one.low <= float(one.published or 0.0) <= one.high]
    yield (
        f"{len(inside)} of {some(len(both), 'published statistic')} lie where 95% of our "
        f"{whole(max(one.samples for one in both))} samples of the published size do."
    )
    outside = [one for one in both if one not in inside]
    if outside:
        yield (
            "Outside lie "
            + listed(
                [
                    f"{_named(one)} (published {signed(float(one.published or 0.0))}, ours "
                    f"{interval(one.low, one.high)})"
                    for one in outside
                ]
            )
            + "."
        )


def _named(one: Scatter) -> str:
    where = f", {listed(list(one.worlds))}" if one.worlds else ""
    return f"{one.statistic} of {one.subject}{where}"


def _row(one: Scatter) -> dict[str, str]:
    known = one.samples > 0
    return {
        "statistic": one.statistic,
        "subject": one.subject,
        "worlds": listed(list(one.worlds)) if one.worlds else "all",
        "published": "" if one.published is None else signed(one.published),
        "middle": signed(one.middle) if known else "",
        "range": interval(one.low, one.high) if known else "",
        "beyond": percent(one.beyond) if math.isfinite(one.beyond) else "",
        "significant": percent(one.significant) if math.isfinite(one.significant) else "",
    }


def _beside(row: Mapping[str, Any]) -> dict[str, str]:
    low, high = (math.nan if row[end] is None else float(row[end]) for end in ("low", "high"))
    return {
        "setting": str(row["setting"]),
        "subject": str(row["subject"]),
        "published": signed(float(row["published"])),
        "ours": signed(float(row["measured"])),
        "interval": interval(low, high),
        "doubt": str(row["doubt"]),
    }


def _scatter_panels(told: Sequence[Scatter]) -> list[Panel]:
    """A figure for each kind of statistic."""
    kinds: dict[str, list[Scatter]] = {}
    for one in told:
        kinds.setdefault("F" if one.statistic.startswith("F of") else one.statistic, []).append(one)
    return [
        panel_of(
            kind if kind != "F" else "F of the analysis of variance",
            series_figures.scatter(
                [
                    (
                        f"{one.statistic if kind == 'F' else ''} {one.subject}"
                        f"{', ' + listed(list(one.worlds)) if one.worlds else ''}".strip(),
                        one.published,
                        one.middle,
                        one.low,
                        one.high,
                    )
                    for one in own
                ],
                f"scatter-{i}",
                f"{kind}: published, and where our samples lie",
            ),
            "Diamonds were published. A bar holds 95% of our samples of the same size, a stroke marks their middle.",
        )
        for i, (kind, own) in enumerate(kinds.items())
    ]
