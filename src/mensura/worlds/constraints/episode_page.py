"""An episode as a page that stands alone: all of it is in one file, which asks nobody for anything."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

from mensura.worlds.constraints.trace import Trace

MOST_LETTERS = 200_000
"""An episode of more letters is shown up to there."""
MOST_INSIDES = 6000
"""Agents are looked into where there are so many of them, turn by turn, at most."""


def asset(name: str) -> str:
    """A script or a style of the page."""
    return files("mensura.worlds.constraints").joinpath("page", name).read_text(encoding="utf-8")


class EpisodePage(Trace):
    """An observer of the loop that writes what it saw as a page."""

    def page(self) -> str:
        """All of it, as HTML."""
        count = self._fitting()
        overview = {**self.overview(), "turns": count}
        if count < len(self.frames):
            overview["ended"] = (
                f"a file shows {MOST_LETTERS:,} letters; the episode had {len(self.frames)} turns"
            )
        data: dict[str, Any] = {
            "overview": overview,
            "turns": self.turns(0, count),
            "letters": [self.letters(turn, 0, MOST_LETTERS) for turn in range(count)],
        }
        agents = range(len(self.problem.agents))
        if count * len(agents) <= MOST_INSIDES:
            data["agents"] = [[self.agent(one, turn) for one in agents] for turn in range(count)]
        return _page(data, f"{overview['subject']}: {overview['name']}")

    def _fitting(self) -> int:
        """So many turns fit into a file."""
        total = 0
        for turn, one in enumerate(self.frames):
            total += len(one.letters)
            if total > MOST_LETTERS:
                return turn
        return len(self.frames)


def _page(data: dict[str, Any], title: str) -> str:
    # No text of an episode can end the element that it stands in.
    written = json.dumps(data, separators=(",", ":"), default=float)
    written = written.replace("<", "\\u003c").replace("&", "\\u0026")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{asset('alone.css')}{asset('episode.css')}</style></head>",
            f'<body><main><h1 class="small">{escape(title)}</h1><div id="episode"></div></main>',
            f'<script type="application/json" id="episode-data">{written}</script>',
            f'<script type="module">{asset("episode.js")}</script></body></html>',
            "",
        ]
    )
