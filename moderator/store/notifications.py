"""What nobody has been told yet: it happened while a backlog was handled, where each row becomes part of one mail, or
our own code could not make a mail of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, delete
from sqlmodel import Field, Session, SQLModel, col, select

from moderator.common.enums import MailKind
from moderator.store.columns import build_enum_type


class DeferredNews(SQLModel, table=True):
    """Something that would have been a mail of its own; stored in the transaction of what it reports, deleted with the
    mail that reports it."""

    __table_args__ = (Index("deferrednews_player", "player_id"),)

    id: int | None = Field(default=None, primary_key=True)
    player_id: int | None = Field(default=None, foreign_key="player.id")
    """None = the moderator."""
    match_id: int | None = Field(default=None, foreign_key="match.id")
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id")
    """The mail that this answers."""
    kind: MailKind = Field(sa_type=build_enum_type(MailKind))
    """Of the mail that it would have been; ASKED where it is a command that asks for one."""
    entry: int = 0
    """Length of the match's log then: what is undone later is not told."""
    said: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """See delivery/pending.py."""
    at: datetime
    """When it arrived, or happened."""
    fault: str = ""
    """Why no mail could be made of it; "" = it waits for the end of the run."""


def list_deferred_news(session: Session, player_id: int | None) -> list[DeferredNews]:
    """List what waits for one player, or for the moderator (None), oldest first."""
    query = select(DeferredNews).where(col(DeferredNews.player_id).is_not_distinct_from(player_id))
    return list(session.exec(query.where(DeferredNews.fault == "").order_by(col(DeferredNews.id))))


def list_failed_news(session: Session) -> list[DeferredNews]:
    """List what no mail could be made of, oldest first."""
    return list(session.exec(select(DeferredNews).where(DeferredNews.fault != "").order_by(col(DeferredNews.id))))


def list_deferred_readers(session: Session) -> list[int | None]:
    """List the players for whom something waits; None = the moderator."""
    query = select(DeferredNews.player_id).where(DeferredNews.fault == "").distinct()
    return list(session.exec(query.order_by(col(DeferredNews.player_id))))


def has_more_news_than(session: Session, player_id: int, most: int) -> bool:
    """Return whether more than ``most`` rows wait for the player."""
    query = select(DeferredNews.id).where(DeferredNews.player_id == player_id)
    return session.exec(query.offset(most).limit(1)).first() is not None


def has_deferred_news(session: Session, player_id: int, match_id: int) -> bool:
    """Return whether something about this match still waits to be sent to this player."""
    query = select(DeferredNews.id).where(DeferredNews.player_id == player_id, DeferredNews.match_id == match_id)
    return session.exec(query.limit(1)).first() is not None


def delete_deferred_news(session: Session, done: Iterable[DeferredNews]) -> None:
    """Delete these rows: the mail about them is on its way."""
    numbers = [row.id for row in done]
    for start in range(0, len(numbers), 500):
        session.execute(delete(DeferredNews).where(col(DeferredNews.id).in_(numbers[start : start + 500])))
