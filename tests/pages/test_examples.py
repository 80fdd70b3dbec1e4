"""Every move that a mail shows as an example can be played: in the position of the mail where it says »zum Beispiel«,
in the position that tests/printed declares for it where it says that it is a mere pattern."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from moderator import games
from moderator.errors import Illegal
from moderator.match import robot
from moderator.match.contract import Context, State, view_for
from moderator.match.rng import shuffler, unshuffled
from moderator.match.words import AnyWords
from moderator.pages.messages import in_marks, label, say, table
from moderator.pages.notation import in_words
from moderator.paths import LANGUAGES
from tests.pages import match_pages
from tests.pages.all_pages import mail, pages
from tests.printed.positions import spoken
from tests.printed.quotes import one_line, written

ALWAYS = frozenset({"nach Ziehen: bester", "after drawing: best"})
"""The standing order, which is no move of its own."""


def plays(key: str, state: State[Any], seat: int, ctx: Context, text: str) -> None:
    """Play it as if it were the seat's turn. Raises PlayerError. A condition that is not met is what it is for."""
    game = games.load(key)
    at_turn = replace(state, to_move=(seat,))
    move = game.parse(text, view_for(at_turn, seat))
    try:
        game.apply(at_turn, seat, move, ctx)
    except Illegal as error:
        if error.code != "scores-less":
            raise


def patterns(key: str, language: str) -> set[str]:
    """What the sentences on how to write show whatever the position is."""
    found = set()
    for code, text in table(language, key).items():
        if code in ("example.place", "example.start"):
            found.add(text)
        elif re.fullmatch(r"how-to-\d", code):
            found |= set(written(text, language)) - ALWAYS
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", sorted(games.REGISTRY))
def test_every_pattern_has_a_position_in_which_it_is_played(key: str, language: str) -> None:
    """tests/printed/test_documents.py plays them."""
    found = patterns(key, language)
    assert found
    assert found - spoken(key, language) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_other_sentence_of_a_game_shows_a_move(language: str) -> None:
    """What is printed when something is wrong names no move: the right one stands behind it, for this position."""
    count = 0
    for key in games.REGISTRY:
        for code, text in table(language, key).items():
            if code in table(language) or re.search(r"how-to-\d|example\.", code):
                continue
            for quoted in written(text, language):
                count += 1
                assert not re.search(r"@|\b[A-Z]{1,2}\d|=|^\d+:|\(", quoted), (code, quoted)
    assert count >= 5


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_mail_says_of_how_to_write_is_legal_or_says_that_it_is_a_pattern(language: str) -> None:
    seen = 0
    for name, page in pages(language).items():
        if page.match is None or page.match.game not in games.REGISTRY:
            continue
        text = one_line(mail(language, name).text)
        move = page.examples.get("move")
        opening = in_marks("|", language).split("|")[0].strip()
        legal, pattern = (one_line(label(code, language, example=opening)) for code in ("example", "example-pattern"))
        shown = [one for one in (legal, pattern) if one in text]
        if not shown:
            continue
        seen += 1
        assert shown == [legal if move else pattern], name
        if move:
            written = in_marks(in_words(move, language, page.match.game), language)
            assert one_line(label("example", language, example=written)) in text, name
        shown_as_patterns = not move or page.match.game == "domijongg"
        if page.knows_how and page.kind != "help":  # one sentence, in which there may be no move at all
            sentence = say("how-to-1", language, page.match.game, move=move or "")
            shown_as_patterns = not move and opening in sentence
        assert (one_line(label("how-to-pattern", language)) in text) == shown_as_patterns, name
    assert seen > 80


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_told_to_exchange_where_nobody_may(language: str) -> None:
    swap = "tausche" if language == "de" else "exchange"
    for name, page in pages(language).items():
        if page.match is not None and page.match.game == "topwords" and page.match.pace == "common":
            assert swap not in mail(language, name).text.lower(), name
    for options in ({"pace": "common"}, {"exchange": False}):
        game = games.load("topwords")
        state = game.setup(2, game.options(**options), Context(AnyWords(), unshuffled)).state
        assert robot.shown(game, view_for(state, 0), Context(AnyWords(), unshuffled)) == {}
    assert "{letters}" in say("how-to-5", language, "topwords", letters="{letters}")


def test_the_letters_to_exchange_that_an_example_names_are_on_the_rack() -> None:
    game = games.load("topwords")
    for seed in range(20):
        shuffle = shuffler(bytes([seed]) * 32, [], "")
        ctx = Context(AnyWords(), shuffle)
        state = game.setup(2, game.options(), ctx).state
        for seat in range(2):
            plays("topwords", state, seat, ctx, f"tausche {robot.shown(game, view_for(state, seat), ctx)['letters']}")


@pytest.mark.parametrize("key", match_pages.TILE_GAMES)
def test_an_example_is_legal_at_every_moment_of_a_match_and_never_the_best(key: str) -> None:
    """For every seat, whether it is to move or not; where there is a choice that matters it is the poorest."""
    match = match_pages.played(key)
    game, count = match.game, 0
    for one in (match.opened, *(moment.after for moment in match.moments)):
        for seat in range(one.state.seats if not one.state.over else 0):
            found = robot.shown(game, view_for(one.state, seat), match.ctx)
            if "move" not in found:
                continue
            plays(key, one.state, seat, match.ctx, found["move"])
            count += 1
            if seat in one.state.to_move:
                every = {game.format(move): points for move, points in game.moves(view_for(one.state, seat), match.ctx)}
                assert every[found["move"]] == min(list(every.values())[: robot.LOOKED_AT])
    assert bool(count) == (not game.uses_words)
