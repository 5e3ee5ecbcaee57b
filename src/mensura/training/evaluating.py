"""A trained network in many episodes at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from mensura.adapters.episodes import Episodes, make_world
from mensura.agent.keys import MASK, Key, fold
from mensura.records.pools import Pool, digest_of
from mensura.training.actors import GOES_ON, Actors, Place
from mensura.training.networks import Network, Parameters
from mensura.training.trainer import device_of


def scores_of(
    place: Place, parameters: Parameters | None, *, episodes: int, epsilon: float, device: str = "cpu",
    workers: int = 0, seed: Key = 0, hidden: int = 64,
) -> list[float]:  # fmt: skip
    """The scores of one episode each of so many environments; without parameters those of random play."""
    actors = Actors([place], episodes, workers=workers, seed=seed)
    shape = actors.shape
    network = Network(shape.seen, shape.actions, hidden)
    on = device_of(device)
    held = None
    if parameters is not None:
        held = {name: one.to(on).float() for name, one in parameters.items()}
    rng = np.random.Generator(np.random.PCG64(fold(seed, 3)))
    found: list[float | None] = [None] * episodes
    try:
        screens = torch.from_numpy(actors.now["fresh"][0].copy()).to(on)
        while None in found:
            chosen = rng.integers(shape.actions, size=(1, episodes))
            if held is not None:
                seen = screens.movedim(1, -1) if shape.screens else screens.flatten(1)
                with torch.no_grad():
                    best = network.values(held, seen).argmax(1).cpu().numpy()
                greedy = rng.random(episodes) >= epsilon
                chosen[0, greedy] = best[greedy]
            actors.send(chosen)
            came = actors.receive()
            new = torch.from_numpy(came["screen"][0].copy()).to(on).unsqueeze(1)
            screens = torch.cat((screens[:, 1:], new), dim=1)
            for number in np.flatnonzero(came["end"][0] != GOES_ON).tolist():
                if found[number] is None:
                    found[number] = float(came["score"][0, number])
                screens[number] = torch.from_numpy(came["fresh"][0, number].copy()).to(on)
    finally:
        actors.close()
    return [float(one) for one in found if one is not None]


def sources_of(place: Place, episodes: int, seed: Key) -> list[str]:
    """The episode that each of these environments starts in the middle of, as its pool calls it."""
    assert place.checkpoints is not None
    pool = Pool.read(Path(place.checkpoints))
    found = {one.digest: one.episode for one in pool.checkpoints}
    drawn = Episodes(make_world(place.world, place.parameters), None, None, pool)
    sources = []
    for number in range(episodes):
        drawn.seed(int(fold(seed, number) & MASK))
        state = drawn.next().state
        assert state is not None
        sources.append(found[digest_of(state)])
    return sources
