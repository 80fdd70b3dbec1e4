"""Delivery reports, true and forged: only one that proves itself stops a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import pytest
from sqlmodel import select

from moderator.mail.maildir import deliver
from moderator.run.watch import receive
from moderator.store.models import Inbox, Outbox, Player
from tests.attack.post import Still, as_bytes, started
from tests.club.club import Club

ANNA, BERT = "anna@home.example", "bert@home.example"
PLAIN = "games@club.example"
HEAD = ("Return-Path: <>", "From: MAILER-DAEMON@mx.far.example")


@dataclass(frozen=True)
class Mail:
    """What its recipient knows of a mail of ours."""

    message_id: str
    return_path: str


Shape = Callable[[list[str], str], tuple[list[str], str]]
"""(addresses that failed, Message-ID of the mail or "") -> (header lines, body)"""


def standard(failed: list[str], message_id: str, kind: str = "text/rfc822-headers") -> tuple[list[str], str]:
    """RFC 3464, as Postfix and most others write it."""
    blocks = "".join(f"Final-Recipient: rfc822; {one}\nAction: failed\nStatus: 5.1.1\n\n" for one in failed)
    original = f"Message-ID: {message_id}\nTo: {failed[0]}\n" if message_id else f"To: {failed[0]}\n"
    body = "--b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n"
    body += f"Reporting-MTA: dns; mx.far.example\n\n{blocks}--b\nContent-Type: {kind}\n\n{original}\n\n--b--\n"
    return ['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', "Subject: Undelivered"], body


def attached(failed: list[str], message_id: str) -> tuple[list[str], str]:
    """With the whole mail."""
    return standard(failed, message_id, "message/rfc822")


def qmail(failed: list[str], message_id: str) -> tuple[list[str], str]:
    lines = "".join(f"<{one}>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n" for one in failed)
    copy = "--- Below this line is a copy of the message.\n\n" + (f"Message-ID: {message_id}\n" if message_id else "")
    return ["Subject: failure notice"], f"Hi. This is the qmail-send program at far.example.\n\n{lines}{copy}"


def exim(failed: list[str], message_id: str) -> tuple[list[str], str]:
    lines = "".join(f"  {one}\n    550 5.1.1 user unknown\n" for one in failed)
    heads = ["Subject: Mail delivery failed: returning message to sender", "X-Failed-Recipients: " + ", ".join(failed)]
    body = (
        f"A message that you sent could not be delivered:\n\n{lines}\n------ This is a copy of the message ------\n\n"
    )
    return heads, body + (f"Message-ID: {message_id}\n" if message_id else "")


def threaded(failed: list[str], message_id: str) -> tuple[list[str], str]:
    """An answer that names the mail in its own header only."""
    lines = "".join(f"RCPT TO: {one}\n" for one in failed)
    heads = ["Subject: Re: Topwords", "From: post_master@far.example"]
    return heads + ([f"In-Reply-To: {message_id}"] if message_id else []), f"550 - no such user here\n\n{lines}"


SHAPES: tuple[Shape, ...] = (standard, attached, qmail, exim, threaded)


def send(still: Still, shape: Shape, failed: list[str], message_id: str, to: str, *more: str) -> tuple[str, str]:
    """(who is marked, state of the report): what a report would lead to."""
    heads, body = shape(failed, message_id)
    first = HEAD if not any(head.startswith("From:") for head in heads) else HEAD[:1]
    found = still.tried(body, *first, *heads, *more, to=to)
    marked = " ".join(player["name"] for player in found.players if player["undeliverable"])
    stopped = [match["stopped"] == "mail" for match in found.matches]
    assert stopped == ["Anna" in marked] * 2  # her turn in both
    assert bool(found.to) == bool(marked)  # the moderator is told, and nobody else ever
    assert set(found.to) <= {"boss@club.example"}
    return marked, found.state


@pytest.fixture
def known(still: Still) -> dict[str, Mail]:
    """What everybody finds in their own mailbox."""
    with still.club.desk() as desk:
        rows = desk.session.exec(select(Outbox).order_by(Outbox.id.desc())).all()  # type: ignore[union-attr]
        return {row.recipient: Mail(row.message_id, f"games+BACK-{row.return_token}@club.example") for row in rows}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_true_report_stops_the_clock(still: Still, known: dict[str, Mail], shape: Shape) -> None:
    anna = known[ANNA]
    proofs = [
        (anna.message_id, anna.return_path),
        ("", anna.return_path),
        ("<another@far.example>", anna.return_path),
        ("", anna.return_path.lower()),
        ("", f"Testrunde <{anna.return_path}>"),
        (anna.message_id, PLAIN),  # from servers that do not heed the return path
        (anna.message_id, still.seat(0)),
    ]
    for message_id, to in proofs:
        assert send(still, shape, [ANNA], message_id, to) == ("Anna", "machine"), (message_id, to)
    for field in ("Delivered-To", "X-Original-To", "Envelope-To"):
        assert send(still, shape, [ANNA], "", "undisclosed:;", f"{field}: {anna.return_path}")[0] == "Anna"
    # Her mail is sent on to another mailbox, and that does not take it.
    assert send(still, shape, ["anna@office.example"], "", anna.return_path) == ("Anna", "machine")


@pytest.mark.matrix("attack")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_stranger_stops_no_clock(still: Still, known: dict[str, Mail], shape: Shape) -> None:
    made_up = ["", f"<{still.one}.0.0123456789abcdef@club.example>", "<turn.0123456789abcdef@club.example>"]
    ways = [PLAIN, "games+BACK-0000000000@club.example", "games+BACK-@club.example", f"games+{still.one}@club.example"]
    for message_id, to in product(made_up, ways):
        subject = f"X-Failed-Recipients: {ANNA}"
        assert send(still, shape, [ANNA], message_id, to, subject) == ("", "waiting"), (message_id, to)
        assert send(still, shape, [ANNA, BERT], message_id, to) == ("", "waiting")
        assert send(still, shape, ["zoe@far.example"], message_id, to) == ("", "unknown")


@pytest.mark.matrix("attack")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_co_player_stops_no_clock_but_the_own(still: Still, known: dict[str, Mail], shape: Shape) -> None:
    """Bert knows the codes, his own tokens, and the Message-IDs and return paths of his own mails."""
    bert = known[BERT]
    for to in (PLAIN, still.seat(1), f"games+{still.one}-{still.club.token(still.one, 1)}@club.example, {PLAIN}"):
        assert send(still, shape, [ANNA], bert.message_id, to) == ("", "waiting")
    for failed in ([ANNA], [ANNA, BERT], [BERT, ANNA]):
        assert send(still, shape, failed, bert.message_id, bert.return_path) == ("Bert", "machine")
        assert send(still, shape, failed, "", bert.return_path) == ("Bert", "machine")
    assert send(still, shape, [BERT, ANNA], bert.message_id, PLAIN) == ("Bert", "machine")
    # What Anna has shown him of a mail of hers is about her mail only, and about no other address.
    assert send(still, shape, [BERT], known[ANNA].message_id, PLAIN) == ("", "waiting")
    both = f"{bert.return_path}, {known[ANNA].return_path}"
    assert send(still, shape, [ANNA], "", both) == ("", "waiting")


def forged(club: Club, failed: str, message_id: str, to: str) -> bytes:
    heads, body = standard([failed], message_id)
    return as_bytes(club, body, [*HEAD, *heads], to)


def ticked(club: Club, data: bytes) -> tuple[str, bool, str]:
    """(state and note of the report, whether the clock stands)."""
    deliver(club.config.path(club.config.maildir.inbox), data)
    assert not club.tick().quarantined
    return seen(club)


def seen(club: Club) -> tuple[str, bool, str]:
    with club.desk() as desk:
        row = desk.session.exec(select(Inbox).order_by(Inbox.id.desc())).first()  # type: ignore[union-attr]
        anna = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
        assert row is not None
        assert row.player_id == (anna.id if row.state == "waiting" else None)
        return row.state, bool(anna.undeliverable), row.note


@pytest.fixture
def anna(club: Club) -> Mail:
    """Her newest mail; it is her turn."""
    started(club)
    with club.desk() as desk:
        row = desk.session.exec(select(Outbox).where(Outbox.recipient == ANNA)).one()
        return Mail(row.message_id, f"games+BACK-{row.return_token}@club.example")


def test_a_report_that_is_replayed_stops_nothing_again(club: Club, anna: Mail) -> None:
    assert ticked(club, forged(club, ANNA, anna.message_id, anna.return_path)) == ("machine", True, "bounce")
    assert ticked(club, forged(club, ANNA, anna.message_id, anna.return_path))[:2] == ("machine", True)
    vouched = "Authentication-Results: mx.club.example; dmarc=pass header.from=home.example"
    deliver(club.config.path(club.config.maildir.inbox), as_bytes(club, "Stand", [f"From: {ANNA}", vouched], PLAIN))
    club.tick()
    for message_id, to in ((anna.message_id, anna.return_path), ("", anna.return_path), (anna.message_id, PLAIN)):
        again = ticked(club, forged(club, ANNA, message_id, to))
        assert again == ("waiting", False, f"a delivery report for {ANNA} that has counted before")


def test_a_report_about_a_mail_of_long_ago_stops_nothing(club: Club, anna: Mail) -> None:
    club.wait(days=15)
    for message_id, to in ((anna.message_id, anna.return_path), ("", anna.return_path), (anna.message_id, PLAIN)):
        state, marked, note = ticked(club, forged(club, ANNA, message_id, to))
        assert (state, marked) == ("waiting", False)
        assert note == f"a delivery report for {ANNA} about a mail of 2026-11-20, long ago"


def test_a_report_for_an_address_that_was_given_up_is_about_nobody(club: Club, anna: Mail) -> None:
    with club.desk() as desk:
        player = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
        player.address = "anna@new.example"
        desk.session.add(player)
    assert ticked(club, forged(club, ANNA, anna.message_id, anna.return_path))[:2] == ("machine", False)
    assert ticked(club, forged(club, ANNA, "", PLAIN))[:2] == ("unknown", False)


def test_what_waits_is_left_alone_when_it_is_read_again(club: Club, anna: Mail) -> None:
    assert ticked(club, forged(club, ANNA, "", PLAIN))[:2] == ("waiting", False)
    with club.desk() as desk:
        row = desk.session.get_one(Inbox, 1)
        row.state, row.attempts = "received", 0
        desk.session.add(row)
    club.tick()
    assert seen(club) == ("waiting", False, f"a delivery report for {ANNA} that proves nothing")


def test_by_pipe_it_is_the_same(club: Club, anna: Mail) -> None:
    receive(club.config, forged(club, ANNA, "", PLAIN))
    assert seen(club)[:2] == ("waiting", False)
    receive(club.config, forged(club, ANNA, "", anna.return_path))
    assert seen(club)[:2] == ("machine", True)


def test_a_mailbox_with_one_address_knows_reports_by_the_message_id(club: Club) -> None:
    object.__setattr__(club.config.mail, "subaddress", "")
    started(club)
    with club.desk() as desk:
        row = desk.session.exec(select(Outbox).where(Outbox.recipient == ANNA)).one()
        assert row.return_token == ""
        message_id = row.message_id
    for known, to in (("", PLAIN), ("", "games+BACK-@club.example"), ("<x@club.example>", PLAIN)):
        assert ticked(club, forged(club, ANNA, known, to))[:2] == ("waiting", False)
    assert ticked(club, forged(club, ANNA, message_id, PLAIN))[:2] == ("machine", True)


def test_every_mail_has_a_return_path_of_its_own(club: Club) -> None:
    started(club, "Anna", "Bert")
    started(club, "Anna", "Cici")
    with club.desk() as desk:
        tokens = desk.session.exec(select(Outbox.return_token)).all()
        secrets = " ".join(letter for letter in desk.session.exec(select(Outbox.message_id)))
    assert len(set(tokens)) == len(tokens) >= 4
    assert "" not in tokens
    assert not any(token in secrets for token in tokens)
