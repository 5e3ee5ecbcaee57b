"""What a page has to know of Lambda: how large an environment it can show, and what would hold it up."""

from __future__ import annotations

from time import perf_counter
from typing import TypeAlias

from mensura.core.abilities import bounded
from mensura.worlds.lambda_class.behaviors import Markov
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.switches import Switches

Size: TypeAlias = int | tuple[int, int | None]
"""A number, or the least and the most; None: as many as there are of the other."""

MOST_CELLS = 400
MOST_OBJECTS = 40
MOST_JUNK = 100_000
MOST_JUNK_OF_PROGRAMS = 1_000
"""Where Markov programs run, which take their time."""
MOST_REWRITING = 10_000
"""Steps and symbols of a Markov program in an interaction."""

TRIED, SECONDS_TRIED, EPISODES = 20, 1.0, 32
"""Interactions that are tried, for how long, and how many episodes ``kt`` and ``kt_max`` play in all."""
OF_EPISODES = frozenset({"kt", "kt_max"})


def check_sizes(cells: Size, actions: Size, objects: int, sensitive_within: int) -> None:
    """Raise if environments of these sizes, or the sieve that looks so far ahead, would be too large to be shown."""
    for name, value in (("cells", cells), ("actions", actions)):
        largest = max((one or 0) for one in value) if isinstance(value, tuple) else value
        bounded(name, largest, MOST_CELLS)
    bounded("objects", objects, MOST_OBJECTS)
    bounded("sensitive_within", sensitive_within, 1000)


def check_description(description: Description) -> None:
    """Raise if an environment is too large to be shown, or takes too long."""
    space = description.space
    bounded("The number of cells", space.cells, MOST_CELLS)
    bounded("The number of actions", space.actions, MOST_CELLS)
    bounded("The number of objects", len(description.objects), MOST_OBJECTS)
    check_switches(description)
    if runs_programs(description) and isinstance(description.junk, int):
        bounded("junk", description.junk, MOST_JUNK_OF_PROGRAMS)


def check_switches(switches: Switches) -> None:
    """Raise if junk or Markov programs would hold a page up."""
    if isinstance(switches.junk, int):
        bounded("junk", switches.junk, MOST_JUNK)
    bounded("junk_limit", switches.junk_limit, MOST_JUNK)
    bounded("steps", switches.steps, MOST_REWRITING)
    bounded("longest", switches.longest, MOST_REWRITING)


def runs_programs(description: Description) -> bool:
    """Whether an environment has Markov programs, whose work depends on what happens."""
    behaviors = (description.good_and_evil, *description.objects)
    return any(isinstance(one, Markov) for one in behaviors)


def slow_measures(description: Description) -> frozenset[str]:
    """The complexities that play episodes, where these would take too long, as far as a few interactions tell."""
    if not runs_programs(description):
        return frozenset()
    environment = LambdaEnvironment(description)
    begun = perf_counter()
    turn = environment.reset(1)
    played = 0
    while turn.ended is None and played < TRIED and perf_counter() - begun < SECONDS_TRIED:
        turn = environment.step([environment.default(seat) for seat in turn.due], ())
        played += 1
    each = (perf_counter() - begun) / max(played, 1)
    return OF_EPISODES if EPISODES * description.horizon * each > 4 * SECONDS_TRIED else frozenset()
