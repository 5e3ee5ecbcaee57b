"""What worlds, environments and assessments may have beside what the contract asks of them.

:mod:`mensura.core.contract` says what everybody needs. Here is everything else that the house makes use of: small
protocols, whose members are optional one by one, and one function for each member that says what holds without it.
Nobody else looks whether a member is there; whoever wants to know asks here. What players and agents may have is in
:mod:`mensura.core.players`.

=================  ===========================================================  =====================================
protocol           members                                                      without them
=================  ===========================================================  =====================================
Configured         the fields of a dataclass, ``presets``, ``preset``,          no parameters, no presets
                   ``kept``, ``idle``
Hosting            ``subjects``, ``horizon``, ``hosting``                       the seats of an environment that is
                                                                                drawn; not known; the world as it is
Inhabited          ``subject_names``, ``subject_parameters``, ``group``,        registered agents alone
                   ``demo``
Graded             ``graded_by``, ``complexity_bounds``, ``complexity_range``,  the first measure; 256 draws; none;
                   ``easier``, ``usual_assessment``                             none; anytime where it can be
Readable           ``describe_from_json``                                       environments are not read from files
Filed              ``task_files``, ``task_parameter``                           no task files; ``task`` where there is
                                                                                such a parameter
Shown              ``view``, ``words``                                          plain ones, from spaces
Explorable         ``check_given``, ``check_explorable``, ``fitted``,           of any size; the world; all of them;
                   ``command_parameters``, ``slow_measures``,                   none; rights
                   ``right_parameters``
Bulk               ``sample_many``, ``compiles``, ``rollout``, ``tallies``      the one loop
Planned            ``compiles``, ``play_compiled``                              the one loop
Sized              ``largest_spaces``, ``room``                                 the spaces of one environment; not known
Fronted            ``frontier``                                                 not known
Published          ``published_spread``                                         not known
=================  ===========================================================  =====================================
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, Self, cast, runtime_checkable

from mensura.core.errors import MALFORMED, MensuraError, neighbors

if TYPE_CHECKING:  # commands that compute nothing are to answer at once
    import numpy as np
    import numpy.typing as npt

    from mensura.core.account import Account
    from mensura.core.contract import Clock, Description, Environment, Episode, Plan, World
    from mensura.core.keys import Key
    from mensura.core.room import Room
    from mensura.core.spaces import Space
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
    def kept(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with what the files hold that they name, so that a run stays what it was."""

    idle: Sequence[str]
    """The parameters that say nothing as the others are set."""


def parameters(kind: Any) -> dict[str, Field[Any]]:
    """The parameters of a world or an assessment, or of a class of them, by name: those that it can be made with."""
    return {one.name: one for one in fields(kind) if one.init} if is_dataclass(kind) else {}


def values(thing: Any) -> dict[str, Any]:
    """The parameters of a world or an assessment with what they are set to."""
    return {name: getattr(thing, name) for name in parameters(thing)}


def presets(kind: Any) -> Mapping[str, Mapping[str, Any]]:
    """The named sets of parameters of a class of worlds, the usual one first; none where it has none."""
    found: Mapping[str, Mapping[str, Any]] = getattr(kind, "presets", {})
    return found


def make(kind: Any, preset: str | None = None, **given: Any) -> World:
    """A world of a class: under a preset, or the usual one, and with these parameters."""
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
    lacking = [name for name in REQUIRED if not hasattr(made, name)]
    if lacking:
        raise MensuraError(
            f"{_name(kind)} is no world: it has no {', '.join(lacking)} (mensura.core.contract.World)."
        )
    return made


REQUIRED = ("id", "measures", "promises", "sample", "build", "complexity")
"""What every world has."""


def _name(kind: Any) -> str:
    return str(getattr(kind, "id", kind))


def files_kept(kind: Any) -> Callable[[Mapping[str, Any]], dict[str, Any]] | None:
    """What puts the contents of files into the parameters of a world; None where none of them names a file."""
    return cast("Callable[[Mapping[str, Any]], dict[str, Any]] | None", getattr(kind, "kept", None))


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
    told: int | None = getattr(world, "horizon", None)
    return told


def horizon_of(description: Description) -> int | None:
    """How many interactions an episode has in a described environment, where the description says so."""
    told: int | None = getattr(description, "horizon", None)
    return told


def hosting(world: World, subject: Any) -> World:
    """The world with what a subject needs in it; the world itself where it gives nobody anything."""
    told: Callable[[Any], World] | None = getattr(world, "hosting", None)
    return world if told is None else told(subject)


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

    def complexity_bounds(self, measure: str) -> tuple[float, float]:
        """The complexities between which it has environments."""

    complexity_range: tuple[int, int] | None
    """Those over which a battery is spread by default; None takes environments as they come."""

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
    told: Callable[[str], tuple[float, float]] | None = getattr(world, "complexity_bounds", None)
    return None if told is None else told(measure)


def complexity_range(world: World) -> tuple[int, int] | None:
    """The complexities over which a battery is spread by default; None takes environments as they come."""
    told: tuple[int, int] | None = getattr(world, "complexity_range", None)
    return told


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
        """Its observations in words (:class:`mensura.core.words.Words`)."""


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


# Worlds: pages -----------------------------------------------------------------------


class Explorable(Protocol):
    """A world that says what the research view has to know of it."""

    @staticmethod
    def check_given(given: Mapping[str, Any]) -> None:
        """Raise if a parameter that a browser sent would let it reach for a file of the server."""

    def check_explorable(self, description: Any = None) -> None:
        """Raise if the world, or an environment of it, is too large to be shown, or would hold the server up."""

    def fitted(self, description: Any) -> World:
        """The world with what an environment has that the parameters of the world do not say by the same name."""

    def command_parameters(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Of the parameters that differ from the usual, what the command line has to be told, in this world as made."""

    def slow_measures(self, description: Any) -> frozenset[str]:
        """The complexities of an environment that would take too long to compute while somebody waits."""

    right_parameters: Sequence[str]
    """The parameters that say who may see what, which subjects bring themselves."""


def check_given(kind: Any, given: Mapping[str, Any]) -> None:
    """Raise if a browser may not set a parameter so."""
    told: Callable[[Mapping[str, Any]], None] | None = getattr(kind, "check_given", None)
    if told is not None:
        told(given)


def check_explorable(world: World, description: Any = None) -> None:
    """Raise if a world, or an environment of it, is too large to be shown; without a word of the world's, it is not."""
    told: Callable[[Any], None] | None = getattr(world, "check_explorable", None)
    if told is not None:
        told(description)


def fitted(world: World, description: Any) -> World:
    """The world with what an environment has beyond its parameters; the world itself, where there is nothing."""
    told: Callable[[Any], World] | None = getattr(world, "fitted", None)
    return world if told is None else told(description)


def command_parameters(world: World, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of the parameters that differ from the usual, what the command line has to be told."""
    told: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = getattr(
        world, "command_parameters", None
    )
    return given if told is None else told(given)


def slow_measures(world: World, description: Any) -> frozenset[str]:
    """The complexities of an environment that would take too long while somebody waits; none, where nobody says."""
    told: Callable[[Any], frozenset[str]] | None = getattr(world, "slow_measures", None)
    return frozenset() if told is None else told(description)


def right_parameters(world: World) -> tuple[str, ...]:
    """The parameters that say who may see what; those of the kit's worlds are called rights."""
    return tuple(getattr(world, "right_parameters", ("rights",)))


def bounded(name: str, value: Any, most: int) -> None:
    """Raise if a number is too large for a page."""
    if isinstance(value, int) and value > most:
        raise MensuraError(
            f"{name} is {value}; the research view takes at most {most}. On the command line there is no such bound."
        )


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


@runtime_checkable
class Planned(Protocol):
    """A world with a second door for single plans in virtual time, for assessments that decide as they go."""

    def compiles(self, subject: Any) -> bool:
        """Whether this subject can go through the second door."""

    def play_compiled(
        self, subject: Any, plan: Plan, seed: Key, player: Any | None = None
    ) -> Episode:
        """What the one loop would make of a plan, to the bit; ``player`` is the subject in its seats, as it is now."""


class Published(Protocol):
    """A world that a publication reports experiments of."""

    published_spread: float
    """The standard deviation between identical experiments of 1,000 episodes that was reported."""


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


def frontier(world: World) -> Any:
    """What tasks of a world cost at best; None where it does not know."""
    told: Callable[[], Any] | None = getattr(world, "frontier", None)
    return None if told is None else told()


def room(world: World, subject: Any, description: Description, interactions: int) -> Room | None:
    """The memory that a sitting takes, and what would take less; None where the world cannot tell."""
    told: Callable[[Any, Description, int], Room] | None = getattr(world, "room", None)
    return None if told is None else told(subject, description, interactions)


# Environments ---------------------------------------------------------------------


class Telling(Protocol):
    """An environment that says more than turns do."""

    def instructions(self, seat: int) -> str:
        """What a seat is told about its task before it begins."""

    def measures(self) -> Mapping[str, float]:
        """What an episode tells of itself beside its rewards, by name."""

    clock: Clock
    """What time is in it: "simulated" where an action counts only after the seconds that it took."""


class Pictured(Protocol):
    """An environment that can be drawn."""

    def picture(self, seat: int | None = None) -> Any:
        """The moment as a picture (:mod:`mensura.pictures.picture`): all of it, or only what a seat may see."""


class Rows(Protocol):
    """An environment that gives observations as rows of numbers, for callers in a hurry."""

    def step_rows(self, actions: Sequence[Any]) -> tuple[Any, Sequence[float], Any]:
        """A step: observations (seats, size), rewards, end."""


def instructions_for(environment: Environment, seat: int) -> str:
    """What an environment tells a seat about its task before it begins; nothing where it has no ``instructions``."""
    told: Callable[[int], str] | None = getattr(environment, "instructions", None)
    return "" if told is None else told(seat)


def clock_of(environment: Environment) -> Clock:
    """What time is in an environment: interactions, where it says nothing else."""
    told: Clock = getattr(environment, "clock", "interactions")
    return told


def measures_of(environment: Environment) -> Mapping[str, float]:
    """What an episode tells of itself beside its rewards, by name."""
    told: Callable[[], Mapping[str, float]] | None = getattr(environment, "measures", None)
    return {} if told is None else told()


def picture_of(environment: Environment, seat: int | None = None) -> Any:
    """The moment as an environment draws it, all of it or what a seat may see; None where it draws nothing."""
    told: Callable[[int | None], Any] | None = getattr(environment, "picture", None)
    return None if told is None else told(seat)


def step_rows(environment: Environment) -> Callable[[Sequence[Any]], Any] | None:
    """A step that gives observations as rows of numbers; None where an environment has no quick way to."""
    return cast("Callable[[Sequence[Any]], Any] | None", getattr(environment, "step_rows", None))


# Assessments ----------------------------------------------------------------------


class Assessing(Protocol):
    """What an assessment may say of itself beside its sittings."""

    measure: str | None
    """The complexity that it asks for; None leaves it to :func:`default_measure`."""
    graded: bool
    """Whether it goes by steps of complexity."""
    training: int
    """Training episodes before each assessed one."""
    seconds: float | None
    """Its budget in physical time."""
    spread: tuple[int, int] | None
    """The complexities over which its environments are spread."""
    exercises: int
    """Of people: how many exercises are at its beginning."""
    expected_seconds: float
    """Of a sitting, as far as it is known beforehand."""
    account: Account
    """What reports say of it."""

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, likewise."""

    @staticmethod
    def command_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the command line sets where nobody does, beside what was given: less than a study takes."""

    def hosting(self, world: World) -> World:
        """The world with what the assessment brings into it, as company."""


def measure_of(assessment: Any, world: World) -> str:
    """The complexity that an assessment asks for: the one it names, or its choice; "" where there is none."""
    named: str | None = getattr(assessment, "measure", None)
    return default_measure(assessment, world) if named is None else named


def default_measure(assessment: Any, world: World) -> str:
    """The complexity of an assessment, or of a kind of them, that names none; "" where there is none.

    The world's first; for an assessment that goes by steps of complexity (``graded``) that by which the world grades
    its environments (``graded_by``), if it has one.
    """
    if getattr(assessment, "graded", False):
        graded = graded_by(world)
        if graded is not None:
            return graded
    return next(iter(world.measures), "")


def trains(assessment: Any) -> bool:
    """Whether an assessment has training episodes before those that are assessed."""
    return hasattr(assessment, "training")


def seconds_of(assessment: Any) -> float | None:
    """The budget of an assessment in physical time; None where it goes by interactions."""
    told: float | None = getattr(assessment, "seconds", None)
    return told


def spread_of(assessment: Any) -> tuple[int, int] | None:
    """The complexities over which an assessment spreads its environments; None where it takes them as they come."""
    told: tuple[int, int] | None = getattr(assessment, "spread", None)
    return told


def exercises_of(assessment: Any) -> int:
    """How many exercises are at the beginning of an assessment of people."""
    return int(getattr(assessment, "exercises", 0))


def expected_interactions(assessment: Any, world: World) -> int | None:
    """The interactions of a sitting, where an assessment knows them beforehand."""
    told: Callable[[World], int] | None = getattr(assessment, "expected_interactions", None)
    return None if told is None else told(world)


def expected_seconds(assessment: Any) -> float:
    """The seconds of a sitting, where an assessment knows them beforehand."""
    return float(getattr(assessment, "expected_seconds", 0.0))


def command_defaults(kind: Any, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the command line sets of an assessment where nobody does; nothing, where it does not say."""
    told: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = getattr(
        kind, "command_defaults", None
    )
    return {} if told is None else told(given)


def account_of(assessment: Any) -> Account | None:
    """What reports say of an assessment, or of a kind of them; None where it says nothing."""
    told: Account | None = getattr(assessment, "account", None)
    return told


def brings_company(assessment: Any) -> bool:
    """Whether an assessment brings something into the world."""
    return hasattr(assessment, "hosting")


def populated(assessment: Any, world: World) -> World:
    """The world with what an assessment brings into it."""
    told: Callable[[World], World] | None = getattr(assessment, "hosting", None)
    return world if told is None else told(world)


# Subjects -------------------------------------------------------------------------


class Assessed(Protocol):
    """What a subject may say of itself before it sits down. How it sits down is in :mod:`mensura.core.players`."""

    training: int
    """Training episodes that it asks for."""
    summary: str
    """A line on what it is, for tables."""
    members: Sequence[Any]
    """Of a group of a world's own: each with a name."""
    concurrent: bool
    """Whether its sittings may be played side by side in one process."""
    waits: int
    """How many of its sittings are worth having under way at once, because it mostly waits."""
    ask_once: bool
    """Whether an answer costs so much, or is so rare, that it must be safe before it is used."""
    settled: Any
    """Its address with what fixes the files that it names."""

    def hurry(self) -> None:
        """Let sittings that wait their turn wait no longer: the run is to end."""


class Learning(Protocol):
    """A registered agent that learns in any world whose spaces it can make something of."""

    @staticmethod
    def plays(observation_space: Space, action_space: Space) -> bool:
        """Whether it can."""


def learns_with(kind: Any, observation_space: Space, action_space: Space) -> bool:
    """Whether a registered agent is a learner that can make something of these spaces."""
    told: Callable[[Space, Space], bool] | None = getattr(kind, "plays", None)
    return told is not None and told(observation_space, action_space)


def training_of(subject: Any) -> int:
    """The training episodes that a subject asks for."""
    return int(getattr(subject, "training", 0))


def summary_of(subject: Any) -> str:
    """What a subject says that it is, in a line; nothing where it says nothing."""
    return str(getattr(subject, "summary", "") or "")


def members_of(subject: Any) -> tuple[Any, ...]:
    """The members of a group of a world's own; none of any other subject."""
    return tuple(getattr(subject, "members", ()))


def is_concurrent(subject: Any) -> bool:
    """Whether sittings of a subject may be played side by side in one process."""
    return bool(getattr(subject, "concurrent", False))


def waits_of(subject: Any) -> int:
    """How many sittings of a subject are worth having under way at once; 1 of one that works."""
    return int(getattr(subject, "waits", 1))


def is_asked_once(subject: Any) -> bool:
    """Whether an answer of a subject must be safe before it is used."""
    return bool(getattr(subject, "ask_once", False))


def settled_part(subject: Any) -> Any:
    """The address of a subject with what fixes the files that it names; None where it names none."""
    return getattr(subject, "settled", None)


def waits_by_itself(subject: Any) -> bool:
    """Whether a subject sits down as work that waits, so that many can wait in one thread."""
    return getattr(subject, "seating", None) is not None


def hurry(subject: Any) -> None:
    """Let sittings of a subject that wait their turn wait no longer."""
    told: Callable[[], None] | None = getattr(subject, "hurry", None)
    if told is not None:
        told()
