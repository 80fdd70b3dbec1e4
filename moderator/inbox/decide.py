"""A known player's mail: its commands are done, its orders given, and every line is answered for.

Where nothing in it was an order or a command, what could not be read of it is named, and what to do instead: a photo
beside a move needs no word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

from moderator.commands.declaration import (
    CommandContext,
    CommandLine,
    CommandOutcome,
    CommandScope,
    KnownPlayer,
    NestedRefusal,
    run_player_command,
    with_tournament_names,
)
from moderator.commands.player import tournament_words
from moderator.common import tokens
from moderator.common.enums import ClockStop, MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.common.mails import Line, ParsedMail, UnreadPart, UnreadReason
from moderator.common.message_files import load_word_pattern
from moderator.inbox import audit, wishes
from moderator.inbox.identify import list_other_seat_codes
from moderator.inbox.match_names import (
    MatchNameReader,
    build_name_reader,
    find_order_lines,
    find_place,
    load_readonly_match,
)
from moderator.inbox.own_words import (
    QUESTION,
    UnplacedLines,
    answer_declined_offer,
    ask_confirmation,
    drop_own_quote,
    filter_new_footers,
    find_footer_commands,
    find_recalled_move,
    forward_question,
    interpret_prose,
    read_invitation_answer,
    replace_yes_by_offer,
)
from moderator.inbox.read import (
    SUBJECT,
    MailSection,
    extract_race_claims,
    is_reply_subject,
    limit_lines,
    split_sections,
    strip_reply_prefixes,
)
from moderator.language.messages import fill_pattern
from moderator.mail.build import extract_plain_text
from moderator.mail.reply import drop_known_lines
from moderator.notifications.pages import LineOffer, LineOutcome, PendingCommand, Receipt
from moderator.rules.game import Note
from moderator.rules.outcomes import (
    CommandDone,
    CommandRefused,
    ConfirmationAsked,
    NothingToWithdraw,
    OrderDecision,
    OrderIllegal,
    OrderMissing,
    OrderWithdrawn,
)
from moderator.service import create, moving_in
from moderator.service.notifications import notify_reader
from moderator.service.orders import answer_order_lines, find_example_line, parse_seat_lines, revise_decision
from moderator.store import matches, outbox
from moderator.store.matches import Place, list_current_seats
from moderator.store.tables import MatchRow, SeatRow
from moderator.views.desk import Desk
from moderator.views.loaded_match import LiveMatch
from moderator.views.mail_pages import build_club_page, build_personal_reply, build_player_reader
from moderator.views.match_state import list_unconfirmed_seats
from moderator.views.notification import Recipient

MAX_LINES = 100
"""More lines of new text than that are no orders; the rest is counted in the receipt."""
MAX_CHARS = 30_000
"""Nor is more text than that."""


def decide_player_mail(desk: Desk, writer: KnownPlayer, mail: ParsedMail) -> None:
    """Act on everything in the mail. Raises MatchSuspended when one of its matches cannot go on."""
    lines, own = drop_own_lines(desk, mail)
    lines, quoted = drop_own_quote(desk, lines)
    tournament = "" if writer.match else tournament_words.find_tournament_in_subject(mail.subject)
    lines = replace_yes_by_offer(desk, mail, lines)
    heard = answer_declined_offer(desk, writer, mail, lines) or read_invitation_answer(desk, writer, tournament, lines)
    if isinstance(heard, CommandLine):
        done, read = _run_or_defer_command(CommandContext(desk, writer, heard))
        heard = UnplacedLines([] if done.mailed else read, None, failed=any(line.is_unfulfilled for line in read))
    if heard is not None:
        _answer_unplaced(desk, writer, [heard] if heard.lines else [], dict(mail.ignored), ())
        return
    ignored = dict(mail.ignored) | ({"own": own} if own else {})
    if quoted:
        ignored["quote"] = ignored.get("quote", 0) + quoted
    found, lines = len(lines), limit_lines(lines, MAX_LINES, MAX_CHARS)
    if beyond := found - len(lines) + ignored.pop("too-long", 0):
        ignored["beyond"] = beyond
    verbs = with_tournament_names(cache(lambda: tournament_words.list_all_name_keys(desk.session)))
    ended = bool(mail.ignored.get("after-end"))
    naming = build_name_reader(desk, writer, "\n".join([mail.subject, *(line.text for line in lines)]))
    elsewhere = _list_other_subject_codes(writer, naming, mail.subject)
    sections = split_sections(lines, mail.subject, verbs, ended, writer.player.name, naming, elsewhere)
    asked = [
        line for one in sections if one.doubt is not None for line in _handle_doubtful_lines(desk, writer, one, naming)
    ]
    sections += _copy_to_other_seats(sections, list_other_seat_codes(desk, writer, mail) if writer.seat else ())
    wanted = any(one.commands for one in sections) or any(line.is_unfulfilled for line in asked)
    sections = [one for one in sections if one.doubt is None] or [MailSection("")]
    rounds = _find_answered_rounds(desk, mail)
    unplaced: list[UnplacedLines] = []
    placed: list[Place] = []
    for section in sections:
        section.commands = _drop_repeated_commands(section.commands)
        if not section.code:
            section.commands = [
                tournament_words.expand_short_answer(tournament, request) for request in section.commands
            ]
        place = find_place(desk, writer, section.code, bool(section.lines))
        if isinstance(place, Note):
            unplaced += _handle_without_match(desk, writer, section, place)
        else:
            _handle_in_match(desk, writer, section, place, ignored, asked, rounds.get(place[0].number, 0))
            placed.append(place)
            asked = []
    if asked:
        unplaced.append(UnplacedLines(asked, None, failed=True))
    why = () if wanted else _report_unread_parts(desk, writer, mail, lines, placed, unplaced)
    _answer_unplaced(desk, writer, unplaced, ignored, why)


def _copy_to_other_seats(sections: Sequence[MailSection], codes: Sequence[str]) -> list[MailSection]:
    """Return the lines above any heading once more for each other match to whose seat the mail is addressed."""
    first = next((one for one in sections if not one.code and one.doubt is None), None)
    named = {one.code for one in sections}
    if first is None:
        return []
    commands = [one for one in first.commands if one.command.scope is CommandScope.MATCH]
    return [
        MailSection(code, lines=list(first.lines), commands=list(commands), courteous=set(first.courteous))
        for code in codes
        if code not in named
    ]


def _report_unread_parts(
    desk: Desk,
    writer: KnownPlayer,
    mail: ParsedMail,
    lines: Sequence[Line],
    placed: Sequence[Place],
    unplaced: Sequence[UnplacedLines],
) -> tuple[Note, ...]:
    """Return notes about what was not read of a mail in which there is neither order nor command, and enter them into
    the receipts of its matches."""
    why, number = build_unopened_notes(mail, lines), writer.player.number
    receipts = [desk.events_of(match).receipts.get(number) for match, _ in placed]
    read = [line for one in (*receipts, *unplaced) if one is not None for line in one.lines]
    if not why or has_instruction(desk, writer, read):
        return ()
    for place, receipt in zip(placed, receipts, strict=True):
        if receipt is not None:
            desk.events_of(place[0]).receipts[number] = add_unopened_notes(desk, writer, receipt, why, place)
    return why


def _find_answered_rounds(desk: Desk, mail: ParsedMail) -> dict[int, int]:
    """Return match id -> the latest round of that match that a mail of ours was about to which this one refers."""
    if not mail.in_reply_to:
        return {}
    return outbox.load_latest_rounds(desk.session, (mail.in_reply_to[0], *mail.in_reply_to[-10:]))


def _list_other_subject_codes(writer: KnownPlayer, naming: MatchNameReader, subject: str) -> tuple[str, ...]:
    """Return the codes of other matches of the writer's that the subject of an answer to a match's own address names,
    if it does not name that match."""
    codes = tokens.find_code_words(subject) if writer.seat else []
    return () if naming.here in codes else tuple(code for code in codes if code in naming.matches_by_code)


def _handle_doubtful_lines(
    desk: Desk, writer: KnownPlayer, section: MailSection, naming: MatchNameReader
) -> list[LineOutcome]:
    """Return what becomes of lines of which nobody knows which match they mean: what could be an order, or is a command
    for one match, is asked about."""
    codes = section.doubt or ()
    named = [f"{code} ({naming.matches_by_code[code].name})" for code in codes]
    example = f"{codes[0] if codes else next(iter(naming.matches_by_code))}:"
    code = "which-match-here" if len(codes) > 1 else "this-match-here" if codes else "another-match-here"
    why = Note(code, {"matches": named, "example": example})
    orders = find_order_lines(desk, writer, [*codes, naming.here] if codes else (), section.lines)
    read: list[LineOutcome] = []
    for request in section.commands:
        if request.command.scope is CommandScope.MATCH:
            read.append(LineOutcome(request.line.number, request.line.text, "impossible", notes=(why,)))
        else:
            read += _run_or_defer_command(CommandContext(desk, writer, request))[1]
    for line in section.lines:
        if line.number in orders:
            read.append(LineOutcome(line.number, line.text, "impossible", notes=(why,)))
        else:
            read.append(LineOutcome(line.number, line.text, "text"))
    return _drop_greetings(section, read)


def _drop_repeated_commands(commands: Sequence[CommandLine]) -> list[CommandLine]:
    """Return the commands without repetitions of those that lead to a mail."""
    asked: set[tuple[str, str]] = set()
    kept: list[CommandLine] = []
    for request in commands:
        what = request.name, request.argument.casefold()
        if not (request.command.asks or request.command.once) or what not in asked:
            kept.append(request)
        asked.add(what)
    return kept


def drop_own_lines(desk: Desk, mail: ParsedMail) -> tuple[list[Line], int]:
    """Return the lines without those that stand in the mail of ours that this one answers, and how many these are."""
    letters = outbox.list_mail_bytes(desk.session, mail.in_reply_to[-10:])
    ours = [line for raw in letters for line in extract_plain_text(raw).splitlines() if len(line.split()) > 1]
    return drop_known_lines(mail.lines, ours)


def _handle_without_match(desk: Desk, writer: KnownPlayer, section: MailSection, why: Note) -> list[UnplacedLines]:
    """Handle lines that belong to no match we could find: commands that need none are done, the others say why not. []
    = nothing needs an answer."""
    read: list[LineOutcome] = []
    # Beside a command other lines are just a greeting to somebody who plays nowhere.
    unplaced, mailed = not section.commands or (bool(section.lines) and why.code != "no-match-at-all"), False
    for request in section.commands:
        if request.command.scope is CommandScope.MATCH:
            if request.name == "resign" and (stood_up := _leave_open_match(desk, writer, why)):
                read.append(LineOutcome(request.line.number, request.line.text, "command", notes=(stood_up,)))
                continue
            unplaced = True
            read.append(LineOutcome(request.line.number, request.line.text, "impossible"))
        else:
            done, lines = _run_or_defer_command(CommandContext(desk, writer, request))
            mailed = mailed or done.mailed
            read += lines
    prose = [LineOutcome(line.number, line.text, "text") for line in section.lines]
    text = "\n".join(line.text for line in section.lines if line.number not in section.courteous)
    found: tuple[LineOffer, ...] = ()
    if wishes.is_question_to_referee(text):
        notes, unplaced = forward_question(desk, writer, None, text), False
        prose = [replace(one, status="command", notes=notes) for one in prose]
    elif text and unplaced and not find_order_lines(desk, writer, (), section.lines):
        found = ask_confirmation(desk, wishes.list_offers(wishes.WishScene(desk, writer.player), text))
    read += _drop_greetings(section, prose)
    failed = any(line.is_unfulfilled for line in read)
    if mailed and not unplaced and not failed:
        return []
    return [UnplacedLines(read, why if unplaced else None, failed, found)]


def _leave_open_match(desk: Desk, writer: KnownPlayer, why: Note) -> Note | None:
    """Take the writer out of a match that has not begun, if ``why`` names one that the writer has joined; None = it is
    none of those."""
    match = matches.find_match_by_code(desk.session, why.params["match"]) if why.code == "match-open" else None
    if match is None or not match.wanted:
        return None
    (place,) = matches.list_seats_in_matches(desk.session, writer.player.number, [match.number])
    create.release_seat(desk, *place)
    return Note("stood-up", {"match": match.code, "title": match.name})


def _answer_unplaced(
    desk: Desk, writer: KnownPlayer, found: Sequence[UnplacedLines], ignored: dict[str, int], left: tuple[Note, ...]
) -> None:
    """Answer by one mail for all lines that belong to no match. ``left``: what was not read of the mail."""
    if not found:
        return
    why = tuple({(note.code, str(note.params)): note for one in found if (note := one.why) is not None}.values())
    failed = any(one.failed for one in found)
    asked = tuple(offer for one in found for offer in one.offers)
    decided: OrderDecision = (
        OrderMissing() if why else ConfirmationAsked() if asked else CommandRefused() if failed else CommandDone()
    )
    receipt = Receipt(decided, tuple(line for one in found for line in one.lines), ignored, offers=asked)
    receipt = add_unopened_notes(desk, writer, receipt, left, None)
    kind: MailKind = MailKind.UNREAD if why else MailKind.DONE
    page = build_club_page(
        desk,
        kind,
        build_player_reader(writer.player),
        reply=build_personal_reply(desk, writer.player),
        notes=why,
        receipt=receipt,
    )
    notify_reader(desk, Recipient(writer.player), page, answers=True)


def _handle_in_match(
    desk: Desk,
    writer: KnownPlayer,
    section: MailSection,
    place: Place,
    ignored: dict[str, int],
    asked: Sequence[LineOutcome] = (),
    answered: int = 0,
) -> None:
    """Handle one match's part of the mail: commands, orders, signs about them; one receipt for all of it. ``asked``:
    lines of the mail that may mean another match, which are answered for here; ``answered``: the round of our mail that
    this one answers."""
    match, seat = place
    live_before = desk.cache.load_match(desk.session, match)
    if live_before.table.pace == "race":
        extract_race_claims(section)
    read: list[LineOutcome] = []
    orders, mailed = Receipt(OrderMissing()), bool(section.commands)
    stored: set[OrderDecision | None] = set()
    confirmations: list[LineOffer] = []
    before = len(desk.events_of(match).results)
    footers = find_footer_commands(live_before, seat, section)
    section.commands = [one for one in section.commands if one not in footers]
    signs = [request for request in section.commands if request.command.after_orders]
    for request in (request for request in section.commands if not request.command.after_orders):
        live = desk.cache.load_match(desk.session, match)  # an undo builds it anew
        outcome, lines = _run_or_defer_command(CommandContext(desk, writer, request, match, seat, live))
        stored.add(outcome.decided)
        confirmations += [outcome.offer] if outcome.offer else []
        mailed = mailed and outcome.mailed and not any(line.is_unfulfilled for line in lines)
        read += lines
    if seat.player_id != writer.player.number:
        _answer_former_seat(desk, writer, section, place, read, ignored)
        return
    live = desk.cache.load_match(desk.session, match)
    read += read_import_confirmation(desk, match, live, seat, section)
    recalled = find_recalled_move(live, writer.player, seat, section)
    if recalled is not None:
        orders = Receipt(OrderMissing(), tuple(LineOutcome(line.number, line.text, "text") for line in section.lines))
    elif section.lines:
        orders = answer_order_lines(desk, writer.player, match, live, seat, section.lines, answered)
    for request in signs:
        read += _run_or_defer_command(CommandContext(desk, writer, request, match, seat, live))[1]
    # A greeting beside what has been answered already needs no receipt.
    if (
        mailed
        and not signs
        and not asked
        and orders.decided == OrderMissing()
        and all(line.status == "text" for line in orders.lines)
    ):
        return
    decided = _summarize_commands(section, read, stored) if orders.decided == OrderMissing() else orders.decided
    if decided == OrderMissing() and (subject := _find_subject_move(desk, live, seat)):
        alone = not section.commands and not asked and not _drop_greetings(section, orders.lines)
        if alone and _may_subject_count(desk.mail.subject if desk.mail else "", match):
            orders = answer_order_lines(desk, writer.player, match, live, seat, subject, answered)
            decided = orders.decided
        else:
            why = Note("move-in-subject", {"line": subject[0].text})
            read.append(LineOutcome(SUBJECT, subject[0].text, "impossible", notes=(why,)))
    if decided == OrderMissing() and any(line.is_unfulfilled for line in (*read, *asked, *orders.lines)):
        decided = OrderIllegal()
    live = desk.cache.load_match(desk.session, match)
    shown = _drop_greetings(section, (*read, *orders.lines))
    if wanted := [*([recalled] if recalled else []), *confirmations]:
        found = ask_confirmation(desk, wanted)
    else:
        beside = decided not in (OrderMissing(), OrderIllegal())
        shown, found = interpret_prose(desk, writer, place, section, shown, beside=beside)
    asked_about = filter_new_footers(desk, footers)
    shown += [LineOutcome(one.line.number, one.line.text, "text") for one in footers if one in asked_about]
    if asked_about and not found:
        found = ask_confirmation(desk, [LineOffer(Note("wish-footer"), one.line.text) for one in asked_about])
    if found and decided in (OrderMissing(), OrderIllegal()) and not any(line.is_unfulfilled for line in shown):
        decided = ConfirmationAsked()
    if decided in (OrderMissing(), OrderIllegal()) and any(QUESTION in line.notes for line in shown):
        decided = CommandDone()
    decided = revise_decision(desk, match, live, seat.number, decided, desk.events_of(match).results[before:])
    desk.events_of(match).receipts[writer.player.number] = Receipt(
        decided,
        (*shown, *asked),
        ignored,
        offers=found,
    )


def _answer_former_seat(
    desk: Desk,
    writer: KnownPlayer,
    section: MailSection,
    place: Place,
    read: Sequence[LineOutcome],
    ignored: dict[str, int],
) -> None:
    """Answer for a mail by which the writer has given the seat to somebody else: the rest of it is no order for that
    seat."""
    why = Note("seat-is-out", {"match": place[0].code})
    late = [request.line for request in section.commands if request.command.after_orders]
    rest = [LineOutcome(line.number, line.text, "impossible", notes=(why,)) for line in late]
    rest += _drop_greetings(section, [LineOutcome(line.number, line.text, "text") for line in section.lines])
    failed = any(line.is_unfulfilled for line in (*read, *rest))
    _answer_unplaced(desk, writer, [UnplacedLines((*read, *rest), None, failed)], ignored, ())


def _drop_greetings(section: MailSection, read: Sequence[LineOutcome]) -> list[LineOutcome]:
    """Return the lines of which their writer is told what became of them: everybody knows that a greeting is no
    move."""
    return [one for one in read if one.status != "text" or one.number not in section.courteous]


def _find_subject_move(desk: Desk, live: LiveMatch, seat: SeatRow) -> list[Line]:
    """Return the move that the subject of a mail is, if it is nothing else."""
    subject = strip_reply_prefixes(desk.mail.subject if desk.mail else "")
    lines = [Line(SUBJECT, subject)] if subject else []
    sheet = parse_seat_lines(live, seat.number, lines)
    return lines if sheet.orders and len(sheet.orders) == len(sheet.lines) else []


def _may_subject_count(subject: str, match: MatchRow) -> bool:
    """Return whether a move in the subject of a mail that says nothing else is an order: not in an answer (``Re:``),
    where it may be an old one, nor beside the code of another match."""
    return not is_reply_subject(subject) and set(tokens.find_code_words(subject)) <= {match.code}


def _summarize_commands(
    section: MailSection, read: Sequence[LineOutcome], stored: Collection[OrderDecision | None]
) -> OrderDecision:
    """Return what became of a part without an order. ``stored``: what each command did to the stored order."""
    if all(line.status == "text" for line in read):
        return OrderMissing()
    if any(line.is_unfulfilled for line in read):
        return CommandRefused()
    return next((one for one in (NothingToWithdraw(), OrderWithdrawn()) if one in stored), CommandDone())


def _run_or_defer_command(call: CommandContext) -> tuple[CommandOutcome, Sequence[LineOutcome]]:
    """Run a command. While a backlog is handled, a command that asks for a mail gets it at the end of the run."""
    if not (call.desk.cache.catching_up and call.request.command.asks):
        return run_command(call)
    line, placed = call.request.line, call.live is not None
    asked = PendingCommand(call.request.name, line.number, line.text, call.request.argument, call.writer.whole, placed)
    notify_reader(call.desk, Recipient(call.player, call.match or call.writer.match), asked, answers=True)
    return CommandOutcome(mailed=True), [LineOutcome(line.number, line.text, "command")]


def run_command(call: CommandContext) -> tuple[CommandOutcome, Sequence[LineOutcome]]:
    """Run a command. Returns its outcome, and its line with that outcome, followed by the lines that it adds."""
    try:
        done = run_player_command(call)
    except Misused as error:
        audit.record_player_command(call, error.code)
        return CommandOutcome(), [
            _build_refused_line(call, error),
            *(error.lines if isinstance(error, NestedRefusal) else ()),
        ]
    audit.record_player_command(call)
    status: Literal["text", "command"] = "text" if done.offer else "command"
    line = LineOutcome(call.request.line.number, call.request.line.text, status, notes=done.notes)
    return done, [line, *done.lines]


def _build_refused_line(call: CommandContext, error: Misused) -> LineOutcome:
    line, language, command = call.request.line, call.player.language, call.request.command
    values = command.fills(call) if command.fills is not None else {}
    impossible = isinstance(error.why if isinstance(error, NestedRefusal) else error, Impossible)
    example = "" if impossible else fill_pattern(command.get_text(language).example, language, **values)
    why, sense = Note(error.code, error.params), impossible or isinstance(error, NestedRefusal)
    return LineOutcome(line.number, line.text, "impossible" if sense else "error", notes=(why,), example=example)


# ---- what could not be opened ----


HOW = Note("unopened-write")
"""What to do instead, for a player."""


def build_unopened_notes(mail: ParsedMail, lines: Sequence[Line], whole: bool = True) -> tuple[Note, ...]:
    """Return a note for each sort of part that was not read. ``lines``: what is left of the mail's without our own;
    where the mail is not there as a ``whole``, they say nothing."""
    left = mail.unopened or (() if lines or not whole else (UnreadPart(UnreadReason.QUOTED),))
    kinds = dict.fromkeys(one.kind for one in left)
    return tuple(
        _build_unopened_note(kind, [one.name for one in left if one.kind is kind and one.name]) for kind in kinds
    )


def _build_unopened_note(kind: UnreadReason, names: Sequence[str]) -> Note:
    """Return the note ``unopened-…``; where there are names, ``unopened-…-named``."""
    return Note(f"unopened-{kind}-named", {"files": tuple(names)}) if names else Note(f"unopened-{kind}")


def has_instruction(desk: Desk, writer: KnownPlayer, read: Sequence[LineOutcome]) -> bool:
    """Return whether one of the lines is an order or a command, whatever became of it."""
    if any(line.status in ("move", "fallback", "command", "impossible") or line.number == SUBJECT for line in read):
        return True
    texts = [Line(line.number, line.text) for line in read if line.status == "text"]
    return bool(texts and find_order_lines(desk, writer, (), texts))


def add_unopened_notes(
    desk: Desk, writer: KnownPlayer, receipt: Receipt, why: tuple[Note, ...], place: Place | None
) -> Receipt:
    """Return the receipt with what was not read, how to write, and a right line for this place."""
    if not why:
        return receipt
    decided = OrderMissing(unread=True) if receipt.decided in (OrderMissing(), ConfirmationAsked()) else receipt.decided
    return replace(receipt, decided=decided, unopened=(*why, HOW), right=_find_example_line(desk, writer, place))


def _find_example_line(desk: Desk, writer: KnownPlayer, place: Place | None) -> str:
    """Return a right line in the match; without one, for the writer's first match that runs, with its code; "" without
    any."""
    places = (
        [place]
        if place
        else [
            one
            for one in list_current_seats(desk.session, writer.player.number)
            if one[0].status == MatchStatus.RUNNING
        ]
    )
    for match, seat in places:
        if (live := load_readonly_match(desk, match)) is not None:
            line = find_example_line(desk, live, seat.number, writer.player.language)
            return line if place else f"{match.code}: {line}"
    return ""


HERE = Path(__file__).parent
_RIGHT = re.compile(rf"\W*{load_word_pattern(HERE, 'right')}\W*", re.IGNORECASE)
_WRONG = re.compile(rf"\W*{load_word_pattern(HERE, 'wrong')}\b[\s:.,!]*(?P<what>.*)", re.IGNORECASE)


def read_import_confirmation(
    desk: Desk, match: MatchRow, live: LiveMatch, seat: SeatRow, section: MailSection
) -> list[LineOutcome]:
    """Take the lines that confirm a moved-in match, or contradict it, out of the section, and do what they say. What is
    wrong goes on to the end of the section."""
    if match.stopped != ClockStop.CONFIRM or seat.number in live.table.out:
        return []
    for n, line in enumerate(section.lines):
        if found := _WRONG.fullmatch(line.text.strip()):
            rest = section.lines[n + 1 :]
            del section.lines[n:]
            text = "\n".join([found["what"], *(one.text for one in rest)]).strip()
            moving_in.reject_position(desk, match, live, seat.number, text)
            said = LineOutcome(line.number, line.text, "command", notes=(Note("move-in-wrong-told"),))
            return [said, *(LineOutcome(one.number, one.text, "command") for one in rest)]
        if _RIGHT.fullmatch(line.text.strip()):
            del section.lines[n]
            moving_in.confirm_position(desk, match, live, seat.number)
            names = [desk.list_players(match)[one].name for one in list_unconfirmed_seats(desk, match, live)]
            note = Note("move-in-confirmed", {"names": names}) if names else Note("move-in-confirmed-last")
            return [LineOutcome(line.number, line.text, "command", notes=(note,))]
    return []
