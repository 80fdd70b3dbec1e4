"""Mails that come back: who is marked, whose clock stands, and how it goes on."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from click.testing import CliRunner
from sqlmodel import select

from moderator.cli.run import cli
from moderator.mail.maildir import deliver
from moderator.store.models import Event, Player
from tests.club.club import Club, plain_boards, text

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"


def report(club: Club, mail: EmailMessage | None, status: str, *, action: str = "failed", whom: str = "anna") -> None:
    """A delivery report (RFC 3464) about a mail of ours, or about an address alone."""
    address = f"{whom}@home.example"
    to = str(mail["Return-Path"]).strip("<>") if mail else "games@club.example"
    original = f"Message-ID: {mail['Message-ID']}\n" if mail else "Subject: x\n"
    raw = (
        f"Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nTo: {to}\nSubject: Undelivered\n"
        f"Message-ID: <{status}.{action}.{club.sent}@mx.example>\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n"
        f"Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; {address}\nAction: {action}\nStatus: {status}\n\n"
        f"--b\nContent-Type: text/rfc822-headers\n\n{original}\n--b--\n"
    )
    club.sent += 1
    deliver(club.config.path(club.config.maildir.inbox), raw.encode())
    assert not club.tick().quarantined


def player(club: Club, name: str = "Anna") -> Player:
    with club.desk() as desk:
        return desk.session.exec(select(Player).where(Player.name == name)).one()


@pytest.fixture
def code(club: Club) -> str:
    plain_boards(club)
    found = club.match("Anna", "Bert")
    club.tick()
    return found


def test_the_clock_stands_and_the_moderator_is_told_once(club: Club, code: str) -> None:
    mail = club.mail("anna")
    report(club, mail, "5.1.1")
    assert player(club).undeliverable == "5.1.1"
    assert club.row(code).stopped == "mail"
    told = text(club.mail("boss"))
    assert "anna@home.example" in told
    assert "»moderator player set Anna --address …«" in told
    assert "»moderator player reachable Anna«" in told
    assert code in told
    report(club, mail, "5.1.1")
    assert club.mails("boss") == []
    with club.desk() as desk:
        clocks = desk.session.exec(select(Event).where(Event.kind == "clock")).all()
        assert [event.text for event in clocks] == ["mail"]
    club.wait(days=30)
    club.tick()
    assert club.live(code).table.state.to_move == (0,)


@pytest.mark.parametrize(("status", "action"), [("4.4.1", "delayed"), ("4.2.2", "failed"), ("2.0.0", "delivered")])
def test_what_is_not_for_good_marks_nobody(club: Club, code: str, status: str, action: str) -> None:
    report(club, club.mail("anna"), status, action=action)
    assert player(club).undeliverable == ""
    assert club.row(code).stopped == ""
    assert club.mails("boss") == []


def test_notes_of_absence_mark_nobody(club: Club, code: str) -> None:
    mail = club.mail("anna")
    headers = {"In_Reply_To": str(mail["Message-ID"]), "Auto_Submitted": "auto-replied"}
    club.order("Anna", code, 0, "Ich bin weg. Mails an anna@home.example werden nicht gelesen.", **headers)
    club.write("Anna", "Back on Monday", subject="Out of office", Return_Path="<>")
    club.tick()
    assert player(club).undeliverable == ""
    assert club.row(code).stopped == ""
    assert club.mails("anna") == club.mails("boss") == []


def test_an_address_alone_is_not_enough(club: Club, code: str) -> None:
    report(club, None, "5.1.1")
    assert not player(club).undeliverable
    assert club.row(code).stopped == ""


def test_a_stranger_in_a_report_marks_nobody(club: Club, code: str) -> None:
    report(club, None, "5.1.1", whom="zoe")
    assert not any(player(club, name).undeliverable for name in ("Anna", "Bert", "Cici"))


def test_whose_turn_it_is_not_stops_nothing_yet(club: Club, code: str) -> None:
    report(club, club.mail("bert"), "5.1.1", whom="bert")
    assert club.row(code).stopped == ""
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert club.row(code).stopped == "mail"


def test_all_matches_that_wait_stop(club: Club, code: str) -> None:
    other, third = club.match("Anna", "Cici"), club.match("Cici", "Anna")
    club.tick()
    report(club, club.mails("anna")[0], "5.1.1")
    assert [club.row(one).stopped for one in (code, other, third)] == ["mail", "mail", ""]


def test_a_mail_from_there_starts_the_clock(club: Club, code: str) -> None:
    report(club, club.mail("anna"), "5.2.2")
    club.wait(days=10)
    club.mails()
    club.write("Anna", "Stand", Authentication_Results=VOUCHED)
    club.tick()
    assert player(club).undeliverable == ""
    row = club.row(code)
    assert row.stopped == ""
    assert row.deadline is not None
    assert (row.deadline - club.now).days in (6, 7)


def test_somebody_else_with_the_token_does_not(club: Club, code: str) -> None:
    report(club, club.mail("anna"), "5.2.2")
    club.order("anna@office.example", code, 0, "Stand")
    club.tick()
    assert player(club).undeliverable


@pytest.mark.parametrize("command", [["reachable", "Anna"], ["set", "Anna", "--address", "anna@new.example"]])
def test_the_moderator_starts_it(club: Club, code: str, command: list[str]) -> None:
    report(club, club.mail("anna"), "5.1.1")
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "player", *command])
    assert done.exit_code == 0, done.output
    assert player(club).undeliverable == ""
    assert club.row(code).stopped == ""
    again = CliRunner().invoke(cli, ["--config", str(club.config.file), "player", "reachable", "Anna"])
    assert again.exit_code != 0


def test_a_refusal_at_once_counts_the_same(club: Club, code: str) -> None:
    from moderator.inbox.handle import undeliverable
    from moderator.store.models import Outbox

    with club.desk() as desk:
        dead = desk.session.exec(select(Outbox).where(Outbox.recipient == "anna@home.example")).first()
        assert dead is not None
        dead.answer = "550 no such user"
        undeliverable(desk, dead)
    assert club.row(code).stopped == "mail"
    assert player(club).undeliverable == "550 no such user"
