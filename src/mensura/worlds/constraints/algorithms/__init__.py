"""Algorithms of distributed constraints, each an agent that knows what its seat observes and nothing else."""
