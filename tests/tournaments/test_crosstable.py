"""Crosstables: as text within 78 columns, harmless in a mail whatever the names; as pictures without blank letters."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.games import REGISTRY
from moderator.pages.crosstable_pictures import crosstable_svg, progress_svg
from moderator.pages.png import png
from moderator.pages.tournament_tables import text
from moderator.tournaments import designs
from moderator.tournaments.crosstable import crosstable
from moderator.tournaments.field import HALF, Entrant, Game, TournamentState, bye, finished, walkover
from moderator.tournaments.standings import final_places, progress
from tests.pages.test_harmless import orders
from tests.tournaments.fields import OUTCOMES, end, robins, swisses

NASTY = (
    "E5 w HAUS",
    "passe",
    "sonst passe",
    "tausche A",
    "Hilfe",
    "6-4 L",
    "1: B3",
    "K7Q2:",
    "B.R.D",
    "[K7Q2]",
    "ENDE",
)


def whole_robin(count: int, double: bool = False, names: tuple[str, ...] = ()) -> TournamentState:
    """Everything played; the smaller number wins, every fifth game is drawn, some are forfeited or run."""
    named = (*names, *(f"Spielerin {n} mit einem langen Namen" for n in range(len(names) + 1, count + 1)))
    entrants = tuple(Entrant(n, named[n - 1]) for n in range(1, count + 1))
    games = []
    for number, game in enumerate(designs.schedule(range(1, count + 1), double)):
        outcome = ("first", "second", "draw", "absent", "first")[number % 5]
        games.append(game if number % 11 == 10 else end(game, outcome))
    return TournamentState("double" if double else "robin", entrants, rounds=count).with_games(games)


def test_who_against_whom() -> None:
    entrants = (Entrant(1, "Anna"), Entrant(2, "Bert"), Entrant(3, "Cleo", left=1), Entrant(4, "Dora"))
    t = TournamentState("robin", entrants, rounds=3).with_games(
        [
            Game(1, 1, (1, 4), finished((9, 3))),
            Game(1, 2, (2, 3)),
            Game(2, 1, (4, 3), finished((5, 5))),
            Game(2, 2, (1, 2), finished((9, 9))),
            walkover(Game(3, 1, (2, 4)), [4]),
            Game(3, 2, (3, 1)),
        ]
    )
    assert text(crosstable(t), "de").replace("\u00a0", " ").splitlines()[:5] == [
        "Pl Nr Name   1 2 4 3 Pkt Dir SoBe Siege Diff",
        " 1  1 Anna   x = 1 .  1½   ½ 0.75     1    6",
        " 2  2 Bert   = x + .  1½   ½ 0.75     1    0",
        " 3  4 Dora   0 - x =   0        0     0   -6",
        "    3 (Cleo) . . = x   ½",
    ]


def test_a_list_by_rounds() -> None:
    t = TournamentState("swiss", (Entrant(1, "Anna"), Entrant(2, "Bert"), Entrant(3, "Cleo")), rounds=3).with_games(
        [Game(1, 1, (1, 2), finished((9, 3))), bye(1, 2, 3), Game(2, 1, (3, 1)), bye(2, 2, 2, HALF)]
    )
    lines = text(crosstable(t, final_places(t)), "en").splitlines()
    assert lines[0].split()[:6] == ["Pl", "No", "Name", "R1", "R2", "Pts"]
    cells = {line.split()[2]: line.split()[3:5] for line in lines[1:4]}
    assert cells == {"Anna": ["2/1", "3/."], "Bert": ["1/0", "h"], "Cleo": ["f", "1/."]}
    assert lines[1].endswith("1–3")


def test_places_at_tables() -> None:
    t = TournamentState("tables", tuple(Entrant(n, f"E{n}") for n in range(1, 5)), rounds=2).with_games(
        [Game(1, 1, (1, 2, 3), finished((9, 9, 3))), bye(1, 2, 4), Game(2, 1, (4, 1, 2), finished((1, 2, 9), [2]))]
    )
    table = crosstable(t)
    assert table.kind == "tables"
    assert {line.number: line.cells for line in table.lines} == {
        1: ("1=", "1"),
        2: ("1=", "-"),
        3: ("3", ""),
        4: ("f", "2"),
    }


@pytest.mark.parametrize("count", range(2, 15))
@pytest.mark.parametrize("double", [False, True])
def test_up_to_14_players_fit(count: int, double: bool) -> None:
    t = whole_robin(count, double)
    table = crosstable(t, final_places(t))
    assert table.kind == "cross"
    for language in ("de", "en"):
        lines = text(table, language).splitlines()
        assert max(map(len, lines)) <= 78
        assert all(line.split()[-1] for line in lines)
        head = lines[0].split()
        assert head[3 : 3 + count] == [str(n) for n in table.heads]


def test_more_players_and_many_rounds_fit() -> None:
    t = whole_robin(24)
    table = crosstable(t)
    assert table.kind == "rounds"
    lines = text(table, "de").splitlines()
    assert max(map(len, lines)) <= 78
    assert "R23" in lines[0], "the last rounds stay"
    assert len([line for line in lines if "/" in line]) == 24


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.one_of(robins(), swisses()), st.data())
def test_no_line_is_an_order_in_any_game(t: TournamentState, data: st.DataObject) -> None:
    """Names that are moves or commands, any cells, with what a mail program or a reader may take off a line."""
    names = data.draw(st.lists(st.sampled_from(NASTY), min_size=len(t.entrants), max_size=len(t.entrants)))
    t = t.with_entrants(replace(one, name=name) for one, name in zip(t.entrants, names, strict=True))
    made = text(crosstable(t, final_places(t)), data.draw(st.sampled_from(("de", "en"))))
    assert [found for key in REGISTRY for found in orders_in(made, key)] == []


def orders_in(made: str, key: str) -> list[str]:
    """What could be read as an order in a quoted table: whole lines, lines without the marks at their ends, and lines
    that a mail program has wrapped anew."""
    lines = made.splitlines()
    pieces = {line.strip(" \u00a0-+!·*|") for line in lines} | set(lines)
    for width in (60, 66, 70, 72, 74, 76):
        wrap = textwrap.TextWrapper(width, break_long_words=False).wrap
        pieces.update(piece for line in lines for piece in wrap(line.replace("\u00a0", "\x00")))
    found = orders(lines, key)
    return found + [piece for piece in sorted(pieces) if orders([piece.replace("\x00", "\u00a0")], key)]


def test_the_reader_of_this_test_sees_orders() -> None:
    assert all(any(orders([name], key) for key in REGISTRY) for name in ("E5 w HAUS", "passe", "Hilfe", "6-4 L"))
    assert orders(["1–3"], "dominos"), "what wrapping would leave of a line with plain spaces"
    plain = text(crosstable(whole_robin(14)), "de").replace("\u00a0", " ")
    assert orders_in(plain, "dominos")


@pytest.mark.matrix("tournaments")
@pytest.mark.parametrize("language", ["de", "en"])
def test_no_line_of_a_large_table_is_an_order(language: str) -> None:
    for t in (whole_robin(14, names=NASTY), whole_robin(14, True, NASTY), whole_robin(20, names=NASTY)):
        made = text(crosstable(t, final_places(t)), language)
        assert [found for key in REGISTRY for found in orders_in(made, key)] == []


@pytest.mark.parametrize("count", [2, 6, 14])
def test_pictures(count: int) -> None:
    """Every name is drawn, also with letters the font lacks; wide enough letters at 340 css pixels."""
    t = whole_robin(count, names=("Ольга 🎲 <b>&", "Größenbrück"))
    table = crosstable(t)
    drawn = crosstable_svg(table, "de")
    assert png(drawn).startswith(b"\x89PNG")
    assert drawn.count("Spielerin") >= count - 2
    assert "<b>" not in drawn
    width = float(drawn.split('width="')[1].split('"')[0])
    assert 24 * 340 / width >= 10


def test_the_picture_of_progress() -> None:
    t = whole_robin(8, names=("Ольга 🎲 <b>&",))
    names = {one.number: one.name for one in t.entrants}
    for own in (None, 5):
        drawn = progress_svg(progress(t), names, "en", own)
        assert png(drawn).startswith(b"\x89PNG")
        assert drawn.count("<polyline") == 8
        assert drawn.count('stroke-width="4"') == (6 if own is None else 1)
    assert png(progress_svg({1: (), 2: ()}, {1: "A", 2: "B"}, "de")).startswith(b"\x89PNG")


def test_every_outcome_has_its_letter() -> None:
    letters = {}
    for outcome in OUTCOMES:
        t = TournamentState("robin", (Entrant(1, "A"), Entrant(2, "B")), rounds=1).with_games(
            [end(Game(1, 1, (1, 2)), outcome)]
        )
        cells = {line.number: line.cells for line in crosstable(t).lines}
        letters[outcome] = "".join(cell for n in (1, 2) for cell in cells[n] if cell != "x")
    assert letters == {"first": "10", "second": "01", "draw": "==", "quits": "10", "absent": "+-", "nobody": "--"}
