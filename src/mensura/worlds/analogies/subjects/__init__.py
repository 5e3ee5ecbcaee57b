"""Subjects of the world of analogies: one that maps structures, and yardsticks that look at less."""
