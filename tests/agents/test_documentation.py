"""The page on the protocol shows what really happens, and names what there is."""

import pytest
from tests.agents.exchange import EXCHANGE, PAGE, play_example

from mensura.agent import protocol
from mensura.agent.asks import Ask

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_exchange_on_the_page_is_what_happens(page: str) -> None:
    """Where it differs on purpose: python -m tests.agents.exchange"""
    shown = EXCHANGE.search(page)
    assert shown is not None
    assert shown[1] == play_example()


def test_the_exchange_shows_every_ask_and_an_error(page: str) -> None:
    shown = EXCHANGE.search(page)
    assert shown is not None
    for ask in ("hello", "begin", "tell", "act", "end"):
        assert f'"ask":"{ask}"' in shown[1]
    assert '"error":"RuntimeError: I am lost (agent.py, line 16)"' in shown[1]


def test_the_page_names_the_version(page: str) -> None:
    assert f"This is version {protocol.VERSION}." in page


def test_the_page_names_every_ask_and_every_limit(page: str) -> None:
    for ask in ("hello", "begin", "tell", "act", "end", "save", "error"):
        assert f"| `{ask}` |" in page
    assert f"{protocol.LONGEST >> 20} MiB" in page
    assert f"{protocol.LONGEST_MEMORY >> 20} MiB" in page


def test_ids_asks_and_seats_come_first_as_the_page_promises() -> None:
    line = protocol.request(7, Ask("act", 3, 1, 0.5))
    assert line.startswith(b'{"id":7,"ask":"act","seat":3,')
    assert protocol.hello(2).startswith(b'{"id":0,"ask":"hello"')
    assert protocol.save(9).startswith(b'{"id":9,"ask":"save"')
