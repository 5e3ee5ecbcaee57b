"""The base of worlds that are written as rules: a subclass says what is special, the rest is here."""

from __future__ import annotations

import functools
import inspect
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, dataclass_transform

from numpy.random import Generator

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, fold
from mensura.agent.spaces import Space, default, to_plain
from mensura.core.abilities import check_shadows_nothing
from mensura.core.abilities.content import NOT_STATED
from mensura.core.chance import generator
from mensura.core.contract import Description, Ended, Measure
from mensura.core.players import Subject
from mensura.pictures.picture import Picture
from mensura.pictures.view import observed_picture
from mensura.worlds.kit.description import RESERVED, BaseDescription, check_drawn, read_description
from mensura.worlds.kit.environment import StepEnvironment
from mensura.worlds.kit.minds import Group, Mind, make_group, rights_wanted
from mensura.worlds.kit.parameters import check_parameters
from mensura.worlds.kit.state import State

TRIES = 1_000
"""How many environments are drawn before a wanted complexity counts as out of reach."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class BaseWorld:
    """A class of environments, written as rules. :mod:`mensura.worlds.echo` is a whole one to begin from.

    A world has to say ``id``, ``spaces``, ``observe`` and ``advance``; almost all say ``draw`` and ``start`` as well.
    Everything of the first two parts below can be overridden. What is annotated and has a default, as
    ``symbols: int = parameter(4, "How many symbols there are")``, is a parameter: the class is a frozen dataclass
    without being told so, so write no decorator. In rules, ``self`` has the parameters, ``state.description`` what was
    drawn, and ``rng`` is the only source of chance.

    Everything else that Mensura does with a world follows: batteries and other assessments, studies, pictures and
    films, pages, Gymnasium and PettingZoo. Check a world with ``assert check_world(MyWorld()) == []``
    (:mod:`mensura.testing`).
    """

    # What a world says of itself

    id: ClassVar[str]
    """Its name with the version of its rules, as "echo-v1". Other rules that bring other rewards: another version."""
    measures: ClassVar[Mapping[str, Measure]] = {}
    """Its complexities by name, the most important first; ``complexity`` tells them."""
    promises: ClassVar[frozenset[str]] = frozenset()
    """What assessments may rely on: "bounded" (rewards within [-1, 1]), "balanced" (a random subject's mean is 0),
    "unrewarded" (every reward is 0: what is done here is neither right nor wrong)."""
    content: ClassVar[str] = NOT_STATED
    """Where environments come from: GENERATED, BANK or FIXED; only scores in what is generated afresh are ranked."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"usual": {}}
    """Named settings of parameters; the first is the usual one."""
    minds: ClassVar[Mapping[str, Mind]] = {}
    """The world's own subjects by name."""

    @property
    def horizon(self) -> int | None:
        """How often each seat acts in an episode; usually a parameter. None: until ``ended`` says so."""
        return None

    @property
    def subjects(self) -> int:
        """How many seats there are; a parameter where that can be chosen."""
        return len(self.seats(self.sample(0))) if self.overrides("seats") else 1

    # The rules

    def check(self) -> None:
        """Raise a :class:`MensuraError` with a sentence where parameters contradict each other."""

    def draw(self, rng: Generator) -> Mapping[str, Any]:
        """What sets one environment apart from others, by name: ``{"lag": 3}``; plain data.

        With a second parameter, ``draw(self, rng, within=None)``, it is told the wanted complexity as (measure, low,
        high) and can aim at it, where drawing until one fits takes too long.
        """
        return {}

    def keep(self, description: BaseDescription) -> bool:
        """Whether an environment that was drawn is a good one; another is drawn where it is not."""
        return True

    def complexity(self, description: BaseDescription, measure: str) -> float:
        """How complex an environment is, by one of the measures."""
        raise NotImplementedError

    def seats(self, description: BaseDescription) -> Sequence[str]:
        """The group of each seat: ``["subject", "subject", "other"]``. Those of the group "subject" are scored."""
        return ["subject"] * self.subjects

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        """What a seat may observe, and what it may do."""
        raise NotImplementedError

    def start(self, state: State, rng: Generator) -> None:
        """Put what the rules need into a new state."""

    def observe(self, state: State, seat: int) -> Any:
        """What a seat sees now. This is the only rule that shows something hidden to a subject; it changes nothing."""
        raise NotImplementedError

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> Sequence[float]:
        """Play the actions of the seats that were due, by seat; give the reward of every seat.

        With a fourth parameter, ``seconds=None``, it is told by seat how long each action took, for worlds in which
        time passes while a subject thinks.
        """
        raise NotImplementedError

    def due(self, state: State) -> Sequence[int]:
        """The seats that act now; by default all."""
        return range(len(self.seats(state.description)))

    def ended(self, state: State) -> Ended | None:
        """Whether the episode is over, and how: "terminated" by what happened in it. The kit ends it at the horizon."""
        return None

    def legal(self, state: State, seat: int, action: Any) -> bool:
        """Whether an action of the seat's space may be played now."""
        return True

    def default(self, state: State, seat: int) -> Any:
        """The action that is played for a seat whose subject gave none: the first one, or the nearest to 0."""
        return default(self.spaces(state.description, seat)[1])

    def opens_floor(self, description: BaseDescription) -> bool:
        """Whether whoever speaks first is heard (:mod:`mensura.core.open_floor`); ``advance`` gets single actions."""
        return False

    def next_event(self, state: State) -> float:
        """With an open floor: when something happens by itself, in seconds; infinite where nothing does."""
        return math.inf

    def pass_time(self, state: State, at: float) -> Sequence[float] | None:
        """With an open floor: let time go on to ``at``; give the reward of every seat, or None for none."""
        return None

    def silence(self, state: State, seat: int, action: Any) -> bool:
        """With an open floor: whether an action says nothing; what was said meanwhile makes it void."""
        return False

    def tells_rewards(self, description: BaseDescription) -> bool:
        """Whether seats are told what they gained; where not they are told 0, and it counts all the same."""
        return True

    def instructions(self, description: BaseDescription, seat: int) -> str:
        """What a seat is told about its task before it begins."""
        return ""

    def figures(self, state: State) -> Mapping[str, float]:
        """What an episode tells of itself beside the rewards, by name; records hold it."""
        return {}

    def picture(self, state: State, seat: int | None = None) -> Picture:
        """The moment as a picture, with a seat only what that seat may see. By default what the seats observe."""
        seats = range(len(self.seats(state.description))) if seat is None else (seat,)
        seen = [json.dumps(to_plain(self.observe(state, one)), default=repr) for one in seats]
        lines = [f"seat {one} observes {text:.60}" for one, text in zip(seats, seen, strict=True)]
        return observed_picture(lines, f"{type(self).__name__}: what the seats observe")

    def may(self, seat: int, right: str) -> bool:
        """Whether a seat has a right (:func:`seat_rights`); for rules to ask."""
        return right in self.rights_of(seat)

    # The kit's: classes and parameters

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        """Make the class a frozen dataclass, and say at once what is misspelled in it."""
        super().__init_subclass__(**options)
        _check_class(cls)
        if "complexity" in vars(cls):
            cls.complexity = _checking_measures(cls.complexity)  # type: ignore[method-assign]
        dataclass(frozen=True, kw_only=True)(cls)
        # Those of this class do the same, and let a second decorator get as far as the sentence about it.
        del cls.__setattr__, cls.__delattr__
        cls._parameters = tuple(fields(cls))
        check_shadows_nothing(cls, _MEMBERS_OF_THE_KIT)
        _check_presets(cls)

    _parameters: ClassVar[tuple[Any, ...]] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        """A world never changes; ``dataclasses.replace`` makes another."""
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        """A world never changes."""
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __post_init__(self) -> None:
        """Raise with a sentence where a rule is missing or a parameter is not what it may be."""
        _check_whole(type(self))
        check_parameters(self)
        self.check()

    @classmethod
    def overrides(cls, rule: str) -> bool:
        """Whether the world has a rule of its own in the place of the kit's."""
        return getattr(cls, rule) is not getattr(BaseWorld, rule)

    @classmethod
    def takes(cls, rule: str, parameter: str) -> bool:
        """Whether a rule has a parameter of this name."""
        return parameter in inspect.signature(getattr(cls, rule)).parameters

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """The world under a named set of parameters."""
        if name not in cls.presets:
            raise MensuraError(
                f"{name!r} is no preset of {cls.id}; {neighbors(name, list(cls.presets))}"
            )
        return cls(**{**cls.presets[name], **parameters})

    # The kit's: environments

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> BaseDescription:
        """Draw an environment, its named complexity within [low, high] where that is wanted."""
        measure, low, high = ("", 0.0, 0.0) if within is None else within
        if within is not None:
            self.check_measure(measure)
            if not low <= high:
                raise MensuraError(f"The interval of {measure} from {low:g} to {high:g} is empty.")
        seen: list[float] = []
        aims, choosy = self._aims, self._choosy
        for attempt in range(TRIES):
            rng = generator(fold(key, attempt))
            found = self._drawn(self.draw(rng, within=within) if aims else self.draw(rng))  # type: ignore[call-arg]
            if choosy and not self.keep(found):
                continue
            if within is None:
                return found
            seen.append(self.complexity(found, measure))
            if low <= seen[-1] <= high:
                return found
        if not seen:
            raise MensuraError(
                f"None of {TRIES} environments of {self.id} that were drawn was one to keep."
            )
        raise MensuraError(
            f"No environment of {self.id} with {measure} from {low:g} to {high:g} was found; {len(seen)} that were "
            f"drawn have {min(seen):g} to {max(seen):g}."
        )

    def sample_many(
        self, keys: Iterable[Key], within: tuple[str, float, float] | None = None
    ) -> list[BaseDescription]:
        """Draw an environment for each key, as :meth:`sample` does."""
        return [self.sample(int(key), within) for key in keys]

    @cached_property
    def _aims(self) -> bool:
        return self.takes("draw", "within")

    @cached_property
    def _choosy(self) -> bool:
        return self.overrides("keep")

    def _drawn(self, drawn: Mapping[str, Any]) -> BaseDescription:
        check_drawn(self, drawn)
        return BaseDescription(self, drawn)

    def check_measure(self, measure: str) -> None:
        """Raise where the world has no such complexity."""
        if measure not in self.measures:
            raise MensuraError(
                f"{self.id} has no complexity {measure!r}; {neighbors(measure, list(self.measures))}"
            )

    def describe_from_json(self, data: Mapping[str, Any]) -> BaseDescription:
        """The description that ``description.to_json()`` wrote; parameters that it leaves out are this world's."""
        rng = generator(0)
        given, drawn = read_description(self, data, self.draw(rng))
        found = replace(self, **given)._drawn(drawn)
        if not self.keep(found):
            raise MensuraError(f"This is no environment of {self.id}: it would never be drawn.")
        return found

    def build(self, description: Description) -> StepEnvironment:
        """The environment of a description, under the parameters that it holds; rights are those of both."""
        if not isinstance(description, BaseDescription) or type(description.world) is not type(
            self
        ):
            raise MensuraError(f"This is no description of an environment of {self.id}.")
        rules = cast(Self, description.world)
        if self._with_rights and set(self._rights) - set(rules._rights):
            rules = rules._granted(self._rights)
        return StepEnvironment(rules, description)

    # The kit's: rights, and subjects of the world's own

    @cached_property
    def _with_rights(self) -> bool:
        return any("rights" in one.metadata for one in self._parameters)

    @cached_property
    def _rights(self) -> tuple[str, ...]:
        return tuple(getattr(self, "rights", ())) if self._with_rights else ()

    @cached_property
    def _rights_by_seat(self) -> Mapping[int, frozenset[str]]:
        pairs = [one.partition(":") for one in self._rights]
        return {
            int(seat): frozenset(right for other, _, right in pairs if other == seat)
            for seat, _, _ in pairs
        }

    def rights_of(self, seat: int) -> frozenset[str]:
        """What a seat may see beyond the ordinary."""
        return self._rights_by_seat.get(seat, frozenset())

    def _granted(self, rights: Sequence[str]) -> Self:
        changes: dict[str, Any] = {"rights": tuple(sorted({*self._rights, *rights}))}
        return replace(self, **changes)

    def hosting(self, subject: Subject) -> Self:
        """This world with the rights that the subject needs."""
        wanted = tuple(rights_wanted(subject, self.subjects)) if self._with_rights else ()
        return self._granted(wanted) if set(wanted) - set(self._rights) else self

    @property
    def subject_names(self) -> Mapping[str, str]:
        """The world's own subjects with a line on each."""
        return {
            name: (inspect.getdoc(mind.make) or "").partition("\n")[0].rstrip(".")
            for name, mind in self.minds.items()
        }

    def subject_parameters(self, name: str) -> Mapping[str, float]:
        """The parameters of a subject of its own, with their defaults."""
        return {one: default for one, (default, _) in self.minds[name].parameters.items()}

    @property
    def demo(self) -> tuple[str, ...]:
        """The subjects that a demonstration shows."""
        return tuple(self.minds)[:3]

    def group(self, parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Group:
        """A subject of own minds: one part for all seats, or several with so many members each."""
        return make_group(self.id, self.minds, parts)


REQUIRED = ("spaces", "observe", "advance")
"""The rules that no world can do without, unless it builds its environments itself, which then have them."""
RULES = (
    "check", "draw", "keep", "complexity", "seats", "spaces", "start", "observe", "advance", "due", "ended", "legal",
    "default", "instructions", "figures", "picture",
)  # fmt: skip
"""All rules that a world may have."""
SETTINGS = ("id", "measures", "promises", "presets", "minds", "horizon", "subjects")
"""What else it may say of itself."""
_MEMBERS_OF_THE_KIT = frozenset(
    {*RESERVED, *(name for name in vars(BaseWorld) if not name.startswith("_"))}
) - {"horizon", "subjects"}
_OPTIONAL = {"draw": ("within",), "advance": ("seconds",)}
"""What a rule may be told beyond what it has to take."""


def _check_class(kind: type[BaseWorld]) -> None:
    """Raise with a sentence where a class has a rule that is misspelled or takes something else than the kit gives."""
    own = vars(kind)
    if "__post_init__" in own:
        raise MensuraError(
            f"{kind.__name__} has a method __post_init__, in whose place the kit has its own; call it check."
        )
    for name, value in own.items():
        if name in RULES and callable(value):
            _check_signature(kind, name, value)
        elif not name.startswith("_") and not hasattr(BaseWorld, name):
            _check_name(kind, name, callable(value))


def _check_name(kind: type[BaseWorld], name: str, is_rule: bool) -> None:
    """Raise where a name looks like one of the kit's that the class does not have."""
    import difflib

    known = [
        one
        for one in (RULES if is_rule else SETTINGS)
        if not any(one in vars(base) for base in kind.__mro__ if base is not BaseWorld)
    ]
    parameter = name in inspect.get_annotations(kind)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
    if near and not parameter:
        raise MensuraError(
            f"{kind.__name__} has {name!r}, which the kit does not know; did you mean {near[0]}? If it is a helper of "
            f"your own, call it _{name}."
        )


def _check_signature(kind: type[BaseWorld], name: str, rule: Any) -> None:
    wanted = list(inspect.signature(getattr(BaseWorld, name)).parameters)
    given = list(inspect.signature(rule).parameters)
    more = [one for one in _OPTIONAL.get(name, ()) if one in given]
    try:
        inspect.signature(rule).bind(*wanted, **dict.fromkeys(more))
    except TypeError:
        raise MensuraError(
            f"{name} of {kind.__name__} takes ({', '.join(given)}); it must take ({', '.join(wanted)})."
        ) from None


def _check_presets(kind: type[BaseWorld]) -> None:
    parameters = [one.name for one in kind._parameters]
    for preset, changes in kind.presets.items():
        for name in changes:
            if name not in parameters:
                raise MensuraError(
                    f"The preset {preset!r} of {kind.__name__} sets {name!r}, which is no parameter; "
                    f"{neighbors(name, parameters)}"
                )


def _check_whole(kind: type[BaseWorld]) -> None:
    """Raise with a sentence where something is missing that no world can do without."""
    if [one.metadata for one in fields(kind)] != [one.metadata for one in kind._parameters]:
        raise MensuraError(
            f"{kind.__name__} is made a dataclass by the kit; write no @dataclass above it, which would lose what its "
            "parameters mean."
        )
    missing = [] if isinstance(getattr(kind, "id", None), str) else ["id"]
    if not kind.overrides("build"):
        missing += [one for one in REQUIRED if not kind.overrides(one)]
    if kind.measures and not kind.overrides("complexity"):
        missing.append("complexity")
    if missing:
        raise MensuraError(
            f"{kind.__name__} is no whole world yet: it has no {', '.join(missing)}."
        )


def _checking_measures(rule: Callable[..., float]) -> Callable[..., float]:
    """The rule ``complexity`` of a world for its measures only."""

    @functools.wraps(rule)
    def complexity(self: BaseWorld, description: BaseDescription, measure: str) -> float:
        if measure not in self.measures:
            self.check_measure(measure)
        return float(rule(self, description, measure))

    return complexity
