"""Token probabilities decide between numbered actions, where they are asked for and a service gives them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete, Text
from mensura.agents.language_model.actions import probabilities


def place(token: str, **likeliest: float) -> tuple[str, tuple[tuple[str, float], ...]]:
    found = {name.replace("_", " "): math.log(share) for name, share in likeliest.items()}
    return token, tuple(found.items())


def test_the_tokens_in_the_place_of_the_number_share_what_they_have() -> None:
    tokens = [
        place("2"),
        place(" is wrong. ACTION"),
        place(":"),
        place(" 1", **{"_1": 0.3, "1": 0.1, "_2": 0.4, "_9": 0.1, "_no": 0.1}),
    ]
    found = probabilities(Discrete(3, 1), tokens, 1)
    assert found == pytest.approx({1: 0.5, 2: 0.5})
    assert probabilities(Discrete(3, 1), [place("1", **{"1": 0.2, "2": 0.6})], 1) == pytest.approx(
        {1: 0.25, 2: 0.75}
    )
    assert probabilities(Discrete(3, 1), [], 1) == {}
    assert probabilities(Text(5), tokens, "1") == {}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Server().running() as made:
        yield made


def answers(told: bool) -> Any:
    """A model that says 1, and thinks more of 2."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        made = completion("ACTION: 1")
        likely = [{"token": " 2", "logprob": -0.1}, {"token": " 1", "logprob": -2.5}]
        content = [
            {"token": "ACTION:", "logprob": 0.0, "top_logprobs": []},
            {"token": " 1", "logprob": -2.5, "top_logprobs": likely},
        ]
        if told:
            made["choices"][0]["logprobs"] = {"content": content}
        return made

    return answer


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (True, True),
        pytest.param(False, True, marks=pytest.mark.thorough),
        pytest.param(True, False, marks=pytest.mark.thorough),
    ],
)
def test_schemas_are_answered_by_what_is_likeliest(server: Server, told: bool, asked: bool) -> None:
    server.answerer = answers(told)
    more = "&logprobs=true" if asked else ""
    address = f"openai:toy?base_url={server.url}&answer=text{more}"
    assert played(address) == played(
        f"openai:toy?base_url={server.url}&answer=text", server, told and asked
    )
    asks = server.requests[: len(server.requests) // 2]
    assert all(("logprobs" in one) == asked for one in asks)


def played(address: str, server: Server | None = None, second: bool = False) -> float:
    """The score, where the service says this outright."""
    if server is not None:
        server.answerer = lambda request: completion(f"ACTION: {1 + second}")
    world = ms.make("items", preset="winograd")
    given: dict[str, Any] = {"sittings": 3, "seed": 1, "confirm": True}
    (found,) = ms.assess(address, world, "pairs", store=f"{bool(server)}.db", **given).scores
    return found.score


@pytest.mark.parametrize("more", ["logprobs=true", "answer=json&logprobs=true"])
def test_without_words_there_are_none(server: Server, more: str) -> None:
    with pytest.raises(MensuraError, match="answer=text; add that, or leave logprobs out"):
        ms.assess(f"openai:toy?base_url={server.url}&{more}", "items", sittings=1, seed=1)
