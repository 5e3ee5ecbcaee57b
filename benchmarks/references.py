"""Assess the reference subjects and write their scores to the package: ``python benchmarks/references.py``.

Run it after a change that alters scores. The result is the same on every machine.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import mensura.assessments
from mensura.studies.runs import run_study
from mensura.studies.study import study_from_plain

SEED = 2011
SUBJECTS = ["random", "follower", "q-learning", "planner", "oracle"]
BUDGETS = {10_000: 100, 100_000: 50, 1_000_000: 20}
"""Of the anytime test, with the number of its chains."""
ASSESSMENTS: list[dict[str, Any]] = [
    # With the budget kept, and with a last slot that is whole, as printed.
    *(
        {
            "assessment": "anytime",
            "parameters": {"interactions": budget, "sittings": chains, "overrun": overrun},
        }
        for overrun in (False, True)
        for budget, chains in BUDGETS.items()
    ),
    {"assessment": "universal", "parameters": {"sittings": 20}},
    {"assessment": "timed", "parameters": {"interactions": 1000, "sittings": 1000}},
    {"assessment": "battery", "parameters": {"episodes": 1000}},
    {"assessment": "adaptive", "parameters": {"sittings": 20}},
    {"assessment": "social", "parameters": {"sittings": 200}},
    # People are placed among programs that start anew in each exercise, as Q-learning did in the thesis.
    {"assessment": "exercises", "parameters": {"sittings": 1000, "memory": "fresh"}},
]


def main() -> None:
    """Run all of them in one study."""
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "references",
            "seed": SEED,
            "subjects": SUBJECTS,
            "worlds": ["lambda-v1"],
            "assessments": ASSESSMENTS,
        }
    )
    result = run_study(study)
    entries = []
    for condition in result.conditions:
        assessment = dict(condition.assessment)
        name = assessment.pop("name")
        entries.append(
            {
                "world": condition.world,
                "parameters": dict(condition.world_parameters),
                "assessment": name,
                "given": assessment,
                "seed": SEED,
                "scores": {one.subject: asdict(one.moments) for one in condition.subjects},
            }
        )
        print(
            condition.title, {one.subject: round(one.score.value, 3) for one in condition.subjects}
        )
    path = Path(mensura.assessments.__file__).parent / "references.json"
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
