"""One mail, from bytes to everything it leads to. Runs inside the mail's own transaction."""

from __future__ import annotations

from sqlmodel import select

from moderator.desk import address, audit, bounced, protest, questions, signup, tokens
from moderator.desk.announce import announce
from moderator.desk.answer import answer
from moderator.desk.boss import command
from moderator.desk.consent import consent
from moderator.desk.desk import Desk
from moderator.desk.identify import Boss, Confirmed, Doubt, Identity, Moving, Newcomer, Objection, Ruling, identify
from moderator.desk.live import Suspended, rebuild
from moderator.desk.post import new_page, plain_reply, post, reader, reply_to, tell_moderator
from moderator.engine.contract import Note
from moderator.errors import OperatorError
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from moderator.store.models import Inbox, Match, Outbox, Player

_WAITS_FOR = "waits for suspended match "


def handle(desk: Desk) -> None:
    """Read ``desk.mail`` and act on it. Its state says afterwards what became of it."""
    row = _at_hand(desk)
    mail = _read(row)
    row.message_id, row.sender, row.subject = mail.message_id[:998], mail.sender, mail.subject[:500]
    desk.session.add(row)
    if mail.bounce is not None:
        bounced.note(desk, mail.bounce)
        row.state, row.note = "machine", "bounce"
    elif mail.machine:
        row.state, row.note = "machine", mail.machine
    else:
        _from_a_person(desk, row, mail)


def _from_a_person(desk: Desk, row: Inbox, mail: Incoming) -> None:
    writer = identify(desk, mail)
    row.state = "done"
    if writer is None:
        row.state, row.note = "unknown", "the sender is no player and no token was right"
        signup.stranger(desk, row, mail)
    elif isinstance(writer, Boss):
        command.carry_out(desk, row, mail, writer.proven)
    elif isinstance(writer, Ruling):
        questions.take_answer(desk, writer.question, mail.lines)
    elif isinstance(writer, Objection):
        protest.take_answer(desk, writer.protest, mail.lines)
    elif isinstance(writer, Newcomer):
        signup.take_answer(desk, row, writer.held, mail.lines)
    elif isinstance(writer, Moving):
        address.take_answer(desk, row, writer, mail.lines)
    elif isinstance(writer, Doubt):
        _ask_whether_it_was_you(desk, row, writer.player, mail)
    elif isinstance(writer, Confirmed):
        _confirmed(desk, row, writer, mail)
    else:
        _act(desk, row, writer, mail)
    audit.answered(desk, writer)


def _read(row: Inbox) -> Incoming:
    return read_mail(row.raw, full=not row.truncated)


def _act(desk: Desk, row: Inbox, writer: Identity, mail: Incoming) -> None:
    bounced.heard_from(desk, writer.player, mail.sender)
    if row.truncated:
        _unread(desk, writer, Note("mail-too-large", {"size": row.size, "limit": desk.config.mail.max_bytes}))
    elif mail.damaged:
        row.note = f"the mail cannot be taken apart: {mail.damaged}; its writer was told"
        _unread(desk, writer, Note("mail-damaged"))
    else:
        answer(desk, writer, mail)
        announce(desk)


def _ask_whether_it_was_you(desk: Desk, row: Inbox, player: Player, mail: Incoming) -> None:
    row.state, row.token = "confirm", row.token or tokens.new_token()
    row.note = "no token, and nobody vouches for the sender; the registered address was asked"
    page = new_page(
        desk,
        "confirm",
        reader(player),
        reply=reply_to(desk, tokens.CONFIRM, row.token),
        facts={"subject": mail.subject, "lines": [line.text for line in mail.lines[:12]], "received": row.received_at},
    )
    post(desk, page, answers=True)


def _confirmed(desk: Desk, row: Inbox, writer: Confirmed, mail: Incoming) -> None:
    said = consent(mail.lines)
    bounced.heard_from(desk, writer.player, mail.sender)
    if said is False:
        writer.held.state, writer.held.note = "dropped", "the registered address says that it did not write this"
        desk.session.add(writer.held)
        return
    if said is None:
        _ask_whether_it_was_you(desk, writer.held, writer.player, _read(writer.held))
        desk.session.add(writer.held)
        return
    held = writer.held
    held.state, held.token = "done", ""
    desk.session.add(held)
    original = _read(held)
    code = tokens.code_in(original.subject)
    match = desk.session.exec(select(Match).where(Match.code == code)).first() if code else None
    row.note = f"confirmed mail {held.id}"
    _act(desk, held, Identity(writer.player, match), original)


def _unread(desk: Desk, writer: Identity, why: Note) -> None:
    reply = reply_to(desk, writer.match.code, writer.seat.token) if writer.match and writer.seat else plain_reply(desk)
    page = new_page(desk, "unread", reader(writer.player), reply=reply, notes=(why,))
    post(desk, page, answers=True)


def quarantine(desk: Desk, trace: str, error: BaseException) -> None:
    """Keep a mail that our own code could not handle, and tell the moderator."""
    row = _at_hand(desk)
    row.state, row.note = "quarantine", trace[-20_000:]
    desk.session.add(row)
    facts = {"mail": row.id, "sender": row.sender, "subject": row.subject, "reason": f"{type(error).__name__}: {error}"}
    tell_moderator(desk, Note("mail-quarantined", facts))


def poisoned(desk: Desk) -> None:
    """A mail that was begun several times and never finished: something in it kills the process."""
    quarantine(desk, "the process died each time this mail was handled", RuntimeError("died while handling it"))


def for_suspended(desk: Desk, error: Suspended) -> None:
    """Keep a mail for a match that cannot go on; it is read again when the match runs, and its writer is told so."""
    row = _at_hand(desk)
    mail = _read(row)
    match = desk.session.get_one(Match, error.match_id)
    row.sender, row.subject = mail.sender, mail.subject[:500]
    row.state, row.note = "quarantine", _WAITS_FOR + match.code
    desk.session.add(row)
    writer = identify(desk, mail)
    if isinstance(writer, Identity):
        _unread(desk, writer, Note("mail-waits", {"match": match.code}))
    if match.status != "suspended":
        suspend(desk, error.match_id, error.reason)


def suspend(desk: Desk, match_id: int, reason: str) -> None:
    """Take one match out of play until the operator has looked; all others go on."""
    match = desk.session.get_one(Match, match_id)
    match.status, match.trouble = "suspended", reason[:500]
    desk.session.add(match)
    desk.shelf.matches.pop(match_id, None)
    tell_moderator(desk, Note("match-suspended", {"match": match.code, "reason": reason}))


def unsuspend(desk: Desk, match: Match, accept_lexicon: bool) -> None:
    """Let it run again. Raises OperatorError when the reason still holds."""
    if match.status != "suspended":
        raise OperatorError(f"Match {match.code} is {match.status}.", "Only a suspended match can be resumed.")
    try:
        live = rebuild(desk.session, match, desk.config.deadlines)
    except Suspended as error:
        raise OperatorError(error.reason, "Restore a backup, or ask for help with a copy of the database.") from error
    if accept_lexicon and live.game.uses_words:
        words = desk.shelf.dictionary(live.options)
        match.fingerprint, match.lexicon = words.fingerprint, words.edition
    if not desk.shelf.same_words(live, match):
        raise OperatorError(
            f"Match {match.code} was started with another dictionary ({match.lexicon}).",
            "Put that one back, or go on with the new one by --accept-lexicon.",
        )
    match.status, match.trouble = "running", ""
    desk.session.add(match)
    for row in desk.session.exec(select(Inbox).where(Inbox.note == _WAITS_FOR + match.code)):
        row.state, row.note, row.attempts = "received", "", 0
        desk.session.add(row)


def undeliverable(desk: Desk, dead: Outbox) -> None:
    """A server refused a mail for good."""
    bounced.refused(desk, dead, dead.answer)


def _at_hand(desk: Desk) -> Inbox:
    if desk.mail is None:
        raise ValueError("there is no mail at the desk")
    return desk.mail
