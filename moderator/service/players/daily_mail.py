"""Who wants one mail a day, and when it is due. What it says: delivery/digest.py."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from moderator.common.enums import MailKind
from moderator.rules.time.calendar import resolve_local_hour, to_local_day
from moderator.service.notifications import notify_reader
from moderator.settings import Config
from moderator.store import outbox
from moderator.store.database import Session
from moderator.store.tables import PlayerRow
from moderator.views.notification import DailyMail, Recipient
from moderator.views.unit_of_work import UnitOfWork


def compute_next_digest_time(config: Config, now: datetime, player: PlayerRow) -> datetime:
    """Return the time at which the next daily mail is due: the club's hour in the player's zone, the next time it
    comes."""
    place, hour = ZoneInfo(player.zone), config.club.digest_hour
    day = to_local_day(now, player.zone)
    for later in range(3):
        moment = resolve_local_hour(day + timedelta(days=later), hour, place)
        if moment > now:
            return moment
    raise AssertionError("the hour comes every day")


def switch_digest(work: UnitOfWork, player: PlayerRow, on: bool) -> None:
    """Switch the daily mail on or off. A player who asks for it again keeps the time of the next one; a player who
    stops it gets at once what has waited for it."""
    if on and player.digest and player.digest_at is not None:
        return
    if player.digest and not on:
        notify_daily(work, player.number)
    player.digest = on
    player.digest_at = compute_next_digest_time(work.config, work.now, player) if on else None
    work.session.add(player)


def notify_daily(work: UnitOfWork, player_id: int) -> None:
    """Tell one player what has waited for the daily mail, and set the time of the next one."""
    player = work.session.get_one(PlayerRow, player_id)
    since = _compute_digest_start(work.session, work.now, player)
    player.digest_at = compute_next_digest_time(work.config, work.now, player)
    work.session.add(player)
    notify_reader(work, Recipient(player), DailyMail(since))


def _compute_digest_start(session: Session, now: datetime, player: PlayerRow) -> datetime:
    """Return the time since which nothing was in a daily mail yet."""
    begun = min(player.digest_at or now, now) - timedelta(days=1)
    last = outbox.find_last_creation_time(session, player.number, MailKind.DIGEST, now)
    return max(begun, last) if last else begun
