"""The published experiment on BF: a study file that ``mensura reproduce`` runs and anybody may copy."""

from pathlib import Path

AIQ_2011 = Path(__file__).parent / "studies" / "aiq-2011.yaml"
"""Table of Legg and Veness (2011): four learners at lengths from 1,000 to 30,000 interactions."""
