"""The built-in subjects: what they see, that they do what the paper says, and that both doors agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold_array, key, numbers
from mensura.assessments.battery import Battery
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.torus.subjects import KINDS
from mensura.worlds.lambda_star.world import LambdaStar


def mean_score(world: LambdaStar, name: str, count: int = 400, **parameters: Any) -> float:
    battery = Battery(count, spread=world.complexity_range)
    group = world.group([(name, parameters, 1)])
    items = battery.items(3, 0, count)
    patterns = world.sample_many(items.keys, "K", items.low, items.high)
    scores = world.rollout(
        group,
        patterns,
        items.resets,
        fold_array(key(3, group.name), numbers(0, count)),
        group.training,
    )
    return float(scores.mean()) / world.horizon


@pytest.mark.parametrize("preset", ["paper", "authors-2016"])
@pytest.mark.parametrize("grid", [(2, 3), (7, 7), (10, 10)])
def test_a_random_subjects_expected_reward_is_zero(
    preset: str, grid: tuple[int, int], full_size: bool
) -> None:
    world = LambdaStar.preset(preset, rows=grid[0], cols=grid[1], horizon=20)
    count = 20_000 if full_size else 4_000
    items = Battery(count).items(5, 0, count)
    patterns = world.sample_many(items.keys, "K", items.low, items.high)
    scores = world.rollout(
        world.group([("random", {}, 1)]),
        patterns,
        items.resets,
        fold_array(6, numbers(0, count)),
        0,
    )
    assert abs(scores.mean()) < 4 * scores.std() / np.sqrt(count)


def test_the_subjects_stand_in_the_order_of_the_paper() -> None:
    world = LambdaStar()
    scores = {
        name: mean_score(world, name)
        for name in KINDS
        if "learning" not in name and "sarsa" not in name
    }
    assert -0.02 < scores["random"] < 0.02
    assert scores["local-search"] > 0.3
    assert scores["imitation"] > scores["local-search"] + 0.1
    assert scores["oracle"] == max(scores.values())
    assert scores["oracle"] > 0.85
    for name in ("crowd", "auction", "hierarchy"):
        assert scores[name] > scores["local-search"], name


@pytest.mark.thorough
def test_the_planner_does_better_than_local_search_without_any_training() -> None:
    world = LambdaStar()
    assert world.group([("planner", {}, 1)]).training == 0
    assert mean_score(world, "planner", 100) > mean_score(world, "local-search", 100) + 0.1


@pytest.mark.parametrize("start", range(3))
def test_the_planner_foresees_a_pattern_that_it_has_seen_twice(start: int) -> None:
    """Good goes round a square for ever; who knows that meets it with every later move."""
    d = Description(6, 6, 1, 40, 1, 1, 15, 36, (6, 8, 4, 2), (5, 5, 5, 5))
    met = {
        name: [one["subjects"][0] == one["good"] for one, _, _ in one_step(name, d, start)]
        for name in ("planner", "local-search")
    }
    assert all(met["planner"][30:])
    assert not any(met["local-search"][30:])  # who goes where Good is comes too late


def test_a_planner_knows_nothing_of_the_last_episode() -> None:
    """Every episode of a sitting is the same environment, so whoever remembered would do better in the second."""
    world = LambdaStar(rows=5, cols=5, subjects=2)
    group = world.group([("planner", {}, 1)])
    items = Battery(30).items(3, 0, 30)
    patterns = world.sample_many(items.keys, "K", items.low, items.high)
    seeds = fold_array(4, numbers(0, 30))
    # Its draws differ only where two moves are as good, so that most scores are the same.
    first, second = (
        world.rollout(group, patterns, items.resets, seeds, 1, keep_training=True).sum(axis=2).T
    )
    assert abs(first.mean() - second.mean()) < 0.1 * abs(first.mean())


@pytest.mark.thorough
def test_learners_learn_by_default_and_more_so_in_one_table(full_size: bool) -> None:
    world = LambdaStar()
    count = 30 if full_size else 10
    alone = mean_score(world, "q-learning", count)
    together = mean_score(world, "shared-q-learning", count)
    assert alone > 0.6
    assert together > 0.8
    assert mean_score(world, "sarsa", count) > 0.6
    assert mean_score(world, "shared-sarsa", count) > 0.8
    assert mean_score(world, "q-learning", 30, training=0) < 0.1


@pytest.mark.thorough
def test_the_settings_of_2016_give_what_the_reference_expects() -> None:
    """About 0.40 at 10 x 10 and 0.55 at 7 x 7 under the published settings."""
    large = LambdaStar.preset("authors-2016")
    small = LambdaStar.preset("authors-2016", rows=7, cols=7, horizon=20, subjects=6)
    for world, expected in ((large, 0.40), (small, 0.55)):
        battery = Battery(200)
        items = battery.items(3, 0, 200)
        patterns = world.sample_many(items.keys, "K", items.low, items.high)
        group = world.group([("q-learning-2016", {}, 1)])
        scores = world.rollout(
            group, patterns, items.resets, fold_array(4, numbers(0, 200)), group.training
        )
        assert group.training == 100
        assert scores.mean() / world.horizon == pytest.approx(expected, abs=0.05)


def one_step(name: str, d: Description, start: int, cells: int = 1) -> list[Any]:
    """The actions that a group chooses in the first interaction of a described environment."""
    world = LambdaStar(
        rows=d.rows, cols=d.cols, subjects=d.subjects, horizon=d.horizon, range=d.range
    )
    group = world.group([(name, {}, 1)])
    chosen: list[Any] = []

    class Watch:
        def started(self, environment: Any, turn: Any) -> None:
            self.before = environment.positions()
            self.seen = turn.observations

        def stepped(self, environment: Any, actions: list[Any], turn: Any) -> None:
            chosen.append((self.before, self.seen, list(actions)))
            self.before, self.seen = environment.positions(), turn.observations

    environment = world.build(d)
    player = group.sit(d.subjects)
    drive(
        play(
            environment,
            start,
            world=world.id,
            seed=start,
            speakers=player.speakers,
            observers=[Watch()],
        ),
        player,
    )
    return chosen


STILL = Description(5, 5, 5, 6, 1, 1, 13, 1, (5,), (5,), future=(0, 1, 2, 3, 4))


@pytest.mark.parametrize("start", range(5))
def test_local_search_goes_to_a_best_cell_of_its_neighborhood(start: int) -> None:
    for _, seen, actions in one_step("local-search", STILL, start):
        for observation, action in zip(seen, actions, strict=True):
            rewards = observation["rewards"].ravel()
            assert rewards[action - 1] == rewards.max()


@pytest.mark.parametrize("start", range(5))
def test_the_oracle_reaches_a_still_good_by_the_shortest_way_and_stays(start: int) -> None:
    d = STILL
    for t, (before, _, actions) in enumerate(one_step("oracle", d, start)):
        for (y, x), action in zip(before["subjects"], actions, strict=True):
            far = max(min(abs(y - 2), 5 - abs(y - 2)), min(abs(x - 2), 5 - abs(x - 2)))
            assert far <= max(0, 2 - t)
            if far == 0:
                assert action == 5


def test_the_oracle_intercepts_a_good_that_runs_away_from_it() -> None:
    """Good runs right for ever: from behind it is met by going left."""
    d = Description(1, 20, 1, 30, 1, 1, 10, 1, (6,), (6,), future=(0,))
    for start in range(20):
        steps = one_step("oracle", d, start)
        final = steps[-1][0]
        assert final["subjects"][0] == final["good"] or abs(
            final["subjects"][0][1] - final["good"][1]
        ) in (0, 1, 19)


@pytest.mark.parametrize("start", range(5))
def test_in_an_autocracy_everybody_goes_where_the_first_goes(start: int) -> None:
    for before, seen, actions in one_step("autocracy", STILL, start):
        y, x = before["subjects"][0]
        dy, dx = (actions[0] - 1) // 3 - 1, (actions[0] - 1) % 3 - 1
        target = (y + dy) % 5, (x + dx) % 5
        assert seen[0]["rewards"].ravel()[actions[0] - 1] == seen[0]["rewards"].max()
        for (y, x), action in zip(before["subjects"], actions, strict=True):
            dy, dx = (action - 1) // 3 - 1, (action - 1) % 3 - 1
            for at, step, goal in ((y, dy, target[0]), (x, dx, target[1])):
                left = min((goal - at) % 5, (at - goal) % 5)
                after = (at + step) % 5
                assert min((goal - after) % 5, (after - goal) % 5) == max(left - 1, 0)


@pytest.mark.parametrize("start", range(5))
def test_in_an_auction_everybody_goes_towards_the_highest_bid_so_far(start: int) -> None:
    highest, targets = -9.0, {(-1, -1)}
    for before, seen, actions in one_step("auction", STILL, start):
        for (y, x), observation in zip(before["subjects"], seen, strict=True):
            bid = observation["rewards"].max()
            if bid >= highest:
                highest = bid
                best = np.argwhere(observation["rewards"] == bid)
                targets = {((y + h - 1) % 5, (x + i - 1) % 5) for h, i in best.tolist()}
        if len(targets) == 1:
            (goal,) = targets
            for (y, x), (ny, nx) in zip(
                before["subjects"],
                [
                    ((y + (a - 1) // 3 - 1) % 5, (x + (a - 1) % 3 - 1) % 5)
                    for (y, x), a in zip(before["subjects"], actions, strict=True)
                ],
                strict=True,
            ):
                for at, after, to in ((y, ny, goal[0]), (x, nx, goal[1])):
                    left = min((to - at) % 5, (at - to) % 5)
                    assert min((to - after) % 5, (after - to) % 5) == max(left - 1, 0)


@pytest.mark.parametrize("start", range(8))
def test_an_imitator_that_sees_the_guide_goes_to_its_cell(start: int) -> None:
    d = Description(5, 5, 5, 6, 1, 1, 13, 1, (5,), (5,), guides=1)
    followed = 0
    for before, seen, actions in one_step("imitation", d, start):
        for (y, x), observation, action in zip(before["subjects"], seen, actions, strict=True):
            if observation["guide"].any():
                followed += 1
                landed = (y + (action - 1) // 3 - 1) % 5, (x + (action - 1) % 3 - 1) % 5
                assert landed == before["guide"]
    assert followed


def test_stigmergy_follows_algorithm_2() -> None:
    """The field is rebuilt in each iteration; everyone goes to its best cell in sight."""
    for start in range(6):
        for before, seen, actions in one_step("stigmergy", STILL, start):
            field = np.zeros((5, 5))
            for (y, x), observation in zip(before["subjects"], seen, strict=True):
                rewards = observation["rewards"]
                fake = 0.5 * rewards.max() + 0.5 * rewards.min()
                for h in range(3):
                    for i in range(3):
                        field[(y + h - 1) % 5, (x + i - 1) % 5] = rewards[h, i] + fake
            for (y, x), action in zip(before["subjects"], actions, strict=True):
                view = [field[(y + h - 1) % 5, (x + i - 1) % 5] for h in range(3) for i in range(3)]
                assert view[action - 1] == max(view)


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        (
            "locl-search",
            {},
            "'locl-search' is no subject of Lambda Star; did you mean local-search",
        ),
        ("random", {"alpha": "1"}, "random has no parameter 'alpha'; it has: none"),
        (
            "q-learning",
            {"alpha": "2"},
            "alpha of q-learning is '2'; it must be a number from 0 to 1",
        ),
        ("q-learning", {"alpha": "x"}, "alpha of q-learning is 'x'"),
        ("q-learning", {"training": "1.5"}, "training of q-learning is '1.5'; it must be a whole"),
        ("q-learning", {"training": "-1"}, "training of q-learning is '-1'"),
    ],
)
def test_a_wrong_subject_or_parameter_gets_a_sentence(
    name: str, parameters: dict[str, str], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar().group([(name, parameters, 1)])


def test_a_group_is_named_by_its_members_and_their_changed_parameters() -> None:
    world = LambdaStar()
    assert world.group([("q-learning", {"alpha": "0.1"}, 1)]).name == "q-learning?alpha=0.1"
    mixed = world.group([("oracle", {}, 1), ("local-search", {}, 4)])
    assert mixed.name == "oracle+local-search*4"
    assert world.hosting(mixed).future == (0,)
    with pytest.raises(MensuraError, match="5 members and the environment 3 seats"):
        mixed.sit(3)


def test_a_table_too_large_for_memory_gets_a_sentence() -> None:
    world = LambdaStar(rows=1000, cols=1000, horizon=1000, subjects=5)
    with pytest.raises(MensuraError, match=r"The tables of q-learning would take .* GiB"):
        world.group([("q-learning", {}, 1)]).make_mind(5)
