"""The rehearsal that ``mensura reproduce`` runs: machines before judges who are programs."""

from pathlib import Path

IMITATION_REHEARSAL = Path(__file__).parent / "studies" / "imitation-rehearsal.yaml"
"""Judged by machines, and marked so."""
