"""The study of models on items: a study file that ``mensura reproduce`` runs and anybody may copy."""

from pathlib import Path

IQ_MODELS = Path(__file__).parent / "studies" / "iq-models.yaml"
"""After the review of Martínez-Plumed and others (2016): models of the literature on all families."""
