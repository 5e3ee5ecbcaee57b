"""A learner that is kept goes on as if nothing had been between, and takes no memory that is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agent.learners.worlds import episodes

from mensura.agent.errors import MensuraError
from mensura.agent.learners import Linear, QLearning, Sarsa
from mensura.agent.memory import sealed, unsealed
from mensura.agent.spaces import Box, Discrete, Record

pytestmark = pytest.mark.quick

SEEN = Record((("at", Box(0.0, 1.0)), ("far", Box(-1e9, 1e9)), ("few", Box(0.0, 3.0, (2,)))))
LEARNERS = [QLearning, Sarsa, Linear]
all_learners = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.name)


def parameters(kind: Any) -> dict[str, float]:
    return {"epsilon": 0.1, "bins": 5, **({"tilings": 3} if kind is Linear else {})}


@pytest.mark.parametrize("before", [0, 1, 5])
@all_learners
def test_it_goes_on_to_the_bit_with_what_it_saved(kind: Any, before: int) -> None:
    kept = kind(**parameters(kind))
    episodes(kept, SEEN, Discrete(3), before, seed=1)
    other = kind(**parameters(kind))
    other.load(kept.save())
    assert other.save() == kept.save()
    assert episodes(kept, SEEN, Discrete(3), 5, seed=9) == episodes(
        other, SEEN, Discrete(3), 5, seed=9
    )
    assert other.save() == kept.save()


@all_learners
def test_the_memory_of_another_mind_is_refused(kind: Any) -> None:
    memory = kind().save()
    for other in (kind(alpha=0.7), *(one() for one in LEARNERS if one is not kind)):
        with pytest.raises(MensuraError, match="that of another mind"):
            other.load(memory)


@given(data=st.data())
def test_bytes_that_were_cut_or_changed_are_refused(data: Any) -> None:
    memory = bytearray(QLearning().save())
    place = data.draw(st.integers(0, len(memory) - 1))
    memory[place] ^= data.draw(st.integers(1, 255))
    for one in (bytes(memory), bytes(memory[:place]), data.draw(st.binary(max_size=40))):
        with pytest.raises(MensuraError):
            QLearning().load(one)


def edits(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Every place in plain data; of a list its first two."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from edits(inner, (*path, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value[:2]):
            yield from edits(inner, (*path, i))


HOSTILE: list[Any] = [
    None, -1, 10**30, 1e308, float("nan"), float("inf"), "", "ab", "////", [], [[]], {},
    [-1], [10**9], [1, 0], [[1]], ["x"], {"kind": "discrete", "n": 10**15, "start": 0},
    {"kind": "box", "low": 0, "high": 1, "shape": [10**15]}, {"kind": "box", "low": 0, "high": 1, "shape": [-1]},
]  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [QLearning, pytest.param(Linear, marks=pytest.mark.thorough)],
    ids=lambda kind: kind.name,
)
def test_data_that_makes_no_sense_is_refused_or_played_without_a_fault(kind: Any) -> None:
    """A digest is no secret: whoever writes a memory can write a right one."""
    learned = kind()
    episodes(learned, SEEN, Discrete(3), 1, seed=1, length=4)
    memory = unsealed(learned.save())
    refused = played = 0
    for path in edits(json.loads(memory)):
        for hostile in HOSTILE:
            told = json.loads(memory)
            place = told
            for step in path[:-1]:
                place = place[step]
            if path:
                place[path[-1]] = hostile
            else:
                told = hostile
            agent = kind()
            try:
                agent.load(sealed(json.dumps(told).encode()))
            except MensuraError:
                refused += 1
            else:
                played += 1
                episodes(agent, SEEN, Discrete(3), 1, seed=3, length=2)
    assert refused > 5 * played


def test_nesting_without_an_end_is_refused() -> None:
    with pytest.raises(MensuraError, match="not one that a learner saved"):
        QLearning().load(sealed(b"[" * 200_000))


def test_a_learner_that_refused_a_memory_begins_with_none() -> None:
    agent = QLearning()
    with pytest.raises(MensuraError):
        agent.load(sealed(b"{}"))
    fresh = QLearning()
    assert episodes(agent, SEEN, Discrete(3), 2, seed=4) == episodes(
        fresh, SEEN, Discrete(3), 2, seed=4
    )
