"""The report of a study of people: who took part, from the link to the analysis, how reliable the test is, scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mensura.core.account import FEWEST
from mensura.pictures.picture import Area, Line, Picture, Shape, Words
from mensura.pictures.svg import as_svg
from mensura.reports import figures
from mensura.reports.number_words import interval, listed, percent, plain, signed, some
from mensura.reports.page import fill
from mensura.statistics.interval import Estimate


@dataclass(frozen=True)
class Arm:
    """How far people came in a condition, or in all of them."""

    name: str
    agreed: int = 0
    screened: int = 0
    """Could not take part, by their answers to questions on the instructions."""
    withdrew: int = 0
    """Took back what they had answered."""
    under_way: int = 0
    """Have agreed, and neither finished nor left."""
    finished: int = 0
    left_out: int = 0
    """Of those who finished, by the rules of the study."""

    @property
    def analysed(self) -> int:
        """How many the analysis with exclusions holds."""
        return self.finished - self.left_out


@dataclass(frozen=True)
class Reliability:
    """How reliable the score of one person is, and by which method."""

    method: str
    estimate: Estimate


@dataclass(frozen=True)
class Group:
    """The scores of people in one condition."""

    name: str
    everybody: Estimate | None
    """The mean of all who finished; None where nobody has."""
    kept: Estimate | None
    """The same without those whom the rules leave out."""
    reliability: Reliability | None
    """Of all who finished; None where too few have."""
    programs: Sequence[tuple[str, Estimate]] = ()
    """Programs that took the same test, by name."""
    by_exercise: Sequence[tuple[str, Estimate]] = ()
    """The mean reward in each exercise, where all took the same number."""
    by_complexity: Sequence[tuple[str, Estimate]] = ()
    """The mean reward in environments of a range of complexity."""
    measure: str = ""
    """By which complexity that is."""


@dataclass(frozen=True)
class PeopleReport:
    """All that the report of a study of people tells."""

    name: str
    title: str
    came: int
    """Entries: whoever came by the link of the study, or was invited by one of their own."""
    total: Arm
    arms: Sequence[Arm]
    """By condition, where everybody is in one of several."""
    groups: Sequence[Group]
    rules: Sequence[tuple[str, str, int]]
    """Each rule of exclusion in words, its reason, and how many of those who finished it leaves out."""
    facts: Sequence[tuple[str, str]] = ()
    """Who took part, in words: a heading and what is told of it."""
    latency_ms: Sequence[float] = field(default=())
    """What the network added to answers: the least, the median and the largest, in milliseconds."""


def render_people(report: PeopleReport, again: str, command: str = "") -> str:
    """The page."""
    contents = [
        ("flow", "From the link to the analysis"),
        ("who", "Who took part"),
        ("scores", "Scores"),
        ("reliability", "Reliability"),
        ("parts", "By exercise and complexity"),
        ("again", "How to reproduce"),
    ]
    drawn = {f"scores_{i}": _scores(i, one) for i, one in enumerate(report.groups)}
    return fill(
        "people.html",
        contents,
        {
            "flow": as_svg(flow_picture(report), page=True),
            "pictures": [
                {"name": one.name, "svg": drawn[f"scores_{i}"], "caption": _caption(one)}
                for i, one in enumerate(report.groups)
                if drawn[f"scores_{i}"]
            ],
        },
        title=report.title or report.name,
        meta=f"{report.name}: {some(report.total.finished, 'person', 'people')} finished",
        found=list(_found(report)),
        flow_words=list(_flow_words(report)),
        rules=report.rules,
        facts=report.facts,
        score_rows=list(_score_rows(report)),
        reliability=list(_reliability(report)),
        tables=[table for group in report.groups for table in _tables(group)],
        latency=_latency(report),
        again=again,
        command=command,
    )


# Words ------------------------------------------------------------------------------------------------


def _found(report: PeopleReport) -> Iterator[str]:
    for group in report.groups:
        of = f" in {group.name}" if len(report.groups) > 1 else ""
        if group.everybody is None:
            yield f"Nobody has a score{of} yet."
            continue
        n = group.everybody.n
        yield (
            f"{_capital(some(n, 'person', 'people'))} finished{of} with a score, {_told(group.everybody)} in the mean."
        )
        if report.rules and group.kept is not None:
            left = n - group.kept.n
            yield (
                f"Without the {left} whom the rules leave out it is {_told(group.kept)}."
                if left
                else "The rules leave nobody out of it."
            )
        elif report.rules:
            yield "The rules leave everybody out of it."


def _flow_words(report: PeopleReport) -> Iterator[str]:
    total = report.total
    yield (
        f"{_capital(some(report.came, 'person', 'people'))} came or were invited, {total.agreed} agreed to take part, "
        f"{total.finished} finished. {_capital(some(total.withdrew, 'person', 'people'))} withdrew, and their answers "
        f"are deleted; {total.screened} could not take part; {total.under_way} "
        f"{'is' if total.under_way == 1 else 'are'} under way."
    )
    if report.rules:
        yield (
            f"The rules of exclusion, which the study had before anybody came, leave {total.left_out} of those who "
            f"finished out of the analysis: {total.analysed} remain. Results are shown with and without them."
        )
    else:
        yield "The study has no rules of exclusion: all who finished are in the results."


def _score_rows(report: PeopleReport) -> Iterator[tuple[str, str, str, str]]:
    for group in report.groups:
        yield (
            group.name,
            "people, all who finished",
            str(group.everybody.n if group.everybody else 0),
            "none yet" if group.everybody is None else _told(group.everybody),
        )
        if report.rules:
            yield (
                group.name,
                "people, without exclusions",
                str(group.kept.n if group.kept else 0),
                "nobody" if group.kept is None else _told(group.kept),
            )
        for name, estimate in group.programs:
            yield group.name, name, str(estimate.n), _told(estimate)


def _reliability(report: PeopleReport) -> Iterator[str]:
    for group in report.groups:
        of = f"{group.name}: " if len(report.groups) > 1 else ""
        found = group.reliability
        if found is None:
            yield f"{of}Too few have finished to tell how reliable the score of one person is."
        elif math.isnan(found.estimate.value):
            yield f"{of}Everybody has the same score, so that nothing can be told of reliability."
        else:
            one = found.estimate
            yield (
                f"{of}{percent(max(one.value, 0.0))} of the variance of people's scores is their own: {found.method} "
                f"{plain(one.value, 2)} {interval(one.low, one.high, 2)}, over {some(one.n, 'person', 'people')}."
            )


def _tables(group: Group) -> Iterator[dict[str, object]]:
    if group.by_exercise:
        yield {
            "name": f"{group.name}: by exercise",
            "head": ("exercise", "people", "mean reward"),
            "rows": [(name, str(one.n), _told(one)) for name, one in group.by_exercise],
        }
    if group.by_complexity:
        yield {
            "name": f"{group.name}: by complexity {group.measure}".rstrip(),
            "head": ("complexity", "people", "mean reward"),
            "rows": [(name, str(one.n), _told(one)) for name, one in group.by_complexity],
        }


def _latency(report: PeopleReport) -> str:
    if not report.latency_ms:
        return ""
    least, median, most = (f"{one:.0f}" for one in report.latency_ms)
    return (
        "Response times are by the clock of each browser. The server saw answers later by what the network and the "
        f"browser took: {median} ms in the median of people, from {least} to {most} ms."
    )


def _told(estimate: Estimate) -> str:
    """A mean with its interval, where there are enough for one."""
    if estimate.n < FEWEST or not math.isfinite(estimate.low):
        return f"{signed(estimate.value)} (too few for an interval)"
    return f"{signed(estimate.value)} {interval(estimate.low, estimate.high)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Pictures ---------------------------------------------------------------------------------------------


def _scores(number: int, group: Group) -> str:
    """People beside programs, the best on top; nothing where there is nobody."""
    entries = [
        *([("people", group.everybody)] if group.everybody is not None else []),
        *([("people, without exclusions", group.kept)] if _differs(group) else []),
        *group.programs,
    ]
    told = [(name, one) for name, one in entries if one is not None and math.isfinite(one.low)]
    if not told:
        return ""
    return figures.scores(sorted(told, key=lambda pair: -pair[1].value), f"people-{number}")


def _differs(group: Group) -> bool:
    return (
        group.kept is not None and group.everybody is not None and group.kept.n < group.everybody.n
    )


def _caption(group: Group) -> str:
    names = [name for name, _ in group.programs]
    beside = f" Beside them, on the same scale: {listed(names)}." if names else ""
    return f"Mean scores with 95% intervals, over people or over tests of a program.{beside}"


WIDE, HIGH, GAP = 7.0, 1.5, 0.9


def flow_picture(report: PeopleReport) -> Picture:
    """Boxes from top to bottom; whoever left stands to the right of where."""
    total = report.total
    shapes: list[Shape] = []
    arms = report.arms if len(report.arms) > 1 else ()
    width = max(len(arms), 2) * (WIDE + GAP) - GAP

    def box(x: float, y: float, words: str, count: int, role: str = "series-0") -> None:
        shapes.append(
            Area.box(x, y, WIDE, HIGH, role, 0.15, outline="ink", label=f"{words}: {count}")
        )
        shapes.append(Words(words, (x + WIDE / 2, y + 0.5), 0.42))
        shapes.append(Words(str(count), (x + WIDE / 2, y + 1.05), 0.55))

    def down(x: float, y: float) -> None:
        shapes.append(Line([(x, y), (x, y + GAP)], width=0.06, arrow=True))

    def beside(y: float, words: str, count: int) -> None:
        shapes.append(
            Line([(WIDE, y + HIGH / 2), (WIDE + GAP, y + HIGH / 2)], width=0.06, arrow=True)
        )
        box(WIDE + GAP, y, words, count, "other")

    step = HIGH + GAP
    box(0, 0, "came or were invited", report.came)
    beside(0, "did not agree", report.came - total.agreed)
    down(WIDE / 2, HIGH)
    box(0, step, "agreed", total.agreed)
    beside(step, "screened out or withdrew", total.screened + total.withdrew)
    y = 2 * step
    if arms:
        for i, arm in enumerate(arms):
            x = i * (WIDE + GAP)
            shapes.append(
                Line(
                    [(WIDE / 2, y - GAP), (WIDE / 2, y - GAP / 2), (x + WIDE / 2, y - GAP / 2), (x + WIDE / 2, y)],
                    width=0.06,
                    arrow=True,
                )
            )  # fmt: skip
            box(x, y, arm.name, arm.agreed - arm.screened - arm.withdrew)
            down(x + WIDE / 2, y + HIGH)
            box(x, y + step, "finished", arm.finished)
            if report.rules:
                down(x + WIDE / 2, y + step + HIGH)
                box(x, y + 2 * step, "analysed with exclusions", arm.analysed)
    else:
        down(WIDE / 2, y - GAP)
        box(0, y, "finished", total.finished)
        beside(y, "under way", total.under_way)
        if report.rules:
            down(WIDE / 2, y + HIGH)
            box(0, y + step, "analysed with exclusions", total.analysed)
            beside(y + step, "left out by rules", total.left_out)
    rows = 3 + bool(report.rules) + bool(arms)
    label = " ".join(_flow_words(report))
    return Picture(shapes, (width, rows * step - GAP), label)
