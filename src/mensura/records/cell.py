"""The cells of a study: one subject under one configuration with one seed, so many sittings each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mensura.agent.keys import Key, key
from mensura.agent.task import Limits

PEOPLE = "mensura.agents.person:Person"
"""The address of people, who answer in a browser."""


PEOPLE_IN_WORDS = "people, each in a browser"
"""What tables say that they are."""


@dataclass(frozen=True)
class Cell:
    """All that a worker needs to play sittings of it, as plain data that any process can be sent."""

    number: int
    """Its place in the study, from 0."""
    condition: str
    """The world, assessment and levels in words; cells of one condition differ in subject and repetition only."""
    world: str
    parameters: Mapping[str, Any]
    """All parameters of the world, presets applied."""
    assessment: str
    assessment_parameters: Mapping[str, Any]
    subject: str
    """Its address."""
    name: str
    """How reports call the subject; also the name of its stream of draws."""
    seed: Key
    """The root of all draws of its repetition."""
    sittings: int
    training: int = 0
    """Training episodes before each assessed one, as the subject asks for or as the study says."""
    repetition: int = 0
    levels: Mapping[str, str] = field(default_factory=dict)
    """The level of each factor, by label."""
    limits: Limits = field(default_factory=Limits)
    in_process: bool = False
    """Whether code of the user runs inside the worker."""
    ask_once: bool = False
    """Whether each answer is safe on disk before it is used, because nobody can be asked again."""
    summary: str = ""
    """A line on what the subject is."""
    keep_training: int = 0
    """The training episodes of so many first sittings are kept, for learning curves."""
    keep: str = ""
    """The folder in which what each sitting has learned is kept, and from which it goes on; none where it is empty."""
    phases: Sequence[Mapping[str, Any]] = ()
    """The phases of training before it, as plain data (:mod:`mensura.studies.schooling`)."""
    traces: bool = False
    """Whether every interaction is kept."""
    compiled: bool = False
    """Whether whole sittings of it are played in machine code; the runner finds out."""
    content: str = field(default="", compare=False)
    """Where its environments come from, as the world says; empty where that was not recorded."""
    isolation: str = field(default="", compare=False)
    """How its subject is held, in words (:mod:`mensura.records.holding`); empty where that was not recorded."""

    @property
    def from_outside(self) -> bool:
        """Whether a member of the subject is neither built in nor a person; the addresses of others have a colon."""
        names = (part.partition("?")[0] for part in self.subject.split("+"))
        return any(":" in name and name.partition("*")[0] != PEOPLE for name in names)


def held(cells: Sequence[Cell], holdings: Mapping[int, str]) -> list[Cell]:
    """Cells with how their subjects are held, by number."""
    return [replace(cell, isolation=holdings[cell.number]) for cell in cells]


def has_people(address: str) -> bool:
    """Whether people are among those whom an address names."""
    return any(part.partition("*")[0] == PEOPLE for part in address.split("+"))


def is_of_people(study: Mapping[str, Any]) -> bool:
    """Whether those who play the run of a study, as data, are people: each in their own time, in a browser."""
    subjects = study.get("subjects") or ()
    return any(isinstance(one, Mapping) and has_people(one.get("subject", "")) for one in subjects)


def repetition_root(root: Key, repetition: int) -> Key:
    """The root of the draws of an identical experiment; the first is the study's own."""
    return key(root, "repetition", repetition) if repetition else root
