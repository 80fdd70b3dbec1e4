"""Leave that players announce: the days that are read, what it does to deadlines, who is told."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from moderator.commands.player.leave import read_span
from moderator.errors import PlayerError
from moderator.store.models import Leave
from tests.club.club import Club, plain_boards, text

TODAY = date(2026, 11, 21)
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        ("24.12. bis 2.1.", "2026-12-24", "2027-01-02"),
        ("24.12.-2.1.", "2026-12-24", "2027-01-02"),
        ("24.12.–2.1.", "2026-12-24", "2027-01-02"),
        ("24.12 - 2.1", "2026-12-24", "2027-01-02"),
        ("24.12.26 bis 2.1.27", "2026-12-24", "2027-01-02"),
        ("24.12.2026 bis 02.01.2027 (einschließlich)", "2026-12-24", "2027-01-02"),
        ("Do, 24.12. bis Sa, 2.1.", "2026-12-24", "2027-01-02"),
        ("vom 24. Dezember bis 2. Januar 2027", "2026-12-24", "2027-01-02"),
        ("24. Dez. - 2. Jan.", "2026-12-24", "2027-01-02"),
        ("24 Dec to 2 Jan", "2026-12-24", "2027-01-02"),
        ("24th of December until 2nd of January", "2026-12-24", "2027-01-02"),
        ("December 24th to January 2nd, 2027", "2026-12-24", "2027-01-02"),
        ("2026-12-24 to 2027-01-02", "2026-12-24", "2027-01-02"),
        ("2026-12-24 - 2027-01-02", "2026-12-24", "2027-01-02"),
        ("ab 24.12. 10 Tage", "2026-12-24", "2027-01-02"),
        ("from 24 Dec for 10 days", "2026-12-24", "2027-01-02"),
        ("24.12. für 2 Wochen", "2026-12-24", "2027-01-06"),
        ("ab morgen eine Woche", "2026-11-22", "2026-11-28"),
        ("from tomorrow two weeks", "2026-11-22", "2026-12-05"),
        ("heute bis 30.11.", "2026-11-21", "2026-11-30"),
        ("24.-28.12.", "2026-12-24", "2026-12-28"),
        ("vom 24. bis zum 28. Dezember", "2026-12-24", "2026-12-28"),
        ("24-28 Dec", "2026-12-24", "2026-12-28"),
        ("Dec 24 - 28", "2026-12-24", "2026-12-28"),
        ("1. bis 5. März", "2027-03-01", "2027-03-05"),
        ("5.12.", "2026-12-05", "2026-12-05"),
        ("24/12 - 31/12", "2026-12-24", "2026-12-31"),
        ("12/24 to 12/31", "2026-12-24", "2026-12-31"),
        ("05/06 to 08/06", "2027-06-05", "2027-06-08"),
        ("29.2. bis 3.3.", "2028-02-29", "2028-03-03"),
        ("20.11. bis 30.11.", "2026-11-20", "2026-11-30"),
    ],
)
def test_days_are_read(line: str, first: str, last: str) -> None:
    assert [day.isoformat() for day in read_span(line, TODAY)] == [first, last]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("war schön, 3 Wochen Italien", "leave-no-dates"),
        ("24.12. bis irgendwann", "leave-no-dates"),
        ("10 Tage", "leave-no-dates"),
        ("24. bis 28.", "leave-no-dates"),
        ("K7Q2", "leave-no-dates"),
        ("30.2. bis 3.3.", "leave-no-such-day"),
        ("2026-02-30 bis 2026-03-03", "leave-no-such-day"),
        ("1.1. 3.1. 5.1.", "leave-many-dates"),
        ("1.1. bis 3.1. 5 Tage", "leave-many-dates"),
    ],
)
def test_what_is_no_span_of_days_is_refused(line: str, why: str) -> None:
    with pytest.raises(PlayerError) as caught:
        read_span(line, TODAY)
    assert caught.value.code == why


@pytest.fixture
def code(club: Club) -> str:
    plain_boards(club)
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    return code


def say(club: Club, code: str, seat: int, body: str) -> str:
    name = ("Anna", "Bert")[seat]
    club.order(name, code, seat, body)
    club.tick()
    return next(text(mail) for mail in club.mails() if f"{name.lower()}@" in str(mail["To"]))


def test_leave_never_moves_the_deadline_that_runs(club: Club, code: str) -> None:
    before = club.row(code).deadline
    assert "bleibt: Freitag, 27. November" in say(club, code, 0, "Urlaub ab morgen 20 Tage")
    assert club.row(code).deadline == before
    club.tick()
    assert club.row(code).deadline == before


def test_it_counts_from_the_next_turn_on(club: Club, code: str) -> None:
    say(club, code, 1, "leave 21 Nov to 30 Nov")
    club.wait(hours=1)
    say(club, code, 0, club.moves(code, 0)[0])
    deadline = club.row(code).deadline
    assert deadline is not None
    assert deadline.astimezone(BERLIN) == datetime(2026, 12, 7, 20, tzinfo=BERLIN)


def test_it_can_be_switched_off_per_match(club: Club) -> None:
    plain_boards(club)
    code = club.match("Anna", "Bert", terms={"leave": False})
    club.tick()
    club.mails()
    club.order("Bert", code, 1, "leave 21 Nov to 30 Nov")
    club.tick()
    mails = club.mails()
    assert [str(mail["To"]) for mail in mails] == ["Bert <bert@home.example>"]
    assert "does not count" in text(mails[0])
    club.wait(hours=1)
    say(club, code, 0, club.moves(code, 0)[0])
    deadline = club.row(code).deadline
    assert deadline is not None
    assert deadline.astimezone(BERLIN) == datetime(2026, 11, 27, 20, tzinfo=BERLIN)


def test_an_opponent_of_two_matches_is_told_once(club: Club, code: str) -> None:
    other = club.match("Bert", "Anna")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "Urlaub 24.12. bis 2.1.")
    club.tick()
    told = text(club.mail("bert"))
    assert code in told
    assert other in told


def test_everybody_sees_it_in_the_head_of_the_mails_while_it_is_near(club: Club, code: str) -> None:
    say(club, code, 0, "Urlaub 1.12. bis 9.12.")
    assert "Anna is away from Tuesday, 1 December to Wednesday, 9 December." in say(club, code, 1, "status")
    say(club, code, 0, "Urlaub löschen")
    assert "is away" not in say(club, code, 1, "status")


def test_the_quota_of_a_year(club: Club, code: str) -> None:
    assert "noch 14 Urlaubstage" in say(club, code, 0, "Urlaub 1.2. bis 28.2.")
    assert "noch 4 Urlaubstage" in say(club, code, 0, "Urlaub 10.3. bis 19.3.")
    refused = say(club, code, 0, "Urlaub 1.4. bis 5.4.")
    assert "Im Jahr 2027 sind 42 Tage möglich; davon kannst du noch 4 Tage ankündigen." in refused


def test_cancelled_days_may_be_announced_again(club: Club, code: str) -> None:
    say(club, code, 0, "Urlaub 1.2. bis 28.2.")
    assert "noch 42 Urlaubstage" in say(club, code, 0, "Urlaub löschen 1.2.")
    assert "Eingetragen" in say(club, code, 0, "Urlaub 10.2. bis 20.2.")


def test_the_rest_of_a_leave_that_has_begun_ends_today(club: Club, code: str) -> None:
    say(club, code, 0, "Urlaub 20.11. bis 30.11.")
    club.wait(days=2)
    say(club, code, 0, "Urlaub löschen")
    with club.desk() as desk:
        row = desk.session.exec(select(Leave)).one()
        assert (row.first, row.last, row.cancelled_at) == (date(2026, 11, 20), date(2026, 11, 22), None)


def test_only_the_players_own_address_may_announce(club: Club, code: str) -> None:
    token = club.token(code, 0)
    club.write("stranger@evil.example", "Urlaub 24.12. bis 2.1.", to=f"games+{code}-{token}@club.example")
    club.tick()
    with club.desk() as desk:
        assert not desk.session.exec(select(Leave)).all()
