"""The parser against the treebank English-EWT, from a folder that the tester names."""

import os
from pathlib import Path

import pytest

from mensura.texts.conllu import read_parts
from mensura.texts.parser import WEIGHTS, loaded
from mensura.texts.parser.scores import raw_scores, scores

FOLDER = Path(os.environ.get("MENSURA_PUBLISHED_PROBLEMS", "none")) / "ud-ewt"


@pytest.mark.thorough
@pytest.mark.skipif(
    not FOLDER.is_dir(), reason="MENSURA_PUBLISHED_PROBLEMS names no folder with it"
)
def test_the_parser_is_as_right_as_its_notice_says() -> None:
    gold = read_parts(FOLDER, ("test",))["test"]
    found = scores(loaded(WEIGHTS), gold)
    assert found.words == 25_094
    assert [round(one, 3) for one in found[1:5]] == [0.902, 0.878, 0.962, 0.969]
    raw = raw_scores(loaded(WEIGHTS), gold)
    assert raw.words > 0.98
    assert raw.las > 0.85
