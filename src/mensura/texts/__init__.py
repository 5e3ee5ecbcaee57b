"""Texts as graphs of concepts and relations, and how such graphs map onto one another (Hurley et al. 2016)."""
