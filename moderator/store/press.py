"""Players' words to others of a match."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, select

from moderator.store.models import Player, Press, Seat, Watcher
from moderator.store.outbox import REPLIES

_WAITING = (
    select(Press).where(Press.match_id == bindparam("match"), col(Press.delivered_at).is_(None)).order_by(col(Press.id))
)
_BESIDE = select(
    select(Press.id).where(Press.match_id == bindparam("match"), col(Press.delivered_at).is_(None)).exists(),
    select(Watcher.id).where(Watcher.match_id == bindparam("match")).exists(),
    REPLIES.scalar_subquery(),
)
"""Asked in every run, so written out once."""


class Beside(NamedTuple):
    """What goes with a match's next report."""

    letters: bool
    """Whether some wait for it."""
    watched: bool
    """Whether somebody reads it without a seat."""
    replies: int
    """How many mails of ours have answered one of the address that was asked about."""


def beside(session: Session, match_id: int, address: str, since: datetime) -> Beside:
    """Mostly nothing, which one question tells. ``address``, ``since``: see ``outbox.replies_since``."""
    asked = {"match": match_id, "to": address, "since": since}
    letters, watched, replies = session.connection().execute(_BESIDE, asked).one()
    return Beside(bool(letters), bool(watched), replies)


def written_since(session: Session, player_id: int, since: datetime) -> int:
    """How many letters the player has written after that."""
    return session.exec(select(func.count()).where(Press.player_id == player_id, Press.at > since)).one()


def waiting(session: Session, match_id: int) -> list[Press]:
    """What goes with the match's next report, oldest first."""
    return list(session.exec(_WAITING, params={"match": match_id}))


def delivered_since(session: Session, match_id: int, since: datetime) -> Sequence[Press]:
    """Letters of a match that went out after that, oldest first."""
    query = select(Press).where(Press.match_id == match_id, col(Press.delivered_at) > since)
    return session.exec(query.order_by(col(Press.id))).all()


def matches_delivered_to(session: Session, player_id: int, since: datetime) -> set[int]:
    """Ids of the matches with a seat of the player's in which letters went out after that."""
    query = select(Press.match_id).join(Seat, col(Seat.match_id) == col(Press.match_id))
    query = query.where(Seat.player_id == player_id, col(Press.delivered_at) > since)
    return set(session.exec(query.distinct()))


def delivered(session: Session, match_id: int) -> list[tuple[Press, str]]:
    """All letters of a match that went out, with the names of their writers, oldest first."""
    query = select(Press, Player.name).join(Player, col(Player.id) == col(Press.player_id))
    query = query.where(Press.match_id == match_id, col(Press.delivered_at).is_not(None))
    return list(session.exec(query.order_by(col(Press.id))))


def counts(session: Session) -> dict[int, int]:
    """How many letters went out in each match that has any."""
    query = select(Press.match_id, func.count()).where(col(Press.delivered_at).is_not(None))
    return dict(session.exec(query.group_by(col(Press.match_id))).all())
