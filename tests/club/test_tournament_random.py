"""Random tournaments: people join and leave, games end in every way, rounds come to their latest end, ends are taken
back. Nothing is mailed and nobody moves; every result is somebody's word or an adjudication."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import Session

from moderator.common.enums import SeatLeftReason
from moderator.common.errors import Illegal, Misused, OperatorError
from moderator.rules.game import Note
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.service.tournaments import pairings, registration
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import tournaments
from moderator.store.database import Store, open_store
from moderator.store.tables import MatchRow, PlayerRow, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments.field import Result
from moderator.tournaments.formats.ladder import Ladder
from moderator.tournaments.standings import (
    compute_place_ranges,
    compute_standings,
    count_finished_games,
    list_annulled_entrants,
)
from moderator.views import tournament_rows
from moderator.views.match_cache import MatchCache
from moderator.views.tournament_rows import StoredTournament, drop_foreign_settings, find_consequences
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import START, Club, make_club
from tests.club.tournament_club import SHORT, pictured

NAMES = tuple(f"P{number}" for number in range(12))
FORMATS = ("swiss", "robin", "double", "league", "knockout", "tables", "ladder")
WORDS = ("1-0", "0-1", "½-½", "+--", "--+", "---")
DAYS = 20
MOST_ACTIONS = 12
SEEDS = 3


class Undone(Exception):
    """Ends an example: nothing of it stays in the database."""


@dataclass
class World:
    """One tournament in a transaction that is never committed."""

    club: Club
    session: Session
    dice: random.Random
    code: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    rematched: bool = False
    ranges: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)
    """Possible final places by division and number when somebody last looked; emptied where they may widen again."""

    @property
    def tournament(self) -> Tournament:
        return tournament_rows.get_tournament(self.session, self.code)

    def work(self) -> UnitOfWork:
        return UnitOfWork(self.club.config, self.session, self.club.now, MatchCache(self.club.config))

    def games(self) -> list[TournamentGame]:
        return tournaments.list_pairings(self.session, self.tournament)

    def entries(self) -> list[tuple[TournamentEntry, PlayerRow]]:
        return tournaments.list_entries_with_players(self.session, self.tournament)

    def run(self) -> None:
        """What tick does, and once more: the second time nothing is left to do."""
        for _ in range(400):
            more = ClubTournament(self.work(), self.tournament).advance_tournament()
            self.session.flush()
            if not more:
                break
        else:
            raise AssertionError(
                f"it never rests: {sorted(tournaments.load_done_steps(self.session, self.tournament))}"
            )
        self.session.flush()
        before = pictured(self.session)
        assert not ClubTournament(self.work(), self.tournament).advance_tournament()
        self.session.flush()
        assert pictured(self.session) == before


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Club, Store]]:
    """The club with its database, which stays as it is."""
    club = make_club(tmp_path_factory.mktemp("random") / "club", kept=True)
    with club.work() as work:  # people without an address: nobody writes, and nothing is written to them
        work.session.add_all(PlayerRow(name=name, name_key=name.casefold(), created_at=START) for name in NAMES)
    opened = open_store(club.config.database)
    yield club, opened
    opened.close()


@contextmanager
def world(club: Club, store: Store, dice: random.Random) -> Iterator[World]:
    club.now = START
    with suppress(Undone), store.begin_transaction() as session:
        yield World(club, session, dice)
        raise Undone


def join(here: World) -> None:
    player = here.session.get_one(PlayerRow, here.dice.randint(1, len(NAMES)))
    with suppress(OperatorError):
        ClubTournament(here.work(), here.tournament).enter_player(player)
        here.ranges.clear()


def leave(here: World) -> None:
    everybody = [one for one in here.entries() if one[0].state != "withdrawn"]
    if not everybody or here.tournament.status == "finished":
        return
    entry, player = here.dice.choice(everybody)
    work = here.work()
    ClubTournament(work, here.tournament).withdraw_player(entry, player)
    notify_match_events(work)


def word(here: World) -> None:
    row = some_open(here)
    if row is None:
        return
    scores = " ".join(str(here.dice.randint(0, 3)) for _ in row.seats)
    rule(here, row, here.dice.choice(WORDS) if len(row.seats) == 2 else scores)


def rule(here: World, row: TournamentGame, result: str) -> None:
    work = here.work()
    ClubTournament(work, here.tournament).rule_on_game(row, pairings.parse_game_result(result, len(row.seats)))
    notify_match_events(work)


def stop(here: World) -> None:
    """A game ends by itself, here with the points of the deal."""
    on_match(here, lambda work, match, live, seat: Match(work, match, live).stop_match())


def abandon(here: World) -> None:
    on_match(
        here,
        lambda work, match, live, seat: Match(work, match, live).retire_seat(seat, SeatLeftReason.ABANDONED),
    )


def on_match(here: World, act: Any) -> None:
    row = some_open(here)
    match = here.session.get(MatchRow, row.match_id) if row is not None and row.match_id else None
    if row is None or match is None or match.status != "running":
        return
    work = here.work()
    live = work.cache.load_match(here.session, match)
    free = [seat for seat in range(len(row.seats)) if seat not in live.table.out]
    act(work, match, live, here.dice.choice(free))
    notify_match_events(work)


def some_open(here: World) -> TournamentGame | None:
    here.session.flush()
    found = tournament_rows.filter_open_games(StoredTournament(here.session, here.tournament).list_begun_pairings())
    if not found or here.tournament.status != "running":
        return None
    return here.dice.choice(found)


def take_back(here: World) -> None:
    matches = tournaments.load_tournament_matches(here.session, here.tournament).values()
    ended = [match for match in matches if match.status == "finished" and match.entries]
    if not ended:
        return
    match = here.dice.choice(ended)
    work = here.work()
    live, note = work.cache.load_match(here.session, match), Note("rolled-back-to-plain")
    if hung := find_consequences(work.session, match):
        assert hung.built
        with pytest.raises(Misused):
            Match(work, match, live).undo_to_entry(0, note)
        if here.dice.random() < 0.5:
            return
    Match(work, match, live).undo_to_entry(0, note, force=bool(hung))
    notify_match_events(work)
    here.ranges.clear()


def pass_time(here: World) -> None:
    here.club.now += timedelta(days=here.dice.choice((1, 7, DAYS + 1)))
    here.tournament.next_at = here.club.now


def settle(here: World) -> None:
    """The moderator answers what the tournament waits for."""
    tournament, work = here.tournament, here.work()
    if tournament.trouble == "cup-no-pairing" and tournament.format == "swiss":
        if here.dice.random() < 0.5:
            with suppress(OperatorError):
                ClubTournament(work, tournament).pair_round_by_hand(rematches=True)
                here.rematched = True
                return
        if tournament.round:
            ClubTournament(work, tournament).end_after_round()
    elif tournament.trouble:
        ClubTournament(work, tournament).clear_trouble()


def challenge(here: World) -> None:
    if here.tournament.format != "ladder" or here.tournament.status != "running":
        return
    rungs = Ladder.from_json(here.tournament.state).rungs
    if len(rungs) < 2:
        return
    one, other = here.dice.sample(rungs, 2)
    played = ClubTournament(here.work(), here.tournament)
    act = here.dice.choice((played.challenge_entrant, played.accept_ladder_game, played.refuse_ladder_game))
    with suppress(Illegal):
        act(one, *([other] if act == played.challenge_entrant else []))


ACTIONS = (join, leave, word, word, word, word, stop, abandon, take_back, pass_time, settle, challenge, challenge)


def check(here: World) -> None:
    here.session.flush()
    tournament, games = here.tournament, here.games()
    for entry, player in here.entries():
        if entry.number:
            assert here.numbers.setdefault(player.name, entry.number) == entry.number, "numbers never change"
    taken = [(entry.division, entry.number) for entry, _ in here.entries() if entry.number]
    assert len(taken) == len(set(taken))
    for row in games:
        if row.result is not None:
            assert len(Result.from_json(row.result).points) == len(row.seats)
    if tournament.format in ("swiss", "knockout"):
        one_game_a_round(here, games)
    if tournament.format == "swiss":
        swiss(here, games)
    if tournament.format == "ladder" and tournament.status == "running":
        on = {entry.number for entry, _ in here.entries() if entry.state == "in"}
        assert set(Ladder.from_json(tournament.state).rungs) == on
    if tournament.format not in ("ladder", "knockout"):
        ranges(here)


def one_game_a_round(here: World, games: list[TournamentGame]) -> None:
    legs = 2 if here.tournament.format == "knockout" else 1
    for round in {row.round for row in games}:
        count = Counter(number for row in games if row.round == round for number in row.seats)
        assert max(count.values()) <= legs, (round, count)
    assert {row.round for row in games if row.kind != "bye"} <= set(range(1, 40))


def swiss(here: World, games: list[TournamentGame]) -> None:
    joined = {entry.number: entry.joined for entry, _ in here.entries()}
    byes = Counter(row.seats[0] for row in games if row.kind == "bye" and row.round >= joined[row.seats[0]])
    assert max(byes.values(), default=0) <= 1, byes
    earlier = [row for row in games if row.round < here.tournament.round]
    if not here.rematched:
        met = Counter(frozenset(row.seats) for row in games if row.kind == "game" and len(row.seats) == 2)
        assert max(met.values(), default=0) <= 1, met
    assert all(row.result or row.ends_at for row in earlier), "only what was taken back is open in an earlier round"


def ranges(here: World) -> None:
    """Possible final places hold the present order's end, and only narrow while nobody joins (from the waiting list,
    say) and nothing is undone."""
    for division in tournaments.list_divisions(here.session, here.tournament):
        now = compute_place_ranges(StoredTournament(here.session, here.tournament).build_tournament_state(division))
        before = here.ranges.get(division, {})
        if now.keys() - before.keys():
            before = {}
        for number, (best, worst) in now.items():
            if number in before:
                assert before[number][0] <= best <= worst <= before[number][1], (division, number, before[number], now)
        here.ranges[division] = now


def finished(here: World) -> None:
    """The end: every game has a result, and the places are a competition ranking of those who count."""
    assert all(row.result for row in here.games())
    assert here.tournament.round or here.tournament.format == "ladder"
    for division in tournaments.list_divisions(here.session, here.tournament):
        t = StoredTournament(here.session, here.tournament).build_tournament_state(division)
        places = sorted(
            e.place
            for e, _ in tournaments.list_entries_with_players(here.session, here.tournament, division)
            if e.number and e.place
        )
        out = list_annulled_entrants(t)
        assert len(places) == len(t.entrants) - len(out)
        assert all(place == 1 + sum(other < place for other in places) for place in places), places
        for number in out:
            done, total = count_finished_games(t, number)
            assert t.get_entrant(number).left is not None
            assert 2 * done < total or not total
        if t.format != "knockout":
            entries = tournaments.list_entries_with_players(here.session, here.tournament, division)
            stored = {e.number: e.place for e, _ in entries if e.number}
            assert {row.entrant.number: row.place for row in compute_standings(t).rows} == stored


def found(here: World, format: str) -> None:
    count = here.dice.randint(2, 8)
    knobs: dict[str, Any] = {
        "invite": False,
        "round_days": DAYS,
        "most": here.dice.choice((0, 0, 5)),
        "adjudicate": here.dice.choice(("score", "score", "moderator")),
        "rounds": here.dice.randint(0, 4) if format in ("swiss", "tables") else 0,
        "late_points": here.dice.choice(("0", "1/2")),
        "at_once": here.dice.random() < 0.5,
        "legs": here.dice.choice((1, 2)),
        "third": here.dice.random() < 0.5,
        "seats": here.dice.choice((3, 4)) if format == "tables" else 4,
        "division": 4,
        "answer_days": 3,
        "lock_days": 5,
        "refusal": here.dice.choice(("swap", "below", "none")),
    }
    tournament = registration.create_tournament(
        here.work(),
        "Zufall",
        "tridom",
        format,
        options=SHORT["tridom"],
        terms={"days": 300},
        settings=drop_foreign_settings(knobs, format),
        opens_at=here.club.now,
        closes_at=here.club.now + timedelta(days=1),
        seed=here.dice.randint(0, 99),
    )
    here.code = tournament.code
    ClubTournament(here.work(), tournament).advance_tournament()
    for number in range(1, count + 1):
        ClubTournament(here.work(), tournament).enter_player(here.session.get_one(PlayerRow, number))
    here.session.flush()


@pytest.mark.matrix("random tournaments", seconds=0.4)
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("format", FORMATS)
def test_whatever_happens(base: tuple[Club, Store], format: str, seed: int) -> None:
    with world(*base, random.Random(f"{format} {seed}")) as here:
        found(here, format)
        for action in here.dice.choices(ACTIONS, k=here.dice.randint(0, MOST_ACTIONS)):
            action(here)
            here.session.flush()
            here.run()
            check(here)
        to_the_end(here)


def to_the_end(here: World) -> None:
    """Let time pass, and the moderator settle what waits: a tournament that has begun comes to its end."""
    if here.tournament.format == "ladder":
        return
    for _ in range(12):
        if here.tournament.status == "finished":
            finished(here)
            return
        if here.tournament.status == "open" and here.tournament.trouble:
            return
        here.club.now += timedelta(days=DAYS + 1)
        here.tournament.next_at = here.club.now
        settle(here)
        here.session.flush()
        here.run()
        check(here)
        for row in tournament_rows.filter_open_games(
            StoredTournament(here.session, here.tournament).list_begun_pairings()
        ):
            if here.tournament.status == "running":
                rule(here, row, "1-0" if len(row.seats) == 2 else " ".join("10" for _ in row.seats))
        here.run()
        check(here)
    still = tournament_rows.filter_open_games(here.games())
    raise AssertionError(
        f"it does not end: {here.tournament.status} {here.tournament.trouble} {here.tournament.round} {still}"
    )
