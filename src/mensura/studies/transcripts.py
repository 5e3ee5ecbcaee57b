"""What language models were sent and what they answered, word for word, from the journal of a run."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.agents.address import is_code
from mensura.agents.language_model.holding import is_held
from mensura.core.abilities import retelling
from mensura.records.cell import Cell
from mensura.records.journal import unpack
from mensura.records.run import Run
from mensura.studies.looking import Interaction
from mensura.studies.place import Place
from mensura.studies.replay import replay
from mensura.studies.subjects import named, parts_of

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
    """How many answers language models in it gave, faults included; none that was held."""
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
    condition: str
    address: str
    """That of the subject, with all of its parameters."""
    prompts: tuple[str, ...]
    """The hashes of the prompts of each language model in it."""

    @property
    def steps(self) -> int:
        """How many interactions the sitting had, all episodes together."""
        return self.interactions[-1].step + 1 if self.interactions else 0

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


def numbers(store: Store, run: Run, code: bool = True) -> Iterator[tuple[int, Cell]]:
    """The sittings of a run whose subjects are told everything in words, by number.

    Without ``code`` those are left out whose subject names code, which would have to be loaded.
    """
    first = 0
    for cell in store.cells(run):
        if (code or not names_code(cell)) and _in_words(cell):
            for item in range(cell.sittings):
                yield first + item, cell
        first += cell.sittings


def listed(store: Store, run: Run) -> list[Listed]:
    """A line for every sitting that has a transcript and is done."""
    found = (line(store, run, number, cell) for number, cell in numbers(store, run))
    return [one for one in found if one is not None]


def line(store: Store, run: Run, number: int, cell: Cell) -> Listed | None:
    """A sitting that has a transcript, in a line; None if it is not done."""
    _, item, batch = store.sitting(run, number)
    if batch is None:
        return None
    entries = [entry for page in store.journal(run, cell.number, item) for entry in unpack(page)]
    answers = [
        entry
        for entry in entries
        if entry.kind in ("act", "tell")
        and isinstance(entry.attachment, dict)
        and not is_held(entry.attachment)
    ]
    return Listed(
        number,
        cell.name,
        cell.condition,
        len(answers),
        sum(entry.attachment.get("usage", {}).get("repairs", 0) for entry in answers),
        sum(entry.fault is not None for entry in answers),
        float(batch.score[0]),
    )


def transcript(
    store: Store,
    run: Run,
    number: int,
    *,
    whole: Container[int] | None = None,
    pictures: bool = False,
) -> Transcript:
    """The transcript of one sitting; a sentence where its subject was told nothing in words.

    ``whole`` names the steps that come with their requests and, with ``pictures``, pictures; all, where it is None.
    """
    cell, _, _ = store.sitting(run, number)
    if not _in_words(cell):
        raise MensuraError(
            f"Sitting {number} of the run {run.name} has no transcript: {cell.name} is not a language model. "
            f"`mensura replay {run.name} {number} --show` shows what it observed and did."
        )
    played = replay(store, run, number, look=True, whole=whole, pictures=pictures)
    prompts = (getattr(part, "prompts", None) for part in parts_of(Place.of(cell).subject))
    return Transcript(
        run.name,
        number,
        cell.name,
        played.recorded,
        tuple((one.learning, one.replayed) for one in played.episodes),
        played.interactions,
        played.identical,
        cell.condition,
        cell.subject,
        tuple(one.hash for one in prompts if one is not None),
    )


def prompts(store: Store, run: Run, number: int) -> dict[str, str]:
    """The prompts that a sitting was made with, whole, by the names of their files; of several models the first's."""
    cell, item, _ = store.sitting(run, number)
    for page in store.journal(run, cell.number, item):
        for entry in unpack(page):
            found = entry.attachment if entry.kind == "begin" else None
            if isinstance(found, dict) and "prompts" in found:
                return dict(found["prompts"])
    raise MensuraError(
        f"Sitting {number} of the run {run.name} has no prompts: it is not done, or not one of a language model."
    )


# What was said -------------------------------------------------------------------------------------


def blocks(one: Interaction) -> list[list[tuple[str, str]]]:
    """What each exchange of an interaction added to the conversation, in order: what it is, and the text.

    It is "system", "told", "first answer", "reasoning" or "answer"; only the answer is always there, if empty.
    """
    found = []
    for number, exchange in enumerate(one.exchanges):
        kept = exchange.kept
        repaired = kept.get("repaired")
        added = []
        if exchange.requests:
            if one.system and not number:
                added.append(("system", content_of(exchange.requests[0][0])))
            added.append(("told", content_of(exchange.requests[0][-1])))
            if repaired:
                added.append(("first answer", answer_of(repaired)))
                added.append(("told", content_of(exchange.requests[-1][-1])))
        if kept.get("reasoning"):
            added.append(("reasoning", str(kept["reasoning"])))
        found.append([*added, ("answer", answer_of(kept))])
    return found


def content_of(message: Mapping[str, Any]) -> str:
    """A message as text, with the calls in it, and where a picture was shown."""
    calls = [
        f"{call['function']['name']}({call['function']['arguments']})"
        for call in message.get("tool_calls", ())
    ]
    shown = message.get("picture")
    picture = f"[picture, {shown['width']} x {shown['height']} pixels]" if shown else ""
    return "\n".join([text for text in (message["content"], picture, *calls) if text])


def answer_of(kept: Mapping[str, Any]) -> str:
    """What was answered, in words and by a call; nothing if nothing was."""
    if is_held(kept):
        return "(held: the last action was taken again, without a request)"
    return "\n".join(str(kept[name]) for name in ("text", "call") if kept.get(name))


@dataclass(frozen=True)
class Match:
    """Where a text was found."""

    number: int
    step: int
    """The interaction, from 0, through all episodes of the sitting."""
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
                        one.number,
                        each.step,
                        each.sequence,
                        each.interaction,
                        each.seat,
                        where,
                        excerpt,
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


def names_code(cell: Cell) -> bool:
    """Whether the subject of a cell names a class in a file or a module."""
    return any(map(is_code, named(cell)))


def _in_words(cell: Cell) -> bool:
    """Whether the subject of a cell is told everything in words."""
    return cell.ask_once and retelling(Place.of(cell).subject, 1) is not None
