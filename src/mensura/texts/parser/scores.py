"""How right a parser is, against a treebank (by the measures of the CoNLL 2018 shared task)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mensura.texts.parser.network import Network
from mensura.texts.parser.tokens import words_in
from mensura.texts.sentences import Sentence, Token


class Scores(NamedTuple):
    """Shares of words, punctuation included, given the treebank's words and sentences."""

    words: int
    uas: float
    """The right head."""
    las: float
    """The right head and the right relation, subtypes aside (as in the CoNLL 2018 shared task)."""
    upos: float
    lemmas: float
    features: float


class RawScores(NamedTuple):
    """The same where the words are found in the text of each sentence: F1, so that words too many count as well."""

    words: float
    uas: float
    las: float


def scores(network: Network, gold: Sequence[Sentence]) -> Scores:
    """Compare what a network tells of the words of these sentences with what the treebank says."""
    found = network.parse([[one.form for one in s.tokens] for s in gold])
    right = [0] * 5
    total = 0
    for sentence, tokens in zip(gold, found, strict=True):
        for is_, told in zip(sentence.tokens, tokens, strict=True):
            total += 1
            headed = is_.head == told.head
            same = _same_relation(is_, told)
            right[0] += headed
            right[1] += headed and same
            right[2] += is_.upos == told.upos
            right[3] += is_.lemma == told.lemma
            right[4] += is_.features == told.features
    uas, las, upos, lemmas, features = (one / max(total, 1) for one in right)
    return Scores(total, uas, las, upos, lemmas, features)


def raw_scores(network: Network, gold: Sequence[Sentence]) -> RawScores:
    """Compare what comes of the bare text of these sentences with what the treebank says of them."""
    found = [words_in(one.text) for one in gold]
    parsed = network.parse([[word.form for word in words] for words in found])
    right = [0] * 3
    total = 0
    for sentence, words, tokens in zip(gold, found, parsed, strict=True):
        total += len(sentence.tokens) + len(words)
        spans = {(one.start, one.end): one for one in sentence.tokens}
        for word, told in zip(words, tokens, strict=True):
            is_ = spans.get((word.start, word.end))
            if is_ is None:
                continue
            head = (words[told.head - 1].start, words[told.head - 1].end) if told.head else None
            above = sentence.tokens[is_.head - 1] if is_.head else None
            headed = head == ((above.start, above.end) if above else None)
            right[0] += 1
            right[1] += headed
            right[2] += headed and _same_relation(is_, told)
    return RawScores(*(2 * one / max(total, 1) for one in right))


def _same_relation(one: Token, other: Token) -> bool:
    return one.relation.partition(":")[0] == other.relation.partition(":")[0]
