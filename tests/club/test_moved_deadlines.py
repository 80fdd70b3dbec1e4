"""Whose deadline has moved reads why, whatever has moved it; the log and the clock know of each move."""

from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from moderator.common.enums import ClockCause
from moderator.common.errors import TransientError
from moderator.language.messages import render_code, render_label
from moderator.mail.transports import open_sender
from moderator.service.deadlines import DeadlineGuard
from moderator.service.players.reachability import PlayerReachability
from tests.club.club import Club, text
from tests.club.steps import begin, change, deal, play, player, run_well, wait_until, zat

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
        club.let_pass(days=1)
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


def test_each_cause_is_known() -> None:
    assert set(CAUSES) == set(ClockCause)


@pytest.mark.parametrize("cause", CAUSES)
def test_whose_deadline_has_moved_reads_why(club: Club, monkeypatch: pytest.MonkeyPatch, cause: ClockCause) -> None:
    """In the first mail about the match that comes behind it, once."""
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
