"""The orders of all seats in one tick: each mail is true when it is read, also the first, behind which the round has
ended."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from tests.club.club import Club, make_club, plain_boards, text

NAMES = ("Anna", "Bert", "Cici")
PACES: dict[str, tuple[str, dict[str, Any]]] = {
    "rounds": ("topwords", {"pace": "rounds", "early": True}),
    "common": ("topwords", {"pace": "common", "early": True}),
    "sequential": ("topwords", {}),
    "race": ("presto", {}),
}


def played(folder: Path, pace: str, *, ready: bool = False) -> tuple[Club, str, dict[str, list[EmailMessage]]]:
    """What each of them reads, in order."""
    club = make_club(folder)
    club.players(*NAMES)
    plain_boards(club)
    game, options = PACES[pace]
    code = club.match(*NAMES, game=game, **options | ({"early": False} if ready else {}))
    club.tick()
    club.mails()
    for seat, name in enumerate(NAMES):
        move = next(iter(club.moves(code, seat)), "passe")
        club.order(name, code, seat, f"{move}\nFERTIG" if ready else move)
    club.tick()
    found = club.mails()
    return club, code, {name: [mail for mail in found if name in str(mail["To"])] for name in NAMES}


@pytest.mark.slow
@pytest.mark.parametrize("pace", PACES)
def test_the_last_mail_to_each_says_how_it_stands(tmp_path: Path, pace: str) -> None:
    club, code, mails = played(tmp_path / "club", pace)
    live = club.live(code)
    assert live.table.pace == pace
    for seat, name in enumerate(NAMES):
        subject = str(mails[name][-1]["Subject"])
        assert ("du bist" in subject.lower() and "am Zug" in subject) == (seat in live.missing), subject
        assert f" {live.table.state.public.round} [" in subject


@pytest.mark.parametrize("ready", [False, True])
@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_what_the_first_ones_read_holds_although_the_round_has_ended(tmp_path: Path, pace: str, ready: bool) -> None:
    club, code, mails = played(tmp_path / "club", pace, ready=ready)
    assert club.live(code).table.state.public.round == 2
    for name in NAMES[:2]:
        receipt, report = mails[name]
        said = text(receipt)
        assert "gilt dieser Zug, sobald ausgewertet wird, spätestens am ZAT: " in said
        assert "Ändern: bis dahin einfach neu schreiben" in said
        assert "Runde 1 [" in str(receipt["Subject"])
        assert re.search("du bist (wieder )?am Zug", str(report["Subject"]), re.IGNORECASE)
    (last,) = mails[NAMES[2]]
    said = text(last)
    assert "bringt jetzt" not in said, "it was worth that before the others' moves"
    assert re.search(r"möglich, bevor ausgewertet wurde, für \d+ Punkt", said)


@pytest.mark.slow
def test_in_a_race_nobody_is_promised_a_place_before_it_is_decided(tmp_path: Path) -> None:
    club, code, mails = played(tmp_path / "club", "race")
    assert sorted(club.live(code).table.state.scores) == [0, 2, 4]
    for name in NAMES:
        receipt, report = mails[name]
        said = text(receipt)
        assert "steht fest, sobald die Runde zu Ende ist" in said
        assert "Zug: gilt - Deine Wörter" in said
        assert "Nummer" not in said
        assert "bringt jetzt" not in said
        assert "Anna meldet »fertig«" in text(report) or name == "Anna"
