"""Who calls himself somebody else, or something that is no name; names in files and on the terminal."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import icalendar
import pytest
from click.testing import CliRunner

from moderator.cli import cli
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
    with still.club.desk() as desk:
        called = newcomer.free_name(desk, one_line(name, 200), "x@far.example")
    assert called.endswith(" 2")
    assert skeleton(called) != skeleton("Anna")


@pytest.mark.parametrize("name", [one for one in ALIKE if one.isprintable()], ids=ascii)
def test_nor_does_the_moderator_enter_a_second_one(still: Still, name: str) -> None:
    if name == "Anna.":
        pytest.skip("the dot is seen")
    with still.club.desk() as desk, pytest.raises(OperatorError):
        add_player(desk.session, name, "x@far.example", still.club.now)


@pytest.mark.parametrize("other", ["Hanne", "Änna", "Anna-Lena", "Hanna", "Вова"])
def test_who_is_called_otherwise_keeps_the_name(club: Club, other: str) -> None:
    with club.desk() as desk:
        assert newcomer.free_name(desk, other, "x@far.example") == other
        assert add_player(desk.session, other, "x@far.example", club.now).name == other


def test_a_name_in_either_form_of_unicode_is_one_name(club: Club) -> None:
    with club.desk() as desk:
        assert add_player(desk.session, "Jo\u0308rg", "j@far.example", club.now).name == "Jörg"
        with pytest.raises(OperatorError):
            add_player(desk.session, "Jörg", "k@far.example", club.now)


@pytest.mark.parametrize(
    "name",
    [
        "moderator",
        "Moderator",
        "Der Spielleiter",
        "Mоderator",
        "SpieIleiter",
        "MODERATOR",
        "alle",
        "SL",
        "Admin",
        "Ende",
    ],
)
def test_nobody_signs_up_as_the_moderator(still: Still, name: str) -> None:
    with still.club.desk() as desk:
        assert newcomer.free_name(desk, name, "xaver@far.example") == "Xaver"


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
    raw(
        club,
        "Mitspielen www.evil.example/x http://evil.example KAUFT",
        "From: victim@far.example",
        "Subject: evil.example",
    )
    said = everything(club.mail("victim@"))
    assert "evil.example" not in said
    assert "http://evil" not in said


@pytest.mark.matrix("attack")
@pytest.mark.parametrize("name", EVIL)
def test_such_a_player_plays_as_any_other(club: Club, name: str) -> None:
    """Through every file that a name gets into; none is written outside its folder."""
    with club.desk() as desk:
        made = add_player(desk.session, name, "evil@home.example", club.now)
        made.board = "text"
        desk.session.add(made)
        kept = made.name
    before = {path for path in club.folder.parent.rglob("*") if "mail" not in path.parts}
    code = club.match("Anna", kept, pass_rounds=1)
    club.tick()
    for body in ("Kalender", "Verlauf", "Stand", "passe"):
        club.order("Anna", code, 0, body)
    club.write("evil@home.example", "passe", to=f"games+{code}-{club.token(code, 1)}@club.example")
    assert not club.tick().quarantined
    assert club.row(code).status == "finished"
    config = str(club.folder / "moderator.toml")
    record = json.loads(CliRunner().invoke(cli, ["--config", config, "export", code]).output)
    assert [seat if isinstance(seat, str) else seat.get("name") for seat in record["seats"]] == ["Anna", kept]
    file = club.folder / "record.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    assert CliRunner().invoke(cli, ["--config", config, "verify", str(file)]).exit_code == 0
    for command in (["player", "list"], ["match", "show", code], ["audit"], ["ratings"]):
        result = CliRunner().invoke(cli, ["--config", config, *command])
        assert result.exit_code in (0, 1, 2), result.output
        assert result.exception is None or isinstance(result.exception, SystemExit | OperatorError)
    after = {path for path in club.folder.parent.rglob("*") if "mail" not in path.parts} - before
    assert all("house" in path.name or path.name.startswith(("moderator.sqlite", "record")) for path in after), after
    for mail in club.mails():
        assert mail["Bcc"] is None


@pytest.mark.parametrize("name", EVIL)
def test_tables_for_spreadsheets(name: str) -> None:
    entrants = (Entrant(1, name), Entrant(2, "Bert"))
    text = csvfile.export_entrants(TournamentState("robin", entrants))
    row = list(csv.reader(io.StringIO(text)))[1]
    assert not row[1].startswith(("=", "+", "-", "@", "\t"))
    assert [one.name for one in csvfile.read_entrants(text)] == [name, "Bert"]
    report, other = (
        trf.export(TournamentState("robin", (Entrant(1, n), entrants[1]), rounds=1), n) for n in (name, "X")
    )
    assert [line[:9] for line in report.splitlines()][1:] == [line[:9] for line in other.splitlines()][1:]


TITLES = (
    "x\nEND:VEVENT",
    "x\r\nATTENDEE:mailto:x@y",
    "x;TZID=y",
    "x,y\\n",
    "x\u2028y",
    'x":y',
    "x" * 3000,
    "BEGIN:VALARM",
    "\x00\x1b",
)


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


@pytest.mark.parametrize(
    "reason", ["x\tdeny\ty", "x\nHAUS\t\t\tdeny", "x\u2028HAUS\t\t\tdeny", "# x", "x\x1b[2J", "x\r\nHAUS"]
)
def test_a_reason_is_one_cell_of_the_house_list(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "house.tsv"
    house.append(path, house.Ruling("QUARK", "allow", reason=reason, date="2026-11-20"))
    found = house.read(path)
    assert [(one.word, one.ruling, one.scope) for one in found] == [("QUARK", "allow", "all")]


SCREEN = "\x1b]0;owned\x07\x1b[2J\x1b[31mx\x9b31m\u202egpj.exe\x08\x08\rhidden\x7f"


def test_nothing_from_outside_moves_the_cursor(club: Club) -> None:
    """A mail whose every part tries; shown to the moderator by each command that shows mails."""
    started(club)
    head = [f"From: {SCREEN} <x@far.example>".replace("\r", ""), f"Subject: {SCREEN}".replace("\r", ""), f"X: {SCREEN}"]
    raw(club, SCREEN, *head)
    with club.desk() as desk:
        row = desk.session.get_one(Inbox, 1)
        row.state, row.note = "quarantine", f"ValueError: {SCREEN}"
        desk.session.add(row)
    config = str(club.folder / "moderator.toml")
    for command in (["quarantine", "list", "--all"], ["quarantine", "show", "1"], ["audit"], ["tick", "-v"]):
        output = CliRunner().invoke(cli, ["--config", config, *command]).output
        assert output.replace("\n", "").replace("\t", "").isprintable(), command
    assert "\\x1b" in CliRunner().invoke(cli, ["--config", config, "quarantine", "show", "1"]).output


def test_a_record_from_somebody_else_does_not_either(club: Club) -> None:
    code = club.match("Anna", "Bert", pass_rounds=1)
    club.tick()
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, "passe")
        club.tick()
    config = str(club.folder / "moderator.toml")
    record = json.loads(CliRunner().invoke(cli, ["--config", config, "export", code]).output)
    text = json.dumps(record).replace("Anna", json.dumps(SCREEN)[1:-1])
    file = club.folder / "record.json"
    file.write_text(text, encoding="utf-8")
    for command in ("replay", "verify", "analyse"):
        result = CliRunner().invoke(cli, ["--config", config, command, str(file)])
        words = result.output + (str(result.exception) if isinstance(result.exception, OperatorError) else "")
        assert spelt_out(words) == words, command


def test_a_forged_sender_is_not_asked_to_join(tmp_path: Path) -> None:
    club = strangers_club(tmp_path, "open")
    forged = "Authentication-Results: mx.club.example; dmarc=fail header.from=far.example"
    raw(club, "Mitspielen", "From: victim@far.example", forged)
    assert club.mails() == []
    raw(club, "Mitspielen", "From: victim@far.example", "Authentication-Results: " + VOUCHED.replace("home", "far"))
    assert len(club.mails("victim")) == 1
