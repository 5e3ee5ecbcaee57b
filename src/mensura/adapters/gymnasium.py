"""Gymnasium's view of a world: one subject in it, alone or among built-in others.

Importing this module registers every installed world: "lambda-star-v2" becomes "mensura/LambdaStar-v2". Gymnasium
imports it by itself where the id says so::

    env = gymnasium.make("mensura.adapters.gymnasium:mensura/LambdaStar-v2", rows=5, cols=5)
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from pathlib import Path
from typing import Any

import gymnasium

from mensura.adapters.conversion import action_space, from_gymnasium, observation_space
from mensura.adapters.episodes import (
    Episodes,
    Rendering,
    Start,
    Within,
    make_world,
)
from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete
from mensura.core.abilities import hosting
from mensura.core.abilities import parameters as world_parameters
from mensura.core.abilities import seats as seats_in
from mensura.core.contract import Description, Environment, World
from mensura.core.loop import Asking, play
from mensura.core.mixed import Mixed
from mensura.core.players import Player, Subject
from mensura.core.registry import WORLDS, split_version
from mensura.records.pools import Pool

SEAT = 0
"""Where the subject sits."""


class Caller:
    """Whoever calls ``step``, as a subject and its player: it answers with the action that was given."""

    name = "caller"
    speakers: frozenset[int] = frozenset()
    action: Any = None

    def sit(self, seats: int) -> Caller:
        """Sit down in the one seat."""
        return self

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The action, also to what needs no answer."""
        return [Answer(self.action) for _ in asks]

    def close(self) -> None:
        """Nothing to do."""


class WorldEnv(gymnasium.Env[Any, Any]):
    """One seat of an environment, for learners that speak Gymnasium.

    Observation:
        A row of float64: the fields of the world's observation one after another. Where environments of the world
        differ in size, it has room for the largest; what an environment does not have is -1 or 0, as the world says.
        Arrays of another type, texts, lists (as tuples) and records that hold them keep their form.

    Actions:
        Counted from 0 as Gymnasium expects. Where the world counts from 1, action 0 here is 1 there. Where
        environments differ in size, an action that this one does not have is played as the world's default one. Where
        the world's actions are arrays, so are these; texts, records (as dictionaries) and lists (as tuples), too.

    End:
        Terminated or truncated as the world says. The view never resets itself.

    Parameters:
        world: its id, or a world as an object. others: who takes the other seats, an address as for
        ``mensura assess``; without it the world has one seat. within: ("K", 5, 10) draws environments of such a
        complexity. description: always this environment. checkpoints: a pool of them or its file; every episode
        starts from one, with the rewards that come after it. limit: an episode is cut off after so many interactions.
        Everything else is a parameter of the world.

    A seed fixes the environments drawn, their resets and the others: all episodes from there on. Infos are
    empty: keys and descriptions are not for learners.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        world: str | World = "lambda-star-v2",
        *,
        others: str | None = None,
        description: Description | None = None,
        within: Within | None = None,
        render_mode: str | None = None,
        checkpoints: str | Path | Pool | None = None,
        limit: int | None = None,
        **parameters: Any,
    ) -> None:
        if limit is not None and limit < 1:
            raise MensuraError(f"A limit of {limit} interactions is none; 1 is the least.")
        self._limit, self._made = limit, 0
        alone = isinstance(world, str) and others is None
        if alone and "subjects" in world_parameters(WORLDS.load(str(world))):
            parameters.setdefault("subjects", 1)
        self.world = make_world(world, parameters)
        self._caller = Caller()
        self._subject: Subject = self._caller
        if others is not None:
            self._subject = self._beside(others)
        self._episodes = Episodes(self.world, description, within, checkpoints)
        seats = len(self._episodes.seats)
        if seats > 1 and others is None:
            raise MensuraError(
                f"{self.world.id} has {seats} seats here and Gymnasium knows one: leave the others to a "
                'built-in subject, as others="local-search", or use mensura.adapters.pettingzoo.'
            )
        self._observed, self._acted = observed, played = self._episodes.spaces[SEAT]
        self.observation_space = observation_space(observed)
        self.action_space = action_space(played)
        self._numbered = played if isinstance(played, Discrete) else None
        self.render_mode = render_mode
        self._rendering = Rendering(self.world, render_mode)
        self._environment: Environment | None = None
        self._episode: Start | None = None
        self._player: Player = self._caller
        self._asking: Asking | None = None
        self._asks: list[Ask] = []
        self._over: Ask | None = None
        """That the episode was over as soon as it began, until the first step has told so: a reset cannot."""

    @property
    def environment(self) -> Environment | None:
        """The environment that is played, for those who keep records of training; None before the first reset."""
        return self._environment

    def _beside(self, others: str) -> Subject:
        """The caller with others beside it, and a world that has what they need."""
        from mensura.studies.subjects import resolve

        seats = seats_in(self.world)
        if seats < 2:
            raise MensuraError(
                f"There is no seat for others={others!r} in {self.world.id}; give it 2 subjects or more."
            )
        group = Mixed([(self._caller, 1), (resolve(others, self.world), seats - 1)])
        self.world = hosting(self.world, group)
        return group

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next episode, or the first one of a seed; ``options["description"]`` names its environment."""
        super().reset(seed=seed)
        if seed is not None:
            self._episodes.seed(seed)
        self.close()
        self._episode = start = self._episodes.next(options)
        self._environment = start.environment
        self._player = self._subject.sit(len(self._episodes.seats))
        self._asking = play(
            start.environment,
            start.reset,
            world=self.world.id,
            seed=start.others,
            speakers=self._player.speakers,
            observers=(self._rendering,) if self._rendering.wanted else (),
            start=start.state,
        )
        self._made = 0
        ask = self._until_asked(next(self._asking))
        self._over = ask if ask.kind == "end" else None
        if self._over is not None:
            self._finish()
        return start.shown(self._observed, ask.observation), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one action; whoever else is due acts too, until it is this subject's turn again."""
        if self._over is not None:
            over, self._over = self._over, None
            return self._told(over)
        if self._asking is None:
            raise RuntimeError("the episode has ended or not begun: reset first")
        assert self._environment is not None
        assert self._episode is not None
        self._caller.action = self._played(action)
        if not self._environment.legal(SEAT, self._caller.action):
            kinds = f"{'arrays ' if isinstance(self._acted, Box) else ''}in {self.action_space}"
            if self._numbered is not None:
                kinds = f"whole numbers from 0 to {self._numbered.n - 1}"
            raise ValueError(f"{action!r} is not an action now; actions are {kinds}")
        ask = self._until_asked(self._asking.send(self._player.answer(self._asks)))
        self._made += 1
        if ask.kind == "end":
            self._finish()
            return self._told(ask)
        cut = self._made == self._limit
        if cut:
            self.close()
        return self._told(ask, cut=cut)

    def _told(self, ask: Ask, cut: bool = False) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What Gymnasium tells of what the loop asks."""
        assert self._episode is not None
        ended = ask.kind == "end"
        terminated = ended and ask.terminated
        seen = self._episode.shown(self._observed, ask.observation)
        return seen, float(ask.reward), terminated, cut or (ended and not terminated), {}

    def _played(self, action: Any) -> Any:
        """The world's own action for one of the view; None where it is none."""
        if self._numbered is None:
            return from_gymnasium(self._acted, action)
        assert self._episode is not None
        try:
            if 0 <= index(action) < self._numbered.n:
                return self._episode.action(SEAT, index(action) + self._numbered.start)
        except TypeError:
            pass  # not a whole number
        return None

    def _until_asked(self, asks: list[Ask]) -> Ask:
        """Let the others answer until the loop asks the caller to act, or tells it that all is over."""
        assert self._asking is not None
        while True:
            for ask in asks:
                if ask.seat == SEAT and ask.kind in ("act", "end"):
                    self._asks = asks
                    return ask
            asks = self._asking.send(self._player.answer(asks))

    def _finish(self) -> None:
        """Tell the others too that the episode is over."""
        assert self._asking is not None
        try:
            self._asking.send(self._player.answer(self._asks))
        except StopIteration:
            pass
        self._asking = None

    def render(self) -> Any:
        """The environment as text for the render mode "ansi", as an image for "rgb_array"."""
        return self._rendering.frame()

    def close(self) -> None:
        """Send the others home."""
        self._player.close()
        self._player = self._caller
        self._asking = self._over = None


def id_of(world: str) -> str:
    """The id under which Gymnasium knows a world: "mensura/LambdaStar-v2" for "lambda-star-v2"."""
    name, number = split_version(world)
    version = "" if number is None else f"-v{number}"
    return "mensura/" + "".join(part.title() for part in name.split("-")) + version


def register_worlds() -> None:
    """Register every installed world; nothing of a world is loaded before it is made."""
    for name in WORLDS.names():
        if id_of(name) not in gymnasium.registry:
            gymnasium.register(
                id_of(name),
                entry_point="mensura.adapters.gymnasium:WorldEnv",
                vector_entry_point="mensura.adapters.vector:make_vector",
                kwargs={"world": name},
            )


register_worlds()
