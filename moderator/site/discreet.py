"""What people wrote, as the whole world may read it: without mail addresses, and without what XML cannot hold."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
"""With a dot behind the sign, which tells it from a move such as 64@L."""
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def discreet(text: str) -> str:
    """The same text with "…" for each address."""
    fit = _UNFIT.sub("", text)
    return _ADDRESS.sub("…", fit) if "@" in fit else fit  # most pages have none, and a letter is megabytes
