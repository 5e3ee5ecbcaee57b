"""Worlds around worlds in which something is perturbed: what is observed, done or told, or how much time there is."""
