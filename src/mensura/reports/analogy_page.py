"""The report of one analogy: both skeletons, what corresponds and why, passages, what is left, and what it suggests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mensura.reports.analogy_figure import figure
from mensura.reports.page import fill
from mensura.texts.mapping import Mapping, Pair
from mensura.texts.skeletons import spoken

LONGEST_PASSAGE = 300
MOST_PASSAGES = 2


def analogy_page(mapping: Mapping) -> str:
    """The report as one HTML page."""
    sheets = [
        sheet("scores", "Scores", ["score", "value", "what it is"], score_rows(mapping)),
        sheet(
            "pairs",
            "What corresponds",
            [
                "source",
                "target",
                "both are",
                "Lin",
                "passage of the source",
                "passage of the target",
            ],
            _pairs(mapping),
        ),
        sheet(
            "inferences",
            "What the source suggests of the target",
            ["could hold in the target", "since in the source", "all of it has a counterpart"],
            _inferences(mapping),
        ),
        sheet("left", "What has no counterpart", ["where", "what"], _left(mapping)),
    ]
    sheets = [one for one in sheets if one["rows"]]
    names = [mapping.source.name or "source", mapping.target.name or "target"]
    return fill(
        "analogy.html",
        [("drawing", "Both skeletons"), *((one["anchor"], one["title"]) for one in sheets)],
        {"drawing": figure(mapping)},
        title=f"{names[0]} and {names[1]}",
        meta=f"{len(mapping.source)} and {len(mapping.target)} nodes, {len(mapping.pairs)} pairs",
        found=explained(mapping),
        sheets=sheets,
    )


def sheet(
    anchor: str, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """A table of the page."""
    return {
        "anchor": anchor,
        "title": title,
        "head": list(head),
        "rows": [list(row) for row in rows],
    }


def score_rows(mapping: Mapping) -> list[tuple[str, str, str]]:
    """The scores with what they are."""
    proof = (
        "proved: no mapping is better"
        if mapping.proved
        else f"at most {mapping.bound}, so that up to {mapping.gap} more may be possible"
    )
    return [
        ("AS", f"{mapping.score:.3f}", "J x S, the unified score"),
        ("J", f"{mapping.jaccard:.3f}", "the share of all nodes that correspond"),
        ("S", f"{mapping.semantic:.3f}", "how alike the words of the pairs are: mean Lin"),
        ("conceptual", f"{mapping.conceptual:.3f}", "S over concepts"),
        ("relational", f"{mapping.relational:.3f}", "S over relations"),
        ("relations in common", str(mapping.common), proof),
    ]


def explained(mapping: Mapping) -> list[str]:
    """The analogy in sentences, the concepts with the most relations first."""
    source = mapping.source
    first = len(source.concepts)
    support: dict[int, int] = {}
    for pair in mapping.pairs:
        if pair.source >= first:
            one = source.relations[pair.source - first]
            for node in (one.subject, one.object):
                support[node] = support.get(node, 0) + 1
    concepts = sorted(
        (pair for pair in mapping.pairs if pair.source < first),
        key=lambda pair: (-support.get(pair.source, 0), pair.source),
    )
    found = [
        f"{len(mapping.pairs)} pairs of nodes correspond, {mapping.common} of them relations: AS = "
        f"{mapping.score:.2f}, J = {mapping.jaccard:.2f}, S = {mapping.semantic:.2f}."
    ]
    found += [_because(mapping, pair) for pair in concepts[:5]]
    grounded = [one for one in mapping.inferences if one.grounded]
    if grounded:
        found.append(
            f"The source suggests of the target: {'; '.join(one.sentence for one in grounded[:3])}."
        )
    if not mapping.proved:
        found.append("It is the best mapping that was found; that none is better is not proved.")
    return found


def _because(mapping: Mapping, pair: Pair) -> str:
    first = len(mapping.source.concepts)
    shared = [
        (mapping.source.told(one.source), mapping.target.told(one.target))
        for one in mapping.pairs
        if one.source >= first
        and pair.source
        in (
            mapping.source.relations[one.source - first].subject,
            mapping.source.relations[one.source - first].object,
        )
    ]
    names = mapping.source.told(pair.source), mapping.target.told(pair.target)
    both = f" Both are: {pair.generic}." if pair.generic and names[0] != names[1] else ""
    if not shared:
        return f"{names[0]} is to be {names[1]}.{both}"
    examples = "; ".join(f"“{one}” is as “{two}”" for one, two in shared[:3])
    return f"{names[0]} corresponds to {names[1]}, since {examples}.{both}"


def _pairs(mapping: Mapping) -> list[Sequence[str]]:
    return [
        (
            mapping.source.told(one.source),
            mapping.target.told(one.target),
            spoken(one.generic),
            f"{one.lin:.2f}",
            _passages(mapping.source.passages(one.source)),
            _passages(mapping.target.passages(one.target)),
        )
        for one in mapping.pairs
    ]


def _passages(passages: Sequence[str]) -> str:
    return " … ".join(" ".join(one.split())[:LONGEST_PASSAGE] for one in passages[:MOST_PASSAGES])


def _inferences(mapping: Mapping) -> list[Sequence[str]]:
    return [
        (one.sentence, mapping.source.told(one.relation), "yes" if one.grounded else "no")
        for one in mapping.inferences
    ]


def _left(mapping: Mapping) -> list[Sequence[str]]:
    return [
        *(("source", mapping.source.told(k)) for k in mapping.left_in_source),
        *(("target", mapping.target.told(k)) for k in mapping.left_in_target),
    ]
