"""Compiled kernels: the draws are those of `keys`, the cache is never stale, nothing is counted."""

import fcntl
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent import keys
from mensura.core import compiled, compiling

KEYS = st.integers(0, 2**64 - 1)
compiled_only = pytest.mark.skipif(not compiled.JIT, reason="NUMBA_DISABLE_JIT is set")


@compiled.door
def draws_door(key: Any, t: Any, slot: Any, n: Any, words: Any, numbers: Any) -> None:
    words[0] = compiled.mix(key)
    words[1] = compiled.fold(key, t)
    words[2] = compiled.draw(key, t, slot)
    words[3] = compiled.prf(key, t, slot)
    numbers[0] = compiled.below(words[2], n)
    numbers[1] = compiled.unit(words[2])
    numbers[2] = compiled.choice(key, t, slot, n)


BOARD = """
class Board(NamedTuple):
    cells: np.ndarray
    marks: np.ndarray

@rule
def open_board(row):
    return Board(row[:4], row[4:])

@rule
def move(board, marks, i):
    board.cells[i] += marks[i]
    if marks[i] % 2 == 0:
        return Board(board.marks, board.cells)
    return board

@door
def play(row):
    board = open_board(row)
    for i in range(4):
        if row[i] < 9:
            board = move(board, board.marks[0:4], i)
    return board.cells[0]
"""


BOARD_HEADER = """
from typing import NamedTuple
import numpy as np
from mensura.core.compiled import door, rule
"""


def board_door(rule: Any, door: Any) -> Any:
    """A door that passes arrays and a NamedTuple of arrays between rules."""
    return module(BOARD, np=np, NamedTuple=NamedTuple, rule=rule, door=door).play


def module(source: str, **names: Any) -> ModuleType:
    """A module made from text, with `names` defined in it."""
    made = ModuleType("made")
    made.__dict__.update(names)
    exec(source, made.__dict__)
    return made


@compiled.door
def span_door(numbers: Any, first: Any, size: Any) -> Any:
    compiled.fetch(numbers, first)
    part = compiled.span(numbers, first, size)
    for i in range(part.size):
        part[i] += 1
    return part.size


@pytest.mark.bounds
@pytest.mark.pure
@given(st.integers(0, 6), st.integers(0, 3))
def test_a_span_is_a_part_of_the_same_memory(first: int, size: int) -> None:
    numbers = np.zeros(9, np.int64)
    assert span_door(numbers, first, size) == size
    assert numbers.tolist() == [int(first <= i < first + size) for i in range(9)]


@pytest.mark.bounds
@pytest.mark.pure
@given(KEYS, st.integers(0, 2**40), st.integers(0, 2**16 - 1), st.integers(1, 2**32 - 1))
def test_draws_in_a_kernel_equal_those_in_python(key: int, t: int, slot: int, n: int) -> None:
    words, numbers = np.zeros(4, np.uint64), np.zeros(3)
    draws_door(np.uint64(key), t, slot, n, words, numbers)
    z = keys.draw(key, t, slot)
    assert words.tolist() == [keys.mix(key), keys.fold(key, t), z, keys.prf(key, t, slot)]
    assert numbers.tolist() == [keys.below(z, n), keys.unit(z), keys.choice(key, t, slot, n)]


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_folds_as_its_lowest_56_bits_do(n: int) -> None:
    words, numbers = np.zeros(4, np.uint64), np.zeros(3)
    draws_door(np.uint64(9), n, 0, 1, words, numbers)
    assert int(words[1]) == keys.fold(9, n) == keys.fold(9, n % 2**56)


@pytest.mark.parametrize("sides", [2, 9, 100])
def test_draws_are_even(sides: int) -> None:
    count = 200 * sides
    faces = [keys.below(keys.draw(2016, t, 3), sides) for t in range(count)]
    excess = ((np.bincount(faces, minlength=sides) - 200) ** 2 / 200).sum() - (sides - 1)
    assert abs(excess) < 4 * np.sqrt(2 * (sides - 1))


def test_neighboring_draws_are_uncorrelated() -> None:
    table = np.array([[keys.unit(keys.draw(7, t, s)) for s in range(8)] for t in range(2000)])
    assert abs(table.mean() - 0.5) < 4 / np.sqrt(12 * table.size)
    across = np.corrcoef(table.T) - np.eye(8)
    along = np.corrcoef(table[:-1, 0], table[1:, 0])[0, 1]
    assert max(np.abs(across).max(), abs(along)) < 5 / np.sqrt(2000)


@compiled_only
def test_arrays_pass_between_rules_without_reference_counts() -> None:
    def counts(door: Any) -> int:
        door(np.arange(8))
        (llvm,) = door.inspect_llvm().values()
        return len(re.findall(r"call .*@NRT_incref", llvm))

    assert counts(board_door(compiled.rule, compiled.door)) == 0
    # What to look for is seen where Numba has to count: an array that is handed back to Python.
    assert counts(numba.njit(lambda array: array)) > 0


def test_a_door_and_its_plain_function_do_the_same() -> None:
    door, one, two = board_door(compiled.rule, compiled.door), np.arange(8), np.arange(8)
    without = board_door(lambda fn: fn, lambda fn: fn)
    assert door(one) == without(two)
    assert one.tolist() == two.tolist()
    assert compiled.plain(door).__code__.co_code == without.__code__.co_code


@compiled_only
def test_a_rule_that_is_called_from_python_says_so_whether_or_not_a_door_has_it() -> None:
    board = module(BOARD, np=np, NamedTuple=NamedTuple, rule=compiled.rule, door=compiled.door)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"from Python call plain\(open_board\)"):
            board.open_board(np.arange(8))
        board.play(np.arange(8))
    assert compiled.plain(board.open_board)(np.arange(8)).cells.tolist() == [0, 1, 2, 3]


PROGRAM = """
import json, os, sys, traceback, warnings
warnings.simplefilter("error")
import numpy as np
from numba.core.registry import cpu_target
from mensura.core import compiled, compiling

sys.dont_write_bytecode = True  # which would be taken for an edited file's within the same second
if compiled.JIT:
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()

def play(folder, size, longest_turn):
    sys.path.insert(0, folder)
    from toy import Sheet, play
    told = []
    compiling.on_compile(told.append)
    compiled.LONGEST_TURN = longest_turn
    known = compiled.cached(play)
    out = np.zeros(size, np.int64)
    try:
        play(np.uint64(2**64 - 1), Sheet(out))
        error = None
    except IndexError as problem:
        error = str(problem)
    return {"out": out.tolist(), "told": told, "known": known, "error": error}

for line in sys.stdin:
    pipes = []
    for asked in json.loads(line):
        pipes.append(os.pipe())
        if os.fork() == 0:
            try:
                os.write(pipes[-1][1], json.dumps(play(**asked)).encode())
            except BaseException:
                traceback.print_exc()
            os._exit(0)
        os.close(pipes[-1][1])
    answers = []
    for one, _ in pipes:
        with open(one) as answer:
            answers.append(answer.read())
    print(json.dumps(answers), flush=True)
    for _ in pipes:
        os.wait()
"""
"""Plays kernels, each in a copy of this process, in which Numba is ready and has compiled nothing."""


class Program:
    """The program under some settings of Numba's."""

    def __init__(self, settings: dict[str, str]) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "PYTHONPATH": str(SOURCES), **settings},
            text=True,
        )

    def play(self, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Play kernels at once, each in a process of its own."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answers = json.loads(self._process.stdout.readline())
        assert all(answers), "one died; what it said is on standard error"
        return [json.loads(answer) for answer in answers]

    def close(self) -> None:
        """End it."""
        self._process.communicate()


SOURCES = Path(compiled.__file__).parents[2]

Programs = Callable[[dict[str, str]], Program]

TOY = {
    "__init__.py": "from toy.kernel import play\nfrom toy.sheets import Sheet\n",
    "constants.py": "SIDES = 6\n",
    "sheets.py": (
        "from typing import Any, NamedTuple\nclass Sheet(NamedTuple):\n    numbers: Any\n"
    ),
    "dice.py": (
        "from mensura.core.compiled import below, draw, rule\n"
        "from toy.constants import SIDES\n"
        "@rule\ndef throw(key, t):\n    return 1 + below(draw(key, t, 0), SIDES)\n"
    ),
    "kernel.py": (
        "from mensura.core.compiled import door\n"
        "from toy.dice import throw\n"
        "@door\ndef play(key, sheet):\n    for t in range(3):\n        sheet.numbers[t] = throw(key, t)\n"
    ),
}


class Toy:
    """A kernel of some files in a package of its own, played in a process of its own."""

    def __init__(self, folder: Path, programs: Programs, files: dict[str, str] = TOY) -> None:
        self.folder = folder
        self._programs = programs
        (folder / "toy").mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / "toy" / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / "toy" / name
        path.write_text(path.read_text().replace(old, new))

    def rename(self, old: str, new: str) -> None:
        """Give something another name, wherever it stands; a module too."""
        for path in (self.folder / "toy").glob("*.py"):
            path.write_text(re.sub(rf"\b{old}\b", new, path.read_text()))
            if path.stem == old:
                path.rename(path.with_stem(new))

    def play(self, size: int = 3, longest_turn: float = 120, **settings: str) -> dict[str, Any]:
        asked = {"folder": str(self.folder), "size": size, "longest_turn": longest_turn}
        (played,) = self._programs(settings).play([asked])
        return played

    def play_at_once(self, processes: int) -> list[dict[str, Any]]:
        asked = {"folder": str(self.folder), "size": 3, "longest_turn": 120}
        return self._programs({}).play([asked] * processes)


@pytest.fixture(scope="module")
def programs() -> Iterator[Programs]:
    """The program under settings, started when it is first asked for."""
    with ExitStack() as running:
        started: dict[str, Program] = {}

        def start(settings: dict[str, str]) -> Program:
            name = json.dumps(settings)
            if name not in started:
                started[name] = Program(settings)
                running.callback(started[name].close)
            return started[name]

        yield start


@pytest.fixture
def toy(tmp_path: Path, programs: Programs) -> Toy:
    return Toy(tmp_path, programs)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Toy:
    """A kernel that another process has compiled; each test leaves it so."""
    made = Toy(tmp_path_factory.mktemp("warm"), programs)
    first = made.play()
    assert first == {"out": expected(6), "told": ["toy.kernel.play"], "known": False, "error": None}
    return made


def expected(sides: int, plus: int = 1) -> list[int]:
    return [plus + keys.below(keys.draw(2**64 - 1, t, 0), sides) for t in range(3)]


def test_a_second_process_takes_the_door_from_the_cache_until_a_callee_elsewhere_is_edited(
    warm: Toy,
) -> None:
    second = warm.play()
    assert second == {"out": expected(6), "told": [], "known": True, "error": None}

    warm.edit("dice.py", "return 1 +", "return 101 +")
    third = warm.play()
    assert (third["out"], third["known"]) == (expected(6, plus=101), False)

    warm.edit("constants.py", "SIDES = 6", "SIDES = 9")
    assert warm.play()["out"] == expected(9, plus=101)

    warm.edit("dice.py", "return 101 +", "return 1 +")
    warm.edit("constants.py", "SIDES = 9", "SIDES = 6")
    assert warm.play() == second


def test_what_was_renamed_finds_its_code_in_a_process_of_its_own(
    tmp_path: Path, warm: Toy, programs: Programs
) -> None:
    shutil.copytree(warm.folder, tmp_path, dirs_exist_ok=True)
    toy = Toy(tmp_path, programs, {})
    names = ["throw", "dice", "t", "key", "SIDES", "constants", "Sheet", "sheets", "kernel", "play"]
    for name in names:
        toy.rename(name, f"new_{name}")
    toy.edit("__init__.py", "import new_play", "import new_play as play")
    toy.edit("__init__.py", "import new_Sheet", "import new_Sheet as Sheet")
    assert toy.play() == {"out": expected(6), "told": [], "known": True, "error": None}


@pytest.mark.thorough
def test_copies_of_the_sources_share_a_folder_for_the_cache_and_other_sources_do_not(
    tmp_path: Path, programs: Programs
) -> None:
    folders = [tmp_path / name for name in ("one", "copy", "other")]
    for folder in folders:
        folder.mkdir()
    one, copy, other = (Toy(folder, programs) for folder in folders)
    other.edit("constants.py", "SIDES = 6", "SIDES = 9")
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert one.play(**cache)["known"] is False
    assert copy.play(**cache) == {"out": expected(6), "told": [], "known": True, "error": None}
    assert other.play(**cache)["out"] == expected(9)
    # Code that is optimized less is not taken for the usual one.
    assert copy.play(**cache, NUMBA_OPT="1")["told"] == ["toy.kernel.play"]
    assert not list(tmp_path.glob("*/toy/__pycache__/*.nbi"))


@pytest.mark.thorough
def test_bounds_are_checked_on_request_though_the_cache_is_warm(warm: Toy) -> None:
    checked = warm.play(size=2, NUMBA_BOUNDSCHECK="1")
    assert checked["error"] is not None
    assert checked["told"] == ["toy.kernel.play"]


@pytest.mark.thorough
def test_without_compilation_the_same_numbers_come_out_with_no_warning(toy: Toy) -> None:
    plain = toy.play(NUMBA_DISABLE_JIT="1")
    assert plain == {"out": expected(6), "told": [], "known": True, "error": None}


@pytest.mark.thorough
def test_where_no_cache_can_be_written_the_door_works_all_the_same(toy: Toy) -> None:
    source = (toy.folder / "toy" / "kernel.py").read_text()
    (toy.folder / "toy" / "kernel.py").write_text(f"exec({source!r})\n")  # no file, no cache
    assert toy.play()["out"] == expected(6)


@pytest.mark.thorough
def test_of_several_processes_at_once_one_compiles_and_the_others_wait_for_it(toy: Toy) -> None:
    found = toy.play_at_once(2)
    assert [one["out"] for one in found] == [expected(6)] * 2
    assert sorted(one["told"] for one in found) == [[], ["toy.kernel.play"]]


@pytest.mark.thorough
@pytest.mark.slow
def test_nobody_waits_for_ever_for_another_who_compiles(warm: Toy) -> None:
    for cached in warm.folder.rglob("*.nb[ci]"):
        cached.unlink()
    with ExitStack() as others:
        for lock in warm.folder.rglob("*.lock"):
            fcntl.flock(others.enter_context(lock.open("a")), fcntl.LOCK_EX)
        assert warm.play(longest_turn=0.2) == {
            "out": expected(6),
            "told": ["toy.kernel.play"],
            "known": False,
            "error": None,
        }


def test_code_that_names_a_class_that_has_moved_since_counts_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("sources_of_a_type")
    exec("class Moved: ...", vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    of_its_arguments, of_what_it_returns = (
        compiled._Shelf(str(tmp_path), f"door-{k}") for k in range(2)
    )
    of_its_arguments.save(module.Moved, b"code")
    of_what_it_returns.save("key", module.Moved)
    assert list(of_its_arguments._load_index()) == [module.Moved]
    assert of_what_it_returns.load("key") is module.Moved
    del module.Moved
    assert of_its_arguments._load_index() == {}
    assert of_what_it_returns.load("key") is None


def test_code_is_kept_for_a_month_after_its_last_use(tmp_path: Path) -> None:
    used, unused = (compiled._Shelf(str(tmp_path), f"door-{k}") for k in range(2))
    long_ago = time.time() - 2 * compiled.KEEP_SECONDS
    for shelf in (used, unused):
        shelf.save("key", b"code")
    (tmp_path / "somebody.nbc").touch()
    for path in tmp_path.iterdir():
        os.utime(path, (long_ago, long_ago))
    used.load("key")
    used.prune()
    assert used.load("key") == b"code"
    assert unused.load("key") is None
    assert {path.name.partition(".")[0] for path in tmp_path.iterdir()} == {"door-0", "somebody"}


@compiled_only
def test_doors_of_the_same_code_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled._config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    names = "first_twin", "second_twin", "third_twin"
    doors = []
    for name in names:
        (tmp_path / f"{name}.py").write_text(BOARD_HEADER + BOARD.replace("Board", name))
        doors.append(importlib.import_module(name).play)
        monkeypatch.delitem(sys.modules, name)
    messages: list[str] = []
    before = compiling.on_compile(messages.append)
    try:
        rows = [np.arange(8) for _ in range(6)]
        answers = [door(row) for door, row in zip([*doors, *doors], rows, strict=True)]
    finally:
        compiling.on_compile(before)
    assert messages == ["first_twin.play"]
    assert len(set(answers)) == 1
    assert len({tuple(row) for row in rows}) == 1
