"""Rulings on words that hold in one match alone, as far as its players may know them.

A word that somebody wanted to lay tells about a rack. So a ruling on one that was asked about is told when it lies on
the table, or the match is over; any other at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moderator.rules.game import Note
from moderator.store import questions
from moderator.store.matches import OVER
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, load_log_entries
from moderator.words.house_rulings import HouseRuling

if TYPE_CHECKING:
    from moderator.service.desk import Desk


def build_ruling_notes(desk: Desk, match: MatchRow, live: LiveMatch) -> tuple[Note, ...]:
    """Return notes on the rulings in force that the players of the match may know, as they stand among what was
    agreed."""
    if not live.game.uses_words:
        return ()
    rulings = desk.cache.list_match_rulings(match.code, live.options)
    return tuple(build_ruling_note("agreed-word", one) for one in rulings if is_ruling_public(desk, match, one, live))


def build_ruling_note(code: str, ruling: HouseRuling) -> Note:
    """Return a note: ``code`` with what was ruled, and whether a reason was given."""
    word, why = ruling.word.removeprefix("="), "-why" if ruling.reason else ""
    return Note(f"{code}-{ruling.ruling}{why}", {"word": word, "reason": ruling.reason})


def is_ruling_public(desk: Desk, match: MatchRow, ruling: HouseRuling, live: LiveMatch) -> bool:
    """Return whether a ruling gives away nothing of a rack."""
    word = ruling.to_key(live.options.policy)
    asked = questions.is_word_asked(desk.session, match.number, word)
    return not asked or match.status in OVER or word in _collect_laid_words(desk, match)


def _collect_laid_words(desk: Desk, match: MatchRow) -> set[str]:
    """Return all words that moves of the match have formed."""
    moves = [move for entry in load_log_entries(desk.session, match) for move in entry.outcome.get("moves", ())]
    return {one["word"] for move in moves for one in move.get("detail", {}).get("words", ())}
