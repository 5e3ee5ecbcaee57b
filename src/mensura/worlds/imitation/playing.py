"""One game from Python: ``imitation.play(judge, [person, machine])`` gives the transcript and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import fold, seed_or_fresh
from mensura.records.conversation import Game
from mensura.worlds.imitation.minds import MINDS
from mensura.worlds.imitation.world import Imitation


def play(
    judge: Any,
    witnesses: Sequence[Any],
    *,
    preset: str = "three-party",
    seed: int | None = None,
    **given: Any,
) -> Game:
    """Play one game with strict turns.

    ``judge`` and the two ``witnesses``, the person first and then the machine, are names of built-in subjects
    ("eliza", "skeptic"), agents with a method ``act(observation, reward)``, or functions: a witness from the last
    question to an answer, a judge from an observation to a record (:func:`mensura.worlds.imitation.records.action`). In
    a jury all jurors are copies of the judge, unless a list of them is given. ``given`` are parameters of the world.
    """
    world = Imitation.preset(preset, **{**given, "seated": "all"})
    if len(witnesses) != 2:
        raise MensuraError(
            f"{len(witnesses)} witnesses were given; there are two: the person, then the machine."
        )
    judges = list(judge) if isinstance(judge, (list, tuple)) else [judge] * world.jurors
    if len(judges) != world.jurors:
        raise MensuraError(f"{len(judges)} judges were given; this game has {world.jurors}.")
    root = seed_or_fresh(seed)
    description = world.sample(fold(root, 0))
    environment = world.build(description)
    agents = [
        _agent(one, seat, environment, fold(root, 10 + seat))
        for seat, one in enumerate([*judges, *witnesses])
    ]
    turn = environment.reset(fold(root, 1))
    while turn.ended is None:
        actions = []
        for seat, observation in zip(turn.due, turn.observations, strict=True):
            given_action = agents[seat].act(observation, 0.0)
            if not environment.legal(seat, given_action):
                raise MensuraError(f"Seat {seat} may not do {given_action!r:.100} now.")
            actions.append(given_action)
        turn = environment.step(actions, [0.0] * len(actions))
    return world.conversation(environment)


class _Function:
    """A plain function as an agent."""

    def __init__(self, function: Any, witness: bool) -> None:
        self._function, self._witness = function, witness

    def act(self, observation: Any, reward: float) -> Any:
        """What the function says."""
        if not self._witness:
            return self._function(observation)
        asked = [one["text"] for one in observation["messages"] if one["author"] == "judge"]
        return self._function(asked[-1] if asked else "")


def _agent(one: Any, seat: int, environment: Any, key: int) -> Any:
    from mensura.agent.task import Task

    observation_space, action_space = environment.spaces(seat)
    task = Task(
        Imitation.id,
        environment.seats[seat],
        len(environment.seats),
        observation_space,
        action_space,
        None,
    )
    if isinstance(one, str):
        if one not in MINDS:
            raise MensuraError(
                f"There is nobody called {one!r} in {Imitation.id}; {neighbors(one, list(MINDS))}"
            )
        made: Any = MINDS[one].make()
        made.begin_with_key(task, key)
        return made
    if hasattr(one, "act"):
        return one
    if callable(one):
        return _Function(one, environment.seats[seat].group != "judge")
    raise MensuraError(
        f"{type(one).__name__} is nobody who can play: give a name, an agent or a function."
    )
