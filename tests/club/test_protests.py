"""Protests: until when, who is asked, what a ruling leads to; by mail and on the command line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from sqlmodel import select

from moderator.cli import cli
from moderator.club.live_match import log_of
from moderator.mail.model import Line
from moderator.match import replay
from moderator.play.rulings import read_ruling
from moderator.store.models import Match, Protest
from tests.club.club import Club, plain_boards, text

NAMES = ("Anna", "Bert", "Cici")


@pytest.fixture
def code(club: Club) -> str:
    """Anna has moved."""
    plain_boards(club)
    code = club.match(*NAMES)
    club.tick()
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    club.mails()
    return code


def say(club: Club, code: str, name: str, body: str) -> str:
    club.order(name, code, NAMES.index(name), body)
    club.tick()
    return next(text(mail) for mail in club.mails() if f"{name.lower()}@" in str(mail["To"]))


def row(club: Club) -> Protest:
    with club.desk() as desk:
        found: Protest = desk.session.exec(select(Protest)).one()
        return found


def answer(club: Club, body: str) -> None:
    club.write("boss@club.example", body, to=f"games+PROT-{row(club).token}@club.example")
    club.tick()


def test_the_moderator_is_asked_and_all_read_the_ruling(club: Club, code: str) -> None:
    club.order("Bert", code, 1, "protest: that is no word")
    club.tick()
    (asked,) = club.mails("boss")
    assert "¦ that is no word" in text(asked)
    assert f"PROT-{row(club).token}" in str(asked["Reply-To"])
    club.mails()
    answer(club, "ABGELEHNT: Es steht im Duden.\nSeite 12.")
    mails = {str(mail["To"]).partition(" ")[0]: text(mail) for mail in club.mails()}
    assert set(mails) == {*NAMES, "Testrunde"}
    assert all("Es steht im Duden. Seite 12." in mails[name] for name in NAMES)
    assert (row(club).upheld, row(club).answer) == (False, "Es steht im Duden. Seite 12.")


def test_protest_and_ruling_stand_in_the_log_and_change_nothing_in_the_match(club: Club, code: str) -> None:
    before = club.live(code).table.state
    say(club, code, "Bert", "protest: that is no word")
    answer(club, "upheld: right")
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        entries = log_of(desk.session, match)
        assert [(entry.kind, entry.seat, entry.text) for entry in entries[1:]] == [
            ("protest", 1, "that is no word"),
            ("ruling", 1, "upheld: right"),
        ]
        assert len(replay.effective(entries)) == 3
    assert club.live(code).table.state == before


def test_until_the_next_zat(club: Club, code: str) -> None:
    club.wait(days=7, hours=9)
    told = say(club, code, "Anna", "Einspruch: zu spät")
    assert "bis Freitag, 27. November" in told
    assert "Richtig wäre" not in told, "no other words would come in time"
    with club.desk() as desk:
        assert not desk.session.exec(select(Protest)).all()


def test_after_the_end_for_as_long_as_a_turn_takes(club: Club, code: str) -> None:
    say(club, code, "Bert", f"resign {code}")
    say(club, code, "Cici", f"aufgeben {code}")
    club.wait(days=6)
    assert "liegt jetzt dem Spielleiter vor" in say(club, code, "Anna", "Einspruch: Abrechnung")
    answer(club, "DENIED")
    club.mails()
    club.wait(days=2)
    assert "Den letzten Bericht konntest du bis" in say(club, code, "Anna", "Einspruch: noch einmal")
    with club.desk() as desk:
        assert len(desk.session.exec(select(Protest)).all()) == 1


def test_a_ruling_stands(club: Club, code: str) -> None:
    say(club, code, "Bert", "protest: that is no word")
    answer(club, "ABGELEHNT")
    club.mails()
    answer(club, "STATTGEGEBEN")
    (mail,) = club.mails()
    assert "schon entschieden" in text(mail)
    assert not row(club).upheld


def test_a_token_that_is_wrong_rules_on_nothing(club: Club, code: str) -> None:
    say(club, code, "Bert", "protest: that is no word")
    club.write("boss@club.example", "STATTGEGEBEN", to="games+PROT-0000000000@club.example")
    club.tick()
    assert row(club).answered_at is None


@pytest.mark.parametrize(
    ("lines", "ruling"),
    [
        (["STATTGEGEBEN"], (True, "")),
        (["stattgegeben: HAUS liegt frei."], (True, "HAUS liegt frei.")),
        (["Ich gebe statt."], (True, "")),
        (["Einspruch 12: abgelehnt, weil es im Duden steht"], (False, "weil es im Duden steht")),
        (["Der Einspruch wird zurückgewiesen"], (False, "")),
        (["Hallo,", "UPHELD", "the word is wrong"], (True, "the word is wrong")),
        (["denied - no such rule"], (False, "no such rule")),
        (["Mal sehen"], None),
        (["Neinsager gibt es immer"], None),
    ],
)
def test_answers(lines: list[str], ruling: tuple[bool, str] | None) -> None:
    assert read_ruling([Line(n, line) for n, line in enumerate(lines, 1)]) == ruling


def test_on_the_command_line(club: Club, code: str) -> None:
    say(club, code, "Bert", "protest: that is no word")
    config = ["--config", str(club.folder / "moderator.toml"), "match"]
    run = CliRunner().invoke
    listed = run(cli, [*config, "protests"])
    assert "Bert: that is no word" in listed.output
    ruled = run(cli, [*config, "rule-protest", "1", "uphold", "--reason", "Stimmt."])
    assert ruled.exit_code == 0, ruled.output
    club.tick()
    assert len([mail for mail in club.mails() if "Stimmt." in text(mail)]) == 3
    assert run(cli, [*config, "protests"]).output == ""
    assert "upheld: Stimmt." in run(cli, [*config, "protests", "--all"]).output
    again = run(cli, [*config, "rule-protest", "1", "deny"])
    assert again.exit_code != 0
    assert run(cli, [*config, "rule-protest", "9", "deny"]).exit_code != 0
