"""PAGI World: a body in a physical world, with every sense on a port (Atreya et al. 2016)."""
