"""How a perturbed environment is shown: as the one inside, with what is perturbed in it."""

from __future__ import annotations

from typing import Any

from mensura.core.contract import Turn
from mensura.pictures.picture import Picture
from mensura.pictures.scenes import Controls, Table
from mensura.pictures.view import PlainView, view_of
from mensura.worlds.perturbed.environment import PerturbedEnvironment


class PerturbedView:
    """The view of the world inside, on the true state; what seats can do is as they have it."""

    def __init__(self, world: Any) -> None:
        self._inside = view_of(world.world)
        self._plain = PlainView(world)

    def started(self, environment: Any, turn: Turn) -> None:
        """An episode begins."""
        self._inside.started(_inner(environment), turn)

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        inner = _inner(environment)
        due = [seat.index for seat in inner.seats][: len(actions)]
        known = [
            one if inner.spaces(seat)[1].contains(one) else inner.default(seat)
            for seat, one in zip(due, actions, strict=True)
        ]
        self._inside.stepped(inner, known, turn)

    def text(self, environment: Any, turn: Turn) -> str:
        """The moment in characters."""
        return self._inside.text(_inner(environment), turn)

    def picture(self, environment: Any, turn: Turn) -> Picture:
        """The moment as a picture, nothing hidden."""
        return self._inside.picture(_inner(environment), turn)

    def explain(self, environment: Any) -> tuple[str, ...]:
        """What the world is, and what is perturbed in it."""
        told = self._inside.explain(_inner(environment))
        if not isinstance(environment, PerturbedEnvironment):
            return told
        strengths = dict(environment.description.strengths)
        acting = ", ".join(f"{name} ({value:g})" for name, value in strengths.items())
        return (*told, f"It is perturbed, each operator by its strength: {acting}.")

    def remarks(self, environment: Any) -> tuple[str, ...]:
        """What is going on in this very environment."""
        return self._inside.remarks(_inner(environment))

    def tables(self, environment: Any) -> tuple[Table, ...]:
        """The state, for the research view."""
        return self._inside.tables(_inner(environment))

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """What each seat can do, what does nothing included."""
        inner = _inner(environment)
        same = all(environment.spaces(k) == inner.spaces(k) for k in range(len(inner.seats)))
        return self._inside.controls(inner) if same else self._plain.controls(environment)


def _inner(environment: Any) -> Any:
    return environment.inner if isinstance(environment, PerturbedEnvironment) else environment
