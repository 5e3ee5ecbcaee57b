"""What worlds may have: parameters, seats, subjects, complexities, files, other doors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, Self, cast, runtime_checkable

from mensura.agent.errors import MALFORMED, MensuraError, neighbors
from mensura.core.abilities.kinds import KINDS

if TYPE_CHECKING:  # commands that compute nothing are to answer at once
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from mensura.agent.keys import Key
    from mensura.agent.spaces import Space
    from mensura.core.contract import Description, Episode, Plan, World
    from mensura.core.importing import Imported
    from mensura.core.phenomena import Phenomenon
    from mensura.core.room import Room
    from mensura.core.task_files import TaskFiles


# Worlds: their parameters ---------------------------------------------------------


class Configured(Protocol):
    """A world with parameters: a frozen dataclass whose fields they are."""

    presets: Mapping[str, Mapping[str, Any]]
    """Named sets of parameters; the first is the usual one."""

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """The world under a preset, with further parameters."""

    @classmethod
    def embed_files(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with the contents of files in place of their names, so that a run stays what it was."""

    idle: Sequence[str]
    """The parameters that say nothing as the others are set."""


def parameters(kind: Any) -> dict[str, Field[Any]]:
    """The parameters of a world or an assessment, or of a class of them, by name: those that it can be made with."""
    return {one.name: one for one in fields(kind) if one.init} if is_dataclass(kind) else {}


def default_of(field: Field[Any]) -> Any:
    """What a parameter is if nobody sets it; None where it has to be set."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def values(thing: Any) -> dict[str, Any]:
    """The parameters of a world or an assessment with what they are set to."""
    return {name: getattr(thing, name) for name in parameters(thing)}


def presets(kind: Any) -> Mapping[str, Mapping[str, Any]]:
    """The named sets of parameters of a class of worlds, the usual one first; none where it has none."""
    found: Mapping[str, Mapping[str, Any]] = getattr(kind, "presets", {})
    return found


def check_is_world(thing: Any, name: str) -> None:
    """Raise if something lacks what every world has."""
    lacking = [one for one in REQUIRED if not hasattr(thing, one)]
    if lacking:
        raise MensuraError(
            f"{name} is no world: it has no {', '.join(lacking)} (mensura.core.contract.World)."
        )
    check_shadows_nothing(thing)


def check_shadows_nothing(kind: Any, members: Collection[str] = ()) -> None:
    """Raise if a parameter of a world has the name of a member: it would be taken for what the world says of itself.

    ``members`` are further names that are not to be had, beside those of the contract.
    """
    title = getattr(kind, "__name__", type(kind).__name__)
    for name in parameters(kind):
        if name in MEMBERS or name in members:
            raise MensuraError(
                f"{title} has a parameter {name!r}, which is the name of a member of worlds; choose another, "
                f"as {name}_."
            )


def make(kind: Any, preset: str | None = None, **given: Any) -> World:
    """A world of a class: under a preset, or the usual one, and with these parameters."""
    check_shadows_nothing(kind)
    known = presets(kind)
    if preset is None:
        preset = next(iter(known), None)
    elif preset not in known:
        what = neighbors(preset, list(known)) if known else "it has none."
        raise MensuraError(f"The world {_name(kind)} has no preset {preset!r}; {what}")
    for name in given:
        if name not in parameters(kind):
            what = neighbors(name, list(parameters(kind))) if parameters(kind) else "it has none."
            raise MensuraError(f"The world {_name(kind)} has no parameter {name!r}; {what}")
    try:
        made: World = kind(**given) if preset is None else kind.preset(preset, **given)
    except MensuraError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise MensuraError(
            f"The world {_name(kind)} cannot be made: {type(error).__name__}: {text}"
        ) from error
    check_is_world(made, _name(kind))
    return made


REQUIRED = ("id", "measures", "promises", "sample", "build", "complexity")
"""What every world has."""

MEMBERS = frozenset({*REQUIRED, *KINDS}) - {"horizon", "subjects"}
"""The names that no parameter may have. How long episodes are and how many seats there are may be parameters."""


def _name(kind: Any) -> str:
    return str(getattr(kind, "id", kind))


def file_embedder(kind: Any) -> Callable[[Mapping[str, Any]], dict[str, Any]] | None:
    """What puts the contents of files into the parameters of a world; None where none of them names a file."""
    return cast(
        "Callable[[Mapping[str, Any]], dict[str, Any]] | None", getattr(kind, "embed_files", None)
    )


def idle_parameters(world: World) -> tuple[str, ...]:
    """The parameters that say nothing as the others are set; none, where the world does not tell."""
    return tuple(getattr(world, "idle", ()))


# Worlds: their seats --------------------------------------------------------------


class Hosting(Protocol):
    """A world that says who finds room in it."""

    subjects: int
    """The seats of its environments."""
    horizon: int | None
    """The interactions of an episode in them."""
    episode_length: int | None
    """The same, where ``horizon`` is a parameter that does not say it alone."""

    def hosting(self, subject: Any) -> World:
        """The world with what a subject needs in it, as the rights of its seats."""


def seats(world: World) -> int:
    """How many seats the environments of a world have: as it says, or as one that is drawn has."""
    told: int | None = getattr(world, "subjects", None)
    if told is not None:
        return int(told)
    return _seen_seats(world) if isinstance(world, Hashable) else _seen_seats.__wrapped__(world)


@lru_cache(maxsize=64)
def _seen_seats(world: World) -> int:
    return len(world.build(world.sample(0)).seats)


def seats_of(world: World, description: Description) -> int:
    """How many seats a described environment has."""
    told: int | None = getattr(description, "subjects", None)
    if told is not None:
        return int(told)
    return seats(world) if hasattr(world, "subjects") else len(world.build(description).seats)


def horizon(world: World) -> int | None:
    """How many interactions an episode has in the environments of a world; None where it is not known beforehand."""
    told: int | None = getattr(world, "episode_length", getattr(world, "horizon", None))
    return told


def horizon_of(description: Description) -> int | None:
    """How many interactions an episode has in a described environment, where the description says so."""
    told: int | None = getattr(description, "horizon", None)
    return told


def hosting(world: World, subject: Any) -> World:
    """The world with what a subject needs in it; the world itself where it gives nobody anything."""
    told: Callable[[Any], World] | None = getattr(world, "hosting", None)
    return world if told is None else told(subject)


class Patient(Protocol):
    """A world in which waiting is part of acting."""

    holds: bool
    """Whether an action may be held for several interactions on end; one that is legal has to stay so meanwhile."""


def allows_holding(world: World) -> bool:
    """Whether an action may be held for several interactions on end; not where a world says nothing."""
    return bool(getattr(world, "holds", False))


class Symbolic(Protocol):
    """A world in which numbers are names."""

    whole_numbers: frozenset[str]
    """The fields of observations whose numbers are whole, each the name of something: a cell, a symbol."""


def whole_numbers(world: World) -> frozenset[str]:
    """The fields of observations whose numbers are names; none where a world does not tell."""
    return frozenset(getattr(world, "whole_numbers", ()))


class Perturbing(Protocol):
    """A world in which operators act on what is seen, done and told, each by its strength."""

    operators: Mapping[str, str]
    """Of the class: what each operator does, by name; its strength is the parameter of that name, with underscores."""

    def in_training(self, description: Any, number: int) -> Description:
        """What is played in the place of an environment in its training episode of that number, from 0."""


def operators(kind: Any) -> Mapping[str, str]:
    """What the operators of a class of worlds do, by name; none where it has none."""
    found: Mapping[str, str] = getattr(kind, "operators", {})
    return found


def in_training(world: World, description: Any, number: int) -> Any:
    """What is played in a training episode in an environment; mostly the environment itself."""
    told: Callable[[Any, int], Description] | None = getattr(world, "in_training", None)
    return description if told is None else told(description, number)


class Paired(Protocol):
    """A world that has environments in pairs: a small change, as of one word, and another answer is right."""

    def pair_count(self) -> int:
        """How many pairs there are."""

    def pair(self, number: int) -> Mapping[str, Description]:
        """The environments of a pair by name: the two *halves* first, then others like them, as *switched* ones."""

    def pair_words(self, description: Any) -> tuple[str, str, str]:
        """An environment of a pair in words: what is asked, the right answer, and the wrong one."""


def pair_count(world: World) -> int:
    """How many pairs of environments a world has; none where it does not tell."""
    told: Callable[[], int] | None = getattr(world, "pair_count", None)
    return 0 if told is None else told()


def pair(world: World, number: int) -> Mapping[str, Description]:
    """The environments of a pair of a world that has some."""
    found: Mapping[str, Description] = cast(Any, world).pair(number)
    return found


def pair_words(world: World, description: Any) -> tuple[str, str, str] | None:
    """An environment of a pair in words; None where the world has none."""
    told: Callable[[Any], tuple[str, str, str]] | None = getattr(world, "pair_words", None)
    return None if told is None else told(description)


class Prompting(Protocol):
    """A world with system prompts of its own for language models."""

    own_prompts: Mapping[str, Path]
    """Their files, by the name that ``prompt=NAME`` of an address has."""


def prompts_of(world: World) -> Mapping[str, Path]:
    """The system prompts of a world, by name; none where a world does not tell."""
    return dict(getattr(world, "own_prompts", None) or {})


class Conversing(Protocol):
    """A world whose episodes are conversations with a verdict."""

    def conversation(self, environment: Any) -> Any:
        """An episode that is over, as :class:`mensura.records.conversation.Game`."""

    def talk(self, environment: Any, seat: int) -> Mapping[str, Any]:
        """What the page of a seat shows of an episode under way: its ``role``, its ``phase``, which is ``over`` at the
        end, ``messages``, what it may do, and when it ``closes``."""

    def problem(self, state: Any, place: int, action: Any) -> str:
        """Why a seat may not do this now, in a sentence; nothing where it may."""


def conversation(world: World, environment: Any) -> Any:
    """An episode that is over as a conversation; None where it is none, or has no verdict."""
    told: Callable[[Any], Any] | None = getattr(world, "conversation", None)
    return None if told is None else told(environment)


def can_talk(world: World) -> bool:
    """Whether people can talk with each other in a world, on pages of its own."""
    return callable(getattr(world, "talk", None))


def talk_of(world: World, environment: Any, seat: int) -> dict[str, Any]:
    """What the page of a seat shows of a conversation, in a world that has them."""
    return dict(cast(Any, world).talk(environment, seat))


def talk_problem(world: World, environment: Any, seat: int, action: Any) -> str:
    """Why a seat may not do this now, in a sentence; nothing where it may, or the world does not say."""
    told: Callable[[Any, int, Any], str] | None = getattr(world, "problem", None)
    return "" if told is None else told(environment.state, seat, action)


class Explained(Protocol):
    """A world that tells what is to be understood of its environments."""

    def phenomena(self, description: Any = None) -> Sequence[Phenomenon]:
        """The phenomena of an environment, or of one that is drawn; see :mod:`mensura.core.phenomena`."""


def phenomena(world: World, description: Any = None) -> tuple[Phenomenon, ...]:
    """The phenomena of an environment of a world, or of one that is drawn; none where it tells none."""
    told: Callable[[Any], Sequence[Phenomenon]] | None = getattr(world, "phenomena", None)
    return () if told is None else tuple(told(description))


class Optimum(Protocol):
    """What is best in one environment: exactly, or a schedule that is known to be good.

    An attribute ``kind`` that is "schedule" says that :meth:`regrets` gives distances to a schedule, in [0, 1].
    """

    def moment(self, environment: Any) -> Any:
        """The state of an environment, when an action is to be taken."""

    def regrets(self, moments: Sequence[Any], actions: Sequence[Any]) -> npt.NDArray[np.float64]:
        """V*(s) - Q*(s, a): what each action of an episode costs, from its first one on; or its distance."""


class Optimal(Protocol):
    """A world that can say what is best in its environments."""

    def optimum(self, description: Any) -> Optimum | None:
        """Of one environment; None where that cannot be computed."""


def optimum(world: World, description: Description) -> Optimum | None:
    """What is best in an environment; None where the world does not tell."""
    told: Callable[[Any], Optimum | None] | None = getattr(world, "optimum", None)
    return None if told is None else told(description)


# Worlds: their own subjects -------------------------------------------------------


class Inhabited(Protocol):
    """A world with subjects of its own."""

    subject_names: Mapping[str, str]
    """Their names, with a line on each."""

    def subject_parameters(self, name: str) -> Mapping[str, float]:
        """The parameters of one of them with their defaults."""

    def group(self, parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Any:
        """A subject of so many members each, by name and parameters; one member stands for all seats."""

    demo: Sequence[str]
    """Those that a demonstration shows."""


def subject_names(world: World) -> Mapping[str, str]:
    """The subjects that a world has of its own, with a line on each."""
    told: Mapping[str, str] = getattr(world, "subject_names", {})
    return told


def subject_parameters(world: World, name: str) -> Mapping[str, float]:
    """The parameters of one of a world's own subjects with their defaults."""
    told: Callable[[str], Mapping[str, float]] | None = getattr(world, "subject_parameters", None)
    return {} if told is None else told(name)


def group(world: World, parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Any:
    """A subject of a world's own members."""
    return cast(Any, world).group(parts)


def demo(world: World) -> tuple[str, ...]:
    """The subjects that a demonstration of a world shows: those that it names, else all of its own."""
    return tuple(getattr(world, "demo", subject_names(world)))


# Worlds: their complexities -------------------------------------------------------


class Graded(Protocol):
    """A world that says more about the complexities of its environments."""

    graded_by: str
    """The measure by which assessments go that follow complexity step by step."""

    def complexity_bounds(self, measure: str) -> tuple[float, float] | None:
        """The complexities between which it has environments; None where it does not know."""

    complexity_range: tuple[int, int] | None
    """Those over which a battery is spread by default; None takes environments as they come."""

    references: Sequence[str]
    """Those of its own subjects by whom the difficulty of environments is told; all if it does not say."""

    def kind_of(self, description: Description) -> str:
        """Of which kind an environment is, where equally complex ones of several kinds differ in difficulty."""

    def easier(self, description: Description, share: float) -> Description:
        """A copy of an environment that is easier: 1 is the environment itself."""

    usual_assessment: str
    """How subjects are assessed if nobody says how."""


def graded_by(world: World) -> str | None:
    """The measure by which a world grades its environments; None where it names none."""
    told: str | None = getattr(world, "graded_by", None)
    return told


def complexity_bounds(world: World, measure: str) -> tuple[float, float] | None:
    """The complexities between which a world has environments; None where it does not tell."""
    told: Callable[[str], tuple[float, float] | None] | None = getattr(
        world, "complexity_bounds", None
    )
    return None if told is None else told(measure)


def complexity_range(world: World) -> tuple[int, int] | None:
    """The complexities over which a battery is spread by default; None takes environments as they come."""
    told: tuple[int, int] | None = getattr(world, "complexity_range", None)
    return told


def references(world: World) -> tuple[str, ...]:
    """The subjects of a world's own by whom the difficulty of its environments is told."""
    return tuple(getattr(world, "references", subject_names(world)))


def kind_of(world: World, description: Description) -> str:
    """Of which kind an environment is; nothing where a world has one kind alone."""
    told: Callable[[Description], str] | None = getattr(world, "kind_of", None)
    return "" if told is None else told(description)


def easier(world: World) -> Callable[[Description, float], Description] | None:
    """What makes easier copies of a world's environments; None where there are none."""
    return cast(
        "Callable[[Description, float], Description] | None", getattr(world, "easier", None)
    )


def usual_assessment(world: World) -> str:
    """How subjects are assessed in a world if nobody says how: by the anytime test, which needs a complexity."""
    return str(getattr(world, "usual_assessment", "anytime" if world.measures else "battery"))


# Worlds: files, pictures and words ------------------------------------------------


class Readable(Protocol):
    """A world whose environments can be read from files."""

    def describe_from_json(self, data: dict[str, Any]) -> Description:
        """The description that ``description.to_json()`` wrote, with the rights that seats have in this world."""


class Filed(Protocol):
    """A world whose environments come from task files. Its class is asked, so that no world has to be made."""

    @classmethod
    def task_files(cls) -> TaskFiles:
        """The samples that it has, how files are checked, and what makes new ones."""

    task_parameter: str
    """The parameter that takes the name of a task, or a file."""


class Shown(Protocol):
    """A world that says how it is shown."""

    def view(self) -> Any:
        """Its pictures, texts and tables (:mod:`mensura.pictures.view`)."""

    def words(self) -> Any:
        """Its observations in words (:class:`mensura.core.observation_words.Words`)."""

    def questions(self) -> Any:
        """Its environments as questions with one answer (:class:`mensura.pictures.questions.Questions`)."""

    def episode_page(self, subject: Any) -> Any:
        """An observer of the loop whose ``page()`` is an episode as HTML.

        Its ``subject`` is to be played, or what ``watching(player)`` makes of a player.
        """


class Choosy(Protocol):
    """A world that throws environments away until it has drawn one to keep."""

    def thrown_away(
        self, key: Key, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, int]:
        """How many were thrown away, by reason, before the one that ``sample`` gives for the same key."""


def thrown_away(
    world: World, key: Key, within: tuple[str, float, float] | None = None
) -> Mapping[str, int]:
    """How many environments a world throws away before the one that it samples, by reason; none if it is not known."""
    told: Callable[..., Mapping[str, int]] | None = getattr(world, "thrown_away", None)
    return {} if told is None else told(key, within)


def is_readable(world: World) -> bool:
    """Whether environments of a world can be read from files."""
    return hasattr(world, "describe_from_json")


def describe_from_json(world: World, data: Any) -> Description:
    """The description of an environment from plain data, as a file holds it."""
    if not is_readable(world):
        raise MensuraError(f"The world {world.id} cannot read environments from files.")
    if not isinstance(data, dict):
        raise MensuraError(
            "That is no description of an environment; it would be an object with named fields."
        )
    try:
        described: Description = cast(Any, world).describe_from_json(data)
    except MALFORMED as error:
        raise MensuraError(
            f"That is no description of an environment of {world.id}: {type(error).__name__}: {error}."
        ) from error
    return described


def task_files(kind: Any) -> TaskFiles | None:
    """The task files of a class of worlds; None where environments come from no files."""
    told: Callable[[], TaskFiles] | None = getattr(kind, "task_files", None)
    return None if told is None else told()


def task_parameter(kind: Any) -> str | None:
    """The parameter of a class of worlds that says which task it is, usually ``task``; None where it has none."""
    told = str(getattr(kind, "task_parameter", "task"))
    return told if told in parameters(kind) else None


def own_view(world: World) -> Any:
    """What a world says about how it is shown; None where it says nothing."""
    told: Callable[[], Any] | None = getattr(world, "view", None)
    return None if told is None else told()


def own_words(world: World) -> Any:
    """A world's own words for what subjects observe; None where it has none."""
    told: Callable[[], Any] | None = getattr(world, "words", None)
    return None if told is None else told()


def own_questions(world: World) -> Any:
    """A world's environments as questions; None where they are none."""
    told: Callable[[], Any] | None = getattr(world, "questions", None)
    return None if told is None else told()


def episode_page(world: World, subject: Any) -> Any:
    """Who makes a page of an episode of a world, to be stepped through; None where the world has no such page."""
    told: Callable[[Any], Any] | None = getattr(world, "episode_page", None)
    return None if told is None else told(subject)


# Worlds: other doors --------------------------------------------------------------


@runtime_checkable
class Bulk(Protocol):
    """A world with a second door: it plays whole sittings of its own subjects in bulk."""

    def sample_many(
        self,
        keys: npt.NDArray[np.uint64],
        measure: str,
        low: npt.NDArray[np.float64],
        high: npt.NDArray[np.float64],
    ) -> Any:
        """Environments for these keys, a complexity within [low, high]; has ``rows`` and ``complexity``."""

    def compiles(self, subject: Any) -> bool:
        """Whether this subject can go through the second door."""

    def rollout(
        self,
        subject: Any,
        patterns: Any,
        resets: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        training: int,
        keep_training: bool = False,
    ) -> npt.NDArray[np.float64]:
        """The sums of rewards of each sitting's episodes and seats: (count, 1 or training + 1, seats).

        Where the world has ``tallies``, those stand behind the seats.
        """


class Tallied(Protocol):
    """A world whose second door tells more of an episode than its rewards."""

    tallies: Sequence[str]
    """What it tells, by name."""


@runtime_checkable
class Planned(Protocol):
    """A world with a second door for single plans in virtual time, for assessments that decide as they go."""

    def compiles(self, subject: Any) -> bool:
        """Whether this subject can go through the second door."""

    def play_compiled(
        self, subject: Any, plan: Plan, seed: Key, player: Any | None = None
    ) -> Episode | None:
        """What the one loop would make of a plan, to the bit; ``player`` is the subject in its seats, as it is now.

        None where the plan is left to the loop."""


class Paced(Protocol):
    """A world that knows how quick subjects are by its second door, where that is not as usual."""

    def pace(self, subject: Any) -> float:
        """Actions a second and core, roughly."""


@runtime_checkable
class Stratified(Protocol):
    """A world whose environments fall into strata and have opposites, for tests by stratum and in pairs."""

    def stratum(self, description: Any) -> int:
        """The stratum of an environment, from 1 on."""

    def upright(self, description: Any) -> Any:
        """Of an environment and its opposite the one that counts as the first."""

    def opposite(self, description: Any) -> Any:
        """The same environment with all rewards negated."""

    def void(self, episode: Episode) -> bool:
        """Whether an episode did not go by the rules and is to be replaced."""


class Published(Protocol):
    """A world that a publication reports experiments of."""

    published_spread: float
    """The standard deviation between identical experiments of 1,000 episodes that was reported."""


class Versioned(Protocol):
    """A world whose rules have changed since its first version."""

    changes: Mapping[int, str]
    """What changed in each later version, by its number: a clause, as "Evil moves first; all else is as before"."""
    drawn_as: str
    """The id that goes into the keys of environments: an older one, so that what did not change is drawn as before."""


@runtime_checkable
class InBlocks(Protocol):
    """A world whose environments can be stepped by the thousand, with one compiled call."""

    def block(self) -> Any:
        """How they lie in a block of memory: a :class:`mensura.core.blocks.Layout`; None where these cannot."""


class Fronted(Protocol):
    """A world that knows what its tasks cost at best."""

    def frontier(self) -> Any:
        """The least energy for each time (and the other way round), or None where that cannot be told."""


class Sized(Protocol):
    """A world whose environments differ in size."""

    def largest_spaces(self) -> tuple[Space, Any, Space]:
        """The observation space that has room for all, a blank observation of it, and the action space likewise."""

    def room(self, subject: Any, description: Description, interactions: int) -> Room:
        """The memory that a sitting takes, and what would take less."""


class Importing(Protocol):
    """A world that reads checkpoints of others."""

    def checkpoints_from(self, path: Path) -> Imported:
        """The checkpoints of a file."""


def checkpoints_from(world: World, path: Path) -> Imported | None:
    """The checkpoints of a file of others; None where the world reads none."""
    told: Callable[[Path], Imported] | None = getattr(world, "checkpoints_from", None)
    return None if told is None else told(path)


def pace(world: World, subject: Any) -> float | None:
    """Actions a second and core of a subject by the second door, roughly; None where the world does not say."""
    told: Callable[[Any], float] | None = getattr(world, "pace", None)
    return None if told is None else told(subject)


def tallies(world: World) -> tuple[str, ...]:
    """What the second door tells of an episode beside its rewards, by name."""
    return tuple(getattr(world, "tallies", ()))


def largest_spaces(world: World) -> tuple[Space, Any, Space] | None:
    """The spaces that have room for all environments, and a blank observation; None where all have the same."""
    told: Callable[[], tuple[Space, Any, Space]] | None = getattr(world, "largest_spaces", None)
    return None if told is None else told()


def published_spread(kind: Any) -> float | None:
    """The spread between identical experiments that was reported of a class of worlds; None if none was."""
    told: float | None = getattr(kind, "published_spread", None)
    return told


def changes(kind: Any) -> Mapping[int, str]:
    """What changed in each later version of a class of worlds, by its number; nothing where it does not tell."""
    told: Mapping[int, str] = getattr(kind, "changes", {})
    return told


def drawn_as(world: World) -> str:
    """The id that goes into the keys of a world's environments: its own, unless it tells an older one."""
    return str(getattr(world, "drawn_as", world.id))


def frontier(world: World) -> Any:
    """What tasks of a world cost at best; None where it does not know."""
    told: Callable[[], Any] | None = getattr(world, "frontier", None)
    return None if told is None else told()


def room(world: World, subject: Any, description: Description, interactions: int) -> Room | None:
    """The memory that a sitting takes, and what would take less; None where the world cannot tell."""
    told: Callable[[Any, Description, int], Room] | None = getattr(world, "room", None)
    return None if told is None else told(subject, description, interactions)
