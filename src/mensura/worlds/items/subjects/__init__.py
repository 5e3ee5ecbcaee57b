"""Subjects of the world of items: models of the literature and yardsticks, which take any item."""
