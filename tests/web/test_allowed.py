"""What a study from a browser may name: every part of every address is looked at, and every text that is a path."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.core.yaml_text import Misfit
from mensura.studies.study import Study, study_from_plain
from mensura.web.allowed import check_allowed

pytestmark = pytest.mark.quick


def study(*subjects: Any, **more: Any) -> Study:
    plain = {"mensura": 1, "name": "s", "worlds": ["lambda-star-v2"], "subjects": list(subjects)}
    return study_from_plain({**plain, **more})


FOREIGN = [
    "mine.py:Mine",
    "./mine.py:Mine",
    "os:system",
    "package.module:Class?depth=3",
    "cmd:rm -rf x",
    "tcp://127.0.0.1:7001",
    "ws://127.0.0.1:7001/x",
    "listen://127.0.0.1:7001",
    "sb3:model.zip",
    "mine%2Epy:Mine",
    "%63md:ls",
]


@pytest.mark.parametrize("address", FOREIGN)
@pytest.mark.parametrize("around", ["{}", "random+{}*2", "{}*3+random", "random+random+{}"])
def test_code_is_refused_in_every_part_of_an_address(address: str, around: str) -> None:
    with pytest.raises(Misfit, match="an address that names code is code"):
        check_allowed(study(around.format(address)), ())


@pytest.mark.parametrize("address", FOREIGN)
def test_code_in_a_level_is_refused(address: str) -> None:
    factor = {"name": "who", "levels": [{"label": "a", "subject": address}]}
    with pytest.raises(Misfit, match="names code"):
        check_allowed(study(subjects=[], factors=[factor]), ())


def test_built_in_subjects_need_no_leave() -> None:
    check_allowed(study("random", "oracle+local-search*4", "q-learning?alpha=0.1"), ())


def test_what_is_allowed_is_this_very_address() -> None:
    allowed = ("mine.py:Mine", "cmd:./agent --fast", "other.py:Other?depth=3")
    check_allowed(study("mine.py:Mine", "mine.py:Mine*2+random", "cmd:./agent --fast"), allowed)
    check_allowed(study("other.py:Other?depth=3"), allowed)
    for other in (
        "mine.py:Yours",
        "./mine.py:Mine",
        "mine.py:Mine?x=1",
        "cmd:./agent --fast; ls",
        "other.py:Other",
        "other.py:Other?depth=4",
        {"subject": "mine.py:Mine", "parameters": {"x": 1}},
        "mine.py:Mine+yours.py:Yours",
    ):
        with pytest.raises(Misfit, match="names code"):
            check_allowed(study(other), allowed)


def test_levels_may_not_add_parameters_to_what_is_allowed() -> None:
    factor = {"name": "x", "levels": [{"label": "a", "parameters": {"path": "/etc/passwd"}}]}
    with pytest.raises(Misfit, match="names code"):
        check_allowed(study("mine.py:Mine", factors=[factor]), ("mine.py:Mine",))


def test_nothing_is_kept_in_folders_of_the_server() -> None:
    with pytest.raises(Misfit, match="keeps nothing"):
        check_allowed(study({"subject": "random", "keep": "somewhere"}), ())


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x", "~/x", "task.yaml", "TASK.YML", "a.json", "..\\x", "pyproject.toml"],
)
def test_files_of_the_server_are_not_read(path: str) -> None:
    world = {"world": "framotec-v1", "parameters": {"task": path}}
    with pytest.raises(Misfit, match="names a file"):
        check_allowed(study("random", worlds=[world]), ())
    factor = {"name": "x", "levels": [{"label": "a", "world": {"task": path}}]}
    with pytest.raises(Misfit, match="names a file"):
        check_allowed(study("random", factors=[factor]), ())


def test_tasks_by_name_and_as_text_are_read() -> None:
    for task in ("car-race", '{"name": "t", "see": "a/b"}'):
        world = {"world": "framotec-v1", "parameters": {"task": task}}
        check_allowed(study("random", worlds=[world]), ())


@given(st.text(min_size=1, max_size=60))
def test_whatever_is_written_code_is_never_let_through(text: str) -> None:
    try:
        check_allowed(study(text), ())
    except Misfit:
        return
    assert ":" not in text
