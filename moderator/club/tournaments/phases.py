"""The rounds of a tournament as the calendar has them: where all games start at once there is only one."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session

from moderator.club.tournaments import rows
from moderator.club.tournaments.settings import settings_of
from moderator.config import Config
from moderator.match.time.calendar import local, local_day
from moderator.store.models import Cup, CupGame
from moderator.tournaments.formats import of


def at_once(cup: Cup) -> bool:
    """All games start together; their round numbers are only information."""
    return of(cup).at_once(settings_of(cup))


def of_round(session: Session, cup: Cup) -> list[CupGame]:
    """The pairings of the round that is being played, or was last."""
    every = rows.games(session, cup)
    return every if at_once(cup) else [row for row in every if row.round == cup.round]


def begun(session: Session, cup: Cup) -> list[CupGame]:
    """The pairings of all rounds up to that one: a game of an earlier one is open again when its end was taken back."""
    every = rows.games(session, cup)
    return every if at_once(cup) else [row for row in every if row.round <= cup.round]


def last_round(session: Session, cup: Cup) -> bool:
    """Whether nothing comes after this round."""
    if at_once(cup):
        return cup.round >= 1
    return cup.round >= rows.tournament(session, cup).rounds


def latest_end(config: Config, cup: Cup, now: datetime) -> datetime:
    """When a round that begins now ends at the latest: at the hour of the club's ZAT, so many days later."""
    day = local_day(now, config.club.zone) + timedelta(days=settings_of(cup).days(cup.format))
    hour = int(cup.terms.get("hour", config.deadlines.hour))
    return local(day, hour, ZoneInfo(config.club.zone))
