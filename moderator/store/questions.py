"""What the moderator is asked to rule: words that no dictionary settles, and protests that players have lodged."""

from __future__ import annotations

from sqlmodel import Session, col, select

from moderator.states import MatchStatus
from moderator.store.matches import OVER
from moderator.store.models import Match, Player, Protest, Question


def by_token(session: Session, token: str) -> Question | None:
    return session.exec(select(Question).where(Question.token == token)).first()


def was_asked(session: Session, match_id: int, word: str) -> bool:
    """Whether the moderator was asked about this word of a match."""
    query = select(Question.id).where(Question.match_id == match_id, Question.word == word)
    return session.exec(query).first() is not None


def any_asked(session: Session, match_id: int) -> bool:
    """Whether the moderator was asked about any word of a match."""
    return session.exec(select(Question.id).where(Question.match_id == match_id).limit(1)).first() is not None


def open_words(session: Session, match_id: int) -> list[str]:
    """Words of a match that wait for a ruling, in the order in which they were asked."""
    query = select(Question.word).where(Question.match_id == match_id, col(Question.answered_at).is_(None))
    return list(session.exec(query.order_by(col(Question.id))))


def open_ones(session: Session) -> list[tuple[Question, Match]]:
    """What running matches wait for, in the order in which it was asked."""
    query = select(Question, Match).join(Match, col(Match.id) == col(Question.match_id))
    query = query.where(col(Question.answered_at).is_(None), Match.status == MatchStatus.RUNNING)
    return [(row, match) for row, match in session.exec(query.order_by(col(Question.id)))]


def open_about(session: Session, word: str, match_id: int | None = None) -> list[Question]:
    """Questions about this word that wait for a ruling, in one match or in any."""
    query = select(Question).where(Question.word == word, col(Question.answered_at).is_(None))
    return list(session.exec(query if match_id is None else query.where(Question.match_id == match_id)))


def words_of_unfinished(session: Session) -> frozenset[str]:
    """All words, in capitals, that were asked about in matches that have not ended."""
    query = select(Question.word).join(Match, col(Match.id) == col(Question.match_id))
    return frozenset(word.upper() for word in session.exec(query.where(col(Match.status).not_in(OVER))))


# ---- protests ----


def protest_by_token(session: Session, token: str) -> Protest | None:
    return session.exec(select(Protest).where(Protest.token == token)).first()


def protest_waits(session: Session, match_id: int, player_id: int) -> bool:
    """Whether a protest of this player's in a match waits for its ruling."""
    query = select(Protest.id).where(
        Protest.match_id == match_id, Protest.player_id == player_id, col(Protest.answered_at).is_(None)
    )
    return session.exec(query).first() is not None


def protests_listed(session: Session, everything: bool = False) -> list[tuple[Protest, Match, Player]]:
    """Those that wait for a ruling, or all, oldest first."""
    query = (
        select(Protest, Match, Player)
        .join(Match, col(Match.id) == col(Protest.match_id))
        .join(Player, col(Player.id) == col(Protest.player_id))
    )
    if not everything:
        query = query.where(col(Protest.answered_at).is_(None), Match.status != MatchStatus.CANCELLED)
    return [(row, match, player) for row, match, player in session.exec(query.order_by(col(Protest.id)))]
