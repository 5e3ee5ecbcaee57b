"""Subjects of PAGI World's own."""
