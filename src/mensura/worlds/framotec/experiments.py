"""The published experiments on FraMoTEC: a study file that ``mensura reproduce`` runs and anybody may copy.

Their figures are those of section 6 of Thorarensen, Thórisson, Bieger and Sigurðardóttir: FraMoTEC: Modular
Task-Environment Construction Framework for Evaluating Adaptive Control Systems (2016).
"""

from pathlib import Path

FRAMOTEC_2016 = Path(__file__).parent / "studies" / "framotec-2016.yaml"
"""Section 6: a learner and hand-written controllers in the car race, the locking plotter and N dimensions."""
