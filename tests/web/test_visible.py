"""Pages: what HTML does not escape, and browsers do not show, is written out."""

from __future__ import annotations

import re

from tests.web.conftest import Serve

from mensura.records.store import open_store
from mensura.studies.runs import begin
from mensura.studies.study import study_from_plain

CONTROLS = "\x01\x1b\x7f\x9b\u200b\u202e\u2028\ufeff"


def test_pages_show_control_characters(serve: Serve) -> None:
    served = serve()
    study = {"mensura": 1, "name": "plain", "title": f"a{CONTROLS}b", "worlds": ["lambda-star"]}
    study |= {"subjects": ["random"], "assessments": ["battery"]}
    with open_store(served.settings.store) as store:
        begin(store, study_from_plain(study))
    with served.experimenter() as client:
        text = client.get("/runs/plain").text
    assert r"a\x01\x1b\x7f\x9b\u200b\u202e\u2028\ufeffb" in text
    assert not re.search(f"[{CONTROLS}]", text)
