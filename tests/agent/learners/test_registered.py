"""The learners are named as subjects of every world, with their parameters; a world's own come first."""

from typing import Any

import pytest
from tests.agent.learners.test_learning import LEARNERS

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.parameters import parameters_of
from mensura.core.registry import AGENTS
from mensura.studies.subjects import resolve, summary
from mensura.worlds.framotec.world import Framotec
from mensura.worlds.lambda_class.world import Lambda

pytestmark = pytest.mark.quick


def test_all_learners_are_registered_under_their_names() -> None:
    assert {kind.name: kind for kind in LEARNERS} == {
        kind.name: AGENTS.load(kind.name) for kind in LEARNERS
    }


def test_a_world_without_a_subject_of_that_name_has_the_learner() -> None:
    world = Framotec()
    subject = resolve("q-learning?alpha=0.1&training=7", world)
    assert isinstance(subject, InProcess)
    assert (subject.name, subject.training) == ("q-learning?alpha=0.1&training=7", 7)
    made: Any = subject.factory()
    assert (made.alpha, made.gamma) == (0.1, 0.8)
    assert summary(subject, world).startswith("Q-learning (Watkins, 1989)")


def test_the_subject_of_a_world_comes_before_the_learner_of_that_name() -> None:
    assert not isinstance(resolve("q-learning", Lambda()), InProcess)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("linear?alfa=1", "linear has no parameter 'alfa'; did you mean alpha"),
        ("linear?alpha=2", "alpha of linear is 2; it must be a number from 0 to 1"),
        ("random?alpha=2", "random has no parameter 'alpha'; it has none"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_played(
    address: str, sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        resolve(address, Framotec())


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.name)
def test_every_parameter_has_a_meaning_and_bounds(kind: Any) -> None:
    told = parameters_of(kind)
    assert {"alpha", "gamma", "q0", "epsilon", "bins", "levels", "training"} <= {
        one.name for one in told
    }
    assert all(one.meaning and one.low <= one.default <= one.high for one in told)
