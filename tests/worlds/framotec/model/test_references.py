"""Names in expressions of tasks, replaced where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.core.expressions.trees import TREES

from mensura.core.expressions.language import Node, write_expression
from mensura.worlds.framotec.model.expression import names_in, parse_expression
from mensura.worlds.framotec.model.references import rename_assignment, rename_condition

pytestmark = pytest.mark.quick


@given(TREES)
def test_renaming_in_a_source_changes_its_names_and_no_other_letter(tree: Node) -> None:
    source = write_expression(tree)
    there = rename_condition(source, lambda path: f"s.{path}")
    assert [name.path for name in names_in(parse_expression(there))] == [
        f"s.{n.path}" for n in names_in(tree)
    ]
    assert rename_condition(there, lambda path: path[2:]) == source


def test_renaming_in_a_source_keeps_how_it_is_written() -> None:
    source = "x.v ←\n  ( x.v·2 )  if  y.w<pi"
    there = "car.v ←\n  ( car.v·2 )  if  y.w<pi"
    assert rename_assignment(source, lambda path: path.replace("x.", "car.")) == there
