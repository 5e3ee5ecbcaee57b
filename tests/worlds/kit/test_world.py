"""Worlds that are written as rules: what the kit makes of them, and what it says where something is wrong."""

import json
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, fields
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from tests.worlds.kit.tug import Relayed, Tug

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.core.abilities import MEMBERS
from mensura.core.mixed import Mixed
from mensura.pictures.text import as_text
from mensura.pictures.view import view_of
from mensura.testing import check_world
from mensura.worlds.echo import Echo
from mensura.worlds.kit import BaseWorld, Discrete, State, parameter

pytestmark = pytest.mark.quick


class Least(BaseWorld):
    """No more than a world needs."""

    id = "least-v0"
    content = "generated afresh"

    def spaces(self, description: Any, seat: int) -> Any:
        return Discrete(2), Discrete(2)

    def observe(self, state: State, seat: int) -> int:
        return 1

    def advance(self, state: State, actions: Mapping[int, Any], rng: Any) -> list[float]:
        return [0.0]

    def ended(self, state: State) -> Any:
        return "terminated" if state.interaction else None


@pytest.mark.parametrize("world", [Tug(), Tug(ends=False), Relayed(), Relayed(horizon=1), Least()])
def test_worlds_of_the_kit_keep_the_contract(world: Any) -> None:
    assert check_world(world) == []


def played(environment: Any, key: int) -> list[Any]:
    turns = [environment.reset(key)]
    while turns[-1].ended is None:
        actions = [environment.default(seat) for seat in turns[-1].due]
        turns.append(environment.step(actions, [0.0] * len(actions)))
    return turns


def test_the_world_that_the_kit_explains_itself_with_is_one() -> None:
    from mensura.worlds import kit

    _, _, rest = (kit.__doc__ or "").partition("::\n")
    code = dedent(
        "\n".join(line for line in rest.splitlines() if line.startswith("    ") or not line)
    )
    names: dict[str, Any] = {"__name__": "guess"}
    exec(code, names)
    assert check_world(names["Guess"]()) == []
    assert names["Guess"]().build(names["Guess"]().sample(1)).horizon == 10


# Turns


def test_seats_in_turn_act_equally_often_before_the_horizon_ends_it() -> None:
    turns = played(Relayed(horizon=3).build(Relayed(horizon=3).sample(1)), 1)
    assert [turn.due for turn in turns] == [(0,), (1,), (0,), (1,), (0,), (1,), (0, 1)]
    assert turns[-1].ended == "truncated"


def test_a_seat_gets_what_it_gained_since_its_last_turn() -> None:
    rewards = [
        list(turn.rewards)
        for turn in played(Relayed(horizon=2).build(Relayed(horizon=2).sample(1)), 1)
    ]
    assert rewards == [[0.0], [0.1], [0.2], [0.2], [0.2, 0.1]]


def test_an_episode_that_may_end_early_has_no_fixed_horizon_but_ends_at_it() -> None:
    environment = Tug(horizon=2).build(Tug(horizon=2).sample(1))
    assert environment.horizon is None
    assert Tug(ends=False).build(Tug().sample(1)).description.horizon == 8
    last = played(environment, 3)[-1]
    assert last.ended in ("terminated", "truncated")
    assert len(environment.state.path) <= 4


def test_observations_and_actions_have_the_form_of_their_spaces() -> None:
    environment = Tug().build(Tug().sample(1))
    turn = environment.reset(1)
    assert turn.observations[0].dtype == environment.spaces(0)[0].dtype
    assert not environment.legal(0, np.array([0.0]))


def test_neither_subjects_nor_rules_can_change_what_the_other_was_given() -> None:
    environment = Relayed().build(Relayed().sample(1))
    first = environment.reset(1)
    given = np.array([0.5])
    environment.step([given], [0.0])
    given[0] = 0.9
    assert environment.state.last[0] == 0.5
    assert first.observations[0][0] == 0.0


def test_a_step_too_many_or_too_few_actions_get_a_sentence() -> None:
    environment = Least().build(Least().sample(1))
    with pytest.raises(MensuraError, match="reset the environment first"):
        environment.step([0], [0.0])
    with pytest.raises(MensuraError, match="reset the environment first"):
        environment.snapshot()
    environment.reset(1)
    with pytest.raises(MensuraError, match="1 seats are due, and 2 actions"):
        environment.step([0, 0], [0.0, 0.0])
    environment.step([0], [0.0])
    with pytest.raises(MensuraError, match="reset the environment first"):
        environment.step([0], [0.0])


# Snapshots


def test_a_snapshot_is_json_and_gives_its_turn_back_to_the_bit() -> None:
    world = Tug(ends=False, rights=("1:sees_slip",))
    environment = world.build(world.sample(4))
    environment.reset(9)
    for _ in range(3):
        turn = environment.step([np.array([0.3])], [0.125])
    data = environment.snapshot()
    json.loads(data)
    other = world.build(world.sample(4))
    again = other.restore(data)
    assert (again.due, again.rewards, again.ended) == (turn.due, turn.rewards, turn.ended)
    assert again.observations[0].tobytes() == turn.observations[0].tobytes()
    assert other.snapshot() == data
    assert type(other.state.path[0]) is np.float32
    assert other.state.pulls == environment.state.pulls
    one, two = (each.step([np.array([0.1])], [0.0]) for each in (environment, other))
    assert one.observations[0].tobytes() == two.observations[0].tobytes()


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[1]", b"\xff", b'{"state": {}, "random": {}, "owed": [], "acted": []}']
)
def test_what_is_no_snapshot_gets_a_sentence(data: bytes) -> None:
    environment = Least().build(Least().sample(1))
    with pytest.raises(MensuraError, match="This is no snapshot of an environment of least-v0"):
        environment.restore(data)


def test_arrays_of_any_type_are_kept_to_the_bit() -> None:
    environment = Least().build(Least().sample(1))
    environment.reset(1)
    kept = {
        "nan": np.array([np.nan, -0.0, np.inf]),
        "turned": np.arange(6, dtype=">i2").reshape(2, 3).T,
        "empty": np.zeros((0, 2), np.float32),
        "flags": np.array(True),
        "record": np.zeros(2, [("a", "f8", (2,)), ("b", "i4")]),
        "words": np.array(["a", "bc"]),
        "marked": {"~": [1], 2: b"x"},
    }
    environment.state.__dict__.update(kept)
    environment.restore(environment.snapshot())
    for name, value in kept.items():
        back = getattr(environment.state, name)
        assert type(back) is type(value)
        if isinstance(value, np.ndarray):
            assert (back.dtype, back.shape, back.tobytes()) == (
                value.dtype,
                value.shape,
                value.tobytes(),
            )
        else:
            assert back == value


def test_what_cannot_be_written_down_is_named() -> None:
    environment = Least().build(Least().sample(1))
    environment.reset(1)
    environment.state.friends = {1, 2}
    with pytest.raises(MensuraError, match="friends in the state of an episode is a set"):
        environment.snapshot()


def test_a_missing_attribute_of_the_state_says_where_it_comes_from() -> None:
    with pytest.raises(AttributeError, match="the state has no 'shwon': start puts it there"):
        _ = State(Echo().sample(1)).shwon


# Sampling and descriptions


def test_draw_can_aim_at_a_complexity_that_rejection_would_hardly_meet() -> None:
    assert all(Tug().sample(key, ("weight", 77.2, 78)).weight == 78 for key in range(20))
    with pytest.raises(
        MensuraError, match="None of 1000 environments of tug-v0 that were drawn was one to keep"
    ):
        Tug().sample(1, ("weight", 13, 13))


def test_what_is_not_to_be_kept_is_not_drawn() -> None:
    assert 13 not in {Tug().sample(key).weight for key in range(300)}


def test_a_complexity_out_of_reach_gets_a_sentence_with_what_there_is() -> None:
    with pytest.raises(
        MensuraError, match="with lag from 7 to 9 was found; 1000 that were drawn have 0 to 6"
    ):
        Echo().sample(1, ("lag", 7, 9))
    with pytest.raises(MensuraError, match="from 3 to 2 is empty"):
        Echo().sample(1, ("lag", 3, 2))
    with pytest.raises(MensuraError, match="from nan to 2 is empty"):
        Echo().sample(1, ("lag", float("nan"), 2))
    for ask in (
        lambda: Echo().sample(1, ("leg", 1, 2)),
        lambda: Echo().complexity(Echo().sample(1), "leg"),
    ):
        with pytest.raises(MensuraError, match="echo-v1 has no complexity 'leg'; did you mean lag"):
            ask()


def test_a_description_builds_the_same_environment_whatever_the_world_is_set_to() -> None:
    long = Tug(horizon=20)
    description = long.sample(5)
    data = json.loads(json.dumps(description.to_json()))
    back = Tug(horizon=2).describe_from_json(data)
    assert back == description
    assert hash(back) == hash(description)
    assert Tug(horizon=2).build(back).rules.horizon == 20
    assert pickle.loads(pickle.dumps(description)) == description
    assert back != Tug(horizon=21).sample(5)
    assert isinstance(description.slips, tuple)
    with pytest.raises(AttributeError, match="cannot be changed"):
        description.weight = 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"wieght": 3}, "has no 'wieght'; did you mean weight"),
        ({"weight": None}, "'weight' in a description of tug-v0 is None; it must be a number"),
        ({"weight": "3"}, "it must be a number"),
        ({"horizon": -1}, "horizon of tug-v0 is -1; it must be a whole number of at least 1"),
    ],
)
def test_a_description_that_is_wrong_gets_a_sentence(change: dict[str, Any], sentence: str) -> None:
    data = Tug().sample(1).to_json()
    with pytest.raises(MensuraError, match=sentence):
        Tug().describe_from_json({**data, **change})
    del data["slips"]
    with pytest.raises(MensuraError, match="needs 'slips'"):
        Tug().describe_from_json(data)


def test_an_environment_of_another_world_is_not_built() -> None:
    with pytest.raises(MensuraError, match="no description of an environment of echo-v1"):
        Echo().build(Tug().sample(1))


# Rights and subjects


def test_a_subject_of_the_worlds_own_is_given_the_rights_it_needs_where_it_sits() -> None:
    world = Tug()
    subject = Mixed(
        [(InProcess("other", lambda: None), 1), (world.group([("puller", {"force": 0.25}, 1)]), 1)]
    )  # type: ignore[arg-type,return-value]
    host = world.hosting(subject)
    assert host.rights == ("1:sees_slip",)
    assert host.hosting(subject) is host
    # Rights come from the subject: a description drawn without them is built with them.
    environment = host.build(world.sample(1))
    assert [sorted(seat.rights) for seat in environment.seats] == [[], ["sees_slip"]]
    environment.reset(1)
    assert environment.step([np.array([0.5])], [0.0]).observations[0]["slip"][0] != 0.0
    assert environment.description == world.sample(1)
    assert world.hosting(InProcess("other", lambda: None)) is world  # type: ignore[arg-type,return-value]


def test_subjects_of_the_worlds_own_are_listed_made_and_checked() -> None:
    world = Tug()
    assert world.subject_names == {
        "puller": "Pulls against the slip that it is shown. More is not said in lists"
    }
    assert world.subject_parameters("puller") == {"force": 0.5}
    (one, other) = world.group([("puller", {"force": 1}, 1)]).sit(2).agents
    assert (one.force, other.force) == (1.0, 1.0)
    with pytest.raises(MensuraError, match="force of puller is 2; it must be a number from 0 to 1"):
        world.group([("puller", {"force": 2}, 1)])
    with pytest.raises(MensuraError, match="'puler' is no subject of tug-v0; did you mean puller"):
        world.group([("puler", {}, 1)])
    assert Tug().subjects == 2
    assert Least().subjects == 1


@pytest.mark.parametrize("right", ["sees_slip", "x:sees_slip", "0:sees", "0"])
def test_a_right_that_is_none_gets_a_sentence(right: str) -> None:
    with pytest.raises(
        MensuraError, match=f"'{right}' is no right of a seat of tug-v0, as 0:sees_slip is"
    ):
        Tug(rights=(right,))


# Parameters and presets


class Many(Least):
    """All sorts of parameters."""

    id = "many-v0"
    content = "generated afresh"
    share: float = parameter(0.5, "A share", at_least=0, at_most=1)
    loud: bool = parameter(False, "Whether it is loud")
    mode: str = parameter("slow", "How it goes", choices=("slow", "fast"))
    sizes: tuple[int, ...] = parameter((1, 2), "Sizes", at_least=1)
    ends: tuple[float, float] = parameter((0.0, 1.0), "Two numbers")
    limit: int | None = parameter(None, "A limit, or none", at_most=9)
    plain: int = 3
    """What is explained below its field."""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"share": 1.5}, "share of many-v0 is 1.5; it must be a number from 0 to 1"),
        ({"share": "x"}, "it must be a number from 0 to 1"),
        ({"share": float("nan")}, "it must be a number from 0 to 1"),
        ({"share": 10**400}, "it must be a number from 0 to 1"),
        ({"plain": 10**400}, "it must be a whole number"),
        ({"share": True}, "it must be a number"),
        ({"loud": 1}, "loud of many-v0 is 1; it must be true or false"),
        ({"mode": "fsat"}, "mode of many-v0 is 'fsat'; it must be one of slow, fast"),
        ({"sizes": (1, 0)}, r"is \(1, 0\); it must be a list, each of it a whole number of at least 1"),
        ({"sizes": 3}, "it must be a list"),
        ({"ends": (1, 2, 3)}, "it must be a list of a number, a number"),
        ({"limit": 10}, "limit of many-v0 is 10; it must be a whole number or nothing of at most 9"),
        ({"plain": 2.5}, "plain of many-v0 is 2.5; it must be a whole number"),
    ],
)  # fmt: skip
def test_a_parameter_that_is_wrong_gets_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Many(**change)


def test_parameters_are_taken_as_json_and_numpy_write_them() -> None:
    world = Many(share=1, sizes=[3, 4], ends=[1, 2], limit=np.int64(4))  # type: ignore[arg-type]
    assert (world.share, world.sizes, world.ends, world.limit) == (1.0, (3, 4), (1.0, 2.0), 4)
    assert type(world.share) is float
    assert type(world.limit) is int
    assert Many(**{one.name: getattr(world, one.name) for one in fields(world)}) == world  # type: ignore[arg-type]


def test_parameters_tell_what_they_mean() -> None:
    found = {one.name: one.metadata for one in fields(Many)}  # type: ignore[arg-type]
    assert found["share"]["meaning"] == "A share"
    assert (found["share"]["low"], found["sizes"]["high"], found["mode"]["choices"]) == (
        0,
        None,
        ("slow", "fast"),
    )


def test_a_worlds_own_check_comes_after_the_kits() -> None:
    with pytest.raises(MensuraError, match="Seven is unlucky"):
        Tug(horizon=7)


def test_presets_set_parameters_and_can_be_changed() -> None:
    assert Echo.preset("long") == Echo(longest=20, horizon=200)
    assert Echo.preset("long", symbols=3).symbols == 3
    with pytest.raises(MensuraError, match="'lang' is no preset of echo-v1; did you mean long"):
        Echo.preset("lang")
    assert Least.preset("usual") == Least()


# Classes that are wrong


def test_a_missing_rule_is_named_when_the_world_is_made() -> None:
    class Half(BaseWorld):
        def observe(self, state: State, seat: int) -> int:
            return 0

    with pytest.raises(
        MensuraError, match="Half is no whole world yet: it has no id, spaces, advance"
    ):
        Half()

    class Unmeasured(Least):
        id = "unmeasured-v0"
        measures = Echo.measures

    with pytest.raises(MensuraError, match="it has no complexity"):
        Unmeasured()


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"observ": lambda self, state, seat: 0}, "Wrong has 'observ', which the kit does not know; did you mean obs"),
        ({"mesures": {}}, "did you mean measures"),
        ({"observe": lambda self, state: 0}, r"of Wrong takes \(self, state\); it must take \(self, state, seat\)"),
        ({"draw": lambda self, rng, wihtin: {}}, "draw of Wrong takes"),
        ({"presets": {"a": {"sybols": 3}}}, "The preset 'a' of Wrong sets 'sybols', which is no parameter"),
        ({"__post_init__": lambda self: None}, "call it check"),
    ],
)  # fmt: skip
def test_a_misspelled_rule_is_named_when_the_class_is_defined(
    rules: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        type("Wrong", (BaseWorld,), rules)


MEMBERS_OF_THE_KIT = {name for name in vars(BaseWorld) if name[0] != "_"} - {"horizon", "subjects"}


@pytest.mark.parametrize(
    "name", sorted(MEMBERS | MEMBERS_OF_THE_KIT | {"world", "drawn", "to_json"})
)
def test_a_parameter_that_has_the_name_of_a_member_is_refused_when_the_class_is_defined(
    name: str,
) -> None:
    with pytest.raises(
        MensuraError, match=f"Shadow has a parameter '{name}', which is the name of"
    ):
        type("Shadow", (Least,), {"__annotations__": {name: int}, name: 3})


@pytest.mark.parametrize("name", ["horizon", "subjects", "words_", "size"])
def test_other_parameters_are_welcome(name: str) -> None:
    kind: Any = type("Welcome", (Least,), {"__annotations__": {name: int}, name: 1})
    assert getattr(kind(**{name: 1}), name) == 1


def test_helpers_of_an_authors_own_are_welcome() -> None:
    class Helped(Least):
        def observed(self) -> int:  # observe is there, too
            return 1

        def _start(self) -> None:
            pass

        def shuffle(self) -> None:
            pass

    assert Helped().observed() == 1


def test_a_decorator_that_would_lose_what_parameters_mean_is_refused() -> None:
    @dataclass(frozen=True)
    class Frozen(Many):
        more: int = parameter(1, "One more")

    @dataclass
    class Thawed(BaseWorld):
        more: int = parameter(1, "One more")

    for kind in (Frozen, Thawed):
        with pytest.raises(MensuraError, match=f"{kind.__name__} is made a dataclass by the kit"):
            kind()


def test_a_world_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Echo().symbols = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del Echo().symbols


@pytest.mark.parametrize(
    ("rule", "give", "sentence"),
    [
        ("draw", lambda *_: [1], "draw of Wrong gave a list"),
        (
            "draw",
            lambda *_: {"world": 1},
            "draw of Wrong gave 'world', which is a name of the kit's",
        ),
        ("advance", lambda *_: [], "gave 0 rewards for 1 seats"),
        ("due", lambda *_: (3,), r"due of Wrong gave \(3,\)"),
        ("due", lambda *_: (), r"due of Wrong gave \(\)"),
        ("seats", lambda *_: (), "seats of Wrong gave no seat"),
    ],
)
def test_a_rule_that_gives_nonsense_gets_a_sentence(rule: str, give: Any, sentence: str) -> None:
    wrong = type("Wrong", (Least,), {rule: give})
    with pytest.raises(MensuraError, match=sentence):
        played(wrong().build(wrong().sample(1)), 1)


# Pictures


def test_a_world_without_a_picture_shows_what_its_seats_observe() -> None:
    world = Tug(rights=("1:sees_slip",))
    environment = world.build(world.sample(1))
    turn = environment.reset(1)
    assert len(environment.picture().shapes) == 2
    assert as_text(environment.picture(0)).strip() == 'seat 0 observes {"rope": 0.0, "slip": [0.0]}'
    view = view_of(world)
    view.started(environment, turn)
    assert (
        view.text(environment, turn).splitlines()[-1]
        == "interaction 0   due seat 0   rewards +0.00"
    )
    assert view.explain(environment) == ("Whoever pulls the rope beyond 1 wins.",)
    assert [row[0] for row in view.tables(environment)[1].rows][:2] == ["interaction", "rope"]
    assert environment.instructions(1) == "Pull, seat 1."
    assert environment.measures() == {"rope": 0.0}
