"""Entrants and games as CSV: round trips, what spreadsheets make of them, errors with their line."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moderator.common.errors import OperatorError
from moderator.tournaments import trf_file
from moderator.tournaments.csv_file import (
    OldGame,
    format_entrants_csv,
    format_games_csv,
    format_results_csv,
    parse_entrants_csv,
    parse_games_csv,
    parse_results_csv,
)
from moderator.tournaments.field import (
    HALF,
    Entrant,
    Game,
    Result,
    TournamentState,
    build_bye,
    build_result,
    decide_by_absence,
)
from tests.tournaments.fields import robins, swisses

ENTRANTS = (Entrant(1, "Anna", 1480.5), Entrant(2, '=SUM(1;2), "B"', left=3), Entrant(3, "Čeněk", joined=2))
TABLE = Game(1, 1, (3, 1, 2), build_result((-5, 60, 60)))
SAMPLE = TournamentState("tables", ENTRANTS).with_games(
    [TABLE, decide_by_absence(Game(2, 1, (1, 2, 3)), [2]), Game(3, 1, (2, 3, 1)), build_bye(3, 2, 1, Fraction(1, 2))]
)


def test_tables_have_their_lines_come_back_whole_and_no_name_is_a_formula_in_a_spreadsheet() -> None:
    assert format_entrants_csv(SAMPLE).splitlines()[:2] == ["number,name,rating,joined,left", "1,Anna,1480.5,1,"]
    assert format_games_csv(SAMPLE).splitlines()[1:3] == ["1,1,game,1,3,Čeněk,-5,0,3,", "1,1,game,2,1,Anna,60,3/4,1,"]
    assert "\"'=SUM(1;2)" in format_entrants_csv(SAMPLE)
    entrants = parse_entrants_csv(format_entrants_csv(SAMPLE))
    assert entrants == SAMPLE.entrants
    assert parse_games_csv(format_games_csv(SAMPLE), entrants) == SAMPLE.games


@settings(max_examples=15, deadline=None)
@given(st.one_of(robins(), swisses()))
def test_any_tournament_comes_back_from_tables(t: TournamentState) -> None:
    assert parse_entrants_csv(format_entrants_csv(t)) == t.entrants
    assert parse_games_csv(format_games_csv(t), t.entrants) == t.games


def test_a_file_written_by_hand_may_have_places_or_points_instead_of_scores() -> None:
    """Semicolons, a byte order mark, decimal commas, columns left out and in another order."""
    entrants = parse_entrants_csv("\ufeffName;Number;Rating\r\nAnna;2;1480,5\r\n\r\nBert;1;\r\n")
    assert entrants == (Entrant(1, "Bert"), Entrant(2, "Anna", 1480.5))
    games = parse_games_csv("round;table;seat;number;score\n1;1;2;1;95\n1;1;1;2;120\n2;1;1;1;\n2;1;2;2;\n", entrants)
    assert games == (Game(1, 1, (2, 1), build_result((120, 95))), Game(2, 1, (1, 2)))
    draw = parse_games_csv("round,table,seat,number,points,score\n1,1,1,1,½,5\n1,1,2,2,0.5,5\n", entrants)
    assert draw == (Game(1, 1, (1, 2), build_result((5, 5))),)
    head = "round,table,seat,number"
    places = parse_games_csv(f"{head},place\n1,1,1,1,2\n1,1,2,2,1\n1,1,3,3,2\n", ENTRANTS)
    assert places == (
        Game(1, 1, (1, 2, 3), Result((0, 0, 0), (Fraction(1, 4), Fraction(1), Fraction(1, 4)), (2, 1, 2))),
    )
    points = parse_games_csv(f"{head},points\n1,1,1,1,0\n1,1,2,2,1\n2,1,1,1,½\n2,1,2,2,½\n", ENTRANTS)
    assert [game.result and game.result.places for game in points] == [(2, 1), (1, 1)]


def test_games_of_no_tournament_come_back_whole() -> None:
    third = Result((7, 7, 1), (), (1, 1, 3), frozenset({2}))
    games = [
        OldGame((), "2026-11-23", "dominos", ("Anna", "=B"), Result((5, 9), (), (2, 1)), ()),
        OldGame((), "2026-11-23", "tridom", ("C", "Anna", "=B"), third, (9, 9, 2)),
    ]
    found, wrong = parse_results_csv(format_results_csv(games))
    assert (len(found), wrong) == (2, [])
    for one, other in zip(found, games, strict=True):
        assert replace(one, lines=(), result=other.result) == other
        assert replace(one.result, points=()) == other.result


def test_the_lines_of_a_game_may_stand_anywhere_and_seats_sort_them() -> None:
    lines = ("1.1.2026,x,1,2,B,3", "2.1.2026,x,1,1,A,1", "1.1.2026,x,1,1,A,8", "2.1.2026,x,1,1,B,1")
    found, wrong = parse_results_csv("\n".join(("date,game,table,seat,name,score", *lines)))
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
    found, wrong = parse_results_csv("\n".join(("date,game,table,name,place,forfeit", *rows)))
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
WRONG_GAMES = [
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
]
WRONG_ENTRANTS = [
    ("", "Line 1: the column number is missing"),
    ("number,name\n1,\n", "Line 2: the name is missing"),
    ("number,name\n1,A\n1,B\n", "Line 3: entrant 1 stands there twice"),
    ("number,name\n\n\nx,A\n", "Line 4: number is 'x'"),
    ("number,name,rating\n1,A,good\n", "Line 2: rating is 'good'"),
]
GAMES = (
    Game(1, 7, (2, 1), build_result((120, 95))),
    build_bye(1, 8, 3),
    decide_by_absence(Game(2, 1, (1, 3)), [3]),
    build_bye(2, 2, 2, HALF),
    Game(3, 1, (3, 2)),
)
TRF_ENTRANTS = (
    Entrant(1, "Anna", 1480.5),
    Entrant(2, "Maximiliane-Charlotte von und zu Größenbrück", left=4),
    Entrant(3, "Čeněk", joined=2),
)
TRF_SAMPLE = TournamentState("swiss", TRF_ENTRANTS, rounds=5, seed=77, options={"spread_cap": 50}).with_games(GAMES)


def outline(t: TournamentState) -> set[tuple[object, ...]]:
    """What a TRF can say of the games."""
    return {(g.round, g.seats, g.kind, g.result and (g.result.points, g.result.forfeits)) for g in t.games}


def test_a_report_has_its_columns_where_they_belong() -> None:
    lines = trf_file.format_trf(TRF_SAMPLE, "Herbst").splitlines()
    assert lines[:4] == ["012 Herbst", "062 3", "142 5", "XXR 5"]
    anna = "001    1      Anna                              1480" + " " * 28 + " 1.0    "
    assert lines[4].startswith(anna)
    assert lines[4][80:84] == " 1.0"
    assert lines[4][91:] == "   2 b 0     3 w +"
    assert lines[5][14:47] == "Maximiliane-Charlotte von und zu "
    assert lines[5][91:] == "   1 w 1  0000 - H     3 b"
    assert lines[6][91:] == "0000 - U     1 b -     2 w"


@settings(max_examples=15, deadline=None)
@given(st.one_of(robins(), swisses()))
@example(TRF_SAMPLE)
def test_any_tournament_comes_back_from_a_report(t: TournamentState) -> None:
    assert trf_file.parse_trf(trf_file.format_trf(t)) == t


@settings(max_examples=15, deadline=None)
@given(st.one_of(robins(withdrawals=False), swisses()))
def test_without_remarks_the_results_come_back(t: TournamentState) -> None:
    foreign = [line for line in trf_file.format_trf(t).splitlines() if not line.startswith("###")]
    read = trf_file.parse_trf("\n".join(foreign), t.format)
    assert (read.entrants, read.rounds) == (t.entrants, t.rounds)
    expected = {
        (round, seats, kind, result and (result[0], frozenset() if kind == "game" and sum(result[0]) else result[1]))  # type: ignore[index,arg-type]
        for round, seats, kind, result in outline(t)
    }
    assert outline(read) == expected


def test_a_block_changed_by_hand_counts_and_letters_of_other_programs_are_read() -> None:
    text = trf_file.format_trf(TRF_SAMPLE).replace("   2 b 0     3 w +", "   2 b 1     3 w +")
    read = trf_file.parse_trf(text.replace("   1 w 1  0000", "   1 w 0  0000"))
    game = read.games[0]
    assert game.result is not None
    assert (game.seats, game.table, game.result.points) == ((2, 1), 7, (Fraction(0), Fraction(1)))
    assert read.games[1:] == TRF_SAMPLE.games[1:]
    one, two = LINE.format(1, "One", "   2 w W  0000 - F"), LINE.format(2, "Two", "   1 b L  0000 - Z")
    text = f"012 Elsewhere\n{one}{two}".replace("\n", "\r\n")
    read = trf_file.parse_trf(text, "robin")
    assert read.format == "robin"
    assert [game.get_points(1) for game in read.games] == [1, 1, 0]
    assert [game.kind for game in read.games] == ["game", "bye", "bye"]
    assert read.get_entrant(2).rating == 0


LINE = "001    {}      {:33}" + " " * 33 + " 0.0    1  {}\n"
WRONG_REPORTS = [
    (["012 x"], "No line begins with 001"),
    ([LINE.format(1, "", "")], r"Line 1: the name is missing \(columns 15 to 47\)\."),
    ([LINE.format("x", "A", "")], r"Line 1: the starting number \(columns 5 to 8\) is 'x'\."),
    ([LINE.format(1, "A", ""), LINE.format(1, "B", "")], "Line 2: entrant 1 stands there twice"),
    ([LINE.format(1, "A", "   2 w 1")], "Line 1: in round 1 entrant 1 meets 2, who has no such game"),
    ([LINE.format(1, "A", "   2 w 1"), LINE.format(2, "B", "   1 b 1")], "Line 1: in round 1 1 has '1' and 2 '1'"),
    ([LINE.format(1, "A", "   2 w 1"), LINE.format(2, "B", "   1 w 0")], "both have the colour w"),
    ([LINE.format(1, "A", "   2 w X"), LINE.format(2, "B", "   1 b 0")], "Line 1, round 1 .*no result 'X'"),
    ([LINE.format(1, "A", "0000 - 1")], "there is no result '1' here. Write that of a bye"),
    ([LINE.format(1, "A", "two  w 1")], r"Line 1, round 1 \(columns 92 to 99\): 'two  w 1' is no result"),
    (["XXR five", LINE.format(1, "A", "")], "Line 1: the number of rounds is 'five'"),
    (["### moderator game {", LINE.format(1, "A", "")], "Line 1: this remark is damaged. Remove the line"),
    (
        [LINE.format(1, "A", "   2 w 1"), LINE.format(2, "B", "   3 b 0"), LINE.format(3, "C", "   2 w 1")],
        "Line 1: in round 1 entrant 1 meets 2, but not vice versa. Correct this line or line 2",
    ),
]


@pytest.mark.parametrize(
    ("reader", "text", "wanted"),
    [
        *((partial(parse_games_csv, entrants=ENTRANTS), *case) for case in WRONG_GAMES),
        *((parse_entrants_csv, *case) for case in WRONG_ENTRANTS),
        *(
            (trf_file.parse_trf, "\n".join(line.rstrip("\n") for line in lines), wanted)
            for lines, wanted in WRONG_REPORTS
        ),
    ],
)
def test_an_error_names_its_line(reader: Callable[[str], object], text: str, wanted: str) -> None:
    with pytest.raises(OperatorError, match=wanted) as caught:
        reader(text)
    assert caught.value.hint


def test_what_a_trf_cannot_hold_is_refused() -> None:
    table = Game(1, 1, (1, 2, 3), build_result((3, 2, 1)))
    with pytest.raises(OperatorError, match=r"two seats only\. Export this tournament as CSV"):
        trf_file.format_trf(replace(TRF_SAMPLE, games=(table,)))
    with pytest.raises(OperatorError, match="format 'cup'"):
        trf_file.parse_trf(trf_file.format_trf(TRF_SAMPLE).replace(f'"{TRF_SAMPLE.format}"', '"cup"'))
    twice = (Game(1, 1, (1, 2)), Game(1, 2, (2, 1)))
    with pytest.raises(OperatorError, match="several games"):
        trf_file.format_trf(replace(TRF_SAMPLE, games=twice))
