"""What the research view shows of BF: the last run instruction by instruction, as the compiled machine ran it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.pictures.picture import Area
from mensura.pictures.view import view_of
from mensura.worlds.bf.programs import SYMBOLS
from mensura.worlds.bf.trace import Moment, trace
from mensura.worlds.bf.world import BF


@settings(max_examples=examples(24, 60), deadline=None)
@given(
    st.integers(0, 10_000), st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(1, 2)
)
def test_a_trace_is_what_the_machine_did(key: int, actions: list[int], cells: int) -> None:
    world = BF(horizon=20, cells=cells)
    environment: Any = world.build(world.sample(key))
    environment.reset(key)
    steps_before = 0
    for action in actions:
        before, outputs = Moment.of(environment), environment.outputs()
        environment.step([action], [0.0])
        run = trace(before, environment)
        written = [step.written for step in run if step.written is not None]
        assert environment.outputs() == [*written, *outputs[len(written) :]]
        assert run[-1].pointer == environment.pointer
        assert run[-1].symbol == environment.tape(0)[0]
        steps = round(environment.measures()["steps"] * environment.iteration)
        assert len(run) == steps - steps_before
        steps_before = steps


def test_the_view_marks_the_last_instruction_and_lists_the_run() -> None:
    world = BF(program=",+.,.#", horizon=5)
    environment: Any = world.build(world.sample(0))
    view: Any = view_of(world)
    turn = environment.reset(1)
    view.started(environment, turn)
    assert view.tables(environment)[0].rows == ()
    turn = environment.step([1], [0.0])
    view.stepped(environment, [1], turn)
    (table,) = view.tables(environment)
    assert [row[1] for row in table.rows] == [",", "+", ".", ",", "."]
    assert table.rows[0][5] == "1"
    assert table.rows[2][6] == SYMBOLS[2]
    labels = [one.label for one in view.picture(environment, turn).shapes if isinstance(one, Area)]
    assert labels.count("the instruction that was last run") == 1
    assert labels.count("read in the last run") == 2


@pytest.mark.parametrize("length", [50, 900])
def test_of_a_long_program_the_lines_around_the_current_instruction_are_drawn(length: int) -> None:
    world = BF(program="+" * length + ".,.#", horizon=5)
    environment: Any = world.build(world.sample(0))
    view: Any = view_of(world)
    view.started(environment, environment.reset(1))
    turn = environment.step([1], [0.0])
    view.stepped(environment, [1], turn)
    drawn = view.picture(environment, turn)
    assert any(getattr(one, "label", "").startswith("the instruction") for one in drawn.shapes)
