"""Families of items: a grammar of rules each, with the bits of a rule and the items that it makes."""
