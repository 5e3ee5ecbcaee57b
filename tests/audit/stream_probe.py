"""What streams of chance a world draws from, and what each of them changes: python -m tests.audit.stream_probe WORLD
PARAMETERS STEPS.

It runs uncompiled, so that every draw can be seen and replaced. The functions that draw are replaced before any world
is imported, by others that note who calls them with what; a stream is called by the module and function that draws from
it, and by its slot. For each stream an episode is played again with the same actions and this one stream under another
key. A quick draw (`draw`) is also replaced by many others, one at a time: more than 16 different episodes would show
more than 4 bits of it.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from mensura.agent import keys
from mensura.core import chance, compiled

OTHER_KEY = 0x5DEECE66D1CE4E5B
"""What a key is changed by."""
EPISODES_OF_FOUR_BITS = 16
TRIES = 2 * (EPISODES_OF_FOUR_BITS + 1)
"""So many values of a quick draw, evenly apart: each of 17 possibilities comes twice."""
SITES = "mensura.worlds.", "mensura.core.expressions."
"""Where the chance of environments is drawn; subjects draw from keys of their own."""


@dataclass
class Recorder:
    """What is drawn, and what is to be drawn in its place."""

    depth: int = 0
    calls: dict[str, list[str]] = field(default_factory=dict)
    """The streams, each with the functions by which it was drawn, call by call."""
    other: str | None = None
    """The stream that has another key."""
    forced: tuple[str, int, int] | None = None
    """A stream, the number of a call and what it gives."""

    def clear(self, other: str | None = None, forced: tuple[str, int, int] | None = None) -> None:
        self.calls, self.other, self.forced = {}, other, forced


RECORDER = Recorder()


def slot_name(frame: FrameType, slot: int) -> str:
    """A slot by the names that the module has for it and the function uses."""
    used = frame.f_code.co_names
    names = {
        name: value
        for name, value in frame.f_globals.items()
        if name in used and "SLOT" in name and isinstance(value, int) and value <= slot
    }
    if not names:
        return str(slot)
    name = max(names, key=names.__getitem__)
    return name.strip("_").lower().replace("_", "-").removeprefix("slot-")


def watched(name: str, function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """A function that draws, and notes it."""

    def draws(*arguments: Any) -> Any:
        frame = sys._getframe(1)
        module = frame.f_globals.get("__name__", "")
        if RECORDER.depth or not module.startswith(SITES):
            return function(*arguments)
        short = module.removeprefix("mensura.").removeprefix("worlds.").replace(".kernels", "")
        stream = f"{short}:{frame.f_code.co_name}"
        if kind != "generator":
            stream += f":{slot_name(frame, int(arguments[2]))}"
        calls = RECORDER.calls.setdefault(stream, [])
        quick = name == "draw" or (name == "choice" and int(arguments[3]) <= keys.FEW)
        calls.append("draw" if quick else kind)
        RECORDER.depth += 1
        try:
            if RECORDER.other == stream:
                arguments = (type(arguments[0])(int(arguments[0]) ^ OTHER_KEY), *arguments[1:])
            if RECORDER.forced is not None and RECORDER.forced[:2] == (stream, len(calls) - 1):
                value = RECORDER.forced[2]
                return keys.below(value, int(arguments[3])) if name == "choice" else as_word(value)
            return function(*arguments)
        finally:
            RECORDER.depth -= 1

    def as_word(value: int) -> Any:
        return value if function.__module__ == "mensura.agent.keys" else compiled.np.uint64(value)

    return draws


def watch() -> None:
    """Replace the functions that draw, before anybody imports them."""
    for module in (keys, compiled):
        for name, kind in (("draw", "draw"), ("prf", "prf"), ("choice", "prf")):
            setattr(module, name, watched(name, getattr(module, name), kind))
    chance.generator = watched("generator", chance.generator, "generator")  # type: ignore[assignment]


Course = tuple[list[str], list[str], list[str]]
"""What was observed, rewarded and ended, turn by turn."""


class Played:
    """Episodes of one cell with always the same actions."""

    def __init__(self, name: str, parameters: dict[str, Any], steps: int) -> None:
        from mensura.core.abilities import make
        from mensura.core.registry import WORLDS

        self.world: Any = make(WORLDS.load(name), **parameters)
        self.steps = steps
        self.own = "perturbed." if name.startswith("perturbed-") else ""
        self.actions: list[list[Any]] = []
        RECORDER.clear()
        self.description = self.world.sample(keys.key(49, "streams"))
        self.drawn = dict(RECORDER.calls)
        """The streams from which the environment is drawn."""
        RECORDER.clear()
        self.course = self.play(self.description)
        self.lived = dict(RECORDER.calls)
        """Those of the episode."""

    def play(self, description: Any) -> Course:
        environment = self.world.build(description)
        turn = environment.reset(keys.key(49, "reset"))
        seen, rewards, ends = [], [], []
        for step in range(self.steps):
            seen.append(hashlib.blake2b(pickle.dumps(list(turn.observations))).hexdigest())
            paid = turn.rewards if turn.told is None else (turn.rewards, turn.told)
            rewards.append(repr(paid))
            ends.append(repr((turn.due, turn.ended)))
            if turn.ended is not None:
                break
            turn = environment.step(self.chosen(environment, turn, step), [0.0] * len(turn.due))
        return seen, rewards, ends

    def chosen(self, environment: Any, turn: Any, step: int) -> list[Any]:
        """The same actions in every episode; the default where one is none here."""
        if step == len(self.actions):
            import numpy as np

            rng = np.random.default_rng([49, step])
            self.actions.append([environment.spaces(j)[1].sample(rng) for j in turn.due])
        wanted = dict(zip(turn.due, self.actions[step], strict=False))
        return [
            wanted[j] if j in wanted and environment.legal(j, wanted[j]) else environment.default(j)
            for j in turn.due
        ]

    def again(self, drawing: bool) -> Course:
        """As it is now, with the environment drawn anew where what is replaced is drawn with it."""
        calls, RECORDER.calls = RECORDER.calls, {}
        description = self.world.sample(keys.key(49, "streams")) if drawing else self.description
        if drawing:
            RECORDER.forced, forced = None, RECORDER.forced
            course = self.play(description)
            RECORDER.forced = forced
        else:
            course = self.play(description)
        RECORDER.calls = calls
        return course

    def streams(self) -> Iterator[dict[str, Any]]:
        """Each stream with what it changes and what a quick draw of it shows."""
        for drawing, calls in ((True, self.drawn), (False, self.lived)):
            for stream, functions in sorted(calls.items()):
                RECORDER.clear(other=stream)
                course = self.again(drawing)
                changed = [
                    what
                    for what, now, before in zip(
                        ("observations", "rewards", "ends"), course, self.course, strict=True
                    )
                    if now != before
                ]
                yield {
                    "stream": stream,
                    "by": "+".join(sorted(set(functions))),
                    "drawn": "with the environment" if drawing else "in the episode",
                    "changes": changed,
                    "shown": self.shown(stream, functions, drawing),
                }

    def shown(self, stream: str, functions: list[str], drawing: bool) -> int:
        """How many different episodes follow from different values of a quick draw in the middle of the episode.

        0 of streams that draw otherwise, and of those of a world where something is around it: its own cell has them.
        """
        quick = [place for place, function in enumerate(functions) if function == "draw"]
        if not quick or not stream.startswith(self.own):
            return 0
        courses = set()
        for attempt in range(TRIES):
            value = (attempt << keys.BITS) // TRIES ^ attempt  # the lowest bits are drawn from, too
            RECORDER.clear(forced=(stream, quick[len(quick) // 2], value))
            courses.add(repr(self.again(drawing)))
            if len(courses) > EPISODES_OF_FOUR_BITS:
                break
        return len(courses)


def main() -> None:
    if compiled.JIT:
        sys.exit("draws are seen uncompiled only: set NUMBA_DISABLE_JIT=1")
    name, parameters, steps = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
    watch()
    json.dump(list(Played(name, parameters, steps).streams()), sys.stdout)


if __name__ == "__main__":
    main()
