"""Matches in which only robots are left go on by themselves, run by run, in every pace and in tournaments."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from moderator import games
from moderator.club import run_cache
from moderator.store.models import Match
from moderator.words import letters
from tests.club.club import WORDS, Club, make_club
from tests.club.tournament_club import SHORT, found, tournament_of

TABLES = [(game, pace) for game in sorted(games.REGISTRY) for pace in games.load(game).paces]
EVERYDAY = [("dominos", "sequential"), ("topwords", "rounds"), ("topwords", "common"), ("presto", "race")]


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club", words=[word for word in WORDS if len(letters.key(word, "typdom")) < 12])
    made.players("R2", "R2b", "Anna")
    return made


def begun(club: Club, table: tuple[str, str], *names: str) -> str:
    game, pace = table
    return club.match(*names, game=game, **({"pace": pace} if game == "topwords" else {}))


def ticks(club: Club, code: str, most: int = 60) -> list[int]:
    """Entries after each tick until the match is over."""
    found = [club.row(code).entries]
    while club.row(code).status == "running" and len(found) < most:
        club.wait(minutes=5)
        assert club.tick().troubles == []
        found.append(club.row(code).entries)
    return found


@pytest.mark.matrix("club")
@pytest.mark.parametrize("table", TABLES, ids="-".join)
def test_two_robots_come_to_the_end(club: Club, table: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_cache, "MOST_BY_THEMSELVES", 7)
    code = begun(club, table, "R2", "R2b")
    grown = ticks(club, code, most=400)
    assert club.row(code).status == "finished", grown
    assert club.live(code).table.state.over
    assert club.mails() == []
    steps = [after - before for before, after in pairwise(grown)]
    assert all(step > 0 for step in steps), "a tick with nothing done while the match runs"
    assert all(step <= 7 * 5 for step in steps), "a tick does so much and no more"


@pytest.mark.matrix("club")
@pytest.mark.parametrize("table", TABLES, ids="-".join)
def test_when_the_last_person_leaves_it_ends(club: Club, table: tuple[str, str]) -> None:
    code = begun(club, table, "Anna", "R2")
    club.tick()
    club.order("Anna", code, 0, f"Aufgeben {code}")
    ticks(club, code)
    assert club.row(code).status == "finished"


def test_a_paused_match_of_robots_stands_still_and_then_goes_on(club: Club) -> None:
    with club.desk() as desk:
        desk.cache.turns_left = 0
        from moderator.play.create import find_player, new_match, start_match

        seats = [find_player(desk.session, name) for name in ("R2", "R2b")]
        match = new_match(desk.session, "dominos", "", seats, {}, club.now)
        start_match(desk, match, seed=bytes(32))
        match.stopped = "pause"
        code = match.code
    club.tick()
    assert club.row(code).entries == 0
    with club.desk() as desk:
        row = desk.session.get_one(Match, 1)
        row.stopped = ""
        desk.session.add(row)
    ticks(club, code)
    assert club.row(code).status == "finished"


TOURNAMENTS = [
    (format, game, pace)
    for format in ("robin", "swiss", "knockout", "tables")
    for game, pace in (("dominos", ""), ("topwords", "rounds"), ("topwords", "common"), ("presto", ""))
    if (format, game) != ("tables", "dominos")  # for two only
]


@pytest.mark.matrix("club")
@pytest.mark.parametrize("tournament", TOURNAMENTS, ids="-".join)
def test_a_tournament_of_robots_alone_ends(
    club: Club, tournament: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    format, game, pace = tournament
    short = {"topwords": {"pace": pace, "rounds": 2}, "presto": {"target": None, "rounds": 1}}
    monkeypatch.setitem(SHORT, game, short.get(game, SHORT.get(game)))  # type: ignore[arg-type]
    club.players("R2c")
    code = found(club, format, ["R2", "R2b", "R2c"], game=game)
    club.wait(days=3)
    for _ in range(25):
        club.wait(minutes=30)
        assert club.tick().troubles == []
        if tournament_of(club, code).status == "finished":
            break
    assert tournament_of(club, code).status == "finished", tournament_of(club, code).trouble
