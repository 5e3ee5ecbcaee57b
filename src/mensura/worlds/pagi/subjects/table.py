"""The subjects by name."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.core.group import Range
from mensura.worlds.kit.minds import Mind
from mensura.worlds.pagi.subjects.beam import Rule1, Rule2, Rule3, TorqueRule
from mensura.worlds.pagi.subjects.planner import Planner
from mensura.worlds.pagi.subjects.programs import Program
from mensura.worlds.pagi.subjects.reasoner import Reasoner
from mensura.worlds.pagi.subjects.trier import Trier

KNOWING = frozenset({"knows_task"})
MINDS: Mapping[str, Mind] = {
    "planner": Mind(Planner, rights=KNOWING),
    "torque-rule": Mind(TorqueRule, rights=KNOWING),
    "rule-1": Mind(Rule1, rights=KNOWING),
    "rule-2": Mind(Rule2, rights=KNOWING),
    "rule-3": Mind(Rule3, rights=KNOWING),
    "reasoner": Mind(Reasoner),
    "trier": Mind(Trier, {"practice": (0.0, Range(0, 100_000))}),
    "program": Mind(
        Program,
        {"reflexes": (1.0, Range(0, 1)), "latency": (0.0, Range(0, 10))},
        rights=KNOWING,
    ),
}
