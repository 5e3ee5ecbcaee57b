"""Subjects that make sense in every world, and the ways to reach code that is not ours."""
