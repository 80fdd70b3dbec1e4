"""Commands that ask for something: what the golden pairs in tests/pairs/asking cannot show."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from icalendar import Calendar

from moderator.commands.player.guide import find_game
from moderator.errors import Misused
from moderator.games import REGISTRY
from moderator.pages.messages import say
from tests.club import pair_scenes
from tests.club.club import Club, make_club, text
from tests.club.test_pairs import Secrets, fix

LANGUAGES = ("de", "en")


@pytest.fixture(autouse=True)
def always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes and tokens, and with them the deals."""
    fix(monkeypatch, Secrets())


@pytest.fixture
def told(tmp_path: Path) -> tuple[Club, str]:
    """Anna and Bert have moved; Anna is to move."""
    club = make_club(tmp_path)
    code = pair_scenes.SCENES["told"](club)["code"]
    club.mails()
    return club, code


def parts(mail: EmailMessage) -> list[tuple[str, bytes]]:
    return [(p.get_content_type(), p.get_payload(decode=True)) for p in mail.walk() if not p.is_multipart()]


def asked(club: Club, name: str, code: str, seat: int, body: str) -> list[EmailMessage]:
    club.order(name, code, seat, body)
    club.tick()
    return club.mails(name)


# rules


@pytest.mark.parametrize("key", sorted(REGISTRY))
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_is_found_by_its_key_and_its_names(key: str, language: str) -> None:
    name = say("name", language, key)
    for written in (key, name, name.upper(), f" {name.lower()}. ", name[:-1]):
        assert find_game(written, "de") == key, written


@pytest.mark.parametrize(
    ("written", "key"), [("wer", "recht"), ("pr", "presto"), ("kreuzwort spiel", "kreuzwort"), ("super", "supertridom")]
)
def test_any_beginning_of_one_game_will_do(written: str, key: str) -> None:
    assert find_game(written, "de") == key


@pytest.mark.parametrize(
    ("written", "code"), [("dom", "game-ambiguous"), ("p", "game-ambiguous"), ("go", "no-such-game")]
)
def test_a_beginning_of_several_games_is_none(written: str, code: str) -> None:
    with pytest.raises(Misused) as raised:
        find_game(written, "de")
    assert raised.value.code == code


# status


def test_somebody_elses_address_shows_no_other_match(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    code = pair_scenes.SCENES["several"](club)["code"]
    club.mails()
    for word in ("Liste", "Kalender M4RA"):
        club.order("fremd@else.example", code, 0, word)
    club.tick()
    for mail in club.mails():
        assert "anna@home.example" in str(mail["To"])
        assert "Dominos" not in text(mail)


def test_the_overview_answers_each_match_by_its_own_address(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    code = pair_scenes.SCENES["several"](club)["code"]
    club.mails()
    club.order("Anna", code, 0, "Partien")
    club.tick()
    part = club.mail("Anna").get_body(("html",))
    assert part is not None
    links = re.findall(r'href="mailto:games%2B(\w{4})-(\w+)@club\.example', part.get_content())
    assert [found for found, _ in links] == ["K7Q2", "P8TE", "M4RA", "W3UG"]
    for found, token in links:
        assert token in {club.token(found, 0), club.token(found, 1)}


def test_a_greeting_beside_what_was_asked_brings_no_second_mail(told: tuple[Club, str]) -> None:
    club, code = told
    mails = asked(club, "Anna", code, 0, "Hallo!\n\nBank\n\nViele Grüße")
    assert [str(mail["Subject"]).partition(": ")[0] for mail in mails] == ["Deine Steine"]


def test_a_refused_command_is_answered_though_the_match_is_over(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    code = pair_scenes.SCENES["finished"](club)["code"]
    club.mails()
    (mail,) = asked(club, "Anna", code, 0, "nachfordern 99")
    assert "Es gibt welche zu: 1–2." in text(mail)


# resend


def test_a_report_comes_once_more_under_a_new_message_id(told: tuple[Club, str]) -> None:
    club, code = told
    club.read.clear()
    first = [mail for mail in club.mails("Anna") if "Runde 2" in str(mail["Subject"])][-1]
    club.wait(days=1)
    (again,) = asked(club, "Anna", code, 0, "Nachfordern")
    assert parts(again) == parts(first)
    assert again["Subject"] == first["Subject"]
    assert again["Reply-To"] == first["Reply-To"]
    assert again["Message-ID"] != first["Message-ID"]
    assert again["Date"] != first["Date"]
    assert again["In-Reply-To"] == "<test-3@home.example>"
    assert again["Auto-Submitted"] == "auto-replied"
    assert again["Precedence"] is None
    assert len(again.get_all("In-Reply-To", [])) == len(again.get_all("Message-ID", [])) == 1


def test_what_is_sent_again_is_no_report_itself(told: tuple[Club, str]) -> None:
    club, code = told
    for _ in range(2):
        assert len(asked(club, "Anna", code, 0, "Nachfordern 2")) == 1


def test_nobody_gets_anothers_reports(told: tuple[Club, str]) -> None:
    club, code = told
    theirs = club.token(code, 1)
    for mail in asked(club, "Anna", code, 0, "Nachfordern 1\nNachfordern 2"):
        assert theirs not in mail.as_string()
        assert "anna@home.example" in str(mail["To"])


# calendar


def dates(mail: EmailMessage) -> list:
    (file,) = mail.iter_attachments()
    assert file.get_content_type() == "text/calendar"
    assert file.get_param("method") == "PUBLISH"
    assert file.get_content_disposition() == "attachment"
    made = Calendar.from_ical(file.get_payload(decode=True))
    assert made["method"] == "PUBLISH"
    return list(made.walk("VEVENT"))


def test_the_entry_keeps_its_name_and_grows_younger(told: tuple[Club, str]) -> None:
    club, code = told
    (first,) = dates(asked(club, "Anna", code, 0, "Kalender")[0])
    club.wait(days=1)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    club.mails()
    (mail,) = asked(club, "Bert", code, 1, "calendar")
    (second,) = dates(mail)
    assert first["uid"] == second["uid"]
    assert "@" not in first["uid"]
    assert int(second["sequence"]) > int(first["sequence"])
    assert second["dtstart"].dt == club.row(code).deadline
    assert first["summary"].params["language"] == "de"
    assert second["summary"].params["language"] == "en"
    (alarm,) = second.walk("VALARM")
    assert alarm["trigger"].dt.days == -1
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/html",
        "text/calendar",
    ]


def test_no_token_stands_in_a_calendar(told: tuple[Club, str]) -> None:
    club, code = told
    (mail,) = asked(club, "Anna", code, 0, "Kalender")
    (file,) = mail.iter_attachments()
    assert club.token(code, 0) not in file.get_payload(decode=True).decode()


# history


def test_what_another_exchanges_stands_in_no_history(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    code = pair_scenes.SCENES["exchanged"](club)["code"]
    club.mails()
    mine = text(asked(club, "Bert", code, 1, "history")[0])
    theirs = text(asked(club, "Anna", code, 0, "Verlauf")[0])
    letters = re.search(r"“exchange (\w) (\w)”", mine)
    assert letters
    assert f"{letters[1]} {letters[2]}«" not in theirs
    assert "»tausche 2«" in theirs


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", ["topwords", "dominos", "tridom", "domijongg"])
def test_totals_of_the_history_are_the_scores(tmp_path: Path, game: str) -> None:
    club = make_club(tmp_path)
    scene = pair_scenes.told(club, game, 6)
    club.mails()
    shown = text(asked(club, "Anna", scene["code"], 0, "Verlauf")[0])
    scores = club.live(scene["code"]).table.state.scores
    for who, score in zip(("Du", "Bert"), scores, strict=True):
        totals = re.findall(rf"{who}(?: leg\w+|:) »[^«]*«: [^.]*?zusammen (−?\d+)", shown)
        assert totals
        assert game != "topwords" or totals[-1] == str(score)
    assert game == "topwords" or f"Danach: Anna mit {scores[0]}, Bert mit {scores[1]}".replace("-", "−") in shown


def test_what_was_taken_back_is_not_counted(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    code = pair_scenes.SCENES["taken-back"](club)["code"]
    club.mails()
    shown = text(asked(club, "Anna", code, 0, "Verlauf")[0])
    assert len(re.findall("Du(?: legst|:) »", shown)) == 1
    assert not re.search("Bert(?: legt|:) »", shown)
    assert "Hier wurde zurückgenommen: 2 Züge." in shown
