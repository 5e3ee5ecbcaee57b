"""Observations in words: the same for equal observations, nothing lost, nothing added."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.agent.keys import key
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text
from mensura.agent.task import Seat, Task
from mensura.agents.language_model.text import Plain, space_in_words, words_of
from mensura.core.contract import World
from mensura.core.observation_words import number
from mensura.core.registry import WORLDS
from mensura.worlds.framotec.world import Framotec
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar

KEYS = st.integers(0, 2**64 - 1)


def examples(full_size: bool) -> settings:
    """A dozen environments of each of many worlds, each along an episode; at full size as many as elsewhere."""
    return settings() if full_size else settings(max_examples=12)


def task_of(environment: Any, seat: int, world: str) -> Task:
    seen, acts = environment.spaces(seat)
    return Task(world, environment.seats[seat], len(environment.seats), seen, acts, None)


def turns(world: World, root: int, steps: int = 6) -> Any:
    """(task, observation) of every seat along an episode of a random subject."""
    environment = world.build(world.sample(root))
    rng = np.random.Generator(np.random.PCG64(root))
    turn = environment.reset(key(root, "reset"))
    for _ in range(steps):
        for seat, observation in zip(turn.due, turn.observations, strict=True):
            yield environment, task_of(environment, seat, world.id), observation.copy()
        if turn.ended is not None:
            return
        actions = [environment.spaces(seat)[1].sample(rng) for seat in turn.due]
        turn = environment.step(actions, [0.0] * len(actions))


# What a text says, read back ----------------------------------------------------


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def read_lambda(task: Task, text: str) -> dict[str, Any]:
    def cell(pattern: str) -> float:
        found = re.search(rf"^{pattern} cell (\d+)\.$", text, re.MULTILINE)
        return -1.0 if found is None else float(found[1]) - 1

    first = re.match(r"(\d+) interactions? so far\. You are on cell (\d+)\.", text)
    assert first is not None
    own = float(first[2]) - 1
    out: dict[str, Any] = {
        "cell": own,
        "iteration": float(first[1]),
        "good": cell("The star is on"),
        "evil": cell("The diamond is on"),
        "next_good": cell("The star will go to"),
        "next_evil": cell("The diamond will go to"),
        "subjects": [
            own if j == task.seat.index else cell(f"Seat {j} is on") for j in range(task.seats)
        ],
        "ways": [float(c) - 1 for c in re.findall(r"ction \d+ leads to cell (\d+)", text)],
    }
    fields = dict(task.observation_space.fields)  # type: ignore[union-attr]
    if "objects" in fields:
        out["objects"] = [cell(f"Object {i + 1} is on") for i in range(fields["objects"].size)]
    if "rewards" in fields:
        out["rewards"] = numbers(text.rpartition("from cell 1 on:")[2].rstrip("."))
    return out


def read_lambda_star(task: Task, text: str) -> dict[str, Any]:
    lines = text.splitlines()
    iteration, row, column = numbers(lines[0])
    out: dict[str, Any] = {"iteration": iteration, "position": [row, column], "future": [-1, -1]}
    if lines[1].startswith("The star will"):
        out["future"] = numbers(lines.pop(1))
    shape = dict(task.observation_space.fields)["rewards"].shape  # type: ignore[union-attr]
    out["rewards"] = [numbers(line) for line in lines[2 : 2 + shape[0]]]
    out |= {name: np.zeros(shape) for name in ("good", "evil", "guide")}  # search alone has them
    for line in lines[2 + shape[0] :]:
        name, _, places = line.rstrip(".").partition(": ")
        if name == "Your private signal":
            out["signal"] = float(places)
            continue
        plane = np.zeros(shape)
        for place in [] if places == "not in sight" else places.split(", "):
            y = x = shape[0] // 2
            for steps, way in re.findall(r"(\d+) (up|down|left|right)", place):
                y += {"up": -1, "down": 1}.get(way, 0) * int(steps)
                x += {"left": -1, "right": 1}.get(way, 0) * int(steps)
            many = re.search(r"\((.*)\)", place)
            plane[y, x] = 1.0 if many is None else float(many[1])
        named = {
            "The star": "good",
            "The diamond": "evil",
            "The guide": "guide",
            "Others": "others",
            "Of them did it last time": "deeds",
        }
        out[named[name]] = plane
    return out


def read_plain(task: Task, text: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    names = [name for name, _ in task.observation_space.fields]  # type: ignore[union-attr]
    starts = [re.search(rf"^{re.escape(name)}: ?", text, re.MULTILINE) for name in names]
    ends = [*(m.start() for m in starts[1:] if m), len(text)]
    shapes = dict(task.observation_space.fields)  # type: ignore[union-attr]
    for name, start, end in zip(names, starts, ends, strict=True):
        assert start is not None
        out[name] = np.reshape(numbers(text[start.end() : end]), shapes[name].shape)
    return out


READERS = {"lambda-v1": read_lambda, "lambda-star-v2": read_lambda_star, "framotec-v1": read_plain}


def rounded(observation: Any) -> dict[str, Any]:
    return {
        name: np.vectorize(lambda x: float(number(x)), otypes=[float])(observation[name])
        for name in observation.dtype.names
    }


def assert_says_all(task: Task, observation: Any, text: str) -> None:
    back = READERS[task.world](task, text)
    wanted = rounded(observation)
    assert set(back) == set(wanted)
    for name, value in wanted.items():
        np.testing.assert_array_equal(np.asarray(back[name]), value, err_msg=f"{name}\n{text}")


def worlds() -> list[World]:
    return [
        Lambda(),
        Lambda(subjects=3, objects=2, observability="partial", future=(1,), rewards_seen=(0, 2)),
        Lambda.preset("theory", rewards_seen=(0,)),
        LambdaStar(subjects=4),
        LambdaStar(rows=5, cols=6, subjects=1, range=2, future=(0,)),
        *(LambdaStar.preset(name, subjects=3) for name in LambdaStar.presets),
        Framotec(),
        Framotec(actions="three", velocity_seen=(0,)),
    ]


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(world, marks=[pytest.mark.thorough] if 5 <= number < 15 else [])
        for number, world in enumerate(worlds())
    ],
    ids=lambda world: world.id,
)
def test_the_text_of_an_observation_says_all_of_it(world: World, full_size: bool) -> None:
    words = words_of(world)

    @examples(full_size)
    @given(root=KEYS)
    def texts_say_all(root: int) -> None:
        for _, task, observation in turns(world, root):
            assert_says_all(task, observation, words.observation(task, observation))

    texts_say_all()


def test_nothing_is_said_of_a_guide_that_is_not_there() -> None:
    for guided in (False, True):
        world = LambdaStar(rows=5, cols=5, subjects=2, range=2, guided=guided)
        words = words_of(world)
        texts = [words.observation(task, one) for _, task, one in turns(world, 3)]
        assert texts
        assert any("The guide: " in text for text in texts) is guided
        assert not any("The guide: not in sight" in text for text in texts)


@pytest.mark.parametrize("world", worlds()[:5], ids=lambda world: world.id)
def test_hidden_state_is_not_in_the_text(world: World, full_size: bool) -> None:
    """Two environments: one goes on from the other's observation with other hidden draws; texts follow bytes."""
    words = words_of(world)

    @examples(full_size)
    @given(root=KEYS)
    def texts_follow_bytes(root: int) -> None:
        texts: dict[tuple[Task, bytes], str] = {}
        for number_ in range(2):
            environment = world.build(world.sample(root))
            turn = environment.reset(key(root, "reset", number_))
            for _ in range(3):
                for seat, observation in zip(turn.due, turn.observations, strict=True):
                    task = task_of(environment, seat, world.id)
                    text = words.observation(task, observation.copy())
                    assert texts.setdefault((task, observation.tobytes()), text) == text
                if turn.ended is not None:
                    break
                actions = [environment.default(seat) for seat in turn.due]
                turn = environment.step(actions, [0.0] * len(actions))

    texts_follow_bytes()


@given(root=KEYS)
def test_patterns_that_nobody_sees_change_no_word(root: int) -> None:
    """The first observation is the same whatever Good and Evil will do, and so is its text and what is told before."""
    from dataclasses import replace

    from mensura.worlds.lambda_class.behaviors import Pattern

    world = Lambda()
    description = world.sample(root)
    wanted = 2 + len(description.objects) + description.subjects
    starts = (0, 1, *([0] * (wanted - 2)))
    seen = set()
    for moves in ((0,), (1,), (0, 1, 1)):
        other = replace(description, good_and_evil=Pattern(moves), starts=starts)
        environment = world.build(other)
        turn = environment.reset(1)
        task = task_of(environment, 0, world.id)
        words = words_of(world)
        seen.add((words.rules(task), words.observation(task, turn.observations[0])))
    assert len(seen) == 1


def test_worlds_have_words_of_their_own_or_plain_ones() -> None:
    for name in ("framotec-v1", "lambda-v1", "lambda-star-v2"):
        world = WORLDS.load(name)()
        words = words_of(world)
        assert not isinstance(words, Plain), name
        folder, _, _ = type(world).__module__.rpartition(".")
        assert words.__name__.rpartition(".")[0] == folder
    assert isinstance(words_of(WORLDS.load("echo-v1")()), Plain)


# Any space -----------------------------------------------------------------------


def spaces() -> st.SearchStrategy[Record]:
    shapes = st.sampled_from([(), (1,), (3,), (2, 3), (5, 6)])
    boxes = st.builds(lambda shape: Box(-1e6, 1e6, shape), shapes)
    names = st.text("abcdefgh_", min_size=1, max_size=6)
    fields = st.lists(st.tuples(names, boxes), min_size=1, max_size=4, unique_by=lambda f: f[0])
    return st.builds(lambda fields: Record(tuple(fields)), fields)


@given(spaces(), KEYS)
def test_plain_words_say_all_of_any_record(space: Record, root: int) -> None:
    task = Task("other-v0", Seat(0), 1, space, Discrete(2), None)
    rng = np.random.Generator(np.random.PCG64(root))
    observation = space.sample(rng)
    text = Plain().observation(task, observation)
    assert text == Plain().observation(task, observation.copy())
    back = read_plain(task, text)
    for name, value in rounded(observation).items():
        np.testing.assert_array_equal(back[name], value)


@given(st.integers(-50, 50))
def test_plain_words_of_a_number_are_the_number(value: int) -> None:
    task = Task("other-v0", Seat(0), 1, Discrete(101, -50), Discrete(2), None)
    assert json.loads(Plain().observation(task, value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False))
def test_equal_numbers_are_written_alike_and_different_ones_apart_at_six_digits(
    a: float, b: float
) -> None:
    if a == b:
        assert number(a) == number(b)
    if number(a) == number(b):
        assert a == pytest.approx(b, rel=1e-5)
    assert float(number(a)) == pytest.approx(a, rel=5e-6)


@pytest.mark.parametrize(
    ("space", "text"),
    [
        (Discrete(4, 1), "a whole number from 1 to 4"),
        (Box(0, 1), "a number from 0 to 1"),
        (Box(-1, 1, (1,)), "a list of 1 number from -1 to 1"),
        (Box(-1, 1, (2, 2)), "2 x 2 numbers from -1 to 1"),
        (Record((("a", Box(0, 1)),)), "a, a number from 0 to 1"),
        (Box(0, 255, (2, 2), "uint8"), "2 x 2 whole numbers from 0 to 255"),
        (Text(1), "a text of at most 1 character"),
        (Text(9, "ba\n"), 'a text of at most 9 characters out of "\\nab"'),
        (Several(Discrete(2), 3), "a list of at most 3 items, each a whole number from 0 to 1"),
        (
            Several(Record((("to", Discrete(2)), ("words", Text(9)))), 1),
            "a list of at most 1 item, each a record of (to, a whole number from 0 to 1; words, a text of at most "
            "9 characters)",
        ),
    ],
)
def test_spaces_are_described(space: Space, text: str) -> None:
    assert space_in_words(space) == text


LETTER = Record((("words", Text(9)), ("sizes", Record((("x", Box(0, 1)),)))))


@pytest.mark.parametrize(
    ("space", "observation", "text"),
    [
        (Text(9), 'say "a"\nb', 'say "a"\nb'),
        (Several(Text(9), 2), [], "none"),
        (Several(Text(9), 2), ['a "b"', "c\nd"], '  "a \\"b\\""\n  "c\\nd"'),
        (Record((("a", Text(9)), ("n", Discrete(3)))), {"a": "Größe", "n": 2}, 'a: "Größe"\nn: 2'),
        (
            Several(LETTER, 1),
            [{"words": "w", "sizes": {"x": np.array(0.5)}}],
            '  {"words": "w", "sizes": {"x": 0.5}}',
        ),
        (Box(0, 9, (2,), "uint8"), np.array([1, 2], np.uint8), "[1, 2]"),
    ],
)
def test_plain_words_tell_texts_and_lists(space: Space, observation: Any, text: str) -> None:
    task = Task("other-v0", Seat(0), 1, space, Discrete(2), None)
    assert Plain().observation(task, observation) == text
