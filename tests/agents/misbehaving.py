"""Programs that play, or break the protocol in one way or another, over any transport.

Over standard streams: ``python misbehaving.py DEED MARK``; the file MARK is there from its second start on.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any, Protocol

LONGEST = 1 << 20


class Line(Protocol):
    """The program's end of a channel."""

    first: bool

    def hear(self) -> dict[str, Any] | None: ...

    def say(self, text: str) -> None: ...


def greet(line: Line, version: int = 1) -> None:
    line.hear()
    line.say(json.dumps({"id": 0, "value": {"version": version}}))


def plays(line: Line, action: Any = 2) -> None:
    greet(line)
    go_on(line, action)


def go_on(line: Line, action: Any = 2) -> None:
    while (message := line.hear()) is not None and message["ask"] != "error":
        value = action if message["ask"] == "act" else None
        line.say(json.dumps({"id": message["id"], "value": value}))


def acts_out_of_range(line: Line) -> None:
    plays(line, 99)


def speaks_another_version(line: Line) -> None:
    greet(line, 99)
    go_on(line)


def answers_no_handshake(line: Line) -> None:
    line.hear()
    line.say("good morning")
    go_on(line)


def says_a_line_too_long(line: Line) -> None:
    greet(line)
    line.hear()
    line.say("x" * (LONGEST + 2))
    go_on(line)


def breaks_json(line: Line) -> None:
    greet(line)
    message = line.hear()
    assert message is not None
    line.say('{"id": 1, "val')
    line.say(json.dumps({"id": message["id"], "value": None}))
    go_on(line)


def falls_silent(line: Line) -> None:
    greet(line)
    while line.hear() is not None:
        pass


def is_silent_from_the_start(line: Line) -> None:
    while line.hear() is not None:
        pass


def floods(line: Line) -> None:
    """Answers the first question again and again."""
    greet(line)
    message = line.hear()
    assert message is not None
    while True:
        line.say(json.dumps({"id": message["id"], "value": 3}))


def leaves_once(line: Line) -> None:
    greet(line)
    message = line.hear()
    while line.first and message is not None and message["ask"] != "act":
        line.say(json.dumps({"id": message["id"], "value": None}))
        message = line.hear()
    if not line.first:
        assert message is not None
        line.say(json.dumps({"id": message["id"], "value": None}))
        go_on(line)


def leaves_twice(line: Line) -> None:
    line.first = True
    leaves_once(line)


class Streams:
    """The standard streams."""

    def __init__(self, mark: Path) -> None:
        self.first = not mark.exists()
        mark.touch()

    def hear(self) -> dict[str, Any] | None:
        line = sys.stdin.readline()
        return json.loads(line) if line else None

    def say(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    deed, mark = sys.argv[1:]
    try:
        globals()[deed](Streams(Path(mark)))
    except BrokenPipeError:
        time.sleep(0.1)
