"""What mails a player wants: who wants one a day, and when it is due (what it says: delivery/pages.py); what a mail to
the address in ``List-Unsubscribe`` does (which mails have it: delivery/compose.py)."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.rules.game import Note
from moderator.rules.time.calendar import resolve_local_hour, to_local_day
from moderator.service.notifications import notify_reader
from moderator.settings import Config
from moderator.store import outbox, players, tournaments
from moderator.store.matches import OVER, find_match_by_code, list_seats_in_play
from moderator.store.tables import PlayerRow
from moderator.views.links import build_player_page
from moderator.views.unit_of_work import DailyMail, Recipient, UnitOfWork


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
    begun = min(player.digest_at or work.now, work.now) - timedelta(days=1)
    last = outbox.find_last_creation_time(work.session, player.number, MailKind.DIGEST, work.now)
    since = max(begun, last) if last else begun
    player.digest_at = compute_next_digest_time(work.config, work.now, player)
    work.session.add(player)
    notify_reader(work, Recipient(player), DailyMail(since))


ANSWER = MailKind.DONE
"""Kind of the mail that says what was stopped: no board, nothing to play."""


def unsubscribe(work: UnitOfWork, player: PlayerRow, what: str) -> tuple[Note, ...]:
    """End the mailing list whose address was used. Returns what was ended, which mails still come and how each of
    them is stopped, and how to have it again."""
    plays = [match.code for match, _ in list_seats_in_play(work.session, player.number)]
    if what == tokens.STOP:
        return _stop_all_lists(work, player, plays)
    if what == tokens.DAILY:
        switch_digest(work, player, on=False)
        found = [Note("unsubscribed-daily")]
        if plays:
            found += [Note("daily-each"), *(Note("still-match", {"match": code}) for code in plays)]
        return (*found, Note("still-rest"), Note("daily-again"))
    if what == tokens.NO_PUZZLE:
        player.puzzles = False
        work.session.add(player)
        return Note("unsubscribed-puzzles"), Note("still-rest"), Note("puzzles-again")
    return _stop_match_reports(work, player, what)


def _stop_all_lists(work: UnitOfWork, player: PlayerRow, plays: list[str]) -> tuple[Note, ...]:
    """Stop all mails that the club sends unasked and nobody waits for."""
    followed = [match.code for match in players.list_watched_matches(work.session, player.number)]
    waits = bool(players.list_standbys_of_player(work.session, player.number))
    puzzled, player.puzzles = player.puzzles, False
    player.invitations = False
    players.delete_watchers(work.session, player.number)
    players.delete_standbys(work.session, player.number)
    if player.digest and not plays:
        player.digest, player.digest_at = False, None
    work.session.add(player)
    found = [Note("unsubscribed")]
    if followed:
        found.append(Note("unsubscribed-watching", {"matches": followed}))
    if waits:
        found.append(Note("unsubscribed-standby"))
    if puzzled:
        found.append(Note("unsubscribed-puzzles-too"))
    again = [Note("watch-again", {"match": code}) for code in followed]
    again += [Note("puzzles-again")] if puzzled else []
    return (*found, *_build_remaining_notes(work, player, plays), Note("subscribe-again"), *again)


def _stop_match_reports(work: UnitOfWork, player: PlayerRow, code: str) -> tuple[Note, ...]:
    match = find_match_by_code(work.session, code)
    if match is not None:
        players.delete_watchers(work.session, player.number, match.number)
    found = (Note("unsubscribed-watching", {"matches": [code]}), Note("still-rest"))
    over = match is None or match.status in OVER
    return found if over else (*found, Note("watch-again", {"match": code}))


def _build_remaining_notes(work: UnitOfWork, player: PlayerRow, plays: list[str]) -> list[Note]:
    """Return notes about the mails that come all the same, and what ends them."""
    entered = tournaments.list_tournaments_of_player(work.session, player.number, tournaments.GOING)
    found = [Note("still-match", {"match": code}) for code in plays]
    found += [Note("still-cup", {"cup": tournament.code}) for tournament in entered]
    if plays:
        found.append(Note("still-digest" if player.digest else "still-each"))
    return found or [Note("still-nothing")]


def answer_unsubscription(work: UnitOfWork, player: PlayerRow, what: str = tokens.STOP) -> None:
    """Unsubscribe the player, and say so by one mail."""
    notes = unsubscribe(work, player, what)
    page = build_player_page(work, ANSWER, player, notes=notes)
    notify_reader(work, Recipient(player), page, answers=True)
