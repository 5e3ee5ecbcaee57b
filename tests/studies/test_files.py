"""Study files: shipped ones are sound, and whatever is wrong with one is said in a sentence with its line."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.language_model.server import Server
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.core.registry import WORLDS
from mensura.studies.conditions import conditions
from mensura.studies.expand import episodes, expand, places_of
from mensura.studies.files import (
    LARGEST_FILE,
    STUDIES,
    field_table,
    find_study,
    open_study,
    parse_study,
    read_study,
    schema,
)
from mensura.studies.rehearse import rehearse
from mensura.studies.study import study_from_plain

HEAD = "mensura: 1\nname: x\nsubjects: [random]\nworlds: [lambda-star]\n"

BAD = [
    # Not YAML
    ("mensura: 1\nname: [x\n", 3, "this is not YAML"),
    ("mensura: 1\nname: x\n\tseed: 1\n", 3, "indent with spaces, not with tabs"),
    (
        "mensura: 1\ntitle: A study: small\n",
        2,
        "a text with a colon and a space in it needs quotes",
    ),
    (HEAD + "title: *there\n", 5, "undefined alias"),
    (HEAD + "---\n" + HEAD, 5, "a file holds one study"),
    # Not plain data
    (HEAD + "seed: 1\nseed: 2\n", 6, "The name 'seed' is there twice, first in line 5"),
    (HEAD + "notes: &n\n  - *n\n", 5, "An alias stands inside the very thing that it repeats"),
    (HEAD + "limits: &l\n  faults: *l\n", 6, "An alias stands inside the very thing"),
    (HEAD + "limits:\n  <<: {faults: 2}\n", 6, "has no merging with <<"),
    (HEAD + "title: !!python/object:os.system x\n", 5, "has no meaning in a study"),
    (HEAD + "notes: !!set {a, b}\n", 5, "The tag !!set has no meaning in a study"),
    (HEAD + "? [a, b]\n: 3\n", 5, "A name before a colon must be text"),
    (HEAD + "seed: 0x10\n", 5, "a number in another notation"),
    (HEAD + "seed: 010\n", 5, "a number in another notation"),
    (HEAD + "seed: 12:30\n", 5, "put it in quotes if it is text"),
    (HEAD + "seed: .inf\n", 5, "not a finite decimal one"),
    # No study
    ("- a\n- b\n", 1, "A study is a mapping with named fields, not a list."),
    ("hello\n", 1, "A study is a mapping with named fields, not 'hello'."),
    # The format
    ("name: x\n", 1, "The study has no mensura; write mensura: 1"),
    (
        "name: x\nmensura: 2\nnew: 1\n",
        2,
        "has format 2, and this version of Mensura reads format 1",
    ),
    ("mensura: yes\n", 1, "mensura is true; write mensura: 1"),
    ('mensura: "1"\n', 1, "mensura is '1'; write mensura: 1"),
    # Fields
    (HEAD + "repetition: 2\n", 5, "There is no field 'repetition'; did you mean repetitions?"),
    (
        HEAD + "limits:\n  fault: 1\n",
        6,
        "There is no field 'fault' in limits; did you mean faults?",
    ),
    ("mensura: 1\nnames: x\nworlds: [a]\n", 2, "There is no field 'names'; did you mean name"),
    ("mensura: 1\nname: x\nsubjects: [random]\n", 1, "The study has no worlds, which it needs."),
    ("mensura: 1\nname: x\nworlds: [lambda-star]\n", 1, "The study has no subjects"),
    ("mensura: 1\nname: x\nsubjects: []\nworlds: [lambda-star]\n", 3, "The study has no subjects"),
    (HEAD + "factors:\n  - name: f\n", 6, "factors[0] has no levels, which it needs."),
    (HEAD + "title:\n", 5, "title is empty; it must be text."),
    # Types, and what YAML makes of words
    ("mensura: 1\nname: no\n", 2, "YAML reads yes, no, on and off as true and false"),
    ("mensura: 1\nname: 2016\n", 2, "name is 2016; it must be text; put it in quotes."),
    (HEAD + 'seed: "10"\n', 5, "seed is '10'; it must be a whole number; write it without quotes."),
    (HEAD + "seed: 1e3\n", 5, "to YAML 1e3 is text, write 1000"),
    (HEAD + "seed: 2016-01-01\n", 5, "seed is '2016-01-01'; it must be a whole number."),
    (HEAD + "seed: 1.5\n", 5, "seed is 1.5; it must be a whole number."),
    (HEAD + "seed: -1\n", 5, "seed is -1; it must be at least 0."),
    (HEAD + "seed: 18446744073709551616\n", 5, "it must be at most 18446744073709551615."),
    (HEAD + "repetitions: 0\n", 5, "repetitions is 0; it must be at least 1."),
    (HEAD + "repetitions: true\n", 5, "repetitions is true; it must be a whole number."),
    (
        HEAD + "design: grids\n",
        5,
        "design is 'grids'; it must be 'grid', 'one-at-a-time' or 'pairs'.",
    ),
    (
        HEAD + "limits: 3\n",
        5,
        "limits is 3; it must be a mapping with fields out of seconds_per_action",
    ),
    (HEAD + "limits:\n  seconds_per_action: 0\n", 6, "it must be above 0."),
    (HEAD + "limits:\n  disk_mb: 99999999999999999999\n", 6, "it must be at most 1073741824."),
    (HEAD + "limits:\n  faults: 99999999999999999999\n", 6, "it must be at most 1000000000."),
    (HEAD + "limits:\n  isolation: strong\n", 6, "it must be true or false."),
    (HEAD + "limits:\n  isolation: 1\n", 6, "it must be true or false."),
    (HEAD + "limits:\n  isolation: strict\n", 6, "it must be true or false."),
    (HEAD + "records: {traces: 1}\n", 5, "records.traces is 1; it must be true or false."),
    ("mensura: 1\nname: x\nsubjects: random\n", 3, "it must be a list, as [random]."),
    (
        "mensura: 1\nname: x\nsubjects:\n  - random\n  - 3\n",
        5,
        "subjects[1] is 3; it must be text, or",
    ),
    ("mensura: 1\nname: a/b\n", 2, "it must be letters and digits"),
    (HEAD + "factors:\n  - name: ' a'\n    levels: [{label: b}]\n", 6, "must be one line, without"),
    # What does not hold together
    (
        HEAD + "factors:\n  - name: f\n    levels: [{label: a}, {label: a}]\n",
        7,
        "The level of f 'a' is there twice",
    ),
    (
        HEAD + "factors:\n  - name: f\n    levels: [{label: a}]\n    baseline: b\n",
        8,
        "The baseline 'b' is no level of f",
    ),
    (
        HEAD + "factors:\n  - name: who\n    levels:\n      - {label: a, subject: random}\n",
        3,
        "The factor who names the subjects, so the study can have no others",
    ),
    (
        HEAD
        + "factors:\n"
        + "".join(f"  - name: {n}\n    levels: [{{label: a, world: {{rows: 5}}}}]\n" for n in "fg"),
        8,
        "The factors f and g both set the world's rows",
    ),
    (
        HEAD + "published:\n  - levels: {f: a}\n    values: {random: 0}\n",
        6,
        "There is no factor 'f'",
    ),
    (
        HEAD + "published:\n  - values: {random: 0}\n    doubts: {randon: why}\n",
        7,
        "There is a doubt about 'randon' but no published value of it in this table; did you mean random?",
    ),
    # What is not there
    (
        "mensura: 1\nname: x\nsubjects: [random]\nworlds:\n  - lamda-star\n",
        5,
        "There is no world 'lamda-star'; did you mean lambda-star-v2 or lambda-v1?",
    ),
    (
        "mensura: 1\nname: x\nsubjects: [random]\nworlds:\n  - lambda-star-v0\n",
        5,
        "lambda-star-v0 is an older version of lambda-star-v2, the present one; what changed in v1: ",
    ),
    (
        "mensura: 1\nname: x\nsubjects:\n  - random\n  - craud\nworlds: [lambda-star]\n",
        5,
        "There is no subject 'craud' for lambda-star-v2; did you mean crowd",
    ),
    (HEAD + "assessments: [batery]\n", 5, "There is no assessment 'batery'; did you mean battery"),
    (
        "mensura: 1\nname: x\nsubjects: [no.py:Me]\nworlds: [lambda-star]\n",
        3,
        "There is no file no.py",
    ),
    (
        HEAD.replace("[random]", "[oracle+random]"),
        3,
        "2 members and the environment 5 seats: make them the same number",
    ),
    (
        HEAD.replace("[random]", "[random, random]"),
        3,
        "The subject random is already there, as subjects[0]",
    ),
    (
        HEAD.replace("[random]", "[{subject: q-learning, parameters: {alfa: 1}}]"),
        3,
        "q-learning has no parameter 'alfa'",
    ),
    # Parameters
    (
        "mensura: 1\nname: x\nsubjects: [random]\nworlds:\n  - world: lambda-star\n    parameters:\n      row: 5\n",
        7,
        "The world lambda-star has no parameter 'row'; did you mean rows",
    ),
    (
        "mensura: 1\nname: x\nsubjects: [random]\nworlds:\n  - world: lambda-star\n    parameters:\n      rows: ten\n",
        7,
        "worlds[0].parameters.rows is 'ten'; it must be a whole number.",
    ),
    (
        HEAD.replace("[lambda-star]", "[{world: lambda-star, parameters: {generator: walks}}]"),
        4,
        "it must be recurrent or walk.",
    ),
    (
        HEAD.replace("[lambda-star]", "[{world: lambda-star, preset: papers}]"),
        4,
        "did you mean paper?",
    ),
    (
        HEAD.replace("[lambda-star]", "[{world: lambda-star, parameters: {rows: 1, cols: 1}}]"),
        4,
        "A grid of 1x1 has no room",
    ),
    (
        HEAD.replace("[lambda-star]", "[lambda-star, lambda-star]"),
        4,
        "give one of them another name",
    ),
    (
        HEAD + "assessments: [{assessment: battery, parameters: {episode: 5}}]\n",
        5,
        "The assessment battery has no parameter 'episode'; did you mean episodes?",
    ),
    (
        HEAD + "assessments: [{assessment: battery, parameters: {episodes: 0}}]\n",
        5,
        "A battery of 0 episodes is empty",
    ),
    (
        HEAD + "assessments: [{assessment: battery, parameters: {spread: all}}]\n",
        5,
        "it must be a list of 2 whole numbers, or any.",
    ),
    (
        HEAD + "assessments: [{assessment: battery, parameters: {measure: Q}}]\n",
        5,
        "The world lambda-star-v2 has no complexity 'Q'",
    ),
    (
        HEAD + "factors:\n  - name: f\n    levels:\n      - label: a\n        world: {colums: 3}\n",
        9,
        "has no parameter 'colums'; did you mean cols",
    ),
    (
        HEAD + "published:\n  - world: there\n    values: {random: 0}\n",
        6,
        "There is no world called 'there'",
    ),
    (
        HEAD + "published:\n  - values: {oracle: 0}\n",
        6,
        "There is no subject called 'oracle' beside these published values",
    ),
    (
        HEAD + "published:\n  - values: {random: 0}\n  - values: {random: 1}\n",
        7,
        "already, in published[0]",
    ),
]


@pytest.mark.parametrize(("text", "line", "sentence"), BAD, ids=[case[2][:40] for case in BAD])
def test_what_is_wrong_is_said_in_one_sentence_with_its_line(
    tmp_path: Path, text: str, line: int, sentence: str
) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(MensuraError) as found:
        read_study(path)
    said = str(found.value)
    assert said.startswith(f"{path}, line {line}: "), said
    assert sentence in said
    assert "\n" not in said
    assert said.endswith((".", "?"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty; a study needs at least mensura, name, subjects and worlds."),
        (b"# only a comment\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\xff", "is not text in UTF-8"),
        (b"mensura: 1\nname: \x00\n", "holds characters that no text file has"),
        (b"#" * (LARGEST_FILE + 1), "a study file has at most 500000"),
        (b"[" * 1000, "is nested too deeply"),
    ],
)
def test_what_is_no_study_file_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "study.yaml"
    path.write_bytes(content)
    with pytest.raises(MensuraError) as found:
        read_study(path)
    assert sentence in str(found.value)


def test_a_hundred_brackets_may_stand_in_one_another_and_no_more() -> None:
    with pytest.raises(MensuraError, match="The study has no mensura"):
        parse_study("deep: " + "[" * 100 + "]" * 100, "x")
    with pytest.raises(MensuraError, match="is nested too deeply to be a study"):
        parse_study("deep: " + "{a: " * 101, "x")


def test_few_lines_cannot_stand_for_millions_of_values() -> None:
    lines = ["mensura: 1", "name: x", "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for name, before in zip("bcdefgh", "abcdefg", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]")
    with pytest.raises(MensuraError, match="more than 50000 values"):
        parse_study("\n".join(lines))


def test_a_file_that_is_not_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MensuraError, match=r"There is no file mine.yaml; a path is read from"):
        read_study("mine.yaml")
    with pytest.raises(MensuraError, match="did you mean lambda-star-2016"):
        read_study("lambda-star-2015")
    with pytest.raises(MensuraError, match="is a folder"):
        read_study(tmp_path)


def test_dates_are_text_and_aliases_repeat_values() -> None:
    text = HEAD + "title: 2016-01-01\nnotes: [&a one, *a]\n"
    study = parse_study(text).study
    assert study.title == "2016-01-01"
    assert study.notes == ("one", "one")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.encode())
    assert read_study(path).name == "x"


# Shipped studies --------------------------------------------------------------


LONG = (
    "aiq-2011",
    "aiq-2011-full",
    "collective-factors",
    "emergence",
    "four-tests",
    "insa-2011-ai",
    "insa-2011-sweep",
    "model-histories",
    "what-the-score-is-worth",
)
"""Rehearsed, these take a second and more: only their first condition is, but for the full size."""

DEAR = (
    "aiq-2011",
    "aiq-2011-full",
    "c-test-1998",
    "collective-factors",
    "discsp-netlogo-2016",
    "emergence",
    "fitness-landscape",
    "four-tests",
    "insa-2011-ai",
    "insa-2011-humans",
    "insa-2011-sweep",
    "iq-models",
    "model-histories",
    "yokoo-1998",
)
"""Even so these take longest: for `make thorough`."""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language model for the studies over any."""
    with Server().running() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.thorough] if name in DEAR else [])
        for name in STUDIES.names()
    ],
)
def test_every_shipped_study_is_sound(name: str, full_size: bool) -> None:
    study = read_study(name)
    if any(one.subject.startswith("openai:") for one in study.subjects):
        pytest.importorskip("openai")
    assert study.name == name
    assert study.title
    assert study.source
    assert study_from_plain(study.to_plain()) == study
    made = list(places_of(study, 1))
    cells = [place.cell for place in made]
    few = name in LONG and not full_size
    first = cells[0].condition
    rehearse(study, [place for place in made if place.cell.condition == first or not few])
    met = [
        (condition.text, subject)
        for condition in conditions(study)
        for subject in study.subjects or [None]
        if subject is None or not subject.worlds or condition.names[0] in subject.worlds
    ]
    assert [cell.condition for cell in cells] == [
        text for text, _ in met for _ in range(study.repetitions)
    ]
    assert episodes(cells) >= sum(cell.sittings for cell in cells) > 0


def test_every_study_file_of_the_package_is_shipped() -> None:
    import mensura

    files = {path.resolve() for path in Path(mensura.__file__).parent.rglob("studies/*.yaml")}
    assert files
    assert files == {STUDIES.load(name).resolve() for name in STUDIES.names()}


def test_published_values_of_2016_are_those_of_the_program() -> None:
    study = read_study("lambda-star-2016")
    assert [len(table.values) for table in study.published] == [13, 13, 13]
    first, second, third = study.published
    assert (first.values["crowd"], second.values["oracle"]) == (0.5516, 0.934917)
    assert third.values["shared-q-learning-2016"] == 0.23375
    assert {len(table.doubts) for table in study.published} == {5}


@pytest.mark.thorough
def test_shipped_studies_are_listed_without_loading_worlds() -> None:
    program = (
        "import sys\n"
        "from mensura.studies.files import STUDIES, open_study\n"
        "assert [open_study(name).study.title for name in STUDIES.names()]\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_file_in_the_folder_comes_before_a_shipped_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lambda-star-2016").write_text(HEAD)
    assert find_study("lambda-star-2016") == Path("lambda-star-2016")


# The schema -------------------------------------------------------------------


@cache
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def read_yaml(text: str) -> Any:
    """By libyaml where it is there, in a tenth of the time."""
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@pytest.mark.parametrize("name", STUDIES.names())
def test_an_independent_validator_accepts_the_shipped_files(name: str) -> None:
    checker = validator()
    for plain in (read_yaml(open_study(name).text), read_study(name).to_plain()):
        assert not list(checker.iter_errors(plain))


@pytest.mark.parametrize(
    "change",
    [
        {"subjets": ["random"]},
        {"seed": "10"},
        {"repetitions": 0},
        {"worlds": []},
        {"worlds": [{"preset": "paper"}]},
        {"mensura": 2},
        {"name": "a/b"},
        {"design": "grids"},
    ],
)
def test_an_independent_validator_refuses_what_we_refuse(change: dict[str, Any]) -> None:
    plain = {**yaml.safe_load(HEAD), **change}
    assert list(validator().iter_errors(plain))
    with pytest.raises(MensuraError):
        study_from_plain(plain)


def test_every_field_says_what_it_is() -> None:
    lines = field_table()
    assert {line.part for line in lines} >= {
        "",
        "subjects",
        "worlds",
        "factors.levels",
        "published",
    }
    for line in lines:
        assert line.meaning.endswith("."), line
        assert line.type != "any value", line


def test_a_shorthand_of_a_world_is_resolved_to_its_version() -> None:
    study = parse_study(HEAD).study
    assert expand(study, 3)[0].world == WORLDS.load("lambda-star").id == "lambda-star-v2"


# Whatever is typed ------------------------------------------------------------

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.just([]),
    st.just({}),
    st.just(["a", 1]),
    st.just({"label": "a", "subject": "random"}),
)


@settings(max_examples=examples(12, 100))
@given(st.text(max_size=200))
def test_any_text_is_a_study_or_gets_a_sentence(text: str) -> None:
    assert "\n" not in said(lambda: parse_study(text))


@cache
def shipped(name: str) -> Any:
    return yaml.safe_load(open_study(name).text)


@settings(max_examples=examples(12, 100))
@given(st.data())
def test_any_value_anywhere_is_fine_or_gets_a_sentence(data: st.DataObject) -> None:
    plain = deepcopy(shipped(data.draw(st.sampled_from(STUDIES.names()))))
    place = data.draw(st.sampled_from(places(plain)))
    inside = plain
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = data.draw(ODD)
    sentence = said(lambda: expand(study_from_plain(plain), 1))
    assert "\n" not in sentence
    assert "does not fit (" not in sentence, "a kind of error without a sentence of its own"


def said(call: Callable[[], object]) -> str:
    """The sentence that a call is refused with; empty where it is not."""
    try:
        call()
    except MensuraError as error:
        return str(error)
    return ""


def places(value: Any) -> list[tuple[Any, ...]]:
    """The places of all values, single ones and those that hold others."""
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    inner = [
        (name, *rest)
        for name, item in items
        if isinstance(item, dict | list)
        for rest in places(item)
    ]
    return [(name,) for name, _ in items] + inner
