"""Studies over any language model, to be copied with the name of one: ``mensura study copy NAME --model MODEL``."""

from pathlib import Path

_STUDIES = Path(__file__).parent / "studies"

MODEL_HISTORIES = _STUDIES / "model-histories.yaml"
"""What a model is sent of earlier turns: all of them, the last ones, or its own notes."""

PROMPT_STYLES = _STUDIES / "prompt-styles.yaml"
"""The styles of prompts that are shipped."""
