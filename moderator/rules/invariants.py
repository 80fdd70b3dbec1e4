"""What must hold in every match whatever is played: no tile is lost or made, and points are in the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from moderator.rules.game import Game, P, State
from moderator.rules.result import EngineResult
from moderator.rules.state import M
from moderator.rules.table import MatchState


def count_match_tiles(game: Game[P, M], state: State[P]) -> Counter[str] | None:
    """Count all tiles of the match by name, wherever they are; None for a game that does not keep them together."""
    lying = game.list_table_tiles(state.public)
    return None if lying is None else Counter([*lying, *state.stock, *(tile for hand in state.hands for tile in hand)])


def iter_broken_invariants(
    game: Game[P, M], past: Sequence[MatchState[P]], results: Sequence[EngineResult]
) -> Iterator[tuple[int, str]]:
    """Yield (number of the entry, 0 = the deal; what is wrong) of a match as ``replay.walk_log`` gives it."""
    yield from _iter_lost_tiles(game, past)
    for number, (before, after) in enumerate(pairwise(past), start=1):
        yield from ((number, what) for what in _iter_wrong_scores(game, before.state, after, results[number - 1]))
    if bool(game.find_winners(past[-1].state)) and not past[-1].state.over:
        yield len(results), "there are winners before the end"


def _iter_lost_tiles(game: Game[P, M], past: Sequence[MatchState[P]]) -> Iterator[tuple[int, str]]:
    seen = past[0].state
    first = count_match_tiles(game, seen)
    if first is None:
        return
    for number, table in enumerate(past):
        if table.state is seen:
            continue
        seen = table.state
        now = count_match_tiles(game, seen)
        if now is not None and now != first:
            lost, made = first - now, now - first
            yield number, f"{lost.total()} tiles are missing and {made.total()} are too many"
            return


def _iter_wrong_scores(game: Game[P, M], before: State[P], after: MatchState[P], result: EngineResult) -> Iterator[str]:
    """Yield the scores that changed by anything but what the result says. Where all are evaluated on one board, and at
    the end of a game of one round, there are no single sums."""
    state = after.state
    if not result.moves or after.pace == "common" or (state.over and not game.seeded_rounds):
        return
    gained = [0] * state.seats
    for move in result.moves:
        gained[move.seat] += move.points
    for note in result.notes:
        if note.seat is not None:
            gained[note.seat] += note.points
    for seat, points in enumerate(gained):
        if state.scores[seat] - before.scores[seat] != points:
            yield f"seat {seat} got {points} points and its score changed by {state.scores[seat] - before.scores[seat]}"
