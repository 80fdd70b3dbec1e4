"""The moderator's mail: every line of it is done, or answered for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.club.spelling import MATCH_WORD
from moderator.club.tokens import CODE
from moderator.commands.call import Request
from moderator.commands.declaration import Command, find_of_moderator, moderators
from moderator.commands.declaration import find_of_moderator as find
from moderator.commands.moderator import looking
from moderator.commands.moderator_call import ModeratorCall, act
from moderator.errors import Impossible, Misused, OperatorError
from moderator.inbox import audit
from moderator.inbox.accepting import ActUpon, accept
from moderator.inbox.answer import unopened_notes, without_ours
from moderator.inbox.sections import END, bounded
from moderator.mail.model import Incoming, Line
from moderator.match.contract import Note
from moderator.match.decision import Done, NotDone
from moderator.outbox.post import moderator, new_page
from moderator.outbox.tell import To, tell
from moderator.pages.messages import Shown
from moderator.pages.pages import LineRead, Receipt
from moderator.printable import clean
from moderator.states import InboxState, MailKind
from moderator.store.models import Inbox

MAX_LINES = 400
"""More of a mail is not read; a text that goes on beyond has no end."""
MAX_CHARS = 60_000
"""The same in characters."""


def carry_out(desk: Desk, row: Inbox, mail: Incoming, proven: bool, act_upon: ActUpon) -> None:
    """Do what the mail says and answer it, always to the moderator's own address. Not ``proven``: it came without the
    token; if it looks like a command, the moderator is told how to give it."""
    if not proven:
        _without_token(desk, row, mail)
        return
    own, _ = without_ours(desk, mail)
    found = bounded(own, MAX_LINES, MAX_CHARS)
    ended = bool(mail.ignored.get("after-end")) and len(found) == len(own)
    lines = [Line(line.number, line.text.rstrip(" ?")) for line in found]
    told, rest = read_commands(lines, mail.subject, ended)
    answered = [
        _done(ModeratorCall(desk, request, code, tuple(rest), partial(accept, act_upon=act_upon)))
        for request, code in told
    ]
    answered += [LineRead(line.number, shown(line.text), "text" if told else "error") for line in rest]
    if not told:
        last = answered[-1] if answered else LineRead(0, shown(mail.subject), "error")
        answered = [*answered[:-1], _with(last, *command_list(desk.config.club.language))]
    elif rest:
        answered[-1] = _with(answered[-1], Note("boss-known", {"text": known_words(desk.config.club.language)}))
    decided = NotDone() if any(line.undone for line in answered) else Done()
    in_order = tuple(sorted(answered, key=lambda line: line.number))
    # Whoever commands reads what came of it, however often. A mail without any command may be a machine's that hides:
    # two of those would answer each other for ever.
    receipt = Receipt(decided, in_order, unopened=() if told else unopened_notes(mail, own))
    tell(desk, To(), new_page(desk, MailKind.BOSS, moderator(desk), receipt=receipt), answers=True, once=bool(told))


def _done(call: ModeratorCall) -> LineRead:
    """Do one command; its line with the outcome."""
    desk, request, language = call.desk, call.request, call.desk.config.club.language
    line = LineRead(request.line.number, shown(request.line.text), "command")
    try:
        notes = act(call)
        audit.by_moderator(desk, request, call.section)
        return replace(line, notes=notes)
    except Misused as error:
        why, impossible = Note(error.code, error.params), isinstance(error, Impossible)
    except OperatorError as error:
        why, impossible = Note("boss-refused", {"text": error.message}), True
    except Suspended as error:
        why, impossible = Note("boss-suspended", {"text": error.reason}), True
    audit.by_moderator(desk, request, call.section, why.code)
    if impossible:
        return replace(line, status="impossible", notes=(why,))
    return replace(line, status="error", notes=(why,), example=shown(request.command.text(language).example))


def shown(text: str) -> Shown:
    """A line of the moderator's as it was written."""
    return Shown(clean(text).replace("»", "›").replace("«", "‹"))


def _with(line: LineRead, *notes: Note) -> LineRead:
    return replace(line, notes=(*line.notes, *notes))


def command_list(language: str) -> tuple[Note, ...]:
    """One sentence for each command."""
    return (Note("boss-no-command"), *looking.lines(language))


def known_words(language: str) -> str:
    """The commands' first words, in a row."""
    return " · ".join(one.text(language).first.capitalize() for one in moderators().values())


def _without_token(desk: Desk, row: Inbox, mail: Incoming) -> None:
    """Who only says to be the moderator is told the way, at the moderator's own address."""
    first = [mail.subject, *(line.text.rstrip(" ?") for line in mail.lines[:5])]
    if not any(find_of_moderator(text) for text in first if text.strip()):
        row.state, row.note = InboxState.UNKNOWN, "from the moderator's address, but neither token nor command"
        return
    row.note = "a command of the moderator's without the token"
    page = new_page(desk, MailKind.BOSS, moderator(desk), notes=(Note("boss-needs-token"),))
    tell(desk, To(), page, answers=True)


# ---- commands in a mail ----
#
# The moderator's mail, cut into commands and what is none.


Commanded = tuple[Request, str]
"""A command, and the code of the match under whose heading it stands ("" = none)."""
_HEADING = re.compile(rf"\s*(?:{MATCH_WORD}\s+)?\[?({CODE.pattern})(?:-[0-9A-Z]*)?\]?\s*(?::|\s|$)\s*(.*)", re.I | re.S)
_END = re.compile(rf"\W*{END}\W*", re.IGNORECASE)
_REPLY = re.compile(r"(?:\s*(?:re|aw|antw|antwort|fwd?|wg)(?:\[\d+\])?\s*:|\s*\[[^\]]*-[^\]]*\])+", re.IGNORECASE)


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
