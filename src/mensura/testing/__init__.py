"""Conformance checks, public, for people who add worlds and agents: what is wrong with one, in words."""

from mensura.testing.agents import check_subject
from mensura.testing.worlds import check_world

__all__ = ["check_subject", "check_world"]
