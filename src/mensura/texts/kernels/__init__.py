"""Compiled parts of mapping."""
