"""The round letter as PDF, by typst. All words go to it as data and are shown as they are: nothing that a player has
written is ever read as a command of the typesetter."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from moderator.errors import OperatorError
from moderator.pages import boards, theme
from moderator.pages.mail import folder
from moderator.pages.messages import label
from moderator.site.letter_parts import MatchPart, RoundLetter

FONTS = Path(boards.__file__).parent.parent / "fonts"
PAPER = "#FFFFFF"
"""In place of the boards' ground, which a printer would draw as a grey raster."""
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"')
LABELS = ("letter-cups", "letter-words", "letter-notices", "letter-press", "letter-none", "letter-page", "made-by")


def pdf(letter: RoundLetter, language: str, now: datetime) -> bytes:
    """The file. Raises OperatorError where the extra is not installed."""
    try:
        import typst
    except ImportError as error:
        raise OperatorError("A letter as PDF needs typst.", "Run `pip install 'moderator[print]'`.") from error
    data = json.dumps(_data(letter, language), ensure_ascii=False)
    place = folder() / "site"
    made: bytes = typst.compile(
        str(place / "letter.typ"),
        root=str(place),
        font_paths=[str(FONTS)],
        ignore_system_fonts=True,
        format="pdf",
        sys_inputs={"letter": data},
        timestamp=int(now.timestamp()),
    )
    return made


def _data(letter: RoundLetter, language: str) -> Mapping[str, Any]:
    """Plain values only; the template knows their names."""
    return {
        "lang": language,
        "club": letter.club,
        "title": letter.title,
        "span": letter.span,
        "sections": [
            {"title": label(f"site.{code}", language), "matches": [_match(match) for match in matches]}
            for code, matches in letter.sections
        ],
        "tournaments": [
            {"title": one.title, "facts": one.facts, "games": one.games, "tables": one.tables}
            for one in letter.tournaments
        ],
        "words": [{"word": one.word, "ruling": one.ruling, "reason": one.reason} for one in letter.words],
        "notices": [{"title": m.title, "texts": m.notices} for m in letter.matches if m.notices],
        "press": [
            {"title": m.title, "letters": [{"by": said.by, "text": said.text} for said in m.press]}
            for m in letter.matches
            if m.press
        ],
        "labels": {name: label(f"site.{name}", language) for name in LABELS},
    }


def _match(match: MatchPart) -> Mapping[str, Any]:
    svg = boards.svg(match.scene).replace(theme.GROUND, PAPER) if match.scene else ""
    size = _SIZE.search(svg)
    return {
        "title": match.title,
        "facts": match.facts,
        "svg": svg if size else "",
        "width": float(size[1]) if size else 0,
        "height": float(size[2]) if size else 0,
        "table": [{"shape": one.seat.shape, "name": one.name, "score": str(one.score)} for one in match.table],
        "last": match.last,
    }
