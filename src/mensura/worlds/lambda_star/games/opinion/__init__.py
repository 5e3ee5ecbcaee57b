"""Pluralistic ignorance: saying what most near one say, what one believes, and what is so."""
