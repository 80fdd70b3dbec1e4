"""Thousands of mails of one sender, or of senders that nobody knows: few are answered, and the rest cost little."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.config import load
from moderator.inbox.signup import MOST_A_DAY
from moderator.store.models import Inbox
from tests.club.club import Club, make_club, plain_boards, text

MANY = 60
LINES = ("E5 w QUARK {0}", "Hilfe", "Brett", "Presse an alle: hu {0}", "Regeln")


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    plain_boards(made)
    return made


def each(club: Club, write: Callable[[int], object], first: int, count: int) -> float:
    """Seconds of processor time for each of so many mails, in one run."""
    for number in range(first, first + count):
        write(number)
    start = time.process_time()
    summary = club.tick()
    spent = time.process_time() - start
    assert (summary.handled, summary.quarantined) == (count, [])
    return spent / count


@pytest.mark.matrix("club")
@pytest.mark.parametrize("line", LINES)
def test_a_player_above_the_cap_costs_little_and_is_not_answered(club: Club, line: str) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    cap = club.config.mail.replies_per_day
    before = each(club, lambda n: club.order("Anna", code, 0, line.format(n)), 0, cap)
    after = each(club, lambda n: club.order("Anna", code, 0, line.format(n)), cap, MANY)
    assert 1 <= len(club.mails("Anna")) <= cap
    assert after < max(2 * before, 0.05)
    assert not club.mails()


@pytest.mark.matrix("club")
@pytest.mark.parametrize("setting", ["closed", "open"])
def test_strangers_in_thousands_reach_neither_the_moderator_nor_others(tmp_path: Path, setting: str) -> None:
    club = make_club(tmp_path / "club")
    file = club.config.file
    file.write_text(file.read_text().replace("[mail]", f'signup = "{setting}"\n[mail]'))
    club = Club(club.folder, load(file))
    each(club, lambda n: club.write(f"x{n}@far.example", "Mitspielen"), 0, MANY)
    assert len(club.mails()) == MOST_A_DAY
    each(club, lambda n: club.write(f"y{n}@far.example", "Mitspielen"), MANY, MANY)
    assert not club.mails()
    with club.desk() as desk:
        assert len(desk.session.exec(select(Inbox)).all()) == 2 * MANY
    club.wait(days=1, minutes=1)
    each(club, lambda n: club.write(f"z{n}@far.example", "Mitspielen"), 2 * MANY, 1)
    answer, notice = club.mails()
    assert f"z{2 * MANY}@far" in str(answer["To"])
    told = text(notice)
    assert told.count("möchte mitspielen") == MOST_A_DAY
    assert f"{2 * MANY - MOST_A_DAY} Mails. Ansehen" in told


def test_one_stranger_again_and_again_is_answered_once(club: Club) -> None:
    each(club, lambda n: club.write("x@far.example", f"Mitspielen {n}"), 0, MANY)
    assert len(club.mails()) == 1


def test_a_machine_in_thousands_is_not_answered(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    each(club, lambda n: club.order("Anna", code, 0, f"passe {n}", Auto_Submitted="auto-replied"), 0, MANY)
    assert not club.mails()


@pytest.mark.parametrize(
    ("line", "reader", "most"),
    [
        ("Presse sofort an alle: hu {0}", "bert@", 10),
        ("Presse an den Spielleiter: hu {0}", "boss@", 10),
        ("Adresse neu{0}@far.example", "@far.example", 3),
        ("Hilfe", "anna@", 1),
        ("Regeln", "anna@", 1),
    ],
)
def test_one_mail_of_many_wishes_makes_few_mails(club: Club, line: str, reader: str, most: int) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "\n".join(line.format(number) for number in range(60)))
    club.tick()
    assert sum(reader in str(mail["To"]) for mail in club.mails()) == most
