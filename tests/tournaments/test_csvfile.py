"""Entrants and games as CSV: round trips, what spreadsheets make of them, errors with their line."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.errors import OperatorError
from moderator.tournaments.csvfile import (
    OldGame,
    export_entrants,
    export_games,
    export_results,
    read_entrants,
    read_games,
    read_results,
)
from moderator.tournaments.field import Entrant, Game, Result, TournamentState, bye, finished, walkover
from tests.tournaments.fields import robins, swisses

ENTRANTS = (Entrant(1, "Anna", 1480.5), Entrant(2, '=SUM(1;2), "B"', left=3), Entrant(3, "Čeněk", joined=2))
TABLE = Game(1, 1, (3, 1, 2), finished((-5, 60, 60)))
SAMPLE = TournamentState("tables", ENTRANTS).with_games(
    [TABLE, walkover(Game(2, 1, (1, 2, 3)), [2]), Game(3, 1, (2, 3, 1)), bye(3, 2, 1, Fraction(1, 2))]
)


def test_the_lines() -> None:
    assert export_entrants(SAMPLE).splitlines()[:2] == ["number,name,rating,joined,left", "1,Anna,1480.5,1,"]
    assert export_games(SAMPLE).splitlines()[1:3] == ["1,1,game,1,3,Čeněk,-5,0,3,", "1,1,game,2,1,Anna,60,3/4,1,"]


def test_no_name_is_a_formula_in_a_spreadsheet() -> None:
    assert "\"'=SUM(1;2)" in export_entrants(SAMPLE)


def test_a_tournament_comes_back_whole() -> None:
    entrants = read_entrants(export_entrants(SAMPLE))
    assert entrants == SAMPLE.entrants
    assert read_games(export_games(SAMPLE), entrants) == SAMPLE.games


@settings(max_examples=15, deadline=None)
@given(st.one_of(robins(), swisses()))
def test_any_tournament_comes_back_whole(t: TournamentState) -> None:
    assert read_entrants(export_entrants(t)) == t.entrants
    assert read_games(export_games(t), t.entrants) == t.games


def test_a_file_written_by_hand() -> None:
    """Semicolons, a byte order mark, decimal commas, columns left out and in another order."""
    entrants = read_entrants("\ufeffName;Number;Rating\r\nAnna;2;1480,5\r\n\r\nBert;1;\r\n")
    assert entrants == (Entrant(1, "Bert"), Entrant(2, "Anna", 1480.5))
    games = read_games("round;table;seat;number;score\n1;1;2;1;95\n1;1;1;2;120\n2;1;1;1;\n2;1;2;2;\n", entrants)
    assert games == (Game(1, 1, (2, 1), finished((120, 95))), Game(2, 1, (1, 2)))
    draw = read_games("round,table,seat,number,points,score\n1,1,1,1,½,5\n1,1,2,2,0.5,5\n", entrants)
    assert draw == (Game(1, 1, (1, 2), finished((5, 5))),)


def test_places_or_points_do_where_there_are_no_scores() -> None:
    head = "round,table,seat,number"
    places = read_games(f"{head},place\n1,1,1,1,2\n1,1,2,2,1\n1,1,3,3,2\n", ENTRANTS)
    assert places == (
        Game(1, 1, (1, 2, 3), Result((0, 0, 0), (Fraction(1, 4), Fraction(1), Fraction(1, 4)), (2, 1, 2))),
    )
    points = read_games(f"{head},points\n1,1,1,1,0\n1,1,2,2,1\n2,1,1,1,½\n2,1,2,2,½\n", ENTRANTS)
    assert [game.result and game.result.places for game in points] == [(2, 1), (1, 1)]


def test_games_of_no_tournament_come_back_whole() -> None:
    games = [
        OldGame((), "2026-11-23", "dominos", ("Anna", "=B"), Result((5, 9), (), (2, 1)), ()),
        OldGame(
            (), "2026-11-23", "tridom", ("C", "Anna", "=B"), Result((7, 7, 1), (), (1, 1, 3), frozenset({2})), (9, 9, 2)
        ),
    ]
    found, wrong = read_results(export_results(games))
    assert (len(found), wrong) == (2, [])
    for one, other in zip(found, games, strict=True):
        assert (one.date, one.game, one.names, one.moves) == (other.date, other.game, other.names, other.moves)
        assert (one.result.scores, one.result.places, one.result.forfeits) == (
            other.result.scores, other.result.places, other.result.forfeits
        )  # fmt: skip


def test_the_lines_of_a_game_may_stand_anywhere_and_seats_sort_them() -> None:
    lines = ("1.1.2026,x,1,2,B,3", "2.1.2026,x,1,1,A,1", "1.1.2026,x,1,1,A,8", "2.1.2026,x,1,1,B,1")
    found, wrong = read_results("\n".join(("date,game,table,seat,name,score", *lines)))
    assert [(one.lines, one.names, one.result.scores) for one in found] == [((4, 2), ("A", "B"), (8, 3))]
    assert [(one.line, one.what) for one in wrong] == [
        (3, "of this game a seat is missing, or stands there twice. Seats count from 1.")
    ]


def _old_places(*lines: str) -> tuple[list[tuple[int, ...]], list[str]]:
    """(places, what is wrong) of the games in lines ``place,forfeit``; an empty one ends a game."""
    table, rows = 1, []
    for seat, line in enumerate(lines):
        table += not line
        rows += [f"1.1.2026,x,{table},{seat},{line}"] if line else []
    found, wrong = read_results("\n".join(("date,game,table,name,place,forfeit", *rows)))
    return [one.result.places for one in found], [str(one.line) + ": " + one.what for one in wrong]


@pytest.mark.parametrize(
    "lines",
    [
        ("1,", "2,"), ("1,", "1,"), ("2,", "1,"), ("1,", "2,", "2,"), ("1,", "1,", "3,"), ("1,", "2,yes"),
        ("1,", "3,yes", "3,yes"), ("1,", "2,yes", "2,yes"), ("2,yes", "2,yes"), ("3,", "1,", "4,yes", "1,"),
    ],
)  # fmt: skip
def test_places_that_are_a_ranking_are_taken_as_they_are(lines: tuple[str, ...]) -> None:
    assert _old_places(*lines) == ([tuple(int(line[0]) for line in lines)], [])


@pytest.mark.parametrize(
    "lines",
    [
        ("2,", "2,"), ("3,", "7,"), ("1,", "3,"), ("1,", "1,", "2,"), ("1,", "3,", "3,"), ("1,", "2,", "4,yes"),
        ("2,", "2,yes"), ("3,yes", "3,yes"), ("2,", "3,", "1,", "5,"),
    ],
)  # fmt: skip
def test_places_that_are_no_ranking_are_told(lines: tuple[str, ...]) -> None:
    said = ", ".join(line[0] for line in lines)
    wrong = f"2: the places {said} are no ranking. The best is 1; after two who share it comes 3."
    assert _old_places(*lines, "", "1,", "2,") == ([(1, 2)], [wrong])


HEAD = "round,table,kind,seat,number,score,points,forfeit\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("round,table,seat\n", "Line 1: the column number is missing"),
        (HEAD + "1,1,game,1,9,,,\n", "Line 2: nobody has the number 9"),
        (HEAD + "1,0,game,1,1,,,\n", "Line 2: table is '0'. Write a whole number from 1"),
        (HEAD + "1,1,game,1,1,,,\n1,1,game,1,2,,,\n", "Line 3: seat 1 stands there twice"),
        (HEAD + "1,1,game,1,1,,,\n1,1,game,3,2,,,\n", "Line 2: of round 1, table 1 a seat is missing"),
        (HEAD + "1,1,duel,1,1,,,\n1,1,duel,2,2,,,\n", "Line 2: there is no kind 'duel'"),
        (HEAD + "1,1,game,1,1,5,,\n1,1,game,2,2,,,\n", "Line 3: the score is missing"),
        (HEAD + "1,1,game,1,1,many,,\n1,1,game,2,2,3,,\n", "Line 2: score is 'many'"),
        (HEAD + "1,1,game,1,1,5,1/0,\n1,1,game,2,2,3,,\n", "Line 2: points is '1/0'. Write a number such as"),
        (HEAD + "1,1,game,1,1,5,,\n1,1,game,2,1,3,,\n", "Line 2: round 1, table 1 is no game with 2 seats"),
        (HEAD + "1,1,bye,1,1,5,,\n1,1,bye,2,2,3,,\n", "Line 2: round 1, table 1 is no bye with 2 seats"),
    ],
)
def test_errors_name_the_line_and_what_to_do(text: str, wanted: str) -> None:
    with pytest.raises(OperatorError, match=wanted) as caught:
        read_games(text, ENTRANTS)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "Line 1: the column number is missing"),
        ("number,name\n1,\n", "Line 2: the name is missing"),
        ("number,name\n1,A\n1,B\n", "Line 3: entrant 1 stands there twice"),
        ("number,name\n\n\nx,A\n", "Line 4: number is 'x'"),
        ("number,name,rating\n1,A,good\n", "Line 2: rating is 'good'"),
    ],
)
def test_errors_of_entrants(text: str, wanted: str) -> None:
    with pytest.raises(OperatorError, match=wanted):
        read_entrants(text)
