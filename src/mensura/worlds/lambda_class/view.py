"""How a Lambda environment is shown: text, sentences, tables of the state, and what each seat can do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mensura.core.contract import Turn
from mensura.pictures.picture import Picture
from mensura.pictures.scenes import Choice, Controls, Table, Value
from mensura.pictures.texts import NAMED, count_word, listed
from mensura.pictures.view import PlainView
from mensura.worlds.lambda_class.behaviors import Behavior, Markov, Pattern
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.picture import behavior_words, complexity_of, everything
from mensura.worlds.lambda_class.rules import write_word
from mensura.worlds.lambda_class.text import alphabet, object_symbol

TEXT_CELLS = 40
"""So many cells are listed; of more, the first ones and those where somebody is."""
TEXT_ACTIONS = 12
"""So many actions have a column."""
TEXT_LONGEST = 240
"""So many letters of an observation are shown."""
SEATS = 5
"""So many seats are shown with what they observe."""
ROOM = 400
"""So many letters of a behavior are told."""


class LambdaView(PlainView):
    """What commands and pages show of Lambda. It remembers where everybody was, to draw the ways that they went."""

    _before: dict[str, Any] | None = None
    _now: dict[str, Any] | None = None

    def started(self, environment: LambdaEnvironment, turn: Turn) -> None:
        """An episode begins; nobody has gone anywhere yet."""
        super().started(environment, turn)
        self._before, self._now = None, environment.positions()

    def stepped(self, environment: LambdaEnvironment, actions: list[Any], turn: Turn) -> None:
        """Everybody has gone somewhere."""
        super().stepped(environment, actions, turn)
        self._before, self._now = self._now, environment.positions()

    def picture(self, environment: LambdaEnvironment, turn: Turn) -> Picture:
        """All of the environment, and the ways that everybody has just gone."""
        return everything(environment, self._before)

    def text(self, environment: LambdaEnvironment, turn: Turn) -> str:
        """The environment as a person can read it in any terminal.

        First what each seat observes, as section 3.6.4 writes it; then a line for each cell: who is there, what lies
        there, and the cell that each action leads to.
        """
        rewards = turn.rewards if environment.iteration else None
        lines = [*_observed(environment), "", *_table(environment), ""]
        return "\n".join([*lines, *_status(environment, rewards), *_legend(environment)])

    def explain(self, environment: LambdaEnvironment) -> tuple[str, ...]:
        """What this world is and what pays in it, in sentences for somebody who was not there."""
        return _explained(environment.description)

    def remarks(self, environment: LambdaEnvironment) -> tuple[str, ...]:
        """How Good, Evil and the objects behave."""
        d = environment.description
        return (
            f"Good and Evil: {behavior_words(d.good_and_evil, ROOM)}",
            *(
                [
                    "The length of the space and of this pattern, compressed, times that of the pattern: "
                    f"{complexity_of(d):g}"
                ]
                if isinstance(d.good_and_evil, Pattern)
                else []
            ),
            *(
                f"{object_symbol(i)}: {behavior_words(behavior, ROOM)}"
                for i, behavior in enumerate(d.objects, 1)
            ),
        )

    def tables(self, environment: LambdaEnvironment) -> tuple[Table, ...]:
        """Figure 4.5 of Insa-Cabrera (2011), everybody with what they remember, and the clocks."""
        return _cells(environment), _everybody(environment), _clocks(environment)

    def controls(self, environment: LambdaEnvironment) -> tuple[Controls, ...]:
        """The actions of each seat, with the cells that they lead to."""
        ways, names = environment.description.space.arrows, _action_names(environment)
        return tuple(
            Controls(
                tuple(Choice(action, name, ways[cell][action]) for action, name in enumerate(names))
            )
            for cell in environment.positions()["subjects"]
        )


# Sentences ----------------------------------------------------------------------


def _explained(d: Description) -> tuple[str, ...]:
    count = count_word(d.subjects)
    goes = "subject goes" if d.subjects == 1 else "subjects go"
    others = f", and {len(d.objects)} other objects" if len(d.objects) > 1 else ""
    others = ", and another object" if len(d.objects) == 1 else others
    return (
        f"{count} {goes} about on {d.space.cells} cells that arrows connect, one for each of {d.space.actions} actions "
        f"on every cell; the first action stays. Good and Evil go about there too{others}. These two behave alike and "
        f"never share a cell. An episode has {d.horizon} interactions.",
        _what_pays(d),
        "How hard it is to keep up with Good depends on the space and on how well the moves of Good and Evil can be "
        "foreseen.",
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
        if len(rewards) > 1:
            yield f"mean of these rewards {sum(rewards) / len(rewards):+.3f}"


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


# Tables and choices --------------------------------------------------------------


def _action_names(environment: LambdaEnvironment) -> list[str]:
    d = environment.description
    return [
        f"{action}" if not d.action_names else f"{action} ({d.action_names[action]})"
        for action in range(d.space.actions)
    ]


def _cells(environment: LambdaEnvironment) -> Table:
    """Figure 4.5: a row for each cell, and a column for the movements of each action."""
    d = environment.description
    there: dict[int, list[str]] = {}
    for name, cell in _standing(environment):
        there.setdefault(cell, []).append(name)
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (cell + 1, reward, ", ".join(there.get(cell, ())), *(to + 1 for to in d.space.arrows[cell]))
        for cell, reward in enumerate(environment.cell_rewards())
    )
    return Table("cells", ("cell", "reward", "who", *_action_names(environment)), rows)


def _standing(environment: LambdaEnvironment) -> Iterator[tuple[str, int]]:
    at = environment.positions()
    yield "Good", at["good"]
    yield "Evil", at["evil"]
    yield from ((object_symbol(i), cell) for i, cell in enumerate(at["objects"], 1))
    several = len(at["subjects"]) > 1
    for seat, cell in enumerate(at["subjects"]):
        yield f"subject {seat}" if several else "subject", cell


def _everybody(environment: LambdaEnvironment) -> Table:
    """Where everybody is and intends to go, the place in the pattern, and the memory of a program."""
    state = environment._parts.state
    behaviors = environment.description._behaviors
    rows: list[tuple[Value, ...]] = []
    for i, (name, cell) in enumerate(_standing(environment)):
        if i >= len(behaviors):
            rows.append((name, cell + 1, None, None, None))
            continue
        aim = int(state[i, kernel.AIM])
        place = int(state[i, kernel.POSITION]) + 1 if isinstance(behaviors[i], Pattern) else None
        memory = _memory(environment, i, behaviors[i])
        rows.append((name, cell + 1, aim + 1 if aim >= 0 else None, place, memory))
    return Table("everybody", ("who", "cell", "goes to", "place in pattern", "memory"), tuple(rows))


def _memory(environment: LambdaEnvironment, i: int, behavior: Behavior) -> str | None:
    """What the program of an object remembers, as it would write it."""
    if not isinstance(behavior, Markov):
        return None
    d = environment.description
    program = behavior.program
    symbols = alphabet(d.actions, len(d.objects))
    own = Program(program.rules, (*symbols, *program.alphabet), program.match).alphabet
    row = environment._parts.memory[int(environment._parts.behavior[i, kernel.MEMORY])].tolist()
    return write_word(tuple(own[number] for number in row[1 : 1 + row[0]]))


def _clocks(environment: LambdaEnvironment) -> Table:
    clock = environment._parts.clock
    d = environment.description
    rows: list[tuple[Value, ...]] = [
        ("iteration", int(clock[kernel.TIME])),
        ("iteration with the initial junk", int(clock[kernel.CLOCK])),
    ]
    if d.cycle != "none":
        rows.append(("cycle clause due at", int(clock[kernel.CYCLE_AT])))
        rows.append(("cycle clauses so far", int(clock[kernel.CYCLED])))
    return Table("clocks", ("clock", "value"), tuple(rows))
