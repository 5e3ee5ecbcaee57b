"""Lambda: a labeled graph on which Good and Evil leave rewards behind (Insa-Cabrera, 2011)."""
