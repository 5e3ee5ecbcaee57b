"""Letter-string analogies by a parallel terraced scan, after Copycat (Hofstadter and Mitchell, 1984-93).

M. Mitchell: Analogy-Making as Perception (1993). Small steps, called codelets, are drawn from a rack by their
urgency. Each looks at one possible structure a little: a scout proposes it, a tester may drop it, a builder builds it
if it wins against what contradicts it. There are three kinds: groups of equal letters in the string that is asked
about, rules that say what was changed and how, and bridges from the letter that was changed to what plays its role. A
temperature is high while little is built, and lets choices be nearly even; when it is low they are nearly certain,
and an answer becomes likely. An answer that cannot be made (z has no successor) is a snag: temperature goes up, and
structures are lost.

So an analogy has a distribution of answers: :func:`answers` gives it. As in the original one letter of the first
string must have been changed, and nothing else; of other changes it has no idea.

Departures: concepts have fixed depths (`DEPTHS`, our numbers) and no spreading activation; bonds are left out, since
groups and directions are looked at directly; groups are of equal letters only. Urgencies and strengths were chosen so
that the two distributions in the tests come near those published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.worlds.items.families.family import Dice, Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import LETTERS, Chooser, are_letters

Letters = tuple[int, ...]

DEPTHS = {
    "position": 70,
    "letter": 6,
    "relation": 60,
    "literal": 12,
    "plain": 60,
    "length": 42,
    "other end": 38,
    "opposite": 42,
}
"""How deep concepts are, from 0 to 100: deeper ones make stronger structures."""
HOT = 100.0
CODELETS = 300
"""So many are run at most."""
KINDS = ("group", "rule", "bridge", "breaker")
URGENCIES = {"group": 52.0, "rule": 60.0, "bridge": 60.0, "breaker": 6.0}
FINE = 1 << 20
"""Draws are this fine."""


@dataclass(frozen=True)
class Rule:
    """What was changed: the letter in a position or of a category; to its neighbor in the alphabet or to a letter."""

    by: str
    to: str

    @property
    def strength(self) -> float:
        """Deep concepts make it strong."""
        return (DEPTHS[self.by] + DEPTHS[self.to]) / 2


@dataclass(frozen=True)
class Bridge:
    """What plays the role of the letter that was changed."""

    grouped: bool
    """A whole group, where the letter is in one that was built."""
    other_end: bool
    """At the other end of the string."""
    opposite: bool
    """The neighbor on the other side in the alphabet."""
    length: bool
    """Of a group, the length takes the part of the letter."""

    @property
    def strength(self) -> float:
        """Concepts that slip into others make it weak."""
        slips = [
            ("length", self.length),
            ("other end", self.other_end),
            ("opposite", self.opposite),
        ]
        slipped = [DEPTHS[name] for name, does in slips if does]
        return min(slipped, default=DEPTHS["plain"])


@dataclass
class Scan:
    """One run: the strings, and what was built so far."""

    before: Letters
    after: Letters
    asked: Letters
    dice: Dice
    temperature: float = HOT
    groups: set[int] = field(default_factory=set)
    """The numbers of the runs of equal letters that were seen as groups."""
    rule: Rule | None = None
    bridge: Bridge | None = None
    snags: int = 0

    def __post_init__(self) -> None:
        """Find what was changed."""
        places = [
            place
            for place, (a, b) in enumerate(zip(self.before, self.after, strict=False))
            if a != b
        ]
        self.place = places[0] if len(places) == 1 and len(self.before) == len(self.after) else None
        self.runs = [tuple(run) for _, run in groupby(self.asked)]

    def run(self) -> Letters | None:
        """The answer; None where there is none."""
        if self.place is None:
            return None
        for _ in range(CODELETS):
            kind = self._drawn({one: URGENCIES[one] for one in KINDS}, adjusted=False)
            self._codelet(kind)
            self._cool()
            if self.rule is not None and self.bridge is not None and self._ready():
                found = self._translated(self.rule, self.bridge)
                if found is not None:
                    return found
                self.snags += 1
                self.temperature, self.rule, self.bridge = HOT, None, None
        return None

    # Draws

    def _chance(self) -> float:
        return self.dice.below(FINE) / FINE

    def _sharpened(self, value: float) -> float:
        """A value from 0 to 100 as a weight: values count for more the colder it is."""
        return float(value ** ((HOT - self.temperature) / 30 + 0.5))

    def _drawn(self, weights: Mapping[Any, float], *, adjusted: bool = True) -> Any:
        scaled = {
            one: self._sharpened(weight) if adjusted else weight for one, weight in weights.items()
        }
        left = self._chance() * sum(scaled.values())
        for one, weight in scaled.items():
            left -= weight
            if left < 0:
                return one
        return one

    def _passes(self, strength: float) -> bool:
        """Whether a tester lets a structure through: weak ones while it is hot."""
        eased = strength + (HOT - strength) * (self.temperature / HOT) * 0.35
        return self._chance() < eased / HOT

    def _beats(self, strength: float, other: float | None) -> bool:
        """Whether a builder wins against what stands in its way."""
        if other is None:
            return True
        mine, theirs = self._sharpened(strength), self._sharpened(other)
        return self._chance() < mine / (mine + theirs)

    # Codelets

    def _codelet(self, kind: str) -> None:
        if kind == "group":
            number = self.dice.below(len(self.runs))
            size = len(self.runs[number])
            if size > 1 and number not in self.groups and self._passes(30.0 + 10.0 * min(size, 5)):
                self.groups.add(number)
                if self.bridge is not None and not self.bridge.grouped:
                    self.bridge = None  # it ended at a letter that is now part of a whole
        elif kind == "rule":
            self._propose_rule()
        elif kind == "bridge":
            self._propose_bridge()
        elif self._chance() < (self.temperature / HOT) ** 2:
            self._break()

    def _propose_rule(self) -> None:
        by = self._drawn({name: DEPTHS[name] for name in ("position", "letter")})
        literal = {"literal": float(DEPTHS["literal"])}
        # Each snag makes it less likely that the same is tried once more.
        near = {"relation": DEPTHS["relation"] / (1 + self.snags) ** 2}
        related = near if abs(self._step) == 1 else {}
        made = Rule(by, self._drawn(literal | related))
        other = None if self.rule is None else self.rule.strength
        if made != self.rule and self._passes(made.strength) and self._beats(made.strength, other):
            self.rule = made

    def _propose_bridge(self) -> None:
        turned = _direction(self.before) * _direction(self.asked) < 0
        other_end = turned and self._drawn({True: DEPTHS["other end"], False: DEPTHS["plain"]})
        opposite = (
            turned
            and not other_end
            and self._drawn({True: DEPTHS["opposite"], False: DEPTHS["plain"] / 2})
        )
        run = self._run_at(other_end)
        if run is None:
            return
        grouped = run in self.groups
        length = grouped and self._drawn({True: DEPTHS["length"], False: DEPTHS["plain"]})
        made = Bridge(grouped, bool(other_end), bool(opposite), bool(length))
        other = None if self.bridge is None else self.bridge.strength
        if (
            made != self.bridge
            and self._passes(made.strength)
            and self._beats(made.strength, other)
        ):
            self.bridge = made

    def _break(self) -> None:
        built = [
            *(("group", number) for number in sorted(self.groups)),
            *([("rule", 0)] if self.rule is not None else []),
            *([("bridge", 0)] if self.bridge is not None else []),
        ]
        if not built:
            return
        kind, number = self.dice.pick(built)
        if kind == "rule":
            self.rule = None
        elif kind == "group":
            self.groups.discard(number)
        if kind == "bridge" or (
            self.bridge is not None and self.bridge.grouped and not self.groups
        ):
            self.bridge = None

    def _cool(self) -> None:
        """The temperature falls with what is built."""
        seen = [number in self.groups for number, run in enumerate(self.runs) if len(run) > 1]
        grouped = sum(seen) / len(seen) if seen else 1.0
        rule = 0.0 if self.rule is None else self.rule.strength / 65
        bridge = 0.0 if self.bridge is None else self.bridge.strength / 60
        wanted = HOT * (1 - (0.2 * grouped + 0.4 * rule + 0.4 * bridge))
        self.temperature += 0.25 * (max(wanted, 0.0) - self.temperature)

    def _ready(self) -> bool:
        """Whether an answer is made now: the colder, the likelier."""
        return self._chance() < 0.35 * ((HOT - self.temperature) / HOT) ** 2

    # What is seen

    @property
    def _step(self) -> int:
        assert self.place is not None
        return self.after[self.place] - self.before[self.place]

    def _run_at(self, other_end: bool) -> int | None:
        """The run of letters with the role of the letter that was changed; None where there is none."""
        assert self.place is not None
        last = len(self.before) - 1
        ends = {0: 0, last: len(self.runs) - 1}
        if other_end:
            ends = {0: len(self.runs) - 1, last: 0}
        if self.place in ends:
            return ends[self.place]
        if other_end or self.place >= len(self.asked):
            return None
        if len(self.before) % 2 and self.place == last // 2 and len(self.runs) % 2:
            return len(self.runs) // 2
        at, count = 0, 0
        for at, run in enumerate(self.runs):
            count += len(run)
            if self.place < count:
                return at
        return at

    def _translated(self, rule: Rule, bridge: Bridge) -> Letters | None:
        """What the rule makes of the string by way of the bridge; None: it cannot be done."""
        assert self.place is not None
        if rule.by == "letter":  # the rule names the letter itself, whatever its role
            return tuple(
                self.after[self.place] if one == self.before[self.place] else one
                for one in self.asked
            )
        run = self._run_at(bridge.other_end)
        if run is None:
            return None
        runs = list(self.runs)
        step = -self._step if bridge.opposite else self._step
        if bridge.grouped and bridge.length and rule.to == "relation":
            size = len(runs[run]) + step
            runs[run] = (runs[run][0],) * max(size, 0)
        else:
            made = self.after[self.place] if rule.to == "literal" else runs[run][0] + step
            if not 0 <= made < LETTERS:
                return None
            first = self.place == 0 if not bridge.other_end else self.place > 0
            size = len(runs[run])
            if bridge.grouped:
                runs[run] = (made,) * size
            elif first:
                runs[run] = (made, *runs[run][1:])
            else:
                runs[run] = (*runs[run][:-1], made)
        return tuple(one for each in runs for one in each) or None


def _direction(letters: Letters) -> int:
    """1 where a string goes up the alphabet letter by letter, -1 where it goes down, else 0."""
    steps = {b - a for a, b in pairwise(letters)} - {0}
    return steps.pop() if steps in ({1}, {-1}) else 0


def answers(before: str, after: str, asked: str, runs: int = 1000, key: Key = 0) -> Counter[str]:
    """How often each answer is given to an analogy of strings: answers("abc", "abd", "ijkk")."""
    for text in (before, after, asked):
        if not text or not all("a" <= one <= "z" for one in text):
            raise MensuraError(f"{text!r} is no string of small letters from a to z, as abc is.")
    strings = [tuple(ord(one) - ord("a") for one in text) for text in (before, after, asked)]
    found: Counter[str] = Counter()
    for part, count in distribution(strings, runs, key).items():
        found["".join(chr(ord("a") + one) for one in part)] = count
    return found


def distribution(strings: Sequence[Letters], runs: int, key: Key) -> Counter[Letters]:
    """How often each answer is given; runs that end without one are left out."""
    before, after, asked = strings
    if Scan(before, after, asked, Dice(key)).place is None:
        return Counter()
    made = (Scan(before, after, asked, Dice(fold(key, number))).run() for number in range(runs))
    return Counter(one for one in made if one is not None)


class TerracedScan(Chooser):
    """Letter-string analogies by codelets and temperature, after Copycat (Mitchell, 1993)"""

    def __init__(self, runs: float = 15) -> None:
        super().__init__()
        self.runs = int(runs)

    def written(self, seen: Seen) -> Part | None:
        """The answer that comes most often."""
        found = self._distribution(seen)
        return max(found, key=lambda one: found[one]) if found else None

    def values(self, seen: Seen) -> Sequence[float] | None:
        """How often each option is the answer."""
        found = self._distribution(seen)
        values = [float(found[option]) for option in seen.options]
        return values if any(values) else None

    def _distribution(self, seen: Seen) -> Counter[Part]:
        if len(seen.shown) != 3 or max(map(len, seen.shown)) < 2 or not are_letters(seen):
            return Counter()
        return distribution(seen.shown, self.runs, fold(self.key, 1))
