"""How what players write is compared: case, umlauts and what separates words make no difference. Also yes and no."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moderator.mail.model import Line

_SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "-": " ", "_": " ", "’": "'"})
_YES = re.compile(r"\W*(?:ja|yes|ok|okay|bestätigt|bestaetigt|confirmed)\b", re.IGNORECASE)
_NO = re.compile(r"\W*(?:nein|no|nicht|not)\b", re.IGNORECASE)


def plain(text: str) -> str:
    """Lower case, umlauts as two letters, single spaces for all that separates."""
    return " ".join(text.casefold().translate(_SPELT).split())


def consent(lines: Sequence[Line]) -> bool | None:
    """The answer to a mail of ours that asks something: what the first line with text says; None = neither."""
    said = next((line.text for line in lines if line.text.strip()), "")
    if _NO.match(said):
        return False
    return True if _YES.match(said) else None
