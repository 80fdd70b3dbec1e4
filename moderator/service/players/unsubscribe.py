"""What a mail to the address in ``List-Unsubscribe`` does (which mails have it: delivery/compose.py).

What others wait for cannot be stopped that way: the mails of a match that one plays in, and answers. They carry no such
header, because it would be a promise that nobody keeps.
"""

from __future__ import annotations

from moderator.common import tokens
from moderator.common.enums import MailKind, MatchStatus
from moderator.rules.game import Note
from moderator.service.notifications import notify_reader
from moderator.service.players import daily_mail
from moderator.store import players, tournaments
from moderator.store.database import Session
from moderator.store.matches import OVER, find_match_by_code, list_current_seats
from moderator.store.tables import PlayerRow
from moderator.views.mail_pages import build_club_page, build_personal_reply, build_player_reader
from moderator.views.notification import Recipient
from moderator.views.unit_of_work import UnitOfWork

ANSWER = MailKind.DONE
"""Kind of the mail that says what was stopped: no board, nothing to play."""


def unsubscribe_player(work: UnitOfWork, player: PlayerRow, what: str = tokens.STOP) -> tuple[Note, ...]:
    """End the mailing list whose address was used. Returns what was ended, which mails still come and how each of them
    is stopped, and how to have it again."""
    plays = [
        match.code
        for match, _ in list_current_seats(work.session, player.number)
        if match.status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
    ]
    if what == tokens.STOP:
        return _stop_all_lists(work.session, player, plays)
    if what == tokens.DAILY:
        return _stop_daily_mail(work, player, plays)
    if what == tokens.NO_PUZZLE:
        player.puzzles = False
        work.session.add(player)
        return Note("unsubscribed-puzzles"), Note("still-rest"), Note("puzzles-again")
    return _stop_match_reports(work.session, player, what)


def _stop_all_lists(session: Session, player: PlayerRow, plays: list[str]) -> tuple[Note, ...]:
    """Stop all mails that the club sends unasked and nobody waits for."""
    followed = [match.code for match in players.list_watched_matches(session, player.number)]
    waits = bool(players.list_standbys_of_player(session, player.number))
    puzzled, player.puzzles = player.puzzles, False
    player.invitations = False
    players.delete_watchers(session, player.number)
    players.delete_standbys(session, player.number)
    if player.digest and not plays:
        player.digest, player.digest_at = False, None
    session.add(player)
    found = [Note("unsubscribed")]
    if followed:
        found.append(Note("unsubscribed-watching", {"matches": followed}))
    if waits:
        found.append(Note("unsubscribed-standby"))
    if puzzled:
        found.append(Note("unsubscribed-puzzles-too"))
    again = [Note("watch-again", {"match": code}) for code in followed]
    again += [Note("puzzles-again")] if puzzled else []
    return (*found, *_build_remaining_notes(session, player, plays), Note("subscribe-again"), *again)


def _stop_daily_mail(work: UnitOfWork, player: PlayerRow, plays: list[str]) -> tuple[Note, ...]:
    """Stop the daily mail. What has waited for it comes once more: nobody misses a turn by that."""
    daily_mail.switch_digest(work, player, on=False)
    found = [Note("unsubscribed-daily")]
    if plays:
        found += [Note("daily-each"), *(Note("still-match", {"match": code}) for code in plays)]
    return (*found, Note("still-rest"), Note("daily-again"))


def _stop_match_reports(session: Session, player: PlayerRow, code: str) -> tuple[Note, ...]:
    """Stop the reports of one match."""
    match = find_match_by_code(session, code)
    if match is not None:
        players.delete_watchers(session, player.number, match.number)
    found = (Note("unsubscribed-watching", {"matches": [code]}), Note("still-rest"))
    over = match is None or match.status in OVER
    return found if over else (*found, Note("watch-again", {"match": code}))


def _build_remaining_notes(session: Session, player: PlayerRow, plays: list[str]) -> list[Note]:
    """Return notes about the mails that come all the same, and what ends them."""
    entered = tournaments.list_tournaments_of_player(session, player.number, tournaments.GOING)
    found = [Note("still-match", {"match": code}) for code in plays]
    found += [Note("still-cup", {"cup": tournament.code}) for tournament in entered]
    if plays:
        found.append(Note("still-digest" if player.digest else "still-each"))
    return found or [Note("still-nothing")]


def answer_unsubscription(work: UnitOfWork, player: PlayerRow, what: str = tokens.STOP) -> None:
    """Unsubscribe the player, and say so by one mail."""
    notes = unsubscribe_player(work, player, what)
    page = build_club_page(
        work.config,
        work.now,
        ANSWER,
        build_player_reader(player),
        reply=build_personal_reply(work.session, work.config, player),
        notes=notes,
    )
    notify_reader(work, Recipient(player), page, answers=True)


def switch_invitations(session: Session, player: PlayerRow, on: bool) -> None:
    """Set whether the player is told of tournaments that open."""
    player.invitations = on
    session.add(player)
