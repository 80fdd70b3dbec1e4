"""Orders as they are tried and as they wait: the first legal alternative is played, the others are stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, Literal

from moderator.common.errors import PlayerError, Undecided
from moderator.rules.game import Game, P, State, Step
from moderator.rules.orders.parse import list_alternatives
from moderator.rules.result import Refusal, build_refusal
from moderator.rules.state import Context, M, View, view_for
from moderator.rules.words import AssumingWords


@dataclass(frozen=True)
class FirstLegal(Generic[P, M]):
    """The first legal alternative; ``step`` is None if there is none."""

    alternative: int = 0
    move: M | None = None
    step: Step[P] | None = None
    refused: tuple[Refusal, ...] = ()
    """Those before it, with the reason; not standing orders, which only wait for their moment."""
    undecided: tuple[str, ...] = ()
    """Words of the alternatives reached that wait for a ruling."""


def has_legal_alternative(game: Game[P, M], state: State[P], seat: int, text: str, ctx: Context) -> bool:
    """Return whether an order would bring something if it were the seat's turn now: an alternative of it is legal, or
    hangs on a word that nobody has ruled on yet. The one answer to that question: for who is in, what a mail says, what
    is kept."""
    if state.over or not text:
        return False
    if seat not in state.to_move:
        state = replace(state, to_move=(seat,))
    found = find_first_legal(game, state, seat, text, ctx, "hold")
    return found.step is not None or bool(found.undecided)


def find_first_legal(
    game: Game[P, M], state: State[P], seat: int, text: str, ctx: Context, mode: Literal["hold", "reject", "accept"]
) -> FirstLegal[P, M]:
    """Walk the alternatives of ``text``. ``mode`` says what becomes of one with undecided words: "hold" stops there,
    "reject" goes on to the next alternative, "accept" plays it."""
    refused: list[Refusal] = []
    waiting: list[str] = []
    for number, alternative in enumerate(list_alternatives(text, game.style), start=1):
        lasting = False
        try:
            move = game.parse_move(alternative.text, view_for(state, seat))
            lasting = game.is_standing_order(move)
            try:
                step = game.apply_move(state, seat, move, ctx)
            except Undecided as error:
                waiting += error.words
                if mode == "hold":
                    return FirstLegal(refused=tuple(refused), undecided=tuple(waiting))
                if mode == "reject":
                    raise
                step = game.apply_move(state, seat, move, replace(ctx, words=AssumingWords(ctx.words)))
        except PlayerError as error:
            if not lasting:
                refused.append(build_refusal(number, alternative.text, error))
            continue
        return FirstLegal(number, move, step, tuple(refused), tuple(waiting))
    return FirstLegal(refused=tuple(refused), undecided=tuple(waiting))


# ---- kept ----
# What a seat has stored in pace ``sequential``: the moves for its next turn, kept until they are played, replaced or
# withdrawn, and behind them its standing orders, kept until they are withdrawn.


JOIN = "; sonst "


def keep_standing(game: Game[P, M], view: View[P], *texts: str) -> str:
    """Return the standing orders (``nach Ziehen: bester``) in ``texts``, in one line and each once; "" if there are
    none."""
    return JOIN.join(dict.fromkeys(order for text in texts for order in _split_by_standing(game, view, text)[1]))


def merge_stored(game: Game[P, M], view: View[P], before: str, text: str, moves: bool = True) -> str:
    """Return what is stored when ``text`` comes to ``before``: its moves, or those of ``before`` if it brings none (or
    with ``moves`` False), and the standing orders of both. A text without standing orders stays as it is written."""
    lasting = keep_standing(game, view, text, before)
    if not lasting:
        return text if moves else before
    new = _split_by_standing(game, view, text)[0] if moves else []
    return JOIN.join([*(new or _split_by_standing(game, view, before)[0]), lasting])


def _split_by_standing(game: Game[P, M], view: View[P], text: str) -> tuple[list[str], list[str]]:
    """Return the alternatives of ``text``: (moves as written, standing orders in canonical notation)."""
    moves: list[str] = []
    lasting: list[str] = []
    for alternative in list_alternatives(text, game.style):
        try:
            move = game.parse_move(alternative.text, view)
        except PlayerError:
            moves.append(alternative.text)  # readable when it was stored; perhaps it is again when it is tried
            continue
        if game.is_standing_order(move):
            lasting.append(game.format_move(move))
        else:
            moves.append(alternative.text)
    return moves, lasting
