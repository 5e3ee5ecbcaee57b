"""What Numba compiles."""
