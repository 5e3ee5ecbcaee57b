"""``perturbed-lambda``: the environments of any world with perturbations, whose strengths are further parameters.

With all strengths 0 it is the world itself, to the bit and by the same doors; environments are drawn by the same keys
at every strength, so that scores at two strengths are of the same environments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, make_dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar, get_type_hints

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, key
from mensura.agent.meanings import meanings
from mensura.agent.spaces import Record, Space
from mensura.core.abilities import (
    OF_CLASSES,
    describe_from_json,
    drawn_as,
    fitted,
    horizon,
    hosting,
    is_handed_on,
    is_readable,
    kind_of,
    largest_spaces,
    make,
    own_words,
    parameters,
    room,
    values,
    whole_numbers,
)
from mensura.core.around import DescriptionAround
from mensura.core.contract import Description, Environment, Episode, Measure, Plan, World
from mensura.core.doors import Doors
from mensura.core.registry import WORLDS
from mensura.core.room import Room
from mensura.worlds.perturbed.environment import (
    ALONE,
    PerturbedEnvironment,
    state_of,
    with_distractions,
)
from mensura.worlds.perturbed.kernels.blurring import State, perturbed_doors
from mensura.worlds.perturbed.operators import COMPILED, OPERATORS, length_of
from mensura.worlds.perturbed.sentences import DistractedWords
from mensura.worlds.perturbed.view import PerturbedView

PREFIX = "perturbed"
SECOND = 1 << 42
"""Sets the draw of an environment that distracts apart from that of the environment."""
TRIES = 100
"""So many environments are drawn until one can distract: it has the same spaces."""


@dataclass(frozen=True)
class PerturbedDescription(DescriptionAround):
    """An environment, the operators that act in it, and what distracts from it."""

    strengths: tuple[tuple[str, float], ...]
    """Those above 0 by name."""
    second: Description | None = None
    """The environment that takes its turns between."""

    @property
    def horizon(self) -> int | None:
        """How many interactions an episode has, where the environment inside says so."""
        return length_of(self.inner.horizon, dict(self.strengths))  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        """Whatever else is said of the environment."""
        if name.startswith("_") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def to_json(self) -> dict[str, Any]:
        """The description as plain data."""
        second = {} if self.second is None else {"second": self.second.to_json()}
        return {"inner": self.inner.to_json(), "perturb": dict(self.strengths), **second}


class PerturbedWorld:
    """A world around another with operators; :func:`perturbed` makes the class for each."""

    id: ClassVar[str]
    inside: ClassVar[Any]
    """The class of the world inside."""
    operators: ClassVar[Mapping[str, str]] = {name: one.meaning for name, one in OPERATORS.items()}
    calm_training: int

    @classmethod
    def preset(cls, name: str, **given: Any) -> PerturbedWorld:
        """The world under a preset of the world inside."""
        own = {one: given.pop(one) for one in list(given) if one in OWN}
        return cls(**values(make(cls.inside, name, **given)), **own)

    def __post_init__(self) -> None:
        """Refuse a strength that is none, an operator that cannot act here, and what the world inside refuses."""
        for name, one in OPERATORS.items():
            value = getattr(self, one.parameter)
            if (
                not isinstance(value, (int, float))
                or isinstance(value, bool)
                or not 0.0 <= value <= 1.0
            ):
                raise MensuraError(
                    f"The strength of {name} is {value!r}; it must be a number from 0 to 1."
                )
        if not isinstance(self.calm_training, int) or self.calm_training < 0:
            raise MensuraError(
                f"{CALM} is {self.calm_training!r}; it must be a whole number from 0 on."
            )
        if self.strengths:
            self.build(self.sample(0))  # a sentence at once where something cannot be

    def __getattr__(self, name: str) -> Any:
        """Whatever else the world inside has; what knows nothing of perturbations only where there are none."""
        if name.startswith("_") or name in ("world", "strengths"):
            raise AttributeError(name)
        if not self.strengths or is_handed_on(name):
            return getattr(self.world, name)
        method = _SECOND_DOOR.get(name)
        if method is None or not self._is_compiled or (name in BULK and self.calm_training):
            raise AttributeError(name)
        return partial(method, self)

    @cached_property
    def _is_compiled(self) -> bool:
        """Whether all operators that act are compiled, and the world inside is."""
        if not {name for name, _ in self.strengths} <= COMPILED or not hasattr(
            self.world, "spaces_of"
        ):
            return False
        environment = self.build(self.sample(0))
        return isinstance(environment, PerturbedEnvironment) and environment.state is not None

    def __reduce__(self) -> Any:
        """The class is made again from the one inside."""
        return _remade, (self.id, values(self))

    @cached_property
    def world(self) -> Any:
        """The world inside."""
        return self.inside(**{one: getattr(self, one) for one in parameters(self.inside)})

    @cached_property
    def strengths(self) -> tuple[tuple[str, float], ...]:
        """The operators that act, with their strengths."""
        told = [(name, float(getattr(self, one.parameter))) for name, one in OPERATORS.items()]
        return tuple((name, value) for name, value in told if value > 0.0)

    @cached_property
    def _shape(self) -> tuple[int, int, bool, frozenset[str]]:
        """Of all environments: seats, the default action, whether rewards have bounds, which numbers are names."""
        environment = self.world.build(self.world.sample(0))
        bounded = "bounded" in self.world.promises
        default = int(environment.default(0))
        return len(environment.seats), default, bounded, whole_numbers(self.world)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The complexities of the world inside."""
        return dict(self.world.measures)

    @property
    def promises(self) -> frozenset[str]:
        """What the world inside promises; rewards are balanced no more where defaults are played."""
        told = frozenset(self.world.promises)
        defaults = {"action-dropped", "action-latency"} & dict(self.strengths).keys()
        return told - {"balanced"} if defaults else told

    @property
    def drawn_as(self) -> str:
        """The same keys as in the world inside."""
        return drawn_as(self.world)

    @property
    def episode_length(self) -> int | None:
        """How many interactions an episode has, where that is known; the parameter is that of the world inside."""
        return length_of(horizon(self.world), dict(self.strengths))

    def view(self) -> PerturbedView:
        """How an episode is shown."""
        return PerturbedView(self)

    def words(self) -> Any:
        """The words of the world inside, with what distracts beside; None where it has none."""
        inside = own_words(self.world)
        strengths = dict(self.strengths)
        if inside is None or not {"distraction-observations", "distraction-actions"} & set(
            strengths
        ):
            return inside
        seen = self.world.build(self.world.sample(0)).spaces(0)[0]
        return DistractedWords(inside, strengths, isinstance(seen, Record))

    def hosting(self, subject: Any) -> World:
        """This world with what the subject needs in the one inside."""
        return self._around(hosting(self.world, subject))

    def fitted(self, description: Any) -> World:
        """This world with what an environment has beyond the parameters of the one inside."""
        return self._around(fitted(self.world, _inside(description)))

    def _around(self, inside: World) -> World:
        """The same perturbations of the world inside with other parameters."""
        own = {one: getattr(self, one) for one in OWN}
        made: World = type(self)(**values(inside), **own)
        return made

    def largest_spaces(self) -> tuple[Space, Any, Space] | None:
        """Those of the world inside, with room for what distracts."""
        inside = largest_spaces(self.world)
        return None if inside is None else with_distractions(dict(self.strengths), *inside)

    def room(self, subject: Any, description: Any, interactions: int) -> Room | None:
        """That of the environment inside."""
        return room(self.world, subject, _inside(description), interactions)

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Any:
        """The environment that the world inside draws, and what is perturbed in it."""
        inner = self.world.sample(key, within)
        if not self.strengths:
            return inner
        second = self._second(key, inner) if "distraction-task" in dict(self.strengths) else None
        return PerturbedDescription(inner, self.strengths, second)

    def _second(self, key: Key, inner: Description) -> Description:
        """An environment in which one sees and does things of the same kind."""
        environment = self.world.build(inner)
        if len(environment.seats) != 1:
            raise MensuraError("distraction-task needs a single seat, and here are several.")
        for number in range(TRIES):
            second: Description = self.world.sample(fold(fold(key, SECOND), number))
            if self.world.build(second).spaces(0) == environment.spaces(0):
                return second
        raise MensuraError(
            f"None of {TRIES} environments that were drawn has the same observations and actions, so that "
            "distraction-task has nothing to distract with."
        )

    def complexity(self, description: Any, measure: str) -> float:
        """That of the environment inside."""
        value: float = self.world.complexity(_inside(description), measure)
        return value

    def kind_of(self, description: Any) -> str:
        """That of the environment inside."""
        return kind_of(self.world, _inside(description))

    def build(self, description: Any) -> Environment:
        """The environment of a description."""
        inner: Environment = self.world.build(_inside(description))
        if not isinstance(description, PerturbedDescription):
            return inner
        second = None if description.second is None else self.world.build(description.second)
        return PerturbedEnvironment(
            inner,
            description,
            dict(description.strengths),
            key(0, str(description.inner.to_json())),
            "bounded" in self.world.promises,
            whole_numbers(self.world),
            horizon(self.world),
            second,
        )

    def in_training(self, description: Any, number: int) -> Any:
        """The environment without its perturbations, in as many training episodes as begin so."""
        return _inside(description) if number < self.calm_training else description

    def describe_from_json(self, data: dict[str, Any]) -> Any:
        """A description from a file, with its perturbations."""
        if not is_readable(self.world):
            raise MensuraError(f"The world {self.world.id} cannot read environments from files.")
        if "perturb" not in data:
            return describe_from_json(self.world, data)
        strengths = {name: float(value) for name, value in data["perturb"].items()}
        for name, value in strengths.items():
            if name not in OPERATORS or not 0.0 < value <= 1.0:
                raise MensuraError(
                    f"The description has the perturbation {name!r} with the strength {value!r}."
                )
        second = data.get("second")
        return PerturbedDescription(
            describe_from_json(self.world, data["inner"]),
            tuple((name, strengths[name]) for name in OPERATORS if name in strengths),
            None if second is None else describe_from_json(self.world, second),
        )


@dataclass(frozen=True)
class Perturbation:
    """What is put around the rules of a world in its second door."""

    state: State

    def doors(self, inside: Doors) -> Doors:
        """The doors to both."""
        return perturbed_doors(inside.rules, inside.mind_rules)

    def row(self, row: Any) -> Any:
        """The row of an environment, and what is on its way."""
        return row, self.state


def _compiles(world: PerturbedWorld, subject: Any) -> bool:
    """Whether this subject can go through the second door."""
    found: bool = world.world.compiles(subject)
    return found


def _sample_many(world: PerturbedWorld, *given: Any, **more: Any) -> Any:
    """Environments of the world inside: what is perturbed in them is the same in all."""
    return world.world.sample_many(*given, **more)


def _rollout(world: PerturbedWorld, subject: Any, patterns: Any, *given: Any, **more: Any) -> Any:
    """Whole sittings at once, as the world inside plays them."""
    host: Any = hosting(world.world, subject)
    around = _around(world, *host.spaces_of(patterns))
    return world.world.rollout(subject, patterns, *given, **more, through=around)


def _play_compiled(
    world: PerturbedWorld, subject: Any, plan: Plan, seed: Key, player: Any | None = None
) -> Episode:
    """What the one loop would make of a plan, to the bit."""
    description: Any = plan.description
    inside = replace(plan, description=_inside(description))
    if not isinstance(description, PerturbedDescription):
        calm: Episode = world.world.play_compiled(subject, inside, seed, player)
        return calm
    spaces = world.world.build(description.inner).spaces(0)
    around = _around(world, [spaces])
    found: Episode = world.world.play_compiled(subject, inside, seed, player, through=around)
    return found


def _around(
    world: PerturbedWorld, spaces: Any, kind: npt.NDArray[np.int64] = ALONE
) -> Perturbation:
    seats, default, bounded, whole = world._shape
    strengths = dict(world.strengths)
    return Perturbation(state_of(strengths, spaces, seats, default, bounded, whole, kind))


_SECOND_DOOR: Mapping[str, Callable[..., Any]] = {
    "compiles": _compiles,
    "sample_many": _sample_many,
    "rollout": _rollout,
    "play_compiled": _play_compiled,
}
BULK = ("sample_many", "rollout")
"""What plays whole sittings at once, training with them."""

CALM = "calm_training"
PARAMETERS = frozenset(one.parameter for one in OPERATORS.values())
"""The parameters that are strengths."""
OWN = PARAMETERS | {CALM}
"""The parameters that the world inside does not have."""


def _inside(description: Any) -> Any:
    return description.inner if isinstance(description, PerturbedDescription) else description


def _remade(name: str, given: Mapping[str, Any]) -> Any:
    return WORLDS.load(name)(**given)


@lru_cache(maxsize=64)
def perturbed(kind: Any) -> Any:
    """The class of worlds around a class of worlds: its parameters, and the strength of each operator."""
    if isinstance(kind, type) and issubclass(kind, PerturbedWorld):
        raise MensuraError(
            f"{kind.id} is perturbed already; one world takes all operators together."
        )
    hints = get_type_hints(kind) if parameters(kind) else {}
    told = meanings(kind)
    inside = [
        (name, hints[name], _copied(one, told.get(name))) for name, one in parameters(kind).items()
    ]
    for name, *_ in inside:
        if name in OWN:
            raise MensuraError(
                f"{kind.id} has a parameter {name!r}, which says here how it is perturbed."
            )
    meaning = {"low": 0.0, "high": 1.0, "choices": ()}
    strengths = [
        (one.parameter, float, field(default=0.0, metadata={"meaning": one.meaning, **meaning}))
        for one in OPERATORS.values()
    ]
    calm = {
        "meaning": "In so many training episodes, the first ones in each environment, nothing is perturbed",
        "low": 0,
        "choices": (),
    }
    training = (CALM, int, field(default=0, metadata=calm))
    members: dict[str, Any] = {
        name: _of_class(kind, name) for name in OF_CLASSES if name in dir(kind)
    }
    made: Any = make_dataclass(
        f"Perturbed{kind.__name__}",
        [*inside, *strengths, training],
        bases=(PerturbedWorld,),
        namespace={
            **{name: value for name, value in members.items() if value is not None},
            "id": f"{PREFIX}-{kind.id}",
            "inside": kind,
            "__module__": kind.__module__,
            "__doc__": f"{(kind.__doc__ or kind.id).strip().partition(chr(10))[0]} Perturbed.",
        },
        frozen=True,
        kw_only=True,
    )
    return made


def _copied(one: Field[Any], meaning: str | None) -> Any:
    """A parameter of the world inside, with what it means."""
    metadata = dict(one.metadata) | ({"meaning": meaning} if meaning else {})
    if one.default_factory is not MISSING:
        return field(default_factory=one.default_factory, metadata=metadata)
    if one.default is not MISSING:
        return field(default=one.default, metadata=metadata)
    return field(metadata=metadata)


def _of_class(kind: Any, name: str) -> Any:
    """What a class of worlds says of itself; None where it takes a world to say it."""
    value = getattr(kind, name)
    if isinstance(value, property | cached_property):
        return None
    return staticmethod(value) if callable(value) else value
