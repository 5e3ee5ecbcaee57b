"""Code for a GPU: kernels compiled by numba-cuda for a compute capability, and kept on disk as PTX, by their content.

No GPU is needed for it. Results are to be those of the processor to the bit, so no product is fused with a sum.
"""

from __future__ import annotations

import hashlib
import os
import types
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from typing import Any

from mensura.core.stamp import stamp

_COMPILING = Lock()

Capability = tuple[int, int]


def ptx_of(kernel: Callable[..., Any], signature: tuple[Any, ...], capability: Capability) -> str:
    """The PTX of a kernel, from the disk where it was made before."""
    major, minor = capability
    types_of = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
    path = _folder() / f"{stamp(kernel)}.{types_of}.{_compiler()}.sm{major}{minor}.ptx"
    try:
        return path.read_text()
    except OSError:
        pass
    ptx = make_ptx(kernel, signature, capability)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(ptx)
    draft.replace(path)
    return ptx


def make_ptx(kernel: Callable[..., Any], signature: tuple[Any, ...], capability: Capability) -> str:
    """Compile a kernel; one at a time, since what Numba asks for is replaced meanwhile."""
    with _COMPILING:
        return _make_ptx(kernel, signature, capability)


def _make_ptx(
    kernel: Callable[..., Any], signature: tuple[Any, ...], capability: Capability
) -> str:
    from numba import cuda
    from numba.cuda import dispatcher
    from numba.cuda.cudadrv import nvvm

    _teach_functions()
    asked, compile_ir = dispatcher.get_current_device, nvvm.compile_ir
    # Numba asks the GPU that there is for its capability, and lets products be fused with sums, which changes bits.
    dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)
    nvvm.compile_ir = partial(compile_ir, fma=False)
    try:
        ptx, _ = cuda.compile_ptx(kernel, signature, cc=capability)
    finally:
        dispatcher.get_current_device, nvvm.compile_ir = asked, compile_ir
    return str(ptx)


def _teach_functions() -> None:
    """Let kernels call functions of NumPy that every GPU has and numba-cuda does not offer."""
    import numpy as np
    from llvmlite import ir
    from numba.cuda.ufuncs import ufunc_db

    def calling(name: str) -> Callable[..., Any]:
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])

        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            module = builder.module
            function = module.globals.get(name) or ir.Function(module, kind, name)
            return builder.call(function, arguments)

        return lower

    known = ufunc_db()
    for ufunc in (np.floor, np.ceil, np.rint, np.sqrt, np.exp):
        known.setdefault(ufunc, {"d->d": calling(f"__nv_{ufunc.__name__}")})


def _compiler() -> str:
    """What compiles, by name and version, and by what we have it do."""
    try:
        name = f"numba-cuda-{version('numba-cuda')}"
    except PackageNotFoundError:
        name = f"numba-{version('numba')}"
    return f"{name}.{stamp(_make_ptx)}"


def _folder() -> Path:
    from numba import config

    return Path(config.CACHE_DIR or Path(__file__).parent / "__pycache__") / "third-door"
