"""Compiled: the rules of Lambda, its minds, its generator, and what its sieves compute."""
