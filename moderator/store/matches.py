"""Matches, who sits at them, and their logs: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import String, and_, bindparam, cast, insert, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, delete, func, select

from moderator.common.enums import ClockStop, LogEntryKind, MatchStatus
from moderator.store import database
from moderator.store.club_tables import DeferredNews
from moderator.store.tables import (
    EventRow,
    InboxRow,
    Leave,
    LetterRow,
    MatchRow,
    OutboxRow,
    PlayerRow,
    Protest,
    Question,
    SeatRow,
    WatcherRow,
)

Place = tuple[MatchRow, SeatRow]
Seated = list[tuple[SeatRow, PlayerRow]]
Logged = tuple[LogEntryKind, int | None, str, dict[str, Any]]
"""Kind, seat, text and outcome."""

GOING = (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
OVER = (MatchStatus.FINISHED, MatchStatus.CANCELLED)

COUNTS = and_(col(MatchRow.status) == MatchStatus.FINISHED, col(MatchRow.training).is_(False))
"""Whether how a match ended is said of its players: in ratings, records, statistics, finds and puzzles. The only place
that says so; whoever asks for such matches asks by it."""

# Questions of every run are written out once: to put one together costs as much as asking it does.
_EVERY_OF_PLAYER = (
    select(MatchRow, SeatRow)
    .join(SeatRow, col(SeatRow.match_id) == col(MatchRow.id))
    .where(SeatRow.player_id == bindparam("player"))
    .order_by(col(MatchRow.id))
)
_OF_PLAYER = _EVERY_OF_PLAYER.where(col(MatchRow.status).not_in(OVER))
_SEATED = (
    select(SeatRow, PlayerRow)
    .join(PlayerRow)
    .where(SeatRow.match_id == bindparam("match"))
    .order_by(col(SeatRow.number))
)
_ON_LEAVE = select(Leave.id).where(Leave.player_id == col(PlayerRow.id), col(Leave.cancelled_at).is_(None)).exists()
_LAST_ENTRY = select(EventRow.at).where(EventRow.match_id == col(MatchRow.id)).order_by(col(EventRow.n).desc()).limit(1)
_ALL_OF_IT = (
    MatchRow,
    SeatRow,
    PlayerRow,
    _ON_LEAVE.correlate(PlayerRow),
    _LAST_ENTRY.correlate(MatchRow).scalar_subquery(),
)
_WITH_SEATS = (
    select(*_ALL_OF_IT)  # type: ignore[call-overload]
    .join(SeatRow, col(SeatRow.match_id) == col(MatchRow.id))
    .join(PlayerRow, col(PlayerRow.id) == col(SeatRow.player_id))
    .where(MatchRow.code == bindparam("code"))
    .order_by(col(SeatRow.number))
)
_SEATS = select(func.count()).where(SeatRow.match_id == bindparam("match"))
_LOG = (
    select(col(EventRow.kind), col(EventRow.seat), col(EventRow.text), col(EventRow.outcome))
    .where(EventRow.match_id == bindparam("match"))
    .order_by(col(EventRow.n))
)
_INTO_LOG = insert(EventRow)


def list_current_seats(session: Session, player_id: int) -> Sequence[Place]:
    """List (match, seat) of the player in matches that are not over, oldest first."""
    return [(match, seat) for match, seat in session.exec(_OF_PLAYER, params={"player": player_id})]


def list_seats_in_play(session: Session, player_id: int) -> Sequence[Place]:
    """List (match, seat) of the player in matches that have begun and are not over, oldest first."""
    return [place for place in list_current_seats(session, player_id) if place[0].status in GOING]


def list_seats_ever_taken(session: Session, player_id: int) -> Sequence[Place]:
    """List (match, seat) of the player in all matches that were ever played, oldest first: they may be hundreds."""
    return [(match, seat) for match, seat in session.exec(_EVERY_OF_PLAYER, params={"player": player_id})]


def list_seats_in_matches(session: Session, player_id: int, ids: Collection[int]) -> Sequence[Place]:
    """List (match, seat) of the player in those of these matches in which they have one, over or not, oldest first."""
    found = session.exec(_EVERY_OF_PLAYER.where(col(MatchRow.id).in_(ids)), params={"player": player_id}) if ids else ()
    return [(match, seat) for match, seat in found]


def list_seats_by_codes(session: Session, player_id: int, codes: Collection[str]) -> Sequence[Place]:
    """List the same by the codes of the matches."""
    query = _EVERY_OF_PLAYER.where(col(MatchRow.code).in_(codes))
    found = session.exec(query, params={"player": player_id}) if codes else ()
    return [(match, seat) for match, seat in found]


def list_seats_with_players(session: Session, match: MatchRow) -> Seated:
    """List the seats with their players, in seat order."""
    found = list(session.exec(_SEATED, params={"match": match.id}))
    _get_seat_counts(session)[match.number] = len(found)
    return found


class MatchWithSeats(NamedTuple):
    """A match with its seats and what else is asked of it first."""

    match: MatchRow
    seated: Seated
    without_leave: set[int]
    """Ids of its players who have announced no leave, or taken back all."""
    last_entry: datetime | None
    """When the last entry of its log was made; None before the first."""


def find_match_with_seats(session: Session, code: str) -> MatchWithSeats | None:
    """Find the match with this code, if it has any seat."""
    found = list(session.exec(_WITH_SEATS, params={"code": code}))
    if not found:
        return None
    match = found[0][0]
    _get_seat_counts(session)[match.number] = len(found)
    without = {player.number for _, _, player, leave, _ in found if not leave}
    return MatchWithSeats(match, [(seat, player) for _, seat, player, _, _ in found], without, found[0][4])


def count_seats(session: Session, match: MatchRow) -> int:
    """Count the seats; not asked again where the transaction has seen them."""
    known = _get_seat_counts(session).get(match.number)
    return session.connection().execute(_SEATS, {"match": match.id}).scalar_one() if known is None else known


def _get_seat_counts(session: Session) -> dict[int, int]:
    """Return the number of seats of each match, by its id, as far as this transaction knows."""
    known: dict[int, int] = database.transaction_notes(session).setdefault("seats", {})
    return known


def load_match_log(session: Session, match: MatchRow) -> list[Logged]:
    """Load the entries of the match's log, oldest first."""
    rows = session.connection().execute(_LOG, {"match": match.id})
    return [(kind, seat, text, outcome) for kind, seat, text, outcome in rows]


def insert_event(session: Session, values: dict[str, Any]) -> None:
    """Insert one more entry of a log."""
    session.connection().execute(_INTO_LOG, values)


# ---- by what they are called ----


def find_match_by_code(session: Session, code: str) -> MatchRow | None:
    return session.exec(select(MatchRow).where(MatchRow.code == code)).first()


def list_matches_by_codes(session: Session, codes: Collection[str]) -> Sequence[MatchRow]:
    """List the matches that have one of these codes."""
    return session.exec(select(MatchRow).where(col(MatchRow.code).in_(codes))).all()


def list_player_matches_by_codes(session: Session, codes: Collection[str], player_id: int) -> Sequence[MatchRow]:
    """List the matches that have one of these codes and in which the player has a seat."""
    query = select(MatchRow).join(SeatRow).where(SeatRow.player_id == player_id, col(MatchRow.code).in_(codes))
    return session.exec(query).all()


def list_matches_by_name(session: Session, name: str) -> Sequence[MatchRow]:
    """List all matches of that name, whatever its case, except those that were cancelled."""
    query = select(MatchRow).where(func.lower(MatchRow.name) == name.lower(), MatchRow.status != MatchStatus.CANCELLED)
    return session.exec(query).all()


def is_match_code_taken(session: Session, code: str) -> bool:
    return session.exec(select(MatchRow.id).where(MatchRow.code == code)).first() is not None


# ---- by how far they are ----


def list_all_matches(session: Session, finished: bool = True) -> Sequence[MatchRow]:
    """List all matches, or all that are not over, oldest first."""
    query = select(MatchRow).order_by(col(MatchRow.id))
    return session.exec(query if finished else query.where(col(MatchRow.status).not_in(OVER))).all()


def list_running(session: Session) -> Sequence[MatchRow]:
    """List the matches that run or are suspended, oldest first."""
    return session.exec(select(MatchRow).where(col(MatchRow.status).in_(GOING)).order_by(col(MatchRow.id))).all()


def list_undealt_matches(session: Session) -> Sequence[MatchRow]:
    """List the open matches that could not be dealt when they should have been, oldest first."""
    query = select(MatchRow).where(MatchRow.status == MatchStatus.OPEN, MatchRow.trouble != "")
    return session.exec(query.order_by(col(MatchRow.id))).all()


def count_training_matches(session: Session, player: int) -> int:
    """Count the player's matches for training that are not over."""
    query = select(func.count()).select_from(MatchRow).join(SeatRow, col(SeatRow.match_id) == col(MatchRow.id))
    mine = query.where(SeatRow.player_id == player, col(MatchRow.training).is_(True), col(MatchRow.status).not_in(OVER))
    return session.exec(mine).one()


def list_matches_with_changed_seats(session: Session) -> Sequence[MatchRow]:
    """List the running matches in which somebody left a seat or took one over, or that were begun elsewhere; oldest
    first."""
    kinds = (LogEntryKind.RETIRE, LogEntryKind.HAND_OVER, LogEntryKind.MOVE_IN)
    changed = select(EventRow.id).where(EventRow.match_id == MatchRow.id, col(EventRow.kind).in_(kinds)).exists()
    query = select(MatchRow).where(MatchRow.status == MatchStatus.RUNNING, changed)
    return session.exec(query.order_by(col(MatchRow.id))).all()


def list_matches_with_free_seats(session: Session) -> list[tuple[MatchRow, list[str]]]:
    """List the matches that have not begun and have a free seat that players may take, oldest first; with the names of
    their players, in seat order."""
    query = (
        select(MatchRow, PlayerRow.name)
        .join(SeatRow, col(SeatRow.match_id) == col(MatchRow.id), isouter=True)
        .join(PlayerRow, col(PlayerRow.id) == col(SeatRow.player_id), isouter=True)
        .where(MatchRow.status == MatchStatus.OPEN, MatchRow.wanted > 0)
    )
    found: dict[int, tuple[MatchRow, list[str]]] = {}
    for match, name in session.exec(query.order_by(col(MatchRow.id), col(SeatRow.number))):
        found.setdefault(match.number, (match, []))[1].extend([] if name is None else [name])
    return [(match, names) for match, names in found.values() if len(names) < match.wanted]


def list_finished_match_ids(session: Session, without_result: bool = False) -> list[int]:
    """List the ids of all finished matches, or of those ``without_result``, oldest first."""
    query = select(MatchRow.id).where(MatchRow.status == MatchStatus.FINISHED).order_by(col(MatchRow.id))
    if without_result:
        query = query.where(col(MatchRow.result).is_(None) | (cast(col(MatchRow.result), String) == "null"))
    return _list_ids(session, query)


def count_ended_matches(session: Session, since: datetime) -> int:
    """Count the matches that ended after that."""
    return session.exec(select(func.count()).where(col(MatchRow.finished_at) > since)).one()


def load_games_with_results(session: Session) -> set[str]:
    """Return the keys of the games of which a match that counts has ended with a result."""
    query = select(MatchRow.game).where(COUNTS, col(MatchRow.result).is_not(None))
    return set(session.exec(query.distinct()))


# ---- by what time does to them ----


def list_on_hold(session: Session) -> list[int]:
    """List the ids of running matches that wait for a ruling, oldest first."""
    query = select(MatchRow.id).where(MatchRow.status == MatchStatus.RUNNING, col(MatchRow.held).is_(True))
    return _list_ids(session, query.order_by(col(MatchRow.id)))


def list_due_matches(session: Session, moment: datetime) -> list[int]:
    """List the ids of running matches whose turn may have ended: their final deadline is not after ``moment``; longest
    overdue first."""
    query = select(MatchRow.id).where(
        MatchRow.status == MatchStatus.RUNNING,
        col(MatchRow.held).is_(False),
        col(MatchRow.final) <= moment,
        MatchRow.stopped == ClockStop.NO,
    )
    return _list_ids(session, query.order_by(col(MatchRow.final)))


def list_matches_before_deadline(session: Session, moment: datetime) -> Sequence[MatchRow]:
    """List the running matches whose clock runs and whose final deadline is after ``moment``, oldest first."""
    query = select(MatchRow).where(
        MatchRow.status == MatchStatus.RUNNING, col(MatchRow.final) > moment, MatchRow.stopped == ClockStop.NO
    )
    return session.exec(query.order_by(col(MatchRow.id))).all()


def list_matches_to_remind(session: Session, now: datetime) -> list[int]:
    """List the ids of running matches whose reminder is due; none that waits for a ruling, by which nobody is late."""
    query = select(MatchRow.id).where(
        MatchRow.status == MatchStatus.RUNNING,
        col(MatchRow.held).is_(False),
        col(MatchRow.remind_at) <= now,
        MatchRow.stopped == ClockStop.NO,
    )
    return _list_ids(session, query)


def list_robot_matches(session: Session) -> list[int]:
    """List the ids of running matches in which no person has a seat, so that no mail and no deadline ever advances
    them; oldest first."""
    people = select(SeatRow.id).join(PlayerRow).where(SeatRow.match_id == MatchRow.id, col(PlayerRow.robot).is_(False))
    query = (
        select(MatchRow.id)
        .where(MatchRow.status == MatchStatus.RUNNING, col(MatchRow.held).is_(False), MatchRow.stopped == ClockStop.NO)
        .where(col(MatchRow.deadline).is_(None), ~people.exists())
    )
    return _list_ids(session, query.order_by(col(MatchRow.id)))


def load_matches_with_clock(session: Session) -> set[int]:
    """Return the ids of running matches whose clock runs and that wait for no ruling."""
    query = select(MatchRow.id).where(
        MatchRow.status == MatchStatus.RUNNING, MatchRow.stopped == ClockStop.NO, col(MatchRow.held).is_(False)
    )
    return set(_list_ids(session, query))


def _list_ids(session: Session, query: Any) -> list[int]:
    return [number for number in session.exec(query) if number is not None]


# ---- for ratings, pages and checks ----


def list_match_results(session: Session, game: str = "") -> list[tuple[int, str, datetime | None, Any]]:
    """List (id, game, end, result) of every match that counts and has a result, of this game or of any."""
    query = select(MatchRow.id, MatchRow.game, MatchRow.finished_at, MatchRow.result)
    query = query.where(COUNTS, col(MatchRow.result).is_not(None))
    found = session.exec(query.where(MatchRow.game == game) if game else query)
    return [(number, key, at, result) for number, key, at, result in found if number is not None]


class MatchSummary(NamedTuple):
    """The values that a list of matches has of one."""

    id: int
    code: str
    name: str
    game: str
    status: MatchStatus
    entries: int
    tournament_id: int | None
    started_at: datetime | None
    finished_at: datetime | None
    deadline: datetime | None
    training: bool
    counts: bool
    result: dict[str, Any] | None


def list_match_summaries(session: Session, states: Collection[MatchStatus]) -> list[MatchSummary]:
    """List the matches in one of these states, newest first."""
    columns = [COUNTS if name == "counts" else col(getattr(MatchRow, name)) for name in MatchSummary._fields]
    query = sql_select(*columns).where(col(MatchRow.status).in_(states)).order_by(col(MatchRow.id).desc())
    return [MatchSummary(*row) for row in session.connection().execute(query)]


def list_match_ids(session: Session) -> list[int]:
    """List the ids of all matches, oldest first; their rows need not be readable."""
    return _list_ids(session, select(MatchRow.id).order_by(col(MatchRow.id)))


# ---- who sits where ----


def count_taken_seats(session: Session, match_id: int) -> int:
    """Count the seats of a match that are taken by now."""
    return session.exec(select(func.count()).where(SeatRow.match_id == match_id)).one()


def list_names_in_seat_order(session: Session, match_id: int) -> list[str]:
    """List the players' names in seat order."""
    query = select(PlayerRow.name).join(SeatRow).where(SeatRow.match_id == match_id).order_by(col(SeatRow.number))
    return list(session.exec(query))


def list_names_in_matches(session: Session, match_ids: Collection[int]) -> list[str]:
    """List the players of these matches, each name once."""
    query = select(PlayerRow.name).join(SeatRow, col(SeatRow.player_id) == col(PlayerRow.id)).distinct()
    return list(session.exec(query.where(col(SeatRow.match_id).in_(match_ids))))


def load_players_of_finished(session: Session, game: str = "") -> dict[int, list[int]]:
    """Load the players of each finished match in seat order, by the match's id; of this game or of any."""
    query = select(SeatRow.match_id, SeatRow.player_id).join(MatchRow, col(MatchRow.id) == col(SeatRow.match_id))
    query = query.where(MatchRow.status == MatchStatus.FINISHED)
    if game:
        query = query.where(MatchRow.game == game)
    found: dict[int, list[int]] = {}
    for match, player in session.exec(query.order_by(col(SeatRow.match_id), col(SeatRow.number))):
        found.setdefault(match, []).append(player)
    return found


def list_all_seats(session: Session) -> Sequence[tuple[int, int, int]]:
    """List (match, number, player) of every seat, match by match in seat order."""
    query = select(SeatRow.match_id, SeatRow.number, SeatRow.player_id)
    return session.exec(query.order_by(col(SeatRow.match_id), col(SeatRow.number))).all()


def delete_seats(session: Session, match_id: int, number: int | None = None) -> None:
    """Delete one seat of a match, or all."""
    every = delete(SeatRow).where(col(SeatRow.match_id) == match_id)
    session.exec(every if number is None else every.where(col(SeatRow.number) == number))


def delete_match(session: Session, match: MatchRow) -> None:
    """Delete a match in which nothing was played, as if it had never been. Mails about it stay."""
    session.flush()
    for mails in (OutboxRow, InboxRow, DeferredNews):
        session.connection().execute(update(mails).where(col(mails.match_id) == match.number).values(match_id=None))
    for rows in (Question, LetterRow, Protest, WatcherRow, EventRow, SeatRow):
        session.connection().execute(delete(rows).where(col(rows.match_id) == match.number))
    session.expire_all()
    session.delete(match)
    session.flush()
