"""What a model says of the pool that it was trained on."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from tests.records.test_pools import pool_of

from mensura.agent.errors import MensuraError
from mensura.records.training_note import NOTE, TrainedOn, note_training, training_note

pytestmark = pytest.mark.quick


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", "{}")
        archive.writestr("policy.pth", b"weights")
    return path


def test_a_note_is_read_again_and_the_rest_of_the_model_stays(model: Path) -> None:
    assert training_note(model) is None
    for counts in ([2, 1], [1, 3]):  # the later note replaces the earlier
        pool = pool_of(counts)
        note_training(model, pool)
        assert training_note(model) == TrainedOn(pool.digest, frozenset(pool.episodes))
    with zipfile.ZipFile(model) as archive:
        assert sorted(archive.namelist()) == ["data", NOTE, "policy.pth"]
        assert archive.read("policy.pth") == b"weights"


def test_what_is_no_model_or_no_note_is_one_sentence(model: Path, tmp_path: Path) -> None:
    false = tmp_path / "false.zip"
    false.write_bytes(b"nothing")
    with pytest.raises(MensuraError, match="is no model in an archive"):
        note_training(false, pool_of([1]))
    assert false.read_bytes() == b"nothing"
    with zipfile.ZipFile(model, "a") as archive:
        archive.writestr(NOTE, "[]")
    with pytest.raises(MensuraError, match="says of its training cannot be read"):
        training_note(model)
