"""The pages on study files show files that work, and name every field that there is."""

import re
from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.studies.expand import places_of
from mensura.studies.files import field_table, read_study
from mensura.studies.rehearse import forecast

pytestmark = pytest.mark.quick

DOCS = Path(__file__).resolve().parents[2] / "docs"
HOW_TO = (DOCS / "how-to" / "study-files.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "reference" / "study-file.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r'```yaml title="([\w.-]+)"\n(.*?)```', HOW_TO, re.DOTALL))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_agent.py").write_text(
        "class MyAgent:\n    def act(self, observation, reward):\n        return 5\n"
    )


def test_the_page_has_examples() -> None:
    assert set(EXAMPLES) == {
        "first.yaml",
        "talking.yaml",
        "asking.yaml",
        "claiming.yaml",
        "beside.yaml",
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_sound(name: str) -> None:
    Path(name).write_text(EXAMPLES[name])
    study = read_study(name, rehearsed=True)
    assert f"{study.name}.yaml" == name


def test_the_complete_example_runs_what_the_page_says() -> None:
    Path("talking.yaml").write_text(EXAMPLES["talking.yaml"])
    coming = forecast(list(places_of(read_study("talking.yaml"), 1)))
    assert f"{coming.conditions} conditions (2 worlds at 3 levels), {coming.cells} cells" in HOW_TO
    assert f"{coming.sittings:,}".replace(",", " ") + " sittings" in " ".join(HOW_TO.split())


def test_the_sentence_on_the_page_is_the_one_that_is_said() -> None:
    Path("talking.yaml").write_text(EXAMPLES["talking.yaml"].replace("rows: 7", "row: 7"))
    with pytest.raises(MensuraError) as found:
        read_study("talking.yaml")
    assert f"mensura: {found.value}\n" in HOW_TO


def test_the_reference_names_every_field_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*) \|$", REFERENCE, re.MULTILINE)
    expected = [
        (line.field, line.type, line.default.strip(), line.meaning) for line in field_table()
    ]
    assert sorted((a, b, c.strip(), d) for a, b, c, d in rows) == sorted(expected)
