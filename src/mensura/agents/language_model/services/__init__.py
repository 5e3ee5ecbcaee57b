"""Whoever serves language models: a module for each wire, and what all of them share."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mensura.agents.language_model.services.reply import Service
    from mensura.agents.language_model.settings import Settings


def service_of(settings: Settings) -> Service:
    """The service that settings name; nobody is asked anything yet."""
    module, _, name = settings.served.service.partition(":")
    service: Service = getattr(import_module(module), name)(settings)
    return service
