"""A study as data: what goes in comes out, equal studies have equal fingerprints, and changes are told."""

import json
from copy import deepcopy
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.studies.strategies import studies

from mensura.agent.errors import MensuraError
from mensura.core.yaml_text import Misfit
from mensura.studies.files import differences, parse_study
from mensura.studies.study import Study, canonical, study_from_plain, study_hash

TINY: dict[str, Any] = {
    "mensura": 1,
    "name": "tiny",
    "subjects": ["random"],
    "worlds": ["lambda-star"],
}


@settings(max_examples=examples(10, 100))
@given(studies())
def test_plain_data_comes_back_as_the_same_study(plain: dict[str, Any]) -> None:
    study = study_from_plain(plain)
    again = study_from_plain(study.to_plain())
    assert again == study
    assert again.to_plain() == study.to_plain()
    assert json.loads(json.dumps(study.to_plain())) == study.to_plain()


@settings(max_examples=examples(10, 100))
@given(studies())
def test_a_file_holds_what_the_data_says(plain: dict[str, Any]) -> None:
    assert parse_study(yaml.safe_dump(plain)).study == study_from_plain(plain)


@settings(max_examples=examples(10, 100))
@given(studies(), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(plain: dict[str, Any], chance: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            names = list(value)
            chance.shuffle(names)
            return {name: shuffled(value[name]) for name in names}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    mixed = shuffled(plain)
    assert study_hash(study_from_plain(mixed).to_plain()) == study_hash(
        study_from_plain(plain).to_plain()
    )
    assert not differences(plain, mixed)


@settings(max_examples=examples(10, 100))
@given(studies(), studies())
def test_fingerprints_are_equal_exactly_for_equal_data(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    same = canonical(one) == canonical(other)
    assert (study_hash(one) == study_hash(other)) is same
    assert (not differences(one, other)) is same


def leaves(value: Any) -> list[tuple[Any, ...]]:
    """The places of all single values."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for name, item in items:
        if isinstance(item, dict | list) and item:
            found += [(name, *rest) for rest in leaves(item)]
        else:
            found.append((name,))
    return found


@settings(max_examples=examples(10, 100))
@given(st.data())
def test_a_change_anywhere_is_told(data: st.DataObject) -> None:
    plain = data.draw(studies())
    changed = deepcopy(plain)
    place = data.draw(st.sampled_from(leaves(plain)))
    inside = changed
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = "something else entirely"
    phrases = differences(plain, changed)
    assert phrases
    assert any("something else entirely" in phrase for phrase in phrases)
    assert all(str(place[0]) in phrase for phrase in phrases)


@pytest.mark.parametrize(
    ("new", "phrases"),
    [
        ({"subjects": ["random", "crowd", "sarsa"]}, ["subjects[2]: q-learning became sarsa"]),
        ({"subjects": ["random", "crowd"]}, ["subjects[2]: q-learning was removed"]),
        (
            {"subjects": ["oracle", "random", "crowd", "q-learning"]},
            ["subjects[0]: oracle was added"],
        ),
        ({"seed": 8}, ["seed: 7 became 8"]),
        ({"title": "T"}, ["title: T was added"]),
        (
            {"worlds": [{"world": "w", "parameters": {"rows": 6}}]},
            ["worlds[0].parameters.rows: 5 became 6"],
        ),
        ({"repetitions": 2}, ["repetitions: 2 was added"]),
    ],
)
def test_what_changed_is_told_shortly(new: dict[str, Any], phrases: list[str]) -> None:
    old = {
        **TINY,
        "seed": 7,
        "subjects": ["random", "crowd", "q-learning"],
        "worlds": [{"world": "w", "parameters": {"rows": 5}}],
    }
    assert differences(old, {**old, **new}) == phrases


def test_true_is_not_one_and_a_number_is_not_its_text() -> None:
    for one, other in ((True, 1), (1, "1"), (1, 1.0)):
        assert differences({"a": one}, {"a": other}), (one, other)
        assert study_hash({"a": one}) != study_hash({"a": other})


def test_what_equals_its_default_is_left_out() -> None:
    given = {
        **TINY,
        "subjects": [{"subject": "random", "in_process": False}],
        "repetitions": 1,
        "assessments": ["battery"],
        "limits": {"faults": 3},
        "records": {},
        "seed": None,
    }
    assert study_from_plain(given).to_plain() == TINY


def test_a_study_can_be_made_in_python() -> None:
    study = Study(mensura=1, name="tiny", subjects=["random"], worlds=["lambda-star"])  # type: ignore[list-item]
    assert study.to_plain() == TINY


def test_a_study_does_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        study_from_plain(TINY).name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["a/b", "..", "a b", "", "-a", "a-", "a--b", "x" * 65, "ä", "007"])
def test_names_are_safe_as_file_names(name: str) -> None:
    with pytest.raises(Misfit):
        study_from_plain({**TINY, "name": name})


def test_wrong_data_is_bad_input_with_its_place() -> None:
    with pytest.raises(
        MensuraError, match=r"subjects\[0\].training is '5'; it must be a whole"
    ) as found:
        study_from_plain({**TINY, "subjects": [{"subject": "random", "training": "5"}]})
    assert isinstance(found.value, Misfit)
    assert found.value.where == ("subjects", 0, "training")
