"""Words that wait for a ruling: asked by mail, answered by mail or by `moderator words rule`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.referees import Official, in_charge
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.outbox.post import official_page, reply_to
from moderator.outbox.tell import tell_official
from moderator.pages.content import WordAsked
from moderator.pages.pages import Reply
from moderator.states import MailKind, MatterKind
from moderator.store import questions, referees
from moderator.store.models import Match, Question
from moderator.texts import apart, heard, pattern, plain

HERE = Path(__file__).parent
DENIED, ALLOWED = apart(HERE, "deny", "allow")
RULING = rf"(?:{pattern(HERE, 'deny')}|{pattern(HERE, 'allow')})"
"""A regular expression: ``ungültig``, ``allowed``."""
_ANSWER = re.compile(rf"^\W*(?:(\w+)\W+)?({RULING})\b(.*)$", re.IGNORECASE)
_TURNED = re.compile(rf"\s+(?:{pattern(HERE, 'not')}|{RULING})(?!\w)", re.IGNORECASE)
"""Behind a ruling: ``erlaubt nicht``."""


def ask(desk: Desk, match: Match, words: Sequence[str]) -> None:
    """Mail the one in charge about each word of this match that was not asked before."""
    for word in dict.fromkeys(words):
        desk.session.flush()
        if questions.was_asked(desk.session, match.number, word):
            continue
        row = Question(match_id=match.number, word=word, token=tokens.new_token(), asked_at=desk.now)
        desk.session.add(row)
        desk.session.flush()
        put(desk, match, row, in_charge(desk, match))


def put(desk: Desk, match: Match, row: Question, who: Official, *notes: Note) -> None:
    """Ask somebody, by a mail that they answer."""
    reply = own_reply(desk, tokens.WORD, MatterKind.WORD, row.number, row.token, who)
    page = official_page(
        desk,
        MailKind.RULING,
        who,
        reply=reply,
        notes=notes,
        deadline=match.deadline,
        content=WordAsked(row.word, match.code, match.name, match.lexicon),
    )
    tell_official(desk, who, page)


def own_reply(desk: Desk, code: str, kind: MatterKind, about: int, token: str, who: Official) -> Reply:
    """The address that takes this one's answer to a question; ``token``: that of the chief's. Whoever was asked before
    has another, which goes on to say whose answer it is. It is put to them, if it was not."""
    known = {row.referee_id: row for row in referees.put_before(desk.session, kind, about)}
    row = known.get(who.number)
    if row is None:
        row = referees.put(desk.session, kind, about, who.number, desk.now, "" if who.chief else tokens.new_token())
    return reply_to(desk, code, row.token or token)


def read_answer(lines: Sequence[Line], word: str) -> tuple[Literal["allow", "deny"], str] | None:
    """("allow" or "deny", reason) from the moderator's lines about ``word``; None when they say neither.

    ``ERLAUBT``, ``HUGO ungültig: Vorname``, ``no`` and their like are understood; a line about another word is not.
    """
    for line in lines:
        found = _ANSWER.match(line.text.strip()[:300])
        if (
            found
            and not _TURNED.match(found.group(3))
            and (found.group(1) or word).casefold() in {word.casefold(), *heard(HERE, "word")}
        ):
            ruling: Literal["allow", "deny"] = "deny" if plain(found.group(2)) in DENIED else "allow"
            return ruling, found.group(3).strip(" .:,;-–")
    return None
