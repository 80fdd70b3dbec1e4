"""Cutting a mail into matches and commands, and the tokens that its addresses carry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.club import tokens
from moderator.inbox.naming import Called, Naming
from moderator.inbox.sections import cut
from moderator.mail.model import Line


def lines(text: str) -> list[Line]:
    return [Line(n, line) for n, line in enumerate(text.splitlines(), start=1)]


MINE = Naming([Called("K7Q2"), Called("M4X9")])


@pytest.mark.parametrize(
    "heading",
    ["Partie K7Q2", "partie k7q2:", "[K7Q2]", "K7Q2:", "K7Q2", "Game K7Q2", "match K7Q2 :", "[K7Q2-8J3MZP4QXA]"],
)
def test_a_heading_says_which_match_follows(heading: str) -> None:
    (section,) = cut(lines(f"{heading}\nE5 w HAUS"), naming=MINE)
    assert section.code == "K7Q2"
    assert [line.text for line in section.lines] == ["E5 w HAUS"]


def test_an_order_may_stand_behind_the_heading() -> None:
    (section,) = cut(lines("K7Q2: E5 w HAUS"))
    assert (section.code, section.lines) == ("K7Q2", [Line(1, "E5 w HAUS")])


def test_several_matches_in_one_mail() -> None:
    sections = cut(lines("E5 w HAUS\nK7Q2:\nC3 s MOND\nM4X9\npasse\nK7Q2: A1 w AUS"), naming=MINE)
    assert {s.code: [line.text for line in s.lines] for s in sections} == {
        "": ["E5 w HAUS"],
        "K7Q2": ["C3 s MOND", "A1 w AUS"],
        "M4X9": ["passe"],
    }


@pytest.mark.parametrize(
    "line", ["E5 w HAUS", "5E senkrecht Haus", "HAUS E5 s", "E5wAH", "E5sAB", "e5hAB", "C3vAH", "A1"]
)
def test_an_order_is_never_taken_for_a_heading(line: str) -> None:
    (section,) = cut(lines(line))
    assert (section.code, section.lines) == ("", [Line(1, line)])


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("HILFE", "help"),
        ("help!", "help"),
        ("Stand.", "status"),
        ("Zurückziehen", "withdraw"),
        ("zurueckziehen", "withdraw"),
    ],
)
def test_commands_in_both_languages(word: str, command: str) -> None:
    (section,) = cut(lines(word))
    assert [found.name for found in section.commands] == [command]


@pytest.mark.parametrize(
    ("line", "writer", "commands"),
    [
        ("Anne", "Anne", []),
        ("Anne", "Bert", []),
        ("annehmen", "Anne", ["agree"]),
        ("Stan", "Stan Laub", []),
        ("Stan.", "Stan", []),
        ("stan", "Bert", ["status"]),
        ("Stand", "Stand", ["status"]),
    ],
)
def test_a_name_below_a_mail_is_no_word_cut_short(line: str, writer: str, commands: list[str]) -> None:
    (section,) = cut(lines(f"passe\n{line}"), writer=writer)
    assert [found.name for found in section.commands] == commands


@given(st.text(max_size=300))
def test_any_text_is_cut_without_losing_a_line(text: str) -> None:
    given_lines = lines(text)
    kept = sum(len(s.lines) + len(s.commands) for s in cut(given_lines))
    assert kept <= len(given_lines)


def test_codes_and_tokens_are_found_in_addresses_and_subjects() -> None:
    texts = ["games+k7q2-8j3mzp4qxa@example.org", "Re: [K7Q2-8J3MZP4QXA] Topwords", "nobody@example.org"]
    assert tokens.carried(texts) == [("K7Q2", "8J3MZP4QXA")]
    assert tokens.code_in("Re: AW: [K7Q2] Topwords") == "K7Q2"


def test_letters_that_read_alike_are_one() -> None:
    assert tokens.carried(["[K7Q2-8J3MZP4Q0O]"]) == [("K7Q2", "8J3MZP4Q00")]
    assert tokens.same("OIL0123456", "0110123456")


def test_new_codes_and_tokens_are_read_back() -> None:
    for long in (False, True) * 200:
        code, token = tokens.new_code(long), tokens.new_token()
        assert tokens.CODE.fullmatch(code)
        assert tokens.carried([tokens.address("games@example.org", "+", code, token)]) == [(code, token)]


def test_without_sub_addresses_the_plain_one_is_used() -> None:
    assert tokens.address("games@example.org", "", "K7Q2", "8J3MZP4QXA") == "games@example.org"
