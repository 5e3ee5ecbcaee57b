"""Experiments on distributed constraints: study files that ``mensura reproduce`` runs and anybody may copy."""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

YOKOO_1998 = _STUDIES / "yokoo-1998.yaml"
"""Cycles of asynchronous backtracking and weak-commitment search on queens and colorings."""

PHASE_TRANSITION = _STUDIES / "phase-transition.yaml"
"""What algorithms take along constrainedness, where solvable problems become rare."""

DISCSP_NETLOGO_2016 = _STUDIES / "discsp-netlogo-2016.yaml"
"""Weak-commitment search on scale-free networks of 500 and 1000 agents, and its effort along constrainedness."""

ASYNCHRONY = _STUDIES / "asynchrony.yaml"
"""What algorithms take in synchronous cycles and where letters are delayed."""
