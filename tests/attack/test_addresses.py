"""Who looks for addresses finds none: nothing shows another person's, nor whether somebody plays here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli import cli
from moderator.pages.content import parts
from moderator.play.tournaments import exchange
from moderator.store.models import Inbox
from tests.attack.post import VOUCHED, everything, raw, seat_address, started, ticked
from tests.club import tournament_club
from tests.club.club import Club, text
from tests.club.test_joining import strangers_club
from tests.pages.all_pages import mail, names, pages

ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
EXAMPLES = {"neu@beispiel.de", "new@example.org"}
"""How a command is written, in the help."""
PAIRS = sorted((Path(__file__).parent.parent / "pairs").rglob("*.txt"))
ASKING = (
    "Hilfe", "Stand", "Übersicht", "Brett", "Steine", "Verlauf", "Kalender", "Regeln", "Mail noch einmal",
    "Pünktlichkeit", "Mitspielen", "Turnier", "Rangliste", "Archiv",
    "Abwesend 1.12.2026 - 5.12.2026", "Einspruch: das war falsch",
    "Presse sofort an alle: hu", "Presse an Bert: hu",
    "Presse an alle: bis bald", "Einzelzug an", "Zusehen",
    "Sammelmail an", "Adresse bert@home.example", "Adresse boss@club.example", "Aufgeben",
)  # fmt: skip


def strange(told: str, reader: str) -> set[str]:
    """Addresses in a mail that are neither its reader's nor the club's."""
    plain = told.replace("%40", "@").replace("%2B", "+")
    found = {address.lower() for address in ADDRESS.findall(plain)}
    return {
        one for one in found - EXAMPLES if one != reader and not re.fullmatch(r"games(\+[\w-]+)?@club\.example", one)
    }


IDS = ("Message-ID:", "In-Reply-To:", "References:")
"""Headers that hold something like an address; the reader's own Message-IDs are in them, never another's."""


@pytest.mark.slow
def test_no_sample_mail_shows_anothers_address() -> None:
    for case in [*names()][::4]:
        shows_no_others_address(case)


def shows_no_others_address(name: str) -> None:
    """Of all kinds of mail; the moderator's own name players, and a change of address the new one."""
    page = pages("de")[name]
    if (
        page.kind in ("boss", "notice", "ruling", "ruled", "protest", "address", "signup", "welcome")
        or name == "done-settings"
    ):
        return
    made = mail("de", name)
    known = {page.reader.address, page.reply.address if page.reply else ""}
    known |= {line.reply.address for line in getattr(page.content, "matches", ()) if hasattr(line, "reply")}
    known |= {part.reply.address for part in parts(page.content) if part.reply}
    found = ADDRESS.findall(f"{made.subject} {made.text} {made.html}".replace("%40", "@").replace("%2B", "+"))
    left = {one for one in found if one not in known and not one.startswith(("moderator@", "games"))}
    assert {one for one in left if one.lower() not in EXAMPLES} <= set(made.images)


@pytest.mark.parametrize("file", PAIRS, ids=lambda file: file.stem)
def test_nor_does_an_answer_of_the_pairs(file: Path) -> None:
    """What a player or the moderator may write, and what was answered to whom."""
    _, *answers = re.split(r"^===== to ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    written = file.read_text(encoding="utf-8").partition("=====")[0]
    for answer in answers:
        reader, _, told = answer.partition(":")
        if reader != "boss@club.example":
            found = {one for one in strange(told, reader) if one.endswith("@home.example")}
            assert {one for one in found if one not in written.lower()} == set()


@pytest.mark.matrix("attack")
def test_nor_does_any_mail_of_a_match(club: Club) -> None:
    """Anna asks for all that there is; then the match is played to its end, with letters and a protest."""
    with club.desk() as desk:
        from moderator.play.create import find_player

        find_player(desk.session, "Cici").digest = True
    code = started(club, "Anna", "Bert", "Cici", pass_rounds=2)
    for line in ASKING:
        club.order("Anna", code, 0, f"{line}\nGruß {club.sent}")
    ticked(club)
    for _ in range(12):
        for seat, name in enumerate(("Anna", "Bert", "Cici")):
            if seat in club.live(code).table.state.to_move and club.row(code).status == "running":
                club.order(name, code, seat, "passe\nPresse an alle: so")
                ticked(club)
        club.wait(days=1)
        club.tick()
    club.read.clear()
    count = 0
    for one in club.mails():
        reader = str(one["To"]).partition("<")[2].strip(">")
        if reader == "boss@club.example":
            continue
        told = everything(one)
        if str(one["Subject"]).endswith("Adresse?") or "neue Adresse" in told:
            continue  # the question about an address that Anna has named herself
        allowed = {"bert@home.example", "boss@club.example"} if reader == "anna@home.example" else set()
        told = "\n".join(line for line in told.splitlines() if not line.startswith(IDS))
        assert strange(told, reader) - allowed == set()
        count += 1
    assert count > 20


@pytest.mark.matrix("attack")
def test_nor_does_a_record_a_table_or_the_archive(club: Club) -> None:
    code = started(club, pass_rounds=1)
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, "passe")
        ticked(club)
    config = str(club.folder / "moderator.toml")
    record = CliRunner().invoke(cli, ["--config", config, "export", code]).output
    assert json.loads(record)
    tournament = tournament_club.found(club, "robin", ["Anna", "Bert", "Cici"])
    club.wait(days=3)
    club.tick()
    with tournament_club.at(club, tournament) as (desk, row):
        files = "".join([exchange.as_trf(desk.session, row), *exchange.as_csv(desk.session, row).values()])
    assert "Anna" in files
    assert not ADDRESS.findall(record + files)
    assert club.token(code, 0) not in record


@pytest.mark.parametrize("signup", ["open", pytest.param("closed", marks=pytest.mark.matrix("attack"))])
def test_a_stranger_learns_of_nobody(tmp_path: Path, signup: str) -> None:
    """Under whichever address and with whatever question: the one who asks reads the same whether Anna plays or not."""
    club = strangers_club(tmp_path, signup)
    evil = ["From: evil@evil.example", "Authentication-Results: mx.club.example; dmarc=pass header.from=evil.example"]
    mails = []
    for name in ("anna@home.example", "nobody@home.example"):
        for word in ("Mitspielen", "Adresse", "Presse an", "Wer ist", "Stand"):
            raw(club, f"{word} {name}", *evil)
        mails.append(club.mails("evil@"))
        club.wait(days=2)
    assert [len(one) for one in mails] == [1, 1]
    before, after = (re.sub(r"anna|nobody", "x", text(one[0]), flags=re.IGNORECASE) for one in mails)
    assert before == after


def test_who_writes_as_anna_gets_nothing(club: Club) -> None:
    """The club answers to the address that it knows; the stranger cannot tell a player's address from another."""
    started(club)
    for headers in (["From: anna@home.example", "Reply-To: evil@evil.example"], ["From: nobody@home.example"]):
        raw(club, "Mitspielen", *headers, "Return-Path: <evil@evil.example>", "Errors-To: evil@evil.example")
    assert {str(one["To"]).partition("<")[2] for one in club.mails()} <= {"anna@home.example>", "boss@club.example>"}


def test_a_token_from_elsewhere_does_not_tell_whose_it_is(club: Club) -> None:
    code = started(club)
    club.write("finder@far.example", "Stand", to=seat_address(club, code, 0))
    ticked(club)
    assert club.mails("finder") == []
    assert len(club.mails("anna")) == 1


def test_a_player_who_asks_for_a_taken_address_is_not_told_whose(club: Club) -> None:
    started(club)
    raw(club, "Adresse cici@home.example", "From: anna@home.example", "Authentication-Results: " + VOUCHED)
    mails = club.mails()
    assert all("Cici" not in everything(one) for one in mails if "anna@" in str(one["To"]))
    with club.desk() as desk:
        assert desk.session.get_one(Inbox, 1).state == "done"
