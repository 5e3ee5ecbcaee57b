"""The command: see the package."""

from __future__ import annotations

import argparse
import resource
import sys

import fuzz
from fuzz.loop import Outcome, search
from fuzz.readers import READERS

MEMORY = 6 << 30
"""So many bytes of addresses the whole process may have: who asks for more has been led to by a text."""


def main() -> int:
    """Search, and tell how many inputs were read and what was found."""
    parser = argparse.ArgumentParser(
        prog="python -m fuzz", description=(fuzz.__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--reader", choices=READERS, action="append", help="only this one; by default all in turn"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="for all of them together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true", help="use atheris; its options follow")
    chosen, further = parser.parse_known_args()
    names = chosen.reader or list(READERS)
    if chosen.atheris:
        _by_atheris(names[0], further)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    findings = 0
    for name in names:
        found = search(READERS[name], seconds=chosen.seconds / len(names), seed=chosen.seed)
        _tell(name, found)
        findings += len(found.broken)
    return 1 if findings else 0


def _tell(name: str, found: Outcome) -> None:
    sys.stdout.write(
        f"{name}: {found.inputs} inputs, {found.new} of them new to the code, {len(found.broken)} broke it\n"
    )
    for where, (data, error) in found.broken.items():
        sys.stdout.write(f"  {where}\n    {error}\n    with {data[:300]!r}\n")
    sys.stdout.flush()


def _by_atheris(name: str, further: list[str]) -> None:
    import atheris  # type: ignore[import-not-found]

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *further], READERS[name].read)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
