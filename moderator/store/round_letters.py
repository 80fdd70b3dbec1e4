"""Players' words to others of a match."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, select

from moderator.store.outbox import REPLIES
from moderator.store.tables import LetterRow, PlayerRow, SeatRow, WatcherRow

_WAITING = (
    select(LetterRow)
    .where(LetterRow.match_id == bindparam("match"), col(LetterRow.delivered_at).is_(None))
    .order_by(col(LetterRow.id))
)
_BESIDE = select(
    select(LetterRow.id)
    .where(LetterRow.match_id == bindparam("match"), col(LetterRow.delivered_at).is_(None))
    .exists(),
    select(WatcherRow.id).where(WatcherRow.match_id == bindparam("match")).exists(),
    REPLIES.scalar_subquery(),
)
"""Asked in every run, so written out once."""


class ReportExtras(NamedTuple):
    """The additions to a match's next report."""

    letters: bool
    """Whether some wait for it."""
    watched: bool
    """Whether somebody reads it without a seat."""
    replies: int
    """How many mails of ours have answered one of the address that was asked about."""


def load_report_extras(session: Session, match_id: int, address: str, since: datetime) -> ReportExtras:
    """Load the additions to a match's next report in one query; mostly there are none. ``address``, ``since``: see
    ``outbox.count_replies``."""
    asked = {"match": match_id, "to": address, "since": since}
    letters, watched, replies = session.connection().execute(_BESIDE, asked).one()
    return ReportExtras(bool(letters), bool(watched), replies)


def count_letters_written(session: Session, player_id: int, since: datetime) -> int:
    """Count the letters that the player has written after that."""
    return session.exec(select(func.count()).where(LetterRow.player_id == player_id, LetterRow.at > since)).one()


def list_waiting_letters(session: Session, match_id: int) -> list[LetterRow]:
    """List the letters that go with the match's next report, oldest first."""
    return list(session.exec(_WAITING, params={"match": match_id}))


def list_letters_delivered_since(session: Session, match_id: int, since: datetime) -> Sequence[LetterRow]:
    """List the letters of a match that went out after that, oldest first."""
    query = select(LetterRow).where(LetterRow.match_id == match_id, col(LetterRow.delivered_at) > since)
    return session.exec(query.order_by(col(LetterRow.id))).all()


def load_matches_with_letters(session: Session, player_id: int, since: datetime) -> set[int]:
    """Load the ids of the matches with a seat of the player's in which letters went out after that."""
    query = select(LetterRow.match_id).join(SeatRow, col(SeatRow.match_id) == col(LetterRow.match_id))
    query = query.where(SeatRow.player_id == player_id, col(LetterRow.delivered_at) > since)
    return set(session.exec(query.distinct()))


def list_delivered_letters(session: Session, match_id: int) -> list[tuple[LetterRow, str]]:
    """List all letters of a match that went out, with the names of their writers, oldest first."""
    query = select(LetterRow, PlayerRow.name).join(PlayerRow, col(PlayerRow.id) == col(LetterRow.player_id))
    query = query.where(LetterRow.match_id == match_id, col(LetterRow.delivered_at).is_not(None))
    return list(session.exec(query.order_by(col(LetterRow.id))))


def count_letters_by_match(session: Session) -> dict[int, int]:
    """Count the letters that went out in each match that has any."""
    query = select(LetterRow.match_id, func.count()).where(col(LetterRow.delivered_at).is_not(None))
    return dict(session.exec(query.group_by(col(LetterRow.match_id))).all())
