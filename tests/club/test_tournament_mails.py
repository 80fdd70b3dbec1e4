"""What the mails of matches and the daily mail say about a tournament, and who gets which mail of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from moderator.club.tournaments import rows
from moderator.outbox import digest
from moderator.play.create import find_player
from moderator.store import tournaments
from tests.club import tournament_club
from tests.club.club import Club, make_club, plain_boards, text


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path)
    made.players("Anna", "Bert", "R2a", "R2b", Bert="en")
    plain_boards(made)
    return made


def begun(club: Club, format: str = "robin", **settings: object) -> str:
    """A tournament of two people and two robots whose games have been dealt."""
    code = tournament_club.found(club, format, ["Anna", "Bert", "R2a", "R2b"], **settings)  # type: ignore[arg-type]
    club.wait(days=2)
    club.tick()
    return code


def subjects(club: Club, name: str) -> list[str]:
    return [str(mail["Subject"]) for mail in club.mails(name)]


def test_the_invitation_goes_to_everybody_but_robots(club: Club) -> None:
    tournament_club.found(club, "robin", [], invite=True)
    club.tick()
    assert [str(mail["Subject"]) for mail in club.mails()] == [
        "Wer spielt mit? „Herbstcup“ (T1)",
        "Who will play? “Herbstcup” (T1)",
    ]


def test_the_first_mail_of_a_match_names_its_tournament_and_latest_end(club: Club) -> None:
    begun(club)
    starts = [mail for mail in club.mails("Anna") if "beginnt" in str(mail["Subject"])]
    assert len(starts) == 3
    for mail in starts:
        assert "Eine Partie aus dem Turnier „Herbstcup“." in text(mail)
        assert "Spätestes Ende der Partie: " in text(mail)


def test_in_a_swiss_tournament_it_names_the_round(club: Club) -> None:
    begun(club, "swiss")
    assert any("Turnier „Herbstcup“, Runde 1." in text(mail) for mail in club.mails("Anna"))


def test_the_last_mail_of_a_match_says_how_one_stands(club: Club) -> None:
    begun(club)
    club.mails()
    resign(club, "Bert", against="Anna")
    ended = [mail for mail in club.mails("Anna") if "zu Ende" in str(mail["Subject"])]
    assert len(ended) == 1
    place = r"Im Turnier „Herbstcup“ bist du jetzt auf Platz [12] von 4; möglich sind noch die Plätze 1 bis \d"
    assert re.search(place, text(ended[0]))
    assert "Für das Turnier zählt diese Partie so: " in text(ended[0])
    assert "Anna 1" in text(ended[0])
    assert "»Turnier T1«" in text(ended[0])


def test_a_match_of_no_tournament_says_nothing_of_one(club: Club) -> None:
    club.match("Anna", "Bert")
    club.tick()
    assert "Turnier" not in text(club.mail("Anna"))


def test_the_daily_mail_has_the_table_once_a_game_has_ended(club: Club) -> None:
    begun(club)
    with club.desk() as desk:
        digest.switch(desk, find_player(desk.session, "Bert"), True)
    club.wait(days=1)
    club.tick()
    before = [text(mail) for mail in club.mails("Bert")]
    resign(club, "Anna", against="Bert")
    club.mails()
    club.wait(days=1)
    club.tick()
    daily = [text(mail) for mail in club.mails("Bert") if "Herbstcup”: how it stands" in text(mail)]
    assert len(daily) == 1
    assert "You are now in place" in daily[0]
    club.wait(days=1)
    club.tick()
    assert not [mail for mail in club.mails("Bert") if "Herbstcup”: how it stands" in text(mail)]
    assert sum("how it stands" in one for one in before) <= 1, "the game of the two robots ended on the first day"


def test_at_the_latest_end_the_mail_says_what_the_game_counts(club: Club) -> None:
    begun(club, "swiss", round_days=3, warn_days=1)
    club.mails()
    for _ in range(5):
        club.wait(days=1)
        club.tick()
    mails = [text(mail) for mail in club.mails("Anna")]
    assert any("geht zu Ende" in one and "Noch offen" in one for one in mails)
    judged = [one for one in mails if "Die Partie wird abgeschätzt" in one]
    assert judged
    assert "Für das Turnier zählt diese Partie so: " in judged[0]
    assert any("Runde 1 ist zu Ende" in one and "abgeschätzt" in one for one in mails)


def test_every_open_match_is_named_in_the_pairings(club: Club) -> None:
    code = begun(club, "swiss")
    pairings = next(text(mail) for mail in club.mails("Anna") if "Runde 1 beginnt" in str(mail["Subject"]))
    with tournament_club.at(club, code) as (desk, tournament):
        for match in tournaments.matches_of(desk.session, tournament).values():
            assert f"({match.code})" in pairings


def resign(club: Club, name: str, against: str) -> None:
    """``name`` gives up the game between the two."""
    with tournament_club.at(club, "T1") as (desk, tournament):
        who = rows.numbered(desk.session, tournament, 1)
        matches = tournaments.matches_of(desk.session, tournament)
        found = [
            (matches[game.match_id or 0].code, [who[number].name for number in game.seats])
            for game in tournaments.pairings(desk.session, tournament)
        ]
    code, seats = next(one for one in found if set(one[1]) == {name, against})
    club.wait(hours=1)
    club.order(name, code, seats.index(name), f"resign {code}")
    club.tick()
