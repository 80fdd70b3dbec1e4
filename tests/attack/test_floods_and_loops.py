"""Many mails, of one address or of many forged ones: few are answered (every day: tests/club/test_flood.py)."""

from __future__ import annotations

import email
import email.policy
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import func, select

from moderator.config import load
from moderator.inbox.handle import QUESTIONS
from moderator.inbox.signup import MOST_A_DAY
from moderator.mail.maildir import deliver
from moderator.play.create import add_player
from moderator.store.models import Inbox, Outbox
from tests.attack.post import VOUCHED, Still, raw, seat_address, started, ticked, to_move
from tests.club.club import Club, make_club, plain_boards

MANY = 80


def flood(club: Club, count: int, sender: str, body: str, to: str = "games@club.example") -> Counter[str]:
    """So many mails in one run; whom the answers went to."""
    for number in range(count):
        club.write(sender.format(number), f"{body.format(number)}\n{number}", to=to)
    ticked(club)
    return Counter(str(mail["To"]).partition("<")[2].strip(">") for mail in club.mails())


def test_unknown_senders_get_nothing_at_all(club: Club) -> None:
    started(club)
    for body in ("Hallo {0}", "passe", "Hilfe", "Stand", "Presse an alle: hu", "HUGO ungültig", "Ja", ""):
        assert flood(club, 5, "x{0}@far.example", body) == {}


@pytest.mark.slow
def test_who_asks_to_join_is_bounded_in_all_and_once_each(club: Club) -> None:
    told = flood(club, MANY, "x{0}@far.example", "Mitspielen")
    assert (len(told), set(told.values())) == (MOST_A_DAY, {1}), "one answer each, the moderator's notice comes later"
    assert flood(club, 10, "y@far.example", "Mitspielen {0}") == {}


@pytest.mark.slow
def test_forged_players_are_asked_a_few_times_a_day_each(club: Club) -> None:
    """The most that somebody who forges all players can make the club send: so many questions to each of them. The
    moderator is answered up to his cap."""
    started(club)
    for name in ("anna", "bert", "cici"):
        told = flood(club, 3 * QUESTIONS, f"{name}@home.example", "passe {0}")
        assert told == {f"{name}@home.example": QUESTIONS}
    told = flood(club, MANY, "boss@club.example", "Fehlende {0}")
    assert told["boss@club.example"] <= club.config.mail.replies_per_day
    assert set(told) <= {"boss@club.example"}
    club.wait(days=1, minutes=1)
    assert flood(club, 1, "anna@home.example", "passe")["anna@home.example"] == 1


@pytest.mark.slow
def test_a_player_who_floods_is_answered_up_to_the_cap_and_the_others_play_on(club: Club) -> None:
    code = started(club)
    told = flood(club, MANY, "bert@home.example", "E5 w QUARK{0}", to=seat_address(club, code, 1))
    assert told["bert@home.example"] <= club.config.mail.replies_per_day + 1
    assert "anna@home.example" not in told
    club.order("Anna", code, 0, "passe")
    ticked(club)
    assert to_move(club, code) == (1,)
    assert len(club.mails("anna")) == 1


def test_huge_mails_are_not_kept_whole_and_answered_once(club: Club) -> None:
    code = started(club)
    body, vouched = "passe\r\n" + "x" * 3_000_000, "Authentication-Results: " + VOUCHED
    row = raw(club, body, "From: anna@home.example", vouched, to=seat_address(club, code, 0))
    assert (len(row.raw) < 100_000, row.size > 3_000_000) == (True, True)
    assert to_move(club, code) == (0,)
    assert len(club.mails("anna")) == 1
    assert raw(club, body, "From: x@far.example").state == "unknown"
    assert club.mails() == []


def test_the_same_mail_a_hundred_times_is_one_mail(club: Club) -> None:
    data = club.order("Anna", started(club), 0, "passe")
    for number in range(100):
        deliver(club.config.path(club.config.maildir.inbox), b"Received: from x%d\r\n" % number + data)
    ticked(club)
    with club.desk() as desk:
        assert desk.session.exec(select(func.count()).select_from(Inbox)).one() == 1
        assert desk.session.exec(select(func.count()).where(Outbox.inbox_id.is_not(None))).one() <= 2


ROUNDS = 200
CAP = 6
"""Answers to one address in a day, in these clubs."""
Post = Callable[[bytes], bytes]


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


def club_at(folder: Path, name: str, other: str) -> Club:
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
                data = post(mail.as_bytes(policy=email.policy.SMTP))
                file = deliver(there.config.path(there.config.maildir.inbox), data)
                os.utime(file, (there.now.timestamp(), there.now.timestamp()))
            here.wait(minutes=1 + number % 2)
    return count


@pytest.fixture
def clubs(tmp_path: Path) -> tuple[Club, Club]:
    """Each is a player at the other."""
    return club_at(tmp_path / "one", "one", "two"), club_at(tmp_path / "two", "two", "one")


def test_two_clubs_that_are_players_at_each_other(clubs: tuple[Club, Club]) -> None:
    assert exchange(*clubs, bytes, 4) == 2  # the first mail of each match
    for club in clubs:
        with club.desk() as desk:
            assert set(desk.session.exec(select(Inbox.state))) == {"machine"}


@pytest.mark.parametrize("rounds", [6, pytest.param(ROUNDS, marks=pytest.mark.slow)])
def test_even_where_all_marks_of_a_machine_are_taken_away(clubs: tuple[Club, Club], rounds: int) -> None:
    """Then each answers the other until the cap of the day; it ends there."""
    assert 2 < exchange(*clubs, stripped, rounds) <= 2 * (CAP + 2)


AWAY = {
    "rfc 3834": ["Auto-Submitted: auto-replied"],
    "by subject": ["Subject: Abwesenheitsnotiz: Re: dein Zug"],
    "English": ["Subject: Automatic reply: your move"],
    "old": ["X-Autoreply: yes"],
    "bulk": ["Precedence: bulk"],
    "junk": ["Precedence: junk"],
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


def test_nor_do_the_senders_of_machines(still: Still) -> None:
    for sender in ("mailer-daemon", "postmaster", "no-reply", "noreply+x", "bounces", "liste-request"):
        found = still.tried("Mitspielen", f"From: {sender}@far.example")
        assert (found.state, found.to) == ("machine", []), sender
    head = ("From: mailer-daemon@far.example", "Return-Path: <>", "Subject: Undelivered Mail Returned to Sender")
    assert still.tried("550 5.1.1 User unknown: games@club.example", *head).to == []


@pytest.mark.slow
def test_an_autoresponder_that_hides_is_capped(club: Club) -> None:
    """It answers each of our answers within a minute, and says nothing of being a machine."""
    object.__setattr__(club.config.mail, "replies_per_day", CAP)
    club.order("Anna", started(club), 0, "Ich bin im Urlaub und melde mich")
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
    assert to_move(club, code) == (0,)
    with club.desk() as desk:
        assert "a mail of ours that came back" in list(desk.session.exec(select(Inbox.note)))
        assert len(desk.session.exec(select(Outbox).where(Outbox.inbox_id.is_not(None))).all()) <= 2
