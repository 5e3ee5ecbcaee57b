"""The report of games of imitation: who was taken for the person, the tests by name, and how the illusion held.

Games are given as whoever knows the world reads them. Nothing here says "intelligent", and judges who are programs are
never pooled with people.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from mensura.records.conversation import BOTH, PEOPLE, PROGRAMS, uncounted
from mensura.reports import illusion
from mensura.reports.page import fill
from mensura.statistics.crossed_logistic import crossed_logistic
from mensura.statistics.identification import majority_of_independent, sensitivities
from mensura.statistics.mixed_logistic import mixed_logistic

PUBLISHED: tuple[tuple[str, str, str], ...] = (
    ("GPT-4.5 with a persona", "73%", "Jones and Bergen 2025, three-party, 5 minutes"),
    ("LLaMa-3.1-405B with a persona", "56%", "Jones and Bergen 2025, three-party, 5 minutes"),
    ("ELIZA", "23%", "Jones and Bergen 2025, three-party, 5 minutes"),
    ("GPT-4o", "21%", "Jones and Bergen 2025, three-party, 5 minutes"),
    ("people", "63%", "Jones and Bergen 2023, two-party, public"),
    ("GPT-4", "41%", "Jones and Bergen 2023, two-party, public"),
    ("ELIZA", "27%", "Jones and Bergen 2023, two-party, public"),
    ("GPT-3.5", "14%", "Jones and Bergen 2023, two-party, public"),
    ("5 machines", "5 of 60", "Shah 2010, simultaneous comparisons"),
)
"""Published figures: shown beside ours, never tested against."""
SHOWN = 3
"""So many whole conversations are shown, those in which judges were surest and wrong first."""
LONGEST_REASON = 200


def imitation_page(games: Sequence[Any], results: Sequence[Any], title: str) -> str:
    """The report as one HTML page; games that people judged, and those that programs did, stand apart."""
    kinds = list(dict.fromkeys(one.judged_by for one in games))
    sheets: list[dict[str, Any]] = []
    for number, kind in enumerate(kinds):
        own = [one for one in games if one.judged_by == kind]
        sheets += _sheets(
            own,
            [one for one in results if one.judged_by == kind],
            f", judged by {kind}" if len(kinds) > 1 else "",
            f"-{number}" if number else "",
        )
    sheets.append(
        _sheet(
            "published",
            "Published figures, of other studies",
            ["who", "judged to be the person", "study"],
            PUBLISHED,
        )
    )
    contents = [(one["anchor"], one["title"]) for one in sheets] + [("games", "Conversations")]
    return fill(
        "imitation.html",
        contents,
        {"sheets": sheets},
        title=title,
        meta=f"{len(games)} games, {sum(one.void for one in games)} of them void",
        found=[*_found(kinds, results), *uncounted(games)],
        games=[_conversation(one) for one in _worth_reading(games)],
    )


def _sheets(
    games: Sequence[Any], results: Sequence[Any], whose: str, mark: str
) -> list[dict[str, Any]]:
    """All that is told of games with judges of one kind."""
    tables: list[tuple[str, str, tuple[list[str], list[list[str]]]]] = [
        ("rates", "How often each machine was taken for the person", _rates(results)),
        ("rounds", "By round", _rounds(games)),
        ("confidence", "Confidence against correctness", _confidence(games)),
        ("survival", "How long the illusion held, by messages", illusion.by_messages(games)),
        ("seconds", "How long the illusion held, by seconds", illusion.by_seconds(games)),
        ("hazard", "What ends the illusion: hazard by kind of message", illusion.hazards(games)),
        ("breaks", "Messages that ended the illusion", illusion.breaks(games)),
        ("blunders", "Games lost by a lone blunder", illusion.lone_blunders(games)),
        ("judges", "Judges", _judges(games)),
        ("sensitivity", "How well judges tell machines from people", _sensitivity(games)),
        ("model", "By a logistic model with random judges", _model(games)),
        ("juries", "Juries against their votes", _juries(games)),
        ("reasons", "Reasons that judges gave", _reasons(games)),
        ("masking", "What was masked", illusion.maskings(games)),
    ]
    drawings = {
        "survival": lambda: illusion.drawn_by_messages(games, f"survival{mark}"),
        "seconds": lambda: illusion.drawn_by_seconds(games, f"seconds{mark}"),
    }
    return [
        _sheet(
            f"{anchor}{mark}",
            f"{title}{whose}",
            *table,
            drawings[anchor]() if anchor in drawings else "",
        )
        for anchor, title, table in tables
        if table[1]
    ]


JUDGED: dict[str, str] = {
    PROGRAMS: "Judged by machines. This is a rehearsal: it says nothing of what people would find, and is never pooled "
    "with their judgments.",
    PEOPLE: "Judged by people, under pseudonyms. Conversations and reasons are shown where all people in a game have "
    "allowed it.",
    BOTH: "Judged by juries of people and machines together. This says nothing of what a jury of people would find, "
    "and is never pooled with their judgments.",
}


def _found(kinds: Sequence[str], results: Sequence[Any]) -> Iterator[str]:
    yield (
        "A judgment in a conversation is not a benchmark, and no score of one replaces the other. Of each machine it "
        "is said how often it was taken for the person."
    )
    for kind in kinds:
        yield JUDGED[kind]
        for one in (one for one in results if one.judged_by == kind):
            yield (
                f"{one.machine} was taken for the person in {one.won:.0%} of {one.games - one.void} games, 95% "
                f"interval [{one.low:.0%}, {one.high:.0%}]. {' '.join(test.sentence for test in one.tests)} "
                f"{_more(one)}"
            )


def _more(one: Any) -> str:
    if one.tests[0].met:
        return ""
    if one.more is None:
        return "If what was found is the truth, no number of games would make it meet Turing's 1950 criterion."
    if not one.more:
        return "There would be games enough to settle it, but too few judges: games of one judge are alike."
    judges = math.ceil(one.more / max(1.0, one.identified.games / one.identified.judges))
    return (
        f"If what was found is the truth, {one.more} more games, by {judges} more judges who play as often, would "
        "settle Turing's 1950 criterion with a power of 80%."
    )


def _sheet(
    anchor: str, title: str, head: Sequence[str], rows: Sequence[Sequence[str]], svg: str = ""
) -> dict[str, Any]:
    return {
        "svg": svg,
        "anchor": anchor,
        "title": title,
        "head": list(head),
        "rows": [list(row) for row in rows],
    }


def _rates(results: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    head = [
        "machine",
        "taken for the person",
        "95% interval",
        "games",
        "void",
        "judges",
        "interval over",
    ]
    rows = [
        [
            one.machine,
            f"{one.won:.1%}",
            f"[{one.low:.1%}, {one.high:.1%}]",
            str(one.games),
            str(one.void),
            str(one.identified.judges),
            "judges" if one.identified.over_judges else "games of one judge",
        ]
        for one in results
    ]
    return head, rows


def _rounds(games: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    rows = []
    for machine in dict.fromkeys(one.machine for one in games):
        own = [one for one in games if one.machine == machine and not one.void]
        most = max((len(one.verdicts) for one in own), default=0)
        if most < 2:
            continue
        for number in range(most):
            won = [one.verdicts[number]["won"] for one in own if len(one.verdicts) > number]
            rows.append([machine, str(number + 1), f"{sum(won) / len(won):.0%}", str(len(won))])
    return ["machine", "round", "taken for the person", "games"], rows


def _ballots(games: Sequence[Any]) -> Iterator[tuple[Any, dict[str, Any], bool | None]]:
    """Every last ballot, and whether it was right; None where it cannot tell."""
    for game in games:
        if game.void or not game.votes:
            continue
        for ballot in game.votes[-1]["ballots"].values():
            yield game, ballot, is_right(game, ballot["choice"])


def is_right(game: Any, choice: str) -> bool | None:
    """Whether a choice names the person, or what the one witness is; None where it names nobody."""
    if not choice:
        return None
    if choice in game.labels:
        return bool(game.labels[choice] == "person")
    return choice in game.labels.values()


def _confidence(games: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    bins = [(50, 59), (60, 69), (70, 79), (80, 89), (90, 100)]
    rows = []
    told = [
        (ballot["confidence"], right) for _, ballot, right in _ballots(games) if right is not None
    ]
    for low, high in bins:
        own = [right for sure, right in told if low <= sure <= high]
        if own:
            rows.append([f"{low} to {high}", f"{sum(own) / len(own):.0%}", str(len(own))])
    return ["confidence", "right", "verdicts"], rows


def _judges(games: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    rows = []
    for judge in dict.fromkeys(one.judge for one in games):
        own = [one for one in games if one.judge == judge and not one.void]
        if own:
            right = sum(1.0 - one.won for one in own) / len(own)
            rows.append([judge, f"{right:.0%}", str(len(own))])
    return ["judge", "right", "games"], rows


def _sensitivity(games: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    """Of two-party games: d' and bias of each judge, shrunk towards those of all judges."""
    counts: dict[str, list[int]] = {}
    for game in games:
        if game.void or len(game.labels) != 1:
            continue
        (role,) = game.labels.values()
        own = counts.setdefault(game.judge, [0, 0, 0, 0])
        called = game.verdicts[-1]["choice"] == "machine"
        own[0 if role == "machine" else 2] += called
        own[1 if role == "machine" else 3] += 1
    if not counts:
        return [], []
    found = sensitivities(list(counts.values()))
    rows = [
        [judge, f"{one.d_prime:.2f}", f"{one.bias:+.2f}", str(counts[judge][1] + counts[judge][3])]
        for judge, one in zip(counts, found, strict=True)
    ]
    return ["judge", "d'", "bias (above 0: says machine too seldom)", "games"], rows


def _model(games: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    """Beside the intervals that assume no model: machines fixed; judges random, and human witnesses who repeat."""
    own = [one for one in games if one.counts]
    people = [one.person for one in own] if all(one.person_is_one for one in own) else []
    right, machines = [1.0 - one.won for one in own], [one.machine for one in own]
    judges = [one.judge for one in own]
    crossed = crossed_logistic(right, machines, judges, people) if people else None
    if crossed is not None:
        rows = [
            [
                str(machine),
                f"{1 - one.value:.1%}",
                f"[{1 - one.high:.1%}, {1 - one.low:.1%}]",
                f"{crossed.judges:.2f}",
                f"{crossed.witnesses:.2f}",
            ]
            for machine, one in crossed.right.items()
        ]
        spreads = ["spread of judges (log-odds)", "of witnesses"]
        return ["machine", "taken for the person", "95% interval", *spreads], rows
    found = mixed_logistic(right, machines, judges)
    if found is None:
        return [], []
    rows = [
        [
            str(machine),
            f"{1 - one.value:.1%}",
            f"[{1 - one.high:.1%}, {1 - one.low:.1%}]",
            f"{found.spread:.2f}",
        ]
        for machine, one in found.right.items()
    ]
    return ["machine", "taken for the person", "95% interval", "spread of judges (log-odds)"], rows


def _juries(games: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    """What independent votes would give by majority, against what deliberation gave."""
    first, alone, after, to_right, to_wrong, count = [], [], [], 0, 0, 0
    for game in games:
        phases = {vote["phase"]: vote["ballots"] for vote in game.votes}
        if game.void or "second vote" not in phases:
            continue
        count += 1
        before = {k: is_right(game, b["choice"]) for k, b in phases["vote"].items()}
        later = {k: is_right(game, b["choice"]) for k, b in phases["second vote"].items()}
        share = sum(0.5 if one is None else float(one) for one in before.values()) / len(before)
        first.append(share)
        alone.append(majority_of_independent([share] * len(before)))
        after.append(1.0 - game.won)
        to_right += sum(later[k] is True and before[k] is not True for k in before)
        to_wrong += sum(later[k] is not True and before[k] is True for k in before)
    if not count:
        return [], []
    mean = [sum(some) / count for some in (first, alone, after)]
    head = [
        "juries",
        "jurors right at first",
        "majority of such votes, if independent",
        "juries right",
        "turned",
    ]
    return head, [
        [
            str(count),
            *(f"{one:.0%}" for one in mean),
            f"{to_right} votes to right, {to_wrong} to wrong",
        ]
    ]


def _reasons(games: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    counts = Counter(
        (_reason(game, ballot["reason"]), right)
        for game, ballot, right in _ballots(games)
        if ballot["reason"]
    )
    rows = [
        [reason, {True: "right", False: "wrong", None: "cannot tell"}[right], str(count)]
        for (reason, right), count in counts.most_common(20)
    ]
    return ["reason", "verdict", "times"], rows


def _reason(game: Any, reason: str) -> str:
    """What a judge gave as the reason: only its kind, where the words may not be shown."""
    return (reason if game.publishable else reason.partition(":")[0])[:LONGEST_REASON]


def _worth_reading(games: Sequence[Any]) -> list[Any]:
    """Games in which judges were wrong, the surest first; then others."""

    def key(game: Any) -> tuple[float, float]:
        ballots = game.votes[-1]["ballots"].values() if game.votes else []
        sure = sum(one["confidence"] for one in ballots) / max(1, len(ballots))
        return (-game.won, -sure)

    shown = (one for one in games if not one.void and one.publishable)
    return sorted(shown, key=key)[:SHOWN]


def _conversation(game: Any) -> dict[str, Any]:
    return {
        "title": f"{game.machine} before {game.judge}: "
        + {1.0: "taken for the person", 0.0: "found out"}.get(game.won, "cannot tell"),
        "lines": game.text().splitlines(),
    }
