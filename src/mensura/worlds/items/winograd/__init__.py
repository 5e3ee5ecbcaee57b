"""Winograd schemas: sentences whose pronoun flips its meaning when one word is exchanged (Levesque, 2011)."""
