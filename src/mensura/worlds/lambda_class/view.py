"""How a Lambda environment looks: text, a picture, a scene in a page, a film of an episode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mensura.pictures.texts import NAMED, count_word, listed
from mensura.worlds.lambda_class.behaviors import Pattern
from mensura.worlds.lambda_class.drawing import (
    behavior_words,
    complexity_of,
    draw,
    figure_svg,
    layout_of,
)
from mensura.worlds.lambda_class.environment import Description, LambdaEnvironment
from mensura.worlds.lambda_class.film import Film
from mensura.worlds.lambda_class.scene import scene

__all__ = ["Film", "complexity_of", "draw", "explain", "figure_svg", "layout_of", "scene", "text"]

TEXT_CELLS = 40
"""So many cells are listed; of more, the first ones and those where somebody is."""
TEXT_ACTIONS = 12
"""So many actions have a column."""
TEXT_LONGEST = 240
"""So many letters of an observation are shown."""
SEATS = 5
"""So many seats are shown with what they observe."""


def explain(environment: LambdaEnvironment) -> tuple[str, ...]:
    """What this world is and what pays in it, in sentences for somebody who was not there."""
    d = environment.description
    count = count_word(d.subjects)
    goes = "subject goes" if d.subjects == 1 else "subjects go"
    others = f", and {len(d.objects)} other objects" if len(d.objects) > 1 else ""
    others = ", and another object" if len(d.objects) == 1 else others
    return (
        f"{count} {goes} about on {d.space.cells} cells that arrows connect, one for each of {d.space.actions} actions "
        f"on every cell; the first action stays. Good and Evil go about there too{others}. These two behave alike and "
        f"never share a cell. An episode has {d.horizon} interactions.",
        _what_pays(d),
        f"Good and Evil: {behavior_words(d.good_and_evil)}. How hard it is to keep up with Good depends on the space "
        "and on how well their moves can be foreseen"
        + (
            f"; the length of both, compressed, times that of the pattern is {complexity_of(environment):g} here."
            if isinstance(d.good_and_evil, Pattern)
            else "."
        ),
    )


def _what_pays(d: Description) -> str:
    good, evil = (", ".join(f"{x:g}" for x in drops) for drops in (d.good_drops, d.evil_drops))
    unless = "" if d.drops_on_subject else ", unless a subject is there"
    lasts = (
        "lasts for one interaction"
        if d.division == "infinity"
        else "stays"
        if d.division == 1
        else f"is divided by {d.division:g} in each interaction"
    )
    behind = (
        "so one has to come to the cell where Good is"
        if d.consumed == "after"
        else "and it is found where Good was, a step behind it"
    )
    eaten = " What a subject gets is gone." if d.eaten else ""
    return (
        f"In each interaction Good drops {good} on its cell and Evil -{evil.replace(', ', ', -')}{unless}. A reward "
        f"{lasts}, {behind}.{eaten}"
    )


# Text ---------------------------------------------------------------------------


def text(environment: LambdaEnvironment, rewards: Sequence[float] | None = None) -> str:
    """The environment as a person can read it in any terminal.

    First what each seat observes, as section 3.6.4 writes it; then a line for each cell: who is there, what lies
    there, and the cell that each action leads to.
    """
    lines = [*_observed(environment), "", *_table(environment), ""]
    return "\n".join([*lines, *_status(environment, rewards), *_legend(environment)])


def _observed(environment: LambdaEnvironment) -> Iterator[str]:
    d = environment.description
    for seat in range(min(d.subjects, SEATS)):
        seen = environment.text(seat)
        if len(seen) > TEXT_LONGEST:
            seen = f"{seen[:TEXT_LONGEST]}... ({len(seen)} letters)"
        yield seen if d.subjects == 1 else f"seat {seat} sees {seen}"
    if d.subjects > SEATS:
        yield f"and {d.subjects - SEATS} more seats"


def _table(environment: LambdaEnvironment) -> Iterator[str]:
    """Cell, who is there, reward, and where actions lead."""
    d = environment.description
    at = environment.positions()
    there: dict[int, list[str]] = {}
    for name, cell in (
        ("Good", at["good"]),
        ("Evil", at["evil"]),
        *((f"ω_{i}", cell) for i, cell in enumerate(at["objects"], 1)),
    ):
        there.setdefault(cell, []).append(name)
    seats: dict[int, list[int]] = {}
    for seat, cell in enumerate(at["subjects"]):
        seats.setdefault(cell, []).append(seat)
    for cell, seated in seats.items():
        there.setdefault(cell, []).append(_subjects(seated, d.subjects))
    worth = environment.cell_rewards()
    cells = [c for c in range(d.space.cells) if c < TEXT_CELLS or c in there]
    who = {cell: " ".join(there.get(cell, ())) for cell in cells}
    wide = max(5, *(len(names) for names in who.values()))
    actions = range(min(d.space.actions, TEXT_ACTIONS))
    narrow = max(3, len(str(d.space.cells)))
    names = [
        f"{action}" if not d.action_names else f"{action}={d.action_names[action]}"
        for action in actions
    ]
    widths = [max(narrow, len(name)) for name in names]
    heads = "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    yield f"cell  {'who':<{wide}}  reward  action {heads}"
    for cell in cells:
        ways = "  ".join(
            f"{d.space.arrows[cell][action] + 1:>{width}}"
            for action, width in zip(actions, widths, strict=True)
        )
        yield f"{cell + 1:>4}  {who[cell]:<{wide}}  {_worth(worth[cell]):>6}         {ways}".rstrip()
    if len(cells) < d.space.cells:
        yield f"and {d.space.cells - len(cells)} more cells, where nobody is"
    if d.space.actions > len(actions):
        yield f"and {d.space.actions - len(actions)} more actions"


def _subjects(seated: list[int], subjects: int) -> str:
    if subjects == 1:
        return "subject"
    if len(seated) > 4:
        return f"{len(seated)} subjects"
    return f"subject{'s' if len(seated) > 1 else ''} {','.join(map(str, seated))}"


def _worth(value: float) -> str:
    if value == 0:
        return "."
    return f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.0e}"


def _status(environment: LambdaEnvironment, rewards: Sequence[float] | None) -> Iterator[str]:
    """The iteration, where everybody is, and the last rewards."""
    at: dict[str, Any] = environment.positions()
    objects = "".join(f"   ω_{i} {cell + 1}" for i, cell in enumerate(at["objects"][:NAMED], 1))
    yield (
        f"iteration {environment.iteration} of {environment.horizon}   Good {at['good'] + 1}   "
        f"Evil {at['evil'] + 1}{objects}"
    )
    yield listed("subjects", [f"{seat} {cell + 1}" for seat, cell in enumerate(at["subjects"])])
    if rewards is not None:
        yield listed("rewards ", [f"{seat} {value:+.2f}" for seat, value in enumerate(rewards)])
        yield f"mean reward {sum(rewards) / max(len(rewards), 1):+.3f}"


def _legend(environment: LambdaEnvironment) -> Iterator[str]:
    d = environment.description
    others = ", ω_1 an object" if d.objects else ""
    selves = "π oneself, π_1 π_2 others" if d.subjects > 1 else "π the subject"
    yield f"Good and Evil: {behavior_words(d.good_and_evil)}"
    yield f"above: {selves}, ⊕ Good, ⊖ Evil{others}; colons stand between cells"
    first, second = d.actions[:2]
    yield f"{_observed_name(first)} is where action 0 leads, {_observed_name(second)} where action 1 does, and so on"


def _observed_name(action: str) -> str:
    return action[0].upper() + action[1:]
