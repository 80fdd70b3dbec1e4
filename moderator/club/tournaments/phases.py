"""The rounds of a tournament as the calendar has them: where all games start at once there is only one."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from moderator.club.tournaments import rows
from moderator.club.tournaments.settings import settings_of
from moderator.config import Config
from moderator.match.time.calendar import local, local_day
from moderator.store import tournaments
from moderator.store.models import Tournament, TournamentGame
from moderator.store.transaction import Session
from moderator.tournaments.formats import of


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
    return tournament.round >= rows.state_of(session, tournament).rounds


def latest_end(config: Config, tournament: Tournament, now: datetime) -> datetime:
    """When a round that begins now ends at the latest: at the hour of the club's ZAT, so many days later."""
    day = local_day(now, config.club.zone) + timedelta(days=settings_of(tournament).days(tournament.format))
    hour = int(tournament.terms.get("hour", config.deadlines.hour))
    return local(day, hour, ZoneInfo(config.club.zone))
