"""The example of docs/protocol.md, played for real. To write it into the page anew:

python -m tests.agents.exchange
"""

import os
import re
import tempfile
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

import numpy as np
from tests.agents.toy import Toy, episode

from mensura.agent.spaces import Box, Record
from mensura.agents.address import parse
from mensura.agents.process import Child, ProcessSubject

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
AGENT = re.compile(r'```python title="agent.py"\n(.*?)```', re.DOTALL)
EXCHANGE = re.compile(r'(?<=```text title="exchange"\n)(.*?)(?=```)', re.DOTALL)
LIGHT = Record((("time", Box(0.0, 2.0)), ("light", Box(0.0, 1.0, (4,)))))


class Lights(Toy):
    """An environment with numbers that a reader can follow."""

    def observe(self, seat: int) -> Any:
        record = np.zeros((), LIGHT.dtype)
        record["time"] = self.time
        record["light"] = 0.25 * np.roll([1.0 + seat, 0.0, 0.5, 0.0], self.time)
        return record[()]


def play_example() -> str:
    """Play the page's agent and note every line."""
    found = AGENT.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    noted: list[str] = []
    send, lines = Child.send, Child.lines

    def noted_send(child: Child, data: bytes) -> None:
        noted.extend(f"> {line}\n" for line in data.decode().splitlines())
        send(child, data)

    def noted_lines(child: Child, until: float) -> list[bytes]:
        got = lines(child, until)
        noted.extend(f"< {line.decode()}\n" for line in got)
        return got

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("agent.py").write_text(found[1], encoding="utf-8")
        Child.send, Child.lines = noted_send, noted_lines  # type: ignore[method-assign]
        try:
            subject = ProcessSubject(parse("agent.py:Follower")[0])
            with closing(subject.sit(2)) as player:
                episode(player, Lights(horizon=2, subjects=2, observation=LIGHT))
        finally:
            Child.send, Child.lines = send, lines  # type: ignore[method-assign]
    return "".join(noted)


if __name__ == "__main__":
    played = play_example()
    page = EXCHANGE.sub(lambda _: played, PAGE.read_text(encoding="utf-8"))
    draft = PAGE.with_suffix(".draft")
    draft.write_text(page, encoding="utf-8")
    os.replace(draft, PAGE)
