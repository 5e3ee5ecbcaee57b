"""Memories: packed and unpacked unchanged, and what is not one is refused in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.core.errors import MensuraError
from mensura.core.memory import pack, saved, sealed, unpack, unsealed
from mensura.core.players import Absent, InProcess, Mixed, Renewed

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


class Broken(Counter):
    def save(self) -> bytes:
        raise RuntimeError("no idea")


class Forgetful(Plain):
    def save(self) -> bytes:
        return b""


@pytest.mark.parametrize(
    ("kind", "words"),
    [(Words, "gave str; it gives bytes"), (Broken, "could not be saved: RuntimeError: no idea")],
)
def test_a_wrong_save_gets_a_sentence(kind: type[Counter], words: str) -> None:
    with pytest.raises(MensuraError, match=words):
        saved(InProcess("wrong", kind).sit(1))


def test_a_wrong_load_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"has no method load\(memory\)"):
        InProcess("forgetful", Forgetful).sit(1, pack([b""]))
    with pytest.raises(MensuraError, match="could not load what was saved: ValueError"):
        InProcess("counter", Counter).sit(1, pack([b"x"]))
