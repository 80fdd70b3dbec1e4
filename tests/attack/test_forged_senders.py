"""Somebody writes under a player's name: what counts is the seat's token, or the word of the club's own mail server."""

from __future__ import annotations

from random import Random

import pytest
from sqlmodel import select

from moderator.mail.maildir import deliver
from moderator.run.watch import receive
from moderator.store.models import Inbox
from tests.attack.post import VOUCHED, Still, as_bytes, raw, seat_address, started, to_move
from tests.club.club import Club, text
from tests.mail.auth_headers import SERVERS, VICTIM, hostile

PASS = "Authentication-Results: " + VOUCHED
FORGED = [
    pytest.param(["From: Anna <anna@home.example>"], id="plain"),
    pytest.param(["From: ANNA <Anna@HOME.Example>"], id="capitals"),
    pytest.param(["From: anna@home.example", "Authentication-Results: mx.evil.example; dmarc=pass"], id="other server"),
    pytest.param(
        ["From: anna@home.example", "Authentication-Results: mx.club.example.evil; dmarc=pass"], id="longer name"
    ),
    pytest.param(["From: anna@home.example", "Authentication-Results: (mx.club.example) x; dmarc=pass"], id="comment"),
    pytest.param(["From: anna@home.example", "Authentication-Results: mx.club.example; none"], id="none"),
    pytest.param(["From: anna@home.example", "Authentication-Results: mx.club.example; spf=pass"], id="spf of nobody"),
    pytest.param(
        ["From: anna@home.example", "Authentication-Results: mx.club.example; dkim=pass header.d=evil.example"],
        id="signed by another",
    ),
    pytest.param(
        ["From: anna@home.example", "Authentication-Results: mx.club.example; dkim=pass header.d=example"],
        id="signed by a top domain",
    ),
    pytest.param(
        ["From: anna@home.example", "Authentication-Results: mx.club.example; spf=pass smtp.mailfrom=x@evil.example"],
        id="envelope of another",
    ),
    pytest.param(
        [
            "Authentication-Results: mx.club.example; dmarc=fail header.from=home.example",
            "Authentication-Results: mx.club.example; dmarc=pass header.from=home.example",
            "From: anna@home.example",
        ],
        id="forged one below",
    ),
    pytest.param(
        [
            "From: anna@home.example",
            "Authentication-Results: mx.club.example; dkim=pass header.d=home.example; dmarc=fail",
        ],
        id="dmarc failed",
    ),
    pytest.param(["From: anna@home.example", "ARC-Authentication-Results: i=1; " + VOUCHED], id="arc"),
    pytest.param(["From: anna@home.example", "X-Authentication-Results: " + VOUCHED], id="x-header"),
    pytest.param(
        ["From: anna@home.example", "Subject: x\r\n Authentication-Results: mx.club.example; dmarc=pass"],
        id="folded in",
    ),
]
"""Anna's address, and nothing that proves it: she is asked."""
NOBODY = [
    pytest.param(["From: anna@home.example", "From: evil@evil.example", PASS], id="two From"),
    pytest.param(["From: anna@home.example, evil@evil.example", PASS], id="two addresses"),
    pytest.param(["From: evil@evil.example, anna@home.example", PASS], id="two addresses, turned"),
    pytest.param(["From: anna@home.example <evil@evil.example>", PASS], id="address as name"),
    pytest.param(['From: "anna@home.example" <evil@evil.example>', PASS], id="quoted address as name"),
    pytest.param(["From: =?utf-8?q?anna=40home=2Eexample?= <evil@evil.example>", PASS], id="encoded address as name"),
    pytest.param(["From: anna@home.example)evil@evil.example", PASS], id="bracket"),
    pytest.param(["From: <anna@home.example>evil@evil.example", PASS], id="text behind"),
    pytest.param(["From: <anna@home.example> <evil@evil.example>", PASS], id="two in brackets"),
    pytest.param(["From: evil@evil.example (anna@home.example)", PASS], id="comment"),
    pytest.param(["From: Club: anna@home.example, evil@evil.example;", PASS], id="group of two"),
    pytest.param(["From: anna@home.example;: evil@evil.example", PASS], id="group syntax"),
    pytest.param(["From: аnna@home.example", PASS], id="Cyrillic a"),
    pytest.param(["From: anna@hоme.example", PASS], id="Cyrillic o in the domain"),
    pytest.param(["From: anna@home.example\u200b", PASS], id="zero width"),
    pytest.param(["From: anna\0@home.example", PASS], id="NUL"),
    pytest.param(["From: anna@home.example.evil.example", PASS], id="longer domain"),
    pytest.param(["From: anna@xn--hme-sna.example", PASS], id="punycode"),
    pytest.param(["From: anna@home.example.", PASS], id="dot behind"),
    pytest.param(["From: @evil.example:anna@home.example", PASS], id="route"),
    pytest.param(["From: anna%home.example@evil.example", PASS], id="percent"),
    pytest.param(["From: evil@evil.example", "Sender: anna@home.example", PASS], id="Sender"),
    pytest.param(["From: evil@evil.example", "Reply-To: anna@home.example", PASS], id="Reply-To"),
    pytest.param(["From: evil@evil.example", "Return-Path: <anna@home.example>", PASS], id="Return-Path"),
    pytest.param(["From: evil@evil.example", "Resent-From: anna@home.example", PASS], id="Resent-From"),
    pytest.param(["From: evil@evil.example", "X-Original-From: anna@home.example", PASS], id="X-Original-From"),
    pytest.param(["Sender: anna@home.example", PASS], id="no From"),
    pytest.param(["From:", PASS], id="empty From"),
    pytest.param(["Subject: x\rFrom: anna@home.example", PASS], id="behind a bare CR"),
    pytest.param(["From: evil@evil.example\rSender: x, anna@home.example", PASS], id="cut by a bare CR"),
]
"""Not Anna's address for who reads it with care."""


@pytest.mark.parametrize("headers", FORGED)
def test_annas_address_alone_proves_nothing(still: Still, headers: list[str]) -> None:
    found = still.tried(f"{still.one}: passe", *headers)
    assert (found.state, found.moved, found.to) == ("confirm", False, ["anna@home.example"])
    assert "passe" in text(found.mails[0])


@pytest.mark.parametrize("headers", NOBODY)
def test_what_only_looks_like_her_address_is_nobody(still: Still, headers: list[str]) -> None:
    found = still.tried(f"{still.one}: passe", *headers)
    assert found.state in ("unknown", "machine")
    assert (found.moved, found.to) == (False, [])


@pytest.mark.parametrize(
    "headers",
    [
        ["From: Anna <anna@home.example>", PASS],
        ["From: ANNA@HOME.EXAMPLE", PASS],
        ["From: (me) anna@home.example (from home)", PASS],
        ["From: Anna: anna@home.example;", PASS],
        ["From: anna@home.example", PASS, "Authentication-Results: mx.evil.example; dmarc=fail"],
        ["From: anna@home.example", "Authentication-Results: mx.club.example; dkim=pass header.d=home.example"],
    ],
    ids=["usual", "capitals", "comments", "group of one", "another server's below", "dkim"],
)
def test_her_own_mail_counts(still: Still, headers: list[str]) -> None:
    found = still.tried(f"{still.one}: passe", *headers)
    assert (found.state, found.moved) == ("done", True)


def test_a_forged_from_with_the_right_token_plays_that_seat_and_no_other(club: Club) -> None:
    """The token is the proof. But where the mail server says that the sender is forged, it opens its own seat only."""
    one, two = started(club), started(club)
    forged = "Authentication-Results: mx.club.example; dmarc=fail header.from=home.example"
    body = f"passe\n{two}: passe\nSprache englisch\nAbwesend 1.12.-5.12."
    assert raw(club, body, "From: anna@home.example", forged, to=seat_address(club, one, 0)).state == "done"
    assert to_move(club, one) == (1,)
    assert to_move(club, two) == (0,)
    with club.desk() as desk:
        from moderator.play.create import find_player

        assert find_player(desk.session, "Anna").language == "de"
        assert not desk.cache.leaves_of(desk.session, find_player(desk.session, "Anna").number)
    body = f"{two}: passe"
    raw(club, body, "From: anna@home.example", to=seat_address(club, one, 0))
    assert to_move(club, two) == (1,)  # without a word of the server's it is her address that counts, as ever


def test_a_forged_from_with_a_wrong_token_is_as_one_without(still: Still) -> None:
    to = f"games+{still.one}-0000000000@club.example"
    forged, foreign = (
        still.tried("passe", "From: anna@home.example", to=to),
        still.tried("passe", "From: x@y.example", to=to),
    )
    assert (forged.state, forged.moved) == ("confirm", False)
    assert (foreign.state, foreign.moved, foreign.to) == ("unknown", False, [])


def test_the_doubtful_mail_is_shown_with_all_that_it_hides(still: Still) -> None:
    """Twelve harmless lines and a thirteenth: who is asked sees that there is more."""
    found = still.tried("\n".join([*(f"Gruss {n}" for n in range(12)), "Aufgeben"]), "From: anna@home.example")
    asked = text(found.mails[0])
    assert "Gruss 11" in asked
    assert "1 weitere Zeile" in asked


@pytest.mark.matrix("attack")
def test_nobody_can_fill_annas_mailbox_with_questions(club: Club) -> None:
    from moderator.inbox.handle import QUESTIONS

    code = started(club)
    for number in range(3 * QUESTIONS):
        club.write("anna@home.example", f"passe {number}")
    club.tick()
    assert len(club.mails("anna")) == QUESTIONS
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert to_move(club, code) == (1,)
    assert len(club.mails("anna")) == 1  # and she still gets her answers


MAILS = 100
PIPED = 4
"""So many of them come through `moderator receive`."""


def header(value: str) -> str:
    """As our server puts it on top, of a mail that claims to be from Anna's domain."""
    return "Authentication-Results: " + value.replace(VICTIM, "home.example").replace(VICTIM.upper(), "HOME.EXAMPLE")


def forged() -> list[str]:
    """Values as a genuine header on top of a mail can have them: no line ends but folds, no NUL, no missing header."""
    found = [value for value in hostile() if value and "\0" not in value and len(value) < 900]
    Random(100).shuffle(found)
    return found[:MAILS]


def test_a_hundred_forged_mails_move_nothing(club: Club) -> None:
    code = started(club)
    below = header(SERVERS["OpenDMARC"])
    mails = []
    for number, value in enumerate(forged()):
        headers = [header(value), "From: anna@home.example", *([below] if number % 3 == 0 else [])]
        mails.append(as_bytes(club, f"passe\n{number}", headers, "games@club.example"))
    assert len(mails) == MAILS
    for data in mails[PIPED:]:
        deliver(club.config.path(club.config.maildir.inbox), data)
    assert (club.tick().quarantined, to_move(club, code)) == ([], (0,))
    for data in mails[:PIPED]:
        receive(club.config, data)
    assert to_move(club, code) == (0,)
    with club.desk() as desk:
        assert set(desk.session.exec(select(Inbox.state))) == {"confirm"}
        assert len(desk.session.exec(select(Inbox.id)).all()) == MAILS
    as_she_writes = ["From: anna@home.example", below]
    deliver(club.config.path(club.config.maildir.inbox), as_bytes(club, "passe", as_she_writes, "games@club.example"))
    club.tick()
    assert to_move(club, code) == (1,)  # and her own mail counts all the while


@pytest.mark.parametrize("server", SERVERS)
def test_annas_own_mail_counts_whatever_server_the_club_has(still: Still, server: str) -> None:
    found = still.tried(f"{still.one}: passe", header(SERVERS[server]), "From: anna@home.example")
    assert (found.state, found.moved) == ("done", True)


def test_a_header_that_is_cut_off_vouches_for_nobody(still: Still) -> None:
    """What is too long to be read whole might say at its end that the mail is forged."""
    long = f"{SERVERS['OpenDMARC']}; x=none (" + "x" * 20_000 + "); dmarc=fail"
    found = still.tried(f"{still.one}: passe", header(long), "From: anna@home.example")
    assert (found.state, found.moved) == ("confirm", False)
