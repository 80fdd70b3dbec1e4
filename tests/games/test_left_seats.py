"""Seats that have left keep no match going for ever.

Whole matches, driven as the desk drives them (``play/play.py``): robots play, now and then one of the others misses a
turn as a person would, and seats leave at random moments; from then on each of their turns is missed as soon as it
comes. No deadline lies between such turns, so a circle of them without an end would hang the desk.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from moderator.games import load
from moderator.match import replay, robot, seats, table
from moderator.match.replay import Entry
from moderator.match.result import Result
from moderator.typed import build
from tests.games.test_contract import TABLES, context
from tests.slow import examples

QUICK = {"dominos": 40, "tridom": 30, "supertridom": 40, "domijongg": 10, "topwords": 4, "recht": 4}
FEW, TIMES = 2, 2
"""Matches of games that are slow to play; in a slow run so many times as many of each."""
MOST_SEATS = 8
SOON = 40
"""Seats leave within so many entries."""
MOST_ENTRIES = 600
ALONE = 300
"""Entries of a match in which one seat is left; it may go on for ever (in Tridom that seat can lose more points than it
wins), and the desk stops it at once."""
MOST_IDLE = 130
"""Turns in a row of seats that have left. With nobody else to lay, the whole wall of Domi Jongg goes by penalties."""

SHORT: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "dominos": ({"target": 60}, {"target": 60, "leader": "round_winner", "blocked_winner": "lowest_hand"}),
    "tridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "supertridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "domijongg": ({"games": 1}, {"games": 2, "max_heads": 3}),
    "topwords": ({}, {"exchange": False, "leftover_penalty": 5}),
    "kreuzwort": ({}, {"games": 2, "strict_buy": True}),
    "point": ({}, {"strict_buy": True}),
    "presto": ({"rounds": 2}, {"target": 4, "finish_with_one_left": True}),
    "recht": ({}, {"games": 2, "strict_buy": True, "buy_before_pass": True}),
}
"""Key -> options of matches that do not take long."""


class Match:
    """One match; its number says how it goes."""

    def __init__(self, key: str, pace: str, seed: int) -> None:
        self.where = f"{key} {pace} seed={seed}"
        self.dice = dice = random.Random(f"{key} {pace} {seed}")
        self.game, self.ctx = load(key), context(seed)
        self.options = build(self.game.options, {"pace": pace, **SHORT.get(key, ({},) * 2)[seed % 2]}, "options")
        self.seats = dice.randint(self.game.min_seats, min(self.game.max_seats, MOST_SEATS))
        self.table, _ = table.open_table(self.game, self.seats, self.options, self.ctx)
        leaving = dice.sample(range(self.seats), dice.randint(1, self.seats - 1))
        self.leaves = {seat: dice.randrange(SOON) for seat in leaving}
        self.lateness = dice.choice([0, 0, 0.1])
        self.log: list[Entry] = []
        self.idle = 0

    def run(self) -> None:
        """Play to the end. Raises AssertionError with what happened last as a note."""
        turn: Callable[[], None] = {"sequential": self._sequential, "race": self._race}.get(
            self.table.pace, self._together
        )
        try:
            while not self.table.state.over:
                self._leave()
                turn()
                assert self.idle <= MOST_IDLE
                if len(seats.active(self.table)) < 2 and len(self.log) >= ALONE:
                    self._enter(Entry("stop"), seats.stop(self.table), Result())
                assert len(self.log) <= MOST_ENTRIES
            again, _, _ = replay.rebuild(self.game, self.seats, self.options, self.ctx, None, self.log)
            assert again == self.table
        except Exception as error:
            error.add_note(f"{self.where}: {self.seats} seats, out at entry {self.leaves}")
            error.add_note("; ".join(f"{e.seat}:{e.kind} {e.text}" for e in self.log[-20:]))
            raise

    def _leave(self) -> None:
        for seat, moment in self.leaves.items():
            if moment <= len(self.log) and seat not in self.table.out:
                self._enter(Entry("retire", seat, "resigned"), seats.retire(self.table, seat), Result())

    def _enter(self, entry: Entry, after: table.Table[Any], result: Result) -> None:
        self.idle = self.idle + 1 if entry.seat in self.table.out else 0
        self.table = after
        self.log.append(Entry(entry.kind, entry.seat, entry.text, result.to_json()))

    def _sequential(self) -> None:
        self._act(self.table.state.to_move[0])

    def _race(self) -> None:
        """Who plays hands in as they like, who has left misses the ZAT."""
        round = self.table.state.public.round
        for seat in sorted(self.table.state.to_move, key=lambda seat: (seat in self.table.out, self.dice.random())):
            if not self.table.state.over and self.table.state.public.round == round:
                self._act(seat)

    def _act(self, seat: int) -> None:
        if seat not in self.table.out and self.dice.random() >= self.lateness:
            text = robot.choose(self.game, self.table.state, seat, self.ctx)
            after, result = table.submit(self.game, self.table, seat, text, self.ctx)
            if result.moves[0].alternative:
                self._enter(Entry("move", seat, text), after, result)
                return
        self._enter(Entry("miss", seat), *table.miss(self.game, self.table, seat, self.ctx))

    def _together(self) -> None:
        for seat in self.table.state.to_move:
            if seat not in self.table.out and self.dice.random() >= self.lateness:
                text = robot.choose(self.game, self.table.state, seat, self.ctx)
                self._enter(Entry("order", seat, text), *table.submit(self.game, self.table, seat, text, self.ctx))
        self._enter(Entry("evaluate"), *table.evaluate(self.game, self.table, self.ctx))


tables = pytest.mark.parametrize(("key", "pace"), TABLES)


@tables
def test_a_match_ends_though_seats_leave(key: str, pace: str) -> None:
    for seed in range(examples(QUICK.get(key, FEW), -(-QUICK.get(key, FEW) // 4))):
        Match(key, pace, seed).run()


@pytest.mark.slow
@tables
def test_many_matches_end_though_seats_leave(key: str, pace: str) -> None:
    for seed in range(1000, 1000 + TIMES * QUICK.get(key, FEW)):
        Match(key, pace, seed).run()
