"""Profiles kept in a store: a run whose sittings are the battery of performance, with the other parts beside it.

Each part is kept when it is measured, so that a profile that was stopped or killed goes on with the part that it was
at. When all are measured, the whole profile takes their place, and its page can be made from that alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mensura.agent.errors import MensuraError, StoppedEarly
from mensura.api.assessing import changed_parameters, laid_out, shown_names
from mensura.api.naming import AtHand, Named
from mensura.api.profile_parts import battery_of
from mensura.api.profile_setup import Attempt, Setup
from mensura.api.profile_sizes import Size
from mensura.api.profiling import Profile, Tell, measure
from mensura.api.running import run_in_store, watching
from mensura.core.interrupts import noticed
from mensura.core.players import Unanswered
from mensura.records.encoding import digest, from_text, to_text
from mensura.records.journal import unpack
from mensura.records.lease import PROFILE, SETTINGS, Lease
from mensura.records.store import open_store
from mensura.records.typed_text import read_typed, write_typed
from mensura.statistics.performance import weights_from
from mensura.statistics.subject_profile import SubjectProfile
from mensura.statistics.transfer import Norm
from mensura.studies.place import PlaceMaker
from mensura.studies.replay import FromJournal
from mensura.studies.runs import Manner
from mensura.studies.stepped import step

if TYPE_CHECKING:
    from mensura.core.contract import World
    from mensura.records.run import Run
    from mensura.records.store import Store
    from mensura.statistics.sample import Sample
    from mensura.studies.layout import Layout

Part = TypeVar("Part")


@dataclass(frozen=True)
class Settings:
    """How a profile is measured, beside its world and its seed: what it takes to go on with it."""

    subjects: tuple[tuple[str, str, bool], ...]
    """The label of each, its address, and whether its code runs in this process."""
    references: tuple[str, ...]
    size: Size
    quick: bool
    level: float | None
    weights: tuple[float, ...]
    phenomenon: str | None
    timeout: float | None
    norm: Norm

    def setup(self, world: World, seed: int, threads: int | None = None) -> Setup:
        """The same from the records alone."""
        return Setup(
            tuple(Named(*one) for one in self.subjects),
            self.references,
            world,
            self.size,
            weights_from(self.weights),
            seed,
            self.phenomenon,
            self.timeout,
            threads,
            self.norm,
        )


@dataclass(frozen=True)
class Whole:
    """A profile that is measured to its end."""

    profiles: tuple[SubjectProfile, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def settings_of(setup: Setup, level: float | None, *, quick: bool) -> Settings:
    """How a profile is to be measured."""
    return Settings(
        tuple((one.label, one.address, one.in_process) for one in setup.subjects),
        setup.references,
        setup.size,
        quick,
        level,
        tuple(setup.weights),
        setup.phenomenon,
        setup.timeout,
        setup.norm,
    )


class PartsInStore:
    """The parts of the profile of a run."""

    def __init__(self, lease: Lease, records: Store, run: Run) -> None:
        self.samples: Sequence[Sample] = records.samples(run)
        self._lease, self._records, self._run = lease, records, run
        self._parts = records.parts(run)

    def found(self, part: str, subject: str, kind: type[Part]) -> Attempt[Part] | None:
        """A part that was measured before; None where it was not."""
        text = self._parts.get((part, subject))
        if text is None:
            return None
        content = from_text(text)
        if content["why"]:
            return Attempt(None, content["why"])
        return Attempt(read_typed(kind, content["found"]))

    def keep(self, part: str, subject: str, attempt: Attempt[Part]) -> None:
        """Keep a part."""
        found = None if attempt.found is None else write_typed(attempt.found)
        self._lease.keep_part(part, subject, to_text({"found": found, "why": attempt.why}))

    def play_again(self, subject: str, number: int, observer: Any) -> None:
        """Let somebody see an episode of the battery once more, played by the answers that are kept."""
        cell = next(one for one in self._records.cells(self._run) if one.name == subject)
        place = PlaceMaker().place(cell)
        pages = [unpack(page) for page in self._records.journal(self._run, cell.number, number)]
        step(place, number, player=FromJournal(pages, place), observers=[observer])


def measure_kept(
    setup: Setup,
    asked: Settings,
    store: str | Path | None,
    *,
    name: str = "",
    given_seed: int | None = None,
    tell: Tell,
    command: str = "",
) -> Profile:
    """Measure a profile into a store, or go on with it; nothing where it is there."""
    setup = replace(setup, store=store)
    name = name or _usual_name(setup, asked, given_seed)
    with open_store(store) as records:
        known = next((run for run in records.runs() if run.name == name), None)
        if known is not None:
            _check_same(records, known, asked)
            if given_seed is None:
                setup = replace(setup, seed=known.seed)
            whole = profile_of(records, known)
            if whole is not None and whole.seed == setup.seed:
                return whole
    layout, at_hand = battery_layout(setup, name)

    def begun(run: Run) -> None:
        with open_store(store) as records, records.seize(run) as lease:
            lease.keep_part(SETTINGS, "", write_typed(asked))

    tell("performance")
    result = run_in_store(
        layout,
        store,
        manner=Manner("threads", setup.threads),
        watch=watching(False),
        command=command,
        fresh_seed=given_seed is None,
        begun=begun,
        at_hand=at_hand,
        more=True,
    )
    if result.details.status == "stopped":
        raise _stopped(name)
    with open_store(store) as records:
        return _measure_rest(records, records.find(name), setup, asked, tell)


def battery_layout(setup: Setup, name: str) -> tuple[Layout, AtHand]:
    """The battery of performance as a run of this name, and what only this process has of it."""
    return laid_out(
        setup.everybody,
        setup.world,
        seed=setup.seed,
        name=name,
        in_process=setup.in_process,
        timeout=setup.timeout,
        title=f"Profile of {shown_names(setup.subjects)} on {setup.world.id}",
        **_battery(setup),
    )


def _measure_rest(records: Store, run: Run, setup: Setup, asked: Settings, tell: Tell) -> Profile:
    """The parts beside the battery; the run is finished when all of them are there."""
    with records.seize(run) as lease:
        kept = PartsInStore(lease, records, run)
        try:
            setup = replace(setup, kept=kept)
            found = measure(setup, asked.level, quick=asked.quick, tell=tell)
            lease.keep_part(
                PROFILE, "", write_typed(Whole(found.profiles, found.notes, found.warnings))
            )
        except (KeyboardInterrupt, StoppedEarly):
            noticed()
            lease.finish("stopped")
            raise _stopped(run.name) from None
        except Unanswered as error:
            lease.finish("failed")
            why = str(error).partition(" What was answered is kept")[0]  # of the run of a part
            raise Unanswered(
                f"{why} What was answered is kept; go on with:  mensura study resume {run.name}"
            ) from None
        except BaseException:
            lease.finish("failed")
            raise
        lease.finish("finished")
    found.name = run.name
    return found


def resume_profile(
    store: str | Path | None,
    name: str,
    *,
    threads: int | None = None,
    tell: Tell = lambda part: None,
) -> Profile:
    """Go on with the profile of a run, from its records alone."""
    with open_store(store, create=False) as records:
        run = records.find(name)
        asked = _settings(records, run)
        world = PlaceMaker().place(records.cells(run)[0]).world
    setup = asked.setup(world, run.seed, threads)
    return measure_kept(setup, asked, store, name=run.name, tell=tell, command=run.command)


def is_profile(records: Store, run: Run) -> bool:
    """Whether a run is a profile, measured to its end or not."""
    return (SETTINGS, "") in records.parts(run)


def profile_of(records: Store, run: Run) -> Profile | None:
    """The profile that a run holds; None where it holds none, or is not measured to its end."""
    text = records.parts(run).get((PROFILE, ""))
    if text is None:
        return None
    asked, whole = _settings(records, run), read_typed(Whole, text)
    return Profile(
        whole.profiles,
        records.cells(run)[0].world,
        run.seed,
        quick=asked.quick,
        references=asked.references,
        notes=whole.notes,
        warnings=whole.warnings,
        name=run.name,
    )


def _settings(records: Store, run: Run) -> Settings:
    return read_typed(Settings, records.parts(run)[SETTINGS, ""])


def _battery(setup: Setup) -> dict[str, Any]:
    given = battery_of(setup)
    return {"assessment": given.pop("assessment"), "given": given}


def _usual_name(setup: Setup, asked: Settings, seed: int | None) -> str:
    """A name made of what is measured, so that the same again goes on."""
    world = {"world": setup.world.id, "parameters": changed_parameters(setup.world), "seed": seed}
    words = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(one.label for one in setup.subjects)).strip("-")
    mark = digest({**asdict(asked), **world}).hex()[:12]
    return f"profile-{words[:60]}-{mark}"


def _check_same(records: Store, run: Run, asked: Settings) -> None:
    """Raise if a run is no profile, or one that is measured in another way."""
    if not is_profile(records, run):
        raise MensuraError(
            f"The run {run.name} is no profile; give this one another name with --name."
        )
    before = _settings(records, run)
    differing = [
        one.name for one in fields(asked) if getattr(asked, one.name) != getattr(before, one.name)
    ]
    if differing:
        raise MensuraError(
            f"The run {run.name} is a profile that differs in {', '.join(differing)}; give this one another name with "
            f"--name, or delete that one with: mensura runs delete {run.name}"
        )


def _stopped(name: str) -> StoppedEarly:
    return StoppedEarly(
        f"Stopped before its end; what was measured is kept. Go on with:  mensura study resume {name}"
    )
