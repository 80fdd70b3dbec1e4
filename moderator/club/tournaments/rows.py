"""Between the rows of a tournament and the values of moderator/tournaments, which do all the thinking.

A league has one ``TournamentState`` per division, every other format one in all (division 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from moderator.club.tournaments.settings import Settings, settings_of
from moderator.errors import OperatorError
from moderator.states import EntryState, GameKind
from moderator.store import tournaments
from moderator.store.models import Match, Player, Tournament, TournamentEntry, TournamentGame, TournamentStep
from moderator.store.transaction import Session
from moderator.tournaments.field import Entrant, Game, Result, TournamentState
from moderator.tournaments.formats import of


def find_tournament(session: Session, code: str) -> Tournament:
    """By code, or by a name that only one has. Raises OperatorError."""
    wanted = code.strip().casefold()
    every = tournaments.every(session)
    found = [tournament for tournament in every if tournament.code.casefold() == wanted] or [
        c for c in every if c.name.casefold() == wanted
    ]
    if len(found) != 1:
        raise OperatorError(f"There is no tournament {code!r}.", "See `moderator cup list`.")
    return found[0]


def taken(session: Session, tournament: Tournament) -> int:
    """How many places are taken."""
    return sum(entry.state == EntryState.IN for entry, _ in tournaments.entries(session, tournament))


def standby(session: Session, tournament: Tournament) -> list[tuple[TournamentEntry, Player]]:
    """Who waits for a place, the first one first."""
    waiting = [one for one in tournaments.entries(session, tournament) if one[0].state == EntryState.STANDBY]
    return sorted(waiting, key=lambda one: (one[0].at, one[0].id))


def numbered(session: Session, tournament: Tournament, division: int) -> dict[int, Player]:
    """Who has which number in the table of a division."""
    return {
        entry.number: player for entry, player in tournaments.entries(session, tournament, division) if entry.number
    }


def state_of(session: Session, tournament: Tournament, division: int = 1) -> TournamentState:
    """The tournament, or one division of it, as it stands."""
    settings = settings_of(tournament)
    entrants = tuple(
        Entrant(entry.number, player.name, entry.rating, entry.joined, entry.left)
        for entry, player in tournaments.entries(session, tournament, division)
        if entry.number
    )
    played = tuple(as_game(row) for row in tournaments.pairings(session, tournament, division))
    found = TournamentState(of(tournament).part(settings), entrants, played, 0, int(tournament.seed), options(settings))
    return replace(found, rounds=of(found).rounds(found, settings))


def as_game(row: TournamentGame) -> Game:
    result = None if row.result is None else Result.from_json(row.result)
    return Game(row.round, row.board, tuple(row.seats), result, row.kind)


def options(settings: Settings) -> dict[str, Any]:
    """What moderator/tournaments reads from ``TournamentState.options``."""
    found: dict[str, Any] = {
        name: getattr(settings, name) for name in ("spread_cap", "allow_rematch", "late_points", "legs", "third")
    }
    return found | ({"tiebreaks": settings.tiebreaks} if settings.tiebreaks else {})


def store(
    session: Session, tournament: Tournament, division: int, paired: Iterable[Game], ends_at: datetime | None
) -> list[TournamentGame]:
    """Write pairings down, byes and walkovers with their results."""
    rows = [
        TournamentGame(
            tournament_id=tournament.number,
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


def stamp(session: Session, tournament: Tournament, step: str, now: datetime) -> None:
    """This step is done, in the transaction that does it."""
    session.add(TournamentStep(tournament_id=tournament.number, step=step, at=now))


def match_of(session: Session, row: TournamentGame) -> Match | None:
    """The match in which a pairing is played."""
    return session.get(Match, row.match_id) if row.match_id else None


def open_games(rows: Sequence[TournamentGame]) -> list[TournamentGame]:
    """Those that have no result yet."""
    return [row for row in rows if row.result is None]


def latest_ends(rows: Iterable[TournamentGame]) -> list[datetime]:
    """Of those that have one."""
    return [row.ends_at for row in rows if row.ends_at is not None]
