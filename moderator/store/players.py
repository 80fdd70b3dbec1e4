"""Players, their new addresses and their leave: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime

from sqlmodel import Session, col, func, or_, select

from moderator.states import Level
from moderator.store.models import AddressChange, Leave, Player
from moderator.store.probe import DAILY


def at_addresses(session: Session, addresses: Collection[str]) -> Sequence[Player]:
    """All who have one of these addresses, whoever joined first; two people may share one."""
    query = select(Player).where(col(Player.address).in_(addresses)).order_by(col(Player.id))
    return session.exec(query).all() if addresses else ()


def by_name(session: Session, name: str) -> Player | None:
    """In capitals or not."""
    return session.exec(select(Player).where(Player.name_key == name.casefold())).first()


def by_unsubscribe(session: Session, token: str) -> Player | None:
    """By the secret part of the address for unsubscribing."""
    return session.exec(select(Player).where(Player.unsubscribe == token)).first() if token else None


def names(session: Session) -> Sequence[str]:
    """Of all players and robots."""
    return session.exec(select(Player.name)).all()


def every(session: Session) -> Sequence[Player]:
    """All players and robots, by name."""
    return session.exec(select(Player).order_by(col(Player.name_key))).all()


def robot_of(session: Session, level: Level, but: Collection[int] = ()) -> Player | None:
    """The robot of a level that has been there longest, none of those with these ids."""
    query = select(Player).where(col(Player.robot).is_(True), Player.level == level, col(Player.id).not_in(but))
    return session.exec(query.order_by(col(Player.id))).first()


def to_invite(session: Session) -> Sequence[Player]:
    """Who wants to hear of tournaments and can be reached, whoever joined first."""
    query = select(Player).where(
        col(Player.address).is_not(None), col(Player.invitations).is_(True), Player.undeliverable == ""
    )
    return session.exec(query.order_by(col(Player.id))).all()


def unreachable(session: Session) -> Sequence[Player]:
    """Whose mail comes back, by name."""
    query = select(Player).where(Player.undeliverable != "", col(Player.address).is_not(None))
    return session.exec(query.order_by(col(Player.name_key))).all()


def first_came(session: Session) -> datetime | None:
    """When the first player was entered; None in a club without any."""
    return session.exec(select(func.min(Player.created_at))).one()


def due_daily(session: Session, now: datetime) -> list[int]:
    """Ids of those whose daily mail is due, or was put off under a clock that was far ahead; whoever joined first."""
    come = or_(col(Player.digest_at) <= now, col(Player.digest_at) > now + DAILY)
    query = select(Player.id).where(Player.digest, come).order_by(col(Player.id))
    return [number for number in session.exec(query) if number is not None]


# ---- new addresses that wait for the word of both mailboxes ----


def change_by_token(session: Session, token: str) -> AddressChange | None:
    """The one of whose two tokens this is one."""
    query = select(AddressChange).where(or_(AddressChange.old_token == token, AddressChange.new_token == token))
    return session.exec(query).first()


def changes_since(session: Session, player_id: int, since: datetime) -> int:
    """How often the player has wished for another address after that."""
    query = select(func.count()).where(AddressChange.player_id == player_id, AddressChange.at > since)
    return session.exec(query).one()


def open_changes(session: Session, player_id: int) -> Sequence[AddressChange]:
    """Those of a player that are neither done nor given up."""
    query = select(AddressChange).where(AddressChange.player_id == player_id, col(AddressChange.closed_at).is_(None))
    return session.exec(query).all()


# ---- when they are away ----


_ANNOUNCED = select(col(Leave.player_id), col(Leave.first), col(Leave.last), col(Leave.announced_at)).where(
    col(Leave.cancelled_at).is_(None)
)
"""Asked in every run, so written out once."""


def leaves_announced(session: Session) -> Sequence[tuple[int, date, date, datetime]]:
    """(player, first day, last day, when it was announced) of what was not taken back, also of what is over."""
    return [(player, first, last, at) for player, first, last, at in session.connection().execute(_ANNOUNCED)]


def leaves_to_come(session: Session, player_id: int, today: date) -> list[Leave]:
    """What the player has announced, not taken back and not had yet, soonest first."""
    query = select(Leave).where(Leave.player_id == player_id, col(Leave.cancelled_at).is_(None), Leave.last >= today)
    return list(session.exec(query.order_by(col(Leave.first))))
