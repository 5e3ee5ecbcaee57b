"""One learner trained to its end and written as a model: what the command does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, StoppedEarly, neighbors
from mensura.agent.keys import Key, key, seed_or_fresh
from mensura.agent.spaces import to_plain
from mensura.core.abilities import parameters, seats, values
from mensura.records.pools import Pool
from mensura.training.settings import SMALL, Settings

if TYPE_CHECKING:
    from mensura.training.experience import Experience

LIMIT = 450
"""Interactions of an episode from a checkpoint: 30 seconds of Atari (Hosu and Rebedea 2016)."""


@dataclass(frozen=True)
class Order:
    """What is wanted."""

    world: Any
    output: Path
    frames: int | None = None
    checkpoints: Path | None = None
    limit: int | None = None
    experience: str | None = None
    experiences: int = 10_000
    store: str | None = None
    """Where a run is found that experience is taken from."""
    device: str = "cpu"
    workers: int = 0
    given: tuple[str, ...] = ()
    seed: int | None = None


RUN = "run:"
"""Before the name of a run whose episodes are the experience."""


def _experience(order: Order, world: Any, seed: Key) -> Experience:
    """What others did: in a run, or now."""
    from mensura.training.experience import experience_of, experience_of_run

    told = order.experience or ""
    if told.startswith(RUN):
        return experience_of_run(order.store, told.removeprefix(RUN), world, order.experiences)
    from mensura.studies.subjects import resolve

    return experience_of(resolve(told, world), world, order.experiences, seed)


def train(order: Order, tell: Callable[[str], None] | None = None) -> str:
    """Train, or go on with training; a sentence on what came of it."""
    from mensura.training.models import check_installed

    check_installed()
    from mensura.training.actors import Place, Shape
    from mensura.training.models import write_model
    from mensura.training.trainer import Trainer, kept_seed, written_as_lines

    world = alone(order.world)
    pool = None if order.checkpoints is None else Pool.read(order.checkpoints)
    limit = order.limit or (LIMIT if pool is not None else None)
    place = Place(world, {}, None if pool is None else str(order.checkpoints), limit)
    example = place.make()
    shape = Shape.of(example)
    example.close()
    settings = settings_of(order, shape.screens, limit)
    kept = order.output.with_name(order.output.name + ".training")
    log = order.output.with_name(order.output.name + ".log")
    seed = kept_seed(kept) if order.seed is None else order.seed
    if seed is None:
        seed = seed_or_fresh(None)
    about = {
        "world": world.id,
        "parameters": json.dumps(to_plain(values(world)), sort_keys=True),
        "checkpoints": None if pool is None else pool.digest,
        "experience": order.experience,
        "experiences": order.experiences if order.experience else None,
    }
    others = []
    if order.experience is not None:
        others = [_experience(order, world, key(seed, "experience"))]
    trainer = Trainer(
        [place],
        settings,
        device=order.device,
        workers=order.workers,
        seed=seed,
        experience=others,
        kept=kept,
        about=about,
    )
    lines = written_as_lines(log)

    def told(report: dict[str, Any]) -> None:
        lines(report)
        if tell is not None:
            tell(_sentence(report, settings.interactions))

    try:
        trainer.run(told)
        report = trainer.report()
        write_model(
            order.output,
            place,
            settings.hidden,
            trainer.learners[0].parameters,
            {**about, "settings": asdict(settings), "seed": seed, "progress": report},
            pool,
        )
    except KeyboardInterrupt:
        trainer.keep()
        raise StoppedEarly(
            f"Stopped at {trainer.progress.interactions} interactions; the same command goes on from {kept}."
        ) from None
    finally:
        trainer.close()
    kept.unlink(missing_ok=True)
    return _sentence(report, settings.interactions)


def settings_of(order: Order, screens: bool, limit: int | None) -> Settings:
    """The settings for screens, or for rows of numbers, with what was given."""
    chosen: dict[str, Any] = {} if screens else dict(SMALL)
    if order.frames is not None:
        skip = values(order.world).get("skip", 1)
        chosen["interactions"] = max(order.frames // int(skip), 1)
    known = {one.name: one.type for one in fields(Settings)}
    for text in order.given:
        name, sign, value = text.partition("=")
        if name not in known or not sign:
            raise MensuraError(
                f"{text!r:.60} is no setting of training; {neighbors(name, list(known))}"
            )
        kind = float if "float" in str(known[name]) else int
        try:
            chosen[name] = kind(value)
        except ValueError:
            raise MensuraError(
                f"{name} is {value!r:.40} in training; it must be a number."
            ) from None
    chosen["limit"] = limit
    return Settings(**chosen)


def alone(world: Any) -> Any:
    """The world with one seat, where that can be chosen."""
    if seats(world) > 1 and "subjects" in parameters(world):
        return replace(world, subjects=1)
    return world


def _sentence(report: dict[str, Any], wanted: int) -> str:
    score = report["score"][0]
    mean = "no episode yet" if score is None else f"{score:g} in the last episodes"
    value = f", values of {report['value'][0]:.3g}" if report["value"] else ""
    return f"{report['interactions']} of {wanted} interactions, {report['updates']} updates, {mean}{value}"
