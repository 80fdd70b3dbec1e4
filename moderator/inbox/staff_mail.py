"""The mail of the chief or a referee: every line of it is done, or answered for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from moderator.commands.declaration import Command, CommandLine, find_staff_command, list_possible_commands
from moderator.commands.moderator import show
from moderator.commands.moderator_call import StaffCommandContext, run_staff_command
from moderator.common.enums import InboxState, MailKind
from moderator.common.errors import Impossible, Misused, OperatorError
from moderator.common.mails import Line
from moderator.common.text import ANSWERED
from moderator.common.tokens import CODE
from moderator.inbox import audit
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.inbox.decide import build_unopened_notes, drop_own_lines
from moderator.inbox.job import Instructions, MailJob, Purpose, StaffCommand
from moderator.inbox.read import END, limit_lines, take_text_below
from moderator.language.messages import nest_quotes
from moderator.language.spelling import MATCH_WORD
from moderator.notifications.pages import LineOutcome, Receipt
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.rules.outcomes import CommandDone, CommandRefused
from moderator.service import word_rulings
from moderator.service.notifications import notify_staff_with_page
from moderator.service.word_rulings import ProtestCase
from moderator.store.tables import MatchRow, Protest, Question
from moderator.views.links import build_staff_page
from moderator.views.loaded_match import MatchSuspended
from moderator.views.people import MatchCharge, get_commander
from moderator.views.unit_of_work import UnitOfWork

MAX_LINES = 400
"""More of a mail is not read; a text that goes on beyond has no end."""
MAX_CHARS = 60_000
"""The same in characters."""


Accept = Callable[[UnitOfWork, int], Note]
"""``pipeline.accept_held``. It is handed down, because what a held mail leads to may be one of these commands."""


def read_staff_mail(job: MailJob) -> None:
    """Read the commands of the mail, and the lines that are none."""
    own, _ = drop_own_lines(job.session, job.mail)
    found = limit_lines(own, MAX_LINES, MAX_CHARS)
    ended = bool(job.mail.ignored.get("after-end")) and len(found) == len(own)
    lines = [Line(line.number, line.text.rstrip(" ?")) for line in found]
    told, rest = parse_staff_commands(lines, job.mail.subject, ended)
    job.instructions = Instructions(own, commands=told, unread=rest)


def handle_staff_mail(job: MailJob, accept: Accept) -> None:
    """Do what the mail says and answer it, always to the writer's own address. One that came without the token, if it
    looks like a command, is answered with how to give it."""
    work, mail, read = job.work, job.mail, job.instructions
    work.official = who = job.writer.official
    if not job.writer.is_proven:
        _answer_without_token(job)
        return
    told, rest, agenda = read.commands, read.unread, Agenda(work)
    answered = [
        _run_staff_line(StaffCommandContext(work, request, code, tuple(rest), accept, agenda.build_answer))
        for request, code in told
    ]
    unread = [_build_unread_line(line, who, bool(told)) for line in rest]
    answered += unread or ([] if told else [LineOutcome(0, nest_quotes(mail.subject), "error")])
    if (unread and not unread[-1].notes) or not (told or any(line.notes for line in unread)):
        answered[-1] = _add_notes(answered[-1], Note("boss-known", {"commands": list_command_words(who)}))
    decided = CommandRefused() if any(line.is_unfulfilled for line in answered) else CommandDone()
    in_order = tuple(sorted(answered, key=lambda line: line.number))
    # Whoever commands reads what came of it, however often. A mail without any command may be a machine's that hides:
    # two of those would answer each other for ever.
    receipt = Receipt(decided, in_order, unopened=() if told else build_unopened_notes(mail, read.lines))
    page = build_staff_page(work, MailKind.BOSS, who, receipt=receipt)
    notify_staff_with_page(work, who, page, answers=True, once=bool(told))


def handle_staff_answer(job: MailJob) -> None:
    """Act on the answer to a question about a match, if its writer is still in charge of that match."""
    work, writer, lines = job.work, job.writer, job.mail.lines
    work.official = who = writer.official
    asked: Question | Protest
    if writer.purpose is Purpose.RULE_WORD:
        asked = job.session.get_one(Question, writer.about)
    else:
        asked = job.session.get_one(Protest, writer.about)
    try:
        MatchCharge(work, job.session.get_one(MatchRow, asked.match_id)).check_may_command()
    except Impossible as error:
        page = build_staff_page(work, MailKind.BOSS, who, notes=(Note(error.code, error.params),))
        notify_staff_with_page(work, who, page, answers=True)
        return
    if isinstance(asked, Question):
        word_rulings.take_word_answer(work, asked, lines, who)
    else:
        ProtestCase(work, asked).take_answer(lines, who)


def _run_staff_line(call: StaffCommandContext) -> LineOutcome:
    """Run one command; returns its line with the outcome."""
    work, request, language = call.work, call.request, get_commander(call.work).language
    line = LineOutcome(request.line.number, nest_quotes(request.line.text), "command")
    try:
        notes = run_staff_command(call)
        audit.record_staff_command(work, request, call.section)
        return replace(line, notes=notes)
    except Misused as error:
        why, impossible = Note(error.code, error.params), isinstance(error, Impossible)
    except OperatorError as error:
        why, impossible = Note("boss-refused", {"text": error.message}), True
    except MatchSuspended as error:
        why, impossible = Note("boss-suspended", {"text": error.reason}), True
    audit.record_staff_command(work, request, call.section, why.code)
    if impossible:
        return replace(line, status="impossible", notes=(why,))
    return replace(line, status="error", notes=(why,), example=nest_quotes(request.command.get_text(language).example))


def _build_unread_line(line: Line, who: StaffMember, told: bool) -> LineOutcome:
    """Return a line that is no command, with the commands that it may mean if its word is cut too short."""
    heading = _HEADING.fullmatch(line.text[:1000])
    found = [
        one
        for one in list_possible_commands(heading[2] if heading else line.text)
        if one in show.list_permitted_commands(who)
    ]
    read = LineOutcome(line.number, nest_quotes(line.text), "text" if told and not found else "error")
    names = [one.get_text(who.language).first_word.capitalize() for one in found]
    return _add_notes(read, Note("boss-could-be", {"commands": names})) if found else read


def _add_notes(line: LineOutcome, *notes: Note) -> LineOutcome:
    return replace(line, notes=(*line.notes, *notes))


def list_command_words(who: StaffMember) -> list[str]:
    return [one.get_text(who.language).first_word.capitalize() for one in show.list_permitted_commands(who)]


def _answer_without_token(job: MailJob) -> None:
    """Tell a writer who only claims to be the chief or a referee how to command, at the address of the chief or that
    referee."""
    work, row, mail, who = job.work, job.row, job.mail, job.writer.official
    office = "moderator" if who.is_chief else "referee"
    first = [mail.subject, *(line.text.rstrip(" ?") for line in mail.lines[:5])]
    if not any(find_staff_command(text) for text in first if text.strip()):
        row.state, row.note = InboxState.UNKNOWN, f"from the {office}'s address, but neither token nor command"
        return
    row.note = f"a command of the {office}'s without the token"
    note = Note("boss-needs-token" if who.is_chief else "boss-needs-token-referee")
    notify_staff_with_page(work, who, build_staff_page(work, MailKind.BOSS, who, notes=(note,)), answers=True)


# ---- commands in a mail ----
#
# The moderator's mail, cut into commands and what is none.


_HEADING = re.compile(rf"\s*(?:{MATCH_WORD}\s+)?\[?({CODE.pattern})(?:-[0-9A-Z]*)?\]?\s*(?::|\s|$)\s*(.*)", re.I | re.S)
_END = re.compile(rf"\W*{END}\W*", re.IGNORECASE)
_REPLY = re.compile(rf"(?:{ANSWERED}|\s*\[[^\]]*-[^\]]*\])+", re.IGNORECASE)


def parse_staff_commands(lines: Sequence[Line], subject: str, ended: bool) -> tuple[list[StaffCommand], list[Line]]:
    """Parse a mail. Returns the commands in the order of the mail, one in the subject first, and the lines that are
    none. ``ended``: the writer has put ``ENDE`` below these lines."""
    told: list[StaffCommand] = []
    unread: list[Line] = []
    title = _REPLY.sub("", subject[:300]).strip()
    if (found := find_staff_command(title, whole=True)) is not None:
        told.append((CommandLine(found[0], Line(0, title), found[1]), ""))
    rest, code = list(lines), ""
    while rest:
        line = rest.pop(0)
        heading = _HEADING.fullmatch(line.text[:1000])
        text = line.text
        if heading:
            code, text = heading.group(1).upper(), heading.group(2)
        if not text.strip():
            continue
        found = find_staff_command(text, under=bool(code))
        if found is None:
            unread.append(line)
            continue
        request = CommandLine(found[0], line, found[1])
        told.append((take_text_below(request, rest, ended, _END) if _has_text_below(*found) else request, code))
    return told, unread


def _has_text_below(command: Command, argument: str) -> bool:
    """Return whether the text of a command stands in the lines below it."""
    return bool(command.body) and (not argument or argument.endswith(":") or ":" not in argument)
