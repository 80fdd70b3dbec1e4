"""The figures of Typ-Dom: tests/vectors/typdom.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from moderator.games import load
from moderator.games.typdom.board import Place, Table, lay
from moderator.games.typdom.rules import KREUZWORT, POINT
from moderator.games.typdom.tiles import LETTERS, rest_points
from moderator.match.record import parse, replay

FILE = Path(__file__).parents[1] / "vectors" / "typdom.toml"
VECTORS = tomllib.loads(FILE.read_text(encoding="utf-8"))
SAMPLE = VECTORS["sample"]
HANDS = [["*r" if letter == "*" else letter for letter in rack] for rack in SAMPLE["racks"]]


@pytest.mark.parametrize("vector", VECTORS["rest"], ids=lambda vector: vector["name"])
def test_rests(vector: dict[str, Any]) -> None:
    assert rest_points(vector["tiles"]) == vector["ours"] == vector["claimed"]


@pytest.mark.parametrize("vector", VECTORS["credit"], ids=lambda vector: vector["name"])
def test_credit(vector: dict[str, Any]) -> None:
    seats, winner = len(vector["rests"]), vector["winner"]
    racks = [rest or ["E"] for rest in vector["rests"]]
    setup = {"racks": racks, "board": {"T20": "I", "U20": "S"}, "starter": winner}
    report = replay(
        parse(
            {
                "record": 1,
                "game": "kreuzwort",
                "options": {},
                "seats": [str(n) for n in range(seats)],
                "setup": setup,
                "lexicon": ["EIS"],
                "moves": [{"seat": winner, "text": "S20 w EIS"}],
            },
            load,
        )
    )
    assert report["over"]
    assert report["scores"] == [vector["ours"] if seat == winner else 0 for seat in range(seats)]
    assert vector["ours"] == vector["claimed"]
    assert report["winners"] == [winner]


@pytest.mark.parametrize("vector", VECTORS["value"], ids=lambda vector: vector["word"])
def test_values_of_words(vector: dict[str, Any]) -> None:
    laying = lay(Table(), Place("T20", "w", vector["word"]), [*LETTERS * 3, "*r", "*b"])
    assert POINT.worth(laying.table, laying.runs[0]) == vector["ours"]
    assert KREUZWORT.worth(laying.table, laying.runs[0]) == 0


@pytest.mark.parametrize("lexicon", ["any", None])
def test_the_whole_printed_game(lexicon: str | None) -> None:
    laid = ["MEXICO", "TEXAS", "SARAJEVO", "POLA", "PHON", "WIND", "MOND", "RUF", "RUDOLF", "GELB"]
    moves = SAMPLE["moves"]
    record = {
        "record": 1,
        "game": "point",
        "options": {},
        "seats": ["Anna", "Bert", "Cora"],
        "setup": {"racks": HANDS},
        "lexicon": lexicon or laid,
        "moves": [{"seat": move["seat"], "text": move["text"]} for move in moves],
    }
    report = replay(parse(record, load))
    assert [move["played"] for move in report["moves"]] == [move["text"] for move in moves]
    assert [move["points"] for move in report["moves"]] == [move["ours"] for move in moves]
    assert [move["claimed"] for move in moves if move["claimed"] != move["ours"]] == [19]
    assert report["scores"] == SAMPLE["ours"] == [53, 37, 40]
    assert SAMPLE["claimed"] == [53, 37, 39]
    assert report["over"]
    assert report["winners"] == [0]
    assert report["hands"] == SAMPLE["left"]
    assert [word["word"] for move in report["moves"] for word in move["words"]] == laid
    costs = [(event["seat"], event["points"]) for event in report["events"] if event["code"] == "left-over"]
    assert costs == [(1, -2)]
    squares = report["public"]["squares"]
    assert squares["Q21"] == "*A"
    assert len(squares) == 39 - 1
