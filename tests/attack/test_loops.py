"""Two clubs that are players at each other, autoresponders, lists and forwarders: nothing goes round for ever."""

from __future__ import annotations

import email
import email.policy
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.config import load
from moderator.mail.maildir import deliver
from moderator.play.create import add_player
from moderator.store.models import Inbox, Outbox
from tests.attack.post import Still, started, ticked
from tests.club.club import Club, make_club, plain_boards

ROUNDS = 200
CAP = 6
"""Answers to one address in a day, in these clubs."""
Post = Callable[[bytes], bytes]


def as_it_is(data: bytes) -> bytes:
    return data


MARKS = (
    b"auto-submitted",
    b"precedence",
    b"list-unsubscribe",
    b"x-auto-response-suppress",
    b"in-reply-to",
    b"references",
)


def unmarked(data: bytes) -> bytes:
    """Without a word that a machine wrote it."""
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.replace(b"\r\n ", b" ").split(b"\r\n")
    return b"\r\n".join(line for line in lines if line.split(b":")[0].lower() not in MARKS) + b"\r\n\r\n" + body


def stripped(data: bytes) -> bytes:
    """What the worst of forwarders leaves: that, with a new Message-ID."""
    return unmarked(data).replace(b"\r\nMessage-ID: <", b"\r\nMessage-ID: <fw.", 1)


def a_club(folder: Path, name: str, other: str) -> Club:
    """A club at ``name`` that has the other's mailbox as a player, who sits in a match."""
    made = make_club(folder, f"replies_per_day = {CAP}")
    file = made.config.file
    file.write_text(file.read_text().replace("club.example", f"{name}.example"))
    club = Club(folder, load(file))
    with club.desk() as desk:
        add_player(desk.session, "Anna", f"anna@{name}.example", club.now)
        add_player(desk.session, "Fremder", f"games@{other}.example", club.now)
    plain_boards(club)
    club.match("Anna", "Fremder")
    return club


def exchange(one: Club, two: Club, post: Post, rounds: int) -> int:
    """Both run, and each mail goes where it is addressed to; how many passed between them."""
    count = 0
    for number in range(rounds):
        for here, there in ((one, two), (two, one)):
            assert not here.tick().quarantined
            for mail in here.mails(f"games@{there.config.mail.address.partition('@')[2]}"):
                count += 1
                file = deliver(
                    there.config.path(there.config.maildir.inbox), post(mail.as_bytes(policy=email.policy.SMTP))
                )
                os.utime(file, (there.now.timestamp(), there.now.timestamp()))
            here.wait(minutes=1 + number % 2)
    return count


def test_two_clubs_that_are_players_at_each_other(tmp_path: Path) -> None:
    one, two = a_club(tmp_path / "one", "one", "two"), a_club(tmp_path / "two", "two", "one")
    assert exchange(one, two, as_it_is, 4) == 2  # the first mail of each match
    for club in (one, two):
        with club.desk() as desk:
            assert set(desk.session.exec(select(Inbox.state))) == {"machine"}


@pytest.mark.parametrize("rounds", [6, pytest.param(ROUNDS, marks=pytest.mark.matrix("attack"))])
def test_even_where_all_marks_of_a_machine_are_taken_away(tmp_path: Path, rounds: int) -> None:
    """Then each answers the other until the cap of the day; it ends there."""
    one, two = a_club(tmp_path / "one", "one", "two"), a_club(tmp_path / "two", "two", "one")
    assert 2 < exchange(one, two, stripped, rounds) <= 2 * (CAP + 2)


AWAY = {
    "rfc 3834": ["Auto-Submitted: auto-replied"],
    "by subject": ["Subject: Abwesenheitsnotiz: Re: dein Zug"],
    "English": ["Subject: Automatic reply: your move"],
    "old": ["X-Autoreply: yes"],
    "bulk": ["Precedence: bulk"],
    "junk": ["Precedence: junk"],
    "outlook": ["X-Auto-Response-Suppress: All"],
    "null sender": ["Return-Path: <>"],
    "a list": ["List-Id: <spielerrunde.example>"],
    "a list that unsubscribes": ["List-Unsubscribe: <mailto:x@y.example>"],
    "a receipt": ["Content-Type: multipart/report; report-type=disposition-notification; boundary=x"],
    "a bounce": ["Content-Type: multipart/report; report-type=delivery-status; boundary=x"],
}


@pytest.mark.parametrize("kind", AWAY)
def test_a_machine_gets_no_answer_and_does_nothing(still: Still, kind: str) -> None:
    """Where the token is right it waits for the moderator, but for what never holds an order."""
    found = still.tried("passe", "From: anna@home.example", *AWAY[kind], to=still.seat(0))
    state = "machine" if kind in ("a receipt", "a bounce") else "waiting"
    assert (found.state, found.moved, found.to) == (state, False, [])
    found = still.tried("passe", "From: anna@home.example", *AWAY[kind])
    assert (found.state, found.moved, found.to) == ("machine", False, [])


@pytest.mark.parametrize("sender", ["mailer-daemon", "postmaster", "no-reply", "noreply+x", "bounces", "liste-request"])
def test_nor_do_the_senders_of_machines(still: Still, sender: str) -> None:
    found = still.tried("Mitspielen", f"From: {sender}@far.example")
    assert (found.state, found.to) == ("machine", [])


@pytest.mark.matrix("attack")
def test_an_autoresponder_that_hides_is_capped(tmp_path: Path) -> None:
    """It answers each of our answers within a minute, and says nothing of being a machine."""
    club = make_club(tmp_path, f"replies_per_day = {CAP}")
    club.players("Anna", "Bert")
    plain_boards(club)
    code = started(club)
    club.order("Anna", code, 0, "Ich bin im Urlaub und melde mich")
    answered = 0
    for _ in range(2 * CAP):
        ticked(club)
        mails = club.mails("anna")
        answered += len(mails)
        for mail in mails:
            club.write("Anna", f"Ich bin im Urlaub und melde mich {answered}", to=str(mail["Reply-To"]))
        club.wait(minutes=1)
    assert answered == CAP


def test_our_own_mail_that_comes_back_is_not_read(club: Club) -> None:
    """A player's mailbox sends all on to where it came from; the mail carries the seat's token."""
    code = club.match("Anna", "Bert")
    club.tick()
    for mail in club.mails():
        ours = mail.as_bytes(policy=email.policy.SMTP)
        for data in (ours, stripped(ours), unmarked(ours).replace(b"Anna", b"Anne")):
            deliver(club.config.path(club.config.maildir.inbox), data)
    assert not club.tick().quarantined
    assert club.live(code).table.state.to_move == (0,)
    with club.desk() as desk:
        notes = list(desk.session.exec(select(Inbox.note)))
        assert "a mail of ours that came back" in notes
        assert len(desk.session.exec(select(Outbox).where(Outbox.inbox_id.is_not(None))).all()) <= 2  # type: ignore[union-attr]


def test_a_bounce_of_a_bounce_bounces_nothing(still: Still) -> None:
    head = ("From: mailer-daemon@far.example", "Return-Path: <>", "Subject: Undelivered Mail Returned to Sender")
    assert still.tried("550 5.1.1 User unknown: games@club.example", *head).to == []
