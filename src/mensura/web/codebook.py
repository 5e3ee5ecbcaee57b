"""What every column of an export means: its type, meaning, unit and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mensura.studies.people import PeopleEntry

TIME = "ISO 8601, UTC"


class Column(NamedTuple):
    """One column."""

    type: type
    meaning: str
    unit: str = ""
    values: str = ""


PSEUDONYM = Column(
    str, "What the participant is called.", "", "P0001 and so on; T0001 in the pilot"
)

PARTICIPANTS: Mapping[str, Column] = {
    "pseudonym": PSEUDONYM,
    "external": Column(str, "The id that they joined with, as of a recruiting service."),
    "wave": Column(str, "The wave in which they came."),
    "conditions": Column(
        str,
        "The conditions that they go through, in their order; empty where there is but one.",
        "",
        "names with ; between them",
    ),
    "room": Column(int, "The room that they are in, where several play together."),
    "state": Column(
        str,
        "How far they are.",
        "",
        "invited, consented, playing, finished, withdrawn (answers deleted), screened (could not take part)",
    ),
    "excluded": Column(
        str,
        "Why they were screened out, or which checks they failed; nobody is left out of results by it.",
        "",
        "comprehension; attention: NAME; nobody came; left the room; several with ; between them",
    ),
    "left_out": Column(
        str,
        "The rules of exclusion of the study that hold of them; results are told with and without them.",
        "",
        "rules with ; between them",
    ),
    "consented": Column(str, "When they agreed to take part.", TIME),
    "consent_version": Column(
        int, "The version of the text that they agreed to.", "", "0: that of the pages"
    ),
    "consent_language": Column(str, "The language of that text.", "", "en, es"),
    "reuse": Column(
        bool, "Whether what they do may be used further.", "", "empty: they were not asked"
    ),
    "before_at": Column(str, "When they answered the questions before.", TIME),
    "tries": Column(int, "How often they tried the questions on the instructions.", "tries"),
    "checked_at": Column(str, "When they passed them.", TIME),
    "started": Column(str, "When they first answered in the exercises.", TIME),
    "last": Column(str, "When they last did.", TIME),
    "after_at": Column(str, "When they answered the questions after.", TIME),
    "exercise": Column(
        int,
        "The exercise that they are in or ended with, from 1, practice included; 0 before the first.",
    ),
    "answered": Column(int, "How many actions they took.", "actions"),
    "score": Column(float, "The score of the whole test, once it is over.", "", "-1 to 1"),
    "device": Column(
        str,
        "The kind of device that they last used, by the browser.",
        "",
        "desktop, tablet, phone",
    ),
    "viewport": Column(str, "The size of the page in it.", "CSS pixels, width x height"),
    "input": Column(str, "What they last acted with.", "", "mouse, touch, pen, keyboard"),
    "language": Column(str, "The language of the pages that they last saw.", "", "en, es"),
    "focus_losses": Column(
        int, "How often the page of the exercises was left for another, or hidden.", "times"
    ),
    "minutes": Column(float, "From the first answer in the exercises to the last.", "minutes"),
    "median_response_ms": Column(
        float, "The median of response_ms over their answers.", "milliseconds"
    ),
    "fast_share": Column(float, "The share of answers below 200 ms.", "", "0 to 1"),
    "latency_ms": Column(
        float, "The median of waited_ms - response_ms over their answers.", "milliseconds"
    ),
    "failed_checks": Column(int, "How many checks of attention they failed.", "checks"),
}

INTERACTIONS: Mapping[str, Column] = {
    "pseudonym": PSEUDONYM,
    "condition": Column(str, "The condition; empty where there is but one."),
    "practice": Column(int, "Whether it was practice, which counts nowhere.", "", "0, 1"),
    "room": Column(int, "The room, where several play together."),
    "seat": Column(int, "The seat in it, from 0."),
    "exercise": Column(
        int,
        "The number of the exercise, from 1, through all conditions; practice is counted apart. In rooms the episode.",
    ),
    "interaction": Column(
        int, "The number of the interaction in it, from 0; in rooms the turn of the room."
    ),
    "observation": Column(str, "What was observed.", "JSON"),
    "action": Column(
        str, "What was done; what was done by default after the time was over is not told.", "JSON"
    ),
    "message": Column(str, "What was told with it, in rooms.", "", "names of symbols"),
    "reward": Column(float, "What it got.", "", "-1 to 1 in most worlds"),
    "response_ms": Column(
        float, "From showing to acting, by the clock of the browser.", "milliseconds"
    ),
    "waited_ms": Column(
        float, "The same by the clock of the server, the network included.", "milliseconds"
    ),
    "at": Column(str, "When the answer came.", TIME),
    "problem": Column(
        str, "Why the answers of somebody cannot be played again; such a row has nothing else."
    ),
}

QUESTIONNAIRES: Mapping[str, Column] = {
    "pseudonym": PSEUDONYM,
    "question": Column(
        str, "The name of the question; NAME#1 is the first try at one on the instructions."
    ),
    "answer": Column(str, "What was answered; empty where nothing was."),
}

TABLES: Mapping[str, Mapping[str, Column]] = {
    "participants": PARTICIPANTS,
    "interactions": INTERACTIONS,
    "questionnaires": QUESTIONNAIRES,
}

CODEBOOK: Mapping[str, Column] = {
    name: Column(str, "")
    for name in ("table", "column", "question", "type", "meaning", "unit", "values")
}

_TYPES = {str: "text", int: "whole number", float: "number", bool: "yes or no"}


def types_of(columns: Mapping[str, Column]) -> dict[str, type]:
    """The columns with their types alone."""
    return {name: one.type for name, one in columns.items()}


def codebook(people: PeopleEntry) -> Iterator[dict[str, Any]]:
    """A row for every column of every table, and for every question of the experimenter's own."""
    for table, columns in TABLES.items():
        for name, one in columns.items():
            yield {
                "table": table,
                "column": name,
                "type": _TYPES[one.type],
                "meaning": one.meaning,
                "unit": one.unit,
                "values": one.values,
            }
    checks = () if people.comprehension is None else people.comprehension.questions
    for question in (*people.before, *checks, *people.after):
        asked = " / ".join(f"{code}: {text}" for code, text in question.asked.items())
        right = "" if question.right is None else f" (right: {question.right})"
        yield {
            "table": "questionnaires",
            "column": "answer",
            "question": question.name,
            "type": question.kind,
            "meaning": asked,
            "values": ", ".join(question.answers) + right,
        }


def sidecar(columns: Mapping[str, Column]) -> dict[str, dict[str, str]]:
    """The columns of a table as the JSON file beside it has them in BIDS."""
    named = {
        name: {"Description": one.meaning, "Units": one.unit, "Levels": one.values}
        for name, one in columns.items()
    }
    return {name: {key: text for key, text in one.items() if text} for name, one in named.items()}
