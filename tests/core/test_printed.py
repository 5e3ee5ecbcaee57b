"""Of what is printed the beginning and the end are kept, whatever its size and its pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.core.printed import FIRST, LAST, Printed, joined

pytestmark = pytest.mark.quick


@given(st.lists(st.binary(max_size=700), max_size=12))
def test_pieces_make_no_difference(pieces: list[bytes]) -> None:
    one, whole = Printed(), Printed()
    for piece in pieces:
        one.add(piece)
    whole.add(b"".join(pieces))
    assert one.text() == whole.text()


def test_what_is_short_is_kept_whole() -> None:
    one = Printed()
    one.add(b"begin\n")
    one.add(b"x" * (FIRST + LAST - 10))
    assert one.text() == "begin\n" + "x" * (FIRST + LAST - 10)


def test_a_million_lines_leave_a_few_of_the_first_and_the_last() -> None:
    one = Printed()
    for start in range(0, 1_000_000, 10_000):
        one.add(b"".join(b"line %d\n" % i for i in range(start, start + 10_000)))
    first, *_, last = one.text().splitlines()
    assert (first, last) == ("line 0", "line 999999")
    assert "bytes left out" in one.text()
    assert len(one.text()) < FIRST + LAST + 100
    assert all(line.startswith(("line ", "[")) for line in one.text().splitlines())


def test_what_several_print_stays_within_the_same_bounds() -> None:
    assert joined(["", "a", ""]) == "a"
    assert joined(["a", "b"]) == "a\nb"
    assert len(joined(["a" * 5000, "b" * 5000])) < FIRST + LAST + 100
