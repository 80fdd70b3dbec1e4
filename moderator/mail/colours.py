"""Colours in the HTML of a mail: whether somebody who reads it can tell the text from its ground."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

Colour = tuple[int, int, int]
_NEAR = 24
"""Of 255: colours that differ by no more than that in red, green and blue look the same."""
_NAMES: dict[str, Colour] = {
    "white": (255, 255, 255), "snow": (255, 250, 250), "ivory": (255, 255, 240), "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245), "floralwhite": (255, 250, 240), "mintcream": (245, 255, 250),
    "azure": (240, 255, 255), "aliceblue": (240, 248, 255), "black": (0, 0, 0), "red": (255, 0, 0),
    "blue": (0, 0, 255), "green": (0, 128, 0), "yellow": (255, 255, 0), "gray": (128, 128, 128),
}  # fmt: skip
_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})(?:[0-9a-f]{2}|[0-9a-f])?")
_RGB = re.compile(r"rgba?\((\d{1,3})%?[, ](\d{1,3})%?[, ](\d{1,3})%?[^)]*\)")
_TEXT = re.compile(r"(?<![\w-])color:([^;!]{1,60})")
_GROUND = re.compile(r"(?<![\w-])background(?:-color)?:([^;!]{1,200})")


class Ink(NamedTuple):
    """Text and what it stands on; None = nobody knows."""

    text: Colour | None = (0, 0, 0)
    ground: Colour | None = (255, 255, 255)

    @property
    def seen(self) -> bool:
        """Whether the text can be read."""
        if self.text is None or self.ground is None:
            return True
        return max(abs(a - b) for a, b in zip(self.text, self.ground, strict=True)) > _NEAR

    def within(self, style: str, attributes: Mapping[str, str]) -> Ink:
        """The same inside an element with that style (lower case, without blanks) and these attributes."""
        if not style and not attributes:
            return self
        text, ground = self
        if said := attributes.get("color") or attributes.get("text"):
            text = _colour(said.strip().lower())
        if said := attributes.get("bgcolor"):
            ground = _colour(said.strip().lower())
        for found in _TEXT.finditer(style):
            text = text if found[1] == "inherit" else _colour(found[1])
        for found in _GROUND.finditer(style):
            ground = ground if found[1] in ("transparent", "none", "inherit") else _first(found[1])
        return Ink(text, ground)


def _first(words: str) -> Colour | None:
    """The colour in ``background:#FFF url(…)``; None for a picture."""
    return None if "url(" in words or "gradient" in words else _colour(words)


def _colour(word: str) -> Colour | None:
    if word in _NAMES:
        return _NAMES[word]
    if found := _HEX.fullmatch(word):
        digits = found[1] if len(found[1]) == 6 else "".join(2 * digit for digit in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if found := _RGB.match(word):
        scale = 2.55 if "%" in word else 1
        red, green, blue = (min(255, round(int(part) * scale)) for part in found.groups())
        return red, green, blue
    return None
