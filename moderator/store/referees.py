"""Referees, and what was put to whom: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, delete, select

from moderator.common.enums import QuestionKind
from moderator.store import key_values
from moderator.store.tables import MatchRow, Matter, Referee, Tournament


def list_all_referees(session: Session) -> Sequence[Referee]:
    """List all referees, in the order in which they were added."""
    return session.exec(select(Referee).order_by(col(Referee.id))).all()


def find_referee_by_token(session: Session, token: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.token == token)).first()


def find_referee_by_address(session: Session, address: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.address == address)).first()


def find_referee_by_name(session: Session, name_key: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.name_key == name_key)).first()


def list_assigned_codes(session: Session, number: int) -> tuple[list[str], list[str]]:
    """List the codes of the matches, and of the tournaments, that name this referee as referee or as deputy."""
    of_match = select(MatchRow.code).where((MatchRow.referee_id == number) | (MatchRow.deputy_id == number))
    of_tournament = select(Tournament.code).where((Tournament.referee_id == number) | (Tournament.deputy_id == number))
    return list(session.exec(of_match)), list(session.exec(of_tournament))


def delete_referee(session: Session, referee: Referee) -> None:
    """Delete a referee, with all that names them."""
    for table in (MatchRow, Tournament):
        for column in ("referee_id", "deputy_id"):
            named = getattr(table, column) == referee.number
            session.connection().execute(update(table).where(named).values({column: None}))
    session.connection().execute(delete(Matter).where(col(Matter.referee_id) == referee.number))
    key_values.delete_value(session, key_values.build_notice_key(referee.number))  # the number may be given again
    session.delete(referee)
    session.flush()
    session.expire_all()


# ---- what was put to whom ----


def add_matter(
    session: Session, kind: QuestionKind, about: int, referee: int | None, at: datetime, token: str = ""
) -> Matter:
    row = Matter(kind=kind, about=about, referee_id=referee, token=token, put_at=at)
    session.add(row)
    session.flush()
    return row


def list_matters_about(session: Session, kind: QuestionKind, about: int) -> Sequence[Matter]:
    """List the times that this matter was put to somebody, the last one at the end."""
    query = select(Matter).where(Matter.kind == kind, Matter.about == about)
    return session.exec(query.order_by(col(Matter.put_at), col(Matter.id))).all()


def load_matter_keys(session: Session, number: int) -> set[tuple[QuestionKind, int]]:
    """Load (kind, number) of each matter that was put to this referee and waits."""
    return {(row.kind, row.about) for row in list_matters_of_referee(session, number)}


def list_matters_of_referee(session: Session, number: int) -> Sequence[Matter]:
    """List the rows of the matters that were put to this referee and wait."""
    return session.exec(select(Matter).where(Matter.referee_id == number)).all()


def delete_matter(session: Session, kind: QuestionKind, about: int) -> None:
    """Delete a matter: it waits no more, and may come again."""
    session.connection().execute(delete(Matter).where(col(Matter.kind) == kind, col(Matter.about) == about))


def find_matter_by_token(session: Session, kind: QuestionKind, token: str) -> Matter | None:
    return session.exec(select(Matter).where(Matter.kind == kind, Matter.token == token)).first() if token else None
