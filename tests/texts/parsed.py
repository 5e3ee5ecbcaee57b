"""Parsed sentences for tests, written by hand: a word as form/lemma/part/head/relation, words apart by spaces."""

from __future__ import annotations

from mensura.texts.sentences import Sentence, Token


def sentence(words: str) -> Sentence:
    tokens = []
    for word in words.split():
        form, lemma, part, head, relation = word.split("/")[:5]
        tokens.append(Token(form, lemma or form.lower(), part, int(head), relation))
    return Sentence(tuple(tokens), " ".join(token.form for token in tokens))
