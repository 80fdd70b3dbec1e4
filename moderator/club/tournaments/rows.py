"""Between the rows of a tournament and the values of moderator/tournaments, which do all the thinking.

A league has one ``Tournament`` per division, every other format one in all (division 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from moderator.club.tournaments.settings import Settings, settings_of
from moderator.errors import OperatorError
from moderator.states import EntryState, GameKind, MatchStatus
from moderator.store.models import Cup, CupEntry, CupGame, CupStep, Match, Player
from moderator.tournaments.field import Entrant, Game, Result, Tournament
from moderator.tournaments.formats import of


def find_cup(session: Session, code: str) -> Cup:
    """By code, or by a name that only one has. Raises OperatorError."""
    wanted = code.strip().casefold()
    cups = session.exec(select(Cup).order_by(col(Cup.id))).all()
    found = [cup for cup in cups if cup.code.casefold() == wanted] or [c for c in cups if c.name.casefold() == wanted]
    if len(found) != 1:
        raise OperatorError(f"There is no tournament {code!r}.", "See `moderator cup list`.")
    return found[0]


def entries(session: Session, cup: Cup, division: int | None = None) -> list[tuple[CupEntry, Player]]:
    """Everybody in it, also who waits or has left: by division and number, before the start by the time of joining."""
    query = select(CupEntry, Player).join(Player, col(Player.id) == col(CupEntry.player_id))
    query = query.where(CupEntry.cup_id == cup.number)
    if division is not None:
        query = query.where(CupEntry.division == division)
    order = (col(CupEntry.division), col(CupEntry.number), col(CupEntry.at), col(CupEntry.id))
    return list(session.exec(query.order_by(*order)))


def entry_of(session: Session, cup: Cup, player: Player) -> CupEntry | None:
    return session.exec(
        select(CupEntry).where(CupEntry.cup_id == cup.number, CupEntry.player_id == player.number)
    ).first()


def taken(session: Session, cup: Cup) -> int:
    """How many places are taken."""
    return sum(entry.state == EntryState.IN for entry, _ in entries(session, cup))


def standby(session: Session, cup: Cup) -> list[tuple[CupEntry, Player]]:
    """Who waits for a place, the first one first."""
    waiting = [one for one in entries(session, cup) if one[0].state == EntryState.STANDBY]
    return sorted(waiting, key=lambda one: (one[0].at, one[0].id))


def numbered(session: Session, cup: Cup, division: int) -> dict[int, Player]:
    """Who has which number in the table of a division."""
    return {entry.number: player for entry, player in entries(session, cup, division) if entry.number}


def divisions(session: Session, cup: Cup) -> list[int]:
    """From 1 = highest; [] before the start."""
    query = select(CupEntry.division).where(CupEntry.cup_id == cup.number, CupEntry.number > 0).distinct()
    return sorted(session.exec(query))


def games(session: Session, cup: Cup, division: int | None = None) -> list[CupGame]:
    """All pairings by division, round and board."""
    query = select(CupGame).where(CupGame.cup_id == cup.number)
    if division is not None:
        query = query.where(CupGame.division == division)
    order = (col(CupGame.division), col(CupGame.round), col(CupGame.board))
    return list(session.exec(query.order_by(*order)))


def tournament(session: Session, cup: Cup, division: int = 1) -> Tournament:
    """The tournament, or one division of it, as it stands."""
    settings = settings_of(cup)
    entrants = tuple(
        Entrant(entry.number, player.name, entry.rating, entry.joined, entry.left)
        for entry, player in entries(session, cup, division)
        if entry.number
    )
    played = tuple(as_game(row) for row in games(session, cup, division))
    found = Tournament(of(cup).part(settings), entrants, played, 0, int(cup.seed), options(settings))
    return replace(found, rounds=of(found).rounds(found, settings))


def as_game(row: CupGame) -> Game:
    result = None if row.result is None else Result.from_json(row.result)
    return Game(row.round, row.board, tuple(row.seats), result, row.kind)


def options(settings: Settings) -> dict[str, Any]:
    """What moderator/tournaments reads from ``Tournament.options``."""
    found: dict[str, Any] = {
        name: getattr(settings, name) for name in ("spread_cap", "allow_rematch", "late_points", "legs", "third")
    }
    return found | ({"tiebreaks": settings.tiebreaks} if settings.tiebreaks else {})


def store(session: Session, cup: Cup, division: int, paired: Iterable[Game], ends_at: datetime | None) -> list[CupGame]:
    """Write pairings down, byes and walkovers with their results."""
    rows = [
        CupGame(
            cup_id=cup.number,
            division=division,
            round=game.round,
            board=game.table,
            kind=game.kind,
            seats=list(game.seats),
            result=None if game.result is None else game.result.to_json(),
            ends_at=None if game.kind == GameKind.BYE else ends_at,
        )
        for game in paired
    ]
    session.add_all(rows)
    session.flush()
    return rows


def done(session: Session, cup: Cup) -> set[str]:
    """The steps that are stamped as done."""
    return set(session.exec(select(CupStep.step).where(CupStep.cup_id == cup.number)))


def stamp(session: Session, cup: Cup, step: str, now: datetime) -> None:
    """This step is done, in the transaction that does it."""
    session.add(CupStep(cup_id=cup.number, step=step, at=now))


def match_of(session: Session, row: CupGame) -> Match | None:
    """The match in which a pairing is played."""
    return session.get(Match, row.match_id) if row.match_id else None


def matches(session: Session, cup: Cup) -> dict[int, Match]:
    """Its matches by primary key."""
    query = select(Match).join(CupGame, col(CupGame.match_id) == col(Match.id)).where(CupGame.cup_id == cup.number)
    return {match.number: match for match in session.exec(query)}


def undealt(session: Session, cup: Cup) -> set[int]:
    """Primary keys of its matches that nobody has seen yet."""
    query = select(CupGame.match_id).join(Match, col(CupGame.match_id) == col(Match.id))
    query = query.where(CupGame.cup_id == cup.number, Match.status == MatchStatus.OPEN)
    return {number for number in session.exec(query) if number is not None}


def open_games(rows: Sequence[CupGame]) -> list[CupGame]:
    """Those that have no result yet."""
    return [row for row in rows if row.result is None]


def latest_ends(rows: Iterable[CupGame]) -> list[datetime]:
    """Of those that have one."""
    return [row.ends_at for row in rows if row.ends_at is not None]
