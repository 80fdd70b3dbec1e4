"""The clock as players live it: extra days, grace, leave, late mails, mails that leave late, outages, pauses."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moderator.commands.player.leave import parse_day_span
from moderator.common.enums import ClockCause
from moderator.common.errors import PlayerError, TransientError
from moderator.mail.transports import open_sender
from moderator.rules.game import Note
from moderator.service import deadlines
from moderator.service.create import get_match
from moderator.service.deadlines import DeadlineGuard
from moderator.service.match.match import Match
from moderator.service.players.reachability import PlayerReachability
from moderator.store.tables import Leave
from tests.club.club import START, Club, taken_once, text
from tests.club.memory import MemoryClub
from tests.club.steps import ask, begin, change, deal, play, player, run_well, tick_at, wait_until, zat

HOUR = timedelta(hours=1)
FRIDAY = datetime(2026, 11, 27, 19, 0, tzinfo=UTC)
"""The ZAT of a match that begins now."""


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match of Dominos that begins now."""
    return begin(club)


def clocks(club: Club, code: str) -> list[str]:
    """What stopped or moved the match's clock."""
    return [entry.text for entry in club.log(code) if entry.kind == "clock"]


def has_moved(club: Club, code: str, seat: int = 0) -> bool:
    last = club.live(code).last
    return seat in last and last[seat][0] != ""


def test_nobody_is_late_before_a_poll_one_hour_after_the_zat(club: MemoryClub, code: str) -> None:
    assert zat(club, code) == FRIDAY
    assert tick_at(club, FRIDAY + timedelta(minutes=59)).deadlines == 0
    assert club.let_pass(minutes=1).deadlines == 1


@pytest.mark.parametrize(
    ("arrives", "is_read", "terms", "counts"),
    [
        (timedelta(0), 9 * HOUR, {}, True),
        (timedelta(seconds=1), 2 * HOUR, {}, False),
        (timedelta(days=1, hours=20), 24 * HOUR, {"grace": 2}, True),
    ],
)
def test_a_move_counts_by_its_arrival_and_not_by_the_poll(
    club: Club, arrives: timedelta, is_read: timedelta, terms: dict[str, Any], counts: bool
) -> None:
    code = begin(club, terms=terms)
    wait_until(club, FRIDAY + arrives)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    assert tick_at(club, club.now + is_read).deadlines == (not counts)
    assert has_moved(club, code) == counts
    assert club.live(code).ledger.seats[0].on_time == counts
    if not counts:
        first = club.mails("anna")[0]
        assert "zu spät" in str(first["Subject"])
        assert "20:00" in text(first)


def test_a_mail_dated_ahead_counts_as_of_now(club: MemoryClub, code: str) -> None:
    club.order("Anna", code, 0, club.moves(code, 0)[0], club.now + timedelta(days=300))
    club.tick()
    assert has_moved(club, code)


def test_extra_days_are_used_up_one_by_one(club: Club) -> None:
    code = begin(club, terms={"bank": 5, "reminders": ["bank"]})
    summary = tick_at(club, FRIDAY + 2 * HOUR)
    assert (summary.deadlines, summary.reminders) == (0, 1)
    assert text(club.mail("anna")).count("Zusatztage") == 1
    assert club.let_pass(days=1).reminders == 1
    play(club, code, 0)
    account = club.live(code).ledger.seats[0]
    assert (account.bank, account.on_time, account.turns) == (3, 0, 1)
    play(club, code, 1)
    assert tick_at(club, zat(club, code) + timedelta(days=3) + 2 * HOUR).deadlines == 1
    assert club.live(code).ledger.seats[0].missed == 1


def test_the_clock_of_the_log_is_the_clock_of_the_match(club: MemoryClub) -> None:
    """What the account says is read from the log alone."""
    code = begin(club, terms={"bank": 3})
    wait_until(club, FRIDAY + timedelta(days=1))
    play(club, code, 0)
    tick_at(club, zat(club, code) + timedelta(days=4))
    with club.at(code) as (work, match):
        kept = work.cache.load_match(work.session, match)
    fresh = club.live(code)
    assert kept.ledger == fresh.ledger
    assert (fresh.ledger.seats[0].bank, fresh.ledger.seats[1].missed) == (2, 1)


def test_in_a_round_those_with_extra_days_keep_the_others_waiting_no_longer_than_needed(club: MemoryClub) -> None:
    code = begin(club, game="topwords", pace="rounds", terms={"bank": 3})
    play(club, code, 0)
    assert tick_at(club, FRIDAY + timedelta(days=1)).deadlines == 0
    play(club, code, 1)
    live = club.live(code)
    assert live.table.round == 2
    assert [account.bank for account in live.ledger.seats] == [3, 2]


@pytest.mark.parametrize(("hour", "day"), [(18, 27), (19, 27), (20, 28)])
def test_a_mail_of_the_evening_starts_the_next_day(club: MemoryClub, hour: int, day: int) -> None:
    wait_until(club, datetime(2026, 11, 20, hour, 0, tzinfo=UTC))
    assert zat(club, begin(club)) == datetime(2026, 11, day, 19, 0, tzinfo=UTC)


def test_a_turn_begins_when_the_server_has_taken_the_mail(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from moderator.run import steps

    code = deal(club)

    class Away:
        def send(self, *args: Any) -> None:
            raise TransientError("the mail server is away")

    monkeypatch.setattr(steps, "open_sender", lambda config: Away())
    for _ in range(9):
        assert club.let_pass(days=1).deadlines == 0
    monkeypatch.setattr(steps, "open_sender", open_sender)
    club.let_pass(hours=1)
    assert club.let_pass(hours=5).deadlines == 0
    assert zat(club, code) == datetime(2026, 12, 6, 19, 0, tzinfo=UTC)
    assert "mail-late" in clocks(club, code)
    assert tick_at(club, zat(club, code) + 2 * HOUR).deadlines == 1


def test_the_next_zat_keeps_hour_and_weekday_when_this_one_was_met(club: MemoryClub) -> None:
    code = begin(club, game="topwords", pace="rounds")
    tick_at(club, FRIDAY + timedelta(hours=2))
    assert zat(club, code) - FRIDAY == timedelta(days=7)


def test_a_week_without_polls_moves_all_deadlines_and_a_day_moves_none(club: Club, code: str) -> None:
    club.let_pass(days=1, away=True)
    assert zat(club, code) == FRIDAY
    club.order("Anna", code, 0, "kein Zug")
    assert club.let_pass(days=8, away=True).deadlines == 0
    assert zat(club, code) == FRIDAY + timedelta(days=8)
    assert clocks(club, code) == ["outage"]
    assert any("Alle Fristen sind verlängert" in text(mail) for mail in club.mails("anna"))
    assert "nicht gelesen" in text(club.mails("boss")[0])
    assert tick_at(club, zat(club, code) + 2 * HOUR).deadlines == 1


def test_after_a_week_without_polls_nobody_reads_of_deadlines_where_there_are_none(club: Club) -> None:
    club.tick_unread()
    club.let_pass(days=8, away=True)
    told = text(club.mail("boss"))
    assert "nicht gelesen" in told
    assert "Keine Frist" in told


def test_before_the_extra_days_nobody_reads_that_the_deadline_is_the_last(club: Club) -> None:
    code = begin(club, terms={"bank": 5})
    told = ask(club, code, 0, "STAND")
    assert "setzt du aus" not in told
    assert "5 Zusatztage" in told


def test_a_longer_time_without_polls_is_put_to_the_organiser_first(club: Club, code: str) -> None:
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.wait(days=20, away=True)
    for _ in range(2):
        assert "`moderator clock right`" in club.tick().troubles[0]
    assert (zat(club, code), has_moved(club, code), clocks(club, code)) == (FRIDAY, False, [])
    assert [text(mail).count("moderator clock right") for mail in club.mails()] == [1], (
        "asked once, nobody else is told"
    )
    assert "moderator clock right" in run_well(club, "today")
    run_well(club, "clock", "right")
    assert any("no poll since" in line for line in club.tick().troubles)
    assert (has_moved(club, code), clocks(club, code)) == (True, ["outage"])
    assert "clock right" not in run_well(club, "today")
    assert club.tick().troubles == []


def test_outages_that_add_up_are_put_to_the_organiser_as_well(club: Club, code: str) -> None:
    for days in (6, 12, 12):
        club.let_pass(days=6, away=True)
        assert zat(club, code) == FRIDAY + timedelta(days=days)
    assert "clock right" in run_well(club, "today")
    run_well(club, "clock", "right")
    club.tick()
    assert zat(club, code) == FRIDAY + timedelta(days=18)


@pytest.mark.parametrize("command", [("match", "notice", "A", "da"), ("player", "set", "Cici", "--digest")])
def test_what_is_typed_after_an_outage_does_not_hide_it(club: Club, code: str, command: tuple[str, ...]) -> None:
    club.wait(days=5, away=True)
    run_well(club, *(code if word == "A" else word for word in command))
    club.let_pass(minutes=5, away=True)
    assert zat(club, code) == FRIDAY + timedelta(days=6)


def test_what_moved_by_itself_is_moved_back_by_one_command_and_players_are_told(club: Club, code: str) -> None:
    other = begin(club, "Bert", "Cici")
    club.let_pass(days=3, away=True)
    with club.at(other) as (work, match):
        Match.load(work, match).move_deadline(2, ClockCause.STAFF)
    club.skip_mails()
    done = run_well(club, "clock", "undo", other)
    assert (code in done, zat(club, code), zat(club, other)) == (
        False,
        FRIDAY + timedelta(days=3),
        FRIDAY + timedelta(days=2),
    )
    club.tick()
    assert sorted(str(mail["To"]).partition(" ")[0] for mail in club.mails()) == ["Bert", "Cici"]
    wait_until(club, FRIDAY + timedelta(days=1))
    run_well(club, "clock", "undo")
    assert zat(club, code) == FRIDAY + timedelta(days=2), "not in the past"
    assert run_well(club, "clock", "undo") == "No deadline moved by itself in a turn that runs.\n"
    assert club.tick().deadlines == 0
    assert "Die Frist ist wieder die alte" in text(club.mails("anna")[0])


def test_when_most_orders_are_missing_nothing_is_evaluated_for_a_day(club: Club) -> None:
    three = ("Anna", "Bert", "Cici")
    codes = [begin(club, *three, game="topwords", pace="rounds") for _ in range(2)]
    play(club, codes[0], 0, "passe")
    club.skip_mails()
    assert tick_at(club, FRIDAY + 2 * HOUR).deadlines == 0
    assert [clocks(club, code) for code in codes] == [["breaker"], ["breaker"]]
    told = text(club.mail("boss"))
    assert told.startswith("5 von 6 Zügen fehlen.")
    assert f"Anna · Arratia ({codes[1]}) – zum ersten Mal" in told
    assert codes[1] in told
    assert tick_at(club, zat(club, codes[0]) + 2 * HOUR).deadlines == 2


@pytest.mark.parametrize("waited", range(4))
def test_the_alarm_counts_those_whom_it_names(club: MemoryClub, monkeypatch: pytest.MonkeyPatch, waited: int) -> None:
    """However many of the matches have waited for a day before."""
    codes = [begin(club, "Anna", "Bert", "Cici", game="topwords", pace="rounds") for _ in range(4)]
    told: list[Note] = []
    monkeypatch.setattr(deadlines, "notify_chief", lambda _, *notes: told.extend(notes))
    with club.work() as work:
        rows = [get_match(work.session, code) for code in codes]
        for match in rows[:waited]:
            Match.load(work, match).move_deadline(1, ClockCause.NMR_BREAKER)
        trusted = DeadlineGuard(work).trip_nmr_breaker({match.number: (0, 1, 2) for match in rows})
    assert trusted is (waited == 3), "three missing orders are nothing unusual"
    for note in told:
        assert note.params["missing"] == len(note.params["seats"]) == 3 * (4 - waited)


def test_a_pause_leaves_as_many_days_as_there_were(club: MemoryClub, code: str) -> None:
    club.wait(days=2)
    for act in (Match.pause_clock, Match.resume_clock):
        with club.at(code) as (work, match):
            act(Match.load(work, match))
        if act is Match.pause_clock:
            assert club.let_pass(days=30).deadlines == 0
    assert zat(club, code) == datetime(2026, 12, 27, 19, 0, tzinfo=UTC)
    assert clocks(club, code) == ["pause", "go-on"]


def test_the_clock_stands_while_somebody_cannot_be_reached(club: Club, code: str) -> None:
    change(club, "Anna", undeliverable="550 5.1.1")
    assert club.let_pass(days=20).deadlines == 0
    assert club.row(code).stopped == "mail"
    change(club, "Anna", undeliverable="")
    with club.work() as work:
        PlayerReachability(work, player(club, "Anna")).resume_turns(())
    assert club.row(code).stopped == ""
    assert zat(club, code) == datetime(2026, 12, 17, 19, 0, tzinfo=UTC)
    club.tick()
    assert club.mails("anna")


TODAY = date(2026, 11, 21)
OVER_NEW_YEAR = """
    24.12. bis 2.1. | 24.12.-2.1. | 24.12.–2.1. | 24.12 - 2.1 | 24.12.26 bis 2.1.27
    24.12.2026 bis 02.01.2027 (einschließlich) | Do, 24.12. bis Sa, 2.1. | vom 24. Dezember bis 2. Januar 2027
    24. Dez. - 2. Jan. | 24 Dec to 2 Jan | 24th of December until 2nd of January
    December 24th to January 2nd, 2027 | 2026-12-24 to 2027-01-02 | 2026-12-24 - 2027-01-02
    ab 24.12. 10 Tage | from 24 Dec for 10 days
"""
SPANS = {
    "24.12. für 2 Wochen": "2026-12-24 2027-01-06", "ab morgen eine Woche": "2026-11-22 2026-11-28",
    "from tomorrow two weeks": "2026-11-22 2026-12-05", "heute bis 30.11.": "2026-11-21 2026-11-30",
    "24.-28.12.": "2026-12-24 2026-12-28", "vom 24. bis zum 28. Dezember": "2026-12-24 2026-12-28",
    "24-28 Dec": "2026-12-24 2026-12-28", "Dec 24 - 28": "2026-12-24 2026-12-28",
    "1. bis 5. März": "2027-03-01 2027-03-05", "5.12.": "2026-12-05 2026-12-05",
    "24/12 - 31/12": "2026-12-24 2026-12-31", "12/24 to 12/31": "2026-12-24 2026-12-31",
    "05/06 to 08/06": "2027-06-05 2027-06-08", "29.2. bis 3.3.": "2028-02-29 2028-03-03",
    "20.11. bis 30.11.": "2026-11-20 2026-11-30",
}  # fmt: skip
NO_SPANS = {
    "war schön, 3 Wochen Italien": "leave-no-dates", "24.12. bis irgendwann": "leave-no-dates",
    "10 Tage": "leave-no-dates", "24. bis 28.": "leave-no-dates", "K7Q2": "leave-no-dates",
    "30.2. bis 3.3.": "leave-no-such-day", "2026-02-30 bis 2026-03-03": "leave-no-such-day",
    "1.1. 3.1. 5.1.": "leave-many-dates", "1.1. bis 3.1. 5 Tage": "leave-many-dates",
}  # fmt: skip


def test_days_are_read_as_they_are_written() -> None:
    same = {line.strip(): "2026-12-24 2027-01-02" for line in OVER_NEW_YEAR.replace("\n", "|").split("|")}
    del same[""]
    assert len(same) == 16
    for line, days in (same | SPANS).items():
        assert " ".join(day.isoformat() for day in parse_day_span(line, TODAY)) == days, line


@pytest.mark.parametrize("line", NO_SPANS)
def test_what_is_no_span_of_days_is_refused(line: str) -> None:
    with pytest.raises(PlayerError) as caught:
        parse_day_span(line, TODAY)
    assert caught.value.code == NO_SPANS[line]


def test_leave_counts_from_the_next_turn_on(club: Club, code: str) -> None:
    assert "bleibt: Freitag, 27. November" in ask(club, code, 0, "Urlaub ab morgen 15 Tage")
    club.tick()
    assert zat(club, code) == FRIDAY, "the running deadline stays"
    club.wait(minutes=5)
    play(club, code, 0)
    club.wait(minutes=5)
    play(club, code, 1)
    assert zat(club, code) == datetime(2026, 12, 12, 19, 0, tzinfo=UTC), "seven days behind the leave"


def test_leave_can_be_switched_off_per_match(club: Club) -> None:
    with club.work() as work:
        away = Leave(player_id=player(club, "Anna").number, first=TODAY, last=date(2026, 12, 5), announced_at=START)
        work.session.add(away)
    club.wait(hours=1)
    code = begin(club, terms={"leave": False})
    assert zat(club, code) == FRIDAY
    assert "does not count" in ask(club, code, 1, "leave 21 Nov to 30 Nov")
    assert club.mails() == [], "nobody else is told"
    club.wait(hours=1)
    play(club, code, 0)
    assert zat(club, code) == FRIDAY


def test_everybody_sees_leave_in_the_head_of_the_mails_while_it_is_near(club: Club, code: str) -> None:
    ask(club, code, 0, "Urlaub 1.12. bis 9.12.")
    assert "Anna is away from Tuesday, 1 December to Wednesday, 9 December." in ask(club, code, 1, "status")
    ask(club, code, 0, "Urlaub löschen")
    assert "is away" not in ask(club, code, 1, "status")
