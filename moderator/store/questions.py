"""What the moderator is asked to rule: words that no dictionary settles, and protests that players have lodged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, select

from moderator.common.enums import MatchStatus
from moderator.store.matches import OVER
from moderator.store.outbox import REPLIES
from moderator.store.tables import LetterRow, MatchRow, PlayerRow, Protest, Question, SeatRow, WatcherRow


def find_question_by_token(session: Session, token: str) -> Question | None:
    return session.exec(select(Question).where(Question.token == token)).first()


def is_word_asked(session: Session, match_id: int, word: str) -> bool:
    """Return whether the moderator was asked about this word of a match."""
    query = select(Question.id).where(Question.match_id == match_id, Question.word == word)
    return session.exec(query).first() is not None


def has_asked_words(session: Session, match_id: int) -> bool:
    """Return whether the moderator was asked about any word of a match."""
    return session.exec(select(Question.id).where(Question.match_id == match_id).limit(1)).first() is not None


def list_open_words(session: Session, match_id: int) -> list[str]:
    """List the words of a match that wait for a ruling, in the order in which they were asked."""
    query = select(Question.word).where(Question.match_id == match_id, col(Question.answered_at).is_(None))
    return list(session.exec(query.order_by(col(Question.id))))


def list_open_questions(session: Session) -> list[tuple[Question, MatchRow]]:
    """List the questions that running matches wait for, in the order in which they were asked."""
    query = select(Question, MatchRow).join(MatchRow, col(MatchRow.id) == col(Question.match_id))
    query = query.where(col(Question.answered_at).is_(None), MatchRow.status == MatchStatus.RUNNING)
    return [(row, match) for row, match in session.exec(query.order_by(col(Question.id)))]


def list_open_questions_about(session: Session, word: str, match_id: int | None = None) -> list[Question]:
    """List the questions about this word that wait for a ruling, in one match or in any."""
    query = select(Question).where(Question.word == word, col(Question.answered_at).is_(None))
    return list(session.exec(query if match_id is None else query.where(Question.match_id == match_id)))


def load_words_in_question(session: Session) -> frozenset[str]:
    """Load all words, in capitals, that were asked about in matches that have not ended."""
    query = select(Question.word).join(MatchRow, col(MatchRow.id) == col(Question.match_id))
    return frozenset(word.upper() for word in session.exec(query.where(col(MatchRow.status).not_in(OVER))))


# ---- protests ----


def find_protest_by_token(session: Session, token: str) -> Protest | None:
    return session.exec(select(Protest).where(Protest.token == token)).first()


def has_open_protest(session: Session, match_id: int, player_id: int) -> bool:
    """Return whether a protest of this player's in a match waits for its ruling."""
    query = select(Protest.id).where(
        Protest.match_id == match_id, Protest.player_id == player_id, col(Protest.answered_at).is_(None)
    )
    return session.exec(query).first() is not None


def list_protests(session: Session, everything: bool = False) -> list[tuple[Protest, MatchRow, PlayerRow]]:
    """List the protests that wait for a ruling, or all, oldest first."""
    query = (
        select(Protest, MatchRow, PlayerRow)
        .join(MatchRow, col(MatchRow.id) == col(Protest.match_id))
        .join(PlayerRow, col(PlayerRow.id) == col(Protest.player_id))
    )
    if not everything:
        query = query.where(col(Protest.answered_at).is_(None), MatchRow.status != MatchStatus.CANCELLED)
    return [(row, match, player) for row, match, player in session.exec(query.order_by(col(Protest.id)))]


# ---- Players' words to others of a match.


_WAITING = (
    select(LetterRow)
    .where(LetterRow.match_id == bindparam("match"), col(LetterRow.delivered_at).is_(None))
    .order_by(col(LetterRow.id))
)
_BESIDE = select(
    select(LetterRow.id)
    .where(LetterRow.match_id == bindparam("match"), col(LetterRow.delivered_at).is_(None))
    .exists(),
    select(WatcherRow.id).where(WatcherRow.match_id == bindparam("match")).exists(),
    REPLIES.scalar_subquery(),
)
"""Asked in every run, so written out once."""


class ReportExtras(NamedTuple):
    """The additions to a match's next report."""

    letters: bool
    """Whether some wait for it."""
    watched: bool
    """Whether somebody reads it without a seat."""
    replies: int
    """How many mails of ours have answered one of the address that was asked about."""


def load_report_extras(session: Session, match_id: int, address: str, since: datetime) -> ReportExtras:
    """Load the additions to a match's next report in one query; mostly there are none. ``address``, ``since``: see
    ``outbox.count_replies``."""
    asked = {"match": match_id, "to": address, "since": since}
    letters, watched, replies = session.connection().execute(_BESIDE, asked).one()
    return ReportExtras(bool(letters), bool(watched), replies)


def count_letters_written(session: Session, player_id: int, since: datetime) -> int:
    """Count the letters that the player has written after that."""
    return session.exec(select(func.count()).where(LetterRow.player_id == player_id, LetterRow.at > since)).one()


def list_waiting_letters(session: Session, match_id: int) -> list[LetterRow]:
    """List the letters that go with the match's next report, oldest first."""
    return list(session.exec(_WAITING, params={"match": match_id}))


def list_letters_delivered_since(session: Session, match_id: int, since: datetime) -> Sequence[LetterRow]:
    """List the letters of a match that went out after that, oldest first."""
    query = select(LetterRow).where(LetterRow.match_id == match_id, col(LetterRow.delivered_at) > since)
    return session.exec(query.order_by(col(LetterRow.id))).all()


def load_matches_with_letters(session: Session, player_id: int, since: datetime) -> set[int]:
    """Load the ids of the matches with a seat of the player's in which letters went out after that."""
    query = select(LetterRow.match_id).join(SeatRow, col(SeatRow.match_id) == col(LetterRow.match_id))
    query = query.where(SeatRow.player_id == player_id, col(LetterRow.delivered_at) > since)
    return set(session.exec(query.distinct()))


def list_delivered_letters(session: Session, match_id: int) -> list[tuple[LetterRow, str]]:
    """List all letters of a match that went out, with the names of their writers, oldest first."""
    query = select(LetterRow, PlayerRow.name).join(PlayerRow, col(PlayerRow.id) == col(LetterRow.player_id))
    query = query.where(LetterRow.match_id == match_id, col(LetterRow.delivered_at).is_not(None))
    return list(session.exec(query.order_by(col(LetterRow.id))))


def count_letters_by_match(session: Session) -> dict[int, int]:
    """Count the letters that went out in each match that has any."""
    query = select(LetterRow.match_id, func.count()).where(col(LetterRow.delivered_at).is_not(None))
    return dict(session.exec(query.group_by(col(LetterRow.match_id))).all())
