"""The kit: write the rules of a world in one file, and everything else follows.

A whole world, with a secret that one can only find out by trying::

    from mensura.worlds.kit import GENERATED, BaseWorld, Discrete, Measure, parameter

    class Guess(BaseWorld):
        "One number is the right one; after each guess one is told whether the right one is higher."

        id = "guess-v0"
        content = GENERATED                         # what a subject could have learned by heart is not ranked
        horizon: int = parameter(10, "Guesses", at_least=1)
        most: int = parameter(20, "The largest number that is drawn", at_least=2)
        measures = {"number": Measure("number", "how far the right number is from 0")}

        def draw(self, rng):                        # what sets one environment apart from others
            return {"number": int(rng.integers(self.most + 1))}

        def complexity(self, description, measure):
            return description.number

        def spaces(self, description, seat):        # what a seat may observe, and what it may do
            return Discrete(2), Discrete(self.most + 1)

        def start(self, state, rng):                # a new episode
            state.higher = 1

        def observe(self, state, seat):             # the only rule that shows something to a subject
            return state.higher

        def advance(self, state, actions, rng):     # play the actions, by seat; a reward for each seat
            state.higher = int(actions[0] < state.description.number)
            return [1.0 if actions[0] == state.description.number else -0.1]

:class:`BaseWorld` lists all that a world may say, and what holds where it says nothing: one seat, all seats act at
every turn, the episode ends at the horizon, and a picture shows what the seats observe. :mod:`mensura.worlds.echo` is
a world with types and a picture of its own. Everything that an author needs is imported from here.
"""

from numpy.random import Generator

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text
from mensura.core.abilities.content import BANK, FIXED, GENERATED
from mensura.core.contract import Ended, Measure
from mensura.core.group import Range
from mensura.pictures.picture import Area, Disc, Image, Line, Picture, Shape, Words
from mensura.worlds.kit.description import BaseDescription
from mensura.worlds.kit.environment import StepEnvironment
from mensura.worlds.kit.minds import Mind
from mensura.worlds.kit.parameters import parameter, seat_rights
from mensura.worlds.kit.state import State
from mensura.worlds.kit.world import BaseWorld

__all__ = [
    "BANK",
    "FIXED",
    "GENERATED",
    "Area",
    "BaseDescription",
    "BaseWorld",
    "Box",
    "Disc",
    "Discrete",
    "Ended",
    "Generator",
    "Image",
    "Line",
    "Measure",
    "MensuraError",
    "Mind",
    "Picture",
    "Range",
    "Record",
    "Several",
    "Shape",
    "Space",
    "State",
    "StepEnvironment",
    "Text",
    "Words",
    "parameter",
    "seat_rights",
]
