"""Studies over any language model, to be run or copied with the name of one.

``mensura reproduce language-models --model MODEL`` runs the first of them; ``mensura study copy NAME --model MODEL``
copies one of the others.
"""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

LANGUAGE_MODELS = _STUDIES / "language-models.yaml"
"""What models cost and what they are worth; ``mensura reproduce language-models --model MODEL`` runs it."""

MODEL_HISTORIES = _STUDIES / "model-histories.yaml"
"""What a model is sent of earlier turns: all of them, the last ones, or its own notes."""

PROMPT_STYLES = _STUDIES / "prompt-styles.yaml"
"""The styles of prompts that are shipped."""
