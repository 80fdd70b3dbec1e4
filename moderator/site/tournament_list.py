"""The tournaments at one glance, with a digest of everything that their pages are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from moderator.common.enums import EntryState, TournamentStatus
from moderator.site import tree
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Format
from moderator.views import links


@dataclass(frozen=True)
class ListedEntrant:
    """A player who takes part."""

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
    entered: tuple[ListedEntrant, ...]
    """Those in it, by division and place or number."""
    digest: str
    """Of settings, state and pairings."""

    @property
    def rules(self) -> Format:
        """The rules of its format."""
        return get_format(self)

    @property
    def over(self) -> bool:
        return self.status == TournamentStatus.FINISHED

    @property
    def winners(self) -> tuple[ListedEntrant, ...]:
        """The winners of the highest division; () while it runs."""
        return tuple(one for one in self.entered if one.place == 1 and one.division == 1) if self.over else ()

    @property
    def taking_part(self) -> tuple[ListedEntrant, ...]:
        return tuple(one for one in self.entered if one.number or one.state == EntryState.IN)


def load_listed_tournaments(session: Session) -> tuple[ListedTournament, ...]:
    """Return all tournaments that have a page, the newest first."""
    pairings, entered = tournaments.load_raw_pairings(session), _load_entrants(session)
    plain = tournaments.load_raw_tournaments(session)
    begun = tournaments.list_tournaments_in_states(session, links.TOURNAMENTS)
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
            tree.compute_file_key(plain[tournament.number], pairings.get(tournament.number, ())),
        )
        for tournament in reversed(begun)
    )


def _load_entrants(session: Session) -> Mapping[int, list[ListedEntrant]]:
    found: dict[int, list[ListedEntrant]] = {}
    for entry, name in tournaments.list_named_entries(session):
        one = ListedEntrant(entry.player_id, name, entry.number, entry.division, entry.state, entry.rating, entry.place)
        found.setdefault(entry.tournament_id, []).append(one)
    return found
