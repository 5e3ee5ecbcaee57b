"""What the views share: a world by its name, and one episode after another from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import Space as GymSpace

from mensura.adapters.conversion import action_space, observation_space, to_gymnasium
from mensura.agent.errors import MensuraError
from mensura.agent.fitting import Fit, fit_into, is_row, row_of
from mensura.agent.keys import MASK, Key, fold, fresh, key
from mensura.agent.spaces import Space
from mensura.core.abilities import describe_from_json, drawn_as, largest_spaces, make
from mensura.core.blocks import ENVIRONMENT, OTHERS, RESET
from mensura.core.contract import Description, Environment, Turn, World
from mensura.core.registry import WORLDS
from mensura.pictures.pixels import as_array
from mensura.pictures.view import view_of
from mensura.records.pools import Pool

Within = tuple[str, float, float]
"""A complexity by name, and the interval it is wanted in."""


class Start(NamedTuple):
    """An episode that is about to begin."""

    environment: Environment
    root: Key
    """The key from which the others follow."""
    fit: Fit | None = None
    """How it fits into the spaces of the view; None where they are its own."""
    state: bytes | None = None
    """The checkpoint that it starts from; None: from its beginning."""

    def row(self, observation: Any) -> npt.NDArray[np.float64]:
        """An observation as a flat row of its own, in the size of the view."""
        row = row_of(observation)
        return row if self.fit is None else self.fit.rows(row)

    def shown(self, space: Space, observation: Any) -> Any:
        """An observation of a space as the view shows it: a row, or what has a structure of its own."""
        return self.row(observation) if is_row(space) else to_gymnasium(space, observation)

    def action(self, seat: int, action: Any) -> Any:
        """The action that is played for one of the view: the default one, where the environment has no such action."""
        if self.fit is None or action <= self.fit.last:
            return action
        return self.environment.default(seat)

    @property
    def reset(self) -> Key:
        """The key of the environment's reset."""
        return fold(self.root, RESET)

    @property
    def others(self) -> Key:
        """The root of the draws of whoever else sits in the environment."""
        return fold(self.root, OTHERS)


class Episodes:
    """The episodes of a view: environments drawn from a world, each with its reset.

    The n-th episode after a seed is always the same one; without a seed they are those of a stream that nobody
    could foresee. Keys stay in here.

    Learners want one observation space and one action space. Where the environments of a world differ in size, the
    world tells the largest (``largest_spaces``) and smaller ones are filled up, unless the view is of one described
    environment, which has its own spaces.
    """

    def __init__(
        self,
        world: World,
        description: Description | None = None,
        within: Within | None = None,
        checkpoints: str | Path | Pool | None = None,
    ) -> None:
        """``checkpoints`` is a pool, or its file: every episode starts from one of them, drawn by its key."""
        if description is not None and within is not None:
            raise MensuraError(
                "Both a description and an interval of complexity were given; a described environment "
                "has the complexity that it has, so give one of the two."
            )
        if checkpoints is not None and (description is not None or within is not None):
            raise MensuraError(
                "Checkpoints have environments of their own, so neither a description nor a complexity is drawn for "
                "them."
            )
        self._pool = _Started(world, checkpoints) if checkpoints is not None else None
        self.world = world
        self._description = description
        self._within = within
        self._stream = fresh()
        self._number = 0
        self._built: Environment | None = None
        example = self._environment(description or world.sample(key(0, "shape"), within))
        self.seats = example.seats
        self.spaces = [example.spaces(seat.index) for seat in example.seats]
        largest = largest_spaces(world)
        self.blank: Any = None
        """What stands where an environment has less than the view shows; None where all have the same spaces."""
        if largest is not None and description is None:
            observed, self.blank, played = largest
            self.spaces = [(observed, played)] * len(example.seats)

    def seed(self, seed: int) -> None:
        """Start over with the episodes of this seed."""
        if not 0 <= seed <= MASK:
            raise ValueError(f"the seed {seed} is out of range; it is from 0 to 2**64 - 1")
        self._stream = key(int(seed), drawn_as(self.world), "episodes")
        self._number = 0

    def next(self, options: Mapping[str, Any] | None = None) -> Start:
        """The next episode; ``options["description"]`` names the environment of this one."""
        root = fold(self._stream, self._number)
        self._number += 1
        description = (options or {}).get("description", self._description)
        state = None
        if description is None and self._pool is not None:
            description, state = self._pool.drawn(fold(root, ENVIRONMENT))
        if description is None:
            description = self.world.sample(fold(root, ENVIRONMENT), self._within)
        environment = self._environment(description)
        spaces = [environment.spaces(seat.index) for seat in environment.seats]
        if spaces == self.spaces:
            return Start(environment, root, state=state)
        if self.blank is None or len(spaces) != len(self.spaces):
            raise self._other(environment)
        fit = fit_into(spaces[0], self.spaces[0], self.blank)
        if fit is None:
            raise self._other(environment)
        return Start(environment, root, fit, state)

    def _other(self, environment: Environment) -> MensuraError:
        return MensuraError(
            f"This environment of {self.world.id} has other seats or spaces than the view was made "
            "for; make a view with its description instead."
        )

    def _environment(self, description: Description) -> Environment:
        if self._built is None or self._built.description is not description:
            self._built = self.world.build(description)
        return self._built


class _Started:
    """The checkpoints of a pool, with the environments that they are states of."""

    def __init__(self, world: World, checkpoints: str | Path | Pool) -> None:
        self._pool = checkpoints if isinstance(checkpoints, Pool) else Pool.read(Path(checkpoints))
        self._pool.check_world(world.id)
        self._described = [describe_from_json(world, one) for one in self._pool.environments]

    def drawn(self, stream: Key) -> tuple[Description, bytes]:
        """The environment and the state of a checkpoint."""
        one = self._pool.chosen(stream)
        return self._described[one.environment], self._pool.snapshots[one.digest]


def make_world(world: str | World, parameters: Mapping[str, Any]) -> World:
    """A world by its id with parameters, a ``preset`` among them where the world has any; or the one given."""
    if not isinstance(world, str):
        if parameters:
            raise MensuraError(
                f"The world {world.id} was given as an object, which has its parameters already; "
                f"{next(iter(parameters))!r} has to be set there."
            )
        return world
    kind = WORLDS.load(world)
    rest = dict(parameters)
    preset = rest.pop("preset", None)
    return make(kind, preset, **rest)


class Agents(NamedTuple):
    """The agents of a view, one a seat."""

    names: list[str]
    observation_spaces: dict[str, GymSpace[Any]]
    action_spaces: dict[str, GymSpace[Any]]

    @classmethod
    def of(cls, episodes: Episodes) -> Agents:
        """Each with the spaces of its seat."""
        names = [f"{seat.group}_{seat.index}" for seat in episodes.seats]
        spaces = dict(zip(names, episodes.spaces, strict=True))
        return cls(
            names,
            {name: observation_space(seen) for name, (seen, _) in spaces.items()},
            {name: action_space(done) for name, (_, done) in spaces.items()},
        )


class Rendering:
    """What a view renders: an observer of its episodes, at work only if somebody wants to see them."""

    MODES = ("ansi", "rgb_array")

    def __init__(self, world: World, mode: str | None) -> None:
        if mode is not None and mode not in self.MODES:
            raise MensuraError(
                f"{world.id} cannot be rendered as {mode!r}; it can as {', '.join(map(repr, self.MODES))}."
            )
        self._world = world
        self._mode = mode
        self._last: tuple[Environment, Turn] | None = None

    @property
    def wanted(self) -> bool:
        """Whether anything is to be rendered."""
        return self._mode is not None

    def started(self, environment: Environment, turn: Turn) -> None:
        """An episode begins."""
        if self.wanted:
            self._view = view_of(self._world)
            self._view.started(environment, turn)
            self._last = environment, turn

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        if self.wanted:
            self._view.stepped(environment, actions, turn)
            self._last = environment, turn

    def frame(self) -> str | npt.NDArray[np.uint8] | None:
        """The moment as text or as an image; None where nobody wants to see it, or before the first episode."""
        if self._last is None:
            return None
        if self._mode == "ansi":
            return self._view.text(*self._last)
        return as_array(self._view.picture(*self._last))
