"""Protests that players have lodged."""

from __future__ import annotations

from sqlmodel import Session, col, select

from moderator.store.models import Match, Player, Protest


def by_token(session: Session, token: str) -> Protest | None:
    return session.exec(select(Protest).where(Protest.token == token)).first()


def waits(session: Session, match_id: int, player_id: int) -> bool:
    """Whether a protest of this player's in a match waits for its ruling."""
    query = select(Protest.id).where(
        Protest.match_id == match_id, Protest.player_id == player_id, col(Protest.answered_at).is_(None)
    )
    return session.exec(query).first() is not None


def listed(session: Session, everything: bool = False) -> list[tuple[Protest, Match, Player]]:
    """Those that wait for a ruling, or all, oldest first."""
    query = (
        select(Protest, Match, Player)
        .join(Match, col(Match.id) == col(Protest.match_id))
        .join(Player, col(Player.id) == col(Protest.player_id))
    )
    if not everything:
        query = query.where(col(Protest.answered_at).is_(None))
    return [(row, match, player) for row, match, player in session.exec(query.order_by(col(Protest.id)))]
