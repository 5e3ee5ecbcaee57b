"""Versions in the registry: a name without one is the newest, and an older one is told what changed since."""

from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from mensura.agent.errors import MensuraError
from mensura.core.abilities import changes, drawn_as
from mensura.core.registry import WORLDS, Outdated, Registry, split_version

pytestmark = pytest.mark.quick


class Third:
    """A world in its fourth version."""

    id = "toy-v3"
    changes: ClassVar[dict[int, str]] = {
        1: "Evil moves first",
        2: "the torus is a plane",
        3: "Good is felt twice as far",
    }
    drawn_as = "toy-v1"


class Second:
    """The third version of it, which is still there."""

    id = "toy-v2"


class Shelf(Registry):
    """What is registered here, and nothing else."""

    def __init__(self, **names: str) -> None:
        super().__init__("toys", "toy")
        self._entries = {
            name.replace("_", "-"): EntryPoint(name.replace("_", "-"), f"{__name__}:{value}", "")
            for name, value in names.items()
        }

    def entries(self) -> dict[str, EntryPoint]:
        """Without looking at what is installed."""
        return self._entries


BOTH = Shelf(toy_v2="Second", toy_v3="Third", plain="Second", gone_v1="Nothing")


@pytest.mark.parametrize(
    ("name", "found"), [("toy", Third), ("toy-v3", Third), ("toy-v2", Second), ("plain", Second)]
)
def test_a_name_without_a_version_is_the_newest_and_others_are_what_they_say(
    name: str, found: type
) -> None:
    assert BOTH.load(name) is found
    assert BOTH.outdated(name) is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "toy-v0",
            "toy-v0 is an older version of toy-v3, the present one; what changed in v1: Evil moves first; what changed "
            "in v2: the torus is a plane; what changed in v3: Good is felt twice as far.",
        ),
        (
            "toy-v1",
            "toy-v1 is an older version of toy-v3, the present one; what changed in v2: the torus is a plane; what "
            "changed in v3: Good is felt twice as far.",
        ),
    ],
)
def test_an_older_version_is_refused_with_what_changed_since(name: str, sentence: str) -> None:
    assert BOTH.outdated(name) == sentence
    with pytest.raises(Outdated) as error:
        BOTH.load(name)
    assert str(error.value) == sentence


def test_what_is_told_of_an_older_version_is_told_by_the_present_one() -> None:
    assert BOTH.present("toy-v0") is BOTH.present("toy") is Third
    assert BOTH.present("toy-v2") is Second
    with pytest.raises(MensuraError, match="There is no toy 'toy-v4'"):
        BOTH.present("toy-v4")


def test_an_older_version_is_told_even_where_the_present_one_is_broken() -> None:
    assert BOTH.outdated("gone-v0") == "gone-v0 is an older version of gone-v1, the present one."


@pytest.mark.parametrize("name", ["toy-v4", "toy-v03", "joy-v0", "plain-v0", "toy-v", "toy-vx"])
def test_a_version_that_there_never_was_is_not_there(name: str) -> None:
    assert BOTH.outdated(name) is None
    with pytest.raises(MensuraError, match=f"There is no toy '{name}'"):
        BOTH.load(name)


def test_the_version_is_the_number_at_the_end() -> None:
    assert split_version("lambda-star-v2") == ("lambda-star", 2)
    assert split_version("lambda-star") == ("lambda-star", None)
    assert split_version("a-v2-v10") == ("a-v2", 10)


@pytest.mark.parametrize("name", WORLDS.names())
def test_every_world_tells_what_changed_in_each_of_its_versions(name: str) -> None:
    plain, number = split_version(name)
    kind = WORLDS.load(name)
    assert sorted(changes(kind)) == list(range(1, (number or 0) + 1))
    older, version = split_version(drawn_as(kind))
    assert older == plain
    assert (version or 0) <= (number or 0)


def test_what_is_lent_is_found_within_the_block_and_what_it_hides_comes_back() -> None:
    before = WORLDS.load("echo-v1")
    with WORLDS.lend("echo-v1", int), WORLDS.lend("lent-v0", str):
        assert WORLDS.load("echo-v1") is int
        assert WORLDS.load("lent-v0") is str
        assert "lent-v0" not in WORLDS.names()
    assert WORLDS.load("echo-v1") is before
    with pytest.raises(MensuraError, match="There is no world 'lent-v0'"):
        WORLDS.load("lent-v0")
