"""A study of people as one folder, zipped, laid out like a dataset of BIDS (Brain Imaging Data Structure 1.10).

Tables are TSV with a JSON file of the same name beside each, which says what its columns mean. What departs from BIDS:
all interactions are in one table rather than in a folder for each participant, and participants keep their pseudonyms.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from typing import IO, Any

import yaml

from mensura import __version__
from mensura.records.provenance import now
from mensura.web.codebook import CODEBOOK, TABLES, codebook, sidecar, types_of
from mensura.web.exporting import csv_text, plain_rows
from mensura.web.people.analysis import report_page
from mensura.web.people.consenting import texts_of
from mensura.web.people.devices import participants_table
from mensura.web.people.rooms.record import room_rows
from mensura.web.people.rooms.talk_record import talk_rows
from mensura.web.people.studies import People, PeopleStudy

README = """{name}: a study of people, exported from Mensura {version} at {at}{pilot}.

participants.tsv                who took part, how far they came, on which device, with which score
beh/interactions.tsv            every interaction in the exercises
phenotype/questionnaires.tsv    every answer to a question
*.json                          what the columns of the table of the same name mean
codebook.tsv                    the same for all tables, with the questions of the study
study.yaml                      the study file, with the seed of all draws
consent/                        every version of the text that people agreed to
versions.json                   the software that the study was begun with
report.html                     the flow of people, scores with and without exclusions, reliability (not of the pilot)
"""

PLACES = {
    "participants": "participants",
    "interactions": "beh/interactions",
    "questionnaires": "phenotype/questionnaires",
}


def rows_of(
    people: People, study: PeopleStudy, table: str, *, pilot: bool
) -> Iterable[Mapping[str, Any]]:
    """The rows of a table, of the study or of its pilot."""
    if table == "participants":
        return participants_table(people, study, pilot=pilot)
    if table == "questionnaires":
        return people.questionnaires(study, pilot=pilot)
    if people.talks(study.id):
        return talk_rows(people, study, pilot=pilot)
    if study.people.together is not None:
        return room_rows(people, study, pilot=pilot)
    return people.rows(study, pilot=pilot)


def study_folder(people: People, study: PeopleStudy, *, pilot: bool) -> IO[bytes]:
    """The zip file, at its beginning; it is gone once it is closed."""
    run = people.store.find(str(study.id))
    root = f"{study.name}-pilot" if pilot else study.name
    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as folder:

            def write(path: str, text: str) -> None:
                folder.writestr(f"{root}/{path}", text)

            def table(path: str, columns: Mapping[str, type], rows: Iterable[Any]) -> None:
                with folder.open(f"{root}/{path}.tsv", "w", force_zip64=True) as entry:
                    for part in csv_text(list(columns), plain_rows(rows, columns), tabs=True):
                        entry.write(part.encode())

            about = {
                "Name": study.title or study.name,
                "BIDSVersion": "1.10.0",
                "DatasetType": "raw",
                "GeneratedBy": [{"Name": "Mensura", "Version": __version__}],
            }
            said = ", the pilot alone" if pilot else ""
            write(
                "README", README.format(name=study.name, version=__version__, at=now(), pilot=said)
            )
            write("dataset_description.json", _json(about))
            write(
                "study.yaml", yaml.safe_dump(_plain(run.study), allow_unicode=True, sort_keys=False)
            )
            write("versions.json", _json({**run.versions, "commit": run.commit}))
            for version, texts in texts_of(people, study).items():
                for language, text in texts.items():
                    write(f"consent/version-{version}_{language}.md", text)
            if not pilot:
                write("report.html", report_page(people, study))
            table("codebook", types_of(CODEBOOK), codebook(study.people))
            for name, columns in TABLES.items():
                write(f"{PLACES[name]}.json", _json(sidecar(columns)))
                table(PLACES[name], types_of(columns), rows_of(people, study, name, pilot=pilot))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _plain(data: Any) -> Any:
    """Mappings and lists as YAML writes them."""
    return json.loads(json.dumps(data))
