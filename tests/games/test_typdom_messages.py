"""Worked mails of Kreuzwort-Spiel and Point-Typ-Dom, and what they quote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import moderator.games.typdom as package
from moderator.games import load
from moderator.match.contract import Note, view_for
from moderator.match.record import parse, replay
from moderator.pages.messages import sentence
from tests.games.typdom_table import Match, tiles

FOLDER = Path(package.__file__ or "").parent
RULES = (FOLDER / "RULES.md").read_text(encoding="utf-8")


def section(title: str) -> list[str]:
    """The orders of the worked mails under a heading."""
    text = RULES.split(f"# {title}\n", 1)[1].split("\n# ", 1)[0]
    return [line[2:] for line in text.splitlines() if line.startswith("> ")]


def record(key: str, racks: list[str], stock: str, orders: list[str], words: str) -> dict[str, Any]:
    seats = len(racks)
    return replay(
        parse(
            {
                "record": 1,
                "game": key,
                "options": {},
                "seats": [str(n) for n in range(seats)],
                "setup": {"racks": [tiles(rack) for rack in racks], "stock": tiles(stock)},
                "lexicon": words.split(),
                "moves": [{"seat": n % seats, "text": order} for n, order in enumerate(orders)],
            },
            load,
        )
    )


def test_the_worked_mails_of_kreuzwort() -> None:
    racks = ["AEEOIBBHMNRSX", "AUEIO*bDFGKLNR", "EEIUODFGLMNST", "AAEIUCDGHKLPT"]
    orders = section("Kreuzwort-Spiel: five worked mails")
    assert len(orders) == 5
    report = record("kreuzwort", racks, "ENNNN", orders, "EXAMEN NATUR ARM MOST OHR MO")
    assert [move["played"] for move in report["moves"]] == [
        "T20 w EXAMEN",
        "Y20 s NA*TUR",
        "tausche T an Y22; V20 s A*RM",
        "kaufe rot",
        "V22 w MOST + W22 s OHR",
    ]
    assert len(report["hands"][0]) == 3
    assert report["to_move"] == [1]


def test_the_worked_mails_of_point() -> None:
    racks = ["EIUOOCFHLMNPX", "EIOU*rDFLLRSTW", "AAEEOBDGJMNRV"]
    orders = section("Point-Typ-Dom: five worked mails")
    assert len(orders) == 5
    report = record("point", racks, "EENN", orders, "MEXICO TEXAS SARAJEVO POLA PHON")
    assert [move["points"] for move in report["moves"]] == [19, 15, 20, 18, 0]
    assert report["moves"][4]["played"] == "kaufe 1 rot 2 schwarz"
    assert [event["n"] for event in report["events"] if event["code"] == "claim-points"] == [3]


def test_the_star_is_suggested_as_the_rules_say() -> None:
    game = Match("kreuzwort", "AUEIO*bDFGKLNR", "AB", board={"Y20": "N", "X20": "E"}, known="NATUR EN")
    report = game.game.parse("Y20 s NATUR", view_for(game.state, 0))
    with pytest.raises(Exception, match="mark-jolly") as caught:
        game.game.apply(game.state, 0, report, game.ctx)
    error: Any = caught.value
    text = sentence(Note(error.code, error.params), "de", "kreuzwort")
    assert text == "Dir fehlt T. Soll der Jolly dafür stehen, dann schreib ihn mit Stern: NA*TUR."
    assert text in RULES.replace("\n", " ")
