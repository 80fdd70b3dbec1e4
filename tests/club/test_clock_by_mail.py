"""The clock as players live it: extra days, grace, leave, reminders, late mails, mails that leave late, pauses."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.club import clock
from moderator.errors import TransientError
from moderator.mail.open import open_sender
from moderator.store.models import Event, Leave, Match, Player
from tests.club.club import START, Club, make_club, plain_boards, text

HOUR = timedelta(hours=1)


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert", "Cici")
    plain_boards(made)
    return made


def begun(club: Club, *names: str, terms: dict[str, Any] | None = None, **options: Any) -> str:
    code = club.match(*(names or ("Anna", "Bert")), terms=terms, **options)
    club.tick()
    club.mails()
    return code


def until(club: Club, moment: datetime) -> None:
    club.wait(seconds=(moment - club.now).total_seconds())


def zat(club: Club, code: str) -> datetime:
    found = club.row(code).deadline
    assert found is not None
    return found


def clocks(club: Club, code: str) -> list[str]:
    with club.desk() as desk:
        number = desk.session.exec(select(Match.id).where(Match.code == code)).one()
        query = select(Event.text).where(Event.match_id == number, Event.kind == "clock").order_by(Event.n)
        return list(desk.session.exec(query))


def test_nobody_is_late_before_a_poll_one_hour_after_the_zat(club: Club) -> None:
    code = begun(club)
    assert zat(club, code) == datetime(2026, 11, 27, 19, 0, tzinfo=UTC)
    until(club, zat(club, code) + timedelta(minutes=59))
    assert club.tick().deadlines == 0
    club.wait(minutes=1)
    assert club.tick().deadlines == 1


def test_a_move_counts_by_its_arrival_and_not_by_the_poll(club: Club) -> None:
    code = begun(club)
    until(club, zat(club, code))
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.wait(hours=9)
    club.tick()
    assert club.live(code).last[0][1] > 0
    assert club.live(code).ledger.seats[0].on_time == 1


def test_a_move_that_arrives_a_second_late_does_not_count(club: Club) -> None:
    code = begun(club)
    until(club, zat(club, code) + timedelta(seconds=1))
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.wait(hours=2)
    assert club.tick().deadlines == 1
    assert 0 not in club.live(code).last or club.live(code).last[0] == ("", 0)
    first = club.mails("anna")[0]
    assert "zu spät" in str(first["Subject"])
    assert "20:00" in text(first)


def test_extra_days_are_used_up_one_by_one(club: Club) -> None:
    code = begun(club, terms={"bank": 5, "reminders": ["bank"]})
    until(club, zat(club, code) + 2 * HOUR)
    summary = club.tick()
    assert (summary.deadlines, summary.reminders) == (0, 1)
    assert "Zusatztage" in text(club.mail("anna"))
    club.wait(days=1)
    assert club.tick().reminders == 1
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    account = club.live(code).ledger.seats[0]
    assert (account.bank, account.on_time, account.turns) == (3, 0, 1)
    club.order("Bert", code, 1, "passe")
    club.tick()
    until(club, zat(club, code) + timedelta(days=3) + 2 * HOUR)
    assert club.tick().deadlines == 1
    assert club.live(code).ledger.seats[0].missed == 1


def test_a_turn_in_time_gains_extra_days_up_to_the_cap(club: Club) -> None:
    code = begun(club, terms={"bank": 1, "bank_increment": 2, "bank_cap": 4})
    for _ in range(2):
        for seat, name in enumerate(("Anna", "Bert")):
            club.order(name, code, seat, club.moves(code, seat)[0])
            club.tick()
    assert [account.bank for account in club.live(code).ledger.seats] == [4, 4]


def test_an_order_in_the_days_of_grace_counts(club: Club) -> None:
    code = begun(club, terms={"grace": 2})
    until(club, zat(club, code) + timedelta(days=1, hours=20))
    assert club.tick().deadlines == 0
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.wait(days=1)
    club.tick()
    assert club.live(code).last[0][1] > 0


def test_in_a_round_those_with_extra_days_keep_the_others_waiting_no_longer_than_needed(club: Club) -> None:
    code = begun(club, pace="rounds", terms={"bank": 3})
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    until(club, zat(club, code) + timedelta(days=1))
    assert club.tick().deadlines == 0
    club.order("Bert", code, 1, club.moves(code, 1)[0])
    club.tick()
    live = club.live(code)
    assert live.table.round == 2
    assert [account.bank for account in live.ledger.seats] == [3, 2]


def leave(club: Club, name: str, first: date, last: date, announced: datetime | None = None) -> None:
    with club.desk() as desk:
        player = desk.session.exec(select(Player).where(Player.name == name)).one()
        row = Leave(player_id=player.number, first=first, last=last, announced_at=announced or club.now)
        desk.session.add(row)


def test_leave_counts_from_the_next_turn_on(club: Club) -> None:
    code = begun(club)
    leave(club, "Anna", date(2026, 11, 21), date(2026, 12, 5))
    club.tick()
    assert zat(club, code) == datetime(2026, 11, 27, 19, 0, tzinfo=UTC), "the running deadline stays"
    club.order("Anna", code, 0, "passe")
    club.wait(minutes=5)
    club.tick()
    club.order("Bert", code, 1, "passe")
    club.wait(minutes=5)
    club.tick()
    assert zat(club, code) == datetime(2026, 12, 12, 19, 0, tzinfo=UTC), "seven days behind the leave"


def test_leave_can_be_switched_off(club: Club) -> None:
    leave(club, "Anna", date(2026, 11, 21), date(2026, 12, 5), START - HOUR)
    code = begun(club, terms={"leave": False})
    assert zat(club, code) == datetime(2026, 11, 27, 19, 0, tzinfo=UTC)


def test_skipped_days_and_holidays_are_no_reply_days(club: Club) -> None:
    code = begun(club, terms={"days": 2, "skip_weekdays": ["sat", "sun"], "holidays": ["11-23"]})
    assert zat(club, code) == datetime(2026, 11, 25, 19, 0, tzinfo=UTC)


@pytest.mark.parametrize(("hour", "day"), [(18, 27), (19, 27), (20, 28)])
def test_a_mail_of_the_evening_starts_the_next_day(club: Club, hour: int, day: int) -> None:
    until(club, datetime(2026, 11, 20, hour, 0, tzinfo=UTC))
    code = begun(club)
    assert zat(club, code) == datetime(2026, 11, day, 19, 0, tzinfo=UTC)


def test_a_turn_begins_when_the_server_has_taken_the_mail(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from moderator.run import tick

    code = club.match("Anna", "Bert")

    class Away:
        def send(self, *args: Any) -> None:
            raise TransientError("the mail server is away")

    monkeypatch.setattr(tick, "open_sender", lambda config: Away())
    for _ in range(9):
        club.wait(days=1)
        assert club.tick().deadlines == 0
    monkeypatch.setattr(tick, "open_sender", open_sender)
    club.wait(hours=1)
    club.tick()
    sent = club.now
    until(club, sent + timedelta(hours=5))
    assert club.tick().deadlines == 0
    assert zat(club, code) == datetime(2026, 12, 6, 19, 0, tzinfo=UTC)
    assert "mail-late" in clocks(club, code)
    until(club, zat(club, code) + 2 * HOUR)
    assert club.tick().deadlines == 1


def test_the_next_zat_keeps_hour_and_weekday_when_this_one_was_met(club: Club) -> None:
    code = begun(club, pace="rounds")
    first = zat(club, code)
    until(club, first + timedelta(hours=2))
    club.tick()
    assert zat(club, code) - first == timedelta(days=7)


def test_a_week_without_polls_moves_all_deadlines(club: Club) -> None:
    code = begun(club)
    before = zat(club, code)
    club.order("Anna", code, 0, "kein Zug")
    club.wait(days=8, away=True)
    summary = club.tick()
    assert summary.deadlines == 0
    assert zat(club, code) == before + timedelta(days=8)
    assert clocks(club, code) == ["outage"]
    assert any("verschoben" in text(mail) for mail in club.mails("anna"))
    assert "nicht gelesen" in text(club.mails("boss")[0])
    until(club, zat(club, code) + 2 * HOUR)
    assert club.tick().deadlines == 1


def test_a_day_without_polls_moves_nothing(club: Club) -> None:
    code = begun(club)
    before = zat(club, code)
    club.wait(days=1, away=True)
    club.tick()
    assert zat(club, code) == before


def test_when_most_orders_are_missing_nothing_is_evaluated_for_a_day(club: Club) -> None:
    codes = [begun(club, "Anna", "Bert", "Cici", pace="rounds") for _ in range(2)]
    club.order("Anna", codes[0], 0, club.moves(codes[0], 0)[0])
    club.tick()
    club.mails()
    until(club, zat(club, codes[0]) + 2 * HOUR)
    assert club.tick().deadlines == 0
    assert [clocks(club, code) for code in codes] == [["breaker"], ["breaker"]]
    told = text(club.mail("boss"))
    assert "5 von 6" in told
    assert codes[1] in told
    until(club, zat(club, codes[0]) + 2 * HOUR)
    assert club.tick().deadlines == 2


def test_three_missing_orders_are_nothing_unusual(club: Club) -> None:
    code = begun(club, "Anna", "Bert", "Cici", pace="rounds")
    until(club, zat(club, code) + 2 * HOUR)
    assert club.tick().deadlines == 1


def test_a_pause_leaves_as_many_days_as_there_were(club: Club) -> None:
    code = begun(club)
    club.wait(days=2)
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        clock.pause(desk, match, desk.cache.live(desk.session, match))
    club.wait(days=30)
    assert club.tick().deadlines == 0
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        clock.go_on(desk, match, desk.cache.live(desk.session, match))
    assert zat(club, code) == datetime(2026, 12, 27, 19, 0, tzinfo=UTC)
    assert clocks(club, code) == ["pause", "go-on"]


def test_the_clock_stands_while_somebody_cannot_be_reached(club: Club) -> None:
    code = begun(club)
    with club.desk() as desk:
        player = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
        player.undeliverable = "550 5.1.1"
        desk.session.add(player)
    club.wait(days=20)
    assert club.tick().deadlines == 0
    assert club.row(code).stopped == "mail"
    from moderator.play.deadlines import reachable_again

    with club.desk() as desk:
        player = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
        player.undeliverable = ""
        desk.session.add(player)
        desk.session.flush()
        reachable_again(desk, player.number)
    assert club.row(code).stopped == ""
    assert zat(club, code) == datetime(2026, 12, 17, 19, 0, tzinfo=UTC)
    club.tick()
    assert club.mails("anna")


def test_the_clock_of_the_log_is_the_clock_of_the_match(club: Club) -> None:
    """What the account says is read from the log alone."""
    code = begun(club, terms={"bank": 3})
    until(club, zat(club, code) + timedelta(days=1))
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    until(club, zat(club, code) + timedelta(days=4))
    club.tick()
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        kept = desk.cache.live(desk.session, match)
    fresh = club.live(code)
    assert kept.ledger == fresh.ledger
    assert fresh.ledger.seats[0].bank == 2
    assert fresh.ledger.seats[1].missed == 1


def test_a_mail_dated_ahead_counts_as_of_now(club: Club) -> None:
    code = begun(club)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    for file in (club.config.path(club.config.maildir.inbox) / "new").iterdir():
        later = (club.now + timedelta(days=300)).timestamp()
        os.utime(file, (later, later))
    club.tick()
    assert club.live(code).last[0][1] > 0
