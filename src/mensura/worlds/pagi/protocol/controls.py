"""The controls of a seat: commands in, answers out, states and reflexes in between.

Settled where the paper (Atreya et al. 2016, section 3) is silent by the authors' program 0.2.5; what is ours is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, Literal, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.worlds.pagi.contract import Event, Room
from mensura.worlds.pagi.protocol import comma, messages
from mensura.worlds.pagi.protocol.answering import Answering
from mensura.worlds.pagi.protocol.commands import ARRANGING, Command, from_plain
from mensura.worlds.pagi.protocol.limits import (
    LONGEST,
    MOST_COMMANDS,
    MOST_FIRED,
    MOST_REFLEXES,
    MOST_STATES,
)
from mensura.worlds.pagi.protocol.reflexes import InState, Reflex, Watch, reflex
from mensura.worlds.pagi.protocol.telling import Generation, Telling
from mensura.worlds.pagi.protocol.values import WrongCommand, WrongExpression, now

Manner: TypeAlias = Literal["paper", "authors"]
"""As the paper and its clients want it, or as the authors' program does it."""

_SOON = 1e-9
"""Seconds by which a sum of steps may miss its end."""


class SeatControls:
    """Commands, states and reflexes of one seat (:class:`mensura.worlds.pagi.contract.Controls`).

    ``rights`` may hold ``arranges`` (to change the world) and ``names`` (to read kinds and names of objects).
    """

    def __init__(self, seat: int, rights: Set[str] = frozenset(), manner: Manner = "paper") -> None:
        self.seat = seat
        self._rights = frozenset(rights)
        self._manner: Manner = manner
        self._generation: Generation | None = None
        self._rest = ""
        """What has come of a message in JSON that has not ended yet."""
        self.states: dict[str, float | None] = {}
        """Until when each lasts; None for ever."""
        self.reflexes: dict[str, Reflex] = {}
        self._watch: Watch | None = None
        """What looks after the reflexes, until one comes or goes."""
        self._telling = Telling()
        self._left = MOST_FIRED
        self._answering = Answering(seat, "names" in self._rights, self._tell)
        self._own: dict[str, Callable[[Command, Room], None]] = {
            "setState": self._set_state,
            "setReflex": self._set_reflex,
            "removeReflex": self._remove_reflex,
            "getActiveStates": self._list_states,
            "getActiveReflexes": self._list_reflexes,
        }

    # What the environment calls -------------------------------------------------

    def take(self, text: str, room: Room) -> None:
        """Commands of this interaction, in either generation; they run before the first physics step, in order."""
        self._left = MOST_FIRED
        if not text:
            return
        if self._generation is None:
            first = text.lstrip()[:1]
            if not first:
                return
            self._generation = "json" if first == "{" else "comma"
        whole = self._whole(text)
        for one in whole[:MOST_COMMANDS]:
            self._read(one, room)
        if len(whole) > MOST_COMMANDS:
            self._error(
                "", f"{len(whole)} commands came in one frame; those after the first {MOST_COMMANDS} are ignored"
            )  # fmt: skip

    def begin_with(self, lines: Sequence[str], room: Room) -> None:
        """Set reflexes and states of the task, of which nobody is told; :func:`check_beginning` has looked at them."""
        for line in lines:
            command = comma.read(line)
            self._own[command.verb](command, room)
        self._telling.restore([])

    def act(self, room: Room) -> None:
        """Before each physics step: states expire, then reflexes are checked, and those that hold act.

        All are checked before any of them acts, so that states which they set count from the next step on.
        """
        if self.states:
            self._expire(room.seconds)
        if not self.reflexes:
            return
        if self._watch is None:
            self._watch = Watch([*self.reflexes.values()])
        firing = self._watch.firing(self.states.keys(), room, self.seat)
        if not firing:
            return
        self._hear(room)
        for one in firing:
            self._tell("reflexFired", one.name)
            for action in one.actions:
                if self._left == 0:
                    self._error(
                        "", f"reflexes carried out {MOST_FIRED} actions in one frame; further ones are ignored"
                    )  # fmt: skip
                self._left -= 1
                if self._left >= 0:
                    self._run(action, room)

    def answers(self, room: Room) -> str:
        """Answers and notifications since the last time, as lines in the generation of the seat."""
        self._hear(room)
        return self._telling.take()

    def is_in(self, state: str, room: Room) -> bool:
        """Whether the seat is in a state now."""
        until = self.states.get(state, -1.0)
        return until is None or until > room.seconds + _SOON

    def as_plain(self) -> Mapping[str, Any]:
        """All of it as plain data, for snapshots."""
        return {
            "generation": self._generation,
            "rest": self._rest,
            "states": [[name, until] for name, until in self.states.items()],
            "reflexes": [
                [one.name, list(one.sources), [action.as_plain() for action in one.actions]]
                for one in self.reflexes.values()
            ],
            "lines": list(self._telling.lines),
            "left": self._left,
        }

    def restore(self, plain: Mapping[str, Any]) -> None:
        """What :meth:`as_plain` gave; MensuraError where it cannot be."""
        try:
            generation = plain["generation"]
            if generation not in (None, "comma", "json"):
                raise ValueError(generation)
            states = {
                str(name): None if until is None else float(until)
                for name, until in plain["states"]
            }
            reflexes = {
                str(name): reflex(str(name), [str(one) for one in sources], [*map(from_plain, actions)])
                for name, sources, actions in plain["reflexes"]
            }  # fmt: skip
            rest, lines, left = str(plain["rest"]), [*map(str, plain["lines"])], int(plain["left"])
        except (LookupError, TypeError, ValueError, AttributeError, WrongCommand) as error:
            raise MensuraError(
                f"The controls of seat {self.seat} cannot be restored: {type(error).__name__}: {str(error)[:200]}."
            ) from None
        self._generation, self._rest, self.states, self.reflexes = (
            generation,
            rest,
            states,
            reflexes,
        )
        self._left, self._watch = left, None
        self._telling.restore(lines)

    # Reading --------------------------------------------------------------------

    def _whole(self, text: str) -> list[str]:
        """The messages that are complete now."""
        if self._generation == "json":
            whole, self._rest = messages.cut(self._rest + text)
            return whole
        return [line for line in (one.strip("\r ") for one in text.split("\n")) if line]

    def _read(self, text: str, room: Room) -> None:
        in_json = self._generation == "json"
        verb = messages.verb_of(text) if in_json else text.partition(",")[0][:40]
        try:
            if len(text) > LONGEST:
                raise WrongCommand(f"a message has at most {LONGEST} characters.")
            command = messages.read(text) if in_json else comma.read(text)
        except WrongCommand as error:
            self._refuse(verb, error, room)
            return
        self._run(command, room)

    # Running --------------------------------------------------------------------

    def _run(self, command: Command, room: Room) -> None:
        try:
            if command.verb in ARRANGING and "arranges" not in self._rights:
                raise WrongCommand("this seat has no right to arrange the world.")
            own = self._own.get(command.verb)
            if own is not None:
                own(command, room)
            else:
                self._answering.answer(command, room)
        except WrongCommand as error:
            self._refuse(command.verb, error, room)

    def _refuse(self, verb: str, error: WrongCommand, room: Room) -> None:
        """Tell what is wrong; of expressions only that they are unreadable, as the original; the console has why."""
        if isinstance(error, WrongExpression):
            room.console(self.seat, str(error))
            self._error(verb, "")
        else:
            self._error(verb, str(error).rstrip("."))

    def _error(self, verb: str, why: str) -> None:
        shown = why.replace(",", ";") or "(see log)"
        if verb or not why:
            colon = ": " if why else " "
            shown = f"While processing message of type {verb or 'unknown'}{colon}{shown}"
        self._tell(f"ERR: {shown}", kind="errorMsg")

    def _tell(
        self, *fields: str, kind: str = "update", data: Mapping[str, Any] | None = None
    ) -> None:
        self._telling.add(self._generation or "comma", *fields, kind=kind, data=data)

    def _hear(self, room: Room) -> None:
        """Tell what happened; in the authors' program, bare lines whatever the generation."""
        for event in room.take_events(self.seat):
            self._notify(event)

    def _notify(self, event: Event) -> None:
        self._telling.add(
            self._generation or "comma",
            event.kind,
            *event.fields,
            kind="trigger" if event.kind == "TB" else "update",
            bare=self._manner == "authors" and event.kind != "TB",
        )

    def _also(self, verb: str, name: str) -> None:
        """Published clients of the comma generation wait for an answer with the name of the command."""
        if self._manner == "paper" and self._generation == "comma":
            self._tell(verb, name, "OK")

    # States and reflexes --------------------------------------------------------

    def _expire(self, seconds: float) -> None:
        over = [
            name
            for name, until in self.states.items()
            if until is not None and until <= seconds + _SOON
        ]
        for name in over:
            del self.states[name]

    def _set_state(self, command: Command, room: Room) -> None:
        milliseconds = now(command.values[0], room, self.seat)
        if milliseconds == 0:
            self.states.pop(command.name, None)
        else:
            if command.name not in self.states and len(self.states) >= MOST_STATES:
                raise WrongCommand(f"a seat has at most {MOST_STATES} states.")
            until = None if milliseconds < 0 else room.seconds + milliseconds / 1000
            self.states[command.name] = until
        self._tell("stateUpdated", command.name)
        self._also("setState", command.name)

    def _set_reflex(self, command: Command, room: Room) -> None:
        made = reflex(command.name, command.texts, command.actions)
        if command.name not in self.reflexes and len(self.reflexes) >= MOST_REFLEXES:
            raise WrongCommand(f"a seat has at most {MOST_REFLEXES} reflexes.")
        for action in made.actions:
            if action.verb in ARRANGING and "arranges" not in self._rights:
                raise WrongCommand(f"{action.verb}: this seat has no right to arrange the world.")
        self.reflexes[command.name] = made
        self._watch = None
        self._tell("reflexUpdated", command.name)
        self._also("setReflex", command.name)

    def _remove_reflex(self, command: Command, room: Room) -> None:
        found = self.reflexes.pop(command.name, None)
        self._watch = None
        self._tell("removedReflex", command.name, "FAILED" if found is None else "OK")
        self._also("removeReflex", command.name)

    def _list_states(self, command: Command, room: Room) -> None:
        self._expire(room.seconds)
        self._tell("activeStates", *(self.states or ["(none)"]))

    def _list_reflexes(self, command: Command, room: Room) -> None:
        self._tell("activeReflexes", *(self.reflexes or ["(none)"]))


def states_of(lines: Sequence[str]) -> tuple[str, ...]:
    """The states that reflexes and states to begin with name, in the order of their names."""
    named = set()
    for line in lines:
        command = comma.read(line)
        if command.verb == "setState":
            named.add(command.name)
        else:
            made = reflex(command.name, command.texts, command.actions)
            named |= {one.state for one in made.conditions if isinstance(one, InState)}
            named |= {one.name for one in made.actions if one.verb == "setState"}
    return tuple(sorted(named))


def check_beginning(line: str) -> None:
    """Raise WrongCommand where a line sets no reflex or state that every seat may have."""
    command = comma.read(line)
    if command.verb not in ("setReflex", "setState"):
        raise WrongCommand("it must be setReflex or setState.")
    if command.verb == "setReflex":
        reflex(command.name, command.texts, command.actions)
        for action in command.actions:
            if action.verb in ARRANGING:
                raise WrongCommand(f"{action.verb} is not for every seat.")
