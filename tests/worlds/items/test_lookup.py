"""An agent that brings its own copy of a public bank: its score carries the mark of the world's content."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Typed, mensura

from mensura.worlds.items.world import Items

__all__ = ["mensura"]

LOOKUP = """
import json
ANSWERS = json.loads({answers!r})

class Lookup:
    def act(self, observation, reward):
        def text(part):
            return "".join(chr(int(one)) for one in part if one >= 0)
        options = [text(one) for one in observation["options"]]
        return 1 + options.index(ANSWERS[text(observation["shown"][0])])
"""
MARK = "The environments of this world are not generated afresh (content: drawn from a public bank)"


def write_lookup() -> None:
    """An agent with all schemas of the battery, and their answers, in its file."""
    world = Items.preset("winograd")
    answers = {}
    for number in range(world.pair_count()):
        for description in world.pair(number).values():
            sentence, right, _ = world.pair_words(description)
            answers[sentence] = right
    Path("lookup.py").write_text(LOOKUP.format(answers=json.dumps(answers)))


def test_a_lookup_agent_gets_everything_right_and_is_marked_through_every_door(
    mensura: Callable[..., Typed],
) -> None:
    write_lookup()
    ended = mensura(
        "assess", "lookup.py:Lookup", "--world", "items", "--preset", "winograd", "-a", "battery",
        "-e", "8", "--complexity", "any", "--name", "lookup", "--store", "runs.db",
        "-o", "page.html", "--json", "rows.json",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    (row,) = json.loads(Path("rows.json").read_text())
    assert row["score"] == 1.0
    assert row["isolation"].startswith(("full isolation", "isolation without"))
    assert row["content"] == "drawn from a public bank"
    assert MARK in ended.out
    page = Path("page.html").read_text()
    assert page.index(MARK) < page.index("What was run</h2>")
    added = mensura("leaderboard", "add", "lookup", "--store", "runs.db", "--apart")
    assert added.status == 0, added.err
    shown = mensura("leaderboard", "show", "-o", "board.html", "--json", "board.json")
    assert MARK in shown.out
    assert MARK in Path("board.html").read_text()
    (board,) = json.loads(Path("board.json").read_text())
    assert not board["ranked"]
    assert [row["place"] for row in board["rows"]] == ["-"]
