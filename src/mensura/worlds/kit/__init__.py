"""The kit: write the rules of a world in one file, and everything else follows.

Import from here; :mod:`mensura.worlds.echo` is a whole world to begin from.
"""

from numpy.random import Generator

from mensura.core.contract import Measure
from mensura.core.errors import MensuraError
from mensura.core.group import Range
from mensura.core.spaces import Box, Discrete, Record, Space
from mensura.pictures.picture import Area, Disc, Image, Line, Picture, Shape, Words
from mensura.worlds.kit.description import BaseDescription
from mensura.worlds.kit.environment import StepEnvironment
from mensura.worlds.kit.minds import Mind
from mensura.worlds.kit.parameters import parameter, seat_rights
from mensura.worlds.kit.state import State
from mensura.worlds.kit.world import BaseWorld

__all__ = [
    "Area",
    "BaseDescription",
    "BaseWorld",
    "Box",
    "Disc",
    "Discrete",
    "Generator",
    "Image",
    "Line",
    "Measure",
    "MensuraError",
    "Mind",
    "Picture",
    "Range",
    "Record",
    "Shape",
    "Space",
    "State",
    "StepEnvironment",
    "Words",
    "parameter",
    "seat_rights",
]
