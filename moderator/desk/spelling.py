"""How what players write is compared: case, umlauts and what separates words make no difference."""

from __future__ import annotations

_SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "-": " ", "_": " ", "’": "'"})


def plain(text: str) -> str:
    """Lower case, umlauts as two letters, single spaces for all that separates."""
    return " ".join(text.casefold().translate(_SPELT).split())
