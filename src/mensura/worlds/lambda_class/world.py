"""The world Lambda: its parameters and presets, its generators and sieves, and sampling by complexity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import local
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.in_process import Agents
from mensura.agent.keys import DRAWN_ANEW, Key, fold
from mensura.agent.spaces import Box, Discrete, Record
from mensura.core.abilities.content import FIXED, GENERATED
from mensura.core.blocks import Layout
from mensura.core.contract import Episode, Measure, Plan
from mensura.core.doors import DIRECT, Through
from mensura.core.group import stretches
from mensura.core.players import Subject
from mensura.core.room import Room
from mensura.worlds.lambda_class import exploring
from mensura.worlds.lambda_class.agents import (
    DEMO,
    KINDS,
    LESS_ROOM,
    Group,
    Sizes,
    member,
    minds_size,
)
from mensura.worlds.lambda_class.behaviors import STILL, Markov, Pattern
from mensura.worlds.lambda_class.bulk import (
    Sampled,
    layout_of,
    packed,
    play_plan,
    roll_out,
    spaces_of_rows,
)
from mensura.worlds.lambda_class.description import MOST_OBJECTS, Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment, observation_space
from mensura.worlds.lambda_class.generator import SpaceDrawer
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.measures import MEASURES, complexity, may_fit
from mensura.worlds.lambda_class.sampling import (
    OF_PATTERN,
    Shares,
    draw_moves,
    fitting_lengths,
    length_weights,
    pattern_complexity,
)
from mensura.worlds.lambda_class.sieves import SIEVES, balanced, reward_sensitive
from mensura.worlds.lambda_class.space import Space, ring
from mensura.worlds.lambda_class.switches import PRESETS, Switches, check_number
from mensura.worlds.lambda_class.universal import draw_environment

if TYPE_CHECKING:
    from mensura.core.phenomena import Phenomenon
    from mensura.worlds.lambda_class.optimum import Optimum
    from mensura.worlds.lambda_class.view import LambdaView

Generator: TypeAlias = Literal["thesis", "universal"]
GENERATORS: tuple[Generator, ...] = ("thesis", "universal")

TRIES = 20_000
"""How many environments are drawn before a wanted complexity counts as out of reach."""

SIEVED = 200
"""How many environments in a row may fail the sieves before that counts as the world's fault."""

_WORK = 3e9
"""What the tries may cost at most, in rough nanoseconds: long patterns are long to read."""

# Streams under the key of a try: the space, the pattern of Good and Evil, then those of the objects; and the whole of
# an environment by the universal generator.
_STREAM_SPACE, _STREAM_PATTERN = range(2)


_LAST = local()
"""Of each thread, the environment that plans were played in last."""


@dataclass(frozen=True, kw_only=True)
class Lambda(Switches):
    """The class of Lambda environments with these parameters.

    Description:
        Subjects move on a graph of cells, look for Good and keep away from Evil, who leave rewards behind.
    """

    cells: int | tuple[int, int] = (2, 9)
    """How many, or the least and the most of a geometric number; drawn by the universal generator, of one by log*."""
    actions: int | tuple[int, int | None] = (2, None)
    """How many, or the least and the most; if nothing else is said, at most as many as cells."""
    p_stop: float = 0.01
    """The probability that a pattern ends after an action: one over its mean length."""
    objects: int = 0
    """How many further objects, each with a behavior of its own; to the universal generator, how many at most."""
    generator: Generator = "thesis"
    """"thesis" draws a space and a pattern for everybody (4.1.3); "universal" draws programs with the probability
    2^-length (3.6.6)."""
    sieves: tuple[str, ...] = SIEVES
    """What environments have to pass: "reward-sensitive" (3.2.1), "balanced" (3.3.4); none: they are not sieved."""
    sensitive_within: int = 20
    """The n of n-actions reward-sensitive."""
    sensitive_by: float = 0.0
    """By how much more than this the sums of rewards have to differ to be reward-sensitive."""
    space: str = ""
    """A space for all environments, in either of its texts; drawn if there is none."""
    pattern: str = ""
    """A pattern for Good and Evil, as "203210200", or with spaces between actions that have several digits; or the
    rules of a Markov program that they follow, one a line; drawn if there is none."""

    id: ClassVar[str] = "lambda-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    measures: ClassVar[Mapping[str, Measure]] = MEASURES
    graded_by: ClassVar[str] = "lempel_ziv"
    """The complexity that has environments at every whole number, for assessments that go up step by step."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    whole_numbers: ClassVar[frozenset[str]] = frozenset(
        {
            "cell",
            "iteration",
            "good",
            "evil",
            "next_good",
            "next_evil",
            "subjects",
            "objects",
            "ways",
        }
    )

    def __post_init__(self) -> None:
        """Raise if a parameter is out of range or parameters contradict each other."""
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
        self._check_sieves()
        if self.generator not in GENERATORS:
            raise MensuraError(
                f"generator is {self.generator!r}; {neighbors(str(self.generator), list(GENERATORS))}"
            )
        if self.generator == "universal" and (self.moves, self.least_moves) != ("fixed", 1):
            raise MensuraError(
                "The universal generator draws programs, whose whole output Good and Evil do, so moves is 'fixed' "
                "and least_moves 1."
            )
        self._check_given()

    @property
    def content(self) -> str:
        """Environments are drawn, unless both space and behavior are set, and nothing else is in them."""
        return FIXED if self.space and self.pattern and not self.objects else GENERATED

    def _check_given(self) -> None:
        """Refuse a space or a pattern that cannot be played, and whatever the generator refuses."""
        if self.generator == "universal" and (self.space or self.pattern):
            raise MensuraError(
                "The universal generator draws space and behavior, so neither space nor pattern can be given."
            )
        fewest = self._drawer.actions[0]
        if self._given_program is not None:
            return
        if self.pattern and int(self._given_moves.max()) >= fewest:
            raise MensuraError(
                f"The pattern has the action {self._given_moves.max()}, and spaces here may have only the actions 0 to "
                f"{fewest - 1}; give a space, or more actions."
            )

    def _check_sieves(self) -> None:
        sieves = (self.sieves,) if isinstance(self.sieves, str) else self.sieves
        if not isinstance(sieves, list | tuple):
            raise MensuraError(f"sieves is {sieves!r}; it is a list of {' and '.join(SIEVES)}.")
        for name in sieves:
            if name not in SIEVES:
                raise MensuraError(f"{name!r} is no sieve; {neighbors(str(name), list(SIEVES))}")
        self._set("sieves", tuple(name for name in SIEVES if name in sieves))
        check_number("sensitive_within", self.sensitive_within, 1, 1_000_000)
        threshold = self.sensitive_by
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or threshold < 0:
            raise MensuraError(f"sensitive_by is {threshold!r}; it is a number, 0 or more.")
        if "balanced" in self.sieves and self.good_drops != self.evil_drops:
            raise MensuraError(
                "Nothing passes the sieve balanced where good_drops and evil_drops differ; make them equal, or leave "
                "that sieve out."
            )

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
        """Draw environments, of a complexity within [low, high] where that is wanted, until one passes the sieves.

        A function of the world, the key and the interval alone: try after try, each under a key of its own.
        """
        measure, low, high = within if within is not None else ("", 0.0, 0.0)
        lengths = self._lengths
        if within is not None:
            self._check_measure(measure)
            if not low <= high:
                raise MensuraError(f"The interval of {measure} from {low:g} to {high:g} is empty.")
            lengths = self._lengths_within(measure, low, high)
        tried, sifted, cost = 0, 0, 0.0
        most = 1 if self.space and self.pattern and not self.objects else TRIES
        while lengths[-1] > 0 and tried < most and cost < _WORK and sifted < SIEVED:
            one = fold(key, tried)
            tried += 1
            found, size = self._try(one, lengths, measure, low, high)
            cost += self._cost(measure, size)
            if found is not None:
                if self.passes(found):
                    return found
                sifted += 1
        if sifted:
            raise MensuraError(self._sifted_out(sifted, tried))
        raise MensuraError(self._out_of_reach(measure, low, high, tried))

    def _cost(self, measure: str, size: int) -> float:
        """What a try takes, in rough nanoseconds."""
        if self.generator == "universal":
            return 3e7
        each = size if measure == "lempel_ziv" else 150
        return (1e5 if measure in OF_PATTERN else 3e5) + size * each

    def passes(self, description: Description) -> bool:
        """Whether an environment passes the sieves of this world."""
        return all(
            reward_sensitive(description, self.sensitive_within, self.sensitive_by)
            if name == "reward-sensitive"
            else balanced(description)
            for name in self.sieves
        )

    def _try(
        self, one: Key, lengths: Shares, measure: str, low: float, high: float
    ) -> tuple[Description | None, int]:
        """One try: an environment, or none where its complexity does not fit, and how long its pattern is."""
        if self.generator == "universal":
            drawn = draw_environment(one, self._drawer, self.objects, self.switches())
            fits = drawn is not None and (not measure or low <= complexity(drawn, measure) <= high)
            return drawn if fits else None, 0
        shifts = self._shifts(one)
        n_c, n_a = len(shifts), len(shifts[0])
        if self._given_program is not None:
            return self._programmed(one, shifts, measure, low, high), 0
        moves = self._given_moves
        if not self.pattern:
            moves = draw_moves(fold(one, _STREAM_PATTERN), n_a, lengths)
        if measure in OF_PATTERN and not low <= pattern_complexity(shifts, moves, measure) <= high:
            return None, len(moves)
        streams = range(_STREAM_PATTERN + 1, _STREAM_PATTERN + 1 + self.objects)
        patterns = [moves, *(draw_moves(fold(one, i), n_a, self._lengths) for i in streams)]
        in_bits = bool(measure) and measure not in OF_PATTERN
        sizes = [len(pattern) for pattern in patterns]
        if in_bits and not may_fit(self, (n_c, n_a), sizes, (measure, low, high)):
            return None, len(moves)
        behaviors = [Pattern(tuple(pattern.tolist())) for pattern in patterns]
        found = Description(
            space=Space(tuple(map(tuple, shifts))),
            good_and_evil=behaviors[0],
            objects=tuple(behaviors[1:]),
            **self.switches(),
        )
        fits = not in_bits or low <= complexity(found, measure) <= high
        return found if fits else None, len(moves)

    def _programmed(
        self, one: Key, shifts: Sequence[Sequence[int]], measure: str, low: float, high: float
    ) -> Description | None:
        """The environment of a try in which Good and Evil follow the program that was given."""
        assert self._given_program is not None
        streams = range(_STREAM_PATTERN + 1, _STREAM_PATTERN + 1 + self.objects)
        patterns = [draw_moves(fold(one, i), len(shifts[0]), self._lengths) for i in streams]
        found = Description(
            space=Space(tuple(map(tuple, shifts))),
            good_and_evil=Markov(self._given_program),
            objects=tuple(Pattern(tuple(pattern.tolist())) for pattern in patterns),
            **self.switches(),
        )
        return found if not measure or low <= complexity(found, measure) <= high else None

    def _shifts(self, one: Key) -> Sequence[Sequence[int]]:
        """The space of a try: the one that was given, or one that is drawn."""
        if self._given_space is not None:
            return self._given_space.shifts
        return self._drawer.rows(fold(one, _STREAM_SPACE))

    @cached_property
    def _given_space(self) -> Space | None:
        return Space.parse(self.space, topology=self.topology) if self.space else None

    @cached_property
    def _given_program(self) -> Program | None:
        return Program.parse(self.pattern) if "->" in self.pattern else None

    @cached_property
    def _given_moves(self) -> npt.NDArray[np.int64]:
        """The actions of the pattern that was given; none where it is drawn."""
        words = self.pattern.split() if " " in self.pattern.strip() else list(self.pattern.strip())
        if not all(word.isdecimal() for word in words):
            raise MensuraError(
                f"pattern is {self.pattern!r}; it is actions in a row, as 203210200, or with spaces between them, "
                "or the rules of a Markov program."
            )
        return np.array([int(word) for word in words], np.int64)

    @cached_property
    def _drawer(self) -> SpaceDrawer:
        if self._given_space is not None:
            cells, actions = self._given_space.cells, self._given_space.actions
            return SpaceDrawer(cells, actions, self.topology)
        return SpaceDrawer(self.cells, self.actions, self.topology)

    @cached_property
    def _lengths(self) -> Shares:
        """The probability that a pattern has so many actions or fewer."""
        return np.cumsum(length_weights(self.p_stop))

    def _lengths_within(self, measure: str, low: float, high: float) -> Shares:
        """The same for patterns that may have such a complexity."""
        if self.generator == "universal" or self.pattern:
            return self._lengths
        drawer = self._drawer
        return fitting_lengths(
            self.p_stop, measure, low, high, drawer.cells, drawer.actions, self.objects
        )

    def _sifted_out(self, sifted: int, tried: int) -> str:
        wanted = ", ".join(self.sieves)
        return (
            f"Of {tried} environments drawn {sifted} had the wanted complexity, and none passed the sieves ({wanted}) "
            f"with sensitive_within = {self.sensitive_within} and sensitive_by = {self.sensitive_by:g}; more actions "
            "within, a lower threshold or fewer sieves may do."
        )

    def _out_of_reach(self, measure: str, low: float, high: float, tried: int) -> str:
        seen = [self.complexity(self.sample(key), measure) for key in range(100)]
        wanted = f"of {low:g}" if low == high else f"from {low:g} to {high:g}"
        found = f"was not found in {tried} tries" if tried else "is out of reach"
        how = f"p_stop = {self.p_stop:g}"
        if self.generator == "universal":
            how = "the universal generator"
        return (
            f"A complexity {measure} {wanted} {found} with {how}; "
            f"{len(seen)} samples lie from {min(seen):g} to {max(seen):g}."
        )

    def _check_measure(self, measure: str) -> None:
        if measure not in self.measures:
            raise MensuraError(
                f"Lambda has no complexity {measure!r}; {neighbors(measure, list(self.measures))}"
            )

    def complexity(self, description: Description, measure: str = "zlib_space_pattern") -> float:
        """How complex an environment is."""
        self._check_measure(measure)
        return complexity(description, measure)

    def check_explorable(self, description: Description | None = None) -> None:
        """Raise if a page could not show the world, or an environment of it."""
        if description is None:
            exploring.check_sizes(self.cells, self.actions, self.objects, self.sensitive_within)
            exploring.check_switches(self)
        else:
            exploring.check_description(description)

    def slow_measures(self, description: Description) -> frozenset[str]:
        """The complexities of an environment that take long."""
        return exploring.slow_measures(description)

    right_parameters: ClassVar[tuple[str, ...]] = ("future", "rewards_seen")

    def describe_from_json(self, data: dict[str, Any]) -> Description:
        """The description that ``description.to_json()`` wrote, with the rights that seats have in this world."""
        written = Description.from_json(data)
        return replace(
            written,
            future=tuple(sorted({*written.future, *self.future})),
            rewards_seen=tuple(sorted({*written.rewards_seen, *self.rewards_seen})),
        )

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

    def room(self, subject: Subject, description: Description, interactions: int) -> Room:
        """What a sitting takes: the row of its environment, and the minds of built-in members."""
        head = description._head
        numbers = kernel.row_size(head)
        shown = head[kernel.CELLS] if description.rewards_seen else 0
        sizes = Sizes(
            cells=head[kernel.CELLS],
            actions=head[kernel.ACTIONS],
            subjects=self.subjects,
            objects=head[kernel.OBJECTS],
            shown=shown,
            interactions=interactions,
        )
        for part, _, count in stretches(subject, self.subjects):
            if isinstance(part, Group):
                numbers += minds_size(part.seated(count), part.switches, [sizes])
        return Room(8 * numbers, LESS_ROOM)

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

    def spaces_of(
        self, sampled: Sampled
    ) -> tuple[list[tuple[Record, Discrete]], npt.NDArray[np.int64]]:
        """What is observed and done in environments that were drawn, by kind, and of which kind each is."""
        return spaces_of_rows(sampled.rows, bool(self.rewards_seen))

    def block(self) -> Layout:
        """How environments of this world lie in a block of memory, to be stepped all at once."""
        return layout_of(self, lambda *given: self.sample_many(*given).rows)

    def rollout(
        self,
        subject: Group,
        sampled: Sampled,
        resets: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        training: int,
        keep_training: bool = False,
        through: Through = DIRECT,
    ) -> npt.NDArray[np.float64]:
        """The sums of rewards of each sitting, its episodes and seats: (count, 1 or training + 1, seats).

        One sitting per environment, in one thread; the kernel lets other threads run. The assessed episode is the last.
        """
        host = self.hosting(subject)
        totals = np.zeros((len(sampled.rows), training + 1 if keep_training else 1, self.subjects))
        if len(totals):
            roll_out(host, subject, sampled.rows, (resets, seeds), training, totals, through)
        return totals

    def play_compiled(
        self,
        subject: Group,
        plan: Plan,
        seed: Key,
        player: Agents | None = None,
        through: Through = DIRECT,
    ) -> Episode:
        """An episode of a plan in virtual time, the same to the bit as the one loop plays it.

        ``player`` is the subject in its seats, who goes on with what it knows; else it sits down with no memory.
        """
        seated = subject.sit(self.subjects) if player is None else player
        environment = self._at_hand(plan.description)
        return play_plan(environment, self.id, plan, seed, seated, through)

    def _at_hand(self, description: Any) -> LambdaEnvironment:
        """The environment that this thread played in last, if it is the same one: to build it takes longer than to
        play in it, and whoever trains comes back to it thousands of times."""
        found: LambdaEnvironment | None = getattr(_LAST, "environment", None)
        if found is None or found.description is not description:
            found = _LAST.environment = self.build(description)
        return found

    def optimum(self, description: Description) -> Optimum | None:
        """What is best in an environment, exactly; None where that cannot be computed."""
        from mensura.worlds.lambda_class.optimum import optimum_of

        return optimum_of(description)

    def phenomena(self, description: Description | None = None) -> tuple[Phenomenon, ...]:
        """Good, Evil, objects and rewards, as one subject alone meets them."""
        from mensura.worlds.lambda_class.phenomena import phenomena_of

        found = self.sample(0) if description is None else description
        return phenomena_of(found)

    # Pictures

    def view(self) -> LambdaView:
        """How an episode of this world is shown."""
        from mensura.worlds.lambda_class.view import LambdaView

        return LambdaView(self)

    def words(self) -> ModuleType:
        """The module that tells subjects who read what they observe."""
        from mensura.worlds.lambda_class import sentences as words

        return words

    def largest_spaces(self) -> tuple[Record, npt.NDArray[np.void], Discrete]:
        """What holds the observations and actions of all environments of this world, whatever their sizes.

        The observation space, an observation with what stands where an environment has less (-1 for the ways of
        actions that it does not have, 0 for the rewards of its missing cells), and the action space.
        """
        (_, n_c), (fewest, n_a) = self._drawer.cells, self._drawer.actions
        shown = dict(observation_space(self._smallest).boxes)
        for name, box in shown.items():
            if name not in ("iteration", "rewards"):
                shown[name] = Box(0 if name == "cell" else -1, n_c - 1, box.shape)
        shown["ways"] = Box(0 if fewest == n_a else -1, n_c - 1, (n_a,))
        if "rewards" in shown:
            shown["rewards"] = Box(-1, 1, (n_c,))
        space = Record(tuple(shown.items()))
        blank = np.zeros((), space.dtype)
        blank["ways"] = -1
        if "objects" in shown:
            blank["objects"] = -1
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
