"""The study that holds the claims of the theory against the assessments; ``mensura reproduce`` runs it."""

from pathlib import Path

WHAT_THE_SCORE_IS_WORTH = Path(__file__).parent / "studies" / "what-the-score-is-worth.yaml"
"""Claims on Lambda and Lambda Star, each with its verdict; docs/worth.md tells what came out."""
