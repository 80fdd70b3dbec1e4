"""What the moderator is asked to rule: words that no dictionary settles, and protests that players have lodged."""

from __future__ import annotations

from sqlmodel import Session, col, select

from moderator.common.enums import MatchStatus
from moderator.store.matches import OVER
from moderator.store.tables import MatchRow, PlayerRow, Protest, Question


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
