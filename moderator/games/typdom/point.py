"""Point-Typ-Dom: each letter of a new word has its value; what is left at the end is subtracted."""

from __future__ import annotations

from moderator.engine.contract import Note, State
from moderator.games.typdom.board import Run, Table
from moderator.games.typdom.flow import gain
from moderator.games.typdom.rules import WordGame
from moderator.games.typdom.state import PointOptions, Public
from moderator.games.typdom.tiles import REST_JOLLY, STAR, VALUES


class Point(WordGame):
    key = "point"
    options = PointOptions
    most_bought = 3
    second_is_due = False
    out_bonus = 10
    plays_round_out = True

    def worth(self, table: Table, run: Run) -> int:
        """All letters of the word, lying ones too; a jolly counts nothing."""
        return sum(VALUES.get(table.squares[square], 0) for square in run)

    def sums(self, state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...], int]:
        """What each seat laid, minus what it has left."""
        notes = [Note("blocked") if out is None else Note("out", seat=out)]
        for seat, hand in enumerate(state.hands):
            gains = state.public.gains[seat]
            notes.append(Note("sum-laid", {"items": list(gains), "points": sum(gains)}, seat=seat))
            cost = self.rack_value(state, seat)
            if hand:
                state = gain(state, seat, -cost)
                notes.append(Note("left-over", {"tiles": list(hand), "cost": cost}, seat=seat, points=-cost))
            params = {"round": state.public.round, "points": sum(gains) - cost, "total": state.scores[seat]}
            notes.append(Note("sum-total", params, seat=seat))
        return state, tuple(notes), 1

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The values of the letters, 10 for a jolly, as at the end of a game."""
        return sum(REST_JOLLY if tile.startswith(STAR) else VALUES[tile] for tile in state.hands[seat])


GAME = Point()
