"""What Numba compiles of PAGI World."""
