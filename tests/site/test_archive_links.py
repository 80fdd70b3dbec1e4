"""Links to the archive in mails and calendars: only of a club that is on the web, and each to a page that is there."""

import re
from email.message import EmailMessage

import icalendar
import pytest

from moderator.common.enums import MatchStatus, TournamentStatus
from moderator.site import build
from moderator.views import links
from tests.club import tournament_club
from tests.club.club import Club
from tests.site.pages import move, pass_to_the_end, publish, set_site

URL = "https://club.example/archive"
VOUCHED = "mx.club.example; dkim=pass header.d=home.example"


@pytest.fixture
def club(club: Club) -> Club:
    set_site(club, folder="site", url=f"{URL}/")
    return club


def texts(mail: EmailMessage) -> dict[str, str]:
    """By kind of part; what is attached is a file."""
    parts = (part for part in mail.walk() if part.get_content_maintype() == "text" and not part.is_attachment())
    return {part.get_content_type(): part.get_content() for part in parts}


def find_pages(mail: EmailMessage) -> set[str]:
    """What the mail says of the archive: its text and its HTML name the same pages."""
    parts = texts(mail)
    plain, laid = (
        set(re.findall(rf"{URL}/([^\s\"<]+\.html)", parts.get(f"text/{kind}", ""))) for kind in ("plain", "html")
    )
    assert plain == laid
    return plain


def play(club: Club) -> list[EmailMessage]:
    """A match to its end, one that waits for a player, one that is broken off, a tournament: all their mails."""
    names = ["Anna", "Bert", "R2 Eins"]
    club.players("R2 Eins")
    pass_to_the_end(club, "Anna", "Bert")
    other = club.start("Bert", "Cici", game="dominos")
    club.hand_in("Bert", other, 0, "Stand")
    tournament_club.found(club, "robin", names, game="dominos", days=1)
    tournament_club.Table(club).to_the_end(most=60)
    return club.mails()


@pytest.mark.slow
def test_every_page_that_a_mail_or_a_calendar_names_is_written(club: Club) -> None:
    found = {str(mail["Subject"]): find_pages(mail) for mail in play(club)}
    site = publish(club)
    pages = set().union(*found.values())
    assert {page.partition("/")[0] for page in pages} == {"matches", "tournaments", "en", "zug"}
    calendars = [icalendar.Calendar.from_ical(file.read_bytes()) for file in site.glob("calendar/*.ics")]
    dates = {str(event["URL"]).removeprefix(f"{URL}/") for one in calendars for event in one.walk("VEVENT")}
    assert dates
    for page in pages | dates:
        assert (site / page).is_file(), page
    ends = [pages for subject, pages in found.items() if subject.startswith(("Gewonnen", "Verloren", "Unentschieden"))]
    assert ends
    assert all(ends)


@pytest.mark.slow
def test_a_club_that_is_not_on_the_web_names_nothing(club: Club) -> None:
    set_site(club, folder="site")
    for mail in play(club):
        assert not find_pages(mail)
        assert not any("archiv" in text.lower() for text in texts(mail).values())


@pytest.mark.slow
def test_the_mailed_calendar_names_the_match(club: Club) -> None:
    code = club.start("Anna", "Bert")
    club.hand_in("Anna", code, 0, "Kalender")
    files = [part for mail in club.mails() for part in mail.iter_attachments()]
    (file,) = (part for part in files if part.get_content_type() == "text/calendar")
    (event,) = icalendar.Calendar.from_ical(file.get_payload(decode=True)).walk("VEVENT")
    assert event["URL"] == f"{URL}/matches/{code}.html"


@pytest.mark.slow
def test_no_mail_names_a_page_before_it_is_written(club: Club) -> None:
    """The first mails of a match leave before its page is there, and a site that is written by way of trial is none."""
    code = club.start("Anna", "Bert")
    first = club.mails()
    assert len(first) == 2
    assert not any(map(find_pages, first))
    assert (club.folder / "site" / "matches" / f"{code}.html").is_file(), "after the tick"
    move(club, code, 0)
    named = [
        "en/zug/topwords.html",
        f"en/matches/{code}.html",
        f"matches/{code}.html",
    ]  # Bert, who reads English, moves
    assert sorted(page for mail in club.mails() for page in find_pages(mail)) == sorted(named)
    club.wait(minutes=1)
    other = club.match("Anna", "Bert")
    build.update_site(club.config, club.now, club.folder / "elsewhere")
    club.hand_in("Anna", code, 0, f"Stand\n{other}: Stand")
    named = set().union(*(find_pages(mail) for mail in club.mails("Anna") if mail["In-Reply-To"]))
    assert f"matches/{code}.html" in named
    assert named <= {f"matches/{code}.html", "zug/topwords.html"}, "the board is there for any match of the game"


def test_a_mail_names_a_tournament_once_its_page_is_there(club: Club) -> None:
    code = tournament_club.found(club, "swiss", ["Anna", "Bert"], game="dominos")
    for pages in (set(), {f"tournaments/{code}.html"}):
        club.mails()
        club.say("Anna", f"Turnier {code} Tabelle", Authentication_Results=VOUCHED)
        assert set().union(*map(find_pages, club.mails("Anna"))) == pages


def test_what_publish_does_not_write_has_no_address(club: Club) -> None:
    for status in MatchStatus:
        assert bool(links.build_match_address(club.config, "K7Q2", status, "de")) == (status in links.MATCHES)
    for one in TournamentStatus:
        assert bool(links.build_tournament_address(club.config, "T1", one, "de")) == (one in links.TOURNAMENTS)
    assert links.build_match_address(club.config, "K7Q2", MatchStatus.RUNNING, "en") == f"{URL}/en/matches/K7Q2.html"
