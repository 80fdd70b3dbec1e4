"""Players: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlmodel import Session, col, or_, select

from moderator.store.models import Player
from moderator.store.probe import DAILY


def by_address(session: Session, address: str) -> Player | None:
    return session.exec(select(Player).where(Player.address == address)).first() if address else None


def with_an_address_of(session: Session, addresses: Collection[str]) -> Player | None:
    """Somebody who has one of these addresses."""
    return session.exec(select(Player).where(col(Player.address).in_(addresses))).first()


def by_name(session: Session, name: str) -> Player | None:
    """In capitals or not."""
    return session.exec(select(Player).where(Player.name_key == name.casefold())).first()


def called(session: Session, name: str) -> Player | None:
    """By name or address, in capitals or not."""
    known = or_(col(Player.name_key) == name.casefold(), col(Player.address) == name.lower())
    return session.exec(select(Player).where(known)).first()


def by_unsubscribe(session: Session, token: str) -> Player | None:
    """By the secret part of the address for unsubscribing."""
    return session.exec(select(Player).where(Player.unsubscribe == token)).first() if token else None


def names(session: Session) -> Sequence[str]:
    """Of all players and robots."""
    return session.exec(select(Player.name)).all()


def every(session: Session) -> Sequence[Player]:
    """All players and robots, by name."""
    return session.exec(select(Player).order_by(col(Player.name_key))).all()


def to_invite(session: Session) -> Sequence[Player]:
    """Who wants to hear of tournaments and can be reached, whoever joined first."""
    query = select(Player).where(
        col(Player.address).is_not(None), col(Player.invitations).is_(True), Player.undeliverable == ""
    )
    return session.exec(query.order_by(col(Player.id))).all()


def due_daily(session: Session, now: datetime) -> list[int]:
    """Ids of those whose daily mail is due, or was put off under a clock that was far ahead; whoever joined first."""
    come = or_(col(Player.digest_at) <= now, col(Player.digest_at) > now + DAILY)
    query = select(Player.id).where(Player.digest, come).order_by(col(Player.id))
    return [number for number in session.exec(query) if number is not None]
