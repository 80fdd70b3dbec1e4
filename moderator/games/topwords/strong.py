"""How the strong robot plays Topwords: points, what it keeps, and what the next seat may answer. With an empty stock
the other rack is known between two, and the rest is searched, to the end where that is near enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from moderator.games.topwords import kept
from moderator.games.topwords.board import lay
from moderator.games.topwords.generate import placements
from moderator.games.topwords.notation import write
from moderator.games.topwords.state import Exchange, Move, Pass, Place, Public, bag, take
from moderator.match.contract import Context, Shuffle, State, View, view_for
from moderator.match.outcome import lead

Apply = Callable[[State[Public], int, Move], State[Public]]
Found = tuple[Place, int]

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


def best(view: View[Public], ctx: Context, apply: Apply, shuffle: Shuffle) -> Move | None:
    """The move of the strong robot; None without a placement. ``shuffle`` deals the racks that others may have."""
    found = placements(view, ctx)
    if not found or view.seat is None:
        return None
    rest = unseen(view)
    alone = view.to_move == (view.seat,)
    if alone and (known := _all_known(view, rest)):
        return _End(ctx, apply).best(known)
    order = ranked(view, found)[:COMPARED]
    if not alone or len(order) == 1:
        return order[0][1][0]
    answers = _answers(view, [move for _, (move, _) in order], ctx, shuffle)
    worth = [
        (value - sum(own) / max(1, len(own)), -place)
        for place, ((value, _), own) in enumerate(zip(order, answers, strict=True))
    ]
    return order[-max(worth)[1]][1][0]


def equities(
    view: View[Public], played: Move | None, points: int, ctx: Context, apply: Apply, shuffle: Shuffle
) -> list[tuple[Move | None, tuple[float, ...]]]:
    """See ``equity.Assessing``. Where all seats have one rack nobody keeps letters: nothing; where all move together
    nobody knows who plays next: no answers."""
    pace = view.public.options.pace
    if pace == "common":
        return []
    others = [(value, move) for value, (move, _) in ranked(view, placements(view, ctx))[:REVIEWED] if move != played]
    turns = [(points + _kept_worth(view, played), played or Pass()), *others]
    moves = [move for _, move in turns]
    if pace == "sequential" and (known := _all_known(view, unseen(view))):
        return list(zip((played, *moves[1:]), _End(ctx, apply, REVIEWED_POSITIONS).equities(known, moves), strict=True))
    answers = _answers(view, moves, ctx, shuffle) if pace == "sequential" else [()] * len(moves)
    worth = [tuple(value - own for own in given or (0,)) for (value, _), given in zip(turns, answers, strict=True)]
    return list(zip((played, *moves[1:]), worth, strict=True))


def _all_known(view: View[Public], rest: Sequence[str]) -> State[Public] | None:
    """The state, where the stock is empty and two play: what is not seen is the other rack. None elsewhere."""
    if len(view.hand_counts) != 2 or view.seat is None or view.stock_count:
        return None
    if len(rest) != view.hand_counts[1 - view.seat]:
        return None
    hands = (view.hand, tuple(rest)) if view.seat == 0 else (tuple(rest), view.hand)
    return State(view.public, hands, (), view.scores, view.to_move)


def _answers(view: View[Public], moves: Sequence[Move], ctx: Context, shuffle: Shuffle) -> list[tuple[int, ...]]:
    """For each move the most points that the next seat could make behind it, with each of the same few racks; nothing
    where no other seat plays, the match ends with the turn, or the rack cannot be dealt."""
    assert view.seat is not None
    seats, public = len(view.scores), view.public
    last = public.round == public.options.rounds and (view.seat + 1) % seats == public.starter
    rest, following = unseen(view), _next(view.seat, seats, ctx.out)
    if following is None or last or len(rest) < view.hand_counts[following]:
        return [()] * len(moves)
    racks = [shuffle(f"world{number}", rest)[: view.hand_counts[following]] for number in range(WORLDS)]
    return [tuple(_answer(view, move, rack, following, ctx) for rack in racks) for move in moves]


def _next(seat: int, seats: int, out: Collection[int]) -> int | None:
    """The seat that plays next, of those that are not out; None without another."""
    others = ((seat + step) % seats for step in range(1, seats))
    return next((other for other in others if other not in out), None)


def _answer(view: View[Public], move: Move, rack: tuple[str, ...], seat: int, ctx: Context) -> int:
    """The most points that ``seat`` could make with a rack after ``move``."""
    board = lay(view.public, move, view.hand).board if isinstance(move, Place) else view.public.board
    public = replace(view.public, board=board)
    theirs = replace(view, seat=seat, public=public, hand=rack, to_move=(seat,))
    return max((points for _, points in placements(theirs, ctx)), default=0)


def unseen(view: View[Public]) -> list[str]:
    """The tiles of the stock and the other racks, in alphabetical order. Of a board with tiles that the set has not,
    those are left out."""
    seen = Counter("".join(view.public.board)) + Counter(view.hand)
    return sorted((Counter(bag(view.public.options.tiles)) - seen).elements())


def ranked(view: View[Public], found: Sequence[Found]) -> list[tuple[float, Found]]:
    """The moves by what they score and what the letters kept are worth while there are others to be drawn."""
    most = max((points for _, points in found), default=0)
    near = [one for one in found if one[1] >= most - NEAR]
    worth = [(points + _kept_worth(view, move), move, points) for move, points in near]
    return [(value, (move, points)) for value, move, points in sorted(worth, key=lambda one: (-one[0], write(one[1])))]


def _kept_worth(view: View[Public], move: Move | None) -> float:
    """What the letters are worth that a turn leaves on the rack, while others can be drawn and a turn comes."""
    if not view.stock_count or view.public.round == view.public.options.rounds:
        return 0.0
    gone: Sequence[str] = ()
    if isinstance(move, Place):
        gone = [letter for _, letter in lay(view.public, move, view.hand).laid]
    elif isinstance(move, Exchange):
        gone = move.letters
    return kept.worth(take(view.hand, gone))


# ---- the end: both racks are known ----


class _Spent(Exception):
    """All positions have been looked at that may be."""


@dataclass
class _End:
    """A search for the best lead at the end of the match, one turn deeper each time; what was found last by a search
    that came to its end counts. It is exact where no search was cut short: few tiles, few moves."""

    ctx: Context
    apply: Apply
    left: int = POSITIONS
    cut: bool = True

    def best(self, state: State[Public]) -> Move:
        chosen = self._moves(state, 0)[0]
        for depth in range(1, DEEPEST + 1):
            self.cut = False
            try:
                chosen = self._search(state, depth, 0, -1e9, 1e9)[1]
            except _Spent:
                break
            if not self.cut:
                break
        return chosen

    def equities(self, state: State[Public], moves: Sequence[Move]) -> list[tuple[float]]:
        """The mover's lead at the end behind each of the moves, as far as the last depth shows that was finished."""
        found = [(0.0,)] * len(moves)
        for depth in range(1, DEEPEST + 1):
            self.cut = False
            try:
                found = [(self._behind(state, move, depth, 0, -1e9, 1e9),) for move in moves]
            except _Spent:
                break
            if not self.cut:
                break
        return found

    def _search(self, state: State[Public], depth: int, at: int, low: float, high: float) -> tuple[float, Move]:
        """(the mover's lead at the end, its move), as far as ``depth`` shows."""
        found: tuple[float, Move] = (-1e9, Pass())
        for move in self._moves(state, at):
            value = self._behind(state, move, depth, at, max(low, found[0]), high)
            if value > found[0]:
                found = value, move
            if value >= high:
                break
        return found

    def _behind(self, state: State[Public], move: Move, depth: int, at: int, low: float, high: float) -> float:
        """The mover's lead at the end behind a move, as far as ``depth`` shows."""
        seat = state.to_move[0]
        after = self.apply(state, seat, move)
        if after.over:
            return float(lead(after.scores, seat))
        if depth == 1:
            self.cut = True
            return float(lead(after.scores, seat))
        return -self._search(after, depth - 1, at + 1, -high, -low)[0]

    def _moves(self, state: State[Public], at: int) -> list[Move]:
        """Those with the most points, and to pass."""
        if self.left == 0:
            raise _Spent
        self.left -= 1
        view = view_for(state, state.to_move[0])
        order = sorted(placements(view, self.ctx), key=lambda one: (-one[1], write(one[0])))
        width = WIDTHS[min(at, len(WIDTHS) - 1)]
        self.cut = self.cut or len(order) > width
        return [*(move for move, _ in order[:width]), Pass()]
