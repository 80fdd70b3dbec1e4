"""After a backlog everybody gets one mail, and it says all that the many would have said; all mails are read in the
order in which they came, in little memory. (That it may die anywhere: tests/faults/test_kills.py.)"""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from moderator.delivery.deliver import decode_payload, encode_payload
from moderator.inbox import pipeline
from moderator.language.messages import translate_move
from moderator.notifications.pages import LineOutcome, MailPayload, Receipt
from moderator.rules import outcomes
from moderator.rules.outcomes import OrderDecision
from moderator.run import backlog
from moderator.service.match.match import Match
from moderator.settings import load_config
from moderator.store import due_work
from moderator.store.tables import DeferredNews, EventRow, InboxRow, MatchRow, OutboxRow
from tests.backlog.week import BEGINNING, Week, dealt, into_maildir, mails
from tests.club.club import Club, club_of, copied, make_club, text
from tests.servers import PASSWORD

ROOT = Path(__file__).resolve().parent.parent.parent
VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
MOST_MEBIBYTES = 150


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, list[str]]:
    """A club for which three mails are a backlog, with two matches, to be copied."""
    made = club_of(
        tmp_path_factory.mktemp("model") / "club", "Anna", "Bert", "Cici", settings="[guard]\nbacklog = 2\n", Bert="en"
    )
    codes = [made.match("Anna", "Bert") for _ in range(2)]
    made.tick_unread()
    made.wait(minutes=5)
    return made, codes


@pytest.fixture
def club(model: tuple[Club, list[str]], tmp_path: Path) -> Club:
    return copied(model[0], tmp_path / "club")


@pytest.fixture
def codes(model: tuple[Club, list[str]]) -> list[str]:
    return model[1]


def deferred_news(club: Club) -> int:
    return len(club.stored(DeferredNews))


def kinds(club: Club) -> list[tuple[str, str]]:
    query = select(OutboxRow.recipient, OutboxRow.kind).where(OutboxRow.kind != "start").order_by(OutboxRow.id)
    return [(to.partition("@")[0], kind) for to, kind in club.stored(query)]


def test_one_mail_each_with_a_receipt_of_every_mail(club: Club, codes: list[str]) -> None:
    moves = [club.moves(code, 0)[0] for code in codes]
    for code, move in zip(codes, moves, strict=True):
        club.wait(minutes=5)
        club.order("Anna", code, 0, move)
    club.hand_in("Anna", codes[0], 0, "A1 waagrecht QQQ X")
    assert kinds(club) == [("anna", "backlog"), ("bert", "backlog")]
    anna, bert = text(club.mail("anna")), text(club.mail("bert"))
    assert anna.startswith("Deine 3 Mails habe ich erst jetzt gelesen.")
    assert anna.count("November, Arratia: ✓ ") == 2
    assert anna.rindex("November, Arratia: ✓ ") < anna.rindex("November, Arratia: ")
    for code, move in zip(codes, moves, strict=True):
        assert f"Anna plays {move.split()[2]}" in bert
        assert f"write {code} and your move" in bert
    assert deferred_news(club) == 0


def test_one_thing_to_tell_is_the_ordinary_mail(club: Club, codes: list[str]) -> None:
    move = club.moves(codes[0], 0)[0]
    club.order("Anna", codes[0], 0, move)
    for _ in range(2):
        club.write("stranger@else.example", "Hallo")
    club.tick()
    assert [kind for kind in kinds(club) if kind[0] in ("anna", "bert")] == [("anna", "turn"), ("bert", "turn")]
    assert club.mail("anna")["In-Reply-To"] == "<test-1@home.example>"
    assert translate_move(move.split(" (")[0], "en", "topwords") in text(club.mail("bert"))


def test_what_is_asked_for_often_is_answered_once_as_things_stand(club: Club, codes: list[str]) -> None:
    for _ in range(3):
        club.order("Anna", codes[0], 0, "HILFE")
        club.order("Anna", codes[0], 0, "Brett")
    club.order("Anna", codes[0], 0, "Verlauf")
    club.hand_in("Anna", codes[0], 0, club.moves(codes[0], 0)[0])
    mine = [kind for who, kind in kinds(club) if who == "anna"]
    assert sorted(mine) == ["help", "history", "turn"]
    assert club.moves(codes[0], 1)


def test_an_ask_alone_is_answered_by_its_own_mail_and_a_wrong_one_is_explained(club: Club, codes: list[str]) -> None:
    for _ in range(4):
        club.order("Anna", codes[0], 0, "Brett")
    club.tick()
    assert kinds(club) == [("anna", "board")]
    club.mails()
    for _ in range(3):
        club.order("Anna", codes[0], 0, "Regeln Halma")
    club.tick()
    assert "Halma gibt es hier nicht" in text(club.mail("anna"))


def test_beginnings_ends_and_questions_stay_mails_of_their_own(club: Club, codes: list[str]) -> None:
    club.order("Anna", codes[0], 0, "passe")
    club.order("Bert", codes[0], 1, f"resign {codes[0]} YES")
    club.say("Bert", f"pass {codes[1]}")
    assert ("anna", "end") in kinds(club)
    assert ("bert", "end") in kinds(club)
    assert ("bert", "confirm") in kinds(club)


def test_a_few_mails_are_answered_as_ever(club: Club, codes: list[str]) -> None:
    club.order("Anna", codes[0], 0, "passe")
    club.hand_in("Anna", codes[1], 0, "passe")
    assert sorted(kinds(club)) == [("anna", "turn")] * 2 + [("bert", "turn")] * 2


def test_after_an_outage_few_mails_are_enough(club: Club, codes: list[str]) -> None:
    club.wait(days=5, away=True)
    club.hand_in("Anna", codes[0], 0, "passe")
    assert sorted(kinds(club)) == [("anna", "backlog"), ("bert", "turn"), ("boss", "notice")]
    anna = text(club.mail("anna"))
    assert anna.startswith("Ich war 5 Tage nicht erreichbar. Verloren ist nichts: Alle Fristen sind verlängert.")
    assert "November, Arratia: ✓ " in anna
    assert "kam keine Mail von dir" not in anna


def test_after_an_outage_without_mail_nobody_is_told_of_mail(club: Club, codes: list[str]) -> None:
    club.wait(days=5, away=True)
    club.tick()
    anna = club.mail("anna")
    assert anna["Subject"].startswith("Ich war 5 Tage weg; deine Fristen sind verlängert")
    assert "In dieser Zeit kam keine Mail von dir an." in text(anna)
    assert "gelesen" not in text(anna)


def test_one_line_asks_for_all_boards(club: Club, codes: list[str]) -> None:
    club.wait(days=5, away=True)
    club.tick()
    line = f"{codes[0]} STAND; {codes[1]} STAND"
    assert f"»{line}«" in text(club.mail("anna"))
    club.say("Anna", line, Authentication_Results=VOUCHED)
    assert kinds(club)[-2:] == [("anna", "status")] * 2


def test_what_a_run_that_died_has_kept_is_told_by_the_next_one(
    club: Club, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "HILFE")
    with monkeypatch.context() as dying:

        def dies(*_: object) -> None:
            raise KeyboardInterrupt

        dying.setattr(backlog, "notify_after_backlog", dies)
        with pytest.raises(KeyboardInterrupt):
            club.tick()
    assert deferred_news(club) == 5
    assert kinds(club) == []
    assert due_work.check_idle(club.config.database, club.now, club.config.guard.settling_time, club.now).due
    club.order("Bert", codes[0], 1, "pass")  # the next run has one mail only, and still catches up
    club.tick()
    assert sorted(kinds(club)) == [("anna", "backlog"), ("anna", "help"), ("bert", "backlog")]
    assert deferred_news(club) == 0


def test_a_mail_that_cannot_be_made_keeps_nobody_else_waiting(
    club: Club, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "HILFE")
    real = backlog.notify_after_backlog
    monkeypatch.setattr(
        backlog, "notify_after_backlog", lambda work, number: 1 // 0 if number == 1 else real(work, number)
    )
    (trouble,) = club.tick().troubles
    assert "ZeroDivisionError" in trouble
    assert kinds(club) == [("bert", "backlog")]
    monkeypatch.undo()
    club.tick()
    assert {kind for who, kind in kinds(club) if who == "anna"} == {"backlog", "help"}


def test_what_was_undone_meanwhile_is_not_told_as_a_move(club: Club, codes: list[str]) -> None:
    move = club.moves(codes[0], 0)[0]
    club.order("Anna", codes[0], 0, move)
    club.order("Anna", codes[0], 0, "Zug zurück")
    club.hand_in("Bert", codes[0], 1, "agree")
    assert club.live(codes[0]).table.state.to_move == (0,)
    bert = text(club.mails("bert")[-1])
    assert "Anna plays" not in bert
    assert [kind for who, kind in kinds(club) if who == "anna"] == ["backlog"]


def test_a_turn_begins_with_the_one_mail(club: Club, codes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "HILFE")
    monkeypatch.setattr(backlog, "notify_after_backlog", lambda work, number: False)
    club.tick()
    monkeypatch.undo()

    def begun() -> object:
        match = club.row(codes[0])
        with club.work() as work:
            return Match.load(work, match).find_delivery_time(work.list_players(match)[1])

    assert begun() is None
    club.let_pass(days=2)
    assert begun() == club.now


def test_watchers_and_letters_are_in_it(club: Club, codes: list[str]) -> None:
    club.say("Cici", f"Zuschauen {codes[0]}", Authentication_Results=VOUCHED)
    club.mails()
    club.order("Anna", codes[0], 0, "passe\nPresse an alle:\nBis bald!\nEnde")
    club.order("Bert", codes[0], 1, "pass\npress now to all:\nSee you!\nend")
    club.hand_in("Anna", codes[0], 0, "Presse an Spielleiter:\nHallo Chef\nEnde")
    cici = club.mail("cici")
    assert "Bis bald!" in text(cici)
    assert "See you!" in text(cici)
    assert "Bis bald!" in text(club.mail("bert"))
    assert "See you!" in text(club.mail("anna"))
    assert "Hallo Chef" in text(club.mail("boss"))


def test_the_moderator_gets_one_notice_of_many(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(pipeline, "find_writer", fails)
    count = backlog.MOST_NOTICES + 10
    for number in range(count):
        club.write("Anna", f"Mail {number}")
    assert len(club.tick().quarantined) == count
    notice = text(club.mail("boss"))
    assert notice.count("moderator quarantine show") == backlog.MOST_NOTICES
    assert "noch 10 Meldungen" in notice


@pytest.mark.slow
def test_many_mails_of_one_player_are_counted(club: Club, codes: list[str]) -> None:
    for number in range(130):
        club.order("Anna", codes[0], 0, f"Hallo zum {number}. Mal")
    club.tick()
    anna = text(club.mail("anna"))
    assert "30 weitere Mails" in anna
    assert anna.count("November, Arratia: ") == 100


@pytest.mark.slow
def test_above_the_daily_cap_there_is_no_mail_without_news(club: Club, codes: list[str]) -> None:
    cap = 6
    object.__setattr__(club.config.mail, "replies_per_day", cap)
    for number in range(cap + 5):
        for _ in range(3):
            club.order("Anna", codes[0], 0, f"Hallo {number}")
        club.tick()
    assert len(club.mails("anna")) == cap
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.hand_in("Anna", codes[0], 0, "Hallo")
    assert len(club.mails("anna")) == 1


# ---- what is kept until then ----

LINE = LineOutcome(1, "E5 w HAUS", "move", "E5 w HAUS", 14)


@pytest.mark.parametrize("decided", outcomes.all_outcomes(("HAUSEN",)), ids=repr)
def test_a_receipt_comes_back_as_it_was_kept(decided: OrderDecision) -> None:
    said = MailPayload(receipt=Receipt(decided, (LINE,), {"quote": 2}))
    assert decode_payload(json.loads(json.dumps(encode_payload(said)))) == said


# ---- the line on a terminal ----


def run_tick(club: Club, terminal: bool) -> str:
    command = [sys.executable, "-m", "moderator", "--config", str(club.config.file), "tick"]
    if not terminal:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=ROOT, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    said = b""
    with suppress(OSError):  # the other end is closed
        while part := os.read(ours, 4096):
            said += part
    os.close(ours)
    assert process.wait() == 0
    return said.decode()


@pytest.mark.slow
def test_a_line_on_a_terminal_and_nothing_elsewhere_or_for_a_few(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    club.players("Anna")  # whose entry makes the club older than the mails

    def write(count: int) -> None:
        for number in range(count):
            club.write("stranger@else.example", f"Mail {number}", Auto_Submitted="auto-replied")

    write(120)
    said = run_tick(club, terminal=True)
    assert re.search(r"Mails 60/120 .*?\d+/s", said)
    assert "120/120" in said
    assert said.count("\n") == 1
    write(60)
    assert run_tick(club, terminal=False) == ""
    write(1)
    assert run_tick(club, terminal=True) == ""


# ---- a week's mail ----


def measured(club: Club) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.backlog.week", str(club.config.file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def check(week: Week, count: int) -> None:
    """Everything was handled in its order, every order counted once, and nobody was mailed more than he asked for."""
    with week.club.work() as work:
        session = work.session
        assert len(session.exec(select(InboxRow.id).where(InboxRow.state != "received")).all()) == count
        query = select(InboxRow.received_at).join(EventRow, EventRow.inbox_id == InboxRow.id).order_by(EventRow.id)
        arrivals = session.exec(query).all()
        assert arrivals == sorted(arrivals)
        for code, orders in week.orders.items():
            number = session.exec(select(MatchRow.id).where(MatchRow.code == code)).one()
            query = (
                select(EventRow.text)
                .where(EventRow.match_id == number, col(EventRow.kind).not_in(("tried", "clock")))
                .order_by(EventRow.n)
            )
            log = session.exec(query).all()
            assert log == [text for _, text in orders]
        assert session.exec(select(DeferredNews)).all() == []
        told = session.exec(select(OutboxRow.recipient).where(OutboxRow.kind == "backlog")).all()
        assert len(told) == len(set(told))
        assert not session.exec(select(OutboxRow.id).where(col(OutboxRow.kind).in_(("turn", "receipt")))).all()


def a_week(folder: Path, matches: int, orders: int, board: str, begun_before: timedelta | None = None) -> Week:
    club = make_club(folder)
    began, club.now = club.now, BEGINNING - timedelta(days=1)
    club.players("Zoe")  # whose entry makes the club older than the mails
    club.now = began if begun_before is None else datetime.now(UTC) - begun_before
    week = dealt(club, matches, orders, board)
    club.now = datetime.now(UTC)
    club.tick()
    return week


@pytest.mark.machine_clock
@pytest.mark.servers
@pytest.mark.slow
def test_in_the_order_of_arrival_over_imap(tmp_path: Path, new_box: Any) -> None:
    # All mails come now, at whatever hour that is: no turn may be over by then.
    week = a_week(tmp_path, 2, 10, "text", timedelta(days=1))
    box = new_box()
    file = week.club.config.file
    text = file.read_text().replace('transport = "maildir"', 'transport = "imap"')
    server = f'host = "{box.dovecot.host}"\nsecurity = "plain"\n'
    text += f'[imap]\n{server}port = {box.dovecot.imap_port}\nuser = "{box.user}"\npassword = "{PASSWORD}"\n'
    text += f"[smtp]\n{server}port = 9\ntimeout = 5\n"
    file.write_text(text)
    week.club.config = load_config(file)
    box.deliver(*mails(week, 150))
    week.club.tick()
    check(week, 150)


@pytest.mark.machine_clock
@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "matches"),
    [(1_000, 15), pytest.param(10_000, 50, marks=pytest.mark.matrix("ten thousand mails", seconds=60))],
)
def test_thousands_of_mails_are_read_in_order_in_little_memory(tmp_path: Path, count: int, matches: int) -> None:
    week = a_week(tmp_path, matches, 30, "png")
    into_maildir(week, count)
    found = measured(week.club)
    assert found["handled"] == count
    assert found["troubles"] == []
    assert found["mebibytes"] <= MOST_MEBIBYTES
    check(week, count)
