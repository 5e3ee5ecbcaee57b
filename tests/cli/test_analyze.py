"""``mensura analyze``, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mensura.worlds.framotec.paper import car_race


def test_front_prints_says_how_and_draws(mensura: Any) -> None:
    typed = mensura("analyze", "front", "car-race", "-o", "f.svg", "--json", "f.json")
    assert typed.status == 0, typed.err
    assert "6.626" in typed.out
    assert "Exact: closed forms" in typed.out
    text = Path("f.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert "all motors at full power" in text
    data = json.loads(Path("f.json").read_text(encoding="utf-8"))
    assert len(data["times"]) == len(data["energies"]) == 40


def test_of_a_family_the_middle_or_a_drawn_task_is_taken(mensura: Any) -> None:
    middle = mensura("analyze", "front", "n-dimensional", "--points", "3")
    assert "in the middle of them" in middle.out
    assert "A bound from below" in middle.out
    one, two = (mensura("analyze", "estimate", "plotter-2d", "--seed", s).out for s in "12")
    assert "in the middle" not in one
    assert one != two


def test_graph_tells_ties_and_circles_and_draws(mensura: Any) -> None:
    typed = mensura("analyze", "graph", "locking-plotter", "-o", "g.svg", "--json", "g.json")
    assert typed.status == 0, typed.err
    assert "plot_it_motor" in typed.out
    assert "There is no circle." in typed.out
    ElementTree.fromstring(Path("g.svg").read_text(encoding="utf-8"))
    task = {
        **car_race().to_json(),
        "transitions": [{"name": "t", "assignments": ["position.velocity <- -position.value"]}],
    }
    Path("loop.json").write_text(json.dumps(task), encoding="utf-8")
    assert "A circle: position -> t -> position" in mensura("analyze", "graph", "loop.json").out


def test_distance_and_estimate_print_numbers(mensura: Any) -> None:
    typed = mensura("analyze", "distance", "car-race", "parking", "--json", "d.json")
    assert typed.status == 0, typed.err
    data = json.loads(Path("d.json").read_text(encoding="utf-8"))
    assert f"{data['distance']:.4g}" in typed.out
    few = mensura("analyze", "distance", "car-race", "parking", "--over", "goals")
    assert "The manhattan distance is 1." in few.out
    estimate = mensura("analyze", "estimate", "parking", "--json", "e.json")
    assert "7.301 s" in estimate.out
    assert json.loads(Path("e.json").read_text(encoding="utf-8"))["feedback_latency"] is None


def test_grow_prints_predictions_beside_measurements(
    mensura: Any, monkeypatch: pytest.MonkeyPatch, full_size: bool
) -> None:
    if not full_size:  # what is measured is tested with the world, and takes seconds
        monkeypatch.setattr(
            "mensura.worlds.framotec.analysis.growth.measured", lambda _: (6.626, 1500.0)
        )
    typed = mensura("analyze", "grow", "car-race", "--json", "g.json")
    assert typed.status == 0, typed.err
    rows = json.loads(Path("g.json").read_text(encoding="utf-8"))
    assert [row["what"] for row in rows][:2] == ["as it is", "a dimension beside"]
    assert "1500.0" in typed.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("front", "car-rice"), "no sample task 'car-rice'; did you mean car-race"),
        (("graph", "car-race", "-o", "g.png"), "ends in .svg, not to g.png"),
        (("front", "car-race", "-o", "f.txt"), "ends in .svg, .png or .pdf"),
        (("distance", "car-race", "parking", "--metric", "taxi"), "no metric 'taxi'"),
        (("distance", "car-race", "parking", "--over", "gaols"), "did you mean goals"),
        (("grow", "steered-mover"), "cannot be predicted"),
    ],
)
def test_bad_input_is_one_sentence(mensura: Any, words: tuple[str, ...], sentence: str) -> None:
    typed = mensura("analyze", *words)
    assert typed.status == 2
    assert sentence in typed.err
    assert "Traceback" not in typed.err
