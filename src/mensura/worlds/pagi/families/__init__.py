"""The families of tasks: each a generator with one named grade."""
