"""What a game records of a move stays as it is: the log of a running match has it, and a match whose log doesn't replay
is stopped. recorded.jsonl holds matches as they were recorded once; each has to come out again, entry by entry.

    python -m tests.match.test_recorded     # adds matches of games, or of situations, that are not there yet

Never make an old line anew: a difference is a match somewhere that cannot go on. Say in another way, when it is told,
what has to be said otherwise.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator.games import OWN, load
from moderator.match import rng, table
from moderator.match.contract import Context
from moderator.match.robot import choose, ranked
from moderator.match.words import WordList

FILE = Path(__file__).parent / "recorded.jsonl"
WORDS = WordList(a + b for a in "AEIOUBCDFGHKLMNPRST" for b in "AEIOUBCDFGHKLMNPRST")
SEATS = {"topwords": (2, 4), "dominos": (2, 2, 2, 2), "domijongg": (2, 4), "tridom": (2, 4), "supertridom": (2, 4)}
OTHERWISE = {"topwords": ({"pace": "rounds"}, {"pace": "common"})}
"""Options of further matches."""
MOVES = 60


def step(match: dict[str, Any], now: table.Table[Any], ctx: Context, seat: int, text: str) -> tuple[Any, Any]:
    """One entry of the log: an order, a missed turn (""), the evaluation of a round (seat -1)."""
    game = load(match["game"])
    if seat < 0:
        return table.evaluate(game, now, ctx)
    return table.submit(game, now, seat, text, ctx) if text else table.miss(game, now, seat, ctx)


def opened(match: dict[str, Any]) -> tuple[table.Table[Any], Context, str]:
    game = load(match["game"])
    options = replace(game.options(), **match["options"])
    ctx = Context(WORDS, rng.shuffler(rng.round_seeds(bytes([match["seed"]]) * 32), (), "K7Q2"))
    now, dealt = table.open_table(game, match["seats"], options, ctx)
    return now, ctx, digest([note.code for note in dealt.notes])


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:12]


@cache
def recorded() -> dict[str, list[dict[str, Any]]]:
    """By game."""
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return {key: [line for line in lines if line["game"] == key] for key in OWN}


@pytest.mark.parametrize("key", sorted(OWN))
def test_what_was_recorded_comes_out_again(key: str) -> None:
    assert recorded()[key]
    for match in recorded()[key]:
        now, ctx, dealt = opened(match)
        assert dealt == match["dealt"]
        for number, (seat, text, outcome) in enumerate(match["log"], 1):
            now, result = step(match, now, ctx, seat, text)
            came = result.to_json()
            assert digest(came) == outcome, f"{key}, seed {match['seed']}, entry {number}, {text}: {came}"


@pytest.mark.parametrize("key", sorted(OWN))
def test_an_outcome_that_differs_is_noticed(key: str) -> None:
    match = recorded()[key][0]
    now, ctx, _ = opened(match)
    seat, text, outcome = match["log"][0]
    came = step(match, now, ctx, seat, text)[1].to_json()
    assert digest(came | {"more": 1}) != outcome


def test_the_games_say_much_of_what_they_can() -> None:
    """Moves, missed turns and ends of rounds are among them."""
    entries = [entry for matches in recorded().values() for match in matches for entry in match["log"]]
    assert len(entries) > 600
    assert any(not text for _, text, _ in entries)
    assert any(seat < 0 for seat, _, _ in entries)


def played(match: dict[str, Any]) -> dict[str, Any]:
    """The match with its log: moves drawn by lot, the best one every other time."""
    game, dice, log = load(match["game"]), random.Random(match["seed"]), []
    now, ctx, dealt = opened(match)
    while len(log) < MOVES and not now.state.over:
        if now.together and len(now.orders) == len(now.state.hands if now.pace == "rounds" else now.state.scores):
            seat, text = -1, ""
        else:
            waiting = [one for one in now.state.to_move if one not in now.orders]
            seat = waiting[0]
            text = drawn(game, now, seat, ctx, dice)
        after, result = step(match, now, ctx, seat, text)
        if seat >= 0 and not now.together and text and after.state is now.state:
            text = ""
            after, result = step(match, now, ctx, seat, text)
        log.append((seat, text, digest(result.to_json())))
        now = after
    return match | {"dealt": dealt, "log": log}


def drawn(game: Any, now: table.Table[Any], seat: int, ctx: Context, dice: random.Random) -> str:
    if dice.random() < 0.5:
        return choose(game, now.state, seat, ctx)
    try:
        moves = ranked(game, now.state, seat, ctx)[:400]
    except AttributeError:  # a game whose robot looks for itself
        moves = []
    return moves[int(dice.random() * len(moves))][0] if moves else choose(game, now.state, seat, ctx)


def matches() -> Iterator[dict[str, Any]]:
    for key in sorted(OWN):
        for seed, seats in enumerate(SEATS.get(key, (2, 3)), 1):
            yield {"game": key, "seats": seats, "options": {}, "seed": seed}
        for seed, options in enumerate(OTHERWISE.get(key, ()), 101):
            yield {"game": key, "seats": 2, "options": options, "seed": seed}


def main() -> None:
    there = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    known = {(one["game"], one["seed"]) for one in map(json.loads, there.splitlines())}
    new = [played(match) for match in matches() if (match["game"], match["seed"]) not in known]
    FILE.write_text(there + "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in new), encoding="utf-8")


if __name__ == "__main__":
    main()
