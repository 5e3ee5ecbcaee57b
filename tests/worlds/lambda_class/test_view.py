"""How a Lambda environment looks: everybody is where they are, in text, picture and film."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from mensura.core.errors import MensuraError
from mensura.pictures.film import HOLD
from mensura.worlds.lambda_class import view
from mensura.worlds.lambda_class.behaviors import Markov, Pattern, Random, Shy
from mensura.worlds.lambda_class.drawing import (
    layout_of,
    reward_color,
    reward_text,
    token_places,
    tokens,
)
from mensura.worlds.lambda_class.environment import Description, LambdaEnvironment
from mensura.worlds.lambda_class.film import STEPS
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.space import Space, ring
from mensura.worlds.lambda_class.switches import PRESETS
from mensura.worlds.lambda_class.world import Lambda

MINUS = "\N{MINUS SIGN}"
SVG = "{http://www.w3.org/2000/svg}"
FIGURE_4_1 = Space.parse("1+2++3|1+23-|1+23|1+2--3-")
PATTERN = Pattern(tuple(map(int, "20122220022222200222222002")))
DEFAULTS: dict[str, Any] = {"space": FIGURE_4_1, "good_and_evil": PATTERN, "starts": (0, 1, 3)}


def made(**changes: Any) -> LambdaEnvironment:
    """An environment of figure 4.1: Good on cell 1, Evil on cell 2, the subject on cell 4."""
    environment = LambdaEnvironment(Description(**{**DEFAULTS, **changes}))
    environment.reset(1)
    return environment


def sampled(seed: int = 3, preset: str = "thesis", **parameters: Any) -> LambdaEnvironment:
    world = Lambda.preset(preset, **parameters)
    environment = world.build(world.sample(seed))
    environment.reset(seed)
    return environment


# Text


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["thesis", "theory"]), st.integers(1, 4))
def test_the_table_tells_who_is_where_what_lies_there_and_where_actions_lead(
    seed: int, preset: str, subjects: int
) -> None:
    environment = sampled(seed, preset, subjects=subjects, objects=2)
    d, at = environment.description, environment.positions()
    lines = view.text(environment).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("cell  who")) + 1
    rewards = environment.cell_rewards()
    for cell in range(d.space.cells):
        line = lines[first + cell]
        assert line.split()[0] == str(cell + 1)
        for name, place in (("Good", at["good"]), ("Evil", at["evil"]), ("ω_2", at["objects"][1])):
            assert (name in line) == (place == cell)
        assert ("subject" in line) == (cell in at["subjects"])
        assert [int(word) - 1 for word in line.split()[-d.space.actions :]] == list(
            d.space.arrows[cell]
        )
        worth = line.split()[-d.space.actions - 1]
        assert (0.0 if worth == "." else float(worth)) == pytest.approx(rewards[cell], abs=0.006)


def test_the_text_begins_with_that_of_section_3_6_4_and_ends_with_a_status() -> None:
    environment = made()
    shown = view.text(environment, [0.25])
    assert shown.splitlines()[0] == environment.text() == "⊕A_2:⊖A_3:A_4:πA_1"
    assert "iteration 0 of 100   Good 1   Evil 2" in shown
    assert "rewards   0 +0.25\nmean reward +0.250" in shown
    assert "Good and Evil: pattern 20122220022222200222222002" in shown
    assert "A_1 is where action 0 leads" in shown


def test_each_seat_has_its_own_line_and_many_are_cut() -> None:
    shown = view.text(made(subjects=7, starts=(0, 1, 2, 2, 2, 2, 2, 3, 3)), [0.0] * 7)
    assert "seat 4 sees" in shown
    assert "seat 5 sees" not in shown
    assert "and 2 more seats" in shown
    assert "5 subjects" in shown
    assert "subjects 5,6" in shown
    assert max(map(len, view.text(sampled(subjects=40), [0.5] * 40).splitlines())) < 260


def test_a_large_space_says_what_it_leaves_out() -> None:
    shown = view.text(made(space=ring(300), starts=(298, 5, 5)))
    assert re.search(r"^ 299  Good", shown, re.MULTILINE)
    assert "and 259 more cells, where nobody is" in shown
    assert "(" in shown.splitlines()[0]
    assert max(map(len, shown.splitlines())) < 280


def test_named_actions_are_named() -> None:
    shown = view.text(made(action_names=("s", "l", "r", "u")))
    assert "0=s  1=l  2=r  3=u" in shown
    assert "S is where action 0 leads" in shown


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        ({}, ("One subject goes", "4 cells", "drops 1", "lasts for one interaction", "988 here")),
        (
            {**PRESETS["theory"], "junk": 0, "objects": (Shy(),), "starts": (0, 1, 2, 3)},
            ("another object", "unless a subject", "divided by 2", "a step behind"),
        ),
        ({"good_and_evil": Random(), "division": 1.0}, ("Good and Evil: random", "A reward stays")),
    ],
)
def test_the_explanation_is_of_this_environment(
    changes: dict[str, Any], sentences: tuple[str, ...]
) -> None:
    words = " ".join(view.explain(made(**changes)))
    for sentence in sentences:
        assert sentence in words


# Pictures


def words_of(svg: str) -> list[str]:
    return [word for word in ElementTree.fromstring(svg).itertext() if word]


def test_a_picture_tells_pattern_complexity_iteration_cells_and_actions() -> None:
    environment = made()
    environment.step([1])
    words = words_of(view.figure_svg(environment))
    complexity = Lambda().complexity(environment.description, "zlib_space_pattern")
    for line in (
        "4 cells, 4 actions, iteration 1 of 100",
        "Good and Evil: pattern 20122220022222200222222002",
        f"zlib_space_pattern = {complexity:g}",
        "Good (+)",
        f"Evil ({MINUS})",
        "subject",
        "pays",
        "costs",
        "2,3",
    ):
        assert line in words
    assert {"1", "2", "3", "4"} <= set(words)


def test_rewards_are_numbers_only_where_they_are_not_whole() -> None:
    theory = made(**{**PRESETS["theory"], "junk": 0})
    assert {"+0.5", f"{MINUS}0.5"} <= set(words_of(view.figure_svg(theory)))
    assert not [word for word in words_of(view.figure_svg(made())) if word[0] in ("+", MINUS)]
    assert [reward_text(value) for value in (0.125, -0.0004)] == ["+0.12", f"{MINUS}4e{MINUS}4"]


def test_a_picture_is_the_same_every_time_and_loads_nothing() -> None:
    svg = view.figure_svg(made(), name="here")
    assert svg == view.figure_svg(made(), name="here")
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    root = ElementTree.fromstring(svg)
    assert all(part.get("id", "here-").startswith("here-") for part in root.iter())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 3))
def test_everybody_stands_on_their_cell_and_on_nobody(
    seed: int, subjects: int, objects: int
) -> None:
    environment = sampled(seed, subjects=subjects, objects=objects)
    laid = layout_of(environment.description)
    everybody = tokens(environment.positions())
    places = token_places(laid, everybody)
    for token, ((x, y), size) in zip(everybody, places, strict=True):
        middle = laid.cells[token.cell]
        assert abs(x - middle[0]) + size <= laid.radius * 1.1
        assert abs(y - middle[1]) + size <= laid.radius * 1.1
    sharing = [sum(other.cell == token.cell for other in everybody) for token in everybody]
    few = [place for place, count in zip(places, sharing, strict=True) if count <= 9]
    assert len({at for at, _ in few}) == len(few)


@pytest.mark.parametrize(
    ("name", "begins"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.SVG", b"<svg")]
)
def test_a_picture_is_written_in_the_format_of_its_suffix(
    name: str, begins: bytes, tmp_path: Path
) -> None:
    view.draw(made(), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_has_no_pattern_or_too_many_cells_is_drawn_and_says_so() -> None:
    program = Markov(Program.parse("->. a_2"))
    words = words_of(view.figure_svg(made(good_and_evil=program)))
    assert "Good and Evil: a Markov program of 1 rule" in words
    assert not any("zlib" in word for word in words)
    assert view.complexity_of(made(good_and_evil=program)) is None
    for cells, sentence in ((90, "numbers and actions"), (500, "where something is")):
        words = words_of(view.figure_svg(made(space=ring(cells))))
        assert any(word.startswith("Too many cells") and sentence in word for word in words)


# Films


def filmed(interactions: int = 10, **changes: Any) -> view.Film:
    environment = made(horizon=interactions, **changes)
    film = view.Film()
    film.started(environment, environment.reset(1))
    n = environment.description.subjects
    for i in range(interactions):
        actions = [(i + seat) % 4 for seat in range(n)]
        film.stepped(environment, actions, environment.step(actions))
    return film


def test_a_gif_shows_everybody_under_way_and_good_where_it_is(tmp_path: Path) -> None:
    film = filmed(good_and_evil=Pattern((1, 2)))
    assert len(film) == 11
    film.save(tmp_path / "a.gif", pause=0.4)
    laid = layout_of(made().description)
    shares = film._shares()
    assert len(shares) == 1 + 10 * STEPS
    assert sum(shares) == pytest.approx(11)
    with Image.open(tmp_path / "a.gif") as image:
        total = 0
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            total += image.info["duration"]
        assert total == pytest.approx(1000 * 0.4 * (10 + HOLD), rel=0.1)
        image.seek(0)
        x, y = laid.cells[0]
        colors = image.convert("RGB").crop(
            tuple(round(v) for v in (x - 10, y - 8, x + 24, y + 24))  # type: ignore[arg-type]
        )
        assert (0x00, 0x72, 0xB2) in set(colors.get_flattened_data())


def test_an_svg_moves_everybody_along_and_tells_the_score(tmp_path: Path) -> None:
    film = filmed(objects=(Shy(),), subjects=2, starts=(0, 1, 2, 3, 3))
    film.save(tmp_path / "a.svg", pause=0.5)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    moves = [*root.iter(f"{SVG}animateTransform")]
    assert len(moves) == 2 + 1 + 2 + 1  # Good and Evil, the object, subjects, the line below
    frames = 11 + HOLD - 1
    assert [len(move.attrib["values"].split(";")) for move in moves] == [frames * STEPS + 1] * 5 + [
        frames
    ]
    assert {move.attrib["dur"] for move in moves} == {f"{0.5 * frames:g}s"}
    places = moves[0].attrib["values"].split(";")
    laid = layout_of(made().description)
    for i in (0, 4, 10):  # Good is on its cell when the caption says so
        x, y = map(float, places[i * STEPS].split(","))
        cell = laid.cells[film._frames[i].cells[0]]
        assert max(abs(x - cell[0]), abs(y - cell[1])) < laid.radius
    assert any(part.get("attributeName") == "fill" for part in root.iter(f"{SVG}animate"))
    assert f"score so far {film._scores[-1]:+.3f}" in [*root.itertext()]
    first = [reward_color(float(reward)) for reward in film._frames[0].rewards]
    assert [part.get("fill") for part in root.iter(f"{SVG}circle")][: len(first)] == first
    assert "script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_long_film_jumps_and_a_new_episode_begins_a_new_one(tmp_path: Path) -> None:
    assert len(filmed(300)._shares()) == 301
    film = filmed(3)
    environment = made()
    film.started(environment, environment.reset(2))
    film.save(tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as image:
        assert getattr(image, "n_frames", 1) == 1


def test_a_film_that_cannot_be_saved_says_why(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="No episode was filmed"):
        view.Film().save(tmp_path / "a.gif")
    with pytest.raises(MensuraError, match=r"ends in \.gif or \.svg, not to a\.mp4"):
        filmed(1).save(tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())
