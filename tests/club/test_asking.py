"""Commands that ask for something: what the golden pairs in tests/pairs/asking cannot show."""

import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from icalendar import Calendar

from moderator.commands.declaration import get_player_commands
from moderator.commands.player.show import parse_game_name
from moderator.common.disk import LANGUAGES
from moderator.games import REGISTRY
from moderator.language.messages import render_code
from tests.club import pair_scenes
from tests.club.club import Club, club_of, copied, make_club, part, text
from tests.club.steps import begin, play
from tests.club.test_pairs import Secrets, fix

EMPTY = re.compile('«\\s*»|„\\s*[“”]|“\\s*”|»\\s*«|"\\s*"|‚\\s*[‘’]|‘\\s*’')
"""A quotation of nothing."""


@pytest.fixture(autouse=True)
def always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes and tokens, and with them the deals."""
    fix(monkeypatch, Secrets())


@pytest.fixture
def told(tmp_path: Path) -> tuple[Club, str]:
    """Anna and Bert have moved; Anna is to move."""
    return scene(tmp_path, "told")


def scene(folder: Path, name: str) -> tuple[Club, str]:
    club = make_club(folder)
    code = pair_scenes.SCENES[name](club)["code"]
    club.skip_mails()
    return club, code


def parts(mail: EmailMessage) -> list[tuple[str, bytes]]:
    return [(p.get_content_type(), p.get_payload(decode=True)) for p in mail.walk() if not p.is_multipart()]


def asked(club: Club, name: str, code: str, seat: int, body: str) -> list[EmailMessage]:
    club.hand_in(name, code, seat, body)
    return club.mails(name)


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_a_game_is_found_by_its_key_and_its_names(key: str) -> None:
    for name in (render_code("name", language, key) for language in ("de", "en")):
        for written in (key, name, name.upper(), f" {name.lower()}. ", name[:-1]):
            assert parse_game_name(written, "de") == key, written


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_to_a_bare_command_quotes_what_is_not_there(tmp_path: Path, language: str) -> None:
    """What is missing behind its word is asked for. Each command is tried in one language."""
    name = {"de": "Anna", "en": "Bert", "fr": "Cora"}[language]
    made = club_of(tmp_path / "club", "Anna", "Bert", "Cora", Bert="en", Cora="fr")
    code = made.start("Anna", "Bert", "Cora")
    made.skip_mails()
    for n, command in enumerate([*get_player_commands().values()][LANGUAGES.index(language) :: len(LANGUAGES)]):
        club = copied(made, tmp_path / str(n))
        club.hand_in(name, code, ("Anna", "Bert", "Cora").index(name), command.get_text(language).first_word)
        answers = [text(mail) for mail in club.mails(name)]
        assert answers, command.name
        assert [one for one in answers if EMPTY.search(one)] == [], command.name


@pytest.mark.slow
def test_the_overview_answers_each_match_by_its_own_address_and_only_to_its_player(tmp_path: Path) -> None:
    club, code = scene(tmp_path, "several")
    club.hand_in("Anna", code, 0, "Partien")
    links = re.findall(r'href="mailto:games%2B(\w{4})-(\w+)@club\.example', part(club.mail("Anna"), "html"))
    assert {found for found, _ in links} == {"K7Q2", "M4RA", "P8TE", "W3UG"}
    for found, token in links:
        assert token in {club.token(found, 0), club.token(found, 1)}
    for word in ("Liste", "Kalender M4RA"):
        club.order("fremd@else.example", code, 0, word)
    club.tick()
    for mail in club.mails():
        assert "anna@home.example" in str(mail["To"])
        assert "Dominos" not in text(mail)


def test_a_greeting_beside_what_was_asked_brings_no_second_mail(told: tuple[Club, str]) -> None:
    club, code = told
    mails = asked(club, "Anna", code, 0, "Hallo!\n\nBank\n\nViele Grüße")
    assert [str(mail["Subject"]).partition(" · ")[0] for mail in mails] == ["Deine Steine"]


@pytest.mark.slow
def test_a_refused_command_is_answered_though_the_match_is_over(tmp_path: Path) -> None:
    club, code = scene(tmp_path, "finished")
    (mail,) = asked(club, "Anna", code, 0, "nachfordern 99")
    assert "Es gibt welche zu: 1–2." in text(mail)


def test_a_report_comes_once_more_under_a_new_message_id(told: tuple[Club, str]) -> None:
    club, code = told
    club.read.clear()
    first = club.mails("Anna")[-1]
    club.wait(days=1)
    (again,) = asked(club, "Anna", code, 0, "Nachfordern")
    assert parts(again) == parts(first)
    for header in ("Subject", "Reply-To"):
        assert again[header] == first[header]
    for header in ("Message-ID", "Date"):
        assert again[header] != first[header]
    assert again.get_all("In-Reply-To") == ["<test-3@home.example>"]
    assert again["Auto-Submitted"] == "auto-replied"
    assert again["Precedence"] is None
    for _ in range(2):  # what is sent again is no report itself
        assert len(asked(club, "Anna", code, 0, "Nachfordern 2")) == 1
    theirs = club.token(code, 1)
    for mail in asked(club, "Anna", code, 0, "Nachfordern 1\nNachfordern 2"):
        assert theirs not in mail.as_string()
        assert "anna@home.example" in str(mail["To"])


def test_the_entry_of_a_calendar_keeps_its_name_and_grows_younger(told: tuple[Club, str]) -> None:
    def entry(mail: EmailMessage) -> Calendar:
        (file,) = mail.iter_attachments()
        assert (file.get_content_type(), file.get_param("method")) == ("text/calendar", "PUBLISH")
        assert file.get_content_disposition() == "attachment"
        assert club.token(code, 0) not in file.get_payload(decode=True).decode()
        made = Calendar.from_ical(file.get_payload(decode=True))
        assert made["method"] == "PUBLISH"
        (one,) = made.walk("VEVENT")
        return one

    club, code = told
    first = entry(asked(club, "Anna", code, 0, "Kalender")[0])
    club.wait(days=1)
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    club.skip_mails()
    (mail,) = asked(club, "Bert", code, 1, "calendar")
    second = entry(mail)
    assert first["uid"] == second["uid"]
    assert "@" not in first["uid"]
    assert int(second["sequence"]) > int(first["sequence"])
    assert second["dtstart"].dt == club.row(code).deadline
    assert [one["summary"].params["language"] for one in (first, second)] == ["de", "en"]
    (alarm,) = second.walk("VALARM")
    assert alarm["trigger"].dt.days == -1
    kinds = "multipart/mixed multipart/alternative text/plain text/html text/calendar"
    assert [one.get_content_type() for one in mail.walk()] == kinds.split()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["topwords", "dominos", "tridom", "domijongg"])
def test_totals_of_the_history_are_the_scores(tmp_path: Path, game: str) -> None:
    club = make_club(tmp_path)
    code = pair_scenes.told(club, game, 6)["code"]
    club.skip_mails()
    shown = text(asked(club, "Anna", code, 0, "Verlauf")[0])
    scores = club.live(code).table.state.scores
    for who, score in zip(("Du", "Bert"), scores, strict=True):
        totals = re.findall(rf"{who}(?: leg\w+|:) »[^«]*«: [^.]*?zusammen (−?\d+)", shown)
        assert totals
        assert game != "topwords" or totals[-1] == str(score)
    assert game == "topwords" or f"Danach: Anna mit {scores[0]}, Bert mit {scores[1]}".replace("-", "−") in shown


def test_a_calendar_counts_no_match_as_waiting_for_who_has_sent(club: Club) -> None:
    code = begin(club, game="topwords", pace="rounds")
    for sent in (False, True):
        if sent:
            play(club, code, 0)
            club.mails()
        (own,) = asked(club, "Anna", code, 0, "calendar")
        (entry,) = [part for part in own.walk() if part.get_content_type() == "text/calendar"]
        assert ("du bist am Zug" in entry.get_content()) != sent
