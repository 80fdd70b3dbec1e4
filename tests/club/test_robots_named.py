"""Where it is said who sits at a match, it is said how well its robots play: on the command line, to the moderator by
mail, in the first mail, on the page of the match."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli import cli
from moderator.club.names import plays_as
from moderator.club.tokens import moderator_token
from moderator.config import Bot
from moderator.play.create import add_player, find_player
from moderator.site.run import publish
from moderator.states import Level
from tests.club.club import Club, make_club, text
from tests.schemas.validators import also_as_json

NAMES = {Level.BEGINNER: ("Anfänger", "beginner"), Level.CLUB: ("Club", "club"), Level.STRONG: ("stark", "strong")}


@pytest.fixture(params=list(Level))
def seated(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Club, str, Level]:
    """Anna (German), Bert (English) and Ada, a robot."""
    club = make_club(tmp_path / "club")
    club.players("Anna", "Bert", Bert="en")
    with club.desk() as desk:
        add_player(desk.session, "Ada", None, club.now, level=request.param)
    return club, club.match("Anna", "Bert", "Ada", game="tridom"), request.param


def typed(club: Club, *words: str) -> str:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    assert done.exit_code == 0, done.output
    assert club.config.file is not None
    also_as_json(club.config.file, *words)
    return done.output


def test_match_show_names_the_level(seated: tuple[Club, str, Level]) -> None:
    club, code, level = seated
    assert f"Ada (robot, {level.value})" in typed(club, "match", "show", code)
    assert [one["robot"] for one in json.loads(typed(club, "match", "show", code, "--json"))["seats"]] == [
        None,
        None,
        level.value,
    ]


def test_the_first_mail_and_the_status_name_it_in_the_language_of_its_reader(seated: tuple[Club, str, Level]) -> None:
    club, code, level = seated
    german, english = NAMES[level]
    club.tick()
    for _ in range(2):
        assert f"Roboter am Tisch: Ada ({german})." in text(club.mail("Anna"))
        assert f"Robots at the table: Ada ({english})." in text(club.mail("Bert"))
        club.wait(minutes=11)
        club.order("Anna", code, 0, "Stand")
        club.order("Bert", code, 1, "Status")
        club.tick()


def test_no_other_mail_says_it_again(seated: tuple[Club, str, Level]) -> None:
    club, code, _ = seated
    club.tick()
    club.mails()
    seat = club.live(code).awaited[0]
    club.order(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])
    club.tick()
    told = [text(mail) for mail in club.mails()]
    assert told
    assert not [one for one in told if "Roboter am Tisch" in one or "Robots at the table" in one]


@pytest.mark.parametrize("level", list(Level))
def test_the_moderator_is_told_how_well_one_plays_that_is_in(level: Level, tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    club.players("Anna", "Bert")
    with club.desk() as desk:
        add_player(desk.session, "Ada", None, club.now, level=level)
        token = moderator_token(desk.session)
    code = club.match("Anna", "Bert", "Ada", pace="rounds")
    club.write("boss@club.example", f"Stand {code}", to=f"games+BOSS-{token}@club.example")
    club.tick()
    assert f"Roboter, {NAMES[level][0]}." in text(club.mails("boss")[-1])


def test_the_page_of_a_match_that_runs_names_it(seated: tuple[Club, str, Level], tmp_path: Path) -> None:
    club, code, level = seated
    with club.desk() as desk:
        publish(desk, tmp_path / "site")
    for number, folder in enumerate(("", "en/")):
        word = ("Roboter", "robot")[number]
        page = (tmp_path / "site" / f"{folder}matches/{code}.html").read_text("utf-8")
        assert f'<span class="robot">{word}, {NAMES[level][number]}</span>' in page


def test_of_a_match_that_is_over_nobody_knows_how_its_robots_played(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    club.players("R2 Ada", "R2 Bob")
    code = club.match("R2 Ada", "R2 Bob", game="dominos", target=30)
    while club.row(code).status == "running":
        club.tick()
    with club.desk() as desk:
        publish(desk, tmp_path / "site")
    assert 'class="robot"' not in (tmp_path / "site" / f"matches/{code}.html").read_text("utf-8")


def test_where_a_program_plays_the_level_says_nothing(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    club.players("R2 Ada", "Anna")
    with_program = replace(club.config, bots={"R2 Ada": Bot(command=("true",))})
    with club.desk() as desk:
        ada, anna = (find_player(desk.session, name) for name in ("R2 Ada", "Anna"))
        assert [plays_as(club.config, one) for one in (ada, anna)] == ["club", ""]
        assert plays_as(with_program, ada) == "program"
