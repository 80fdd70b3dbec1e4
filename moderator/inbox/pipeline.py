"""One mail, from bytes to everything it leads to. Runs inside the mail's own transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from moderator.commands.declaration import KnownPlayer
from moderator.common import tokens
from moderator.common.enums import InboxState, MailKind, MatchStatus
from moderator.common.mails import ParsedMail
from moderator.inbox import audit, automatic, newcomers, puzzle_answers, repeats, staff_mail
from moderator.inbox.decide import build_unopened_notes, decide_player_mail
from moderator.inbox.identify import (
    GUESSED,
    GuessedTokenOwner,
    GuessedTokens,
    HeldMailConfirmation,
    ProtestAnswer,
    ProvenSender,
    SenderConfirmation,
    SignupAnswer,
    StaffWriter,
    StaleMail,
    UnprovenSender,
    Unsubscriber,
    UnvouchedSender,
    WordRulingAnswer,
    find_mail_owner,
    find_match_in_subject,
    find_players_in_text,
    find_token_owner,
    find_unsubscriber,
    find_writer_by_token,
    identify_sender,
    list_possible_writers,
)
from moderator.inbox.match_names import find_order_lines
from moderator.language.spelling import parse_yes_no
from moderator.mail.parse import parse_mail_bytes
from moderator.notifications.content import SenderQuestion
from moderator.notifications.pages import Reader
from moderator.rules.game import Note
from moderator.service import held_mails
from moderator.service.held_mails import REPEATED
from moderator.service.notifications import may_answer_today, notify_chief, notify_reader
from moderator.service.notify import notify_match_events
from moderator.service.players import address_change, reachability, unsubscribe
from moderator.service.players.address_change import AddressChangeAnswer
from moderator.service.seat_changes import WAITS_FOR, suspend_match
from moderator.store import outbox
from moderator.store.tables import InboxRow, MatchRow, OutboxRow, PlayerRow
from moderator.views.desk import Desk
from moderator.views.loaded_match import MatchSuspended
from moderator.views.mail_pages import (
    build_club_page,
    build_personal_reply,
    build_player_reader,
    build_reply_address,
    build_staff_reader,
)
from moderator.views.notification import Recipient

SHOWN = 12
"""Lines of a doubtful mail that are shown to whom it claims to be from."""
QUESTIONS = 10
"""Times a day that one address is asked whether a mail without a right token is its own."""
MOST_ANSWERED = 10
"""Of the mails that a mail names as those that it answers, so many are looked at, the last ones."""
NEVER_MEANT = frozenset({"bounce", "report", "reaction", "calendar"})
"""Machines' mails that are no orders, whatever address they are sent to: delivery reports, read receipts, smileys, what
a calendar answers."""


def dispatch_mail(desk: Desk) -> None:
    """Read ``desk.mail`` and act on it. Its state tells then what became of it."""
    row = _get_current_mail(desk)
    mail = _parse_row_mail(desk, row)
    row.message_id, row.sender, row.subject = mail.message_id[:998], mail.sender, mail.subject[:500]
    desk.session.add(row)
    if mail.bounce is not None:
        reachability.record_bounce(desk, row, mail, mail.bounce)
    elif mail.machine and (unsubscriber := find_unsubscriber(desk, mail)):
        unsubscribe.unsubscribe_player(desk, unsubscriber.player, unsubscriber.what)  # such mails are not answered
        row.state, row.note = InboxState.MACHINE, f"{mail.machine}; {unsubscriber.player.name} has unsubscribed"
    elif _is_own_mail(desk, mail):
        row.state, row.note = InboxState.MACHINE, "a mail of ours that came back"
    elif mail.machine:
        _handle_machine_mail(desk, row, mail)
    else:
        _handle_person_mail(desk, row, mail)


def _is_own_mail(desk: Desk, mail: ParsedMail) -> bool:
    """Return whether the mail is one of ours, by its Message-ID; some lists and forwarders take all other signs
    away."""
    if not mail.message_id.endswith(f"@{desk.config.mail.address.rpartition('@')[2]}>"):
        return False
    return outbox.is_own_message_id(desk.session, mail.message_id)


def _handle_machine_mail(desk: Desk, row: InboxRow, mail: ParsedMail) -> None:
    """Handle a mail of a machine. Nothing is answered. But where a token is right, or the provider vouches for a
    player, a person may have written it whose server or list adds such headers: the moderator lets it count, or not."""
    row.state, row.note = InboxState.MACHINE, mail.machine
    if mail.machine in NEVER_MEANT:
        return
    writer = identify_sender(desk, mail)
    if isinstance(writer, GuessedTokenOwner):
        writer = writer.owner
    if not isinstance(writer, UnprovenSender) and not (isinstance(writer, StaffWriter) and not writer.proven):
        held_mails.hold_for_staff(desk, row, held_mails.format_machine_note(mail), *find_mail_owner(desk, writer))


def _handle_person_mail(desk: Desk, row: InboxRow, mail: ParsedMail) -> None:
    writer = identify_sender(desk, mail)
    row.state = InboxState.DONE
    if isinstance(writer, GuessedTokens):
        row.state, row.note = InboxState.UNKNOWN, "no token was right, after many wrong ones"
    elif isinstance(writer, StaleMail):
        row.state, row.note = InboxState.UNKNOWN, "it is older than its writer's entry, or than the club"
    elif isinstance(writer, UnvouchedSender):
        alone = writer.players[0] if len(writer.players) == 1 else None
        doubtful = "nobody vouches for the sender" if alone else "several players have that address"
        why = f"no token, and {doubtful}; the registered address was asked"
        held_mails.assign_held(desk, row, alone, held_mails.find_match_of_mail(desk, mail))
        _ask_about_writer(desk, row, build_player_reader(writer.players[0]), mail, why, writer.players)
    elif isinstance(writer, GuessedTokenOwner):
        held_mails.assign_held(desk, row, *find_mail_owner(desk, writer.owner))
        _ask_about_writer(desk, row, _get_owner_mailbox(desk, writer.owner), mail, GUESSED)
    elif writer is None:
        row.state, row.note = InboxState.UNKNOWN, "the sender is no player and no token was right"
        newcomers.answer_stranger(desk, row, mail)
    else:
        answer_known_writer(desk, row, writer, mail)


def answer_known_writer(
    desk: Desk,
    row: InboxRow,
    writer: ProvenSender | SenderConfirmation | SignupAnswer | HeldMailConfirmation,
    mail: ParsedMail,
) -> None:
    """Do what a mail says whose writer is known for sure, and record an answer to a question of ours."""
    if isinstance(writer, SignupAnswer):
        newcomers.handle_signup_answer(desk, row, writer.held, mail.lines)
    elif isinstance(writer, SenderConfirmation):
        _handle_confirmation(desk, row, writer, mail)
    elif isinstance(writer, HeldMailConfirmation):
        _handle_release_answer(desk, row, writer.held, mail)
    else:
        _handle_proven_sender(desk, row, writer, mail)
    audit.record_answer_to_question(desk, writer)


def _handle_proven_sender(desk: Desk, row: InboxRow, writer: ProvenSender, mail: ParsedMail) -> None:
    """Do what the mail says."""
    if isinstance(writer, StaffWriter):
        staff_mail.handle_staff_mail(desk, row, mail, writer, answer_known_writer)
    elif isinstance(writer, WordRulingAnswer | ProtestAnswer):
        staff_mail.handle_staff_answer(desk, writer, mail.lines)
    elif isinstance(writer, AddressChangeAnswer):
        address_change.handle_address_answer(desk, row, writer, mail.lines)
    elif isinstance(writer, Unsubscriber):
        unsubscribe.answer_unsubscription(desk, writer.player, writer.what)
        row.note = f"{writer.player.name} has unsubscribed"
    else:
        _handle_player_mail(desk, row, writer, mail)


def _parse_row_mail(desk: Desk, row: InboxRow) -> ParsedMail:
    return parse_mail_bytes(row.raw, full=not row.is_truncated, own=desk.config.mail.address)


def _handle_player_mail(desk: Desk, row: InboxRow, writer: KnownPlayer, mail: ParsedMail) -> None:
    reachability.mark_reachable(desk, writer.player, mail.sender)
    desk.acts_on, desk.answered = row, mail.in_reply_to[-MOST_ANSWERED:]
    if row.is_truncated:
        too_large = Note("mail-too-large", {"size": row.size, "limit": desk.config.mail.max_bytes})
        _notify_unread(desk, writer, too_large, *build_unopened_notes(mail, mail.lines, whole=False))
    elif mail.damaged:
        row.note = f"the mail cannot be taken apart: {mail.damaged}; its writer was told"
        _notify_unread(desk, writer, Note("mail-damaged"))
    elif writer.puzzle:
        puzzle_answers.handle_puzzle_answer(desk, writer, mail)
        notify_match_events(desk)
    elif not row.note and (why := automatic.detect_automatic_mail(desk, row, writer, mail)):
        row.state, row.note = InboxState.MACHINE, f"{why}: nobody has written it"
        if why == automatic.AWAY:
            held_mails.hold_for_staff(desk, row, held_mails.MACHINE + "Subject", writer.player, writer.match)
    elif row.note or not repeats.ask_about_repeat(
        desk, row, writer, mail
    ):  # with a note: somebody was asked about it already
        decide_player_mail(desk, writer, mail)
        notify_match_events(desk)


def _ask_about_writer(
    desk: Desk, row: InboxRow, to: Reader, mail: ParsedMail, why: str, people: Sequence[PlayerRow] = ()
) -> None:
    """Hold the mail and ask at the address that we know; where several ``people`` have it, who of them wrote it. An
    address that was asked too often is asked no more that day: a stranger who writes under somebody's name must not
    fill that mailbox. Mails with a right token are counted by themselves, so that a stranger who has none keeps
    nobody's orders from being asked about."""
    row.state, row.note = InboxState.CONFIRM, why
    first, kind = not row.token, MailKind.CONFIRM_TOKEN if why == GUESSED else MailKind.CONFIRM
    most = desk.config.mail.replies_per_day if why == GUESSED else QUESTIONS
    asked = _count_recent_questions(desk, to.address, kind) if first else 0
    if first and (asked >= most or not (why == GUESSED or may_answer_today(desk, to.address))):
        row.note = f"{why.partition(';')[0]}; {held_mails.UNASKED}"
        return
    row.token = row.token or tokens.generate_token()
    said = [line.text for line in mail.lines]
    names = tuple(player.name for player in people) if len(people) > 1 else ()
    page = build_club_page(
        desk,
        MailKind.CONFIRM,
        to,
        reply=build_reply_address(desk, tokens.CONFIRM, row.token),
        remarks=(Note("confirm-last"),) if first and asked + 1 == most else (),
        content=SenderQuestion(tuple(said[:SHOWN]), len(said[SHOWN:]), names),
    )
    notify_reader(desk, Recipient(), page, answers=True, once=first and why == GUESSED, outbox_kind=kind)


def _count_recent_questions(desk: Desk, address: str, kind: MailKind) -> int:
    """Return how many such questions this address was sent in a day."""
    return outbox.count_created_mails(desk.session, (kind,), desk.now - timedelta(days=1), address)


def _get_owner_mailbox(desk: Desk, owner: ProvenSender) -> Reader:
    """Return the mailbox of the owner of a token."""
    if isinstance(owner, KnownPlayer | Unsubscriber):
        return build_player_reader(owner.player)
    return (
        address_change.get_answering_mailbox(desk, owner)
        if isinstance(owner, AddressChangeAnswer)
        else build_staff_reader(desk, owner.official)
    )


def _handle_release_answer(desk: Desk, row: InboxRow, held: InboxRow, mail: ParsedMail) -> None:
    """Act on the answer of a token's owner about a mail that carried it."""
    said, original = parse_yes_no(mail.lines), _parse_row_mail(desk, held)
    desk.session.add(held)
    if held.note == REPEATED:
        _handle_repeat_answer(desk, row, held, mail, said)
        return
    owner = find_token_owner(desk, original)
    if said is False or owner is None:
        held.state, held.note = InboxState.DROPPED, "the owner of its token says that it is no mail of theirs"
    elif said is None:
        _ask_about_writer(desk, held, _get_owner_mailbox(desk, owner), original, GUESSED)
    else:
        held.state, held.token, held.note = InboxState.DONE, "", ""
        row.note = f"confirmed mail {held.id}"
        _handle_proven_sender(desk, held, owner, original)
        audit.record_answer_to_question(desk, owner)


def _handle_repeat_answer(desk: Desk, row: InboxRow, held: InboxRow, mail: ParsedMail, said: bool | None) -> None:
    """Act on the answer of a player who was asked whether an order that came twice is meant twice. Another order in its
    place is an answer, too."""
    original = _parse_row_mail(desk, held)
    asked = desk.session.get(PlayerRow, held.player_id) if held.player_id else None
    known = KnownPlayer(asked, find_match_in_subject(desk.session, asked, original.subject)) if asked else None
    writer = find_writer_by_token(desk, original) or known
    held.token, held.state = "", InboxState.DONE if said else InboxState.DROPPED
    if not isinstance(writer, KnownPlayer):
        return
    row.note = f"about mail {held.id}, which came twice: {held.state}"
    if said:
        _handle_player_mail(desk, held, writer, original)
    elif said is None or find_order_lines(desk, writer, [writer.match.code] if writer.match else (), mail.lines):
        _handle_player_mail(desk, row, writer, mail)


def _handle_confirmation(desk: Desk, row: InboxRow, writer: SenderConfirmation, mail: ParsedMail) -> None:
    held, original = writer.held, _parse_row_mail(desk, writer.held)
    desk.session.add(held)
    reachability.mark_reachable(desk, writer.players[0], mail.sender)
    said = parse_yes_no(mail.lines)
    first = next((line.text for line in mail.lines if line.text.strip()), "")
    told = () if len(writer.players) < 2 else find_players_in_text(writer.players, first)
    people = tuple(told) or list_possible_writers(desk.session, original) or writer.players
    if said is False and not told:
        held.state, held.note = InboxState.DROPPED, "the registered address says that it did not write this"
    elif len(people) > 1 or (said is None and not told):
        _ask_about_writer(desk, held, build_player_reader(people[0]), original, held.note, people)
    else:
        held.state, held.token = InboxState.DONE, ""
        row.note = f"confirmed mail {held.id}"
        _handle_player_mail(
            desk,
            held,
            KnownPlayer(people[0], find_match_in_subject(desk.session, people[0], original.subject)),
            original,
        )


def _notify_unread(desk: Desk, writer: KnownPlayer, *why: Note) -> None:
    reply = build_personal_reply(desk, writer.player, writer.match, writer.seat)
    page = build_club_page(desk, MailKind.UNREAD, build_player_reader(writer.player), reply=reply, notes=why)
    notify_reader(
        desk, Recipient(writer.player, writer.match if writer.seat else None, writer.seat), page, answers=True
    )


def quarantine_mail(desk: Desk, trace: str, error: BaseException) -> None:
    """Store a mail that our own code could not handle, and tell the moderator."""
    row = _get_current_mail(desk)
    row.state, row.note = InboxState.QUARANTINE, trace[-20_000:]
    desk.session.add(row)
    facts = {"mail": row.id, "sender": row.sender, "subject": row.subject, "reason": f"{type(error).__name__}: {error}"}
    notify_chief(desk, Note("mail-quarantined", facts))


def quarantine_crasher(desk: Desk) -> None:
    """Quarantine a mail that was begun several times and never finished: something in it kills the process."""
    quarantine_mail(desk, "the process died each time this mail was handled", RuntimeError("died while handling it"))


def hold_for_match(desk: Desk, error: MatchSuspended) -> None:
    """Hold a mail for a match that cannot go on; it is read again when the match runs, and its writer is told so."""
    row = _get_current_mail(desk)
    mail = _parse_row_mail(desk, row)
    match = desk.session.get_one(MatchRow, error.match_id)
    row.sender, row.subject = mail.sender, mail.subject[:500]
    row.state, row.note = InboxState.QUARANTINE, WAITS_FOR + match.code
    desk.session.add(row)
    writer = identify_sender(desk, mail)
    if isinstance(writer, KnownPlayer):
        _notify_unread(desk, writer, Note("mail-waits", {"match": match.code}))
    if match.status != MatchStatus.SUSPENDED:
        suspend_match(desk, error.match_id, error.reason)


def record_undeliverable(desk: Desk, dead: OutboxRow) -> bool:
    """Record that a server refused a mail for good. Returns whether the moderator reads of it in a mail, now or
    before."""
    return reachability.mark_refused(desk, dead, dead.answer)


def _get_current_mail(desk: Desk) -> InboxRow:
    if desk.mail is None:
        raise ValueError("there is no mail at the desk")
    return desk.mail
