"""Compiled: the row of an environment, how an interaction goes, and the minds that every game knows."""
