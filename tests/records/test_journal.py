"""Packed answers come back as they were."""

import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.records.journal import Entry, pack, unpack

pytestmark = pytest.mark.quick

values = st.one_of(
    st.none(),
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False),
    st.text(),
    st.lists(st.integers()),
)
entries = st.builds(
    Entry,
    st.sampled_from(["begin", "tell", "act", "end"]),
    st.integers(0, 100),
    values,
    st.one_of(st.floats(allow_nan=False), st.integers(0, 5)),
    st.one_of(st.none(), st.tuples(st.just("late"), st.text())),
    st.one_of(st.none(), st.floats(0, 1e9)),
    st.one_of(st.none(), st.dictionaries(st.text(), st.integers())),
)


@given(st.lists(entries, max_size=20))
def test_what_is_packed_comes_back(page: list[Entry]) -> None:
    found = unpack(pack(page))
    assert found == page
    for one, other in zip(found, page, strict=True):
        assert type(one.value) is type(other.value)


@given(st.lists(entries, min_size=1, max_size=5))
def test_the_quick_way_to_write_an_entry_is_json_as_always(page: list[Entry]) -> None:
    def plain(entry: Entry) -> Any:
        short = entry if entry.attachment is not None else entry[: 5 if entry.at is None else 6]
        return json.dumps(short, separators=(",", ":"))

    assert zlib.decompress(pack(page)).decode() == "\n".join(map(plain, page))
