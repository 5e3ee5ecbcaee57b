"""What a profile is made with: who is measured, where and by how much, and where its parts are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from mensura.agent.errors import MensuraError, StoppedEarly
from mensura.api.assessing import are_paid
from mensura.api.naming import Named
from mensura.api.profile_sizes import Size
from mensura.api.spending import Allow
from mensura.core.players import Unanswered
from mensura.statistics.degradation import Breakdown
from mensura.statistics.learn_rate import LearnRate
from mensura.statistics.performance import Weights
from mensura.statistics.transfer import Norm

if TYPE_CHECKING:
    from mensura.core.contract import World
    from mensura.statistics.sample import Sample

RANDOM = "random"

Part = TypeVar("Part")


@dataclass(frozen=True)
class Setup:
    """Who is measured, where, by how much, and with whom they are compared."""

    subjects: tuple[Named, ...]
    references: tuple[str, ...]
    """Without random, and without the subjects."""
    world: World
    size: Size
    weights: Weights
    seed: int
    phenomenon: str | None = None
    timeout: float | None = None
    threads: int | None = None
    norm: Norm = "manhattan"
    """How the properties of tasks make their distance."""
    missing: dict[tuple[str, str], str] = field(default_factory=dict)
    """Why a part of a subject was not measured."""
    kept: KeptParts | None = None
    """Where parts are kept, and found where they were measured before; None: nowhere."""
    store: str | Path | None = None
    """Where the runs of language models are kept, part by part."""
    allow: Allow | None = None
    """What they may take; None: as much as they need, since somebody has allowed all of it together."""

    def handed(self, one: Named) -> dict[str, Any]:
        """A subject as functions of this package take it, with its label."""
        return {one.label: one.factory or one.address}

    @property
    def everybody(self) -> dict[str, Any]:
        """Subjects, references and random."""
        own = {label: who for one in self.subjects for label, who in self.handed(one).items()}
        return own | {name: name for name in (*self.references, RANDOM) if name not in own}

    def is_asked(self, one: Named) -> bool:
        """Whether a subject is a language model, whose answers are paid for and never asked for twice."""
        return one.factory is None and are_paid([one.address])

    @property
    def asks(self) -> bool:
        """Whether one of the subjects is."""
        return any(map(self.is_asked, self.subjects))

    @property
    def in_process(self) -> bool | None:
        """Whether code from files runs in this process."""
        return any(one.in_process and one.factory is None for one in self.subjects) or None

    def attempt(
        self, part: str, subject: str, kind: type[Part], measure: Callable[[], Part]
    ) -> Part | None:
        """What a part finds, of a ``kind``; None where it cannot be measured, and the reason is told."""
        known = None if self.kept is None else self.kept.found(part, subject, kind)
        if known is None:
            try:
                known = Attempt(measure())
            except (Unanswered, StoppedEarly):
                raise  # which says nothing of the subject
            except MensuraError as error:
                known = Attempt(None, str(error))
            if self.kept is not None:
                self.kept.keep(part, subject, known)
        if known.found is None:
            self.missing[part, subject] = known.why
        return known.found


@dataclass(frozen=True)
class Attempt(Generic[Part]):
    """What a part found, or why nothing."""

    found: Part | None
    why: str = ""


class KeptParts(Protocol):
    """Where the parts of a profile are kept, so that one that was stopped goes on."""

    @property
    def samples(self) -> Sequence[Sample]:
        """The scores of everybody in the battery of performance."""

    def found(self, part: str, subject: str, kind: type[Part]) -> Attempt[Part] | None:
        """A part that was measured before; None where it was not."""

    def keep(self, part: str, subject: str, attempt: Attempt[Part]) -> None:
        """Keep a part."""

    def play_again(self, subject: str, number: int, observer: Any) -> None:
        """Let somebody see an episode of the battery once more, played by the answers that are kept."""


@dataclass(frozen=True)
class Rate:
    """The learn rate, and what is said of it."""

    rate: LearnRate | None
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Breakdowns:
    """Everybody under each operator."""

    rows: tuple[Breakdown, ...]
