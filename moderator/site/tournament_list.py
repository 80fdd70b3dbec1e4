"""The tournaments at one glance, with a digest of everything that their pages are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from moderator.club import archive
from moderator.site import tree
from moderator.states import EntryState, TournamentStatus
from moderator.store import tournaments
from moderator.store.db import Session
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Format


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
    pairings, entered = tournaments.plain_pairings(session), _entered(session)
    plain = tournaments.plain(session)
    begun = tournaments.in_states(session, archive.TOURNAMENTS)
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
        )
        for tournament in reversed(begun)
    )


def _entered(session: Session) -> Mapping[int, list[Entered]]:
    found: dict[int, list[Entered]] = {}
    for entry, name in tournaments.named_entries(session):
        one = Entered(entry.player_id, name, entry.number, entry.division, entry.state, entry.rating, entry.place)
        found.setdefault(entry.tournament_id, []).append(one)
    return found
