"""Between the rows of a tournament and the values of moderator/tournaments, which do all the thinking.

A league has one ``TournamentState`` per division, every other format one in all (division 1). Where all games start
at once there is only one round in the calendar. The rungs of a ladder and the challenges between them stand in the
tournament's row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from moderator.club.desk import Desk
from moderator.club.tournaments.settings import Settings, settings_of
from moderator.config import Config
from moderator.errors import OperatorError
from moderator.match.time.calendar import local, local_day
from moderator.states import EntryState, GameKind
from moderator.store import tournaments
from moderator.store.models import Match, Player, Tournament, TournamentEntry, TournamentGame, TournamentStep
from moderator.store.transaction import Session
from moderator.tournaments.field import Entrant, Game, Result, TournamentState
from moderator.tournaments.formats import ladder, of
from moderator.tournaments.formats.ladder import Ladder


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


_USUAL: Mapping[str, Any] = {"allow_rematch": False, "late_points": "0", "legs": 2, "third": False}
"""What stands in every tournament's file, whether its format has such a setting or not."""


def options(settings: Settings) -> dict[str, Any]:
    """What moderator/tournaments reads from ``TournamentState.options``."""
    found = {name: getattr(settings.own, name, usual) for name, usual in _USUAL.items()}
    return (
        {"spread_cap": settings.spread_cap} | found | ({"tiebreaks": settings.tiebreaks} if settings.tiebreaks else {})
    )


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


# ---- its rounds, as the calendar has them ----


def at_once(tournament: Tournament) -> bool:
    """All games start together; their round numbers are only information."""
    return of(tournament).at_once(settings_of(tournament))


def of_round(session: Session, tournament: Tournament) -> list[TournamentGame]:
    """The pairings of the round that is being played, or was last."""
    every = tournaments.pairings(session, tournament)
    return every if at_once(tournament) else [row for row in every if row.round == tournament.round]


def begun(session: Session, tournament: Tournament) -> list[TournamentGame]:
    """The pairings of all rounds up to that one: a game of an earlier one is open again when its end was taken back."""
    every = tournaments.pairings(session, tournament)
    return every if at_once(tournament) else [row for row in every if row.round <= tournament.round]


def last_round(session: Session, tournament: Tournament) -> bool:
    """Whether nothing comes after this round."""
    if at_once(tournament):
        return tournament.round >= 1
    return tournament.round >= state_of(session, tournament).rounds


def latest_end(config: Config, tournament: Tournament, now: datetime) -> datetime:
    """When a round that begins now ends at the latest: at the hour of the club's ZAT, so many days later."""
    day = local_day(now, config.club.zone) + timedelta(days=settings_of(tournament).days(tournament.format))
    hour = int(tournament.terms.get("hour", config.deadlines.hour))
    return local(day, hour, ZoneInfo(config.club.zone))


# ---- its ladder ----


def ladder_of(tournament: Tournament) -> Ladder:
    """The rungs and challenges now."""
    return Ladder.from_json(tournament.state)


def save_ladder(desk: Desk, tournament: Tournament, now: Ladder) -> None:
    """From now on they are these; the tournament is due for its next step."""
    tournament.state, tournament.next_at = now.to_json(), desk.now
    desk.session.add(tournament)


def climb_on(desk: Desk, tournament: Tournament, number: int) -> None:
    """A newcomer stands on the lowest rung."""
    save_ladder(desk, tournament, ladder.join(ladder_of(tournament), number))


def step_off(desk: Desk, tournament: Tournament, number: int) -> None:
    """Whoever leaves gives up the rung and all challenges."""
    save_ladder(desk, tournament, ladder.withdraw(ladder_of(tournament), number))


def on_leave(desk: Desk, tournament: Tournament) -> set[int]:
    """Numbers of those who are on leave today."""
    day = desk.today
    return {
        number
        for number, player in numbered(desk.session, tournament, 1).items()
        if any(one.first <= day <= one.last for one in desk.cache.leaves_of(desk.session, player.number))
    }
