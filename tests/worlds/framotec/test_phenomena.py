"""Phenomena of FraMoTEC tasks: of all samples, and the signs that expressions give."""

from __future__ import annotations

from typing import Any

import pytest

from mensura.testing.phenomena import problems_with
from mensura.worlds.framotec.analysis.causal_signs import signed_causes
from mensura.worlds.framotec.model.files import parse_task
from mensura.worlds.framotec.world import Framotec

SAMPLES = ("car-race", "parking", "locking-plotter", "plotter-2d", "steered-mover", "n-dimensional")


@pytest.mark.parametrize("task", SAMPLES)
@pytest.mark.parametrize(
    "actions", ["continuous", pytest.param("three", marks=pytest.mark.thorough)]
)
def test_every_sample_has_phenomena_that_keep_their_word(task: str, actions: Any) -> None:
    found = Framotec(task=task, dimensions=2, actions=actions).phenomena()
    assert found
    assert list(problems_with(found)) == []


def test_several_controllers_have_none() -> None:
    assert Framotec(task="locking-plotter", subjects=2).phenomena() == ()


TASK = """
objects: [{name: a, bounds: [0, 9]}, {name: b, bounds: [0, 9]}, {name: c, bounds: [0, 9]}]
motors: [{name: m, targets: {a: -1}}]
transitions: [{name: t, assignments: ['EXPRESSION']}]
goals: [{name: g, of: a, value: 1, tolerance: 1}]
"""


@pytest.mark.parametrize(
    ("expression", "sign"),
    [
        ("c.velocity <- b.value", 1),
        ("c.velocity <- 3 - b.value", -1),
        ("c.velocity <- -b.value", -1),
        ("c.locked <- b.value < 3", -1),
        ("c.locked <- 3 < b.value", 1),
        ("c.locked <- not (b.value > 3)", -1),
        ("c.locked <- b.value > 3 and b.value < 5", 0),
        ("c.velocity <- b.value * b.value", 0),
    ],
)
def test_signs_are_read_off_expressions(expression: str, sign: int) -> None:
    causes = signed_causes(parse_task(TASK.replace("EXPRESSION", expression)))
    told = {(one.cause, one.effect): one.sign for one in causes}
    assert told["b", "t"] == sign
    assert told["m", "a"] == -1
    assert told["t", "c"] == (-1 if "locked" in expression else 1)
