"""Vectors on a GPU: the same as on the processor, in the simulator here and on a GPU where there is one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import mensura.adapters.gymnasium  # noqa: F401
from mensura.agent.errors import MensuraError

SIMULATED = Path(__file__).parent.parent / "core" / "simulated_gpu.py"
THERE = Path("/dev/nvidia0").exists()


@pytest.mark.parametrize(
    ("world", "mode", "redraw"),
    [
        ("lambda-star-v2", "NextStep", "1"),
        pytest.param("lambda-star-v2", "SameStep", "0", marks=pytest.mark.thorough),
        pytest.param("lambda-star-v2", "SameStep", "1", marks=pytest.mark.thorough),
        pytest.param("lambda-v1", "NextStep", "1", marks=pytest.mark.thorough),
        pytest.param("lambda-v1", "SameStep", "1", marks=pytest.mark.thorough),
        pytest.param("framotec-v1", "NextStep", "1", marks=pytest.mark.thorough),
    ],
)
def test_a_vector_there_does_what_one_here_does(world: str, mode: str, redraw: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SIMULATED), "vector", world, mode, redraw],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["same"]
    assert found["ends"] > 0 or world == "framotec-v1"


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("numba_cuda") is None, reason="needs mensura[gpu]")
@pytest.mark.parametrize("world", ["lambda-star-v2", "lambda-v1", "bf-v1", "framotec-v1"])
def test_code_for_vectors_is_made_without_a_gpu(
    world: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.core.simulated_gpu import SIMULATED as GPU
    from tests.core.simulated_gpu import SimulatedArray

    from mensura.adapters.episodes import Episodes, make_world
    from mensura.core import gpu_blocks
    from mensura.core.ptx import make_ptx

    made: list[str] = []

    def load(_: Any, kernel: Any, signature: Any) -> Any:
        made.append(make_ptx(kernel, signature, (9, 0)))
        return SimpleNamespace(launch=lambda *_: None)

    monkeypatch.setattr(gpu_blocks, "Held", SimulatedArray)
    monkeypatch.setattr(gpu_blocks, "find_gpu", lambda: GPU)
    monkeypatch.setattr(gpu_blocks, "free_memory", lambda _: GPU.memory)
    monkeypatch.setattr(gpu_blocks, "load", load)
    environment: Any = make_world(world, {"subjects": 1} if world == "lambda-star-v2" else {})
    single = Episodes(environment)
    block = gpu_blocks.GpuBlock(
        environment.block(), 2, single.spaces[0], single.blank, "next-step", redraw=True
    )
    block.seed(np.arange(2), np.arange(2, dtype=np.uint64))
    block.begin(np.arange(2))
    block.step(block._actions)
    assert len(made) == 2
    assert all(re.search(r"\.target sm_90", ptx) for ptx in made)


def test_what_is_not_there_is_one_sentence() -> None:
    with pytest.raises(MensuraError, match="There is no device 'tpu'"):
        gymnasium.make_vec("mensura/LambdaStar-v2", num_envs=2, device="tpu")
    with pytest.raises(
        MensuraError, match="With the device 'cpu' there is no arrays; leave it out"
    ):
        gymnasium.make_vec("mensura/LambdaStar-v2", num_envs=2, arrays="torch")
    if not THERE:
        with pytest.raises(MensuraError, match=r"no GPU here that can be used|mensura\[gpu\]"):
            gymnasium.make_vec("mensura/LambdaStar-v2", num_envs=2, device="gpu")


@pytest.mark.gpu
@pytest.mark.skipif(not THERE, reason="needs a GPU")
@pytest.mark.parametrize("library", ["torch", "cupy", "jax"])
def test_other_libraries_take_arrays_over_without_a_copy(library: str) -> None:
    pytest.importorskip(library)
    made: list[Any] = []
    for where in ({}, {"device": "gpu", "arrays": library}):
        envs = gymnasium.make_vec("mensura/LambdaStar-v2", num_envs=300, **where)
        made.append((envs, envs.reset(seed=5)[0]))
    (here, first), (there, shown) = made
    assert np.array_equal(first, as_numpy(shown))
    for at in range(60):
        actions = np.random.default_rng(at).integers(0, 9, 300)
        one, other = here.step(actions), there.step(on_gpu(library, actions))
        assert all(np.array_equal(a, as_numpy(b)) for a, b in zip(one[:4], other[:4], strict=True))


def as_numpy(array: Any) -> Any:
    return np.asarray(
        array.get() if hasattr(array, "get") else array.cpu() if hasattr(array, "cpu") else array
    )


def on_gpu(library: str, actions: Any) -> Any:
    if library == "torch":
        import torch

        return torch.as_tensor(actions, device="cuda")
    if library == "cupy":
        import cupy

        return cupy.asarray(actions)
    import jax

    return jax.device_put(actions)
