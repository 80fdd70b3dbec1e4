"""Matches of Typ-Dom from the log and from records: what happened by itself happens again."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from moderator.errors import RecordError
from moderator.games import load
from moderator.games.typdom.tiles import BLACK, RED
from moderator.match import table as driver
from moderator.match.contract import Context
from moderator.match.record import analyse, export, parse, replay
from moderator.match.replay import Entry, rebuild
from moderator.match.rng import round_seeds, shuffler
from moderator.match.robot import choose
from moderator.match.words import WordList

WORDS = "AN AS EIN EIS ES HUT IN NASE OHR ORT RAT REISE ROT SEE SO TEE TOR UHR WORT ZU"


def played(key: str, seed: int) -> tuple[Any, Any, list[Entry], set[str]]:
    """(options, final state, log, codes of what happened) of a match between robots that often see nothing."""
    game, dice = load(key), random.Random(seed)
    options = game.options(games=1 + seed % 2)
    ctx = Context(WordList(random.Random(seed).sample(WORDS.split(), 12)), shuffler(round_seeds(bytes(32))))
    table, _ = driver.open_table(game, 2 + seed % 3, options, ctx)
    log: list[Entry] = []
    codes: set[str] = set()
    while not table.state.over:
        seat = table.state.to_move[0]
        if dice.random() < 0.1:
            table, result = driver.miss(game, table, seat, ctx)
            log.append(Entry("miss", seat, "", result.to_json()))
        else:
            text = choose(game, table.state, seat, ctx) if dice.random() < 0.6 else "passe"
            table, result = driver.submit(game, table, seat, text, ctx)
            assert result.moves[0].played is not None
            log.append(Entry("move", seat, text, result.to_json()))
        codes.update(note.code for note in (*result.notes, *(n for move in result.moves for n in move.notes)))
        assert len(log) < 900
    return options, table.state, log, codes


@pytest.mark.matrix("games")
@pytest.mark.parametrize("key", ["kreuzwort", "point"])
def test_a_match_is_rebuilt_from_its_log(key: str) -> None:
    """The log holds verdicts only, no dictionary; forced passes and blocked ends come out of them all the same."""
    seen: set[str] = set()
    for seed in range(4):
        options, state, log, codes = played(key, seed)
        seen |= codes
        ctx = Context(WordList([]), shuffler(round_seeds(bytes(32))))
        table, _, _ = rebuild(load(key), state.seats, options, ctx, None, log)
        assert table.state == state
        assert sum(len(hand) for hand in state.hands) + len(state.public.table.squares) == len(RED) + len(BLACK)
    assert {"cannot-lay", "blocked", "next-round", "bought-red"} <= seen


def record(key: str, **changes: Any) -> Any:
    values = {
        "record": 1,
        "game": key,
        "seats": ["Anna", "Bert"],
        "setup": {"racks": [["H", "A", "U", "S", "E"], ["S", "E", "*r"]], "stock": ["E", "N"]},
        "lexicon": ["HAUS", "SEE", "HASE"],
        "moves": [{"seat": 0, "text": "T20 w HXX; sonst T20 w HAUS"}, {"seat": 1, "text": "W20 s SE*E"}],
    }
    return parse({**values, **changes}, load)


def test_a_record_tells_what_was_played_and_why_not() -> None:
    report = replay(record("point"), trace=True)
    first, second = report["moves"]
    assert (first["played"], first["alternative"], first["points"]) == ("T20 w HAUS", 2, 7)
    assert [refused["code"] for refused in first["refused"]] == ["not-your-letters"]
    assert (second["played"], second["points"]) == ("W20 s SE*E", 3)
    assert report["public"]["squares"]["W22"] == "*E"
    assert report["public"]["stock"] == {"red": 1, "black": 1}


def test_legal_moves_are_listed_but_for_jollies() -> None:
    trace = replay(record("point"), trace=True)["trace"]
    listed = {move["move"]: move["points"] for move in trace[0]["legal"]}
    assert listed["T20 w HAUS"] == 7
    assert listed["T20 s HASE"] == 7
    assert len(listed) == 16
    assert trace[1]["legal"] is None
    with pytest.raises(RecordError, match="cannot be listed"):
        analyse(record("point", moves=[{"seat": 0, "text": "T20 w HAUS"}]))


def test_any_word_plays_without_a_list() -> None:
    report = replay(record("kreuzwort", lexicon="any"), trace=True)
    assert [move["played"] for move in report["moves"]] == ["T20 w HAUS", "W20 s SE*E"]
    assert [entry["legal"] for entry in report["trace"]] == [None, None, None]


def test_an_exported_match_replays() -> None:
    options, state, log, _ = played("kreuzwort", 0)
    seats = [f"S{n}" for n in range(state.seats)]
    made = export("K7Q2", load("kreuzwort"), dataclasses.asdict(options), seats, bytes(32), [], log)
    assert made["game"] == "kreuzwort"
    assert made["options"]["policy"] == "typdom"
