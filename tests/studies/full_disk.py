"""A study whose disk is full in the midst of it; run in a process of its own, where nobody else sees that disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sizes import set_full_size
from tests.studies.survival import Disturbed, sentence


def main(folder: Path, disk: Path, calm: Disturbed, options: list[str]) -> None:
    wild = Disturbed(folder, calm.episodes, str(disk / "store.db"), calm=calm)
    said = sentence(wild.start(*options))
    assert "The run disturbed was stopped: the disk is full" in said, said
    assert "`mensura study resume disturbed` goes on from there" in said, said
    before = wild.done()
    assert 0 < before < 4 * calm.episodes, before
    again = sentence(wild.command("resume", "--executor", "threads"))
    assert "full" in again, again
    assert wild.done() >= before
    subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
    wild.resume(*options)
    assert wild.tables() == calm.tables()


if __name__ == "__main__":
    set_full_size(sys.argv[5] == "full")
    calm = Disturbed(Path(sys.argv[3]), int(sys.argv[4]))
    main(Path(sys.argv[1]), Path(sys.argv[2]), calm, sys.argv[6:])
