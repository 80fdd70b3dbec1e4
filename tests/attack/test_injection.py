"""Words that want to be more than words: header lines, tags, templates, marks of our own, in every field that a person
can choose and in every kind of mail."""

import csv
import dataclasses
import email
import io
import json
import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import icalendar
import pytest

from moderator.commands.player import joining
from moderator.common.errors import OperatorError
from moderator.common.mails import File, RenderedMail
from moderator.common.text import clean_line, escape_unprintable
from moderator.language.messages import load_sentences, render_note
from moderator.mail.build import compose_mail
from moderator.mail.clean import clean_to_one_line
from moderator.notifications.content import CalendarDate
from moderator.notifications.pages import LetterView, Page
from moderator.render import document
from moderator.render.calendar import format_calendar
from moderator.render.mail import render_mail
from moderator.rules.game import Note
from moderator.service.create import add_player, compute_lookalike_key
from moderator.store.tables import InboxRow
from moderator.tournaments import csv_file, trf_file
from moderator.tournaments.field import Entrant, TournamentState
from moderator.words import house_rulings
from tests.attack.post import BOSS, Still, everything, raw, started
from tests.cli.running import run_command, type_command
from tests.club.club import START, Club
from tests.club.test_joining import strangers_club
from tests.helpers import READ
from tests.pages.all_pages import pages

NAMES = tuple(sorted(file.stem for file in (Path(__file__).parents[1] / "golden" / "de").glob("*.txt")))
"""Of all sample mails; to ask ``all_pages`` for them would play matches while tests are collected."""

PEOPLE = re.compile(r"Anna|Jörg|Bert|Cici")
TAGS = (
    "<img src=x onerror=alert(1)>", "</p></td></table><h1>x</h1>", "<!-- ", "--><b>x</b>", "\"><script>x()</script>",
    "' onmouseover='x()", "<style>*{display:none}</style>", "&lt;b&gt;", "&#60;b&#62;", "<a href=javascript:x>y</a>",
    "]]><b>", "\u2028<b>x</b>", "＜b＞", "<svg/onload=x>", "<b", "javascript:alert(1)",
)  # fmt: skip
TEMPLATES = (
    "{{7*7}}", "{% include 'x' %}", "{# x #}", "{{ page.reader.address }}", "{name}", "{0.__class__}", "{count:a|b}",
    "%(name)s", "%s%n", "${7*7}", "$(id)", "`id`", "#{7*7}", "\\1\\g<0>", "@@board@@", "@@dark@@", "@@board1@@",
    "\ue000board\ue000", "\ue000dark\ue000", "\ue000board1\ue000",
)  # fmt: skip
LINES = (
    "Anna\nBcc: x@evil.example", "Anna\r\nBcc: x@evil.example", "Anna\rBcc: x@evil.example",
    "Anna\u0085Bcc: x@evil.example",
    "Anna\u2028Bcc: x@evil.example", "Anna\u2029Bcc: x", "Anna\vBcc: x", "Anna\fBcc: x", "Anna\x1cBcc: x",
    "Anna\n\n<b>body</b>", "Anna\r\n.\r\nMAIL FROM:<x>", "=?utf-8?q?Anna=0D=0ABcc=3A_x?=", "=?utf-8?b?QQ0KQmNjOiB4?=",
    "Anna\r\n\tBcc: x", "Anna\0Bcc: x", "Anna\x1b]0;x\x07", "\u202eannA", "A" * 10_000, "--=_a\r\n\r\nx",
    '"Anna" <x@evil>',
)  # fmt: skip
ALLOWED = {
    "From", "To", "Subject", "Date", "Message-ID", "Reply-To", "Auto-Submitted", "X-Auto-Response-Suppress",
    "Precedence", "List-Unsubscribe", "Content-Language", "MIME-Version", "Content-Type", "In-Reply-To", "References",
    "Thread-Topic", "Thread-Index", "Content-Transfer-Encoding",
}  # fmt: skip
"""Headers of our mails."""
KEPT = {
    "kind", "ruling", "language", "zone", "board", "game", "code", "pace", "counts", "status", "address", "seed",
    "commitment",
}  # fmt: skip
"""Fields that the program itself fills: keys, codes, numbers."""
OURS = ("moderator.notifications.pages", "moderator.render.mails.shown", "moderator.notifications.content")


class Structure(HTMLParser):
    """Tags with the names of their attributes, and the values that a program acts on."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br" and not attrs:
            return  # where a line is broken depends on the letters
        acting = [f"{name}={value}" for name, value in attrs if name in ("src", "style", "class", "id")]
        self.found.append((tag, *sorted(name for name, _ in attrs), *acting))

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"/{tag}",))

    def handle_comment(self, data: str) -> None:
        self.found.append(("!--", data))

    def handle_decl(self, decl: str) -> None:
        self.found.append(("!", decl))


def structure(html: str) -> list[tuple[str, ...]]:
    parser = Structure()
    parser.feed(html)
    parser.close()
    return parser.found


def named(value: Any, name: str) -> Any:
    """The same page with another name wherever a person's stands, in sentences and lists, too."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return PEOPLE.sub(lambda _: name, value)
    if isinstance(value, Mapping):
        return {key: named(item, name) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(named(item, name) for item in value) if type(value) in (tuple, list) else value
    if isinstance(value, Note | LetterView) or (dataclasses.is_dataclass(value) and value.__module__.startswith(OURS)):
        fields = [field.name for field in dataclasses.fields(value) if field.init and field.name not in KEPT]  # type: ignore[arg-type]
        return dataclasses.replace(value, **{key: named(getattr(value, key), name) for key in fields})  # type: ignore[type-var]
    return value


def with_words(name: str, words: str) -> Page:
    """A sample page in which everybody is called so, titles and letters included."""
    page = pages("de")[name]
    page = named(dataclasses.replace(page, reader=dataclasses.replace(page.reader, board="text")), words)
    match = dataclasses.replace(page.match, name=words) if page.match else None
    letter = f"{clean_line(words)}\n{clean_line(words)}"  # as service/round_letters.py keeps it
    press = tuple(dataclasses.replace(item, text=letter) for item in page.press)
    return dataclasses.replace(page, match=match, press=press, club=words)


def neutral(words: str) -> str:
    """As long, and of letters only."""
    return "X" * max(1, len(clean_line(words)))


def checked(name: str, words: str) -> RenderedMail:
    made, other = render_mail(with_words(name, words)), render_mail(with_words(name, neutral(words)))
    assert structure(made.html) == structure(other.html)
    return made


@pytest.mark.matrix("injected words", seconds=0.2)
@pytest.mark.parametrize("name", NAMES)
def test_no_name_and_no_letter_is_a_tag_a_template_or_a_mark_of_ours(name: str) -> None:
    """A quarter of the words, another one for the next page."""
    for words in (*TAGS, *TEMPLATES)[NAMES.index(name) % 4 :: 4]:
        made = checked(name, words)
        if words in TEMPLATES:
            whole = " ".join((made.subject, made.text, made.html))
            assert "49" not in whole or "49" in render_mail(with_words(name, neutral(words))).html
            assert (
                "__class__" in whole
                or words != "{0.__class__}"
                or "XXXX" not in render_mail(with_words(name, "X" * 5)).text
            )


@cache
def a_press_mail() -> str:
    return next(name for name in NAMES if pages("de")[name].press)


@pytest.mark.parametrize("words", LINES, ids=lambda words: ascii(words[:24]))
def test_no_name_subject_or_club_makes_a_header(words: str) -> None:
    """In every header that holds words of somebody's; the mail is read back by the standard library."""
    sender, reader = "games@club.example", "anna@home.example"
    for name in (a_press_mail(), "confirm" if "confirm" in NAMES else NAMES[0]):
        data = compose_mail(
            render_mail(with_words(name, words)), sender=sender, sender_name=words, recipient=reader,
            recipient_name=words,
            message_id="<a.b@club.example>", date=START, in_reply_to=f"<{words}@x>", references=[f"<{words}@x>", words],
            reply_to="games+K7Q2-8J3MZP4QXA@club.example", list_unsubscribe_mailto=sender, language="de",
        )  # fmt: skip
        head = data.partition(b"\r\n\r\n")[0].split(b"\r\n")
        assert all((len(line) <= 998 and min(line, default=32) >= 32) or line[:1] == b"\t" for line in head)
        read = email.message_from_bytes(data, policy=READ)
        assert [key for key in read if key not in ALLOWED] == []
        assert read["Bcc"] is None
        assert [a.addr_spec for a in read["To"].addresses] == [reader]
        assert [a.addr_spec for a in read["From"].addresses] == [sender]
        assert read.defects == []
        assert b"\n.\r\n" not in data.replace(b"\r\n", b"\n\r\n")


def test_a_sentence_says_a_value_and_never_fills_it() -> None:
    """A value that looks like a placeholder is printed as it is, also where it stands before other values."""
    keys = ("address", "answer", "sender", "subject", "reason")
    for words in (*TEMPLATES, *TAGS[:6]):
        shown = " ".join(words.replace("\ue000", " ").split()).replace("\u2028", " ")
        params = {**dict.fromkeys(keys, words), "mail": 1, "match": "K7Q2", "name": "Otto", "who": "Anna"}
        for code in ("tokens-guessed", "mail-quarantined", "mail-refused", "match-suspended"):
            said = render_note(Note(code, params), "de")
            assert shown in said
            assert "Otto" not in said
            assert code in load_sentences("de", None)


@pytest.mark.slow
@pytest.mark.parametrize("words", [*TAGS, *TEMPLATES, *LINES[:16]], ids=lambda words: ascii(words[:24]))
def test_orders_press_and_subjects_by_mail(still: Still, words: str) -> None:
    subject = " ".join(words.split())[:200]
    # At A1 nothing can be laid first, whatever Anna holds: »`id`« is a word.
    body = f"A1 w {words}\r\nHUGO {words}: {words}\r\nPresse sofort an alle:\r\n{words}\r\nENDE\r\n"
    found = still.tried(body, "From: anna@home.example", f"Subject: {subject}", to=still.seat(0))
    said = [str(mail["Subject"]) for mail in found.mails]
    assert {"anna@home.example"} <= set(found.to) <= {"anna@home.example", "bert@home.example", BOSS}, said
    assert len(found.to) == len(set(found.to)), said
    for mail in found.mails:
        assert [name for name in mail if name not in ALLOWED] == []
        html = mail.get_body(("html",))
        tags = {tag[0] for tag in structure(str(html.get_content()))}
        assert not tags & {"script", "img", "svg", "iframe", "form", "base", "object", "!--", "h6"}


def test_a_letter_cannot_put_a_board_or_style_into_anothers_mail() -> None:
    """What stands for the board while a mail is laid out cannot be written by anybody."""
    mark = document._BOARD_MARK
    assert len(set(mark)) > 8  # by chance alone: it is another one in each process
    marks = [re.sub("[0-9a-f]{16}", "0123456789abcdef", mark), mark[:-1]]
    name = a_press_mail()
    clean = render_mail(with_words(name, "XXX"))
    made = render_mail(with_words(name, " ".join([*marks, "@@board@@"])))
    assert made.html.count("<pre") == clean.html.count("<pre")
    assert made.html.count("<style") == clean.html.count("<style")


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
    with still.club.work() as work:
        called = joining.choose_free_name(work.session, work.config, clean_to_one_line(name, 200), "x@far.example")
        assert called.endswith(" 2")
        assert compute_lookalike_key(called) != compute_lookalike_key("Anna")
        if name.isprintable() and name != "Anna.":
            with pytest.raises(OperatorError):
                add_player(work.session, name, "x@far.example", still.club.now)


def test_who_is_called_otherwise_keeps_the_name(club: Club) -> None:
    with club.work() as work:
        for other in ("Hanne", "Änna", "Anna-Lena", "Hanna", "Вова"):
            assert joining.choose_free_name(work.session, work.config, other, "x@far.example") == other
            assert (
                add_player(work.session, other, f"x{ord(other[0])}.{ord(other[-1])}@far.example", club.now).name
                == other
            )
        # In either form of Unicode it is one name.
        assert add_player(work.session, "Jo\u0308rg", "j@far.example", club.now).name == "Jörg"
        with pytest.raises(OperatorError):
            add_player(work.session, "Jörg", "k@far.example", club.now)


def test_nobody_signs_up_as_the_moderator(still: Still) -> None:
    same = "moderator|Moderator|Der Spielleiter|Mоderator|SpieIleiter|MODERATOR|alle|SL|Admin|Ende"
    with still.club.work() as work:
        for name in same.split("|"):
            assert joining.choose_free_name(work.session, work.config, name, "xaver@far.example") == "Xaver", name


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
    with still.club.work() as work:
        first = clean_to_one_line(written.splitlines()[0], 200) if written.splitlines() else ""
        found = joining.choose_free_name(work.session, work.config, first, "xaver@far.example")
    assert found in (kept, f"{kept} 2")


def test_the_question_to_a_stranger_carries_nothing_of_anothers(tmp_path: Path) -> None:
    """Somebody lets the club write to a stranger: no link goes along, only a name of letters; who is forged for
    sure is not asked."""
    club = strangers_club(tmp_path, "open")
    forged = "Authentication-Results: mx.club.example; dmarc=fail header.from=far.example"
    raw(club, "Mitspielen", "From: victim@far.example", forged)
    assert club.mails() == []
    body = "Mitspielen www.evil.example/x http://evil.example KAUFT"
    raw(club, body, "From: victim@far.example", "Subject: evil.example")
    said = everything(club.mail("victim@"))
    assert "evil.example" not in said
    assert "http://evil" not in said


@pytest.mark.slow
@pytest.mark.parametrize("names", [EVIL[at : at + 6] for at in range(0, len(EVIL), 6)], ids=["paths", "cells", "marks"])
def test_such_players_play_as_any_other(club: Club, names: tuple[str, ...]) -> None:
    """Through every file that a name gets into; none is written outside its folder."""
    with club.work() as work:
        players = [add_player(work.session, name, f"e{n}@home.example", club.now) for n, name in enumerate(names)]
        for player in players:
            player.board = "text"
        kept = [player.name for player in players]
    before = {path for path in club.folder.parent.rglob("*") if "mail" not in path.parts}
    code = club.match("Anna", *kept[:3], pass_rounds=1)
    other = club.start("Anna", *kept[3:], pass_rounds=1)
    for body in ("Kalender", "Verlauf", "Stand", "passe"):
        club.order("Anna", code, 0, body)
        club.order("Anna", other, 0, f"{body}\n")
    club.tick()
    for n in range(6):
        assert not club.hand_in(f"e{n}@home.example", (code, other)[n // 3], n % 3 + 1, "passe").quarantined
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
    text = csv_file.format_entrants_csv(TournamentState("robin", entrants))
    row = list(csv.reader(io.StringIO(text)))[1]
    assert not row[1].startswith(("=", "+", "-", "@", "\t"))
    assert [one.name for one in csv_file.parse_entrants_csv(text)] == [name, "Bert"]
    states = ((one, TournamentState("robin", (Entrant(1, one), entrants[1]), rounds=1)) for one in (name, "X"))
    report, other = (trf_file.format_trf(state, one).splitlines()[1:] for one, state in states)
    assert [line[:9] for line in report] == [line[:9] for line in other]


TITLES = (
    "x\nEND:VEVENT", "x\r\nATTENDEE:mailto:x@y", "x;TZID=y", "x,y\\n", "x\u2028y", 'x":y', "x" * 3000, "BEGIN:VALARM",
    "\x00\x1b",
)  # fmt: skip


@pytest.mark.parametrize("title", TITLES, ids=lambda title: ascii(title)[:20])
def test_calendars(title: str) -> None:
    date = CalendarDate("K7Q2-zat@club.example", 1, START, title, title)
    made = icalendar.Calendar.from_ical(format_calendar([date], language="de", name=title, now=START))
    kinds = [part.name for part in made.walk()]
    assert kinds == ["VCALENDAR", "VEVENT", "VALARM"]
    event = made.walk("VEVENT")[0]
    assert "ATTENDEE" not in event
    assert set(event) == {"UID", "SEQUENCE", "DTSTAMP", "DTSTART", "SUMMARY", "DESCRIPTION", "TRANSP"}


@pytest.mark.parametrize("name", ["../../x", "x\r\nBcc: y", 'x"; y="z', "CON/..", "x\0", "ü", "x y", ""])
def test_a_file_has_a_plain_name_or_is_not_sent(name: str) -> None:
    page = RenderedMail("x", "x", "x", {}, (File(name, "text/plain", b""),))
    to = {"sender": "a@b.c", "sender_name": "", "recipient": "a@b.c", "recipient_name": "", "message_id": "<a@b.c>"}
    with pytest.raises(OperatorError):
        compose_mail(page, **to, date=START)  # type: ignore[arg-type]


def test_a_reason_is_one_cell_of_the_house_list(tmp_path: Path) -> None:
    for reason in ("x\tdeny\ty", "x\nHAUS\t\t\tdeny", "x\u2028HAUS\t\t\tdeny", "# x", "x\x1b[2J", "x\r\nHAUS"):
        path = tmp_path / f"{len(reason)}.{ord(reason[1])}.tsv"
        house_rulings.append_ruling(path, house_rulings.HouseRuling("QUARK", "allow", reason=reason, date="2026-11-20"))
        found = house_rulings.read_house_list(path)
        assert [(one.word, one.ruling, one.scope) for one in found] == [("QUARK", "allow", "all")]


SCREEN = "\x1b]0;owned\x07\x1b[2J\x1b[31mx\x9b31m\u202egpj.exe\x08\x08\rhidden\x7f"


def test_nothing_from_outside_moves_the_cursor(club: Club) -> None:
    started(club)
    part = SCREEN.replace("\r", "")
    raw(club, SCREEN, f"From: {part} <x@far.example>", f"Subject: {part}", f"X: {part}")
    with club.work() as work:
        row = work.session.get_one(InboxRow, 1)
        row.state, row.note = "quarantine", f"ValueError: {SCREEN}"
    for command in (["quarantine", "list", "--all"], ["quarantine", "show", "1"], ["audit"], ["tick", "-v"]):
        output = run_command(club, *command).output
        assert output.replace("\n", "").replace("\t", "").isprintable(), command
    assert "\\x1b" in type_command(club, "quarantine", "show", "1")


def test_a_record_from_somebody_else_does_not_either(club: Club) -> None:
    code = started(club, pass_rounds=1)
    for seat, name in enumerate(("Anna", "Bert")):
        club.hand_in(name, code, seat, "passe")
    file = club.folder / "record.json"
    file.write_text(type_command(club, "export", code).replace("Anna", json.dumps(SCREEN)[1:-1]), encoding="utf-8")
    for command in ("replay", "verify", "analyse"):
        result = run_command(club, command, file)
        words = result.output + (str(result.exception) if isinstance(result.exception, OperatorError) else "")
        assert escape_unprintable(words) == words, command
