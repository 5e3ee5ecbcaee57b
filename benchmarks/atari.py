"""What Atari costs beside the bare emulator, and what starts from checkpoints cost."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measure import Figure, best_rate

FRAMES = 4


def atari_frames(quick: bool) -> Iterator[Figure]:
    """Frames a second through the one loop, by a subject that draws its actions beforehand, and of ale-py alone."""
    from mensura.agent.in_process import Agents
    from mensura.core.loop import play
    from mensura.core.players import drive
    from mensura.worlds.atari.world import Atari

    count = 100 if quick else 1500
    world = Atari(game="montezuma_revenge", sticky=0.0, horizon=count)
    environment = world.build(world.sample(0))
    actions = np.random.default_rng(0).integers(18, size=count).tolist()
    grey = np.zeros((210, 160), np.uint8)

    class Drawn:
        def begin(self, task: object, rng: object) -> None:
            self._next = iter(actions)

        def act(self, observation: object, reward: float) -> int:
            return next(self._next)

    def ours() -> int:
        drive(play(environment, 1, world=world.id, seed=1, interactions=count), Agents([Drawn()]))
        return FRAMES * count

    def bare(screens: bool) -> int:
        machine, known = environment.console.machine, environment.console.actions
        machine.restoreSystemState(environment.console.first)
        for action in actions:
            for _ in range(FRAMES):
                machine.act(known[action])
            if screens:
                machine.getScreenGrayscale(grey)
            if machine.game_over():
                machine.restoreSystemState(environment.console.first)
        return FRAMES * count

    through, alone = best_rate(ours), best_rate(lambda: bare(False))
    with_screens = best_rate(lambda: bare(True))
    yield Figure("Atari, one core: through the loop", through, "frames/s")
    yield Figure("Atari, one core: ale-py alone, with grey screens", with_screens, "frames/s")
    yield Figure(
        "Atari: the loop against ale-py with grey screens", through / with_screens, "x", 0.85
    )
    yield Figure("Atari: the loop against ale-py that shows nothing", through / alone, "x")


def atari_starts(quick: bool) -> Iterator[Figure]:
    """Milliseconds to restore a state, and seconds to open a pool of 10,000."""
    from mensura.records.pools import Checkpoint, Pool, digest_of
    from mensura.worlds.atari.world import Atari
    from mensura.worlds.lambda_star.world import LambdaStar

    world = Atari(game="montezuma_revenge", sticky=0.0)
    environment = world.build(world.sample(0))
    environment.reset(1)
    for action in range(60):
        environment.step([action % 18])
    state = environment.snapshot()
    rate = best_rate(lambda: sum(1 for _ in range(50) if environment.restore(state)))
    yield Figure("Atari: a start restored", 1000 / rate, "ms", 1.0, higher_is_better=False)
    star = LambdaStar(subjects=1)
    small = star.build(star.sample(1))
    count = 200 if quick else 10_000
    snapshots, checkpoints = {}, []
    for number in range(count):
        small.reset(number)
        state = small.snapshot()
        snapshots[digest_of(state)] = state
        checkpoints.append(Checkpoint(digest_of(state), 0, "p", f"e{number // 10}", number, 0.0))
    pool = Pool(star.id, [small.description.to_json()], checkpoints, snapshots)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pool"
        pool.write(path)
        begun = time.perf_counter()
        Pool.read(path)
        seconds = time.perf_counter() - begun
    yield Figure(f"A pool of {count:,} opened", seconds, "s", 1.0, higher_is_better=False)


PARTS = (atari_frames, atari_starts)
