"""Matches, who sits at them, and their logs: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import String, and_, bindparam, cast, insert, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, delete, func, select

from moderator.states import EntryKind, MatchStatus, Stopped
from moderator.store import db
from moderator.store.deferred_news import DeferredNews
from moderator.store.models import Event, Inbox, Leave, Match, Outbox, Player, Press, Protest, Question, Seat, Watcher

Place = tuple[Match, Seat]
Seated = list[tuple[Seat, Player]]
Logged = tuple[EntryKind, int | None, str, dict[str, Any]]
"""Kind, seat, text and outcome."""

GOING = (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
OVER = (MatchStatus.FINISHED, MatchStatus.CANCELLED)

COUNTS = and_(col(Match.status) == MatchStatus.FINISHED, col(Match.training).is_(False))
"""Whether how a match ended is said of its players: in ratings, records, statistics, finds and puzzles. The only place
that says so; whoever asks for such matches asks by it, or by ``Shown.counts``."""

# Questions of every run are written out once: to put one together costs as much as asking it does.
_EVERY_OF_PLAYER = (
    select(Match, Seat)
    .join(Seat, col(Seat.match_id) == col(Match.id))
    .where(Seat.player_id == bindparam("player"))
    .order_by(col(Match.id))
)
_OF_PLAYER = _EVERY_OF_PLAYER.where(col(Match.status).not_in(OVER))
_SEATED = select(Seat, Player).join(Player).where(Seat.match_id == bindparam("match")).order_by(col(Seat.number))
_ON_LEAVE = select(Leave.id).where(Leave.player_id == col(Player.id), col(Leave.cancelled_at).is_(None)).exists()
_LAST_ENTRY = select(Event.at).where(Event.match_id == col(Match.id)).order_by(col(Event.n).desc()).limit(1)
_ALL_OF_IT = (Match, Seat, Player, _ON_LEAVE.correlate(Player), _LAST_ENTRY.correlate(Match).scalar_subquery())
_WITH_SEATS = (
    select(*_ALL_OF_IT)  # type: ignore[call-overload]
    .join(Seat, col(Seat.match_id) == col(Match.id))
    .join(Player, col(Player.id) == col(Seat.player_id))
    .where(Match.code == bindparam("code"))
    .order_by(col(Seat.number))
)
_SEATS = select(func.count()).where(Seat.match_id == bindparam("match"))
_LOG = (
    select(col(Event.kind), col(Event.seat), col(Event.text), col(Event.outcome))
    .where(Event.match_id == bindparam("match"))
    .order_by(col(Event.n))
)
_INTO_LOG = insert(Event)


def seats_of(session: Session, player_id: int) -> Sequence[Place]:
    """The matches that are not over and in which a player has a seat, oldest first."""
    return [(match, seat) for match, seat in session.exec(_OF_PLAYER, params={"player": player_id})]


def every_seat_of(session: Session, player_id: int) -> Sequence[Place]:
    """The same with all that were ever played: they may be hundreds."""
    return [(match, seat) for match, seat in session.exec(_EVERY_OF_PLAYER, params={"player": player_id})]


def seats_in(session: Session, player_id: int, ids: Collection[int]) -> Sequence[Place]:
    """Those of these matches in which a player has a seat, over or not, oldest first."""
    found = session.exec(_EVERY_OF_PLAYER.where(col(Match.id).in_(ids)), params={"player": player_id}) if ids else ()
    return [(match, seat) for match, seat in found]


def seats_at(session: Session, player_id: int, codes: Collection[str]) -> Sequence[Place]:
    """The same by their codes."""
    query = _EVERY_OF_PLAYER.where(col(Match.code).in_(codes))
    found = session.exec(query, params={"player": player_id}) if codes else ()
    return [(match, seat) for match, seat in found]


def seated(session: Session, match: Match) -> Seated:
    """Seats with their players, in seat order."""
    found = list(session.exec(_SEATED, params={"match": match.id}))
    _numbers(session)[match.number] = len(found)
    return found


class WithSeats(NamedTuple):
    """A match with all that is asked of it first."""

    match: Match
    seated: Seated
    without_leave: set[int]
    """Ids of its players who have announced no leave, or taken back all."""
    last_entry: datetime | None
    """When the last entry of its log was made; None before the first."""


def with_seats(session: Session, code: str) -> WithSeats | None:
    """The match with this code, if somebody has a seat there."""
    found = list(session.exec(_WITH_SEATS, params={"code": code}))
    if not found:
        return None
    match = found[0][0]
    _numbers(session)[match.number] = len(found)
    without = {player.number for _, _, player, leave, _ in found if not leave}
    return WithSeats(match, [(seat, player) for _, seat, player, _, _ in found], without, found[0][4])


def seat_count(session: Session, match: Match) -> int:
    """How many seats there are; not asked again where the transaction has seen them."""
    known = _numbers(session).get(match.number)
    return session.connection().execute(_SEATS, {"match": match.id}).scalar_one() if known is None else known


def _numbers(session: Session) -> dict[int, int]:
    """Match id -> its seats, as far as this transaction knows."""
    known: dict[int, int] = db.notes(session).setdefault("seats", {})
    return known


def log(session: Session, match: Match) -> list[Logged]:
    """What the match's log says, oldest first."""
    rows = session.connection().execute(_LOG, {"match": match.id})
    return [(kind, seat, text, outcome) for kind, seat, text, outcome in rows]


def enter(session: Session, values: dict[str, Any]) -> None:
    """One more line of a log."""
    session.connection().execute(_INTO_LOG, values)


# ---- by what they are called ----


def by_code(session: Session, code: str) -> Match | None:
    return session.exec(select(Match).where(Match.code == code)).first()


def of_codes(session: Session, codes: Collection[str]) -> Sequence[Match]:
    """Those that have one of these codes."""
    return session.exec(select(Match).where(col(Match.code).in_(codes))).all()


def of_codes_with(session: Session, codes: Collection[str], player_id: int) -> Sequence[Match]:
    """Those that have one of these codes and in which the player has a seat."""
    query = select(Match).join(Seat).where(Seat.player_id == player_id, col(Match.code).in_(codes))
    return session.exec(query).all()


def by_name(session: Session, name: str) -> Sequence[Match]:
    """All of that name, in capitals or not, but those that were cancelled."""
    query = select(Match).where(func.lower(Match.name) == name.lower(), Match.status != MatchStatus.CANCELLED)
    return session.exec(query).all()


def code_is_taken(session: Session, code: str) -> bool:
    return session.exec(select(Match.id).where(Match.code == code)).first() is not None


# ---- by how far they are ----


def every(session: Session, finished: bool = True) -> Sequence[Match]:
    """All, or all but those that are over, oldest first."""
    query = select(Match).order_by(col(Match.id))
    return session.exec(query if finished else query.where(col(Match.status).not_in(OVER))).all()


def going(session: Session) -> Sequence[Match]:
    """Those that run or are suspended, oldest first."""
    return session.exec(select(Match).where(col(Match.status).in_(GOING)).order_by(col(Match.id))).all()


def not_begun(session: Session) -> Sequence[Match]:
    """Open ones that could not be dealt when they should have been, oldest first."""
    query = select(Match).where(Match.status == MatchStatus.OPEN, Match.trouble != "")
    return session.exec(query.order_by(col(Match.id))).all()


def in_training(session: Session, player: int) -> int:
    """How many matches for training a player has that are not over."""
    query = select(func.count()).select_from(Match).join(Seat, col(Seat.match_id) == col(Match.id))
    mine = query.where(Seat.player_id == player, col(Match.training).is_(True), col(Match.status).not_in(OVER))
    return session.exec(mine).one()


def with_changed_seats(session: Session) -> Sequence[Match]:
    """Running matches, oldest first, in which somebody left a seat or took one over, or that were begun elsewhere."""
    kinds = (EntryKind.RETIRE, EntryKind.HAND_OVER, EntryKind.MOVE_IN)
    changed = select(Event.id).where(Event.match_id == Match.id, col(Event.kind).in_(kinds)).exists()
    query = select(Match).where(Match.status == MatchStatus.RUNNING, changed)
    return session.exec(query.order_by(col(Match.id))).all()


def with_free_seats(session: Session) -> list[tuple[Match, list[str]]]:
    """Those that have not begun and have a free seat that players may take, oldest first; with the names of who sits
    there already, in seat order."""
    query = (
        select(Match, Player.name)
        .join(Seat, col(Seat.match_id) == col(Match.id), isouter=True)
        .join(Player, col(Player.id) == col(Seat.player_id), isouter=True)
        .where(Match.status == MatchStatus.OPEN, Match.wanted > 0)
    )
    found: dict[int, tuple[Match, list[str]]] = {}
    for match, name in session.exec(query.order_by(col(Match.id), col(Seat.number))):
        found.setdefault(match.number, (match, []))[1].extend([] if name is None else [name])
    return [(match, names) for match, names in found.values() if len(names) < match.wanted]


def finished(session: Session, lacking: bool = False) -> list[int]:
    """Ids of all finished matches, or of those ``lacking`` a result, oldest first."""
    query = select(Match.id).where(Match.status == MatchStatus.FINISHED).order_by(col(Match.id))
    if lacking:
        query = query.where(col(Match.result).is_(None) | (cast(col(Match.result), String) == "null"))
    return _ids(session, query)


def ended_since(session: Session, since: datetime) -> int:
    """How many ended after that."""
    return session.exec(select(func.count()).where(col(Match.finished_at) > since)).one()


def games_with_results(session: Session) -> set[str]:
    """Keys of the games of which a match that counts has ended with a result."""
    query = select(Match.game).where(COUNTS, col(Match.result).is_not(None))
    return set(session.exec(query.distinct()))


# ---- by what time does to them ----


def held(session: Session) -> list[int]:
    """Ids of running matches that wait for a ruling, oldest first."""
    query = select(Match.id).where(Match.status == MatchStatus.RUNNING, col(Match.held).is_(True))
    return _ids(session, query.order_by(col(Match.id)))


def over_by(session: Session, moment: datetime) -> list[int]:
    """Ids of running matches whose turn may have come to its end: whose last moment was not after ``moment``, longest
    overdue first."""
    query = select(Match.id).where(
        Match.status == MatchStatus.RUNNING,
        col(Match.held).is_(False),
        col(Match.final) <= moment,
        Match.stopped == Stopped.NO,
    )
    return _ids(session, query.order_by(col(Match.final)))


def not_over_by(session: Session, moment: datetime) -> Sequence[Match]:
    """Running matches whose clock goes and whose last moment was after ``moment``, oldest first."""
    query = select(Match).where(
        Match.status == MatchStatus.RUNNING, col(Match.final) > moment, Match.stopped == Stopped.NO
    )
    return session.exec(query.order_by(col(Match.id))).all()


def to_remind(session: Session, now: datetime) -> list[int]:
    """Ids of running matches whose reminder is due."""
    query = select(Match.id).where(
        Match.status == MatchStatus.RUNNING, col(Match.remind_at) <= now, Match.stopped == Stopped.NO
    )
    return _ids(session, query)


def among_robots(session: Session) -> list[int]:
    """Ids of running matches in which no person has a seat, so that no mail and no deadline ever moves them; oldest
    first."""
    people = select(Seat.id).join(Player).where(Seat.match_id == Match.id, col(Player.robot).is_(False))
    query = (
        select(Match.id)
        .where(Match.status == MatchStatus.RUNNING, col(Match.held).is_(False), Match.stopped == Stopped.NO)
        .where(col(Match.deadline).is_(None), ~people.exists())
    )
    return _ids(session, query.order_by(col(Match.id)))


def with_a_clock(session: Session) -> set[int]:
    """Ids of running matches whose clock goes and that wait for no ruling."""
    query = select(Match.id).where(
        Match.status == MatchStatus.RUNNING, Match.stopped == Stopped.NO, col(Match.held).is_(False)
    )
    return set(_ids(session, query))


def _ids(session: Session, query: Any) -> list[int]:
    return [number for number in session.exec(query) if number is not None]


# ---- for ratings, pages and checks ----


def results(session: Session, game: str = "") -> list[tuple[int, str, datetime | None, Any]]:
    """(id, game, end, result) of every match that counts and has a result, of this game or of any."""
    query = select(Match.id, Match.game, Match.finished_at, Match.result)
    query = query.where(COUNTS, col(Match.result).is_not(None))
    found = session.exec(query.where(Match.game == game) if game else query)
    return [(number, key, at, result) for number, key, at, result in found if number is not None]


class Shown(NamedTuple):
    """What a list of matches says of one."""

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


def shown(session: Session, states: Collection[MatchStatus]) -> list[Shown]:
    """Those in one of these states, newest first."""
    columns = [COUNTS if name == "counts" else col(getattr(Match, name)) for name in Shown._fields]
    query = sql_select(*columns).where(col(Match.status).in_(states)).order_by(col(Match.id).desc())
    return [Shown(*row) for row in session.connection().execute(query)]


def numbers(session: Session) -> list[int]:
    """Ids of all matches, oldest first; their rows need not be readable."""
    return _ids(session, select(Match.id).order_by(col(Match.id)))


# ---- who sits where ----


def taken_seats(session: Session, match_id: int) -> int:
    """How many seats of a match are taken by now."""
    return session.exec(select(func.count()).where(Seat.match_id == match_id)).one()


def names_at(session: Session, match_id: int) -> list[str]:
    """The players' names in seat order."""
    query = select(Player.name).join(Seat).where(Seat.match_id == match_id).order_by(col(Seat.number))
    return list(session.exec(query))


def names_at_any(session: Session, match_ids: Collection[int]) -> list[str]:
    """Everybody who sits at one of these matches, each once."""
    query = select(Player.name).join(Seat, col(Seat.player_id) == col(Player.id)).distinct()
    return list(session.exec(query.where(col(Seat.match_id).in_(match_ids))))


def players_of_finished(session: Session, game: str = "") -> dict[int, list[int]]:
    """Finished match -> its players in seat order; of this game or of any."""
    query = select(Seat.match_id, Seat.player_id).join(Match, col(Match.id) == col(Seat.match_id))
    query = query.where(Match.status == MatchStatus.FINISHED)
    if game:
        query = query.where(Match.game == game)
    found: dict[int, list[int]] = {}
    for match, player in session.exec(query.order_by(col(Seat.match_id), col(Seat.number))):
        found.setdefault(match, []).append(player)
    return found


def all_seats(session: Session) -> Sequence[tuple[int, int, int]]:
    """(match, number, player) of every seat, match by match in seat order."""
    query = select(Seat.match_id, Seat.number, Seat.player_id)
    return session.exec(query.order_by(col(Seat.match_id), col(Seat.number))).all()


def remove_seats(session: Session, match_id: int, number: int | None = None) -> None:
    """Take one seat of a match away, or all."""
    every = delete(Seat).where(col(Seat.match_id) == match_id)
    session.exec(every if number is None else every.where(col(Seat.number) == number))


def remove(session: Session, match: Match) -> None:
    """As if there had never been such a match: one in which nothing was played. Mails about it stay where they are."""
    session.flush()
    for mails in (Outbox, Inbox, DeferredNews):
        session.connection().execute(update(mails).where(col(mails.match_id) == match.number).values(match_id=None))
    for rows in (Question, Press, Protest, Watcher, Event, Seat):
        session.connection().execute(delete(rows).where(col(rows.match_id) == match.number))
    session.expire_all()
    session.delete(match)
    session.flush()
