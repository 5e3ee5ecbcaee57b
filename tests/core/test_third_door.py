"""The third door, as far as it can be tested without a GPU: its code is made, and plays in a simulator."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold_array, numbers
from mensura.core.devices import check_device, device, playing_on
from mensura.worlds.lambda_star.world import LambdaStar

SIMULATED = Path(__file__).parent / "simulated_gpu.py"
COUNT = 5


def on_the_processor(name: str, training: int) -> list[object]:
    world = LambdaStar(rows=4, cols=4, subjects=2, horizon=6)
    keys, resets, seeds = (fold_array(root, numbers(0, COUNT)) for root in (7, 8, 9))
    free = np.full(COUNT, np.inf)
    patterns = world.sample_many(keys, "K", -free, free)
    subject = world.group([(name, {}, 1)])
    found: list[object] = world.rollout(subject, patterns, resets, seeds, training, True).tolist()
    return found


@pytest.mark.parametrize(
    ("name", "training"),
    [pytest.param("local-search", 0, marks=pytest.mark.thorough), ("q-learning", 2)],
)
def test_the_kernel_plays_the_same_in_the_simulator(name: str, training: int) -> None:
    done = subprocess.run(
        [sys.executable, str(SIMULATED), "sitting", name, str(training)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == on_the_processor(name, training)


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("numba_cuda") is None, reason="needs mensura[gpu]")
def test_code_for_a_gpu_is_made_without_one() -> None:
    from mensura.core.doors import sitting_of
    from mensura.core.ptx import make_ptx
    from mensura.core.third_door import kernel_of, signature_of

    doors = LambdaStar().doors
    kernel = kernel_of(sitting_of(doors.rules, doors.mind_rules), 596, 228)
    ptx = make_ptx(kernel, signature_of(()), (9, 0))
    assert re.search(r"\.target sm_90", ptx)
    assert len(re.findall(r"\.entry", ptx)) == 1
    assert "fma" not in ptx  # else sums of products have other bits


def test_code_is_kept_by_all_that_it_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mensura.core import ptx
    from mensura.core.doors import sitting_of
    from mensura.core.third_door import kernel_of, signature_of

    made: list[object] = []
    monkeypatch.setattr(ptx, "_folder", lambda: tmp_path)
    monkeypatch.setattr(ptx, "make_ptx", lambda *given: made.append(given) or "code")
    doors = [LambdaStar().doors, LambdaStar.preset("dilemma").doors]
    sittings = [sitting_of(one.rules, one.mind_rules) for one in doors]
    types_of = [signature_of(()), signature_of((np.zeros((1, 1)), np.zeros(1)))]
    for given in [(sittings[0], 64, 64), (sittings[1], 64, 64), (sittings[0], 128, 64)]:
        for signature in types_of:
            for capability in ((9, 0), (8, 0)):
                for _ in range(2):
                    assert ptx.ptx_of(kernel_of(*given), signature, capability) == "code"
    assert len(made) == 12
    monkeypatch.setattr(ptx, "_compiler", lambda: "another")
    ptx.ptx_of(kernel_of(sittings[0], 64, 64), types_of[0], (9, 0))
    assert len(made) == 13


def test_threads_that_need_the_same_code_compile_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from mensura.core import third_door

    made: list[int] = []

    def slowly(*_: object) -> str:
        made.append(1)
        others.wait(timeout=60)
        return ""

    others = threading.Barrier(2)
    monkeypatch.setattr(third_door, "ptx_of", slowly)
    monkeypatch.setattr(third_door, "Code", lambda gpu, ptx: object())
    door = third_door.ThirdDoor(lambda *_: None)
    gpu = types.SimpleNamespace(capability=(9, 0), number=0)
    with ThreadPoolExecutor(3) as pool:
        found = [pool.submit(door._code, gpu, 64, 64, ()) for _ in range(3)]
        others.wait(timeout=60)
        codes = {id(one.result(timeout=60)) for one in found}
    assert (len(made), len(codes)) == (1, 1)


def test_threads_take_the_gpus_of_a_machine_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    from mensura.core import gpu

    driver = types.SimpleNamespace(cuDeviceGetCount=lambda: (0, 3))
    made = [types.SimpleNamespace(number=n, driver=driver) for n in range(3)]
    monkeypatch.setattr(gpu, "find_gpu", lambda number=0: made[number])
    together = threading.Barrier(4)

    def two_of_mine(_: int) -> set[int]:
        found = {gpu.own_gpu().number, gpu.own_gpu().number}
        together.wait(timeout=60)
        return found

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(two_of_mine, range(4)))
    assert all(len(one) == 1 for one in found)  # a thread keeps its GPU
    assert {one.pop() for one in found} == {0, 1, 2}


def test_a_device_that_is_not_there_is_one_sentence() -> None:
    assert device() == "cpu"
    with pytest.raises(MensuraError, match="There is no device 'tpu'"):
        check_device("tpu")
    if Path("/dev/nvidia0").exists():
        pytest.skip("there is a GPU")
    with (
        pytest.raises(MensuraError, match=r"no GPU here that can be used|mensura\[gpu\]"),
        playing_on("gpu"),
    ):
        pass
    assert device() == "cpu"


@pytest.mark.gpu
@pytest.mark.skipif(not Path("/dev/nvidia0").exists(), reason="needs a GPU")
@pytest.mark.parametrize(("name", "training"), [("local-search", 0), ("q-learning", 2)])
def test_a_gpu_plays_the_same_and_draws_the_same(name: str, training: int) -> None:
    world = LambdaStar(rows=4, cols=4, subjects=2, horizon=6)
    keys, resets, seeds = (fold_array(root, numbers(0, 300)) for root in (7, 8, 9))
    free = np.full(300, np.inf)
    subject = world.group([(name, {}, 1)])
    found = []
    for where in ("cpu", "gpu"):
        with playing_on(where):
            patterns = world.sample_many(keys, "K", -free, free)
            found.append(
                (patterns.rows, world.rollout(subject, patterns, resets, seeds, training, True))
            )
    assert all(np.array_equal(here, there) for here, there in zip(*found, strict=True))
