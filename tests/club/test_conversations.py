"""One match is one conversation, as far as headers go (docs/mail.md): for who plays and for who watches."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.club.club import Club, make_club, text

NAMES = ("Anna", "Bert", "Cici")
VOUCHED = "mx.club.example; dkim=pass header.d=home.example"


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players(*NAMES, Bert="en")
    return made


def told(club: Club, name: str) -> list[EmailMessage]:
    club.read.clear()
    return club.mails(name.lower())


def evening(club: Club) -> str:
    """Moves, a question, a missed turn and the end, while Cici watches."""
    code = club.match("Anna", "Bert")
    club.tick()
    club.write("Cici", f"ZUSCHAUEN {code}", Authentication_Results=VOUCHED)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    club.order("Bert", code, 1, "STATUS")
    club.tick()
    club.wait(days=9)
    club.tick()
    club.order("Anna", code, 0, f"AUFGEBEN {code}")
    club.tick()
    return code


def test_all_mails_of_a_match_are_one_conversation(club: Club) -> None:
    code = evening(club)
    other = club.match("Anna", "Bert")
    club.tick()
    for name in NAMES:
        mails = [mail for mail in told(club, name) if code in str(mail["Subject"])]
        assert len(mails) >= (4 if name != "Cici" else 2), name
        assert len({str(mail["Subject"]) for mail in mails}) > 1
        assert {str(mail["Thread-Topic"]) for mail in mails} == {f"Arratia [{code}]"}
        assert len({str(mail["Thread-Index"]) for mail in mails}) == 1
        roots = {str(mail["References"]).split()[0] for mail in mails if mail["References"]}
        assert len(roots) == 1
        first = [mail for mail in mails if not mail["References"]]
        assert {str(mail["Message-ID"]) for mail in first} == (roots if name != "Cici" else set())
        for mail in mails:
            assert mail in first or str(mail["In-Reply-To"]) in str(mail["References"]).split()
    apart = [mail for mail in told(club, "Anna") if other in str(mail["Subject"])]
    assert not {str(mail["Thread-Index"]) for mail in apart} & {str(mail["Thread-Index"]) for mail in mails}


def test_who_wants_one_subject_has_one(club: Club) -> None:
    """In Gmail only equal subjects make a conversation. The news stand first in the mail; answers find their match."""
    for name, line in (("Anna", "Gleicher Betreff an"), ("Bert", "Same subject on")):
        club.write(name, line, Authentication_Results=VOUCHED)
    club.tick()
    code = evening(club)
    for name, game in (("Anna", "Topwords „Arratia“"), ("Bert", "Topwords “Arratia”")):
        mails = [mail for mail in told(club, name) if code in str(mail["Subject"])]
        assert len(mails) >= 4
        assert {str(mail["Subject"]).partition(" [")[0] for mail in mails} == {game}
        assert len({text(mail).splitlines()[0] for mail in mails}) > 2
    club.write("Anna", "Gleicher Betreff aus", Authentication_Results=VOUCHED)
    club.tick()
    assert club.match("Anna", "Bert")
    club.tick()
    assert "Arratia" in str(told(club, "Anna")[-1]["Subject"])
    assert not str(told(club, "Anna")[-1]["Subject"]).startswith("Topwords")


def test_the_index_has_the_form_that_outlook_reads(club: Club) -> None:
    evening(club)
    for mail in told(club, "Anna"):
        index = base64.b64decode(str(mail["Thread-Index"]), validate=True)
        assert len(index) == 22
        assert index[0] == 1
        begun = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(
            microseconds=int.from_bytes(index[:6] + b"\0\0", "big") // 10
        )
        assert abs(begun - club.now) < timedelta(days=30)
