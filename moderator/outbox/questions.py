"""Words that wait for the moderator: asked by mail, answered by mail or by `moderator words rule`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.mail.model import Line
from moderator.outbox.post import moderator, new_page, reply_to
from moderator.outbox.tell import To, tell
from moderator.pages.content import WordAsked
from moderator.states import MailKind
from moderator.store import questions
from moderator.store.models import Match, Question
from moderator.texts import heard, pattern, plain

HERE = Path(__file__).parent
DENIED = heard(HERE, "deny")
RULING = rf"(?:{pattern(HERE, 'deny')}|{pattern(HERE, 'allow')})"
"""A regular expression: ``ungültig``, ``allowed``."""
_ANSWER = re.compile(rf"^\W*(?:(\w+)\W+)?({RULING})\b(.*)$", re.IGNORECASE)


def ask(desk: Desk, match: Match, words: Sequence[str]) -> None:
    """Mail the moderator about each word of this match that was not asked before."""
    for word in dict.fromkeys(words):
        desk.session.flush()
        if questions.was_asked(desk.session, match.number, word):
            continue
        token = tokens.new_token()
        desk.session.add(Question(match_id=match.number, word=word, token=token, asked_at=desk.now))
        page = new_page(
            desk,
            MailKind.RULING,
            moderator(desk),
            reply=reply_to(desk, tokens.WORD, token),
            deadline=match.deadline,
            content=WordAsked(word, match.code, match.name, match.lexicon),
        )
        tell(desk, To(), page)


def read_answer(lines: Sequence[Line], word: str) -> tuple[Literal["allow", "deny"], str] | None:
    """("allow" or "deny", reason) from the moderator's lines about ``word``; None when they say neither.

    ``ERLAUBT``, ``HUGO ungültig: Vorname``, ``no`` and their like are understood; a line about another word is not.
    """
    for line in lines:
        found = _ANSWER.match(line.text.strip()[:300])
        if found and (found.group(1) or word).casefold() in {word.casefold(), *heard(HERE, "word")}:
            ruling: Literal["allow", "deny"] = "deny" if plain(found.group(2)) in DENIED else "allow"
            return ruling, found.group(3).strip(" .:,;-–")
    return None
