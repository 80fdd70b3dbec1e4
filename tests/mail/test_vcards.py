"""People out of address books, as the programs of the last thirty years write them."""

from __future__ import annotations

import pytest

from moderator.errors import OperatorError
from moderator.people.vcards import Person, decoded, read_csv, read_vcards


def card(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VCARD", *lines, "END:VCARD", ""])


@pytest.mark.parametrize(
    ("text", "name", "address"),
    [
        (card("VERSION:3.0", "FN:Anna Berg", "EMAIL:anna@home.example"), "Anna Berg", "anna@home.example"),
        (card("VERSION:2.1", "N:Berg;Anna;;;", "EMAIL;INTERNET:a@home.example"), "Anna Berg", "a@home.example"),
        (card("FN:A", "EMAIL;TYPE=work:w@x.example", "EMAIL;TYPE=home,PREF:h@x.example"), "A", "h@x.example"),
        (card("FN:A", "EMAIL;PREF=1:one@x.example", "EMAIL:two@x.example"), "A", "one@x.example"),
        (card("FN:A", "EMAIL;HOME:one@x.example", "EMAIL;INTERNET;PREF:two@x.example"), "A", "two@x.example"),
        (
            card("FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=A4=", "ger", "EMAIL:j@x.example"),
            "Jäger",
            "j@x.example",
        ),
        (
            card("FN:Anna Be", " rg", "item1.EMAIL;type=INTERNET:anna@", " home.example"),
            "Anna Berg",
            "anna@home.example",
        ),
        (card("FN:Berg\\, Anna", "EMAIL:a@x.example", "PHOTO;ENCODING=b;TYPE=JPEG:/9j/"), "Berg, Anna", "a@x.example"),
        (card("FN:A", 'EMAIL;X-LABEL="a:b;c":a@x.example'), "A", "a@x.example"),
    ],
)
def test_a_card_is_a_name_and_an_address(text: str, name: str, address: str) -> None:
    assert [(one.name, one.address) for one in read_vcards(text, "cards.vcf")] == [(name, address)]


def test_cards_know_their_lines_and_a_file_without_any_is_refused() -> None:
    both = card("FN:A", "EMAIL:a@x.example") + card("FN:B")
    assert read_vcards(both, "x") == [Person("A", "a@x.example", line=1), Person("B", "", line=5)]
    with pytest.raises(OperatorError, match=r"book\.vcf:1: no vCard"):
        read_vcards("name,address\n", "book.vcf")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_list_has_a_head_and_any_of_three_marks(mark: str) -> None:
    text = "\n".join(
        mark.join(row) for row in [["Name", "E-Mail", "Sprache", "Tel"], ["Anna", "a@x.example", "en", "1"]]
    )
    assert read_csv(f"{text}\n\n", "x") == [Person("Anna", "a@x.example", "en", line=2)]


def test_old_programs_write_other_letters() -> None:
    assert decoded("Jäger".encode("cp1252"), "x") == "Jäger"
    assert decoded("\ufeffJäger".encode(), "x") == "Jäger"
    with pytest.raises(OperatorError, match="no text"):
        decoded("Jäger".encode("utf-16"), "x")
