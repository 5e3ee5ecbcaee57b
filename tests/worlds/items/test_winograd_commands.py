"""``mensura winograd``, and calibration by people from their study to the set that is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.web.test_people import new_study
from typer.testing import CliRunner

from mensura.api.assessing import assess
from mensura.web.people.live import Given
from mensura.web.people.studies import People
from mensura.worlds.items.commands import app
from mensura.worlds.items.observations import Seen, read_observation
from mensura.worlds.items.winograd.files import parse_set, set_text
from mensura.worlds.items.winograd.making import make_set
from mensura.worlds.items.world import Items

RUNNER = CliRunner()


def typed(*words: str) -> str:
    found = RUNNER.invoke(app, list(words), catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return " ".join(found.output.split())


def test_what_is_made_passes_the_check(tmp_path: Path) -> None:
    fresh, told = tmp_path / "fresh.yaml", tmp_path / "told.json"
    said = typed("make", "--pairs", "30", "--depth", "3", "--seed", "1", "-o", str(fresh))
    assert "30 pairs from 14 of 14 frames, seed 1; they are not yet calibrated." in said
    assert "No published set was named" in said
    checked = typed("check", str(fresh), "--json", str(told))
    assert "Whether people agree on the answers was not tested" in checked
    assert json.loads(told.read_text())["findings"] == []


def test_a_set_that_fails_is_named_with_its_lines_and_exit_status_1(tmp_path: Path) -> None:
    made = make_set(2, 1)
    twice = tmp_path / "twice.yaml"
    twice.write_text(set_text(made.with_schemas([*made.schemas, made.schemas[0]])))
    found = RUNNER.invoke(app, ["check", str(twice)])
    assert found.exit_code == 1
    assert "line 24: twice. This half is there already, in line 6." in " ".join(
        found.output.split()
    )


def test_a_set_shares_no_words_with_a_published_one_that_is_named(tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(set_text(make_set(5, 1)))
    found = RUNNER.invoke(app, ["check", str(known), "--published", str(known)])
    assert found.exit_code == 1
    assert found.output.count("published.") == 5


def test_a_published_file_is_written_as_a_set(tmp_path: Path) -> None:
    blocks, written = tmp_path / "blocks.txt", tmp_path / "set.yaml"
    blocks.write_text(
        "The bird left the nest as [MASK] was hungry.\n[MASK]\nthe bird,the nest\nthe bird\n\n"
        "The bird left the nest as [MASK] was broken.\n[MASK]\nthe bird,the nest\nthe nest\n"
    )
    assert "1 pairs; 0 entries were left out." in typed("read", str(blocks), "-o", str(written))
    assert len(parse_set(written.read_text()).schemas) == 1


@pytest.mark.thorough
def test_people_calibrate_a_set_of_which_nobody_sees_both_halves(tmp_path: Path) -> None:
    """Twenty people answer two pairs; of the second, the alternate half seems ambiguous to all."""
    text = set_text(make_set(2, 1))
    people = People(tmp_path / "people.db")
    study = new_study(
        people,
        "schemas",
        assessment="halves",
        parameters={"items": 2},
        world="items-v1",
        world_parameters={"family": "winograd", "options": 3, "file": text},
        places=20,
    )
    known = {
        form.sentence: (number, form)
        for number, schema in enumerate(parse_set(text).schemas)
        for form in schema.forms()
    }

    def answer(seen: Seen) -> int:
        """What is meant, but for the alternate half of the second pair."""
        number, form = known[seen.family.text(seen.shown[0])]
        options = [seen.family.text(option) for option in seen.options]
        assert options[2] == "both are possible"
        if (number, form.name) == (1, "alternate"):
            return 3
        return options.index(form.candidates[form.right]) + 1

    for one, _ in people.invite(study, 20):
        people.consent(one)
        live = people.live(study.id, one.number)
        while not live.is_over:
            action = None
            if not live.waits_for_beginning:
                action = answer(read_observation(live.person.observation))
            live.take(Given(live.number, action, 0.0, 2000.0, 2100.0))
        people.finish(live, study.id)
        people.answer_questions(one, {"region": "north" if one.number % 4 else "south"})
    people.end()
    written = tmp_path / "kept.yaml"
    said = typed("calibrate", "schemas", "-o", str(written), "--store", str(tmp_path / "people.db"))
    assert "20 sittings" in said
    assert "1 of 2 pairs stay; 1 are dropped." in said
    stay = parse_set(written.read_text())
    assert stay.calibration == "calibrated"
    assert stay.schemas == parse_set(text).schemas[:1]
    (lost,) = json.loads((tmp_path / "kept.dropped.json").read_text())["dropped"]
    assert lost["pair"] == 2
    assert "0 agreed with the answer of the alternate half" in lost["why"]
    assert "0 meant the other candidate, 10 both" in lost["why"]
    store = ("--store", str(tmp_path / "people.db"))
    said = typed("calibrate", "schemas", "-o", str(written), "--by", "region", *store)
    assert "Agreement by group (region)" in said
    groups = json.loads((tmp_path / "kept.dropped.json").read_text())["groups"]
    assert {one["group"]: one["people"] for one in groups} == {"north": 15, "south": 5}
    assert sum(one["answers"] for one in groups) == 40
    assert sum(one["both"] * one["answers"] for one in groups) == 10
    wrong = RUNNER.invoke(app, ["calibrate", "schemas", "-o", str(written), "--by", "reg", *store])
    assert "region" in str(wrong.exception)
    stand_on_one_scale(text, tmp_path / "people.db")


def stand_on_one_scale(text: str, where: Path) -> None:
    """Machines that answer the same set beside the twenty people."""
    world = Items.preset("winograd", file=text)
    assess(["nearest", "random"], world, "pairs", store=where, name="machines", seed=1)
    table, store = where.with_name("scale.json"), ("--store", str(where))
    said = typed("scale", "schemas", "machines", *store, "--json", str(table))
    assert "20 people" in said
    assert "and 2 machines; 48 answers to 4 halves" in said
    data = json.loads(table.read_text())
    abilities = {one["who"]: one for one in data["abilities"]}
    assert abilities["nearest"]["right"] == 0.5
    assert (
        abilities["nearest"]["low"] < abilities["nearest"]["value"] < abilities["nearest"]["high"]
    )
    assert {one["kind"] for name, one in abilities.items() if "people" in name} == {"person"}
    assert len(abilities) == 22
    hardest = max(data["difficulties"], key=lambda one: one["value"])
    assert (hardest["pair"], hardest["half"]) == (2, "alternate"), "that of which nobody was sure"
    alone = RUNNER.invoke(app, ["scale", "machines", *store])
    assert "Nobody in these runs is called 'people'" in str(alone.exception)
    other = Items.preset("winograd", file=set_text(make_set(3, 2)))
    assess("random", other, "pairs", store=where, name="other", seed=1)
    mixed = RUNNER.invoke(app, ["scale", "schemas", "other", *store])
    assert "a scale needs one set" in str(mixed.exception)


@pytest.mark.parametrize("words", [("calibrate", "nothing", "-o", "x.yaml")])
def test_a_run_that_is_not_there_gets_a_sentence(words: tuple[str, ...], tmp_path: Path) -> None:
    found = RUNNER.invoke(app, [*words, "--store", str(tmp_path / "no.db")])
    assert found.exit_code != 0
