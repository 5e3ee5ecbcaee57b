"""Keys: the named, stateless streams of randomness from which every draw of a study follows.

Streams are named, not spawned: a stream is a function of its parent and its name, so adding a
subject, a worker or a repetition changes nobody else's numbers. `key` names a stream with words;
`fold`, `draw`, `below` and `unit` are the arithmetic of the kernels (`mensura.core.compiled`), here
in plain Python and equal to the bit. Keys are never told to a subject, who could otherwise rebuild
its environment.

A seed that a person chose is short enough to be guessed, and a subject that knows these rules could test its guesses:
against the seed of its own that it is told, or against what it observes. So a study does not draw from its seed but
from what :func:`stretched` makes of it, where every guess costs a tenth of a second and 64 MB.
"""

import functools
import hashlib
import operator
import secrets

import numpy as np
import numpy.typing as npt

from mensura.core.errors import MensuraError

Key = int
"""A stream of randomness: an integer of 64 bits, from 0 to 2**64 - 1."""

BITS = 64
MASK = (1 << BITS) - 1

GOLDEN = 0x9E3779B97F4A7C15
"""The increment of splitmix64 (Steele, Lea and Flood, 2014): 2**64 over the golden ratio, odd."""

MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB
"""The multipliers of splitmix64's finalizer (Stafford's variant 13)."""

DRAW = 0xD1B54A32D192ED03
"""Sets the draws of a key apart from its folds: `draw(k, 0, n)` never repeats `fold(k, n)`."""

SLOT_BITS = 16
"""A draw has room for 2**16 slots per iteration."""

GUESSABLE = 1 << 32
"""Seeds below this could be found by trying, in spite of :func:`stretched`; of fresh ones one in 2**32 is."""

_SCRYPT_COST, _SCRYPT_BLOCK = 1 << 16, 8
"""128 bytes times both is the memory that it takes: 64 MB."""


def key(parent: Key, *names: str | int) -> Key:
    """The stream called `names` under `parent`: eight bytes of BLAKE2b.

    Each name enters with its type and length, so 1 differs from "1" and ("ab", "c") from
    ("a", "bc"). An integer name may have any sign and size; a boolean is refused, since True would
    pass for 1.
    """
    digest = hashlib.blake2b(_check(parent).to_bytes(8, "little"), digest_size=8)
    for name in names:
        if isinstance(name, str):
            tag, body = b"s", name.encode("utf-8", "surrogatepass")
        elif isinstance(name, int) and not isinstance(name, bool):
            tag, body = b"i", name.to_bytes(name.bit_length() // 8 + 1, "little", signed=True)
        else:
            raise TypeError(f"a stream is named by strings and integers, not by {name!r}")
        digest.update(tag + len(body).to_bytes(8, "little") + body)
    return int.from_bytes(digest.digest(), "little")


def fresh() -> Key:
    """A key that nobody could foresee, from the entropy of the operating system."""
    return secrets.randbits(BITS)


def seed_or_fresh(seed: int | None) -> Key:
    """The seed given, checked, or one that nobody could foresee."""
    if seed is None:
        return fresh()
    try:
        number = operator.index(seed)
    except TypeError:
        raise MensuraError(
            f"The seed {seed!r} is no whole number; it is from 0 to 2^64 - 1."
        ) from None
    if not 0 <= number <= MASK:
        raise MensuraError(f"The seed {seed} is out of range; it is from 0 to 2^64 - 1.")
    return number


@functools.lru_cache(maxsize=1024)
def stretched(seed: Key) -> Key:
    """The root of all draws of a study, from its seed: by scrypt (Percival, 2009; RFC 7914), slow on purpose."""
    digest = hashlib.scrypt(
        _check(seed).to_bytes(8, "little"),
        salt=b"mensura: from the seed of a study to the root of its draws",
        n=_SCRYPT_COST,
        r=_SCRYPT_BLOCK,
        p=1,
        maxmem=2 * 128 * _SCRYPT_COST * _SCRYPT_BLOCK,
        dklen=8,
    )
    return int.from_bytes(digest, "little")


def mix(z: int) -> int:
    """The finalizer of splitmix64: a bijection in which every bit depends on every bit."""
    z &= MASK
    z = ((z ^ (z >> 30)) * MIX_1) & MASK
    z = ((z ^ (z >> 27)) * MIX_2) & MASK
    return z ^ (z >> 31)


def fold(key: Key, n: int) -> Key:
    """The n-th stream under `key`, where a number is name enough: the n-th output of splitmix64."""
    return mix(key + GOLDEN * (n + 1))


def draw(key: Key, t: int, slot: int) -> int:
    """64 random bits, a function of (key, iteration, slot); 0 <= slot < 2**16."""
    return fold(key ^ DRAW, (t << SLOT_BITS) + slot)


def below(z: int, n: int) -> int:
    """A number from 0 to n - 1 out of 64 random bits; even to n / 2**32, so n < 2**32."""
    return ((z >> 32) * n) >> 32


def unit(z: int) -> float:
    """A number in [0, 1) out of 64 random bits, a multiple of 2**-53."""
    return (z >> 11) * 2.0**-53


Keys = npt.NDArray[np.uint64]


def mix_array(z: Keys) -> Keys:
    """`mix` of each, in one array."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    return z ^ (z >> np.uint64(31))


def fold_array(key: Key | Keys, n: int | Keys) -> Keys:
    """`fold` of many keys, or of many numbers under one key, in one array."""
    keys, numbers = np.atleast_1d(np.asarray(key, np.uint64), np.asarray(n, np.uint64))
    return mix_array(keys + np.uint64(GOLDEN) * (numbers + np.uint64(1)))


def draw_array(key: Keys, t: int, slot: int) -> Keys:
    """`draw` of many keys, in one array."""
    return fold_array(key ^ np.uint64(DRAW), (t << SLOT_BITS) + slot)


def below_array(z: Keys, n: int) -> npt.NDArray[np.int64]:
    """`below` of many draws, in one array."""
    return (((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)).astype(np.int64)


def numbers(first: int, count: int) -> Keys:
    """The numbers from `first` on, to fold with."""
    return np.arange(first, first + count, dtype=np.uint64)


def _check(value: Key) -> Key:
    if not 0 <= value <= MASK:
        raise ValueError(f"a key is an integer from 0 to 2**64 - 1, not {value}")
    return value
