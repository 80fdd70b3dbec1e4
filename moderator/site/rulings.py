"""What was decided on words, with reasons: the club's own list and the one that comes with moderator.

What a player wanted to lay tells about the rack: a word that a running match has asked for, or that is ruled on for a
running match alone, is not published before that match is over.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from moderator.common.errors import LexiconError
from moderator.settings import Config
from moderator.store import questions
from moderator.store.database import Session
from moderator.words import house_rulings
from moderator.words.house_rulings import HouseRuling
from moderator.words.kinds import list_kind_names


@dataclass(frozen=True)
class RulingView:
    """A ruling as the page shows it."""

    word: str
    allowed: bool
    reason: str
    on: date | None
    scope: str
    """"" = everywhere; else a game, a tournament or a match."""
    base: str
    kinds: tuple[str, ...]
    """What its tags say the word is (words/kinds.py)."""

    @property
    def letter(self) -> str:
        first = self.word[:1].upper()
        return {"Ä": "A", "Ö": "O", "Ü": "U"}.get(first, first)


def list_public_rulings(session: Session, config: Config, running: Collection[str]) -> tuple[RulingView, ...]:
    """Return the club's own rulings that are in force and may be read, the newest first. ``running``: codes of matches.
    A list that cannot be read has none: the moderator hears of that elsewhere."""
    try:
        found = house_rulings.read_house_list(config.resolve_path(config.words.house))
    except LexiconError:
        return ()
    last = {(ruling.word, ruling.scope): ruling for ruling in found}
    secret = questions.load_words_in_question(session)
    newest = [
        build_ruling_view(r)
        for r in reversed(last.values())
        if _get_ruled_word(r) not in secret and r.scope not in running
    ]
    return tuple(sorted(newest, key=lambda one: one.on or date.min, reverse=True))


def _get_ruled_word(ruling: HouseRuling) -> str:
    return ruling.word.removeprefix("=").upper()


def build_ruling_view(ruling: HouseRuling) -> RulingView:
    """Return a ruling for the page."""
    try:
        on = date.fromisoformat(ruling.date)
    except ValueError:
        on = None
    return RulingView(
        ruling.word.removeprefix("="),
        ruling.ruling == "allow",
        ruling.reason,
        on,
        "" if ruling.scope == house_rulings.ALL else ruling.scope,
        ruling.base,
        tuple(list_kind_names(ruling.kinds)),
    )
