"""Foreign code in its cage: it gets nothing that is not its own, and who is honest notices nothing."""

import itertools
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents import other_user
from tests.agents.test_process import act, ask, begin, ends, running
from tests.agents.toy import Toy, episode, write_agent

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.task import Limits
from mensura.agents.address import load, parse
from mensura.agents.isolation import cage, cheat, code, examination, linux, product, tree, usage
from mensura.agents.isolation.cage import View, for_class, for_command
from mensura.agents.isolation.examination import PROMISES, examine
from mensura.agents.process import ProcessPlayer, ProcessSubject, isolation_here
from mensura.core import private_files

pytestmark = pytest.mark.skipif(
    sys.platform != "linux",
    reason="the cage is Linux's; docs/isolation.md says what holds elsewhere",
)

HERE = isolation_here() if sys.platform == "linux" else ""
full = pytest.mark.skipif(not HERE.startswith("full isolation"), reason=f"this machine has {HERE}")
spaced = pytest.mark.skipif("namespaces" in HERE, reason=f"this machine has {HERE}")
locked = pytest.mark.skipif(
    "Landlock" in HERE or "filter" in HERE, reason=f"this machine has {HERE}"
)

Sit = Callable[..., ProcessPlayer]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """What a test names as kept is not kept from others."""
    with private_files.forgetting():
        yield


@pytest.fixture(params=["namespaces", "none"])
def namespaces(request: pytest.FixtureRequest) -> bool:
    """With the namespaces of this machine, and without."""
    return bool(request.param == "namespaces")


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """Write an agent called A and sit it down in a cage."""
    players = []

    def sit(
        code: str,
        limits: Limits | None = None,
        namespaces: bool = True,
        address: str = ":A",
        name: str = "agent.py",
    ) -> ProcessPlayer:
        (part,) = parse(write_agent(tmp_path, code, name) + address)
        limits = limits or Limits()
        subject = ProcessSubject(part, limits)
        player = ProcessPlayer(
            subject.name,
            subject.command,
            1,
            limits,
            caged=lambda: replace(for_class(part, limits), namespaces=namespaces),
        )
        players.append(player)
        ask(player, begin())
        return player

    yield sit
    for player in players:
        player.close()


def deed(text: str) -> str:
    """An agent whose act does a deed; its value is what came of it."""
    return f"""
        import ctypes, mmap, os, signal, socket, subprocess, sys, time
        class A:
            def act(self, observation, reward):
                {text}
    """


def tried(player: ProcessPlayer) -> Any:
    """The value of an act; the fault in words where it has none."""
    answer = ask(player, act())
    return answer.value if answer.fault is None else answer.fault[1]


HONEST = """
    class A:
        def begin(self, task, rng):
            self.rng = rng
        def act(self, observation, reward):
            return int(self.rng.integers(1, 5))
"""


# All that a cheat can think of --------------------------------------------------


def broken(told: subprocess.CompletedProcess[str]) -> set[str]:
    """The deeds that a cheat succeeded in."""
    assert told.returncode == 0, told.stderr
    deeds = {promise: deed for deed, promise in PROMISES.items()}
    findings = json.loads(told.stdout)
    assert len(findings) == len(PROMISES)
    return {deeds[one["promise"]] for one in findings if not one["holds"]}


def examined(*words: str) -> set[str]:
    return broken(
        subprocess.run(
            [sys.executable, "-m", "tests.agents.examined", *words],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
    )


WEAKER_AS_USER = {"same_user"}
WEAKER_WITHOUT_NAMESPACES = {"same_user", "fill_disk", "many_files", "count_users"}


@full
def test_with_all_that_the_kernel_has_every_promise_holds() -> None:
    assert examined() == set()


@pytest.mark.thorough
@locked
def test_without_namespaces_only_what_the_page_says_is_weaker() -> None:
    # Whether there is another user depends on whether that one could reach our Python.
    assert examined("no-namespaces") <= WEAKER_WITHOUT_NAMESPACES | {"fork_all"}


@pytest.mark.thorough
@locked
@spaced
def test_who_is_not_root_has_a_cage_as_good_but_for_the_user() -> None:
    assert broken(other_user.run("tests.agents.examined")) == WEAKER_AS_USER


@pytest.mark.thorough
@locked
def test_who_is_not_root_and_has_no_namespaces_keeps_the_secrets_all_the_same() -> None:
    weaker = broken(other_user.run("tests.agents.examined", "no-namespaces"))
    assert weaker == WEAKER_WITHOUT_NAMESPACES


def test_cheats_that_start_read_nothing_that_another_one_had_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, told = tmp_path / "own", tmp_path / "told"
    for folder in (own, told):
        folder.mkdir()
    (own / "store.db").touch()
    examination._records(str(own), str(told))
    read: list[str] = []
    monkeypatch.setattr(code, "_head", lambda path: read.append(path) or b"")
    assert str(told / "cached") in code.Sight([]).told(str(told)).paths
    assert str(told / "old.db") in read
    assert str(told / "cached") not in read


@pytest.mark.slow
def test_without_isolation_the_cheat_gets_what_it_wants() -> None:
    """The deeds are real: they fail for the cage and not by themselves."""
    harmless = {"own_variables", "open_descriptors", "take_memory", "limit_processor"}
    harmless |= {
        "guess_seed",
        "foretell_number",
        "find_another_seed",
        "be_imported",
    }  # not the cage's
    ended = {"leave_daemon"}  # also without a cage nothing stays behind
    if os.getuid() == 0:
        # The launcher looks at the memory of all only in a cage; who is root has no need to become it.
        assert examined("no-isolation") == set(PROMISES) - harmless - ended - {"become_root"}
    found = broken(other_user.run("tests.agents.examined", "no-isolation"))
    assert {"read_file", "read_kept", "send_signal", "connect", "send_datagram"} <= found
    assert {"abstract_socket", "socket_file", "fork_all", "fill_disk", "write_beside"} <= found
    # Not dumpable: this alone keeps our memory from a process of the same user.
    assert not found & {"read_memory_file", "read_memory", "attach", "read_variables"}


# What a Python agent gets ---------------------------------------------------------


def test_it_does_not_learn_the_seed_from_our_files(
    sit: Sit, tmp_path: Path, namespaces: bool
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    for name in ("study.yaml", "results/mensura.db", "results/mensura.db-wal", ".hidden"):
        (tmp_path / name).write_text("seed: 7")
    (folder / "weights.py").write_text("mine")
    private_files.make_private(tmp_path / "study.yaml")
    private_files.make_private(folder / "mensura.db")
    player = sit(
        f"""
        import os
        def read(name):
            try:
                return open(os.path.join({str(tmp_path)!r}, name)).read()
            except OSError as error:
                return ""
        class A:
            def act(self, observation, reward):
                return [read(name) for name in (
                    "study.yaml", "results/mensura.db", "results/mensura.db-wal", ".hidden",
                    "results/weights.py", "agent.py",
                )]
        """,
        namespaces=namespaces,
    )
    *secrets, weights, code = tried(player)
    assert secrets == [""] * 4
    assert weights == "mine"
    assert "class A" in code


REFUSED = {
    "len(bytearray(10 << 30))": "MemoryError",
    "fill(os.environ['TMPDIR'] + '/x')": "No space left|File too large",
    "open(__file__, 'a')": "Read-only|Permission",
    "open(os.path.dirname(__file__) + '/x', 'w')": "Read-only|Permission",
    "open(mensura.__file__, 'a')": "Read-only|Permission",
    "os.kill(os.getppid() or 1, 9)": "PermissionError",
    "socket.create_connection(('127.0.0.1', 1))": "PermissionError",
    "socket.getaddrinfo('example.org', 80)": "gaierror",
    "os.setgroups([0])": "PermissionError",
    "os.chroot('/tmp')": "PermissionError",
    "os.listdir(os.path.expanduser('~root'))": "Error",
    "subprocess.run(['sudo', '-n', 'id'], check=True)": "Error",
}
"""What it should not do, and what that raises in it."""


def test_what_it_should_not_do_raises_in_it_and_it_plays_on(sit: Sit, namespaces: bool) -> None:
    player = sit(
        f"""
        import os, socket, subprocess
        import mensura
        def fill(path):
            with open(path, "wb") as file:
                for _ in range(80):
                    file.write(bytes(1 << 20))
        class A:
            def act(self, observation, reward):
                raised = []
                for deed in {list(REFUSED)!r}:
                    try:
                        eval(deed)
                        raised.append("nothing")
                    except Exception as error:
                        raised.append(repr(error))
                return raised
        """,
        Limits(disk_mb=16),
        namespaces,
    )
    for (deed, words), said in zip(REFUSED.items(), tried(player), strict=True):
        assert re.search(words, said), (deed, said)
    assert isinstance(tried(player), list)


def test_gigabytes_that_no_limit_on_a_process_sees_are_its_end(sit: Sit) -> None:
    player = sit(
        deed(
            "for _ in range(3): os.fork()\n"
            "                held = bytearray(os.urandom(4096)) * (150 << 8)\n"
            "                time.sleep(60)"
        ),
        Limits(memory_mb=300),
    )
    assert tried(player) == "its processes took over 300 MB of memory together"


def test_who_burns_the_processor_is_killed(sit: Sit) -> None:
    player = sit(deed("while True: pass"), Limits(cpu_seconds=1))
    assert tried(player) == "signal SIGXCPU"


BOMB = deed(
    "while True:\n"
    "                    try:\n"
    "                        os.fork()\n"
    "                    except OSError:\n"
    "                        pass"
)


@spaced
def test_an_honest_subject_beside_a_fork_bomb_is_untouched(sit: Sit, tmp_path: Path) -> None:
    bomb = sit(BOMB, Limits(processes=40))
    honest = sit(HONEST, name="honest.py")
    (part,) = parse(f"{tmp_path}/honest.py:A")
    ours = InProcess("ours", load(part)).sit(1)
    assert bomb.answer([act(deadline=0.3)])[0].fault == ("late", "no answer after 0.3 s")
    played = episode(honest, Toy(horizon=30))
    assert played.faults == ()
    assert played.rewards == episode(ours, Toy(horizon=30)).rewards
    bomb.close()
    assert [name for name in os.listdir("/proc") if name.isdigit() and bombs(name, tmp_path)] == []


def bombs(name: str, folder: Path) -> bool:
    try:
        return f"{folder}/agent.py:A".encode() in Path(f"/proc/{name}/cmdline").read_bytes()
    except OSError:
        return False


@locked
def test_signals_reach_nobody_else(sit: Sit, tmp_path: Path, namespaces: bool) -> None:
    honest = sit(HONEST, name="honest.py", namespaces=namespaces)
    assert honest._channel is not None
    cheat = sit(
        f"""
        import os, signal
        class A:
            def act(self, observation, reward):
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                for pid in (-1, {os.getpid()}, {honest._channel.pid}, os.getppid()):
                    try:
                        os.kill(pid, signal.SIGTERM)
                    except OSError:
                        pass
                return 1
        """,
        namespaces=namespaces,
    )
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda *_: told.append(1))
    try:
        assert tried(cheat) == 1
        assert episode(honest, Toy()).faults == ()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert told == []


def test_nothing_stays_behind(sit: Sit, namespaces: bool) -> None:
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    player = sit(
        f"""
        import os, subprocess, sys
        class A:
            def act(self, observation, reward):
                open(os.environ["TMPDIR"] + "/left", "w").close()
                if not os.fork():
                    os.setsid()
                    command = [sys.executable, "-S", "-c", "import time; time.sleep(600)", {mark!r}]
                    subprocess.Popen(command, start_new_session=True)
                    os._exit(0)
                os.wait()
                return os.environ["TMPDIR"]
        """,
        namespaces=namespaces,
    )
    folder = tried(player)
    daemons: list[int] = []
    until = time.monotonic() + 60
    while not daemons and time.monotonic() < until:
        daemons = [int(one) for one in os.listdir("/proc") if one.isdigit() and marked(one, mark)]
    assert len(daemons) == 1
    assert running(daemons[0])
    player.close()
    assert ends(daemons[0])
    assert folder == "/tmp" or not os.path.exists(folder)


def marked(name: str, mark: str) -> bool:
    try:
        return mark.encode() in Path(f"/proc/{name}/cmdline").read_bytes()
    except OSError:
        return False


def test_its_environment_holds_what_it_needs_and_what_we_name(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_LICENCE", "abc")
    monkeypatch.setenv("API_KEY", "secret")
    player = sit(deed("return dict(os.environ)"), Limits(environment=("MY_LICENCE",)))
    seen = tried(player)
    assert seen.pop("MY_LICENCE") == "abc"
    assert seen["HOME"] == seen["TMPDIR"] != os.environ["HOME"]
    expected = {"PATH", "HOME", "TMPDIR", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH"}
    assert set(seen) <= expected | {
        "LANG",
        "LC_ALL",
        "LD_LIBRARY_PATH",
        "OMP_NUM_THREADS",
        "LC_CTYPE",
        product.BASES,
    }


def test_the_network_can_be_allowed(sit: Sit, namespaces: bool) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        player = sit(
            deed(
                f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]})); return 'there'"
            ),
            Limits(network=True),
            namespaces,
        )
        assert tried(player) == "there"


def test_a_folder_can_be_opened_to_it(sit: Sit, tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("data")
    (data / "set").write_text("numbers")
    code = deed(f"return open({str(data / 'set')!r}).read()")
    assert "Error" in tried(sit(code))
    assert tried(sit(code, Limits(readable=(str(data),)))) == "numbers"


# What an honest agent needs -------------------------------------------------------


def test_it_finds_the_code_that_lies_beside_it(sit: Sit, tmp_path: Path, namespaces: bool) -> None:
    (tmp_path / "helper.py").write_text("VALUE = 3")
    (tmp_path / "package" / "inner").mkdir(parents=True)
    (tmp_path / "package" / "inner" / "part.py").write_text("VALUE = 5")
    (tmp_path / "package" / "notes.txt").touch()
    (tmp_path / "short.py").symlink_to("package/inner/part.py")
    player = sit(
        """
        import os
        import helper, short
        import numpy
        from package.inner import part
        class A:
            def act(self, observation, reward):
                return [helper.VALUE, part.VALUE, short.VALUE]
        """,
        namespaces=namespaces,
    )
    assert tried(player) == [3, 5, 5]


READS_DATA = deed("return open(os.path.dirname(__file__) + '/data/table').read()")


def test_who_misses_data_beside_it_is_told_how_to_allow_it(
    sit: Sit, tmp_path: Path, namespaces: bool
) -> None:
    path = tmp_path / "data" / "table"
    path.parent.mkdir()
    path.write_text("5")
    said = tried(sit(READS_DATA, namespaces=namespaces))
    assert f"{path} is there but is not shown to it" in said
    assert f"--allow-read {path} shows it" in said
    allowed = sit(READS_DATA, Limits(readable=(str(path.parent),)), namespaces)
    assert tried(allowed) == "5"


def test_who_misses_data_where_it_starts_is_told_too(
    sit: Sit, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = tmp_path_factory.mktemp("start")
    (start / "weights").touch()
    monkeypatch.chdir(start)
    assert f"--allow-read {start}/weights shows it" in tried(sit(deed("return open('weights')")))


def test_the_last_words_and_the_first_error_tell_of_it_too(
    sit: Sit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table").touch()
    (tmp_path / "old.db").write_bytes(DATABASE)
    at_its_start = "open(__file__.replace('agent.py', '{}'))\nclass A: pass"
    with pytest.raises(MensuraError, match=f"--allow-read {tmp_path}/table"):
        sit(at_its_start.format("table"))
    with pytest.raises(MensuraError) as nothing_to_allow:
        sit(at_its_start.format("old.db"))
    assert "allow-read" not in str(nothing_to_allow.value)
    command = [sys.executable, "-c", f"open('{tmp_path}/table')"]
    limits = Limits(seconds_to_start=30)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MensuraError, match=f"last words.*--allow-read {tmp_path}/table"):
        ProcessPlayer("program", command, 1, limits)


def counted_with_children(megabytes: int, children: int) -> int:
    """What a process that holds so much and is forked so often is counted to have, in megabytes."""
    ready, told = os.pipe()
    pid = os.fork()
    if not pid:
        linux.allow_looking_in()
        held = bytearray(os.urandom(4096)) * (megabytes << 8)
        forked = []
        for _ in range(children):
            forked.append(os.fork())
            if not forked[-1]:
                while held:
                    signal.pause()
        here = [str(one) for one in (os.getpid(), *forked)]
        os.write(told, str(usage.memory(here, 1 << 20, own_network=False) >> 20).encode())
        for one in forked:
            os.kill(one, signal.SIGKILL)
        os._exit(0)
    counted = int(os.read(ready, 100))
    os.waitpid(pid, 0)
    return counted


def test_children_that_share_pages_are_not_counted_over_and_over() -> None:
    alone, six = counted_with_children(64, 0), counted_with_children(64, 6)
    assert alone >= 64
    assert (
        six < 2 * alone + 64
    )  # who forks may have written to all its pages since, and each is there twice then


WAYS = """
    import asyncio, ctypes, multiprocessing, os, sqlite3
    from multiprocessing import shared_memory
    import numpy
    def shared():
        one = shared_memory.SharedMemory(create=True, size=100)
        one.close()
        one.unlink()
    def together():
        fork = multiprocessing.get_context("fork")
        lock, values = fork.Lock(), fork.Array("i", 2)
        def work(place):
            with lock:
                values[place] = 1
        children = [fork.Process(target=work, args=(place,)) for place in (0, 1)]
        for child in children:
            child.start()
        for child in children:
            child.join()
        assert list(values) == [1, 1]
    def called_back():
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        ctypes.CDLL(None).qsort((ctypes.c_int * 2)(2, 1), 2, 4, kind(lambda one, two: 0))
    def mapped():
        numpy.memmap(os.environ["TMPDIR"] + "/m", dtype="f4", mode="w+", shape=(9, 9))[:] = 1
    def database(where):
        sqlite3.connect(where, uri=True).execute("create table a (b)")
    class A:
        def act(self, observation, reward):
            shared()
            together()
            called_back()
            mapped()
            database(":memory:")
            database(f"file:{os.environ['TMPDIR']}/d?nolock=1")
            asyncio.run(asyncio.sleep(0))
            assert open("/proc/meminfo").readline().startswith("MemTotal")
            try:
                database(os.environ["TMPDIR"] + "/e")
            except sqlite3.OperationalError as error:
                return str(error)
"""


@spaced
@locked
def test_honest_programs_miss_nothing_but_locks_on_files(sit: Sit) -> None:
    assert tried(sit(WAYS)) == "database is locked"


def test_the_memory_of_children_is_counted_without_namespaces_too(sit: Sit) -> None:
    player = sit(
        deed(
            "parts = [os.fork() for _ in range(2)]\n"
            "                held = bytearray(os.urandom(4096)) * (60 << 8)\n"
            "                time.sleep(30)"
        ),
        Limits(memory_mb=200),
        namespaces=False,
    )
    assert tried(player) == "its processes took over 200 MB of memory together"


@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_it_may_lie_where_only_its_owner_reads(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "home" / "agents"
    folder.mkdir(parents=True)
    path = Path(write_agent(folder, "from helper import act\nclass A:\n    act = act"))
    (folder / "helper.py").write_text("def act(self, observation, reward): return 2")
    for one in (path, folder / "helper.py"):
        one.chmod(0o600)
    folder.chmod(mode)
    folder.parent.chmod(0o700)
    (part,) = parse(f"{path}:A")
    with closing(ProcessSubject(part).sit(1)) as player:
        assert episode(player, Toy()).rewards == (2.0,)


def test_a_class_of_a_package_that_we_can_import_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "elsewhere" / "minds"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "simple.py").write_text(
        "from . import other\nclass A:\n    def act(self, observation, reward): return other.X"
    )
    (package / "other.py").write_text("X = 4")
    monkeypatch.syspath_prepend(package.parent)
    (part,) = parse("minds.simple:A")
    with closing(ProcessSubject(part).sit(1)) as player:
        assert episode(player, Toy()).rewards == (4.0,)


def test_a_class_of_a_package_in_the_current_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mind.py").write_text("class A:\n    def act(self, observation, reward): return 3")
    monkeypatch.chdir(tmp_path)
    with closing(ProcessSubject(parse("mind:A")[0]).sit(1)) as player:
        assert episode(player, Toy()).rewards == (3.0,)


SCRIPT = """#!/bin/sh
read hello
echo '{"id":0,"value":{"version":1}}'
read begin
echo '{"id":1,"value":null}'
read act
echo "{\\"id\\":2,\\"value\\":\\"$(cat "$1" 2>/dev/null)$(cat secret 2>/dev/null)$(ls | tr '\\n' ' ')\\"}"
read end
"""


def test_a_plain_program_is_caged_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "program"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    (tmp_path / "weights").write_text("mine")
    (tmp_path / "secret").write_text("seed")
    private_files.make_private(tmp_path / "secret")
    monkeypatch.chdir(tmp_path)
    with closing(ProcessPlayer("program", ["./program", "weights"], 1)) as player:
        ask(player, begin())
        said = str(tried(player))
    assert said.startswith("mine")
    assert "seed" not in said


# Refusals and limits --------------------------------------------------------------


def test_a_variable_that_is_not_there_is_refused(sit: Sit) -> None:
    with pytest.raises(MensuraError, match=r"The variable NO_SUCH, .* is not set"):
        sit(HONEST, Limits(environment=("NO_SUCH",)))


def test_a_folder_that_is_not_there_is_refused(sit: Sit) -> None:
    with pytest.raises(MensuraError, match="/no/such, which the subject may read, is not there"):
        sit(HONEST, Limits(readable=("/no/such",)))


def test_a_folder_with_too_much_in_it_is_refused(
    sit: Sit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("mensura.agents.isolation.cage.MOST_ENTRIES", 3)
    for number in range(4):
        (tmp_path / f"m{number}.py").touch()
    monkeypatch.setattr(sys, "path", [one for one in sys.path if "site-packages" in one])
    with pytest.raises(MensuraError, match=r"holds over 3 files that a subject would be shown"):
        sit(HONEST)


@pytest.mark.parametrize(
    "name", ["memory_mb", "disk_mb", "cpu_seconds", "processes", "faults", "seconds_per_action"]
)
def test_limits_that_no_machine_can_keep_to_are_refused(name: str) -> None:
    endless = () if name.startswith("seconds_") else (float("inf"),)  # no limit at all
    for value in (0, 99999999999999999999, float("nan"), *endless):
        with pytest.raises(MensuraError, match=f"The limit {name} is .*; it must be above 0 and"):
            Limits(**{name: value})


def test_limits_are_the_same_after_they_were_written_down() -> None:
    from dataclasses import asdict

    limits = Limits(environment=("A",), readable=("/x",), network=True)
    assert Limits(**json.loads(json.dumps(asdict(limits)))) == limits


def test_a_home_is_not_shown_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "letters").mkdir()
    (tmp_path / "helper.py").touch()
    path = write_agent(tmp_path, HONEST)
    caged = for_class(parse(f"{path}:A")[0], Limits())
    shown = {one for one in caged.own if one.startswith(f"{tmp_path}/")}
    assert shown == {path, str(tmp_path / "helper.py")}
    monkeypatch.chdir(tmp_path)
    assert not any(one.startswith(f"{tmp_path}/") for one in for_command(["true"], Limits()).own)


DATABASE = b"SQLite format 3\0".ljust(512, b"x")

names = st.sampled_from(["a", "b", "c.py", "c.py-wal", ".d.py", "e.yaml", "run", "old.py"])
places = st.lists(names, min_size=1, max_size=3).map("/".join)


@given(files=st.sets(places, max_size=12), hidden=st.sets(places, max_size=3), told=st.booleans())
def test_of_a_folder_it_sees_its_code_and_of_a_told_one_all_but_what_is_never_shown(
    tmp_path_factory: pytest.TempPathFactory, files: set[str], hidden: set[str], told: bool
) -> None:
    root = tmp_path_factory.mktemp("tree")
    for file in sorted(files):
        path = root / file
        if not any(parent.is_file() for parent in path.parents) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(DATABASE if path.name == "old.py" else b"#!x")
            path.chmod(0o755 if path.name == "run" else 0o644)
    with private_files.forgetting():
        for one in hidden:
            private_files.make_private(root / one)
        view = View()
        if told:
            view.told(str(root))
        else:
            view.folder(str(root), programs=True)
    shown = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.is_file() and any(path.is_relative_to(own) for own in view.own)
    }

    def is_kept(name: str) -> bool:
        parts = [name, *(parent.as_posix() for parent in Path(name).parents)]
        return any(
            part[: len(h)] == h and part[len(h) :][:1] in "-._~" for h in hidden for part in parts
        )

    def is_shown(name: str) -> bool:
        parts = name.split("/")
        if is_kept(name) or parts[-1] in ("old.py", "c.py-wal"):
            return False
        if told:
            return not name.startswith(".")
        return parts[-1] in ("c.py", "run") and not any(part.startswith(".") for part in parts)

    all_files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert shown == {name for name in all_files if is_shown(name)}


def test_what_appears_in_its_folder_during_the_sitting_is_not_seen(
    sit: Sit, tmp_path: Path, namespaces: bool
) -> None:
    player = sit(
        deed("return [os.path.exists(p) and open(p).read() for p in [__file__[:-8] + 'late.py']]"),
        namespaces=namespaces,
    )
    (tmp_path / "late.py").write_text("seed: 7")
    assert "seed" not in str(tried(player))


def test_a_large_folder_is_looked_through_again_when_it_has_changed(tmp_path: Path) -> None:
    for number in range(code.LARGE):
        (tmp_path / f"n{number}").touch()
    sight = code.Sight(())
    assert sight.told(str(tmp_path)).pure
    (tmp_path / "old.db").write_bytes(DATABASE)
    assert str(tmp_path / "old.db") not in sight.told(str(tmp_path)).paths
    assert not sight.told(str(tmp_path)).pure


def test_code_below_many_folders_is_remembered_until_one_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "MANY", 2)
    (tmp_path / "package").mkdir()
    for name in ("package/__init__.py", "module.py", "store.json"):
        (tmp_path / name).touch()
    sight = code.Sight(())
    first = sight.code(str(tmp_path), programs=False)
    assert sorted(first.paths) == [str(tmp_path / name) for name in ("module.py", "package")]
    assert sight.code(str(tmp_path), programs=False) is first
    kept_now = code.Sight((str(tmp_path / "module.py"),))
    assert kept_now.code(str(tmp_path), programs=False).paths == [str(tmp_path / "package")]
    (tmp_path / "package" / "export.json").touch()
    then = sight.code(str(tmp_path), programs=False)
    assert sorted(then.paths) == [
        str(tmp_path / name) for name in ("module.py", "package/__init__.py")
    ]


def test_what_is_remembered_is_what_further_runs_would_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    (place / "package").mkdir(parents=True)
    for name in ("package/__init__.py", "module.py", "module.py-new.py", "runs.py"):
        (place / name).touch()
    (tmp_path / "elsewhere.py").touch()
    (tmp_path / "place-2.py").touch()
    runs = [
        tuple(str(tmp_path / name) for name in names)
        for names in (
            (),
            ("elsewhere.py",),
            ("place/module.py",),
            ("elsewhere.py", "place/package/__init__.py"),
            ("place/package",),
            ("place/not-yet.py", "place-2.py"),
            ("place",),
            (".",),
        )
    ]
    for linked in (False, True):  # a file of a run has a second name in the folder
        if linked:
            (place / "linked.py").hardlink_to(tmp_path / "elsewhere.py")
        monkeypatch.setattr(code, "MANY", 1000)
        afresh = [code.Sight(one).code(str(place), programs=False) for one in runs]
        assert not code._places.keys() & {(str(place), False, "")}
        monkeypatch.setattr(code, "MANY", 1)
        for first, second in itertools.permutations(range(len(runs)), 2):
            code._places.clear()
            for one in (first, second, first):
                assert code.Sight(runs[one]).code(str(place), programs=False) == afresh[one]
        code._places.clear()
    assert any(path.endswith("linked.py") for path in afresh[0].paths)
    assert not any(path.endswith("linked.py") for path in afresh[1].paths)


def test_a_further_run_whose_files_lie_elsewhere_does_not_look_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "MANY", 1)
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "module.py").touch()
    where = str(tmp_path / "place")
    first = code.Sight((str(tmp_path / "one.db"),)).code(where, programs=False)
    assert code.Sight((str(tmp_path / "two.db"),)).code(where, programs=False) is first
    assert code.Sight((str(tmp_path / "place/two.db"),)).code(where, programs=False) is not first


def test_too_many_folders_to_look_through_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "MOST_FOLDERS", 2)
    (tmp_path / "one" / "two").mkdir(parents=True)
    with pytest.raises(MensuraError, match=r"over 2 folders .* into a folder of its own"):
        code.Sight(()).code(str(tmp_path), programs=False)


# The files of a run -----------------------------------------------------------------


def test_stores_and_journals_are_for_their_owner_alone(tmp_path: Path) -> None:
    from mensura.core.journaled import Journal
    from mensura.records.store import open_store

    with open_store(tmp_path / "runs.db"):
        assert str(tmp_path / "runs.db") in private_files.private()
    assert stat.S_IMODE((tmp_path / "runs.db").stat().st_mode) == 0o600
    journal = Journal(tmp_path / "1-1.jsonl")
    journal.close()
    assert stat.S_IMODE((tmp_path / "1-1.jsonl").stat().st_mode) == 0o600


def test_the_list_of_kept_files_does_not_grow_without_end() -> None:
    for number in range(3 * private_files.MOST):
        private_files.make_private(f"/somewhere/{number}")
        private_files.make_private("/somewhere/else:where")
    assert len(private_files.private()) == private_files.MOST
    assert private_files.private()[-1] == "/somewhere/else:where"


# A kernel without seccomp ----------------------------------------------------------------

without_seccomp = pytest.mark.skipif(
    "filter" in HERE or "no isolation" in HERE, reason=f"this machine has {HERE}"
)


def on_a_kernel_without_seccomp(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.agents.no_seccomp", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@without_seccomp
def test_on_a_kernel_without_seccomp_a_subject_plays_and_what_is_missing_is_said() -> None:
    words = (
        "assess",
        "mensura.agent.random:RandomAgent",
        "--world",
        "echo",
        "--with",
        "sittings=2",
    )
    done = on_a_kernel_without_seccomp("mensura.cli.main", *words, "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "without a filter of system calls" in " ".join(done.stderr.split())
    assert "prctl" not in done.stdout + done.stderr


@pytest.mark.thorough
@without_seccomp
def test_on_a_kernel_without_seccomp_the_table_is_printed() -> None:
    done = on_a_kernel_without_seccomp("mensura.cli.main", "agents", "isolation")
    text = " ".join(done.stdout.split())
    assert "This machine has isolation without a filter of system calls" in text, done.stderr
    assert all(promise.split()[1] in text for promise in PROMISES.values())
    assert "prctl" not in done.stdout + done.stderr


# The kernel's numbers -----------------------------------------------------------------

HEADERS = {
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
    "x86_64": (
        "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
        "/usr/include/asm/unistd_64.h",
    ),
}


@pytest.mark.parametrize("machine", sorted(HEADERS))
def test_the_numbers_of_system_calls_are_those_of_the_headers(machine: str) -> None:
    found = [Path(one) for one in HEADERS[machine] if os.path.exists(one)]
    if not found:
        pytest.skip(f"this machine has no headers of {machine}")
    text = found[0].read_text()
    told = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    told.pop("syscalls", None)  # how many there are
    ours = linux._NUMBERS[machine]
    # Headers may be older than a call.
    newer = {
        name for name in ours if name not in told and ours[name] > max(map(int, told.values()))
    }
    assert {name: int(told[name]) for name in ours if name not in newer} == {
        name: number for name, number in ours.items() if name not in newer
    }


def judged(machine: str, call: int, arguments: tuple[int, ...] = (), **allowed: bool) -> int | None:
    """What the filter says to a call on a machine: None to let it pass, else the error."""
    given = {"network": False, "own_tree": True, "shared_memory": False, **allowed}
    program = linux.filter_program(machine, **given)
    data = {linux._NUMBER: call, linux._ARCHITECTURE: linux._ARCHITECTURES[machine]}
    data.update({16 + 8 * place: value for place, value in enumerate(arguments)})
    held = place = 0
    while True:
        what, yes, no, value = program[place]
        place += 1
        if what == linux._RETURN:
            return None if value == linux._ALLOW else value & 0xFFFF
        if what == linux._LOAD:
            held = data.get(value, 0)
        elif what == linux._AND:
            held &= value
        else:
            tests = {
                linux._EQUAL: held == value,
                linux._AT_LEAST: held >= value,
                linux._ANY_BIT: bool(held & value),
            }
            place += yes if tests[what] else no


PASSES = None
CASES: list[tuple[str, tuple[int, ...], dict[str, bool], int | None]] = [
    ("ptrace", (), {}, 1),
    ("memfd_create", (), {}, 38),
    ("vmsplice", (), {}, 38),
    ("flock", (), {}, 38),
    ("fadvise64", (3, 0, 0, 4), {}, 0),
    ("fcntl", (3, 1), {}, PASSES),
    ("fcntl", (3, 6), {}, 37),
    ("fcntl", (3, 38), {}, 37),
    ("fcntl", (3, 1024), {}, 37),
    ("fcntl", (3, 1030), {}, PASSES),
    ("fcntl", (3, 1031), {}, 1),
    ("fcntl", (3, 1036), {}, 1),
    ("madvise", (0, 1, 4), {}, PASSES),
    ("madvise", (0, 1, 21), {}, 0),
    ("preadv2", (3, 0, 1, 0, 0, 0), {}, PASSES),
    ("preadv2", (3, 0, 1, 0, 0, 8 | 1), {}, 95),
    ("mmap", (0, 1, 3, 0x22), {}, PASSES),
    ("mmap", (0, 1, 3, 0x01), {}, PASSES),
    ("mmap", (0, 1, 3, 0x21), {}, 1),
    ("mmap", (0, 1, 3, 0x4021), {}, 1),
    ("mmap", (0, 1, 3, 0x21), {"shared_memory": True}, PASSES),
    ("clone", (0x01200011,), {}, PASSES),
    ("clone", (0x10000000,), {}, 1),
    ("clone3", (), {}, 38),
    ("socket", (1,), {}, PASSES),
    ("socket", (2,), {}, 13),
    ("socket", (2,), {"network": True}, PASSES),
    ("socket", (1,), {"own_tree": False}, 13),
    ("fchmod", (), {}, PASSES),
    ("fchmod", (), {"own_tree": False}, 0),
    ("fchown", (), {"own_tree": False}, 1),
    ("setxattr", (), {"own_tree": False}, 95),
]


@pytest.mark.parametrize("machine", sorted(linux._NUMBERS))
def test_the_filter_refuses_what_it_should_on_each_machine(machine: str) -> None:
    numbers = linux._NUMBERS[machine]
    for name, arguments, allowed, verdict in CASES:
        said = judged(machine, numbers[name], arguments, **allowed)
        assert said == verdict, (name, arguments, allowed)
    harmless = set(range(400)) - set(numbers.values())
    assert {judged(machine, one, own_tree=False) for one in harmless} == {PASSES}
    assert judged(machine, 0x40000000 | numbers["ptrace"]) == (38 if machine == "x86_64" else None)


def test_both_machines_have_all_calls_but_what_one_never_had() -> None:
    old = {"inotify_init", "chmod", "chown", "lchown", "utime", "utimes", "futimesat"}
    assert set(linux._NUMBERS["x86_64"]) - set(linux._NUMBERS["aarch64"]) == old
    assert set(linux._NUMBERS["aarch64"]) < set(linux._NUMBERS["x86_64"])
    refused = {*linux._NEVER, *linux._ABSENT, *linux._MODES, *linux._OWNERS, *linux._ATTRIBUTES}
    looked_at = {"fcntl", "madvise", "fadvise64", "preadv2", "mmap", "clone", "clone3", "socket"}
    assert set(linux._NUMBERS["x86_64"]) == refused | looked_at
    for numbers in linux._NUMBERS.values():
        assert len(set(numbers.values())) == len(numbers)


# The page -----------------------------------------------------------------------------


def test_the_page_names_the_variables_and_the_limits() -> None:
    page = (other_user.ROOT / "docs" / "isolation.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"\| sees of your environment \| (.*?) \|", page)
    assert tuple(re.findall(r"`(\w+)`", row)) == cage.PASSED
    usual = Limits()
    for words in (
        f"memory ({cage.MEMORY_MB} MB)",
        f"processes and threads ({usual.processes})",
        f"temporary files ({usual.disk_mb} MB)",
        f"up to {tree.COPIES_MB} MB",
        f"{tree.FILES_PER_MB} files for each",
        f"the first {usage.LIKELY_BUFFERS} of each",
    ):
        assert words in page


def test_the_table_of_the_page_says_what_the_cheat_came_to() -> None:
    page = (other_user.ROOT / "docs" / "isolation.md").read_text(encoding="utf-8")
    table = page.partition("| a subject | root | user with namespaces | user without |\n")[2]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.partition("\n\n")[0].splitlines()[1:]
    ]
    assert [row[0] for row in rows] == list(PROMISES.values())
    deeds = dict(zip(PROMISES.values(), PROMISES, strict=True))
    weaker = [{deeds[row[0]] for row in rows if row[column] != "yes"} for column in (1, 2, 3)]
    assert weaker == [set(), WEAKER_AS_USER, WEAKER_WITHOUT_NAMESPACES]


def test_every_deed_has_a_promise() -> None:
    done_for_it = {"be_imported"}
    deeds = {one.__name__ for one in (*cheat.DEEDS, *cheat.LAST_DEEDS)}
    assert deeds | done_for_it == set(PROMISES)


@pytest.mark.thorough
@locked
def test_how_one_deed_ended_says_nothing_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cheat that dies in the middle: the deed at which it died was its end, and the rest is tried by another."""
    own = Path(cheat.__file__).read_text(encoding="utf-8")
    dying = own.replace(
        "def take_memory(", "def take_memory(there):\n    os._exit(3)\n\n\ndef _(", 1
    )
    assert dying != own
    read = Path.read_text

    def text(self: Path, *given: Any, **named: Any) -> str:
        return dying if self == Path(cheat.__file__) else read(self, *given, **named)

    monkeypatch.setattr(Path, "read_text", text)
    found = {one.promise: one.how for one in examine(guessing=0.05)}
    assert found[PROMISES["take_memory"]] == "that was its end: exit status 3"
    assert sum("exit status 3" in how for how in found.values()) == 1
    assert "refused another" in found[PROMISES["fork_all"]]
    assert "refused more" in found[PROMISES["fill_disk"]]
    assert "SIGXCPU" in found[PROMISES["limit_processor"]]
    assert found[PROMISES["leave_daemon"]] == "it was gone with the sitting"
