"""What cannot be on a diagram is told with the place where it stands, all of it at once."""

import tomllib
from typing import Any

import pytest

from moderator.games import load_game
from moderator.games.dominos.state import SET
from moderator.importers.files import get_toml_line, locate_toml_lines
from moderator.rules import shuffling, table
from moderator.rules.game import Context
from moderator.rules.position import Diagram, DiagramError
from moderator.rules.words import AnyWords

CTX = Context(AnyWords(), shuffling.build_shuffle(bytes(32), (), "K7Q2"))
NAMES = ("Anna", "Bert")


def faults(game: str, values: dict[str, Any], **options: Any) -> dict[tuple[str | int, ...], str]:
    """Where something is wrong -> what."""
    with pytest.raises(DiagramError) as found:
        opened(game, values, **options)
    told: dict[tuple[str | int, ...], str] = {}
    for one in found.value.faults:
        told[one.path] = f"{told.get(one.path, '')} {one.message}"
    return told


def opened(game: str, values: dict[str, Any], **options: Any) -> table.MatchState[Any]:
    rules = load_game(game)
    diagram = Diagram(values, 2, NAMES)
    return table.open_match_state(rules, 2, rules.options(**options), CTX, {table.POSITION: diagram})[0]


def of(*racks: str, **values: Any) -> dict[str, Any]:
    return {"turn": "bert", "player": [{"rack": rack} for rack in racks]} | values


def left(out: Any) -> list[dict[str, Any]]:
    """Two players, the second of whom plays no more."""
    return [{"rack": "64"}, {"rack": "31", "out": out}]


def na(rack: str, **values: Any) -> dict[str, Any]:
    return of(rack, "CD", board=["T20 w NA"], **values)


EMPTY = ". . . . . . . . . ."
NAHT = {"square": "T20", "direction": "w", "word": "NAHT", "author": 1}
ROWS = [EMPTY] * 4 + [". . . . H AB N . . ."] + [EMPTY] * 5


@pytest.mark.parametrize(
    ("game", "values", "path", "said"),
    [
        ("dominos", of("64 31", "66", board=["66", "62@L"]), ("player", 1, "rack"), "66 is there 2 times"),
        ("dominos", of("64", "31", board=["66", "52@L"]), ("board", 1), "does-not-fit"),
        ("dominos", of("64", "31", board=["66", "62@N"]), ("board", 1), "place-closed"),
        ("dominos", of("64", "31", board=["66", "78"]), ("board", 1), "no domino"),
        ("dominos", of("64", "31", board=["66", "66@L"]), ("board", 1), "lies already"),
        ("dominos", of("64", "31", board=["66"], stock=24), ("stock",), "so 25 are left"),
        ("dominos", of("64", "31", board=["66"], stock="00"), ("stock",), "nowhere: 10 11"),
        ("dominos", of("64", "31 90", board=["66"]), ("player", 1, "rack"), "no tile '90'"),
        ("dominos", of("64", "31", board=["66"], turn="Carla"), ("turn",), "Anna, Bert do"),
        ("dominos", of("64", "31", board=["66"], trun=1), ("trun",), "did you mean turn"),
        ("dominos", {"player": [{"rack": "64"}, {}], "turn": 0, "board": ["66"]}, ("player", 1), "rack is missing"),
        ("dominos", {"player": [{"rack": "64"}], "turn": 0}, ("player",), "2 [[player]]"),
        ("dominos", of("64", "31", board=["66"], round="two"), ("round",), "no whole number"),
        ("tridom", of("345", "001", board=["225", "225@2"]), ("board", 1), "lies already"),
        ("tridom", of("345", "001", board=["225", "111@2"]), ("board", 1), "does not fit there"),
        ("tridom", of("345", "001"), ("board",), "at least one tile"),
        ("supertridom", of("345", "001", board=["225", "226@9"]), ("board", 1), "no tile"),
        ("domijongg", of("K3", "B3", board=["K3", "3: K4"]), ("board", 1), "no-such-head"),
        ("domijongg", of("K3", "B3", board=["K3", "1: E"]), ("board", 1), "does-not-fit"),
        ("domijongg", of("K3", "B3", board=["F1"]), ("board", 0), "singlestone"),
        ("topwords", of("AB", "CD", board=ROWS[:9]), ("board",), "9 rows"),
        ("topwords", of("AB", "CD", board=[*ROWS[:9], "A"]), ("board", 9), "1 squares"),
        ("topwords", of("AB", "CD", board=[*ROWS[:9], "A" + EMPTY[1:]]), ("board",), "hang together"),
        ("topwords", of("AB", "CD", board=[*ROWS[:9], "AAAAAA" + EMPTY[1:]]), ("board", 9), "no stack"),
        ("topwords", of("AB", "ABCDEFGH", board=ROWS), ("player", 1, "rack"), "more than a rack holds"),
        ("topwords", of("AB", "QQ", board=ROWS), ("player", 1, "rack"), "Q is there 2 times, and the set has 1"),
        ("kreuzwort", of("AB", "CD", board=["T20 w POLA", "U20 s RAT"]), ("board", 1), "lie both O and R"),
        ("kreuzwort", of("AB", "CD", board=["AL20 w POLA"]), ("board", 0), "beyond the table"),
        ("kreuzwort", of("AB", "CD", board=["ZZ20 w POLA"]), ("board", 0), "no square ZZ20"),
        ("point", of("AB", "CD", board=["T20 w POLA", "A1 w AB"]), ("board",), "hang together"),
        ("point", of("AB", "C1", board=["T20 w POLA"]), ("player", 1, "rack"), "no tile 'C1'"),
        ("recht", na("AB", running=NAHT | {"square": "A1", "author": 0}), ("running",), "nothing lies on A1"),
        ("recht", na("AB", running=NAHT | {"word": "RAT", "author": 0}), ("running",), "RAT cannot grow out of NA"),
        ("recht", na("AB", running=NAHT), ("turn",), "has gone round"),
        ("recht", na("AB", completing=True), ("completing",), "has announced no word"),
        ("recht", na("AB", running=NAHT, completing=True), ("completing",), "complete"),
        ("recht", na("HT", running=NAHT | {"author": 0}, completing=True), ("completing",), "no word"),
        ("recht", of("AB", "CD", gone=["Bert"]), ("turn",), "no turn"),
        ("recht", of("AB", "CD", gone=["Anna"]), ("gone",), "at least two"),
        ("dominos", of("64", "31", board=["66"], player=left(True)), ("player", 1, "out"), "nobody is left"),
        ("dominos", of("64", "31", board=["66"], player=left(1)), ("player", 1, "out"), "neither true nor false"),
        ("dominos", of("64", "31", board=["66"], drew=1), ("drew",), "1 is neither true nor false"),
        ("recht", na("AB", bought=1), ("bought",), "1 is neither true nor false"),
        ("dominos", of("64", "", board=["66"]), ("player", 1, "rack"), "rack is empty"),
        ("kreuzwort", of("AB", "", board=["T20 w POLA"]), ("player", 1, "rack"), "rack is empty"),
        ("recht", of("AB", "", board=["T20 w POLA"]), ("player", 1, "rack"), "rack is empty"),
        ("presto", of("AB", ""), ("player", 1, "rack"), "rack is empty"),
        ("presto", {"player": [{"rack": "AB"}, {"rack": "CD"}], "finished": ["Anna"]}, ("finished",), "have a layout"),
    ],
)
def test_each_fault_is_told_where_it_stands(
    game: str, values: dict[str, Any], path: tuple[str | int, ...], said: str
) -> None:
    found = faults(game, values)
    assert said in found[path], found


def test_whose_round_is_over_already_need_not_have_tiles() -> None:
    board = ["T20 w POLA"]
    assert opened("kreuzwort", of("AB", "", board=board, out=["Bert"], turn=0)).state.hands[1] == ()
    three = {"player": [{"rack": "AB"}, {"rack": "CD"}, {"rack": ""}], "turn": 0, "board": board, "gone": [2]}
    rules = load_game("recht")
    now, _ = table.open_match_state(rules, 3, rules.options(), CTX, {table.POSITION: Diagram(three, 3)})
    assert now.state.public.gone == (2,)


def test_all_faults_are_told_at_once() -> None:
    values = of("64 31 90", "66 31", board=["66", "52@L"], stock=3, turn="Carla", trun=1)
    places = {("player", 0, "rack"), ("player", 1, "rack"), ("board", 1), ("turn",), ("trun",)}
    assert set(faults("dominos", values)) == places  # the stock cannot be counted yet


def test_an_unknown_stock_is_what_is_left_shuffled_from_the_seed_and_what_is_forced_happens_at_once() -> None:
    values = of("64 31", "65 4-1", board=["66", "62@L"], round=3)
    now = opened("dominos", values)
    rest = [tile for tile in SET if tile not in ("64", "31", "65", "41", "66", "62")]
    assert now.state.stock == CTX.shuffle("round3/stock", rest)
    assert now.state.public.round == 3
    assert now.state.to_move == (1,)
    others = [tile for tile in SET if tile not in ("64", "11", "10", "66", "65")]
    now = opened("dominos", of("64", "11 10", board=["66"], stock_order=["65", *others]))
    assert now.state.hands[1] == ("11", "10", "65")


TEXT = """# a remark with [brackets] and name = 1
game = "dominos"   # board = ["no"]
board = [ "66", "62@L",
  "61@R", # "not this", [nor this]
  "a # no remark", 'nor ] this',

  "21@N" ]
stock = [[1, 2], [3,
  4], 5]
running = { square = "T20", word = "A, B" }

[options]
target = 150

[[player]]
name = "Anna"
rack = ["64",
        "31"]
[[player]]
"name" = 'Bert'
"""


def test_every_value_is_found_on_its_line_and_what_is_nowhere_where_it_would_stand() -> None:
    found = locate_toml_lines(TEXT)
    rows = TEXT.splitlines()
    values = tomllib.loads(TEXT)
    for n, item in enumerate(values["board"]):
        assert item in rows[found["board", n] - 1]
    assert [found["stock", n] for n in range(3)] == [8, 8, 9]
    assert (found["game",], found["running",], found["options",], found["options", "target"]) == (2, 10, 12, 13)
    assert [found["player", n, "name"] for n in range(2)] == [16, 20]
    assert [found["player", 0, "rack", n] for n in range(2)] == [17, 18]
    assert ("options", "name") not in found
    assert get_toml_line(found, ("player", 1, "rack")) == 19
    assert get_toml_line(found, ("player", 1, "name", 7)) == 20
    assert get_toml_line(found, ("turn",)) == 1
