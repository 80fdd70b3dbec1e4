"""Words that wait for a ruling: asked by mail, answered by mail or by `moderator words rule`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from moderator.common import tokens
from moderator.common.enums import MailKind, QuestionKind
from moderator.common.mails import Line
from moderator.common.message_files import load_distinct_words, load_synonyms, load_word_pattern, normalize_spelling
from moderator.notifications.content import ReplyAddress, WordAsked
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.service.notifications import notify_staff_with_page
from moderator.store import players, questions
from moderator.store.tables import MatchRow, Question
from moderator.views.links import build_reply_address, build_staff_page
from moderator.views.people import MatchCharge
from moderator.views.unit_of_work import UnitOfWork

HERE = Path(__file__).parent
DENIED, ALLOWED = load_distinct_words(HERE, "deny", "allow")
RULING = rf"(?:{load_word_pattern(HERE, 'deny')}|{load_word_pattern(HERE, 'allow')})"
"""A regular expression: ``ungültig``, ``allowed``."""
_RULING_ANSWER = re.compile(rf"^\W*(?:(\w+)\W+)?({RULING})\b(.*)$", re.IGNORECASE)
_TURNED = re.compile(rf"\s+(?:{load_word_pattern(HERE, 'not')}|{RULING})(?!\w)", re.IGNORECASE)
"""Behind a ruling: ``erlaubt nicht``."""


def ask_word_ruling(work: UnitOfWork, match: MatchRow, words: Sequence[str]) -> None:
    """Ask the staff member in charge about each word of this match that was not asked about before."""
    for word in dict.fromkeys(words):
        work.session.flush()
        if questions.is_word_asked(work.session, match.number, word):
            continue
        row = Question(match_id=match.number, word=word, token=tokens.generate_token(), asked_at=work.now)
        work.session.add(row)
        work.session.flush()
        ask_staff_about_word(work, match, row, MatchCharge(work, match).find_staff())


def ask_staff_about_word(work: UnitOfWork, match: MatchRow, row: Question, who: StaffMember, *notes: Note) -> None:
    """Ask a staff member about a word, by a mail that takes the answer."""
    reply = build_question_reply(work, tokens.WORD, QuestionKind.WORD, row.number, row.token, who)
    page = build_staff_page(
        work,
        MailKind.RULING,
        who,
        reply=reply,
        notes=notes,
        deadline=match.deadline,
        content=WordAsked(row.word, match.code, match.name, match.lexicon),
    )
    notify_staff_with_page(work, who, page)


def build_question_reply(
    work: UnitOfWork, code: str, kind: QuestionKind, about: int, token: str, who: StaffMember
) -> ReplyAddress:
    """Return the address that takes this staff member's answer to a question; ``token``: the chief's one. Anybody who
    was asked before has another address, which still says whose answer it is. Records that the question was put to
    them."""
    known = {row.referee_id: row for row in players.list_matters_about(work.session, kind, about)}
    row = known.get(who.number)
    if row is None:
        row = players.add_matter(
            work.session, kind, about, who.number, work.now, "" if who.is_chief else tokens.generate_token()
        )
    return build_reply_address(work.config, code, row.token or token)


def parse_word_answer(lines: Sequence[Line], word: str) -> tuple[Literal["allow", "deny"], str] | None:
    """Return ("allow" or "deny", reason) from the moderator's lines about ``word``; None when they say neither.

    ``ERLAUBT``, ``HUGO ungültig: Vorname``, ``no`` and their like are understood; a line about another word is not."""
    for line in lines:
        found = _RULING_ANSWER.match(line.text.strip()[:300])
        if (
            found
            and not _TURNED.match(found.group(3))
            and (found.group(1) or word).casefold() in {word.casefold(), *load_synonyms(HERE, "word")}
        ):
            ruling: Literal["allow", "deny"] = "deny" if normalize_spelling(found.group(2)) in DENIED else "allow"
            return ruling, found.group(3).strip(" .:,;-–")
    return None
