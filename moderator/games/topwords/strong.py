"""How the strong robot plays Topwords: points, what it keeps, and what the next seat may answer. With an empty stock
the other rack is known between two, and the rest is searched, to the end where that is near enough."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from moderator.games.topwords.board import lay_topwords_word
from moderator.games.topwords.generate import list_topwords_placements
from moderator.games.topwords.notation import format_topwords_move
from moderator.games.topwords.state import (
    LetterExchange,
    Move,
    TopwordsPass,
    TopwordsPlacement,
    TopwordsPublic,
    list_bag_tiles,
    remove_letters_from_rack,
)
from moderator.rules.ending import lead
from moderator.rules.game import State
from moderator.rules.state import Context, Shuffle, View, view_for

AGAIN = "again"
"""Every further tile of a letter that is there already."""


def count_leave_features(kept: Iterable[str]) -> Counter[str]:
    """Count the features of the letters that stay on the rack: each kind once, and how many tiles are there again."""
    counts = Counter(kept)
    return Counter(dict.fromkeys(counts, 1) | {AGAIN: sum(counts.values()) - len(counts)})


@cache
def load_leave_values() -> dict[str, float]:
    """Return the points of each feature."""
    return dict(tomllib.loads(Path(__file__).with_name("kept.toml").read_bytes().decode()))


def evaluate_leave(kept: Iterable[str]) -> float:
    """Return the points that the letters that stay on the rack will bring in the next turn, against others."""
    known = load_leave_values()
    return sum(known.get(name, 0.0) * count for name, count in count_leave_features(kept).items())


# ---- the choice of a turn ----


Apply = Callable[[State[TopwordsPublic], int, Move], State[TopwordsPublic]]
Found = tuple[TopwordsPlacement, int]

NEAR = 20
"""Moves with so many points less than the best are not looked at: no rack makes up for that."""
COMPARED = 5
"""Moves for which answers are looked for."""
WORLDS = 3
"""Racks of the next seat, each dealt from all tiles that are not seen."""
WIDTHS = (14, 8, 5)
"""Moves that the search at the end looks at in each depth; the last one in all further ones."""
POSITIONS = 150
"""That it looks at, at most."""
DEEPEST = 14
REVIEWED, REVIEWED_POSITIONS = 4, 40
"""Moves that a review compares with the one that was played, and positions that it looks at at the end."""


def find_strong_topwords_move(view: View[TopwordsPublic], ctx: Context, apply: Apply, shuffle: Shuffle) -> Move | None:
    """Return the move of the strong robot; None without a placement. ``shuffle`` deals the racks that others may
    have."""
    found = list_topwords_placements(view, ctx)
    if not found or view.seat is None:
        return None
    rest = list_unseen_letters(view)
    alone = view.to_move == (view.seat,)
    if alone and (known := _find_known_state(view, rest)):
        return _EndgameSearch(ctx, apply).choose_best_move(known)
    order = rank_with_leave(view, found)[:COMPARED]
    if not alone or len(order) == 1:
        return order[0][1][0]
    answers = _estimate_answers(view, [move for _, (move, _) in order], ctx, shuffle)
    worth = [
        (value - sum(own) / max(1, len(own)), -place)
        for place, ((value, _), own) in enumerate(zip(order, answers, strict=True))
    ]
    return order[-max(worth)[1]][1][0]


def estimate_topwords_equities(
    view: View[TopwordsPublic], played: Move | None, points: int, ctx: Context, apply: Apply, shuffle: Shuffle
) -> list[tuple[Move | None, tuple[float, ...]]]:
    """Estimate the equities, see ``Game.estimate_equities``. Where all seats have one rack no letters stay with
    anybody: nothing; where all move together nobody knows who plays next: no answers."""
    pace = view.public.options.pace
    if pace == "common":
        return []
    others = [
        (value, move)
        for value, (move, _) in rank_with_leave(view, list_topwords_placements(view, ctx))[:REVIEWED]
        if move != played
    ]
    turns = [(points + _evaluate_leave(view, played), played or TopwordsPass()), *others]
    moves = [move for _, move in turns]
    if pace == "sequential" and (known := _find_known_state(view, list_unseen_letters(view))):
        return list(
            zip(
                (played, *moves[1:]),
                _EndgameSearch(ctx, apply, REVIEWED_POSITIONS).estimate_equities(known, moves),
                strict=True,
            )
        )
    answers = _estimate_answers(view, moves, ctx, shuffle) if pace == "sequential" else [()] * len(moves)
    worth = [tuple(value - own for own in given or (0,)) for (value, _), given in zip(turns, answers, strict=True)]
    return list(zip((played, *moves[1:]), worth, strict=True))


def _find_known_state(view: View[TopwordsPublic], rest: Sequence[str]) -> State[TopwordsPublic] | None:
    """Return the state, where the stock is empty and two play: what is not seen is the other rack. None elsewhere."""
    if len(view.hand_counts) != 2 or view.seat is None or view.stock_count:
        return None
    if len(rest) != view.hand_counts[1 - view.seat]:
        return None
    hands = (view.hand, tuple(rest)) if view.seat == 0 else (tuple(rest), view.hand)
    return State(view.public, hands, (), view.scores, view.to_move)


def _estimate_answers(
    view: View[TopwordsPublic], moves: Sequence[Move], ctx: Context, shuffle: Shuffle
) -> list[tuple[int, ...]]:
    """Return for each move the most points that the next seat could make behind it, with each of the same few racks;
    nothing where no other seat plays or its rack cannot be dealt."""
    assert view.seat is not None
    seats, public = len(view.scores), view.public
    last = public.round == public.options.rounds and (view.seat + 1) % seats == public.starter
    # The seat that plays next, of those that are not out; None without another.
    others = ((view.seat + step) % seats for step in range(1, seats))
    rest, following = list_unseen_letters(view), next((other for other in others if other not in ctx.out), None)
    if following is None or last or len(rest) < view.hand_counts[following]:
        return [()] * len(moves)
    racks = [shuffle(f"world{number}", rest)[: view.hand_counts[following]] for number in range(WORLDS)]
    return [tuple(_compute_best_answer(view, move, rack, following, ctx) for rack in racks) for move in moves]


def _compute_best_answer(view: View[TopwordsPublic], move: Move, rack: tuple[str, ...], seat: int, ctx: Context) -> int:
    """Return the most points that ``seat`` could make with a rack after ``move``."""
    board = (
        lay_topwords_word(view.public, move, view.hand).board
        if isinstance(move, TopwordsPlacement)
        else view.public.board
    )
    public = replace(view.public, board=board)
    theirs = replace(view, seat=seat, public=public, hand=rack, to_move=(seat,))
    return max((points for _, points in list_topwords_placements(theirs, ctx)), default=0)


def list_unseen_letters(view: View[TopwordsPublic]) -> list[str]:
    """Return the tiles of the stock and the other racks, in alphabetical order. Of a board with tiles that the set has
    not, those are left out."""
    seen = Counter("".join(view.public.board)) + Counter(view.hand)
    return sorted((Counter(list_bag_tiles(view.public.options.tiles)) - seen).elements())


def rank_with_leave(view: View[TopwordsPublic], found: Sequence[Found]) -> list[tuple[float, Found]]:
    """Rank the moves by what they score and what the letters that stay are worth while there are others to be drawn."""
    most = max((points for _, points in found), default=0)
    near = [one for one in found if one[1] >= most - NEAR]
    worth = [(points + _evaluate_leave(view, move), move, points) for move, points in near]
    return [
        (value, (move, points))
        for value, move, points in sorted(worth, key=lambda one: (-one[0], format_topwords_move(one[1])))
    ]


def _evaluate_leave(view: View[TopwordsPublic], move: Move | None) -> float:
    """Return the worth of the letters that a turn leaves on the rack, while there are others to be drawn."""
    if not view.stock_count or view.public.round == view.public.options.rounds:
        return 0.0
    gone: Sequence[str] = ()
    if isinstance(move, TopwordsPlacement):
        gone = [letter for _, letter in lay_topwords_word(view.public, move, view.hand).laid]
    elif isinstance(move, LetterExchange):
        gone = move.letters
    return evaluate_leave(remove_letters_from_rack(view.hand, gone))


# ---- the end: both racks are known ----


class _PositionsUsedUp(Exception):
    """Raised once all positions have been looked at that may be."""


@dataclass
class _EndgameSearch:
    """A search for the best lead at the end of the match, one turn deeper each time; the result of the last search that
    came to its end counts. It is exact where no search was cut short: few tiles, few moves."""

    ctx: Context
    apply: Apply
    left: int = POSITIONS
    cut: bool = True

    def choose_best_move(self, state: State[TopwordsPublic]) -> Move:
        chosen = self._list_moves(state, 0)[0]
        for depth in range(1, DEEPEST + 1):
            self.cut = False
            try:
                chosen = self._search_moves(state, depth, 0, -1e9, 1e9)[1]
            except _PositionsUsedUp:
                break
            if not self.cut:
                break
        return chosen

    def estimate_equities(self, state: State[TopwordsPublic], moves: Sequence[Move]) -> list[tuple[float]]:
        """Return the mover's lead at the end behind each of the moves, as far as the last depth shows that was
        finished."""
        found = [(0.0,)] * len(moves)
        for depth in range(1, DEEPEST + 1):
            self.cut = False
            try:
                found = [(self._evaluate_move(state, move, depth, 0, -1e9, 1e9),) for move in moves]
            except _PositionsUsedUp:
                break
            if not self.cut:
                break
        return found

    def _search_moves(
        self, state: State[TopwordsPublic], depth: int, at: int, low: float, high: float
    ) -> tuple[float, Move]:
        """Return (the mover's lead at the end, its move), as far as ``depth`` shows."""
        found: tuple[float, Move] = (-1e9, TopwordsPass())
        for move in self._list_moves(state, at):
            value = self._evaluate_move(state, move, depth, at, max(low, found[0]), high)
            if value > found[0]:
                found = value, move
            if value >= high:
                break
        return found

    def _evaluate_move(
        self, state: State[TopwordsPublic], move: Move, depth: int, at: int, low: float, high: float
    ) -> float:
        """Return the mover's lead at the end behind a move, as far as ``depth`` shows."""
        seat = state.to_move[0]
        after = self.apply(state, seat, move)
        if after.over:
            return float(lead(after.scores, seat))
        if depth == 1:
            self.cut = True
            return float(lead(after.scores, seat))
        return -self._search_moves(after, depth - 1, at + 1, -high, -low)[0]

    def _list_moves(self, state: State[TopwordsPublic], at: int) -> list[Move]:
        """Return the moves with the most points, and to pass. Raises _PositionsUsedUp."""
        if self.left == 0:
            raise _PositionsUsedUp
        self.left -= 1
        view = view_for(state, state.to_move[0])
        order = sorted(
            list_topwords_placements(view, self.ctx), key=lambda one: (-one[1], format_topwords_move(one[0]))
        )
        width = WIDTHS[min(at, len(WIDTHS) - 1)]
        self.cut = self.cut or len(order) > width
        return [*(move for move, _ in order[:width]), TopwordsPass()]
