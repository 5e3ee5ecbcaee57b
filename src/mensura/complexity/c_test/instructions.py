"""The instructions of the C-test's machine, their numbers and how programs of them are written.

A program is written as its instructions with spaces between them: ``W + LOOPTOP``. Numbers are used inside kernels
and in the kept enumeration.
"""

from collections.abc import Iterable, Sequence

SUCC, PRED, WRITE, A_FROM_B, B_FROM_A, A_FROM_C, C_FROM_A, LOOPTOP, LOOPS, LOOPM = range(10)
READ = 10
"""The instruction of the machine that reads what it wrote: A<-O takes the last letter."""

SYMBOLS = ("+", "-", "W", "A<-B", "B<-A", "A<-C", "C<-A", "LOOPTOP", "LOOPS", "LOOPM", "A<-O")
"""How each instruction is written, by its number."""

NAMES = {"SUCC": SUCC, "PRED": PRED, "WRITE": WRITE, "READ": READ}
"""The long names, which are read but not written."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"

Program = tuple[int, ...]
"""The numbers of its instructions."""


def program_text(program: Iterable[int]) -> str:
    """A program as text.

    >>> program_text((2, 0, 7))
    'W + LOOPTOP'
    """
    return " ".join(SYMBOLS[instruction] for instruction in program)


def read_program(text: str) -> Program:
    """A program from its text.

    >>> read_program("W + LOOPTOP")
    (2, 0, 7)
    """
    numbers = {symbol: number for number, symbol in enumerate(SYMBOLS)} | NAMES
    program = []
    for word in text.split():
        if word.upper() not in numbers:
            raise ValueError(f"{word!r:.60} is no instruction: they are {', '.join(SYMBOLS)}.")
        program.append(numbers[word.upper()])
    return tuple(program)


def letters_text(letters: Sequence[int], between: str = " ") -> str:
    """Letters from their numbers; -1 is a blank, written as _."""
    return between.join("_" if letter < 0 else LETTERS[letter] for letter in letters)
