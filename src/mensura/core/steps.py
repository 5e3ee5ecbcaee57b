"""Names of measures by which assessments tell reports where an episode stands in its sitting, and what it is made of.

Records keep them with the episode, and reports draw the path of a sitting from them. An average of where episodes stand
would mean nothing, so none is taken of those in STEPS.
"""

from __future__ import annotations

WANTED, USED, RUNNING = "wanted", "xi", "running score"
"""The complexity that followed from the rewards, that which was asked of the world, and the score before the episode.
Where the first two differ, the world has no such environment (left), or none that was not used before."""

DOUBT = "standard error so far"
"""How sure the running score is, where an assessment knows."""

ERROR = "standard error"
"""How sure the score of a whole sitting is, where an assessment knows."""

SHARED = "shared standard error"
"""The part of a sitting's error that all sittings of a subject share, as that of the scale by which they are tested.
More sittings do not lessen it, and their scatter does not show it; the interval of a score has it on top."""

STRATUM, MASS, PILOT = "stratum", "mass", "pilot"
"""Which stratum an environment was drawn from, its share of the prior, and whether it was part of the pilot."""

SLOT, ELAPSED, STOPPED = "slot", "elapsed", "stopped"
"""The length of a slot, when its last interaction was made, and whether the sitting was stopped there."""

ATTEMPT = "attempt"
"""The number of an attempt at the same task, from 1 on."""

PAIR, FORM = "pair", "form"
"""The number of a pair of environments, from 0, and which of its forms an episode had: the halves are 0 and 1."""

STEPS = frozenset(
    {
        WANTED,
        USED,
        RUNNING,
        DOUBT,
        STRATUM,
        MASS,
        PILOT,
        SLOT,
        ELAPSED,
        STOPPED,
        ATTEMPT,
        PAIR,
        FORM,
    }
)

ALONE = "reward alone"
"""The reward in the episode without company, of a pair of episodes, alone and with others."""

GAIN = "gain by company"
"""What company added to the reward in a pair of episodes, alone and with others."""

_CONTRIBUTION = "from complexity "


def contribution_of(level: int) -> str:
    """The name of the measure of a sitting that tells what the environments of a complexity add to its score."""
    return f"{_CONTRIBUTION}{level}"


def contributing(name: str) -> int | None:
    """The step of complexity that a measure of this name is the contribution of; None where it is of none."""
    level = name.removeprefix(_CONTRIBUTION)
    return int(level) if level != name and level.isdecimal() else None


_COMPLEXITY = "complexity "


def complexity_named(name: str) -> str:
    """The name of the measure by which an assessment tells a complexity of the environment beside its own."""
    return f"{_COMPLEXITY}{name}"


def is_complexity(name: str) -> bool:
    """Whether a measure of this name is a complexity of the environment."""
    return name.startswith(_COMPLEXITY)
