"""The update: its loss and gradients are those of Stable-Baselines3, and what is drawn is what happened."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

from mensura.training.actors import Place, Shape  # noqa: E402
from mensura.training.experience import Experience, Played  # noqa: E402
from mensura.training.learner import Learner, loss_of  # noqa: E402
from mensura.training.memory import Batch, Memory  # noqa: E402
from mensura.training.models import as_model  # noqa: E402
from mensura.training.networks import Network  # noqa: E402
from mensura.training.settings import Settings  # noqa: E402

pytestmark = pytest.mark.thorough
CPU = torch.device("cpu")


def some_batch(shape: tuple[int, ...], actions: int, size: int = 32) -> Batch:
    rng = np.random.default_rng(0)
    if len(shape) == 3:
        seen, then = (
            torch.from_numpy(rng.integers(0, 256, (size, *shape)).astype(np.uint8))
            for _ in range(2)
        )
    else:
        seen, then = (
            torch.from_numpy(rng.normal(size=(size, *shape)).astype(np.float32)) for _ in range(2)
        )
    return Batch(
        seen,
        torch.from_numpy(rng.integers(actions, size=size)),
        torch.from_numpy(rng.uniform(-1, 1, size).astype(np.float32)),
        torch.from_numpy(rng.random(size) < 0.3),
        then,
        torch.ones(size),
    )  # fmt: skip


@pytest.mark.parametrize(
    "place",
    [
        Place("lambda-star-v2", {"rows": 4, "cols": 4}),
        Place("atari-v1", {"game": "pong"}),
    ],
    ids=["rows", "screens"],
)
def test_loss_and_gradients_are_those_of_stable_baselines3(place: Place) -> None:
    from stable_baselines3.common.preprocessing import preprocess_obs
    from torch.nn import functional

    environment = place.make()
    shape = Shape.of(environment)
    network = Network(shape.seen, shape.actions)
    generator = torch.Generator().manual_seed(3)
    ours = {name: one.requires_grad_() for name, one in network.fresh(generator).items()}
    target = network.fresh(generator)
    batch = some_batch(shape.seen, shape.actions)
    loss = loss_of(network, ours, target, batch, 0.99)
    loss.backward()

    model = as_model(place, 64, ours)
    theirs = model.policy.state_dict()
    theirs |= {f"q_net_target{name.removeprefix('q_net')}": one for name, one in target.items()}
    model.policy.load_state_dict(theirs)

    def seen(one: Any) -> Any:
        turned = one.movedim(3, 1) if one.ndim == 4 else one
        return preprocess_obs(turned, model.policy.observation_space).float()

    # The update of stable_baselines3.DQN.train, by its own networks.
    with torch.no_grad():
        best, _ = model.policy.q_net_target.q_net(
            _features(model.policy.q_net_target, seen(batch.then))
        ).max(dim=1)
        wanted = batch.rewards + (1 - batch.ended.float()) * 0.99 * best
    values = model.policy.q_net.q_net(_features(model.policy.q_net, seen(batch.seen)))
    chosen = values.gather(1, batch.actions.unsqueeze(1)).squeeze(1)
    their_loss = functional.smooth_l1_loss(chosen, wanted)
    their_loss.backward()
    assert loss.item() == pytest.approx(their_loss.item(), rel=1e-5)
    gradients = dict(model.policy.named_parameters())
    for name, one in ours.items():
        torch.testing.assert_close(one.grad, gradients[name].grad, rtol=1e-4, atol=1e-5)


def _features(network: Any, seen: Any) -> Any:
    return network.features_extractor(seen)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_is_drawn_happened(data: Any) -> None:
    """Rings that are overwritten many times, episodes of any length, in one or three environments."""
    stack = data.draw(st.sampled_from([1, 4]))
    environments = data.draw(st.sampled_from([1, 3]))
    places = data.draw(st.integers(2 * stack + 4, 40))
    shape = (2, 2) if stack == 4 else (3,)
    kind = np.uint8 if stack == 4 else np.float32
    memory = Memory((environments, places), shape, stack, CPU)
    number = 0
    happened: dict[tuple[int, ...], tuple[int, float, bool, tuple[int, ...]]] = {}
    current: list[list[int]] = []

    def screen() -> Any:
        nonlocal number
        number = number % 250 + 1
        return np.full(shape, number, kind)

    def begin(environment: int) -> list[int]:
        screens = [screen() for _ in range(stack)]
        memory.begin(environment, torch.from_numpy(np.stack(screens)))
        return [int(one.flat[0]) for one in screens]

    current = [begin(environment) for environment in range(environments)]
    for _ in range(data.draw(st.integers(1, 60))):
        shown = [screen() for _ in range(environments)]
        actions = [data.draw(st.integers(0, 5)) for _ in range(environments)]
        ended = [data.draw(st.booleans()) for _ in range(environments)]
        cut = [data.draw(st.booleans()) for _ in range(environments)]
        memory.add(
            torch.tensor(actions),
            torch.tensor([float(one) for one in actions]),
            torch.tensor(ended),
            torch.from_numpy(np.stack(shown)),
        )
        for k in range(environments):
            then = [*current[k][1:], int(shown[k].flat[0])]
            happened[tuple(current[k])] = (actions[k], float(actions[k]), ended[k], tuple(then))
            current[k] = begin(k) if ended[k] or cut[k] else then
    batch = memory.draw(32, torch.Generator().manual_seed(data.draw(st.integers(0, 99))))
    count = 0
    for k in range(32):
        if not batch.weights[k]:
            continue
        count += 1
        flat = batch.seen[k].reshape(-1, stack)[0] if stack == 4 else batch.seen[k][:1]
        then = batch.then[k].reshape(-1, stack)[0] if stack == 4 else batch.then[k][:1]
        found = happened[tuple(int(one) for one in flat)]
        assert found == (
            int(batch.actions[k]),
            float(batch.rewards[k]),
            bool(batch.ended[k]),
            tuple(int(one) for one in then),
        )
    assert count > 0 or not bool(memory.whole.any())


def test_half_of_a_batch_is_of_somebody_else() -> None:
    shape = Shape((2,), 3)
    own = Memory((1, 50), shape.one, 1, CPU)
    own.begin(0, torch.zeros(1, 2))
    for _ in range(40):
        own.add(torch.tensor([1]), torch.tensor([0.0]), torch.tensor([False]), torch.zeros(1, 2))
    other = Experience([Played([np.ones(2)] * 11, [2] * 10, [1.0] * 10, True)])
    learner = Learner(
        Network((2,), 3), Settings(memory=200, environments=1), own, other.memory(shape, CPU)
    )
    for _ in range(5):
        batch = learner.batch()
        assert batch.weights.sum() == 32
        assert (batch.actions[:16] == 1).all()
        assert (batch.actions[16:] == 2).all()
        assert (batch.seen[16:] == 1).all()
    assert other.interactions == 10


def test_an_update_brings_values_to_what_is_wanted() -> None:
    shape = Shape((1,), 2)
    memory = Memory((1, 200), shape.one, 1, CPU)
    memory.begin(0, torch.zeros(1, 1))
    rng = np.random.default_rng(0)
    for _ in range(150):
        action = int(rng.integers(2))
        memory.add(
            torch.tensor([action]), torch.tensor([float(action)]), torch.tensor([True]),
            torch.zeros(1, 1),
        )  # fmt: skip
    learner = Learner(Network((1,), 2), Settings(rate=0.001, memory=200, environments=1), memory)
    learner.update(600)
    values = learner.values(torch.zeros(1, 1))[0].tolist()
    assert values == pytest.approx([0.0, 1.0], abs=0.05)
