"""The tournaments and the rulings on words that the site tells of, read once for all of its pages: with a digest of
everything that the tournaments' pages are made from, and with the reasons of rulings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import LexiconError
from moderator.settings import Config
from moderator.site import tree
from moderator.store import questions, tournaments
from moderator.store.database import Session
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Format
from moderator.views import links
from moderator.words import house_rulings
from moderator.words.house_rulings import HouseRuling
from moderator.words.kinds import list_kind_names


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


@dataclass(frozen=True)
class RulingView:
    """A ruling as the page shows it."""

    word: str
    allowed: bool
    reason: str
    on: date | None
    scope: str
    """"" = everywhere; else a game, a tournament or a match."""
    base: str
    kinds: tuple[str, ...]
    """What its tags say the word is (words/kinds.py)."""

    @property
    def letter(self) -> str:
        first = self.word[:1].upper()
        return {"Ä": "A", "Ö": "O", "Ü": "U"}.get(first, first)


def list_public_rulings(session: Session, config: Config, running: Collection[str]) -> tuple[RulingView, ...]:
    """Return the club's own rulings that are in force and may be read, the newest first. ``running``: codes of matches.
    A list that cannot be read has none: the moderator hears of that elsewhere."""
    try:
        found = house_rulings.read_house_list(config.resolve_path(config.words.house))
    except LexiconError:
        return ()
    last = {(ruling.word, ruling.scope): ruling for ruling in found}
    secret = questions.load_words_in_question(session)
    newest = [
        build_ruling_view(r)
        for r in reversed(last.values())
        if _get_ruled_word(r) not in secret and r.scope not in running
    ]
    return tuple(sorted(newest, key=lambda one: one.on or date.min, reverse=True))


def _get_ruled_word(ruling: HouseRuling) -> str:
    return ruling.word.removeprefix("=").upper()


def build_ruling_view(ruling: HouseRuling) -> RulingView:
    """Return a ruling for the page."""
    try:
        on = date.fromisoformat(ruling.date)
    except ValueError:
        on = None
    return RulingView(
        ruling.word.removeprefix("="),
        ruling.ruling == "allow",
        ruling.reason,
        on,
        "" if ruling.scope == house_rulings.ALL else ruling.scope,
        ruling.base,
        tuple(list_kind_names(ruling.kinds)),
    )
