"""Studies as people hold them in Python: read, checked, run, resumed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.api.running import run_in_store, run_study, watching
from mensura.studies.runs import Manner
from mensura.studies.study import Study as Plain
from mensura.studies.study import study_from_plain

if TYPE_CHECKING:
    from mensura.api.results import Result
    from mensura.api.spending import Outlays
    from mensura.studies.rehearse import Forecast


class Study:
    """Subjects by worlds by assessments, as a study file says it."""

    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        """The study as checked data, field by field."""

    @classmethod
    def load(cls, where: str | Path) -> Study:
        """Read a study file, or the shipped study of that name; an error names the line.

        Example:
            >>> import mensura as ms
            >>> ms.Study.load("lambda-star-2016").name
            'lambda-star-2016'
        """
        from mensura.studies.files import read_study

        return cls(read_study(where))

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Study:
        """A study from plain data, as a study file holds it.

        Example:
            >>> import mensura as ms
            >>> study = ms.Study.from_plain(
            ...     {"mensura": 1, "name": "mine", "subjects": ["random"], "worlds": ["lambda"]}
            ... )
            >>> study.check().subjects
            1
        """
        from mensura.studies.expand import expand

        plain = study_from_plain(data)
        expand(plain)  # to hear of what cannot be run
        return cls(plain)

    @property
    def name(self) -> str:
        """The name of the study, and of its run in a store."""
        return self.plain.name

    def to_plain(self) -> dict[str, Any]:
        """The study as plain data, which :meth:`from_plain` and a study file take."""
        return self.plain.to_plain()

    def __repr__(self) -> str:
        title = f": {self.plain.title}" if self.plain.title else ""
        return f"<Study {self.name}{title}>"

    def check(self) -> Forecast:
        """Try it out as ``mensura study check`` does, without playing: how much it will run, and about how long.

        Environments are sampled at the ends of the wanted complexity, and subjects of your own are started once.
        """
        from mensura.studies.expand import places_of
        from mensura.studies.rehearse import forecast, rehearse

        made = list(places_of(self.plain))
        rehearse(self.plain, made)
        return forecast(made)

    def estimate(self) -> Outlays:
        """What language models in it are going to take, about: requests, tokens, money and hours."""
        from mensura.api.spending import Outlays
        from mensura.studies.expand import places_of
        from mensura.studies.spending import outlays

        return Outlays(outlays(list(places_of(self.plain))))

    def with_models(self, *models: str) -> Study:
        """The study with these language models in the place of its scripted ones, as ``--model`` of a command does.

        Args:
            models: Names as the service knows them, or addresses with parameters.

        Example:
            >>> import mensura as ms
            >>> ms.Study.load("language-models").with_models("small?price_in=1&price_out=4").name
            'language-models-small'
        """
        from mensura.api.model_studies import with_models

        return Study(with_models(self.plain, models))

    def run(
        self,
        store: str | Path | None = None,
        *,
        name: str = "",
        seed: int | None = None,
        progress: bool = False,
        executor: str = "auto",
        workers: int | None = None,
        address: str | None = None,
        device: str | None = None,
        max_cost: float | None = None,
        max_tokens: float | None = None,
        max_hours: float | None = None,
        confirm: bool = False,
    ) -> Result:
        """Run it, as ``mensura study run`` does.

        Args:
            store: Keep the run in this file or database; a run of the same name that was interrupted is completed, one
                that is finished is not run again, and one of another study is refused. Without a store nothing is
                kept, except where answers cost money: then that of commands is taken.
            name: How the run is called in the store; by default as the study.
            seed: The root of all draws; by default that of the study, or a fresh one.
            progress: Show progress.
            executor: Who computes: "threads", "processes", "ray", or "auto". It changes no result.
            workers: How many sittings at a time; by default as many as there are cores.
            address: With "ray": of a running cluster.
            device: Where whole sittings of built-in subjects are played, "cpu" or "gpu"; by default
                where the study says. It changes no result.
            max_cost: What language models may cost in all; as of :func:`assess`, and so are the others.
            max_tokens: How many tokens they may read and write in all.
            max_hours: For how many hours they are asked.
            confirm: Go ahead, also where they take much money or time, as :meth:`estimate` tells.

        Example:
            >>> study = ms.Study.load("study.yaml")              # doctest: +SKIP
            >>> study.run(store="records.db", progress=True)     # doctest: +SKIP
        """
        from mensura.agent.keys import seed_or_fresh
        from mensura.api.spending import spending
        from mensura.studies.layout import lay_out

        manner = Manner(executor, workers, address, device)
        layout = lay_out(self.plain, None if seed is None else seed_or_fresh(seed))
        watch = watching(progress)
        with spending(layout.places, max_cost, max_tokens, max_hours, confirm):
            if store is None and not name and not layout.is_costly:
                return run_study(layout, manner=manner, watch=watch)
            return run_in_store(layout, store, name=name, manner=manner, watch=watch)
