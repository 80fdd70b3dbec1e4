"""Calendars to subscribe to: whole days, names that stay, numbers that grow, addresses that nobody can guess."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from icalendar import Calendar, Component
from sqlmodel import select

from moderator.common.enums import ClockCause
from moderator.service import create
from moderator.service.match.match import Match
from moderator.store.tables import MatchRow, PlayerRow, TournamentGame
from moderator.views import match_state
from moderator.views.links import compute_calendar_token
from tests.club import tournament_club
from tests.club.club import Club, text
from tests.site.pages import move, publish, set_site

URL = "https://club.example/archive"


@pytest.fixture
def club(club: Club) -> Club:
    set_site(club, url=URL)
    return club


def path_of(club: Club, name: str) -> Path:
    with club.work() as work:
        number = create.get_player(work.session, name).number
        return (
            club.folder
            / "site"
            / "calendar"
            / f"{compute_calendar_token(match_state.ensure_club_secret(work.session), number)}.ics"
        )


def calendar(club: Club, name: str) -> Calendar:
    """The player's file, once it keeps to RFC 5545."""
    publish(club)
    data = path_of(club, name).read_bytes()
    lines = data.split(b"\r\n")
    assert not [line for line in lines if len(line) > 75 or b"\n" in line or b"\r" in line]
    assert (lines[0], lines[-2], lines[-1]) == (b"BEGIN:VCALENDAR", b"END:VCALENDAR", b"")
    made = Calendar.from_ical(data)
    assert (made["version"], bool(made["prodid"]), "method" in made) == ("2.0", True, False)
    assert made.subcomponents
    for event in made.walk("VEVENT"):
        assert not event.errors
        assert {"UID", "DTSTAMP", "DTSTART", "DTEND", "SUMMARY", "SEQUENCE", "TRANSP"} <= {k.upper() for k in event}
        first, end = event["dtstart"].dt, event["dtend"].dt
        assert type(first) is type(end) is date
        assert end - first == timedelta(days=1)
        assert event["transp"] == "TRANSPARENT"
    return made


def events(club: Club, name: str) -> list[Component]:
    return list(calendar(club, name).walk("VEVENT"))


def test_a_deadline_is_a_whole_day_that_blocks_no_time(club: Club) -> None:
    code = club.match("Anna", "Bert")
    made = calendar(club, "Anna")
    (event,) = made.walk("VEVENT")
    deadline = club.row(code).deadline
    assert event["dtstart"].dt == deadline.date()
    assert event["summary"] == f"Frist Topwords „Arratia“ ({code}): du bist am Zug"
    assert "20:00 Uhr" in event["description"]
    assert made["x-wr-calname"] == "Testrunde: meine Termine"
    assert made["refresh-interval"].dt == timedelta(hours=4)
    assert made["refresh-interval"].params["value"] == "DURATION"
    with club.work() as work:
        create.get_player(work.session, "Anna").zone = "Pacific/Auckland"
    (event,) = events(club, "Anna")
    assert event["dtstart"].dt == deadline.date() + timedelta(days=1), "the day is that of the reader"


@pytest.mark.slow
def test_who_has_moved_has_an_empty_calendar_that_is_valid(club: Club) -> None:
    code = club.match("Anna", "Bert")
    assert events(club, "Bert") == []
    move(club, code, 0)
    assert events(club, "Anna") == []
    (event,) = events(club, "Bert")
    assert "your turn" in event["summary"].lower() or "your move" in event["summary"].lower()


@pytest.mark.slow
def test_the_name_stays_and_the_number_grows_when_the_deadline_moves(club: Club) -> None:
    code = club.match("Anna", "Bert")
    (before,) = events(club, "Anna")
    with club.work() as work:
        row = create.get_match(work.session, code)
        Match.load(work, row).move_deadline(3, ClockCause.STAFF)
    (after,) = events(club, "Anna")
    assert after["uid"] == before["uid"]
    assert after["sequence"] > before["sequence"]
    assert after["dtstart"].dt == before["dtstart"].dt + timedelta(days=3)
    for seat in (0, 1):
        club.wait(hours=1)
        move(club, code, seat)
    (next_turn,) = events(club, "Anna")
    assert next_turn["uid"] == before["uid"]
    assert next_turn["sequence"] > after["sequence"]
    assert next_turn["dtstamp"].dt > after["dtstamp"].dt


@pytest.mark.parametrize("stopped", ["pause", "held", "suspended"])
def test_a_match_whose_clock_stands_is_in_no_calendar(club: Club, stopped: str) -> None:
    code = club.match("Anna", "Bert")
    with club.work() as work:
        row = create.get_match(work.session, code)
        row.stopped, row.held = ("pause" if stopped == "pause" else ""), stopped == "held"
        row.status = "suspended" if stopped == "suspended" else row.status
    assert events(club, "Anna") == []


@pytest.mark.slow
def test_the_latest_ends_of_a_tournament(club: Club) -> None:
    tournament_club.found(club, "robin", ["Anna", "Bert", "Cici"], days=1)
    for _ in range(3):
        club.let_pass(days=1)
    ends = {row.ends_at for row in tournament_club.open_games(club)}
    (latest,) = [event for event in events(club, "Anna") if "Spätestes Ende" in event["summary"]]
    assert {latest["dtstart"].dt} == {end.date() for end in ends if end}
    assert "Herbstcup" in latest["summary"]
    with club.work() as work:
        for row in work.session.exec(select(TournamentGame)):
            row.ends_at += timedelta(days=5)
    (moved,) = [event for event in events(club, "Anna") if "Spätestes Ende" in event["summary"]]
    assert moved["uid"] == latest["uid"]
    assert moved["sequence"] > latest["sequence"]
    assert moved["dtstart"].dt == latest["dtstart"].dt + timedelta(days=5)


def test_nobody_can_guess_an_address_and_no_page_names_one(club: Club) -> None:
    club.players("R2 Eins")
    code, _ = club.match("Anna", "Bert"), club.match("Anna", "R2 Eins")
    paths = set((publish(club) / "calendar").glob("*.ics"))
    files = sorted(path.stem for path in paths)
    assert len(files) == 2, "Cici has never played, robots have none"
    assert all(re.fullmatch("[a-z2-7]{26}", name) for name in files)
    numbers = [player.number for player in club.stored(PlayerRow)]
    assert compute_calendar_token(b"another club", numbers[0]) not in files
    for path in (club.folder / "site").rglob("*"):
        if path.is_file() and path.name != ".moderator-site.json":
            assert not [name for name in files if name.encode() in path.read_bytes()], path
    for seat in (0, 1):
        assert club.token(code, seat) not in "".join(path.read_text() for path in paths)
    cover = (club.folder / "site" / "calendar" / "index.html").read_text(encoding="utf-8")
    assert "noindex" in cover, "a web server that lists folders finds a page there"
    assert "href" not in cover


@pytest.mark.slow
def test_a_title_cannot_add_lines(club: Club) -> None:
    code = club.match("Anna", "Bert")
    with club.work() as work:
        row = work.session.exec(select(MatchRow).where(MatchRow.code == code)).one()
        row.name = "x\r\nEND:VEVENT\nATTENDEE:mailto:a@b.example;,\\"
    (event,) = events(club, "Anna")
    assert "ATTENDEE" not in event
    assert "END:VEVENT" in event["summary"]
    assert "@" not in event["summary"]


def answer(club: Club, name: str, code: str, seat: int, order: str) -> str:
    """What is said to a player who asks."""
    club.tick_unread()
    club.hand_in(name, code, seat, order)
    (mail,) = club.mails(name)
    return text(mail)


@pytest.mark.slow
def test_the_mail_tells_its_owner_the_address(club: Club) -> None:
    code = club.match("Anna", "Bert")
    said = answer(club, "Anna", code, 0, "Kalender")
    (address,) = re.findall(rf"{URL}/(calendar/\S+\.ics)", said)
    assert publish(club) / address == path_of(club, "Anna")
    assert "abonnierten Kalender" in said
    said = answer(club, "Bert", code, 1, "calendar")
    assert "your calendar as a subscription" in said
    assert path_of(club, "Bert").name in said
    set_site(club, folder="site")
    said = answer(club, "Anna", code, 0, "Kalender")
    assert ".ics" not in said, "the site is not on the web"
    assert "abonnier" not in said


def test_who_has_only_the_token_of_a_seat_is_told_no_address_and_changes_none(club: Club) -> None:
    code = club.start("Anna", "Bert")
    for order in ("Kalender", "calendar new"):
        club.mails()
        club.say("stranger@evil.example", order, to=f"games+{code}-{club.token(code, 0)}@club.example")
        mails = club.mails()
        assert f"{URL}/calendar" not in "".join(map(text, mails))
        if order == "Kalender":
            (said,) = (text(mail) for mail in mails if "anna" in str(mail["To"]).lower())
            assert "Frist" in said or "Termine" in said
            assert URL not in said
    publish(club)
    assert path_of(club, "Anna").exists()


@pytest.mark.slow
def test_a_new_address_takes_the_place_of_the_old(club: Club) -> None:
    code = club.match("Anna", "Bert")
    publish(club)
    old, others = path_of(club, "Anna"), path_of(club, "Bert")
    for times in (1, 2):
        said = answer(club, "Anna", code, 0, "Kalender neu")
        (address,) = re.findall(rf"{URL}/(calendar/[a-z2-7]{{26}}\.ics)", said)
        assert set((publish(club) / "calendar").glob("*.ics")) == {club.folder / "site" / address, others}, times
        assert old != club.folder / "site" / address
        old = club.folder / "site" / address
    assert old.name in answer(club, "Anna", code, 0, "Kalender")
