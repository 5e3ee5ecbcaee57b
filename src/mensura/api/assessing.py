"""How intelligent is a subject: one world, one assessment, any number of subjects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, seed_or_fresh
from mensura.api.making import DEFAULT_WORLD, world_of
from mensura.api.naming import AtHand, Named, Several, named, notes
from mensura.api.results import Result
from mensura.api.running import run_in_store, run_study, watching
from mensura.core.abilities import (
    command_defaults,
    default_of,
    parameters,
    usual_assessment,
    values,
)
from mensura.core.registry import ASSESSMENTS

if TYPE_CHECKING:
    from mensura.api.spending import Outlays
    from mensura.core.contract import World
    from mensura.studies.layout import Layout
    from mensura.studies.study import Study


def assess(
    subjects: Several,
    world: str | World = DEFAULT_WORLD,
    assessment: str | None = None,
    *,
    preset: str | None = None,
    budget: int | str | None = None,
    seed: int | None = None,
    training: int | None = None,
    repetitions: int = 1,
    store: str | Path | None = None,
    name: str = "",
    progress: bool = False,
    in_process: bool | None = None,
    timeout: float | None = None,
    limits: Mapping[str, Any] | None = None,
    keep: str | Path | None = None,
    threads: int | None = None,
    device: str | None = None,
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
    **given: Any,
) -> Result:
    """Assess subjects, as ``mensura assess`` does, and give their scores with intervals.

    Args:
        subjects: Who: addresses ("q-learning", "agent.py:Mine", "openai:MODEL"), classes with a method
            ``act(observation, reward)``, functions that make an agent, a list of these, or a dict from labels to them.
        world: Where: a name, or a world that :func:`make` made.
        assessment: How: a name that ``ms.assessments()`` lists; by default what suits the world, mostly "anytime".
        preset: Of a world that is given by name: a named set of parameters.
        budget: Of the anytime test: how much each chain has, in interactions (10_000) or in time ("60s", "10min").
        seed: The root of all draws; the same seed gives the same result. Drawn where it is left out.
        training: Training episodes before each assessed one; by default as many as a subject asks for.
        repetitions: Run the same experiment so often, with other draws.
        store: Keep the run in this file or database, with all single episodes.
        name: Keep the run under this name; one of that name that was interrupted is completed.
        progress: Show progress.
        in_process: Run code from files inside this process, too: faster, but it can crash it. Code without a file, as a
            class of a notebook, always runs here; False refuses it.
        timeout: Seconds that code from a file, a program or a model may take for an action.
        limits: What such code may use, named as in a study file: ``{"network": True, "memory_mb": 500}``.
        keep: A folder in which what each sitting has learned is kept, and from which it goes on the next time.
        threads: How many sittings at a time; by default as many as there are cores.
        device: Where whole sittings of built-in subjects are played, "cpu" or "gpu". It changes no result.
        max_cost: What language models may cost in all. A request that might go beyond it is not sent; the same call,
            with a seed or a name and a higher limit, goes on with the run.
        max_tokens: How many tokens they may read and write in all, likewise.
        max_hours: For how many hours they are asked, likewise.
        confirm: Go ahead, also where language models take much money or time, as :func:`estimate` tells; without it and
            without a limit such a run is refused before the first request.
        given: Parameters of the assessment, as ``sittings=50``.

    Returns:
        The result: a table with 95% intervals where it is shown. Interrupted, the scores so far.

    Example:
        >>> import mensura as ms
        >>> result = ms.assess(["random", "planner"], budget=500, sittings=5, seed=1)
        >>> [one.label for one in result.scores]
        ['planner', 'random']
    """
    from mensura.api.spending import spending
    from mensura.reports.protocols import unit_of
    from mensura.studies.runs import Manner

    layout, at_hand = laid_out(
        subjects,
        world,
        assessment,
        preset=preset,
        budget=budget,
        seed=seed,
        training=training,
        repetitions=repetitions,
        name=name,
        in_process=in_process,
        timeout=timeout,
        limits=limits,
        keep=keep,
        given=given,
    )
    how = layout.cells[0].assessment
    watch = watching(progress, unit_of({"name": how}).many)
    manner = Manner("threads", threads, device=device)
    with spending(layout.places, max_cost, max_tokens, max_hours, confirm):
        if store is None and not name and not layout.is_costly:
            return run_study(layout, manner=manner, watch=watch, at_hand=at_hand)
        return run_in_store(
            layout,
            store,
            manner=manner,
            watch=watch,
            fresh_seed=seed is None,
            unfinished=not layout.is_costly,
            at_hand=at_hand,
        )


def estimate(
    subjects: Several,
    world: str | World = DEFAULT_WORLD,
    assessment: str | None = None,
    *,
    preset: str | None = None,
    budget: int | str | None = None,
    seed: int | None = None,
    training: int | None = None,
    repetitions: int = 1,
    **given: Any,
) -> Outlays:
    """What language models are going to take if they are assessed so: requests, tokens, money and hours, about.

    Nobody is asked anything. The first sitting of each model is rehearsed, with somebody who acts at random in its
    place and counts what it would be sent.

    Args:
        subjects: As of :func:`assess`, and so are the others.
        world: Where.
        assessment: How.
        preset: Of a world that is given by name.
        budget: Of the anytime test.
        seed: The root of all draws.
        training: Training episodes before each assessed one.
        repetitions: Run the same experiment so often, with other draws.
        given: Parameters of the assessment, as ``sittings=50``.

    Returns:
        A table where it is shown; ``requests``, ``tokens``, ``cost`` and ``hours`` of all together.

    Example:
        >>> import mensura as ms
        >>> ms.estimate("openai:MODEL?price_in=1&price_out=2", budget=50, sittings=10).requests
        500
    """
    from mensura.api.spending import Outlays
    from mensura.studies.spending import outlays

    layout, at_hand = laid_out(
        subjects,
        world,
        assessment,
        preset=preset,
        budget=budget,
        seed=seed,
        training=training,
        repetitions=repetitions,
        given=given,
    )
    with at_hand.lend():
        return Outlays(outlays(layout.places))


def laid_out(
    subjects: Several,
    world: str | World,
    assessment: str | None,
    *,
    preset: str | None = None,
    budget: int | str | None = None,
    seed: int | None,
    training: int | None = None,
    repetitions: int = 1,
    name: str = "",
    in_process: bool | None = None,
    timeout: float | None = None,
    limits: Mapping[str, Any] | None = None,
    keep: str | Path | None = None,
    title: str = "",
    given: Mapping[str, Any],
) -> tuple[Layout, AtHand]:
    """What is assessed, as a study that is laid out, with what only this process has."""
    from mensura.studies.layout import lay_out

    if training is not None and training < 0:
        raise MensuraError(f"{training} training episodes are impossible; 0 or more are.")
    if assessment is not None and not isinstance(assessment, str):
        raise MensuraError(
            f"An assessment is named by a text, as 'anytime', not by a value of type {type(assessment).__name__}; its "
            "parameters stand beside it, as sittings=50."
        )
    home = world_of(world, preset)
    who = named(subjects, in_process)
    how = assessment or usual_assessment(home)
    addresses = [one.address for one in who]
    wanted = dict(limits or {})
    if timeout is not None or "seconds_per_action" not in wanted:
        wanted["seconds_per_action"] = seconds_per_action(addresses, timeout)
    in_budget = _with_budget(how, budget, given)
    study = assessment_study(
        who,
        home,
        how,
        settings(how, in_budget, lifelong=keep is not None, paid=are_paid(addresses)),
        training=training,
        repetitions=repetitions,
        limits=wanted,
        seed=seed_or_fresh(seed),
        name=name,
        keep=keep,
    )
    if title:
        study = study.model_copy(update={"title": title})
    at_hand = AtHand.of(who, home)
    with at_hand.lend():
        return lay_out(study, made={0: home}), at_hand


def assessment_study(
    subjects: Sequence[Named],
    world: World,
    assessment: str,
    given: Mapping[str, Any],
    *,
    training: int | None = None,
    repetitions: int = 1,
    limits: Mapping[str, Any] | None = None,
    seed: Key,
    name: str = "",
    keep: str | Path | None = None,
) -> Study:
    """What is assessed, as a study: one world, one assessment."""
    from mensura.studies.study import study_from_plain

    return study_from_plain(
        {
            "mensura": 1,
            "name": name or _usual_name([one.address for one in subjects], seed),
            "title": f"{shown_names(subjects)} on {world.id}",
            "seed": seed,
            "repetitions": repetitions,
            "notes": notes(subjects),
            "subjects": [
                {
                    **subject_entry(one),
                    **({} if training is None else {"training": training}),
                    **({} if keep is None else {"keep": str(keep)}),
                }
                for one in subjects
            ],
            "worlds": [
                {"world": world.id, "name": world.id, "parameters": changed_parameters(world)}
            ],
            "assessments": [{"assessment": assessment, "parameters": dict(given)}],
            "limits": dict(limits or {}),
        }
    )


def shown_names(subjects: Sequence[Named]) -> str:
    """Who is assessed, for a title."""
    labels = [one.label for one in subjects]
    return f"{', '.join(labels[:3])}{' and others' if len(labels) > 3 else ''}"


def subject_entry(one: Named) -> dict[str, Any]:
    """A subject as a study file has it; what options add to an address is not part of how tables call it."""
    name = {} if one.address == one.label else {"name": one.label}
    return {"subject": one.address, "in_process": one.in_process, **name}


def changed_parameters(world: World) -> dict[str, Any]:
    """The parameters of a world that are not at their default, as a study file writes them."""
    usual = {name: default_of(one) for name, one in parameters(world).items()}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values(world).items()
        if value != usual.get(name)
    }


def settings(
    assessment: str, given: Mapping[str, Any], *, lifelong: bool = False, paid: bool = False
) -> dict[str, Any]:
    """The parameters of an assessment where somebody assesses on the spot: less than a study takes, if not told.

    Where answers are ``paid`` for, it is less still. Who is kept (``lifelong``) goes on from environment to
    environment, too, where the assessment leaves that open.
    """
    kind = ASSESSMENTS.load(assessment)
    found = {**command_defaults(kind, given, paid=paid), **given}
    if lifelong and "memory" in parameters(kind):
        found.setdefault("memory", "continuous")
    return found


def seconds_per_action(subjects: Sequence[str], timeout: float | None = None) -> float:
    """How long an action may take where nobody says it: a language model may think for a while."""
    from mensura.agent.task import Limits
    from mensura.agents.language_model import SECONDS_PER_ACTION

    if timeout is not None:
        return timeout
    return SECONDS_PER_ACTION if are_paid(subjects) else Limits().seconds_per_action


def are_paid(subjects: Sequence[str]) -> bool:
    """Whether a language model is among the subjects, or a member of one."""
    from mensura.agents.address import parse
    from mensura.agents.language_model.schemes import is_model

    return any(is_model(part) for subject in subjects for part in parse(subject))


def _usual_name(subjects: Sequence[str], seed: Key) -> str:
    """What a run is called that nobody named: by its seed, and the language models in it.

    Their runs are always kept, so two models under one seed need two names.
    """
    from mensura.agents.address import parse
    from mensura.agents.language_model.schemes import is_model

    models = [part.target for one in subjects for part in parse(one) if is_model(part)]
    words = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(dict.fromkeys(models)))
    return f"assess-{seed:016x}-{words[:60]}".rstrip("-")


def read_budget(budget: int | str) -> dict[str, Any]:
    """A budget as parameters of an assessment: interactions, or seconds where the number has a unit of time."""
    match = re.fullmatch(r"\s*([\d_,.]+(?:e\d+)?)\s*(s|sec|min|h)?\s*", str(budget).lower())
    try:
        number = float(match[1].replace("_", "").replace(",", "")) if match else None
    except ValueError:
        number = None
    if match is None or number is None or (match[2] is None and number != int(number)):
        raise MensuraError(
            f"The budget {budget!r} is not understood; write interactions as 1000000, or time as 60s, 10min or 1h."
        )
    if match[2] is None:
        return {"interactions": int(number)}
    return {"seconds": number * {"s": 1, "sec": 1, "min": 60, "h": 3600}[match[2]]}


def _with_budget(
    assessment: str, budget: int | str | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Parameters of the assessment as a study file writes them, the budget among them."""
    plain = {
        name: list(value) if isinstance(value, tuple) else value for name, value in given.items()
    }
    if budget is None:
        return plain
    wanted = {"seconds", "interactions"}
    if not wanted <= set(parameters(ASSESSMENTS.load(assessment))):
        able = [name for name, kind in ASSESSMENTS.all() if wanted <= set(parameters(kind))]
        raise MensuraError(
            f"A budget belongs to {', '.join(able)}, and this is {assessment}; leave it out, or choose "
            f"assessment={able[0]!r}."
        )
    return plain | read_budget(budget)
