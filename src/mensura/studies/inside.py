"""Operators that act inside a subject: on what it has learned, its process, its parts and its messages.

After section 4.3 of Bieger, Thórisson and others: Evaluation of General-Purpose Artificial Intelligence: Why, What &
How, which asks for perturbations of the system itself, too, and names no measure of them; what a strength does is ours.

They are no part of a world. In a study their strengths stand among the parameters of a perturbed world, as
``memory_loss``, so that whatever compares or tells parameters tells them; the world is made without them, and the
subject plays behind :class:`mensura.studies.inside_player.InsidePlayer`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.memory import saved
from mensura.agents.process import ProcessSubject
from mensura.agents.program import ProgramSubject
from mensura.agents.sockets import RemoteSubject
from mensura.core.abilities import seats, seconds_of
from mensura.core.contract import Assessment, World
from mensura.core.mixed import Mixed
from mensura.core.players import Renewed, Subject, components_of
from mensura.studies.perturbing import AROUND

MEMORY_LOSS, MEMORY_CORRUPTION = "memory-loss", "memory-corruption"
CPU_SHARE, COMPONENT = "cpu-share", "component"
MESSAGES_LOST, MESSAGES_LATE = "messages-lost", "messages-late"
KILLED = "killed-and-restored"

LATENCY = 10
"""How many turns late messages are at strength 1."""
SCARCITY = 0.9
"""The share of the processor that is missing at strength 1."""

INSIDE: Mapping[str, str] = {
    MEMORY_LOSS: "This share of the entries of what the subject has learned is lost after training",
    MEMORY_CORRUPTION: "Bits of what the subject has learned are flipped after training, each with a probability of "
    "strength / 8",
    CPU_SHARE: f"What is left to a subject in a process of its own of the processor, {1.0 - SCARCITY:.0%} at strength "
    "1: every second that it takes counts for as many as it would take then",
    COMPONENT: "This share of the components that the subject names is switched off after training",
    MESSAGES_LOST: "The probability that a member of a collective does not hear what another tells",
    MESSAGES_LATE: f"Members of a collective hear each other late, by {LATENCY} turns at strength 1",
    KILLED: "The probability that the subject is killed in an episode and restored as it was before it",
}
"""What each operator does, by name."""

UNREADABLE = "memory unreadable"
"""The measure of an episode that says that the subject's memory did not load after damage, so that it was a newborn."""

WITHDRAW = "withdraw"
"""What may be granted beside operators: one more action that ends the episode (:mod:`mensura.core.withdrawing`)."""

CALM = "calm_training"
"""The parameter of a perturbed world that says how many training episodes come before anything is perturbed."""

Strengths = Mapping[str, float]


def is_inside(name: str) -> bool:
    """Whether an operator acts inside the subject."""
    return name in INSIDE


def split(world: str, parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of a world, and where it is a perturbed one the strengths of operators inside subjects.

    Among these is also whether withdrawing is granted.
    """
    if not world.startswith(AROUND):
        return dict(parameters), {}
    names = {name.replace("-", "_"): name for name in (*INSIDE, WITHDRAW)}
    own = {one: value for one, value in parameters.items() if one not in names}
    return own, {names[one]: value for one, value in parameters.items() if one in names}


def joined(parameters: Mapping[str, Any], strengths: Strengths) -> dict[str, Any]:
    """Parameters of a perturbed world with the strengths above 0 among them: :func:`split` takes them apart."""
    return {
        **parameters,
        **{name.replace("-", "_"): value for name, value in strengths.items() if value > 0.0},
    }


def check_strength(name: str, value: Any) -> None:
    """Raise if something is no strength, or neither grants nor denies withdrawing."""
    if name == WITHDRAW:
        if not isinstance(value, bool):
            raise MensuraError(f"{WITHDRAW} is {value!r}; it must be true or false.")
        return
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0.0 <= value <= 1.0:
        raise MensuraError(f"The strength of {name} is {value!r}; it must be a number from 0 to 1.")


def processor_share(strength: float) -> float:
    """What is left of the processor."""
    return 1.0 - SCARCITY * strength


def lateness(strength: float) -> int:
    """How many turns late messages are."""
    return round(LATENCY * strength)


# Whether they can act --------------------------------------------------------------


def check_can_act_inside(
    names: Sequence[str], subject: Subject, address: str, world: World, assessment: Assessment
) -> None:
    """Raise in a sentence where an operator cannot act in a subject; whoever acts at random is not asked."""
    outside = _is_outside(subject)
    alone = seats(world) == 1
    for name in names:
        if name == CPU_SHARE:
            if not outside:
                raise MensuraError(
                    f"{address} runs inside our own process, where {CPU_SHARE} cannot act; it can on code in a process "
                    "of its own, as my_agent.py:MyAgent, and on programs."
                )
            if seconds_of(assessment) is not None:
                raise MensuraError(
                    f"{CPU_SHARE} counts the seconds of answers, and the slots of this assessment are seconds of the "
                    "clock; assess by interactions."
                )
        if name in (MESSAGES_LOST, MESSAGES_LATE):
            if alone:
                raise MensuraError(
                    f"{name} is about what members of a collective tell each other, and {world.id} has one seat here; "
                    "give it more."
                )
            if is_built_in(subject):
                raise MensuraError(
                    f"The members of {address} are built in and talk inside their own memory, where {name} cannot act; "
                    "it can on agents that tell and hear."
                )
    if {MEMORY_LOSS, MEMORY_CORRUPTION, COMPONENT} & {*names}:
        _check_has(names, subject, address, world)


def _check_has(names: Sequence[str], subject: Subject, address: str, world: World) -> None:
    """Raise unless a subject has something to save, and components, where operators need them."""
    player = Renewed(subject, seats(world))
    try:
        if COMPONENT in names and not components_of(player):
            raise MensuraError(
                f"{address} names no components that could be switched off; an agent of your own needs two methods, "
                "components() and switch_off(name)."
            )
        for name in (MEMORY_LOSS, MEMORY_CORRUPTION):
            if name in names and not _saves(player):
                raise MensuraError(
                    f"{address} has nothing to save, so {name} cannot act on it; an agent of your own needs two "
                    "methods, save() -> bytes and load(memory)."
                )
    finally:
        player.close()


def _saves(player: Renewed) -> bool:
    try:
        return saved(player) is not None
    except MensuraError:
        return True  # it can, but not before it has begun


def _is_outside(subject: Subject) -> bool:
    """Whether a subject, and each part of it, is in a process of its own or reached over a network."""
    if isinstance(subject, Mixed):
        return all(_is_outside(part) for part, _ in subject.parts)
    return isinstance(subject, ProcessSubject | ProgramSubject | RemoteSubject)


def is_built_in(subject: Subject) -> bool:
    """Whether a subject is a group of minds that share a memory."""
    return not isinstance(subject, Mixed) and hasattr(subject, "seated")
