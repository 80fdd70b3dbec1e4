"""Names that look alike on a screen: nobody shall be taken for somebody else."""

from __future__ import annotations

import unicodedata

_ALIKE = str.maketrans(
    dict(zip("АВЕКМНОРСТУХІЈЅаеорсухіјѕԁһԛԝӏк", "ABEKMHOPCTYXIJSaeopcyxijsdhqwlk", strict=True))  # Cyrillic
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυκγϲ", "ABEZHIKMNOPTYXaivopukyc", strict=True))  # Greek
    | dict(zip("ıɡɑ0-’`´", "igao '''", strict=True))
)
_STROKES = str.maketrans("I1|", "lll")
"""One upright line in most types."""


def skeleton(name: str) -> str:
    """The same for names that a reader would not tell apart: letters of other scripts, invisible characters, a capital
    I and a small l, hyphens and blanks."""
    shown = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) not in ("Cf", "Cc", "Mn"))
    return " ".join(shown.translate(_ALIKE).translate(_STROKES).casefold().split())
