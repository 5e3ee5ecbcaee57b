"""What a subject understands of a phenomenon: whether it predicts, achieves, explains and recreates it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import seed_or_fresh
from mensura.agent.task import Limits
from mensura.api.assessing import are_paid, seconds_per_action
from mensura.api.kept_understanding import examined_once
from mensura.api.making import DEFAULT_WORLD, world_of
from mensura.api.naming import AtHand, Named, Several, named
from mensura.api.result_warnings import warnings_of
from mensura.api.spending import QUESTIONS_ADVICE, Allow, learners_allowed
from mensura.api.tables import Shown, Table, frame_of
from mensura.core.abilities import phenomena
from mensura.records.results import plain_numbers, write_whole
from mensura.statistics.understanding import Understanding
from mensura.studies.examination import QUESTIONS
from mensura.studies.inquiry import Inquiry
from mensura.studies.known_understanding import KNOWN
from mensura.studies.respondents import Tell
from mensura.studies.subjects import resolve
from mensura.studies.understanding import understand as measured
from mensura.studies.understanding import understand_known
from mensura.studies.understanding_assessment import MOST_QUESTIONS

if TYPE_CHECKING:
    from mensura.core.contract import World


class Understood(Shown):
    """What subjects understand of a phenomenon; a notebook shows a table, and so does ``print``."""

    def __init__(
        self,
        found: Sequence[Understanding],
        world: str,
        happens: str,
        seed: int,
        name: str = "",
        warnings: Sequence[str] = (),
    ) -> None:
        self.understandings = tuple(found)
        """Each subject, in their order."""
        self.world = world
        self.happens = happens
        """When the phenomenon happens, as a clause."""
        self.seed = seed
        """From which the same numbers come again."""
        self.name = name
        """Of the run in the store that has the answers of language models; empty where there are none."""
        self.warnings = tuple(warnings)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        from mensura.reports.understanding_words import told

        return (*self.warnings, *told(self.understandings))

    def tables(self) -> list[Table]:
        """The four probes of each subject and their minimum."""
        from mensura.reports.understanding_words import measures_table

        columns, rows = measures_table(self.understandings)
        title = f"Understanding of {self.understandings[0].phenomenon} in {self.world}"
        return [Table(title, [(name, name != "subject") for name in columns], rows)]

    def frame(self) -> Any:
        """A row for each probe of each subject, as a data frame."""
        return frame_of(
            [
                {"subject": one.subject, "probe": name, "value": probe.value, "asked": probe.asked}
                for one in self.understandings
                for name, probe in one.probes.items()
            ]
        )

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write the page, one HTML file with a bar for each probe; where it went."""
        from mensura.api.reporting import check_can_report
        from mensura.reports.understanding_page import render_understanding

        check_can_report()
        where = Path(path)
        page = render_understanding(
            self.understandings, self.world, self.happens, self.seed, command, self.warnings
        )
        write_whole(where, page)
        return where

    def to_json(self) -> dict[str, Any]:
        """All of it as data that ``json.dump`` takes; what was not measured is null."""
        from mensura.reports.understanding_words import plain

        data: dict[str, Any] = plain_numbers(
            {
                "seed": self.seed,
                "warnings": list(self.warnings),
                "world": self.world,
                "understandings": [plain(one) for one in self.understandings],
            }
        )
        return data


def understand(
    subjects: Several,
    world: str | World = DEFAULT_WORLD,
    phenomenon: str | None = None,
    *,
    preset: str | None = None,
    questions: int = QUESTIONS,
    training: int = 0,
    seed: int | None = None,
    in_process: bool | None = None,
    timeout: float | None = None,
    limits: Mapping[str, Any] | None = None,
    progress: bool = False,
    store: str | Path | None = None,
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
) -> Understood:
    """Measure what subjects understand of a phenomenon, as ``mensura understand`` does.

    A subject is asked what it has methods for: ``predict``, ``plan``, ``explain``, ``model``; whatever it has none for
    is not measured, but for goals, toward which it can act.

    Args:
        subjects: Who, as of :func:`assess`; "oracle-model" has the rules and "correlator" knows only what occurs
            together.
        world: Where: a name, or a world that :func:`make` made.
        phenomenon: What, as "plot_it"; ``mensura worlds phenomena`` lists them. The first where it is left out.
        preset: Of a world that is given by name: a named set of parameters.
        questions: How many of each kind.
        training: Episodes in which a subject may learn before it is asked.
        seed: The root of all draws; the same seed gives the same result. Drawn where it is left out.
        in_process: Run code from files inside this process, too.
        timeout: Seconds that an answer may take.
        limits: What code from files and programs may use.
        progress: Show progress.
        store: The file or database in which answers of language models are kept, always: the same again, with a seed,
            asks nobody twice.
        max_cost: What language models may cost in all. A request that might go beyond it is not sent.
        max_tokens: How many tokens they may read and write in all.
        max_hours: For how many hours they may be asked.
        confirm: Go ahead, also where language models take much money or time.

    Returns:
        A table where it is shown; ``understandings`` has each subject.

    Example:
        >>> import mensura as ms
        >>> found = ms.understand("oracle-model", "lambda-star", "good", questions=3, seed=1)
        >>> found.understandings[0].minimum
        1.0
    """
    return understand_named(
        named(subjects, in_process),
        world_of(world, preset),
        phenomenon,
        questions=questions,
        training=training,
        seed=seed,
        timeout=timeout,
        limits=limits,
        progress=progress,
        store=store,
        allow=learners_allowed(max_cost, max_tokens, max_hours, confirm, QUESTIONS_ADVICE),
    )


def understand_named(
    who: Sequence[Named],
    home: World,
    phenomenon: str | None,
    *,
    questions: int,
    training: int,
    seed: int | None,
    timeout: float | None = None,
    limits: Mapping[str, Any] | None = None,
    progress: bool = False,
    store: str | Path | None = None,
    allow: Allow | None = None,
    command: str = "",
) -> Understood:
    """The same of subjects that have addresses, in a world that is made; ``allow``: what language models may take."""
    if not 1 <= questions <= MOST_QUESTIONS:
        raise MensuraError(
            f"{questions} questions of each kind are impossible; 1 to {MOST_QUESTIONS} are."
        )
    if training < 0:
        raise MensuraError(f"{training} episodes of training are impossible; 0 or more are.")
    wanted = dict(limits or {})
    if timeout is not None or "seconds_per_action" not in wanted:
        addresses = [one.address for one in who if one.address not in KNOWN]
        wanted["seconds_per_action"] = seconds_per_action(addresses, timeout)
    root = seed_or_fresh(seed)
    name = phenomenon or _first(home)
    inquiry = Inquiry(home, name, root, questions, training, Limits(**wanted))
    examination = inquiry.examination()
    allow = allow or learners_allowed(advice=QUESTIONS_ADVICE)
    at_hand = AtHand.of(who, home)
    paid = [one for one in who if one.factory is None and are_paid([one.address])]
    told: dict[str, Understanding] = {}
    kept = ""
    others = [one for one in who if one.address not in KNOWN]
    warnings = warnings_of(others, [home], inquiry.limits, say=True)
    if paid:
        told, kept = examined_once(
            paid, inquiry, at_hand, store, allow=allow, progress=progress, command=command
        )
    with allow(()) if not paid else nullcontext(), at_hand.lend(), _progress(progress) as tell:
        for one in who:
            if one.address in KNOWN:
                told[one.label] = understand_known(one.label, KNOWN[one.address], examination)
            elif one not in paid:
                subject = resolve(
                    one.address, home, in_process=one.in_process, limits=inquiry.limits
                )
                told[one.label] = measured(one.label, subject, inquiry, examination, tell)
    found = [told[one.label] for one in who]
    return Understood(found, home.id, examination.phenomenon.summary, root, kept, warnings)


def _first(home: World) -> str:
    """The phenomenon where nobody names one."""
    found = phenomena(home)
    if not found:
        raise MensuraError(
            f"{home.id} offers no phenomena as it is set; `mensura worlds phenomena` lists the worlds that do."
        )
    return found[0].name


@contextmanager
def _progress(wanted: bool) -> Iterator[Tell | None]:
    """Says what is being done, where that is wanted."""
    if not wanted:
        yield None
        return
    from mensura.terminal.output import status

    with status("Asking") as now:
        yield lambda text: now(f"{text[:1].upper()}{text[1:]}")
