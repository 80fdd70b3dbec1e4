"""Who looks for addresses finds none: nothing shows another person's, nor whether somebody plays here."""

import json
import re
from pathlib import Path

import pytest

from moderator.common.mails import RenderedMail
from moderator.notifications.pages import Page, list_match_pages
from moderator.service.create import get_player
from moderator.service.tournaments import exchange
from moderator.views.tournament_rows import StoredTournament
from tests.attack.post import VOUCHED, Still, everything, raw, seat_address, started, ticked
from tests.cli.running import type_command
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
    """Of all kinds of mail; the moderator's own name players, and a change of address the new one."""
    for name in [*names()][::4]:
        page = pages("de")[name]
        if page.kind not in MAY_NAME and name != "done-settings":
            assert shown_of_others(page, mail("de", name)) == set(), name


MAY_NAME = ("boss", "notice", "ruling", "ruled", "protest", "address", "signup", "welcome")
"""Kinds of mail that name an address."""


def shown_of_others(page: Page, made: RenderedMail) -> set[str]:
    known = {page.reader.address, page.reply.address if page.reply else ""}
    known |= {line.reply.address for line in getattr(page.content, "matches", ()) if hasattr(line, "reply")}
    known |= {part.reply.address for part in list_match_pages(page.content) if part.reply}
    found = ADDRESS.findall(f"{made.subject} {made.text} {made.html}".replace("%40", "@").replace("%2B", "+"))
    left = {one for one in found if one not in known and not one.startswith(("moderator@", "games"))}
    return {one for one in left if one.lower() not in EXAMPLES} - set(made.images)


def test_nor_does_an_answer_of_the_pairs() -> None:
    for file in PAIRS:
        written, *answers = re.split(r"^===== to ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for answer in answers:
            reader, _, told = answer.partition(":")
            found = {one for one in strange(told, reader) if one.endswith("@home.example")}
            if reader != "boss@club.example":
                assert {one for one in found if one not in written.lower()} == set(), file


@pytest.mark.slow
def test_nor_does_any_mail_of_a_match(club: Club) -> None:
    with club.work() as work:
        get_player(work.session, "Cici").digest = True
    code = started(club, "Anna", "Bert", "Cici", pass_rounds=2)
    for line in ASKING:
        club.order("Anna", code, 0, f"{line}\nGruß {club.sent}")
    ticked(club)
    while club.row(code).status == "running":
        for seat in club.live(code).table.state.to_move:
            club.order(("Anna", "Bert", "Cici")[seat], code, seat, "passe\nPresse an alle: so")
            ticked(club)
        club.let_pass(days=1)
    club.read.clear()
    count = 0
    for one in club.mails():
        reader = str(one["To"]).partition("<")[2].strip(">")
        told = everything(one)
        if reader == "boss@club.example" or str(one["Subject"]).endswith("Adresse?") or "neue Adresse" in told:
            continue  # the moderator knows all; Anna has named the address herself
        allowed = {"bert@home.example", "boss@club.example"} if reader == "anna@home.example" else set()
        told = "\n".join(line for line in told.splitlines() if not line.startswith(IDS))
        assert strange(told, reader) - allowed == set()
        count += 1
    assert count > 20


@pytest.mark.slow
def test_nor_does_a_record_a_table_or_the_archive(club: Club) -> None:
    code = started(club, pass_rounds=1)
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, "passe")
        ticked(club)
    record = type_command(club, "export", code)
    assert json.loads(record)
    tournament = tournament_club.found(club, "robin", ["Anna", "Bert", "Cici"])
    club.let_pass(days=3)
    with tournament_club.at(club, tournament) as (work, row):
        files = "".join(
            [
                exchange.format_tournament_trf(StoredTournament(work.session, row)),
                *exchange.format_tournament_csv(StoredTournament(work.session, row)).values(),
            ]
        )
    assert "Anna" in files
    assert not ADDRESS.findall(record + files)
    assert club.token(code, 0) not in record


@pytest.mark.parametrize("signup", ["open", pytest.param("closed", marks=pytest.mark.slow)])
def test_a_stranger_learns_of_nobody(tmp_path: Path, signup: str) -> None:
    """Under whichever address and with whatever question: the one who asks reads the same whether Anna plays or not."""
    club = strangers_club(tmp_path, signup)
    evil = ["From: evil@evil.example", "Authentication-Results: mx.club.example; dmarc=pass header.from=evil.example"]
    mails = []
    for name in ("anna@home.example", "nobody@home.example"):
        for word in ("Mitspielen", "Adresse", "Presse an", "Wer ist", "Stand"):
            raw(club, f"{word} {name}", *evil)
        (answer,) = club.mails("evil@")
        mails.append(re.sub(r"anna|nobody", "x", text(answer), flags=re.IGNORECASE))
        club.wait(days=2)
    assert mails[0] == mails[1]


def test_who_writes_as_anna_gets_nothing(club: Club) -> None:
    """The club answers to the address that it knows; the stranger cannot tell a player's address from another."""
    code = started(club)
    for headers in (["From: anna@home.example", "Reply-To: evil@evil.example"], ["From: nobody@home.example"]):
        raw(club, "Mitspielen", *headers, "Return-Path: <evil@evil.example>", "Errors-To: evil@evil.example")
    assert {str(one["To"]).partition("<")[2] for one in club.mails()} <= {"anna@home.example>", "boss@club.example>"}
    club.write("finder@far.example", "Stand", to=seat_address(club, code, 0))
    ticked(club)
    assert [str(one["To"]).partition("<")[2] for one in club.mails()] == ["anna@home.example>"]


def test_a_player_who_asks_for_a_taken_address_is_not_told_whose(still: Still) -> None:
    vouched = "Authentication-Results: " + VOUCHED
    found = still.tried("Adresse cici@home.example", "From: anna@home.example", vouched)
    assert found.state == "done"
    assert all("Cici" not in everything(one) for one in found.mails if "anna@" in str(one["To"]))
