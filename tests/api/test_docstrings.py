"""The examples in the docstrings of what people type give what they say."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

import mensura as ms

DOCUMENTED = ("assess", "compare", "load", "make", "subjects", "watch", "Result", "Study")


@pytest.mark.parametrize(
    "module", ["assessing", "comparing", "making", "results", "study", "watching"]
)
def test_the_examples_are_right(module: str) -> None:
    failed, tried = doctest.testmod(import_module(f"mensura.api.{module}"))
    assert failed == 0
    assert tried or module in ("results", "watching")  # whose examples need a result or a file


def test_every_name_that_people_type_has_an_example() -> None:
    for name in DOCUMENTED:
        thing = getattr(ms, name)
        members = vars(thing).values() if isinstance(thing, type) else ()
        texts = [thing.__doc__ or "", *(getattr(one, "__doc__", "") or "" for one in members)]
        assert any(">>>" in text for text in texts), name
