"""What language models were sent and what they answered, word for word, from the journal of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mensura.core.abilities import retelling
from mensura.core.errors import MensuraError
from mensura.records.cell import Cell
from mensura.records.journal import unpack
from mensura.records.run import Run
from mensura.studies.looking import Interaction
from mensura.studies.place import Place
from mensura.studies.replay import replay

if TYPE_CHECKING:
    from mensura.records.store import Store


@dataclass(frozen=True)
class Listed:
    """A sitting that has a transcript, in a line."""

    number: int
    """Its number in the run."""
    subject: str
    condition: str
    answers: int
    """How many answers were given, faults included."""
    repaired: int
    """How many of them only after the first was no action."""
    faults: int
    score: float


@dataclass(frozen=True)
class Transcript:
    """A sitting, word for word."""

    run: str
    number: int
    subject: str
    score: float
    episodes: tuple[tuple[bool, float], ...]
    """Of each episode, whether it was training, and its mean reward."""
    interactions: tuple[Interaction, ...]
    identical: bool
    """Whether playing the answers again gave the recorded rewards; else these may not be the words that were said."""

    def lines(self) -> Iterator[dict[str, Any]]:
        """Every interaction as plain data, on its own."""
        for one in self.interactions:
            training, _ = self.episodes[one.sequence]
            yield {
                "run": self.run,
                "number": self.number,
                "subject": self.subject,
                "training": training,
                **one.word_for_word(),
            }


def numbers(store: Store, run: Run) -> Iterator[tuple[int, Cell]]:
    """The sittings of a run whose subjects are told everything in words, by number."""
    first = 0
    for cell in store.cells(run):
        if _in_words(cell):
            for item in range(cell.sittings):
                yield first + item, cell
        first += cell.sittings


def listed(store: Store, run: Run) -> list[Listed]:
    """A line for every sitting that has a transcript and is done."""
    found = []
    for number, cell in numbers(store, run):
        _, item, batch = store.sitting(run, number)
        if batch is None:
            continue
        entries = [
            entry for page in store.journal(run, cell.number, item) for entry in unpack(page)
        ]
        answers = [entry for entry in entries if entry.kind in ("act", "tell")]
        kept = [entry.attachment for entry in answers if isinstance(entry.attachment, dict)]
        found.append(
            Listed(
                number,
                cell.name,
                cell.condition,
                len(answers),
                sum(one.get("usage", {}).get("repairs", 0) for one in kept),
                sum(entry.fault is not None for entry in answers),
                float(batch.score[0]),
            )
        )
    return found


def transcript(store: Store, run: Run, number: int) -> Transcript:
    """The transcript of one sitting; a sentence where its subject was told nothing in words."""
    cell, _, _ = store.sitting(run, number)
    if not _in_words(cell):
        raise MensuraError(
            f"Sitting {number} of the run {run.name} has no transcript: {cell.name} is not a language model. "
            f"`mensura replay {run.name} {number} --show` shows what it observed and did."
        )
    played = replay(store, run, number, look=True)
    return Transcript(
        run.name,
        number,
        cell.name,
        played.recorded,
        tuple((one.learning, one.replayed) for one in played.episodes),
        played.interactions,
        played.identical,
    )


@dataclass(frozen=True)
class Match:
    """Where a text was found."""

    number: int
    sequence: int
    interaction: int
    seat: int
    where: str
    """"told", "answer", "reasoning" or "first answer"."""
    excerpt: str


SHOWN = 60
"""So many characters are shown on each side of what was found."""


def search(transcripts: Sequence[Transcript], text: str) -> Iterator[Match]:
    """Where a text was said, capitals or not: once for each message that holds it."""
    wanted = text.casefold()
    for one in transcripts:
        for each in one.interactions:
            for where, said in _said(each):
                at = said.casefold().find(wanted)
                if at >= 0:
                    begin, end = max(at - SHOWN, 0), at + len(text) + SHOWN
                    excerpt = " ".join(said[begin:end].split())
                    yield Match(
                        one.number, each.sequence, each.interaction, each.seat, where, excerpt
                    )


def _said(one: Interaction) -> Iterator[tuple[str, str]]:
    """Every text that an interaction added."""
    yield "told", f"{one.system}\n{one.prompt}"
    for exchange in one.exchanges:
        kept = exchange.kept
        repaired = kept.get("repaired") or {}
        yield "first answer", f"{repaired.get('text', '')} {repaired.get('call', '')}"
        yield "reasoning", str(kept.get("reasoning", ""))
        yield "answer", f"{kept.get('text', '')} {kept.get('call', '')}"


def _in_words(cell: Cell) -> bool:
    """Whether the subject of a cell is told everything in words."""
    return cell.ask_once and retelling(Place.of(cell).subject, 1) is not None
