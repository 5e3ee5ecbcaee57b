"""What fields mean: read where they are declared; and every parameter that people can set has a meaning."""

from dataclasses import dataclass, fields

import pytest

from mensura.agent.meanings import meanings
from mensura.core.registry import ASSESSMENTS, WORLDS

pytestmark = pytest.mark.quick


@dataclass
class Older:
    """A class with fields."""

    first: int = 1
    """Said by
    the older one."""
    second: int = 2
    """Said by both."""
    third: int = 3


@dataclass
class Younger(Older):
    """One derived from it."""

    second: int = 4
    """Said anew.

    And what is only for those who read the code.
    """
    fourth: int = 5
    fifth = "no field"


def test_the_text_below_a_field_is_its_meaning() -> None:
    assert meanings(Older) == {"first": "Said by the older one.", "second": "Said by both."}
    assert meanings(Younger) == {"first": "Said by the older one.", "second": "Said anew."}


def test_a_class_whose_source_cannot_be_read_says_nothing() -> None:
    made: dict[str, type] = {}
    exec("class Made:\n    field: int = 1\n    'Said.'", made)
    assert meanings(made["Made"]) == {}
    assert meanings(int) == {}


@pytest.mark.parametrize("registry", [WORLDS, ASSESSMENTS], ids=["worlds", "assessments"])
def test_whatever_can_be_set_says_what_it_means(registry) -> None:
    for name in registry.names():
        told = meanings(registry.load(name))
        for field in fields(registry.load(name)):
            assert told.get(field.name, "").endswith("."), f"{name}: {field.name}"
