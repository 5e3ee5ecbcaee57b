"""Atari: video games of 1977 to 1989 on an emulated console, with checkpoints to start from."""
