"""Around the words: the deal, whose turn it is, buying, forced passes, the end of a game and the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from moderator.games.typdom import board
from moderator.games.typdom.board import TypdomTable
from moderator.games.typdom.search import can_lay_word
from moderator.games.typdom.state import RestOptions, TypdomOptions, TypdomPublic
from moderator.games.typdom.tiles import (
    Colour,
    count_colours,
    deal_first_hands,
    deal_typdom_hands,
    draw_by_colour,
    get_seat_nearest_to_z,
    to_rack_tile,
)
from moderator.rules.game import State
from moderator.rules.state import Context, Note, best_seats, read_starter

Happened = tuple[State[TypdomPublic], tuple[Note, ...]]
P = TypeVar("P", bound=TypdomPublic)


class GameSettlement(Protocol):
    """The way in which a variant settles a finished game: it gives (state with the new scores, notes, factor by which
    the next game counts)."""

    def __call__(
        self, state: State[TypdomPublic], out: int | None
    ) -> tuple[State[TypdomPublic], tuple[Note, ...], int]: ...


# ---- the deal ----


def deal_typdom_match(seats: int, options: TypdomOptions, ctx: Context, fixed: Mapping[str, Any]) -> Happened:
    """Return the first game. ``fixed`` may give racks, stock, board and starter; see RULES.md. Raises OperatorError or
    RecordError."""
    table = board.decode_table_squares(fixed.get("board") or {}, options.table_size)
    lying = [to_rack_tile(tile) for tile in table.squares.values()]
    hands, stock = deal_first_hands(fixed, seats, options.dealt_colours, ctx.shuffle, lying)
    starter = read_starter(fixed, seats)
    public = TypdomPublic(options, table, gains=((),) * seats)
    return _open_game(State(public, hands, stock, (0,) * seats, ()), starter)


def _open_game(state: State[P], starter: int | None) -> tuple[State[P], tuple[Note, ...]]:
    seat = get_seat_nearest_to_z(state.hands) if starter is None else starter
    public = replace(state.public, starter=seat, left=count_colours(state.stock))
    return replace(state, public=public, to_move=(seat,)), (Note("starts", seat=seat),)


# ---- buying ----


def get_most_left_colour(stock: Sequence[str]) -> Colour:
    """Return the colour with more tiles left; black if they are equal."""
    return choose_fuller_colour(count_colours(stock))


def choose_fuller_colour(left: Mapping[Colour, int]) -> Colour:
    """Return the colour of which more tiles are left, by their numbers; black if they are equal."""
    return "red" if left["red"] > left["black"] else "black"


def buy_typdom_tiles(state: State[P], seat: int, wanted: Sequence[Colour]) -> tuple[State[P], tuple[Note, ...]]:
    """Let the seat take tiles of these colours off the stock, of the other colour where one is used up. The tiles that
    it gets are public by colour only."""
    drawn, stock = draw_by_colour(state.stock, wanted)
    left = count_colours(stock)
    names: tuple[Colour, ...] = ("red", "black")
    got = count_colours(drawn)
    replaced = len(drawn) == len(wanted)
    gone = {"red": "no-red-left", "black": "no-black-left"}
    notes = [Note(gone[name], seat=seat) for name in names if replaced and list(wanted).count(name) > got[name]]
    notes += [
        Note(f"bought-{name}", {"count": got[name], "left": left[name]}, seat=seat) for name in names if got[name]
    ]
    if drawn:
        notes.append(Note("drew-tiles", {"tiles": list(drawn)}, seat=seat, only=seat))
    hands = (*state.hands[:seat], (*state.hands[seat], *drawn), *state.hands[seat + 1 :])
    public = replace(state.public, left=left)
    return replace(state, public=public, hands=hands, stock=stock), tuple(notes)


# ---- turns ----


def set_seat_hand(state: State[P], seat: int, hand: Sequence[str]) -> State[P]:
    return replace(state, hands=(*state.hands[:seat], tuple(hand), *state.hands[seat + 1 :]))


def add_typdom_points(state: State[P], seat: int, points: int) -> State[P]:
    """Add ``points``, maybe negative, to a seat's account."""
    return replace(state, scores=tuple(score + points * (n == seat) for n, score in enumerate(state.scores)))


IDLE_CIRCLES = 2
"""So many circles in which nobody lays, buys or exchanges end a game, although there is something left to buy."""


def advance_typdom_game(state: State[TypdomPublic], seat: int, sums: GameSettlement, ctx: Context) -> Happened:
    """Go on after a seat's turn: the next seat, forced passes, the end of the game, the next deal, the end of the
    match."""
    notes: list[Note] = []
    while True:
        finished, out = _find_game_end(state, seat)
        if finished:
            after, settled, stake = sums(state, out)
            return finish_typdom_game(after, (*notes, *settled), stake, ctx)
        seat = (seat + 1) % state.seats
        state = replace(state, to_move=(seat,))
        if state.stock or can_lay_word(state.public.table, state.hands[seat], ctx) is not False:
            return state, tuple(notes)
        notes.append(Note("cannot-lay", seat=seat))
        state = replace(state, public=replace(state.public, passes=state.public.passes + 1))


def _find_game_end(state: State[TypdomPublic], seat: int) -> tuple[bool, int | None]:
    """Return whether the game is over after the turn of ``seat``, and the seat that is out."""
    public = state.public
    if public.out is not None:
        # The round is finished, so that all have had equally many turns.
        return (seat + 1) % state.seats == public.starter, public.out
    if not state.hands[seat]:
        return True, seat
    return public.passes >= state.seats * (IDLE_CIRCLES if state.stock else 1), None


def finish_typdom_game(
    state: State[P], notes: tuple[Note, ...], stake: int, ctx: Context
) -> tuple[State[P], tuple[Note, ...]]:
    """Deal the next game of the match, which counts ``stake`` times, or end the match."""
    old = state.public
    if old.round < old.options.games:
        number, seats = old.round + 1, state.seats
        hands, stock = deal_typdom_hands(number, seats, *old.options.dealt_colours, ctx.shuffle)
        table = TypdomTable(old.options.table_size)
        public = type(old)(old.options, table, number, stake=stake, gains=((),) * seats)
        following, more = _open_game(State(public, hands, stock, state.scores, (), past=state.ended), None)
        note = Note("next-round" if stake == 1 else "next-round-double", {"round": number})
        return following, (*notes, note, *more)
    closing = build_closing_note(list_typdom_winners(state), max(state.scores))
    return replace(state, to_move=()), (*notes, closing)


def build_closing_note(winners: Sequence[int], best: int) -> Note:
    """Return the note on the end of a match."""
    if len(winners) == 1:
        return Note("match-won", {"points": best}, seat=winners[0])
    return Note("match-shared", {"seats": list(winners), "points": best}) if winners else Note("match-undecided")


def build_settlement_notes(public: TypdomPublic, winner: int, rests: Mapping[int, int]) -> tuple[Note, ...]:
    """Return the notes on the points that a game brings, ``rests`` by seat: the winner gets those of the others, times
    the stake, and from the others themselves where the losers pay."""
    items = [rest for seat, rest in rests.items() if seat != winner]
    if not items:
        return ()
    stake, paid = public.stake, isinstance(public.options, RestOptions) and public.options.losers_pay
    code = "credited" if stake == 1 else "credited-double"
    points = stake * sum(items)
    pays = [
        Note("pays", {"points": stake * rest}, seat=seat, points=-stake * rest)
        for seat, rest in rests.items()
        if paid and seat != winner
    ]
    return (*pays, Note(code, {"items": items, "points": points}, seat=winner, points=points))


def list_typdom_winners(state: State[Any]) -> tuple[int, ...]:
    """Return the seats with the highest score; none of them where no game had a winner."""
    options = state.public.options
    paid = isinstance(options, RestOptions) and options.losers_pay
    ends = (*state.past, state) if paid else (state,)
    return best_seats(state) if any(any(one.scores) for one in ends) else ()
