"""Studies about the assessments themselves; ``mensura reproduce`` runs them."""

from pathlib import Path

WHAT_THE_SCORE_IS_WORTH = Path(__file__).parent / "studies" / "what-the-score-is-worth.yaml"
"""Claims on Lambda and Lambda Star, each with its verdict; docs/worth.md tells what came out."""
FOUR_TESTS = Path(__file__).parent / "studies" / "four-tests.yaml"
"""The AIQ test, the C-test, mixed items and the anytime test for the same subjects; docs/worth.md tells the result."""
