"""A class that a process of its own can load: it imports what is there, and nothing of the tests."""

from __future__ import annotations

from typing import Any

from mensura.agent import Probes


class Mine(Probes):
    """Predicts that all stays as it is."""

    def act(self, observation: Any, reward: float) -> int:
        return 5

    def probes(self) -> Probes:
        return self

    def predict(self, question: Any) -> Any:
        if question["answer"] == "probability":
            return 0.5
        if question["kind"] == "when":
            return question["never"]
        return question["start"][question["variable"]["name"]]
