"""What Numba compiles of Atari."""
