"""Studies that Hypothesis makes up: plain data as a file would hold it."""

from typing import Any

from hypothesis import strategies as st

LABELS = st.text("abcdefgh 0123456789", min_size=1, max_size=8).map(str.strip).filter(bool)
NUMBERS = st.integers(-1000, 1000) | st.floats(-1e6, 1e6).map(lambda number: number + 0.5)
VALUES = NUMBERS | st.booleans() | LABELS
PARAMETERS = st.dictionaries(LABELS, VALUES | st.lists(VALUES, max_size=3), max_size=3)


def some(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping with any of these fields."""
    return st.fixed_dictionaries({}, optional=optional)


def entry(field: str, **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An entry in its short or long form."""
    long = st.tuples(LABELS, some(name=LABELS, parameters=PARAMETERS, **optional))
    return LABELS | long.map(lambda pair: {field: pair[0], **pair[1]})


@st.composite
def factors(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Factors that change a parameter of their own each."""
    made: list[dict[str, Any]] = []
    for name in draw(st.lists(LABELS, max_size=3, unique=True)):
        labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
        levels = [
            {"label": label, "world": {f"of {name}": i}, **draw(some(value=NUMBERS))}
            for i, label in enumerate(labels)
        ]
        made.append({"name": name, "levels": levels, "baseline": draw(st.sampled_from(labels))})
    return made


@st.composite
def studies(draw: st.DrawFn) -> dict[str, Any]:
    """A study that the schema allows; its names need not exist."""
    study: dict[str, Any] = {
        "mensura": 1,
        "name": draw(st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)),
        "worlds": draw(st.lists(entry("world", preset=LABELS), min_size=1, max_size=3)),
        "subjects": draw(
            st.lists(
                entry("subject", training=st.integers(0, 9), in_process=st.booleans()),
                min_size=1,
                max_size=3,
            )
        ),
    }
    study |= draw(
        some(
            title=LABELS,
            source=LABELS,
            notes=st.lists(LABELS, max_size=3),
            seed=st.integers(0, 2**64 - 1),
            repetitions=st.integers(1, 5),
            assessments=st.lists(entry("assessment"), min_size=1, max_size=2),
            factors=factors(),
            design=st.sampled_from(["grid", "one-at-a-time", "pairs"]),
            limits=some(seconds_per_action=st.floats(0.1, 9), faults=st.integers(1, 9)),
            records=some(training=st.integers(0, 200), traces=st.booleans()),
            published=st.lists(
                st.dictionaries(LABELS, NUMBERS, min_size=1, max_size=3).map(
                    lambda values: {"values": values}
                ),
                max_size=2,
            ),
        )
    )
    keys = draw(st.permutations(sorted(study)))
    return {name: study[name] for name in keys}
