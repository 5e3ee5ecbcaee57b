"""Expressions of transitions, in the notation of the paper: the language, with functions of time and of chance.

::

    car.mass <- 1200 + car.energy / 46000
    lamp.value <- noise(0, 1) when pulse(2, 0.5)
"""

from __future__ import annotations

from mensura.core.expressions.language import OF_CHANCE, OF_TIME, Language

LANGUAGE = Language({**OF_TIME, **OF_CHANCE}, example="car.mass <- 1200")

parse_expression = LANGUAGE.parse_expression
parse_assignment = LANGUAGE.parse_assignment
names_in = LANGUAGE.names_in
kind_of = LANGUAGE.kind_of
