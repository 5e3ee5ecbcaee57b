"""How robust a subject is: what is left of its performance as perturbations grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import seed_or_fresh
from mensura.agent.task import Limits
from mensura.api.assessing import (
    are_paid,
    changed_parameters,
    seconds_per_action,
    settings,
    shown_names,
    subject_entry,
)
from mensura.api.making import DEFAULT_WORLD, world_of
from mensura.api.naming import AtHand, Named, Several, named, notes
from mensura.api.running import run_in_store, run_study, watching
from mensura.api.tables import Shown, Table, frame_of
from mensura.core.abilities import operators, parameters, values
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.core.withdrawing import check_can_withdraw
from mensura.records.results import plain_numbers, write_whole
from mensura.reports.protocols import unit_of
from mensura.statistics.degradation import Breakdown
from mensura.studies.inside import INSIDE, check_can_act_inside, is_inside
from mensura.studies.layout import Layout, lay_out
from mensura.studies.parameters import typed_parameters
from mensura.studies.perturbing import AROUND
from mensura.studies.place import RANDOM
from mensura.studies.robustness import Training, breakdowns, robustness_study
from mensura.studies.runs import Manner
from mensura.studies.study import Study, study_from_plain, study_hash
from mensura.studies.subjects import resolve

if TYPE_CHECKING:
    from mensura.api.results import Result
    from mensura.core.contract import World

STRENGTHS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
PERTURBED = ("observation-noise", "action-noise")
"""What is perturbed where nobody says."""
ASSESSMENT = "battery"
USUAL_NAME = "robustness"
EPISODES = 30
"""Environments where nobody says how many: under a minute for built-in subjects and two operators on Lambda."""


class Robustness(Shown):
    """How subjects degrade under each operator; a notebook shows tables, and so does ``print``."""

    def __init__(self, result: Result, command: str = "") -> None:
        self.result = result
        """The run behind it, with all scores."""
        self.breakdowns: tuple[Breakdown, ...] = ()
        """Each subject under each operator; none where the run did not come to its end."""
        self._command = command or result.details.command
        if result.finished:
            if not result.samples:
                raise MensuraError(
                    f"The single scores of {result.name} were too many to hold without a store; run it with store=."
                )
            study = study_from_plain(result.details.study)
            self.breakdowns = tuple(breakdowns(study, result.samples))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        from mensura.reports.robustness_words import told

        if not self.result.finished:
            return (f"The run {self.result.name} did not come to its end; nothing is told of it.",)
        return (*self.result.details.warnings, *told(self.breakdowns))

    def tables(self) -> list[Table]:
        """The measures of each subject under each operator, and recovery and withdrawals where these were asked."""
        from mensura.reports.robustness_words import (
            RECOVERY,
            WITHDRAWALS,
            measures_table,
            recovery_table,
            withdrawal_table,
        )

        if not self.breakdowns:
            return []
        where = self.result.details.conditions[0].world.removeprefix(AROUND)
        title = f"Robustness on {where}: what is left of the advantage over acting at random, with 95% intervals"
        found = [(title, measures_table(self.breakdowns))]
        again = recovery_table(self.breakdowns)
        if again is not None:
            found.append((RECOVERY, again))
        left = withdrawal_table(self.breakdowns)
        if left is not None:
            found.append((WITHDRAWALS, left))
        return [
            Table(heading, [(name, name == "operator") for name in columns], rows)
            for heading, (columns, rows) in found
        ]

    def frame(self) -> Any:
        """A row for each subject under each operator at each strength, as a data frame."""
        return frame_of(
            [
                {"subject": one["subject"], "operator": one["operator"], **point}
                for one in self.to_json()
                for point in one["curve"]
            ]
        )

    def report(self, path: str | Path) -> Path:
        """Write the page, one HTML file with the curves; where it went."""
        from mensura.api.reporting import check_can_report
        from mensura.reports.robustness_page import render_robustness

        check_can_report()
        where = Path(path)
        write_whole(where, render_robustness(self.result.details, self.breakdowns, self._command))
        return where

    def to_json(self) -> list[Any]:
        """The measures as data that ``json.dump`` takes; what is not defined is null."""
        from mensura.reports.robustness_words import plain

        data: list[Any] = plain_numbers([plain(one) for one in self.breakdowns])
        return data


def robustness(
    subjects: Several,
    world: str | World = DEFAULT_WORLD,
    perturb: str | Sequence[str] = PERTURBED,
    *,
    strengths: Sequence[float] = STRENGTHS,
    assessment: str = ASSESSMENT,
    preset: str | None = None,
    seed: int | None = None,
    training: int | None = None,
    recovery: int | None = None,
    withdraw: bool = False,
    repetitions: int = 1,
    store: str | Path | None = None,
    name: str = "",
    progress: bool = False,
    in_process: bool | None = None,
    timeout: float | None = None,
    limits: Mapping[str, Any] | None = None,
    threads: int | None = None,
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
    **given: Any,
) -> Robustness:
    """Measure how robust subjects are, as ``mensura robustness`` does: under each operator alone, at rising strengths.

    Args:
        subjects: Who, as of :func:`assess`; "random" is added where it is not among them.
        world: Where: a name, or a world that :func:`make` made.
        perturb: The operators, as "observation-noise"; ``mensura worlds perturbations`` lists them.
        strengths: From 0 to 1; 0 is added where it is not among them.
        assessment: How subjects are assessed at each strength.
        preset: Of a world that is given by name: a named set of parameters.
        seed: The root of all draws; the same seed gives the same result. Drawn where it is left out.
        training: Train so many episodes in each environment before it is perturbed. Left out, subjects meet
            perturbed environments only.
        recovery: Ask what so many further training episodes under the perturbation bring back; needs training.
        withdraw: Grant subjects one more action that ends the episode, which then counts 0; how often it was taken is
            told apart. Built-in subjects of the world know its own actions alone.
        repetitions: Run the same experiment so often, with other draws.
        store: Keep the run in this file or database.
        name: Keep the run under this name; one of that name that was interrupted is completed.
        progress: Show progress.
        in_process: As of :func:`assess`, and so are the others.
        timeout: Seconds that code from a file, a program or a model may take for an action.
        limits: What such code may use.
        threads: How many sittings at a time.
        max_cost: What language models may cost in all.
        max_tokens: How many tokens they may read and write in all.
        max_hours: For how many hours they are asked.
        confirm: Go ahead, also where language models take much money or time.
        given: Parameters of the assessment, as ``episodes=100``.

    Returns:
        A table where it is shown; ``breakdowns`` has each subject under each operator.

    Example:
        >>> import mensura as ms
        >>> found = ms.robustness("planner", perturb="action-noise", strengths=[0, 1], episodes=6, seed=1)
        >>> [one.operator for one in found.breakdowns]
        ['action-noise']
    """
    from mensura.api.spending import spending

    home = world_of(world, preset)
    who = named(subjects, in_process)
    wanted = dict(limits or {})
    if timeout is not None or "seconds_per_action" not in wanted:
        wanted["seconds_per_action"] = seconds_per_action([one.address for one in who], timeout)
    at_hand = AtHand.of(who, home)
    with at_hand.lend():
        study = study_of(
            who,
            home,
            perturb,
            strengths=strengths,
            assessment=assessment,
            given=given,
            training=training,
            recovery=recovery,
            withdraw=withdraw,
            repetitions=repetitions,
            limits=wanted,
            seed=seed,
            name=name,
        )
        layout = lay_out(study)
    kept = store is not None or bool(name) or layout.is_costly
    with spending(layout.places, max_cost, max_tokens, max_hours, confirm):
        return Robustness(
            _run(layout, at_hand, store, kept, Manner("threads", threads), progress, seed is None)
        )


def robustness_of(
    study: Study,
    at_hand: AtHand,
    store: str | Path | None = None,
    kept: bool = False,
    threads: int | None = None,
) -> Robustness:
    """The same of a study, in which language models may take what they need."""
    with at_hand.lend():
        layout = lay_out(study)
    return Robustness(_run(layout, at_hand, store, kept, Manner("threads", threads), False, False))


def _run(
    layout: Layout,
    at_hand: AtHand,
    store: str | Path | None,
    kept: bool,
    manner: Manner,
    progress: bool,
    fresh_seed: bool,
) -> Result:
    """Play it, into a store where it is kept."""
    watch = watching(progress, unit_of({"name": layout.cells[0].assessment}).many)
    if not kept:
        return run_study(layout, manner=manner, watch=watch, at_hand=at_hand)
    return run_in_store(
        layout,
        store,
        manner=manner,
        watch=watch,
        fresh_seed=fresh_seed,
        unfinished=not layout.is_costly,
        at_hand=at_hand,
    )


def study_of(
    subjects: Sequence[Named],
    world: World,
    perturb: str | Sequence[str],
    *,
    strengths: Sequence[float] = STRENGTHS,
    assessment: str = ASSESSMENT,
    given: Mapping[str, Any],
    training: int | None = None,
    recovery: int | None = None,
    withdraw: bool = False,
    repetitions: int = 1,
    limits: Mapping[str, Any] | None = None,
    seed: int | None = None,
    name: str = "",
) -> Study:
    """What is measured, as a study; whatever cannot be is refused in a sentence, before anything is played."""
    acting = operators_named(perturb, world)
    rising = strengths_from(strengths)
    check_can_act(world, acting, rising)
    how = _training(assessment, training, recovery)
    if withdraw:
        check_can_withdraw(world)
    labels = [one.label for one in subjects]
    who = [*([] if RANDOM in labels else [Named(RANDOM, RANDOM)]), *subjects]
    if len(who) < 2:
        raise MensuraError(
            "Nobody but random is to be measured, and what is measured is the advantage over random; name another "
            "subject, as planner."
        )
    # A run that has a name of its own goes on under the seed that it has.
    root = None if seed is None and name else seed_or_fresh(seed)
    plain = {
        "name": name or USUAL_NAME,
        "title": f"Robustness of {shown_names([one for one in who if one.label != RANDOM])} on {world.id}",
        "repetitions": repetitions,
        "notes": notes(subjects),
        "subjects": [subject_entry(one) for one in who],
        "limits": dict(limits or {}),
        **({} if root is None else {"seed": root}),
    }
    paid = are_paid([one.address for one in subjects])
    taken = settings(assessment, {**_fewer(assessment, paid), **_plain(given)}, paid=paid)
    inside = [one for one in acting if is_inside(one)]
    if inside:
        _check_subjects(subjects, inside, world, assessment, taken, Limits(**(limits or {})))
    study = robustness_study(
        plain,
        {"world": world.id, "name": world.id, "parameters": changed_parameters(world)},
        acting,
        rising,
        assessment,
        taken,
        how,
        withdraw=withdraw,
    )
    if name:
        return study
    # The same again has the same name and goes on; whatever is measured otherwise has another.
    return study.model_copy(update={"name": f"{USUAL_NAME}-{study_hash(study.to_plain())[:12]}"})


def operators_named(perturb: str | Sequence[str], world: World) -> list[str]:
    """The operators that somebody names, as a list or with commas between; a sentence where one is none."""
    texts = [perturb] if isinstance(perturb, str) else list(perturb)
    found = [one.strip() for text in texts for one in str(text).split(",") if one.strip()]
    known = [*operators(WORLDS.load(AROUND + world.id)), *INSIDE]
    if not found:
        raise MensuraError(
            f"Nothing is perturbed; name an operator, as {PERTURBED[0]}: `mensura worlds perturbations` lists them."
        )
    for one in found:
        if one not in known:
            raise MensuraError(f"There is no perturbation {one!r}; {neighbors(one, known)}")
        if found.count(one) > 1:
            raise MensuraError(f"The perturbation {one} is named twice; once is enough.")
    return found


def strengths_from(given: Sequence[float]) -> list[float]:
    """Strengths in their order, 0 among them; a sentence where one is none."""
    for one in given:
        number = isinstance(one, int | float) and not isinstance(one, bool)
        if not number or not 0.0 <= one <= 1.0:
            raise MensuraError(f"The strength {one!r} is none; a strength is a number from 0 to 1.")
    rising = sorted({0.0, *(float(one) for one in given)})
    if len(rising) < 2:
        raise MensuraError(
            "A strength above 0 is missing; without one there is nothing to measure."
        )
    return rising


def check_can_act(world: World, acting: Sequence[str], strengths: Sequence[float]) -> None:
    """Raise if an operator cannot act in a world, as latency where an episode has one step."""
    kind = WORLDS.load(AROUND + world.id)
    given = values(world)
    for name in acting:
        if is_inside(name):
            continue
        try:
            kind(**given, **{name.replace("-", "_"): strengths[-1]})
        except MensuraError as error:
            raise MensuraError(f"{world.id} cannot be perturbed so: {error}") from error


def _check_subjects(
    subjects: Sequence[Named],
    acting: Sequence[str],
    world: World,
    assessment: str,
    given: Mapping[str, Any],
    limits: Limits,
) -> None:
    """Raise if an operator cannot act inside a subject; on whoever acts at random it has nothing to act."""
    made = ASSESSMENTS.load(assessment)(**typed_parameters(given))
    for one in subjects:
        if one.label != RANDOM:
            subject = resolve(one.address, world, in_process=bool(one.in_process), limits=limits)
            check_can_act_inside(acting, subject, one.label, world, made)


def _training(assessment: str, training: int | None, recovery: int | None) -> Training | None:
    """How much is trained; a sentence where that cannot be."""
    for what, number in (("training", training), ("recovery", recovery)):
        if number is not None and (isinstance(number, bool) or number < 1):
            raise MensuraError(
                f"{number} episodes of {what} are impossible; 1 or more are, or leave it out."
            )
    if recovery is not None and training is None:
        raise MensuraError(
            "Recovery is from a perturbation that comes after training without one; say how many episodes of training "
            "that is, too."
        )
    if training is None:
        return None
    if "training" not in parameters(ASSESSMENTS.load(assessment)):
        able = [one for one, kind in ASSESSMENTS.all() if "training" in parameters(kind)]
        raise MensuraError(f"{assessment} has no training; {' and '.join(able)} have.")
    return Training(training, recovery or 0)


def _fewer(assessment: str, paid: bool) -> dict[str, Any]:
    """How many environments where nobody says, of an assessment that counts them."""
    counted = "episodes" in parameters(ASSESSMENTS.load(assessment))
    return {"episodes": EPISODES} if counted and not paid else {}


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    return {one: list(value) if isinstance(value, tuple) else value for one, value in given.items()}
