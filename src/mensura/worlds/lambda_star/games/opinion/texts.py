"""What is said of opinions: to subjects, and to somebody who was not there."""

from __future__ import annotations

from mensura.worlds.lambda_star.games.opinion.parameters import Parameters

TOLD = (
    "With each action you say yes or, if you do not say yes, no, and so does everybody; others in sight hear "
    "it. Your private signal is what you believe, 1 for yes and -1 for no; what others believe you are not "
    "told. What you get depends on what you say, what you believe, and what those near you say."
)


def explained(d: Parameters) -> tuple[str, ...]:
    """What is believed, said and paid, for somebody who was not there."""
    honesty = 1 - d.conformity - d.truth
    before = {
        "fair": "what they believe",
        "misleading": "what the minority believes",
        "random": "what a coin said",
    }
    return (
        "Every agent believes yes or no, privately, and with each move says yes or no. It hears what those in sight "
        f"say, and never learns what they believe. Before the first interaction all have said {before[d.opening]}.",
        f"It is paid for saying what most of those at most {d.radius} away say (weight {d.conformity:g}), what it "
        f"believes (weight {honesty:.3g}) and what is so (weight {d.truth:g}); saying the contrary costs as much. "
        "Where most say what few believe, each taking the others at their word, a group is in pluralistic ignorance.",
        "The complexity of an environment, its dissent, is how many believe what the minority believes.",
    )
