"""A mail in its writer's own words: a yes to an invitation or to a question of ours, a wish that is asked back, a
question that is passed on, and lines that only look like commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.club.spelling import consent
from moderator.commands.call import Request
from moderator.commands.declaration import Group, find
from moderator.commands.player.letters import pass_on
from moderator.errors import PlayerError
from moderator.inbox import wishes
from moderator.inbox.automatic import last_mails
from moderator.inbox.places import looked_at, moves_among, orders_among
from moderator.inbox.sections import Section
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming, Line
from moderator.mail.reply import normal_line
from moderator.match.contract import Note
from moderator.pages.messages import move
from moderator.pages.pages import LineRead, Offer
from moderator.people.identify import Identity
from moderator.play import orders
from moderator.states import EntryKind
from moderator.store import events, inbox, outbox
from moderator.store.matches import Place
from moderator.store.models import Inbox, Match, Player, Seat


@dataclass(frozen=True)
class Unplaced:
    """What became of lines that belong to no match. ``why``: what the writer must know of it, if anything."""

    lines: Sequence[LineRead]
    why: Note | None
    failed: bool
    offers: tuple[Offer, ...] = ()
    """What is asked back."""


QUESTION = Note("question-passed-on")
"""Of a line that went to whoever is in charge."""
ASKED_BACK = "asked back: "
"""Begins the note of a mail whose writer was asked whether this line is meant."""
FOOTERS = frozenset({"help", "leave", "rules"})
"""Commands besides those of the settings that lines under a mail may read like."""
YES_AND_NAME = 3
"""Lines: an answer to a question, with a greeting and a name."""


def accept_offer(desk: Desk, mail: Incoming, lines: list[Line]) -> list[Line]:
    """The line that was asked back, where the mail says no more than yes to it."""
    if len(lines) > YES_AND_NAME or consent(lines) is not True or len(lines[0].text.split()) > 2:
        return lines
    asked = _question_answered(desk, mail)
    return [Line(lines[0].number, asked)] if asked else lines


def hear_no(desk: Desk, writer: Identity, mail: Incoming, lines: list[Line]) -> Unplaced | None:
    """What is said to a no, where we have asked and nothing else is ordered."""
    if len(lines) > YES_AND_NAME or consent(lines) is not False or not _question_answered(desk, mail):
        return None
    if any(find(line.text) is not None for line in lines) or orders_among(desk, writer, (), lines):
        return None
    notes = (Note("offer-declined"),)
    return Unplaced([LineRead(lines[0].number, lines[0].text, "command", notes=notes)], None, failed=False)


def _question_answered(desk: Desk, mail: Incoming) -> str:
    """The line that was asked back by the mail of ours that this one answers; of a mail that answers none, by the last
    one to the same place. "" = nothing was asked there."""
    sent = outbox.by_message_id(desk.session, mail.in_reply_to[-10:])
    asked: Inbox | None = None
    if sent:  # References name the whole thread; the newest is the one that was answered
        number = max(sent, key=lambda one: one.id or 0).inbox_id
        asked = desk.session.get(Inbox, number) if number else None
    elif desk.acts_on is not None:
        before = inbox.last_of_sender(desk.session, desk.acts_on, timedelta(days=14), 1)
        asked = next((one for one in before if _place(read_mail(one.raw)) == _place(mail)), None)
    if asked is None or asked.sender != mail.sender or not asked.note.startswith(ASKED_BACK):
        return ""
    return asked.note.removeprefix(ASKED_BACK)


def _place(mail: Incoming) -> set[tuple[str, str]]:
    """The tokens to which a mail was sent."""
    return {*tokens.carried((*mail.recipients, mail.subject))}


def without_own_quote(desk: Desk, lines: list[Line]) -> tuple[list[Line], int]:
    """(the lines, how many are left out) without what the writer has sent before and quotes below a line with a colon,
    without a mark: in any language that line says who wrote it."""
    heads = [at for at, line in enumerate(lines) if at and line.text.rstrip().endswith((":", "："))]
    if not heads or desk.acts_on is None:
        return lines, 0
    known = {normal_line(line.text) for mail in last_mails(desk, desk.acts_on) for line in mail.lines}
    for at in heads:
        if at + 1 < len(lines) and all(normal_line(line.text) in known for line in lines[at + 1 :]):
            return lines[:at], len(lines) - at
    return lines, 0


def find_recalled(live: LiveMatch, player: Player, seat: Seat, section: Section) -> Offer | None:
    """The move of a mail whose other words say that it shall not count; it is not played, but asked about."""
    if len(section.lines) < 2 or live.table.state.over or live.table.pace == "race":
        return None  # nearly every order is one line, and is read only once
    moves = moves_among(live, seat.number, section.lines)
    if not moves or not wishes.is_recalled(" ".join(one.text for one in section.lines if one.number not in moves)):
        return None
    return Offer(Note("wish-recalled"), move(next(iter(moves.values())), player.language, live.game.key))


def find_footers(live: LiveMatch, seat: Seat, section: Section) -> list[Request]:
    """Commands that change settings, but stand below a move and a blank line, as what programs put under a mail."""
    doubtful = [one for one in section.commands if one.command.group is Group.SETTINGS or one.name in FOOTERS]
    if not doubtful or not section.lines:
        return []
    moves = moves_among(live, seat.number, section.lines)
    if not moves:
        return []
    written = {line.number for line in section.lines} | {one.line.number for one in section.commands}
    blank = [number for number in range(min(moves) + 1, max(written)) if number not in written]
    return [one for one in doubtful if any(number < one.line.number for number in blank)]


def keep_new_footers(desk: Desk, footers: Sequence[Request]) -> list[Request]:
    """Those that did not stand under one of the writer's last mails: of these nobody is asked twice."""
    if not footers or desk.acts_on is None:
        return []
    known = {line.text for mail in last_mails(desk, desk.acts_on) for line in mail.lines}
    return [one for one in footers if one.line.text not in known]


def understand_prose(
    desk: Desk, writer: Identity, place: Place, section: Section, read: Sequence[LineRead], *, beside: bool
) -> tuple[list[LineRead], tuple[Offer, ...]]:
    """(the lines, what is asked back) of what is neither move nor command: a question goes to whoever is in charge, a
    wish is asked back. ``beside``: something else in the mail was understood."""
    match, seat = place
    prose = [one for one in read if one.status in ("text", "error") and one.number not in section.courteous]
    prose = [one for one in prose if one.status == "text" or wishes.is_sentence(one.text)]
    text = "\n".join(one.text for one in prose)
    if not prose:
        return list(read), ()
    if wishes.is_question_to_referee(text):
        notes = pass_on_question(desk, writer, match, text)
        return [replace(one, status="command", notes=notes, example="") if one in prose else one for one in read], ()
    live = looked_at(desk, match)
    scene = wishes.Scene(desk, writer.player, match.code, live, seat.number, _last_order(desk, match, seat))
    found = wishes.offers(scene, text, beside=beside)
    unexplained = live is not None and not beside and all(one.note.code == "wish-question" for one in found)
    tried = wishes.meant_moves(scene, text) if unexplained else []
    if live is not None and len(tried) == 1:
        line = Line(prose[0].number, move(tried[0], writer.player.language, live.game.key))
        found, why = (), orders.probe(desk, writer.player, live, seat, [line])
        read = [one for one in read if one not in prose] + [*why]
    if not found:
        return list(read), ()
    calm = [replace(one, status="text", notes=(), example="") if one in prose else one for one in read]
    return calm, ask_back(desk, found)


def pass_on_question(desk: Desk, writer: Identity, match: Match | None, text: str) -> tuple[Note, ...]:
    try:
        pass_on(desk, writer.player, match, text)
    except PlayerError as error:
        return (Note(error.code, error.params),)
    return (QUESTION,)


def ask_back(desk: Desk, found: Sequence[Offer]) -> tuple[Offer, ...]:
    """The offers, of which the only one is kept so that yes is enough."""
    if [one.whole for one in found] == [True] and desk.acts_on is not None:
        desk.acts_on.note = ASKED_BACK + found[0].line
        desk.session.add(desk.acts_on)
    return tuple(found)


def _last_order(desk: Desk, match: Match, seat: Seat) -> str:
    """What the seat has ordered last, whether it counts or not."""
    last = events.last_of(desk.session, match.number, seat.number, (EntryKind.ORDER, EntryKind.MOVE, EntryKind.TRIED))
    return last.text if last is not None else ""
