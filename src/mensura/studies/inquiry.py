"""What is asked about a phenomenon, of whomever, and how the questions are put."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key
from mensura.agent.task import Limits
from mensura.core.abilities import phenomena
from mensura.core.contract import World
from mensura.core.loop import Observer
from mensura.core.phenomena import named
from mensura.core.players import Player
from mensura.studies.examination import QUESTIONS, Examination, NeverHappened

ATTEMPTS = 10
"""So many environments are drawn to find one in which the phenomenon happens."""


@dataclass(frozen=True)
class Inquiry:
    """What is asked, of whomever."""

    world: World
    phenomenon: str
    seed: Key
    questions: int = QUESTIONS
    training: int = 0
    """Episodes in which a subject may learn before it is asked, and before it acts toward each kind of goal."""
    limits: Limits = field(default_factory=Limits)

    def examination(self, world: World | None = None) -> Examination:
        """The questions, in the world as it is for a subject: about the first environment in which it happens."""
        home = self.world if world is None else world
        for attempt in range(ATTEMPTS):
            again = (attempt,) if attempt else ()
            description = home.sample(key(self.seed, "environment", *again))
            found = phenomena(home, description)
            one = named(found, self.phenomenon, home.id)
            try:
                root = key(self.seed, "understanding", *again)
                return Examination(one, found, root, self.questions)
            except NeverHappened as error:
                never = error
        raise MensuraError(f"{never} In {ATTEMPTS} environments it was the same.")


@dataclass
class Questioning:
    """How questions are put, and what came of it."""

    journal: Path | None = None
    """A file in which answers are safe before they are used, so that nobody is asked twice."""
    stop: Event | None = None
    """Ends it before the next question, once it is set."""
    player: Player | None = None
    """Sits down in the place of the subject."""
    around: Callable[[Player], Player] | None = None
    """Gives a player that asks the one who sits down, as one that writes answers down."""
    observers: Sequence[Observer] = ()
    """Look on at what is played."""
    count: int = 0
    """How many questions there are going to be at most, once that is known."""
    asked: int = 0
    """So many questions were put."""
    seconds: float = 0.0
    """So long the answers took."""
    used: dict[str, float] = field(default_factory=dict)
    """What a subject took that is asked over a network, by the names of measures."""
