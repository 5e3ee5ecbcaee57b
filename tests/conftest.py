"""What all tests share: settings of the process, Hypothesis profiles, and the size of the tests.

    pytest                     every test but the slow and the thorough ones
    pytest -m quick            less than a minute: for those who change one file
    pytest --thorough          the thorough ones and no others
    pytest --audit             those that `make audit` plays and no others
    pytest --full-size         every test, those that scale at their full size

A test is `thorough` if it is dear and checks more of what cheaper ones check as well, and marked `audit` if it is too
dear for every change: CONTRIBUTING says when.
A test that takes minutes is marked `slow`, one that waits for half a minute `long`, so that it runs
before the others. A test that is useful at any size asks for `full_size` and chooses its numbers by it.
"""

import asyncio
import gc
import os
from pathlib import Path

# Before NumPy is imported: processes side by side do not each want all cores, nor a window.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# Before Numba is: kernels are compiled once for all who run tests here, as `make test` does or by hand.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".cache" / "kernels"))

from collections.abc import Iterator

import pytest
from hypothesis import settings
from tests.postgres import Cluster, find
from tests.shared_work import share
from tests.sizes import set_full_size

pytest_plugins = ["tests.costs"]

FULL_SIZE_SECONDS = 3600
"""A test at full size that takes so long hangs; the limit in pyproject.toml is for the small ones."""

DEAR = ("audit", "thorough")
"""Marks of tests that are left out unless an option asks for them; of two, the first counts."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Let nobody but the tests of pages see the loop that a browser leaves running in this thread."""
    loop = asyncio._get_running_loop()
    if loop is None or "chromium" in getattr(item, "fixturenames", ()):
        return (yield)
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full-size",
        action="store_true",
        help="also run the slow tests, and run at full size those that scale",
    )

    for mark in DEAR:
        parser.addoption(
            f"--{mark}",
            action="store_true",
            help=f"run the tests that are marked {mark}, and no others",
        )


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples Hypothesis draws, where a test does not say so itself, and from where.

    No deadlines: the first example may compile a kernel.
    """
    set_full_size(bool(config.getoption("--full-size")))
    gc.disable()  # until all modules are there: nothing of them is to be collected
    uncompiled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    dear = any(config.getoption(f"--{mark}") for mark in DEAR)
    dear = dear or bool(os.environ.get("NUMBA_BOUNDSCHECK"))
    examples = 30 if dear else 20
    if config.getoption("--full-size") and not uncompiled:
        examples = 100
    settings.register_profile("dev", deadline=None, max_examples=examples, print_blob=True)
    settings.register_profile("ci", settings.get_profile("dev"), derandomize=True)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.enable()
    if not session.config.getoption("--full-size"):
        share()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Long ones first, one after the other in the first process, while the others take over what else it would have run:
    # begun near the end, one of them alone would hold up the end of all.
    items.sort(key=lambda item: "long" not in item.keywords)
    if config.getoption("--full-size"):
        for item in items:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(FULL_SIZE_SECONDS))
        return
    leave_out(config, items)
    skip = pytest.mark.skip(reason="slow: give --full-size, or make test-all")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the dear tests out, or with --thorough or --audit all others; whoever names a test gets it in any case.

    Of kernels, uncompiled or with every index checked, all are played: what makes some of them dear is compiling.
    """
    if config.option.markexpr in ("pure", "bounds"):
        return
    wanted = next((mark for mark in DEAR if config.getoption(f"--{mark}")), None)
    named = tuple(one for one in config.args if "::" in one)
    left = [
        item
        for item in items
        if dearness(item) != wanted and not (named and item.nodeid.startswith(named))
    ]
    if left:
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [item for item in items if item not in gone]


def dearness(item: pytest.Item) -> str | None:
    return next((mark for mark in DEAR if item.get_closest_marker(mark)), None)


@pytest.fixture(scope="session")
def full_size(pytestconfig: pytest.Config) -> bool:
    """Whether a test that scales should run at the size of the published experiments."""
    return bool(pytestconfig.getoption("--full-size"))


@pytest.fixture
def words_only() -> Iterator[None]:
    """The test reads words and tables of reports. At full size their figures are drawn all the same."""
    from tests.reports.printing import empty_figures

    with empty_figures():
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A private PostgreSQL server, one for each process of the tests."""
    programs = find()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")
    server = Cluster(programs)
    yield server
    server.close()
