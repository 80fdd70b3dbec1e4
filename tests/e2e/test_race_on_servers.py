"""A race over a real IMAP server: the mailbox's INTERNALDATE says who was first, not the order of the mails in it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.cli.session import opened
from moderator.store.models import Match, Seat
from moderator.words.house import Ruling, append
from tests.e2e.server_club import ServerClub, make_server_club
from tests.e2e.test_real_servers import moderator
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

pytestmark = pytest.mark.servers


@pytest.fixture
def club(tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> ServerClub:
    return make_server_club(tmp_path, dovecot, postfix, new_box)


def submission(club: ServerClub, code: str, seat: int) -> bytes:
    """A mail with a right layout of a seat: its whole rack as one word, which the house list allows."""
    with opened(club.file) as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        hand = desk.cache.live(desk.session, match).table.state.hands[seat]
        token = desk.session.exec(select(Seat.token).where(Seat.match_id == match.id, Seat.number == seat)).one()
    stands_for = {"*r": "*A", "*b": "*B"}
    row = "".join(stands_for.get(tile, tile) for tile in hand)
    house = club.config.path(club.config.words.house)
    append(house, Ruling(row.replace("*", ""), "allow", "test", "2026-11-20"))
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "x@home.example", club.box.address, f"Re: [{code}-{token}]"
    mail["Message-ID"] = f"<race-{seat}@home.example>"
    mail.set_content(f"Gitter ({row})")
    return mail.as_bytes()


def scores(club: ServerClub, code: str) -> tuple[int, ...]:
    with opened(club.file) as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        return tuple(desk.cache.live(desk.session, match).table.state.scores)


@pytest.mark.slow
def test_the_mail_that_arrived_first_wins_wherever_it_lies(club: ServerClub) -> None:
    code = club.start(["Anna", "Bert"], "presto")
    now = datetime.now(UTC).replace(microsecond=0)
    client = club.box.client()
    for seat, ago in ((1, 60), (0, 90)):
        client.append("INBOX", submission(club, code, seat), msg_time=now - timedelta(seconds=ago))
    done = moderator(club, "tick")
    assert (done.returncode, done.stderr) == (0, "")
    assert scores(club, code) == (4, 2)
