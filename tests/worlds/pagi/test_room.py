"""The room: physics, hands, objects, touch and sight."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.worlds.pagi.contract import POSE_ASPECTS, STEP
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.protocol.sensors import POINTS, aspect, aspect_number
from mensura.worlds.pagi.room import PagiRoom
from mensura.worlds.pagi.seat_state import Forces
from mensura.worlds.pagi.senses import GRIDS, SHAPES

STRONG = Forces(1e6, 1e6, 1e6, 360.0)


def room(
    *things: tuple[str, dict[str, Any]], forces: Forces = STRONG, ground: bool = True, **more: Any
) -> PagiRoom:
    made = PagiRoom(**{"forces": forces, **more})
    if ground:
        made.put("ground", "ground", y=-2.0)
    for kind, values in things:
        made.put(kind, **values)
    return made


def run(made: PagiRoom, seconds: float) -> None:
    for _ in range(round(seconds / STEP)):
        made.step()


ASPECTS = [
    *(f"{part}{k}_{kind}" for part, count in POINTS.items() for k in range(count)
      for kind in ("p", "tmp", "tx1", "tx2", "tx3", "tx4", "e")),
    *POSE_ASPECTS,
]  # fmt: skip


def test_all_aspects_in_a_row_are_what_each_sensor_reads() -> None:
    made = room(
        ("lavaBlock", {"name": "hot", "x": 3.5, "y": 3.0}),
        ("apple", {"name": "a", "x": -1.9, "y": 0.8}),
    )
    made.turn(0, 30.0)
    made.push(0, "B", 900.0, 0.0)
    run(made, 0.3)
    row = made.aspects(0).tolist()
    assert len(ASPECTS) == len(row) == len({aspect_number(name) for name in ASPECTS})
    assert sum(row[k] for k in range(0, 126, 7)) >= 2, "several sensors touch something"
    for name in ASPECTS:
        number, read = aspect_number(name), aspect(name)
        assert number is not None
        assert read is not None
        assert row[number] == pytest.approx(read(made, 0), abs=1e-12), name
    assert aspect_number("V3.4_vq1") is aspect_number("B8_tmp") is aspect_number("B0") is None


# Body and hands


def test_a_force_of_10800_for_one_step_gives_a_body_4_3_units_a_second() -> None:
    made = room(ground=False, gravity=0.0)
    made.push(0, "B", 10_800, 0)
    made.step()
    assert made.velocity(0)[0] == pytest.approx(4.32)
    made.step()
    assert made.velocity(0)[0] == pytest.approx(4.32), "it acts for one step"


def test_a_jump_needs_something_to_jump_from_and_is_about_seven_high() -> None:
    made = room()
    run(made, 0.2)
    assert made.jump(0)
    made.step()
    assert made.velocity(0)[1] == pytest.approx(12.0, abs=0.3)
    highest = 0.0
    for _ in range(130):
        made.step()
        if made.place(0)[1] > 3:
            assert not made.jump(0)
        highest = max(highest, made.place(0)[1])
    assert highest - 1.14 == pytest.approx(7.0, abs=0.4)


def test_what_one_jumps_from_gets_the_reverse_force() -> None:
    made = room(
        ("wallBlock", {"x": 0.0, "y": -3.0}), ground=False, gravity=0.0, places=[(0.0, -0.6)]
    )
    assert made.jump(0)
    made.step()
    item = made.item("wallBlock")
    assert item is not None
    assert item[3] < -1.0


def test_contacts_never_turn_a_body_and_turning_turns_its_sensors() -> None:
    made = room(("bowlingBall", {"x": 4.0, "y": 3.0, "vx": -20.0}))
    run(made, 1.0)
    assert made.rotation(0) == 0.0
    made.turn(0, 90.0)
    assert made.rotation(0) == pytest.approx(math.pi / 2)
    run(made, 0.2)
    # What was its left side is below now.
    assert made.touch(0, "B", 6).name == "ground"


def test_hands_pass_through_things_and_stay_on_their_ropes() -> None:
    made = room()
    for _ in range(200):
        made.push(0, "R", 150, -150)
        made.step()
    x, y = made.hand(0, "R")
    assert math.hypot(x - 1.9, y - 0.5 - 0.2) < 3.9
    assert made.place(0)[1] + y < 0, "the hand is in the ground"


def test_the_force_of_a_hand_acts_on_the_body_in_reverse() -> None:
    made = room(ground=False, gravity=0.0)
    made.push(0, "L", -200, 0)
    made.step()
    assert made.velocity(0)[0] == pytest.approx(200 * STEP / 50)


@given(st.lists(st.tuples(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5)), min_size=1, max_size=5))
@settings(max_examples=30, deadline=None)
def test_pushes_of_one_step_add_up_to_what_the_task_allows_and_no_more(
    pushes: list[tuple[float, float]],
) -> None:
    made = room(ground=False, gravity=0.0, forces=Forces(1000, 400, 200, 30))
    for x, y in pushes:
        made.push(0, "B", x, y)
    made.step()
    vx, vy = made.velocity(0)
    assert abs(vx) <= 1000 * STEP / 50 + 1e-9
    assert abs(vy) <= 400 * STEP / 50 + 1e-9


@pytest.mark.parametrize("force", [(math.nan, 0.0), (0.0, math.inf)])
def test_a_force_that_is_no_number_is_refused(force: tuple[float, float]) -> None:
    with pytest.raises(MensuraError, match="finite"):
        room().push(0, "B", *force)


def test_a_hand_grips_the_foremost_object_under_its_middle_and_carries_it() -> None:
    made = room(ground=False, gravity=0.0)
    x, y = made.place(0)
    hx, hy = made.hand(0, "R")
    for name in ("back", "front"):
        made.put("wallBlock", name, x=x + hx + 1.0, y=y + hy, solid=True, mass=1.0)
        if name == "back":
            made.bodies.of[made.find("back").number].position = (30.0, 30.0)  # type: ignore[union-attr]
            made.bodies.of[made.find("back").number].position = (x + hx + 1.0, y + hy)  # type: ignore[union-attr]
    assert made.grip(0, "R")
    assert made.is_held("front")
    assert not made.is_held("back")
    assert not made.grip(0, "R"), "it holds something already"
    assert made.release(0, "R")
    assert not made.release(0, "R")


def test_the_ground_cannot_be_gripped() -> None:
    made = room()
    for _ in range(100):
        made.push(0, "R", 0, -100)
        made.step()
    assert not made.grip(0, "R")


# Objects


def test_food_is_gone_when_it_touches_a_body_which_feels_endorphins() -> None:
    made = room(("apple", {"x": 0.0, "y": 4.0}))
    run(made, 2.0)
    assert made.find("apple") is None
    assert made.seats[0].endorphins == 10
    [event] = made.take_events(0)
    assert event.kind == "RD"
    assert event.fields == ("10", "0"), "at the top"
    assert made.take_events(0) == []


def test_hidden_endorphins_are_not_felt() -> None:
    made = room(("bluePill", {"x": 0.0, "y": 4.0, "hidden": True}))
    run(made, 2.0)
    assert made.seats[0].eaten == ["bluePill"]
    assert made.seats[0].endorphins == 0
    assert made.take_events(0) == []


def test_a_kit_makes_a_soldier_healthy_and_is_used_up() -> None:
    made = room(("soldier", {"x": 10.0, "y": 1.6}), ("medkit", {"x": 6.0, "y": 1.25, "vx": 8.0}))
    run(made, 2.0)
    soldier = made.find("soldier")
    assert soldier is not None
    assert soldier.on
    assert made.find("medkit") is None


@pytest.mark.parametrize(("speed", "breaks"), [(0.0, False), (8.0, True)])
def test_a_large_kit_breaks_only_above_its_load(speed: float, breaks: bool) -> None:
    made = room(("largeMedkit", {"name": "kit", "x": 12.0, "y": 1.25}))
    run(made, 0.5)
    assert len(made.bodies.kits) == 1
    made.put("bowlingBall", "ball", x=4.9, y=2.97, vx=speed, material=0)
    run(made, 1.5)
    assert (len(made.bodies.kits) == 0) == breaks


def test_dynamite_removes_walls_of_its_color_alone() -> None:
    made = room(
        ("redWall", {"x": 10.0, "y": 3.0}), ("blueDynamite", {"x": 5.0, "y": 0.8, "vx": 15.0})
    )
    run(made, 1.0)
    assert made.find("redWall") is not None
    made.put("redDynamite", "right", x=5.0, y=3.0, vx=15.0)
    run(made, 1.0)
    assert made.find("redWall") is None
    assert made.find("right") is None


def test_a_key_opens_a_locked_box_and_a_blow_a_breaking_one() -> None:
    made = room(
        ("lockedBox", {"x": 10.0, "y": 1.0, "note": "apple"}),
        ("key", {"x": 6.0, "y": 0.5, "vx": 12.0}),
    )
    run(made, 1.0)
    assert made.find("lockedBox") is None
    assert made.find("apple") is not None
    made.put("breakingBox", "box", x=-10.0, y=1.0, note="steak")
    made.put("baseball", "slow", x=-6.0, y=1.0, vx=-3.0)
    run(made, 1.0)
    assert made.find("box") is not None
    made.put("bowlingBall", "fast", x=-22.0, y=2.97, vx=12.0)
    run(made, 1.5)
    assert made.find("box") is None
    assert made.find("steak") is not None


def test_a_lever_toggles_at_minus_30_degrees_and_is_armed_again_at_plus_30() -> None:
    made = room(("lever", {"x": 10.0, "y": 6.0}), gravity=0.0)
    lever = made.find("lever")
    assert lever is not None
    seen = []
    for spin in (-2.0, 1.0, -1.0, 4.0, -4.0):
        made.bodies.of[lever.number].angular_velocity = spin
        run(made, 0.5)
        made.bodies.of[lever.number].angular_velocity = 0.0
        seen.append(lever.on)
    assert seen == [True, True, True, True, False]


def test_a_dispenser_gives_when_it_is_gripped_as_its_note_says() -> None:
    made = room(("dispenser", {"x": 1.9, "y": 0.84, "note": "2 times"}), gravity=0.0)
    for _ in range(3):
        assert made.grip(0, "R")
        made.release(0, "R")
    kinds = [one.kind for one in made.items.values()]
    assert (kinds.count("apple"), kinds.count("poison")) == (2, 1)


def test_a_switch_toggles_when_it_is_gripped() -> None:
    made = room(("switch", {"x": 1.9, "y": 0.84}), gravity=0.0)
    switch = made.find("switch")
    assert switch is not None
    assert made.grip(0, "R")
    assert switch.on
    made.release(0, "R")
    assert made.grip(0, "R")
    assert not switch.on


def test_a_trigger_box_tells_who_comes_and_goes() -> None:
    made = room(("triggerBox", {"x": 10.0, "y": 2.0}), gravity=0.0, forces=STRONG)
    made.put("baseball", "ball", x=4.0, y=2.0, vx=10.0)
    run(made, 2.0)
    told = [event.fields for event in made.take_events(0) if event.kind == "TB"]
    assert told == [("triggerBox", "OE"), ("triggerBox", "OX")]


@pytest.mark.parametrize(("material", "least", "most"), [(1, 0.0, 0.6), (4, 4.0, 6.0)])
def test_what_bounces_does_so_from_everything(material: int, least: float, most: float) -> None:
    made = room(
        (
            "item",
            {
                "name": "ball",
                "x": 10.0,
                "y": 10.0,
                "material": material,
                "width": 1.0,
                "height": 1.0,
            },
        )
    )
    run(made, 1.36)
    highest = 0.0
    for _ in range(60):
        made.step()
        item = made.item("ball")
        assert item is not None
        highest = max(highest, item[1] - 0.5)
    assert least <= highest <= most


def test_ropes_hold_and_wires_are_stiff() -> None:
    made = room(("hook", {"x": 10.0, "y": 20.0}), ("apple", {"x": 10.0, "y": 18.0}))
    made.bodies.tie(made.find("hook").number, made.find("apple").number, 4.0, False)  # type: ignore[union-attr]
    run(made, 4.0)
    item = made.item("apple")
    assert item is not None
    assert item[1] == pytest.approx(16.0, abs=0.2)


@pytest.mark.parametrize(("stiff", "name"), [(False, "rope"), (True, "wire")])
def test_ropes_and_wires_are_seen_and_felt_between_what_they_tie(stiff: bool, name: str) -> None:
    made = room(("hook", {"x": -1.0, "y": 3.0}), ("baseball", {"x": 1.0, "y": 3.0}))
    before = made.names(0, "V")
    made.bodies.tie(made.find("hook").number, made.find("baseball").number, 2.0, stiff)  # type: ignore[union-attr]
    row = [made.look(0, "V", x, 1).name for x in range(31)]  # y = 2.94
    assert name not in before
    assert row[10:16] == [name] * 6, "from the hook to the ball"
    assert name not in row[:7]
    assert name not in row[21:]
    hand = made.bodies.figures[0].hands["L"].body
    hand.position = (0.0, 3.0)
    made.senses.forget()
    assert made.touch(0, "L", 4).name == name
    assert not made.grip(0, "L"), "it is no object"
    made.bodies.untie(next(iter(made.bodies.ropes)))
    assert made.names(0, "V") == before
    assert not made.touch(0, "L", 4).touches


def test_nobody_stands_on_a_rope() -> None:
    made = room(
        ("hook", {"x": -3.0, "y": 0.0}),
        ("baseball", {"x": 3.0, "y": 0.0}),
        ground=False,
        gravity=0.0,
    )
    made.bodies.tie(made.find("hook").number, made.find("baseball").number, 6.0, True)  # type: ignore[union-attr]
    assert made.touch(0, "B", 4).name == "wire"
    assert not made.jump(0)


def test_what_falls_out_of_the_world_is_gone() -> None:
    made = room(("apple", {"x": 100.0, "y": 0.0}))
    run(made, 6.0)
    assert made.find("apple") is None


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (("nothing", "x", {}), "no kind of object"),
        (("apple", "a", {"color": 3}), "has no 'color'"),
        (("apple", "a", {"x": math.nan}), "must be a number"),
        (("apple", "a", {"mass": 0.0}), "at least"),
        (("apple", "a", {"width": 1e5}), "sizes are"),
        (("apple", "a", {"material": 9}), "from 0 to 5"),
        (("apple", "ground", {}), "already"),
    ],
)
def test_what_cannot_be_an_object_gives_one_sentence(
    call: tuple[str, str, dict[str, Any]], why: str
) -> None:
    kind, name, values = call
    with pytest.raises(MensuraError, match=why):
        room().put(kind, name, **values)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_can_be_in_a_room(kind: str) -> None:
    made = room()
    made.put(kind, "thing", x=20.0, y=10.0)
    run(made, 0.1)


# Senses


def inside(made: PagiRoom, number: int, x: float, y: float) -> bool:
    """Whether a point is in an object, by the engine's own point query."""
    return any(shape.point_query((x, y)).distance <= 0 for shape in made.bodies.of[number].shapes)


@given(seed=st.integers(0, 10**6), turned=st.sampled_from([0.0, 30.0, -75.0]))
@settings(max_examples=examples(6, 15), deadline=None)
def test_the_kernel_sees_what_point_queries_see(seed: int, turned: float) -> None:
    rng = np.random.default_rng(seed)
    made = room(gravity=0.0)
    for k in range(12):
        kind = ["apple", "wallBlock", "leftRamp", "rightRamp", "bowlingBall", "medkit"][k % 6]
        made.put(
            kind,
            f"thing{k}",
            x=rng.uniform(-14, 14),
            y=rng.uniform(1, 20),
            angle=rng.uniform(-3, 3),
        )
    made.turn(0, turned)
    bx, by = made.place(0)
    c, s = math.cos(made.rotation(0)), math.sin(made.rotation(0))
    for field in ("V", "P"):
        x0, y0, dx, dy = GRIDS["paper"][field]
        rows, columns = SHAPES[field]  # type: ignore[index]
        names = made.names(0, field)  # type: ignore[arg-type]
        for j in range(0, rows, 3):
            for i in range(0, columns, 2):
                gx, gy = x0 + i * dx, y0 + j * dy
                wx, wy = bx + gx * c - gy * s, by + gx * s + gy * c
                found = [
                    one.name for one in made.items.values() if inside(made, one.number, wx, wy)
                ]
                assert names[j * columns + i] == (found[-1] if found else "")


def test_touch_reads_what_is_at_a_sensor() -> None:
    made = room(("lavaBlock", {"x": 5.0, "y": 3.0, "fixed": True}), places=[(0.85, 1.14)])
    run(made, 0.1)
    assert made.touch(0, "B", 4).name == "ground"
    hot = made.touch(0, "B", 2)
    assert (hot.touches, hot.temperature, hot.name) == (True, 1000.0, "lavaBlock")
    assert not made.touch(0, "B", 0).touches


def test_speech_bubbles_are_seen_by_their_text_until_they_are_gone() -> None:
    made = room()
    assert made.say(0, "P", "hello", 0.1, 0.0, 3.0)
    assert "hello" in made.names(0, "V")
    assert made.look(0, "V", 15, 9).type == "speechBubble"
    assert not made.say(0, "nobody", "hello", 1.0, 0.0, 0.0)
    run(made, 0.1)
    assert "hello" not in made.names(0, "V")


def test_hands_trigger_boxes_and_background_are_not_seen() -> None:
    made = room(("triggerBox", {"x": 0.0, "y": 4.0}), gravity=0.0)
    assert made.create("behind", "apple", 0.0, 4.0, 1.0, 1, 0.0, 0.0, 4) == ""
    assert set(made.names(0, "V")) == {""}
    assert made.create("before", "apple", 0.0, 4.0, 1.0, 1, 0.0, 0.0, 6) == ""
    assert "before" in made.names(0, "V")
    assert made.create("none", "missing.png", 0.0, 4.0, 1.0, 1, 0.0, 0.0, 5) == "fileNotFound"


# Laws


def mirrored(seed: int, sign: float) -> PagiRoom:
    rng = np.random.default_rng(seed)
    made = room()
    for k in range(5):
        kind = ["apple", "wallBlock", "medkit", "bowlingBall", "weight4"][k]
        x, vx = 6.0 + 7.0 * k, rng.uniform(-2, 2)
        made.put(kind, f"thing{k}", x=sign * x, y=rng.uniform(3, 6), vx=sign * vx)
    for _ in range(60):
        fx, fy = rng.uniform(-900, 900), rng.uniform(-300, 300)
        made.push(0, "B", sign * fx, fy)
        side: Any = "L" if sign < 0 else "R"
        made.push(0, side, sign * fx / 20, fy / 20)
        made.step()
    return made


@given(st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_a_mirrored_room_goes_on_mirrored(seed: int) -> None:
    here, there = mirrored(seed, 1.0), mirrored(seed, -1.0)
    (x, y), (mx, my) = here.place(0), there.place(0)
    assert (x, y) == pytest.approx((-mx, my), abs=0.05)
    for k in range(5):
        one, other = here.item(f"thing{k}"), there.item(f"thing{k}")
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert one[0] == pytest.approx(-other[0], abs=0.1)
            assert one[1] == pytest.approx(other[1], abs=0.1)


def energy(made: PagiRoom) -> float:
    total = 0.0
    bodies = [made.bodies.of[one.number] for one in made.items.values() if not one.fixed]
    for body in [*bodies, *(one.body for one in made.bodies.figures)]:
        total += body.mass * abs(body.velocity) ** 2 / 2
        total += body.moment * body.angular_velocity**2 / 2 if math.isfinite(body.moment) else 0.0
        # The engine moves what falls before it makes it faster, half a step of gravity off: this is what it keeps.
        fallen = body.position.y + STEP * body.velocity.y / 2
        total += body.mass * made.bodies.gravity * fallen
    return total


@given(st.integers(0, 10**6))
@settings(max_examples=examples(4, 10), deadline=None)
def test_there_is_no_energy_without_a_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = room()
    for k in range(8):
        kind = ["wallBlock", "medkit", "bowlingBall", "baseball"][k % 4]
        made.put(
            kind,
            f"thing{k}",
            x=-26.0 + 7.0 * k + (6.0 if k > 3 else 0.0),
            y=rng.uniform(3, 9),
            spin=rng.uniform(-2, 2),
        )
    before = energy(made)
    for _ in range(130):
        run(made, 0.1)
        assert energy(made) <= before * (1 + 1e-9)


# Water


@pytest.mark.parametrize(("mass", "floats"), [(0.2, True), (3.0, False)])
def test_what_is_lighter_than_water_floats_and_what_is_heavier_sinks(
    mass: float, floats: bool
) -> None:
    made = room(ground=False, places=[(30.0, 1.14)])
    made.put("ledge", "bottom", x=0.0, y=-6.5, width=6.0)
    made.put("ledge", "left", x=-3.5, y=-2.0, width=1.0, height=8.0)
    made.put("ledge", "right", x=3.5, y=-2.0, width=1.0, height=8.0)
    made.put("ledge", "floor", x=30.0, y=-0.5)
    made.water.pour(
        [
            (-2.4 + 0.62 * i + 0.01 * (j % 2), -5.6 + 0.62 * j, 0.0, 0.0)
            for j in range(6)
            for i in range(8)
        ]
    )
    made.put("apple", "apple", x=0.0, y=-5.4, mass=mass)
    run(made, 6.0)
    item = made.item("apple")
    assert item is not None
    assert (item[1] > -4.0) == floats


def test_drains_let_water_out_and_outlets_let_it_in() -> None:
    made = room(
        ("outlet", {"x": 10.0, "y": 5.0, "on": True, "mass": 5.0}),
        ("drain", {"x": 10.0, "y": 0.5, "width": 30.0}),
    )
    run(made, 0.6)
    assert len(made.bodies.water) == 5
    run(made, 4.0)
    assert len(made.bodies.water) == 0
