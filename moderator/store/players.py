"""Players, their new addresses and their leave: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime

from sqlalchemy import bindparam, update
from sqlmodel import Session, col, delete, func, or_, select

from moderator.common.enums import Level, QuestionKind
from moderator.store import key_values
from moderator.store.due_work import DAILY
from moderator.store.tables import (
    AddressChange,
    Leave,
    MatchRow,
    Matter,
    PlayerRow,
    Referee,
    StandbyRow,
    Tournament,
    WatcherRow,
)


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


# ---- Who is there without a seat: who would take over one that is given up, and who follows a match.


def list_standbys_of_player(session: Session, player_id: int) -> Sequence[StandbyRow]:
    """List the games in which the player waits for a seat, a row for each."""
    return session.exec(select(StandbyRow).where(StandbyRow.player_id == player_id)).all()


def list_standbys_for_game(session: Session, game: str) -> Sequence[tuple[StandbyRow, PlayerRow]]:
    """List the players who wait for a seat in this game and can be reached; those who have waited longest come
    first."""
    query = (
        select(StandbyRow, PlayerRow)
        .join(PlayerRow, col(PlayerRow.id) == col(StandbyRow.player_id))
        .where(col(StandbyRow.game).in_(("", game)), PlayerRow.undeliverable == "")
    )
    return session.exec(query.order_by(col(StandbyRow.since), col(StandbyRow.id))).all()


def delete_standbys(session: Session, player_id: int) -> None:
    """Delete all rows by which the player waits for a seat."""
    session.exec(delete(StandbyRow).where(col(StandbyRow.player_id) == player_id))


_OF_MATCH = (
    select(WatcherRow, PlayerRow)
    .join(PlayerRow, col(PlayerRow.id) == col(WatcherRow.player_id))
    .where(WatcherRow.match_id == bindparam("match"))
    .order_by(col(WatcherRow.id))
)
"""Asked in every run, so written out once."""


def list_watchers(session: Session, match_id: int) -> Sequence[tuple[WatcherRow, PlayerRow]]:
    """List the players who follow a match, in the order in which they began to."""
    return session.exec(_OF_MATCH, params={"match": match_id}).all()


def list_watched_matches(session: Session, player_id: int) -> list[MatchRow]:
    """List the matches that a player follows, oldest first."""
    query = select(MatchRow).join(WatcherRow, col(WatcherRow.match_id) == col(MatchRow.id))
    return list(session.exec(query.where(WatcherRow.player_id == player_id).order_by(col(MatchRow.id))))


def find_watcher(session: Session, match_id: int, player_id: int) -> WatcherRow | None:
    """Find the player's row, if they follow the match."""
    query = select(WatcherRow).where(WatcherRow.match_id == match_id, WatcherRow.player_id == player_id)
    return session.exec(query).first()


def delete_watchers(session: Session, player_id: int, match_id: int | None = None) -> None:
    """Delete the rows by which the player follows this match; without ``match_id``, any match."""
    gone = delete(WatcherRow).where(col(WatcherRow.player_id) == player_id)
    session.exec(gone if match_id is None else gone.where(col(WatcherRow.match_id) == match_id))


# ---- Referees, and what was put to whom: what is asked of the database about them.


def list_all_referees(session: Session) -> Sequence[Referee]:
    """List all referees, in the order in which they were added."""
    return session.exec(select(Referee).order_by(col(Referee.id))).all()


def find_referee_by_token(session: Session, token: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.token == token)).first()


def find_referee_by_address(session: Session, address: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.address == address)).first()


def find_referee_by_name(session: Session, name_key: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.name_key == name_key)).first()


def list_assigned_codes(session: Session, number: int) -> tuple[list[str], list[str]]:
    """List the codes of the matches, and of the tournaments, that name this referee as referee or as deputy."""
    of_match = select(MatchRow.code).where((MatchRow.referee_id == number) | (MatchRow.deputy_id == number))
    of_tournament = select(Tournament.code).where((Tournament.referee_id == number) | (Tournament.deputy_id == number))
    return list(session.exec(of_match)), list(session.exec(of_tournament))


def delete_referee(session: Session, referee: Referee) -> None:
    """Delete a referee, with all that names them."""
    for table in (MatchRow, Tournament):
        for column in ("referee_id", "deputy_id"):
            named = getattr(table, column) == referee.number
            session.connection().execute(update(table).where(named).values({column: None}))
    session.connection().execute(delete(Matter).where(col(Matter.referee_id) == referee.number))
    key_values.delete_value(session, key_values.build_notice_key(referee.number))  # the number may be given again
    session.delete(referee)
    session.flush()
    session.expire_all()


# ---- what was put to whom ----


def add_matter(
    session: Session, kind: QuestionKind, about: int, referee: int | None, at: datetime, token: str = ""
) -> Matter:
    row = Matter(kind=kind, about=about, referee_id=referee, token=token, put_at=at)
    session.add(row)
    session.flush()
    return row


def list_matters_about(session: Session, kind: QuestionKind, about: int) -> Sequence[Matter]:
    """List the times that this matter was put to somebody, the last one at the end."""
    query = select(Matter).where(Matter.kind == kind, Matter.about == about)
    return session.exec(query.order_by(col(Matter.put_at), col(Matter.id))).all()


def load_matter_keys(session: Session, number: int) -> set[tuple[QuestionKind, int]]:
    """Load (kind, number) of each matter that was put to this referee and waits."""
    return {(row.kind, row.about) for row in list_matters_of_referee(session, number)}


def list_matters_of_referee(session: Session, number: int) -> Sequence[Matter]:
    """List the rows of the matters that were put to this referee and wait."""
    return session.exec(select(Matter).where(Matter.referee_id == number)).all()


def delete_matter(session: Session, kind: QuestionKind, about: int) -> None:
    """Delete a matter: it waits no more, and may come again."""
    session.connection().execute(delete(Matter).where(col(Matter.kind) == kind, col(Matter.about) == about))


def find_matter_by_token(session: Session, kind: QuestionKind, token: str) -> Matter | None:
    return session.exec(select(Matter).where(Matter.kind == kind, Matter.token == token)).first() if token else None
