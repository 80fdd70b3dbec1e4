"""What others have written, on a terminal: nothing in it moves the cursor, colours the screen or turns lines round."""

from __future__ import annotations


def shown(text: str) -> str:
    r"""The text with all but line ends and tabs that no printer would print spelt out, as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)
