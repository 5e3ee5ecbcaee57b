"""Experiments on distributed constraints: study files that ``mensura reproduce`` runs and anybody may copy."""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

YOKOO_1998 = _STUDIES / "yokoo-1998.yaml"
"""Cycles of asynchronous backtracking and weak-commitment search on queens and colorings."""

PHASE_TRANSITION = _STUDIES / "phase-transition.yaml"
"""What algorithms take along constrainedness, where solvable problems become rare."""
