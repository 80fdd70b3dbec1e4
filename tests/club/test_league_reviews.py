"""A league's table says how many points everybody left per move, as soon as a match of it is reviewed: on the command
line, in mails, on the site."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from sqlmodel import select

from bench.statements import counted
from moderator.club import reviews
from moderator.club.tournaments.reviewed import per_move
from moderator.club.tournaments.view import Seen
from moderator.pages import tournament_tables
from moderator.site import run
from moderator.store import tournaments
from moderator.store.db import Session
from moderator.store.models import Match, MatchReview, TournamentGame
from tests.club.club import Club, make_club
from tests.club.steps import run_well
from tests.club.test_reviews import PLENTY, with_seconds
from tests.club.tournament_club import at, found, store_open
from tests.site import pages

ROBOTS = ("R2 Ada", "R2 Bob")


@pytest.fixture
def league(tmp_path: Path) -> tuple[Club, str]:
    """Two robots and Anna, who has not moved yet; what the robots played is over."""
    club = make_club(tmp_path)
    club.players(*ROBOTS, "Anna")
    with store_open():
        code = found(club, "league", [*ROBOTS, "Anna"], game="dominos", division=3)
        for _ in range(5):
            club.wait(days=1)
            club.tick()
    return club, code


@pytest.mark.slow
def test_points_left_per_move(league: tuple[Club, str], tmp_path: Path) -> None:
    club, code = league
    run.bring_up(club.config, club.now, tmp_path / "site")
    before = run_well(club, "cup", "standings", code)
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/move" not in before
    assert "L/Zug" not in page.text
    with_seconds(club, PLENTY).tick()
    with at(club, code) as (desk, tournament):
        rows = tournaments.pairings(desk.session, tournament)
        told = per_move(desk.session, tournament, 1)
        every: dict[int, list[Fraction]] = {one.number: [] for one in tournaments.entry_rows(desk.session, tournament)}
        for row in rows:
            match = desk.session.exec(select(Match).where(Match.id == row.match_id)).first()
            review = None if match is None else reviews.whole(desk.session, match)
            for one in review.turns if review else ():
                every[row.seats[one.seat]].append(Fraction(one.loss))
        lines = tournament_tables.lines(Seen(desk, tournament).tables()[0], "de")
    assert told == pytest.approx({number: float(sum(left)) / len(left) for number, left in every.items() if left})
    assert len(told) == len(ROBOTS)
    after = run_well(club, "cup", "standings", code)
    for shown in (after, "\n".join(lines).replace("\u00a0", " ").replace("L/Zug", "L/move").replace(",", ".")):
        head, *rest = shown.splitlines()
        assert "L/move" in head
        anna = next(line for line in rest if "Anna" in line)
        assert "–" in anna
        assert sum(f"{float(value):.1f}" in line for value in told.values() for line in rest) >= len(told)
    run.bring_up(club.config, club.now, tmp_path / "site")
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/Zug" in page.text
    assert "Liegen gelassen je Zug (L/Zug): Punkte" in page.text  # a telephone shows no title of a heading
    english = pages.read(tmp_path / "site", f"en/tournaments/{code}.html").text
    assert "L/move" in english
    assert "(L/move): points" in english


@pytest.mark.slow
def test_a_table_of_a_long_league_asks_no_more_of_the_database(league: tuple[Club, str]) -> None:
    """Reviews of all its matches come by one question, and none of their turns is read."""
    club, code = league
    with_seconds(club, PLENTY).tick()
    costs = []
    for _ in range(2):
        with counted() as asked, at(club, code) as (desk, tournament):
            assert per_move(desk.session, tournament, 1)
        assert not any("turnreview" in sql.lower() for _, sql in asked.statements)
        costs.append(len(asked.statements))
        with at(club, code) as (desk, tournament):
            longer(desk.session, desk.session.exec(select(MatchReview)).all()[0])
    assert costs[1] == costs[0]


def longer(session: Session, like: MatchReview) -> None:
    """A hundred more games between the same players, all reviewed."""
    match = session.get_one(Match, like.match_id)
    pairing = session.exec(select(TournamentGame).where(TournamentGame.match_id == like.match_id)).one()
    first = len(session.exec(select(Match)).all())
    for number in range(first, first + 100):
        more = Match(**match.model_dump(exclude={"id", "code"}), code=f"Z9{number:04}")
        session.add(more)
        session.flush()
        session.add(MatchReview(**like.model_dump(exclude={"match_id"}), match_id=more.number))
        values = pairing.model_dump(exclude={"id", "match_id", "board"})
        session.add(TournamentGame(**values, match_id=more.number, board=100 + number))
    session.flush()
    session.expire_all()
