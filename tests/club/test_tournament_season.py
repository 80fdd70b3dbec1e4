"""A league season of four months with its successor: people with their habits answer by mail, and tick is called once
a day. Nothing else moves the tournaments."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, select

from moderator.service.create import get_player
from moderator.site import build
from moderator.store import tournaments
from moderator.store.tables import InboxRow, MatchRow, OutboxRow, PlayerRow, Tournament
from moderator.tournaments.standings import compute_standings, count_finished_games, list_annulled_entrants
from moderator.views import puzzles, tournament_rows
from moderator.views.tournament_rows import StoredTournament
from tests.club.club import START, Club, club_of
from tests.club.steps import VOUCHED, run_well
from tests.club.test_reviews import PLENTY, with_seconds
from tests.club.tournament_club import Table, at, enter, entries_of, fixed, found, store_open, withdraw
from tests.site import pages

DAY = timedelta(days=1)


@dataclass
class Habits:
    """How somebody answers: within so many days at most, how often not at all, when they are away or gone for good."""

    slowest: float
    forgets: float = 0.0
    leave: tuple[date, date] | None = None
    gone: bool = False


@dataclass
class People(Table):
    """Players who take their time."""

    habits: dict[str, Habits] = field(default_factory=dict)
    chance: random.Random = field(default_factory=lambda: random.Random(20261121))
    pending: list[tuple[datetime, str, str, int, str]] = field(default_factory=list)

    def answer(self) -> None:
        """Whoever has read a new board decides when to answer; then the mails of the day are written."""
        for name, code, seat, text in self.turns():
            habits = self.habits[name]
            when = self.club.now + timedelta(days=self.chance.uniform(0.1, habits.slowest))
            if habits.leave and habits.leave[0] <= when.date() <= habits.leave[1]:
                when = datetime.combine(habits.leave[1], datetime.min.time(), UTC) + 2 * DAY
            if not habits.gone and self.chance.random() >= habits.forgets:
                self.pending.append((when, name, code, seat, text))
        now = self.club.now
        due = sorted(mail for mail in self.pending if mail[0] <= now)
        self.pending = [mail for mail in self.pending if mail[0] > now]
        for when, name, code, seat, text in due:
            self.club.now = when
            if self.club.row(code).status == "running":
                self.club.order(name, code, seat, text)
        self.club.now = now


@dataclass
class Story:
    club: Club
    people: People
    left: dict[str, bool] = field(default_factory=dict)
    """Who withdrew: whether at least half of their games were finished."""

    def leaves(self, code: str, name: str) -> None:
        with at(self.club, code) as (work, tournament):
            entry = tournaments.find_tournament_entry(work.session, tournament, get_player(work.session, name))
            done, total = count_finished_games(
                StoredTournament(work.session, tournament).build_tournament_state(entry.division), entry.number
            )
        self.left[name] = 2 * done >= total
        withdraw(self.club, code, name)


LEAGUE = tuple(f"L{number:02}" for number in range(1, 14))
ROBOTS = ("R2a", "R2b")
AWAY = range(70, 75)
GONE, EARLY = "L07", "L12"
TERMS = {"days": 14, "bank": 3, "skip_weekdays": ["sun"]}


def habits_of(chance: random.Random) -> dict[str, Habits]:
    found = {name: Habits(chance.choice((4, 8, 13)), chance.choice((0, 0, 0.02))) for name in (*LEAGUE, "Neu")}
    for name in LEAGUE[::5]:
        first = (START + timedelta(days=chance.randrange(30, 100))).date()
        found[name].leave = (first, first + timedelta(days=chance.randrange(6, 20)))
    found[GONE].gone = True
    return found


@pytest.fixture
def league(tmp_path: Path) -> Iterator[Story]:
    with pytest.MonkeyPatch.context() as patched, store_open():
        fixed(patched)
        club = club_of(tmp_path / "club", *LEAGUE, *ROBOTS, "Neu", **dict.fromkeys(LEAGUE[::3], "en"))
        story = Story(club, People(club, habits=habits_of(random.Random(7))))
        knobs: dict[str, Any] = {"division": 5, "round_days": 80, "again_days": 21, "seeding": "order"}
        found(club, "league", [*LEAGUE, *ROBOTS], game="dominos", days=14, terms=TERMS, name="Liga 2027", **knobs)
        live_through(story)
        yield story


def live_through(story: Story) -> None:
    club, chance = story.club, random.Random(3)
    for day in range(1, 132):
        club.now += DAY
        announce_leave(story)
        if day not in AWAY:
            story.people.answer()
            summary = club.tick()
            assert not summary.quarantined
            assert not [line for line in summary.troubles if "no poll" not in line]
        if day == 20:
            story.leaves("T1", EARLY)
        if day > 25 and len(story.left) < 2 and (name := half_done(club, chance)):
            story.leaves("T1", name)
        if next_season(club) and "Neu" not in entries_of(club, "T2"):
            enter(club, "T2", "Neu")
            withdraw(club, "T2", "L02")


def announce_leave(story: Story) -> None:
    for name, habits in story.people.habits.items():
        if habits.leave and habits.leave[0] == story.club.now.date() + DAY:
            story.club.write(name, f"Urlaub {habits.leave[0]:%d.%m.%Y} bis {habits.leave[1]:%d.%m.%Y}", **VOUCHED)


def half_done(club: Club, chance: random.Random) -> str:
    """Somebody who has finished half of their games at least, and not all."""
    with at(club, "T1") as (work, tournament):
        for entry, player in tournaments.list_entries_with_players(work.session, tournament):
            if player.address and entry.state == "in":
                done, total = count_finished_games(
                    StoredTournament(work.session, tournament).build_tournament_state(entry.division), entry.number
                )
                if total / 2 <= done < total:
                    return player.name
    return ""


def next_season(club: Club) -> bool:
    with club.work() as work:
        return work.session.get(Tournament, 2) is not None


@pytest.mark.slow
def test_a_league_and_its_next_season(league: Story) -> None:
    with league.club.work() as work:
        for holds in (
            every_game_has_a_result_and_the_next_season_is_under_way,
            points_add_up,
            who_left_before_half_does_not_count_and_who_left_later_does,
            who_never_answered_lost_all_games_and_is_not_in_the_next_season,
            people_went_up_and_down,
            nobody_got_a_mail_twice_and_none_was_lost,
        ):
            holds(league, work.session)


def every_game_has_a_result_and_the_next_season_is_under_way(league: Story, session: Session) -> None:
    tournament = tournament_rows.get_tournament(session, "T1")
    assert tournament.status == "finished"
    assert tournament_rows.get_tournament(session, "T2").round == 1
    every = tournaments.list_pairings(session, tournament)
    assert len(every) == 3 * 10
    assert all(row.result for row in every)
    assert Counter(row.kind for row in every)["forfeit"] >= 4
    assert Counter(row.ruling for row in every)["score"] >= 1, "no game came to the latest end"
    matches = session.exec(select(MatchRow).where(MatchRow.tournament_id == tournament.id))
    assert {match.status for match in matches} == {"finished"}


def points_add_up(league: Story, session: Session) -> None:
    tournament = tournament_rows.get_tournament(session, "T1")
    for division in tournaments.list_divisions(session, tournament):
        t = StoredTournament(session, tournament).build_tournament_state(division)
        table = compute_standings(t)
        counting = [row for row in table.rows if row.place is not None]
        out = list_annulled_entrants(t)
        valid = [game for game in t.games if out.isdisjoint(game.seats) and game.result]
        assert sum(row.points for row in counting) == sum(sum(g.result.points) for g in valid if g.result)
        places = {e.number: e.place for e, _ in tournaments.list_entries_with_players(session, tournament, division)}
        assert places == {row.entrant.number: row.place for row in table.rows}
        for one in counting:
            for other in counting:
                assert one.points <= other.points or (one.place or 0) < (other.place or 0)


def who_left_before_half_does_not_count_and_who_left_later_does(league: Story, session: Session) -> None:
    assert sorted(league.left.values()) == [False, True]
    places = {
        player.name: entry.place
        for entry, player in tournaments.list_entries_with_players(
            session, tournament_rows.get_tournament(session, "T1")
        )
    }
    assert {name: places[name] is not None for name in league.left} == league.left


def who_never_answered_lost_all_games_and_is_not_in_the_next_season(league: Story, session: Session) -> None:
    tournament = tournament_rows.get_tournament(session, "T1")
    entry = tournaments.find_tournament_entry(session, tournament, get_player(session, GONE))
    mine = [row for row in tournaments.list_pairings(session, tournament, entry.division) if entry.number in row.seats]
    first = {row.number: (row.result or {})["forfeits"][:1] for row in mine}
    assert all(first.values()), "each was given up by one of the two"
    assert sum(row.seats.index(entry.number) in first[row.number] for row in mine) >= 3
    assert (
        tournaments.find_tournament_entry(
            session, tournament_rows.get_tournament(session, "T2"), get_player(session, GONE)
        )
        is None
    )


def people_went_up_and_down(league: Story, session: Session) -> None:
    before = {
        player.name: entry
        for entry, player in tournaments.list_entries_with_players(
            session, tournament_rows.get_tournament(session, "T1")
        )
    }
    after = {
        p.name: e
        for e, p in tournaments.list_entries_with_players(session, tournament_rows.get_tournament(session, "T2"))
        if e.number
    }
    assert set(after) == {*before, "Neu"} - {*league.left, GONE, "L02"}
    tables = StoredTournament(session, tournament_rows.get_tournament(session, "T1")).list_final_tables()
    names = {player.id: player.name for player in session.exec(select(PlayerRow))}
    for division, table in enumerate(tables, 1):
        for name in (names[player] for player in table[:2]):
            if division > 1 and name in after:
                assert after[name].division < division, name
        for name in (names[player] for player in table[-1:]):
            if division < 3 and name in after:
                assert after[name].division > division, name
    assert after["Neu"].division == max(entry.division for entry in after.values())
    sizes = Counter(entry.division for entry in after.values())
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert after.keys() <= {*LEAGUE, *ROBOTS, "Neu"}
    assert tournament_rows.get_tournament(session, "T2").name == "Liga 2028"


def nobody_got_a_mail_twice_and_none_was_lost(league: Story, session: Session) -> None:
    assert {row.state for row in session.exec(select(InboxRow))} == {"done"}
    assert {row.state for row in session.exec(select(OutboxRow))} == {"sent"}
    count = Counter((str(m["To"]), str(m["Subject"])) for m in league.club.mails() if "(T1)" in str(m["Subject"]))
    assert max(count.values()) == 1, count.most_common(3)
    readers = Counter(to for to, _ in count)
    assert len(readers) == len(LEAGUE)
    assert min(readers.values()) >= 2, "pairings and final report; most are warned, too"


TWO_ROBOTS = ("R2 Ada", "R2 Bob")


@pytest.fixture
def reviewed(tmp_path: Path) -> tuple[Club, str]:
    """Two robots and Anna, who has not moved yet; what the robots played is over."""
    club = club_of(tmp_path, *TWO_ROBOTS, "Anna")
    with store_open():
        code = found(club, "league", [*TWO_ROBOTS, "Anna"], game="dominos", division=3)
        for _ in range(5):
            club.let_pass(days=1)
    return club, code


@pytest.mark.slow
def test_points_left_per_move(reviewed: tuple[Club, str], tmp_path: Path) -> None:
    club, code = reviewed
    build.update_site(club.config, club.now, tmp_path / "site")
    before = run_well(club, "cup", "standings", code)
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/move" not in before
    assert "L/Zug" not in page.text
    with_seconds(club, PLENTY).tick()
    with at(club, code) as (work, tournament):
        rows = tournaments.list_pairings(work.session, tournament)
        told = StoredTournament(work.session, tournament).compute_points_left(1)
        every: dict[int, list[Fraction]] = {
            one.number: [] for one in tournaments.list_tournament_entries(work.session, tournament)
        }
        for row in rows:
            match = work.session.exec(select(MatchRow).where(MatchRow.id == row.match_id)).first()
            review = None if match is None else puzzles.find_complete_review(work.session, match)
            for one in review.turns if review else ():
                every[row.seats[one.seat]].append(Fraction(one.loss))
    assert told == pytest.approx({number: float(sum(left)) / len(left) for number, left in every.items() if left})
    assert len(told) == len(TWO_ROBOTS)
    after = run_well(club, "cup", "standings", code)
    head, *rest = after.splitlines()
    assert "M/move" in head
    assert "–" in next(line for line in rest if "Anna" in line)
    assert sum(f"{float(value):.1f}" in line for value in told.values() for line in rest) >= len(told)
    build.update_site(club.config, club.now, tmp_path / "site")
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/Zug" in page.text
    assert "L/Zug: wie viele Punkte je Zug liegen blieben" in page.text  # a telephone shows no title of a heading
    english = pages.read(tmp_path / "site", f"en/tournaments/{code}.html").text
    assert "M/move" in english
    assert "(M/move): points" in english
