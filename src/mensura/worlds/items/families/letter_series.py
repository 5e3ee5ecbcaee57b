"""Letter series: what comes next in c a d a e a f? After Simon and Kotovsky (1963).

The letters of a series come from up to three pointers on the circular alphabet, which runs forward or back. A period
of up to four places says for each place which pointer is written there and how far it is moved afterwards. A rule is
``(direction, ((pointer, move), ...))``, a place after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from string import ascii_lowercase

from mensura.worlds.items.families.family import (
    Dice,
    Family,
    Item,
    Part,
    Rule,
    code,
    finished,
    in_cube,
    measured,
    verdict,
)

LETTERS = 26
PERIODS, POINTERS = 4, 3
MOVES = (0, 1, -1, 2)
"""Same, next, prior, next twice."""


def partitions(period: int) -> list[tuple[int, ...]]:
    """Which pointer each place of a period has, pointers numbered as they first come."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(period):
        found = [
            (*one, pointer)
            for one in found
            for pointer in range(min(max(one, default=-1) + 2, POINTERS))
        ]
    return found


PARTITIONS = tuple(one for period in range(1, PERIODS + 1) for one in partitions(period))


@lru_cache(maxsize=64)
def bits_of(period: int, pointers: int) -> float:
    """The bits of all rules of so many places and pointers: the period, the pointers, the direction, and the places."""
    places = period * (code(len(MOVES)) + code(pointers))
    return code(PERIODS) + code(POINTERS) + code(2) + places


def written(rule: Rule, starts: Sequence[int], length: int) -> list[int]:
    """The first letters of a series, as numbers from 0."""
    direction, places = rule
    pointers = list(starts)
    letters = []
    for number in range(length):
        pointer, move = places[number % len(places)]
        letters.append(pointers[pointer] % LETTERS)
        pointers[pointer] += direction * move
    return letters


def rivals(letters: Sequence[int]) -> dict[int, float]:
    """Every next letter that a rule of the grammar gives, with the bits of the cheapest such rule.

    Of places that belong to given pointers the letters themselves tell the moves, so that there is at most one rule
    for every way to share the places among pointers; only a place that was not left yet may move in any way.
    """
    found: dict[int, float] = {}
    length = len(letters)
    for owners in PARTITIONS:
        period = len(owners)
        bits = bits_of(period, max(owners) + 1)
        last: dict[int, int] = {}
        moves: dict[int, int] = {}
        for number in range(length):
            place = number % period
            owner = owners[place]
            if owner in last:
                before = last[owner]
                moved = (letters[number] - letters[before]) % LETTERS
                if moves.setdefault(before % period, moved) != moved:
                    break
            last[owner] = number
        else:
            before = last[owners[length % period]]
            known = set(moves.values())
            for allowed in _FORWARD, _BACK:
                if not known <= allowed:
                    continue
                seen = moves.get(before % period)
                for move in allowed if seen is None else (seen,):
                    after = (letters[before] + move) % LETTERS
                    found[after] = min(bits, found.get(after, bits))
    return found


_FORWARD = {move % LETTERS for move in MOVES}
_BACK = {-move % LETTERS for move in MOVES}


class LetterSeries(Family):
    """Periods of letters that pointers write."""

    name = "letter-series"
    question = "Which letter comes next? After z comes a again."
    form = "one small letter, as k"
    longest, characters = 1, ascii_lowercase
    parts, width, highest = 15, 1, LETTERS - 1

    def all_rules(self) -> Sequence[Rule]:
        """Those in which something moves; back only where that makes a difference."""
        found: list[Rule] = []
        for owners in PARTITIONS:
            for moves in product(MOVES, repeat=len(owners)):
                if any(moves):
                    places = tuple(zip(owners, moves, strict=True))
                    found.append((1, places))
                    if 2 in moves:
                        found.append((-1, places))
        return found

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """Places are the elements, pointers have to be remembered, and those that move are operated on."""
        places = rule[1]
        pointers = 1 + max(pointer for pointer, _ in places)
        return measured(
            bits=bits_of(len(places), pointers),
            elements=len(places),
            memory=pointers,
            operations=sum(move != 0 for _, move in places),
        )

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """About three periods, ended anywhere."""
        places = rule[1]
        period = len(places)
        starts = [dice.below(LETTERS) for _ in range(1 + max(pointer for pointer, _ in places))]
        length = max(6, 3 * period) + dice.below(period)
        series = written(rule, starts, length + 2)
        answer = series[length]
        told = verdict(bits_of(period, len(starts)), answer, rivals(series[:length]))
        if told:
            return told
        # What a neighboring place would write, then others nearby; either way round, so that no letter of the options
        # is more likely than another.
        neighbor = (dice.pick((series[length - 1], series[length + 1])) - answer) % LETTERS
        steps = (neighbor or 3, 2 if neighbor in (1, LETTERS - 1) else 1, 5)
        changes = [dice.sign() * step for step in steps]
        made = in_cube(changes, lambda letter, step: (letter + step) % LETTERS, answer, options)
        return finished([(one,) for one in series[:length]], [(one,) for one in made], dice)

    def text(self, part: Part) -> str:
        """A small letter."""
        return chr(ord("a") + part[0])

    def read(self, text: str) -> Part:
        """A small letter."""
        if len(text) != 1 or not "a" <= text <= "z":
            raise self.wrong_form(text)
        return (ord(text) - ord("a"),)
