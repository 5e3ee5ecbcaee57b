"""Keys: the named, stateless streams of randomness from which every draw of a study follows.

Streams are named, not spawned: a stream is a function of its parent and its name, so adding a
subject, a worker or a repetition changes nobody else's numbers. `key` names a stream with words;
`fold`, `prf`, `draw`, `below` and `unit` are the arithmetic of the kernels (`mensura.core.compiled`), here
in plain Python and equal to the bit. Keys are never told to a subject, who could otherwise rebuild
its environment.

Whoever has the source and sees what is drawn shall find out nothing of what is drawn elsewhere. So the way from a key
to its children is one-way (`key` is BLAKE2b, `fold` SipHash-2-4), and there are two ways to draw from a key:

- `prf` for whatever may be shown: SipHash-2-4, whose output nobody knows how to tell from chance without the key.
- `draw`, several times quicker, for draws of which at most 4 bits ever show, as which of nine actions it was, or
  whether it was below a probability. It is no bijection of its key, and `docs/isolation.md` says what finding the
  key would cost.

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

from mensura.agent.errors import MensuraError

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
"""Where the counter of `draw` begins."""

FOLD, PRF = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB
"""What sets the keys of `fold` and of `prf` apart: one never gives what the other does."""

SIP = 0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573
"""The four words that SipHash begins with: "somepseudorandomlygeneratedbytes"."""

MESSAGE = (1 << 56) - 1
SEVEN_BYTES = 7 << 56
"""The length of a message, where SipHash has it: with the message itself in its only block."""

FEW = 16
"""So many possibilities show 4 bits of a draw."""

SLOT_BITS = 16
"""A draw has room for 2**16 slots per iteration."""

DRAWN_ANEW = (
    "what is drawn can no longer be foretold from what is shown, so that all environments and all chance in them are "
    "others; the rules are the same"
)
"""What changed in worlds whose draws went over to one-way keys and no more."""

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


def siphash(first: int, second: int, message: int) -> int:
    """SipHash-2-4 (Aumasson and Bernstein, 2012) of the first seven bytes of a word, under a key of two words."""
    block = message & MESSAGE | SEVEN_BYTES
    a, b, c, d = first ^ SIP[0], second ^ SIP[1], first ^ SIP[2], second ^ SIP[3] ^ block
    for turn in range(6):
        if turn == 2:
            a, c = a ^ block, c ^ 0xFF
        a, c = (a + b) & MASK, (c + d) & MASK
        b, d = ((b << 13) & MASK | b >> 51) ^ a, ((d << 16) & MASK | d >> 48) ^ c
        a = (a << 32) & MASK | a >> 32
        c, a = (c + b) & MASK, (a + d) & MASK
        b, d = ((b << 17) & MASK | b >> 47) ^ c, ((d << 21) & MASK | d >> 43) ^ a
        c = (c << 32) & MASK | c >> 32
    return a ^ b ^ c ^ d


def fold(key: Key, n: int) -> Key:
    """The n-th stream under `key`, where a number below 2^56 is name enough; one-way, as `key` is."""
    return siphash(key, mix(key ^ FOLD), n)


def prf(key: Key, t: int, slot: int) -> int:
    """64 random bits for (key, iteration, slot) that may be shown; 0 <= t < 2**40 and 0 <= slot < 2**16."""
    return siphash(key, mix(key ^ PRF), (t << SLOT_BITS) + slot)


def draw(key: Key, t: int, slot: int) -> int:
    """64 random bits, a function of (key, iteration, slot), of which at most 4 ever show; 0 <= slot < 2**16.

    Two rounds of splitmix64's finalizer with the key in both. With one round a draw would be a step on a cycle that
    all keys share, and a table of 2^44 steps would find the key of one in 2^20 draws.
    """
    counter = (t << SLOT_BITS) + slot + 1
    return mix(mix((key ^ DRAW) + GOLDEN * counter) ^ ((key << 32) & MASK | key >> 32))


def choice(key: Key, t: int, slot: int, n: int) -> int:
    """A number from 0 to n - 1 for (key, iteration, slot), that is shown: by `draw` where 4 bits say which it is."""
    return below(draw(key, t, slot) if n <= FEW else prf(key, t, slot), n)


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


def siphash_array(first: Keys, second: Keys, message: Keys) -> Keys:
    """`siphash` of each, in one array."""
    block = message & np.uint64(MESSAGE) | np.uint64(SEVEN_BYTES)
    words = zip((first, second, first, second), SIP, strict=True)
    a, b, c, d = (word ^ np.uint64(constant) for word, constant in words)
    d = d ^ block
    for turn in range(6):
        if turn == 2:
            a, c = a ^ block, c ^ np.uint64(0xFF)
        a, c = a + b, c + d
        b, d = _turned_array(b, 13) ^ a, _turned_array(d, 16) ^ c
        a = _turned_array(a, 32)
        c, a = c + b, a + d
        b, d = _turned_array(b, 17) ^ c, _turned_array(d, 21) ^ a
        c = _turned_array(c, 32)
    result: Keys = a ^ b ^ c ^ d
    return result


def fold_array(key: Key | Keys, n: int | Keys) -> Keys:
    """`fold` of many keys, or of many numbers under one key, in one array."""
    keys, numbers = np.atleast_1d(np.asarray(key, np.uint64), np.asarray(n, np.uint64))
    return siphash_array(keys, mix_array(keys ^ np.uint64(FOLD)), numbers)


def prf_array(key: Key | Keys, t: int | Keys, slot: int) -> Keys:
    """`prf` of many keys, or of many iterations, in one array."""
    keys, iterations = np.atleast_1d(np.asarray(key, np.uint64), np.asarray(t, np.uint64))
    message = (iterations << np.uint64(SLOT_BITS)) + np.uint64(slot)
    return siphash_array(keys, mix_array(keys ^ np.uint64(PRF)), message)


def _turned_array(z: Keys, bits: int) -> Keys:
    """Words rotated to the left."""
    return (z << np.uint64(bits)) | (z >> np.uint64(BITS - bits))


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
