"""One mail, from bytes to everything it leads to. Runs inside the mail's own transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.club.spelling import consent
from moderator.inbox import audit, automatic, moderator_mail, puzzle_answers, repeated, signup
from moderator.inbox.answer import answer, unopened_notes
from moderator.inbox.places import orders_among
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from moderator.match.contract import Note
from moderator.outbox.post import new_page, official_reader, personal_reply, reader, reply_to
from moderator.outbox.tell import To, tell, tell_chief
from moderator.pages.content import Doubted
from moderator.pages.pages import Reader
from moderator.people import address, bounced, unsubscribe, waiting
from moderator.people.identify import (
    GUESSED,
    REPEATED,
    Boss,
    Confirmed,
    Doubt,
    Guess,
    Identity,
    Moving,
    Newcomer,
    Objection,
    Old,
    Opened,
    Released,
    Ruling,
    Unproven,
    Unsubscriber,
    Waits,
    by_token,
    called_among,
    identify,
    named_in,
    opened,
    owner,
    possible_writers,
    unsubscribes,
)
from moderator.play.announce import announce
from moderator.play.lifecycle import WAITS_FOR, suspend
from moderator.states import InboxState, MailKind, MatchStatus
from moderator.store import outbox
from moderator.store.models import Inbox, Match, Outbox, Player

SHOWN = 12
"""Lines of a doubtful mail that are shown to whom it claims to be from."""
QUESTIONS = 10
"""Times a day that one address is asked whether a mail without a right token is its own."""
MOST_ANSWERED = 10
"""Of the mails that a mail names as those that it answers, so many are looked at, the last ones."""
NEVER_MEANT = frozenset({"bounce", "report", "reaction", "calendar"})
"""Machines' mails that are no orders, whatever address they are sent to: delivery reports, read receipts, smileys, what
a calendar answers."""


def handle(desk: Desk) -> None:
    """Read ``desk.mail`` and act on it. Its state says afterwards what became of it."""
    row = _at_hand(desk)
    mail = _read(desk, row)
    row.message_id, row.sender, row.subject = mail.message_id[:998], mail.sender, mail.subject[:500]
    desk.session.add(row)
    if mail.bounce is not None:
        bounced.note(desk, row, mail, mail.bounce)
    elif mail.machine and (unsubscriber := unsubscribes(desk, mail)):
        unsubscribe.unsubscribe(desk, unsubscriber.player, unsubscriber.what)  # such mails are not answered
        row.state, row.note = InboxState.MACHINE, f"{mail.machine}; {unsubscriber.player.name} has unsubscribed"
    elif _came_back(desk, mail):
        row.state, row.note = InboxState.MACHINE, "a mail of ours that came back"
    elif mail.machine:
        _from_a_machine(desk, row, mail)
    else:
        _from_a_person(desk, row, mail)


def _came_back(desk: Desk, mail: Incoming) -> bool:
    """Whether the mail is one of ours, by its Message-ID; some lists and forwarders take all other marks away."""
    if not mail.message_id.endswith(f"@{desk.config.mail.address.rpartition('@')[2]}>"):
        return False
    return outbox.is_ours(desk.session, mail.message_id)


def _from_a_machine(desk: Desk, row: Inbox, mail: Incoming) -> None:
    """Nothing is answered. But where a token is right, or the provider vouches for a player, somebody may have written
    it whose server or list adds such headers: the moderator lets it count, or not."""
    row.state, row.note = InboxState.MACHINE, mail.machine
    if mail.machine in NEVER_MEANT:
        return
    writer = identify(desk, mail)
    if isinstance(writer, Waits):
        writer = writer.owner
    if not isinstance(writer, Unproven) and not (isinstance(writer, Boss) and not writer.proven):
        waiting.wait(desk, row, waiting.machine_like(mail), *owner(desk, writer))


def _from_a_person(desk: Desk, row: Inbox, mail: Incoming) -> None:
    writer = identify(desk, mail)
    row.state = InboxState.DONE
    if isinstance(writer, Guess):
        row.state, row.note = InboxState.UNKNOWN, "no token was right, after many wrong ones"
    elif isinstance(writer, Old):
        row.state, row.note = InboxState.UNKNOWN, "it is older than its writer's entry, or than the club"
    elif isinstance(writer, Doubt):
        alone = writer.players[0] if len(writer.players) == 1 else None
        doubtful = "nobody vouches for the sender" if alone else "several players have that address"
        why = f"no token, and {doubtful}; the registered address was asked"
        waiting.belongs(desk, row, alone, waiting.named_match(desk, mail))
        _ask_whether_it_was_you(desk, row, reader(writer.players[0]), mail, why, writer.players)
    elif isinstance(writer, Waits):
        waiting.belongs(desk, row, *owner(desk, writer.owner))
        _ask_whether_it_was_you(desk, row, _asked(desk, writer.owner), mail, GUESSED)
    elif writer is None:
        row.state, row.note = InboxState.UNKNOWN, "the sender is no player and no token was right"
        signup.stranger(desk, row, mail)
    else:
        act_upon(desk, row, writer, mail)


def act_upon(desk: Desk, row: Inbox, writer: Opened | Confirmed | Newcomer | Released, mail: Incoming) -> None:
    """Do what a mail says whose writer is known for sure."""
    if isinstance(writer, Newcomer):
        signup.take_answer(desk, row, writer.held, mail.lines)
    elif isinstance(writer, Confirmed):
        _confirmed(desk, row, writer, mail)
    elif isinstance(writer, Released):
        _released(desk, row, writer.held, mail)
    else:
        _proven(desk, row, writer, mail)
    audit.answered(desk, writer)


def _proven(desk: Desk, row: Inbox, writer: Opened, mail: Incoming) -> None:
    """Do what the mail says."""
    if isinstance(writer, Boss):
        moderator_mail.carry_out(desk, row, mail, writer, act_upon)
    elif isinstance(writer, Ruling | Objection):
        moderator_mail.take_answer(desk, writer, mail.lines)
    elif isinstance(writer, Moving):
        address.take_answer(desk, row, writer, mail.lines)
    elif isinstance(writer, Unsubscriber):
        unsubscribe.answer(desk, writer.player, writer.what)
        row.note = f"{writer.player.name} has unsubscribed"
    else:
        _act(desk, row, writer, mail)


def _read(desk: Desk, row: Inbox) -> Incoming:
    return read_mail(row.raw, full=not row.truncated, own=desk.config.mail.address)


def _act(desk: Desk, row: Inbox, writer: Identity, mail: Incoming) -> None:
    bounced.heard_from(desk, writer.player, mail.sender)
    desk.acts_on, desk.answered = row, mail.in_reply_to[-MOST_ANSWERED:]
    if row.truncated:
        too_large = Note("mail-too-large", {"size": row.size, "limit": desk.config.mail.max_bytes})
        _unread(desk, writer, too_large, *unopened_notes(mail, mail.lines, whole=False))
    elif mail.damaged:
        row.note = f"the mail cannot be taken apart: {mail.damaged}; its writer was told"
        _unread(desk, writer, Note("mail-damaged"))
    elif writer.puzzle:
        puzzle_answers.answer(desk, writer, mail)
        announce(desk)
    elif not row.note and (why := automatic.sign(desk, row, writer, mail)):
        row.state, row.note = InboxState.MACHINE, f"{why}: nobody has written it"
        if why == automatic.AWAY:
            waiting.wait(desk, row, waiting.MACHINE + "Subject", writer.player, writer.match)
    elif row.note or not repeated.asked(desk, row, writer, mail):  # with a note: somebody was asked about it already
        answer(desk, writer, mail)
        announce(desk)


def _ask_whether_it_was_you(
    desk: Desk, row: Inbox, to: Reader, mail: Incoming, why: str, people: Sequence[Player] = ()
) -> None:
    """Hold the mail and ask at the address that we know; where several ``people`` have it, who of them wrote it. Who is
    asked again and again is asked no more that day: a stranger who writes under somebody's name must not fill that
    mailbox. Mails with a right token are counted apart, so that a stranger who has none keeps nobody's orders from
    being asked about."""
    row.state, row.note = InboxState.CONFIRM, why
    first, kind = not row.token, MailKind.CONFIRM_TOKEN if why == GUESSED else MailKind.CONFIRM
    most = desk.config.mail.replies_per_day if why == GUESSED else QUESTIONS
    asked = _asked_lately(desk, to.address, kind) if first else 0
    if first and asked >= most:
        row.note = f"{why.partition(';')[0]}; {waiting.UNASKED}"
        return
    row.token = row.token or tokens.new_token()
    said = [line.text for line in mail.lines]
    names = tuple(player.name for player in people) if len(people) > 1 else ()
    page = new_page(
        desk,
        MailKind.CONFIRM,
        to,
        reply=reply_to(desk, tokens.CONFIRM, row.token),
        remarks=(Note("confirm-last"),) if first and asked + 1 == most else (),
        content=Doubted(tuple(said[:SHOWN]), len(said[SHOWN:]), names),
    )
    if not tell(desk, To(), page, answers=True, once=first and why == GUESSED, sort=kind) and first:
        row.token, row.note = "", f"{why.partition(';')[0]}; {waiting.UNASKED}"


def _asked_lately(desk: Desk, address: str, kind: MailKind) -> int:
    """How many such questions this address was sent in a day."""
    return outbox.made_since(desk.session, (kind,), desk.now - timedelta(days=1), address)


def _asked(desk: Desk, owner: Opened) -> Reader:
    """The mailbox of whom a token belongs to."""
    if isinstance(owner, Identity | Unsubscriber):
        return reader(owner.player)
    return address.mailbox(desk, owner) if isinstance(owner, Moving) else official_reader(desk, owner.official)


def _released(desk: Desk, row: Inbox, held: Inbox, mail: Incoming) -> None:
    """The answer of a token's owner about a mail that carried it."""
    said, original = consent(mail.lines), _read(desk, held)
    desk.session.add(held)
    if held.note == REPEATED:
        _once_more(desk, row, held, mail, said)
        return
    owner = opened(desk, original)
    if said is False or owner is None:
        held.state, held.note = InboxState.DROPPED, "the owner of its token says that it is no mail of theirs"
    elif said is None:
        _ask_whether_it_was_you(desk, held, _asked(desk, owner), original, GUESSED)
    else:
        held.state, held.token, held.note = InboxState.DONE, "", ""
        row.note = f"confirmed mail {held.id}"
        _proven(desk, held, owner, original)
        audit.answered(desk, owner)


def _once_more(desk: Desk, row: Inbox, held: Inbox, mail: Incoming, said: bool | None) -> None:
    """The answer of a player who was asked whether an order that came twice is meant twice. Another order in its place
    is one."""
    original = _read(desk, held)
    asked = desk.session.get(Player, held.player_id) if held.player_id else None
    known = Identity(asked, named_in(desk.session, asked, original.subject)) if asked else None
    writer = by_token(desk, original) or known
    held.token, held.state = "", InboxState.DONE if said else InboxState.DROPPED
    if not isinstance(writer, Identity):
        return
    row.note = f"about mail {held.id}, which came twice: {held.state}"
    if said:
        _act(desk, held, writer, original)
    elif said is None or orders_among(desk, writer, [writer.match.code] if writer.match else (), mail.lines):
        _act(desk, row, writer, mail)


def _confirmed(desk: Desk, row: Inbox, writer: Confirmed, mail: Incoming) -> None:
    held, original = writer.held, _read(desk, writer.held)
    desk.session.add(held)
    bounced.heard_from(desk, writer.players[0], mail.sender)
    said = consent(mail.lines)
    first = next((line.text for line in mail.lines if line.text.strip()), "")
    told = () if len(writer.players) < 2 else called_among(writer.players, first)
    people = tuple(told) or possible_writers(desk.session, original) or writer.players
    if said is False and not told:
        held.state, held.note = InboxState.DROPPED, "the registered address says that it did not write this"
    elif len(people) > 1 or (said is None and not told):
        _ask_whether_it_was_you(desk, held, reader(people[0]), original, held.note, people)
    else:
        held.state, held.token = InboxState.DONE, ""
        row.note = f"confirmed mail {held.id}"
        _act(desk, held, Identity(people[0], named_in(desk.session, people[0], original.subject)), original)


def _unread(desk: Desk, writer: Identity, *why: Note) -> None:
    reply = personal_reply(desk, writer.player, writer.match, writer.seat)
    page = new_page(desk, MailKind.UNREAD, reader(writer.player), reply=reply, notes=why)
    tell(desk, To(writer.player, writer.match if writer.seat else None, writer.seat), page, answers=True)


def quarantine(desk: Desk, trace: str, error: BaseException) -> None:
    """Keep a mail that our own code could not handle, and tell the moderator."""
    row = _at_hand(desk)
    row.state, row.note = InboxState.QUARANTINE, trace[-20_000:]
    desk.session.add(row)
    facts = {"mail": row.id, "sender": row.sender, "subject": row.subject, "reason": f"{type(error).__name__}: {error}"}
    tell_chief(desk, Note("mail-quarantined", facts))


def poisoned(desk: Desk) -> None:
    """A mail that was begun several times and never finished: something in it kills the process."""
    quarantine(desk, "the process died each time this mail was handled", RuntimeError("died while handling it"))


def for_suspended(desk: Desk, error: Suspended) -> None:
    """Keep a mail for a match that cannot go on; it is read again when the match runs, and its writer is told so."""
    row = _at_hand(desk)
    mail = _read(desk, row)
    match = desk.session.get_one(Match, error.match_id)
    row.sender, row.subject = mail.sender, mail.subject[:500]
    row.state, row.note = InboxState.QUARANTINE, WAITS_FOR + match.code
    desk.session.add(row)
    writer = identify(desk, mail)
    if isinstance(writer, Identity):
        _unread(desk, writer, Note("mail-waits", {"match": match.code}))
    if match.status != MatchStatus.SUSPENDED:
        suspend(desk, error.match_id, error.reason)


def undeliverable(desk: Desk, dead: Outbox) -> bool:
    """A server refused a mail for good. Returns whether the moderator reads of it in a mail, now or before."""
    return bounced.refused(desk, dead, dead.answer)


def _at_hand(desk: Desk) -> Inbox:
    if desk.mail is None:
        raise ValueError("there is no mail at the desk")
    return desk.mail
