"""Yes or no: the answer to a mail of ours that asks something."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moderator.mail.model import Line

_YES = re.compile(r"\W*(?:ja|yes|ok|okay|bestätigt|bestaetigt|confirmed)\b", re.IGNORECASE)
_NO = re.compile(r"\W*(?:nein|no|nicht|not)\b", re.IGNORECASE)


def consent(lines: Sequence[Line]) -> bool | None:
    """What the first line with text says; None = neither."""
    said = next((line.text for line in lines if line.text.strip()), "")
    if _NO.match(said):
        return False
    return True if _YES.match(said) else None
