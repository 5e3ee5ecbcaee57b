"""What a study that is started from a browser may name: built-in subjects, and what the server was told to allow.

An address that names code is code, and so is a program, a model in a file or a place on the network. A parameter that
names a file reads it. Nothing is looked up, loaded or read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agents.address import Part, is_foreign, parse
from mensura.core.yaml_text import Misfit, Where, shown
from mensura.studies.entries import SubjectEntry
from mensura.studies.study import Study

FILES = (".yaml", ".yml", ".json", ".zip", ".py", ".pool", ".tsk")
"""Text that ends so names a file."""


def check_allowed(study: Study, allowed: Sequence[str]) -> None:
    """Refuse a study that names what it may not: :class:`Misfit` says what, and where."""
    known = {part.label for address in allowed for part in parse(address)}
    varied = any(level.parameters for factor in study.factors for level in factor.levels)
    for where, entry in _subjects(study):
        _check_subject(entry, where, known, varied)
    for where, parameters in _parameters(study):
        for name, value in parameters.items():
            for text in _texts(value):
                if names_file(text):
                    raise Misfit(
                        (*where, name),
                        f"{name} is {shown(text)}, which names a file; a study that is started from here reads no "
                        "files of the server.",
                    )


def _check_subject(entry: SubjectEntry, where: Where, known: set[str], varied: bool) -> None:
    try:
        parts = parse(entry.subject)
    except MensuraError as error:
        raise Misfit(where, str(error)) from error
    for part in parts:
        if not is_foreign(part):
            continue
        # Parameters become part of the address, which then is another one.
        if part.label not in known or entry.parameters or varied:
            raise Misfit(
                where,
                f"{_named(part)} is not a built-in subject, and an address that names code is code: it can be started "
                "from here only if the server was started with --allow and this very address.",
            )
    if entry.keep is not None:
        raise Misfit(
            where,
            "keep names a folder of the server; a study that is started from here keeps nothing.",
        )


def _named(part: Part) -> str:
    return shown(part.label)


def _subjects(study: Study) -> Iterator[tuple[Where, SubjectEntry]]:
    for i, entry in enumerate(study.subjects):
        yield ("subjects", i), entry
    for i, factor in enumerate(study.factors):
        for j, level in enumerate(factor.levels):
            if level.subject is not None:
                yield ("factors", i, "levels", j, "subject"), level.subject


def _parameters(study: Study) -> Iterator[tuple[Where, Mapping[str, Any]]]:
    for i, world in enumerate(study.worlds):
        yield ("worlds", i, "parameters"), world.parameters
    for i, assessment in enumerate(study.assessments):
        yield ("assessments", i, "parameters"), assessment.parameters
    for i, factor in enumerate(study.factors):
        for j, level in enumerate(factor.levels):
            yield ("factors", i, "levels", j, "world"), level.world
            yield ("factors", i, "levels", j, "assessment"), level.assessment


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def names_file(text: str) -> bool:
    """Whether a world could take the text for a path; a whole task as JSON is none."""
    if text.lstrip().startswith("{"):
        return False
    if "/" in text or "\\" in text or text.startswith("~") or text.lower().endswith(FILES):
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return True
