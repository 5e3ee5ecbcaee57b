"""Editors of single worlds in the research view: one module each, found through the registry (``mensura.editors``)."""
