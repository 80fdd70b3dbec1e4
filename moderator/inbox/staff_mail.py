"""The mail of the chief or a referee: every line of it is done, or answered for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from moderator.commands.declaration import Command, CommandLine, find_staff_command, list_possible_commands
from moderator.commands.moderator import show
from moderator.commands.moderator_call import StaffCommandContext, run_staff_command
from moderator.common.enums import InboxState, MailKind
from moderator.common.errors import Impossible, Misused, OperatorError
from moderator.common.mails import Line, ParsedMail
from moderator.common.text import ANSWERED
from moderator.common.tokens import CODE
from moderator.inbox import audit
from moderator.inbox.decide import build_unopened_notes, drop_own_lines
from moderator.inbox.identify import ProtestAnswer, StaffWriter, WordRulingAnswer
from moderator.inbox.newcomers import ActUpon, accept_held
from moderator.inbox.read import END, limit_lines
from moderator.language.messages import nest_quotes
from moderator.language.spelling import MATCH_WORD
from moderator.notifications.pages import LineOutcome, Receipt
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.rules.outcomes import CommandDone, CommandRefused
from moderator.service import word_rulings
from moderator.service.agenda.daily_notice import build_today_answer
from moderator.service.notifications import notify_staff_with_page
from moderator.store.tables import InboxRow, MatchRow
from moderator.views.desk import Desk
from moderator.views.loaded_match import MatchSuspended
from moderator.views.mail_pages import build_staff_page
from moderator.views.people import check_may_command, get_commander

MAX_LINES = 400
"""More of a mail is not read; a text that goes on beyond has no end."""
MAX_CHARS = 60_000
"""The same in characters."""


def handle_staff_mail(desk: Desk, row: InboxRow, mail: ParsedMail, writer: StaffWriter, act_upon: ActUpon) -> None:
    """Do what the mail says and answer it, always to the writer's own address. Not ``proven``: it came without the
    token; if it looks like a command, its writer is told how to give it."""
    desk.official = who = writer.official
    if not writer.proven:
        _answer_without_token(desk, row, mail)
        return
    own, _ = drop_own_lines(desk, mail)
    found = limit_lines(own, MAX_LINES, MAX_CHARS)
    ended = bool(mail.ignored.get("after-end")) and len(found) == len(own)
    lines = [Line(line.number, line.text.rstrip(" ?")) for line in found]
    told, rest = parse_staff_commands(lines, mail.subject, ended)
    answered = [
        _run_staff_line(
            StaffCommandContext(
                desk, request, code, tuple(rest), partial(accept_held, act_upon=act_upon), build_today_answer
            )
        )
        for request, code in told
    ]
    unread = [_build_unread_line(line, who, bool(told)) for line in rest]
    answered += unread or ([] if told else [LineOutcome(0, nest_quotes(mail.subject), "error")])
    if not told and not any(line.notes for line in unread):
        answered[-1] = _add_notes(answered[-1], *build_command_list_notes(who))
    elif unread and not unread[-1].notes:
        answered[-1] = _add_notes(answered[-1], Note("boss-known", {"commands": list_command_words(who)}))
    decided = CommandRefused() if any(line.is_unfulfilled for line in answered) else CommandDone()
    in_order = tuple(sorted(answered, key=lambda line: line.number))
    # Whoever commands reads what came of it, however often. A mail without any command may be a machine's that hides:
    # two of those would answer each other for ever.
    receipt = Receipt(decided, in_order, unopened=() if told else build_unopened_notes(mail, own))
    page = build_staff_page(desk, MailKind.BOSS, who, receipt=receipt)
    notify_staff_with_page(desk, who, page, answers=True, once=bool(told))


def handle_staff_answer(desk: Desk, writer: WordRulingAnswer | ProtestAnswer, lines: Sequence[Line]) -> None:
    """Act on the answer to a question about a match, if its writer is still in charge of that match."""
    desk.official = who = writer.official
    asked = writer.question if isinstance(writer, WordRulingAnswer) else writer.protest
    try:
        check_may_command(desk, desk.session.get_one(MatchRow, asked.match_id))
    except Impossible as error:
        page = build_staff_page(desk, MailKind.BOSS, who, notes=(Note(error.code, error.params),))
        notify_staff_with_page(desk, who, page, answers=True)
        return
    if isinstance(writer, WordRulingAnswer):
        word_rulings.take_word_answer(desk, writer.question, lines, who)
    else:
        word_rulings.take_protest_answer(desk, writer.protest, lines, who)


def _run_staff_line(call: StaffCommandContext) -> LineOutcome:
    """Run one command; returns its line with the outcome."""
    desk, request, language = call.desk, call.request, get_commander(call.desk).language
    line = LineOutcome(request.line.number, nest_quotes(request.line.text), "command")
    try:
        notes = run_staff_command(call)
        audit.record_staff_command(desk, request, call.section)
        return replace(line, notes=notes)
    except Misused as error:
        why, impossible = Note(error.code, error.params), isinstance(error, Impossible)
    except OperatorError as error:
        why, impossible = Note("boss-refused", {"text": error.message}), True
    except MatchSuspended as error:
        why, impossible = Note("boss-suspended", {"text": error.reason}), True
    audit.record_staff_command(desk, request, call.section, why.code)
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


def build_command_list_notes(who: StaffMember) -> tuple[Note, ...]:
    """Return one sentence for each command that this member of the staff may give."""
    return (Note("boss-no-command"), *show.build_staff_help(who))


def list_command_words(who: StaffMember) -> list[str]:
    """Return the first words of these commands."""
    return [one.get_text(who.language).first_word.capitalize() for one in show.list_permitted_commands(who)]


def _answer_without_token(desk: Desk, row: InboxRow, mail: ParsedMail) -> None:
    """Tell a writer who only claims to be the chief or a referee how to command, at the address of the chief or that
    referee."""
    first = [mail.subject, *(line.text.rstrip(" ?") for line in mail.lines[:5])]
    if not any(find_staff_command(text) for text in first if text.strip()):
        row.state, row.note = (
            InboxState.UNKNOWN,
            f"from the {_get_office_name(desk)}'s address, but neither token nor command",
        )
        return
    row.note = f"a command of the {_get_office_name(desk)}'s without the token"
    who = get_commander(desk)
    note = Note("boss-needs-token" if who.is_chief else "boss-needs-token-referee")
    notify_staff_with_page(desk, who, build_staff_page(desk, MailKind.BOSS, who, notes=(note,)), answers=True)


def _get_office_name(desk: Desk) -> str:
    return "moderator" if get_commander(desk).is_chief else "referee"


# ---- commands in a mail ----
#
# The moderator's mail, cut into commands and what is none.


Commanded = tuple[CommandLine, str]
"""A command, and the code of the match under whose heading it stands ("" = none)."""
_HEADING = re.compile(rf"\s*(?:{MATCH_WORD}\s+)?\[?({CODE.pattern})(?:-[0-9A-Z]*)?\]?\s*(?::|\s|$)\s*(.*)", re.I | re.S)
_END = re.compile(rf"\W*{END}\W*", re.IGNORECASE)
_REPLY = re.compile(rf"(?:{ANSWERED}|\s*\[[^\]]*-[^\]]*\])+", re.IGNORECASE)


def parse_staff_commands(lines: Sequence[Line], subject: str, ended: bool) -> tuple[list[Commanded], list[Line]]:
    """Parse a mail. Returns the commands in the order of the mail, one in the subject first, and the lines that are
    none. ``ended``: the writer has put ``ENDE`` below these lines."""
    told: list[Commanded] = []
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
        told.append((_take_text_below(request, rest, ended) if _has_text_below(*found) else request, code))
    return told, unread


def _has_text_below(command: Command, argument: str) -> bool:
    """Return whether the text of a command stands in the lines below it."""
    return bool(command.body) and (not argument or argument.endswith(":") or ":" not in argument)


def _take_text_below(request: CommandLine, rest: list[Line], ended: bool) -> CommandLine:
    """Take the lines of a text from ``rest``, up to ``ENDE``; without an end all of them, so that none is read as
    anything else."""
    body: list[str] = []
    while rest:
        line = rest.pop(0)
        if _END.fullmatch(line.text):
            return replace(request, body=tuple(body))
        body.append(line.text)
    return replace(request, body=tuple(body), closed=ended)
