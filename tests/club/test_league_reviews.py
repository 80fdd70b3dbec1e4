"""A league's table says how many points everybody left per move, as soon as a match of it is reviewed: on the command
line, in mails, on the site."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlmodel import select

from moderator.cli import cli
from moderator.club import reviews
from moderator.club.tournaments.reviewed import per_move
from moderator.club.tournaments.view import Seen
from moderator.pages import tournament_tables
from moderator.site import run
from moderator.store import tournaments
from moderator.store.models import Match
from tests.club.club import Club, make_club, plain_boards
from tests.club.test_reviews import PLENTY, with_seconds
from tests.club.tournament_club import at, found, store_open
from tests.site import pages

ROBOTS = ("R2 Ada", "R2 Bob", "R2 Cleo")


@pytest.fixture
def league(tmp_path: Path) -> tuple[Club, str]:
    """Three robots and Anna, who has not moved yet; what the robots played is over."""
    club = make_club(tmp_path)
    club.players(*ROBOTS, "Anna")
    plain_boards(club)
    with store_open():
        code = found(club, "league", [*ROBOTS, "Anna"], game="dominos", division=4)
        for _ in range(5):
            club.wait(days=1)
            club.tick()
    return club, code


def standings(club: Club, code: str) -> str:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "cup", "standings", code])
    assert done.exit_code == 0, done.output
    return done.output


def test_points_left_per_move(league: tuple[Club, str], tmp_path: Path) -> None:
    club, code = league
    run.bring_up(club.config, club.now, tmp_path / "site")
    before = standings(club, code)
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/move" not in before
    assert "L/Zug" not in page.text
    with_seconds(club, PLENTY).tick()
    with at(club, code) as (desk, tournament):
        rows = tournaments.pairings(desk.session, tournament)
        told = per_move(desk.session, tournament, 1)
        every: dict[int, list[int]] = {one.number: [] for one in tournaments.entry_rows(desk.session, tournament)}
        for row in rows:
            match = desk.session.exec(select(Match).where(Match.id == row.match_id)).first()
            review = None if match is None else reviews.whole(desk.session, match)
            for one in review.turns if review else ():
                every[row.seats[one.seat]].append(one.left)
        lines = tournament_tables.lines(Seen(desk, tournament).tables()[0], "de")
    assert told == {number: Fraction(sum(left), len(left)) for number, left in every.items() if left}
    assert len(told) == len(ROBOTS)
    after = standings(club, code)
    for shown in (after, "\n".join(lines).replace("\u00a0", " ").replace("L/Zug", "L/move").replace(",", ".")):
        head, *rest = shown.splitlines()
        assert "L/move" in head
        anna = next(line for line in rest if "Anna" in line)
        assert "–" in anna
        assert sum(f"{float(value):.1f}" in line for value in told.values() for line in rest) >= len(told)
    run.bring_up(club.config, club.now, tmp_path / "site")
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/Zug" in page.text
    assert "L/move" in pages.read(tmp_path / "site", f"en/tournaments/{code}.html").text
