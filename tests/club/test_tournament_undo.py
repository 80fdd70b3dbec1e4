"""The end of a tournament's match is taken back: its result goes, and the tournament waits until it is played again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.club.live_match import log_of
from moderator.match.contract import Note
from moderator.match.replay import effective
from moderator.play import lifecycle
from moderator.play.announce import announce
from moderator.store.models import Match, TournamentGame
from moderator.tournaments.standings import standings
from tests.club.club import Club, make_club, plain_boards
from tests.club.tournament_club import (
    MailLog,
    Table,
    at,
    done,
    entries_of,
    fixed,
    found,
    games_of,
    judge,
    logged_instead,
    open_games,
    picture,
    state_of,
    store_open,
    tournament_of,
)

PEOPLE = ("Anna", "Bert", "Cici", "Dora")


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    fixed(monkeypatch)
    made = make_club(tmp_path)
    with store_open():
        made.players(*PEOPLE)
        plain_boards(made)
        yield made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> MailLog:
    return logged_instead(monkeypatch)


def begun(club: Club, format: str, **settings: Any) -> Table:
    found(club, format, PEOPLE, seeding="order", game="dominos", terms={"days": 200}, **settings)
    club.wait(days=2)
    club.tick()
    return Table(club)


def undo_last(club: Club, row: TournamentGame, force: bool = True) -> None:
    """The moderator takes the last move of a match back, whether it has ended by it or was stopped after it."""
    with club.desk() as desk:
        match = desk.session.get_one(Match, row.match_id)
        plays = [n for n, entry in effective(log_of(desk.session, match)) if entry.kind == "move"]
        live = desk.cache.live(desk.session, match)
        lifecycle.undo(desk, match, live, plays[-1] - 1, Note("rolled-back-to-plain"), force)
        announce(desk)


def first_finished(club: Club, table: Table, most: int = 60) -> TournamentGame:
    """One game is played to its end; nothing happens in the others."""
    first = open_games(club)[0]
    table.only = {first.match_id or 0}
    table.days(most, lambda: of(club, first).result is not None)
    table.only = None
    return of(club, first)


def of(club: Club, row: TournamentGame) -> TournamentGame:
    return next(one for one in games_of(club) if one.id == row.id)


@pytest.mark.slow
def test_the_result_goes_the_standings_follow_and_the_end_waits(club: Club, told: MailLog) -> None:
    table = begun(club, "robin")
    row = first_finished(club, table)
    before = standings(state_of(club))
    undo_last(club, row)
    again = of(club, row)
    assert (again.result, again.kind, again.ruling, again.ends_at) == (None, "game", "", row.ends_at)
    after = standings(state_of(club))
    assert sum(r.points for r in before.rows) - sum(r.points for r in after.rows) == 1
    for other in open_games(club):
        if other.id != row.id:
            judge(club, "T1", other, "1-0")
    club.tick()
    assert tournament_of(club).status == "running", "one game is open again"
    assert not told.count("final")
    table.to_the_end(most=20)
    assert of(club, row).result is not None
    assert told.count("final") == Counter(PEOPLE)


@pytest.mark.matrix("club")
def test_a_game_of_an_earlier_round_that_is_open_again_holds_the_next_round_back(club: Club, told: MailLog) -> None:
    table = begun(club, "swiss", rounds=3)
    row = first_finished(club, table)
    for other in open_games(club):
        judge(club, "T1", other, "1-0")
    club.tick()
    assert tournament_of(club).round == 2
    undo_last(club, row)
    for other in open_games(club):
        if other.round == 2:
            judge(club, "T1", other, "1-0")
    club.tick()
    assert (tournament_of(club).round, tournament_of(club).trouble) == (2, "")
    assert "report:2" not in done(club)
    table.days(20, lambda: of(club, row).result is not None)
    assert tournament_of(club).round == 3
    assert told.count("report") == Counter(PEOPLE * 2)
    table.to_the_end(most=60)


@pytest.mark.slow
def test_it_does_not_finish_while_a_game_of_an_earlier_round_is_open_again(club: Club, told: MailLog) -> None:
    table = begun(club, "swiss", rounds=2)
    row = first_finished(club, table)
    for other in open_games(club):
        judge(club, "T1", other, "1-0")
    club.tick()
    undo_last(club, row)
    for other in open_games(club):
        if other.round == 2:
            judge(club, "T1", other, "0-1")
    club.tick()
    assert tournament_of(club).status == "running"
    table.to_the_end(most=20)


@pytest.mark.matrix("club")
def test_an_adjudicated_game_that_is_taken_back_has_the_days_of_a_round(club: Club, told: MailLog) -> None:
    table = begun(club, "swiss", rounds=2, round_days=5)
    table.days(7, lambda: tournament_of(club).round == 2)
    row = games_of(club)[0]
    assert (row.round, row.ruling) == (1, "score")
    undo_last(club, row)
    now = of(club, row)
    assert (now.result, now.ruling) == (None, "")
    assert now.ends_at is not None
    assert (now.ends_at - club.now).days == 5
    club.tick()
    assert of(club, row).result is None, "it is not adjudicated again at once"
    table.silent = set(PEOPLE)
    table.to_the_end(most=8)
    assert of(club, row).ruling == "score"


@pytest.mark.matrix("club")
def test_after_the_end_a_tournament_stays_as_it_is(club: Club, told: MailLog) -> None:
    table = begun(club, "robin")
    row = first_finished(club, table)
    for other in open_games(club):
        judge(club, "T1", other, "1-0")
    club.tick()
    assert tournament_of(club).status == "finished"
    before = picture(club)
    undo_last(club, row)
    club.tick()
    for _ in range(10):
        table.day()
    after = picture(club)
    for name in ("Tournament", "TournamentEntry", "TournamentGame", "TournamentStep"):
        assert before[name] == after[name], name
    with club.desk() as desk:
        assert {match.status for match in desk.session.exec(select(Match))} == {"finished"}


@pytest.mark.matrix("club")
def test_a_knock_out_that_went_on_with_the_winner_stays_as_it_is(club: Club, told: MailLog) -> None:
    table = begun(club, "knockout", legs=1)
    row = first_finished(club, table)
    for other in open_games(club):
        judge(club, "T1", other, "1-0")
    club.tick()
    assert tournament_of(club).round == 2
    undo_last(club, row)
    assert of(club, row).result == row.result
    table.to_the_end(most=60)
    assert of(club, row).result == row.result
    assert Counter(entry.place for entry in entries_of(club).values()) == {1: 1, 2: 1, 3: 2}


@pytest.mark.matrix("club")
def test_a_knock_out_plays_on_while_the_round_is_open(club: Club, told: MailLog) -> None:
    table = begun(club, "knockout", legs=2)
    row = first_finished(club, table)
    assert tournament_of(club).round == 1
    undo_last(club, row)
    assert of(club, row).result is None
    table.to_the_end(most=120)


@pytest.mark.matrix("club")
def test_on_a_ladder_the_rungs_stay(club: Club, told: MailLog) -> None:
    """They were climbed when the game was over; what is played again does not count a second time."""
    from moderator.play.tournaments import challenges

    found(club, "ladder", PEOPLE, seeding="order", game="dominos", terms={"days": 200})
    club.wait(days=2)
    club.tick()
    with at(club, "T1") as (desk, tournament):
        challenges.challenge(desk, tournament, 3, 2)
        challenges.accept(desk, tournament, 2)
    club.tick()
    table = Table(club)
    row = first_finished(club, table)
    rungs = tournament_of(club).state["rungs"]
    undo_last(club, row)
    club.tick()
    table.days(20, lambda: of(club, row).result is not None)
    assert tournament_of(club).state["rungs"] == rungs
    assert tournament_of(club).status == "running"
