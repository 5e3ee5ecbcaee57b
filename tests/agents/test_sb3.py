"""Models of Stable-Baselines3 by their files: known by what is in them, and playing as they did in Gymnasium."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key
from mensura.agent.sb3 import Model
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.process import ProcessSubject
from mensura.agents.sb3 import ALGORITHMS, algorithm_of, from_model
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.registry import WORLDS
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick


def saved(path: Path, *marks: str) -> Path:
    """A file with the names in it that a model of some algorithm has."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", json.dumps(dict.fromkeys(("policy_class", *marks), 1)))
    return path


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_algorithm_is_known_by_the_file(algorithm: str, tmp_path: Path) -> None:
    assert algorithm_of(saved(tmp_path / "model.zip", ALGORITHMS[algorithm])) == algorithm


def test_the_algorithm_may_be_named(tmp_path: Path) -> None:
    assert algorithm_of(tmp_path / "nowhere.zip", "ppo") == "PPO"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("sb3:nowhere.zip", "There is no file nowhere.zip"),
        ("sb3:text.zip", "text.zip is not a model that Stable-Baselines3 saved"),
        ("sb3:odd.zip", "does not say by which algorithm"),
        ("sb3:good.zip?algorithm=PPQ", "There is no algorithm 'PPQ'; did you mean PPO?"),
        ("sb3:good.zip?rescal=true", "no parameter 'rescal'; did you mean rescale?"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_loaded(
    address: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.zip").write_text("not an archive")
    saved(Path("odd.zip"))
    saved(Path("good.zip"), "clip_range")
    with pytest.raises(MensuraError) as found:
        from_model(parse(address)[0], LambdaStar(), Limits())
    assert words in str(found.value)


def test_it_says_what_it_is(tmp_path: Path) -> None:
    file = saved(tmp_path / "model.zip", "exploration_fraction")
    subject = resolve(f"sb3:{file}", LambdaStar())
    assert subject.name == f"sb3:{file}"
    assert subject.summary == "a model that Stable-Baselines3 trained by DQN"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "gym_id", "parameters"),
    [
        ("lambda-star", "mensura/LambdaStar-v2", {"rows": 4, "cols": 4, "subjects": 1}),
        ("lambda", "mensura/Lambda-v1", {}),
        ("framotec", "mensura/Framotec-v1", {"task": "car-race"}),
    ],
)
@pytest.mark.thorough
def test_a_model_plays_as_it_does_in_gymnasium(
    name: str, gym_id: str, parameters: dict[str, Any], tmp_path: Path
) -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    import gymnasium

    import mensura.adapters.gymnasium  # noqa: F401  (registers the environments)

    env: Any = gymnasium.make(gym_id, **parameters)
    model = sb3.PPO("MlpPolicy", env, n_steps=64, batch_size=32, seed=1, device="cpu")
    model.learn(64)
    model.save(tmp_path / "model.zip")
    world: Any = WORLDS.load(name)(**parameters)
    subject = resolve(f"sb3:{tmp_path}/model.zip", world)
    player = subject.sit(1)
    try:
        for number in range(3):
            description = world.sample(key(number, "model"))
            env.unwrapped._episodes.seed(number)
            observation, _ = env.reset(seed=number, options={"description": description})
            reset = fold(fold(key(number, world.id, "episodes"), 0), 1)
            total, over = 0.0, False
            while not over:
                action, _ = model.predict(observation, deterministic=True)
                observation, reward, terminated, truncated, _ = env.step(action)
                total += float(reward)
                over = terminated or truncated
            episode = drive(play(world.build(description), reset, world=world.id, seed=0), player)
            assert not episode.faults
            assert episode.rewards[0] == pytest.approx(total, abs=1e-9)
    finally:
        player.close()


def test_a_model_is_loaded_in_a_process_of_its_own_whatever_agents_are(tmp_path: Path) -> None:
    """Its file can hold code."""
    file = saved(tmp_path / "model.zip", "clip_range")
    subject = resolve(f"sb3:{file}", LambdaStar(), in_process=True)
    assert isinstance(subject, ProcessSubject)


@pytest.mark.thorough
def test_a_model_of_another_world_is_refused_in_a_sentence(tmp_path: Path) -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    import gymnasium

    import mensura.adapters.gymnasium  # noqa: F401

    env = gymnasium.make("mensura/LambdaStar-v2", rows=4, cols=4)
    sb3.PPO("MlpPolicy", env, n_steps=8, batch_size=8, device="cpu").save(tmp_path / "model.zip")
    for parameters, words in (
        ({"rows": 5, "cols": 5, "subjects": 1}, "with other bounds"),
        ({"rows": 4, "cols": 4, "subjects": 1, "range": 2}, "observations of shape"),
    ):
        with pytest.raises(MensuraError, match=words):
            resolve(f"sb3:{tmp_path}/model.zip", LambdaStar(**parameters)).sit(1)


def test_a_model_goes_on_learning_nothing_so_its_file_is_its_memory() -> None:
    one, other = (object.__new__(Model) for _ in range(2))
    one._digest, other._digest = b"one", b"other"
    one.load(one.save())
    with pytest.raises(MensuraError, match="that of another model"):
        one.load(other.save())
