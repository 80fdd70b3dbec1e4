"""A known player's mail: its commands are done, its orders given, and every line is answered for."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage

from sqlmodel import col, select

from moderator.desk import paces, play, preferences, questions
from moderator.desk.announce import send_status, word_sums
from moderator.desk.desk import Desk
from moderator.desk.identify import Identity
from moderator.desk.live import Live
from moderator.desk.post import new_page, plain_reply, post, reader
from moderator.desk.sections import SETTINGS, Section, cut
from moderator.engine import table
from moderator.engine.contract import Note, view_for
from moderator.engine.orders import OrderLine, Sheet, read_lines
from moderator.engine.table import Preview, Result
from moderator.mail.model import Incoming, Line
from moderator.mail.reply import without
from moderator.render.messages import sentence
from moderator.render.pages import Counts, LineRead, Receipt
from moderator.store.models import Letter, Match, Outbox, Player, Seat

MAX_LINES = 100
"""More lines of new text than that are no orders; the rest is counted in the receipt."""


@dataclass
class _Unplaced:
    """Lines that belong to no match we could find, and why."""

    notes: list[Note] = field(default_factory=list)
    lines: list[LineRead] = field(default_factory=list)


def answer(desk: Desk, writer: Identity, mail: Incoming) -> None:
    """Act on everything in the mail. Raises Suspended when one of its matches cannot go on."""
    lines, own = without_ours(desk, mail)
    ignored = dict(mail.ignored) | ({"own": own} if own else {})
    if len(lines) > MAX_LINES:
        ignored["beyond"] = len(lines) - MAX_LINES
        lines = lines[:MAX_LINES]
    unplaced = _Unplaced()
    sections = cut(lines) or [Section("")]
    said = preferences.obey(desk, writer, sections)
    for section in sections:
        if _only_settings(section) and _match_of(desk, writer, section) is None:
            page = new_page(desk, "status", reader(writer.player), reply=plain_reply(desk), notes=_said(section, said))
            post(desk, page, answers=True)
            continue
        found = _place(desk, writer, section, unplaced)
        if found is not None:
            _section(desk, writer.player, *found, section, ignored, said)
    if unplaced.notes:
        page = new_page(
            desk,
            "unread",
            reader(writer.player),
            reply=plain_reply(desk),
            notes=tuple(unplaced.notes),
            receipt=Receipt("nothing", tuple(unplaced.lines), ignored),
        )
        post(desk, page, answers=True)


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


def _only_settings(section: Section) -> bool:
    return bool(section.commands) and not section.lines and all(c in SETTINGS for _, c in section.commands)


def _said(section: Section, said: Mapping[int, Note]) -> tuple[Note, ...]:
    """What the settings in a section led to, each once."""
    notes = [said[line.number] for line, _ in section.commands if line.number in said]
    return tuple(note for n, note in enumerate(notes) if note not in notes[:n])


def _match_of(desk: Desk, writer: Identity, section: Section) -> tuple[Match, Seat] | None:
    """The match and seat that a section means, if there is no doubt."""
    return _place(desk, writer, section, _Unplaced())


def _place(desk: Desk, writer: Identity, section: Section, unplaced: _Unplaced) -> tuple[Match, Seat] | None:
    """The match and seat that a section means; None after noting why there is none."""
    if writer.match and writer.seat and section.code in ("", writer.match.code) and writer.match.status == "running":
        return writer.match, writer.seat
    mine = {match.code: (match, seat) for match, seat in _matches(desk, writer.player)}
    code = section.code or (writer.match.code if writer.match else "")
    running = [found for found in mine.values() if found[0].status in ("running", "suspended")]
    if not code and len(running) == 1:
        return running[0]
    if code in mine and (writer.whole or (writer.seat and writer.seat.id == mine[code][1].id)):
        match, seat = mine[code]
        if match.status in ("running", "suspended") or (match.status == "finished" and not section.lines):
            return match, seat
        why = Note(f"match-{match.status}", {"match": match.code, "name": match.name})
    elif code in mine:
        why = Note("other-match-needs-its-own-address", {"match": code})
    elif code:
        why = Note("no-such-match", {"match": code})
    elif running:
        why = Note("which-match", {"matches": [f"{m.code} ({m.name})" for m, _ in running]})
    else:
        why = Note("no-match-at-all")
    unplaced.notes.append(why)
    unplaced.lines.extend(LineRead(line.number, line.text, "text") for line in section.lines)
    return None


def _matches(desk: Desk, player: Player) -> Sequence[tuple[Match, Seat]]:
    query = select(Match, Seat).join(Seat, col(Seat.match_id) == col(Match.id)).where(Seat.player_id == player.id)
    return [(match, seat) for match, seat in desk.session.exec(query.order_by(col(Match.id)))]


def _section(
    desk: Desk,
    player: Player,
    match: Match,
    seat: Seat,
    section: Section,
    ignored: dict[str, int],
    said: Mapping[int, Note],
) -> None:
    """One match's part of the mail: commands first, then orders; one receipt for all of it. ``said``: what commands
    in some lines led to."""
    live = desk.shelf.live(desk.session, match)
    commands = {command for _, command in section.commands}
    if "withdraw" in commands:
        play.store(desk, match, live, seat.number, "")
    if "help" in commands:
        send_status(desk, match, seat, "help")
    if "status" in commands or _only_settings(section):
        send_status(desk, match, seat, "status", _said(section, said))
    if section.lines or "withdraw" in commands or not commands:
        receipt = _orders(desk, player, match, live, seat, section)
        withdrawn = "withdraw" in commands and receipt.counts == "nothing"
        desk.of(match).receipts[player.number] = Receipt(
            "withdrawn" if withdrawn else receipt.counts,
            (*(_command(line, said) for line, _ in section.commands), *receipt.lines),
            ignored,
            live.table.orders.get(seat.number, ""),
            receipt.undecided,
        )


def _command(line: Line, said: Mapping[int, Note]) -> LineRead:
    notes = (said[line.number],) if line.number in said else ()
    return LineRead(line.number, line.text, "command", notes=notes)


def _orders(desk: Desk, player: Player, match: Match, live: Live, seat: Seat, section: Section) -> Receipt:
    """Read the lines, give the order they make, and say of each line what became of it."""
    view = view_for(live.table.state, seat.number)
    sheet = read_lines(section.lines, lambda text: live.game.parse(text, view), live.game.format, live.game.style)
    if not sheet.text:
        return Receipt("nothing", tuple(_line(line, None, live, player) for line in sheet.lines))
    previews, result = _give(desk, match, live, seat.number, sheet)
    undecided = tuple(dict.fromkeys(word for preview in previews if preview for word in preview.undecided))
    if undecided and result is None:
        questions.ask(desk, match, undecided)
    counts = _counts(result)
    lines = _lines(sheet, previews, live, player)
    return Receipt(counts, lines, undecided=undecided if counts in ("held", "stored") else ())


def _give(
    desk: Desk, match: Match, live: Live, seat: int, sheet: Sheet
) -> tuple[Sequence[Preview | None], Result | None]:
    """Give the order. Of one that was tried at once the outcome tells about its lines; of one that is kept, how
    things stand on the board now."""
    at_once = live.table.pace == "sequential" and seat in live.table.state.to_move
    result = paces.give(desk, match, live, seat, sheet.text) if at_once else None
    if result is not None and result.moves:
        return table.found(result.moves[0], len(sheet.orders)), result
    previews = table.preview(live.game, live.table, seat, sheet.text, desk.shelf.context(live))
    return previews, result if at_once else paces.give(desk, match, live, seat, sheet.text)


def _counts(result: Result | None) -> Counts:
    if result is None:
        return "stored"
    if result.undecided:
        return "held"
    return "played" if result.moves and result.moves[0].alternative else "refused"


def _lines(sheet: Sheet, previews: Sequence[Preview | None], live: Live, player: Player) -> tuple[LineRead, ...]:
    by_order = {id(line): preview for line, preview in zip(sheet.orders, previews, strict=True)}
    return tuple(_line(line, by_order.get(id(line)), live, player) for line in sheet.lines)


def _line(line: OrderLine, preview: Preview | None, live: Live, player: Player) -> LineRead:
    """What became of one line; an error comes with a right example."""
    if line.error is not None:
        example = sentence(Note("example.place"), player.language, live.game.key)
        return LineRead(
            line.number, line.text, "error", notes=(Note(line.error.code, line.error.params),), example=example
        )
    if line.move is not None and live.game.lasting(line.move) and (preview is None or preview.points is None):
        return LineRead(line.number, line.text, line.status, line.canonical)
    if preview is None:
        order = line.status in ("move", "fallback")
        return LineRead(line.number, line.text, line.status, line.canonical, reached=not order)
    refused = (Note(preview.refused.code, preview.refused.params),) if preview.refused else ()
    return LineRead(
        line.number,
        line.text,
        line.status,
        line.canonical,
        points=None if refused or preview.undecided else preview.points,
        words=word_sums(preview.detail),
        notes=(*refused, *preview.notes),
    )
