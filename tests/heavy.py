"""Libraries that take long to import, loaded when a test first uses them and not when tests are collected."""

from __future__ import annotations

import importlib
from typing import Any


class Heavy:
    """A module by name, imported on its first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest looks for `__wrapped__` and the like in all that it finds in a module
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


library = Heavy("rliable.library")
metrics = Heavy("rliable.metrics")
stats = Heavy("scipy.stats")
optimize = Heavy("scipy.optimize")
multitest = Heavy("statsmodels.stats.multitest")
regression = Heavy("statsmodels.regression.linear_model")
sandwich = Heavy("statsmodels.stats.sandwich_covariance")
pettingzoo_test = Heavy("pettingzoo.test")
polars = Heavy("polars")
