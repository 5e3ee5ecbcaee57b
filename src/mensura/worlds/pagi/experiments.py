"""The claims of the paper on PAGI World, measured: a study file that ``mensura reproduce`` runs."""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

PAGI_WORLD_2016 = _STUDIES / "pagi-world-2016.yaml"
"""Section 4 of Atreya et al. (2016), which has no table: each claim beside a measurement."""
