"""The C-test's machine: what instructions do, how programs are written, and the scale."""

from __future__ import annotations

import numpy as np
import pytest
from tests.complexity.c_test.plain_machine import interpret

from mensura.complexity.c_test.instructions import (
    LETTERS,
    SYMBOLS,
    program_text,
    read_program,
)
from mensura.complexity.c_test.machine import (
    Machine,
    least_shown,
    read_machine,
    run,
    scale_value,
)

pytestmark = [pytest.mark.bounds, pytest.mark.pure]


def test_the_compiled_machine_agrees_with_a_plain_one(full_size: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(10_000 if full_size else 500):
        length = int(rng.integers(1, 13))
        program = tuple(int(one) for one in rng.integers(0, len(SYMBOLS), length))
        start = LETTERS[rng.integers(26)]
        ran = run(program, steps=200, machine=Machine(start=start, reads=True))
        words = [SYMBOLS[one] for one in program]
        expected = interpret(words, 200, start)
        assert [LETTERS[letter] for letter in ran.letters] == [letter for letter, _ in expected]
        assert list(ran.times) == [step for _, step in expected]
        assert all(words[place] == "W" for place in ran.places)


def test_a_run_ends_with_its_steps_or_its_letters() -> None:
    program = read_program("W + LOOPTOP")
    assert run(program, steps=10).text == "a b c d"
    assert run(program, steps=9).text == "a b c"
    assert run(program, steps=100, letters=2).times == (1, 4)


def test_a_loop_ends_when_the_counter_comes_back_to_a() -> None:
    assert run(read_program("W LOOPTOP"), steps=1000).times == tuple(range(1, 53, 2))


def test_programs_are_read_as_they_are_written() -> None:
    text = "W + - A<-B B<-A A<-C C<-A LOOPTOP LOOPS LOOPM"
    assert program_text(read_program(text)) == text
    assert read_program("write SUCC pred") == read_program("W + -")
    with pytest.raises(ValueError, match="'JUMP' is no instruction"):
        read_program("W JUMP")


def test_another_reading_of_the_machine_is_read_from_text() -> None:
    assert read_machine("") == Machine()
    assert read_machine("start=y, short=1,medium=3") == Machine("y", 1, 3)
    assert read_machine("reads") == Machine(reads=True)
    for text in ("start=ab", "short=0", "short=x", "turing", "reads=1"):
        with pytest.raises(ValueError, match=r"not|nothing"):
            read_machine(text)


def test_the_scale_is_read_at_the_sixth_letter() -> None:
    assert scale_value(read_program("W + LOOPTOP")) == 3 + 4  # 16 steps
    assert scale_value(read_program("W W W")) is None


def test_a_write_counts_as_a_rule_once_it_has_run_twice() -> None:
    program = read_program("W W - LOOPTOP")
    assert least_shown(program, 10) == 4
    assert least_shown(program, 3) is None
