"""The prisoner's dilemma, spatial and repeated, between all who are near each other."""
