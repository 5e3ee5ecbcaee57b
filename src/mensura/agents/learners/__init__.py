"""Reference learners that know no world: they play whatever has spaces they can read and choose from.

``q-learning`` and ``sarsa`` keep a table over whole observations; ``linear`` adds up what it learns of parts of them.
"""

from mensura.agents.learners.choices import Choices
from mensura.agents.learners.linear import Linear
from mensura.agents.learners.reading import Reader
from mensura.agents.learners.tables import QLearning, Sarsa
from mensura.core.errors import MensuraError
from mensura.core.spaces import Space

__all__ = ["Choices", "Linear", "QLearning", "Reader", "Sarsa", "learns"]


def learns(observation_space: Space, action_space: Space) -> bool:
    """Whether the learners can play with these spaces: the actions few or bounded, the observation not huge."""
    try:
        Choices(action_space)
        Reader(observation_space)
    except MensuraError:
        return False
    return True
