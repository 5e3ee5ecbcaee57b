"""How long the illusion held in games of imitation, and what ended it: the Watson effect.

A *break* is the first message of a witness after which the slider of the judge stays on the machine's side until the
verdict. Games without a break are censored. People have a curve of their own, since they are taken for machines too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mensura.core import palette
from mensura.reports.drawing import LINES, Drawing, drawn
from mensura.statistics.quantiles import normal
from mensura.statistics.survival import Survival, kaplan_meier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROLES = ("machine", "person")
SOONEST = 0.001
"""Seconds: a witness may speak before the judge has."""
STEPS = 12
"""At most so many times are shown of a curve by seconds."""
SHORT, LONG = 3, 25
"""Words of a message that is short, at most, and of one that is long, at least."""
ALIKE = 0.6
"""A message is an echo if so much of its words were in the message before it."""
MOST_BREAKS = 12
NORMAL = normal(0.975)
Table = tuple[list[str], list[list[str]]]


class Course(NamedTuple):
    """What a judge saw of one witness of a game."""

    role: str
    game: Any
    said: list[Any]
    """The messages of the witness."""
    before: list[str]
    """What was said in the channel before each of them."""
    broken: int | None
    """The place of the message that ended the illusion, from 1."""


def courses(games: Sequence[Any]) -> Iterator[Course]:
    """Every witness of every game who said something."""
    for game in games:
        for label, role in game.labels.items():
            said, before, last = [], [], ""
            for one in game.messages:
                if one["channel"] != label:
                    continue
                if one["author"] == "witness":
                    said.append(one)
                    before.append(last)
                last = one["text"]
            if said:
                yield Course(role, game, said, before, game.breaks.get(label))


def _curves(games: Sequence[Any], time: Callable[[Course], float | None]) -> dict[str, Survival]:
    """Kaplan and Meier's share of witnesses who were not yet taken for machines; of a role that ever was."""
    found = {}
    for role in ROLES:
        own = [
            (when, one.broken is not None)
            for one in courses(games)
            if one.role == role and (when := time(one)) is not None
        ]
        if any(broken for _, broken in own):
            found[role] = kaplan_meier([when for when, _ in own], [broken for _, broken in own])
    return found


def by_messages(games: Sequence[Any]) -> Table:
    """The share of witnesses who were not yet taken for machines, by their messages."""
    rows = [
        _point(role, f"{time:g}", curve, at)
        for role, curve in _curves(games, _said).items()
        for at, time in enumerate(curve.time.tolist())
    ]
    return ["witness", "after messages", "not yet taken for a machine", "standard error"], rows


def by_seconds(games: Sequence[Any]) -> Table:
    """The same by seconds from the judge's first message, of games with an open exchange."""
    rows = []
    for role, curve in _curves(games, _seconds).items():
        every = max(1, -(-len(curve.time) // STEPS))
        shown = sorted({*range(every - 1, len(curve.time), every), len(curve.time) - 1})
        rows += [_point(role, f"{curve.time[at]:.0f}", curve, at) for at in shown]
    return ["witness", "after seconds", "not yet taken for a machine", "standard error"], rows


def drawn_by_messages(games: Sequence[Any], name: str) -> Drawing:
    """The curves by messages."""
    return _drawn(_curves(games, _said), name, "messages of the witness")


def drawn_by_seconds(games: Sequence[Any], name: str) -> Drawing:
    """The curves by seconds."""
    return _drawn(_curves(games, _seconds), name, "time since the judge's first message [s]")


def _drawn(curves: Mapping[str, Survival], name: str, unit: str) -> Drawing:
    """Falling steps with Greenwood's 95% interval, each named where it ends."""

    def paint(axes: Axes) -> None:
        for number, (role, curve) in enumerate(curves.items()):
            time = [0.0, *curve.time.tolist(), curve.last]
            share = [1.0, *curve.share.tolist(), float(curve.share[-1])]
            error = [0.0, *curve.error.tolist(), float(curve.error[-1])]
            low = [max(0.0, a - NORMAL * b) for a, b in zip(share, error, strict=True)]
            high = [min(1.0, a + NORMAL * b) for a, b in zip(share, error, strict=True)]
            color, line = palette.SERIES[number][0], LINES[number]
            axes.fill_between(time, low, high, step="post", color=color, alpha=0.15, linewidth=0)
            axes.step(time, share, where="post", color=color, linestyle=line, label=role)
        axes.set_ylim(0.0, 1.05)
        axes.set_xlim(left=0.0)
        axes.set_xlabel(unit)
        axes.set_ylabel("not yet taken for a machine [share]")
        axes.grid()
        axes.legend(title="witness", loc="lower left")

    said = "; ".join(
        f"{role}: {curve.share[-1]:.0%} at the end, of {curve.n}" for role, curve in curves.items()
    )
    return drawn(560, 280, name, f"Who was not yet taken for a machine. {said}", paint)


def _said(course: Course) -> float:
    """After how many messages of the witness the illusion broke, or else how many there were."""
    return float(course.broken or len(course.said))


def _seconds(course: Course) -> float | None:
    """When the break was delivered, or else the last message of the game; None where no times were kept."""
    if "at" not in course.said[0]:
        return None
    messages = [one for one in course.game.messages if "at" in one]
    began = next((one["at"] for one in messages if one["author"] != "witness"), 0.0)
    broken = course.broken
    end = messages[-1]["at"] if broken is None else course.said[broken - 1]["at"]
    return float(max(end - began, SOONEST))


def _point(role: str, time: str, curve: Survival, at: int) -> list[str]:
    return [role, time, f"{curve.share[at]:.0%}", f"{curve.error[at]:.0%}"]


def kind_of(text: str, before: str, earlier: Sequence[str]) -> str:
    """Of what kind a message is, by its form alone; the first that fits."""
    words = text.lower().split()
    asked = set(before.lower().split())
    if not words:
        return "nothing"
    if text in earlier:
        return "said before"
    if len(words) > SHORT and sum(word in asked for word in words) >= ALIKE * len(words):
        return "echo of the message before"
    if text.rstrip().endswith("?"):
        return "question"
    if len(words) <= SHORT:
        return f"up to {SHORT} words"
    return f"{LONG} words or more" if len(words) >= LONG else "other"


def hazards(games: Sequence[Any]) -> Table:
    """How often a message of a kind ended the illusion, of those that were said while it held."""
    risked: Counter[tuple[str, str]] = Counter()
    broke: Counter[tuple[str, str]] = Counter()
    for one in courses(games):
        texts = [message["text"] for message in one.said]
        for place in range(one.broken or len(texts)):
            kind = one.role, kind_of(texts[place], one.before[place], texts[:place])
            risked[kind] += 1
            broke[kind] += place + 1 == one.broken
    if not any(broke.values()):
        return [], []
    ordered = sorted(risked, key=lambda kind: (kind[0], -broke[kind] / risked[kind], kind[1]))
    rows = [
        [*kind, str(risked[kind]), str(broke[kind]), f"{broke[kind] / risked[kind]:.0%}"]
        for kind in ordered
    ]
    return ["witness", "kind of message", "said", "ended the illusion", "hazard"], rows


def breaks(games: Sequence[Any]) -> Table:
    """The messages that ended the illusion of machines, where they may be shown."""
    rows = []
    for one in courses(games):
        if one.role == "machine" and one.broken and one.game.publishable:
            place = one.broken - 1
            rows.append([one.game.machine, one.before[place], one.said[place]["text"]])
    head = ["machine", "said before it", "the message that ended it"]
    return head, rows[:MOST_BREAKS]


def lone_blunders(games: Sequence[Any]) -> Table:
    """Of the games that a machine lost, those lost by a single marked message; nothing where nobody marked any."""
    if not any(one.marks for one in games):
        return [], []
    rows = []
    for machine in dict.fromkeys(one.machine for one in games):
        lost = [one for one in games if one.machine == machine and one.counts and one.won == 0]
        if lost:
            alone = sum(one.lone_blunder for one in lost)
            rows.append([machine, str(len(lost)), str(alone), f"{alone / len(lost):.0%}"])
    return ["machine", "lost games", "by a lone blunder", "share"], rows


def maskings(games: Sequence[Any]) -> Table:
    """What was done to messages before they were delivered, by who said them."""
    said: dict[str, list[Any]] = {}
    for game in games:
        for one in game.messages:
            role = game.labels.get(one["channel"]) if one["author"] == "witness" else "judge"
            said.setdefault(role or "judge", []).append(one)
    rows = []
    for role in (*ROLES, "judge"):
        own = said.get(role, [])
        waits = sorted(one["waited"] for one in own if "waited" in one)
        if own:
            rows.append(
                [
                    role,
                    str(len(own)),
                    f"{sum(waits) / len(waits):.1f}" if waits else "-",
                    f"{waits[-1]:.1f}" if waits else "-",
                    str(sum(bool(one.get("masked")) for one in own)),
                    str(sum(bool(one.get("held_back")) for one in own)),
                ]
            )
    head = [
        "who",
        "messages",
        "delayed by typing time and pace, mean seconds",
        "at most",
        "private data masked",
        "held back for an insult",
    ]
    return head, rows
