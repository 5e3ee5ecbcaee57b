"""What a Lambda environment looks like, as in figures 4.1 and 5.1 of the thesis: cells, arrows, and who is where."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from mensura.pictures import tokens
from mensura.pictures.layout import LEGEND_SIZE, abreast
from mensura.pictures.picture import Area, Disc, Line, Picture, Place, Sample, Shape, Words
from mensura.worlds.lambda_class.behaviors import Behavior, Markov, Pattern, Startled
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.layout import DRAWN, Layout, Points, label_of, layout
from mensura.worlds.lambda_class.measures import MEASURES, complexity
from mensura.worlds.lambda_class.text import object_symbol

PIXELS = 40.0
"""Of a layout, to a unit."""
NARROWEST = 9.5
"""The least width of a picture, in units, so that its words have room."""
LETTER = 0.52
"""The mean width of a letter of a title, over its height."""
MANY = 30
"""From so many cells on arrows are thin and gray."""


class Moment(Protocol):
    """What is drawn of an environment."""

    @property
    def description(self) -> Description:
        """Its space, its behaviors and its switches."""

    @property
    def iteration(self) -> int:
        """How many interactions have passed."""

    def positions(self) -> dict[str, Any]:
        """All cells, from 0: of Good, of Evil, of each object and of each subject."""

    def cell_rewards(self) -> list[float]:
        """What lies on each cell now."""

    def observation(self, seat: int) -> Any:
        """What a seat observes."""


# Cells and arrows ---------------------------------------------------------------


def layout_of(d: Description) -> Layout:
    """The layout of an environment's space, its arrows labeled as its actions are called."""
    return layout(d.space, d.action_names)


def _units(points: Points) -> tuple[Place, ...]:
    return tuple((x / PIXELS, y / PIXELS) for x, y in points.tolist())


def _arrows(laid: Layout) -> Iterator[Shape]:
    """All arrows, with the labels of their actions."""
    head = min(9.0, 0.34 * laid.radius + 1)
    many = len(laid.cells) > MANY
    role, width, size = ("ground", 0.6, 8.0) if many else ("ink", 1.0, 10.0)
    for arrow in laid.arrows:
        for points in arrow.lines():
            yield Line(_units(_fewer(points)), role, width / PIXELS)
        yield Area(_units(arrow.head(head)), role)
        if arrow.label:
            x, y = arrow.label_at
            yield Words(arrow.label, (x / PIXELS, y / PIXELS), size / PIXELS)


def _fewer(points: Points) -> Points:
    """As many points as a line needs to look round."""
    if len(points) < 3:
        return points
    way = np.diff(points, axis=0)
    turned = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    kept = [0]
    for i in range(1, len(points) - 1):
        if abs(turned[i] - turned[kept[-1]]) > 0.15:
            kept.append(i)
    return points[[*kept, len(points) - 1]]


@dataclass(frozen=True)
class Shown:
    """A cell as it is drawn, beside its number."""

    reward: float = 0.0
    label: str = ""
    below: str = ""
    """What stands in it below everybody."""
    action: int | None = None


def _cells(laid: Layout, cells: Mapping[int, Shown]) -> Iterator[Shape]:
    """The cells with their numbers, in the color of the reward there."""
    r = laid.radius / PIXELS
    for cell, shown in cells.items():
        x, y = _middle(laid, cell)
        width = 0.03 if laid.legible else 0.015
        yield Disc(
            (x, y),
            r,
            *reward_shade(shown.reward),
            outline="ink",
            width=width if shown.action is None else 0.08,
            label=shown.label,
            cell=cell,
            action=shown.action,
        )
        if laid.legible:
            yield Words(str(cell + 1), (x, y - 0.7 * r), max(0.175, 0.32 * r))
            if shown.below and r > 0.45:
                yield Words(shown.below, (x, y + 0.76 * r), max(0.15, 0.26 * r))


def _middle(laid: Layout, cell: int) -> Place:
    x, y = laid.cells[cell].tolist()
    return x / PIXELS, y / PIXELS


def reward_text(value: float) -> str:
    """A reward in few signs; none where its color says all."""
    if abs(value) in (0.0, 1.0):
        return ""
    text = f"{value:+.2g}" if abs(value) >= 0.01 else f"{value:+.0e}".replace("e-0", "e-")
    return text.replace("-", "\N{MINUS SIGN}")


def reward_shade(value: float) -> tuple[str, float]:
    """The role and the strength of a cell with such a reward."""
    if value == 0:
        return "paper", 1.0
    return "good" if value > 0 else "evil", 0.1 + 0.3 * min(1.0, abs(value))


# Everybody ----------------------------------------------------------------------


@dataclass(frozen=True)
class Token:
    """Somebody on a cell."""

    kind: str
    """good, evil, object, subject; or to a seat star, diamond and you"""
    sign: str
    label: str
    cell: int


def everybody(at: Mapping[str, Any]) -> list[Token]:
    """Good, Evil, objects and subjects, in this order."""
    alone = len(at["subjects"]) == 1
    return [
        Token("good", "", "Good", at["good"]),
        Token("evil", "", "Evil", at["evil"]),
        *(Token("object", str(i), object_symbol(i), c) for i, c in enumerate(at["objects"], 1)),
        *(
            Token("subject", tokens.PI, "subject", cell)
            if alone
            else Token("subject", str(seat), f"subject {seat}", cell)
            for seat, cell in enumerate(at["subjects"])
        ),
    ]


def token_places(laid: Layout, people: Sequence[Token]) -> list[tuple[Place, float]]:
    """Where everybody stands, side by side on a shared cell, and how large: half the width, in units."""
    sharing: dict[int, list[int]] = {}
    for i, token in enumerate(people):
        sharing.setdefault(token.cell, []).append(i)
    places: list[tuple[Place, float]] = [((0.0, 0.0), 1.0)] * len(people)
    r = laid.radius / PIXELS
    for cell, there in sharing.items():
        x, y = _middle(laid, cell)
        if not laid.legible:
            size, spread, lower = (0.8, 0.0, 0.0) if len(there) == 1 else (0.5, 2.0, 0.0)
        else:  # below the number of the cell
            size, spread, lower = _ROOM[min(len(there), len(_ROOM) - 1)]
        beside = abreast(len(there))
        if len(there) >= len(_ROOM):
            size *= beside[0][1] / abreast(len(_ROOM) - 1)[0][1]
        for i, ((down, along), _) in zip(there, beside, strict=True):
            places[i] = (x + spread * r * along, y + (lower + spread * down) * r), r * size
    return places


_ROOM = (
    (0.0, 0.0, 0.0),
    (0.46, 0.0, 0.1),
    (0.36, 1.6, 0.1),
    *((0.3, 1.34, 0.15),) * 2,
    *((0.21, 1.36, 0.14),) * 5,
)
"""How large so many tokens on a cell are, how far they stand apart, and how far below its middle; over its radius.

More of them are smaller by as much as there are more side by side.
"""


def _standing(laid: Layout, people: Sequence[Token]) -> Iterator[Shape]:
    for token, (at, size) in zip(people, token_places(laid, people), strict=True):
        if token.kind in ("good", "evil", "star", "diamond"):
            yield from getattr(tokens, token.kind)(at, size, token.label)
        elif token.kind == "object":
            yield from tokens.triangle(at, size, token.sign, token.label)
        else:
            role = "subject" if token.kind == "you" else "paper"
            yield from tokens.subject(at, size, token.sign, token.label, role)


_TRAILS = {"good": "good", "evil": "evil", "object": "guide", "subject": "subject"}


def _trails(laid: Layout, before: Sequence[Token], now: Sequence[Token]) -> Iterator[Shape]:
    """The arrows that somebody has just gone along, in the colors of who did."""
    gone = dict.fromkeys(
        (_TRAILS[new.kind], old.cell, new.cell)
        for old, new in zip(before, now, strict=True)
        if old.cell != new.cell
    )
    used: dict[tuple[int, int], int] = {}
    for role, source, target in gone:
        for arrow in laid.arrows:
            if (arrow.source, arrow.target) == (source, target):
                beside = used[source, target] = used.get((source, target), -1) + 1
                for points in arrow.lines():
                    yield Line(_units(_fewer(points) + 3.0 * beside), role, 0.09)


# All of it ----------------------------------------------------------------------


def everything(environment: Moment, before: Mapping[str, Any] | None = None) -> Picture:
    """The space with what lies on its cells and everybody: nothing hidden.

    ``before`` are the places of everybody an interaction ago; the ways from there are drawn.
    """
    d = environment.description
    laid = layout_of(d)
    rewards = environment.cell_rewards()
    now = everybody(environment.positions())
    there = {token.cell for token in now}
    many = d.space.cells > DRAWN
    cells = {
        cell: Shown(reward, f"cell {cell + 1}, reward {reward:g}", reward_text(reward))
        for cell, reward in enumerate(rewards)
        if not many or reward or cell in there
    }
    shapes: list[Shape] = []
    if many:
        shapes.append(Line(_units(np.concatenate([laid.cells, laid.cells[:1]])), "ink", 0.025))
    if before is not None:
        shapes += _trails(laid, everybody(before), now)
    shapes += _arrows(laid)
    shapes += [*_cells(laid, cells), *_standing(laid, now)]
    label = (
        f"{d.space.cells} cells with arrows for {d.space.actions} actions; Good, Evil, {len(d.objects)} other objects "
        f"and {d.subjects} subjects on them"
    )
    return _picture(
        laid, shapes, label, _legend(d, before is not None), lambda room: titles(environment, room)
    )


def _picture(
    laid: Layout,
    shapes: Sequence[Shape],
    label: str,
    legend: Iterator[tuple[Sample, str]],
    title: Any,
) -> Picture:
    """A picture that is wide enough for its words."""
    width, height = laid.width / PIXELS, laid.height / PIXELS
    wide = max(width, NARROWEST)
    room = int(wide / (LETTER * LEGEND_SIZE * max(wide, height)))
    sheet = Area.box((width - wide) / 2, 0.0, wide, height, "paper", 0.0)
    return Picture([sheet, *shapes], (width, height), label, tuple(legend), tuple(title(room)))


def _legend(d: Description, moved: bool) -> Iterator[tuple[Sample, str]]:
    here = (0.0, 0.0)
    yield tuple(tokens.good(here, 0.5, "")), "Good (+)"
    yield tuple(tokens.evil(here, 0.5, "")), "Evil (\N{MINUS SIGN})"
    yield tuple(tokens.subject(here, 0.5)), "subjects, by seat" if d.subjects > 1 else "subject"
    if d.objects:
        yield tuple(tokens.triangle(here, 0.45)), "other objects"
    for reward, words in ((1.0, "pays"), (-1.0, "costs")):
        yield (Disc(here, 0.5, *reward_shade(reward), outline="ink", width=0.06),), words
    if moved:
        lines = ((-0.2, "good"), (0.0, "evil"), (0.2, "subject"))
        ways = tuple(Line(((-0.6, y), (0.6, y)), role, 0.16) for y, role in lines)
        yield ways, "ways just gone"


# Words --------------------------------------------------------------------------


@lru_cache(maxsize=16)
def complexity_of(d: Description) -> float | None:
    """The complexity of chapter 5 of Insa-Cabrera's thesis; None where Good and Evil follow no pattern."""
    if not isinstance(d.good_and_evil, Pattern):
        return None
    return complexity(d, next(iter(MEASURES)))


def behavior_words(behavior: Behavior, room: int = 60) -> str:
    """A behavior in so many letters at most, a pattern as the thesis writes it, cut where there is no room."""
    if isinstance(behavior, Pattern):
        joint = "" if max(behavior.moves) < 10 else " "
        words = f"pattern {joint.join(map(str, behavior.moves[:room]))}"
        if len(words) <= room and len(behavior.moves) <= room:
            return words
        end = f"... ({len(behavior.moves)} actions)"
        return words[: max(room - len(end), 9)] + end
    if isinstance(behavior, Markov):
        rules = len(behavior.program.rules)
        return f"a Markov program of {rules} rule{'' if rules == 1 else 's'}"
    if isinstance(behavior, Startled):
        return f"action {behavior.calm}, and {behavior.startled} while a subject is there"
    return type(behavior).__name__.lower()


def titles(environment: Moment, room: int) -> Iterator[str]:
    """What stands above a picture, in lines of up to so many letters."""
    d = environment.description
    n_c, n_a = d.space.cells, d.space.actions
    yield f"{n_c} cells, {n_a} actions, iteration {environment.iteration} of {d.horizon}"
    yield f"Good and Evil: {behavior_words(d.good_and_evil, max(8, room - 15))}"
    for i, behavior in enumerate(d.objects[:3], 1):
        yield f"Object {i}: {behavior_words(behavior, max(8, room - 15))}"
    if len(d.objects) > 3:
        yield f"and {len(d.objects) - 3} more objects"
    known = complexity_of(d)
    if known is not None:
        yield f"{next(iter(MEASURES))} = {known:g}"
    if n_c > DRAWN:
        yield "Too many cells to draw: only those are seen where something is."
    elif not layout_of(d).arrows:
        yield "Too many arrows to draw."
    elif not layout_of(d).legible:
        yield "Too many cells to show their numbers and actions."


# What a seat sees ---------------------------------------------------------------


def seen(environment: Moment, seat: int) -> Picture:
    """What a seat observes, and nothing else: who is on which cell, and the cells that its actions lead to.

    Cells stand in rows, since where else they stood would tell what leads where. Good and Evil are a star and a
    diamond, as in words.
    """
    d, observation = environment.description, environment.observation(seat)
    names = observation.dtype.names
    people = [
        Token("star", "", "the star", int(observation["good"])),
        Token("diamond", "", "the diamond", int(observation["evil"])),
    ]
    if "objects" in names:
        objects = enumerate(observation["objects"].astype(int).tolist(), 1)
        people += [Token("object", str(i), f"object {i}", cell) for i, cell in objects]
    for j, cell in enumerate(observation["subjects"].astype(int).tolist()):
        if j != seat:
            people.append(Token("subject", str(j), f"seat {j}", cell))
    people = [token for token in people if token.cell >= 0]
    people.append(Token("you", "", "you", int(observation["cell"])))
    ways: dict[int, list[int]] = {}
    for action, cell in enumerate(observation["ways"].astype(int).tolist()):
        ways.setdefault(cell, []).append(action)
    lying = observation["rewards"].tolist() if "rewards" in names else [0.0] * d.space.cells
    there = {token.cell for token in people} | {*ways}
    cells = {
        cell: _observed(cell, reward, ways.get(cell, ()), d)
        for cell, reward in enumerate(lying)
        if d.space.cells <= DRAWN or reward or cell in there
    }
    laid = _rows(d.space.cells)
    title = [
        f"you are on cell {int(observation['cell']) + 1}, iteration {int(observation['iteration'])}"
    ]
    for name, field in (("the star", "next_good"), ("the diamond", "next_evil")):
        if observation[field] >= 0:
            title.append(f"{name} goes to cell {int(observation[field]) + 1} next")
    shapes = [*_cells(laid, cells), *_standing(laid, people)]
    label = f"{d.space.cells} cells: who is on them, and where your actions lead"
    return _picture(laid, shapes, label, _legend_of_seat(d), lambda _: title)


def _observed(cell: int, reward: float, actions: Sequence[int], d: Description) -> Shown:
    words = f"cell {cell + 1}"
    if reward:
        words += f", reward {reward:g}"
    if not actions:
        return Shown(reward, words, reward_text(reward))
    named = label_of(actions, d.action_names)
    return Shown(reward, f"{words}, action {named}", named, actions[0])


def _rows(cells: int) -> Layout:
    """Cells in rows, without arrows."""
    radius = 28.0 if cells <= 12 else 22.0 if cells <= 30 else 17.0
    wide = math.ceil(math.sqrt(1.5 * cells))
    at = [(cell % wide, cell // wide) for cell in range(cells)]
    places = (np.array(at, np.float64) * 2.4 + 1.2) * radius
    width, height = (places.max(axis=0) + 1.2 * radius).tolist()
    return Layout(places, radius, (), width, height)


def _legend_of_seat(d: Description) -> Iterator[tuple[Sample, str]]:
    here = (0.0, 0.0)
    yield tuple(tokens.subject(here, 0.5, role="subject")), "you"
    if d.subjects > 1:
        yield tuple(tokens.subject(here, 0.5)), "others, by seat"
    yield tuple(tokens.star(here, 0.5)), "the star"
    yield tuple(tokens.diamond(here, 0.5)), "the diamond"
    if d.objects:
        yield tuple(tokens.triangle(here, 0.45)), "other objects"
    yield (Disc(here, 0.5, "paper", outline="ink", width=0.2),), "you can go there"
