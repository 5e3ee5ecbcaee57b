"""The parameters of registered agents are told with defaults, bounds and meanings."""

from dataclasses import dataclass, field

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.parameters import Parameter, check, number, parameters_of
from mensura.agent.random import RandomAgent

pytestmark = pytest.mark.quick


@dataclass(kw_only=True, eq=False)
class Keen:
    haste: float = number(0.5, 0.0, 1.0)
    """How soon it acts.

    Nobody reads this far.
    """
    tries: int = field(default=3, metadata={"meaning": "How often.", "low": 1, "high": 9})

    def __post_init__(self) -> None:
        check(self, "keen")


def test_fields_are_parameters_with_the_text_below_them() -> None:
    assert parameters_of(Keen) == (
        Parameter("haste", 0.5, "How soon it acts.", 0.0, 1.0),
        Parameter("tries", 3, "How often.", 1, 9),
    )


def test_a_class_without_fields_has_no_parameters() -> None:
    assert parameters_of(RandomAgent) == ()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"haste": 2}, "haste of keen is 2; it must be a number from 0 to 1."),
        ({"tries": 1.5}, "tries of keen is 1.5; it must be a whole number from 1 to 9."),
        ({"tries": True}, "tries of keen is True"),
        ({"haste": "x"}, "haste of keen is 'x'"),
    ],
)
def test_a_value_out_of_bounds_is_refused(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Keen(**given)  # type: ignore[arg-type]
