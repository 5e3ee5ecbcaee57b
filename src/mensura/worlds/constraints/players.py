"""How each compiled algorithm is played: the memory that its kernel needs, and the calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import prf_array
from mensura.worlds.constraints.algorithms.max_sum import NOISE
from mensura.worlds.constraints.dynamic_programming import DPOP
from mensura.worlds.constraints.flat import starts
from mensura.worlds.constraints.kernels import (
    abt,
    abt_view,
    awcs,
    links,
    local_search,
    max_sum,
    nogoods,
    sayings,
)
from mensura.worlds.constraints.kernels.board import Known
from mensura.worlds.constraints.playing import LONGEST_NUMBER, Player, Playing, named_most


class LocalSearch:
    """DSA and MGM."""

    kinds: ClassVar[tuple[str, ...]] = ("round",)

    def __init__(self, playing: Playing, form: int = -1) -> None:
        """``form``: of DSA; -1: MGM."""
        self.p, self.form = playing, form
        known = playing.arrays.known
        self.costs = np.zeros(int(known.sizes.max(initial=1)))
        count = len(known.sizes)
        self.letters = np.zeros((count, 2), np.int64)
        self.best, self.gain = np.zeros(count, np.int64), np.zeros(count)
        self.most_near = int(np.diff(known.near_first).max(initial=0))

    def play(self, most: int) -> int:
        """Whoever has more neighbors than letters to write is not played here."""
        p = self.p
        if self.most_near + 1 > p.letters:
            return -1
        rounds = int(p.parameters["rounds"])
        shared = (p.arrays.known, p.ledger, p.course)
        if self.form < 0:
            played: int = local_search.mgm(
                *shared, self.letters, self.costs, self.gain, self.best, rounds, most
            )
            return played
        played = local_search.dsa(
            *shared,
            p.keys,
            p.arrays.least,
            self.letters,
            self.costs,
            self.form,
            float(p.parameters["p"]),
            rounds,
            most,
        )
        return played


def numbers(*shape: int, fill: int = -1) -> npt.NDArray[np.int32]:
    """Room for whole numbers."""
    return np.full(shape, fill, np.int32)


zeros = partial(numbers, fill=0)


def room_for_letters(known: Known) -> tuple[links.Boxes, links.Links, links.Post]:
    """Empty boxes, and room for links between neighbors and for two letters by each."""
    count, near = len(known.sizes), len(known.near)
    boxes = links.Boxes(
        block=numbers(count),
        degree=zeros(count),
        first=zeros(count + 1),
        letters=zeros(count),
        named=zeros(2, count),
        at=numbers(count),
        whose=np.zeros(count, np.int64),
        before=np.zeros(count, np.int64),
    )
    records = links.Links(
        row=numbers(near, links.WIDTH),
        group_link=numbers(len(known.others)),
        blocks=numbers(near // links.LISTED + count, links.LISTED + 1),
        whom=numbers(near // links.LISTED + count, links.LISTED + 1),
    )
    letters = 2 * near + 64
    return boxes, records, links.Post(numbers(letters, 4), numbers(letters, 4))


def room_for_sayings(known: Known) -> sayings.Sayings:
    """Nothing was said yet."""
    count = len(known.sizes)
    return sayings.Sayings(
        np.zeros(1024, np.uint64), np.zeros(2, np.int64), zeros(count), np.zeros(count, np.int64)
    )


class Growing:
    """An algorithm whose letters and links grow: played again from where it stopped, with more room of a kind."""

    kinds: ClassVar[tuple[str, ...]] = ("ok?", "nogood", "add-link")
    out: npt.NDArray[np.int64]
    post: links.Post
    links: links.Links
    sayings: sayings.Sayings
    agents: Any

    def play(self, most: int) -> int:
        """Play, and make more room whenever there is too little."""
        while True:
            played = self._played(most)
            wanted = int(self.out[0])
            if wanted == links.DONE:
                return played
            if wanted == links.TOO_LONG:
                return -1
            if wanted == links.NO_LETTERS:
                self.post = doubled(self.post, ("written", "boxes"))
            elif wanted == links.NO_LINKS:
                self.links = doubled(self.links, ("row",))
                self.agents = doubled(self.agents, ("mark",))
            elif wanted == links.NO_BLOCKS:
                self.links = doubled(self.links, ("blocks", "whom"))
            elif wanted == links.NO_SAYINGS:
                before = self.sayings.table
                self.sayings = self.sayings._replace(table=np.zeros(2 * before.size, np.uint64))
                sayings.rehash_sayings(before, self.sayings.table)
            else:
                self._grow_own(wanted)

    def _played(self, most: int) -> int:
        """How many cycles were played."""
        raise NotImplementedError

    def _grow_own(self, wanted: int) -> None:
        raise NotImplementedError


class AWCS(Growing):
    """Weak-commitment search, whose links and nogoods grow."""

    def __init__(self, playing: Playing, by_view: bool = False) -> None:
        self.p, self.by_view = playing, by_view
        known = playing.arrays.known
        count, size = len(known.sizes), int(known.sizes.max(initial=1))
        self.use = np.zeros(nogoods.USES, np.int64)
        self.out = np.zeros(2, np.int64)
        self.boxes, self.links, self.post = room_for_letters(known)
        self.sayings = room_for_sayings(known)
        near = len(known.near)
        self.agents = awcs.Agents(
            priority=zeros(count),
            highest=numbers(count),
            over=zeros(count),
            sent=numbers(count),
            linked=zeros(count),
            kept=zeros(count),
            broken=numbers(len(known.own)),
            broken_now=zeros(size),
            shortest=zeros(size),
            why=np.zeros(size, np.int64),
            empty=zeros(size),
            union=zeros(count),
            mark=np.zeros(near, np.int64),
            head=numbers(16),
        )
        members = (numbers(1024), numbers(1024))
        self.nogoods = nogoods.Nogoods(
            numbers(256),
            numbers(256),
            np.zeros(256, np.uint64),
            numbers(256),
            *members,
            numbers(512),
            numbers(4096),
        )
        awcs.link_neighbors(known, self.boxes, self.agents, self.links, self.use)

    def _played(self, most: int) -> int:
        p = self.p
        played: int = awcs.awcs(
            p.arrays.known,
            p.ledger,
            p.course,
            self.boxes,
            self.agents,
            self.links,
            self.nogoods,
            self.post,
            self.sayings,
            self.use,
            self.out,
            self.by_view,
            int(p.parameters.get("longest", 0)),
            p.letters,
            named_most(p),
            most,
        )
        return played

    def _grow_own(self, wanted: int) -> None:
        """Double the room of a kind that this algorithm has alone."""
        if wanted == awcs.NO_WATCHES:
            self.agents = doubled(self.agents, ("head",))
        elif wanted == awcs.NO_COPIES:
            self.nogoods = doubled(self.nogoods, ("pool",))
        elif wanted == awcs.NO_MEMBERS:
            self.nogoods = doubled(self.nogoods, ("agent", "value"))
        else:
            names = ("first", "length", "code", "copies", "table")
            self.nogoods = doubled(self.nogoods, names)
            nogoods.rehash(self.nogoods, self.use)


class ABT(Growing):
    """Asynchronous backtracking with links that are kept."""

    def __init__(self, playing: Playing) -> None:
        self.p = playing
        known = playing.arrays.known
        count, near, values = len(known.sizes), len(known.near), len(known.own)
        pairs = int(np.diff(known.others_first).max(initial=0))
        self.use, self.out = np.zeros(abt_view.USES, np.int64), np.zeros(2, np.int64)
        self.use[abt_view.POOL] = values * (1 + 2 * pairs)
        self.boxes, self.links, self.post = room_for_letters(known)
        self.sayings = room_for_sayings(known)
        self.agents = abt_view.Agents(
            rank=playing.arrays.ranks,
            mine=zeros(len(known.parts)),
            over=zeros(count),
            changed=zeros(count),
            news=zeros(count),
            removed=zeros(values),
            gone=zeros(count),
            reason=np.arange(values, dtype=np.int32) * (1 + 2 * pairs),
            room=numbers(values, fill=pairs),
            pool=zeros(2 * values * (1 + 2 * pairs) + 64),
            members=zeros(2, 1024),
            union=zeros(count),
            mark=np.zeros(near, np.int64),
        )
        abt.open_abt(known, self.boxes, self.agents, self.links, self.use)

    def _played(self, most: int) -> int:
        p = self.p
        played: int = abt.abt(
            p.arrays.known,
            p.ledger,
            p.course,
            self.boxes,
            self.agents,
            self.links,
            self.post,
            self.sayings,
            self.use,
            self.out,
            p.letters,
            named_most(p),
            most,
        )
        return played

    def _grow_own(self, wanted: int) -> None:
        """Double the room of a kind that this algorithm has alone."""
        if wanted == abt.NO_REASONS:
            self.agents = doubled(self.agents, ("pool",))
        else:
            members = self.agents.members
            self.agents = self.agents._replace(members=np.concatenate([members, members], axis=1))


Arrayed = TypeVar("Arrayed", links.Links, links.Post, abt_view.Agents, awcs.Agents, nogoods.Nogoods)


def doubled(arrays: Arrayed, names: Sequence[str]) -> Arrayed:
    """With twice the room in some of its arrays."""
    more = {name: np.concatenate([one := getattr(arrays, name), one]) for name in names}
    return arrays._replace(**more)


class MaxSum:
    """Max-Sum, whose letters are as long as the factors that two agents share."""

    kinds: ClassVar[tuple[str, ...]] = ("round",)

    def __init__(self, playing: Playing) -> None:
        self.p = playing
        known = playing.arrays.known
        owner = np.repeat(np.arange(len(known.sizes)), np.diff(known.group_first))
        said_first = starts(known.sizes[owner])
        others_first, others = known.others_first.tolist(), known.others.tolist()
        first: dict[tuple[int, frozenset[int]], int] = {}
        factors: list[frozenset[int]] = []
        words: Counter[tuple[int, int]] = Counter()
        for group, (agent, place) in enumerate(
            zip(owner.tolist(), said_first.tolist(), strict=False)
        ):
            around = others[others_first[group] : others_first[group + 1]]
            factors.append(frozenset((agent, *around)))
            first[agent, factors[-1]] = place
            words.update({(agent, one): int(known.sizes[agent]) for one in around})
        partner = [
            first[other, factor]
            for group, factor in enumerate(factors)
            for other in others[others_first[group] : others_first[group + 1]]
        ]
        self.longest = max(words.values(), default=0)
        values = len(known.own)
        agent_of = np.repeat(np.arange(len(known.sizes)), known.sizes)
        number = np.arange(values) - known.own_first[agent_of]
        drawn = prf_array(playing.keys[agent_of], number.astype(np.uint64), 0)
        noise = (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53
        total = int(said_first[-1])
        self.talk = max_sum.Talk(
            said_first,
            np.array(partner, np.int64),
            np.zeros(total),
            np.zeros(total),
            known.own + NOISE * noise,
            np.zeros(total),
            np.zeros(int(known.sizes.max(initial=1))),
            np.array([sum(words.values())], np.int64),
            np.zeros(len(known.sizes), np.int64),
        )
        self.most_near = int(np.diff(known.near_first).max(initial=0))

    def play(self, most: int) -> int:
        """Whoever has more or longer letters to write than is allowed is not played here."""
        p = self.p
        if self.most_near + 1 > p.letters or LONGEST_NUMBER * (self.longest + 1) > p.longest:
            return -1
        played: int = max_sum.max_sum(
            p.arrays.known,
            p.ledger,
            p.course,
            self.talk,
            float(p.parameters["damping"]),
            int(p.parameters["rounds"]),
            most,
        )
        return played


class Compiled(NamedTuple):
    """An algorithm that can be played compiled."""

    make: Callable[[Playing], Player]
    pace: float
    """Actions a second and core, roughly; of AWCS, with hundreds of agents where problems are hard."""
    hard: bool = False
    """Whether it takes only problems in which tuples are allowed or forbidden."""


PLAYERS: Mapping[str, Compiled] = {
    "dsa": Compiled(partial(LocalSearch, form=local_search.B), 5e6),
    **{
        f"dsa-{letter}": Compiled(partial(LocalSearch, form=form), 5e6)
        for form, letter in enumerate("abcde")
    },
    "mgm": Compiled(LocalSearch, 5e6),
    "abt": Compiled(ABT, 6e5, hard=True),
    "max-sum": Compiled(MaxSum, 4e5),
    "dpop": Compiled(DPOP, 2e6),
    "awcs": Compiled(AWCS, 1.3e5, hard=True),
    "awcs-view": Compiled(partial(AWCS, by_view=True), 1.3e5, hard=True),
}
