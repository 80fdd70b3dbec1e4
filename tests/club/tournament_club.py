"""Tournaments of the small club: set up, carried forward day by day, and written down whole, so that runs compare."""

import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import Session, select

from moderator.common.tokens import LETTERS
from moderator.rules.robots import choose
from moderator.run import steps as run_steps
from moderator.run.log import RunSummary
from moderator.service import create
from moderator.service.match import start
from moderator.service.notify import notify_match_events
from moderator.service.tournaments import pairings, registration
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import database, tournaments
from moderator.store.database import Store
from moderator.store.tables import (
    EventRow,
    MatchRow,
    OutboxRow,
    PlayerRow,
    SeatRow,
    Tournament,
    TournamentEntry,
    TournamentGame,
    TournamentStepRow,
)
from moderator.tournaments.field import TournamentState
from moderator.views import tournament_rows
from moderator.views.match_cache import MatchCache
from moderator.views.tournament_rows import StoredTournament, drop_foreign_settings
from moderator.views.unit_of_work import UnitOfWork
from tests.club import club as club_module
from tests.club.club import Club

SHORT: Mapping[str, Mapping[str, Any]] = {"tridom": {"target": 60}, "dominos": {"target": 30}}
"""Options with which a game is over soon."""


def found(
    club: Club,
    format: str,
    names: Sequence[str],
    *,
    game: str = "tridom",
    name: str = "Herbstcup",
    days: float = 2,
    options: Mapping[str, Any] | None = None,
    terms: Mapping[str, Any] | None = None,
    **settings: Any,
) -> str:
    """A tournament whose registration is open for ``days`` and has ``names`` on its list; returns its code."""
    with club.work() as work:
        tournament = registration.create_tournament(
            work,
            name,
            game,
            format,
            options={**SHORT.get(game, {}), **(options or {})},
            terms=terms,
            settings=drop_foreign_settings({"invite": False} | settings, format),
            opens_at=club.now,
            closes_at=club.now + timedelta(days=days),
            seed=5,
        )
        assert ClubTournament(work, tournament).advance_tournament()
        for one in names:
            ClubTournament(work, tournament).enter_player(create.get_player(work.session, one))
        return tournament.code


@contextmanager
def at(club: Club, code: str) -> Iterator[tuple[UnitOfWork, Tournament]]:
    """The unit of work and the tournament, in a transaction."""
    with club.work() as work:
        yield work, tournament_rows.get_tournament(work.session, code)


def enter(club: Club, code: str, name: str) -> TournamentEntry:
    with at(club, code) as (work, tournament):
        return ClubTournament(work, tournament).enter_player(create.get_player(work.session, name))


def withdraw(club: Club, code: str, name: str) -> int:
    """As the command does it, with the mails."""
    with at(club, code) as (work, tournament):
        player = create.get_player(work.session, name)
        entry = tournaments.find_tournament_entry(work.session, tournament, player)
        assert entry is not None
        given_up = ClubTournament(work, tournament).withdraw_player(entry, player)
        notify_match_events(work)
        return given_up


def judge(club: Club, code: str, row: TournamentGame, result: str) -> None:
    """The moderator's word on a pairing, as the command line takes it."""
    with at(club, code) as (work, tournament):
        kept = work.session.get_one(TournamentGame, row.number)
        ClubTournament(work, tournament).rule_on_game(kept, pairings.parse_game_result(result, len(kept.seats)))
        notify_match_events(work)


def tournament_of(club: Club, code: str = "T1") -> Tournament:
    with at(club, code) as (_, tournament):
        return tournament


def games_of(club: Club, code: str = "T1") -> list[TournamentGame]:
    with at(club, code) as (work, tournament):
        return tournaments.list_pairings(work.session, tournament)


def open_games(club: Club, code: str = "T1") -> list[TournamentGame]:
    """Of the round that is played."""
    return [row for row in games_of(club, code) if row.result is None]


def entries_of(club: Club, code: str = "T1") -> dict[str, TournamentEntry]:
    """By name."""
    with at(club, code) as (work, tournament):
        return {player.name: entry for entry, player in tournaments.list_entries_with_players(work.session, tournament)}


def names_of(club: Club, code: str = "T1", division: int = 1) -> dict[int, str]:
    """Names by number."""
    with at(club, code) as (work, tournament):
        return {
            number: player.name
            for number, player in StoredTournament(work.session, tournament).load_numbered_players(division).items()
        }


def state_of(club: Club, code: str = "T1", division: int = 1) -> TournamentState:
    with at(club, code) as (work, tournament):
        return StoredTournament(work.session, tournament).build_tournament_state(division)


def done(club: Club, code: str = "T1") -> set[str]:
    with at(club, code) as (work, tournament):
        return tournaments.load_done_steps(work.session, tournament)


@dataclass
class MailLog:
    """What would have been sent about tournaments, for tests that look at many."""

    mails: list[tuple[str, str, str, tuple[str, ...]]] = field(default_factory=list)
    """Topic, code, name, codes of the notes."""

    def count(self, topic: str, code: str = "T1") -> Counter[str]:
        """By name."""
        return Counter(name for kind, of, name, _ in self.mails if (kind, of) == (topic, code))

    def notes(self, name: str) -> list[str]:
        return [code for _, _, to, codes in self.mails if to == name for code in codes]


def logged_instead(monkeypatch: pytest.MonkeyPatch) -> MailLog:
    """Mails about tournaments are written down, not made."""
    kept = MailLog()

    def send(cup: ClubTournament, topic: Any, to: Iterable[PlayerRow], notes: Iterable[Any] = ()) -> None:
        codes = tuple(note.code for note in notes)
        kept.mails.extend((topic, cup.row.code, player.name, codes) for player in to)

    monkeypatch.setattr(ClubTournament, "notify_about_tournament", send)
    return kept


# ---- playing ----


@contextmanager
def store_open() -> Iterator[None]:
    """All runs and desks share one open database, as those of a moderator that runs all the time; opening it and
    preparing its questions anew for each day is what takes most of a long test."""
    stores: dict[str, Store] = {}
    real_open, real_close = database.open_store, Store.close

    def opened(place: Any, version: str = "") -> Store:
        if str(place) not in stores:
            stores[str(place)] = real_open(place, version)
        return stores[str(place)]

    with pytest.MonkeyPatch.context() as patched:
        for module in (database, run_steps, club_module):
            patched.setattr(module, "open_store", opened)
        patched.setattr(Store, "close", lambda self: None)
        yield
    for store in stores.values():
        real_close(store)


@dataclass
class Table:
    """Plays for the people of a club: each awaited one writes the move a robot would make, unless it is ``silent``."""

    club: Club
    silent: set[str] = field(default_factory=set)
    only: set[int] | None = None
    """Ids of the matches in which anything is written; None = all."""
    cache: MatchCache | None = None
    written: set[tuple[str, int, int]] = field(default_factory=set)
    """Match, entry, seat: turns that were answered already."""

    def answer(self) -> None:
        """Write for everybody who is awaited."""
        for name, code, seat, text in self.turns():
            self.club.order(name, code, seat, text)

    def turns(self) -> list[tuple[str, str, int, str]]:
        """Name, match, seat and move of everybody who is awaited and was not seen here before."""
        self.cache = self.cache or MatchCache(self.club.config)
        found: list[tuple[str, str, int, str]] = []
        with self.club.work() as work:
            work.cache = self.cache
            for match in work.session.exec(select(MatchRow).where(MatchRow.status == "running")):
                if self.only is not None and match.number not in self.only:
                    continue
                live = self.cache.load_match(work.session, match)
                for seat in live.seats_awaited:
                    player = work.list_players(match)[seat]
                    turn = (match.code, match.entries, seat)
                    if player.address and player.name not in self.silent and turn not in self.written:
                        self.written.add(turn)
                        text = choose.choose_robot_move(
                            live.game, live.table.state, seat, self.cache.build_context(live)
                        )
                        found.append((player.name, match.code, seat, text))
        return found

    def day(self) -> RunSummary:
        """A day passes: everybody answers, then the moderator's machine runs."""
        self.club.wait(days=1)
        self.answer()
        summary = self.club.tick()
        assert not summary.quarantined, summary.quarantined
        return summary

    def days(self, most: int, until: Callable[[], bool]) -> int:
        """Days until it is so. Fails after ``most``."""
        for number in range(most):
            if until():
                return number
            self.day()
        assert until(), f"not within {most} days"
        return most

    def to_the_end(self, code: str = "T1", most: int = 300) -> int:
        return self.days(most, lambda: tournament_of(self.club, code).status == "finished")


def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Match codes, seeds and lots in order, so that two runs deal the same tiles."""

    def free_code(session: Session) -> str:
        last = max(session.exec(select(MatchRow.id)).all(), default=0) or 0
        return f"K{2 + last // 12 % 8}Q{LETTERS[last % 12]}" + ("A" if last >= 96 else "")

    def dealt(work: UnitOfWork, match: MatchRow) -> None:
        start.start_match(work, match, seed=random.Random(match.name).randbytes(32))

    monkeypatch.setattr(create, "_find_free_code", free_code)
    monkeypatch.setattr(pairings, "start_match", dealt)
    monkeypatch.setattr(secrets, "randbits", lambda bits: 2**bits // 3)


# ---- a tournament written down ----


def picture(club: Club) -> dict[str, Any]:
    """Everything that counts in the database: two runs that did the same have the same picture. Mails are counted by
    kind, match and reader; seeds of seats, numbers of log rows and the order of mails are left out."""
    with club.work() as work:
        return pictured(work.session)


def pictured(session: Session) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for model in (Tournament, TournamentEntry, TournamentGame, TournamentStepRow):
        found[model.__name__] = sorted(_plain(row.model_dump()) for row in session.exec(select(model)))
    codes = {match.id: match.code for match in session.exec(select(MatchRow))}
    found["matches"] = {m.code: _plain(m.model_dump()) for m in session.exec(select(MatchRow))}
    found["seats"] = sorted((codes[s.match_id], s.number, s.player_id) for s in session.exec(select(SeatRow)))
    events = session.exec(select(EventRow))
    found["log"] = sorted((codes[e.match_id], e.n, e.kind, e.seat, e.text, str(e.outcome), e.at) for e in events)
    found["mails"] = Counter((m.kind, codes.get(m.match_id), m.recipient) for m in session.exec(select(OutboxRow)))
    return found


def _plain(values: Mapping[str, Any]) -> str:
    return repr(sorted((name, value) for name, value in values.items()))


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """What two pictures do not share, for a test's message."""
    lines = []
    for name in one:
        if one[name] != other[name]:
            mine, theirs = (_items(picture[name]) for picture in (one, other))
            lines += [f"{name} only here: {item}" for item in sorted(mine - theirs)]
            lines += [f"{name} only there: {item}" for item in sorted(theirs - mine)]
    return lines


def _items(values: Any) -> set[str]:
    return {str(item) for item in (values.items() if isinstance(values, dict) else values)}
