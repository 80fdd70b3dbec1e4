"""A new address counts when both mailboxes have said yes."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from sqlmodel import select

from moderator.store.models import AddressChange, Player
from tests.club.club import Club, plain_boards, text

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
NEW = "anna@new.example"


@pytest.fixture
def asked(club: Club) -> tuple[str, EmailMessage, EmailMessage]:
    """(match, question to the old mailbox, question to the new one)"""
    plain_boards(club)
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.write("Anna", f"Adresse {NEW}", Authentication_Results=VOUCHED)
    club.tick()
    old, receipt = club.mails("anna@home")
    assert "games+ADDR" not in str(receipt["Reply-To"])
    return code, old, club.mail(NEW)


def address(club: Club) -> str | None:
    with club.desk() as desk:
        return desk.session.exec(select(Player).where(Player.name == "Anna")).one().address


def says(club: Club, mail: EmailMessage, word: str) -> None:
    club.write("somebody@else.example", word, to=str(mail["Reply-To"]))
    assert not club.tick().quarantined


@pytest.mark.parametrize("first", [0, 1])
def test_both_must_say_yes(club: Club, asked: tuple[str, EmailMessage, EmailMessage], first: int) -> None:
    code, *questions = asked
    says(club, questions[first], "JA")
    assert address(club) == "anna@home.example"
    assert "JA" in text(club.mails()[-1])
    says(club, questions[1 - first], "yes, please")
    assert address(club) == NEW
    assert len(club.mails("anna@home")) == len(club.mails(NEW)) == 1
    club.write(NEW, "passe", to=f"games+{code}-{club.token(code, 0)}@club.example")
    club.tick()
    assert club.live(code).table.state.to_move == (1,)
    assert club.mails(NEW)


@pytest.mark.parametrize("who", [0, 1])
def test_one_no_ends_it(club: Club, asked: tuple[str, EmailMessage, EmailMessage], who: int) -> None:
    _, *questions = asked
    says(club, questions[who], "NEIN")
    assert len(club.mails()) == 2
    for mail in questions:
        says(club, mail, "JA")
    assert address(club) == "anna@home.example"
    assert club.mails() == []


def test_yes_twice_from_one_mailbox_is_once(club: Club, asked: tuple[str, EmailMessage, EmailMessage]) -> None:
    _, _, new = asked
    says(club, new, "JA")
    says(club, new, "JA")
    assert address(club) == "anna@home.example"


def test_neither_is_asked_again(club: Club, asked: tuple[str, EmailMessage, EmailMessage]) -> None:
    _, old, new = asked
    says(club, old, "Wie bitte?")
    assert str(club.mail("anna@home")["Reply-To"]) == str(old["Reply-To"])
    says(club, new, "hm")
    assert str(club.mail(NEW)["Reply-To"]) == str(new["Reply-To"])


def test_a_week_and_no_longer(club: Club, asked: tuple[str, EmailMessage, EmailMessage]) -> None:
    _, old, new = asked
    says(club, old, "JA")
    club.wait(days=7, minutes=1)
    club.tick()
    club.mails()
    says(club, new, "JA")
    assert address(club) == "anna@home.example"
    assert "vorbei" in text(club.mail(NEW))


def test_a_new_wish_replaces_the_old_one(club: Club, asked: tuple[str, EmailMessage, EmailMessage]) -> None:
    _, old, new = asked
    club.write("Anna", "Adresse: anna@third.example", Authentication_Results=VOUCHED)
    club.tick()
    for mail in (old, new):
        says(club, mail, "JA")
    assert address(club) == "anna@home.example"
    with club.desk() as desk:
        rows = desk.session.exec(select(AddressChange)).all()
        assert [row.closed_at is None for row in rows] == [False, True]


def test_taken_meanwhile(club: Club, asked: tuple[str, EmailMessage, EmailMessage]) -> None:
    _, old, new = asked
    with club.desk() as desk:
        cici = desk.session.exec(select(Player).where(Player.name == "Cici")).one()
        cici.address = NEW
        desk.session.add(cici)
    says(club, old, "JA")
    says(club, new, "JA")
    assert address(club) == "anna@home.example"


@pytest.mark.parametrize(
    "wanted", ["bert@home.example", "anna@home.example", "games@club.example", "games+x-1@club.example", "a@b@c"]
)
def test_addresses_that_cannot_be(club: Club, wanted: str) -> None:
    club.write("Anna", f"Adresse {wanted}", Authentication_Results=VOUCHED)
    club.tick()
    assert [str(mail["To"]).split("<")[-1].rstrip(">") for mail in club.mails()] == ["anna@home.example"]
    with club.desk() as desk:
        assert desk.session.exec(select(AddressChange)).first() is None


def test_a_dead_mailbox_is_not_asked(club: Club) -> None:
    """Anna writes from her new address with her seat's token; the moderator is asked instead of the old mailbox."""
    plain_boards(club)
    code = club.match("Anna", "Bert")
    club.tick()
    with club.desk() as desk:
        anna = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
        anna.undeliverable = "5.1.1"
        desk.session.add(anna)
    club.mails()
    club.write(NEW, f"Adresse {NEW}", to=f"games+{code}-{club.token(code, 0)}@club.example")
    club.tick()
    told = club.mail("boss")
    assert f'moderator player set "Anna" --address {NEW}' in text(told)
    question = club.mail(NEW)
    says(club, question, "JA")
    assert address(club) == "anna@home.example"
    assert "Spielleiter" in text(club.mail(NEW))


def test_the_moderator_sets_it_at_once(club: Club, asked: tuple[str, EmailMessage, EmailMessage]) -> None:
    from click.testing import CliRunner

    from moderator.cli.run import cli

    _, old, new = asked
    done = CliRunner().invoke(
        cli, ["--config", str(club.config.file), "player", "set", "Anna", "--address", "anna@fourth.example"]
    )
    assert done.exit_code == 0, done.output
    assert address(club) == "anna@fourth.example"
    for mail in (old, new):
        says(club, mail, "JA")
    assert address(club) == "anna@fourth.example"
