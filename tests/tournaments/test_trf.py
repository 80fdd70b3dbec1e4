"""Tournament reports: round trips, files of other programs, errors with their line."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.errors import OperatorError
from moderator.tournaments import trf
from moderator.tournaments.field import HALF, Entrant, Game, TournamentState, bye, finished, walkover
from tests.tournaments.fields import robins, swisses

GAMES = (
    Game(1, 7, (2, 1), finished((120, 95))),
    bye(1, 8, 3),
    walkover(Game(2, 1, (1, 3)), [3]),
    bye(2, 2, 2, HALF),
    Game(3, 1, (3, 2)),
)
ENTRANTS = (
    Entrant(1, "Anna", 1480.5),
    Entrant(2, "Maximiliane-Charlotte von und zu Größenbrück", left=4),
    Entrant(3, "Čeněk", joined=2),
)
SAMPLE = TournamentState("swiss", ENTRANTS, rounds=5, seed=77, options={"spread_cap": 50}).with_games(GAMES)


def foreign(t: TournamentState) -> str:
    """The file without our remarks, as another program would write it."""
    return "\n".join(line for line in trf.export(t).splitlines() if not line.startswith("###"))


def outline(t: TournamentState) -> set[tuple[object, ...]]:
    """What a TRF can say of the games."""
    return {(g.round, g.seats, g.kind, g.result and (g.result.points, g.result.forfeits)) for g in t.games}


def test_the_lines() -> None:
    lines = trf.export(SAMPLE, "Herbst").splitlines()
    assert lines[:4] == ["012 Herbst", "062 3", "142 5", "XXR 5"]
    anna = "001    1      Anna                              1480" + " " * 28 + " 1.0    "
    assert lines[4].startswith(anna)
    assert lines[4][80:84] == " 1.0"
    assert lines[4][91:] == "   2 b 0     3 w +"
    assert lines[5][14:47] == "Maximiliane-Charlotte von und zu "
    assert lines[5][91:] == "   1 w 1  0000 - H     3 b"
    assert lines[6][91:] == "0000 - U     1 b -     2 w"


def test_our_own_file_comes_back_whole() -> None:
    assert trf.parse(trf.export(SAMPLE)) == SAMPLE


@settings(max_examples=15, deadline=None)
@given(st.one_of(robins(), swisses()))
def test_any_tournament_comes_back_whole(t: TournamentState) -> None:
    assert trf.parse(trf.export(t)) == t


@settings(max_examples=15, deadline=None)
@given(st.one_of(robins(withdrawals=False), swisses()))
def test_without_remarks_the_results_come_back(t: TournamentState) -> None:
    read = trf.parse(foreign(t), t.format)
    assert (read.entrants, read.rounds) == (t.entrants, t.rounds)
    expected = {
        (round, seats, kind, result and (result[0], frozenset() if kind == "game" and sum(result[0]) else result[1]))  # type: ignore[index,arg-type]
        for round, seats, kind, result in outline(t)
    }
    assert outline(read) == expected


def test_a_block_changed_by_hand_counts() -> None:
    text = (
        trf.export(SAMPLE)
        .replace("   2 b 0     3 w +", "   2 b 1     3 w +")
        .replace("   1 w 1  0000", "   1 w 0  0000")
    )
    read = trf.parse(text)
    game = read.games[0]
    assert game.result is not None
    assert (game.seats, game.table, game.result.points) == ((2, 1), 7, (Fraction(0), Fraction(1)))
    assert read.games[1:] == SAMPLE.games[1:]


def test_letters_of_other_programs() -> None:
    one, two = LINE.format(1, "One", "   2 w W  0000 - F"), LINE.format(2, "Two", "   1 b L  0000 - Z")
    text = f"012 Elsewhere\n{one}{two}".replace("\n", "\r\n")
    read = trf.parse(text, "robin")
    assert read.format == "robin"
    assert [game.points(1) for game in read.games] == [1, 1, 0]
    assert [game.kind for game in read.games] == ["game", "bye", "bye"]
    assert read.entrant(2).rating == 0


LINE = "001    {}      {:33}" + " " * 33 + " 0.0    1  {}\n"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
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
    ],
)
def test_errors_name_the_line_and_what_to_do(lines: list[str], wanted: str) -> None:
    with pytest.raises(OperatorError, match=wanted) as caught:
        trf.parse("\n".join(line.rstrip("\n") for line in lines))
    assert caught.value.hint


def test_what_a_trf_cannot_hold_is_refused() -> None:
    table = Game(1, 1, (1, 2, 3), finished((3, 2, 1)))
    with pytest.raises(OperatorError, match=r"two seats only\. Export this tournament as CSV"):
        trf.export(replace(SAMPLE, games=(table,)))
    twice = (Game(1, 1, (1, 2)), Game(1, 2, (2, 1)))
    with pytest.raises(OperatorError, match="several games"):
        trf.export(replace(SAMPLE, games=twice))
