"""Checkpoint replay on the two games of the paper: ``mensura reproduce checkpoint-replay-2016 --checkpoints FOLDER``.

Hosu and Rebedea (2016) published the 100 checkpoints of each game that they trained from, not those that they tested
from. So one half of the published ones, whole plays, is trained from here and the other tested from. Networks that were
trained so come with Mensura; ``--train`` trains them anew, which takes a GPU and about half an hour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.api.expectations import Expectation, Verdict, Wanted
from mensura.api.imported_checkpoints import import_pool
from mensura.api.making import make
from mensura.core.account import some
from mensura.records.pools import Pool
from mensura.records.results import write_whole
from mensura.reports.number_words import interval, signed
from mensura.statistics.clusters import sample_mean
from mensura.statistics.interval import Estimate, mean_interval
from mensura.statistics.sample import Sample
from mensura.training.actors import Place
from mensura.training.evaluating import scores_of, sources_of
from mensura.training.networks import Parameters
from mensura.training.settings import Settings
from mensura.training.trainer import Trainer, device_of
from mensura.training.weights import packed, shipped

WORDS: Mapping[str, str] = {"random": "random play", "dqn": "DQN", "hcr": "from checkpoints"}

HALVES = 1
"""The seed of the halves: the shipped networks never saw what is tested from."""
TRAINING = 450
"""The most interactions of an episode of training that starts from a checkpoint: 30 seconds."""
LONGEST = 27_000
"""The most interactions of an evaluation: 30 minutes."""
EVALUATIONS = 100
EPSILON = 0.05
FRAMES = 17_000_000
SKIP = 4
ENVIRONMENTS = 56
WORKERS = 14
"""Processes that play, beside a GPU."""
WITHOUT_GPU = 2
"""The same without one, in a test."""
PRESET = "hosu-2016"


@dataclass(frozen=True)
class Game:
    """One of the two."""

    id: str
    title: str
    file: str
    """The published checkpoints."""
    test: int
    """The fewest that are tested from."""
    published: Mapping[str, float]


GAMES = (
    Game(
        "montezuma_revenge",
        "Montezuma's Revenge",
        "montezuma_train_checkpoints.npy",
        50,
        {"random": 177.1, "hcr": 379.1},
    ),
    Game(
        "private_eye",
        "Private Eye",
        "private_eye_train_checkpoints.npy",
        40,
        {"random": -41.0, "hcr": 1264.4},
    ),
)


class Measured(NamedTuple):
    """The scores of one player from the starts of a test."""

    scores: Sequence[float]
    sources: Sequence[str]
    """The play that each start is of."""
    frames: int
    """Of training."""


class Halves(NamedTuple):
    """The files of what is trained from and of what is tested from."""

    train: Path
    test: Path


def games(wanted: Wanted) -> list[Expectation]:
    """What is expected of both games, and what was found."""
    folder = wanted.checkpoints
    assert folder is not None
    device_of(wanted.device)  # said before anything is played
    missing = [one.file for one in GAMES if not (folder / one.file).is_file()]
    if missing:
        raise MensuraError(
            f"{folder} lacks {' and '.join(missing)}, which the authors publish with their program "
            "(atari-human-checkpoint-replay); --checkpoints names the folder that holds both."
        )
    found: list[Expectation] = []
    with TemporaryDirectory(prefix="mensura-") as place:
        halves = {one.id: halves_of(one, folder, Path(place)) for one in GAMES}
        trained = _trained(halves, wanted) if wanted.train else None
        for game in GAMES:
            measured = {}
            for player in ("random", "dqn", "hcr"):
                wanted.tell(f"{game.title}: {WORDS[player]} from the starts of the test")
                measured[player] = _measured(game, player, halves[game.id].test, trained, wanted)
            found += expectations(game, measured)
    found.append(
        Expectation(
            "Montezuma's Revenge: from checkpoints > with experience.",
            "Published: 379.1 and 218, one run each.",
            "Not measured: nobody published the 1.2 million frames of a person's play.",
            "open",
        )
    )
    return found


def halves_of(game: Game, folder: Path, place: Path) -> Halves:
    """The published checkpoints of a game in two halves, as files."""
    world = make("atari", game=game.id, preset=PRESET)
    pool, _ = import_pool(world, folder / game.file, player="others", pictures=False)
    halves = Halves(place / f"{game.id}.train.pool", place / f"{game.id}.test.pool")
    for half, path in zip(pool.split(game.test, HALVES), halves, strict=True):
        half.write(path)
    return halves


def place_of(game: str, way: str, train: Path) -> Place:
    """What a learner plays."""
    settings = {"game": game, "preset": PRESET}
    if way == "dqn":
        return Place("atari-v1", settings)
    return Place("atari-v1", settings, str(train), TRAINING)


def _trained(
    halves: Mapping[str, Halves], wanted: Wanted
) -> Mapping[tuple[str, str], tuple[Parameters, int]]:
    """All four networks, trained side by side; kept in the current folder, so that the same command goes on."""
    ways: list[tuple[str, str]] = [(one.id, way) for one in GAMES for way in ("dqn", "hcr")]
    wanted_frames = wanted.frames or FRAMES
    settings = Settings(interactions=wanted_frames // SKIP, environments=ENVIRONMENTS)
    kept = Path("checkpoint-replay-2016.training")
    about = {one.id: Pool.read(halves[one.id].train).digest for one in GAMES}
    trainer = Trainer(
        [place_of(game, way, halves[game].train) for game, way in ways],
        settings,
        device=wanted.device,
        workers=WORKERS if wanted.device != "cpu" else 0,
        seed=key(wanted.seed, "games"),
        kept=kept,
        about=about,
    )
    try:
        trainer.run(
            tell=lambda report: wanted.tell(
                f"{SKIP * report['interactions']:,} of {wanted_frames:,} frames, {report['updates']:,} updates"
            )
        )
    finally:
        trainer.close()
    frames = SKIP * trainer.progress.interactions
    found = {}
    for way, learner in zip(ways, trainer.learners, strict=True):
        found[way] = (learner.parameters, frames)
        write_whole(Path(f"{way[0]}.{way[1]}.npz"), packed(learner.parameters, frames))
    kept.unlink(missing_ok=True)
    return found


def _measured(
    game: Game,
    player: str,
    test: Path,
    trained: Mapping[tuple[str, str], tuple[Parameters, int]] | None,
    wanted: Wanted,
) -> Measured:
    parameters: Parameters | None = None
    frames = 0
    if player != "random":
        found = shipped(game.id, player) if trained is None else trained[game.id, player]
        parameters, frames = found
    place = Place("atari-v1", {"game": game.id, "preset": PRESET}, str(test), LONGEST)
    seed = key(wanted.seed, "evaluations", game.id)
    count = wanted.episodes or EVALUATIONS
    scores = scores_of(
        place,
        parameters,
        episodes=count,
        epsilon=EPSILON,
        device=wanted.device,
        workers=WORKERS if wanted.device != "cpu" else WITHOUT_GPU,
        seed=seed,
    )
    return Measured(scores, sources_of(place, count, seed), frames)


def expectations(game: Game, measured: Mapping[str, Measured]) -> list[Expectation]:
    """What is expected of a game: from checkpoints one gains more than by chance, and more than without them."""
    published = game.published
    words = (
        f"Published: from checkpoints {published['hcr']:g}, by chance {published['random']:g}, one run each. Held "
        "where the interval of the difference over source plays, from the same starts, is above 0; failed where it is "
        "below."
    )
    return [
        _expectation(game, measured, "random", words),
        _expectation(
            game,
            measured,
            "dqn",
            "Nothing is published of a DQN without checkpoints from such starts. Held and failed as above.",
        ),
    ]


def _expectation(
    game: Game, measured: Mapping[str, Measured], other: str, words: str
) -> Expectation:
    apart = np.subtract(measured["hcr"].scores, measured[other].scores)
    over = by_source(apart, measured["hcr"].sources)
    verdict: Verdict = "held" if over.low > 0.0 else "failed" if over.high < 0.0 else "open"
    sources = len(set(measured["hcr"].sources))
    told = "; ".join(told_of(player, measured[player]) for player in ("hcr", other))
    return Expectation(
        f"{game.title}: from checkpoints > {WORDS[other]}.",
        words,
        f"{told}. Difference {signed(over.value, 0)}, over {some(sources, 'source play')} "
        f"{interval(over.low, over.high, 0)}.",
        verdict,
    )


def told_of(player: str, found: Measured) -> str:
    """A player's mean, with its interval over evaluations, and how long it was trained."""
    mean = mean_interval(found.scores)
    trained = f", {found.frames / 1e6:.1f} million frames" if found.frames else ""
    return (
        f"{WORDS[player]} {signed(mean.value, 0)} {interval(mean.low, mean.high, 0)} over "
        f"{some(len(found.scores), 'evaluation')}{trained}"
    )


def by_source(scores: Sequence[float] | np.ndarray, sources: Sequence[str]) -> Estimate:
    """The mean of scores; its interval takes whole source plays as what was replicated."""
    names = sorted(set(sources))
    code = np.array([names.index(one) for one in sources], np.uint64)
    score = np.asarray(scores, np.float64)
    return sample_mean(
        Sample("", score, code, np.zeros(len(score), np.int64), np.full(len(score), np.nan))
    )
