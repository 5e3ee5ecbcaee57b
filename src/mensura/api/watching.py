"""One episode, to be watched: played with any observers, or kept as a film."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, key, seed_or_fresh
from mensura.api.making import DEFAULT_WORLD, world_of
from mensura.api.naming import AtHand, Handed, named
from mensura.core.abilities import hosting, seats, seats_of, training_of
from mensura.core.contract import Environment, Fault, Plan
from mensura.core.players import Subject
from mensura.core.sitting import sit
from mensura.pictures import film as films
from mensura.pictures.view import View, view_of

if TYPE_CHECKING:
    from mensura.core.contract import Episode, World

FAULTS = 5
"""So many of an episode are told."""

Observers = Callable[[View], Sequence[Any]]
"""Makes who observes the episode, given the view of its world."""


@dataclass(frozen=True)
class OneEnvironment:
    """An assessment by one environment: training in it, then the episode that is watched."""

    within: tuple[str, float, float] | None
    training: int
    described: Any = None
    """This environment, rather than one that is drawn."""

    sittings = 1

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """The same choices as a battery makes for its first environment."""
        from mensura.assessments.battery import ENVIRONMENT, RESET

        description = self.described
        if description is None:
            description = world.sample(fold(key, ENVIRONMENT), self.within)
        for _ in range(self.training):
            yield Plan(description, fold(key, RESET), learning=True)
        episode = yield Plan(description, fold(key, RESET))
        return episode.mean_reward


@dataclass(frozen=True)
class Watched:
    """An episode that was watched."""

    subject: str
    score: float
    """The mean reward of the episode that was watched."""
    seed: Key
    faults: tuple[Fault, ...]
    """The first ones of each episode, training included."""


def watch(
    subject: Handed | None = None,
    world: str | World = DEFAULT_WORLD,
    *,
    preset: str | None = None,
    seed: int | None = None,
    training: int | None = None,
    complexity: tuple[float, float] | float | None = None,
    in_process: bool | None = None,
    width: float | None = None,
) -> Film:
    """Play one episode and give it as a film, which a notebook plays.

    Args:
        subject: Whom to watch: an address, a class, or a function that makes an agent; by default one of the world.
        world: Where: a name, or a world that :func:`make` made.
        preset: Of a world that is given by name.
        seed: The root of all draws; the same seed gives the same film.
        training: Training episodes before it; by default as many as the subject asks for.
        complexity: The complexity of the environment, or the lowest and the highest; by default any.
        in_process: As for :func:`assess`.
        width: Of the film, in pixels.

    Example:
        >>> import mensura as ms
        >>> ms.watch("follower", "lambda", seed=7).save("episode.gif")  # doctest: +SKIP
    """
    home = world_of(world, preset)
    found = named(usual_subject(home) if subject is None else subject, in_process)
    if len(found) > 1:
        raise MensuraError(f"{len(found)} subjects were named; one is watched at a time.")
    (who,) = found
    within = None
    if complexity is not None:
        if not home.measures:
            raise MensuraError(f"{home.id} has no complexity; leave it out.")
        low, high = complexity if isinstance(complexity, tuple) else (complexity, complexity)
        within = next(iter(home.measures)), float(low), float(high)
    kept: list[films.Film] = []

    def observers(view: View) -> Sequence[Any]:
        kept.append(films.Film(view.picture, width))
        return kept

    from mensura.studies.subjects import resolve

    at_hand = AtHand.of([who], home)
    with at_hand.lend():
        player = resolve(who.address, home, in_process=who.in_process)
        watched = play(player, home, observers, seed=seed, training=training, within=within)
    return Film(kept[0], replace(watched, subject=who.label))


def play(
    subject: Subject,
    world: World,
    observers: Observers,
    *,
    seed: int | None = None,
    training: int | None = None,
    within: tuple[str, float, float] | None = None,
    described: Any = None,
    announce: Callable[[int], None] | None = None,
) -> Watched:
    """Let a subject train in an environment, then play the episode that observers watch.

    ``described`` is an environment in the place of a drawn one; ``announce`` is told how many training episodes come.
    """
    home = hosting(world, subject)
    chosen = seed_or_fresh(seed)
    lessons = training_of(subject) if training is None else training
    if lessons < 0:
        raise MensuraError(f"{lessons} training episodes are impossible; 0 or more are.")
    view = view_of(home)
    looking = [view, *observers(view)]

    def present(plan: Plan, environment: Environment) -> list[Any]:
        return [] if plan.learning else looking

    if lessons and announce is not None:
        announce(lessons)
    player = subject.sit(seats(home) if described is None else seats_of(home, described))
    try:
        sitting = sit(
            OneEnvironment(within, lessons, described),
            home,
            player,
            fold(key(chosen, "watch"), 0),
            fold(chosen, 1),
            observers=present,
        )
    finally:
        player.close()
    faults = tuple(fault for _, episode in sitting.episodes for fault in episode.faults[:FAULTS])
    return Watched(subject.name, sitting.score, chosen, faults)


def usual_subject(world: World) -> str:
    """Whom to watch where nobody is named: a subject that does something to be seen."""
    from mensura.studies.subjects import demonstrated

    return next((name for name in demonstrated(world) if name != "random"), "random")


class Film:
    """A film of an episode: a notebook plays it, and :meth:`save` writes it to a file."""

    def __init__(self, film: films.Film, watched: Watched) -> None:
        self._film = film
        self.watched = watched
        """Who was watched, the score, the seed and the faults."""

    def __len__(self) -> int:
        """The number of frames: one more than interactions."""
        return len(self._film)

    def save(self, path: str | Path, pause: float = 0.2) -> Path:
        """Write it as a .gif, or as an .svg that moves by itself, ``pause`` seconds an interaction; where it went."""
        where = Path(path)
        self._film.save(where, pause)
        return where

    def __repr__(self) -> str:
        one = self.watched
        return (
            f"A film of {one.subject}: {len(self) - 1} interactions, mean reward {one.score:+.3f}, seed {one.seed}; "
            "save it with .save('episode.gif') or .save('episode.svg')."
        )

    def _repr_html_(self) -> str:
        """The film as an image of its own, so that several on a page do not share names."""
        from html import escape

        with TemporaryDirectory() as folder:
            svg = self.save(Path(folder) / "film.svg").read_bytes()
        about = escape(repr(self).partition(";")[0], quote=True)
        data = b64encode(svg).decode("ascii")
        return f'<img src="data:image/svg+xml;base64,{data}" alt="{about}" title="{about}">'
