"""The tournaments at one glance, with a digest of everything that their pages are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, String, cast, col, select

from moderator.site import tree
from moderator.states import EntryState, TournamentRuling, TournamentStatus
from moderator.store.models import Player, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Format

SHOWN = (TournamentStatus.OPEN, TournamentStatus.RUNNING, TournamentStatus.FINISHED)
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
class ListedTournament:
    """A tournament as lists show it."""

    id: int
    code: str
    name: str
    game: str
    format: str
    status: TournamentStatus
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
        return self.status == TournamentStatus.FINISHED

    @property
    def winners(self) -> tuple[Entered, ...]:
        """Of the highest division; () while it runs."""
        return tuple(one for one in self.entered if one.place == 1 and one.division == 1) if self.over else ()

    @property
    def taking_part(self) -> tuple[Entered, ...]:
        return tuple(one for one in self.entered if one.number or one.state == EntryState.IN)


def listed(session: Session) -> tuple[ListedTournament, ...]:
    """All that have a page, the newest first."""
    pairings, entered = _pairings(session), _entered(session)
    values = [
        cast(column, String) for column in (Tournament.settings, Tournament.options, Tournament.terms, Tournament.state)
    ]
    found: Any = session.exec(select(Tournament.id, *values))
    plain = {row[0]: tuple(row[1:]) for row in found}
    tournaments = session.exec(
        select(Tournament).where(col(Tournament.status).in_(SHOWN)).order_by(col(Tournament.id).desc())
    )
    return tuple(
        ListedTournament(
            tournament.number,
            tournament.code,
            tournament.name,
            tournament.game,
            tournament.format,
            tournament.status,
            tournament.round,
            tournament.previous_id,
            tournament.created_at,
            tournament.closes_at,
            tournament.finished_at,
            tuple(entered.get(tournament.number, ())),
            tree.key(plain[tournament.number], pairings.get(tournament.number, ())),
            tuple(
                (row[4], row[7])
                for row in pairings.get(tournament.number, ())
                if row[5] == TournamentRuling.MODERATOR and row[4]
            ),
        )
        for tournament in tournaments
    )


def _entered(session: Session) -> Mapping[int, list[Entered]]:
    query = select(TournamentEntry, Player.name).join(Player, col(Player.id) == col(TournamentEntry.player_id))
    found: dict[int, list[Entered]] = {}
    for entry, name in session.exec(
        query.order_by(col(TournamentEntry.division), col(TournamentEntry.number), col(TournamentEntry.id))
    ):
        one = Entered(entry.player_id, name, entry.number, entry.division, entry.state, entry.rating, entry.place)
        found.setdefault(entry.tournament_id, []).append(one)
    return found


def _pairings(session: Session) -> Mapping[int, list[Any]]:
    """As plain values: their JSON is not read, as this is asked whenever the site is published."""
    columns = (
        TournamentGame.division,
        TournamentGame.round,
        TournamentGame.board,
        TournamentGame.kind,
        TournamentGame.match_id,
        TournamentGame.ruling,
    )
    plain = (cast(TournamentGame.seats, String), cast(TournamentGame.result, String), TournamentGame.ends_at)
    query = select(TournamentGame.tournament_id, *columns, *plain).order_by(col(TournamentGame.id))  # type: ignore[call-overload]
    found: dict[int, list[Any]] = {}
    for row in session.exec(query):
        found.setdefault(row[0], []).append(tuple(row[1:]))
    return found
