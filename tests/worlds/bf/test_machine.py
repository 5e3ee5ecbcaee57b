"""The compiled machine of BF, held against another one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds.bf.interpreter import Machine

from mensura.agent import keys
from mensura.agent.errors import MensuraError
from mensura.core.compiled import plain
from mensura.worlds.bf import programs
from mensura.worlds.bf.environment import BFEnvironment
from mensura.worlds.bf.kernels import machine
from mensura.worlds.bf.world import BF

pytestmark = pytest.mark.pure


def theirs_and_ours(
    program: str, symbols: int, cells: int, limit: int, key: int, actions: int
) -> None:
    world = BF(symbols=symbols, cells=cells, limit=limit, horizon=actions, program=program)
    environment = world.build(world.upright(world.sample(0)))
    assert isinstance(environment, BFEnvironment)
    environment.reset(key)
    other = Machine(program, symbols, cells, limit, key)
    middle = (symbols - 1) / 2
    for t in range(actions):
        action = keys.below(keys.draw(key, t, 9), symbols)
        turn = environment.step([action])
        written, steps = other.act(action)
        assert environment.outputs() == written
        assert environment.steps == steps
        assert turn.rewards[0] == pytest.approx((written[0] - middle) / middle)
        assert turn.observations[0]["symbols"].tolist() == written[1:]
        assert environment.tape(3) == [
            other.tape.get((other.place + k) % 100_000, other.middle) for k in range(-3, 4)
        ]


def test_another_interpreter_agrees_on_random_programs(full_size: bool) -> None:
    count = 10_000 if full_size else 60 if not machine_is_compiled() else 250
    world = BF.preset("theoretical")
    for k in range(count):
        program = world.sample(keys.fold(17, k)).text
        theirs_and_ours(program, 2 + k % 7, 1 + k % 3, (1000, 40)[k % 2], k, 6)


def machine_is_compiled() -> bool:
    return plain(machine.open_row) is not machine.open_row


balanced = st.recursive(
    st.text("<>+-,.%", max_size=6),
    lambda inner: st.tuples(inner, inner).map(lambda two: f"{two[0]}[{two[1]}]"),
    max_leaves=6,
)


@given(balanced, st.integers(2, 9), st.integers(1, 3), st.integers(0, 2**63))
def test_another_interpreter_agrees_on_nested_loops(
    program: str, symbols: int, cells: int, key: int
) -> None:
    theirs_and_ours(program + "#", symbols, cells, 200, key, 4)


@pytest.mark.parametrize(
    ("program", "reward", "steps"),
    [
        (",.#", "action", 3),  # the first action is the reward; nothing else is observed
        (",.,.#", "action", 4),  # ended by the second output, before the end is reached
        ("#", "middle", 1),
        ("+[+]#", "middle", 11),  # + and [, then + and ] four times, from 3 to 2, and the end
    ],
)
def test_what_short_programs_do(program: str, reward: str, steps: int) -> None:
    world = BF(program=program, horizon=5)
    environment = world.build(world.upright(world.sample(0)))
    environment.reset(1)
    for action in (0, 4, 2):
        turn = environment.step([action])
        assert turn.rewards[0] == ((action - 2) / 2 if reward == "action" else 0.0)
        assert environment.steps == steps


def test_no_more_than_24_actions_are_read_at_a_time() -> None:
    world = BF(program="," * 24 + "." + "#", horizon=60)
    environment = world.build(world.upright(world.sample(0)))
    environment.reset(1)
    rewards = [environment.step([4 if t == 0 else 0]).rewards[0] for t in range(40)]
    assert rewards[23] == 1.0  # 24 interactions later the first action is the last that can be read
    assert rewards[24:] == [-1.0] * 16
    beyond = BF(program="," * 25 + "." + "#", horizon=60)
    environment = beyond.build(beyond.upright(beyond.sample(0)))
    environment.reset(1)
    assert {environment.step([4]).rewards[0] for _ in range(40)} == {0.0}


def test_the_tape_is_circular_and_wiped() -> None:
    world = BF(program="<,.>>.#", tape=3, horizon=9)
    environment = world.build(world.upright(world.sample(0)))
    environment.reset(1)
    first = [environment.step([k % 5]).rewards[0] for k in range(9)]
    environment.reset(1)
    assert [environment.step([k % 5]).rewards[0] for k in range(9)] == first
    environment.reset(1)
    assert not environment._parts.tape.any()


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("", "The program is empty"),
        (",x#", "Instruction 2 of the program is 'x'"),
        (",.", "ends with # and has no other; this one has none"),
        (",#.#", "has one at instruction 2"),
        ("[,.#", "Instruction 1 of the program, [, has no partner"),
        (",].#", "Instruction 2 of the program, ], has no partner"),
        ("[[]#", "Instruction 1 of the program, [, has no partner"),
        ("+" * 5000 + "#", "it may have 4,096"),
    ],
)
def test_what_is_no_program_gets_a_sentence(program: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence.replace("[", r"\[").replace("]", r"\]")):
        programs.encode(program)


@given(st.text(max_size=40))
def test_any_text_is_a_program_or_gets_a_sentence(text: str) -> None:
    try:
        codes = programs.encode(text)
    except MensuraError:
        return
    assert programs.decode(codes) == text


@given(balanced)
def test_partners_of_brackets_are_mutual(program: str) -> None:
    codes = programs.encode(program + "#")
    jumps = programs.linked(codes)[len(codes) :]
    brackets = np.flatnonzero((codes == machine.OPEN) | (codes == machine.CLOSE))
    assert (jumps[jumps[brackets]] == brackets).all()
