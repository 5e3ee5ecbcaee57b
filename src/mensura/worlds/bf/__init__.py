"""BF: environments that are programs of a small universal machine, after the AIQ test of Legg and Veness (2011)."""
