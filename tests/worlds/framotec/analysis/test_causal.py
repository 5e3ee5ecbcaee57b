"""Causal graphs: what acts on what, circles, and pictures of it."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.worlds.framotec.analysis.causal import CausalGraph, Edge, Node, causal_graph
from mensura.worlds.framotec.analysis.causal_drawing import MOST_NODES, figure_svg
from mensura.worlds.framotec.model.blocks import Object, Sensor, Transition
from mensura.worlds.framotec.model.building import Build
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import SAMPLES, car_race, locking_plotter, n_dimensional

pytestmark = pytest.mark.quick

LOOP = (
    Build("predator")
    .object("hares", 5.0)
    .object("lynx", 2.0)
    .motor("feed", drives="hares")
    .transition("breed", "lynx.velocity <- hares.value - 3")
    .transition("hunt", "hares.velocity <- 2 - lynx.value")
    .goal("calm", of="lynx", value=3.0, tolerance=1.0)
    .task()
)


def edges(task: Task) -> set[tuple[str, str, str]]:
    return {(edge.cause, edge.effect, edge.why) for edge in causal_graph(task).edges}


def test_the_race_is_a_chain() -> None:
    assert edges(car_race()) == {
        ("controller", "position_motor", "power"),
        ("position_motor", "position", "drives"),
        ("position", "position_reading", "reads"),
        ("position", "there", "value"),
    }
    graph = causal_graph(car_race())
    assert (graph.longest_chain, graph.chains, graph.cycles) == (3, 1, ())


def test_transitions_and_prerequisites_are_ties() -> None:
    found = edges(locking_plotter())
    assert ("plot_it", "lock", "value") in found
    assert ("lock", "position", "locked") in found
    assert ("there", "plotted", "required") in found
    graph = causal_graph(locking_plotter())
    assert "position" in graph.reached_from("plot_it_motor")
    assert "plot_it" not in graph.reached_from("position_motor")


def test_dimensions_that_share_nothing_are_chains_of_their_own() -> None:
    race = car_race()
    own = replace(race.objects[0], name="other")
    more = replace(
        race,
        objects=(*race.objects, own),
        motors=(*race.motors, replace(race.motors[0], name="m", targets=(("other", 1.0),))),
    )
    assert causal_graph(more).chains == 2


def test_circles_are_told_in_the_order_of_causes() -> None:
    graph = causal_graph(LOOP)
    (circle,) = graph.cycles
    assert len(circle) == 4
    at = circle.index("hares")
    assert circle[at:] + circle[:at] == ("hares", "breed", "lynx", "hunt")
    # An object that sets itself through one transition, and one that reads a sensor of itself.
    own = replace(LOOP, transitions=(Transition("t", ("lynx.velocity <- -lynx.value",)),))
    assert {frozenset(one) for one in causal_graph(own).cycles} == {frozenset(("lynx", "t"))}
    sensed = replace(
        car_race(), transitions=(Transition("t", ("position.velocity <- position_reading.value",)),)
    )
    (circle,) = causal_graph(sensed).cycles
    assert set(circle) == {"position", "position_reading", "t"}


def test_names_that_clash_are_kept_apart() -> None:
    task = replace(
        car_race(),
        objects=(*car_race().objects, Object("controller")),
        sensors=(Sensor("lock", "controller"), Sensor("score", "reward")),
        transitions=(Transition("lock", ("controller.value <- 1",)),),
    )
    graph = causal_graph(task)
    names = [node.name for node in graph.nodes]
    assert len(set(names)) == len(names)
    assert Edge("there", "score", "distance") in graph.edges


graphs = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20).map(
        lambda pairs: CausalGraph(
            tuple(Node(f"n{i}", "object") for i in range(n)),
            tuple(Edge(f"n{a}", f"n{b}", "") for a, b in dict.fromkeys(pairs)),
        )
    )
)


@given(graphs)
def test_components_are_the_nodes_that_reach_one_another(graph: CausalGraph) -> None:
    reach = {node.name: graph.reached_from(node.name) for node in graph.nodes}
    together = {name: one for one in graph.components for name in one}
    assert sorted(together) == sorted(node.name for node in graph.nodes)
    for a in reach:
        for b in reach:
            assert (together[a] is together[b]) == (a == b or (b in reach[a] and a in reach[b]))
    for edge in graph.edges:
        if together[edge.cause] is not together[edge.effect]:
            assert graph.layers[edge.cause] < graph.layers[edge.effect]


@given(graphs)
def test_circles_are_circles_and_all_are_told(graph: CausalGraph) -> None:
    ties = {(edge.cause, edge.effect) for edge in graph.edges}
    for circle in graph.cycles:
        assert len(set(circle)) == len(circle)
        assert all(pair in ties for pair in zip(circle, (*circle[1:], circle[0]), strict=True))
    round_ = {name for name in graph.effects if name in graph.reached_from(name)}
    assert bool(round_) == bool(graph.cycles)


@given(graphs)
def test_every_graph_can_be_drawn(graph: CausalGraph) -> None:
    root = ElementTree.fromstring(figure_svg(graph, "a graph"))
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {node.name for node in graph.nodes} <= set(texts)
    arrows = [
        path
        for path in root.iter("{http://www.w3.org/2000/svg}path")
        if "marker-end" in path.attrib
    ]
    assert len(arrows) == len({(edge.cause, edge.effect) for edge in graph.edges})


@pytest.mark.parametrize("name", SAMPLES)
def test_boxes_do_not_overlap_and_stay_in_the_picture(name: str) -> None:
    graph = causal_graph(SAMPLES[name]())
    text = figure_svg(graph, name)
    root = ElementTree.fromstring(text)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    boxes = [
        tuple(float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        for rect in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(boxes) >= min(len(graph.nodes), MOST_NODES)
    for i, (x, y, w, h) in enumerate(boxes):
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
        for a, b, c, d in boxes[:i]:
            assert x + w <= a or a + c <= x or y + h <= b or b + d <= y
    assert not re.search(r"nan|inf\b", text)


def test_large_graphs_are_cut_and_say_so() -> None:
    graph = causal_graph(n_dimensional(30))
    left = len(graph.nodes) - MOST_NODES
    assert f"and {left} more parts" in figure_svg(graph, "many")


def test_signs_in_names_cannot_break_the_picture() -> None:
    graph = CausalGraph((Node("<a&b>", "object"),), ())
    ElementTree.fromstring(figure_svg(graph, "\"'<>&"))
    assert causal_graph(LOOP).to_json()["cycles"]
