"""What is said of the order of translators is true of ties, of one, and of nobody."""

from __future__ import annotations

import pytest

from mensura.texts.evaluations.translation import order_found

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ([[0.9, 0.8], [0.7], [0.1]], "The medians of AS are in the expected order."),
        ([[0.5], [0.7]], "The medians of AS are not in the expected order."),
        (
            [[1.0], [1.0]],
            "The medians of AS are equal, which tells nothing of the expected order.",
        ),
        (
            [[1.0], [0.5], [0.5]],
            "The medians of AS are in the expected order where they differ; some are equal.",
        ),
        ([[1.0], []], ""),
        ([], ""),
    ],
)
def test_the_order_that_was_found_is_told(scores: list[list[float]], sentence: str) -> None:
    assert order_found({str(i): {"AS": one} for i, one in enumerate(scores)}) == sentence
