"""Yardsticks for Winograd schemas that understand nothing: associations of words, and what stands nearest.

Whoever is not above these has shown nothing. Neither has an idea about items of other families.
"""

from __future__ import annotations

from collections.abc import Sequence

from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import Chooser
from mensura.worlds.items.winograd.association import association
from mensura.worlds.items.winograd.schema import PRONOUN, phrase, words_of


def read(seen: Seen) -> tuple[str, list[str]] | None:
    """The sentence of a schema and its candidates; None where it is another item."""
    if not seen.options or len(seen.shown) != 1:
        return None
    sentence = seen.family.text(seen.shown[0])
    if len(PRONOUN.findall(sentence)) != 1:
        return None
    return sentence, [seen.family.text(option) for option in seen.options]


class Association(Chooser):
    """Chooses the candidate with which one thinks of the words after the pronoun, whatever the sentence says"""

    def values(self, seen: Seen) -> Sequence[float] | None:
        """How many of these words one thinks of with each candidate."""
        found = read(seen)
        if found is None:
            return None
        sentence, candidates = found
        after = words_of(sentence.partition("]")[2])
        values = [association(after, candidate) for candidate in candidates]
        return values if len(set(values)) > 1 else None


class Nearest(Chooser):
    """Chooses the candidate that stands nearest before the pronoun"""

    def values(self, seen: Seen) -> Sequence[float] | None:
        """How far into the sentence each candidate stands, before the pronoun."""
        found = read(seen)
        if found is None:
            return None
        sentence, candidates = found
        before = sentence.partition("[")[0]
        return [
            float(max((one.start() for one in phrase(candidate).finditer(before)), default=-1))
            for candidate in candidates
        ]
