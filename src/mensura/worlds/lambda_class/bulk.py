"""The second door: many sampled environments packed side by side and played at once, and plans one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mensura.agent.in_process import Agents
from mensura.agent.keys import Key
from mensura.agent.spaces import Discrete, Record
from mensura.core.blocks import Layout
from mensura.core.contract import Episode, Plan
from mensura.core.doors import Through
from mensura.core.many_doors import many_doors
from mensura.core.second_door import begin_all, episode_of
from mensura.worlds.lambda_class.agents import Group, Sizes, joined, make_minds
from mensura.worlds.lambda_class.description import Description, make_row
from mensura.worlds.lambda_class.environment import LambdaEnvironment, observation_space_of
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.kernels.rollout import DOORS
from mensura.worlds.lambda_class.switches import Switches


@dataclass(frozen=True)
class Sampled:
    """Sampled environments in bulk: what never changes of their rows, and how complex they are."""

    rows: npt.NDArray[np.int64]
    """(count, width)"""
    complexity: npt.NDArray[np.float64]
    """(count,)"""


MOST = 1 << 20
"""More actions than any environment has."""

_NO_ROWS, _NO_RIGHTS = np.zeros((0, 0), np.int64), np.zeros(0, np.int64)
"""For a plan, whose environment and rights are in its row."""

_NOTHING_TOLD = np.zeros((0, 1, 0))
"""Of an episode beside its rewards."""


def packed(descriptions: Sequence[Description]) -> npt.NDArray[np.int64]:
    """What never changes of the rows of environments, filled up with zeros to one width."""
    rows = [make_row(one) for one in descriptions]
    sizes = [kernel.fixed_size(row[: kernel.HEAD].tolist()) for row in rows]
    out = np.zeros((len(rows), max(sizes, default=0)), np.int64)
    for i, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        out[i, :size] = row[:size]
    return out


def spaces_of_rows(
    rows: npt.NDArray[np.int64], rewards: bool
) -> tuple[list[tuple[Record, Discrete]], npt.NDArray[np.int64]]:
    """What is observed and done in environments of each size, and of which size each is; all else is the same."""
    sizes = rows[:, kernel.CELLS] * MOST + rows[:, kernel.ACTIONS]
    _, first, kind = np.unique(sizes, return_index=True, return_inverse=True)
    spaces = []
    for head in rows[first, : kernel.HEAD].tolist():
        cells, actions, subjects, objects, horizon = head[:5]
        seen = observation_space_of(cells, actions, horizon, subjects, objects, rewards)
        spaces.append((seen, Discrete(actions)))
    return spaces, kind.astype(np.int64)


def rights_of(host: Switches) -> npt.NDArray[np.int64]:
    """What each seat may see, as the rules have it."""
    rights = np.zeros(host.subjects, np.int64)
    rights[list(host.future)] |= kernel.SEES_FUTURE
    rights[list(host.rewards_seen)] |= kernel.SEES_REWARDS
    return rights


def layout_of(host: Switches, sample: Callable[..., npt.NDArray[np.int64]]) -> Layout:
    """How environments lie in a block of memory, each as long as its space asks for."""
    rights, shows = rights_of(host), bool(host.rewards_seen)

    def size(rows: npt.NDArray[np.int64]) -> int:
        heads = np.unique(rows[:, : kernel.HEAD], axis=0)
        if shows:
            heads[:, kernel.SHOWN] = heads[:, kernel.CELLS]
        # What is loaded is as wide as the widest of those that were drawn together.
        return int(max(rows.shape[1], *(kernel.row_size(head) for head in heads.tolist())))

    return Layout(
        many_doors(kernel.RULES, None),
        np.zeros(0, np.int64),
        sample,
        lambda rows: (rows, rights),
        host.subjects,
        lambda rows: spaces_of_rows(rows, shows),
        size,
    )


def roll_out(
    host: Switches,
    group: Group,
    rows: npt.NDArray[np.int64],
    keys: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]],
    training: int,
    out: npt.NDArray[np.float64],
    through: Through,
) -> None:
    """Play a sitting in each environment, with the rights that a group's host gives to its seats.

    ``keys`` are those of the resets and of the subject's draws, one of each for each sitting.
    """
    shows = bool(host.rewards_seen)
    heads = np.unique(rows[:, : kernel.HEAD], axis=0)
    if shows:
        heads[:, kernel.SHOWN] = heads[:, kernel.CELLS]
    seats = host.subjects
    rights = rights_of(host)
    sizes = [
        Sizes(
            cells=head[kernel.CELLS],
            actions=head[kernel.ACTIONS],
            subjects=seats,
            objects=head[kernel.OBJECTS],
            shown=head[kernel.CELLS] if shows else 0,
            interactions=head[kernel.HORIZON] * (training + 1),
        )
        for head in heads.tolist()
    ]
    # Rows of a batch cut from a larger one may be wider than any of them needs.
    largest = max(rows.shape[1], *(kernel.row_size(head) for head in heads.tolist()))
    scratch = np.zeros(largest, np.int64)
    minds = make_minds(group.seated(seats), group.switches, sizes)
    through.doors(DOORS).play(
        through.row(scratch), minds, (rows, rights), *keys, training, 0, 0, out, _NOTHING_TOLD
    )


def play_plan(
    environment: LambdaEnvironment,
    world: str,
    plan: Plan,
    seed: Key,
    player: Agents,
    through: Through,
) -> Episode:
    """An episode of a plan in virtual time by minds in their seats, who keep what they learn."""
    begun = begin_all(environment, world, plan, seed, player)
    seated = player.agents
    several = len(seated) > 1
    minds = joined([mind.row for mind in seated]) if several else seated[0].memory
    out = np.zeros((1, 1, len(seated)))
    keys = np.array([plan.key], np.uint64), np.array([seed], np.uint64)
    drawn = _NO_ROWS, _NO_RIGHTS
    through.doors(DOORS).play(
        through.row(environment.row),
        minds,
        drawn,
        *keys,
        0,
        begun.length,
        int(plan.learning),
        out,
        _NOTHING_TOLD,
    )
    if several:
        for j, mind in enumerate(seated):
            mind.row[:] = minds[minds[j] : minds[j + 1]]
    return episode_of(environment, plan, begun, out[0, 0], player)
