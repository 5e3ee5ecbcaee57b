"""Archives of others: nothing that is small on the disk takes much memory."""

from __future__ import annotations

import ast
import io
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mensura
from mensura.agent.errors import MensuraError
from mensura.agents.sb3 import algorithm_of
from mensura.core import archives
from mensura.records.pools import Pool
from mensura.records.training_note import NOTE, note_training, training_note
from mensura.texts.conllu import read_conllu

pytestmark = pytest.mark.quick

LARGE = 96 << 20
"""Bytes that a bomb unpacks to."""

ENOUGH = 24 << 20
"""Bytes that reading one may take."""


def bomb(path: Path, member: str) -> Path:
    """An archive of about a hundred kilobytes, with a member of many zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data", "{}") if member != "data" else None
        with archive.open(member, "w") as file:
            for _ in range(LARGE >> 20):
                file.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    return path


@pytest.fixture
def frugal() -> Iterator[None]:
    """Within it no more memory is taken than is enough."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < ENOUGH


@pytest.mark.usefixtures("frugal")
def test_a_model_that_unpacks_to_much_is_refused_by_its_size(tmp_path: Path) -> None:
    with pytest.raises(
        MensuraError, match=r"is not a model that Stable-Baselines3 saved \('data' is packed"
    ):
        algorithm_of(bomb(tmp_path / "model.zip", "data"))


@pytest.mark.usefixtures("frugal")
def test_a_note_of_training_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="says of its training cannot be read"):
        training_note(bomb(tmp_path / "model.zip", NOTE))


@pytest.mark.usefixtures("frugal")
def test_a_note_is_not_written_into_a_model_that_unpacks_to_much(tmp_path: Path) -> None:
    from tests.records.test_pools import pool_of

    with pytest.raises(MensuraError, match="is no model in an archive"):
        note_training(bomb(tmp_path / "model.zip", "policy.pth"), pool_of([1]))


@pytest.mark.usefixtures("frugal")
def test_a_pool_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="is no whole pool of checkpoints"):
        Pool.read(bomb(tmp_path / "a.pool", "pool.json"))


@pytest.mark.usefixtures("frugal")
def test_arrays_that_unpack_to_much_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is packed to less than"):
        archives.arrays(bomb(tmp_path / "a.npz", "weights.npy"))


@pytest.mark.usefixtures("frugal")
def test_an_array_that_claims_more_numbers_than_it_has_takes_no_memory(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}
    )
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights.npy", header.getvalue())
    with pytest.raises(ValueError, match="does not fit into"):
        archives.arrays(path)


def test_an_archive_of_too_many_members_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(11):
            archive.writestr(str(number), "")
    bounds = archives.Bounds(members=10)
    with pytest.raises(ValueError, match="it has 11 members"), archives.opened(path, bounds):
        pass


def test_members_that_together_have_too_many_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(3):
            archive.writestr(str(number), bytes(400))
    with pytest.raises(ValueError, match="unpacked it has 1,200 bytes"):
        archives.arrays(path, 1000)


def test_deep_nesting_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", "[" * 1_000_000)
    with pytest.raises(MensuraError, match="is not a model"):
        algorithm_of(path)


@pytest.mark.usefixtures("frugal")
def test_what_zlib_packed_is_unpacked_up_to_a_bound() -> None:
    packed = zlib.compress(bytes(1 << 20))
    assert len(archives.unpacked(packed, 1 << 21)) == 1 << 20
    with pytest.raises(ValueError, match="more than 1,000 bytes"):
        archives.unpacked(packed, 1000)


def test_a_packed_treebank_is_read_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(b"# text\n" * 1000))
    monkeypatch.setattr("mensura.texts.conllu.MOST", 100)
    with pytest.raises(MensuraError, match="has more than 100 bytes of text"):
        read_conllu(path)


@given(
    st.dictionaries(
        st.text("abc/", min_size=1, max_size=4),
        st.lists(st.floats(width=32, allow_nan=False), max_size=9),
        max_size=4,
    )
)
def test_arrays_are_read_as_numpy_wrote_them(values: dict[str, list[float]]) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **{k: np.array(v) for k, v in values.items()})
    read = archives.arrays(buffer)
    assert {name: array.tolist() for name, array in read.items()} == values


# Law ------------------------------------------------------------------------------

UNBOUNDED = {
    "zipfile.ZipFile",
    "zlib.decompress",
    "np.load",
    "tarfile.open",
    "pickle.load",
    "pickle.loads",
}
"""Calls that unpack whatever there is."""

ALLOWED = {
    "core/archives.py": "the bounded reader",
    "complexity/c_test/pool.py": "series that this user's own cache keeps",
    "worlds/atari/imported.py": "a file of numbers that is mapped into memory",
}


def test_no_other_module_unpacks_archives() -> None:
    source = Path(mensura.__file__).parent
    found = []
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in UNBOUNDED:
                continue
            modes = {one.value for one in node.args if isinstance(one, ast.Constant)}
            if not modes & {"w", "a"}:
                found.append(path.relative_to(source).as_posix())
    assert set(found) == set(ALLOWED)
