"""The published experiments on Lambda: study files that ``mensura reproduce`` runs and anybody may copy.

Their figures and values are those of chapters 5 and 6 of Insa-Cabrera: Análisis de primeros prototipos de tests de
inteligencia universales (2011).
"""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

INSA_2011_AI = _STUDIES / "insa-2011-ai.yaml"
"""Chapter 5: subjects that learn and that do not, alone and in company, over 3, 6 and 9 cells."""

INSA_2011_SWEEP = _STUDIES / "insa-2011-sweep.yaml"
"""Section 5.2: 20 by 20 parameters of Q-learning."""

INSA_2011_HUMANS = _STUDIES / "insa-2011-humans.yaml"
"""Chapter 6: 20 tests of 7 environments, Q-learning and people."""
