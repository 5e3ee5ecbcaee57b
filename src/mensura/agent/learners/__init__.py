"""Reference learners that know no world: they play whatever has spaces they can read and choose from.

``q-learning`` and ``sarsa`` keep a table over whole observations; ``linear`` adds up what it learns of parts of them.
"""

from mensura.agent.learners.learner import learns
from mensura.agent.learners.linear import Linear
from mensura.agent.learners.tables import QLearning, Sarsa

__all__ = ["Linear", "QLearning", "Sarsa", "learns"]
