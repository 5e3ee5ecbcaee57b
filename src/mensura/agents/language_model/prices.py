"""What models cost: a file that users keep, since prices change and nobody's are built in.

The file is YAML, each model by its name, with what a million tokens cost that it reads and that it writes::

    my-model: {in: 0.15, out: 0.60}
    org/other-model: {in: 2, out: 8}

It is where MENSURA_PRICES says, else ``mensura/prices.yaml`` in the folder of the user's settings.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.numbers import is_number

VARIABLE = "MENSURA_PRICES"


def prices_file() -> Path:
    """Where the prices are, if they are anywhere."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return Path(named)
    folder = os.environ.get("XDG_CONFIG_HOME", "").strip() or "~/.config"
    return Path(folder).expanduser() / "mensura" / "prices.yaml"


def price_of(model: str) -> tuple[float, float] | None:
    """What a million tokens cost that a model reads, and that it writes; None where the file does not say."""
    file = prices_file()
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if os.environ.get(VARIABLE, "").strip():
            raise MensuraError(f"There is no file {file}, which {VARIABLE} names.") from None
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise MensuraError(f"The prices in {file} cannot be read: {error}.") from None
    return _checked(_read(text, file), file).get(model)


def _read(text: str, file: Path) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # as for a date that is none
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f"{file}, line {line + 1}" if line is not None else str(file)
        raise MensuraError(
            f"{where}: This is no YAML; write MODEL: {{in: 0.15, out: 0.60}}."
        ) from None
    except RecursionError:
        raise MensuraError(f"{file} is nested too deeply to be a list of prices.") from None


def _checked(data: Any, file: Path) -> dict[str, tuple[float, float]]:
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise MensuraError(
            f"{file} is no list of prices; each model stands on a line, as MODEL: {{in: 0.15, out: 0.60}}."
        )
    found = {}
    for model, prices in data.items():
        if not isinstance(prices, dict) or set(prices) != {"in", "out"}:
            raise MensuraError(
                f"{file}: The prices of {model} are two, what it reads and what it writes: {{in: 0.15, out: 0.60}}."
            )
        for name, value in prices.items():
            if not is_number(value) or value < 0:
                raise MensuraError(
                    f"{file}: The price {name!r} of {model} is {value!r}; it must be a number, at least 0."
                )
        found[str(model)] = (float(prices["in"]), float(prices["out"]))
    return found
