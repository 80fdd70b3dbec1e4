"""Kreuzwort-Spiel: whoever is rid of all tiles first is credited what the others have left."""

from __future__ import annotations

from moderator.engine.contract import Note, State
from moderator.games.typdom.board import Run, Table
from moderator.games.typdom.flow import gain
from moderator.games.typdom.rules import WordGame
from moderator.games.typdom.state import Public
from moderator.games.typdom.tiles import rest_points


class Kreuzwort(WordGame):
    key = "kreuzwort"
    most_bought = 1
    second_is_due = True
    out_bonus = 0
    plays_round_out = False

    def worth(self, table: Table, run: Run) -> int:
        """Words bring nothing by themselves."""
        return 0

    def sums(self, state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...], int]:
        """The seat that is out, or of a blocked game the one with the lowest rest, is credited the others' rests, times
        the stake. Equal lowest rests: nobody, and the next game counts double."""
        return settle(state, out)

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The rest, double in a game that counts double."""
        return state.public.stake * rest_points(state.hands[seat])


def settle(state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...], int]:
    """Also of Wer behält recht?, see ``Kreuzwort.sums``."""
    rests = [rest_points(hand) for hand in state.hands]
    notes = [Note("blocked") if out is None else Note("out", seat=out)]
    for seat, hand in enumerate(state.hands):
        if hand:
            notes.append(Note("rest", {"tiles": list(hand), "rest": rests[seat]}, seat=seat))
    lowest = [seat for seat, rest in enumerate(rests) if rest == min(rests)]
    winner = out if out is not None else lowest[0]
    if out is None and len(lowest) > 1:
        notes.append(Note("blocked-equal", {"seats": lowest, "rest": min(rests)}))
        return state, tuple(notes), 2
    stake = state.public.stake
    items = [rest for seat, rest in enumerate(rests) if seat != winner]
    points = stake * sum(items)
    code = "credited" if stake == 1 else "credited-double"
    notes.append(Note(code, {"items": items, "points": points}, seat=winner, points=points))
    after = gain(state, winner, points)
    if state.public.options.games > 1:
        for seat, score in enumerate(after.scores):
            won = points if seat == winner else 0
            params = {"round": state.public.round, "points": won, "total": score}
            notes.append(Note("sum-total", params, seat=seat))
    return after, tuple(notes), 1


GAME = Kreuzwort()
