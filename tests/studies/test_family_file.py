"""Family files: what they say, and the line of what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.studies.family_file import EXAMPLE, parse_family, read_family, write_example

pytestmark = pytest.mark.quick


def test_the_example_is_a_family() -> None:
    tasks = parse_family(EXAMPLE)
    assert [one.name for one in tasks] == ["first", "second", "third", "mixed"]
    assert [one.environment for one in tasks] == [1, 2, 3, None]
    assert len({one.identity for one in tasks}) == 4


def test_a_task_may_leave_out_its_name_and_its_world() -> None:
    text = "mensura: 1\ntasks:\n- {environment: 1}\n- {environment: 2, parameters: {cells: 3}}\n"
    one, two = parse_family(text, world="lambda")
    assert (one.name, two.name) == ("1", "2")
    assert one.world.id == "lambda-v1"
    assert one.world != two.world


def family(*tasks: str) -> str:
    return "mensura: 1\ntasks:\n" + "".join(f"  - {one}\n" for one in tasks)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (family("{world: lambda}"), 2, "a family has at least 2 tasks"),
        (family("{world: lambda}", "{world: lamda}"), 4, "did you mean lambda"),
        (family("{world: lambda}", "{word: lambda}"), 4, "There is no field 'word'"),
        (family("{world: lambda}", "{environment: 1}"), 4, "The task 2 names no world"),
        (
            family("{world: lambda}", "{world: lambda, parameters: {cell: 3}}"),
            4,
            "has no parameter 'cell'",
        ),
        (
            family("{world: lambda}", "{world: lambda, environment: one}"),
            4,
            "must be a whole number",
        ),
        (
            family("{name: a, world: lambda}", "{name: a, world: lambda}"),
            4,
            "Two tasks are called a",
        ),
        ("tasks: []\n", 1, "The family has no mensura"),
        ("mensura: 1\n", 1, "The family has no tasks"),
        ("- 1\n", 1, "A family is a mapping with mensura and tasks, not a list"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        parse_family(text, "family.yaml")
    assert str(error.value).startswith(f"family.yaml, line {line}: "), error.value
    assert sentence in str(error.value)
    assert str(error.value)[-1] in ".?"


def test_a_file_is_neither_missed_in_silence_nor_written_over(tmp_path: Path) -> None:
    path = tmp_path / "family.yaml"
    with pytest.raises(MensuraError, match="There is no file"):
        read_family(path)
    write_example(path)
    assert len(read_family(path)) == 4
    with pytest.raises(MensuraError, match="is there already"):
        write_example(path)
