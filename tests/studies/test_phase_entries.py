"""Phases in study files: the tree that they make, its labels, and what is wrong with it in a sentence with its line."""

from __future__ import annotations

import pytest

from mensura.agent.errors import MensuraError
from mensura.studies.files import parse_study
from mensura.studies.layout import lay_out
from mensura.studies.phase_entries import assessed_places, trainings
from mensura.studies.study import study_from_plain

STUDY = """
mensura: 1
name: school
seed: 3
subjects: [random]
worlds:
  - {world: lambda, parameters: {cells: 4, actions: 3, horizon: 20}}
assessments:
  - {assessment: battery, parameters: {episodes: 2, spread: any}}
phases:
"""

TREE = """
  - {name: newborn, interactions: 0}
  - {name: one, environment: 1, interactions: 40, measure: checkpoints}
  - name: two
    episodes: 3
    then:
      - [{name: back, environment: 1, interactions: 20}]
      - [{name: quiet, interactions: 16, measure: never}, {interactions: 16, learning: false}]
"""

LABELS = [
    "newborn",
    "one at 16",
    "one at 32",
    "one",
    "one > two",
    "one > two > back",
    "one > two > quiet > 16",
]


def test_every_place_of_the_tree_is_a_level_of_a_factor() -> None:
    study = parse_study(STUDY + TREE).study
    (factor,) = study.factors
    assert factor.name == "phases"
    assert [level.label for level in factor.levels] == LABELS
    assert [level.value for level in factor.levels] == [0, 16, 32, 40, None, None, None]


def test_what_is_shared_is_trained_once() -> None:
    count = trainings(parse_study(STUDY + TREE).study.phases)
    assert (count.shared, count.alone) == (5, 3 + 2 + 3 + 4)


def test_a_study_with_phases_is_the_same_when_it_is_read_again() -> None:
    study = parse_study(STUDY + TREE).study
    again = study_from_plain(study.to_plain())
    assert again == study
    assert again.to_plain() == study.to_plain()


def test_cells_have_all_phases_before_them_as_data() -> None:
    layout = lay_out(parse_study(STUDY + TREE).study)
    by_label = {cell.levels["phases"]: cell for cell in layout.cells}
    assert list(by_label) == LABELS
    one, back = by_label["one at 16"], by_label["one > two > back"]
    assert [phase["interactions"] for phase in one.phases] == [0, 40]
    assert one.phases[-1]["until"] == 16
    assert [phase["name"] for phase in back.phases] == ["newborn", "one", "two", "back"]
    assert back.phases[2]["interactions"] == 3 * 20
    assert back.phases[3]["environment"] == 1
    assert back.phases[0]["parameters"]["cells"] == 4
    assert not any(cell.compiled for cell in layout.cells)


def read(text: str) -> None:
    """Read a study, and lay it out."""
    opened = parse_study(text)
    with opened.located():
        lay_out(opened.study)


@pytest.mark.parametrize(
    ("phases", "line", "sentence"),
    [
        ("  - {name: a}", 11, "The phase has no length; write one of them"),
        ("  - {interactions: 5, episodes: 2}", 11, "has both interactions and episodes"),
        ("  - {interactions: -1}", 11, "phases[0].interactions is -1; it must be at least 0"),
        ("  - {interactions: many}", 11, "phases[0].interactions is 'many'"),
        ("  - {interaction: 5}", 11, "There is no field 'interaction' in phases[0]"),
        ("  - {episodes: 5, measure: checkpoints}", 11, "Checkpoints are counted in interactions"),
        ("  - {interactions: 5, measure: never}", 10, "Subjects are never assessed"),
        (
            "  - {interactions: 5, then: [[{interactions: 2}]]}\n  - {interactions: 5}",
            11,
            "A phase with branches is the last one of its list",
        ),
        (
            "  - {interactions: 5, then: [[{interactions: 2}],\n     [{interactions: 2}]]}",
            12,
            "Two ways through the phases are both called '5 > 2'",
        ),
        (
            "  - {interactions: 5, then: [[]]}",
            11,
            "phases[0].then[0] is an empty list; it needs at least 1",
        ),
        ("  - {interactions: 5, then: [{interactions: 2}]}", 11, "must be a list"),
        ("  - {world: nolambda, interactions: 5}", 11, "nolambda"),
        ("  - {parameters: {sells: 3}, interactions: 5}", 11, "has no parameter 'sells'"),
        ("  - {preset: no, interactions: 5}", 11, "phases[0].preset is false"),
        ("  - {preset: none, interactions: 5}", 11, "has no preset 'none'"),
        ("  5", 10, "phases is 5; it must be a list"),
    ],
)
def test_bad_phases_are_told_with_their_line(phases: str, line: int, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        read(STUDY + phases)
    assert sentence in str(error.value)
    assert f"line {line}: " in str(error.value), str(error.value)


def test_what_cannot_go_with_phases_is_told() -> None:
    text = STUDY + "  - {interactions: 5}\n"
    cases = [
        (text.replace("[random]", "[{subject: random, keep: lives}]"), "leave out keep"),
        (
            text + "factors: [{name: phases, levels: [{label: a}]}]\n",
            "The factor phases is made of the phases",
        ),
        (
            text.replace(
                "{assessment: battery, parameters: {episodes: 2, spread: any}}", "transfer"
            ),
            "family: family.yaml",
        ),
        (
            text.replace(
                "{assessment: battery, parameters: {episodes: 2, spread: any}}",
                "{assessment: transfer, parameters: {family: '{mensura: 1, tasks: [{name: a}, {name: b}]}'}}",
            ),
            "Transfer trains newborns",
        ),
    ]
    for words, sentence in cases:
        with pytest.raises(MensuraError, match=sentence):
            lay_out(parse_study(words).study)


def test_long_ways_have_short_names() -> None:
    many = "".join(f"  - {{name: phase number {i:03}, interactions: 1}}\n" for i in range(20))
    with pytest.raises(MensuraError, match="give phases shorter names"):
        parse_study(STUDY + many)


def test_nothing_is_assessed_without_phases() -> None:
    assert assessed_places(()) == []
