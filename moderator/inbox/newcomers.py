"""Writers whom nobody knows: who wants to join is answered, and becomes a player; all others get no answer."""

from __future__ import annotations

from datetime import datetime, timedelta

from moderator.commands.player import tournament_words
from moderator.commands.player.joining import JoinWish, choose_free_name, choose_stranger_name, find_join_wish
from moderator.common import tokens
from moderator.common.enums import HeldFor, InboxState, MailKind
from moderator.common.errors import OperatorError
from moderator.inbox.identify import get_sender_verdict
from moderator.inbox.job import MailJob
from moderator.language.spelling import get_game_name, parse_yes_no
from moderator.notifications.pages import Reader
from moderator.rules.game import Note
from moderator.service import create, held_mails
from moderator.service.create import add_player, require_free_address
from moderator.service.free_seats import list_seat_offers
from moderator.service.held_mails import HeldAnswer, HeldStep
from moderator.service.match.start import MatchStart
from moderator.service.notifications import notify_chief, notify_reader
from moderator.service.notify import notify_match_events
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.settings import Config
from moderator.store import outbox
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views import tournament_view
from moderator.views.links import build_club_page, build_plain_reply, build_player_page, build_reply_address
from moderator.views.unit_of_work import Recipient

DAY = timedelta(days=1)
MOST_A_DAY = 50
"""Wishes of strangers that are answered, in all: nobody can make the club flood others with answers, nor the moderator
with names."""


def answer_stranger(job: MailJob) -> None:
    """Answer a mail from an address that is no player's. A writer who wants to join is told once a day how it goes on,
    and waits for the moderator or, in an open club, for a confirmation of the own; all others get no answer."""
    work, row, mail = job.work, job.row, job.mail
    wanted = find_join_wish(mail)
    if wanted is None or not mail.sender or _is_own_address(work.config, mail.sender):
        return
    if get_sender_verdict(work.config, mail) == "fail":
        row.note = "asks to join, but the sender is forged, as the mail server says"
    elif count_answered_strangers(job.session, work.now, mail.sender):
        row.note = "asks to join, and was answered today already"
    elif count_answered_strangers(job.session, work.now) >= MOST_A_DAY:
        row.note = f"asks to join; {MOST_A_DAY} others were answered today"
    elif not _is_usable_address(job.session, mail.sender):
        held_mails.hold_mail(work.session, row, HeldFor.SENDER, "asks to join, from an address that cannot be used")
    elif work.config.club.signup == "open":
        note = "wants to join; was asked whether the address is right"
        held_mails.hold_mail(work.session, row, HeldFor.NEWCOMER, note, state=InboxState.CONFIRM)
        row.token = tokens.generate_token()
        _ask_about_signup(job, wanted)
    else:
        note = "wants to join; was told that the moderator decides"
        held_mails.hold_mail(work.session, row, HeldFor.NEWCOMER, note)
        to = Reader(choose_stranger_name(wanted.name, mail.sender, wanted.language), mail.sender, wanted.language)
        reply, notes = build_plain_reply(work.config), (Note("closed-thanks"),)
        page = build_club_page(work.config, work.now, MailKind.CLOSED, to, reply=reply, notes=notes)
        notify_reader(work, Recipient(), page, answers=True)


def _is_own_address(config: Config, address: str) -> bool:
    return address in (config.mail.address.lower(), config.club.moderator.lower())


def _is_usable_address(session: Session, address: str) -> bool:
    try:
        require_free_address(session, address)
    except OperatorError:
        return False
    return True


def count_answered_strangers(session: Session, now: datetime, address: str = "") -> int:
    """Return how many strangers that wanted to join were answered in a day, or how often this one was."""
    return outbox.count_created_mails(session, (MailKind.CLOSED, MailKind.SIGNUP), now - DAY, address)


def _ask_about_signup(job: MailJob, wanted: JoinWish) -> None:
    """Ask the mailbox that wants to join whether its address is right; ``job``: the mail that asks to join."""
    work, row = job.work, job.row
    called_so = choose_free_name(work.session, work.config, wanted.name, row.sender)
    to = Reader(called_so, row.sender, wanted.language)
    note = Note("signup-was-it-you", {"name": called_so, "address": row.sender})
    reply = build_reply_address(work.config, tokens.CONFIRM, row.token)
    page = build_club_page(work.config, work.now, MailKind.SIGNUP, to, reply=reply, notes=(note,))
    notify_reader(work, Recipient(), page, answers=True)


def handle_signup_answer(job: MailJob, asked: MailJob) -> None:
    """Act on the answer to the question whether to join; ``asked``: the mail that is held. Yes: its writer becomes a
    player. Neither yes nor no: the question is asked again."""
    held, wanted = asked.row, find_join_wish(asked.mail)
    answer = held_mails.to_held_answer(parse_yes_no(job.mail.lines)) if wanted is not None else HeldAnswer.NO
    step = held_mails.answer_held_mail(job.session, held, answer)
    if step is HeldStep.DISCARD:
        held.note = "the mailbox says that it does not want to join"
    elif step is HeldStep.ASK_AGAIN and wanted is not None:
        _ask_about_signup(asked, wanted)
    elif step is HeldStep.RELEASE and wanted is not None:
        job.row.note = f"confirmed mail {held.id}"
        admit_stranger(asked, wanted)


def admit_stranger(job: MailJob, wanted: JoinWish) -> PlayerRow:
    """Create the player who has written the mail, seat them where they wanted to sit, and welcome them."""
    work, address, club = job.work, job.row.sender, job.work.config.club
    called_so = choose_free_name(work.session, work.config, wanted.name, address)
    player = add_player(work.session, called_so, address, work.now, language=wanted.language, zone=club.zone)
    notes = [Note("welcome-you-are", {"name": called_so, "address": address, "zone": player.zone})]
    notes += _seat_player(job, player, wanted)
    notes += _enter_tournament(job, player, wanted)
    found = create.list_open_matches(work.session, player)
    if found:
        notes += [Note("open-matches", {"count": len(found)}), *create.list_open_match_notes(work, found, player)]
    notes += list_seat_offers(work, player)
    tournaments = tournament_view.list_joinable_lines(work.session, player)
    if tournaments:
        notes += [Note("cups-open-ones"), *tournaments]
    page = build_player_page(work, MailKind.WELCOME, player, notes=tuple(notes))
    notify_reader(work, Recipient(player), page, answers=True)
    notify_chief(work, Note("has-joined", {"name": called_so, "address": address}))
    notify_match_events(work)
    return player


def _seat_player(job: MailJob, player: PlayerRow, wanted: JoinWish) -> list[Note]:
    """Give the player the free seat that the wish names, if there is one."""
    found = [
        match
        for match in create.list_open_matches(job.work.session, player)
        if (wanted.code and match.code == wanted.code) or (wanted.game and match.game == wanted.game)
    ]
    if len(found) != 1:
        return []
    match: MatchRow = found[0]
    left = create.seat_player(job.work, match, player)
    facts = {
        "match": match.code,
        "title": match.name,
        "game": get_game_name(match.game, player.language),
        "count": left,
    }
    if left:
        return [Note("joined", facts)]
    return [Note("joined-last" if MatchStart(job.work, match).begin_full_match() else "joined-not-begun", facts)]


def _enter_tournament(job: MailJob, player: PlayerRow, wanted: JoinWish) -> list[Note]:
    """Enter the player into the tournament that the wish names."""
    found = [
        tournament
        for tournament in tournament_view.list_joinable_tournaments(job.work.session)
        if wanted.tournament in (tournament.code.lower(), *tournament_words.list_name_keys(tournament.name))
    ]
    if len(found) != 1:
        return []
    return [
        tournament_view.TournamentSummary(job.work.session, found[0]).build_entered_note(
            ClubTournament(job.work, found[0]).enter_player(player), player.language
        )
    ]
