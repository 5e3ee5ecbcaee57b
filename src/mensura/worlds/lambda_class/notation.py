"""How rules of Markov algorithms are written: the extended notation of section 3.6.6, read character by character.

A **symbol** is one character, or one with a subscript: ``π``, ``ω_1``, ``E_I``. A subscript is a run of digits, one
letter, or anything of letters and digits in braces, ``a_{up}``; a blank separates where one could read on, and has no
other meaning. A **word** is symbols in a row.

A **rule** is ``left -> right``, or ``left ->. right`` where it ends the algorithm (``→`` and ``→·`` do as well). Each
side is a word, possibly empty, in which some marks stand for several words (Insa-Cabrera, 2011, section 3.6.6):

    [a]  [a|b]              optional: one of these words, or none
    (a|bc)                  alternatives: one of these words
    χ                       any symbol of the alphabet
    (χ∉{a, b})              any symbol of the alphabet except these
    (a|b)_1  χ_1  [a]_1     with a subscript, wherever the same thing stands again it is the same word

    Δ                       on the right: puts the whole string, as rewritten, in the memory
    a^Δ  (a|b)^Δ            puts only this in the memory when the rule is applied
    ∇                       on the right: the word in the memory, as it was before the rule

The right side says nothing new: what stands there with a subscript stands on the left too, and ``[ ]`` without a
subscript is there when all that it refers to is. A rule in this notation is short for the plain rules with every choice
in place, in order: the leftmost choice changes slowest, and an optional part is absent last. A backslash takes a
character as a symbol and not as a mark: ``\\(``. The marks Δ, ∇ and χ cannot be symbols.
"""

from __future__ import annotations

from dataclasses import replace

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_class.misreading import misread
from mensura.worlds.lambda_class.rules import (
    ANY,
    DIGITS,
    EXCEPT,
    MARKS,
    NEVER,
    RECALL,
    STORE,
    AnySymbol,
    Choice,
    Item,
    Recall,
    Rule,
    Side,
    StoreString,
    Symbol,
    Word,
)

_DEEPEST = 50
"""How deep choices may stand in one another."""


def read_rule(text: str, what: str = "The rule") -> Rule:
    """The rule that a text describes; errors name it as `what` and point at the character."""
    return _Reader(text, what).rule()


def read_word(text: str) -> Word:
    """The symbols of a text without marks, where only subscripts and backslashes mean anything.

    >>> read_word("πω_2A_1:⊙")
    ('π', 'ω_2', 'A_1', ':', '⊙')
    """
    reader = _Reader(text, "The word")
    word = []
    while not reader.ended:
        char = reader.peek()
        if char in NEVER or char == "_":
            raise reader.wrong("a symbol belongs there")
        word.append(reader.symbol())
    return tuple(word)


class _Reader:
    """Reads symbols, words and rules from left to right."""

    def __init__(self, text: str, what: str) -> None:
        self.text, self.what = text, what
        self.at = 0
        self.end = len(text)
        self.depth = 0

    @property
    def ended(self) -> bool:
        """Whether nothing but blanks is left."""
        while self.at < self.end and self.text[self.at].isspace():
            self.at += 1
        return self.at >= self.end

    def peek(self) -> str:
        return "" if self.ended else self.text[self.at]

    def take(self, expected: str) -> bool:
        """Step over this character if it is the next one, blanks aside."""
        if self.peek() != expected:
            return False
        self.at += 1
        return True

    def wrong(self, right: str, at: int | None = None) -> MensuraError:
        return misread(self.what, self.text, self.at if at is None else at, right)

    # Rules

    def rule(self) -> Rule:
        arrow, after = self.arrow()
        self.end = arrow
        left = self.side(right=False, closing="")
        self.at, self.end = after, len(self.text)
        terminating = self.take(".") or self.take("·")
        right = self.side(right=True, closing="")
        try:
            return Rule(left, right, terminating)
        except MensuraError as error:
            raise MensuraError(
                f"{self.what} '{self.text.strip()}' has no meaning: {error}"
            ) from None

    def arrow(self) -> tuple[int, int]:
        """Where the arrow begins and ends."""
        at = 0
        while at < len(self.text):
            if self.text[at] == "\\":
                at += 2
            elif self.text.startswith("->", at):
                return at, at + 2
            elif self.text[at] == "→":
                return at, at + 1
            else:
                at += 1
        raise self.wrong("an arrow -> belongs between its two sides", len(self.text))

    def side(self, right: bool, closing: str) -> Side:
        """Items up to a bracket that closes, or | in brackets, or the end."""
        items: list[Item] = []
        while not self.ended:
            char = self.peek()
            if closing and char in (closing, "|"):
                break
            items.append(self.item(char, right))
        return tuple(items)

    def item(self, char: str, right: bool) -> Item:
        begin = self.at
        if char in "([":
            item: AnySymbol | Choice = self.bracket(char, right)
        elif char == ANY:
            item = self.any_symbol()
        elif char in (STORE, RECALL):
            if not right:
                raise self.wrong(
                    f"{char} belongs on the right; ^Δ after a symbol on the left stores it"
                )
            self.at += 1
            return StoreString() if char == STORE else Recall()
        elif char in MARKS and char != "\\":
            raise self.wrong(f"a symbol belongs there, and \\{char} is the symbol {char}")
        else:
            return Symbol(self.symbol(), self.stored())
        subscript = self.subscript()
        if subscript and item.subscript:
            raise self.wrong("one subscript is enough", begin)
        return replace(item, subscript=subscript or item.subscript, stored=self.stored())

    def bracket(self, opening: str, right: bool) -> AnySymbol | Choice:
        begin = self.at
        self.at += 1
        if opening == "(" and self.peek() == ANY:
            inner = self.at
            symbol = self.any_symbol()
            if self.take(EXCEPT):
                excluded = self.excluded()
                self.close(")", begin)
                return AnySymbol(excluded, symbol.subscript)
            self.at = inner
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.wrong(f"choices stand in one another {_DEEPEST} deep at most", begin)
        closing = ")" if opening == "(" else "]"
        words = [self.side(right, closing)]
        while self.take("|"):
            words.append(self.side(right, closing))
        self.close(closing, begin)
        self.depth -= 1
        return Choice(tuple(words), opening == "[")

    def close(self, closing: str, begin: int) -> None:
        if not self.take(closing):
            raise self.wrong(f"{closing} belongs there, for the bracket of character {begin + 1}")

    def any_symbol(self) -> AnySymbol:
        self.at += 1
        return AnySymbol((), self.subscript())

    def excluded(self) -> Word:
        begin = self.at
        if not self.take("{"):
            raise self.wrong("symbols in braces belong there, as in (χ∉{a, b})")
        symbols: list[str] = []
        while not self.take("}"):
            if symbols and not self.take(","):
                raise self.wrong(f", or }} belongs there, for the brace of character {begin + 1}")
            char = self.peek()
            if self.ended or char in NEVER or char in "{},_":
                raise self.wrong("a symbol belongs there")
            symbols.append(self.symbol())
        return tuple(symbols)

    # Symbols

    def symbol(self) -> str:
        """The next symbol; the caller has seen that there is one."""
        if self.text[self.at] == "\\":
            self.at += 1
            if self.at >= self.end or self.text[self.at].isspace() or self.text[self.at] in NEVER:
                raise self.wrong("a character that is to be a symbol belongs there, after \\")
        base = self.text[self.at]
        self.at += 1
        subscript = self.subscript()
        return f"{base}_{subscript}" if subscript else base

    def subscript(self) -> str:
        """What follows _, directly; empty if there is none."""
        if self.at >= self.end or self.text[self.at] != "_":
            return ""
        self.at += 1
        braced = self.at < self.end and self.text[self.at] == "{"
        self.at += braced
        begin = self.at
        while self.at < self.end and self.text[self.at].isalnum():
            if not braced and self.at > begin and self.text[begin : self.at + 1].strip(DIGITS):
                break
            self.at += 1
        subscript = self.text[begin : self.at]
        if not subscript:
            raise self.wrong("a subscript of letters or digits belongs there, after _")
        if braced:
            if self.at >= self.end or self.text[self.at] != "}":
                raise self.wrong("} belongs there, after the letters or digits of a subscript")
            self.at += 1
        return subscript

    def stored(self) -> bool:
        """Whether ^Δ follows."""
        if self.peek() != "^":
            return False
        self.at += 1
        if not self.take(STORE):
            raise self.wrong("Δ belongs there, after ^")
        return True
