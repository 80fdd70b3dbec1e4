"""Referees, and what was put to whom: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, delete, select

from moderator.states import MatterKind
from moderator.store import key_values
from moderator.store.models import Match, Matter, Referee, Tournament


def every(session: Session) -> Sequence[Referee]:
    """All, in the order in which they came."""
    return session.exec(select(Referee).order_by(col(Referee.id))).all()


def by_token(session: Session, token: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.token == token)).first()


def by_address(session: Session, address: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.address == address)).first()


def by_name(session: Session, name_key: str) -> Referee | None:
    return session.exec(select(Referee).where(Referee.name_key == name_key)).first()


def led(session: Session, number: int) -> tuple[list[str], list[str]]:
    """Codes of the matches and tournaments that name this referee, as referee or as deputy."""
    of_match = select(Match.code).where((Match.referee_id == number) | (Match.deputy_id == number))
    of_tournament = select(Tournament.code).where((Tournament.referee_id == number) | (Tournament.deputy_id == number))
    return list(session.exec(of_match)), list(session.exec(of_tournament))


def remove(session: Session, referee: Referee) -> None:
    """Gone, with all that names them."""
    for table in (Match, Tournament):
        for column in ("referee_id", "deputy_id"):
            named = getattr(table, column) == referee.number
            session.connection().execute(update(table).where(named).values({column: None}))
    session.connection().execute(delete(Matter).where(col(Matter.referee_id) == referee.number))
    key_values.remove(session, key_values.told_to(referee.number))  # the number may be given again
    session.delete(referee)
    session.flush()
    session.expire_all()


# ---- what was put to whom ----


def put(session: Session, kind: MatterKind, about: int, referee: int | None, at: datetime, token: str = "") -> Matter:
    row = Matter(kind=kind, about=about, referee_id=referee, token=token, put_at=at)
    session.add(row)
    session.flush()
    return row


def put_before(session: Session, kind: MatterKind, about: int) -> Sequence[Matter]:
    """To whom, the last one at the end."""
    query = select(Matter).where(Matter.kind == kind, Matter.about == about)
    return session.exec(query.order_by(col(Matter.put_at), col(Matter.id))).all()


def put_to(session: Session, number: int) -> set[tuple[MatterKind, int]]:
    """What was put to this referee, and waits."""
    return {(row.kind, row.about) for row in matters_of(session, number)}


def matters_of(session: Session, number: int) -> Sequence[Matter]:
    """The rows of that."""
    return session.exec(select(Matter).where(Matter.referee_id == number)).all()


def settled(session: Session, kind: MatterKind, about: int) -> None:
    """It waits no more, and may come again."""
    session.connection().execute(delete(Matter).where(col(Matter.kind) == kind, col(Matter.about) == about))


def matter_by_token(session: Session, kind: MatterKind, token: str) -> Matter | None:
    return session.exec(select(Matter).where(Matter.kind == kind, Matter.token == token)).first() if token else None
