"""How the turns of Typ-Dom stand in a mail."""

from __future__ import annotations

import re

from moderator.engine.style import Style

_SQUARE = r"(?:[a-z]{1,2}\s?\d{1,2}|\d{1,2}\s?[a-z]{1,2})(?!\w)"
_SWAP = r"(?:ich\s+|i\s+)?(?:(?:aus|um)?tausche?n?|exchange|swap|change|hole?|nehme|nimm|take)"

STYLE = Style(
    attempt=re.compile(rf"(?:{_SQUARE}|{_SWAP}\s+\S.*?{_SQUARE}|(?:kaufe?|buy)(?:\s+\S+){{1,5}}$)", re.IGNORECASE),
    unfinished=re.compile(
        rf"{_SWAP}(?:\s+(?!(?:{_SQUARE}))[^\s;]+){{0,8}}\s+{_SQUARE}(?:\s+(?:gegen|for|für|mit|with)(?:\s+\w+){{1,4}}|\s+aus)?"
        rf"(?:\s*(?:,|und|and)\s*(?:[a-z]\s+\w{{2,5}}\s+)?{_SQUARE})*\s*,?",
        re.IGNORECASE,
    ),
    chain=re.compile(
        rf"[+&]\s*\S|(?:(?:und|and|dann|then|danach|plus)\s+){{1,2}}(?={_SQUARE}|(?:kaufe?n?|buy)(?!\w))", re.IGNORECASE
    ),
    dangling=re.compile(r"[+&]\s*$"),
)
"""An exchange of jollies goes on with what is laid or bought, a second word may stand on a line of its own."""
