"""Tables for papers."""

import pytest

from mensura.agent.errors import MensuraError
from mensura.terminal import paper
from mensura.terminal.output import say, table

pytestmark = pytest.mark.quick

COLUMNS = [("subject", False), ("score", True), ("95% interval", True)]
ROWS = [("a_b|c", "+0.250", "[-0.1, +0.6]"), ("100% $x^2$", "-", "?")]


@pytest.fixture(autouse=True)
def as_it_was() -> object:
    yield
    paper.want(paper.TEXT)


def test_a_table_of_latex_holds_numbers_as_mathematics_and_escapes_the_rest() -> None:
    shown = paper.latex("50 % & more", COLUMNS, ROWS).splitlines()
    assert shown[1] == r"\caption{50 \% \& more}"
    assert shown[2] == r"\begin{tabular}{lrr}"
    assert shown[4] == r"subject & score & 95\% interval \\"
    assert shown[6] == r"a\_b|c & $+0.250$ & $[-0.1, +0.6]$ \\"
    assert shown[7] == r"100\% \$x\textasciicircum{}2\$ & - & ? \\"


def test_a_table_of_markdown_aligns_numbers_and_escapes_what_would_be_markup() -> None:
    shown = paper.markdown("Scores", COLUMNS, ROWS).splitlines()
    assert shown[:2] == ["**Scores**", ""]
    assert shown[3] == "| --- | ---: | ---: |"
    assert shown[4] == r"| a\_b\|c | +0.250 | \[-0.1, +0.6] |"


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_only_tables_are_written_to_standard_output(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paper.want(form)
    table("Scores", COLUMNS, ROWS)
    say("seed 1")
    captured = capsys.readouterr()
    assert captured.out == paper.WRITERS[form]("Scores", COLUMNS, ROWS)
    assert captured.err == "seed 1\n"


def test_an_unknown_format_is_one_sentence() -> None:
    with pytest.raises(MensuraError, match="no format 'latx' of tables; did you mean latex"):
        paper.want("latx")
