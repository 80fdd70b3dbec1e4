"""Links to the archive in mails and calendars: only of a club that is on the web, and each to a page that is there."""

from __future__ import annotations

import re
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import icalendar
import pytest

from moderator.club import archive
from moderator.config import Site as Settings
from moderator.site import run
from moderator.states import MatchStatus, TournamentStatus
from tests.club import tournament_club
from tests.club.club import Club, plain_boards

URL = "https://club.example/archive"
VOUCHED = "mx.club.example; dkim=pass header.d=home.example"


@pytest.fixture
def club(club: Club) -> Club:
    plain_boards(club)
    on_the_web(club, f"{URL}/")
    return club


def on_the_web(club: Club, url: str) -> None:
    made = replace(club.config, site=Settings(folder="site", url=url))
    object.__setattr__(made, "file", club.config.file)
    object.__setattr__(club, "config", made)


def texts(mail: EmailMessage) -> dict[str, str]:
    """By kind of part."""
    return {
        part.get_content_type(): part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"
    }


def named(mail: EmailMessage) -> set[str]:
    """What the mail says of the archive: its text and its HTML name the same pages."""
    parts = texts(mail)
    plain, laid = (
        set(re.findall(rf"{URL}/([^\s\"<]+\.html)", parts.get(f"text/{kind}", ""))) for kind in ("plain", "html")
    )
    assert plain == laid
    return plain


def play(club: Club) -> dict[str, set[str]]:
    """A match to its end, one that waits for a player, one that is broken off, a tournament: subject -> pages."""
    names = ["Anna", "Bert", "R2 Eins"]
    club.players("R2 Eins")
    code = club.match("Anna", "Bert", rounds=1)
    while club.row(code).status == "running":
        club.order(names[club.live(code).awaited[0]], code, club.live(code).awaited[0], "passe")
        club.tick()
    other = club.match("Bert", "Cici", game="dominos")
    club.tick()
    club.order("Bert", other, 0, "Stand")
    club.tick()
    tournament_club.found(club, "robin", names, game="dominos", days=1)
    tournament_club.Table(club).to_the_end(most=60)
    return {str(mail["Subject"]): named(mail) for mail in club.mails()}


@pytest.mark.slow
def test_every_page_that_a_mail_or_a_calendar_names_is_written(club: Club) -> None:
    found = play(club)
    run.bring_up(club.config, club.now, club.folder / "site")
    pages = set().union(*found.values())
    assert {page.partition("/")[0] for page in pages} == {"matches", "tournaments", "en", "zug"}
    for page in pages | dated(club.folder / "site"):
        assert (club.folder / "site" / page).is_file(), page
    ends = [pages for subject, pages in found.items() if "zu Ende" in subject]
    assert ends
    assert all(ends)


def dated(folder: Path) -> set[str]:
    """What the calendars of the site name."""
    found = set()
    for file in folder.glob("calendar/*.ics"):
        for event in icalendar.Calendar.from_ical(file.read_bytes()).walk("VEVENT"):
            found.add(str(event["URL"]).removeprefix(f"{URL}/"))
    assert found
    return found


def test_the_mailed_calendar_names_the_match(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.order("Anna", code, 0, "Kalender")
    club.tick()
    files = [part for mail in club.mails() for part in mail.iter_attachments()]
    (file,) = (part for part in files if part.get_content_type() == "text/calendar")
    (event,) = icalendar.Calendar.from_ical(file.get_payload(decode=True)).walk("VEVENT")
    assert event["URL"] == f"{URL}/matches/{code}.html"


@pytest.mark.slow
def test_no_mail_names_a_page_before_it_is_written(club: Club) -> None:
    """The first mails of a match leave before its page is there, and a site that is written by way of trial is none."""
    code = club.match("Anna", "Bert")
    club.tick()
    first = club.mails()
    assert len(first) == 2
    assert not any(map(named, first))
    assert (club.folder / "site" / "matches" / f"{code}.html").is_file(), "after the tick"
    club.wait(minutes=1)
    other = club.match("Anna", "Bert")
    run.bring_up(club.config, club.now, club.folder / "elsewhere")
    club.order("Anna", code, 0, f"Stand\n{other}: Stand")
    club.tick()
    said = {other in str(mail["Subject"]): named(mail) for mail in club.mails("Anna") if mail["In-Reply-To"]}
    board = {"zug/topwords.html"}  # of any match of the game
    assert said[False] == {f"matches/{code}.html"} | board
    assert [pages for about_other, pages in said.items() if about_other] in ([], [set()], [board])


def test_a_mail_names_a_tournament_once_its_page_is_there(club: Club) -> None:
    code = tournament_club.found(club, "swiss", ["Anna", "Bert"], game="dominos")
    pages = []
    for _ in range(2):
        club.mails()
        club.write("Anna", f"Turnier {code} Tabelle", Authentication_Results=VOUCHED)
        club.tick()
        pages.append(set().union(*map(named, club.mails("Anna"))))
    assert pages == [set(), {f"tournaments/{code}.html"}]


def test_readers_are_led_to_their_language(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert sorted(page for mail in club.mails() for page in named(mail)) == [
        f"en/matches/{code}.html",
        "en/zug/topwords.html",  # Bert is to move
        f"matches/{code}.html",
    ]


@pytest.mark.slow
def test_a_club_that_is_not_on_the_web_names_nothing(club: Club) -> None:
    on_the_web(club, "")
    assert not any(play(club).values())
    assert not any("archiv" in text.lower() for mail in club.mails() for text in texts(mail).values())


def test_what_publish_does_not_write_has_no_address(club: Club) -> None:
    for status in MatchStatus:
        assert bool(archive.of_match(club.config, "K7Q2", status, "de")) == (status in archive.MATCHES)
    for one in TournamentStatus:
        assert bool(archive.of_tournament(club.config, "T1", one, "de")) == (one in archive.TOURNAMENTS)
    assert archive.of_match(club.config, "K7Q2", MatchStatus.RUNNING, "en") == f"{URL}/en/matches/K7Q2.html"
