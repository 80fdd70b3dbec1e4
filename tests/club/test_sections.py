"""Cutting a mail into matches and commands, and the tokens that its addresses carry; which ordinary lines of letters
and signatures are read as commands, and that none of them changes an address."""

from pathlib import Path

import pytest

from moderator.commands.declaration import find_command
from moderator.common import tokens
from moderator.common.mails import Line
from moderator.inbox.match_names import MatchName, MatchNameReader
from moderator.inbox.read import split_sections
from tests.club.club import Club, text


def lines(text: str) -> list[Line]:
    return [Line(n, line) for n, line in enumerate(text.splitlines(), start=1)]


def commands(text: str, writer: str = "") -> list[str]:
    return [command.name for section in split_sections(lines(text), writer=writer) for command in section.commands]


MINE = MatchNameReader([MatchName("K7Q2"), MatchName("M4X9")])


@pytest.mark.parametrize(
    "heading",
    ["Partie K7Q2", "partie k7q2:", "[K7Q2]", "K7Q2:", "K7Q2", "Game K7Q2", "match K7Q2 :", "[K7Q2-8J3MZP4QXA]"],
)
def test_a_heading_says_which_match_follows(heading: str) -> None:
    (section,) = split_sections(lines(f"{heading}\nE5 w HAUS"), naming=MINE)
    assert section.code == "K7Q2"
    assert [line.text for line in section.lines] == ["E5 w HAUS"]


def test_an_order_may_stand_behind_the_heading_and_several_matches_in_one_mail() -> None:
    (section,) = split_sections(lines("K7Q2: E5 w HAUS"))
    assert (section.code, section.lines) == ("K7Q2", [Line(1, "E5 w HAUS")])
    sections = split_sections(lines("E5 w HAUS\nK7Q2:\nC3 s MOND\nM4X9\npasse\nK7Q2: A1 w AUS"), naming=MINE)
    assert {s.code: [line.text for line in s.lines] for s in sections} == {
        "": ["E5 w HAUS"],
        "K7Q2": ["C3 s MOND", "A1 w AUS"],
        "M4X9": ["passe"],
    }


@pytest.mark.parametrize(
    "line", ["E5 w HAUS", "5E senkrecht Haus", "HAUS E5 s", "E5wAH", "E5sAB", "e5hAB", "C3vAH", "A1"]
)
def test_an_order_is_never_taken_for_a_heading(line: str) -> None:
    (section,) = split_sections(lines(line))
    assert (section.code, section.lines) == ("", [Line(1, line)])


@pytest.mark.parametrize(
    ("line", "writer", "expected"),
    [
        ("HILFE", "", ["help"]),
        ("help!", "", ["help"]),
        ("Zurückziehen", "", ["withdraw"]),
        ("zurueckziehen", "", ["withdraw"]),
        ("Anne", "Anne", []),
        ("Anne", "Bert", []),
        ("annehmen", "Anne", ["agree"]),
        ("Stan", "Stan Laub", []),
        ("Stan.", "Stan", []),
        ("stan", "Bert", ["status"]),
        ("Stand", "Stand", ["status"]),
        ("Stand.", "", ["status"]),
    ],
)
def test_a_word_is_a_command_and_a_name_below_a_mail_is_none(line: str, writer: str, expected: list[str]) -> None:
    assert commands(f"passe\n{line}", writer) == expected


def test_codes_and_tokens_are_found_in_addresses_and_subjects() -> None:
    texts = ["games+k7q2-8j3mzp4qxa@example.org", "Re: [K7Q2-8J3MZP4QXA] Topwords", "nobody@example.org"]
    assert tokens.find_tokens(texts) == [("K7Q2", "8J3MZP4QXA")]
    assert tokens.find_bracketed_code("Re: AW: [K7Q2] Topwords") == "K7Q2"
    # letters that read alike are one
    assert tokens.find_tokens(["[K7Q2-8J3MZP4Q0O]"]) == [("K7Q2", "8J3MZP4Q00")]
    assert tokens.tokens_equal("OIL0123456", "0110123456")


def test_new_codes_and_tokens_are_read_back_and_without_sub_addresses_the_plain_one_is_used() -> None:
    for long in (False, True) * 200:
        code, token = tokens.generate_match_code(long), tokens.generate_token()
        assert tokens.CODE.fullmatch(code)
        assert tokens.find_tokens([tokens.build_token_address("games@example.org", "+", code, token)]) == [
            (code, token)
        ]
    assert tokens.build_token_address("games@example.org", "", "K7Q2", "8J3MZP4QXA") == "games@example.org"


LISTED = (Path(__file__).parent / "ordinary_lines.txt").read_text(encoding="utf-8").splitlines()
"""Lines of signatures and letters. Those with a ``!`` are commands, word for word, or nobody can say that they are not;
each was looked at. They show something, or ask back, or are what somebody writes who wants just that."""
ORDINARY = [line[2:] for line in LISTED]
MEANT = [line[2:] for line in LISTED if line.startswith("!")]


def test_of_ordinary_lines_only_those_are_commands_that_were_looked_at_and_none_changes_the_address() -> None:
    """A line that comes to be one by a new word of the vocabulary shows here."""
    assert [line for line in ORDINARY if commands(line)] == MEANT
    named = [line for line in ORDINARY if (found := find_command(line)) is not None and found[0].name == "address"]
    assert named == ["Adresse: anna@firma.example", "Address: anna@firm.example"]  # as the help has it, but see below


SIGNED = ("Mit freundlichen Grüßen", "Viele Grüße", "LG Anna", "Gruß", "Kind regards", "Cheers", "-- Best wishes --")
REACHED = (
    "Tel.: 030 12345-67", "www.firma.example", "Mobil 0170 1234567", "Fax: 030 12345-68", "https://firma.example",
)  # fmt: skip
MAILBOXES = tuple(
    f"{word}{sign}anna@firma.example"
    for word in ("E-Mail", "Email", "eMail", "Mail", "e-mail", "Mailadresse", "E-Mail-Adresse", "Adresse", "Address")
    for sign in (": ", " ", ":")
)


def test_a_signature_changes_no_address_and_explicit_wishes_are_understood() -> None:
    """Below a closing formula, or beside a telephone number, even the documented words are none."""
    for mailbox in MAILBOXES:
        for closing in SIGNED:
            assert commands(f"E5 w HAUS\n{closing}\nAnna Muster\n{mailbox}") == [], (closing, mailbox)
        for contact in REACHED:
            assert commands(f"E5 w HAUS\nAnna Muster\n{contact}\n{mailbox}") == [], (contact, mailbox)
            assert commands(f"E5 w HAUS\nAnna Muster\n{mailbox}\n{contact}") == [], (contact, mailbox)
    for wish in WISHES:
        found = find_command(wish)
        assert found is not None, wish
        assert (found[0].name, found[1].split()[-1].lower()) == ("address", "neu@home.example"), wish


WISHES = (
    "Adresse neu@home.example", "Adresse: neu@home.example", "Adresse auf neu@home.example", "ADRESSE NEU@HOME.EXAMPLE",
    "Neue Adresse: neu@home.example", "Meine neue E-Mail-Adresse ist neu@home.example", "neue Mail: neu@home.example",
    "Meine neue Adresse lautet: neu@home.example", "Adresse ändern: neu@home.example", "Neue E-Mail neu@home.example",
    "E-Mail-Adresse ändern in neu@home.example", "Mailadresse neu: neu@home.example", "Address neu@home.example",
    "New address: neu@home.example", "My new email address is neu@home.example", "Change address to neu@home.example",
    "My new e-mail address is now neu@home.example", "Change my email: neu@home.example", "address to neu@home.example",
)  # fmt: skip


@pytest.mark.parametrize("line", ["E-Mail: anna@firma.example", "Email: anna@home.example"])
def test_a_move_above_a_signature_is_all_that_a_mail_says(club: Club, code: str, line: str) -> None:
    body = (
        f"passe\n\nMit freundlichen Grüßen\nAnna Muster\nMuster GmbH\nTel.: 030 12345-67\n{line}\nwww.firma.example\n"
    )
    club.hand_in("Anna", code, 0, body)
    told = club.mail("Anna")
    assert told["Subject"].startswith("✓")
    assert "nicht verstanden" not in text(told)
    assert not club.mails("firma")
