"""New addresses that wait for the word of both mailboxes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, func, or_, select

from moderator.store.models import AddressChange


def by_token(session: Session, token: str) -> AddressChange | None:
    """The one of whose two tokens this is one."""
    query = select(AddressChange).where(or_(AddressChange.old_token == token, AddressChange.new_token == token))
    return session.exec(query).first()


def asked_since(session: Session, player_id: int, since: datetime) -> int:
    """How often the player has wished for another address after that."""
    query = select(func.count()).where(AddressChange.player_id == player_id, AddressChange.at > since)
    return session.exec(query).one()


def open_of(session: Session, player_id: int) -> Sequence[AddressChange]:
    """Those of a player that are neither done nor given up."""
    query = select(AddressChange).where(AddressChange.player_id == player_id, col(AddressChange.closed_at).is_(None))
    return session.exec(query).all()
