"""Players, their new addresses and their leave: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime

from sqlmodel import Session, col, func, or_, select

from moderator.common.enums import Level
from moderator.store.due_work import DAILY
from moderator.store.tables import AddressChange, Leave, PlayerRow


def list_players_at_addresses(session: Session, addresses: Collection[str]) -> Sequence[PlayerRow]:
    """List the players who have one of these addresses, in the order of joining; two people may share one."""
    query = select(PlayerRow).where(col(PlayerRow.address).in_(addresses)).order_by(col(PlayerRow.id))
    return session.exec(query).all() if addresses else ()


def find_player_by_name(session: Session, name: str) -> PlayerRow | None:
    """Find a player by name, whatever its case."""
    return session.exec(select(PlayerRow).where(PlayerRow.name_key == name.casefold())).first()


def find_player_by_unsubscribe(session: Session, token: str) -> PlayerRow | None:
    """Find a player by the secret part of the address for unsubscribing."""
    return session.exec(select(PlayerRow).where(PlayerRow.unsubscribe == token)).first() if token else None


def list_player_names(session: Session) -> Sequence[str]:
    """List the names of all players and robots."""
    return session.exec(select(PlayerRow.name)).all()


def list_all_players(session: Session) -> Sequence[PlayerRow]:
    """List all players and robots, by name."""
    return session.exec(select(PlayerRow).order_by(col(PlayerRow.name_key))).all()


def find_robot_of_level(session: Session, level: Level, excluded: Collection[int] = ()) -> PlayerRow | None:
    """Find the robot of a level that has been there longest, none of those with these ids."""
    query = select(PlayerRow).where(
        col(PlayerRow.robot).is_(True), PlayerRow.level == level, col(PlayerRow.id).not_in(excluded)
    )
    return session.exec(query.order_by(col(PlayerRow.id))).first()


def list_players_to_invite(session: Session) -> Sequence[PlayerRow]:
    """List the players who want invitations to tournaments and can be reached, in the order of joining."""
    query = select(PlayerRow).where(
        col(PlayerRow.address).is_not(None), col(PlayerRow.invitations).is_(True), PlayerRow.undeliverable == ""
    )
    return session.exec(query.order_by(col(PlayerRow.id))).all()


def list_unreachable_players(session: Session) -> Sequence[PlayerRow]:
    """List the players whose mail comes back, by name."""
    query = select(PlayerRow).where(PlayerRow.undeliverable != "", col(PlayerRow.address).is_not(None))
    return session.exec(query.order_by(col(PlayerRow.name_key))).all()


def find_first_joining_time(session: Session) -> datetime | None:
    """Find the time at which the first player was added; None in a club without any."""
    return session.exec(select(func.min(PlayerRow.created_at))).one()


def list_players_due_digest(session: Session, now: datetime) -> list[int]:
    """List the ids of the players whose daily mail is due, or was put off under a clock that was far ahead; in the
    order of joining."""
    come = or_(col(PlayerRow.digest_at) <= now, col(PlayerRow.digest_at) > now + DAILY)
    query = select(PlayerRow.id).where(PlayerRow.digest, come).order_by(col(PlayerRow.id))
    return [number for number in session.exec(query) if number is not None]


# ---- new addresses that wait for the word of both mailboxes ----


def find_address_change(session: Session, token: str) -> AddressChange | None:
    """Find the change of address that has this token as one of its two."""
    query = select(AddressChange).where(or_(AddressChange.old_token == token, AddressChange.new_token == token))
    return session.exec(query).first()


def count_address_changes(session: Session, player_id: int, since: datetime) -> int:
    """Count how often the player has asked for another address after that."""
    query = select(func.count()).where(AddressChange.player_id == player_id, AddressChange.at > since)
    return session.exec(query).one()


def list_open_address_changes(session: Session, player_id: int) -> Sequence[AddressChange]:
    """List the player's changes of address that are neither done nor given up."""
    query = select(AddressChange).where(AddressChange.player_id == player_id, col(AddressChange.closed_at).is_(None))
    return session.exec(query).all()


# ---- when they are away ----


_ANNOUNCED = select(col(Leave.player_id), col(Leave.first), col(Leave.last), col(Leave.announced_at)).where(
    col(Leave.cancelled_at).is_(None)
)
"""Asked in every run, so written out once."""


def list_announced_leaves(session: Session) -> Sequence[tuple[int, date, date, datetime]]:
    """List (player, first day, last day, time of the announcement) of all leaves that were not cancelled, also past
    ones."""
    return [(player, first, last, at) for player, first, last, at in session.connection().execute(_ANNOUNCED)]


def list_coming_leaves(session: Session, player_id: int, today: date) -> list[Leave]:
    """List the player's leaves that were neither cancelled nor are over, soonest first."""
    query = select(Leave).where(Leave.player_id == player_id, col(Leave.cancelled_at).is_(None), Leave.last >= today)
    return list(session.exec(query.order_by(col(Leave.first))))
