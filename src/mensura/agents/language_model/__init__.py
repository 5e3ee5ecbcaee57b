"""Language models as subjects, whoever serves them.

``openai:MODEL?base_url=http://127.0.0.1:8080/v1&temperature=0`` names one; ``schemes.py`` lists all schemes. What is
told and asked stands in ``prompts.py``, how answers are read in ``actions.py``, what is remembered in
``conversation.py``, and how services are asked, with patience and within rates, in ``services/``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # addresses ask which schemes name models, and so come later
    from mensura.agent.task import Limits
    from mensura.agents.address import Part
    from mensura.core.contract import World
    from mensura.core.players import Subject

SECONDS_PER_ACTION = 120.0
"""How long an answer may take where nobody says otherwise: thinking aloud takes its time."""


def from_model(part: Part, world: World, limits: Limits) -> Subject:
    """The language model that an address names. Nobody is asked anything before it sits down."""
    from mensura.agents.language_model.player import LanguageModel
    from mensura.agents.language_model.prices import price_of
    from mensura.agents.language_model.settings import read_settings

    settings = read_settings(part)
    if settings.price_in is None:
        prices = price_of(settings.model)
        if prices is not None:
            settings = replace(settings, price_in=prices[0], price_out=prices[1])
    return LanguageModel(part, settings, world)
