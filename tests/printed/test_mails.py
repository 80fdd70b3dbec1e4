"""Everything in quotation marks in a mail is a move or a command that is carried out somewhere, or gives back what was
written, or is listed here as a name or a word. A new quotation that is none of these fails.

Moves: those of a position in tests/printed; those that the page itself holds, which are played by the match that the
page is made of, or, as its example, below. In tests/pairs a real program answers: there tests/club/test_pairs.py tries
what is shown. Commands: test_commands.py sends them.
"""

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from moderator import games
from moderator.common.disk import LANGUAGES
from moderator.common.errors import Illegal
from moderator.conformance.sentences import load_game_sentences
from moderator.language.messages import load_move_words, load_sentences, render_code, translate_move
from moderator.rules.game import State
from moderator.rules.robots import choose
from moderator.rules.shuffling import build_shuffle, keep_order
from moderator.rules.state import Context, view_for
from moderator.rules.words import AnyWords
from tests.pages import match_pages
from tests.pages.all_pages import pages
from tests.printed.pieces import ANSWERS, HEADING, Mail, Quote, is_command, is_typed, quotes, repeats, strings, written
from tests.printed.positions import move_words, spoken, squares, written_moves

CONDITION = re.compile(r" (?:ab|from|at least|dès) \d+$")
PLAYED_OR_DEALT = re.compile(r"[A-Z]{1,2}\d{1,2} [wsadhv] [A-ZÄÖÜ*]+|\d\d@[LRNS]|(?:tausche|exchange) [A-ZÄÖÜ2 ]+")
"""In tests/pairs; test_pairs.py looks."""
WORDS = frozenset({
    "R5!", "ENDE", "END", "ENDE PRESSE", "END PRESS", "ENDE NACHRICHT", "END MESSAGE", "AN", "ON", "AUS", "OFF",
    "Bild", "Tabelle", "Text", "moderator/1|", "Brett.jpg", "zug.txt", "E5 w HAUS.pdf",
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
    counted: Counter[str] = Counter()
    unknown = {}
    for quote, mail in quotes():
        counted[found := kind(quote, mail)] += 1
        if not found:
            unknown[quote.text] = quote.mail
    assert unknown == {}
    assert min(counted[name] for name in ("position", "command", "page", "repeated", "answer", "typed")) > 5


@cache
def positions() -> frozenset[str]:
    """As they are declared, and as a French mail prints them."""
    return frozenset[str]().union(*(spoken(key, "fr") for key in games.REGISTRY))


def kind(quote: Quote, mail: Mail) -> str:
    """What a quotation is; "" = nobody knows."""
    text = CONDITION.sub("", quote.text)
    checks = {
        "position": lambda: quote.text in positions() or text in positions(),
        "repeated": lambda: mail.written and repeats(mail, quote.text),
        "answer": lambda: quote.text.removesuffix(": …") in ANSWERS,
        "word": lambda: quote.text in WORDS,
        "name": lambda: quote.text in NAMES or NUMBERED.fullmatch(quote.text),
        "typed": lambda: is_typed(quote.text),
        "command": lambda: is_command(quote.text) or HEADING.fullmatch(quote.text),
        "page": lambda: not mail.written and held(quote),
        "match": lambda: mail.written and PLAYED_OR_DEALT.fullmatch(quote.text),
    }
    return next((name for name, holds in checks.items() if holds()), "")


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
    swap = translate_move("tausche", language, None)
    letters = page.examples.get("letters")
    found = [" ".join(one.split()) for one in strings(page)]
    spoken = [translate_move(one, language, page.game) for one in found]
    return (*found, *spoken, *([f"{swap} {letters}"] if letters else []))


def check_legal(key: str, state: State[Any], seat: int, ctx: Context, text: str) -> None:
    """Play it as if it were the seat's turn. Raises PlayerError. A condition that is not met is what it is for."""
    game = games.load_game(key)
    at_turn = replace(state, to_move=(seat,))
    move = game.parse_move(text, view_for(at_turn, seat))
    try:
        game.apply_move(at_turn, seat, move, ctx)
    except Illegal as error:
        if error.code != "scores-less":
            raise


def sentences(key: str, language: str) -> dict[str, str]:
    """Those of the game, by the code that mails ask for, with plain blanks."""
    own = {code.removeprefix(f"{key}.") for code in load_game_sentences(key, language)}
    own = {code for code in own if code.partition(".")[0] not in games.REGISTRY}
    return {code: " ".join(text.split()) for code, text in load_sentences(language, key).items() if code in own}


def patterns(key: str, language: str, **options: Any) -> set[str]:
    """What the sentences of a game show for somebody to write, whatever the position is."""
    found, there = set(), squares(key, **options)
    for code, pattern in sentences(key, language).items():
        text = re.sub(r"\{(\w+)\}", lambda hit: there.get(hit[1], hit[0]), pattern)
        if code in ("example.place", "example.start"):
            found.add(text)
        elif code.count(".") == 0:
            found |= set(written(text, language))
    return found


@pytest.mark.parametrize("key", sorted(games.REGISTRY))
def test_every_pattern_has_a_position_in_which_it_is_played(key: str) -> None:
    """test_documents.py plays them; and what is taught is what a receipt of that move writes."""
    for language in LANGUAGES:
        found = patterns(key, language)
        assert found
        assert found - written_moves(key, language) == set()


FILLED_IN = re.compile(r"\{[^{}]*\}")
QUOTED = re.compile(r"[»“«]([^«»“”]*)[«”»]")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", sorted(games.REGISTRY))
def test_what_is_quoted_with_a_move_filled_in_is_in_the_words_of_moves(key: str, language: str) -> None:
    """»{move} ab 10«, and »sonst« by itself."""
    quoted = {
        (code, FILLED_IN.sub("", hit))
        for code, text in sentences(key, language).items()
        for hit in QUOTED.findall(text)
    }
    known = move_words(" ".join(load_move_words(language, key).values()))
    assert [(code, text) for code, text in quoted if move_words(text) - known] == []


@pytest.mark.slow
@pytest.mark.parametrize("key", ["kreuzwort", "point", "recht"])
def test_every_pattern_names_squares_of_the_table_that_was_agreed(key: str) -> None:
    game = games.load_game(key)
    for size in range(15, 61):
        state = game.setup(2, game.options(table_size=size), Context(AnyWords(), keep_order)).state
        for text in {one for language in LANGUAGES for one in patterns(key, language, table_size=size)}:
            game.parse_move(text, view_for(state, 0))


def test_the_letters_to_exchange_that_an_example_names_are_on_the_rack() -> None:
    game = games.load_game("topwords")
    for seed in range(20):
        ctx = Context(AnyWords(), build_shuffle(bytes([seed]) * 32, [], ""))
        state = game.setup(2, game.options(), ctx).state
        for seat in range(2):
            letters = choose.example_moves(game, view_for(state, seat), ctx)["letters"]
            check_legal("topwords", state, seat, ctx, f"tausche {letters}")
    for options in ({"pace": "common"}, {"exchange": False}):
        state = game.setup(2, game.options(**options), Context(AnyWords(), keep_order)).state
        assert choose.example_moves(game, view_for(state, 0), Context(AnyWords(), keep_order)) == {}, (
            "nobody may exchange"
        )
    assert "{letters}" in render_code("how-to-5", "de", "topwords", letters="{letters}")


@pytest.mark.parametrize("key", match_pages.TILE_GAMES)
def test_an_example_is_legal_at_every_moment_of_a_match_and_never_the_best(key: str) -> None:
    """For every seat, whether it is to move or not; where there is a choice that matters it is the poorest."""
    match = match_pages.played(key)
    game, count = match.game, 0
    for one in (match.opened, *(moment.after for moment in match.moments)):
        for seat in range(one.state.seats if not one.state.over else 0):
            view = view_for(one.state, seat)
            found = choose.example_moves(game, view, match.ctx)
            if "move" not in found:
                continue
            check_legal(key, one.state, seat, match.ctx, found["move"])
            count += 1
            if seat in one.state.to_move:
                every = {game.format_move(move): points for move, points in game.list_moves(view, match.ctx)}
                assert every[found["move"]] == min(list(every.values())[: choose.LOOKED_AT])
    assert bool(count) == (not game.uses_words)
