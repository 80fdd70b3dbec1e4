"""The sentences of a game that the engine says in its place: what a turn was in which nothing was played."""

from __future__ import annotations

from moderator.match.contract import Note
from moderator.match.result import Played


def _said(text: str, code: str) -> str:
    (note,) = Played(0, text, None, 0, notes=(Note(code, seat=0),)).said
    return note.code


SAID_FOR_A_MISS = {_said(text, code) for text in ("", "E5 w HAUS") for code in ("missed", "passed")}
"""Codes. A game says ``missed`` or ``passed`` of such a turn; what is told depends on whether something was sent."""
