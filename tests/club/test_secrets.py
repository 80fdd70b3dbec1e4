"""A whole match by mail: nobody ever reads another's tiles, token or address, and the deal proves to be fair."""

import hashlib
import json
import re
from itertools import permutations

import pytest
from click.testing import CliRunner

from moderator.cli import cli
from moderator.match import turn_data
from tests.club.club import Club, text

NAMES = ("Anna", "Bert", "Cici")


def secrets_of(club: Club, code: str, seat: int) -> list[str]:
    """What only this seat may read: its rack as mails print it, its token."""
    hand = club.live(code).table.state.hand(seat)
    return [" ".join(hand), "".join(hand), ", ".join(hand), club.token(code, seat)]


@pytest.mark.matrix("club")
@pytest.mark.parametrize("pace", ["sequential", "rounds"])
def test_no_mail_holds_anything_of_another_player(club: Club, pace: str) -> None:
    code = club.match(*NAMES, pace=pace, rounds=4, early=True)
    club.tick()
    for _ in range(12):
        hidden = {seat: secrets_of(club, code, seat) for seat in range(3)}
        awaited = club.live(code).table.state.to_move
        for seat in awaited:
            moves = club.moves(code, seat)[:2]
            club.order(NAMES[seat], code, seat, "\n".join(["E5 w XYZQ", *moves, "passe"]))
        club.tick()
        for one, other in permutations(range(3), 2):
            if club.live(code).table.state.over:
                break
            now = secrets_of(club, code, other)
            for mail in club_mails(club, NAMES[one]):
                for secret in [*(s for s in hidden[other] if len(s) > 5), *(s for s in now if len(s) > 5)]:
                    assert secret not in mail, (NAMES[one], secret)
                assert f"{NAMES[other].lower()}@home.example" not in mail
        if not awaited:
            break
    assert club.row(code).status == "finished"


def club_mails(club: Club, name: str) -> list[str]:
    """All text of all mails to this player so far, HTML and headers included, transfer encodings undone."""
    club.read.clear()
    found = []
    for mail in club.mails(f"{name}@"):
        parts = [str(mail[header]) for header in ("To", "Subject", "Reply-To", "List-Unsubscribe", "References")]
        for part in mail.walk():
            if part.get_content_type() == turn_data.KIND:
                parts.append(part.get_content().decode())
            if part.get_content_maintype() == "text":
                parts.append(re.sub(r"<[^>]+>", "", part.get_content()))
                parts.append(part.get_content())
            parts.append(str(part.get_filename()))
        found.append("\n".join(parts))
    return found


def test_the_commitment_of_the_first_mail_fits_the_seed_of_the_last(club: Club) -> None:
    code = club.match("Anna", "Bert", pass_rounds=1)
    club.tick()
    first = text(club.mail("anna")).replace(" ", "")
    for seat, name in ((0, "Anna"), (1, "Bert")):
        club.order(name, code, seat, "passe")
        club.tick()
    last = text(club.mails("anna")[-1]).replace(" ", "")
    seed = club.row(code).seed
    commitment = hashlib.sha256(b"moderator/1|" + bytes.fromhex(seed)).hexdigest()
    assert commitment in first
    assert seed not in first
    assert seed in last
    config = str(club.folder / "moderator.toml")
    record = json.loads(CliRunner().invoke(cli, ["--config", config, "export", code]).output)
    assert record["commitment"] == commitment


def test_exchanged_letters_are_told_to_nobody_else(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    letters = [tile for tile in club.live(code).table.state.hands[0] if tile.isalpha()][:3]
    club.order("Anna", code, 0, f"tausche {' '.join(letters)}")
    club.tick()
    move = f"tausche {' '.join(letters)}"
    assert move in text(club.mail("anna"))
    told = text(club.mail("bert"))
    assert " ".join(letters) not in told
    assert "exchange 3" in told
    club.order("Bert", code, 1, "Verlauf\nStand")
    club.tick()
    assert not [mail for mail in club.mails("bert") if " ".join(letters) in text(mail)]
