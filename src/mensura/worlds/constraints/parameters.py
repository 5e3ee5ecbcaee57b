"""The parameters of distributed constraints, and the problems that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

from mensura.agent.errors import MensuraError
from mensura.core.chance import generator
from mensura.core.task_files import TaskFiles
from mensura.worlds.constraints.family_parameters import FamilyParameters, shared_parameters
from mensura.worlds.constraints.formats import read_bytes
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.generators.wanted import draw_wanted
from mensura.worlds.constraints.measures import MEASURES
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.orders import ORDERS
from mensura.worlds.constraints.picking import seats_of
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.kit import (
    BaseDescription,
    Generator,
    parameter,
    seat_rights,
)


class ConstraintParameters(FamilyParameters):
    """A world with problems, and with all that can be set."""

    family: str = parameter("queens", "The family of problems", choices=tuple(FAMILIES))
    task: str = parameter(
        "",
        "A problem of its own: the name of a sample, a file, or its text; empty: problems are drawn",
    )
    solvable: Literal["any", "planted", "solvable", "unsolvable"] = parameter(
        "any",
        "Which problems are drawn; planted: around a hidden solution. solvable and unsolvable: certified "
        "by CP-SAT, and drawn again until one is",
    )
    horizon: int = parameter(100, "Turns that a seat has at most", at_least=1)
    delays: Literal["none", "fixed", "random", "heavy-tailed"] = parameter(
        "none",
        "How long letters take; none: synchronous cycles, in which all act and letters arrive in the next",
    )
    delay: int = parameter(
        10,
        "Time that a letter takes where it is fixed, at most where it is random, and about the least where it is "
        "heavy-tailed",
        at_least=1,
        at_most=1_000_000,
    )
    loss: float = parameter(0.0, "The probability that a letter is lost", at_least=0, at_most=1)
    read: Literal["all", "one"] = parameter(
        "all", "Whether a seat reads all letters that are in its box at a turn, or one"
    )
    order: str = parameter(
        "index", "The static order of agents that all are told", choices=tuple(ORDERS)
    )
    proof: float = parameter(
        10.0,
        "Seconds that CP-SAT has to prove what is best, where a problem is too large to try everything; 0: none",
        at_least=0,
    )
    letters: int = parameter(
        0, "Letters that a seat may write at a turn; 0: 32 and 4 for each agent", at_least=0
    )
    longest: int = parameter(10_000, "Characters of a letter at most", at_least=16)
    proxies: tuple[str, ...] = parameter(
        (),
        "Seats that only pick values, each with who speaks for it, as 0:abt (values, gains, abt, awcs); none: nobody; "
        "empty: people, and language models among algorithms that have a proxy",
    )
    rights: tuple[str, ...] = seat_rights(
        sees_problem="the whole problem is part of what it is told"
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        **{name: {"family": name} for name in FAMILIES},
        "coloring": {"family": "coloring", "nodes": 10, "links": 20},
        "scale-free": {"family": "scale-free", "n": 20, "md": 2},
    }

    def check(self) -> None:
        """The family has all parameters that are set, and can plant a solution where that is wanted."""
        FAMILIES[self.family].settings(**self._settings)
        object.__setattr__(self, "task", self.embed_files({"task": self.task})["task"])
        seats_of(self.id, self.proxies)
        if self.solvable == "planted" and not FAMILIES[self.family].plants:
            raise MensuraError(
                f"solvable of {self.id} is planted; {self.family} cannot hide a solution in a problem, so it must be "
                "any."
            )

    @classmethod
    def embed_files(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with the text of a problem in the place of the name of its file."""
        task = parameters.get("task")
        if not isinstance(task, str) or not task or "\n" in task:
            return dict(parameters)
        return {**parameters, "task": cls.task_files().text(task)}

    @staticmethod
    def check_given(given: Mapping[str, Any]) -> None:
        """Raise if pages may not set parameters so."""
        from mensura.worlds.constraints.exploring import check_given

        check_given(given)

    def describe_from_json(self, data: Mapping[str, Any]) -> BaseDescription:
        """An environment from plain data, which holds the text of its problem and never the name of a file."""
        task = data.get("task")
        if isinstance(task, str) and task and "\n" not in task:
            raise MensuraError(
                "A description holds the text of its problem; it never names a file or a sample."
            )
        return super().describe_from_json(data)

    @classmethod
    def task_files(cls) -> TaskFiles:
        """Problems in files."""
        from mensura.worlds.constraints.task_files import ConstraintFiles

        return ConstraintFiles()

    @property
    def _settings(self) -> dict[str, Any]:
        """Parameters of the family that are set."""
        given = {name: getattr(self, name) for name in shared_parameters()}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def idle(self) -> tuple[str, ...]:
        """The parameters of other families, and the time of letters where they take none."""
        own = FAMILIES[self.family].parameters
        others = tuple(name for name in shared_parameters() if name not in own)
        if self.task:
            others = (*shared_parameters(), "family", "solvable")
        return (*others, "delay") if self.delays == "none" else others

    @cached_property
    def subjects(self) -> int:
        """As many as a problem has agents; where that varies, as many as the first has: others are not drawn."""
        family = FAMILIES[self.family]
        if family.agents and not self.task:
            return int(family.settings(**self._settings)[family.agents])
        return len(self.problem(BaseDescription(self, {"root": 0})).agents)

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        """A number from which the problem follows."""
        if within is not None:
            measure, low, high = within
            seen = self._seen(measure)
            if len(seen) == 1 and not low <= (only := next(iter(seen))) <= high:
                raise MensuraError(
                    f"Problems of {self.family} as they are set all have {measure} {only:g}, not from {low:g} to "
                    f"{high:g}."
                )
        return {"root": int(rng.integers(1 << 62))}

    def _seen(self, measure: str) -> frozenset[float]:
        """What a few problems have of a measure: one value where all have the same."""
        seen: frozenset[float] | None = self._values_seen.get(measure)
        if seen is None:
            drawn = (BaseDescription(self, {"root": root}) for root in range(4))
            seen = frozenset(self.complexity(one, measure) for one in drawn)
            self._values_seen[measure] = seen
        return seen

    @cached_property
    def _values_seen(self) -> dict[str, frozenset[float]]:
        return {}

    def keep(self, description: BaseDescription) -> bool:
        """Whether a description, maybe from a file, is one."""
        return bool(
            description.root >= 0 and len(self.problem(description).agents) == self.subjects
        )

    def problem(self, description: BaseDescription) -> Problem:
        """The problem of a description."""
        return self._network(description).problem

    def _network(self, description: BaseDescription) -> Network:
        """What is computed once for a description, and then kept with it."""
        found: Network | None = vars(description).get("_network")
        if found is None:
            found = Network(*_made(description))
            vars(description)["_network"] = found
        return found

    def complexity(self, description: BaseDescription, measure: str) -> float:
        """Of the problem."""
        return float(MEASURES[measure][0](self.problem(description)))


def _made(description: BaseDescription) -> tuple[Problem, Sequence[int]]:
    world = cast(ConstraintParameters, description.world)
    if world.task:
        problem = read_bytes(world.task.encode(), ".yaml", "The problem")
        return problem, ranks_of(problem, world.order)
    family = FAMILIES[world.family]
    rng = generator(description.root)
    if world.solvable in ("solvable", "unsolvable"):
        problem = draw_wanted(family, rng, solvable=world.solvable == "solvable", **world._settings)
    else:
        problem = family.problem(rng, planted=world.solvable == "planted", **world._settings)
    return problem, ranks_of(problem, world.order)


def ranks_of(problem: Problem, order: str) -> Sequence[int]:
    """The place of each agent in a static order."""
    ranks = [0] * len(problem.agents)
    for rank, agent in enumerate(ORDERS[order](problem)):
        ranks[agent] = rank
    return ranks
