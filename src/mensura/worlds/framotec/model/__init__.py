"""A task as data: its parts, files, checks, and operations that make other tasks of it."""
