"""Rules of Markov algorithms: symbols and words, sides with choices in them, and the plain rules they are short for.

:mod:`~mensura.worlds.lambda_class.notation` says how they are written, and reads them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from mensura.agent.errors import MensuraError

Word: TypeAlias = tuple[str, ...]

STORE, RECALL, ANY, EXCEPT = "Δ", "∇", "χ", "∉"

MOST_PLAIN_RULES = 10_000
"""How many plain rules one rule may stand for."""

MARKS = frozenset("[](){}\\^_>→" + EXCEPT)
"""Characters that need a backslash to be symbols wherever they stand."""

NEVER = frozenset((STORE, RECALL, ANY))


# Symbols and words --------------------------------------------------------------


def check_symbol(symbol: str) -> str:
    """The symbol, if it is one."""
    base, subscript = symbol[:1], symbol[2:]
    if not base or base.isspace() or base in NEVER:
        raise MensuraError(
            f"{symbol!r} is no symbol; a symbol begins with a character other than blanks, Δ, ∇ and χ."
        )
    if len(symbol) > 1 and (symbol[1] != "_" or not subscript.isalnum()):
        raise MensuraError(
            f"{symbol!r} is no symbol; after its first character comes nothing, or _ and letters or digits."
        )
    return symbol


def write_word(word: Sequence[str]) -> str:
    """The text that `notation.read_word` reads back."""
    return _join([_write(symbol, frozenset("\\_")) for symbol in word])


def _write(symbol: str, escaped: frozenset[str]) -> str:
    base, subscript = symbol[0], symbol[2:]
    return ("\\" if base in escaped else "") + base + _write_subscript(subscript)


def _write_subscript(subscript: str) -> str:
    if not subscript:
        return ""
    short = len(subscript) == 1 or all(char in DIGITS for char in subscript)
    return f"_{subscript}" if short else f"_{{{subscript}}}"


DIGITS = "0123456789"


def _join(parts: Sequence[str]) -> str:
    """Parts in a row, with a blank where a number would run on."""
    text = ""
    for before, part in itertools.pairwise(("", *parts)):
        numbered = before.rstrip(DIGITS).endswith("_") and before[-1] in DIGITS
        text += (" " if numbered and part[:1] in DIGITS else "") + part
    return text


# Sides of rules -----------------------------------------------------------------


@dataclass(frozen=True)
class Symbol:
    """A symbol that stands for itself."""

    name: str
    stored: bool = False


@dataclass(frozen=True)
class AnySymbol:
    """Any symbol of the alphabet except some; all with one subscript are the same symbol."""

    excluded: Word = ()
    subscript: str = ""
    stored: bool = False


@dataclass(frozen=True)
class Choice:
    """One of several words, or perhaps none; all alike with one subscript are the same word."""

    words: tuple[Side, ...]
    optional: bool = False
    subscript: str = ""
    stored: bool = False


@dataclass(frozen=True)
class StoreString:
    """Puts the whole string in the memory."""


@dataclass(frozen=True)
class Recall:
    """The word in the memory."""


Item: TypeAlias = Symbol | AnySymbol | Choice | StoreString | Recall
Side: TypeAlias = tuple[Item, ...]
_Name: TypeAlias = tuple[object, ...]
_Bound: TypeAlias = dict[_Name, Word]


@dataclass(frozen=True)
class PlainRule:
    """A rule without choices: a word, what replaces it, whether that is the end, and what is stored."""

    left: Word
    right: Word
    """with `RECALL` where the word in the memory belongs"""
    terminating: bool = False
    stores_string: bool = False
    stores: Word | None = None
    """a word to be stored; None for nothing"""


@dataclass(frozen=True)
class Rule:
    """One rule of a program, in the extended notation."""

    left: Side
    right: Side
    terminating: bool = False

    def __post_init__(self) -> None:
        """Raise if a part of the rule has no meaning."""
        for item in _walk(self.left):
            _check_item(item)
        for item in _walk(self.right, into_bound=False):
            _check_item(item, right=True)
        if _stores(self.left) + _stores(self.right) > 1:
            raise MensuraError("A rule stores at most once; it has more than one Δ.")
        always, sometimes = _bound_names(self.left)
        _check_references(self.right, always, sometimes)

    def __str__(self) -> str:
        left = _join(_written(self.left, MARKS))
        right = _written(self.right, MARKS)
        if right and right[0][0] in ".·":
            right[0] = "\\" + right[0]
        arrow = "->." if self.terminating else "->"
        return f"{left} {arrow} {_join(right)}".strip()

    def symbols(self) -> Word:
        """The rule symbol by symbol, marks and the arrow counted as one each: its length is that of the tuple."""
        arrow = "→·" if self.terminating else "→"
        return (*_counted(self.left), arrow, *_counted(self.right))

    def letters(self) -> Iterator[str]:
        """The symbols of the alphabet that the rule names, in their order; some more than once."""
        for item in (*_walk(self.left), *_walk(self.right)):
            if isinstance(item, Symbol):
                yield item.name
            elif isinstance(item, AnySymbol):
                yield from item.excluded

    def plain(self, alphabet: Sequence[str]) -> tuple[PlainRule, ...]:
        """The plain rules that this one is short for, in order (the example of section 3.6.6)."""
        count = _count(self.left, len(alphabet), set())
        if count > MOST_PLAIN_RULES:
            raise MensuraError(
                f"The rule '{self}' is short for {count} plain rules on an alphabet of {len(alphabet)} "
                f"symbols; at most {MOST_PLAIN_RULES} are possible."
            )
        rules = []
        for left, stored, bound in _choices(self.left, alphabet, {}):
            right = _filled(self.right, bound)
            stores = stored if stored is not None else right.stored
            rules.append(PlainRule(left, right.word, self.terminating, right.stores_string, stores))
        return tuple(rules)


def _name(item: Item) -> _Name | None:
    """Under what an item is bound; None without a subscript."""
    if isinstance(item, AnySymbol) and item.subscript:
        return (ANY, item.subscript)
    if isinstance(item, Choice) and item.subscript:
        return (item.optional, _bare(item.words), item.subscript)
    return None


def _bare(words: tuple[Side, ...]) -> object:
    """What a choice is between, whatever is stored of it."""
    return tuple(
        tuple(
            (_bare(i.words), i.optional, i.subscript)
            if isinstance(i, Choice)
            else (i.name,)
            if isinstance(i, Symbol)
            else (i.excluded, i.subscript)
            if isinstance(i, AnySymbol)
            else (type(i).__name__,)
            for i in word
        )
        for word in words
    )


def _walk(side: Side, into_bound: bool = True) -> Iterator[Item]:
    """The items of a side and those in its choices, in their order."""
    for item in side:
        yield item
        if isinstance(item, Choice) and (into_bound or not item.subscript):
            for word in item.words:
                yield from _walk(word, into_bound)


# What a rule may hold -----------------------------------------------------------


def _check_item(item: Item, right: bool = False) -> None:
    if isinstance(item, Symbol):
        check_symbol(item.name)
    elif isinstance(item, AnySymbol):
        for symbol in item.excluded:
            check_symbol(symbol)
        if right and not item.subscript:
            raise MensuraError(
                "χ on the right of a rule needs a subscript that ties it to one on the left."
            )
    elif isinstance(item, Choice):
        if not item.words:
            raise MensuraError("Alternatives are at least one, which may be empty.")
        if right and not item.subscript and (not item.optional or len(item.words) > 1):
            raise MensuraError(
                "Alternatives on the right of a rule need a subscript that ties them to the left."
            )
    elif not right:
        raise MensuraError(
            f"{_counted((item,))[0]} stands on the right of a rule; on the left, ^Δ stores what is under it."
        )


def _stores(side: Side) -> int:
    """How often a side stores, at most."""
    count = 0
    for item in side:
        if isinstance(item, StoreString):
            count += 1
        elif not isinstance(item, Recall):
            count += item.stored
        if isinstance(item, Choice):
            count += max(map(_stores, item.words))
    return count


def _bound_names(side: Side) -> tuple[set[_Name], set[_Name]]:
    """The names that have a word whenever the left side matched, and those that may have one."""
    always: set[_Name] = set()
    sometimes: set[_Name] = set()
    for item in side:
        if (name := _name(item)) is not None:
            always.add(name)
        if isinstance(item, Choice):
            inside = [_bound_names(word) for word in item.words]
            sometimes.update(*(names for _, names in inside))
            if not item.optional:
                always |= set.intersection(*(names for names, _ in inside))
    return always, always | sometimes


def _check_references(right: Side, always: set[_Name], sometimes: set[_Name]) -> None:
    for item in right:
        name = _name(item)
        if name is not None:
            written = "".join(_written((item,), MARKS))
            if name not in sometimes:
                raise MensuraError(
                    f"{written} on the right of a rule stands nowhere on its left, so it could be anything."
                )
            if name not in always:
                raise MensuraError(
                    f"{written} on the right of a rule may be absent on its left; [{written}] would be right."
                )
        elif isinstance(item, Choice):
            (word,) = item.words
            if not list(_references(word)):
                raise MensuraError(
                    "[ ] on the right of a rule holds nothing with a subscript that says when it is there."
                )
            _check_references(word, sometimes, sometimes)


def _references(side: Side) -> Iterator[_Name]:
    """The names that a part of the right side refers to; what stands in a bound choice is not looked at."""
    for item in side:
        name = _name(item)
        if name is not None:
            yield name
        elif isinstance(item, Choice):
            yield from _references(item.words[0])


# What a rule is short for -------------------------------------------------------


def _count(side: Side, letters: int, seen: set[_Name]) -> int:
    """How many words a left side stands for, at most."""
    count = 1
    for item in side:
        name = _name(item)
        if name is not None:
            if name in seen:
                continue
            seen.add(name)
        if isinstance(item, AnySymbol):
            count *= letters
        elif isinstance(item, Choice):
            count *= sum(_count(word, letters, set(seen)) for word in item.words) + item.optional
            seen |= _bound_names((item,))[0]
    return count


def _choices(
    side: Side, alphabet: Sequence[str], bound: _Bound
) -> list[tuple[Word, Word | None, _Bound]]:
    """Every word that a left side stands for, what is stored of it, and what its names stand for."""
    choices: list[tuple[Word, Word | None, _Bound]] = [((), None, bound)]
    for item in side:
        choices = [
            (word + part, stored if stored is not None else stored_now, then)
            for word, stored, now in choices
            for part, stored_now, then in _item_choices(item, alphabet, now)
        ]
    return choices


def _item_choices(
    item: Item, alphabet: Sequence[str], bound: _Bound
) -> Iterator[tuple[Word, Word | None, _Bound]]:
    name = _name(item)
    known = None if name is None else bound.get(name)
    if isinstance(item, Symbol):
        yield (item.name,), (item.name,) if item.stored else None, bound
    elif isinstance(item, AnySymbol):
        for word in [(symbol,) for symbol in alphabet] if known is None else [known]:
            if word[0] not in item.excluded:
                now = bound if name is None else {**bound, name: word}
                yield word, word if item.stored else None, now
    elif isinstance(item, Choice):
        if known is not None:
            yield known, known if item.stored else None, bound
            return
        for side in item.words:
            for word, stored, now in _choices(side, alphabet, bound):
                then = now if name is None else {**now, name: word}
                yield word, word if item.stored else stored, then
        if item.optional:
            yield (), None, bound if name is None else {**bound, name: ()}


class _Filled(NamedTuple):
    """A right side with what its names stand for."""

    word: Word = ()
    stored: Word | None = None
    stores_string: bool = False

    def then(self, part: _Filled) -> _Filled:
        return _Filled(
            self.word + part.word,
            self.stored if part.stored is None else part.stored,
            self.stores_string or part.stores_string,
        )


def _filled(right: Side, bound: _Bound) -> _Filled:
    filled = _Filled()
    for item in right:
        part = _Filled()
        name = _name(item)
        if isinstance(item, StoreString):
            part = _Filled(stores_string=True)
        elif isinstance(item, Recall):
            part = _Filled((RECALL,))
        elif isinstance(item, Symbol):
            part = _Filled((item.name,))
        elif name is not None:
            part = _Filled(bound[name])
        elif isinstance(item, Choice) and all(n in bound for n in _references(item.words[0])):
            part = _filled(item.words[0], bound)
        if isinstance(item, Symbol | AnySymbol | Choice) and item.stored:
            part = part._replace(stored=part.word)
        filled = filled.then(part)
    return filled


# Writing ------------------------------------------------------------------------


def _written(side: Side, escaped: frozenset[str]) -> list[str]:
    """The parts of a side's text."""
    parts: list[str] = []
    for item in side:
        if isinstance(item, Symbol):
            parts.append(_write(item.name, escaped))
        elif isinstance(item, AnySymbol):
            part = ANY + _write_subscript(item.subscript)
            if item.excluded:
                inside = ", ".join(_write(s, MARKS | {","}) for s in item.excluded)
                part = f"({part}{EXCEPT}{{{inside}}})"
            parts.append(part)
        elif isinstance(item, Choice):
            words = "|".join(_join(_written(word, MARKS | {"|"})) for word in item.words)
            brackets = "[]" if item.optional else "()"
            parts.append(brackets[0] + words + brackets[1] + _write_subscript(item.subscript))
        else:
            parts.append(STORE if isinstance(item, StoreString) else RECALL)
        if isinstance(item, Symbol | AnySymbol | Choice) and item.stored:
            parts[-1] += "^" + STORE
    return parts


def _counted(side: Side) -> Word:
    """A side symbol by symbol."""
    parts: list[str] = []
    for item in side:
        if isinstance(item, Symbol):
            parts.append(item.name)
        elif isinstance(item, AnySymbol):
            subscript = [f"_{item.subscript}"] if item.subscript else []
            if item.excluded:
                parts += ["(", ANY, *subscript, EXCEPT, "{", *item.excluded, "}", ")"]
            else:
                parts += [ANY, *subscript]
        elif isinstance(item, Choice):
            parts.append("[" if item.optional else "(")
            for number, word in enumerate(item.words):
                parts += [*(["|"] if number else []), *_counted(word)]
            parts.append("]" if item.optional else ")")
            parts += [f"_{item.subscript}"] if item.subscript else []
        else:
            parts.append(STORE if isinstance(item, StoreString) else RECALL)
        if isinstance(item, Symbol | AnySymbol | Choice) and item.stored:
            parts.append("^" + STORE)
    return tuple(parts)
