"""The built-in subjects."""
