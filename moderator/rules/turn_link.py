"""A turn in the address of a page: behind the ``#``, which no browser sends to any server.

Raw deflate (RFC 1951), then base64url without padding (RFC 4648, 5): what a browser's own ``DecompressionStream`` takes
apart. Mail programs and messengers begin to cut addresses at about two thousand characters.
"""

from __future__ import annotations

import zlib
from base64 import urlsafe_b64encode

MOST_IN_A_LINK = 1800
"""Characters behind the ``#``."""
_RAW = -15
"""``wbits`` of zlib for deflate without any frame."""


def encode_turn_link(turn: bytes) -> str:
    """Return the turn as letters, digits, ``-`` and ``_``; "" where it would be too long."""
    squeeze = zlib.compressobj(9, wbits=_RAW)
    text = urlsafe_b64encode(squeeze.compress(turn) + squeeze.flush()).rstrip(b"=").decode("ascii")
    return text if len(text) <= MOST_IN_A_LINK else ""
