"""The published experiments on Lambda Star: study files that ``mensura reproduce`` runs and anybody may copy.

The values of 2016 are those that the authors shipped with their program (the file results.txt of the code base that
Chmait, Li, Dowe and Green name as reference 6 of "A Dynamic Intelligence Test Framework for Evaluating AI Agents"),
one run each. Between runs that program scatters by about 0.01 to 0.05.
"""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

LAMBDA_STAR_2016 = _STUDIES / "lambda-star-2016.yaml"
"""13 subjects in three settings, under the readings of the program and of the paper's text."""

COLLECTIVE_FACTORS = _STUDIES / "collective-factors.yaml"
"""Six factors, each alone and each pair of them crossed."""
