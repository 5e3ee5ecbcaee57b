"""Classes of environments, one folder each."""

from mensura.core.registry import WORLDS, Catalog

Catalog.of(__name__, WORLDS)
