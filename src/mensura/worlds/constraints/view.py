"""How an episode is shown to those who watch: values and what is broken, and the letters of each turn in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.core.contract import Turn
from mensura.pictures.scenes import Choice, Controls, Table
from mensura.pictures.view import PlainView
from mensura.worlds.constraints.mail import letter
from mensura.worlds.constraints.picking_sentences import value_names

MOST_LINES = 24
"""So many letters of a turn are printed."""
TOLD = ("messages", "checks", "nogood_checks", "nccc", "privacy_loss", "distance", "cost")
"""Figures that are printed after each turn, where there are any."""
MOST_ROWS = 400
"""So many rows tables have."""


class ConstraintView(PlainView):
    """The view of distributed constraints."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self._letters: list[tuple[int, int, str]] = []

    def started(self, environment: Any, turn: Turn) -> None:
        """No letters were written."""
        super().started(environment, turn)
        self._due = tuple(turn.due)
        self._letters = []

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        """Keep the letters of this turn."""
        super().stepped(environment, actions, turn)
        played = dict(zip(self._due, actions, strict=True))
        self._letters = list(written_by(played, environment.state.spoken))
        self._due = tuple(turn.due)

    def text(self, environment: Any, turn: Turn) -> str:
        """The letters that were just written, and how things stand."""
        state, figures = environment.state, environment.measures()
        lines = [f"{one} -> {to}  {rest}" for one, to, rest in self._letters[:MOST_LINES]]
        if len(self._letters) > MOST_LINES:
            lines.append(f"and {len(self._letters) - MOST_LINES} more letters")
        if len(state.values) <= 100:
            problem = environment.rules.problem(environment.description)
            values = [
                f"{one.name}={one.values[at]}"
                for one, at in zip(problem.variables, state.values, strict=True)
            ]
            lines.append(" ".join(values))
        told = [f"{name.replace('_', ' ')} {figures[name]:g}" for name in TOLD if name in figures]
        lines.append("   ".join([*told, f"quality {figures['quality']:.3f}"]))
        if state.claimed:
            lines.append("somebody claims that there is no solution")
        return "\n".join([*lines, self._status(environment, turn)])

    def remarks(self, environment: Any) -> tuple[str, ...]:
        """How things stand, in a sentence."""
        figures = environment.measures()
        way = f", {figures['distance']:.1f} cells travelled" if "distance" in figures else ""
        broken = "Nothing is broken." if figures["solved"] else "Something forbidden is in it."
        return (
            f"{figures['messages']:g} messages, {figures['checks']:g} constraint checks ({figures['nccc']:g} of them "
            f"non-concurrent), {figures['nogood_checks']:g} of learned nogoods, {figures['privacy_loss']:.6g} bits of "
            f"others' constraints told{way}, cost {figures['cost']:g}, quality {figures['quality']:.3f}. {broken}",
        )

    def tables(self, environment: Any) -> tuple[Table, ...]:
        """The letters of the last turn, those that wait to be read, and agents with their values."""
        state = environment.state
        problem = environment.rules.problem(environment.description)
        written = tuple((one, to, rest) for one, to, rest in self._letters[:MOST_ROWS])
        boxes = [
            (to, int(line.partition(" ")[0]), line.partition(" ")[2])
            for to, box in enumerate(state.boxes)
            for line in box
        ]
        agents = []
        for agent, own in enumerate(problem.variables_of[:MOST_ROWS]):
            values = ", ".join(str(problem.variables[v].values[state.values[v]]) for v in own)
            around = ", ".join(map(str, problem.neighbors_of[agent]))
            agents.append((agent, problem.agents[agent], values, len(state.boxes[agent]), around))
        return (
            Table("letters written", ("from", "to", "letter"), written),
            Table("letters to read", ("to", "from", "letter"), tuple(boxes[:MOST_ROWS])),
            Table("agents", ("agent", "name", "values", "letters", "neighbors"), tuple(agents)),
        )

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """Of those who only pick values, the ones that are open, by name; others write letters."""
        return tuple(self._controls(environment, seat.index) for seat in environment.seats)

    def _controls(self, environment: Any, seat: int) -> Controls:
        found = environment.rules.offered(environment.state, seat)
        if found is None:
            return Controls()
        knows, values = found
        names = value_names(knows)
        return Controls(tuple(Choice(one, names[one]) for one in values))


def written_by(
    played: Mapping[int, Any], spoken: Mapping[int, Sequence[str]]
) -> Iterator[tuple[int, int, str]]:
    """The letters of a turn: from whom, to whom, and what they say from their kind on."""
    for seat, action in played.items():
        mail = action["mail"] if isinstance(action, dict) else spoken.get(seat, ())
        for line in mail:
            found = letter(line)
            if found is not None:
                to, _, text = found
                yield seat, to, text
