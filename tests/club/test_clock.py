"""The clock as players live it: extra days, grace, leave, late mails, mails that leave late, outages, pauses. Whose
deadline has moved reads why, whatever has moved it; else mails say only what is special, and the time rules once."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from moderator.commands.player.leave import parse_day_span
from moderator.common.enums import ClockCause
from moderator.common.errors import PlayerError, TransientError
from moderator.language.messages import has_sentence, render_code, render_label
from moderator.mail.transports import open_sender
from moderator.rules.game import Note
from moderator.rules.time.clock import TimeRules
from moderator.service import deadlines
from moderator.service.create import get_match
from moderator.service.deadlines import DeadlineGuard
from moderator.service.match.match import Match
from moderator.service.players.reachability import PlayerReachability
from moderator.store.tables import Leave
from moderator.views.match_view import list_time_rule_notes
from tests.club.club import START, Club, taken_once, text
from tests.club.memory import MemoryClub
from tests.club.steps import NAMES, ask, begin, change, deal, play, player, run_well, tick_at, wait_until, zat
from tests.helpers import list_lines

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


def test_in_a_round_those_with_extra_days_keep_the_others_waiting_no_longer_than_needed(club: MemoryClub) -> None:
    code = begin(club, game="topwords", pace="rounds", terms={"bank": 3})
    play(club, code, 0)
    assert tick_at(club, FRIDAY + timedelta(days=1)).deadlines == 0
    play(club, code, 1)
    live = club.live(code)
    assert live.table.round == 2
    assert [account.bank for account in live.ledger.seats] == [3, 2]


def test_a_turn_begins_when_the_server_has_taken_the_mail(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = send_late(club, monkeypatch)
    assert club.let_pass(hours=5).deadlines == 0
    assert zat(club, code) == datetime(2026, 12, 5, 19, 0, tzinfo=UTC)
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
SPANS = Path(__file__).parent / "spans.txt"


@pytest.mark.parametrize("line", list_lines(SPANS, "spans"))
def test_days_are_read_as_they_are_written(line: str) -> None:
    said, _, days = line.partition(" | ")
    assert " ".join(day.isoformat() for day in parse_day_span(said, TODAY)) == days


@pytest.mark.parametrize("line", list_lines(SPANS, "none"))
def test_what_is_no_span_of_days_is_refused(line: str) -> None:
    said, _, why = line.partition(" | ")
    with pytest.raises(PlayerError) as caught:
        parse_day_span(said, TODAY)
    assert caught.value.code == why


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


THREE = ("Anna", "Bert", "Cici")
HOURS = timedelta(hours=2)
MONTHS = {11: "November", 12: "Dezember"}
Moved = Callable[[Club, pytest.MonkeyPatch], str]


def extend(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club)
    run_well(club, "match", "extend", code, "3")
    return code


def pause(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club)
    run_well(club, "match", "pause", code)
    club.let_pass(days=3)
    club.mails()
    run_well(club, "match", "resume", code)
    return code


def be_away(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club)
    club.let_pass(days=3, away=True)
    return code


def miss_much(club: Club, _: pytest.MonkeyPatch) -> str:
    codes = [begin(club, *THREE, game="topwords", pace="rounds") for _ in range(2)]
    wait_until(club, zat(club, codes[0]) + HOURS)
    club.tick()
    return codes[0]


def send_late(club: Club, monkeypatch: pytest.MonkeyPatch) -> str:
    from moderator.run import steps

    class Away:
        def send(self, *args: object) -> None:
            raise TransientError("the mail server is away")

    code = deal(club)
    monkeypatch.setattr(steps, "open_sender", lambda config: Away())
    for _ in range(8):
        assert club.let_pass(days=1).deadlines == 0
    monkeypatch.setattr(steps, "open_sender", open_sender)
    club.let_pass(hours=1)
    return code


def come_back(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club, *THREE, game="topwords", pace="rounds")
    change(club, "Bert", undeliverable="550 5.1.1")
    club.let_pass(days=20)
    club.mails()
    change(club, "Bert", undeliverable="")
    with club.work() as work:
        PlayerReachability(work, player(club, "Bert")).resume_turns(())
    return code


def put_back(club: Club, monkeypatch: pytest.MonkeyPatch) -> str:
    code = be_away(club, monkeypatch)
    club.mails()
    run_well(club, "clock", "undo")
    return code


def trust_earlier_clock(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club)
    club.now -= timedelta(days=3)
    with club.work() as work:
        work.now += timedelta(days=3)
        DeadlineGuard(work).trust_clock(club.now)
    return code


def leave_race(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club, *THREE, game="presto")
    club.wait(days=2)
    play(club, code, 2, f"Aufgeben {code} JA")
    return code


def hand_over(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club)
    club.let_pass(days=2)
    run_well(club, "match", "replace", code, "Bert", "Cici")
    return code


def roll_back(club: Club, _: pytest.MonkeyPatch) -> str:
    code = begin(club)
    club.let_pass(days=1)
    play(club, code, 0)
    club.let_pass(days=2)
    play(club, code, 1)
    club.let_pass(days=1)
    club.mails()
    run_well(club, "match", "rollback", code, "--entry", "2")
    return code


def say(code: str) -> str:
    return render_code(code, "de", days=3, deadline="{zat}", old="Bert", new="Cici")


CAUSES: dict[ClockCause, tuple[Moved, str]] = {
    ClockCause.STAFF: (extend, say("extended-plain")),
    ClockCause.PAUSE_ENDED: (pause, say("goes-on-plain")),
    ClockCause.OUTAGE: (be_away, render_label("several-later", "de")),
    ClockCause.NMR_BREAKER: (miss_much, say("deadline-breaker")),
    ClockCause.MAIL_LATE: (send_late, say("deadline-mail-late")),
    ClockCause.MAIL_BACK: (come_back, say("deadline-mail-back")),
    ClockCause.PUT_BACK: (put_back, say("deadline-back")),
    ClockCause.CLOCK_JUMP: (trust_earlier_clock, say("deadline-back")),
    ClockCause.SEAT_LEFT: (leave_race, say("deadline-seat-left")),
    ClockCause.SEAT_TAKEN: (hand_over, say("seat-taken-over")),
    ClockCause.CORRECTION: (roll_back, say("deadline-correction")),
}
"""What moves a deadline, and the sentence that says why."""


@pytest.mark.parametrize("cause", CAUSES)
def test_whose_deadline_has_moved_reads_why(club: Club, monkeypatch: pytest.MonkeyPatch, cause: ClockCause) -> None:
    """In the first mail about the match that comes behind it, once."""
    assert set(CAUSES) == set(ClockCause)
    act, sentence = CAUSES[cause]
    code = act(club, monkeypatch)
    club.tick()
    told = [" ".join(text(mail).split()) for mail in club.mails("anna") if code in str(mail["Subject"])]
    assert told
    found = zat(club, code).astimezone(ZoneInfo("Europe/Berlin"))
    day = f"{found.day}. {MONTHS[found.month]}"
    head, _, rest = sentence.partition("{zat}")
    told = told[-1:] if cause == ClockCause.MAIL_LATE else told  # what was late comes before it
    assert [one.count(head) for one in told] == [1] + [0] * (len(told) - 1), told
    if rest:
        assert day in told[0].partition(head)[2][:40], told[0]


def status(club: Club, code: str, name: str) -> str:
    """What the answer to ``status`` says."""
    club.skip_mails()
    club.hand_in(name, code, NAMES.index(name), "status")
    return " ".join(text(club.mail(name)).split())


def test_only_what_is_special_is_said(club: Club, code: str) -> None:
    """That mail comes back, and that the match stands still, from when on it is so."""
    assert "comes back" not in status(club, code, "Bert")
    with club.at(code) as (work, match):
        anna = work.list_players(match)[0]
        anna.undeliverable = "550 no such user"
        Match.load(work, match).schedule_turn()
    assert "mail to Anna comes back" in status(club, code, "Bert")
    with club.at(code) as (work, match):
        Match.load(work, match).pause_clock()
    assert "paused" in status(club, code, "Bert")


def test_extra_days_and_grace_are_told_to_who_is_awaited(club: Club) -> None:
    code = begin(club, game="topwords", terms={"bank": 5, "grace": 2})
    told = status(club, code, "Anna")
    assert "hast du noch 5 Zusatztage. - Ist alle Zeit abgelaufen, warte ich noch 2 Tage." in told
    assert "extra days" not in status(club, code, "Bert")


def test_extra_days_that_are_used_up_are_not_told(club: Club) -> None:
    code = begin(club, game="topwords", terms={"bank": 2})
    club.wait(days=8)
    for seat in (0, 1):
        play(club, code, seat, "passe")
    assert "noch 1 Zusatztag." in status(club, code, "Anna")


def test_who_has_left_is_told_to_all_and_own_signs_to_their_owner_only(club: Club) -> None:
    code = begin(club, *NAMES, game="topwords")
    club.hand_in("Cici", code, 2, f"aufgeben {code} JA")
    assert "Cici 0 (has left" in status(club, code, "Bert")
    code = begin(club, game="topwords", pace="rounds")
    club.hand_in("Anna", code, 0, "warten")
    assert "»WARTEN«" in status(club, code, "Anna")
    assert "WAIT" not in status(club, code, "Bert")


@pytest.mark.parametrize(
    ("terms", "codes"),
    [
        (TimeRules(evening=-1, abandon_after=0), ["terms-days", "terms-leave"]),
        (TimeRules(), ["terms-days", "terms-leave", "terms-abandon-excused"]),
        (
            TimeRules(bank=2, bank_increment=1, grace=1, skip_weekdays=("so", "sat"), holidays=("12-24",), excused=0),
            [
                *("terms-days", "terms-bank", "terms-increment", "terms-grace"),
                *("terms-weekday-5", "terms-weekday-6", "terms-holidays", "terms-leave", "terms-abandon"),
            ],
        ),
    ],
)
def test_only_rules_in_force_are_named(terms: TimeRules, codes: list[str]) -> None:
    assert [note.code for note in list_time_rule_notes(terms)] == codes


def test_every_day_of_the_week_has_its_sentence() -> None:
    for language in ("de", "en"):
        assert all(has_sentence(f"terms-weekday-{day}", language) for day in range(7))
