"""What the pages of the research view and the server tell each other."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from mensura.web.refusals import Asked
from mensura.web.seeds import Seed

LONGEST = 200_000
"""So many characters a text may have: a task, a space, a program."""

Name = Annotated[str, Field(max_length=100)]
Text = Annotated[str, Field(max_length=LONGEST)]
TimeLimit = Annotated[
    float | None, Field(gt=0, le=86_400, description="Seconds until an episode is cut off.")
]
Address = Annotated[
    str, Field(max_length=1000, description="A built-in subject; nothing: by hand.")
]


# Worlds -------------------------------------------------------------------------------


class ParameterForm(BaseModel):
    """One parameter of a world, for a form."""

    name: str
    about: str = ""
    kinds: list[str]
    words: list[str]
    default: Any


class SubjectForm(BaseModel):
    """A built-in subject, for a form."""

    name: str
    about: str
    parameters: dict[str, float]


class MeasureForm(BaseModel):
    """A complexity that can be wanted."""

    name: str
    about: str
    unit: str


class Offer(BaseModel):
    """What there is in a world under some parameters."""

    measures: list[MeasureForm]
    subjects: list[SubjectForm]
    content: str
    """Where its environments come from, as a sentence."""
    idle: list[str]
    """Parameters that say nothing there."""


class WorldForm(Offer):
    """All that a form has to know of a world; what it offers is that of its first preset."""

    world: str
    about: str
    parameters: list[ParameterForm]
    presets: dict[str, dict[str, Any]]
    editor: str
    """The address of the script of the world's own editor; none where it has none."""
    data: dict[str, Any]
    """What that script has to know."""


class Within(Asked):
    """A wanted complexity."""

    measure: Name
    low: float
    high: float


class WorldAsked(Asked):
    """A world, as a form sends it."""

    world: Name
    preset: Name = ""
    parameters: dict[str, Any] = Field(default_factory=dict)


class Drawing(WorldAsked):
    """An environment that is to be drawn."""

    within: Within | None = None
    seed: Seed = ""


class Drawn(BaseModel):
    """An environment that was drawn."""

    description: dict[str, Any]
    seed: str


class Reading(Asked):
    """What a file holds: an environment, or a list of them."""

    data: Any
    world: Name = ""


class Read(BaseModel):
    """The environments of a file and the world that they are of."""

    world: str
    descriptions: list[dict[str, Any]]


# Visits -------------------------------------------------------------------------------


class Beginning(WorldAsked):
    """A visit that is to begin."""

    description: dict[str, Any]
    seed: Seed = ""
    subject: Address = ""
    training: Annotated[int | None, Field(ge=0, le=1_000_000)] = None
    limit: TimeLimit = None


class Again(Asked):
    """Another episode in the same environment."""

    seed: Seed = ""
    subject: Address = ""
    training: Annotated[int | None, Field(ge=0, le=1_000_000)] = None
    limit: TimeLimit = None


class Stepping(Asked):
    """Interactions to be played."""

    count: Annotated[int, Field(ge=1, le=1000)] = 1
    actions: Annotated[list[Any] | None, Field(max_length=100)] = None
    """In the first of them, for each seat that is due; None leaves it to the subject, or to the default."""
    after: Annotated[int | None, Field(ge=0)] = None
    """The interaction that the page shows: what was done already is not done again."""


class Back(Asked):
    """Where to go back to."""

    to: Annotated[int, Field(ge=0, le=10_000_000)]


class Marked(BaseModel):
    """How many checkpoints of a visit are marked."""

    count: int


class TableShown(BaseModel):
    """A part of the state."""

    name: str
    columns: list[str]
    rows: list[list[Any]]


class ChoiceShown(BaseModel):
    """An action of a seat."""

    action: Any
    name: str
    cell: int | None
    key: str = ""
    """The key that takes it, as browsers call keys."""


class KnobShown(BaseModel):
    """A number that a seat sets."""

    name: str
    low: float
    high: float


class SeatShown(BaseModel):
    """A seat: what it may do, what it did and got."""

    seat: int
    rights: list[str]
    choices: list[ChoiceShown]
    knobs: list[KnobShown]
    action: Any
    reward: float | None
    total: float
    mean: float | None
    observation: str


class State(BaseModel):
    """All of the state of a visit at a moment."""

    visit: str
    interaction: int
    horizon: int | None
    ended: Literal["terminated", "truncated"] | None
    due: list[int]
    seed: str
    subject: str
    training: int
    limit: float | None
    """Seconds that the episode may take; None: as long as it takes."""
    left: float | None
    """Seconds until it is cut off."""
    svg: str
    tables: list[TableShown]
    words: list[str]
    text: str
    seats: list[SeatShown]
    course: list[tuple[int, float]]
    faults: list[str]


class Complexity(BaseModel):
    """A complexity of an environment, or why it has none."""

    name: str
    unit: str
    value: float | None
    sentence: str


class About(BaseModel):
    """What stays the same in a visit."""

    world: str
    sentences: list[str]
    complexities: list[Complexity]
    description: dict[str, Any]
    file: str
    command: str
    subjects: list[SubjectForm]


class Begun(BaseModel):
    """A visit that has begun."""

    state: State
    about: About


# Lambda -------------------------------------------------------------------------------


class SpaceAsked(Asked):
    """A space: by a text, by its arrows, or a ready one."""

    text: Text = ""
    names: Annotated[list[Name], Field(max_length=400, default_factory=list)]
    arrows: Annotated[list[list[int]] | None, Field(max_length=400)] = None
    ready: Literal["", "ring", "one-way ring", "grid", "torus"] = ""
    sizes: Annotated[list[int], Field(max_length=4, default_factory=list)]
    diagonal: bool = False


class SpaceDrawing(Asked):
    """A space that is to be drawn: figure 4.2."""

    cells: Annotated[list[int], Field(min_length=1, max_length=2)]
    actions: Annotated[list[int | None], Field(min_length=1, max_length=2)]
    topology: Name = "strong"
    seed: Seed = ""


class SpaceShown(BaseModel):
    """A space in all its forms."""

    shifts: list[list[int]]
    arrows: list[list[int]]
    thesis: str
    theory: str
    cells: int
    actions: int
    strong: bool
    weak: bool


class PatternDrawing(Asked):
    """A pattern that is to be drawn: figure 4.3."""

    actions: Annotated[int, Field(ge=2, le=400)]
    p_stop: float = 0.01
    seed: Seed = ""


class PatternShown(BaseModel):
    """A pattern."""

    moves: list[int]


class ProgramAsked(Asked):
    """The rules of a Markov program, one a line."""

    text: Text
    match: Literal["leftmost", "rightmost"] = "leftmost"


class ProgramShown(BaseModel):
    """A program as a description has it."""

    program: dict[str, Any]


# FraMoTEC -----------------------------------------------------------------------------


class TaskText(Asked):
    """A task as YAML, or as JSON."""

    text: Text


class TaskShown(BaseModel):
    """A task that is right."""

    name: str
    text: str
    """As YAML."""
    task: str
    """As a parameter of the world."""
    concrete: bool
    sentence: str


class OperationForm(BaseModel):
    """An operation on tasks, for a form."""

    name: str
    about: str
    arguments: list[ParameterForm]
    needed: list[str]


class Operating(Asked):
    """A task that is to be changed."""

    text: Text
    operation: Name
    arguments: dict[str, Any] = Field(default_factory=dict)


class TasksShown(BaseModel):
    """What came of an operation: one task, or its parts."""

    tasks: list[TaskShown]


class FrontShown(BaseModel):
    """The least energy for every time."""

    svg: str
    sentence: str
    rows: list[tuple[float, float, float]]
    """Time, least energy, most energy."""
