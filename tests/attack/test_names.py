"""Who calls himself somebody else, or something that is no name; names in files and on the terminal."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import icalendar
import pytest

from moderator.club.ical import Date, calendar
from moderator.commands.player import newcomer
from moderator.errors import OperatorError
from moderator.mail.clean import one_line
from moderator.mail.compose import compose
from moderator.mail.model import File, Rendered
from moderator.play.create import add_player, skeleton
from moderator.printable import spelt_out
from moderator.store.models import Inbox
from moderator.tournaments import csvfile, trf
from moderator.tournaments.field import Entrant, TournamentState
from moderator.words import house
from tests.attack.post import VOUCHED, Still, everything, raw, started
from tests.cli.running import run_command, type_command
from tests.club.club import START, Club
from tests.club.test_joining import strangers_club

EVIL = (
    "../../x", "..\\..\\x", "/etc/passwd", "CON", "<img src=x onerror=alert(1)>", "Anna Bcc: x@y",
    '"; DROP TABLE player', "=HYPERLINK(A1)", "+1", "-1+1", "@SUM(A1)", "'=1", "{{7*7}}", "a,b;c", "# x", "x\\n",
    "BEGIN:VEVENT", "Anna (OK-0000000000)",
)  # fmt: skip
"""Names that the moderator may type in, though nobody can sign up under them."""
ALIKE = (
    "Аnnа", "ΑNNA", "Ａｎｎａ", "An\u200bna", "Anna\u202e", "A\u00adnna", "ANNA", "anna", "Anna ", " Anna",
    "Anna.", "Ann\u0430",
)  # fmt: skip


@pytest.mark.parametrize("name", ALIKE, ids=ascii)
def test_nobody_signs_up_as_anna(still: Still, name: str) -> None:
    """Nor does the moderator enter a second one."""
    with still.club.desk() as desk:
        called = newcomer.free_name(desk, one_line(name, 200), "x@far.example")
        assert called.endswith(" 2")
        assert skeleton(called) != skeleton("Anna")
        if name.isprintable() and name != "Anna.":
            with pytest.raises(OperatorError):
                add_player(desk.session, name, "x@far.example", still.club.now)


def test_who_is_called_otherwise_keeps_the_name(club: Club) -> None:
    with club.desk() as desk:
        for other in ("Hanne", "Änna", "Anna-Lena", "Hanna", "Вова"):
            assert newcomer.free_name(desk, other, "x@far.example") == other
            assert (
                add_player(desk.session, other, f"x{ord(other[0])}.{ord(other[-1])}@far.example", club.now).name
                == other
            )
        # In either form of Unicode it is one name.
        assert add_player(desk.session, "Jo\u0308rg", "j@far.example", club.now).name == "Jörg"
        with pytest.raises(OperatorError):
            add_player(desk.session, "Jörg", "k@far.example", club.now)


def test_nobody_signs_up_as_the_moderator(still: Still) -> None:
    same = "moderator|Moderator|Der Spielleiter|Mоderator|SpieIleiter|MODERATOR|alle|SL|Admin|Ende"
    with still.club.desk() as desk:
        for name in same.split("|"):
            assert newcomer.free_name(desk, name, "xaver@far.example") == "Xaver", name


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("../../x", "X"), ("<img src=x onerror=alert(1)>", "img src x onerror alert"), ("Anna\nBcc: x@y", "Anna"),
        ("Zoe\r\nBcc: x@y", "Zoe"), ("Zoe\u202egro.live", "Zoegro live"), ("www.evil.example", "www evil example"),
        ("A" * 10_000, "A" * 40), ("{{7*7}}", "Xaver"), ("=1+1", "Xaver"), ("\x1b[31mZoe", "mZoe"),
        ("J. K. Wolf", "J. K. Wolf"),
        ("O'Hara-Kraft", "O'Hara-Kraft"), ("12345", "Xaver"), ("\u200b\u200b", "Xaver"),
        ("Zoe@evil.example", "Zoe evil example"),
    ],
    ids=lambda value: ascii(value)[:20],
)  # fmt: skip
def test_what_is_kept_of_a_name(still: Still, written: str, kept: str) -> None:
    """Letters, no links, one line; of nothing the address makes a name."""
    with still.club.desk() as desk:
        first = one_line(written.splitlines()[0], 200) if written.splitlines() else ""
        found = newcomer.free_name(desk, first, "xaver@far.example")
    assert found in (kept, f"{kept} 2")


def test_the_question_to_a_stranger_carries_nothing_of_anothers(tmp_path: Path) -> None:
    """Somebody lets the club write to a stranger: no link goes along, only a name of letters."""
    club = strangers_club(tmp_path, "open")
    body = "Mitspielen www.evil.example/x http://evil.example KAUFT"
    raw(club, body, "From: victim@far.example", "Subject: evil.example")
    said = everything(club.mail("victim@"))
    assert "evil.example" not in said
    assert "http://evil" not in said


@pytest.mark.slow
@pytest.mark.parametrize("names", [EVIL[at : at + 6] for at in range(0, len(EVIL), 6)], ids=["paths", "cells", "marks"])
def test_such_players_play_as_any_other(club: Club, names: tuple[str, ...]) -> None:
    """Through every file that a name gets into; none is written outside its folder."""
    with club.desk() as desk:
        players = [add_player(desk.session, name, f"e{n}@home.example", club.now) for n, name in enumerate(names)]
        for player in players:
            player.board = "text"
        kept = [player.name for player in players]
    before = {path for path in club.folder.parent.rglob("*") if "mail" not in path.parts}
    code = club.match("Anna", *kept[:3], pass_rounds=1)
    other = club.match("Anna", *kept[3:], pass_rounds=1)
    club.tick()
    for body in ("Kalender", "Verlauf", "Stand", "passe"):
        club.order("Anna", code, 0, body)
        club.order("Anna", other, 0, f"{body}\n")
    club.tick()
    for n in range(6):
        club.order(f"e{n}@home.example", (code, other)[n // 3], n % 3 + 1, "passe")
        assert not club.tick().quarantined
    file = club.folder / "record.json"
    for match, seats in ((code, kept[:3]), (other, kept[3:])):
        assert club.row(match).status == "finished"
        record = json.loads(type_command(club, "export", match))
        assert [seat if isinstance(seat, str) else seat.get("name") for seat in record["seats"]] == ["Anna", *seats]
        file.write_text(json.dumps(record), encoding="utf-8")
        type_command(club, "verify", file)
        type_command(club, "match", "show", match)
    for command in (["player", "list"], ["audit"], ["ratings"]):
        type_command(club, *command)
    after = {path for path in club.folder.parent.rglob("*") if "mail" not in path.parts} - before
    assert all("house" in path.name or path.name.startswith(("moderator.sqlite", "record")) for path in after), after
    assert all(mail["Bcc"] is None for mail in club.mails())


@pytest.mark.parametrize("name", EVIL)
def test_tables_for_spreadsheets(name: str) -> None:
    entrants = (Entrant(1, name), Entrant(2, "Bert"))
    text = csvfile.export_entrants(TournamentState("robin", entrants))
    row = list(csv.reader(io.StringIO(text)))[1]
    assert not row[1].startswith(("=", "+", "-", "@", "\t"))
    assert [one.name for one in csvfile.read_entrants(text)] == [name, "Bert"]
    states = ((one, TournamentState("robin", (Entrant(1, one), entrants[1]), rounds=1)) for one in (name, "X"))
    report, other = (trf.export(state, one).splitlines()[1:] for one, state in states)
    assert [line[:9] for line in report] == [line[:9] for line in other]


TITLES = (
    "x\nEND:VEVENT", "x\r\nATTENDEE:mailto:x@y", "x;TZID=y", "x,y\\n", "x\u2028y", 'x":y', "x" * 3000, "BEGIN:VALARM",
    "\x00\x1b",
)  # fmt: skip


@pytest.mark.parametrize("title", TITLES, ids=lambda title: ascii(title)[:20])
def test_calendars(title: str) -> None:
    date = Date("K7Q2-zat@club.example", 1, START, title, title)
    made = icalendar.Calendar.from_ical(calendar([date], language="de", name=title, now=START))
    kinds = [part.name for part in made.walk()]
    assert kinds == ["VCALENDAR", "VEVENT", "VALARM"]
    event = made.walk("VEVENT")[0]
    assert "ATTENDEE" not in event
    assert set(event) == {"UID", "SEQUENCE", "DTSTAMP", "DTSTART", "SUMMARY", "DESCRIPTION", "TRANSP"}


@pytest.mark.parametrize("name", ["../../x", "x\r\nBcc: y", 'x"; y="z', "CON/..", "x\0", "ü", "x y", ""])
def test_a_file_has_a_plain_name_or_is_not_sent(name: str) -> None:
    page = Rendered("x", "x", "x", {}, (File(name, "text/plain", b""),))
    to = {"sender": "a@b.c", "sender_name": "", "recipient": "a@b.c", "recipient_name": "", "message_id": "<a@b.c>"}
    with pytest.raises(OperatorError):
        compose(page, **to, date=START)  # type: ignore[arg-type]


def test_a_reason_is_one_cell_of_the_house_list(tmp_path: Path) -> None:
    for reason in ("x\tdeny\ty", "x\nHAUS\t\t\tdeny", "x\u2028HAUS\t\t\tdeny", "# x", "x\x1b[2J", "x\r\nHAUS"):
        path = tmp_path / f"{len(reason)}.{ord(reason[1])}.tsv"
        house.append(path, house.Ruling("QUARK", "allow", reason=reason, date="2026-11-20"))
        found = house.read(path)
        assert [(one.word, one.ruling, one.scope) for one in found] == [("QUARK", "allow", "all")]


SCREEN = "\x1b]0;owned\x07\x1b[2J\x1b[31mx\x9b31m\u202egpj.exe\x08\x08\rhidden\x7f"


def test_nothing_from_outside_moves_the_cursor(club: Club) -> None:
    """A mail whose every part tries; shown to the moderator by each command that shows mails."""
    started(club)
    part = SCREEN.replace("\r", "")
    raw(club, SCREEN, f"From: {part} <x@far.example>", f"Subject: {part}", f"X: {part}")
    with club.desk() as desk:
        row = desk.session.get_one(Inbox, 1)
        row.state, row.note = "quarantine", f"ValueError: {SCREEN}"
    for command in (["quarantine", "list", "--all"], ["quarantine", "show", "1"], ["audit"], ["tick", "-v"]):
        output = run_command(club, *command).output
        assert output.replace("\n", "").replace("\t", "").isprintable(), command
    assert "\\x1b" in type_command(club, "quarantine", "show", "1")


def test_a_record_from_somebody_else_does_not_either(club: Club) -> None:
    code = started(club, pass_rounds=1)
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, "passe")
        club.tick()
    file = club.folder / "record.json"
    file.write_text(type_command(club, "export", code).replace("Anna", json.dumps(SCREEN)[1:-1]), encoding="utf-8")
    for command in ("replay", "verify", "analyse"):
        result = run_command(club, command, file)
        words = result.output + (str(result.exception) if isinstance(result.exception, OperatorError) else "")
        assert spelt_out(words) == words, command


def test_a_forged_sender_is_not_asked_to_join(tmp_path: Path) -> None:
    club = strangers_club(tmp_path, "open")
    forged = "Authentication-Results: mx.club.example; dmarc=fail header.from=far.example"
    raw(club, "Mitspielen", "From: victim@far.example", forged)
    assert club.mails() == []
    raw(club, "Mitspielen", "From: victim@far.example", "Authentication-Results: " + VOUCHED.replace("home", "far"))
    assert len(club.mails("victim")) == 1
