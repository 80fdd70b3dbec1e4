"""What every game of ours has to do beyond what ``moderator/conformance`` asks of any game."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import moderator
from moderator.conformance.endings import MOST_LEAVING, begun, looked_at
from moderator.conformance.sentences import OURS, plain
from moderator.conformance.subject import Subject
from moderator.errors import OperatorError, PlayerError
from moderator.games import REGISTRY, folder, load
from moderator.match.contract import Adjudicable, Note, view_for
from moderator.match.result import Played
from moderator.pages.mail import folder as templates
from tests.games.matches import TABLES

KEYS = sorted(REGISTRY)
games = pytest.mark.parametrize("key", KEYS)

# ---- any line ----

TILES = "0123456789-/.,: @()[]|+;ǀLRNSBKTEFJDGWOanplzegd=→«ÄÜß\n"
WORDS = "ABEN.-*| e1t20wus\n:+;()ä"
PIECES = "E5 T20 w s HAUS ( ) , = 14 Punkte tausche passe kaufe rot alle und vorn *N an"
LINES: Mapping[str, st.SearchStrategy[str]] = {
    "words": st.text(max_size=60) | st.text(alphabet=WORDS, max_size=30),
    "pieces": st.lists(st.sampled_from(PIECES.split()), max_size=14).map(" ".join),
    "tiles": st.text(alphabet=TILES, max_size=50),
}


@games
@pytest.mark.parametrize("lines", LINES)
@given(data=st.data())
@settings(max_examples=15)
def test_any_line_is_a_move_or_a_player_error(key: str, lines: str, data: st.DataObject) -> None:
    """Beside the rubbish of the conformance suite: whatever Hypothesis comes upon."""
    subject = Subject(key)
    game = subject.game
    state = game.setup(game.min_seats, subject.options(game.paces[0]), subject.context(3)).state
    view = view_for(state, state.to_move[0])
    try:
        move = game.parse(data.draw(LINES[lines]), view)
    except PlayerError:
        return
    assert game.parse(game.format(move), view) == move


# ---- seats that have left ----

QUICK = {"dominos": 40, "tridom": 30, "supertridom": 40, "domijongg": 10, "topwords": 4, "recht": 4}
FEW, TIMES = 2, 2
"""Matches of games that are slow to play, and how many times as many the long list has."""
SHORT: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "dominos": ({"target": 60}, {"target": 60, "leader": "round_winner", "blocked_winner": "lowest_hand"}),
    "tridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "supertridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "domijongg": ({"games": 1}, {"games": 2, "max_heads": 3}),
    "topwords": ({}, {"exchange": False, "leftover_penalty": 5}),
    "kreuzwort": ({}, {"games": 2, "strict_buy": True}),
    "point": ({}, {"strict_buy": True}),
    "presto": ({"rounds": 2}, {"target": 4, "finish_with_one_left": True}),
    "recht": ({}, {"games": 2, "strict_buy": True, "buy_before_pass": True}),
}
"""Key -> options of matches that do not take long."""
RECOUNTED = ("dominos", "tridom", "supertridom", "domijongg")
"""In their matches of test_recount.py seats leave as well."""


def end_match(key: str, pace: str, seed: int) -> None:
    """Robots play, some miss turns, seats leave at random moments; each of their turns is missed as soon as it comes.

    No deadline lies between such turns: a circle of them without an end would hang the desk.
    """
    subject = Subject(key, settings=SHORT[key][seed % 2])
    assert list(looked_at(begun(subject, pace, seed, leaving=True, most_seats=MOST_LEAVING), seed)) == []


@pytest.mark.parametrize(("key", "pace"), [table for table in TABLES if table[0] not in RECOUNTED])
def test_a_match_ends_though_seats_leave(key: str, pace: str) -> None:
    end_match(key, pace, 0)


@pytest.mark.matrix("game matches", seconds=2)
@pytest.mark.parametrize(("key", "pace"), TABLES)
def test_many_matches_end_though_seats_leave(key: str, pace: str) -> None:
    for seed in range(1000, 1000 + TIMES * QUICK.get(key, FEW)):
        end_match(key, pace, seed)


# ---- sentences ----


def said_for_a_miss() -> set[str]:
    """What the engine says instead of ``missed`` and ``passed``, by whether something was sent."""
    return {
        said.code
        for text in ("", "E5 w HAUS")
        for code in ("missed", "passed")
        for said in Played(0, text, None, 0, notes=(Note(code, seat=0),)).said
    }


@games
def test_no_sentence_is_left_over(key: str) -> None:
    """Each is spoken by the game, by what it may use of others, or by its page to lay tiles on."""
    ours = Path(moderator.__file__).parent
    files = [*folder(key).glob("*.py"), *(ours / "games").glob("*.py"), *(ours / "pages").rglob("*.py")]
    files += [*folder(key).glob("*.js"), ours / "site" / "zug.py", *(templates() / "site").glob("zug*")]
    spoken = "\n".join(one.read_text(encoding="utf-8") for one in files)
    own = [code for code in plain(key, "de") if code not in OURS and not code.startswith(("how-to-", "form-"))]
    own = [code.removesuffix("-several") for code in own]  # of one that a game speaks, see aftermath.py
    assert [code for code in own if f'"{code}"' not in spoken and code not in said_for_a_miss()] == []


@games
def test_the_rules_name_every_option_with_its_default(key: str) -> None:
    rules = (folder(key) / "RULES.md").read_text(encoding="utf-8").splitlines()
    for field in dataclasses.fields(load(key).options):
        rows = [row.split("|")[2] for row in rules if row.startswith(f"| `{field.name}` |")]
        assert any(f"`{str(field.default).lower()}`" in row for row in rows), field.name


@games
def test_each_of_our_games_can_be_adjudicated(key: str) -> None:
    assert isinstance(load(key), Adjudicable)


def test_an_unknown_game_names_the_known_ones() -> None:
    with pytest.raises(OperatorError, match="topwords"):
        load("chess")
