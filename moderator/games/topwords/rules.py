"""The game object: Topwords as the engine sees it. What it decides stands in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.errors import Illegal, OperatorError
from moderator.games.topwords import notation, position, strong
from moderator.games.topwords.board import Ruling, rule
from moderator.games.topwords.generate import placements
from moderator.games.topwords.notation import write
from moderator.games.topwords.state import (
    CENTRE,
    LETTERS,
    SIZE,
    Exchange,
    Move,
    Options,
    Pass,
    Place,
    Public,
    advance,
    all_passed,
    deal,
    drew,
    finish,
    leftover_cost,
    out_of_tiles,
    refill,
    take,
    with_hand,
)
from moderator.match.contract import PLAIN, Cell, Context, Grid, Note, State, Step, View, check_turn
from moderator.match.diagram import Diagram
from moderator.states import Level


class Topwords:
    """See RULES.md; every method keeps the contract of ``moderator.match.contract.Game``."""

    key = "topwords"
    min_seats = 2
    max_seats = 99
    options = Options
    paces: tuple[str, ...] = ("sequential", "rounds", "common")
    contract = 1
    version = "1"
    seeded_rounds = False
    uses_words = True
    style = PLAIN
    pass_text = "passe"
    own_levels = frozenset({Level.STRONG})

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal 7 (``rack_size``) tiles to each seat, or one common rack. Raises OperatorError."""
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(
                f"Topwords is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play."
            )
        return deal(seats, options, ctx, fixed)

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every legal placement with its points; none while the seat is not to move. Pass and exchange left out."""
        return placements(view, ctx)

    def at_level(self, level: Level, view: View[Public], ctx: Context) -> Move | None:
        """See ``robot.Levelled``: the strong robot, see ``strong``."""
        return strong.best(view, ctx, lambda state, seat, move: self.apply(state, seat, move, ctx).state, ctx.shuffle)

    def equities(
        self, view: View[Public], played: Move | None, points: int, ctx: Context
    ) -> list[tuple[Move | None, tuple[float, ...]]]:
        """See ``equity.Assessing``."""

        def after(state: State[Public], seat: int, move: Move) -> State[Public]:
            return self.apply(state, seat, move, ctx).state

        return strong.equities(view, played, points, ctx, after, ctx.shuffle)

    def examples(self, view: View[Public]) -> Mapping[str, str]:
        """``letters`` to exchange, the first on the rack, where the reader may exchange at all."""
        options = view.public.options
        count = min(2, len(view.hand), view.stock_count)
        if view.seat is None or options.pace == "common" or not options.exchange or not count:
            return {}
        return {"letters": " ".join(view.hand[:count])}

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return notation.read(line, view)

    def format(self, move: Move) -> str:
        """Canonical notation, e.g. ``E5 w HAUS (AH, US) 14``, ``passe``, ``tausche A E N``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Play a move. In pace ``common`` it is checked and scored only: the state stays, ``settle`` lays it."""
        check_turn(state, seat)
        if isinstance(move, Place):
            return _place(state, seat, move, ctx)
        if isinstance(move, Exchange):
            return _exchange(state, seat, move, ctx)
        return _no_move(state, seat, "passed", move)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat had passed."""
        check_turn(state, seat)
        return _no_move(state, seat, "missed", None)

    def close_round(self, state: State[Public], ctx: Context) -> Step[Public]:
        """Pace ``rounds``: the next seat starts, or the game is over. Nothing in the other paces."""
        public = state.public
        if public.options.pace != "rounds" or state.over:
            return Step(state)
        ending = out_of_tiles(state) or all_passed(state)
        if ending is None and public.round == public.options.rounds:
            ending = Note("rounds-reached", {"rounds": public.round})
        if ending:
            return Step(*finish(state, ending))
        public = replace(public, round=public.round + 1, starter=(public.starter + 1) % state.seats)
        return Step(replace(state, public=public))

    def settle(self, state: State[Public], choices: Mapping[int, Move | None], ctx: Context) -> Step[Public]:
        """Pace ``common``: score every seat's placement, lay the best. Raises Illegal("game-over")."""
        if state.over:
            raise Illegal("game-over")
        return settle(state, choices, ctx)

    def scene(self, view: View[Public]) -> Grid:
        """The board, with the last move's tiles fresh and its words framed."""
        return draw(view.public)

    def export(self, public: Public) -> dict[str, Any]:
        """{"rows": 10 lists of 10 stacks from bottom to top, "round", "starter"}."""
        rows = [list(public.board[y * SIZE : (y + 1) * SIZE]) for y in range(SIZE)]
        return {"rows": rows, "round": public.round, "starter": public.starter}

    def table(self, public: Public) -> dict[str, Any]:
        """See ``contract.Portable``."""
        return position.write(public)

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round: int) -> Public:
        """See ``contract.Portable``."""
        return position.read(values, options, round)

    def situation(self, view: View[Public]) -> tuple[Note, ...]:
        """Nothing: the drawing says it all."""
        return ()

    def lasting(self, move: Move) -> bool:
        """No move of this game is a standing order."""
        return False

    def rack_value(self, state: State[Public], seat: int) -> int:
        """``leftover_penalty`` for each tile, as at the end of the game."""
        return leftover_cost(state, seat)

    def diagram(self, state: State[Public]) -> dict[str, Any]:
        """See ``contract.Resumable``."""
        return position.write_diagram(state)

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Public]:
        """See ``contract.Resumable``."""
        return Step(position.read_diagram(diagram, options, ctx))

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return list("".join(public.board))

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest score once the game is over."""
        if not state.over:
            return ()
        best = max(state.scores)
        return tuple(seat for seat, score in enumerate(state.scores) if score == best)


def _place(state: State[Public], seat: int, move: Place, ctx: Context) -> Step[Public]:
    ruling = rule(state, seat, move, ctx)
    detail = {"words": list(ruling.words)}
    public = state.public
    if public.options.pace == "common":
        return Step(state, ruling.notes, ruling.points, ruling.played, detail)
    laid = ruling.laying.laid
    kept = take(state.hands[seat], [letter for _, letter in laid])
    hand, stock, drawn = refill(kept, state.stock, public.options.rack_size)
    after = State(
        public=replace(
            public, board=ruling.laying.board, passes=0, fresh=tuple(s for s, _ in laid), runs=ruling.laying.runs
        ),
        hands=with_hand(state, seat, hand),
        stock=stock,
        scores=tuple(old + (ruling.points if s == seat else 0) for s, old in enumerate(state.scores)),
        to_move=state.to_move,
    )
    after, ending = advance(after, seat)
    notes = (*ruling.notes, *drew(seat, drawn), *ending)
    return Step(after, notes, ruling.points, ruling.played, detail)


def _exchange(state: State[Public], seat: int, move: Exchange, ctx: Context) -> Step[Public]:
    public = state.public
    if not public.options.exchange or public.options.pace == "common":
        raise Illegal("exchange-off")
    if not move.letters:
        raise Illegal("exchange-no-letters")
    kept = take(state.hands[seat], move.letters)
    count = len(move.letters)
    if count > len(state.stock):
        raise Illegal("exchange-too-many", count=count, stock=len(state.stock))
    drawn = state.stock[:count]
    number = public.exchanges + 1
    stock = ctx.shuffle(f"exchange{number}", (*state.stock[count:], *move.letters))
    after = replace(
        state,
        public=replace(public, passes=0, exchanges=number),
        hands=with_hand(state, seat, kept + drawn),
        stock=tuple(stock),
    )
    after, ending = advance(after, seat)
    notes = (Note("exchanged", {"count": count}, seat=seat), *drew(seat, drawn)[1:], *ending)
    return Step(after, notes, 0, move, {"words": []})


def _no_move(state: State[Public], seat: int, code: str, played: Pass | None) -> Step[Public]:
    after = state
    if state.public.options.pace != "common":
        after = replace(state, public=replace(state.public, passes=state.public.passes + 1))
    after, ending = advance(after, seat)
    return Step(after, (Note(code, seat=seat), *ending), 0, played, {"words": []})


GAME = Topwords()


# ---- the board as a neutral drawing ----


def draw(public: Public) -> Grid:
    """All occupied squares with their heights; fresh tiles and formed words of the last move; a shaded centre."""
    letters, numbers = tuple(LETTERS), tuple(str(n) for n in range(1, SIZE + 1))
    by_column = public.options.letter_axis == "columns"
    fresh = frozenset(public.fresh)
    return Grid(
        columns=letters if by_column else numbers,
        rows=numbers if by_column else letters,
        cells=tuple(
            Cell(x=square % SIZE, y=square // SIZE, letter=stack[-1], height=len(stack), fresh=square in fresh)
            for square, stack in enumerate(public.board)
            if stack
        ),
        shaded=frozenset((square % SIZE, square // SIZE) for square in CENTRE),
        words=tuple((run[0] % SIZE, run[0] // SIZE, run[-1] % SIZE, run[-1] // SIZE) for run in public.runs),
        row_first=not by_column,
    )


# ---- pace ``common``: everybody plays the same rack, everybody scores, the best move is laid ----


_SORT_AS = str.maketrans("ÄÖÜ", "AOU")


def settle(state: State[Public], choices: Mapping[int, Move | None], ctx: Context) -> Step[Public]:
    """Score each seat's placement on the board as it stands, lay the best one, refill, perhaps end.

    A pass, None and a missing seat all mean: no move. Raises Illegal or Undecided if a placement is not
    admissible; the caller has chosen admissible ones.
    """
    rulings: dict[int, Ruling] = {}
    for seat in range(state.seats):
        move = choices.get(seat)
        if isinstance(move, Place):
            rulings[seat] = rule(state, seat, move, ctx)
    scores = tuple(old + (rulings[s].points if s in rulings else 0) for s, old in enumerate(state.scores))
    state = replace(state, scores=scores)
    detail: dict[str, Any] = {"seats": [_line(seat, rulings.get(seat)) for seat in range(state.seats)], "laid": None}
    notes = [note for seat in sorted(rulings) for note in rulings[seat].notes]
    notes += [Note("passed", seat=seat) for seat in range(state.seats) if seat not in rulings]
    best = min(rulings.values(), key=_rank, default=None)
    if best is not None:
        same = [seat for seat, ruling in rulings.items() if _key(ruling.played) == _key(best.played)]
        detail["laid"] = {"move": write(best.played), "seats": same, "words": list(best.words), "points": best.points}
    state, drawn = _lay(state, best)
    notes += drawn
    state, ending = _next_round(state, best is not None)
    return Step(
        state,
        (*notes, *ending),
        points=best.points if best else 0,
        played=best.played if best else None,
        detail=detail,
    )


def _line(seat: int, ruling: Ruling | None) -> dict[str, Any]:
    if ruling is None:
        return {"seat": seat, "points": 0, "words": [], "move": None}
    return {"seat": seat, "points": ruling.points, "words": list(ruling.words), "move": write(ruling.played)}


def _key(move: Place) -> tuple[str, str, str]:
    return move.square, move.direction, move.word


def _rank(ruling: Ruling) -> tuple[Any, ...]:
    """Best first: points, then the alphabet (Ä right after A), then the lower square, then w before s."""
    move = ruling.played
    square = LETTERS.index(move.square[0]), int(move.square[1:])
    return -ruling.points, move.word.translate(_SORT_AS), move.word, square, -ord(move.direction)


def _lay(state: State[Public], best: Ruling | None) -> tuple[State[Public], list[Note]]:
    public = state.public
    if best is None:
        return replace(state, public=replace(public, passes=public.passes + state.seats)), []
    laid = best.laying.laid
    hand, stock, tiles = refill(
        take(state.hands[0], [letter for _, letter in laid]), state.stock, public.options.common_rack
    )
    public = replace(public, board=best.laying.board, passes=0, fresh=tuple(s for s, _ in laid), runs=best.laying.runs)
    # The common rack is no secret, so its tiles are named to all.
    notes = [Note("common-drew", {"count": len(tiles), "tiles": list(tiles)})] if tiles else []
    return replace(state, public=public, hands=(hand,), stock=stock), notes


def _next_round(state: State[Public], laid: bool) -> tuple[State[Public], tuple[Note, ...]]:
    public = state.public
    options = public.options
    ending = out_of_tiles(state)
    if ending is None and options.common_end:
        if not laid:
            ending = Note("common-no-move")
        elif len(state.hands[0]) < options.common_rack:
            ending = Note("common-rack-short", {"count": len(state.hands[0]), "size": options.common_rack})
    if ending is None:
        ending = all_passed(state)
    if ending is None and public.round == options.rounds:
        ending = Note("rounds-reached", {"rounds": public.round})
    if ending:
        return finish(state, ending)
    return replace(state, public=replace(public, round=public.round + 1)), ()
