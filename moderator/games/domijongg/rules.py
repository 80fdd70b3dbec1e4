"""Domi Jongg as the engine sees it, and what happens by itself between two turns: drawing, penalty tiles, the end of a
game, the next deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from moderator.common.errors import OperatorError, RecordError
from moderator.games.domijongg import generate, notation, state
from moderator.games.domijongg.snake import (
    FORK,
    SAME,
    DomiJonggCodec,
    begin_snake,
    can_extend_snake,
    find_jongg_tile,
    lay_jongg_turn,
    lay_written_turns,
    list_chain_places,
    list_hand_bonuses,
    remove_tiles_from_hand,
    score_laid_turn,
)
from moderator.games.domijongg.state import (
    BRANCHES,
    FOLLOWERS,
    RANK,
    WALL,
    DomiJonggOptions,
    DomiJonggPublic,
    JonggTurn,
    is_special_tile,
)
from moderator.rules import shuffling
from moderator.rules.codec import CodecGame
from moderator.rules.ending import lead
from moderator.rules.game import Effort, Scope, State, Step
from moderator.rules.orders import conditions
from moderator.rules.position import Diagram, read_fixed_deal
from moderator.rules.robots import choose
from moderator.rules.scenes import Head, Link, Scene, Snake
from moderator.rules.state import Context, Note, View, check_turn
from moderator.rules.words import AnyWords


class DomiJongg(CodecGame[DomiJonggPublic, JonggTurn]):
    """See RULES.md; every method keeps the contract of ``moderator.rules.game.Game``."""

    key = "domijongg"
    min_seats = 2
    max_seats = 8
    options = DomiJonggOptions
    contract = 2
    version = "1"
    opener = "tile"
    style = notation.STYLE
    pictured = Snake
    position = DomiJonggCodec()
    finds_best = True
    effort = Effort(moves=6, worlds=(16, 16, 32), turns=6, reviewed=60, ahead=4)

    def setup(
        self, seats: int, options: DomiJonggOptions, ctx: Context, fixed: Mapping[str, Any] | None = None
    ) -> Step[DomiJonggPublic]:
        """Deal the first game and go on to the first seat that has a choice. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        if fixed:
            state, notes = deal_fixed_jongg_game(seats, options, ctx, fixed)
        else:
            state, notes = deal_jongg_game(options, seats, ctx, 1, 0, (0,) * seats)
        state, more = advance_jongg_game(state, state.to_move[0] - 1, ctx)
        return Step(state, (*notes, *more))

    def list_moves(self, view: View[DomiJonggPublic], ctx: Context) -> Iterable[tuple[JonggTurn, int]]:
        """Return legal turns with their points, shortest first; of very many the first 2,000 and the best one."""
        return generate.iter_jongg_turns(view)

    def choose_greedy(self, view: View[DomiJonggPublic], ctx: Context) -> JonggTurn | None:
        """The turn with the most points, then the most tiles; None if the seat cannot lay or is not to move."""
        return generate.find_best_jongg_turn(view) if view.seat in view.to_move else None

    def survey_moves(self, view: View[DomiJonggPublic], ctx: Context) -> tuple[list[tuple[JonggTurn, int]], Scope]:
        """See ``Game.survey_moves``: every turn, unless there are more than ``list_moves`` has."""
        found = list(self.list_moves(view, ctx))
        return found, "all" if len(found) < generate.LISTED else "some"

    def parse_move(self, line: str, view: View[DomiJonggPublic]) -> JonggTurn:
        """One turn. Raises Unreadable or Ambiguous."""
        return notation.parse_jongg_turn(line, view)

    def format_move(self, move: JonggTurn) -> str:
        """Canonical notation, e.g. ``1: T3+E, T2; 3: N, DR ab 2``."""
        return notation.format_jongg_turn(move)

    def apply_move(
        self, state: State[DomiJonggPublic], seat: int, move: JonggTurn, ctx: Context
    ) -> Step[DomiJonggPublic]:
        """Lay a turn and go on to the next seat that has a choice. Raises Illegal."""
        check_turn(state, seat)
        hand = remove_tiles_from_hand(state.hands[seat], move.tiles)
        turn = lay_jongg_turn(state.public, move)
        points, notes = score_laid_turn(turn, state.hands[seat], len(state.stock), seat)
        conditions.check(move.at_least, points)
        gains = state.public.gains
        if points:
            gains = (*gains[:seat], (*gains[seat], points), *gains[seat + 1 :])
        after = replace(
            state,
            public=replace(turn.public, gains=gains, idle=0),
            hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
            scores=tuple(old + points * (s == seat) for s, old in enumerate(state.scores)),
        )
        after, drew = refill_jongg_hand(after, seat)
        after, more = advance_jongg_game(after, seat, ctx)
        detail = {"tiles": list(move.tiles)}
        return Step(after, notes, points, replace(move, at_least=None), detail, (*drew, *more))

    miss_effects = MappingProxyType({"penalty-missed": "penalty"})

    def pass_turn(self, state: State[DomiJonggPublic], seat: int, ctx: Context) -> Step[DomiJonggPublic]:
        """Pass the turn of a seat whose deadline passed, as if it could not lay."""
        check_turn(state, seat)
        after, penalty = pass_with_penalty(state, seat, missed=True)
        after, more = advance_jongg_game(after, seat, ctx)
        return Step(after, (Note("missed", seat=seat),), after=(*penalty, *more))

    def build_scene(self, view: View[DomiJonggPublic]) -> Scene:
        """The snake, with the last turn's tiles fresh."""
        public = view.public
        count = len(public.laid)
        links = []
        for number, laid in enumerate(public.laid):
            joint = () if laid.at < 0 else (public.laid[laid.at].cell, laid.cell)
            fresh = number >= count - public.fresh
            links.append(Link(*laid.cell, tile=laid.tile, fresh=fresh, start=laid.at < 0, joint=joint))
        heads = tuple(
            Head(number, *label, tile=public.laid[tip].tile, at=public.laid[tip].cell)
            for number, (label, tip) in enumerate(zip(public.plan.labels, public.tips, strict=True), start=1)
        )
        chains = tuple(
            (head.number, tuple(public.laid[place].tile for place in list_chain_places(public, head.number)))
            for head in heads
        )
        return Snake(tuple(links), heads, chains)

    def list_joins(self, view: View[DomiJonggPublic]) -> Mapping[str, Any]:
        """See ``Game.list_joins``: which tiles of the hand may lie at the tiles of heads and hand, alone and as one of
        two; how many heads there may be; what a turn scores."""
        hand, public = tuple(dict.fromkeys(view.hand)), view.public
        lying = dict.fromkeys([*public.heads, *hand])
        follow, fork = (
            {tile: [one for one in hand if one in joins[tile]] for tile in lying if joins[tile] & {*hand}}
            for joins in (FOLLOWERS, BRANCHES)
        )
        whole = list_hand_bonuses(len(view.hand) > public.full_hand, view.stock_count == 0)
        worth = {"heads": public.options.max_heads, "same": SAME, "fork": FORK, "hand": whole}
        return {"follow": follow, "fork": fork, "worth": worth}

    def resolve_options(self, options: DomiJonggOptions, seats: int) -> DomiJonggOptions:
        """See ``Game.resolve_options``: as many games as seats, and the start count for so many."""
        return replace(options, games=options.games or seats, start_count=options.get_full_hand_size(seats))

    def find_rack_value(self, state: State[DomiJonggPublic], seat: int) -> int:
        """Nothing: rest tiles cost nothing at the end of a game either."""
        return 0

    def advance_resumed(self, state: State[DomiJonggPublic], ctx: Context) -> Step[DomiJonggPublic]:
        return Step(*advance_jongg_game(state, state.to_move[0] - 1, ctx))

    def list_table_tiles(self, public: DomiJonggPublic) -> list[str]:
        return [laid.tile for laid in public.laid]

    def list_unseen_tiles(self, view: View[DomiJonggPublic]) -> list[str]:
        left = Counter(WALL) - Counter([*self.list_table_tiles(view.public), *view.hand])
        return list(left.elements())

    def choose_reply(self, view: View[DomiJonggPublic], ctx: Context) -> JonggTurn | None:
        """The best turn, of a large hand a good one."""
        return generate.find_best_jongg_turn(view, generate.LOOKED_AT_QUICKLY)

    def estimate_standing(self, state: State[DomiJonggPublic], seat: int) -> float:
        """The lead."""
        return lead(state.scores, seat)

    def simulate_playout(self, world: State[DomiJonggPublic], move: JonggTurn) -> float:
        """See ``Game.simulate_playout``: by the rules, but where the tiles would lie is not asked."""
        unseen = replace(world, public=replace(world.public, plan=state.UNSEEN))
        return choose.evaluate_playout(self, unseen, move, Context(AnyWords(), shuffling.keep_order), self.effort.turns)


GAME = DomiJongg()


# ---- the table as a neutral drawing ----


# ---- a deal that a record fixes: racks, stock, single, starter, board (RULES.md, "Records") ----


def deal_fixed_jongg_game(
    seats: int, options: DomiJonggOptions, ctx: Context, fixed: Mapping[str, Any]
) -> tuple[State[DomiJonggPublic], Notes]:
    """Return the opening state that a record fixes and the notes for everybody; ``to_move`` is the starter, whether it
    can lay or not. Raises RecordError, OperatorError if the tiles do not suffice."""
    starter = fixed.get("starter", 1 % seats)
    if not isinstance(starter, int) or isinstance(starter, bool) or not 0 <= starter < seats:
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    hands, wall = _deal_fixed_hands(seats, options, ctx, fixed)
    given = Diagram.wrap({"board": fixed.get("board") or ()}, seats)
    single, stock, returned = _choose_singlestone(given.lines("board"), wall, ctx, fixed)
    public = lay_written_turns(given, begin_snake(options, seats, single, leader=(starter - 1) % seats))
    given.refuse()
    state = State(public, hands, stock, (0,) * seats, (starter,))
    return state, list_opening_notes(state, returned)


def _deal_fixed_hands(
    seats: int, options: DomiJonggOptions, ctx: Context, fixed: Mapping[str, Any]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the hands and the wall behind them."""
    hands, stock = read_fixed_deal(fixed, seats, find_jongg_tile)
    if hands is not None:
        return hands, stock or ()
    wall = ctx.shuffle("round1", WALL) if stock is None else stock
    size = options.get_full_hand_size(seats)
    if len(wall) < seats * size:
        raise OperatorError(f"{seats} hands of {size} need {seats * size} tiles, there are {len(wall)}.")
    return tuple(wall[seat * size : (seat + 1) * size] for seat in range(seats)), wall[seats * size :]


def _choose_singlestone(
    board: tuple[str, ...], wall: tuple[str, ...], ctx: Context, fixed: Mapping[str, Any]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the singlestone, the wall without it, and the specials that were shuffled back. A named one comes from
    nowhere: the wall is taken as it is."""
    named = [*board[:1], *([fixed["single"]] if fixed.get("single") is not None else [])]
    if not named:
        if all(map(is_special_tile, wall)):
            raise RecordError("The stock holds no tile that could be the singlestone.", 'Name one as "single".')
        return turn_up_singlestone(wall, ctx, 1)
    if any(one != named[0] for one in named) or named[0] not in WALL or is_special_tile(named[0]):
        raise RecordError(f"single = {named[-1]!r} is wrong.", "One suit tile, wind or dragon, the first of board.")
    return named[0], wall, ()


# ---- dealing, and what happens by itself between two turns ----


IDLE_CIRCLES = 2
"""With the wall used up, so many circles without a laid tile end the game: somebody could lay and sends nothing."""
MOST_RETURNS = 100
"""So often a special is shuffled back; then the first ordinary tile of the wall is turned up. Never seen."""

Notes = tuple[Note, ...]


def deal_jongg_game(
    options: DomiJonggOptions, seats: int, ctx: Context, round_number: int, leader: int, scores: tuple[int, ...]
) -> tuple[State[DomiJonggPublic], Notes]:
    """Return the state before the first turn of a game, and the notes for everybody. Hands are dealt seat by seat, then
    the singlestone. ``to_move`` is the seat after the leader, whether it can lay or not."""
    wall, size = ctx.shuffle(f"round{round_number}", WALL), options.get_full_hand_size(seats)
    hands = tuple(tuple(wall[seat * size : (seat + 1) * size]) for seat in range(seats))
    single, stock, returned = turn_up_singlestone(wall[seats * size :], ctx, round_number)
    state = State(
        begin_snake(options, seats, single, round_number, leader), hands, stock, scores, ((leader + 1) % seats,)
    )
    return state, list_opening_notes(state, returned)


def turn_up_singlestone(
    wall: Sequence[str], ctx: Context, round_number: int
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return (singlestone, rest of the wall, specials that were turned up first and shuffled back). The n-th special
    goes to the end of the wall, which is then mixed as ``round1/single<n>``. The wall must hold an ordinary tile."""
    returned: list[str] = []
    rest = tuple(wall)
    while is_special_tile(rest[0]) and len(returned) < MOST_RETURNS:
        returned.append(rest[0])
        rest = ctx.shuffle(f"round{round_number}/single{len(returned)}", (*rest[1:], rest[0]))
    place = next(n for n, tile in enumerate(rest) if not is_special_tile(tile))
    return rest[place], (*rest[:place], *rest[place + 1 :]), tuple(returned)


def list_opening_notes(state: State[DomiJonggPublic], returned: Sequence[str]) -> Notes:
    """Return the notes for everybody on a new deal."""
    public = state.public
    back = (Note("put-back", {"tiles": list(returned)}, public.leader),) if returned else ()
    opened = Note("opened", {"tile": public.laid[0].tile}, public.leader)
    return (*back, opened, Note("starts", seat=state.to_move[0]))


def draw_from_wall(
    state: State[DomiJonggPublic], seat: int, count: int
) -> tuple[State[DomiJonggPublic], tuple[str, ...]]:
    """Let the seat take up to ``count`` tiles from the wall; return the state and these tiles."""
    drawn = state.stock[: max(0, count)]
    hands = (*state.hands[:seat], state.hands[seat] + drawn, *state.hands[seat + 1 :])
    return replace(state, hands=hands, stock=state.stock[len(drawn) :]), drawn


def refill_jongg_hand(state: State[DomiJonggPublic], seat: int) -> tuple[State[DomiJonggPublic], Notes]:
    """Let the seat draw up to the start count."""
    state, drawn = draw_from_wall(state, seat, state.public.full_hand - len(state.hands[seat]))
    if not drawn:
        return state, ()
    return state, (Note("drew", {"count": len(drawn)}, seat), _build_drawn_note(seat, drawn))


def _build_drawn_note(seat: int, drawn: Sequence[str]) -> Note:
    return Note("drew-tiles", {"tiles": list(drawn)}, seat, only=seat)


def pass_with_penalty(state: State[DomiJonggPublic], seat: int, missed: bool) -> tuple[State[DomiJonggPublic], Notes]:
    """Let the seat lay nothing: a penalty tile and −1, or with the wall used up nothing at all."""
    public = state.public
    if not state.stock:
        idle = replace(state, public=replace(public, idle=public.idle + 1))
        return idle, () if missed else (Note("passed", seat=seat),)
    state, drawn = draw_from_wall(state, seat, 1)
    penalties = tuple(old + (s == seat) for s, old in enumerate(public.penalties))
    scores = tuple(old - (s == seat) for s, old in enumerate(state.scores))
    state = replace(state, public=replace(public, penalties=penalties), scores=scores)
    note = Note("penalty-missed" if missed else "penalty", {"count": 1}, seat, -1)
    return state, (note, _build_drawn_note(seat, drawn))


def advance_jongg_game(state: State[DomiJonggPublic], seat: int, ctx: Context) -> tuple[State[DomiJonggPublic], Notes]:
    """Go from the end of ``seat``'s turn to the next seat that has a choice, or to the end of the series.

    Ends always: each round of the loop takes a tile from the wall, or passes with the wall used up (at most once per
    seat: one can lay, or the game ends), or ends one of the series' games."""
    notes: list[Note] = []
    following = (seat + 1) % state.seats
    while True:
        if ending := _find_game_end(state):
            state, more = _finish_game(state, ending, ctx)
            notes += more
            if state.over:
                return state, tuple(notes)
            following = state.to_move[0]
        elif _can_lay(state, following):
            return replace(state, to_move=(following,)), tuple(notes)
        else:
            state, penalty = pass_with_penalty(state, following, missed=False)
            notes += penalty
            following = (following + 1) % state.seats


def _can_lay(state: State[DomiJonggPublic], seat: int) -> bool:
    return can_extend_snake(state.public.heads, state.hands[seat], state.public.options.max_heads)


def _find_game_end(state: State[DomiJonggPublic]) -> Note | None:
    """Return the note that tells why the game is over, None if it is not: the wall is used up and somebody has laid all
    tiles, or nobody can lay, or turn after turn went by."""
    if state.stock:
        return None
    out = next((seat for seat, hand in enumerate(state.hands) if not hand), None)
    if out is not None:
        return Note("went-out", seat=out)
    if state.public.idle >= IDLE_CIRCLES * state.seats:
        return Note("all-missed")
    return None if any(_can_lay(state, seat) for seat in range(state.seats)) else Note("blocked")


def _finish_game(
    state: State[DomiJonggPublic], ending: Note, ctx: Context
) -> tuple[State[DomiJonggPublic], list[Note]]:
    """Return the end of a game, its sums line by line, and the next game's deal or the end of the series."""
    public = state.public
    notes = [ending]
    for seat, hand in enumerate(state.hands):
        if hand:
            notes.append(Note("rest", {"tiles": sorted(hand, key=RANK.__getitem__)}, seat))
    for seat, total in enumerate(state.scores):
        gains, penalties = public.gains[seat], public.penalties[seat]
        notes.append(Note("sum-laid", {"items": list(gains), "points": sum(gains)}, seat))
        if penalties:
            notes.append(Note("sum-penalties", {"count": penalties, "points": -penalties}, seat))
        sums = {"round": public.round, "points": sum(gains) - penalties, "total": total}
        notes.append(Note("sum-total", sums, seat))
    if public.round >= public.games:
        best = max(state.scores)
        won = [seat for seat, score in enumerate(state.scores) if score == best]
        notes.append(Note("series-won", {"seats": won, "points": best}))
        return replace(state, to_move=()), notes
    public = state.public
    leader, round = (public.leader + 1) % state.seats, public.round + 1
    dealt, news = deal_jongg_game(public.options, state.seats, ctx, round, leader, state.scores)
    return replace(dealt, past=state.ended), [*notes, Note("next-round", {"round": round}), *news]
