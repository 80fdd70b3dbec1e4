"""One mail a day: what is in it, when it comes, what it does to the clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from moderator.outbox import digest
from moderator.pages.notation import in_words
from moderator.store.models import Outbox, Player
from tests.club.club import Club, plain_boards, text

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
SEVEN = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)
"""Seven in the morning in Berlin, on the day after the club's first."""


def wants_digest(club: Club, name: str, on: bool = True) -> None:
    plain_boards(club)
    with club.desk() as desk:
        player = desk.session.exec(select(Player).where(Player.name == name)).one()
        digest.switch(desk, player, on)


def player(club: Club, name: str) -> Player:
    with club.desk() as desk:
        return desk.session.exec(select(Player).where(Player.name == name)).one()


def until(club: Club, moment: datetime) -> None:
    club.wait(seconds=(moment - club.now).total_seconds())


def test_turns_wait_for_the_morning(club: Club) -> None:
    wants_digest(club, "Bert")
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Bert")
    club.tick()
    assert len(club.mails("bert")) == 2
    for code in (one, two):
        club.order("Anna", code, 0, "passe")
    club.tick()
    assert club.mails("bert") == []
    until(club, SEVEN - timedelta(minutes=1))
    club.tick()
    assert club.mails("bert") == []
    until(club, SEVEN)
    club.tick()
    mail = club.mail("bert")
    said = text(mail)
    assert one in said
    assert two in said
    assert str(mail["Reply-To"]) == "games@club.example"
    for code in (one, two):
        assert f"games+{code}-{club.token(code, 1)}@club.example" in said
    club.tick()
    assert club.mails("bert") == []
    assert player(club, "Bert").digest_at == SEVEN + timedelta(days=1)


def test_receipts_start_and_end_come_at_once(club: Club) -> None:
    wants_digest(club, "Bert")
    code = club.match("Anna", "Bert")
    club.tick()
    assert len(club.mails("bert")) == 1
    club.order("Anna", code, 0, "passe")
    club.tick()
    club.mails()
    club.order("Bert", code, 1, "passe")
    club.tick()
    assert len(club.mails("bert")) == 1
    club.order("Anna", code, 0, f"Aufgeben {code}")
    club.tick()
    assert "is over" in str(club.mail("bert")["Subject"])


def test_it_tells_what_was_played(club: Club) -> None:
    wants_digest(club, "Bert")
    code = club.match("Anna", "Bert")
    club.tick()
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, move)
    club.tick()
    club.mails()
    until(club, SEVEN)
    club.tick()
    assert in_words(move.split(" (")[0], "en", "topwords") in text(club.mail("bert")).partition("The board")[0]


def test_nothing_to_say_no_mail(club: Club) -> None:
    wants_digest(club, "Cici")
    club.match("Anna", "Bert")
    club.tick()
    club.mails()
    until(club, SEVEN)
    club.tick()
    assert club.mails("cici") == []
    assert player(club, "Cici").digest_at == SEVEN + timedelta(days=1)


def test_what_others_did_is_a_line(club: Club) -> None:
    wants_digest(club, "Cici")
    code = club.match("Anna", "Bert", "Cici")
    club.tick()
    club.mails()
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, move)
    club.tick()
    club.mails()
    until(club, SEVEN)
    club.tick()
    mail = club.mail("cici")
    assert code in text(mail)
    assert move.split(" (")[0] in text(mail)
    assert "Bert" in text(mail)
    assert "geschehen" in str(mail["Subject"])
    until(club, SEVEN + timedelta(days=1))
    club.tick()
    assert club.mails("cici") == []


def test_switched_off_it_comes_a_last_time(club: Club) -> None:
    """Else Bert would wait for a board that no mail has brought."""
    wants_digest(club, "Bert")
    code = club.match("Anna", "Bert")
    club.tick()
    club.order("Anna", code, 0, "passe")
    club.tick()
    club.mails()
    club.write("Bert", "digest off", Authentication_Results=VOUCHED)
    club.tick()
    last = club.mails("bert")
    assert [code in text(mail) for mail in last] == [True, True]
    assert player(club, "Bert").digest_at is None
    club.wait(minutes=11)
    club.order("Bert", code, 1, "pass")
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert len(club.mails("bert")) == 2


def test_no_reminders(club: Club) -> None:
    wants_digest(club, "Bert")
    code = club.match("Anna", "Bert")
    club.tick()
    club.order("Anna", code, 0, "passe")
    club.tick()
    for _ in range(6):
        club.wait(days=1)
        club.tick()
    with club.desk() as desk:
        kinds = desk.session.exec(select(Outbox.kind).where(Outbox.recipient == "bert@home.example")).all()
    assert "reminder" not in kinds
    assert "turn" not in kinds
    assert kinds.count("digest") == 6


@pytest.mark.parametrize(("wanted", "day"), [(False, 27), (True, 28)])
def test_the_turn_begins_with_the_digest(club: Club, wanted: bool, day: int) -> None:
    """Anna moves on Friday at noon: Bert's seven days run from Saturday's mail, so that his ZAT is a day later."""
    wants_digest(club, "Bert", wanted)
    code = club.match("Anna", "Bert")
    club.tick()
    club.wait(minutes=5)
    club.order("Anna", code, 0, "passe")
    club.tick()
    for days in range(7):
        until(club, SEVEN + timedelta(days=days))
        club.tick()
    until(club, datetime(2026, 11, day, 18, 59, tzinfo=UTC))
    club.tick()
    assert club.live(code).table.state.to_move == (1,)
    until(club, datetime(2026, 11, day, 20, 30, tzinfo=UTC))
    club.tick()
    assert club.live(code).table.state.to_move == (0,)


def test_nobody_is_late_before_the_digest(club: Club) -> None:
    """The machine stood still in the morning: no digest, no deadline."""
    wants_digest(club, "Bert")
    code = club.match("Anna", "Bert", terms={"days": 1})
    club.tick()
    club.wait(minutes=5)
    club.order("Anna", code, 0, "passe")
    club.tick()
    with club.desk() as desk:
        bert = desk.session.exec(select(Player).where(Player.name == "Bert")).one()
        bert.digest_at = club.now + timedelta(days=30)
        desk.session.add(bert)
    for _ in range(4):
        club.wait(days=1)
        club.tick()
    assert club.live(code).table.state.to_move == (1,)


def test_several_matches_in_one_answer(club: Club) -> None:
    wants_digest(club, "Bert")
    codes = [club.match("Anna", "Bert") for _ in range(2)]
    club.tick()
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.tick()
    until(club, SEVEN)
    club.tick()
    mail = [m for m in club.mails("bert") if str(m["Reply-To"]) == "games@club.example"][-1]
    part = mail.get_body(("html",))
    assert part is not None
    found = re.search(r'href="mailto:games@club\.example\?subject=[^&]*&amp;body=([^"]+)"', part.get_content())
    assert found
    from urllib.parse import unquote

    body = unquote(found[1])
    for code in codes:
        assert re.search(rf"^(?:Partie|Match) {code}:\r?$", body, re.MULTILINE)
        body = re.sub(rf"((?:Partie|Match) {code}:)", r"\1\npasse", body)
    club.write("Bert", body, Authentication_Results=VOUCHED, In_Reply_To=str(mail["Message-ID"]))
    club.tick()
    assert [club.live(code).table.state.to_move for code in codes] == [(0,), (0,)]


def test_several_boards_in_one_mail(club: Club) -> None:
    wants_digest(club, "Bert")
    with club.desk() as desk:
        bert = desk.session.exec(select(Player).where(Player.name == "Bert")).one()
        bert.board = "png"
        desk.session.add(bert)
    codes = [club.match("Anna", "Bert") for _ in range(2)]
    club.tick()
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.tick()
    until(club, SEVEN)
    club.tick()
    mail = club.mails("bert")[-1]
    ids = [str(part["Content-ID"]).strip("<>") for part in mail.walk() if part.get_content_type() == "image/png"]
    assert len(set(ids)) == 2
    html = mail.get_body(("html",))
    assert html is not None
    for cid in ids:
        assert f'src="cid:{cid}"' in html.get_content()
    assert "@@" not in html.get_content()


@pytest.mark.parametrize(
    ("zone", "hour"), [("Europe/Berlin", 6), ("UTC", 7), ("America/New_York", 12), ("Asia/Kolkata", 1)]
)
def test_the_hour_is_the_readers(club: Club, zone: str, hour: int) -> None:
    with club.desk() as desk:
        bert = desk.session.exec(select(Player).where(Player.name == "Bert")).one()
        bert.zone = zone
        moment = digest.next_hour(desk, bert)
    assert moment > club.now
    assert moment - club.now <= timedelta(days=1)
    assert moment.hour == hour


def test_an_undeliverable_player_gets_none(club: Club) -> None:
    wants_digest(club, "Bert")
    code = club.match("Bert", "Anna")
    club.tick()
    with club.desk() as desk:
        bert = desk.session.exec(select(Player).where(Player.name == "Bert")).one()
        bert.undeliverable = "5.1.1"
        desk.session.add(bert)
    club.mails()
    until(club, SEVEN)
    club.tick()
    assert club.mails("bert") == []
    assert player(club, "Bert").digest_at == SEVEN + timedelta(days=1)
    assert club.row(code).status == "running"
