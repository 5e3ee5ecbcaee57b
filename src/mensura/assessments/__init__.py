"""Protocols that choose environments and turn rewards into a score."""

from mensura.core.registry import ASSESSMENTS, Catalog

Catalog.of(__name__, ASSESSMENTS)
