"""The tournaments at one glance, with a digest of everything that their pages are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, String, cast, col, select

from moderator.site import tree
from moderator.states import CupRuling, CupStatus, EntryState
from moderator.store.models import Cup, CupEntry, CupGame, Player
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Format

SHOWN = (CupStatus.OPEN, CupStatus.RUNNING, CupStatus.FINISHED)
"""States of tournaments that have a page."""


@dataclass(frozen=True)
class Entered:
    """Who takes part."""

    player: int
    """Primary key."""
    name: str
    number: int
    """In the table; 0 before the start."""
    division: int
    state: EntryState
    rating: float
    place: int | None


@dataclass(frozen=True)
class ListedCup:
    """A tournament as lists show it."""

    id: int
    code: str
    name: str
    game: str
    format: str
    status: CupStatus
    round: int
    previous: int | None
    """The season before."""
    created: datetime
    closes: datetime | None
    finished: datetime | None
    entered: tuple[Entered, ...]
    """Those in it, by division and place or number."""
    digest: str
    """Of settings, state and pairings."""
    ruled: tuple[tuple[int, str], ...]
    """Matches with what the moderator has said about their results, as stored."""

    @property
    def rules(self) -> Format:
        """What its format says of it."""
        return of(self)

    @property
    def over(self) -> bool:
        return self.status == CupStatus.FINISHED

    @property
    def winners(self) -> tuple[Entered, ...]:
        """Of the highest division; () while it runs."""
        return tuple(one for one in self.entered if one.place == 1 and one.division == 1) if self.over else ()

    @property
    def taking_part(self) -> tuple[Entered, ...]:
        return tuple(one for one in self.entered if one.number or one.state == EntryState.IN)


def listed(session: Session) -> tuple[ListedCup, ...]:
    """All that have a page, the newest first."""
    pairings, entered = _pairings(session), _entered(session)
    values = [cast(column, String) for column in (Cup.settings, Cup.options, Cup.terms, Cup.state)]
    found: Any = session.exec(select(Cup.id, *values))
    plain = {row[0]: tuple(row[1:]) for row in found}
    cups = session.exec(select(Cup).where(col(Cup.status).in_(SHOWN)).order_by(col(Cup.id).desc()))
    return tuple(
        ListedCup(
            cup.number,
            cup.code,
            cup.name,
            cup.game,
            cup.format,
            cup.status,
            cup.round,
            cup.previous_id,
            cup.created_at,
            cup.closes_at,
            cup.finished_at,
            tuple(entered.get(cup.number, ())),
            tree.key(plain[cup.number], pairings.get(cup.number, ())),
            tuple((row[4], row[7]) for row in pairings.get(cup.number, ()) if row[5] == CupRuling.MODERATOR and row[4]),
        )
        for cup in cups
    )


def _entered(session: Session) -> Mapping[int, list[Entered]]:
    query = select(CupEntry, Player.name).join(Player, col(Player.id) == col(CupEntry.player_id))
    found: dict[int, list[Entered]] = {}
    for entry, name in session.exec(query.order_by(col(CupEntry.division), col(CupEntry.number), col(CupEntry.id))):
        one = Entered(entry.player_id, name, entry.number, entry.division, entry.state, entry.rating, entry.place)
        found.setdefault(entry.cup_id, []).append(one)
    return found


def _pairings(session: Session) -> Mapping[int, list[Any]]:
    """As plain values: their JSON is not read, as this is asked whenever the site is published."""
    columns = (CupGame.division, CupGame.round, CupGame.board, CupGame.kind, CupGame.match_id, CupGame.ruling)
    plain = (cast(CupGame.seats, String), cast(CupGame.result, String), CupGame.ends_at)
    query = select(CupGame.cup_id, *columns, *plain).order_by(col(CupGame.id))  # type: ignore[call-overload]
    found: dict[int, list[Any]] = {}
    for row in session.exec(query):
        found.setdefault(row[0], []).append(tuple(row[1:]))
    return found
