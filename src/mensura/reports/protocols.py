"""What a report says of each assessment: what one sitting of it is called, what was done, and what its score means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mensura.core.errors import MensuraError
from mensura.core.registry import WORLDS
from mensura.records.results import RunResult, SubjectResult
from mensura.reports.words import listed, some, whole

LAMBDA_STAR = "lambda-star-"
"""How the ids of the world begin that Chmait et al. (2016) is about."""

CHMAIT = "Chmait, Li, Dowe and Green: A Dynamic Intelligence Test Framework for Evaluating AI Agents (2016)"
DOWE = "Hernandez-Orallo and Dowe: Measuring Universal Intelligence: Towards an Anytime Intelligence Test (2010)"
FRAMOTEC = "Thorarensen, Thórisson, Bieger and Sigurðardóttir: FraMoTEC (2016)"
INSA = "Insa-Cabrera: Análisis de primeros prototipos de tests de inteligencia universales (2011)"

BALANCED = (
    "Rewards lie between -1 and 1 and are balanced: acting at random is worth 0 in the long run; 1 would be the "
    "largest reward in every iteration."
)

BOUNDED = "Rewards lie between -1 and 1. They are not balanced: what acting at random is worth is for the run to show."


def balanced(world: str, parameters: Mapping[str, Any]) -> bool:
    """Whether acting at random is worth 0 in a world with these parameters, as far as anybody knows.

    Whoever is not told otherwise by the world takes it for balanced.
    """
    try:
        kind: Any = WORLDS.load(world)
        promises = getattr(kind, "promises", None)
        if isinstance(promises, property):
            given = {n: tuple(v) if isinstance(v, list) else v for n, v in parameters.items()}
            promises = kind(**given).promises
    except (MensuraError, ImportError, TypeError):
        return True
    return not isinstance(promises, frozenset) or "balanced" in promises


@dataclass(frozen=True)
class Unit:
    """What one sitting is called: its score is one of those that a score is the mean of."""

    one: str
    many: str
    sense: str = ""
    """What it is, for the words at the end of a report."""

    def count(self, number: int) -> str:
        """So many of them."""
        return some(number, self.one, self.many)


SITTING = Unit(
    "sitting",
    "sittings",
    "The episodes of one subject that depend on one another; they have one score.",
)
EPISODE = Unit("episode", "episodes")
_UNITS = {
    "battery": EPISODE,
    "anytime": Unit(
        "chain",
        "chains",
        "Environments one after another, each of a complexity that follows from the reward in the one before and with "
        "more time than that. Chains are independent of each other.",
    ),
    "fixed-battery": Unit(
        "round",
        "rounds",
        "All environments of the set, played one after another. Rounds differ in what subjects and environments draw.",
    ),
    "exercises": Unit(
        "test",
        "tests",
        "Exercises one after another, each in a larger space and longer than the one before. Tests are independent of "
        "each other.",
    ),
    "universal": Unit(
        "estimate",
        "estimates",
        "A sample of environments of every step of complexity, weighed by 2^-complexity. Estimates are independent of "
        "each other.",
    ),
    "adaptive": Unit(
        "test",
        "tests",
        "Environments one after another, each of the complexity that tells most about the subject, until its expected "
        "reward is known well enough. Tests are independent of each other.",
    ),
    "social": Unit(
        "pair", "pairs", "One environment played twice, alone and in company; all else is the same."
    ),
}


def unit_of(assessment: Mapping[str, Any]) -> Unit:
    """What a sitting of an assessment is called."""
    name = assessment.get("name")
    if name == "timed" and assessment.get("environments", 1) == 1:
        return EPISODE
    return _UNITS.get(str(name), SITTING)


def common_unit(conditions: Sequence[RunResult]) -> Unit:
    """What sittings are called where there are several conditions: by one name only if that fits all."""
    units = dict.fromkeys(unit_of(condition.assessment) for condition in conditions)
    return next(iter(units)) if len(units) == 1 else SITTING


# What was done --------------------------------------------------------------------------


def assessed(result: RunResult, subjects: Sequence[SubjectResult]) -> Iterator[str]:
    """What the assessment was, in sentences."""
    given = result.assessment
    told = _DONE.get(str(given.get("name")))
    if told is None:
        yield f"The assessment was {given.get('name', 'not named')}."
    else:
        yield from told(given)
    yield (
        f"All was drawn from the seed {result.seed}. What a subject got also depends on how quick it was, since its "
        "time is limited in seconds: the same seed gives the same choices, and nearly the same scores."
        if given.get("seconds") is not None
        else f"All was drawn from the seed {result.seed}, after which nothing was left to chance: the same seed gives "
        "the same result."
    )
    trained = [f"{one.subject} ({whole(one.training)})" for one in subjects if one.training]
    if trained:
        before = (
            "before their attempts"
            if given.get("name") == "attempts"
            else "in each environment before the one that counts"
        )
        yield (f"Subjects that learn were given training episodes {before}: {listed(trained)}.")


def _battery(given: Mapping[str, Any]) -> Iterator[str]:
    spread = given.get("spread")
    around = f", and may lie up to {width:g} from it" if (width := given.get("tolerance")) else ""
    taken = (
        f"their {_complexity(given)} is drawn evenly from {spread[0]} to {spread[1]}{around}"
        if isinstance(spread, (list, tuple))
        else "their complexity is whatever the world draws"
    )
    yield (
        f"Every subject met the same {some(int(given.get('episodes', 0)), 'environment')}, one assessed episode in "
        f"each; {taken}."
    )


def _fixed_battery(given: Mapping[str, Any]) -> Iterator[str]:
    own = given.get("environments") or ()
    count = some(len(own) or int(given.get("count", 0)), "environment")
    by = (
        "drawn with a probability of 2^-complexity"
        if given.get("drawn") == "prior"
        else "drawn as the world draws them"
    )
    yield (
        f"Every subject played the same {count} in {some(int(given.get('sittings', 0)), 'round')}; they were "
        f"{'given' if own else by}. {_memory(given)}."
    )


def _anytime(given: Mapping[str, Any]) -> Iterator[str]:
    clock = "interactions" if given.get("seconds") is None else "s"
    yield (
        f"Every subject went through {some(int(given.get('sittings', 0)), 'chain')} of environments, each with a "
        f"budget of {_time(given, 'interactions', 'seconds')}: the anytime test (Definition 18)."
    )
    quick = ", at first in large steps" if given.get("approach") == "fast" else ""
    yield (
        f"A chain begins with a {_complexity(given)} of 1 and a slot of "
        f"{given.get('first', 0):g} {clock}. Complexity follows the rewards{quick}, every slot is "
        f"{100 * given.get('growth', 0):g}% longer than the one before, and no environment is used twice. "
        f"{_memory(given)}, and is never told how long a slot is."
    )


def _universal(given: Mapping[str, Any]) -> Iterator[str]:
    count, pilot, steps = (int(given.get(name, 0)) for name in ("sittings", "pilot", "strata"))
    yield (
        f"Universal intelligence was estimated {some(count, 'time')}, each time from "
        f"{some(int(given.get('environments', 0)), 'environment')} of up to {some(steps, 'step')} "
        f"of {_complexity(given)}: {some(pilot, 'environment')} of each step as a pilot, and the "
        f"others where weight and spread of rewards were large. {_memory(given)}."
    )


def _timed(given: Mapping[str, Any]) -> Iterator[str]:
    each = int(given.get("environments", 1))
    count = int(given.get("sittings", 0))
    met = (
        some(count, "environment")
        if each == 1
        else f"{some(count, 'sitting')} of {some(each, 'environment')} each"
    )
    yield (
        f"Every subject had {_time(given, 'interactions', 'seconds')} in each environment of {met}, and was never told "
        f"how long; environments were drawn with a probability of 2^-complexity{_by(given)}. "
        f"{_memory(given)}."
    )


def _adaptive(given: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"Every subject took {some(int(given.get('sittings', 0)), 'adaptive test')}. The next environment of a test is "
        f"of the {_complexity(given)} that is expected to tell most about the subject; a test ends "
        f"when the standard error of its expected reward is {given.get('standard_error', 0):g} or less, after "
        f"{given.get('least')} to {given.get('most')} environments."
    )
    yield (
        "How difficult a complexity is was learned from the world's built-in subjects. "
        f"{_memory(given)}."
    )


def _social(given: Mapping[str, Any]) -> Iterator[str]:
    company = [str(name) for name in given.get("company", ())]
    yield (
        f"Every subject played {some(int(given.get('sittings', 0)), 'environment')} twice, alone and in the company of "
        f"{listed(company)}, in an order that was drawn. {_memory(given)}."
    )


def _exercises(given: Mapping[str, Any]) -> Iterator[str]:
    fewest, most = int(given.get("fewest", 0)), int(given.get("most", 0))
    yield (
        f"Every subject took {some(int(given.get('sittings', 0)), 'test')} of "
        f"{some(most - fewest + 1, 'exercise')}, in spaces of {fewest} to {most} cells, with "
        f"{some(int(given.get('per_cell', 0)), 'interaction')} for each cell but one and patterns that are as long as "
        f"there are cells, on average. {_memory(given)}."
    )


def _attempts(given: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"Every subject had {some(int(given.get('sittings', 0)), 'sitting')} of "
        f"{some(int(given.get('attempts', 0)), 'attempt')}, and kept what it learned from one attempt to the next."
    )
    steps = int(given.get("curriculum", 1))
    if steps > 1:
        yield (
            "Training is on copies of the environments that start nearer to the goal, farther away in "
            f"{some(steps, 'step')}."
        )


def _complexity(given: Mapping[str, Any]) -> str:
    return f"complexity {given['measure']}" if given.get("measure") else "complexity"


def _by(given: Mapping[str, Any]) -> str:
    return f", by {given['measure']}" if given.get("measure") else ""


def _memory(given: Mapping[str, Any]) -> str:
    return (
        "A subject goes on from one environment to the next with what it knows"
        if given.get("memory") == "continuous"
        else "A subject starts anew in each environment"
    )


def _time(given: Mapping[str, Any], interactions: str, seconds: str) -> str:
    if given.get(seconds) is not None:
        return f"{given[seconds]:g} s"
    return some(int(given.get(interactions) or 0), "interaction")


_DONE = {
    "attempts": _attempts,
    "adaptive": _adaptive,
    "anytime": _anytime,
    "battery": _battery,
    "exercises": _exercises,
    "fixed-battery": _fixed_battery,
    "social": _social,
    "timed": _timed,
    "universal": _universal,
}


# What the score means --------------------------------------------------------------------


def meaning(
    world: str, assessment: Mapping[str, Any], parameters: Mapping[str, Any] | None = None
) -> list[str]:
    """What a score means; the paper on Lambda Star has more to say of its own world than of others."""
    name = assessment.get("name")
    rewards = BALANCED if balanced(world, parameters or {}) else BOUNDED
    if name == "attempts":
        return [
            "The score of a sitting is the mean over attempts of the mean reward in each; the score of a subject is "
            "the mean over sittings, and its interval comes from their scatter. Further measures tell how many "
            "attempts were solved, and the time and energy that they took.",
            rewards,
            f"The protocol is that of 6.2.1 of {FRAMOTEC}.",
        ]
    if name == "battery":
        over = (
            " that are equally large and differ in complexity"
            if world.startswith(LAMBDA_STAR)
            else ""
        )
        return [
            "The score of a subject in one environment is its average reward per agent and iteration (Definition 2). "
            f"Its intelligence in this world is the mean of these over environments{over} (Definition 3).",
            rewards,
            f"The definitions are those of {CHMAIT}.",
        ]
    if name == "fixed-battery":
        weighted = (
            "weighted by 2^-complexity"
            if assessment.get("weights") == "complexity"
            else "all of which count the same"
        )
        return [
            f"The score of a round is the mean over environments, {weighted}, of the mean reward in each; the score of "
            "a subject is the mean over rounds. Its interval is that of these environments, and not of the world that "
            "they are taken from.",
            rewards,
            f"The definitions are numbers 3.3.5 and 3.4.2 of {INSA}.",
        ]
    if name == "exercises":
        return [
            "The score of a test is the mean over its exercises of the mean reward in each; the score of a subject is "
            "the mean over tests, and its interval comes from their scatter.",
            rewards,
            f"The test is that of chapter 6 of {INSA}, which was given to people and to Q-learning.",
        ]
    if name == "anytime":
        return [
            "The score of a chain is the average over its environments of the average reward "
            f"{_diminished(assessment)}in each; the score of a subject is the mean over chains, and its interval comes "
            "from their scatter.",
            f"It is the score that is expected at a budget of {_time(assessment, 'interactions', 'seconds')}: with "
            "more time a subject that gains meets more complex environments, for longer.",
            rewards,
            f"The definition is number 18 of {DOWE}.",
        ]
    if name == "universal":
        return [
            "The score is the mean reward over all environments, weighted by 2^-complexity: all environments of "
            "complexity k together have a weight in proportion to 2^-k. Simple environments decide most of it.",
            "The score of a subject is the mean over estimates, and its interval comes from their scatter.",
            rewards,
            "The definition is that of Legg and Hutter: Universal Intelligence (2007), number 2.3.1 of "
            f"{INSA}.",
        ]
    if name == "timed":
        return [
            "Environments are drawn with a probability of 2^-complexity and all count the same; what a subject got in "
            f"one is its average reward {_diminished(assessment)}over the time it had, and its score is the mean.",
            rewards,
            f"The definitions are numbers 16 and 17 of {DOWE}.",
        ]
    if name == "adaptive":
        return [
            "The score of a test is the reward that is expected of the subject in an environment as the world draws "
            "them, by item response theory; the score of a subject is the mean over tests, and its interval comes from "
            "their scatter. Further measures tell its ability and how well the model fits it.",
            rewards,
            f"Such a test is proposed in 7.1 and 7.3 of {INSA}.",
        ]
    if name == "social":
        return [
            "The score is the mean reward per agent and iteration in company. Further measures tell the reward alone "
            "in the same environments, and what company added to it.",
            "Rewards lie between -1 and 1. Alone, acting at random is worth 0 in the long run; in company it may be "
            "worth less, where others take what lies about.",
            f"Company is proposed in 7.2 of {INSA}.",
        ]
    return [
        "The score of a subject is the mean over sittings of what the assessment made of its rewards.",
        rewards,
    ]


def _diminished(assessment: Mapping[str, Any]) -> str:
    if assessment.get("average") != "diminishing":
        return ""
    return "with diminishing history (the earlier a subject stops, the fewer of its rewards count) "


SCORE = {
    "anytime": "The average reward in the environments of a chain, averaged over chains.",
    "exercises": "The mean over the exercises of a test of the mean reward in each, averaged over tests.",
    "fixed-battery": "The mean over the environments of a round of the mean reward in each, averaged over rounds.",
    "universal": "The mean reward over environments weighted by 2^-complexity, averaged over estimates.",
    "adaptive": "The reward that is expected in an environment as the world draws them, averaged over tests.",
    "social": "The mean reward per agent and iteration in company, averaged over environments.",
}
"""Short, for the words at the end of a report; of others it is the mean over environments."""
