"""PettingZoo's AEC view of a world: one agent a seat, each acting when its seat is due.

::

    env = aec_env("framotec-v1", subjects=2, clock="simulated")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else policy(observation))

It suits every world; where all seats act at every turn, :mod:`mensura.adapters.pettingzoo` is the quicker view.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import Space as GymSpace
from gymnasium.spaces import Discrete as GymDiscrete
from pettingzoo import AECEnv

from mensura.adapters.conversion import from_gymnasium, to_gymnasium
from mensura.adapters.episodes import Agents, Episodes, Rendering, Start, Within, make_world
from mensura.agent.fitting import is_row, row_of
from mensura.agent.spaces import Discrete, default
from mensura.core.contract import Description, Turn, World


def aec_env(
    world: str | World = "lambda-star-v2",
    *,
    description: Description | None = None,
    within: Within | None = None,
    render_mode: str | None = None,
    **parameters: Any,
) -> WorldAECEnv:
    """The AEC view of a world, by its id and parameters or as an object.

    Each reset draws another environment, its complexity ``within`` ("K", 5, 10) where that is wanted; with a
    ``description`` it is always that one.
    """
    return WorldAECEnv(
        make_world(world, parameters),
        description=description,
        within=within,
        render_mode=render_mode,
    )


class WorldAECEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """All seats of an environment, one after another, for learners that speak PettingZoo.

    Observation:
        As in the parallel view: a row of float64 where there are numbers, else what has a structure of its own. An
        agent that was never due has seen nothing yet, and observes the plainest value of its space.

    Actions:
        Counted from 0 as PettingZoo expects; else as in the parallel view. The seats that are due at one turn act one
        after another, in the order of seats, and none of them sees what the others did before all have acted.

    Rewards:
        An agent is told with its observation what it gained since it was last due.

    End:
        All agents end together, terminated or truncated as the world says. The view never resets itself.

    A seed fixes the environments drawn and their resets: all episodes from there on. Neither keys nor descriptions are
    in the infos, from which an agent could learn them. The time that subjects take is not measured: it is 0.
    """

    agent_selection: str

    def __init__(
        self,
        world: World,
        *,
        description: Description | None = None,
        within: Within | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.world = world
        self.render_mode = render_mode
        self._rendering = Rendering(world, render_mode)
        self.metadata = {
            "name": world.id.replace("-", "_"),
            "render_modes": list(Rendering.MODES),
            "is_parallelizable": False,
        }
        self._episodes = Episodes(world, description, within)
        self.possible_agents, self.observation_spaces, self.action_spaces = Agents.of(
            self._episodes
        )
        self._seat_of = {name: seat for seat, name in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self._start: Start | None = None
        self._turn = Turn((), (), ())
        self._waiting: list[str] = []
        self._chosen: list[Any] = []

    def observation_space(self, agent: str) -> GymSpace[Any]:
        """What an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> GymSpace[Any]:
        """What an agent can do: counted from 0, or an array, or whatever has a structure of its own."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start the next episode, or the first one of a seed; ``options["description"]`` names its environment."""
        if seed is not None:
            self._episodes.seed(seed)
        self._start = start = self._episodes.next(options)
        self.agents = list(self.possible_agents)
        nothing = dict.fromkeys(self.agents, 0.0)
        self.rewards, self._cumulative_rewards = dict(nothing), dict(nothing)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self._observations = {
            name: row_of(default(seen)) if is_row(seen) else to_gymnasium(seen, default(seen))
            for name, (seen, _) in zip(self.agents, self._episodes.spaces, strict=True)
        }
        self._take(start.environment.reset(start.reset))
        self._rendering.started(start.environment, self._turn)

    def observe(self, agent: str) -> Any:
        """What an agent observed when it was last due."""
        return self._observations[agent]

    def step(self, action: Any) -> None:
        """Play the action of the agent that is selected; when all who are due have acted, the environment goes on."""
        if self._start is None:
            raise ValueError("the episode has not begun: reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._chosen.append(self._played(agent, action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._waiting.pop(0)
        if self._waiting:
            self.agent_selection = self._waiting[0]
            return
        environment = self._start.environment
        chosen, self._chosen = self._chosen, []
        self._take(environment.step(chosen, [0.0] * len(chosen)))
        self._accumulate_rewards()
        self._rendering.stepped(environment, chosen, self._turn)

    def _take(self, turn: Turn) -> None:
        """Show a turn to those who are due."""
        assert self._start is not None
        self._turn = turn
        self._waiting = [self.possible_agents[seat] for seat in turn.due]
        for name, observation, reward in zip(
            self._waiting, turn.observations, turn.shown_rewards, strict=True
        ):
            seen, _ = self._episodes.spaces[self._seat_of[name]]
            self._observations[name] = self._start.shown(seen, observation)
            self.rewards[name] = float(reward)
        if turn.ended is not None:
            over = self.terminations if turn.ended == "terminated" else self.truncations
            over.update(dict.fromkeys(self.agents, True))
        self.agent_selection = self._waiting[0]

    def _played(self, agent: str, action: Any) -> Any:
        """The world's own action for one of the view."""
        assert self._start is not None
        seat, space = self._seat_of[agent], self.action_spaces[agent]
        done = self._episodes.spaces[seat][1]
        if not space.contains(action):
            kinds = f"0 to {space.n - 1}" if isinstance(space, GymDiscrete) else f"in {space}"
            raise ValueError(f"{action!r} is not an action of {agent}; actions are {kinds}")
        played = (
            self._start.action(seat, int(action) + done.start)
            if isinstance(done, Discrete)
            else from_gymnasium(done, action)
        )
        if not self._start.environment.legal(seat, played):
            raise ValueError(f"{agent} may not play {action!r} now")
        return played

    def render(self) -> Any:
        """The environment as text for the render mode "ansi", as an image for "rgb_array"."""
        return self._rendering.frame()

    def close(self) -> None:
        """Nothing is held open."""
