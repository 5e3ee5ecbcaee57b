"""The public base of algorithms for distributed constraints: all that a subject in its cage sees of this world."""

from mensura.worlds.constraints.agent_base.algorithm import Algorithm, Table, Values, on
from mensura.worlds.constraints.agent_base.knowledge import Group, Knowledge, Numbers, Place

__all__ = ["Algorithm", "Group", "Knowledge", "Numbers", "Place", "Table", "Values", "on"]
