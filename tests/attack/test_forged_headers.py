"""The club's own mail server writes what a forger has chosen into Authentication-Results, and nothing moves."""

from __future__ import annotations

from random import Random

import pytest
from sqlmodel import select

from moderator.mail.maildir import deliver
from moderator.run.watch import receive
from moderator.store.models import Inbox
from tests.attack.post import Still, as_bytes, started, to_move
from tests.club.club import Club
from tests.mail.auth_headers import SERVERS, VICTIM, hostile

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
