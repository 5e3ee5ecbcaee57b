"""Of what kinds the candidates of a schema are: supersenses of WordNet, and of our word lists.

Candidates that have none in common can be told apart without the sentence, as women and pills by "pregnant".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mensura.worlds.items.winograd.frames import supersenses as of_lists

if TYPE_CHECKING:
    from mensura.texts.wordnet import Senses

DETERMINER = re.compile(r"(?:the|an?|his|her|its|my|our|their|your|some)\s+", re.IGNORECASE)
AFTER_HEAD = re.compile(r"\s+(?:of|in|on|under|with|from|for|to|at)\s.*")
"""What follows the head of a noun phrase, as in "the spot under the tree"."""
FEWEST_TAGS = 2
"""With fewer tagged occurrences, WordNet does not tell which senses of a word are common, and all of them count."""


def kinds_of(candidate: str) -> frozenset[str]:
    """The supersenses of a candidate, as "person"; none for names and words that neither WordNet nor a list has.

    The phrase is looked up as a whole, then its head. Of a word with several senses the common ones count, since nearly
    every noun has some sense that is a person's; a word of our lists also has the kind of its list.
    """
    match = DETERMINER.match(candidate)
    noun = candidate[match.end() :] if match else candidate
    head = AFTER_HEAD.sub("", noun)
    for name in (noun, head, head.split()[-1]):
        kinds = _kinds_of_noun(name)
        if kinds:
            return kinds
    return frozenset()


def _kinds_of_noun(noun: str) -> frozenset[str]:
    from mensura.texts.wordnet import wordnet

    if noun[:1].isupper():
        return frozenset({of_lists()[noun]} if noun in of_lists() else ())
    nouns = wordnet().nouns
    singular = noun.removesuffix("s")  # "eyes" is a lemma of its own, and a plural
    found = set()
    for lemma in (nouns.morphy(noun), nouns.morphy(singular)):
        if lemma:
            senses: Senses = "common" if nouns.tagged(lemma) >= FEWEST_TAGS else "all"
            found |= {one.removeprefix("noun.") for one in nouns.supersenses(lemma, senses)}
    if noun in of_lists():
        found.add(of_lists()[noun])
    return frozenset(found)
