"""Questions about a phenomenon as people get them: what is told as tables and lists, and a form made of the schema.

The schema is the one by which language models answer (:mod:`mensura.agents.probe_schema`). What a page sends back is
the same object, ``{"answer": ...}``, or ``{"left_out": true}`` of whoever does not want to answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from mensura.agent.asks import LEFT_OUT, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete, Space
from mensura.agents.probe_schema import Schema, answer_schema
from mensura.pictures.scenes import Controls
from mensura.studies.stepped import WITHOUT_ANSWER
from mensura.web.people.forms import MOST_FIELDS, Form, check_form, fields_of, form_of

Plain: TypeAlias = dict[str, Any]

ANSWER = "answer"
LONGEST_MODEL = 20_000
"""So many characters a model may have."""
MOST_CAUSES = 60
"""So many causes an explanation may name."""
FEW = 12
"""So many whole numbers are offered one by one."""
SIGNS = {
    1: "it raises the effect or brings it about",
    -1: "it lowers or hinders the effect",
    0: "it depends",
}


def value_of(given: Any) -> Any:
    """The answer that was given; :data:`LEFT_OUT` where it was left out, MensuraError where it is neither."""
    if given == WITHOUT_ANSWER:
        return LEFT_OUT
    if isinstance(given, Mapping) and set(given) == {ANSWER}:
        return given[ANSWER]
    raise MensuraError("That is not an answer to the question; answer it, or leave it out.")


def problem_of(ask: Ask, given: Any) -> str:
    """What is wrong with an answer, in a sentence; nothing where it is good."""
    try:
        value = value_of(given)
        if isinstance(value, str) and len(value) > LONGEST_MODEL:
            return f"The text has {len(value)} characters; {LONGEST_MODEL} are the most."
        if value is not LEFT_OUT and ask.check is not None:
            ask.check(value)
    except MensuraError as error:
        return str(error)
    return ""


def check_plan(space: Space, length: int) -> None:
    """Raise if the form of a plan would be too long for a page."""
    check_form(space)
    count = fields_of(space) * length
    if count > MOST_FIELDS:
        raise MensuraError(
            f"A plan has {count} numbers and texts, too many for people to fill in; {MOST_FIELDS} are the most."
        )


# The form -------------------------------------------------------------------------------


def probe_form(ask: Ask, space: Space, controls: Controls | None) -> Form:
    """How a question is answered."""
    question: Mapping[str, Any] = ask.question
    form = form_of_schema(answer_schema(ask.kind, question, space))
    if ask.kind == "plan":
        form["item"] = form_of(space, controls)
        form["first"] = question["length"]
        form["preset"] = question["phenomenon"]["actions"][0]
    if ask.kind == "explain":
        fields = dict(form["fields"])
        fields["without"]["about"] = [
            {"part": one["without"], "course": _course(one, space, controls)}
            for one in question["cases"]
        ]
    return form


def form_of_schema(schema: Schema) -> Form:
    """A form for values of a schema: of those that answers to probes have, each has one of its own."""
    kind = schema["type"]
    low, high = schema.get("minimum"), schema.get("maximum")
    if kind == "object":
        return {
            "kind": "record",
            "fields": [[name, form_of_schema(one)] for name, one in schema["properties"].items()],
        }
    if kind == "string":
        if "enum" in schema:
            return _choices({one: one for one in schema["enum"]})
        return {"kind": "text", "longest": LONGEST_MODEL, "characters": None}
    if kind == "integer" and low is not None and high is not None and high - low < FEW:
        if (low, high) == (-1, 1):
            return _choices(SIGNS)
        return _choices({one: str(one) for one in range(int(low), int(high) + 1)})
    if kind == "array":
        return _list_of(schema)
    share = kind == "number" and (low, high) == (0, 1)
    return {
        "kind": "share" if share else "number",
        "low": low,
        "high": high,
        "whole": kind == "integer",
    }


def _list_of(schema: Schema) -> Form:
    items = schema["items"]
    if items["type"] == "boolean":
        return {"kind": "cases", "count": schema["minItems"], "about": []}
    return {
        "kind": "several",
        "most": schema.get("maxItems", MOST_CAUSES),
        "item": form_of_schema(items),
        "first": 1,
    }


def _choices(named: Mapping[Any, str]) -> Form:
    return {"kind": "choices", "choices": [{"action": one, "name": named[one]} for one in named]}


# What is told ---------------------------------------------------------------------------


def told_of(ask: Ask, space: Space, controls: Controls | None) -> Plain:
    """What a question tells: words, and what is given in tables and lists, each under a name that pages know."""
    question: Mapping[str, Any] = ask.question
    about = question["phenomenon"]
    tables = []
    if "start" in question:
        tables.append({"name": "start", "rows": _rows(about["variables"], question["start"])})
    if "state" in question:
        rows = _rows(about["variables"], question["state"])
        tables.append({"name": "state", "step": question["step"], "rows": rows})
    if ask.kind in ("explain", "model"):
        tables.append({"name": "variables", "rows": _rows(about["variables"], {})})
    return {
        "kind": ask.kind,
        "text": question["text"],
        "tables": tables,
        "actions": _runs(question.get("actions", ()), space, controls),
        "parts": list(about["parts"]) if ask.kind == "explain" else [],
    }


def _rows(variables: Sequence[Mapping[str, Any]], state: Mapping[str, float]) -> list[Plain]:
    return [
        {
            "name": one["name"],
            "value": f"{state[one['name']]:g}" if one["name"] in state else "?" if state else "",
            "low": f"{one['low']:g}",
            "high": f"{one['high']:g}",
            "meaning": one.get("meaning", ""),
        }
        for one in variables
    ]


def _course(case: Mapping[str, Any], space: Space, controls: Controls | None) -> Plain:
    start = [f"{name} {value:g}" for name, value in case["start"].items()]
    return {"start": start, "actions": _runs(case["actions"], space, controls)}


def _runs(actions: Sequence[Any], space: Space, controls: Controls | None) -> list[Plain]:
    """Actions in words, those that are the same one after another together."""
    named = (action_in_words(one, space, controls) for one in actions)
    return [{"name": name, "times": len(list(same))} for name, same in groupby(named)]


def action_in_words(action: Any, space: Space, controls: Controls | None) -> str:
    """An action as the form of actions calls it."""
    if isinstance(space, Discrete):
        names = {one.action: one.name for one in controls.choices} if controls else {}
        return names.get(action, str(action))
    if isinstance(action, list | tuple) and controls and len(controls.knobs) == len(action):
        return ", ".join(
            f"{knob.name} {value:g}" for knob, value in zip(controls.knobs, action, strict=True)
        )
    return str(action)


def in_words_of(say: Callable[[str], str], told: Plain) -> Plain:
    """What a question tells in another language; names stay as they are, since answers and models use them."""
    tables = [
        {**one, "rows": [{**row, "meaning": say(row["meaning"])} for row in one["rows"]]}
        for one in told["tables"]
    ]
    actions = [{**one, "name": say(one["name"])} for one in told["actions"]]
    return {**told, "text": say(told["text"]), "tables": tables, "actions": actions}
