"""Memories: packed and unpacked unchanged, and what is not one is refused in a sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents, InProcess
from mensura.agent.memory import (
    Corruption,
    Loss,
    damaged_bytes,
    pack,
    saved,
    sealed,
    unpack,
    unsealed,
)
from mensura.agent.waiting import finish
from mensura.core.mixed import Mixed
from mensura.core.players import Absent, Renewed, components_of, damaged

pytestmark = pytest.mark.quick


class Counter:
    """Counts its acts, and goes on counting where it was."""

    def __init__(self) -> None:
        self.count = 0

    def act(self, observation: object, reward: float) -> int:
        self.count += 1
        return self.count

    def save(self) -> bytes:
        return str(self.count).encode()

    def load(self, memory: bytes) -> None:
        self.count = int(memory)


class Plain:
    def act(self, observation: object, reward: float) -> int:
        return 0


@given(st.lists(st.none() | st.binary(), min_size=1))
def test_what_was_packed_is_unpacked(parts: list[bytes | None]) -> None:
    packed = pack(parts)
    if packed is None:
        assert parts == [None] * len(parts)
    else:
        assert unpack(packed, len(parts)) == parts


@given(st.binary())
def test_what_nobody_packed_is_refused(data: bytes) -> None:
    try:
        parts = unpack(data, 2)
    except MensuraError:
        return
    assert len(parts) == 2


def test_other_seats_are_refused() -> None:
    packed = pack([b"1", b"2"])
    assert packed is not None
    with pytest.raises(MensuraError, match="of 2 members and this subject has 3"):
        unpack(packed, 3)


@given(st.binary(), st.integers(0, 40))
def test_a_damaged_memory_is_noticed(data: bytes, place: int) -> None:
    whole = sealed(data)
    assert unsealed(whole) == data
    at = place % len(whole)
    damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    with pytest.raises(MensuraError, match="damaged"):
        unsealed(damaged)


def test_a_player_goes_on_where_it_was_and_forgets_back_to_there() -> None:
    subject = InProcess("counter", Counter)
    player = subject.sit(2)
    player.agents[1].act(None, 0.0)
    memory = saved(player)
    again = Renewed(subject, 2, memory)
    agents = again.player.agents  # type: ignore[attr-defined]
    assert [one.count for one in agents] == [0, 1]
    agents[0].act(None, 0.0)
    assert saved(again) != memory
    again.renew()
    assert saved(again) == memory


def test_a_mixed_collective_is_kept_part_by_part() -> None:
    subject = Mixed([(InProcess("counter", Counter), 1), (InProcess("plain", Plain), 2)])
    table = subject.sit(3)
    table.players[0].agents[0].act(None, 0.0)  # type: ignore[attr-defined]
    memory = saved(table)
    assert memory is not None
    again = subject.sit(3, memory)
    assert again.players[0].agents[0].count == 1  # type: ignore[attr-defined]
    assert saved(again) == memory


def test_who_cannot_be_saved_has_no_memory() -> None:
    assert saved(InProcess("plain", Plain).sit(2)) is None
    assert saved(Absent("gone")) is None


class Words(Counter):
    def save(self) -> str:  # type: ignore[override]
        return "seven"


class Speechless(Counter):
    def save(self) -> bytes:
        raise RuntimeError("no idea")


class Forgetful(Plain):
    def save(self) -> bytes:
        return b""


class Path(Counter):
    def save(self, path: str = "model.zip") -> bytes:
        raise AssertionError("it is asked to write a file")


class Unread(Plain):
    def save(self) -> bytes:
        raise AssertionError("nothing could read it")


@pytest.mark.parametrize("kind", [Words, Path, Unread])
def test_what_saves_otherwise_has_no_memory(kind: type) -> None:
    assert saved(InProcess("otherwise", kind).sit(1)) is None


def test_a_save_that_fails_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match="could not be saved: RuntimeError: no idea"):
        saved(InProcess("speechless", Speechless).sit(1))


def test_a_wrong_load_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"has no method load\(memory\)"):
        InProcess("forgetful", Forgetful).sit(1, pack([b""]))
    with pytest.raises(MensuraError, match="could not load what was saved: ValueError"):
        InProcess("counter", Counter).sit(1, pack([b"x"]))


# Damage -----------------------------------------------------------------------------


@given(st.lists(st.floats(allow_nan=False)), st.floats(0.0, 1.0), st.integers(0, 99))
def test_a_share_of_the_entries_is_lost_and_at_a_larger_share_more(
    values: list[float], share: float, key: int
) -> None:
    table = np.arange(len(values)) + 1.0
    left = Loss(share, key)(table, 0.0)
    assert np.count_nonzero(left == 0.0) == round(share * len(table))
    assert np.array_equal(Loss(0.0, key)(np.array(values), 0.0), np.array(values))
    more = Loss((1.0 + share) / 2.0, key)(table, 0.0)
    assert not np.any(more[left == 0.0])


@given(st.binary(max_size=200), st.integers(0, 99))
def test_no_bit_is_flipped_with_probability_0_and_each_with_1(data: bytes, key: int) -> None:
    assert damaged_bytes(data, Corruption(0.0, key)) == data
    assert damaged_bytes(data, Corruption(1.0, key)) == bytes(255 - one for one in data)


def test_bits_are_flipped_with_their_probability() -> None:
    table = Corruption(0.125, 1)(np.zeros((500, 20), np.float32), 0.0)
    assert table.shape == (500, 20)
    assert table.dtype == np.float32
    flipped = np.unpackbits(np.frombuffer(table.tobytes(), np.uint8)).mean()
    assert abs(flipped - 0.125) < 0.005


class Broken(Counter):
    """Has a view of its memory that fails, and components that are none."""

    def damaged(self, memory: bytes, damage: object) -> bytes:
        raise RuntimeError("no view")

    def components(self) -> list[str]:
        return ["a", "a"]

    def switch_off(self, name: str) -> None:
        raise RuntimeError("stuck")


def test_each_part_of_a_collective_is_damaged_by_itself() -> None:
    table = Mixed([(InProcess("one", Counter), 1), (InProcess("two", Plain), 1)]).sit(2)
    memory = saved(table)
    assert memory is not None
    assert damaged(table, memory, Loss(0.0, 1)) == memory
    first, second = unpack(damaged(table, memory, Loss(1.0, 1)), 2)
    assert first == pack([b"\0"])
    assert second is None


def test_a_view_or_a_switch_that_fails_is_told_in_a_sentence() -> None:
    player = Agents([Broken()])
    memory = saved(player)
    assert memory is not None
    with pytest.raises(MensuraError, match=r"Broken.damaged\(\) failed: RuntimeError: no view"):
        damaged(player, memory, Loss(0.5, 1))
    with pytest.raises(MensuraError, match="it gives different names"):
        components_of(player)
    with pytest.raises(MensuraError, match="Broken could not switch off a: RuntimeError: stuck"):
        finish(player.switching_off(["a"]))
    assert components_of(Agents([Counter()])) == ()


def test_whoever_is_restored_goes_on_with_the_memory_or_as_a_newborn() -> None:
    player = Renewed(InProcess("one", Counter), 1)
    assert finish(player.restoring(pack([b"7"])))
    assert saved(player) == pack([b"7"])
    assert not finish(player.restoring(pack([b"none"])))
    assert saved(player) == pack([b"0"])
    player.leave("gone")
    assert isinstance(player.player, Absent)
