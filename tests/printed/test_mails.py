"""Everything in quotation marks in a mail is a move or a command that is carried out somewhere, or gives back what was
written, or is listed here as a name or a word. A new quotation that is none of these fails.

Moves: those of a position in tests/printed; those that the page itself holds, which are played by the match that the
page is made of, or, as its example, by tests/pages/test_examples.py. In tests/pairs a real program answers: there
tests/club/test_pairs.py tries what is shown. Commands: test_commands.py sends them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from moderator import games
from moderator.pages.notation import in_words
from tests.pages.all_pages import pages
from tests.printed.commands import ANSWERS, HEADING, is_command, is_typed
from tests.printed.positions import spoken
from tests.printed.quotes import MOVE, NAME, Mail, Quote, quotes, repeats

CONDITION = re.compile(r" (?:ab|from|at least) \d+$")
PLAYED_OR_DEALT = re.compile(
    r"[A-Z]{1,2}\d{1,2} (?:[ws]|across|down) [A-ZÄÖÜ*]+|\d\d@[LRNS]|(?:tausche|exchange) [A-ZÄÖÜ2 ]+"
)
"""In tests/pairs; test_pairs.py looks."""
WORDS = frozenset({
    "R5!", "ENDE", "END", "ENDE PRESSE", "END PRESS", "AN", "ON", "AUS", "OFF", "Bild", "Tabelle", "Text",
    "moderator/1|", "Brett.jpg", "zug.txt", "E5 w HAUS.pdf",
})  # fmt: skip
"""Parts of a line, and names of files: what they belong to stands in the same sentence."""
NAMES = frozenset({
    "Alt", "Arratia", "Berlin", "Berlln", "Bozen", "Chur", "Davos", "Dora", "Frühling", "Herbst", "Herbstpokal",
    "Herbstturnier", "Leiter", "Osterpokal", "Post", "Qwxyz", "Ruhe", "Schach", "Sommer", "Winter", "Zora", "Anna",
    "Liga 3", "Liga Nord 2", "Winterliga 2", "?", "Stored for you", "Für dich gespeichert", "games+abc@club.example",
    "Übung ohne Wertung", "Practice, not rated",
})  # fmt: skip
"""Of matches, tournaments, people, places, headings."""
NUMBERED = re.compile(r"Herbstpokal \d\.\d")


@pytest.mark.slow
def test_every_quotation_is_a_move_a_command_or_a_word() -> None:
    unknown = {quote.text: quote.mail for quote, mail in quotes(MOVE) if kind(quote, mail) == ""}
    assert unknown == {}


def test_every_name_in_quotation_marks_is_one() -> None:
    unknown = {
        quote.text: quote.mail
        for quote, mail in quotes(NAME)
        if not (is_name(quote) or repeats(mail, quote.text) or held(quote))
    }
    assert unknown == {}


@pytest.mark.slow
def test_there_are_many_of_each_kind_and_a_new_one_is_none() -> None:
    found = [kind(quote, mail) for quote, mail in quotes(MOVE)]
    counted = {name: found.count(name) for name in set(found)}
    assert min(counted.get(name, 0) for name in ("position", "command", "page", "repeated", "answer", "typed")) > 5
    mail = Mail("de/turn", "", "")
    for text in ("E5 w NEU", "64@R ab 5", "Vertagen", "tausche E", "1: B9, B9", "moderator vertagen"):
        assert kind(Quote(text, mail.name), mail) == "", text


@cache
def positions() -> frozenset[str]:
    """As they are declared, and as a French mail prints them."""
    return frozenset[str]().union(*(spoken(key, "fr") for key in games.REGISTRY))


def kind(quote: Quote, mail: Mail) -> str:
    """What a quotation is; "" = nobody knows."""
    text = CONDITION.sub("", quote.text)
    checks = {
        "position": quote.text in positions() or text in positions(),
        "repeated": repeats(mail, quote.text) if mail.written else False,
        "answer": quote.text in ANSWERS,
        "word": quote.text in WORDS,
        "name": is_name(quote),
        "typed": is_typed(quote.text),
        "command": is_command(quote.text) or HEADING.fullmatch(quote.text) is not None,
        "page": not mail.written and held(quote),
        "match": bool(mail.written) and PLAYED_OR_DEALT.fullmatch(quote.text) is not None,
    }
    return next((name for name, found in checks.items() if found), "")


def is_name(quote: Quote) -> bool:
    return quote.text in NAMES or NUMBERED.fullmatch(quote.text) is not None


def held(quote: Quote) -> bool:
    """Whether the page of a golden mail has the text in it: as a move that was sent or played, its example, a name."""
    if quote.mail.startswith("pairs/"):
        return False
    text = CONDITION.sub("", quote.text).strip("… ")
    return len(text) > 2 and any(text in one for one in strings_of(quote.mail))


@cache
def strings_of(mail: str) -> tuple[str, ...]:
    language, name = mail.split("/")
    page = pages(language)[name]  # type: ignore[arg-type]
    swap = "tausche" if language == "de" else "exchange"
    letters = page.examples.get("letters")
    found = [" ".join(one.split()) for one in strings(page)]
    spoken = [in_words(one, language, page.game) for one in found]
    return (*found, *spoken, *([f"{swap} {letters}"] if letters else []))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from strings(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from strings(key)
            yield from strings(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from strings(one)
