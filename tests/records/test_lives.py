"""Lives: nobody grows older twice, and no memory gets into another head."""

import json
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.records.lives import Life, all_lives, open_life

pytestmark = pytest.mark.quick

ABOUT = {"subject": "learner", "world": "toy-v0", "seats": 1}
STAGE = {"assessment": "anytime", "condition": "toy", "score": 0.5, "interactions": 100}


def life(folder: Path, item: int = 0, **more: Any) -> Life:
    return open_life(folder, "learner?alpha=0.1", item, {**ABOUT, **more})


def test_a_life_goes_on_from_assessment_to_assessment(tmp_path: Path) -> None:
    young = life(tmp_path)
    assert (young.age, young.memory()) == (0, None)
    young.lived(1, b"one", STAGE)
    older = life(tmp_path).before(2)
    assert (older.age, older.memory()) == (100, b"one")
    older.lived(2, b"two", STAGE)
    oldest = life(tmp_path)
    assert [(stage.age, stage.draws) for stage in oldest.stages] == [
        (0, f"{1:016x}"),
        (100, f"{2:016x}"),
    ]
    assert oldest.memory() == b"two"


def test_an_assessment_that_is_played_again_ages_nobody_twice(tmp_path: Path) -> None:
    life(tmp_path).lived(1, b"one", STAGE)
    life(tmp_path).lived(2, b"two", STAGE)
    again = life(tmp_path).before(2)
    assert (again.age, again.memory()) == (100, b"one")
    again.lived(2, b"two", STAGE)
    assert life(tmp_path).age == 200


def test_an_earlier_assessment_cannot_be_repeated(tmp_path: Path) -> None:
    for draws in (1, 2):
        life(tmp_path).lived(draws, b"", STAGE)
    with pytest.raises(MensuraError, match="take another seed"):
        life(tmp_path).before(1)


def test_only_the_last_memories_stay(tmp_path: Path) -> None:
    for draws in range(5):
        life(tmp_path).lived(draws, b"x", STAGE)
    last = life(tmp_path).stages[-2:]
    assert {path.name for path in tmp_path.rglob("memories/*")} == {one.memory for one in last}


def test_lives_of_other_sittings_and_subjects_are_others(tmp_path: Path) -> None:
    life(tmp_path).lived(1, b"x", STAGE)
    assert life(tmp_path, 1).age == 0
    open_life(tmp_path, "learner?alpha=0.2", 0, ABOUT).lived(1, b"y", STAGE)
    assert [one.age for one in all_lives(tmp_path)] == [100, 100]
    with pytest.raises(MensuraError, match="has 'toy-v0' as its world and is now given 'other'"):
        life(tmp_path, world="other")


@pytest.mark.parametrize("text", ["", "[]", '{"stages": 7}', '{"stages": [{"age": 1}]}'])
def test_what_is_no_account_of_a_life_is_refused(tmp_path: Path, text: str) -> None:
    life(tmp_path).lived(1, b"x", STAGE)
    (path,) = tmp_path.rglob("0.json")
    path.write_text(text)
    with pytest.raises(MensuraError, match="is not the account of a life"):
        life(tmp_path)


def test_a_memory_that_is_gone_gets_a_sentence(tmp_path: Path) -> None:
    life(tmp_path).lived(1, b"x", STAGE)
    (path,) = tmp_path.rglob("memories/*")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(MensuraError, match="is gone or damaged, so life 0 cannot go on"):
        life(tmp_path).memory()
    path.unlink()
    with pytest.raises(MensuraError, match="is gone or damaged"):
        life(tmp_path).memory()


def test_a_life_of_an_older_version_goes_on(tmp_path: Path) -> None:
    life(tmp_path).lived(1, b"x", STAGE)
    (account,) = tmp_path.rglob("0.json")
    told = json.loads(account.read_text())
    del told["stages"][0]["memory"]
    account.write_text(json.dumps(told))
    old = account.with_name("0-1.memory")
    with pytest.raises(MensuraError, match="cannot be read: No such file"):
        life(tmp_path).memory()
    old.write_bytes(b"known before")
    assert life(tmp_path).memory() == b"known before"
    for draws in (2, 3):
        life(tmp_path).lived(draws, b"y", STAGE)
    assert life(tmp_path).memory() == b"y"
    assert not old.exists()


def test_a_folder_that_is_none_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MensuraError, match=r"Nothing can be kept in .*: Not a directory"):
        life(tmp_path / "file")
    with pytest.raises(MensuraError, match="There is no folder"):
        list(all_lives(tmp_path / "nowhere"))
