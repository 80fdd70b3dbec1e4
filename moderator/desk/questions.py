"""Words that wait for the moderator: asked by mail, answered by mail or by `moderator words rule`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from sqlmodel import select

from moderator.desk import house_list, tokens
from moderator.desk.desk import Desk
from moderator.desk.outbox import To, tell
from moderator.desk.post import moderator, new_page, reply_to
from moderator.engine.contract import Note
from moderator.lexicon.house import Ruling
from moderator.mail.model import Line
from moderator.states import MatchStatus, WordRuling
from moderator.store.models import Match, Question

YES = ("erlaubt", "erlauben", "gültig", "gueltig", "ja", "allowed", "allow", "valid", "yes", "ok")
NO = ("ungültig", "ungueltig", "verboten", "nein", "unzulässig", "unzulaessig", "denied", "deny", "invalid", "no")
_ANSWER = re.compile(rf"^\W*(?:(\w+)\W+)?({'|'.join(NO + YES)})\b(.*)$", re.IGNORECASE)


def ask(desk: Desk, match: Match, words: Sequence[str]) -> None:
    """Mail the moderator about each word of this match that was not asked before."""
    for word in dict.fromkeys(words):
        desk.session.flush()
        asked = select(Question).where(Question.match_id == match.id, Question.word == word)
        if desk.session.exec(asked).first():
            continue
        token = tokens.new_token()
        desk.session.add(Question(match_id=match.number, word=word, token=token, asked_at=desk.now))
        page = new_page(
            desk,
            "ruling",
            moderator(desk),
            reply=reply_to(desk, tokens.WORD, token),
            deadline=match.deadline,
            facts={"word": word, "match": match.code, "match_name": match.name, "lexicon": match.lexicon},
        )
        tell(desk, To(), page)


def read_answer(lines: Sequence[Line], word: str) -> tuple[Literal["allow", "deny"], str] | None:
    """("allow" or "deny", reason) from the moderator's lines about ``word``; None when they say neither.

    ``ERLAUBT``, ``HUGO ungültig: Vorname``, ``no`` and their like are understood; a line about another word is not.
    """
    for line in lines:
        found = _ANSWER.match(line.text.strip()[:300])
        if found and (found.group(1) or word).casefold() in (word.casefold(), "wort", "word"):
            ruling: Literal["allow", "deny"] = "deny" if found.group(2).casefold() in NO else "allow"
            return ruling, found.group(3).strip(" .:,;-–")
    return None


def take_answer(desk: Desk, question: Question, lines: Sequence[Line]) -> None:
    """Enter the ruling in the house list and let its match go on; ask again when it was not understood.

    Other matches that wait for the same word go on with the next step of the tick.
    """
    answer = read_answer(lines, question.word)
    match = desk.session.get_one(Match, question.match_id)
    facts = {"word": question.word, "match": match.code, "match_name": match.name, "lexicon": match.lexicon}
    if answer:
        ruling, reason = answer
        made = Ruling(word=question.word, ruling=ruling, reason=reason, date=desk.now.date().isoformat())
        house_list.enter(desk, made)
        question.ruling, question.answered_at = WordRuling(answer[0]), desk.now
        desk.session.add(question)
        facts |= {"ruling": answer[0], "reason": answer[1]}
        desk.session.flush()
        release(desk, match.number)
    page = new_page(
        desk,
        "ruled" if answer else "ruling",
        moderator(desk),
        reply=reply_to(desk, tokens.WORD, question.token),
        notes=() if answer else (Note("ruling-not-understood"),),
        deadline=match.deadline,
        facts=facts,
    )
    tell(desk, To(), page, answers=True)


def release(desk: Desk, match_id: int) -> None:
    """Try a held match again, and mail everybody if it goes on; if a word is still open, it is held as before. Of a
    round that is not evaluated yet, tell those whose order is impossible by the ruling."""
    from moderator.desk.announce import announce
    from moderator.desk.paces import resume, ruled

    match = desk.session.get_one(Match, match_id)
    live = desk.shelf.live(desk.session, match)
    if match.status != MatchStatus.RUNNING:
        return
    act = resume if match.held else ruled
    act(desk, match, live)
    announce(desk)
