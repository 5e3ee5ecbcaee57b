"""The page of a profile: one subject, or two side by side, from what was measured alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mensura.reports import profile_figures as figures
from mensura.reports import profile_words as words
from mensura.reports.number_words import listed, some
from mensura.reports.page import fill
from mensura.reports.robustness_page import caption, panel
from mensura.reports.transfer_page import heat_map, learning_curves, matrix_sheet, measure_sheets
from mensura.reports.understanding_page import bars
from mensura.reports.understanding_page import caption as probes_caption
from mensura.statistics.subject_profile import SubjectProfile, forgotten, shared_budget

Section = dict[str, Any]


def render_profile(
    profiles: Sequence[SubjectProfile],
    world: str,
    references: Sequence[str],
    notes: Sequence[str],
    seed: int,
    quick: bool,
    command: str = "",
    warnings: Sequence[str] = (),
) -> str:
    """The page."""
    names = [one.subject for one in profiles]
    sections = [one for one in _sections(profiles) if one["panels"] or one["tables"] or one["said"]]
    title, columns, rows = words.glance(profiles, world)
    contents = [
        ("glance", "At a glance"),
        *((str(one["anchor"]), str(one["title"])) for one in sections),
        ("missing", "Not measured"),
        ("again", "How to reproduce"),
        ("words", "The words"),
    ]
    said = [[*words.summary(one)] for one in profiles]
    first = profiles[0]
    return fill(
        "profile.html",
        contents,
        {"sections": [{**one, "svg": ""} for one in sections]},
        title=f"Profile: {' and '.join(names)} on {world}",
        meta=f"{'quick' if quick else 'full'}, {some(len(first.performance.own), 'environment')}, seed {seed}",
        warnings=list(warnings),
        failed=[
            one.subject
            for one in profiles
            if one.motivation is not None and not one.motivation.tried
        ],
        found=[" ".join(one) for one in said] + [*words.compared(profiles)],
        about=f"{listed(names)} {'were' if len(names) > 1 else 'was'} compared with "
        f"{listed(list(references)) or 'nobody but random'}, in the same environments.",
        glance={"title": title, "columns": columns, "rows": rows},
        missing=[
            *(sentence for one in profiles for sentence in words.missing_words(one)),
            *notes,
        ],
        glossary=words.GLOSSARY,
        again=f"The seed {seed} gives the same page again.",
        command=command,
    )


def _section(
    anchor: str,
    title: str,
    panels: Sequence[Section] = (),
    said: Sequence[str] = (),
    tables: Sequence[Section] = (),
    *,
    kind: str = "panels large",
    about: str = "",
) -> Section:
    return {
        "anchor": anchor,
        "title": title,
        "panels": list(panels),
        "said": list(said),
        "tables": list(tables),
        "kind": kind,
        "about": about,
    }


def _panel(name: str, svg: str, text: str = "") -> Section:
    return {"name": name, "svg": svg, "caption": text}


def _sections(profiles: Sequence[SubjectProfile]) -> Iterator[Section]:
    """All sections in their order; those of which nothing was measured are empty."""
    numbered = list(enumerate(profiles))
    yield _section(
        "points",
        "Strengths and weaknesses",
        [
            _panel(one.subject, figures.points_figure(list(one.points), f"points-{i}", one.subject))
            for i, one in numbered
            if one.points
        ],
        tables=[_halves(one) for _, one in numbered if one.halves],
        kind="wide",
        about="Each point with its 95% interval, the surest advantage first; right of the line it is better than what "
        "it is compared with.",
    )
    yield _section(
        "performance",
        "Performance, and whether it is good enough",
        [
            _panel(
                one.subject,
                figures.performance_figure(one.performance, f"performance-{i}", one.subject),
            )
            for i, one in numbered
        ],
        [words.good_enough(one) for one in profiles],
        [_measures(profiles)],
    )
    yield from _learning(profiles)
    yield from _breaking(profiles)
    yield _section(
        "trust",
        "Trust: does it tell held-out tasks?",
        said=[
            sentence for one in profiles for sentence in words.trust_words(one.trust, one.subject)
        ],
    )


def _halves(one: SubjectProfile) -> Section:
    rows = [
        [half.name, str(half.tasks), words.shown(half.p_star), words.shown(half.advantage)]
        for half in one.halves
    ]
    columns = [
        ("tasks", False),
        ("how many", True),
        ("P*", True),
        ("against the median reference", True),
    ]
    return {"title": f"{one.subject}: by property of tasks", "columns": columns, "rows": rows}


def _measures(profiles: Sequence[SubjectProfile]) -> Section:
    """Time and energy beside accuracy, where the world has them."""
    names = list(dict.fromkeys(name for one in profiles for name in one.performance.measures))
    rows = []
    for one in profiles:
        own = one.performance.measures
        cells = [f"{own[n].value:.4g} [{own[n].low:.4g}, {own[n].high:.4g}]" if n in own else words.UNMEASURED
                 for n in names]  # fmt: skip
        rows.append([one.subject, *cells, words.shown(one.performance.p_star)])
    columns = [("subject", False), *((name, True) for name in names), ("P*", True)]
    return {"title": "Accuracy, time and energy", "columns": columns, "rows": rows}


def _learning(profiles: Sequence[SubjectProfile]) -> Iterator[Section]:
    """Learning curves, transfer, splits, forgetting, generalization."""
    known = [(i, one, one.table) for i, one in enumerate(profiles) if one.table is not None]
    yield _section(
        "learning",
        "Learning curves and learn rate",
        [_panel(one.subject, learning_curves(table, f"curves-{i}")) for i, one, table in known],
        [sentence for one in profiles for sentence in one.rate_sentences],
        kind="wide",
    )
    sheets = []
    for _, one, table in known:
        shown = [matrix_sheet(table), *measure_sheets(one.pairs)]
        sheets += [{"title": t, "columns": columns, "rows": rows} for t, columns, rows in shown]
        if one.losses:
            sheets.append(_losses(one))
    yield _section(
        "transfer",
        "Transfer",
        [_panel(one.subject, heat_map(table, f"matrix-{i}")) for i, one, table in known],
        tables=sheets,
        kind="wide",
        about="Performance in the task of a column after training in that of a row. A sign: training there surely "
        "helps (+) or harms (-) at once, compared with no training.",
    )
    splits = [(i, one, shared_budget(table)) for i, one, table in known]
    yield _section(
        "split",
        "The split budget",
        [
            _panel(one.subject, figures.split_figure(split, f"split-{i}", one.subject))
            for i, one, split in splits
            if split is not None
        ],
        about="What learners gain in a task where a share of the same budget goes to another one, mean over all pairs.",
    )
    lost = [(i, one, forgotten(table)) for i, one, table in known]
    yield _section(
        "forgetting",
        "Forgetting",
        [
            _panel(one.subject, figures.forgetting_figure(tasks, f"forgetting-{i}", one.subject))
            for i, one, tasks in lost
            if tasks
        ],
        about="What is lost of each task by training in another one, mean over the others, and by as much more "
        "training in the task itself.",
    )
    yield _section(
        "generalization",
        "Generalization by distance",
        [
            _panel(
                one.subject,
                figures.generalization_figure(one.generalization, f"distance-{i}", one.subject),
                f"Correlation of ranks {words.shown(one.generalization.correlation)}.",
            )
            for i, one in enumerate(profiles)
            if one.generalization is not None
        ],
    )


def _losses(one: SubjectProfile) -> Section:
    rows = [
        [pair.x, pair.y, words.shown(pair.measures["loss"]), words.shown(loss)]
        for pair, loss in zip(one.pairs, one.losses, strict=True)
    ]
    columns = [("from", False), ("to", False), ("loss", True), ("loss in P*", True)]
    return {"title": f"{one.subject}: loss, also in P*", "columns": columns, "rows": rows}


def _breaking(profiles: Sequence[SubjectProfile]) -> Iterator[Section]:
    """Degradation, probes, and behavior."""
    from mensura.reports.drawing import score_range

    broken = [(i, j, one) for i, who in enumerate(profiles) for j, one in enumerate(who.breakdowns)]
    heights = score_range([p for _, _, one in broken for p in (*one.scores, *one.chance)])
    several = len(profiles) > 1
    yield _section(
        "robustness",
        "Robustness",
        [
            _panel(
                f"{one.operator}, {one.subject}" if several else one.operator,
                panel(one, heights, f"degradation-{i}-{j}"),
                caption(one),
            )
            for i, j, one in sorted(broken, key=lambda row: row[1])
        ],
        kind="panels",
        about="The score against the strength of each operator, with 95% intervals. The dashed line is acting at "
        "random under the same perturbation; the upright line is the breaking point, where there is one.",
    )
    asked = [(i, one, one.understanding) for i, one in enumerate(profiles) if one.understanding]
    yield _section(
        "understanding",
        f"Understanding of {asked[0][2].phenomenon}" if asked else "Understanding",
        [
            _panel(one.subject, bars(found, f"probes-{i}"), probes_caption(found))
            for i, one, found in asked
        ],
        kind="panels",
        about="A bar for each probe, from 0 to 1; the line is their minimum. What is not measured is no 0.",
    )
    watched = [(i, one, one.behavior) for i, one in enumerate(profiles) if one.behavior is not None]
    for i, one, found in watched:
        strip = found.first.strip if found.first is not None else ()
        yield _section(
            f"behavior-{i}" if several else "behavior",
            f"Behavior of {one.subject} against the best",
            [
                _panel(
                    "What actions cost" if found.kind == "optimum" else "Distance to a schedule",
                    figures.behavior_figure(found, f"behavior-{i}", one.subject),
                    "Mean over episodes of V*(s) - Q*(s, a)."
                    if found.kind == "optimum"
                    else "Mean over episodes of how far powers are from those of the quickest schedule that is known.",
                ),
                *(_panel(said, svg) for said, svg in strip),
            ],
            words.behavior_words(one),
            kind="panels",
        )
