"""Games of imitation as runs: machines before judges, played again from records as transcripts, and what they show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError

if TYPE_CHECKING:
    from mensura.api.results import Result
    from mensura.core.contract import Environment, Turn
    from mensura.records.conversation import Game
    from mensura.records.run import Run
    from mensura.records.seats import Seated
    from mensura.records.store import Store
    from mensura.statistics.identification import Identified, Verdict

WORLD = "imitation-v1"
PRETENDER = "a person who pretends"
"""Who is in the place of the machine where a person has it."""
BEFORE = " before "
"""Stands between machine and judge in the names of a rehearsal."""


@dataclass(frozen=True)
class MachineResult:
    """What games with one machine show."""

    machine: str
    games: int
    void: int
    won: float
    """How often it was taken for the person, ties half; void games left out."""
    low: float
    high: float
    identified: Identified
    tests: tuple[Verdict, ...]
    more: int | None
    """How many more games would settle turing-1950; None where none would."""
    judged_by: str


def rehearse(
    machines: Sequence[str],
    judges: Sequence[str],
    *,
    person: str = "replay",
    games: int = 40,
    preset: str = "three-party",
    exchange: str = "alternating",
    **settings: Any,
) -> Result:
    """Let machines play before judges who are programs, each machine so many games, spread evenly over judges."""
    from mensura.api.assessing import assess
    from mensura.core.registry import WORLDS

    if not machines or not judges:
        raise MensuraError("A rehearsal needs at least one machine and one judge.")
    if games < len(judges):
        raise MensuraError(
            f"{games} games are too few for {len(judges)} judges; give at least as many."
        )
    world = WORLDS.load(WORLD).preset(preset, seated="all", exchange=exchange)
    seats = {
        seat_address(judge, world.jurors, person, machine): f"{machine}{BEFORE}{judge}"
        for machine in machines
        for judge in judges
    }
    return assess(
        {label: address for address, label in seats.items()},
        world,
        "games",
        sittings=games // len(judges),
        **settings,
    )


def seat_address(judge: str, jurors: int, person: str, machine: str) -> str:
    """The address of all seats of a game."""
    jury = judge if jurors == 1 else f"{judge}*{jurors}"
    return "+".join((jury, person, machine))


class _Last:
    """Keeps the environment of an episode."""

    def __init__(self) -> None:
        self.environment: Any = None

    def started(self, environment: Environment, turn: Turn) -> None:
        """An episode begins."""
        self.environment = environment

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""


def games_of(store: Store, run: Run) -> list[Game]:
    """The games of a run, played again from its keys and journals; nobody is asked."""
    from mensura.agents.address import parse
    from mensura.core.abilities import conversation
    from mensura.core.around import innermost
    from mensura.records.journal import unpack
    from mensura.records.seats import people_at
    from mensura.studies.place import Place
    from mensura.studies.replay import FromJournal, recorded_sitting, seated
    from mensura.studies.stepped import step

    found: list[Game] = []
    people = people_at(store, run)
    before = 0
    for cell in store.cells(run):
        parts = [one.label for one in parse(cell.subject) for _ in range(one.count or 1)]
        for item in range(cell.sittings):
            if store.sitting(run, before + item)[2] is None:
                continue
            _, _, batch = recorded_sitting(store, run, before + item)
            place = Place.of(cell)
            pages = [unpack(page) for page in store.journal(run, cell.number, item)]
            absent = "as it was recorded" if bool(batch.lost[0]) else ""
            player = FromJournal(pages, place) if pages else seated(place, item, absent)
            last = _Last()
            step(place, item, absent, player=player, observers=[last])
            environment = innermost(last.environment)
            if environment.state.verdicts:
                judge, person, machine = _names(environment.rules, parts, cell.name)
                game = conversation(environment.rules, environment)
                game = replace(game, judge=judge, person=person, machine=machine)
                found.append(_with_people(game, environment.rules.jurors, people.get(item)))
        before += cell.sittings
    return found


def _with_people(game: Game, jurors: int, seats: Mapping[int, Seated] | None) -> Game:
    """A game with its people by their pseudonyms: judges, whose games are alike, and witnesses."""
    from mensura.records.conversation import BOTH, PEOPLE, PROGRAMS

    if not seats:
        return game
    judges = [seats[one].pseudonym for one in range(jurors) if one in seats]
    person, pretender = seats.get(jurors), seats.get(jurors + 1)
    return replace(
        game,
        judge=", ".join(judges) or game.judge,
        person=game.person if person is None else person.pseudonym,
        machine=game.machine if pretender is None else PRETENDER,
        judged_by=PEOPLE if len(judges) == jurors else BOTH if judges else PROGRAMS,
        person_is_one=person is not None,
        publishable=all(one.reuse for one in seats.values()),
    )


def _names(world: Any, parts: Sequence[str], name: str) -> tuple[str, str, str]:
    """Who was judge, person and machine: as a rehearsal named them, or by their addresses."""
    if BEFORE in name and len(parts) == world.jurors + 2:
        machine, _, judge = name.partition(BEFORE)
        return judge, parts[world.jurors], machine
    if world.seated == "all" and len(parts) == world.jurors + 2:
        return parts[0], parts[world.jurors], parts[world.jurors + 1]
    own = {"judge": world.judge, "person": world.person, "machine": world.machine}
    own[world.scored] = parts[0]
    return own["judge"], own["person"], own["machine"]


def lines_of(games: Sequence[Game]) -> list[tuple[str, str]]:
    """Questions and what people answered to them, of games in which all people allow that it is said again."""
    found = []
    for game in games:
        if not game.person_is_one or not game.publishable:
            continue
        people = {label for label, role in game.labels.items() if role == "person"}
        asked: dict[str, str] = {}
        for one in game.messages:
            if one["author"] != "witness":
                asked[one["channel"]] = one["text"]
            elif one["channel"] in people and one["text"] and asked.get(one["channel"]):
                found.append((asked[one["channel"]], one["text"]))
    return found


def machine_results(games: Sequence[Game]) -> list[MachineResult]:
    """What the games show of each machine, the best first, apart by who judged. Void games are counted and left out."""
    from mensura.statistics.identification import (
        identified,
        indistinguishable,
        more_games,
        turing_1950,
    )

    found = []
    for machine, judged_by in dict.fromkeys((one.machine, one.judged_by) for one in games):
        own = [one for one in games if (one.machine, one.judged_by) == (machine, judged_by)]
        valid = [one for one in own if one.counts]
        if not valid:
            continue
        right = [1.0 - one.won for one in valid]
        witnesses = [one.person for one in valid if one.person_is_one]
        known = identified(
            right, [one.judge for one in valid], witnesses if len(witnesses) == len(valid) else ()
        )
        won = known.estimate
        found.append(
            MachineResult(
                machine,
                len(own),
                sum(one.void for one in own),
                1.0 - won.value,
                1.0 - won.high,
                1.0 - won.low,
                known,
                (turing_1950(known), indistinguishable(known)),
                more_games(known),
                judged_by,
            )
        )
    return sorted(found, key=lambda one: -one.won)


def compared_as_often(store: Store, machine_run: str, people_run: str) -> Verdict:
    """Whether judges err as often in the games of one run as in those of another, in which people pretend."""
    from mensura.statistics.identification import as_often, identified

    known, judged_by = [], set()
    for name in (machine_run, people_run):
        run = store.find(name)
        if any(cell.world != WORLD or cell.assessment != "games" for cell in store.cells(run)):
            raise MensuraError(
                f"The run {name} has no games of imitation; make one with mensura imitation rehearse."
            )
        games = [one for one in games_of(store, run) if not one.void]
        if not games:
            raise MensuraError(f"The run {name} has no game with a verdict.")
        judged_by |= {one.judged_by for one in games}
        known.append(identified([1.0 - one.won for one in games], [one.judge for one in games]))
    if len(judged_by) > 1:
        raise MensuraError(
            f"The games of {machine_run} and {people_run} were judged by {' and by '.join(sorted(judged_by))}, and "
            "such judgments are not compared with each other; name runs with judges of one kind."
        )
    return as_often(known[0], known[1])


def imitation_page_of(store: Store, run: Run) -> Callable[[], str] | None:
    """What makes the page of a run of games with transcripts; None of another run."""
    cells = store.cells(run)
    if not cells or any(cell.world != WORLD or cell.assessment != "games" for cell in cells):
        return None
    games = games_of(store, run)
    if not games:
        return None
    results = machine_results(games)

    def page() -> str:
        from mensura.reports.imitation_page import imitation_page

        return imitation_page(games, results, run.title or run.name)

    return page


class Talk:
    """A conversation of one person with a machine."""

    def __init__(self, machine: str, seed: int) -> None:
        from mensura.agent.asks import Ask
        from mensura.agent.task import Task
        from mensura.core.registry import WORLDS
        from mensura.studies.subjects import resolve

        world = WORLDS.load(WORLD)()
        environment = world.build(world.sample(seed))
        self._messages: list[dict[str, Any]] = []
        observation, action = environment.spaces(0)
        task = Task(
            WORLD,
            environment.seats[0],
            1,
            observation,
            action,
            None,
            instructions=environment.instructions(0),
        )
        self._player = resolve(machine, world).sit(1)
        self._longest = action.longest
        self._player.answer([Ask("begin", 0, task=task, key=seed, deadline=120.0)])

    def answer(self, line: str) -> str:
        """What the machine says to a line."""
        from mensura.agent.asks import Ask

        self._say("judge", line[: self._longest])
        seen = {
            "phase": "answer",
            "channel": "",
            "channels": "",
            "round": 0,
            "left": 0,
            "messages": [dict(one) for one in self._messages],
            "truth": "",
        }
        (given,) = self._player.answer([Ask("act", 0, seen, 0.0, deadline=120.0)])
        if given.fault is not None:
            raise MensuraError(f"The machine gave no answer: {given.fault[1]}")
        said = " ".join(str(given.value).split())
        self._say("you", said)
        return said

    def _say(self, author: str, text: str) -> None:
        number = len(self._messages)
        self._messages.append({"number": number, "channel": "", "author": author, "text": text})

    def close(self) -> None:
        """The machine leaves."""
        self._player.close()
