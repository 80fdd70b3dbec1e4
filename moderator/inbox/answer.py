"""A known player's mail: its commands are done, its orders given, and every line is answered for.

Where nothing in it was an order or a command, what could not be read of it is named, and what to do instead: a photo
beside a move needs no word.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.commands.call import Answer, Call, Request, Unsent, act
from moderator.commands.declaration import Scope, knowing
from moderator.commands.player import tournament_words
from moderator.errors import Impossible, Misused
from moderator.inbox import audit, confirming, wishes
from moderator.inbox.invited import hear_invitation
from moderator.inbox.naming import Naming
from moderator.inbox.own_words import (
    QUESTION,
    Unplaced,
    accept_offer,
    ask_back,
    find_footers,
    find_recalled,
    hear_no,
    keep_new_footers,
    pass_on_question,
    understand_prose,
    without_own_quote,
)
from moderator.inbox.places import find_place, looked_at, naming_of, orders_among
from moderator.inbox.sections import SUBJECT, Section, bare_subject, bounded, cut, hear_the_cry, is_answer
from moderator.mail.compose import plain_text
from moderator.mail.model import Incoming, Left, Line, Unopened
from moderator.mail.reply import without
from moderator.match.contract import Note
from moderator.match.decision import (
    AskedBack,
    Done,
    NoOrder,
    NotDone,
    NothingStored,
    NotPossible,
    OrderDecision,
    Withdrawn,
)
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import DeferredCommand, Said, To, defer, tell
from moderator.pages.messages import filled
from moderator.pages.pages import LineRead, Offer, Receipt
from moderator.people.identify import Identity, other_seats
from moderator.play import create
from moderator.play.orders import after_all, order, read_sheet, right_line
from moderator.states import MailKind, MatchStatus
from moderator.store import matches, outbox
from moderator.store.matches import Place, seats_of
from moderator.store.models import Match, Seat

MAX_LINES = 100
"""More lines of new text than that are no orders; the rest is counted in the receipt."""
MAX_CHARS = 30_000
"""Nor is more text than that."""


def answer(desk: Desk, writer: Identity, mail: Incoming) -> None:
    """Act on everything in the mail. Raises Suspended when one of its matches cannot go on."""
    lines, own = without_ours(desk, mail)
    lines, quoted = without_own_quote(desk, lines)
    tournament = "" if writer.match else tournament_words.in_subject(mail.subject)
    lines = accept_offer(desk, mail, lines)
    heard = hear_no(desk, writer, mail, lines) or hear_invitation(desk, writer, tournament, lines)
    if isinstance(heard, Request):
        done, read = _done(Call(desk, writer, heard))
        heard = Unplaced([] if done.mailed else read, None, failed=any(line.undone for line in read))
    if heard is not None:
        _answer_unplaced(desk, writer, [heard] if heard.lines else [], dict(mail.ignored), ())
        return
    ignored = dict(mail.ignored) | ({"own": own} if own else {})
    if quoted:
        ignored["quote"] = ignored.get("quote", 0) + quoted
    found, lines = len(lines), bounded(lines, MAX_LINES, MAX_CHARS)
    if beyond := found - len(lines) + ignored.pop("too-long", 0):
        ignored["beyond"] = beyond
    verbs = knowing(cache(lambda: tournament_words.names(desk.session)))
    ended = bool(mail.ignored.get("after-end"))
    naming = naming_of(desk, writer, "\n".join([mail.subject, *(line.text for line in lines)]))
    elsewhere = _other_in_subject(writer, naming, mail.subject)
    sections = cut(lines, mail.subject, verbs, ended, writer.player.name, naming, elsewhere)
    asked = [line for one in sections if one.doubt is not None for line in _in_doubt(desk, writer, one, naming)]
    sections += _copies(sections, other_seats(desk, writer, mail) if writer.seat else ())
    wanted = any(one.commands for one in sections) or any(line.undone for line in asked)
    sections = [one for one in sections if one.doubt is None] or [Section("")]
    rounds = _answered(desk, mail)
    unplaced: list[Unplaced] = []
    placed: list[Place] = []
    for section in sections:
        section.commands = _once(section.commands)
        if not section.code:
            section.commands = [tournament_words.about(tournament, request) for request in section.commands]
        place = find_place(desk, writer, section.code, bool(section.lines))
        if isinstance(place, Note):
            unplaced += _without_match(desk, writer, section, place)
        else:
            _in_match(desk, writer, section, place, ignored, asked, rounds.get(place[0].number, 0))
            placed.append(place)
            asked = []
    if asked:
        unplaced.append(Unplaced(asked, None, failed=True))
    why = () if wanted else _not_read(desk, writer, mail, lines, placed, unplaced)
    _answer_unplaced(desk, writer, unplaced, ignored, why)


def _copies(sections: Sequence[Section], codes: Sequence[str]) -> list[Section]:
    """What stands above any heading once more for each other match to whose seat the mail is addressed."""
    first = next((one for one in sections if not one.code and one.doubt is None), None)
    named = {one.code for one in sections}
    if first is None:
        return []
    commands = [one for one in first.commands if one.command.scope is Scope.MATCH]
    return [
        Section(code, lines=list(first.lines), commands=list(commands), courteous=set(first.courteous))
        for code in codes
        if code not in named
    ]


def _not_read(
    desk: Desk,
    writer: Identity,
    mail: Incoming,
    lines: Sequence[Line],
    placed: Sequence[Place],
    unplaced: Sequence[Unplaced],
) -> tuple[Note, ...]:
    """What was not read of a mail in which there is neither order nor command; the receipts of its matches say so."""
    why, number = unopened_notes(mail, lines), writer.player.number
    receipts = [desk.of(match).receipts.get(number) for match, _ in placed]
    read = [line for one in (*receipts, *unplaced) if one is not None for line in one.lines]
    if not why or understood(desk, writer, read):
        return ()
    for place, receipt in zip(placed, receipts, strict=True):
        if receipt is not None:
            desk.of(place[0]).receipts[number] = with_unopened(desk, writer, receipt, why, place)
    return why


def _answered(desk: Desk, mail: Incoming) -> dict[int, int]:
    """Match id -> the latest round that a mail of ours was about to which this one refers."""
    if not mail.in_reply_to:
        return {}
    return outbox.latest_rounds(desk.session, (mail.in_reply_to[0], *mail.in_reply_to[-10:]))


def _other_in_subject(writer: Identity, naming: Naming, subject: str) -> tuple[str, ...]:
    """Other matches of the writer's that the subject of an answer to a match's own address names, but not that one."""
    codes = tokens.codes_in(subject) if writer.seat else []
    return () if naming.here in codes else tuple(code for code in codes if code in naming.known)


def _in_doubt(desk: Desk, writer: Identity, section: Section, naming: Naming) -> list[LineRead]:
    """What becomes of lines of which nobody knows which match they mean: what could be an order, or is a command for
    one match, is asked about."""
    codes = section.doubt or ()
    named = [f"{code} ({naming.known[code].name})" for code in codes]
    example = f"{codes[0] if codes else next(iter(naming.known))}:"
    code = "which-match-here" if len(codes) > 1 else "this-match-here" if codes else "another-match-here"
    why = Note(code, {"matches": named, "example": example})
    orders = orders_among(desk, writer, [*codes, naming.here] if codes else (), section.lines)
    read: list[LineRead] = []
    for request in section.commands:
        if request.command.scope is Scope.MATCH:
            read.append(LineRead(request.line.number, request.line.text, "impossible", notes=(why,)))
        else:
            read += _done(Call(desk, writer, request))[1]
    for line in section.lines:
        if line.number in orders:
            read.append(LineRead(line.number, line.text, "impossible", notes=(why,)))
        else:
            read.append(LineRead(line.number, line.text, "text"))
    return _worth_telling(section, read)


def _once(commands: Sequence[Request]) -> list[Request]:
    """Without the repetitions of what leads to a mail."""
    asked: set[tuple[str, str]] = set()
    kept: list[Request] = []
    for request in commands:
        what = request.name, request.argument.casefold()
        if not (request.command.asks or request.command.once) or what not in asked:
            kept.append(request)
        asked.add(what)
    return kept


def without_ours(desk: Desk, mail: Incoming) -> tuple[list[Line], int]:
    """The lines without those that stand in the mail of ours that this one answers."""
    letters = outbox.letters(desk.session, mail.in_reply_to[-10:])
    ours = [line for raw in letters for line in plain_text(raw).splitlines() if len(line.split()) > 1]
    return without(mail.lines, ours)


def _without_match(desk: Desk, writer: Identity, section: Section, why: Note) -> list[Unplaced]:
    """Lines that belong to no match we could find: commands that need none are done, the others say why not. [] =
    nothing needs an answer."""
    read: list[LineRead] = []
    # Beside a command other lines are just a greeting to somebody who plays nowhere.
    unplaced, mailed = not section.commands or (bool(section.lines) and why.code != "no-match-at-all"), False
    for request in section.commands:
        if request.command.scope is Scope.MATCH:
            if request.name == "resign" and (stood_up := _stood_up(desk, writer, why)):
                read.append(LineRead(request.line.number, request.line.text, "command", notes=(stood_up,)))
                continue
            unplaced = True
            read.append(LineRead(request.line.number, request.line.text, "impossible"))
        else:
            done, lines = _done(Call(desk, writer, request))
            mailed = mailed or done.mailed
            read += lines
    prose = [LineRead(line.number, line.text, "text") for line in section.lines]
    text = "\n".join(line.text for line in section.lines if line.number not in section.courteous)
    found: tuple[Offer, ...] = ()
    if wishes.is_question_to_referee(text):
        notes, unplaced = pass_on_question(desk, writer, None, text), False
        prose = [replace(one, status="command", notes=notes) for one in prose]
    elif text and unplaced and not orders_among(desk, writer, (), section.lines):
        found = ask_back(desk, wishes.offers(wishes.Scene(desk, writer.player), text))
    read += _worth_telling(section, prose)
    failed = any(line.undone for line in read)
    if mailed and not unplaced and not failed:
        return []
    return [Unplaced(read, why if unplaced else None, failed, found)]


def _stood_up(desk: Desk, writer: Identity, why: Note) -> Note | None:
    """Whoever has joined a match that has not begun may leave it; None = it is none of those."""
    match = matches.by_code(desk.session, why.params["match"]) if why.code == "match-open" else None
    if match is None or not match.wanted:
        return None
    (place,) = matches.seats_in(desk.session, writer.player.number, [match.number])
    create.stand_up(desk, *place)
    return Note("stood-up", {"match": match.code, "title": match.name})


def _answer_unplaced(
    desk: Desk, writer: Identity, found: Sequence[Unplaced], ignored: dict[str, int], left: tuple[Note, ...]
) -> None:
    """One mail about all lines that belong to no match. ``left``: what was not read of the mail."""
    if not found:
        return
    why = tuple({(note.code, str(note.params)): note for one in found if (note := one.why) is not None}.values())
    failed = any(one.failed for one in found)
    asked = tuple(offer for one in found for offer in one.offers)
    decided: OrderDecision = NoOrder() if why else AskedBack() if asked else NotDone() if failed else Done()
    receipt = Receipt(decided, tuple(line for one in found for line in one.lines), ignored, offers=asked)
    receipt = with_unopened(desk, writer, receipt, left, None)
    kind: MailKind = MailKind.UNREAD if why else MailKind.DONE
    page = new_page(
        desk,
        kind,
        reader(writer.player),
        reply=personal_reply(desk, writer.player),
        notes=why,
        receipt=receipt,
    )
    tell(desk, To(writer.player), page, answers=True)


def _in_match(
    desk: Desk,
    writer: Identity,
    section: Section,
    place: Place,
    ignored: dict[str, int],
    asked: Sequence[LineRead] = (),
    answered: int = 0,
) -> None:
    """One match's part of the mail: commands, orders, signs about them; one receipt for all of it. ``asked``: lines of
    the mail that may mean another match, which are answered for here; ``answered``: the round of our mail that this one
    answers."""
    match, seat = place
    live_before = desk.cache.live(desk.session, match)
    if live_before.table.pace == "race":
        hear_the_cry(section)
    read: list[LineRead] = []
    orders, mailed = Receipt(NoOrder()), bool(section.commands)
    stored: set[OrderDecision | None] = set()
    confirmations: list[Offer] = []
    before = len(desk.of(match).results)
    footers = find_footers(live_before, seat, section)
    section.commands = [one for one in section.commands if one not in footers]
    signs = [request for request in section.commands if request.command.after_orders]
    for request in (request for request in section.commands if not request.command.after_orders):
        live = desk.cache.live(desk.session, match)  # an undo builds it anew
        outcome, lines = _done(Call(desk, writer, request, match, seat, live))
        stored.add(outcome.decided)
        confirmations += [outcome.offer] if outcome.offer else []
        mailed = mailed and outcome.mailed and not any(line.undone for line in lines)
        read += lines
    if seat.player_id != writer.player.number:
        _left(desk, writer, section, place, read, ignored)
        return
    live = desk.cache.live(desk.session, match)
    read += confirming.heard(desk, match, live, seat, section)
    recalled = find_recalled(live, writer.player, seat, section)
    if recalled is not None:
        orders = Receipt(NoOrder(), tuple(LineRead(line.number, line.text, "text") for line in section.lines))
    elif section.lines:
        orders = order(desk, writer.player, match, live, seat, section.lines, answered)
    for request in signs:
        read += _done(Call(desk, writer, request, match, seat, live))[1]
    # A greeting beside what has been answered already needs no receipt.
    if (
        mailed
        and not signs
        and not asked
        and orders.decided == NoOrder()
        and all(line.status == "text" for line in orders.lines)
    ):
        return
    decided = _of_commands(section, read, stored) if orders.decided == NoOrder() else orders.decided
    if decided == NoOrder() and (subject := _move_in_subject(desk, live, seat)):
        alone = not section.commands and not asked and not _worth_telling(section, orders.lines)
        if alone and _counts(desk.mail.subject if desk.mail else "", match):
            orders = order(desk, writer.player, match, live, seat, subject, answered)
            decided = orders.decided
        else:
            why = Note("move-in-subject", {"line": subject[0].text})
            read.append(LineRead(SUBJECT, subject[0].text, "impossible", notes=(why,)))
    if decided == NoOrder() and any(line.undone for line in (*read, *asked, *orders.lines)):
        decided = NotPossible()
    live = desk.cache.live(desk.session, match)
    shown = _worth_telling(section, (*read, *orders.lines))
    if wanted := [*([recalled] if recalled else []), *confirmations]:
        found = ask_back(desk, wanted)
    else:
        beside = decided not in (NoOrder(), NotPossible())
        shown, found = understand_prose(desk, writer, place, section, shown, beside=beside)
    asked_about = keep_new_footers(desk, footers)
    shown += [LineRead(one.line.number, one.line.text, "text") for one in footers if one in asked_about]
    if asked_about and not found:
        found = ask_back(desk, [Offer(Note("wish-footer"), one.line.text) for one in asked_about])
    if found and decided in (NoOrder(), NotPossible()) and not any(line.undone for line in shown):
        decided = AskedBack()
    if decided in (NoOrder(), NotPossible()) and any(QUESTION in line.notes for line in shown):
        decided = Done()
    decided = after_all(desk, match, live, seat.number, decided, desk.of(match).results[before:])
    desk.of(match).receipts[writer.player.number] = Receipt(
        decided,
        (*shown, *asked),
        ignored,
        live.table.orders.get(seat.number, ""),
        offers=found,
    )


def _left(
    desk: Desk, writer: Identity, section: Section, place: Place, read: Sequence[LineRead], ignored: dict[str, int]
) -> None:
    """The writer has given the seat to somebody else by that: the rest of the mail is no order for it."""
    why = Note("seat-is-out", {"match": place[0].code})
    late = [request.line for request in section.commands if request.command.after_orders]
    rest = [LineRead(line.number, line.text, "impossible", notes=(why,)) for line in late]
    rest += _worth_telling(section, [LineRead(line.number, line.text, "text") for line in section.lines])
    failed = any(line.undone for line in (*read, *rest))
    _answer_unplaced(desk, writer, [Unplaced((*read, *rest), None, failed)], ignored, ())


def _worth_telling(section: Section, read: Sequence[LineRead]) -> list[LineRead]:
    """The lines of which their writer hears what became of them: a greeting is no move, and everybody knows."""
    return [one for one in read if one.status != "text" or one.number not in section.courteous]


def _move_in_subject(desk: Desk, live: LiveMatch, seat: Seat) -> list[Line]:
    """The move that the subject of a mail is, if it is nothing else."""
    subject = bare_subject(desk.mail.subject if desk.mail else "")
    lines = [Line(SUBJECT, subject)] if subject else []
    sheet = read_sheet(live, seat.number, lines)
    return lines if sheet.orders and len(sheet.orders) == len(sheet.lines) else []


def _counts(subject: str, match: Match) -> bool:
    """Whether a move in the subject of a mail that says nothing else is one: not in an answer (``Re:``), where it may
    be an old one, nor beside the code of another match."""
    return not is_answer(subject) and set(tokens.codes_in(subject)) <= {match.code}


def _of_commands(section: Section, read: Sequence[LineRead], stored: Collection[OrderDecision | None]) -> OrderDecision:
    """What became of a part without an order. ``stored``: of the stored order, by each command."""
    if all(line.status == "text" for line in read):
        return NoOrder()
    if any(line.undone for line in read):
        return NotDone()
    return next((one for one in (NothingStored(), Withdrawn()) if one in stored), Done())


def _done(call: Call) -> tuple[Answer, Sequence[LineRead]]:
    """What becomes of a command. While a backlog is handled, what asks for a mail gets it at the end of the run."""
    if not (call.desk.cache.catching_up and call.request.command.asks):
        return carry_out(call)
    line, placed = call.request.line, call.live is not None
    asked = DeferredCommand(call.request.name, line.number, line.text, call.request.argument, call.writer.whole, placed)
    defer(call.desk, call.player, MailKind.ASKED, Said(asked=asked), call.match or call.writer.match)
    return Answer(mailed=True), [LineRead(line.number, line.text, "command")]


def carry_out(call: Call) -> tuple[Answer, Sequence[LineRead]]:
    """Do what a command says; its line with the outcome, and the lines that it adds."""
    try:
        done = act(call)
    except Misused as error:
        audit.by_player(call, error.code)
        return Answer(), [_misused(call, error), *(error.lines if isinstance(error, Unsent) else ())]
    audit.by_player(call)
    status: Literal["text", "command"] = "text" if done.offer else "command"
    line = LineRead(call.request.line.number, call.request.line.text, status, notes=done.notes)
    return done, [line, *done.lines]


def _misused(call: Call, error: Misused) -> LineRead:
    line, language, command = call.request.line, call.player.language, call.request.command
    values = command.fills(call) if command.fills is not None else {}
    impossible = isinstance(error.why if isinstance(error, Unsent) else error, Impossible)
    example = "" if impossible else filled(command.text(language).example, language, **values)
    why, sense = Note(error.code, error.params), impossible or isinstance(error, Unsent)
    return LineRead(line.number, line.text, "impossible" if sense else "error", notes=(why,), example=example)


# ---- what could not be opened ----


HOW = Note("unopened-write")
"""What to do instead, for a player."""


def unopened_notes(mail: Incoming, lines: Sequence[Line], whole: bool = True) -> tuple[Note, ...]:
    """A note for each sort of what was not read. ``lines``: what is left of the mail's without our own; of a mail that
    is not there as a ``whole`` they say nothing."""
    left = mail.unopened or (() if lines or not whole else (Left(Unopened.QUOTED),))
    kinds = dict.fromkeys(one.kind for one in left)
    return tuple(_note(kind, [one.name for one in left if one.kind is kind and one.name]) for kind in kinds)


def _note(kind: Unopened, names: Sequence[str]) -> Note:
    """Its sentence is ``unopened-…``; where there are names, ``unopened-…-named``."""
    return Note(f"unopened-{kind}-named", {"files": tuple(names)}) if names else Note(f"unopened-{kind}")


def understood(desk: Desk, writer: Identity, read: Sequence[LineRead]) -> bool:
    """Whether one of the lines is an order or a command, whatever became of it."""
    if any(line.status in ("move", "fallback", "command", "impossible") or line.number == SUBJECT for line in read):
        return True
    texts = [Line(line.number, line.text) for line in read if line.status == "text"]
    return bool(texts and orders_among(desk, writer, (), texts))


def with_unopened(
    desk: Desk, writer: Identity, receipt: Receipt, why: tuple[Note, ...], place: Place | None
) -> Receipt:
    """The receipt with what was not read, how to write, and a right line for this place."""
    if not why:
        return receipt
    decided = NoOrder(unread=True) if receipt.decided in (NoOrder(), AskedBack()) else receipt.decided
    return replace(receipt, decided=decided, unopened=(*why, HOW), right=_right_line(desk, writer, place))


def _right_line(desk: Desk, writer: Identity, place: Place | None) -> str:
    """A right line in the match; without one, for the writer's first match that runs, with its code; "" without any."""
    places = (
        [place]
        if place
        else [one for one in seats_of(desk.session, writer.player.number) if one[0].status == MatchStatus.RUNNING]
    )
    for match, seat in places:
        if (live := looked_at(desk, match)) is not None:
            line = right_line(desk, live, seat.number, writer.player.language)
            return line if place else f"{match.code}: {line}"
    return ""
