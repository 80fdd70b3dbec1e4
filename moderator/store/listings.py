"""What lists on the command line read, and the shell's completion: asked by plain SQL, since loading the tables takes
longer than all that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from moderator.common.enums import ClockStop, Level, LogEntryKind, MatchStatus
from moderator.rules.log import LogEntry
from moderator.store.due_work import Place, fetch_rows, load_schema_version, parse_moment
from moderator.store.schema import HEAD, refuse_other_version

NOT_OVER = f"('{MatchStatus.OPEN}', '{MatchStatus.RUNNING}', '{MatchStatus.SUSPENDED}')"
_MATCHES = """
    SELECT code, game, name, status, wanted, deadline, held, stopped, trouble,
        (SELECT count(*) FROM seat WHERE seat.match_id = m.id)
    FROM "match" AS m
"""
_SEATED = """
    SELECT m.code, player.name FROM "match" AS m
    JOIN seat ON seat.match_id = m.id JOIN player ON player.id = seat.player_id
"""
_PLAYERS = """
    SELECT id, name, robot, level, address, language, zone, board, digest, auto_single, same_subject, undeliverable
    FROM player
"""
_LEAVES = "SELECT player_id, first, last FROM leave WHERE cancelled_at IS NULL AND last >= :today"
_PLAYED = f"""
    SELECT m.id, m.code, m.terms, (SELECT count(*) FROM seat AS every WHERE every.match_id = m.id), seat.number,
        player.id
    FROM seat JOIN "match" AS m ON m.id = seat.match_id JOIN player ON player.id = seat.player_id
    WHERE m.status NOT IN ('{MatchStatus.OPEN}', '{MatchStatus.CANCELLED}') AND m.training = FALSE
        AND player.robot = FALSE
"""
_LOGS = "SELECT match_id, kind, seat, text, outcome FROM event"


class ListedMatchRow(NamedTuple):
    """A match as a list shows it."""

    code: str
    game: str
    name: str
    status: MatchStatus
    players: Sequence[str]
    free_seats: int
    wanted: int
    deadline: datetime | None
    waits_for_ruling: bool
    stopped: ClockStop
    trouble: str


class ListedPlayerRow(NamedTuple):
    """A player as a list shows it."""

    number: int
    name: str
    robot: bool
    level: Level
    address: str | None
    language: str
    zone: str
    board: str
    digest: bool
    auto_single: bool
    same_subject: bool
    undeliverable: str


class TimedMatch(NamedTuple):
    """A match that has begun, with what its log says about the time that its players took."""

    code: str
    terms: Mapping[str, Any]
    seats: int
    seat_of: Mapping[int, int]
    """Ids of the people in it -> the numbers of their seats."""
    entries: Sequence[LogEntry]


def require_this_version(place: Place) -> None:
    """Refuse a database that another version of the program has made. Raises StoreError."""
    found = load_schema_version(place)
    if found != HEAD:
        refuse_other_version(found, "The database")


def list_matches(place: Place, over: bool = False, code: str = "") -> Iterator[ListedMatchRow]:
    """List the matches that are not over, or all; or the one of this ``code``. Oldest first."""
    chosen = "m.code = :code" if code else "TRUE" if over else f"m.status IN {NOT_OVER}"
    seated: dict[str, list[str]] = {}
    for at, name in fetch_rows(place, f"{_SEATED} WHERE {chosen} ORDER BY m.id, seat.number", {"code": code}):
        seated.setdefault(at, []).append(name)
    for code_, game, name, status, wanted, deadline, held, stopped, trouble, taken in fetch_rows(
        place, f"{_MATCHES} WHERE {chosen} ORDER BY id", {"code": code}
    ):
        free = max(0, wanted - taken) if status == MatchStatus.OPEN else 0
        yield ListedMatchRow(
            code_,
            game,
            name,
            MatchStatus(status),
            seated.get(code_, []),
            free,
            wanted,
            parse_moment(deadline),
            bool(held),
            ClockStop(stopped),
            trouble,
        )


def list_players(place: Place, name: str = "") -> list[ListedPlayerRow]:
    """List all players in the order in which they came, or the one of this ``name``."""
    chosen = "WHERE name = :name" if name else ""
    found = fetch_rows(place, f"{_PLAYERS} {chosen} ORDER BY id", {"name": name})
    return [
        ListedPlayerRow(
            number, called, bool(robot), Level(level), mail, language, zone, board, bool(a), bool(b), bool(c), fault
        )
        for number, called, robot, level, mail, language, zone, board, a, b, c, fault in found
    ]


def list_leaves(place: Place, today: date) -> list[tuple[int, date, date]]:
    """List the leaves that are not over: player, first and last day."""
    found = fetch_rows(place, _LEAVES, {"today": today.isoformat()})
    return [(number, _parse_day(first), _parse_day(last)) for number, first, last in found]


def _parse_day(value: str | date) -> date:
    return date.fromisoformat(value) if isinstance(value, str) else value


def list_timed_matches(place: Place, player: str = "") -> Iterator[TimedMatch]:
    """List the matches that count for how promptly people answer, or those of one ``player``."""
    which = "AND player.name = :player" if player else ""
    asked = {"player": player}
    found: dict[int, tuple[str, Any, int, dict[int, int]]] = {}
    for number, code, terms, seats, seat, person in fetch_rows(place, f"{_PLAYED} {which} ORDER BY m.id", asked):
        found.setdefault(number, (code, terms, seats, {}))[3][person] = seat
    ids = ", ".join(map(str, found))
    logs: dict[int, list[LogEntry]] = {number: [] for number in found}
    for number, kind, seat, text, outcome in (
        fetch_rows(place, f"{_LOGS} WHERE match_id IN ({ids}) ORDER BY match_id, n", {}) if found else ()
    ):
        logs[number].append(LogEntry(LogEntryKind(kind), seat, text, _parse_json(outcome)))
    for number, (code, terms, seats, seat_of) in found.items():
        yield TimedMatch(code, _parse_json(terms), seats, seat_of, logs[number])


def _parse_json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def list_players_with_addresses(place: Place) -> list[tuple[str, str]]:
    """List the names of players, each with the address."""
    found = fetch_rows(place, "SELECT name, address FROM player ORDER BY id", {})
    return [(name, address or "robot") for name, address in found]


def list_referees_with_addresses(place: Place) -> list[tuple[str, str]]:
    """List the names of referees, each with the address."""
    return [(name, address) for name, address in fetch_rows(place, "SELECT name, address FROM referee ORDER BY id", {})]


def list_tournament_codes(place: Place) -> list[tuple[str, str]]:
    """List the codes of tournaments, each with its name and status."""
    found = fetch_rows(place, "SELECT code, name, status FROM tournament ORDER BY id", {})
    return [(code, f"{name}, {status}") for code, name, status in found]
