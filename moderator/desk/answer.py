"""A known player's mail: its commands are done, its orders given, and every line is answered for."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage

from sqlmodel import col, select

from moderator.desk import audit
from moderator.desk.commands import ACTIONS, cup_find
from moderator.desk.commands.call import Answer, Call, Command, Impossible, Misused
from moderator.desk.commands.vocabulary import VERBS, knowing
from moderator.desk.desk import Desk
from moderator.desk.identify import Identity
from moderator.desk.kept import Said, ask, keep, later
from moderator.desk.orders import order
from moderator.desk.places import Place, find_place
from moderator.desk.post import new_page, plain_reply, post, reader
from moderator.desk.sections import Section, bounded, cut
from moderator.engine.contract import Note
from moderator.mail.model import Incoming, Line
from moderator.mail.reply import without
from moderator.render.messages import known, sentence
from moderator.render.pages import Counts, Kind, LineRead, Receipt
from moderator.store.models import Letter, Outbox

MAX_LINES = 100
"""More lines of new text than that are no orders; the rest is counted in the receipt."""
MAX_CHARS = 30_000
"""Nor is more text than that."""
SIGNS = frozenset({"wait", "ready"})
"""Commands about the order in the same mail, which come after it."""
ASKING = frozenset({"help", "status", "board", "rack", "history", "resend", "calendar", "rules"})
"""Commands that are answered by a mail of their own and change nothing: a second one like it asks for nothing more."""
SCOPES = {verb.name: verb.scope for verb in VERBS}


def answer(desk: Desk, writer: Identity, mail: Incoming) -> None:
    """Act on everything in the mail. Raises Suspended when one of its matches cannot go on."""
    lines, own = without_ours(desk, mail)
    ignored = dict(mail.ignored) | ({"own": own} if own else {})
    found, lines = len(lines), bounded(lines, MAX_LINES, MAX_CHARS)
    if beyond := found - len(lines) + ignored.pop("too-long", 0):
        ignored["beyond"] = beyond
    verbs = knowing(cup_find.names(desk.session))
    ended = bool(mail.ignored.get("after-end"))
    sections = cut(lines, mail.subject, verbs, ended, writer.player.name) or [Section("")]
    cup = "" if writer.match else cup_find.in_subject(mail.subject)
    unplaced: list[Unplaced] = []
    for section in sections:
        section.commands = _once(section.commands)
        if not section.code:
            section.commands = [cup_find.about(cup, command) for command in section.commands]
        place = find_place(desk, writer, section.code, bool(section.lines))
        if isinstance(place, Note):
            unplaced += _without_match(desk, writer, section, place)
        else:
            _in_match(desk, writer, section, place, ignored)
    _answer_unplaced(desk, writer, unplaced, ignored)


def _once(commands: Sequence[Command]) -> list[Command]:
    """Without the repetitions of what asks for a mail."""
    asked: set[tuple[str, str]] = set()
    kept: list[Command] = []
    for command in commands:
        what = command.name, command.argument.casefold()
        if command.name not in ASKING or what not in asked:
            kept.append(command)
        asked.add(what)
    return kept


def without_ours(desk: Desk, mail: Incoming) -> tuple[list[Line], int]:
    """The lines without those that stand in the mail of ours that this one answers."""
    query = select(Letter.raw).join(Outbox).where(col(Outbox.message_id).in_(mail.in_reply_to[-10:]))
    ours: set[str] = set()
    for raw in desk.session.exec(query) if mail.in_reply_to else ():
        sent = email.message_from_bytes(raw, policy=email.policy.default)
        part = sent.get_body(("plain",)) if isinstance(sent, EmailMessage) else None
        text = str(part.get_content()) if part else ""
        ours.update(line for line in text.splitlines() if len(line.split()) > 1)
    return without(mail.lines, ours)


@dataclass(frozen=True)
class Unplaced:
    """What became of lines that belong to no match. ``why``: what the writer must know of it, if anything."""

    lines: Sequence[LineRead]
    why: Note | None
    failed: bool


def _without_match(desk: Desk, writer: Identity, section: Section, why: Note) -> list[Unplaced]:
    """Lines that belong to no match we could find: commands that need none are done, the others say why not. [] =
    nothing needs an answer."""
    read: list[LineRead] = []
    # Beside a command other lines are just a greeting to somebody who plays nowhere.
    unplaced, mailed = not section.commands or (bool(section.lines) and why.code != "no-match-at-all"), False
    for command in section.commands:
        if SCOPES[command.name] == "match":
            unplaced = True
            read.append(LineRead(command.line.number, command.line.text, "error"))
        else:
            done, lines = _done(Call(desk, writer, command))
            mailed = mailed or done.mailed
            read += lines
    read += [LineRead(line.number, line.text, "text") for line in section.lines]
    failed = any(line.status == "error" for line in read)
    if mailed and not unplaced and not failed:
        return []
    return [Unplaced(read, why if unplaced else None, failed)]


def _answer_unplaced(desk: Desk, writer: Identity, found: Sequence[Unplaced], ignored: dict[str, int]) -> None:
    """One mail about all lines that belong to no match."""
    if not found:
        return
    why = tuple({(note.code, str(note.params)): note for one in found if (note := one.why) is not None}.values())
    counts: Counts = "nothing" if why else "misused" if any(one.failed for one in found) else "done"
    receipt = Receipt(counts, tuple(line for one in found for line in one.lines), ignored)
    kind: Kind = "unread" if why else "done"
    if later(desk, kind):
        keep(desk, writer.player, kind, Said(notes=why, receipt=receipt))
        return
    page = new_page(
        desk,
        kind,
        reader(writer.player),
        reply=plain_reply(desk),
        notes=why,
        receipt=receipt,
    )
    post(desk, page, answers=True)


def _in_match(desk: Desk, writer: Identity, section: Section, place: Place, ignored: dict[str, int]) -> None:
    """One match's part of the mail: commands, orders, signs about them; one receipt for all of it."""
    match, seat = place
    read: list[LineRead] = []
    orders, mailed = Receipt("nothing"), bool(section.commands)
    signs = [command for command in section.commands if command.name in SIGNS]
    for command in (command for command in section.commands if command.name not in SIGNS):
        live = desk.shelf.live(desk.session, match)  # an undo builds it anew
        done, lines = _done(Call(desk, writer, command, match, seat, live))
        mailed = mailed and done.mailed and not any(line.status == "error" for line in lines)
        read += lines
    live = desk.shelf.live(desk.session, match)
    if section.lines:
        orders = order(desk, writer.player, match, live, seat, section.lines)
    for command in signs:
        read += _done(Call(desk, writer, command, match, seat, live))[1]
    # A greeting beside what has been answered already needs no receipt.
    if mailed and not signs and orders.counts == "nothing" and all(line.status == "text" for line in orders.lines):
        return
    counts = orders.counts
    if counts == "nothing" and section.commands:
        withdrawn = any(command.name == "withdraw" for command in section.commands)
        failed = any(line.status == "error" for line in read)
        counts = "misused" if failed else "withdrawn" if withdrawn else "done"
    desk.of(match).receipts[writer.player.number] = Receipt(
        counts, (*read, *orders.lines), ignored, live.table.orders.get(seat.number, ""), orders.undecided
    )


def _done(call: Call) -> tuple[Answer, Sequence[LineRead]]:
    """What becomes of a command. While a backlog is handled, what asks for a mail gets it at the end of the run."""
    if call.desk.shelf.catching_up and call.command.name in ASKING:
        ask(call)
        return Answer(mailed=True), [LineRead(call.command.line.number, call.command.line.text, "command")]
    return carry_out(call)


def carry_out(call: Call) -> tuple[Answer, Sequence[LineRead]]:
    """Do what a command says; its line with the outcome, and the lines that it adds."""
    command = call.command
    try:
        done = ACTIONS[command.name](call)
    except Misused as error:
        audit.by_player(call, error.code)
        why = _misused(command, Note(error.code, error.params), call.player.language, isinstance(error, Impossible))
        return Answer(), [why, *error.lines]
    audit.by_player(call)
    line = LineRead(command.line.number, command.line.text, "command", notes=done.notes)
    return done, [line, *done.lines]


def _misused(command: Command, why: Note, language: str, well_written: bool) -> LineRead:
    code = f"example.{command.name}"
    example = sentence(Note(code), language) if known(code, language) and not well_written else ""
    return LineRead(command.line.number, command.line.text, "error", notes=(why,), example=example)
