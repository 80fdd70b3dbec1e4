"""The mail of the chief or a referee: every line of it is done, or answered for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.club.referees import Official, check, commanding
from moderator.club.spelling import MATCH_WORD
from moderator.club.tokens import CODE
from moderator.commands.call import Request
from moderator.commands.declaration import Command, could_be, find_of_moderator
from moderator.commands.declaration import find_of_moderator as find
from moderator.commands.moderator import looking
from moderator.commands.moderator_call import ModeratorCall, act
from moderator.errors import Impossible, Misused, OperatorError
from moderator.inbox import audit
from moderator.inbox.accepting import ActUpon, accept
from moderator.inbox.answer import unopened_notes, without_ours
from moderator.inbox.sections import END, bounded
from moderator.mail.clean import ANSWERED
from moderator.mail.model import Incoming, Line
from moderator.match.contract import Note
from moderator.match.decision import Done, NotDone
from moderator.outbox.post import official_page
from moderator.outbox.tell import tell_official
from moderator.pages.messages import unmarked
from moderator.pages.pages import LineRead, Receipt
from moderator.people.identify import Boss, Objection, Ruling
from moderator.play import rulings
from moderator.states import InboxState, MailKind
from moderator.store.models import Inbox, Match
from moderator.today.daily_notice import all_in_mail

MAX_LINES = 400
"""More of a mail is not read; a text that goes on beyond has no end."""
MAX_CHARS = 60_000
"""The same in characters."""


def carry_out(desk: Desk, row: Inbox, mail: Incoming, writer: Boss, act_upon: ActUpon) -> None:
    """Do what the mail says and answer it, always to the writer's own address. Not ``proven``: it came without the
    token; if it looks like a command, its writer is told how to give it."""
    desk.official = who = writer.official
    if not writer.proven:
        _without_token(desk, row, mail)
        return
    own, _ = without_ours(desk, mail)
    found = bounded(own, MAX_LINES, MAX_CHARS)
    ended = bool(mail.ignored.get("after-end")) and len(found) == len(own)
    lines = [Line(line.number, line.text.rstrip(" ?")) for line in found]
    told, rest = read_commands(lines, mail.subject, ended)
    answered = [
        _done(ModeratorCall(desk, request, code, tuple(rest), partial(accept, act_upon=act_upon), all_in_mail))
        for request, code in told
    ]
    unread = [_unread(line, who, bool(told)) for line in rest]
    answered += unread or ([] if told else [LineRead(0, unmarked(mail.subject), "error")])
    if not told and not any(line.notes for line in unread):
        answered[-1] = _with(answered[-1], *command_list(who))
    elif unread and not unread[-1].notes:
        answered[-1] = _with(answered[-1], Note("boss-known", {"commands": known_words(who)}))
    decided = NotDone() if any(line.undone for line in answered) else Done()
    in_order = tuple(sorted(answered, key=lambda line: line.number))
    # Whoever commands reads what came of it, however often. A mail without any command may be a machine's that hides:
    # two of those would answer each other for ever.
    receipt = Receipt(decided, in_order, unopened=() if told else unopened_notes(mail, own))
    page = official_page(desk, MailKind.BOSS, who, receipt=receipt)
    tell_official(desk, who, page, answers=True, once=bool(told))


def take_answer(desk: Desk, writer: Ruling | Objection, lines: Sequence[Line]) -> None:
    """The answer to a question about a match, if its writer is in charge of it still."""
    desk.official = who = writer.official
    asked = writer.question if isinstance(writer, Ruling) else writer.protest
    try:
        check(desk, desk.session.get_one(Match, asked.match_id))
    except Impossible as error:
        page = official_page(desk, MailKind.BOSS, who, notes=(Note(error.code, error.params),))
        tell_official(desk, who, page, answers=True)
        return
    if isinstance(writer, Ruling):
        rulings.take_word_answer(desk, writer.question, lines, who)
    else:
        rulings.take_protest_answer(desk, writer.protest, lines, who)


def _done(call: ModeratorCall) -> LineRead:
    """Do one command; its line with the outcome."""
    desk, request, language = call.desk, call.request, commanding(call.desk).language
    line = LineRead(request.line.number, unmarked(request.line.text), "command")
    try:
        notes = act(call)
        audit.by_official(desk, request, call.section)
        return replace(line, notes=notes)
    except Misused as error:
        why, impossible = Note(error.code, error.params), isinstance(error, Impossible)
    except OperatorError as error:
        why, impossible = Note("boss-refused", {"text": error.message}), True
    except Suspended as error:
        why, impossible = Note("boss-suspended", {"text": error.reason}), True
    audit.by_official(desk, request, call.section, why.code)
    if impossible:
        return replace(line, status="impossible", notes=(why,))
    return replace(line, status="error", notes=(why,), example=unmarked(request.command.text(language).example))


def _unread(line: Line, who: Official, told: bool) -> LineRead:
    """A line that is no command, with those that it may mean whose word it cuts too short."""
    heading = _HEADING.fullmatch(line.text[:1000])
    found = [one for one in could_be(heading[2] if heading else line.text) if one in looking.given_by(who)]
    read = LineRead(line.number, unmarked(line.text), "text" if told and not found else "error")
    names = [one.text(who.language).first.capitalize() for one in found]
    return _with(read, Note("boss-could-be", {"commands": names})) if found else read


def _with(line: LineRead, *notes: Note) -> LineRead:
    return replace(line, notes=(*line.notes, *notes))


def command_list(who: Official) -> tuple[Note, ...]:
    """One sentence for each command that they may give."""
    return (Note("boss-no-command"), *looking.lines(who))


def known_words(who: Official) -> list[str]:
    """The commands' first words."""
    return [one.text(who.language).first.capitalize() for one in looking.given_by(who)]


def _without_token(desk: Desk, row: Inbox, mail: Incoming) -> None:
    """Who only says to be the chief, or a referee, is told the way, at that one's own address."""
    first = [mail.subject, *(line.text.rstrip(" ?") for line in mail.lines[:5])]
    if not any(find_of_moderator(text) for text in first if text.strip()):
        row.state, row.note = InboxState.UNKNOWN, f"from the {_office(desk)}'s address, but neither token nor command"
        return
    row.note = f"a command of the {_office(desk)}'s without the token"
    who = commanding(desk)
    note = Note("boss-needs-token" if who.chief else "boss-needs-token-referee")
    tell_official(desk, who, official_page(desk, MailKind.BOSS, who, notes=(note,)), answers=True)


def _office(desk: Desk) -> str:
    return "moderator" if commanding(desk).chief else "referee"


# ---- commands in a mail ----
#
# The moderator's mail, cut into commands and what is none.


Commanded = tuple[Request, str]
"""A command, and the code of the match under whose heading it stands ("" = none)."""
_HEADING = re.compile(rf"\s*(?:{MATCH_WORD}\s+)?\[?({CODE.pattern})(?:-[0-9A-Z]*)?\]?\s*(?::|\s|$)\s*(.*)", re.I | re.S)
_END = re.compile(rf"\W*{END}\W*", re.IGNORECASE)
_REPLY = re.compile(rf"(?:{ANSWERED}|\s*\[[^\]]*-[^\]]*\])+", re.IGNORECASE)


def read_commands(lines: Sequence[Line], subject: str, ended: bool) -> tuple[list[Commanded], list[Line]]:
    """The commands in the order of the mail, one in the subject first, and the lines that are none. ``ended``: the
    writer has put ``ENDE`` below these lines."""
    told: list[Commanded] = []
    unread: list[Line] = []
    title = _REPLY.sub("", subject[:300]).strip()
    if (found := find(title, whole=True)) is not None:
        told.append((Request(found[0], Line(0, title), found[1]), ""))
    rest, code = list(lines), ""
    while rest:
        line = rest.pop(0)
        heading = _HEADING.fullmatch(line.text[:1000])
        text = line.text
        if heading:
            code, text = heading.group(1).upper(), heading.group(2)
        if not text.strip():
            continue
        found = find(text, under=bool(code))
        if found is None:
            unread.append(line)
            continue
        request = Request(found[0], line, found[1])
        told.append((_with_body(request, rest, ended) if _goes_on(*found) else request, code))
    return told, unread


def _goes_on(command: Command, argument: str) -> bool:
    """Whether its text stands in the lines below."""
    return bool(command.body) and (not argument or argument.endswith(":") or ":" not in argument)


def _with_body(request: Request, rest: list[Line], ended: bool) -> Request:
    """Take the lines of a text from ``rest``, up to ``ENDE``; without an end all of them, so that none is read as
    anything else."""
    body: list[str] = []
    while rest:
        line = rest.pop(0)
        if _END.fullmatch(line.text):
            return replace(request, body=tuple(body))
        body.append(line.text)
    return replace(request, body=tuple(body), closed=ended)
