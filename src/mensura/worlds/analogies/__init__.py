"""Analogies: what in one structure corresponds to what in another, with answers that are proved."""
