"""Dealing, drawing, whose turn it is, and when the game is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from moderator.errors import Illegal, OperatorError, RecordError
from moderator.games.topwords.state import ALPHABET, SIZE, Options, Public, bag
from moderator.match.contract import Context, Note, State, Step


def deal(seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None) -> Step[Public]:
    """The opening state. ``fixed`` may give racks, stock, board and starter; see RULES.md.

    Raises OperatorError if the tiles do not suffice, RecordError for a wrong ``fixed``.
    """
    fixed = fixed or {}
    racks = 1 if options.pace == "common" else seats
    board = _fixed_board(fixed, options)
    starter = fixed.get("starter", 0)
    if not isinstance(starter, int) or not 0 <= starter < seats:
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    if "racks" in fixed:
        given = fixed["racks"]
        if not isinstance(given, list | tuple) or len(given) != racks:
            raise RecordError(f"racks needs {racks} list(s) of letters for pace {options.pace}.")
        hands = tuple(_letters(rack, "racks") for rack in given)
        stock = _letters(fixed.get("stock", ()), "stock")
    else:
        tiles = _letters(fixed["stock"], "stock") if "stock" in fixed else ctx.shuffle("round1", bag(options.tiles))
        size = options.full_rack
        if len(tiles) < racks * size:
            raise OperatorError(
                f"{racks} rack(s) of {size} need {racks * size} tiles, there are {len(tiles)}.",
                "Choose fewer players, a smaller rack_size or more tiles.",
            )
        hands = tuple(tuple(tiles[i * size : (i + 1) * size]) for i in range(racks))
        stock = tuple(tiles[racks * size :])
    public = Public(options=options, board=board, starter=starter)
    to_move = (starter,) if options.pace == "sequential" else tuple(range(seats))
    notes = () if options.pace == "common" else (Note("starts", seat=starter),)
    return Step(State(public, hands, stock, (0,) * seats, to_move), notes)


def _letters(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) and v in ALPHABET for v in values):
        raise RecordError(f"{where} = {values!r} is wrong.", "Expected: a list of capital letters A-Z, Ä, Ö, Ü.")
    return tuple(values)


def _fixed_board(fixed: Mapping[str, Any], options: Options) -> tuple[str, ...]:
    rows = fixed.get("board") or [[""] * SIZE] * SIZE
    hint = f"Expected: {SIZE} lists of {SIZE} strings, each from bottom to top letter."
    if (
        not isinstance(rows, list | tuple)
        or [len(r) if isinstance(r, list | tuple) else 0 for r in rows] != [SIZE] * SIZE
    ):
        raise RecordError("board has the wrong shape.", hint)
    stacks = tuple(stack for row in rows for stack in row)
    for stack in stacks:
        if not isinstance(stack, str) or not ALPHABET.issuperset(stack) or len(stack) > options.max_height:
            raise RecordError(f"board: {stack!r} is no stack of at most {options.max_height} letters.", hint)
    return stacks


def take(hand: Sequence[str], letters: Sequence[str]) -> tuple[str, ...]:
    """``hand`` without ``letters``, order kept. Raises Illegal("not-your-letters")."""
    gone = Counter(letters)
    missing = gone - Counter(hand)
    if missing:
        raise Illegal("not-your-letters", letters=sorted(missing.elements()), word="")
    kept = []
    for letter in hand:
        if gone[letter]:
            gone[letter] -= 1
        else:
            kept.append(letter)
    return tuple(kept)


def refill(
    hand: tuple[str, ...], stock: tuple[str, ...], size: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """(hand, stock, drawn tiles) after drawing up to ``size``."""
    count = max(0, min(size - len(hand), len(stock)))
    return hand + stock[:count], stock[count:], stock[:count]


def drew(seat: int, tiles: Sequence[str]) -> tuple[Note, ...]:
    """What everybody and what only the seat learns about drawn tiles."""
    if not tiles:
        return ()
    return (
        Note("drew", {"count": len(tiles)}, seat=seat),
        Note("drew-tiles", {"tiles": list(tiles)}, seat=seat, only=seat),
    )


def with_hand(state: State[Public], seat: int, hand: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """All hands, with that of ``seat`` exchanged."""
    return (*state.hands[:seat], hand, *state.hands[seat + 1 :])


def advance(state: State[Public], seat: int) -> tuple[State[Public], tuple[Note, ...]]:
    """Pace ``sequential``: the next seat's turn, or the end. Other paces wait for the round's end."""
    public = state.public
    if public.options.pace != "sequential":
        return state, ()
    ending = out_of_tiles(state) or all_passed(state)
    if ending:
        return finish(state, ending)
    following = (seat + 1) % state.seats
    if following == public.starter:
        if public.round == public.options.rounds:
            return finish(state, Note("rounds-reached", {"rounds": public.round}))
        public = replace(public, round=public.round + 1)
    return replace(state, public=public, to_move=(following,)), ()


def out_of_tiles(state: State[Public]) -> Note | None:
    """The note that ends the game if the stock and some rack are empty."""
    if state.stock:
        return None
    shared = len(state.hands) == 1
    return next((Note("out-of-tiles", seat=None if shared else s) for s, h in enumerate(state.hands) if not h), None)


def all_passed(state: State[Public]) -> Note | None:
    """The note that ends the game if every seat passed in ``pass_rounds`` rounds in a row."""
    rounds = state.public.options.pass_rounds
    return Note("all-passed", {"rounds": rounds}) if state.public.passes >= rounds * state.seats else None


def finish(state: State[Public], ending: Note) -> tuple[State[Public], tuple[Note, ...]]:
    """The end: nobody to move, tiles left on racks are paid for (a common rack is nobody's)."""
    notes = [ending]
    scores = list(state.scores)
    if state.public.options.pace != "common":
        for seat, hand in enumerate(state.hands):
            if cost := leftover_cost(state, seat):
                scores[seat] -= cost
                notes.append(Note("leftover", {"count": len(hand), "points": cost}, seat=seat, points=-cost))
    return replace(state, scores=tuple(scores), to_move=()), tuple(notes)


def leftover_cost(state: State[Public], seat: int) -> int:
    """Points that the tiles on the seat's own rack cost at the end."""
    return state.public.options.leftover_penalty * len(state.hands[seat])
