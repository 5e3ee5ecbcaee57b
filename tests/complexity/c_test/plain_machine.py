"""The C-test's machine once more, written from its description in plain Python, to compare with."""

from __future__ import annotations

from collections.abc import Sequence

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def interpret(program: Sequence[str], steps: int, start: str = "a") -> list[tuple[str, int]]:
    """The letters that a program writes, each with its step."""
    registers = dict.fromkeys("ABCO", start)  # O: what was written last
    written = []
    place = 0
    for step in range(1, steps + 1):
        if place == len(program):
            break
        word = program[place]
        after = place + 1
        if word in ("+", "-"):
            registers["A"] = moved(registers["A"], 1 if word == "+" else -1)
        elif word == "W":
            written.append((registers["A"], step))
            registers["O"] = registers["A"]
        elif "<-" in word:
            target, source = word.split("<-")
            registers[target] = registers[source]
        else:
            registers["C"] = moved(registers["C"], -1)
            if registers["C"] != "a":
                distance = {"LOOPTOP": place, "LOOPS": 4, "LOOPM": 7}[word]
                after = max(place - distance, 0)
        place = after
    return written


def moved(letter: str, by: int) -> str:
    return LETTERS[(LETTERS.index(letter) + by) % 26]
