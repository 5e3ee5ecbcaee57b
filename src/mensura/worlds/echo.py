"""Echo: say again what was shown some interactions ago."""

from collections.abc import Mapping

from mensura.agent.keys import DRAWN_ANEW
from mensura.worlds.kit import (
    GENERATED,
    Area,
    BaseDescription,
    BaseWorld,
    Discrete,
    Generator,
    Measure,
    Picture,
    Shape,
    Space,
    State,
    Words,
    parameter,
)


class Echo(BaseWorld):
    """Symbols are shown one after another; the right answer is the one shown ``lag`` interactions ago."""

    id = "echo-v1"
    content = GENERATED
    changes = {1: DRAWN_ANEW}
    symbols: int = parameter(4, "How many different symbols there are", at_least=2, at_most=36)
    longest: int = parameter(6, "The longest lag that is drawn", at_least=0)
    horizon: int = parameter(50, "Interactions of an episode", at_least=1)

    measures = {"lag": Measure("lag", "how far back one has to remember", "interactions")}
    presets = {"short": {}, "long": {"longest": 20, "horizon": 200}}
    promises = frozenset({"bounded", "balanced"})

    def draw(self, rng: Generator) -> Mapping[str, int]:
        return {"lag": int(rng.integers(0, self.longest + 1))}

    def keep(self, description: BaseDescription) -> bool:  # one from a file may hold anything
        return bool(description.lag >= 0)

    def complexity(self, description: BaseDescription, measure: str) -> float:
        return float(description.lag)

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        return Discrete(self.symbols), Discrete(self.symbols)

    def start(self, state: State, rng: Generator) -> None:
        state.shown = [int(rng.integers(self.symbols))]

    def observe(self, state: State, seat: int) -> int:
        return int(state.shown[-1])

    def advance(self, state: State, actions: Mapping[int, int], rng: Generator) -> list[float]:
        wanted = state.shown[max(0, len(state.shown) - 1 - state.description.lag)]
        state.shown.append(int(rng.integers(self.symbols)))
        return [1.0 if actions[0] == wanted else -1.0 / (self.symbols - 1)]

    def picture(self, state: State, seat: int | None = None) -> Picture:
        shapes: list[Shape] = [Words(str(state.shown[-1]), (5, 2), 2.5, "subject")]
        if seat is None:  # what is hidden from subjects: the past, and which of it is wanted
            past, lag = state.shown[-10:], state.description.lag
            if lag < len(past):
                shapes.append(Area.box(9 - lag, 4, 1, 1, "good", 0.3, label="the right answer"))
            first = 10.5 - len(past)
            shapes += [Words(str(one), (first + i, 4.5), 0.6) for i, one in enumerate(past)]
        return Picture(shapes, (10, 5.5), f"Echo, showing {state.shown[-1]}")
