"""Pluralistic ignorance, as one game of the torus (section 6.3 of the paper)."""

from __future__ import annotations

from mensura.core.doors import doors_of
from mensura.worlds.lambda_star.games.opinion import beliefs, texts
from mensura.worlds.lambda_star.games.opinion.drawing import LOOK
from mensura.worlds.lambda_star.games.opinion.kernels import minds, rules
from mensura.worlds.lambda_star.games.opinion.minds import SUBJECTS
from mensura.worlds.lambda_star.games.opinion.parameters import OPENINGS, Parameters, check
from mensura.worlds.lambda_star.torus.game import Drawn, Game
from mensura.worlds.lambda_star.torus.parameters import names_of

TALLY = {
    "ignorance": rules.IGNORANCE,
    "late_ignorance": rules.LATE,
    "reversal": rules.REVERSED,
    "misperception": rules.MISPERCEIVED,
    "falsification": rules.FALSIFIED,
    "detected": rules.DETECTED,
}
"""What is told of an episode; p is the share that believes what the majority believes, q the share that says so.

Ignorance: p - q, on average over the interactions, and in the last third of them. Reversal: the share of interactions
in which most say what the minority believes. Misperception: p minus the share of those in sight who say what the
majority believes, on average over subjects who see anybody: the error of one who takes the others at their word.
Falsification: the share of what is said that its speaker does not believe. Detected: 1 where q is below
1/2 - ``rules.MARGIN`` in the last third, else 0. Where beliefs are tied there is no majority, and only falsification is
told.
"""


def _dials(options: Parameters) -> tuple[float, ...]:
    return options.conformity, options.truth, OPENINGS.index(options.opening)


GAME = Game(
    "opinion",
    doors_of(rules.RULES, minds.MINDS),
    SUBJECTS,
    # Whatever would be paid for yes is lost by no, and a random subject says either as often.
    balanced=lambda _: True,
    measures=beliefs.MEASURES,
    explained=texts.explained,
    look=LOOK,
    deed="say yes",
    signals=True,
    told=texts.TOLD,
    options=names_of(Parameters),
    check=check,
    dials=_dials,
    tally=lambda _: TALLY,
    drawn=Drawn(beliefs.sample, beliefs.content, beliefs.pattern, beliefs.complexity),
    usual_assessment="battery",
)
