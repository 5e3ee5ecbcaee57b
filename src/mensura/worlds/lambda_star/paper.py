"""The experiments on Lambda Star: study files that ``mensura reproduce`` runs and anybody may copy.

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

EMERGENCE = _STUDIES / "emergence.yaml"
"""Collectives against the sum of their parts: group size, communication range, complexity, and what is said."""

PRISONERS_DILEMMA = _STUDIES / "prisoners-dilemma.yaml"
"""Strategies of the prisoner's dilemma, each against each."""

DILEMMA_DENSITY = _STUDIES / "dilemma-density.yaml"
"""Groups of one strategy that err, in more and less room."""

COORDINATION = _STUDIES / "coordination.yaml"
"""Section 6.1: what a group gains over its members alone where Good pays only a company."""

COVERAGE = _STUDIES / "coverage.yaml"
"""Section 6.1: what share of the space a group sees, and how fast."""

REACTIVE = _STUDIES / "reactive.yaml"
"""Section 6.1: Good and Evil that flee, follow or tire."""

HETEROGENEOUS = _STUDIES / "heterogeneous.yaml"
"""Section 6.1: members that see, move and want differently."""

FITNESS_LANDSCAPE = _STUDIES / "fitness-landscape.yaml"
"""Section 6.2: subjects on landscapes of growing ruggedness that stand still or drift."""

COMMONS = _STUDIES / "commons.yaml"
"""Section 6.3: when and with how many subjects a commons collapses."""

PLURALISTIC_IGNORANCE = _STUDIES / "pluralistic-ignorance.yaml"
"""Honest ones and conformists, who see more or less of each other."""
