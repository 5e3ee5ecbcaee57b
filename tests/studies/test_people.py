"""What a study file says of people: addresses that lead nowhere else, ends that are moments."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.studies.files import parse_study
from mensura.studies.people import RedirectEntry, moment_of
from mensura.studies.study import study_from_plain

pytestmark = pytest.mark.quick

FILE = """mensura: 1
name: x
subjects: [random]
worlds: [lambda]
people:
  parameter: workerId
  ends: 2030-12-31
  completed: {url: "https://example.org/done?cc=C1&who={id}", code: C1}
"""


def with_people(**people: Any) -> dict[str, Any]:
    return {
        "mensura": 1,
        "name": "x",
        "subjects": ["random"],
        "worlds": ["lambda"],
        "people": people,
    }


def test_people_are_a_part_of_a_study_file() -> None:
    people = parse_study(FILE).study.people
    assert people is not None
    assert (people.parameter, people.ends, people.quota) == ("workerId", "2030-12-31", None)
    assert people.completed.address_for("a&b=/ñ") == (
        "https://example.org/done?cc=C1&who=a%26b%3D%2F%C3%B1"
    )
    assert people.screened.address_for("a") == ""


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "//example.org/",
        "https:///path",
        "https://user@example.org/",
        "https://example.org\\@evil.example/",
        "https://example.org/ a",
        "https://{id}.example/",
        "https://example.org/{id}?a=b",
        "https://example.org:port/",
        "https://[example/",
        "",
    ],
)
def test_an_address_is_https_and_nobody_else_can_change_where_it_leads(url: str) -> None:
    with pytest.raises(MensuraError, match=r"people\.completed\.url is"):
        study_from_plain(with_people(completed={"url": url}))


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("parameter", "workerId", "a b"),
        ("ends", "2030-12-31", "soon"),
        ("parameter", "parameter", "parametre"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(field: str, value: str, line: str) -> None:
    with pytest.raises(MensuraError, match=r"line [678]"):
        parse_study(FILE.replace(value, line))


def test_a_day_ends_with_its_last_moment_and_times_are_utc() -> None:
    assert moment_of("2030-12-31") == datetime(2030, 12, 31, 23, 59, 59, 999_999, UTC)
    assert moment_of("20301231") == moment_of("2030-12-31")
    assert moment_of("2030-12-31T10:00") == datetime(2030, 12, 31, 10, tzinfo=UTC)
    assert moment_of("2030-12-31T10:00+02:00") == datetime(2030, 12, 31, 8, tzinfo=UTC)
    assert moment_of("tomorrow") is None
    assert RedirectEntry().address_for(None) == ""


def test_the_examples_of_the_page_are_sound() -> None:
    page = Path(__file__).resolve().parents[2] / "docs/how-to/run-a-study-of-people.md"
    examples = re.findall(
        r"```yaml\n(people:\n.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
    assert len(examples) == 3
    for example in examples:
        assert parse_study(FILE.partition("people:")[0] + example).study.people is not None
