"""What is said of understanding: a row for each subject, sentences, and plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mensura.reports.number_words import listed, number, signed, some
from mensura.statistics.understanding import NAMES, Probe, Understanding

UNMEASURED = "not measured"
MINIMUM = "minimum"
GLOSSARY = (
    (
        "predict",
        "When it happens, how things are later, what is missing, whether related phenomena happen: 1 - S / S_ref of a "
        "proper score (Brier; CRPS for numbers), where S_ref is that of frequencies under random actions.",
    ),
    (
        "achieve",
        "Goals to cause, to prevent and to set, by a plan that is run or by acting: 0 is what random actions reach, 1 "
        "all of them.",
    ),
    (
        "explain",
        "The mean of two: F1 of cause-effect pairs with signs, rescaled so that a random graph with as many has 0; and "
        "Cohen's kappa on what would have happened without a cause.",
    ),
    (
        "recreate",
        "A model in the notation of the world, run on 100 sequences that nobody knew, half of them made to tell near "
        'models apart: 1 - error / error of "nothing changes".',
    ),
    (
        "minimum",
        "The least of those that were measured. There is no mean: understanding asks for all four (section 5.3 of "
        '"Evaluation of General-Purpose Artificial Intelligence: Why, What & How").',
    ),
    (
        "contrast",
        "How much better a subject performs with a tool than without it, or without an obstacle than with it, by the "
        "rewards of the whole task.",
    ),
    ("not measured", "The subject has no such method, or nothing could be asked. It is never a 0."),
)  # fmt: skip


def value_of(probe: Probe | float | None) -> str:
    """A probe, or the minimum, in a cell."""
    value = probe.value if isinstance(probe, Probe) else probe
    return UNMEASURED if value is None else number(value, 2)


def measures_table(found: Sequence[Understanding]) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of the table; columns for the contrast and for faults where there are any."""
    contrasted = any(one.contrast is not None for one in found)
    faulty = any(one.faults for one in found)
    columns = ["subject", *NAMES, MINIMUM]
    columns += ["contrast"] * contrasted + ["bad answers"] * faulty
    rows = []
    for one in found:
        row = [one.subject, *map(value_of, one.probes.values()), value_of(one.minimum)]
        if contrasted:
            row.append(UNMEASURED if one.contrast is None else signed(one.contrast))
        if faulty:
            row.append(str(len(one.faults)))
        rows.append(row)
    return columns, rows


def parts_table(found: Sequence[Understanding]) -> tuple[list[str], list[list[str]]]:
    """What probes are made of, a row for each part of each subject's."""
    rows = [
        [one.subject, name, part, UNMEASURED if value is None else number(value, 2)]
        for one in found
        for name, probe in one.probes.items()
        for part, value in probe.parts.items()
    ]
    return ["subject", "probe", "part", "value"], rows


def told(found: Sequence[Understanding]) -> Iterator[str]:
    """What was found, in sentences."""
    for one in found:
        known = {name: probe for name, probe in one.probes.items() if probe.value is not None}
        if not known:
            yield f"Nothing could be measured of {one.subject}."
            continue
        least = min(known, key=lambda name: known[name].value or 0.0)
        best = max(known, key=lambda name: known[name].value or 0.0)
        if len(known) > 1 and known[least].value == known[best].value:
            yield f"{one.subject} has {value_of(known[least])} at {listed(list(known))}."
        elif len(known) == 1:
            yield f"Of {one.subject} only {least} was measured: {value_of(known[least])}."
        else:
            yield (
                f"{one.subject} is best at {best} ({value_of(known[best])}) and weakest at {least} "
                f"({value_of(known[least])}), which is its minimum{_of_how_many(len(known))}."
            )
        missing = [f"{name} ({probe.why})" for name, probe in one.probes.items() if probe.why]
        if missing:
            yield f"Not measured of {one.subject}: {listed(missing)}."
        if one.faults:
            count = some(len(one.faults), "answer")
            yield f"{count} of {one.subject} {_were(len(one.faults))} bad; the first: {one.faults[0]}"


def _of_how_many(count: int) -> str:
    return "" if count == len(NAMES) else f" of the {count} that were measured"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def plain(one: Understanding) -> dict[str, Any]:
    """All that is told of a subject as plain data; what was not measured is None."""
    return {
        "subject": one.subject,
        "phenomenon": one.phenomenon,
        **{
            name: {
                "value": probe.value,
                "parts": dict(probe.parts),
                "asked": probe.asked,
                "why": probe.why or None,
            }
            for name, probe in one.probes.items()
        },
        "minimum": one.minimum,
        "contrast": one.contrast,
        "faults": list(one.faults),
    }
