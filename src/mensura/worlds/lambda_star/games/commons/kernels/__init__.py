"""Compiled: the rules and the minds of this game."""
