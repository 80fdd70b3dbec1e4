"""One mail, from bytes to everything it leads to: ``MAIL_STEPS``. Runs inside the mail's own transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from moderator.commands.player.joining import find_join_wish
from moderator.common import tokens
from moderator.common.enums import HeldFor, InboxState, MailKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.inbox import newcomers, uncertain_mails
from moderator.inbox.audit import record_answer
from moderator.inbox.decide import build_unopened_notes
from moderator.inbox.identify import (
    find_claimed_player,
    find_mail_owner,
    find_match_in_subject,
    find_players_in_text,
    find_token_owner,
    find_unsubscriber,
    find_writer,
    find_writer_by_token,
    list_possible_writers,
)
from moderator.inbox.job import MailJob, Proof, Purpose, Role, Writer, build_confirmed_player
from moderator.inbox.places import find_order_lines
from moderator.inbox.player_mail import decide_player_mail, decide_puzzle_answer, read_player_mail
from moderator.inbox.staff_mail import handle_staff_answer, handle_staff_mail, read_staff_mail
from moderator.language.spelling import parse_yes_no
from moderator.mail.authentication import find_authserv_id
from moderator.mail.build import reduce_mail
from moderator.mail.parse import parse_mail_bytes
from moderator.notifications.content import SenderQuestion
from moderator.notifications.pages import Reader
from moderator.rules.game import Note
from moderator.service import held_mails
from moderator.service.held_mails import HeldAnswer, HeldStep, answer_held_mail, next_step, to_held_answer
from moderator.service.match.halt import suspend_match
from moderator.service.notifications import may_answer_today, notify_chief, notify_reader
from moderator.service.notify import notify_match_events
from moderator.service.players import address_change
from moderator.service.players.address_change import AddressAsker
from moderator.service.players.reachability import BounceHandler, PlayerReachability
from moderator.service.players.wanted_mails import answer_unsubscription, unsubscribe
from moderator.store import key_values, outbox
from moderator.store.due_work import CHECKED_BY
from moderator.store.tables import AddressChange, InboxRow, MatchRow, OutboxRow, PlayerRow
from moderator.views.links import (
    build_club_page,
    build_personal_reply,
    build_player_page,
    build_player_reader,
    build_reply_address,
    build_staff_reader,
)
from moderator.views.loaded_match import MatchSuspended
from moderator.views.unit_of_work import Recipient, UnitOfWork

SHOWN = 12
"""Lines of a doubtful mail that are shown to whom it claims to be from."""
QUESTIONS = 10
"""Times a day that one address is asked whether a mail without a right token is its own."""
MOST_ANSWERED = 10
"""Of the mails that a mail names as those that it answers, so many are looked at, the last ones."""
NEVER_MEANT = frozenset({"bounce", "report", "reaction", "calendar"})
"""Machines' mails that are no orders, whatever address they are sent to: delivery reports, read receipts, smileys, what
a calendar answers."""


Step = Callable[[MailJob], None]


# ---- the steps ----


def parse_mail(job: MailJob) -> None:
    """Parse the bytes, and keep what the list of mails shows."""
    row = job.row
    mail = job.mail = parse_mail_bytes(row.raw, full=not row.is_truncated, own=job.work.config.mail.address)
    row.message_id, row.sender, row.subject = mail.message_id[:998], mail.sender, mail.subject[:500]
    job.session.add(row)
    _note_sender_check(job)


def _note_sender_check(job: MailJob) -> None:
    """Note which server checks senders, where the club does not say whose word it takes: `today` offers to set it."""
    if job.work.config.mail.authserv_id or not job.mail.authentication:
        return
    name = find_authserv_id(job.mail.authentication[0])
    if name and key_values.find_value(job.session, CHECKED_BY) is None:
        key_values.save_value(job.session, CHECKED_BY, name)


def sort_out_machines(job: MailJob) -> None:
    """Settle what is no order for sure, whatever address it was sent to: nothing of it is answered."""
    row, mail = job.row, job.mail
    job.settled = True
    if mail.bounce is not None:
        BounceHandler(job.work, reduce_mail).record_bounce(row, mail, mail.bounce)
    elif mail.machine and (unsubscriber := find_unsubscriber(job)):
        unsubscribe(job.work, unsubscriber.player, unsubscriber.unwanted)
        row.state, row.note = InboxState.MACHINE, f"{mail.machine}; {unsubscriber.player.name} has unsubscribed"
    elif _is_own_mail(job):
        row.state, row.note = InboxState.MACHINE, "a mail of ours that came back"
    elif mail.machine in NEVER_MEANT:
        row.state, row.note = InboxState.MACHINE, mail.machine
    else:
        job.settled = False


def identify_writer(job: MailJob) -> None:
    """Find out who wrote the mail, what proves it and what it is for."""
    job.writer = find_writer(job)


def hold_or_pass(job: MailJob) -> None:
    """Let pass what is proven to be its writer's. Else the mail is held and somebody asked, or nothing comes of it."""
    row, writer = job.row, job.writer
    job.settled = True
    if job.mail.machine:
        _hold_machine_mail(job)
    elif writer.proof is Proof.WRONG_TOKENS:
        row.state, row.note = InboxState.UNKNOWN, "no token was right, after many wrong ones"
    elif writer.proof is Proof.OUTDATED:
        row.state, row.note = InboxState.UNKNOWN, "it is older than its writer's entry, or than the club"
    elif writer.proof is Proof.GUESSING:
        player, match = find_mail_owner(job.session, writer)
        _hold_for_answer(job, HeldFor.GUESSING, "tokens are guessed", player, match)
        _ask_about_mail(job, _build_owner_mailbox(job, writer))
    elif writer.proof is Proof.NONE and writer.role is Role.STRANGER:
        row.state, row.note = InboxState.UNKNOWN, "the sender is no player and no token was right"
        newcomers.answer_stranger(job)
    elif writer.proof is Proof.NONE and writer.role is Role.PLAYER:
        alone = writer.player if len(writer.people) == 1 else None
        doubtful = "nobody vouches for the sender" if alone else "several players have that address"
        match = held_mails.find_match_of_mail(job.work.session, job.mail)
        _hold_for_answer(job, HeldFor.SENDER, f"no token, and {doubtful}", alone, match)
        _ask_about_mail(job, build_player_reader(writer.people[0]), writer.people)
    else:
        row.state, job.settled = InboxState.DONE, False


def sift_player_mail(job: MailJob) -> None:
    """Settle a player's mail that cannot be read, that nobody has written, or that came twice."""
    work, row, mail, writer = job.work, job.row, job.mail, job.writer
    if writer.purpose not in (Purpose.PLAY, Purpose.PUZZLE):
        return
    PlayerReachability(work, writer.player).mark_reachable(mail.sender)
    work.acts_on, work.answered = row, mail.in_reply_to[-MOST_ANSWERED:]
    row.content_digest = uncertain_mails.compute_content_digest(mail, row.sender)
    job.settled = True
    if row.is_truncated:
        too_large = Note("mail-too-large", {"size": row.size, "limit": work.config.mail.max_bytes})
        _notify_unread(job, too_large, *build_unopened_notes(mail, mail.lines, whole=False))
    elif mail.damaged:
        row.note = f"the mail cannot be taken apart: {mail.damaged}; its writer was told"
        _notify_unread(job, Note("mail-damaged"))
    elif writer.purpose is Purpose.PUZZLE or job.meant:
        job.settled = False
    elif why := uncertain_mails.detect_automatic_mail(job):
        row.state, row.note = InboxState.MACHINE, f"{why}: nobody has written it"
        if why == uncertain_mails.AWAY:
            held_mails.hold_as_machine_mail(job.session, row, "Subject", writer.player, writer.match)
    else:
        job.settled = uncertain_mails.ask_about_repeat(job)


def read_instructions(job: MailJob) -> None:
    """Read what a player or the staff want: commands, orders, and lines that are neither."""
    if job.writer.purpose is Purpose.PLAY:
        read_player_mail(job)
    elif job.writer.purpose is Purpose.COMMAND and job.writer.is_proven:
        read_staff_mail(job)


def decide(job: MailJob) -> None:
    """Do what the mail says: each purpose has its function in ``DECIDERS``."""
    DECIDERS[job.writer.purpose](job)


def note_match_news(job: MailJob) -> None:
    """Note for everybody what happened in their matches; mails are made of it at the end of the transaction."""
    if job.writer.purpose in (Purpose.PLAY, Purpose.PUZZLE):
        notify_match_events(job.work)


MAIL_STEPS: tuple[Step, ...] = (
    parse_mail,
    sort_out_machines,
    identify_writer,
    hold_or_pass,
    sift_player_mail,
    read_instructions,
    decide,
    note_match_news,
    record_answer,
)
"""The way of a mail: each step takes the job, and the one that settles it is the last."""
STEPS_OF_PROVEN = MAIL_STEPS[MAIL_STEPS.index(sift_player_mail) :]
"""The way of a mail that was held, when somebody who may say so says that it counts."""


def dispatch_mail(work: UnitOfWork) -> None:
    """Read ``work.mail`` and act on it. Its state tells then what became of it."""
    run_mail_steps(MailJob(work, _get_current_mail(work)), MAIL_STEPS)


def run_mail_steps(job: MailJob, steps: Sequence[Step]) -> None:
    """Take the mail through these steps, as far as it comes."""
    for step in steps:
        step(job)
        if job.settled:
            return


# ---- who is asked, and who is told ----


def _is_own_mail(job: MailJob) -> bool:
    """Return whether the mail is one of ours, by its Message-ID; some lists and forwarders take all other signs
    away."""
    number = job.mail.message_id
    if not number.endswith(f"@{job.work.config.mail.address.rpartition('@')[2]}>"):
        return False
    return outbox.is_own_message_id(job.session, number)


def _hold_machine_mail(job: MailJob) -> None:
    """Put a mail of a machine aside. Nothing is answered. But where a token is right, or the provider vouches for a
    player, a person may have written it whose server or list adds such headers: the moderator lets it count, or not."""
    row, writer = job.row, job.writer
    row.state, row.note = InboxState.MACHINE, job.mail.machine
    if writer.is_proven or writer.proof is Proof.GUESSING:
        player, match = find_mail_owner(job.session, writer)
        held_mails.hold_as_machine_mail(job.session, row, job.mail.machine_header, player, match)


def _hold_for_answer(
    job: MailJob, held_for: HeldFor, why: str, player: PlayerRow | None, match: MatchRow | None
) -> None:
    held_mails.hold_mail(job.session, job.row, held_for, why, player, match, InboxState.CONFIRM)


def _ask_about_mail(job: MailJob, to: Reader, people: Sequence[PlayerRow] = ()) -> None:
    """Ask about a held mail at the address that we know; where several ``people`` have it, who of them wrote it. An
    address that was asked too often is asked no more that day: a stranger who writes under somebody's name must not
    fill that mailbox. Mails with a right token are counted by themselves, so that a stranger who has none keeps
    nobody's orders from being asked about."""
    work, row, why = job.work, job.row, job.row.note
    guessing, first = row.held_for is HeldFor.GUESSING, not row.token
    kind = MailKind.CONFIRM_TOKEN if guessing else MailKind.CONFIRM
    most = work.config.mail.replies_per_day if guessing else QUESTIONS
    asked = (
        outbox.count_created_mails(job.session, (kind,), job.work.now - timedelta(days=1), to.address) if first else 0
    )
    spent = asked >= most or not (guessing or may_answer_today(work, to.address))
    if first and spent and next_step(row.held_for, HeldAnswer.ASK_LIMIT) is HeldStep.STAY:
        row.note = f"{why}; the registered address was asked often enough today"
        return
    row.token = row.token or tokens.generate_token()
    said = [line.text for line in job.mail.lines]
    names = tuple(player.name for player in people) if len(people) > 1 else ()
    page = build_club_page(
        work.config,
        work.now,
        MailKind.CONFIRM,
        to,
        reply=build_reply_address(work.config, tokens.CONFIRM, row.token),
        remarks=(Note("confirm-last"),) if first and asked + 1 == most else (),
        content=SenderQuestion(tuple(said[:SHOWN]), len(said[SHOWN:]), names),
    )
    notify_reader(work, Recipient(), page, answers=True, once=first and guessing, outbox_kind=kind)
    if first:
        row.note = f"{why}; {'its owner' if guessing else 'the registered address'} was asked"


def _build_owner_mailbox(job: MailJob, owner: Writer) -> Reader:
    """Return the mailbox of the owner of a token."""
    match owner.purpose:
        case Purpose.CONFIRM_OLD_ADDRESS | Purpose.CONFIRM_NEW_ADDRESS:
            old = owner.purpose is Purpose.CONFIRM_OLD_ADDRESS
            return address_change.get_answering_mailbox(job.session, owner.about or 0, old=old)
        case _ if owner.staff is not None:
            return build_staff_reader(job.work.config, owner.staff)
        case _:
            return build_player_reader(owner.player)


def _notify_unread(job: MailJob, *why: Note) -> None:
    """Tell a player that the mail could not be read, and why."""
    work, writer = job.work, job.writer
    reply = build_personal_reply(work.session, work.config, writer.player, writer.match, writer.seat)
    page = build_player_page(work, MailKind.UNREAD, writer.player, reply=reply, notes=why)
    to = Recipient(writer.player, writer.match if writer.seat else None, writer.seat)
    notify_reader(work, to, page, answers=True)


# ---- what is done for each purpose ----


def _unsubscribe(job: MailJob) -> None:
    answer_unsubscription(job.work, job.player, job.writer.unwanted)
    job.row.note = f"{job.player.name} has unsubscribed"


def _answer_address_change(job: MailJob) -> None:
    """Act on the answer of one of the two mailboxes of a change of address."""
    change = job.session.get_one(AddressChange, job.writer.about or 0)
    asker = AddressAsker(job.work, job.session.get_one(PlayerRow, change.player_id))
    asker.handle_answer(job.row, change, job.mail.lines, old=job.writer.purpose is Purpose.CONFIRM_OLD_ADDRESS)


def _open_held_mail(job: MailJob) -> MailJob:
    """Return the held mail about which this one says something."""
    held = MailJob(job.work, job.session.get_one(InboxRow, job.writer.about))
    parse_mail(held)
    return held


def _answer_about_token(job: MailJob) -> None:
    """Act on the answer of a token's owner about a mail that carried it."""
    said, held = parse_yes_no(job.mail.lines), _open_held_mail(job)
    if held.row.held_for is HeldFor.REPEAT:
        _answer_about_repeat(job, held, said)
        return
    owner = find_token_owner(held)
    step = answer_held_mail(job.session, held.row, HeldAnswer.NO if owner is None else to_held_answer(said))
    if step is HeldStep.DISCARD or owner is None:
        held.row.note = "the owner of its token says that it is no mail of theirs"
    elif step is HeldStep.ASK_AGAIN:
        _ask_about_mail(held, _build_owner_mailbox(job, owner))
    else:
        job.row.note = f"confirmed mail {held.row.id}"
        _release(held, owner)


def _answer_about_repeat(job: MailJob, held: MailJob, said: bool | None) -> None:
    """Act on the answer of a player who was asked whether an order that came twice is meant twice. Another order in its
    place is an answer, too."""
    number = held.row.player_id
    asked = job.session.get(PlayerRow, number) if number else None
    writer = find_writer_by_token(held) or (_build_writer_of(held, asked) if asked else None)
    answer, known = to_held_answer(said), writer is not None and writer.purpose in (Purpose.PLAY, Purpose.PUZZLE)
    if writer is None or not known:
        answer_held_mail(job.session, held.row, answer)
        return
    job.writer, job.meant = writer, True
    codes = [writer.match.code] if writer.match else ()
    if answer is HeldAnswer.NO and find_order_lines(job, codes, job.mail.lines):
        answer = HeldAnswer.OTHER
    step = answer_held_mail(job.session, held.row, answer)
    job.row.note = f"about mail {held.row.id}, which came twice: {held.row.state}"
    if step is HeldStep.RELEASE:
        _release(held, writer, meant=True)
    elif step is HeldStep.READ_ANSWER:
        run_mail_steps(job, STEPS_OF_PROVEN)


def _answer_about_sender(job: MailJob) -> None:
    """Act on the answer to "was it you?": by yes, or where several have the address by a name."""
    held, people = _open_held_mail(job), job.writer.people
    PlayerReachability(job.work, people[0]).mark_reachable(job.mail.sender)
    first = next((line.text for line in job.mail.lines if line.text.strip()), "")
    told = () if len(people) < 2 else find_players_in_text(people, first)
    found = tuple(told) or list_possible_writers(job.session, held.mail) or people
    answer = HeldAnswer.YES if told else to_held_answer(parse_yes_no(job.mail.lines))
    if len(found) > 1 and answer is HeldAnswer.YES:
        answer = HeldAnswer.OTHER  # somebody did, but who?
    step = answer_held_mail(job.session, held.row, answer)
    if step is HeldStep.DISCARD:
        held.row.note = "the registered address says that it did not write this"
    elif step is HeldStep.ASK_AGAIN:
        _ask_about_mail(held, build_player_reader(found[0]), found)
    else:
        job.row.note = f"confirmed mail {held.row.id}"
        _release(held, _build_writer_of(held, found[0]), meant=True)


def _build_writer_of(job: MailJob, player: PlayerRow) -> Writer:
    """Return this player as the writer of a mail without a token."""
    return build_confirmed_player(player, find_match_in_subject(job.session, player, job.mail.subject))


def _release(held: MailJob, writer: Writer, *, meant: bool = False) -> None:
    """Handle a mail that was held as that of its proven writer."""
    held.writer, held.meant = writer, meant
    run_mail_steps(held, STEPS_OF_PROVEN)


DECIDERS: Mapping[Purpose, Step] = {
    Purpose.PLAY: decide_player_mail,
    Purpose.PUZZLE: decide_puzzle_answer,
    Purpose.COMMAND: lambda job: handle_staff_mail(job, accept_held),
    Purpose.RULE_WORD: handle_staff_answer,
    Purpose.RULE_PROTEST: handle_staff_answer,
    Purpose.CONFIRM_OLD_ADDRESS: _answer_address_change,
    Purpose.CONFIRM_NEW_ADDRESS: _answer_address_change,
    Purpose.CONFIRM_SENDER: _answer_about_sender,
    Purpose.CONFIRM_TOKEN: _answer_about_token,
    Purpose.CONFIRM_SIGNUP: lambda job: newcomers.handle_signup_answer(job, _open_held_mail(job)),
    Purpose.UNSUBSCRIBE: _unsubscribe,
}


# ---- a held mail counts after all, because the moderator says so ----


def accept_held(work: UnitOfWork, number: int) -> Note:
    """Let a held mail count as if nothing had spoken against it: for the seat or question whose token it carries, for
    the player whose address it gives, for the stranger who wants in, for the report that it is. It counts as of the
    time at which it came. Raises OperatorError for a mail that is not held or says nothing that could count;
    Suspended."""
    row = held_mails.get_held(work.session, number)
    apart = MailJob(replace(work, mail=row), row, meant=True)
    parse_mail(apart)
    wants_in = row.held_for is HeldFor.NEWCOMER
    if answer_held_mail(work.session, row, HeldAnswer.ACCEPT) is not HeldStep.RELEASE:
        raise OperatorError(f"Mail {number} cannot count.", "Drop it, or `moderator quarantine retry` reads it again.")
    row.note = "accepted by the moderator"
    if apart.mail.bounce is not None:
        return _accept_report(apart)
    if wants_in:
        return _accept_stranger(apart)
    writer = find_writer_by_token(apart) or find_claimed_player(work.session, apart.mail)
    if writer is None:
        several = " or ".join(player.name for player in list_possible_writers(work.session, apart.mail))
        raise OperatorError(
            f"Mail {number} has no right token, and {row.sender or 'its sender'} is {several or 'no player'}.",
            "Enter the player (`moderator player add`), or move for one (`moderator match move`).",
        )
    _release(apart, writer, meant=True)
    return Note("mail-accepted", {"number": str(number), "address": row.sender or "?", "at": row.received_at})


def _accept_report(job: MailJob) -> Note:
    row, report = job.row, job.mail.bounce
    player = job.session.get(PlayerRow, row.player_id) if row.player_id else None
    if player is None or report is None:
        raise OperatorError(f"Mail {row.id} is a delivery report about no player.", "Drop it.")
    BounceHandler(job.work, reduce_mail).accept_bounce(player, report)
    return Note("mail-accepted-report", {"number": str(row.id), "name": player.name})


def _accept_stranger(job: MailJob) -> Note:
    row, wanted = job.row, find_join_wish(job.mail)
    if wanted is None:
        raise OperatorError(f"Mail {row.id} asks for nothing any more.", "Drop it.")
    player = newcomers.admit_stranger(job, wanted)
    return Note("mail-accepted-stranger", {"number": str(row.id), "name": player.name, "address": row.sender})


# ---- mails that cannot be handled now ----


def quarantine_mail(work: UnitOfWork, trace: str, error: BaseException) -> None:
    """Store a mail that our own code could not handle, and tell the moderator."""
    row = _get_current_mail(work)
    held_mails.hold_mail(work.session, row, HeldFor.CRASH, trace[-20_000:], state=InboxState.QUARANTINE)
    facts = {"mail": row.id, "sender": row.sender, "subject": row.subject, "reason": f"{type(error).__name__}: {error}"}
    notify_chief(work, Note("mail-quarantined", facts))


def quarantine_crasher(work: UnitOfWork) -> None:
    """Quarantine a mail that was begun several times and never finished: something in it kills the process."""
    quarantine_mail(work, "the process died each time this mail was handled", RuntimeError("died while handling it"))


def hold_for_match(work: UnitOfWork, error: MatchSuspended) -> None:
    """Hold a mail for a match that cannot go on; it is read again when the match runs, and its writer is told so."""
    job = MailJob(work, _get_current_mail(work))
    match = work.session.get_one(MatchRow, error.match_id)
    parse_mail(job)
    identify_writer(job)
    note = f"waits for suspended match {match.code}"
    held_mails.hold_mail(work.session, job.row, HeldFor.MATCH, note, match=match, state=InboxState.QUARANTINE)
    if job.writer.is_proven and job.writer.purpose in (Purpose.PLAY, Purpose.PUZZLE):
        _notify_unread(job, Note("mail-waits", {"match": match.code}))
    if match.status != MatchStatus.SUSPENDED:
        suspend_match(work, error.match_id, error.reason)


def record_undeliverable(work: UnitOfWork, dead: OutboxRow) -> bool:
    """Record that a server refused a mail for good. Returns whether the moderator reads of it in a mail, now or
    before."""
    return BounceHandler(work, reduce_mail).mark_refused(dead, dead.answer)


def _get_current_mail(work: UnitOfWork) -> InboxRow:
    if work.mail is None:
        raise ValueError("there is no mail in the unit of work")
    return work.mail
