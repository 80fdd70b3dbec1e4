"""Finds what a document prints in another voice: code spans, blocks, quotations, and what is quoted inside of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
GAMES = ROOT / "moderator" / "games"
GENERAL = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
RULES = sorted(GAMES.glob("*/*.md"))
DOCUMENTS = [*GENERAL, *RULES]

_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"(?:^    .*\n?)+", re.MULTILINE)
_MAIL = re.compile(r"(?:^> .*\n?)+", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r"»([^«»]*)«|“([^“”„]*)”|„([^“”„]*)“|\"([^\"]*)\"")
FRENCH = r"«\s([^«»]*?)\s»"
_IN_FRENCH = re.compile(rf"{FRENCH}|“([^“”„]*)”|\"([^\"]*)\"")
"""There what stands between ``«`` and ``»`` is quoted, in German what stands between the others."""
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_EXPLAINED = re.compile(r"\s{3,}")
"""Parts a line of a block from what it does."""
_FOR_A_MATCH = re.compile(r"(?:(?:Zug|Move) )?[A-Z0-9]{4}(?: [A-Z]\w+)?: (.+)")
"""»K7Q2: E5 w HAUS«, »Zug K7Q2 Anna: E5 w HAUS«: the move in it."""


@dataclass(frozen=True)
class Piece:
    text: str
    section: str
    """The heading above it."""
    mail: bool = False
    """Set off with ``>``, as somebody's mail."""
    said: bool = False
    """Between quotation marks in prose, as what somebody reads or says."""


def pieces(path: Path) -> Iterator[Piece]:
    """All of a document, in order within a section; a mail before the prose around it."""
    text = path.read_text(encoding="utf-8")
    headings = [*_HEADING.finditer(_FENCE.sub(lambda found: "x" * len(found[0]), text))]
    starts = [0, *(found.start() for found in headings)]
    titles = ["", *(found[1] for found in headings)]
    for start, end, title in zip(starts, [*starts[1:], len(text)], titles, strict=True):
        yield from _of_section(text[start:end], title, _IN_FRENCH if path.name.endswith(".fr.md") else _QUOTED)


def _of_section(text: str, title: str, quoted: re.Pattern[str]) -> Iterator[Piece]:
    for pattern in (_FENCE, _MAIL, _BLOCK):
        for found in pattern.findall(text):
            lines = [line.removeprefix("> " if pattern is _MAIL else "    ") for line in found.strip("\n").splitlines()]
            if pattern is _MAIL:
                yield Piece("\n".join(lines), title, mail=True)
            else:
                yield from (
                    Piece(one, title) for line in lines for one in _inside(_EXPLAINED.split(line.strip())[0], quoted)
                )
        text = pattern.sub("", text)
    for found in _CODE.findall(text):
        yield from (Piece(one, title) for one in _inside(found, quoted))
    for several in quoted.findall(_CODE.sub("", text)):
        yield from (Piece(one, title, said=True) for said in several for one in _inside(said, quoted) if one)


def _inside(text: str, quoted: re.Pattern[str]) -> Iterator[str]:
    """A span, and what it quotes or names for a match."""
    text = " ".join(text.split())
    yield text
    yield from (one for several in quoted.findall(text) for one in several if one)
    if found := _FOR_A_MATCH.fullmatch(text):
        yield found[1]
