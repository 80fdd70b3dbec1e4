"""The moderator's answer on a word, and the matches that go on by it."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.club import house_list, tokens
from moderator.club.desk import Desk
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.outbox.post import moderator, new_page, reply_to
from moderator.outbox.questions import read_answer
from moderator.outbox.tell import To, tell
from moderator.pages.content import Content, WordAsked, WordRuled
from moderator.play.announce import announce
from moderator.play.paces import resume, ruled
from moderator.states import MailKind, MatchStatus, WordRuling
from moderator.store.models import Match, Question
from moderator.words.house import Ruling


def take_answer(desk: Desk, question: Question, lines: Sequence[Line]) -> None:
    """Enter the ruling in the house list and let its match go on; ask again when it was not understood.

    Other matches that wait for the same word go on with the next step of the tick.
    """
    answer = read_answer(lines, question.word)
    match = desk.session.get_one(Match, question.match_id)
    content: Content = WordAsked(question.word, match.code, match.name, match.lexicon)
    if answer:
        ruling, reason = answer
        made = Ruling(word=question.word, ruling=ruling, reason=reason, date=desk.now.date().isoformat())
        house_list.enter(desk, made)
        question.ruling, question.answered_at = WordRuling(answer[0]), desk.now
        desk.session.add(question)
        content = WordRuled(question.word, question.ruling, reason)
        desk.session.flush()
        release(desk, match.number)
    page = new_page(
        desk,
        MailKind.RULED if answer else MailKind.RULING,
        moderator(desk),
        reply=reply_to(desk, tokens.WORD, question.token),
        notes=() if answer else (Note("ruling-not-understood"),),
        deadline=match.deadline,
        content=content,
    )
    tell(desk, To(), page, answers=True)


def release(desk: Desk, match_id: int) -> None:
    """Try a held match again, and mail everybody if it goes on; if a word is still open, it is held as before. Of a
    round that is not evaluated yet, tell those whose order is impossible by the ruling."""
    match = desk.session.get_one(Match, match_id)
    live = desk.cache.live(desk.session, match)
    if match.status != MatchStatus.RUNNING:
        return
    act = resume if match.held else ruled
    act(desk, match, live)
    announce(desk)
