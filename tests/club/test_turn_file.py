"""The turn as data in real mails: who gets it, that it tells nothing hidden, and that it does no harm."""

from __future__ import annotations

import json
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from moderator.cli import cli
from moderator.mail.inbound import OWN_FILE
from moderator.mail.maildir import deliver
from moderator.match import turn_data
from moderator.play.create import find_player, set_player
from tests.club.club import Club, text
from tests.policies import WRITE
from tests.schemas.validators import validator

SCHEMA = validator("turn")


@pytest.fixture
def code(club: Club) -> str:
    """A match of Anna, who is to move, and Bert; its first mails are still to be read."""
    made = club.match("Anna", "Bert")
    club.tick()
    return made


def turns(mail: EmailMessage) -> list[dict[str, Any]]:
    found = [json.loads(p.get_content()) for p in mail.walk() if p.get_content_type() == turn_data.KIND]
    for turn in found:
        SCHEMA.validate(turn)
    return found


def test_who_is_asked_gets_the_file_and_nobody_else(club: Club, code: str) -> None:
    (turn,) = turns(club.mail("anna"))
    assert turns(club.mail("bert")) == []
    assert (turn["match"], turn["seat"], turn["entry"]) == (code, 0, 0)
    assert turn["rack"] == list(club.live(code).table.state.hands[0])
    assert turn["reply"]["address"] == address(club, code)
    assert turn["reply"]["subject"].endswith(f"[{code}-{club.token(code, 0)}]")
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    assert turns(club.mail("anna")) == []  # her move counts
    (turn,) = turns(club.mail("bert"))
    assert turn["entry"] == club.row(code).entries == 1
    assert any(stack for row in turn["board"]["rows"] for stack in row)
    assert turn["scores"] == list(club.live(code).table.state.scores)


def test_a_refused_order_a_question_and_a_reminder_bring_it_again(club: Club, code: str) -> None:
    club.mails()
    asking = {"A1 w XYZQ": 1, "Stand": 1, "Brett": 1, "Steine": 0, "Verlauf": 0, "Hilfe": 0}
    for line, files in asking.items():
        club.order("Anna", code, 0, line)
        club.tick()
        assert len(turns(club.mail("anna"))) == files, line
    club.wait(days=6)
    club.tick()
    assert any(turns(mail) for mail in club.mails("anna")), "the reminder"


@pytest.mark.parametrize("form", ["text", "table"])
def test_who_reads_boards_as_text_gets_it_too(club: Club, form: str) -> None:
    with club.desk() as desk:
        set_player(desk.session, find_player(desk.session, "Anna"), board=form)
    club.match("Anna", "Bert")
    club.tick()
    mail = club.mail("anna")
    assert len(turns(mail)) == 1
    assert not [part for part in mail.walk() if part.get_content_maintype() == "image"]


def test_a_daily_mail_has_one_for_each_match_that_waits(club: Club) -> None:
    club.write("anna", "Tagespost an")
    club.tick()
    codes = {club.match("Anna", "Bert"), club.match("Anna", "Bert", game="dominos")}
    waiting = {code for code in codes if 0 in club.live(code).awaited}
    club.mails()
    found: set[str] = set()
    for _ in range(3):
        club.tick()
        found |= {turn["match"] for mail in club.mails("anna") for turn in turns(mail)}
        club.wait(days=1)
    assert found >= waiting


# ---- it does no harm ----


def address(club: Club, code: str) -> str:
    return f"games+{code}-{club.token(code, 0)}@club.example"


def send_back(club: Club, code: str, body: str, file: bytes) -> str:
    """Anna's answer with the file, and what she reads then."""
    mail = EmailMessage(policy=WRITE)
    mail["From"], mail["To"], mail["Subject"] = "Anna <anna@home.example>", address(club, code), "Re: du"
    mail["Message-ID"] = "<back@home.example>"
    mail.set_content(body)
    mail.add_attachment(file, *OWN_FILE.split("/"), filename="turn-K7Q2-0.json")
    deliver(club.config.path(club.config.maildir.inbox), mail.as_bytes())
    club.tick()
    return text(club.mail("anna"))


def test_a_file_that_comes_back_is_no_order_and_spoken_of_only_where_it_is_all(club: Club, code: str) -> None:
    assert OWN_FILE == turn_data.KIND
    (file,) = [p.get_content() for p in club.mail("anna").walk() if p.get_content_type() == OWN_FILE]
    assert "turn-K7Q2-0.json" in send_back(club, code, "\n", file)
    assert "turn-K7Q2-0.json" not in send_back(club, code, "blubb@@ E5\n", file)
    for pasted in (file.decode(), "".join(f"> {line}\n" for line in file.decode().splitlines())):
        club.order("Anna", code, 0, pasted)
        club.tick()
    assert not club.live(code).last
    club.mails()
    assert "turn-K7Q2-0.json" not in send_back(club, code, club.moves(code, 0)[0] + "\n", file)
    assert club.live(code).last[0][0]


@pytest.mark.parametrize("possible", [True, False])
def test_an_order_made_of_an_old_file_is_looked_at_on_the_board_as_it_is(
    club: Club, code: str, tmp_path: Path, possible: bool
) -> None:
    """And its sender reads what the board is now, with the file of it."""
    file = tmp_path / "old.json"
    (old,) = turns(club.mail("anna"))
    file.write_text(json.dumps(old), encoding="utf-8")
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, club.moves(code, seat)[0])
        club.tick()
    club.mails()
    order, *anyway = (club.moves(code, 0)[0], "--anyway") if possible else (f"tausche {' '.join(old['rack'])}",)
    made = CliRunner().invoke(cli, ["compose", str(file), order, *anyway, "--from", "anna@home.example"])
    assert made.exit_code == 0, made.output
    deliver(club.config.path(club.config.maildir.inbox), made.stdout_bytes)
    laid = club.live(code).last[0][0]
    club.tick()
    assert (club.live(code).last[0][0] != laid) is possible
    if not possible:
        (turn,) = turns(club.mail("anna"))
        assert turn["entry"] == club.row(code).entries > old["entry"]
        assert turn["rack"] == list(club.live(code).table.state.hands[0])
