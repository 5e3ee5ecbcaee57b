"""Fresh schemas from frames: candidates of one kind, in sentences that no published set has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, choice, fold
from mensura.worlds.items.winograd.association import is_given_away
from mensura.worlds.items.winograd.frames import (
    HE,
    PEOPLE,
    SPECIAL,
    Frame,
    Words,
    frames,
    word_lists,
)
from mensura.worlds.items.winograd.schema import Schema, SchemaSet, words_of

T = TypeVar("T")

IN_A_ROW = 5
"""So many words in a row may not be shared with a published set."""
TRIES = 100
"""After so many schemas in a row that cannot be used, any other frame is taken."""
MOST_PAIRS = 20_000
STUCK = 5_000
"""After so many in a row there are no more."""
SOURCE = "made by mensura winograd make"
LICENCE = "CC0-1.0"


def runs_of(text: str, length: int = IN_A_ROW) -> set[tuple[str, ...]]:
    """All runs of so many words in a text."""
    words = words_of(text)
    return {words[at : at + length] for at in range(len(words) - length + 1)}


def runs_of_set(sets: Iterable[SchemaSet]) -> frozenset[tuple[str, ...]]:
    """All runs of words in the sentences of some sets, switched ones included."""
    found: set[tuple[str, ...]] = set()
    for one in sets:
        for schema in one.schemas:
            for form in schema.forms():
                found |= runs_of(form.sentence)
    return frozenset(found)


def shared_run(schema: Schema, published: frozenset[tuple[str, ...]]) -> tuple[str, ...] | None:
    """A run of words that a schema shares with published sentences; None where there is none."""
    if not published:
        return None
    for form in schema.forms():
        for run in sorted(runs_of(form.sentence) & published):
            return run
    return None


def make_set(
    pairs: int,
    key: Key,
    depth: int | None = None,
    published: Sequence[SchemaSet] = (),
    name: str = "fresh",
) -> SchemaSet:
    """So many different schemas, each frame as often as another as far as that is possible."""
    able = [one for one in frames() if depth is None or one.depth == depth]
    if not able:
        known = sorted({one.depth for one in frames()})
        raise MensuraError(f"No frame has depth {depth}; there are {', '.join(map(str, known))}.")
    if not 1 <= pairs <= MOST_PAIRS:
        raise MensuraError(f"{pairs} pairs are no set; it has 1 to {MOST_PAIRS}.")
    taken = runs_of_set(published)
    made: dict[str, Schema] = {}
    attempt = failed = 0
    while failed < STUCK:
        one = fold(key, attempt)
        attempt += 1
        # Frames take turns, in another order in each round; one that has nothing left gives way to any other.
        turn, place = divmod(len(made), len(able))
        frame = _shuffled(able, fold(fold(key, 1 << 40), turn))[place]
        if failed > TRIES:
            frame = able[choice(one, 99, 0, len(able))]
        schema = fill(frame, one)
        if schema.sentence in made or shared_run(schema, taken) or is_given_away(schema):
            failed += 1
            continue
        failed = 0
        made[schema.sentence] = schema
        if len(made) == pairs:
            return SchemaSet(name, tuple(made.values()), SOURCE, LICENCE)
    raise MensuraError(
        f"Only {len(made)} different pairs{'' if depth is None else f' of depth {depth}'} were found, and {pairs} are "
        "wanted; ask for fewer, or for any depth."
    )


def fill(frame: Frame, key: Key) -> Schema:
    """The schema of a frame with words drawn by a key."""
    words = word_lists()[frame.kinds[choice(key, 0, 0, len(frame.kinds))]]
    chosen = _shuffled(words.words, fold(key, 1))[:3]
    slots = dict(zip("ABC", chosen, strict=True))
    slots["P"] = _person(words, fold(key, 2))
    sentence = frame.sentence
    for slot in sorted(frame.slots):
        sentence = sentence.replace(f"{{{slot}}}", slots[slot])
    match = SPECIAL.search(sentence)
    assert match is not None
    special, alternate = match.groups()
    sentence = SPECIAL.sub(lambda _: special, sentence)
    pronoun = sentence.partition("[")[2].partition("]")[0]
    if words.kind == "men":
        spoken = HE.get(pronoun, pronoun)
        sentence, pronoun = sentence.replace(f"[{pronoun}]", f"[{spoken}]"), spoken
    first, second = ((one if words.names else f"the {one}") for one in chosen[:2])
    return Schema(
        sentence=sentence,
        special=special,
        alternate=alternate,
        pronoun=pronoun,
        candidates=(first, second),
        answers=(first, second),
        switchable=True,
        depth=frame.depth,
        kind=words.kind,
        frame=frame.name,
    )


def _person(words: Words, key: Key) -> str:
    """Somebody who cannot be meant by the pronoun: of the other gender where candidates are people."""
    kind = PEOPLE[choice(key, 0, 0, 2)]
    if words.names:
        kind = PEOPLE[1 - PEOPLE.index(words.kind)]
    names = word_lists()[kind].words
    return names[choice(key, 1, 0, len(names))]


def _shuffled(things: Sequence[T], key: Key) -> list[T]:
    rest = list(things)
    for last in range(len(rest) - 1, 0, -1):
        other = choice(key, last, 0, last + 1)
        rest[last], rest[other] = rest[other], rest[last]
    return rest
