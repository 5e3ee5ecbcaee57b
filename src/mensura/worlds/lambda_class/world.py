"""The world Lambda: its parameters and presets, the thesis's generator, and sampling by complexity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.complexity.compression import zlib_length
from mensura.complexity.lempel_ziv import lempel_ziv_76
from mensura.core.contract import Episode, Measure, Plan
from mensura.core.errors import MensuraError, neighbors
from mensura.core.group import stretches
from mensura.core.keys import Key, below_array, draw, fold, fold_array, numbers, unit
from mensura.core.players import Agents, Subject
from mensura.core.spaces import Box, Discrete, Record
from mensura.worlds.lambda_class.agents import DEMO, KINDS, Group, member
from mensura.worlds.lambda_class.behaviors import LONGEST_PATTERN, STILL, Pattern
from mensura.worlds.lambda_class.bulk import Sampled, packed, play_plan, roll_out
from mensura.worlds.lambda_class.environment import (
    MOST_OBJECTS,
    Description,
    LambdaEnvironment,
    observation_space,
)
from mensura.worlds.lambda_class.generator import draw_spaces
from mensura.worlds.lambda_class.space import Space, ring
from mensura.worlds.lambda_class.switches import PRESETS, Switches, check_number

TRIES = 20_000
"""How many environments are drawn before a wanted complexity counts as out of reach."""

_WORK = 3e9
"""What these tries may cost at most, in rough nanoseconds: long patterns are long to read."""

_TOGETHER = 64
"""So many spaces are drawn at a time, at most."""

# Streams under the key of a try: the space, the pattern of Good and Evil, then those of the objects.
_STREAM_SPACE, _STREAM_PATTERN = range(2)
# Under a pattern's: its moves; and a slot for its length.
_STREAM_MOVES = 0
_SLOT_LENGTH = 0

_RAREST = 1e-12
"""A length of patterns that is exceeded so rarely is not exceeded at all."""

Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Lambda(Switches):
    """The class of Lambda environments with these parameters.

    Description:
        Subjects move on a graph of cells, look for Good and keep away from Evil, who leave rewards behind.

    Parameters:
        All switches of :class:`~mensura.worlds.lambda_class.switches.Switches`, and those of the generator of section
        4.1.3. cells: how many, or the least and the most of a geometric number. actions: likewise; at most as many
        as cells if nothing else is said. p_stop: when a pattern ends after an action, one over its mean length.
        objects: how many further objects, each with a pattern of its own.
    """

    cells: int | tuple[int, int] = (2, 9)
    actions: int | tuple[int, int | None] = (2, None)
    p_stop: float = 0.01
    objects: int = 0

    id: ClassVar[str] = "lambda-v0"
    measures: ClassVar[Mapping[str, Measure]] = {
        "zlib_space_pattern": Measure(
            "zlib_space_pattern",
            "length of space and pattern compressed together, times the length of the pattern (chapter 5)",
        ),
        "zlib_pattern": Measure(
            "zlib_pattern", "length of the compressed pattern (chapter 6)", "bytes"
        ),
        "lempel_ziv": Measure("lempel_ziv", "Lempel-Ziv 76 complexity of the pattern"),
    }
    graded_by: ClassVar[str] = "lempel_ziv"
    """The complexity that has environments at every whole number, for assessments that go up step by step."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def __post_init__(self) -> None:
        """Refuse what makes no world."""
        super().__post_init__()
        for name in ("cells", "actions"):
            if isinstance(value := getattr(self, name), list):
                self._set(name, tuple(value))
            if isinstance(getattr(self, name), tuple) and len(getattr(self, name)) != 2:
                raise MensuraError(
                    f"{name} is {value!r}; it is a number, or the least and the most."
                )
        if isinstance(self.p_stop, bool) or not isinstance(self.p_stop, int | float):
            raise MensuraError(f"p_stop is {self.p_stop!r}; it is a number.")
        if not 1e-4 <= self.p_stop <= 1:
            raise MensuraError(
                f"p_stop is {self.p_stop!r}; it is from 0.0001, for patterns of 10000 actions, to 1."
            )
        check_number("objects", self.objects, 0, MOST_OBJECTS)
        self._spaces([])  # whatever the generator refuses

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """The world under a named set of readings: "thesis" (the default) or "theory"."""
        if name not in cls.presets:
            raise MensuraError(
                f"{name!r} is no preset of Lambda; {neighbors(name, list(cls.presets))}"
            )
        return cls(**{**cls.presets[name], **parameters})

    @property
    def promises(self) -> frozenset[str]:
        """Bounded always; balanced where Good and Evil drop the same.

        Then a random subject's expectation is 0 in each interaction, as they start on random cells, behave alike and
        are told apart by nobody else: what happens is as likely as the same with both exchanged (proposition 3.6.3).
        """
        balanced = {"balanced"} if self.good_drops == self.evil_drops else set()
        return frozenset({"bounded"} | balanced)

    # Environments

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Description:
        """Draw an environment, a complexity of it within [low, high] where that is wanted."""
        if within is None:
            one = fold(key, 0)
            (space,) = self._spaces([one])
            return self._describe(one, space, self._moves(one, space, self._lengths))
        measure, low, high = within
        self._check_measure(measure)
        if not low <= high:
            raise MensuraError(f"The interval of {measure} from {low:g} to {high:g} is empty.")
        lengths = self._lengths_within(measure, low, high)
        tried, together, work = 0, 1, 0.0
        while lengths[-1] > 0 and tried < TRIES and work < _WORK:
            tries = [fold(key, tried + i) for i in range(together)]
            for one, space in zip(tries, self._spaces(tries), strict=True):
                moves = self._moves(one, space, lengths)
                if low <= _complexity(space, moves, measure) <= high:
                    return self._describe(one, space, moves)
                work += 1e5 + len(moves) * (len(moves) if measure == "lempel_ziv" else 150)
            tried += together
            together = min(2 * together, _TOGETHER)
        raise MensuraError(self._out_of_reach(measure, low, high, tried))

    def _spaces(self, tries: list[Key]) -> list[Space]:
        keys = [fold(one, _STREAM_SPACE) for one in tries]
        return draw_spaces(keys, cells=self.cells, actions=self.actions, topology=self.topology)

    def _moves(self, one: Key, space: Space, lengths: npt.NDArray[np.float64]) -> Numbers:
        return draw_moves(fold(one, _STREAM_PATTERN), space.actions, lengths)

    def _describe(self, one: Key, space: Space, moves: Numbers) -> Description:
        others = (
            draw_moves(fold(one, _STREAM_PATTERN + i), space.actions, self._lengths)
            for i in range(1, self.objects + 1)
        )
        return Description(
            space=space,
            good_and_evil=Pattern(tuple(moves.tolist())),
            objects=tuple(Pattern(tuple(other.tolist())) for other in others),
            **self.switches(),
        )

    @cached_property
    def _weights(self) -> npt.NDArray[np.float64]:
        """The probability of each length of a pattern, from 1 on."""
        if self.p_stop == 1:
            return np.ones(1)
        most = math.ceil(math.log(_RAREST) / math.log1p(-self.p_stop))
        going_on = np.full(min(most, LONGEST_PATTERN), 1 - self.p_stop)
        going_on[0] = self.p_stop
        return np.cumprod(going_on)

    @cached_property
    def _lengths(self) -> npt.NDArray[np.float64]:
        """The probability that a pattern has so many actions or fewer."""
        return np.cumsum(self._weights)

    def _lengths_within(self, measure: str, low: float, high: float) -> npt.NDArray[np.float64]:
        """The same for patterns of such a complexity, by bounds on what their lengths allow.

        A pattern of another length would be turned down anyway, so this changes no probabilities; it finds what is
        rare among all patterns in a few tries.
        """
        n = np.arange(1, len(self._weights) + 1)
        n_c = self.cells if isinstance(self.cells, int) else self.cells[1]
        most_actions = self.actions if isinstance(self.actions, int) else self.actions[1]
        n_a = max(most_actions or n_c, 2)
        factor = n if measure == "zlib_space_pattern" else np.ones_like(n)
        if measure == "lempel_ziv":
            least, most = np.minimum(n, 2), _most_components(n, n_a)
        else:
            least, most = np.full_like(n, zlib_length("0")), _most_bytes(n, n_a)
            if measure == "zlib_space_pattern":
                most += _most_bytes_of_space(n_c, n_a)
        first = np.maximum(np.ceil(low / factor), least)
        last = np.minimum(np.floor(high / factor), most)
        return np.cumsum(np.where(first <= last, self._weights, 0.0))

    def _out_of_reach(self, measure: str, low: float, high: float, tried: int) -> str:
        seen = [self.complexity(self.sample(key), measure) for key in range(100)]
        wanted = f"of {low:g}" if low == high else f"from {low:g} to {high:g}"
        found = f"was not found in {tried} tries" if tried else "is out of reach"
        return (
            f"A complexity {measure} {wanted} {found} with p_stop = {self.p_stop:g}; "
            f"{len(seen)} samples lie from {min(seen):g} to {max(seen):g}."
        )

    def _check_measure(self, measure: str) -> None:
        if measure not in self.measures:
            raise MensuraError(
                f"Lambda has no complexity {measure!r}; {neighbors(measure, list(self.measures))}"
            )

    def complexity(self, description: Description, measure: str = "zlib_space_pattern") -> float:
        """How complex an environment is; all measures so far are of the pattern of Good and Evil."""
        self._check_measure(measure)
        pattern = description.good_and_evil
        if not isinstance(pattern, Pattern):
            raise MensuraError(
                f"The complexity {measure} is that of a pattern, and Good and Evil follow none here."
            )
        return _complexity(description.space, np.array(pattern.moves, np.int64), measure)

    def describe_from_json(self, data: dict[str, Any]) -> Description:
        """The description that ``description.to_json()`` wrote."""
        return Description.from_json(data)

    def build(self, description: Description) -> LambdaEnvironment:
        """The environment of a description."""
        return LambdaEnvironment(description)

    # Subjects

    demo: ClassVar[tuple[str, ...]] = DEMO
    """The subjects that a demonstration shows."""

    @property
    def subject_names(self) -> Mapping[str, str]:
        """The built-in subjects with a line on each."""
        return {name: kind.summary for name, kind in KINDS.items()}

    def subject_parameters(self, name: str) -> Mapping[str, float]:
        """The parameters of a built-in subject with their defaults."""
        return KINDS[name].parameters

    def group(self, parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Group:
        """A built-in subject: one part for all seats, or several parts with so many members each."""
        members = [(member(name, parameters), count) for name, parameters, count in parts]
        seated = tuple(one for one, count in members for _ in range(count))
        return Group(seated, Switches(**self.switches()))

    def hosting(self, subject: Subject) -> Lambda:
        """This world with what the subject needs in it: the rights of oracles."""
        future, rewards_seen = set(self.future), set(self.rewards_seen)
        for part, first, count in stretches(subject, self.subjects):
            if isinstance(part, Group):
                future.update(first + seat for seat in part.future(count))
                rewards_seen.update(first + seat for seat in part.rewards_seen(count))
        return replace(self, future=tuple(sorted(future)), rewards_seen=tuple(sorted(rewards_seen)))

    # The second door

    def compiles(self, subject: Subject) -> bool:
        """Whether whole sittings of this subject can be played compiled."""
        return isinstance(subject, Group)

    def sample_many(
        self,
        keys: npt.NDArray[np.uint64],
        measure: str | None,
        low: npt.NDArray[np.float64],
        high: npt.NDArray[np.float64],
    ) -> Sampled:
        """Draw an environment for each key, a complexity of it within [low[i], high[i]]; the first where none is named.

        Environments without bounds are taken as they come, and one to which the measure does not apply has nan.
        """
        name = measure or next(iter(self.measures))
        drawn = []
        for key, least, most in zip(keys.tolist(), low.tolist(), high.tolist(), strict=True):
            free = math.isinf(least) and math.isinf(most)
            drawn.append(self.sample(key, None if free else (name, least, most)))
        return Sampled(
            packed(drawn), np.array([self._complexity_or_nan(one, name) for one in drawn])
        )

    def _complexity_or_nan(self, description: Description, measure: str) -> float:
        self._check_measure(measure)
        try:
            return float(self.complexity(description, measure))
        except MensuraError:
            return math.nan

    def rollout(
        self,
        subject: Group,
        sampled: Sampled,
        resets: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        training: int,
        keep_training: bool = False,
    ) -> npt.NDArray[np.float64]:
        """The sums of rewards of each sitting, its episodes and seats: (count, 1 or training + 1, seats).

        One sitting per environment, in one thread; the kernel lets other threads run. The assessed episode is the last.
        """
        host = self.hosting(subject)
        totals = np.zeros((len(sampled.rows), training + 1 if keep_training else 1, self.subjects))
        if len(totals):
            roll_out(host, subject, sampled.rows, (resets, seeds), training, totals)
        return totals

    def play_compiled(
        self, subject: Group, plan: Plan, seed: Key, player: Agents | None = None
    ) -> Episode:
        """An episode of a plan in virtual time, the same to the bit as the one loop plays it.

        ``player`` is the subject in its seats, who goes on with what it knows; else it sits down with no memory.
        """
        seated = subject.sit(self.subjects) if player is None else player
        description: Any = plan.description
        return play_plan(self.build(description), self.id, plan, seed, seated)

    # Pictures

    def view(self) -> ModuleType:
        """The module that draws environments of this world; its libraries are loaded when it draws."""
        from mensura.worlds.lambda_class import view

        return view

    def largest_spaces(self) -> tuple[Record, npt.NDArray[np.void], Discrete]:
        """What holds the observations and actions of all environments of this world, whatever their sizes.

        The observation space, an observation with what stands where an environment has less (-1 for the ways of
        actions that it does not have, 0 for the rewards of its missing cells), and the action space.
        """
        n_c = self.cells if isinstance(self.cells, int) else self.cells[1]
        n_a = self.actions if isinstance(self.actions, int) else self.actions[1]
        if n_a is None:
            n_a = max(n_c, self.actions[0])  # type: ignore[index]
        shown = dict(observation_space(self._smallest).fields)
        for name, box in shown.items():
            if name not in ("iteration", "rewards"):
                shown[name] = Box(0 if name == "cell" else -1, n_c - 1, box.shape)
        shown["ways"] = Box(0 if isinstance(self.actions, int) else -1, n_c - 1, (n_a,))
        if "rewards" in shown:
            shown["rewards"] = Box(-1, 1, (n_c,))
        space = Record(tuple(shown.items()))
        blank = np.zeros((), space.dtype)
        blank["ways"] = -1
        return space, blank, Discrete(n_a)

    @property
    def _smallest(self) -> Description:
        """An environment of two cells with the seats, objects and rights of this world."""
        return Description(
            space=ring(2, ways=1),
            good_and_evil=STILL,
            objects=(STILL,) * self.objects,
            **self.switches(),
        )


def draw_moves(key: Key, actions: int, lengths: npt.NDArray[np.float64]) -> Numbers:
    """The pattern of a key (4.4): even draws among the actions, how many by one draw.

    `lengths` says how likely it is to have so many or fewer, from 1 on; its last entry need not be 1.
    """
    share = unit(draw(key, 0, _SLOT_LENGTH)) * float(lengths[-1])
    n = min(1 + int(np.searchsorted(lengths, share, side="right")), len(lengths))
    return below_array(fold_array(fold(key, _STREAM_MOVES), numbers(0, n)), actions)


def _complexity(space: Space, moves: Numbers, measure: str) -> int:
    """A complexity of a space and a pattern, by its name."""
    if measure == "lempel_ziv":
        return lempel_ziv_76(moves)
    if space.actions <= 10:
        written = (moves + ord("0")).astype(np.uint8).tobytes().decode("ascii")
    else:
        written = "".join(map(str, moves.tolist()))
    if measure == "zlib_pattern":
        return zlib_length(written)
    return zlib_length(space.text("thesis") + written) * len(moves)


def _most_bytes(n: Numbers, symbols: int) -> Numbers:
    """More than zlib makes of n random symbols: half as much again as their entropy, and a table."""
    return (1.5 / 8 * math.log2(symbols) * n).astype(np.int64) + 60


def _most_bytes_of_space(n_c: int, n_a: int) -> int:
    """More than zlib makes of a random space: two bytes and a little for each arrow, and a table."""
    return int((2 + n_c / 50) * n_c * (n_a - 1)) + 20


def _most_components(n: Numbers, symbols: int) -> Numbers:
    """How many components the exhaustive history of n symbols can have.

    All but the last are different words, of which there are so many of each length.
    """
    rest, count = n.copy(), np.ones_like(n)
    for length in range(1, 64):
        words = np.minimum(rest // length, min(symbols**length, LONGEST_PATTERN))
        if not words.any():
            break
        count += words
        rest -= words * length
    return np.minimum(count, n)
