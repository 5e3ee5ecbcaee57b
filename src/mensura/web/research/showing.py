"""The state of a visit, and what stays the same in it, as the pages show them."""

from __future__ import annotations

import json
import math
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import to_plain
from mensura.core.abilities import (
    content_of,
    horizon,
    horizon_of,
    idle_parameters,
    slow_measures,
)
from mensura.pictures.scenes import Table
from mensura.pictures.svg import as_svg
from mensura.web.page_texts import DEFAULT
from mensura.web.phrases import Phrases, phrases
from mensura.web.research import worlds
from mensura.web.research.models import (
    About,
    ChoiceShown,
    Complexity,
    KnobShown,
    MeasureForm,
    Offer,
    SeatShown,
    State,
    SubjectForm,
    TableShown,
)
from mensura.web.research.visit import Visit

TOO_LONG = "It would take too long here; `mensura worlds show WORLD --from FILE` computes it."

ENGLISH = phrases(DEFAULT)


def state_of(name: str, visit: Visit, say: Phrases = ENGLISH) -> State:
    """Everything that a page shows of a moment; ``say`` puts what the world says into the reader's language."""
    environment = visit.environment
    view = visit.view
    controls = view.controls(environment)
    totals = visit.totals()
    last = visit.steps[-1] if visit.steps else None
    seen = dict(zip(visit.turn.due, visit.turn.observations, strict=True))
    return State(
        visit=name,
        interaction=len(visit.steps),
        horizon=horizon_of(visit.description) or environment.horizon or horizon(visit.home),
        ended=visit.ended,  # type: ignore[arg-type]
        due=list(visit.due),
        seed=str(visit.seed),
        subject=visit.address,
        training=visit.training,
        limit=visit.limit,
        left=visit.left,
        svg=say.picture(as_svg(view.picture(environment, visit.turn), page=True)),
        tables=[
            TableShown(
                name=table.name,
                columns=list(table.columns),
                rows=[[_shown(table, value, say) for value in row] for row in table.rows],
            )
            for table in view.tables(environment)
        ],
        words=list(map(say, view.remarks(environment))),
        text=view.text(environment, visit.turn),
        seats=[
            SeatShown(
                seat=place.index,
                rights=sorted(place.rights),
                choices=[
                    ChoiceShown(action=one.action, name=one.name, cell=one.cell, key=one.key)
                    for one in controls[place.index].choices
                ],
                knobs=[
                    KnobShown(name=one.name, low=one.low, high=one.high)
                    for one in controls[place.index].knobs
                ],
                action=to_plain(last.actions.get(place.index)) if last else None,
                reward=last.rewards.get(place.index) if last else None,
                total=totals[place.index][0],
                mean=totals[place.index][0] / totals[place.index][1]
                if totals[place.index][1]
                else None,
                observation=_observed(environment, place.index, seen.get(place.index)),
            )
            for place in environment.seats
        ],
        course=visit.course(),
        faults=list(map(say, visit.faults)),
    )


def _observed(environment: Any, seat: int, observation: Any) -> str:
    """What a seat observes, as it is told."""
    if observation is None:
        return ""
    return json.dumps(to_plain(observation), ensure_ascii=False)[:20_000]


OWN_WORDS = ("cells", "everybody", "clocks")
"""Tables whose texts are the world's; those of others are names that somebody gave."""


def _shown(table: Table, value: Any, say: Phrases) -> Any:
    if isinstance(value, str) and table.name in OWN_WORDS:
        return ", ".join(map(say, value.split(", ")))
    # JSON has no infinity.
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def about_of(visit: Visit, say: Phrases = ENGLISH) -> About:
    """What a visit's environment is, how complex, and how it is used in an assessment."""
    home, description = visit.home, visit.description
    data = description.to_json()
    file = f"{home.id}-{visit.seed}.json"
    return About(
        world=home.id,
        sentences=[say(one) for one in visit.view.explain(visit.environment)],
        complexities=[
            one.model_copy(update={"sentence": say(one.sentence)})
            for one in _complexities(home, description)
        ],
        description=data,
        file=file,
        command=worlds.command(visit.made, home, visit.address, file),
        subjects=_subjects_of(home, say),
    )


def offer_of(home: Any, say: Phrases) -> Offer:
    """The complexities and built-in subjects of a world, and the parameters that say nothing in it."""
    return Offer(
        measures=[
            MeasureForm(name=one.name, about=say(one.explanation), unit=one.unit)
            for one in home.measures.values()
        ],
        subjects=_subjects_of(home, say),
        content=say(f"Environments: {content_of(home)}."),
        idle=list(idle_parameters(home)),
    )


def _subjects_of(home: Any, say: Phrases) -> list[SubjectForm]:
    return [
        SubjectForm(name=subject, about=say(line), parameters=parameters)
        for subject, line, parameters in worlds.subjects_of(home)
    ]


def _complexities(home: Any, description: Any) -> list[Complexity]:
    """All of them; those that run programs for many episodes only where that is soon done."""
    slow = slow_measures(home, description)
    return [
        Complexity(name=name, unit=home.measures[name].unit, value=None, sentence=TOO_LONG)
        if name in slow
        else _complexity(home, description, name)
        for name in home.measures
    ]


def _complexity(home: Any, description: Any, name: str) -> Complexity:
    unit = home.measures[name].unit
    about = home.measures[name].explanation
    try:
        value = float(home.complexity(description, name))
    except MensuraError as error:
        return Complexity(name=name, unit=unit, value=None, sentence=str(error))
    return Complexity(
        name=name, unit=unit, value=value if math.isfinite(value) else None, sentence=about
    )
