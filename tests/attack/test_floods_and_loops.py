"""Many mails, of one address or of many forged ones: few are answered."""

import email
import email.policy
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.inbox.newcomers import MOST_A_DAY
from moderator.inbox.pipeline import QUESTIONS
from moderator.mail.maildir import deliver_to_maildir
from moderator.service.create import add_player
from moderator.settings import load_config
from moderator.store.tables import InboxRow, OutboxRow
from tests.attack.post import MARKS, Still, started, ticked, to_move
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
    code = started(club)
    for name in ("anna", "bert", "cici"):
        told = flood(club, 3 * QUESTIONS, f"{name}@home.example", "passe {0}")
        assert told == {f"{name}@home.example": QUESTIONS}
    told = flood(club, MANY, "boss@club.example", "Fehlende {0}")
    assert told["boss@club.example"] <= club.config.mail.replies_per_day
    assert set(told) <= {"boss@club.example"}
    club.order("Anna", code, 0, "passe")
    ticked(club)
    assert to_move(club, code) == (1,)
    assert len(club.mails("anna")) == 1, "she still gets her answers"
    club.wait(days=1, minutes=1)
    assert flood(club, 1, "anna@home.example", "passe")["anna@home.example"] == 1


ROUNDS = 200
CAP = 6
"""Answers to one address in a day, in these clubs."""
Post = Callable[[bytes], bytes]


TAKEN = b"auto-submitted precedence list-unsubscribe x-auto-response-suppress in-reply-to references".split()


def unmarked(data: bytes) -> bytes:
    """Without a word that a machine wrote it."""
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.replace(b"\r\n ", b" ").split(b"\r\n")
    return b"\r\n".join(line for line in lines if line.split(b":")[0].lower() not in TAKEN) + b"\r\n\r\n" + body


def stripped(data: bytes) -> bytes:
    """What the worst of forwarders leaves: that, with a new Message-ID."""
    return unmarked(data).replace(b"\r\nMessage-ID: <", b"\r\nMessage-ID: <fw.", 1)


def club_at(folder: Path, name: str, other: str) -> Club:
    """A club at ``name`` that has the other's mailbox as a player, who sits in a match."""
    made = make_club(folder, f"replies_per_day = {CAP}")
    file = made.config.file
    file.write_text(file.read_text().replace("club.example", f"{name}.example"))
    club = Club(folder, load_config(file))
    with club.work() as work:
        add_player(work.session, "Anna", f"anna@{name}.example", club.now)
        add_player(work.session, "Fremder", f"games@{other}.example", club.now)
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
                file = deliver_to_maildir(there.config.resolve_path(there.config.maildir.inbox), data)
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
        assert set(club.stored(select(InboxRow.state))) == {"machine"}


@pytest.mark.parametrize("rounds", [6, pytest.param(ROUNDS, marks=pytest.mark.slow)])
def test_even_where_all_marks_of_a_machine_are_taken_away(clubs: tuple[Club, Club], rounds: int) -> None:
    """Then each answers the other until the cap of the day; it ends there."""
    assert 2 < exchange(*clubs, stripped, rounds) <= 2 * (CAP + 2)


REPORTS = [
    f"multipart/report; report-type={kind}; boundary=x" for kind in ("disposition-notification", "delivery-status")
]


@pytest.mark.parametrize(("name", "value"), [*MARKS.items(), *(("Content-Type", report) for report in REPORTS)])
def test_a_machine_gets_no_answer_and_does_nothing(still: Still, name: str, value: str) -> None:
    """Where the token is right it waits for the moderator, but for what never holds an order."""
    found = still.tried("passe", "From: anna@home.example", f"{name}: {value}", to=still.seat(0))
    assert (found.state, found.moved, found.to) == ("machine" if value in REPORTS else "waiting", False, [])
    found = still.tried("passe", "From: anna@home.example", f"{name}: {value}")
    assert (found.state, found.moved, found.to) == ("machine", False, [])


def test_our_own_mail_that_comes_back_is_not_read(club: Club) -> None:
    """A player's mailbox sends all on to where it came from; the mail carries the seat's token."""
    code = club.start("Anna", "Bert")
    for mail in club.mails():
        ours = mail.as_bytes(policy=email.policy.SMTP)
        for data in (ours, stripped(ours), unmarked(ours).replace(b"Anna", b"Anne")):
            deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), data)
    assert not club.tick().quarantined
    assert to_move(club, code) == (0,)
    with club.work() as work:
        assert "a mail of ours that came back" in list(work.session.exec(select(InboxRow.note)))
        assert len(work.session.exec(select(OutboxRow).where(OutboxRow.inbox_id.is_not(None))).all()) <= 2
