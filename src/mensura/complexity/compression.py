"""The length of a compressed text, a computable bound on its Kolmogorov complexity."""

import zlib


def zlib_length(text: str) -> int:
    """How many bytes zlib makes of a text at its usual level, header and checksum included.

    >>> zlib_length("20122220022222200222222002")
    19

    This is the LZ of chapters 5 and 6 of Insa-Cabrera (2011), R's ``memCompress`` with the method "gzip". Even
    the empty text takes 8 bytes, so that short texts seem more complex than they are.
    """
    return len(zlib.compress(text.encode("utf-8")))
