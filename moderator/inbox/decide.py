"""What becomes of one part of a player's mail: its commands are done, its orders given, and every line is answered
for. player_mail.py puts the parts together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from moderator.commands.declaration import (
    CommandContext,
    CommandLine,
    CommandOutcome,
    CommandScope,
    NestedRefusal,
    get_player_commands,
    run_player_command,
)
from moderator.common import tokens
from moderator.common.enums import ClockStop, MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.common.mails import Line, ParsedMail, UnreadPart, UnreadReason
from moderator.common.message_files import load_word_pattern
from moderator.inbox import audit, wishes
from moderator.inbox.job import DoubtfulSection, MailJob, MailSection, UnplacedLines
from moderator.inbox.own_words import (
    QUESTION,
    ask_confirmation,
    filter_new_footers,
    find_footer_commands,
    find_recalled_move,
    forward_question,
    interpret_prose,
    is_nobodys_wish,
    pass_words_on,
)
from moderator.inbox.places import find_order_lines, load_readonly_match
from moderator.inbox.read import SUBJECT, extract_race_claims, is_reply_subject, strip_reply_prefixes
from moderator.language.messages import fill_pattern
from moderator.language.spelling import get_game_name
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
from moderator.service import create
from moderator.service.match.match import Match
from moderator.service.notifications import notify_reader
from moderator.service.orders import answer_order_lines, find_example_line, parse_seat_lines, revise_decision
from moderator.store import matches, outbox
from moderator.store.database import Session
from moderator.store.matches import Place, list_current_seats, list_seats_in_play
from moderator.store.tables import MatchRow, SeatRow
from moderator.views.links import build_player_page
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_state import AwaitedSeats
from moderator.views.unit_of_work import Recipient

MOST_PLACES = 6
"""Matches that are offered for a line of which nobody knows which one it means."""


# ---- lines that belong to no match, or nobody knows to which ----


def decide_doubtful_section(job: MailJob, section: DoubtfulSection) -> list[LineOutcome]:
    """Return what becomes of lines of which nobody knows which match they mean: what could be an order, or is a command
    for one match, is asked about."""
    codes, naming = section.codes, job.instructions.naming
    named = [f"{code} ({naming.matches_by_code[code].name})" for code in codes]
    example = f"{codes[0] if codes else next(iter(naming.matches_by_code))}:"
    code = "which-match-here" if len(codes) > 1 else "this-match-here" if codes else "another-match-here"
    why = Note(code, {"matches": named, "example": example})
    orders = find_order_lines(job, [*codes, naming.here] if codes else (), section.lines)
    read: list[LineOutcome] = []
    for request in section.commands:
        if request.command.scope is CommandScope.MATCH:
            read.append(LineOutcome(request.line.number, request.line.text, "impossible", notes=(why,)))
        else:
            read += run_or_defer_command(job, build_context(job, request))[1]
    for line in section.lines:
        if line.number in orders:
            read.append(LineOutcome(line.number, line.text, "impossible", notes=(why,)))
        else:
            read.append(LineOutcome(line.number, line.text, "text"))
    return drop_greetings(section, read)


def decide_without_match(job: MailJob, section: MailSection, why: Note) -> list[UnplacedLines]:
    """Handle lines that belong to no match we could find: commands that need none are done, the others say why not. []
    = nothing needs an answer."""
    read: list[LineOutcome] = []
    # Beside a command other lines are just a greeting to somebody who plays nowhere.
    unplaced, mailed = not section.commands or (bool(section.lines) and why.code != "no-match-at-all"), False
    confirmations: list[LineOffer] = []
    for request in section.commands:
        if request.command.scope is not CommandScope.MATCH:
            done, lines = run_or_defer_command(job, build_context(job, request))
            mailed = mailed or done.mailed
            confirmations += [done.offer] if done.offer else []
            read += lines
        elif why.code == "which-match" and (places := _offer_places(job, request.line.text)):
            confirmations += places
            read.append(LineOutcome(request.line.number, request.line.text, "text"))
        elif request.name == "resign" and (stood_up := _leave_open_match(job, why)):
            read.append(LineOutcome(request.line.number, request.line.text, "command", notes=(stood_up,)))
        else:
            unplaced = True
            read.append(LineOutcome(request.line.number, request.line.text, "impossible"))
    prose = [LineOutcome(line.number, line.text, "text") for line in section.lines]
    text = "\n".join(line.text for line in section.lines if line.number not in section.courteous)
    found = ask_confirmation(job, confirmations)
    if wishes.is_question_to_referee(text):
        notes, unplaced = forward_question(job, None, text), False
        prose = [replace(one, status="command", notes=notes) for one in prose]
    elif text and unplaced and not found and not find_order_lines(job, (), section.lines):
        offers = wishes.list_offers(wishes.WishScene(job.work, job.player), text)
        if why.code == "which-match" and wishes.is_wish_to_resign(text):
            resign = get_player_commands()["resign"].get_text(job.player.language).first_word.upper()
            found, unplaced = _offer_places(job, resign), False
        elif is_nobodys_wish(offers, text) and (told := pass_words_on(job, None, text)):
            unplaced, prose = False, [replace(one, notes=told) for one in prose]
        else:
            found = ask_confirmation(job, offers)
    read += drop_greetings(section, prose)
    failed = any(line.is_unfulfilled for line in read)
    if mailed and not unplaced and not failed:
        return []
    return [UnplacedLines(read, why if unplaced else None, failed, found)]


def _offer_places(job: MailJob, line: str) -> tuple[LineOffer, ...]:
    """Return a question for each match of the writer's that a line may mean; () where there are too many to ask."""
    matched = [match for match, _ in list_seats_in_play(job.session, job.player.number)]
    if len(matched) > MOST_PLACES:
        return ()
    language = job.player.language
    return tuple(
        LineOffer(
            Note("wish-place", {"match": one.code, "name": one.name, "game": get_game_name(one.game, language)}),
            f"{one.code} {line}",
        )
        for one in matched
    )


def _leave_open_match(job: MailJob, why: Note) -> Note | None:
    """Take the writer out of a match that has not begun, if ``why`` names one that the writer has joined; None = it is
    none of those."""
    match = matches.find_match_by_code(job.session, why.params["match"]) if why.code == "match-open" else None
    if match is None or not match.wanted:
        return None
    (place,) = matches.list_seats_in_matches(job.session, job.player.number, [match.number])
    create.release_seat(job.work, *place)
    return Note("stood-up", {"match": match.code, "title": match.name})


def answer_unplaced(job: MailJob, found: Sequence[UnplacedLines], left: tuple[Note, ...] = ()) -> None:
    """Answer by one mail for all lines that belong to no match. ``left``: what was not read of the mail."""
    if not found:
        return
    work, player, ignored = job.work, job.player, job.instructions.ignored
    why = tuple({(note.code, str(note.params)): note for one in found if (note := one.why) is not None}.values())
    failed = any(one.failed for one in found)
    asked = tuple(offer for one in found for offer in one.offers)
    decided: OrderDecision = (
        OrderMissing() if why else ConfirmationAsked() if asked else CommandRefused() if failed else CommandDone()
    )
    receipt = Receipt(decided, tuple(line for one in found for line in one.lines), ignored, offers=asked)
    receipt = add_unopened_notes(job, receipt, left, None)
    kind: MailKind = MailKind.UNREAD if why else MailKind.DONE
    page = build_player_page(work, kind, player, notes=why, receipt=receipt)
    notify_reader(work, Recipient(player), page, answers=True)


# ---- lines for one match ----


@dataclass
class SectionJob:
    """One match's part of a mail, while it is decided: the steps below fill it."""

    job: MailJob
    section: MailSection
    match: MatchRow
    seat: SeatRow
    asked: Sequence[LineOutcome] = ()
    """Lines of the mail that may mean another match, which are answered for here."""
    answered: int = 0
    """The round of our mail that this one answers."""
    read: list[LineOutcome] = field(default_factory=list)
    """What became of lines that are no orders."""
    orders: Receipt = field(default_factory=lambda: Receipt(OrderMissing()))
    """What became of the orders."""
    stored: set[OrderDecision | None] = field(default_factory=set)
    """What commands did to the stored order (OrderWithdrawn, NothingToWithdraw; None = nothing)."""
    confirmations: list[LineOffer] = field(default_factory=list)
    """What its commands, and words that take a move back, ask before anything is done."""
    footers: list[CommandLine] = field(default_factory=list)
    """Commands that stand where programs put their lines."""
    mailed: bool = False
    """There were commands, and each is answered by a mail of its own: no receipt is needed for them."""

    @property
    def live(self) -> LiveMatch:
        """The match as it stands; an undo builds it anew."""
        return self.job.work.cache.load_match(self.job.session, self.match)

    @property
    def signs(self) -> list[CommandLine]:
        """The commands that are done behind the orders."""
        return [one for one in self.section.commands if one.command.after_orders]


def decide_section(
    job: MailJob, section: MailSection, place: Place, asked: Sequence[LineOutcome], answered: int
) -> None:
    """Handle one match's part of the mail: commands, orders, signs about them; one receipt for all of it. ``asked``,
    ``answered``: see ``SectionJob``."""
    part = SectionJob(job, section, *place, asked, answered)
    before = len(job.work.events_of(part.match).results)
    _run_commands(part)
    if part.seat.player_id != job.player.number:
        _answer_former_seat(part)
        return
    _take_orders(part)
    if _needs_no_receipt(part):
        return
    decided = _summarize_section(part)
    shown = drop_greetings(part.section, (*part.read, *part.orders.lines))
    if part.confirmations:
        offers = ask_confirmation(part.job, part.confirmations)
    else:
        beside = decided not in (OrderMissing(), OrderIllegal())
        shown, offers = interpret_prose(part.job, (part.match, part.seat), part.section, shown, beside=beside)
    new = filter_new_footers(part.job, part.footers)
    shown += [LineOutcome(one.line.number, one.line.text, "text") for one in part.footers if one in new]
    if new and not offers:
        offers = ask_confirmation(part.job, [LineOffer(Note("wish-footer"), one.line.text) for one in new])
    decided = _revise_by_answers(decided, shown, offers)
    playing, events = Match(job.work, part.match, part.live), job.work.events_of(part.match)
    decided, shown = revise_decision(playing, part.seat.number, decided, shown, events.results[before:])
    events.receipts[job.player.number] = Receipt(decided, (*shown, *asked), job.instructions.ignored, offers=offers)


def _run_commands(part: SectionJob) -> None:
    """Run the commands that come before the orders."""
    section = part.section
    if part.live.table.pace == "race":
        extract_race_claims(section)
    part.mailed = bool(section.commands)
    part.footers = find_footer_commands(part.live, part.seat, section)
    section.commands = [one for one in section.commands if one not in part.footers]
    for request in (one for one in section.commands if not one.command.after_orders):
        outcome, lines = run_or_defer_command(part.job, _build_section_context(part, request))
        part.stored.add(outcome.decided)
        part.confirmations += [outcome.offer] if outcome.offer else []
        part.mailed = part.mailed and outcome.mailed and not any(line.is_unfulfilled for line in lines)
        part.read += lines


def _take_orders(part: SectionJob) -> None:
    """Take the orders, and the signs about them. A move that shall not count is asked about instead."""
    job, section = part.job, part.section
    part.read += _take_import_confirmation(part)
    recalled = find_recalled_move(part.live, job.player, part.seat, section)
    if recalled is not None:
        part.confirmations.insert(0, recalled)
        lines = tuple(LineOutcome(line.number, line.text, "text") for line in section.lines)
        part.orders = Receipt(OrderMissing(), lines)
    elif section.lines:
        part.orders = _answer_lines(part, section.lines)
    for request in part.signs:
        part.read += run_or_defer_command(job, _build_section_context(part, request))[1]


def _answer_lines(part: SectionJob, lines: Sequence[Line]) -> Receipt:
    playing = Match(part.job.work, part.match, part.live)
    return answer_order_lines(playing, part.job.player, part.seat, lines, part.answered)


def _build_section_context(part: SectionJob, request: CommandLine) -> CommandContext:
    return build_context(part.job, request, part.match, part.seat, part.live)


def _needs_no_receipt(part: SectionJob) -> bool:
    """Return whether all is answered by mails of its own already: a greeting beside it needs no receipt."""
    if not part.mailed or part.signs or part.asked:
        return False
    return part.orders.decided == OrderMissing() and all(line.status == "text" for line in part.orders.lines)


def _summarize_section(part: SectionJob) -> OrderDecision:
    """Return what became of the orders, of the commands without one, or of a move in the subject."""
    decided = part.orders.decided
    if decided == OrderMissing():
        decided = _summarize_commands(part)
    if decided == OrderMissing() and (subject := _find_subject_move(part)):
        decided = _take_subject_move(part, subject)
    lines = (*part.read, *part.asked, *part.orders.lines)
    if decided == OrderMissing() and any(line.is_unfulfilled for line in lines):
        return OrderIllegal()
    return decided


def _summarize_commands(part: SectionJob) -> OrderDecision:
    """Return what became of a part without an order."""
    if all(line.status == "text" for line in part.read):
        return OrderMissing()
    if any(line.is_unfulfilled for line in part.read):
        return CommandRefused()
    return next((one for one in (NothingToWithdraw(), OrderWithdrawn()) if one in part.stored), CommandDone())


def _take_subject_move(part: SectionJob, subject: list[Line]) -> OrderDecision:
    """Take the move in the subject as the order, where the mail says nothing else; else say that it stands there."""
    alone = not part.section.commands and not part.asked and not drop_greetings(part.section, part.orders.lines)
    if alone and _may_subject_count(part.job.mail.subject, part.match):
        part.orders = _answer_lines(part, subject)
        return part.orders.decided
    why = Note("move-in-subject", {"line": subject[0].text})
    part.read.append(LineOutcome(SUBJECT, subject[0].text, "impossible", notes=(why,)))
    return OrderMissing()


def _revise_by_answers(
    decided: OrderDecision, shown: Sequence[LineOutcome], offers: Sequence[LineOffer]
) -> OrderDecision:
    """Return what became of the part, where prose that was no order is asked about or passed on."""
    if decided not in (OrderMissing(), OrderIllegal()):
        return decided
    if offers and not any(line.is_unfulfilled for line in shown):
        return ConfirmationAsked()
    return CommandDone() if any(QUESTION in line.notes for line in shown) else decided


def _answer_former_seat(part: SectionJob) -> None:
    """Answer for a mail by which the writer has given the seat to somebody else: the rest of it is no order for that
    seat."""
    section, why = part.section, Note("seat-is-out", {"match": part.match.code})
    rest = [LineOutcome(one.line.number, one.line.text, "impossible", notes=(why,)) for one in part.signs]
    rest += drop_greetings(section, [LineOutcome(line.number, line.text, "text") for line in section.lines])
    failed = any(line.is_unfulfilled for line in (*part.read, *rest))
    answer_unplaced(part.job, [UnplacedLines((*part.read, *rest), None, failed)])


def drop_greetings(section: MailSection, read: Sequence[LineOutcome]) -> list[LineOutcome]:
    """Return the lines of which their writer is told what became of them: everybody knows that a greeting is no
    move."""
    return [one for one in read if one.status != "text" or one.number not in section.courteous]


def _find_subject_move(part: SectionJob) -> list[Line]:
    """Return the move that the subject of the mail is, if it is nothing else."""
    subject = strip_reply_prefixes(part.job.mail.subject)
    lines = [Line(SUBJECT, subject)] if subject else []
    sheet = parse_seat_lines(part.live, part.seat.number, lines)
    return lines if sheet.orders and len(sheet.orders) == len(sheet.lines) else []


def _may_subject_count(subject: str, match: MatchRow) -> bool:
    """Return whether a move in the subject of a mail that says nothing else is an order: not in an answer (``Re:``),
    where it may be an old one, nor beside the code of another match."""
    return not is_reply_subject(subject) and set(tokens.find_code_words(subject)) <= {match.code}


# ---- one command ----


def build_context(
    job: MailJob,
    request: CommandLine,
    match: MatchRow | None = None,
    seat: SeatRow | None = None,
    live: LiveMatch | None = None,
) -> CommandContext:
    """Return the place of a command of this mail."""
    return CommandContext(job.work, job.player, request, match, seat, live, job.writer.whole)


def run_or_defer_command(job: MailJob, call: CommandContext) -> tuple[CommandOutcome, Sequence[LineOutcome]]:
    """Run a command. While a backlog is handled, a command that asks for a mail gets it at the end of the run."""
    if not (call.work.cache.catching_up and call.request.command.asks):
        return run_command(call)
    line, placed = call.request.line, call.live is not None
    asked = PendingCommand(call.request.name, line.number, line.text, call.request.argument, call.whole, placed)
    notify_reader(call.work, Recipient(call.player, call.match or job.writer.match), asked, answers=True)
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


def drop_own_lines(session: Session, mail: ParsedMail) -> tuple[list[Line], int]:
    """Return the lines without those that stand in the mail of ours that this one answers, and how many these are."""
    letters = outbox.list_mail_bytes(session, mail.in_reply_to[-10:])
    ours = [line for raw in letters for line in extract_plain_text(raw).splitlines() if len(line.split()) > 1]
    return drop_known_lines(mail.lines, ours)


def has_instruction(job: MailJob, read: Sequence[LineOutcome]) -> bool:
    """Return whether one of the lines is an order or a command, whatever became of it."""
    if any(line.status in ("move", "fallback", "command", "impossible") or line.number == SUBJECT for line in read):
        return True
    texts = [Line(line.number, line.text) for line in read if line.status == "text"]
    return bool(texts and find_order_lines(job, (), texts))


def add_unopened_notes(job: MailJob, receipt: Receipt, why: tuple[Note, ...], place: Place | None) -> Receipt:
    """Return the receipt with what was not read, how to write, and a right line for this place."""
    if not why:
        return receipt
    decided = OrderMissing(unread=True) if receipt.decided in (OrderMissing(), ConfirmationAsked()) else receipt.decided
    return replace(receipt, decided=decided, unopened=(*why, HOW), right=_find_example_line(job, place))


def _find_example_line(job: MailJob, place: Place | None) -> str:
    """Return a right line in the match; without one, for the writer's first match that runs, with its code; "" without
    any."""
    places = (
        [place]
        if place
        else [one for one in list_current_seats(job.session, job.player.number) if one[0].status == MatchStatus.RUNNING]
    )
    for match, seat in places:
        if (live := load_readonly_match(job.work, match)) is not None:
            line = find_example_line(live, seat.number, job.player.language)
            return line if place else f"{match.code}: {line}"
    return ""


HERE = Path(__file__).parent
_RIGHT = re.compile(rf"\W*{load_word_pattern(HERE, 'right')}\W*", re.IGNORECASE)
_WRONG = re.compile(rf"\W*{load_word_pattern(HERE, 'wrong')}\b[\s:.,!]*(?P<what>.*)", re.IGNORECASE)


def _take_import_confirmation(part: SectionJob) -> list[LineOutcome]:
    """Take the lines that confirm a moved-in match, or contradict it, out of the section, and do what they say. What is
    wrong goes on to the end of the section."""
    work, match, live, seat, section = part.job.work, part.match, part.live, part.seat, part.section
    if match.stopped != ClockStop.CONFIRM or seat.number in live.table.out:
        return []
    for n, line in enumerate(section.lines):
        if found := _WRONG.fullmatch(line.text.strip()):
            rest = section.lines[n + 1 :]
            del section.lines[n:]
            text = "\n".join([found["what"], *(one.text for one in rest)]).strip()
            Match(work, match, live).reject_position(seat.number, text)
            said = LineOutcome(line.number, line.text, "command", notes=(Note("move-in-wrong-told"),))
            return [said, *(LineOutcome(one.number, one.text, "command") for one in rest)]
        if _RIGHT.fullmatch(line.text.strip()):
            del section.lines[n]
            Match(work, match, live).confirm_position(seat.number)
            names = [work.list_players(match)[one].name for one in AwaitedSeats(work, match, live).list_unconfirmed()]
            note = Note("move-in-confirmed", {"names": names}) if names else Note("move-in-confirmed-last")
            return [LineOutcome(line.number, line.text, "command", notes=(note,))]
    return []
