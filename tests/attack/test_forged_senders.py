"""Somebody writes under a player's name: what counts is the seat's token, or the word of the club's own mail server."""

import pytest

from moderator.service.create import get_player
from tests.attack.post import VOUCHED, Still, raw, seat_address, started, to_move
from tests.club.club import Club, text
from tests.mail.auth_headers import SERVERS, VICTIM

PASS = "Authentication-Results: " + VOUCHED


def header(value: str) -> str:
    """As our server puts it on top, of a mail that claims to be from Anna's domain."""
    return "Authentication-Results: " + value.replace(VICTIM, "home.example").replace(VICTIM.upper(), "HOME.EXAMPLE")


ANNA = "From: anna@home.example"
EVIL = "From: evil@evil.example"
RESULTS = "Authentication-Results: mx.club.example; "
FORGED = {
    "plain": ["From: Anna <anna@home.example>"],
    "capitals": ["From: ANNA <Anna@HOME.Example>"],
    "other server": [ANNA, "Authentication-Results: mx.evil.example; dmarc=pass header.from=home.example"],
    "forged one below": [f"{RESULTS}dmarc=fail header.from=home.example", PASS, ANNA],
    "dmarc of nobody": [ANNA, f"{RESULTS}dmarc=pass"],
    "dmarc of a HELO": [ANNA, f"{RESULTS}spf=none smtp.helo=x;dmarc=pass"],
    "dmarc failed": [ANNA, f"{RESULTS}dkim=pass header.d=home.example; dmarc=fail"],
    "arc": [ANNA, "ARC-Authentication-Results: i=1; " + VOUCHED],
    "x-header": [ANNA, "X-Authentication-Results: " + VOUCHED],
    "folded in": [ANNA, "Subject: x\r\n Authentication-Results: mx.club.example; dmarc=pass header.from=home.example"],
}
"""Anna's address, and nothing that proves it: she is asked. (What proves it says tests/mail/test_authentication.py.)"""
NOBODY = {
    "two From": [ANNA, EVIL],
    "two addresses": ["From: anna@home.example, evil@evil.example"],
    "two addresses, turned": ["From: evil@evil.example, anna@home.example"],
    "address as name": ["From: anna@home.example <evil@evil.example>"],
    "quoted address as name": ['From: "anna@home.example" <evil@evil.example>'],
    "encoded address as name": ["From: =?utf-8?q?anna=40home=2Eexample?= <evil@evil.example>"],
    "bracket": ["From: anna@home.example)evil@evil.example"],
    "text behind": ["From: <anna@home.example>evil@evil.example"],
    "two in brackets": ["From: <anna@home.example> <evil@evil.example>"],
    "comment": ["From: evil@evil.example (anna@home.example)"],
    "group of two": ["From: Club: anna@home.example, evil@evil.example;"],
    "group syntax": ["From: anna@home.example;: evil@evil.example"],
    "Cyrillic a": ["From: аnna@home.example"],
    "Cyrillic o in the domain": ["From: anna@hоme.example"],
    "zero width": ["From: anna@home.example\u200b"],
    "NUL": ["From: anna\0@home.example"],
    "longer domain": ["From: anna@home.example.evil.example"],
    "punycode": ["From: anna@xn--hme-sna.example"],
    "dot behind": ["From: anna@home.example."],
    "route": ["From: @evil.example:anna@home.example"],
    "percent": ["From: anna%home.example@evil.example"],
    "Sender": [EVIL, "Sender: anna@home.example"],
    "Reply-To": [EVIL, "Reply-To: anna@home.example"],
    "Return-Path": [EVIL, "Return-Path: <anna@home.example>"],
    "Resent-From": [EVIL, "Resent-From: anna@home.example"],
    "X-Original-From": [EVIL, "X-Original-From: anna@home.example"],
    "no From": ["Sender: anna@home.example"],
    "empty From": ["From:"],
    "behind a bare CR": ["Subject: x\rFrom: anna@home.example"],
    "cut by a bare CR": [f"{EVIL}\rSender: x, anna@home.example"],
}
"""Not Anna's address for who reads it with care."""
HERS = {
    "usual": ["From: Anna <anna@home.example>", PASS],
    "capitals": ["From: ANNA@HOME.EXAMPLE", PASS],
    "comments": ["From: (me) anna@home.example (from home)", PASS],
    "group of one": ["From: Anna: anna@home.example;", PASS],
    "another server's below": [ANNA, PASS, "Authentication-Results: mx.evil.example; dmarc=fail"],
    "dkim": [ANNA, f"{RESULTS}dkim=pass header.d=home.example"],
    **{name: [header(value), ANNA] for name, value in SERVERS.items()},
}


@pytest.mark.parametrize("kind", FORGED)
def test_annas_address_alone_proves_nothing(still: Still, kind: str) -> None:
    found = still.tried(f"{still.one}: passe", *FORGED[kind])
    assert (found.state, found.moved, found.to) == ("confirm", False, ["anna@home.example"])
    assert "passe" in text(found.mails[0])


@pytest.mark.parametrize("kind", NOBODY)
def test_what_only_looks_like_her_address_is_nobody(still: Still, kind: str) -> None:
    found = still.tried(f"{still.one}: passe", *NOBODY[kind], PASS)
    assert found.state in ("unknown", "machine")
    assert (found.moved, found.to) == (False, [])


@pytest.mark.parametrize("kind", HERS)
def test_her_own_mail_counts_whatever_server_the_club_has(still: Still, kind: str) -> None:
    found = still.tried(f"{still.one}: passe", *HERS[kind])
    assert (found.state, found.moved) == ("done", True)


def test_a_forged_from_with_the_right_token_plays_that_seat_and_no_other(club: Club) -> None:
    """The token is the proof. But where the mail server says that the sender is forged, it opens its own seat only."""
    one, two = started(club), started(club)
    body, to = f"passe\n{two}: passe\nSprache englisch\nAbwesend 1.12.-5.12.", seat_address(club, one, 0)
    assert raw(club, body, ANNA, f"{RESULTS}dmarc=fail header.from=home.example", to=to).state == "done"
    assert (to_move(club, one), to_move(club, two)) == ((1,), (0,))
    with club.work() as work:
        anna = get_player(work.session, "Anna")
        assert anna.language == "de"
        assert not work.cache.list_player_leaves(work.session, anna.number)
    raw(club, f"{two}: passe", ANNA, to=to)
    assert to_move(club, two) == (1,)  # without a word of the server's it is her address that counts, as ever


def test_a_forged_from_with_a_wrong_token_is_as_one_without(still: Still) -> None:
    to = f"games+{still.one}-0000000000@club.example"
    forged, foreign = still.tried("passe", ANNA, to=to), still.tried("passe", "From: x@y.example", to=to)
    assert (forged.state, forged.moved) == ("confirm", False)
    assert (foreign.state, foreign.moved, foreign.to) == ("unknown", False, [])


def test_the_doubtful_mail_is_shown_with_all_that_it_hides(still: Still) -> None:
    """Twelve harmless lines and a thirteenth: who is asked sees that there is more."""
    found = still.tried("\n".join([*(f"Gruss {n}" for n in range(12)), "Aufgeben"]), ANNA)
    asked = text(found.mails[0])
    assert "Gruss 11" in asked
    assert "1 weitere Zeile" in asked


def test_a_header_that_is_cut_off_vouches_for_nobody(still: Still) -> None:
    """What is too long to be read whole might say at its end that the mail is forged."""
    long = f"{SERVERS['OpenDMARC']}; x=none (" + "x" * 20_000 + "); dmarc=fail"
    found = still.tried(f"{still.one}: passe", header(long), ANNA)
    assert (found.state, found.moved) == ("confirm", False)
