"""The subject that people are in records: they answer in a browser, and nobody else can answer for them."""

from __future__ import annotations

from typing import Any

from mensura.agent.errors import MensuraError

NAME = "people"
"""How reports call them."""


class Person:
    """People in the browser."""

    def __init__(self) -> None:
        raise MensuraError(
            "People are assessed in the browser: `mensura serve` opens the study to them, and goes on with it."
        )

    def act(self, observation: Any, reward: float) -> Any:
        """Never called: nobody sits down here."""
        raise NotImplementedError
