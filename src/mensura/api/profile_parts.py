"""The parts of a profile, each measured by what measures it alone, as assess, transfer and robustness."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mensura.agent.errors import MensuraError, StoppedEarly
from mensura.agent.keys import fold, key
from mensura.agent.memory import saved
from mensura.api.assessing import assess, assessment_study, seconds_per_action
from mensura.api.learning import learn_rate_in
from mensura.api.naming import AtHand, Named, named
from mensura.api.profile_setup import RANDOM, Breakdowns, Rate, Setup
from mensura.api.profile_sizes import SLOW_OPERATORS
from mensura.api.robustness import check_can_act, robustness_of, study_of
from mensura.api.spending import Allow, learners_allowed
from mensura.api.transferring import Transfer, transfer_among
from mensura.api.understanding import understand_named
from mensura.api.watching import OneEnvironment, play
from mensura.assessments.battery import ENVIRONMENT
from mensura.core.abilities import hosting, operators, optimum, seats
from mensura.core.registry import WORLDS
from mensura.core.sitting import sit
from mensura.pictures.svg import as_svg
from mensura.pictures.view import view_of
from mensura.statistics.interval import mean_interval
from mensura.statistics.performance import (
    Weights,
    efficiency,
    loss_in_p_star,
    normalized,
    performance,
)
from mensura.statistics.subject_profile import LARGE, Behavior, Deviation, Performance
from mensura.studies.layout import lay_out
from mensura.studies.learning import tasks_of
from mensura.studies.perturbing import AROUND
from mensura.studies.phases import TrainingTask
from mensura.studies.subjects import resolve
from mensura.studies.transfer import Measures, Transferred

if TYPE_CHECKING:
    from mensura.core.contract import World
    from mensura.statistics.interval import Estimate, Floats
    from mensura.statistics.sample import Sample
    from mensura.statistics.understanding import Understanding
    from mensura.studies.study import Study

LARGE_MEMORY = 100_000
"""In bytes, after one episode: what is larger grows with training until it is slow to save at every checkpoint."""
ABOUT = 2
"""So many moments before and after a deviation are shown."""

# Performance -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """Performance of everybody in the same environments."""

    p: Mapping[str, Floats]
    """P by subject, shape (environments,)."""
    samples: Mapping[str, Sample]
    properties: Mapping[str, Floats]
    """Of the environments."""
    descriptions: tuple[int, ...]
    """The keys that environments are drawn with."""


def measure_performance(setup: Setup) -> Measured:
    """Assess everybody by a battery in environments as the world draws them."""
    samples = {one.label: one for one in _samples(setup)}
    keys = environment_keys(setup)[: len(samples[RANDOM])]
    return Measured(
        _performances(samples, setup.weights), samples, _properties(setup.world, keys), keys
    )


def _samples(setup: Setup) -> Sequence[Sample]:
    """The scores of everybody in the battery, from the records where it is kept."""
    if setup.kept is not None:
        return setup.kept.samples
    result = assess(
        setup.everybody,
        setup.world,
        seed=setup.seed,
        in_process=setup.in_process,
        timeout=setup.timeout,
        threads=setup.threads,
        **battery_of(setup),
    )
    if not result.finished:
        raise StoppedEarly("The profile was stopped before its end; nothing is told.")
    return result.samples


def battery_of(setup: Setup) -> dict[str, Any]:
    """How performance is assessed, as :func:`assess` takes it."""
    return {"assessment": "battery", "episodes": setup.size.environments, "spread": "any"}


def environment_keys(setup: Setup) -> tuple[int, ...]:
    """The keys with which the battery draws its environments: the same for all subjects."""
    study = assessment_study(
        [Named(RANDOM, RANDOM)],
        setup.world,
        "battery",
        {"episodes": setup.size.environments, "spread": "any"},
        seed=setup.seed,
    )
    with AtHand.of([], setup.world).lend():
        root = lay_out(study, made={0: setup.world}).places[0].root
    return tuple(fold(fold(root, i), ENVIRONMENT) for i in range(setup.size.environments))


def _performances(samples: Mapping[str, Sample], weights: Weights) -> dict[str, Floats]:
    """P of everybody; the least time and energy of an environment is that of the best who solved it."""
    shares: dict[str, dict[str, Floats]] = {label: {} for label in samples}
    for name, what in (("tau", "time"), ("eps", "energy")):
        if not all({what, "solved"} <= set(one.measures) for one in samples.values()):
            continue
        used = np.array([one.measures[what] for one in samples.values()])
        solved = np.array([one.measures["solved"] for one in samples.values()])
        least = np.where(solved > 0.0, used, np.inf).min(axis=0)
        if not np.isfinite(used).all():
            continue
        least = np.where(np.isfinite(least), least, 0.0)
        for label, one in samples.items():
            shares[label][name] = efficiency(one.measures[what], least, one.measures["solved"])
    return {
        label: performance(one.score, weights, **shares[label]) for label, one in samples.items()
    }


def _properties(world: World, keys: Sequence[int]) -> dict[str, Floats]:
    """The complexities of environments, those that differ."""
    drawn = [world.sample(one, None) for one in keys]
    found = {
        name: np.array([float(world.complexity(one, name)) for one in drawn])
        for name in world.measures
    }
    return {
        name: values
        for name, values in found.items()
        if np.isfinite(values).all() and np.ptp(values) > 0.0
    }


def performance_of(setup: Setup, measured: Measured, label: str) -> Performance:
    """That of one subject among the references."""
    own, chance = measured.p[label], measured.p[RANDOM]
    table = np.array([measured.p[name] for name in setup.references])
    best_name = ""
    best, median = chance, chance
    if len(table):
        at = int(np.argmax(table.mean(axis=1)))
        best_name, best, median = setup.references[at], table[at], np.median(table, axis=0)
    sample = measured.samples[label]
    shown: dict[str, Estimate] = {"accuracy": mean_interval(sample.score)}
    for name, values in sample.measures.items():
        if np.isfinite(values).all():
            shown[name] = mean_interval(values)
    seed = key(setup.seed, "profile", "p-star", label)
    return Performance(
        own, chance, best, median, best_name, normalized(own, chance, best, seed), shown
    )


# Learning and transfer ---------------------------------------------------------------------


def family(setup: Setup) -> tuple[TrainingTask, ...]:
    """The tasks among which transfer is measured: single environments of the world, by their seeds from 1 on."""
    return tuple(
        TrainingTask(str(seed), setup.world, seed) for seed in range(1, setup.size.tasks + 1)
    )


def measure_transfer(
    setup: Setup, who: dict[str, Any], measures: Measures | None = None
) -> Transfer:
    """Transfer among the family."""
    size = setup.size
    asked = [one for one in setup.subjects if one.label in who and setup.is_asked(one)]
    return transfer_among(
        who,
        family(setup),
        interactions=size.interactions,
        measures=measures or size.measures,
        learners=size.learners,
        episodes=size.episodes,
        norm=setup.norm,
        seed=setup.seed,
        in_process=setup.in_process,
        timeout=setup.timeout,
        threads=setup.threads,
        store=setup.store if asked else None,
        allow=allowed_in(setup) if asked else None,
    )


def allowed_in(setup: Setup) -> Allow:
    """What a part may take of language models."""
    return setup.allow or learners_allowed(confirm=True)


def trained_references(setup: Setup) -> list[Transfer]:
    """What training in each task brings references, of those that can be saved, and soon."""
    found = [
        attempt_transfer(setup, name, partial(measure_transfer, setup, {name: name}, "raw"))
        for name in setup.references
        if 0 < _memory_size(setup, Named(name, name)) <= LARGE_MEMORY
    ]
    return [one for one in found if one is not None]


def attempt_transfer(setup: Setup, label: str, measure: Callable[[], Transfer]) -> Transfer | None:
    """Transfer of somebody; None where it cannot be measured."""
    found = setup.attempt("transfer", label, Transferred, lambda: measure().result)
    return None if found is None else Transfer(found)


def measure_own_transfer(setup: Setup, one: Named) -> Transfer:
    """Transfer of a subject; less of it in a quick profile, where its memory is large."""
    if not is_slow_to_save(setup, one):
        return measure_transfer(setup, setup.handed(one))
    size = replace(setup.size, tasks=2, learners=2, interactions=16, episodes=2)
    return measure_transfer(replace(setup, size=size), setup.handed(one), "raw")


def is_slow_to_save(setup: Setup, one: Named) -> bool:
    """Whether a subject's memory is too large to be saved at every checkpoint of a quick profile."""
    if setup.is_asked(one):
        return False  # what was said is kept anyway
    return not setup.size.every_operator and _memory_size(setup, one) > LARGE_MEMORY


def _memory_size(setup: Setup, one: Named) -> int:
    """The bytes of what a subject saves after an episode in a task of the family, at most; 0 where it saves nothing."""
    with AtHand.of([one], setup.world).lend():
        subject = resolve(one.address, setup.world, in_process=one.in_process)
        home = hosting(setup.world, subject)
        largest = 0
        for task in family(setup):
            description, _ = task.drawing(home)(0)
            player = subject.sit(seats(home))
            try:
                sit(OneEnvironment(None, 0, description), home, player, setup.seed, setup.seed)
                largest = max(largest, len(saved(player) or b""))
            finally:
                player.close()
    return largest


def measure_rate(setup: Setup, one: Named) -> Rate:
    """The learn rate."""
    size = setup.size
    if is_slow_to_save(setup, one):
        raise MensuraError(
            f"The memory of {one.label} has over {LARGE_MEMORY:,} bytes after one episode and would be saved at every "
            "checkpoint, which takes longer than a quick profile has; transfer was measured between two tasks only."
        )
    if not size.rate_tasks:
        raise MensuraError(
            f"The learn rate of {one.label} would take more answers than a quick profile asks of a language model; "
            "mensura learn-rate measures it."
        )
    found = learn_rate_in(
        setup.handed(one),
        tasks_of(setup.world, size.rate_tasks),
        interactions=size.rate_interactions,
        learners=size.learners,
        episodes=1,
        level=None,
        measure=None,
        seed=setup.seed,
        in_process=setup.in_process,
        timeout=setup.timeout,
        threads=setup.threads,
        progress=False,
        allow=allowed_in(setup) if setup.is_asked(one) else learners_allowed(),
        store=setup.store if setup.is_asked(one) else None,
    )
    return Rate(found.rate, found.sentences)


def losses_in_p_star(
    setup: Setup, found: Transfer, chance: Transfer, references: Sequence[Transfer]
) -> tuple[Estimate | None, ...]:
    """The loss of transfer in P* of each pair: against random and the best reference in each of the two tasks."""
    own, many = found.table, range(len(found.table.tasks))
    alike = [one.table for one in references if one.table.raw.shape == own.raw.shape]
    trained = np.array([one.raw[:, many, many] for one in alike])
    if not len(trained):
        return tuple(None for _ in found.pairs)
    best = [trained[int(np.argmax(trained[:, :, x].mean(axis=1))), :, x] for x in many]
    low = chance.table.newborn
    pairs = [(x, y) for x in many for y in many if x != y]
    return tuple(
        loss_in_p_star(
            (own.raw[:, x, x], low[:, x], best[x]),
            (own.raw[:, x, y], low[:, y], best[y]),
            key(setup.seed, "profile", "loss", own.subject, str(x), str(y)),
        )
        for x, y in pairs
    )


# Robustness --------------------------------------------------------------------------------


def acting_operators(setup: Setup) -> tuple[list[str], list[str]]:
    """The operators that can act in the world, and sentences on those that are left out."""
    known = list(operators(WORLDS.load(AROUND + setup.world.id)))
    few = setup.size.operators
    acting, said = [], []
    for name in known:
        if few and name not in few:
            continue
        if not setup.size.every_operator and name in SLOW_OPERATORS:
            continue
        try:
            check_can_act(setup.world, [name], setup.size.strengths)
        except MensuraError as error:
            said.append(f"{name} cannot act here: {error}")
        else:
            acting.append(name)
    if few:
        said.append(
            f"Of {len(known)} operators {' and '.join(few)} alone were tried, since answers of language models are "
            "paid for."
        )
    elif not setup.size.every_operator:
        said.append(f"Left out, as they take longer: {', '.join(SLOW_OPERATORS)}.")
    return acting, said


def measure_robustness(setup: Setup, acting: Sequence[str]) -> Breakdowns:
    """Everybody but random under each operator."""
    study = robustness_study(setup, acting)
    found = robustness_of(
        study, AtHand.of(setup.subjects, setup.world), setup.store, setup.asks, setup.threads
    )
    if not found.result.finished:
        raise StoppedEarly("The profile was stopped before its end; nothing is told.")
    return Breakdowns(tuple(found.breakdowns))


def robustness_study(setup: Setup, acting: Sequence[str]) -> Study:
    """The same as a study."""
    if not acting:
        raise MensuraError(f"No perturbation can act in {setup.world.id}.")
    who = {name: one for name, one in setup.everybody.items() if name != RANDOM}
    if not who:
        raise MensuraError("Acting at random has no advantage over itself that could be left.")
    everybody = named(who, setup.in_process)
    addresses = [one.address for one in everybody]
    with AtHand.of(everybody, setup.world).lend():
        return study_of(
            everybody,
            setup.world,
            list(acting),
            strengths=setup.size.strengths,
            given={"episodes": setup.size.perturbed},
            limits={"seconds_per_action": seconds_per_action(addresses, setup.timeout)},
            seed=setup.seed,
        )


# Understanding and behavior ----------------------------------------------------------------


def measure_understanding(setup: Setup, one: Named) -> Understanding:
    """The four probes."""
    asked = setup.is_asked(one)
    return understand_named(
        named(setup.handed(one), setup.in_process),
        setup.world,
        setup.phenomenon,
        questions=setup.size.questions,
        training=0,
        seed=setup.seed,
        timeout=setup.timeout,
        store=setup.store if asked else None,
        allow=allowed_in(setup) if asked else None,
    ).understandings[0]


class _Witness:
    """Sees each moment of an episode, as the optimum needs it and as a picture."""

    def __init__(self, best: Any, picture: Callable[[Any, Any], Any]) -> None:
        self._best, self._picture = best, picture
        self.moments: list[Any] = []
        self.actions: list[Any] = []
        self.pictures: list[Any] = []

    def started(self, environment: Any, turn: Any) -> None:
        """The first moment."""
        self._see(environment, turn)

    def stepped(self, environment: Any, actions: list[Any], turn: Any) -> None:
        """An action, and the moment after it."""
        self.actions.append(actions[0])
        self._see(environment, turn)

    def _see(self, environment: Any, turn: Any) -> None:
        self.moments.append(self._best.moment(environment))
        self.pictures.append(self._picture(environment, turn))


def measure_behavior(setup: Setup, one: Named, keys: Sequence[int]) -> Behavior:
    """What the subject's actions cost in the first environments, after the training that it asks for."""
    rows: list[Floats] = []
    first: Deviation | None = None
    kind: Literal["optimum", "schedule"] = "optimum"
    with AtHand.of([one], setup.world).lend():
        subject = resolve(one.address, setup.world, in_process=one.in_process)
        home = hosting(setup.world, subject)
        for number, drawn in enumerate(keys[: setup.size.watched]):
            description = home.sample(drawn, None)
            best = optimum(home, description)
            if best is None:
                raise MensuraError(
                    f"What is best in environments of {setup.world.id} is not known, so behavior cannot be held "
                    "against it."
                )
            kind = getattr(best, "kind", kind)
            seen: list[_Witness] = []

            def observers(view: Any, best: Any = best, seen: list[_Witness] = seen) -> list[Any]:
                seen.append(_Witness(best, view.picture))
                return seen

            if setup.is_asked(one):
                assert setup.kept is not None
                observers(view_of(home))
                setup.kept.play_again(one.label, number, seen[0])
            else:
                play(subject, setup.world, observers, seed=fold(drawn, 1), described=description)
            costs = best.regrets(seen[0].moments[:-1], seen[0].actions)
            rows.append(costs)
            if first is None and (costs >= LARGE).any():
                first = _deviation(number, costs, seen[0], kind)
    long = max(map(len, rows))
    table = np.array([np.pad(row, (0, long - len(row))) for row in rows])
    return Behavior(table, first, kind)


def _action_text(action: Any) -> str:
    """An action in a few characters."""
    if isinstance(action, np.ndarray):
        return ", ".join(f"{one:.2f}" for one in action.ravel().tolist())
    return str(action)


def _deviation(number: int, costs: Floats, seen: _Witness, kind: str) -> Deviation:
    """The first large one, with moments before and after it."""
    at = int(np.argmax(costs >= LARGE))
    strip = []
    for moment in range(max(at - ABOUT, 0), min(at + ABOUT + 2, len(seen.pictures))):
        cost = costs[moment] if moment < len(costs) else math.nan
        said = f"Interaction {moment + 1}"
        if moment < len(costs):
            what = "cost" if kind == "optimum" else "distance"
            said += f": action {_action_text(seen.actions[moment])}, {what} {abs(cost):.2f}"
        strip.append((said, as_svg(seen.pictures[moment], page=True, width=170, legend=False)))
    return Deviation(number + 1, at, float(costs[at]), tuple(strip))
