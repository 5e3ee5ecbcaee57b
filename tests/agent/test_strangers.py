"""What a class of a stranger happens to have is not an ability; what it declares is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.audit.strangers import ATTRIBUTES, FORMS, MEASURES, difference

from mensura.agent import Agent, MensuraError, Probes
from mensura.agent.base import metrics_of, probes_of, saves
from mensura.agent.in_process import Agents
from mensura.agent.learners import QLearning
from mensura.agent.parameters import training_asked
from mensura.agent.spaces import Discrete
from mensura.core.abilities import learns_with

DEAR = {"choose", "learn-rate"}
"""What compiles for long, or starts many processes."""

FORM_OF = dict(zip(MEASURES, [*FORMS] * len(MEASURES), strict=False))
"""One form for each measure in a process of its own; `make thorough` plays all."""


def cells() -> list[Any]:
    every = [(m, f, caged) for m in MEASURES for f in FORMS for caged in (False, True)]
    return [
        pytest.param(*one, marks=pytest.mark.thorough)
        if one[0] in DEAR or (one[2] and (one[0] == "transfer" or FORM_OF[one[0]] != one[1]))
        else one
        for one in every
    ]


@pytest.mark.parametrize(("measure", "form", "caged"), cells())
def test_a_class_with_all_usual_attributes_scores_as_without_them(
    measure: str, form: str, caged: bool
) -> None:
    assert difference(ATTRIBUTES, form, measure, caged) is None


# What is declared --------------------------------------------------------------------


class Acting:
    """Only acts."""

    def act(self, observation: Any, reward: float) -> int:
        return 0


def having(name: str, value: Any) -> Any:
    return type("Having", (Acting,), {name: value})()


def failing(self: Any) -> Any:
    raise RuntimeError("no idea")


NONE_OF_OURS = (
    [],
    3,
    None,
    "x",
    lambda self, more: {},
    lambda self: 5,
    lambda self: ["x"],
    failing,
)


@pytest.mark.quick
@pytest.mark.parametrize("value", NONE_OF_OURS)
def test_probes_and_metrics_that_are_something_else_are_none(value: Any) -> None:
    assert probes_of(having("probes", value)) is None
    assert metrics_of(having("agent_metrics", value)) == {}
    player = Agents([having("probes", value)])
    assert player.probes == frozenset()
    assert Agents([having("agent_metrics", value)]).measures() == {}


@pytest.mark.quick
def test_methods_on_the_agent_itself_are_no_probes() -> None:
    player = Agents([having("predict", lambda self, question: 1.0)])
    assert player.probes == frozenset()


class Answers(Probes):
    """Predicts one half."""

    def predict(self, question: Mapping[str, Any]) -> float:
        return 0.5


@pytest.mark.quick
def test_declared_probes_and_metrics_count() -> None:
    assert Agents([having("probes", lambda self: Answers())]).probes == {"predict"}
    metrics = having("agent_metrics", lambda self: {"loss": 0.5, "nan": float("nan"), 3: 1.0})
    assert Agents([metrics]).measures() == {"loss": 0.5}


@pytest.mark.quick
def test_an_agent_can_be_its_own_probes() -> None:
    class Both(Agent, Probes):
        def act(self, observation: Any, reward: float) -> int:
            return 0

        def probes(self) -> Probes:
            return self

        def plan(self, goal: Mapping[str, Any]) -> Sequence[Any]:
            return []

    assert Agents([Both()]).probes == {"plan"}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("save", "load", "counts"),
    [
        (lambda self: b"", lambda self, memory: None, True),
        (lambda self, path: None, lambda self, path: None, False),
        (lambda self, path="model.zip": None, lambda self, path: None, False),
        (lambda self: b"", None, False),
        (lambda self: b"", classmethod(lambda cls, path, env=None, *, device: None), False),
    ],
)
def test_an_agent_is_saved_where_it_saves_and_loads_bytes(
    save: Any, load: Any, counts: bool
) -> None:
    assert saves(type("Saving", (Acting,), {"save": save, "load": load})()) is counts


@pytest.mark.quick
@pytest.mark.parametrize("training", [True, 3, "x", None, []])
def test_the_mode_of_a_network_asks_for_no_training(training: Any) -> None:
    assert training_asked(having("training", training)) == 0
    assert training_asked(QLearning(training=4)) == 4


@pytest.mark.quick
@pytest.mark.parametrize("plays", [True, [], lambda: True, lambda self, a, b: True, lambda a, b: 1])
def test_what_plays_something_else_is_no_learner(plays: Any) -> None:
    kind = type("Playing", (Acting,), {"plays": staticmethod(plays) if callable(plays) else plays})
    assert not learns_with(kind, Discrete(2), Discrete(2))
    assert learns_with(QLearning, Discrete(2), Discrete(2))


@pytest.mark.quick
def test_a_derived_class_is_told_which_method_takes_something_else() -> None:
    with pytest.raises(
        MensuraError, match=r"save of Wrong takes \(self, path\); it must take \(self\)"
    ):
        type("Wrong", (Agent,), {"save": lambda self, path: None})
    with pytest.raises(MensuraError, match="begin of Wrong takes"):
        type("Wrong", (Agent,), {"begin": lambda self, task: None})
    type(
        "Right", (Agent,), {"begin": lambda self, task, rng, more=None: None, "model": [], "fit": 3}
    )
