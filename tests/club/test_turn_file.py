"""The turn as data in real mails: who gets it, that it tells nothing hidden, and that it does no harm."""

from __future__ import annotations

import dataclasses
import json
import random
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from moderator import games
from moderator.cli import cli
from moderator.mail.inbound import OWN_FILE
from moderator.mail.maildir import deliver
from moderator.match import turn_data
from moderator.match.orders import split
from moderator.match.robot import choose
from moderator.outbox.match_pages import match_page
from moderator.pages.mail import render
from moderator.pages.turn_file import ASKING
from moderator.states import MailKind
from moderator.store import matches
from tests.club.club import Club, text
from tests.policies import WRITE
from tests.schemas.validators import validator
from tests.worlds import looks_alike

SCHEMA = validator("turn")


def turns(mail: EmailMessage) -> list[dict[str, Any]]:
    found = [json.loads(p.get_content()) for p in mail.walk() if p.get_content_type() == turn_data.KIND]
    for turn in found:
        SCHEMA.validate(turn)
    return found


def test_who_is_asked_gets_the_file_and_nobody_else(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    (turn,) = turns(club.mail("anna"))
    assert turns(club.mail("bert")) == []
    assert turn["match"] == code
    assert turn["seat"] == 0
    assert turn["entry"] == 0
    assert turn["rack"] == list(club.live(code).table.state.hands[0])
    assert turn["reply"]["address"] == f"games+{code}-{club.token(code, 0)}@club.example"
    assert turn["reply"]["subject"].endswith(f"[{code}-{club.token(code, 0)}]")
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    assert turns(club.mail("anna")) == []  # her move counts
    (turn,) = turns(club.mail("bert"))
    assert turn["entry"] == club.row(code).entries == 1
    assert any(stack for row in turn["board"]["rows"] for stack in row)
    assert turn["scores"] == list(club.live(code).table.state.scores)


def test_a_refused_order_a_question_and_a_reminder_bring_it_again(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "A1 w XYZQ")
    club.tick()
    assert len(turns(club.mail("anna"))) == 1
    for question, asked in (("Stand", 1), ("Brett", 1), ("Steine", 0), ("Verlauf", 0), ("Hilfe", 0)):
        club.order("Anna", code, 0, question)
        club.tick()
        assert len(turns(club.mail("anna"))) == asked, question
    club.wait(days=6)
    club.tick()
    reminders = [mail for mail in club.mails("anna") if "reminder" in str(mail["Subject"]) or turns(mail)]
    assert reminders


def test_who_reads_boards_as_text_gets_it_too(club: Club) -> None:
    for form in ("text", "table"):
        CliRunner().invoke(
            cli, ["--config", str(club.folder / "moderator.toml"), "player", "set", "Anna", "--board", form]
        )
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
    found: list[dict[str, Any]] = []
    for _ in range(3):
        club.tick()
        found += [turn for mail in club.mails("anna") for turn in turns(mail)]
        club.wait(days=1)
    assert {turn["match"] for turn in found} >= waiting


# ---- nothing hidden ----


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", sorted(games.REGISTRY))
def test_worlds_that_look_alike_make_the_same_mail(club: Club, game: str) -> None:
    """Whatever the others hold and the stock is, in any order: file, text, HTML and pictures are the same, for each
    kind of mail that shows the board."""
    rules = games.load(game)
    code = club.match("Anna", "Bert", *(["Cici"] if rules.max_seats > 2 else []), game=game)
    with club.desk() as desk:
        match = matches.by_code(desk.session, code)
        assert match is not None
        live = desk.cache.live(desk.session, match)
        words = club.dictionary(live.options, code) if rules.uses_words else live.context.words
        ctx = dataclasses.replace(live.context, words=words)
        state, dice, compared = live.table.state, random.Random(game), 0
        for _ in range(6):
            if state.over:
                break
            for seat in state.to_move:
                compared += 1
                row = next(one for one, _ in desk.seated(match) if one.number == seat)
                for kind in sorted(ASKING - {MailKind.RECEIPT}):
                    made = []
                    for world in (state, looks_alike(state, seat, dice)):
                        live.table = dataclasses.replace(live.table, state=world)
                        made.append(render(match_page(desk, live, match, row, kind)))
                    assert made[0] == made[1], kind
                    assert [file.kind for file in made[0].files] == [turn_data.KIND], kind
            order = choose(rules, state, state.to_move[0], ctx)
            first = split(order, rules.style)[0].text if order else ""  # a robot of Recht's buys, or else passes
            step = rules.apply(state, state.to_move[0], rules.parse(first, _view(state)), ctx) if first else None
            state = step.state if step else rules.miss(state, state.to_move[0], ctx).state
        assert compared >= 1


def _view(state: Any) -> Any:
    from moderator.match.contract import view_for

    return view_for(state, state.to_move[0])


# ---- it does no harm ----


def _send_back(club: Club, code: str, body: str, file: bytes) -> None:
    mail = EmailMessage(policy=WRITE)
    mail["From"], mail["To"], mail["Subject"] = "Anna <anna@home.example>", _address(club, code), "Re: du"
    mail["Message-ID"] = "<back@home.example>"
    mail.set_content(body)
    mail.add_attachment(file, *OWN_FILE.split("/"), filename="turn-K7Q2-0.json")
    deliver(club.config.path(club.config.maildir.inbox), mail.as_bytes())


def _address(club: Club, code: str) -> str:
    return f"games+{code}-{club.token(code, 0)}@club.example"


def test_a_file_that_comes_back_with_an_answer_is_not_spoken_of(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    (file,) = [p.get_content() for p in club.mail("anna").walk() if p.get_content_type() == OWN_FILE]
    _send_back(club, code, "blubb@@ E5\n", file)
    club.tick()
    assert "turn-K7Q2-0.json" not in text(club.mail("anna"))
    _send_back(club, code, club.moves(code, 0)[0] + "\n", file)
    club.tick()
    assert club.row(code).entries >= 1
    assert club.live(code).last[0][0]
    assert "turn-K7Q2-0.json" not in text(club.mail("anna"))


def test_a_file_that_comes_back_alone_is_no_order_and_its_sender_is_told(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    (file,) = [p.get_content() for p in club.mail("anna").walk() if p.get_content_type() == OWN_FILE]
    _send_back(club, code, "\n", file)
    club.tick()
    assert "turn-K7Q2-0.json" in text(club.mail("anna"))
    assert not club.live(code).last


@pytest.mark.parametrize("possible", [True, False])
def test_an_order_made_of_an_old_file_is_looked_at_on_the_board_as_it_is(
    club: Club, tmp_path: Path, possible: bool
) -> None:
    """And its sender reads what the board is now, with the file of it."""
    code = club.match("Anna", "Bert")
    club.tick()
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


def test_a_file_that_is_pasted_into_an_answer_is_no_order(club: Club) -> None:
    """With or without marks of a quotation."""
    code = club.match("Anna", "Bert")
    club.tick()
    (file,) = [p.get_content().decode() for p in club.mail("anna").walk() if p.get_content_type() == OWN_FILE]
    for pasted in (file, "".join(f"> {line}\n" for line in file.splitlines())):
        club.order("Anna", code, 0, pasted)
        club.tick()
        club.mails()
        assert not club.live(code).last


def test_the_type_is_the_same_where_it_is_written_and_where_it_is_read() -> None:
    assert OWN_FILE == turn_data.KIND
