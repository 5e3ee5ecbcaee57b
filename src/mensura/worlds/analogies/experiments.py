"""What ``mensura reproduce`` runs of analogies."""

from pathlib import Path

DR_INVENTOR_2016 = Path(__file__).parent / "studies" / "dr-inventor-2016.yaml"
"""Structure against looks: success against bits, order, distractors and pull."""
