"""Compilation by Numba, in one place: rules, doors, the cache of doors, and draws inside kernels.

A kernel is written once as **rules**, plain functions that are inlined into whoever calls them, and
opened to Python by a few **doors**, whose machine code is cached on disk::

    from mensura.core.compiled import below, door, draw, rule

    @rule
    def throw(key, t):
        return 1 + below(draw(key, t, 0), 6)

    @door
    def throws(key, out):
        for t in range(out.size):
            out[t] = throw(key, t)

    throws(np.uint64(key), out)

What holds for both:

- A rule is translated once in a process for each combination of argument types, and optimized only as a part of the
  doors that it is inlined into (`_RuleLibrary`): by itself it is never called.
- No memory is allocated in a kernel and nothing is reference-counted (Numba's private option
  `_nrt=False`): the caller owns every array. With counting, arrays passed between functions cost an
  atomic operation each, and inner loops run 3 to 6 times slower. A rule returns views of its
  arguments' memory in a NamedTuple (Numba refuses a bare array there); a door returns numbers.
- Rules are called by rules and doors only. An ordinary `numba.njit` function counts references and
  would free memory that a rule did not count: the process dies.
- Numbers are mixed with care: `uint64 + int64` is a float64 in Numba, so constants are typed
  (`uint64(1)`). The draws below cast their arguments themselves.
- Division follows NumPy: no exception on zero. Bounds are not checked, unless NUMBA_BOUNDSCHECK=1,
  which has cache entries of its own, so a warm cache does not hide an error.
- A door is compiled anew for every new combination of argument types. Pass a key as
  `np.uint64(key)`: a bare Python integer is an int64 below 2**63 and a uint64 above.
- With NUMBA_DISABLE_JIT=1 rules and doors are the plain functions, for coverage and debugging.
"""

# mypy: allow-untyped-calls

import hashlib
import inspect
import os
import sys
import time
import types
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import config, float64, int64, njit, uint64
from numba import types as kinds
from numba.core import cgutils
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.typing import signature
from numba.extending import intrinsic, lower_builtin, type_callable
from numba.np import arrayobj, linalg

from mensura.agent import keys
from mensura.core import compiling
from mensura.core.call_types import asked_once
from mensura.core.stamp import of_others, stamp

try:
    import fcntl
except ImportError:  # Windows has none, so that processes there may compile the same side by side
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "below",
    "cached",
    "choice",
    "cube",
    "door",
    "draw",
    "fetch",
    "float64",
    "fold",
    "int64",
    "matrix",
    "mix",
    "plain",
    "prf",
    "rule",
    "span",
    "uint64",
    "unit",
    "writable",
]

F = TypeVar("F", bound=Callable[..., Any])

_config = cast(Any, config)
# Numba reads settings from the current folder, the folder of its cache among them, and a cache is code.
_config._config_fname = ""
_config.reload_config()
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
_INNER: dict[str, Any] = {
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""Of rules: wrappers for callers from Python and C, which they have none of, would be a third of compilation."""

JIT = not _config.DISABLE_JIT
"""Whether rules and doors are compiled; false under NUMBA_DISABLE_JIT=1."""

if JIT:
    # Numba imports scipy.linalg only to see whether it is there, which takes every process a fifth of a second; a
    # function that needs it looks again when it is compiled.
    _ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = _ensure_blas

LONGEST_TURN = 120.0
"""Seconds after which a process no longer waits for another one that compiles the same door."""

DAY = 24 * 3600
KEEP_SECONDS = 30 * DAY
"""Cached code is kept for a month after its last use, for those who go back and forth in history."""


def rule(fn: F) -> F:
    """A function for use inside kernels only: always inlined, never cached by itself.

    From Python call `plain(fn)`, which costs no compilation.
    """
    if not JIT:
        return fn
    inner = cast(Any, njit(fn, pipeline_class=_RuleCompiler, **_INNER, **_OPTIONS))
    # There is no code that Python could call: asked for it, Numba would jump to nowhere.
    inner._insert = lambda *_: None
    inner._compile_for_args = partial(_refuse, fn.__qualname__)
    return cast(F, inner)


def _refuse(name: str, *arguments: Any, **more: Any) -> None:
    raise TypeError(f"{name} is a rule, for use inside kernels; from Python call plain({name}).")


class _RuleLibrary(JITCodeLibrary):
    """The code of one rule and of the rules it calls, ready to be inlined and no more.

    Numba would optimize each rule with all that is inlined into it, and write machine code for it, at every level of
    calls. Nobody ever runs that code, and it was more than a quarter of compilation.
    """

    @property
    def codegen(self) -> Any:
        return _NoEnvironment(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        """None: there is no machine code to point to, only code to inline."""
        self._ensure_finalized()
        return 0

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


class _NoEnvironment:
    """The code generator of a rule: it has no globals in memory that would have to be set."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


class _RuleCompiler(Compiler):
    """Numba's compiler, with a library for code that is only ever inlined."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.library = _RuleLibrary(self.state.targetctx.codegen(), "rule")


def door(fn: F) -> F:
    """An entry point from Python to a kernel: cached on disk, and free of the GIL while it runs.

    The cache notices an edit of anything that is compiled into the door: its own code, every rule
    it calls, in whatever file or package, every constant that they use, and what compiles them; it does not
    notice a rename (see `core/stamp.py`). Where no folder for the cache can be written, the door is compiled
    in each process.
    """
    if not JIT:
        return fn
    entry = cast(Any, njit(fn, nogil=True, pipeline_class=_DoorCompiler, **_OPTIONS))
    with suppress(RuntimeError):  # Numba found no folder that it may write to
        cache = _DoorCache(plain(fn))
        entry._cache = cache
        entry.compile = _in_turn(entry.compile, cache)
    return cast(F, entry)


def _in_turn(compile_: Callable[[Any], Any], cache: "_DoorCache") -> Callable[[Any], Any]:
    """Compile while no other process compiles the same door: who waits finds it in the cache."""

    def compile_in_turn(signature: Any) -> Any:
        with cache.turn(), asked_once():
            return compile_(signature)

    return compile_in_turn


def plain(fn: Callable[..., Any]) -> types.FunctionType:
    """The Python function behind a rule or a door."""
    return cast(types.FunctionType, getattr(fn, "py_func", fn))


def cached(fn: Callable[..., Any]) -> bool:
    """Whether some compiled form of this door is at hand, in memory or on disk.

    False means that the next call compiles for seconds, so that a program may say so first.
    """
    if not isinstance(fn, Dispatcher) or fn.overloads:
        return True
    cache = getattr(fn, "_cache", None)
    return isinstance(cache, _DoorCache) and cache.filled()


class _DoorCompiler(Compiler):
    """Numba's compiler, for code that is found again whatever its door is called then.

    Numba writes the name of a function and of its module into its code, and asks for that module when the code is
    loaded. A door's code has the door's stamp for a name; no two doors of other code meet under one name in a process.
    """

    def compile_extra(self, func: types.FunctionType) -> Any:
        twin = types.FunctionType(
            func.__code__,
            func.__globals__,
            f"door_{stamp(func)}",
            func.__defaults__,
            func.__closure__,
        )
        twin.__kwdefaults__, twin.__qualname__ = func.__kwdefaults__, twin.__name__
        twin.__module__ = __package__.partition(".")[0]
        return super().compile_extra(twin)


class _DoorCache(FunctionCache):
    """The cache of one door: files named by its stamp, opened on its first use.

    Only then are all rules of the module defined. Since the files are named by the stamp alone, processes that run
    different versions of the sources side by side never meet one another's code, and a door that was renamed or moved
    finds its own.

    The files are beside the sources, as Numba has it, or in the folder that NUMBA_CACHE_DIR names:
    there the place of the sources plays no part, so that all copies of them share it.
    """

    def __init__(self, fn: types.FunctionType) -> None:
        super().__init__(fn)
        self._fn = fn
        if _config.CACHE_DIR:
            self._cache_path = _config.CACHE_DIR
            self._impl.locator.get_cache_path = lambda: _config.CACHE_DIR
        self._opened: _Shelf | None = None

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """The stamp stands for whatever a door closes over, which Numba would pickle anew in each process."""
        return _without_names(sig), codegen.magic_tuple()

    def filled(self) -> bool:
        return bool(self._open()._load_index())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Within it no other process compiles this door for the first time, unless it takes too long.

        The system ends a turn with its process, however that dies.
        """
        with ExitStack() as stack:
            if fcntl is not None and not self.filled():
                with suppress(OSError):  # a folder that is read-only, or that knows no locks
                    self._impl.locator.ensure_cache_path()
                    lock = stack.enter_context(self._open().lock.open("a"))
                    _wait_for(lock.fileno())
            yield

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._open()
        found = super().load_overload(sig, target_context)
        if found is None:
            compiling.tell(f"{self._fn.__module__}.{self._fn.__qualname__}")
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        self._open().prune()
        super().save_overload(sig, data)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        reduced = self._open().load(self._index_key(sig, target_context.codegen()))
        if reduced is None:
            return None
        library, fndesc, environment, returned, *more = reduced
        fndesc.argtypes = sig
        return CompileResult._rebuild(
            target_context, library, fndesc, environment, signature(returned, *sig), *more
        )

    def _save_overload(self, sig: Any, data: Any) -> None:
        """File machine code without the names that change: of the classes of arguments, and of modules of rules.

        Numba would keep environments of rules, which have none (`_NoEnvironment`).
        """
        if not self._impl.check_cachable(data):
            return
        self._impl.locator.ensure_cache_path()
        library, fndesc, environment, typed, *more, environments = data._reduce()
        fndesc = copy(fndesc)
        fndesc.argtypes = ()
        environments = [each for each in environments if of_others(each.globals["__name__"])]
        reduced = library, fndesc, environment, typed.return_type, *more, environments
        self._open().save(self._index_key(sig, data.codegen), reduced)

    def _open(self) -> "_Shelf":
        if self._opened is None:
            name = f"door-{stamp(self._fn)}{_settings()}.{sys.implementation.cache_tag}"
            self._opened = self._cache_file = _Shelf(self._cache_path, name)
        return self._opened


def _settings() -> str:
    """What of Numba's settings makes other machine code of the same sources, as a part of file names."""
    bounds = "-bounds" if _config.BOUNDSCHECK else ""
    level = int(_config.OPT)
    return bounds + (f"-opt{level}" if level != _USUAL_LEVEL else "")


_USUAL_LEVEL = 3
"""Of LLVM's optimization, unless NUMBA_OPT says otherwise."""


def _wait_for(lock: int) -> None:
    """Take a lock as soon as nobody has it, or go on without after `LONGEST_TURN`."""
    end = time.monotonic() + LONGEST_TURN
    while time.monotonic() < end:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return


class _Shelf(IndexDataCacheFile):
    """The files of one stamp: an index and, for each signature, the machine code."""

    def __init__(self, folder: str, name: str) -> None:
        super().__init__(folder, name, name)
        self._folder, self._name = Path(folder), name
        self.lock = self._folder / f"{name}.lock"

    def save(self, key: Any, data: Any) -> None:
        """File code under its signature: the numbers Numba gives can clash between processes."""
        name = f"{self._name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:12]}.nbc"
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})

    def _load_index(self) -> Any:
        """What is there; nothing where it names classes that these sources have elsewhere, as of enumerations."""
        try:
            return super()._load_index()
        except (AttributeError, ImportError):
            return {}

    def load(self, key: Any) -> Any:
        """The code for a signature; none where it names such a class."""
        try:
            data = super().load(key)
        except (AttributeError, ImportError):
            return None
        if data is not None:
            self._use()
        return data

    def _use(self) -> None:
        """Tell :meth:`prune` that the files are in use, once a day."""
        with suppress(OSError):  # a folder that is read-only
            if Path(self._index_path).stat().st_mtime < time.time() - DAY:
                for path in self._folder.glob(f"{self._name}.*"):
                    os.utime(path)

    def prune(self) -> None:
        """Remove what nobody has used for long, of any door."""
        for path in self._folder.glob("door-*"):
            try:
                if path.stat().st_mtime < time.time() - KEEP_SECONDS:
                    path.unlink()
            except OSError:  # another process was quicker
                continue


def _without_names(kind: Any) -> Any:
    """A type or several, with the fields of rows in place of their classes."""
    if isinstance(kind, kinds.BaseNamedTuple):
        return kind.fields, _without_names(kind.types)
    if isinstance(kind, tuple | kinds.BaseTuple):
        return tuple(map(_without_names, kind))
    return kind


# Shapes


def matrix(array: Any, rows: Any, columns: Any) -> Any:
    """So many numbers of a stretch of memory as rows and columns: what ``reshape`` gives, for Python and for rules.

    In a rule it is a few instructions. Numba's own calls a function that finds out whether the memory allows it, which
    takes longer than an interaction of a small environment.
    """
    return array.reshape((rows, columns))


def cube(array: Any, layers: Any, rows: Any, columns: Any) -> Any:
    """As :func:`matrix`, with three axes."""
    return array.reshape((layers, rows, columns))


def span(array: Any, first: Any, size: Any) -> Any:
    """So many numbers of an array of one axis, from one on: what a slice gives where all of them are there.

    In a rule it is two instructions. A slice first brings its ends into the array; here nobody looks, but without
    compilation a stretch that goes beyond the array is short.
    """
    return array[first : first + size]


def _spanned(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A part of the same memory."""
    given = arrayobj.make_array(signature.args[0])(context, builder, args[0])
    made = arrayobj.make_array(signature.return_type)(context, builder)
    first, size = (
        context.cast(builder, one, kind, kinds.intp)
        for one, kind in zip(args[1:], signature.args[1:], strict=True)
    )
    arrayobj.populate_array(
        made,
        data=builder.gep(given.data, [first]),
        shape=[size],
        strides=[given.itemsize],
        itemsize=given.itemsize,
        meminfo=given.meminfo,
        parent=given.parent,
    )
    return made._getvalue()


def _reshaped(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The same memory under other sizes."""
    given = arrayobj.make_array(signature.args[0])(context, builder, args[0])
    made = arrayobj.make_array(signature.return_type)(context, builder)
    sizes = [
        context.cast(builder, one, kind, kinds.intp)
        for one, kind in zip(args[1:], signature.args[1:], strict=True)
    ]
    strides = [given.itemsize]
    for size in reversed(sizes[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    arrayobj.populate_array(
        made,
        data=given.data,
        shape=sizes,
        strides=strides,
        itemsize=given.itemsize,
        meminfo=given.meminfo,
        parent=given.parent,
    )
    return made._getvalue()


def _typed(function: Any, axes: int, lower: Callable[..., Any]) -> None:
    """Let rules call a function of an array and whole numbers that gives an array of so many axes."""

    @type_callable(function)
    def typer_of(context: Any) -> Any:
        def typer(array: Any, *sizes: Any) -> Any:
            return kinds.Array(array.dtype, axes, "C", readonly=not array.mutable)

        typer.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for name in inspect.signature(function).parameters
            ]
        )
        return typer

    numbers = len(inspect.signature(function).parameters) - 1
    lower_builtin(function, kinds.Array, *[kinds.Integer] * numbers)(lower)


if JIT:
    _typed(matrix, 2, _reshaped)
    _typed(cube, 3, _reshaped)
    _typed(span, 1, _spanned)
    _GOLDEN, _MIX_1, _MIX_2 = np.uint64(keys.GOLDEN), np.uint64(keys.MIX_1), np.uint64(keys.MIX_2)
    _DRAW, _SLOT_BITS = np.uint64(keys.DRAW), np.uint64(keys.SLOT_BITS)
    _FOLD, _PRF = np.uint64(keys.FOLD), np.uint64(keys.PRF)
    _MESSAGE, _SEVEN_BYTES = np.uint64(keys.MESSAGE), np.uint64(keys.SEVEN_BYTES)
    _FEW = keys.FEW
    _SIP_A, _SIP_B, _SIP_C, _SIP_D = map(np.uint64, keys.SIP)

    @rule
    def mix(z: Any) -> Any:
        """The finalizer of splitmix64 on a uint64 (`keys.mix`)."""
        z = (z ^ (z >> uint64(30))) * _MIX_1
        z = (z ^ (z >> uint64(27))) * _MIX_2
        return z ^ (z >> uint64(31))

    @rule
    def turned(z: Any, bits: Any) -> Any:
        """A uint64 rotated to the left."""
        return (z << uint64(bits)) | (z >> (uint64(64) - uint64(bits)))

    @rule
    def sip_round(a: Any, b: Any, c: Any, d: Any) -> Any:
        """A round of SipHash on its four words."""
        a, c = a + b, c + d
        b, d = turned(b, 13) ^ a, turned(d, 16) ^ c
        a = turned(a, 32)
        c, a = c + b, a + d
        return a, turned(b, 17) ^ c, turned(c, 32), turned(d, 21) ^ a

    @rule
    def siphash(first: Any, second: Any, message: Any) -> Any:
        """SipHash-2-4 of seven bytes under a key of two words, all uint64 (`keys.siphash`)."""
        block = message & _MESSAGE | _SEVEN_BYTES
        a, b, c, d = first ^ _SIP_A, second ^ _SIP_B, first ^ _SIP_C, second ^ _SIP_D ^ block
        a, b, c, d = sip_round(a, b, c, d)
        a, b, c, d = sip_round(a, b, c, d)
        a, c = a ^ block, c ^ uint64(0xFF)
        for _ in range(4):
            a, b, c, d = sip_round(a, b, c, d)
        return a ^ b ^ c ^ d

    @rule
    def fold(key: Any, n: Any) -> Any:
        """The n-th stream under `key`, a uint64 (`keys.fold`)."""
        return siphash(uint64(key), mix(uint64(key) ^ _FOLD), uint64(n))

    @rule
    def prf(key: Any, t: Any, slot: Any) -> Any:
        """64 random bits for (key, iteration, slot) that may be shown, a uint64; slot < 2**16 (`keys.prf`)."""
        message = (uint64(t) << _SLOT_BITS) + uint64(slot)
        return siphash(uint64(key), mix(uint64(key) ^ _PRF), message)

    @rule
    def draw(key: Any, t: Any, slot: Any) -> Any:
        """64 random bits for (key, iteration, slot), a uint64, of which at most 4 ever show (`keys.draw`)."""
        counter = (uint64(t) << _SLOT_BITS) + uint64(slot) + uint64(1)
        return mix(mix((uint64(key) ^ _DRAW) + _GOLDEN * counter) ^ turned(uint64(key), 32))

    @rule
    def choice(key: Any, t: Any, slot: Any, n: Any) -> Any:
        """An int64 from 0 to n - 1 for (key, iteration, slot), that is shown (`keys.choice`)."""
        z = draw(key, t, slot) if n <= _FEW else prf(key, t, slot)
        return int64(((z >> uint64(32)) * uint64(n)) >> uint64(32))

    @rule
    def below(z: Any, n: Any) -> Any:
        """An int64 from 0 to n - 1 out of 64 random bits; n < 2**32 (`keys.below`)."""
        return int64(((uint64(z) >> uint64(32)) * uint64(n)) >> uint64(32))

    @rule
    def unit(z: Any) -> Any:
        """A float64 in [0, 1) out of 64 random bits (`keys.unit`)."""
        return float64(uint64(z) >> uint64(11)) * 1.1102230246251565e-16

    @intrinsic
    def writable(_: Any, array: Any) -> Any:
        """A read-only array as the type of one that is not: for both, rules would be compiled twice.

        Nobody must write to it.
        """
        return array.copy(readonly=False)(array), lambda context, builder, signature, args: args[0]

    @intrinsic
    def fetch(_: Any, array: Any, at: Any) -> Any:
        """Have a line of memory brought near that is needed soon: that of a number of an array of one axis."""

        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            given = arrayobj.make_array(signature.args[0])(context, builder, args[0])
            place = builder.bitcast(builder.gep(given.data, [args[1]]), cgutils.voidptr_t)
            bits = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [place.type, bits, bits, bits])
            call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(call, [place, bits(1), bits(3), bits(1)])
            return context.get_dummy_value()

        return kinds.void(array, kinds.intp), lower

else:
    # NumPy's scalars warn where a product of 64 bits wraps: the plain twins mask instead.

    def mix(z: Any) -> Any:
        return np.uint64(keys.mix(int(z)))

    def fold(key: Any, n: Any) -> Any:
        return np.uint64(keys.fold(int(key), int(n)))

    def prf(key: Any, t: Any, slot: Any) -> Any:
        return np.uint64(keys.prf(int(key), int(t), int(slot)))

    def draw(key: Any, t: Any, slot: Any) -> Any:
        return np.uint64(keys.draw(int(key), int(t), int(slot)))

    def choice(key: Any, t: Any, slot: Any, n: Any) -> Any:
        return keys.choice(int(key), int(t), int(slot), int(n))

    def below(z: Any, n: Any) -> Any:
        return keys.below(int(z), int(n))

    def unit(z: Any) -> Any:
        return keys.unit(int(z))

    def writable(array: Any) -> Any:
        return array

    def fetch(array: Any, at: Any) -> None:
        pass
