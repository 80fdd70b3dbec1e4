"""Writers whom nobody knows: who wants to join is answered, and becomes a player; all others get no answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from moderator.commands.player import joining, tournament_words
from moderator.commands.player.joining import JoinWish, choose_free_name, choose_stranger_name, find_join_wish
from moderator.commands.player.tournament import build_entered_note
from moderator.common import tokens
from moderator.common.enums import InboxState, MailKind
from moderator.common.errors import OperatorError
from moderator.common.mails import Bounce, Line, ParsedMail
from moderator.inbox.identify import (
    HeldMailConfirmation,
    ProvenSender,
    SenderConfirmation,
    SignupAnswer,
    find_claimed_player,
    find_writer_by_token,
    get_sender_verdict,
    list_possible_writers,
)
from moderator.language.spelling import get_game_name, parse_yes_no
from moderator.mail.parse import parse_mail_bytes
from moderator.notifications.pages import Reader
from moderator.rules.game import Note
from moderator.service import create, held_mails, seat_changes
from moderator.service.create import add_player, require_free_address
from moderator.service.notifications import notify_chief, notify_reader
from moderator.service.notify import notify_match_events
from moderator.service.players import reachability
from moderator.service.tournaments import registration
from moderator.store import outbox
from moderator.store.tables import InboxRow, MatchRow, PlayerRow
from moderator.views import tournament_view
from moderator.views.desk import Desk
from moderator.views.mail_pages import (
    build_club_page,
    build_personal_reply,
    build_plain_reply,
    build_player_reader,
    build_reply_address,
)
from moderator.views.notification import Recipient

DAY = timedelta(days=1)
MOST_A_DAY = 50
"""Wishes of strangers that are answered, in all: nobody can make the club flood others with answers, nor the moderator
with names."""


def answer_stranger(desk: Desk, row: InboxRow, mail: ParsedMail) -> None:
    """Answer a mail from an address that is no player's. A writer who wants to join is told once a day how it goes on,
    and waits for the moderator or, in an open club, for a confirmation of the own; all others get no answer."""
    wanted = find_join_wish(mail)
    if wanted is None or not mail.sender or _is_own_address(desk, mail.sender):
        return
    if get_sender_verdict(desk.config, mail) == "fail":
        row.note = "asks to join, but the sender is forged, as the mail server says"
    elif count_answered_strangers(desk, mail.sender):
        row.note = "asks to join, and was answered today already"
    elif count_answered_strangers(desk) >= MOST_A_DAY:
        row.note = f"asks to join; {MOST_A_DAY} others were answered today"
    elif not _is_usable_address(desk, mail.sender):
        held_mails.hold_for_staff(desk, row, "asks to join, from an address that cannot be used")
    elif desk.config.club.signup == "open":
        row.state, row.token = InboxState.CONFIRM, row.token or tokens.generate_token()
        row.note = f"{held_mails.WANTS_IN}; was asked whether the address is right"
        _ask_about_signup(desk, row, wanted)
    else:
        held_mails.hold_for_staff(desk, row, f"{held_mails.WANTS_IN}; was told that the moderator decides")
        to = Reader(choose_stranger_name(wanted.name, mail.sender, wanted.language), mail.sender, wanted.language)
        page = build_club_page(desk, MailKind.CLOSED, to, reply=build_plain_reply(desk), notes=(Note("closed-thanks"),))
        notify_reader(desk, Recipient(), page, answers=True)


def _is_own_address(desk: Desk, address: str) -> bool:
    return address in (desk.config.mail.address.lower(), desk.config.club.moderator.lower())


def _is_usable_address(desk: Desk, address: str) -> bool:
    try:
        require_free_address(desk.session, address)
    except OperatorError:
        return False
    return True


def count_answered_strangers(desk: Desk, address: str = "") -> int:
    """Return how many strangers that wanted to join were answered in a day, or how often this one was."""
    return outbox.count_created_mails(desk.session, (MailKind.CLOSED, MailKind.SIGNUP), desk.now - DAY, address)


def _ask_about_signup(desk: Desk, row: InboxRow, wanted: JoinWish) -> None:
    called_so = choose_free_name(desk, wanted.name, row.sender)
    to = Reader(called_so, row.sender, wanted.language)
    note = Note("signup-was-it-you", {"name": called_so, "address": row.sender})
    page = build_club_page(
        desk, MailKind.SIGNUP, to, reply=build_reply_address(desk, tokens.CONFIRM, row.token), notes=(note,)
    )
    notify_reader(desk, Recipient(), page, answers=True)


def handle_signup_answer(desk: Desk, row: InboxRow, held: InboxRow, lines: Sequence[Line]) -> None:
    """Act on the answer to the question whether to join. Yes: the writer of the held mail becomes a player. Neither yes
    nor no: the question is asked again."""
    said = parse_yes_no(lines)
    mail = parse_mail_bytes(held.raw, full=not held.is_truncated)
    wanted = find_join_wish(mail)
    if said is False or wanted is None:
        held.state, held.note = InboxState.DROPPED, "the mailbox says that it does not want to join"
    elif said is None:
        _ask_about_signup(desk, held, wanted)
    else:
        held.state, held.token, row.note = InboxState.DONE, "", f"confirmed mail {held.id}"
        admit_stranger(desk, held.sender, wanted)
    desk.session.add(held)


def admit_stranger(desk: Desk, address: str, wanted: JoinWish) -> PlayerRow:
    """Create the player, seat them where they wanted to sit, and welcome them."""
    club = desk.config.club
    called_so = choose_free_name(desk, wanted.name, address)
    player = add_player(desk.session, called_so, address, desk.now, language=wanted.language, zone=club.zone)
    notes = [Note("welcome-you-are", {"name": called_so, "address": address, "zone": player.zone})]
    notes += _seat_player(desk, player, wanted)
    notes += _enter_tournament(desk, player, wanted)
    found = create.list_open_matches(desk, player)
    if found:
        notes += [Note("open-matches", {"count": len(found)}), *create.list_open_match_notes(desk, found, player)]
    notes += seat_changes.list_seat_offers(desk, player)
    tournaments = tournament_view.list_joinable_lines(desk, player)
    if tournaments:
        notes += [Note("cups-open-ones"), *tournaments]
    page = build_club_page(
        desk,
        MailKind.WELCOME,
        build_player_reader(player),
        reply=build_personal_reply(desk, player),
        notes=tuple(notes),
    )
    notify_reader(desk, Recipient(player), page, answers=True)
    notify_chief(desk, Note("has-joined", {"name": called_so, "address": address}))
    notify_match_events(desk)
    return player


def _seat_player(desk: Desk, player: PlayerRow, wanted: JoinWish) -> list[Note]:
    """Give the player the free seat that the wish names, if there is one."""
    found = [
        match
        for match in create.list_open_matches(desk, player)
        if (wanted.code and match.code == wanted.code) or (wanted.game and match.game == wanted.game)
    ]
    if len(found) != 1:
        return []
    match: MatchRow = found[0]
    left = create.seat_player(desk, match, player)
    facts = {
        "match": match.code,
        "title": match.name,
        "game": get_game_name(match.game, player.language),
        "count": left,
    }
    if left:
        return [Note("joined", facts)]
    return [Note("joined-last" if create.begin_full_match(desk, match) else "joined-not-begun", facts)]


def _enter_tournament(desk: Desk, player: PlayerRow, wanted: JoinWish) -> list[Note]:
    """Enter the player into the tournament that the wish names."""
    found = [
        tournament
        for tournament in tournament_view.list_joinable_tournaments(desk)
        if wanted.tournament in (tournament.code.lower(), *tournament_words.list_name_keys(tournament.name))
    ]
    if len(found) != 1:
        return []
    return [build_entered_note(desk, found[0], registration.enter_player(desk, found[0], player), player.language)]


# ---- A mail that waits counts after all, because the moderator says so.


ActUpon = Callable[
    [Desk, InboxRow, ProvenSender | SenderConfirmation | SignupAnswer | HeldMailConfirmation, ParsedMail], None
]
"""``pipeline.answer_known_writer``. It is handed down, because what a mail leads to may be one of these commands."""
ACCEPTED = "accepted by the moderator"


def accept_held(desk: Desk, number: int, act_upon: ActUpon) -> Note:
    """Let a held mail count as if nothing had spoken against it: for the seat or question whose token it carries, for
    the player whose address it gives, for the stranger who wants in, for the report that it is. It counts as of the
    time at which it came. Raises OperatorError for a mail that is not held or says nothing that could count;
    Suspended."""
    row = held_mails.get_held(desk, number)
    mail = parse_mail_bytes(row.raw, full=not row.is_truncated)
    apart = replace(desk, mail=row)
    kind, sender = held_mails.classify_held(row), row.sender
    row.state, row.token, row.note = InboxState.DONE, "", ACCEPTED
    desk.session.add(row)
    if mail.bounce is not None:
        return _accept_report(apart, row, mail.bounce)
    if kind.startswith("joins"):
        return _accept_stranger(apart, row, mail)
    writer = find_writer_by_token(apart, mail) or find_claimed_player(apart, mail)
    if writer is None:
        several = " or ".join(player.name for player in list_possible_writers(desk.session, mail))
        raise OperatorError(
            f"Mail {number} has no right token, and {sender or 'its sender'} is {several or 'no player'}.",
            "Enter the player (`moderator player add`), or move for one (`moderator match move`).",
        )
    act_upon(apart, row, writer, mail)
    return Note("mail-accepted", {"number": str(number), "address": sender or "?", "at": row.received_at})


def _accept_report(desk: Desk, row: InboxRow, report: Bounce) -> Note:
    player = desk.session.get(PlayerRow, row.player_id) if row.player_id else None
    if player is None:
        raise OperatorError(f"Mail {row.id} is a delivery report about no player.", "Drop it.")
    reachability.accept_bounce(desk, player, report)
    return Note("mail-accepted-report", {"number": str(row.id), "name": player.name})


def _accept_stranger(desk: Desk, row: InboxRow, mail: ParsedMail) -> Note:
    wanted = joining.find_join_wish(mail)
    if wanted is None:
        raise OperatorError(f"Mail {row.id} asks for nothing any more.", "Drop it.")
    player = admit_stranger(desk, row.sender, wanted)
    return Note("mail-accepted-stranger", {"number": str(row.id), "name": player.name, "address": row.sender})
