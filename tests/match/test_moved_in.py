"""A match cut anywhere, written down, taken in and played on with the same orders is the match that was not cut: in
every game and every pace, whatever is on the table."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from moderator.games import OWN, REGISTRY, load_game
from moderator.rules import shuffling, table
from moderator.rules.game import Game
from moderator.rules.robots.choose import choose_robot_move, rank_moves
from moderator.rules.state import Context
from moderator.rules.words import WordList

LETTERS = "AEIOUBCDFGHKLMNPRST"
PAIRS = [a + b for a in LETTERS for b in LETTERS]
WORDS = WordList([*PAIRS, *(pair + c for pair in PAIRS for c in "AENST"), *(pair + pair for pair in PAIRS)])
SEATS = {"topwords": (2, 4), "dominos": (2,), "domijongg": (2, 5), "tridom": (2, 4), "supertridom": (2, 6)}
OTHERWISE: dict[str, tuple[dict[str, Any], ...]] = {
    "topwords": ({"pace": "rounds"}, {"pace": "common", "common_end": False}, {"exchange": True, "rack_size": 5}),
    "dominos": ({"leader": "round_winner"}, {"spinner_any_time": True}, {"blocked_winner": "lowest_hand"}),
    "kreuzwort": ({"games": 3}, {"strict_buy": True}),
    "point": ({"games": 3}, {"red": 3, "black": 4}),
    "recht": ({"games": 2}, {"strict_buy": True, "games": 2}),
    "presto": ({"rounds": 9, "finish_with_one_left": True},),
    "tridom": ({"bonus": "sum"}, {"triple_zero": "highest"}),
    "domijongg": ({"max_heads": 3},),
}
"""Options of further matches."""
MOVES = 50
CUTS = 45
"""Of each game, at least."""
FEWER = {"presto": 15}
"""Of games whose robots need long."""
PICTURES = frozenset({"fresh", "runs"})
"""What only pictures show: the last turn's tiles."""


@dataclass(frozen=True)
class Played:
    """A match of robots: a table after the deal and after each entry, and what led from one to the next."""

    game: Game[Any, Any]
    options: Any
    ctx: Context
    tables: list[table.MatchState[Any]]
    entries: list[tuple[str, int, str]]
    results: list[Any]


def step(played: Played, now: table.MatchState[Any], entry: tuple[str, int, str]) -> tuple[table.MatchState[Any], Any]:
    kind, seat, text = entry
    if kind == "evaluate":
        return table.evaluate_in_state(played.game, now, played.ctx)
    if kind == "out":
        return table.retire_in_state(now, seat), None
    if kind == "miss":
        return table.miss_seat(played.game, now, seat, replace(played.ctx, out=now.out))
    return table.try_order(played.game, now, seat, text, played.ctx)


def play(key: str, count: int, options: dict[str, Any], seed: int, most: int) -> Played:
    game, dice = load_game(key), random.Random(seed)
    chosen = replace(game.options(), **options)
    master = bytes([seed % 256, seed // 256]) * 16
    seed_of = shuffling.build_round_seeds(master) if game.seeded_rounds else master
    ctx = Context(WORDS, shuffling.build_shuffle(seed_of, (), "K7Q2"))
    now, _ = table.open_match_state(game, count, chosen, ctx)
    played = Played(game, chosen, ctx, [now], [], [])
    while len(played.entries) < most and not now.state.over:
        for entry in _next(played, now, dice):
            after, result = step(played, now, entry)
            if entry[0] == "move" and after.state is now.state and not now.is_simultaneous:
                entry = "miss", entry[1], ""
                after, result = step(played, now, entry)
            played.entries.append(entry)
            played.tables.append(after)
            played.results.append(result)
            now = after
    return played


def _next(played: Played, now: table.MatchState[Any], dice: random.Random) -> Iterator[tuple[str, int, str]]:
    active = [seat for seat in now.state.to_move if seat not in now.out]
    if not now.is_simultaneous:
        seat = dice.choice(now.state.to_move)
        if seat in now.out or dice.random() < 0.04:
            yield "miss", seat, ""
            return
        if dice.random() < 0.003 and len(now.out) + 2 < now.state.seats:
            yield "out", seat, ""
        else:
            yield "move", seat, _drawn(played, now, seat, dice)
        return
    waiting = [seat for seat in active if seat not in now.orders]
    if not waiting or dice.random() < 0.05:
        yield "evaluate", 0, ""
    else:
        seat = dice.choice(waiting)
        yield "move", seat, _drawn(played, now, seat, dice)


def _drawn(played: Played, now: table.MatchState[Any], seat: int, dice: random.Random) -> str:
    """The robot's move, any legal one, or whatever else may be done in that game."""
    game, hand = played.game, now.state.hand(seat)
    if dice.random() < 0.06 and game.key == "topwords" and len(now.state.stock) > 1:
        return f"tausche {hand[0]}" if hand else "passe"
    if dice.random() < 0.05 and game.uses_words:
        return "passe"
    if dice.random() < 0.6 or (not game.uses_words and dice.random() < 0.5):
        return choose_robot_move(game, now.state, seat, played.ctx)
    try:
        moves = rank_moves(game, now.state, seat, played.ctx)[:300]
    except AttributeError:  # a game whose robot looks for itself
        moves = []
    return dice.choice(moves)[0] if moves else choose_robot_move(game, now.state, seat, played.ctx)


def rules_of(now: table.MatchState[Any]) -> table.MatchState[Any]:
    """The table without what only pictures, reports of earlier rounds and receipts show."""
    public = now.state.public
    bare = {one.name: type(getattr(public, one.name))() for one in fields(public) if one.name in PICTURES}
    if isinstance(getattr(public, "last", None), tuple):
        bare["last"] = ()  # Presto: the crosswords of the round before
    if isinstance(bare.get("fresh"), int):
        bare["fresh"] = 0
    state = replace(now.state, public=replace(public, **bare), past=())
    starter = now.starter if now.is_simultaneous else 0
    return replace(now, state=state, starter=starter, flags={}, tried={}, asked=None, entries=0)


def cut(played: Played, at: int) -> table.MatchState[Any]:
    """The match after so many entries, as somebody who reads the diagram takes it up."""
    diagram = json.loads(json.dumps(table.to_diagram(played.game, played.tables[at])))
    count = played.tables[0].state.seats
    return table.open_match_state(played.game, count, played.options, played.ctx, {table.POSITION: diagram})[0]


def goes_on_alike(played: Played, at: int, most: int = 25) -> None:
    now = cut(played, at)
    assert rules_of(now) == rules_of(played.tables[at]), at
    for n in range(at, min(len(played.entries), at + most)):
        now, result = step(played, now, played.entries[n])
        assert rules_of(now) == rules_of(played.tables[n + 1]), (at, n, played.entries[n])
        if result is not None:
            assert result.to_json() == played.results[n].to_json(), (at, n, played.entries[n])


def matches(key: str) -> Iterator[Played]:
    """Matches of robots without end, of all options and numbers of seats."""
    kinds = [(count, options) for count in SEATS.get(key, (2, 3)) for options in ({}, *OTHERWISE.get(key, ()))]
    for seed in range(1, 10_000):
        count, options = kinds[seed % len(kinds)]
        yield play(key, count, options, seed, MOVES)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_a_match_that_is_cut_anywhere_goes_on_as_if_it_were_not(key: str) -> None:
    if key not in OWN and load_game(key).diagram(play(key, 2, {}, 1, 0).tables[0].state) is None:
        return
    left = FEWER.get(key, CUTS)
    for number, played in enumerate(matches(key)):
        places = [n for n, now in enumerate(played.tables) if not now.state.over]
        for at in random.Random(number).sample(places, min(len(places), 12)):
            goes_on_alike(played, at)
            left -= 1
        if left <= 0:
            break


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("recht", "bought", True),
        ("recht", "passes", 1),
        ("point", "stake", 2),
        ("kreuzwort", "stake", 2),
        ("kreuzwort", "passes", 1),
        ("tridom", "passes", 1),
        ("domijongg", "idle", 2),
    ],
)
def test_what_is_rare_is_written_down_too(key: str, field: str, value: Any) -> None:
    played = play(key, 2, {}, 3, 1)
    state = played.tables[-1].state
    rare = replace(state, public=replace(state.public, **{field: value}))
    played.tables.append(replace(played.tables[-1], state=rare))
    assert rules_of(cut(played, -1)) == rules_of(played.tables[-1]) != rules_of(played.tables[-2])
