"""The published experiment on BF: a study file that ``mensura reproduce`` runs and anybody may copy."""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

AIQ_2011 = _STUDIES / "aiq-2011.yaml"
"""Table of Legg and Veness (2011): four learners at lengths from 1,000 to 30,000 interactions."""

AIQ_2011_FULL = _STUDIES / "aiq-2011-full.yaml"
"""The same at 100,000 interactions, and MC-AIXI."""
