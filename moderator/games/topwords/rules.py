"""The game object: Topwords as the engine sees it. What it decides stands in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.common.enums import Level
from moderator.common.errors import Illegal, NeverLegal, OperatorError
from moderator.games.topwords import notation, strong
from moderator.games.topwords.board import ScoredPlacement, judge_topwords_placement
from moderator.games.topwords.generate import list_topwords_placements
from moderator.games.topwords.notation import format_topwords_move
from moderator.games.topwords.state import (
    CENTRE,
    LETTERS,
    SIZE,
    LetterExchange,
    Move,
    TopwordsCodec,
    TopwordsOptions,
    TopwordsPass,
    TopwordsPlacement,
    TopwordsPublic,
    advance_topwords_turn,
    compute_leftover_cost,
    deal_topwords_match,
    find_all_passed_note,
    find_out_of_tiles_note,
    finish_topwords_match,
    list_draw_notes,
    refill_topwords_rack,
    remove_letters_from_rack,
    replace_seat_hand,
)
from moderator.rules.codec import CodecGame
from moderator.rules.game import PLAIN, Cell, State, Step
from moderator.rules.scenes import Grid
from moderator.rules.state import Context, Note, View, check_turn


class Topwords(CodecGame[TopwordsPublic, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.rules.game.Game``."""

    key = "topwords"
    min_seats = 2
    max_seats = 99
    options = TopwordsOptions
    paces: tuple[str, ...] = ("sequential", "rounds", "common")
    contract = 2
    version = "1"
    seeded_rounds = False
    uses_words = True
    style = PLAIN
    position = TopwordsCodec()
    pass_text = "passe"
    own_levels = frozenset({Level.STRONG})

    def setup(
        self, seats: int, options: TopwordsOptions, ctx: Context, fixed: Mapping[str, Any] | None = None
    ) -> Step[TopwordsPublic]:
        """Deal 7 (``rack_size``) tiles to each seat, or one common rack. Raises OperatorError."""
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(
                f"Topwords is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play."
            )
        return deal_topwords_match(seats, options, ctx, fixed)

    def list_moves(self, view: View[TopwordsPublic], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every legal placement with its points; none while the seat is not to move. Pass and exchange left out."""
        return list_topwords_placements(view, ctx)

    def choose_for_level(self, level: Level, view: View[TopwordsPublic], ctx: Context) -> Move | None:
        """See ``Game.choose_for_level``: the strong robot, see ``strong``."""
        return strong.find_strong_topwords_move(
            view, ctx, lambda state, seat, move: self.apply_move(state, seat, move, ctx).state, ctx.shuffle
        )

    def estimate_equities(
        self, view: View[TopwordsPublic], played: Move | None, points: int, ctx: Context
    ) -> list[tuple[Move | None, tuple[float, ...]]]:

        def apply_move(state: State[TopwordsPublic], seat: int, move: Move) -> State[TopwordsPublic]:
            return self.apply_move(state, seat, move, ctx).state

        return strong.estimate_topwords_equities(view, played, points, ctx, apply_move, ctx.shuffle)

    def build_examples(self, view: View[TopwordsPublic]) -> Mapping[str, str]:
        """``letters`` to exchange, the first on the rack, where the reader may exchange at all."""
        options = view.public.options
        count = min(2, len(view.hand), view.stock_count)
        if view.seat is None or options.pace == "common" or not options.exchange or not count:
            return {}
        return {"letters": " ".join(view.hand[:count])}

    def explain_tie(self, laid: str, other: str) -> str:
        """Return the code of the first rule of ``_rank_move`` by which the two moves differ."""
        first, second = (_rank_move(*move.split()[:3]) for move in (laid, other))
        differ = (one != two for one, two in zip(first, second, strict=True))
        return next((code for code, found in zip(_TIE_RULES, differ, strict=True) if found), "")

    def parse_move(self, line: str, view: View[TopwordsPublic]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return notation.parse_topwords_move(line, view)

    def format_move(self, move: Move) -> str:
        """Canonical notation, e.g. ``E5 w HAUS (AH, US) 14``, ``passe``, ``tausche A E N``."""
        return notation.format_topwords_move(move)

    def apply_move(self, state: State[TopwordsPublic], seat: int, move: Move, ctx: Context) -> Step[TopwordsPublic]:
        """Play a move. In pace ``common`` it is checked and scored only: the state stays, ``settle_common_round`` lays
        it."""
        check_turn(state, seat)
        if isinstance(move, TopwordsPlacement):
            return _play_placement(state, seat, move, ctx)
        if isinstance(move, LetterExchange):
            return _play_exchange(state, seat, move, ctx)
        return _play_nothing(state, seat, "passed", move)

    def pass_turn(self, state: State[TopwordsPublic], seat: int, ctx: Context) -> Step[TopwordsPublic]:
        """Pass the turn of a seat whose deadline passed, as if it had passed."""
        check_turn(state, seat)
        return _play_nothing(state, seat, "missed", None)

    def close_round(self, state: State[TopwordsPublic], ctx: Context) -> Step[TopwordsPublic]:
        """Pace ``rounds``: the next seat starts, or the game is over. Nothing in the other paces."""
        public = state.public
        if public.options.pace != "rounds" or state.over:
            return Step(state)
        ending = find_out_of_tiles_note(state) or find_all_passed_note(state)
        if ending is None and public.round == public.options.rounds:
            ending = Note("rounds-reached", {"rounds": public.round})
        if ending:
            return Step(*finish_topwords_match(state, ending))
        public = replace(public, round=public.round + 1, starter=(public.starter + 1) % state.seats)
        return Step(replace(state, public=public))

    def evaluate_round(
        self, state: State[TopwordsPublic], choices: Mapping[int, Move | None], ctx: Context
    ) -> Step[TopwordsPublic]:
        """Pace ``common``: score every seat's placement, lay the best. Raises Illegal("game-over")."""
        if state.over:
            raise Illegal("game-over")
        return settle_common_round(state, choices, ctx)

    def build_scene(self, view: View[TopwordsPublic]) -> Grid:
        """The board, with the last move's tiles fresh and its words framed."""
        public = view.public
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

    def find_rack_value(self, state: State[TopwordsPublic], seat: int) -> int:
        """``leftover_penalty`` for each tile, as at the end of the game."""
        return compute_leftover_cost(state, seat)

    def list_table_tiles(self, public: TopwordsPublic) -> list[str]:
        return list("".join(public.board))


def _play_placement(
    state: State[TopwordsPublic], seat: int, move: TopwordsPlacement, ctx: Context
) -> Step[TopwordsPublic]:
    ruling = judge_topwords_placement(state, seat, move, ctx)
    detail = {"words": list(ruling.words)}
    public = state.public
    if public.options.pace == "common":
        return Step(state, ruling.notes, ruling.points, ruling.played, detail)
    laid = ruling.laying.laid
    kept = remove_letters_from_rack(state.hands[seat], [letter for _, letter in laid])
    hand, stock, drawn = refill_topwords_rack(kept, state.stock, public.options.rack_size)
    after = State(
        public=replace(
            public, board=ruling.laying.board, passes=0, fresh=tuple(s for s, _ in laid), runs=ruling.laying.runs
        ),
        hands=replace_seat_hand(state, seat, hand),
        stock=stock,
        scores=tuple(old + (ruling.points if s == seat else 0) for s, old in enumerate(state.scores)),
        to_move=state.to_move,
    )
    after, ending = advance_topwords_turn(after, seat)
    notes = (*ruling.notes, *list_draw_notes(seat, drawn), *ending)
    return Step(after, notes, ruling.points, ruling.played, detail)


def _play_exchange(state: State[TopwordsPublic], seat: int, move: LetterExchange, ctx: Context) -> Step[TopwordsPublic]:
    public = state.public
    if not public.options.exchange or public.options.pace == "common":
        raise NeverLegal("exchange-off")
    if not move.letters:
        raise Illegal("exchange-no-letters")
    kept = remove_letters_from_rack(state.hands[seat], move.letters)
    count = len(move.letters)
    if count > len(state.stock):
        raise Illegal("exchange-too-many", count=count, stock=len(state.stock))
    drawn = state.stock[:count]
    number = public.exchanges + 1
    stock = ctx.shuffle(f"exchange{number}", (*state.stock[count:], *move.letters))
    after = replace(
        state,
        public=replace(public, passes=0, exchanges=number),
        hands=replace_seat_hand(state, seat, kept + drawn),
        stock=tuple(stock),
    )
    after, ending = advance_topwords_turn(after, seat)
    notes = (Note("exchanged", {"count": count}, seat=seat), *list_draw_notes(seat, drawn)[1:], *ending)
    return Step(after, notes, 0, move, {"words": []})


def _play_nothing(
    state: State[TopwordsPublic], seat: int, code: str, played: TopwordsPass | None
) -> Step[TopwordsPublic]:
    after = state
    if state.public.options.pace != "common":
        after = replace(state, public=replace(state.public, passes=state.public.passes + 1))
    after, ending = advance_topwords_turn(after, seat)
    return Step(after, (Note(code, seat=seat), *ending), 0, played, {"words": []})


GAME = Topwords()


# ---- the board as a neutral drawing ----


# ---- pace ``common``: everybody plays the same rack, everybody scores, the best move is laid ----


_SORT_AS = str.maketrans("ÄÖÜ", "AOU")


def settle_common_round(
    state: State[TopwordsPublic], choices: Mapping[int, Move | None], ctx: Context
) -> Step[TopwordsPublic]:
    """Score each seat's placement on the board as it stands, lay the best one, refill, perhaps end.

    A pass, None and a missing seat all mean: no move. Raises Illegal or Undecided if a placement is not
    admissible; the caller has chosen admissible ones.
    """
    rulings: dict[int, ScoredPlacement] = {}
    for seat in range(state.seats):
        move = choices.get(seat)
        if isinstance(move, TopwordsPlacement):
            rulings[seat] = judge_topwords_placement(state, seat, move, ctx)
    scores = tuple(old + (rulings[s].points if s in rulings else 0) for s, old in enumerate(state.scores))
    state = replace(state, scores=scores)
    detail: dict[str, Any] = {
        "seats": [_build_seat_detail(seat, rulings.get(seat)) for seat in range(state.seats)],
        "laid": None,
    }
    notes = [note for seat in sorted(rulings) for note in rulings[seat].notes]
    notes += [Note("passed", seat=seat) for seat in range(state.seats) if seat not in rulings]
    best = min(rulings.values(), key=_rank_placement, default=None)
    if best is not None:
        same = [
            seat
            for seat, ruling in rulings.items()
            if _get_placement_key(ruling.played) == _get_placement_key(best.played)
        ]
        detail["laid"] = {
            "move": format_topwords_move(best.played),
            "seats": same,
            "words": list(best.words),
            "points": best.points,
        }
    state, drawn = _lay_best_placement(state, best)
    notes += drawn
    state, ending = _begin_next_round(state, best is not None)
    return Step(
        state, (*notes, *ending), points=best.points if best else 0, played=best.played if best else None, detail=detail
    )


def _build_seat_detail(seat: int, ruling: ScoredPlacement | None) -> dict[str, Any]:
    if ruling is None:
        return {"seat": seat, "points": 0, "words": [], "move": None}
    return {
        "seat": seat,
        "points": ruling.points,
        "words": list(ruling.words),
        "move": format_topwords_move(ruling.played),
    }


def _get_placement_key(move: TopwordsPlacement) -> tuple[str, str, str]:
    return move.square, move.direction, move.word


_TIE_RULES = ("tie-word", "tie-word", "tie-square", "tie-direction")


def _rank_move(square: str, direction: str, word: str) -> tuple[Any, ...]:
    """Return a key that sorts moves of equal points: the alphabet (Ä right after A), then the lower square, then w
    before s."""
    return word.translate(_SORT_AS), word, (LETTERS.index(square[0]), int(square[1:])), -ord(direction)


def _rank_placement(ruling: ScoredPlacement) -> tuple[Any, ...]:
    return -ruling.points, *_rank_move(*_get_placement_key(ruling.played))


def _lay_best_placement(
    state: State[TopwordsPublic], best: ScoredPlacement | None
) -> tuple[State[TopwordsPublic], list[Note]]:
    public = state.public
    if best is None:
        return replace(state, public=replace(public, passes=public.passes + state.seats)), []
    laid = best.laying.laid
    hand, stock, tiles = refill_topwords_rack(
        remove_letters_from_rack(state.hands[0], [letter for _, letter in laid]),
        state.stock,
        public.options.common_rack,
    )
    public = replace(public, board=best.laying.board, passes=0, fresh=tuple(s for s, _ in laid), runs=best.laying.runs)
    # The common rack is no secret, so its tiles are named to all.
    notes = [Note("common-drew", {"count": len(tiles), "tiles": list(tiles)})] if tiles else []
    return replace(state, public=public, hands=(hand,), stock=stock), notes


def _begin_next_round(state: State[TopwordsPublic], laid: bool) -> tuple[State[TopwordsPublic], tuple[Note, ...]]:
    public = state.public
    options = public.options
    ending = find_out_of_tiles_note(state)
    if ending is None and options.common_end:
        if not laid:
            ending = Note("common-no-move")
        elif len(state.hands[0]) < options.common_rack:
            ending = Note("common-rack-short", {"count": len(state.hands[0]), "size": options.common_rack})
    if ending is None:
        ending = find_all_passed_note(state)
    if ending is None and public.round == options.rounds:
        ending = Note("rounds-reached", {"rounds": public.round})
    if ending:
        return finish_topwords_match(state, ending)
    return replace(state, public=replace(public, round=public.round + 1)), ()
