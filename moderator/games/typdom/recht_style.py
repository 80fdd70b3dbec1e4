"""How the moves of »Wer behält recht?« stand in a mail."""

from __future__ import annotations

import re

from moderator.engine.style import Style
from moderator.games.typdom.style import STYLE as COMMON

_SQUARE = r"(?:[a-z]{1,2}\s?\d{1,2}|\d{1,2}\s?[a-z]{1,2})(?!\w)"
_LETTER = r"[*★☆]?[a-z](?!\w)"
_SIDE = (
    r"(?:vorn|vorne|vor|davor|voran|hinten|hinter|dahinter|links|rechts|oben|unten"
    r"|front|before|back|behind|after|left|right|above|below)(?!\w)"
)
_END = r"(?:end|ende|anfang|top|bottom)(?!\w)"
_FIRST = (
    r"(?:(?:ich|i)(?:['’]ll|\s+will)?\s+)?"
    r"(?:(?:lege?|setze?|baue?|beginne?|starte?|spiele?|lay|put|place|play|add|begin)\s+)?"
)
_SAYS = r"\s*(?:[=:,+(]|[-=]>|→|$|(?-i:[A-ZÄÖÜ]{2,}))"
_BUY = r"(?:(?:ich|i)\s+)?(?:kaufe?n?|buy)\s+(?:(?:einen?|one|a|1)\s+)?\w+"

STYLE = Style(
    attempt=re.compile(
        rf"{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}{_SAYS}|{_LETTER}\s+{_SIDE}{_SAYS}|{_LETTER}\s*(?:an|at|auf|on)\s+{_SQUARE}"
        rf"|{_LETTER}\s*=|(?:weiter|continue)\s+(?:{_SIDE}\s+)?{_LETTER}|(?:vollende|complete)(?!\w)|{_BUY}\s*$)"
        rf"|{COMMON.attempt.pattern if COMMON.attempt else ''}",
        re.IGNORECASE,
    ),
    unfinished=re.compile(
        rf"{COMMON.unfinished.pattern if COMMON.unfinished else ''}|{_BUY}|{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}"
        rf"|{_LETTER}\s+(?:(?:an|am|at|to|on)\s+)?(?:(?:the|den|der|das)\s+)?(?:{_SIDE}|{_END})|{_LETTER}\s*(?:an|at|auf|on)\s+{_SQUARE})",
        re.IGNORECASE,
    ),
    chain=re.compile(
        rf"[+&]\s*\S|(?:(?:und|and|dann|then|danach|plus)\s+){{1,2}}"
        rf"(?={_SIDE}\s*[:,]?\s*{_LETTER}|{_LETTER}\s*(?:an|at|auf|on)\s+{_SQUARE})",
        re.IGNORECASE,
    ),
    dangling=re.compile(r"[+&]\s*$"),
)
"""Behind an exchange of jollies and behind a tile without its word the move goes on, behind a purchase »passe« may
stand."""
