"""What happens to the reader's own seat is what their mail says first: a missed turn, a seat that is given up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.play import lifecycle
from moderator.play.announce import announce
from moderator.states import SeatLoss
from moderator.store.models import Match
from tests.club.club import Club, make_club, text

NAMES = ("Anna", "Bert", "Cici")


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players(*NAMES)
    return made


def first_line(club: Club, name: str) -> str:
    """Of the only mail; its subject says the same."""
    (mail,) = club.mails(name.lower())
    first = " ".join(text(mail).split("\n\n")[0].split())
    assert str(mail["Subject"]).startswith(re.split(r"[.:]", first)[0])
    return first


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_who_resigns_and_completes_the_round_by_that_has_resigned(club: Club, pace: str) -> None:
    code = club.match(*NAMES, early=True, pace=pace)
    club.tick()
    for seat in (0, 1):
        club.order(NAMES[seat], code, seat, club.moves(code, seat)[0])
    club.tick()
    club.mails()
    club.order("Cici", code, 2, f"AUFGEBEN {code}")
    club.tick()
    assert club.live(code).table.round == 2
    assert "Du hast die Partie aufgegeben" in first_line(club, "Cici")


@pytest.mark.parametrize("why", SeatLoss, ids=str)
def test_a_seat_that_is_lost_is_told_to_its_player_first(club: Club, why: SeatLoss) -> None:
    code = club.match(*NAMES)
    club.tick()
    club.mails()
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        lifecycle.retire(desk, match, desk.cache.live(desk.session, match), 1, why)
        announce(desk)
    club.tick()
    out = "Du hast die Partie aufgegeben" if why == SeatLoss.RESIGNED else "Du spielst nicht mehr mit"
    told = first_line(club, "Bert")
    assert out in told
    assert "Jetzt am Zug: Anna." in told


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
def test_a_missed_turn_is_told_to_who_missed_it_and_never_to_who_has_left(club: Club, pace: str) -> None:
    code = club.match(*NAMES, pace=pace, terms={"abandon_after": 0})
    club.tick()
    club.order("Cici", code, 2, f"AUFGEBEN {code}")
    if pace != "sequential":
        club.order("Bert", code, 1, club.moves(code, 1)[0])
    club.tick()
    club.mails()
    club.wait(days=9)
    club.tick()
    subjects = {name: " ".join(str(mail["Subject"]) for mail in club.mails(name.lower())) for name in NAMES}
    assert {name for name in NAMES if "Du hast ausgesetzt" in subjects[name]} == {"Anna"}, subjects
