"""Learners that are trained here: deep Q-networks, from checkpoints and from the experience of others."""
