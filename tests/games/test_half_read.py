"""No turn is cut short: a line of which only the beginning was understood is refused as a whole. What joins two tiles
of a chain in Domi Jongg parts no two moves, however both are written."""

import itertools
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from moderator.conformance.notation import iter_half_read_findings, iter_lost_move_findings, parse_mail_text
from moderator.games import OWN, load_game
from moderator.games.domijongg.notation import DRAGON_WORDS, HEAD, LEFT, NEXT, RIGHT, SUIT_WORDS, WIND_WORDS
from moderator.rules.shuffling import keep_order
from moderator.rules.state import Context, View, view_for
from moderator.rules.words import AnyWords
from tests.games import domijongg_table
from tests.games.test_rules_text import FIXED

DOMI = load_game("domijongg")
WORDS = sorted(word for word in NEXT if word.isalpha())
JOINS = (
    *(f"{before}{word}{after} " for word in WORDS for before in (" ", ", ", " und ", " and ", "; ", "\n", ",\n", " + ")
      for after in ("", "\n") if not (after and before == " + ") and before != " + "),
    *(f" {word.lower()} " for word in WORDS),
    *(f" {word.title()} " for word in WORDS),
    ", ", ",", " , ", ",\n", "\n, ", " > ", ">", " → ", "→", " – ", " ",
)  # fmt: skip
HEADS = (
    *(f"{side}: {{}}" for side in ("1", "2", "3", "10")),
    *(f"{word} {n}: {{}}" for word in sorted(HEAD) for n in (1, 3)),
    *(f"{word.lower()} 3 {{}}" for word in ("KOPF", "HEAD")),
    *(f"{word}: {{}}" for word in sorted(LEFT | RIGHT)),
    "links {}", "rechts {}", "left {}", "right {}", "{} an 3", "{} at head 3", "{} auf Kopf 3",
    "{}@3", "{} links", "{} right",
    "Ich lege {} an 3", "I place {} at 3", "Zug: 3: {}", "1. 3: {}",
)  # fmt: skip


def namings() -> list[tuple[str, str]]:
    """(as people write it, its name): each word for each kind of tile, in the usual shapes."""
    found = [(shape.format(word, 4), f"{suit}4") for word, suit in SUIT_WORDS.items()
             for shape in ("{}{}", "{} {}", "{}-{}")]  # fmt: skip
    found += [(word.lower(), name) for word, name in (WIND_WORDS | DRAGON_WORDS).items()]
    found += [(f"{word.title()} Wind", name) for word, name in WIND_WORDS.items() if len(word) > 1]
    found += [(f"{word.title()} Drache", name) for word, name in DRAGON_WORDS.items() if len(word) > 2]
    return [*found, ("9 Bambus", "B9"), ("9 circles", "K9"), ("die 3. Jahreszeit", "J3")]


SIDES = dict.fromkeys(LEFT, 1) | dict.fromkeys(RIGHT, 2)


@pytest.mark.slow
def test_every_chain_is_laid_whole_or_not_at_all() -> None:
    """Each way to join × each way to name a tile × each way to name a head: read as the chain that it is, or refused
    (a fork may be meant, a head behind the whole is not found); never as its first tile."""
    view = view_for(domijongg_table.table("B3 K4 DR", "DW"), 0)
    every = list(itertools.product(JOINS, namings(), HEADS))
    assert len(every) > 100_000
    step = 211
    whole = 0
    tried = every[::step]
    for join, (tile, name), pattern in tried:
        text = pattern.format(f"B8{join}{tile}")
        read = parse_mail_text(DOMI, view, text)
        if read.orders:
            words = [word.strip(":").upper() for word in pattern.removeprefix("1. ").replace("@", " ").split()]
            head = next(SIDES.get(word) or int(word) for word in words if word.isdecimal() or word in SIDES)
            assert [one.canonical for one in read.orders] == [f"{head}: B8, {name}"], text
            assert read.errors == (), text
            whole += 1
        else:
            assert read.errors, text
    assert whole > 0.8 * len(tried), f"{whole} of {len(tried)}"


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (
            "1: B8, B9",
            ["1: B8 dann B9", "1: B8, dann B9", "1: B8 und dann B9", "links: Bambus 8 dann B9", "1: B8; dann B9",
             "1: B8\ndann B9", "1: B8 dann\nB9", "left: bamboo 8 then B9", "1: B8 dann links B9", "1: B8; dann 1: B9",
             "1: B8,\nB9", "1: B8\n, B9"],
        ),
        (
            "1: T3+E; 3: N, DR",
            ["1: T3+E dann 3: N, DR", "1: T3+E\nthen head 3: N > DR", "1: T3+E; dann 3: N; dann DR"],
        ),
    ],
)  # fmt: skip
def test_what_people_wrote(read: str, texts: list[str]) -> None:
    view = view_for(domijongg_table.table("B3 K4 DR", "DW"), 0)
    for text in texts:
        assert parse_mail_text(DOMI, view, text).text == read, text


@pytest.mark.parametrize("key", ["kreuzwort", "point", "presto"])
@pytest.mark.parametrize(
    "joint", [" dann ", ", dann ", " und dann ", " then ", " and then ", ", danach ", " + ", "; + ", "; dann ",
              "\nund ", "\ndann ", "\n+ ", " +\n", " plus ", " & "],
)  # fmt: skip
def test_two_words_are_one_turn(key: str, joint: str) -> None:
    game = load_game(key)
    whole = game.format_move(game.parse_move("T20 s POLA + T20 w PHON", view(key)))
    assert [
        one.canonical for one in parse_mail_text(load_game(key), view(key), f"T20 s POLA{joint}T20 w PHON").orders
    ] == [whole]


MOVES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("topwords", "E5 w HAUS", ("C3 s M0ND", "Z99 w MOND", "C3 MOND", "C3 s")),
    ("dominos", "64@L", ("31@Q", "79@R", "3 1 2 @R", "31@R@L7")),
    ("tridom", "133@1", ("229@8", "22@9", "225@", "455@3@4")),
    ("supertridom", "133@1", ("229@8", "22@9", "225@", "455@3@4")),
    ("domijongg", "1: B8", ("B99", "B9 X", "2: B99", "Q4", "K9 K")),
    ("kreuzwort", "T20 s POLA", ("U22 w PH0N", "U22 PHON", "ZZ99 w PHON", "U22 w")),
    ("point", "T20 s POLA", ("U22 w PH0N", "U22 PHON", "ZZ99 w PHON", "U22 w")),
    ("presto", "T20 s POLA", ("U22 w PH0N", "U22 PHON", "ZZ99 w PHON", "U22 w")),
    ("recht", "E an T20 = REISE", ("hinten S =", "R an Z99 = REISE", "C an T21 an T22 = RA")),
    # A wind has no number, and behind »weiter« the word may be missing.
    ("domijongg", "2: W", ("2: §", "2: 77", "2: W§")),
    ("recht", "weiter vorn S", ("weiter vorn §", "weiter vorn 77")),
    ("recht", "vorn U = UND", ("vorn U = UN77", "vorn U =")),
)
"""(Game, a move, what nobody can read behind it)."""


@cache
def view(key: str) -> View[Any]:
    game, context = load_game(key), Context(AnyWords(), keep_order)
    state = game.setup(game.min_seats, game.options(), context, FIXED.get(key)).state
    seen = view_for(state, state.to_move[0])
    return replace(seen, hand=tuple(sorted({*state.stock, *(tile for hand in state.hands for tile in hand)})))


@pytest.mark.parametrize(("key", "move", "rests"), MOVES)
def test_no_line_is_played_as_its_beginning(key: str, move: str, rests: tuple[str, ...]) -> None:
    """With what looks right and is not; beside a fallback that says so the move stands."""
    assert list(iter_half_read_findings(load_game(key), view(key), move, rests)) == []
    assert list(iter_lost_move_findings(load_game(key), view(key), move, rests)) == []
    assert {key for key, _, _ in MOVES} == OWN.keys()
