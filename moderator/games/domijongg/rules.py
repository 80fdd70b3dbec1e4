"""Domi Jongg as the engine sees it, and what happens by itself between two turns: drawing, penalty tiles, the end of a
game, the next deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moderator.errors import OperatorError, PlayerError, RecordError
from moderator.games.domijongg import generate, layout, notation, position
from moderator.games.domijongg.snake import begin, can_lay, chain, lay, score, take
from moderator.games.domijongg.state import RANK, WALL, Move, Options, Public, is_special
from moderator.match import conditions, playouts, rng
from moderator.match.contract import Context, Note, Scene, State, Step, View, check_turn
from moderator.match.diagram import Diagram
from moderator.match.outcome import lead
from moderator.match.playouts import Effort
from moderator.match.scenes import Head, Link, Snake
from moderator.match.sequential import Sequential
from moderator.match.survey import Scope
from moderator.match.words import AnyWords


class DomiJongg(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.match.contract.Game``."""

    key = "domijongg"
    min_seats = 2
    max_seats = 8
    options = Options
    contract = 1
    version = "1"
    opener = "tile"
    style = notation.STYLE
    effort = Effort(moves=6, worlds=(16, 16, 32), turns=6, reviewed=60, ahead=4)

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal the first game and go on to the first seat that has a choice. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        if fixed:
            state, notes = read(seats, options, ctx, fixed)
        else:
            state, notes = deal(options, seats, ctx, 1, 0, (0,) * seats)
        state, more = go_on(state, state.to_move[0] - 1, ctx)
        return Step(state, (*notes, *more))

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Legal turns with their points, shortest first; of very many the first 2,000 and the best one."""
        return generate.turns(view)

    def greedy(self, view: View[Public], ctx: Context) -> Move | None:
        """The turn with the most points, then the most tiles; None if the seat cannot lay or is not to move."""
        return generate.best(view) if view.seat in view.to_move else None

    def survey(self, view: View[Public], ctx: Context) -> tuple[list[tuple[Move, int]], Scope]:
        """See ``Surveying``: every turn, unless there are more than ``moves`` lists."""
        found = list(self.moves(view, ctx))
        return found, "all" if len(found) < generate.LISTED else "some"

    def parse(self, line: str, view: View[Public]) -> Move:
        """One turn. Raises Unreadable or Ambiguous."""
        return notation.read(line, view)

    def format(self, move: Move) -> str:
        """Canonical notation, e.g. ``1: T3+E, T2; 3: N, DR ab 2``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Lay a turn and go on to the next seat that has a choice. Raises Illegal."""
        check_turn(state, seat)
        hand = take(state.hands[seat], move.tiles)
        turn = lay(state.public, move)
        points, notes = score(turn, state.hands[seat], len(state.stock), seat)
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
        after, drew = refill(after, seat)
        after, more = go_on(after, seat, ctx)
        detail = {"tiles": list(move.tiles)}
        return Step(after, notes, points, replace(move, at_least=None), detail, (*drew, *more))

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat could not lay."""
        check_turn(state, seat)
        after, penalty = no_tile(state, seat, missed=True)
        after, more = go_on(after, seat, ctx)
        return Step(after, (Note("missed", seat=seat),), after=(*penalty, *more))

    def scene(self, view: View[Public]) -> Scene:
        """The snake, with the last turn's tiles fresh."""
        return draw(view.public)

    def export(self, public: Public) -> dict[str, Any]:
        """{"heads": {"1": tiles from the last fork to the head}, "snake": all tiles as laid, "round", "leader"}."""
        heads = {
            str(head): [public.laid[place].tile for place in chain(public, head)]
            for head in range(1, len(public.tips) + 1)
        }
        snake = [
            {"tile": laid.tile, "at": None if laid.at < 0 else laid.at, "head": laid.head, "cell": list(laid.cell)}
            for laid in public.laid
        ]
        return {"heads": heads, "snake": snake, "round": public.round, "leader": public.leader}

    def agreed(self, options: Options, seats: int) -> Options:
        """See ``contract.BySeats``: as many games as seats, and the start count for so many."""
        return replace(options, games=options.games or seats, start_count=options.full_hand(seats))

    def rack_value(self, state: State[Public], seat: int) -> int:
        """Nothing: rest tiles cost nothing at the end of a game either."""
        return 0

    def table(self, public: Public) -> dict[str, Any]:
        """See ``contract.Portable``."""
        return position.write(public)

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round: int) -> Public:
        """See ``contract.Portable``."""
        return position.read(values, options, seats, round)

    def diagram(self, state: State[Public]) -> dict[str, Any]:
        """See ``contract.Resumable``."""
        return position.write_diagram(state)

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Public]:
        """See ``contract.Resumable``."""
        state = position.read_diagram(diagram, options, ctx)
        return Step(state) if diagram.faults else Step(*go_on(state, state.to_move[0] - 1, ctx))

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [laid.tile for laid in public.laid]

    def unseen(self, view: View[Public]) -> list[str]:
        """See ``playouts.Redealable``."""
        left = Counter(WALL) - Counter([*self.on_table(view.public), *view.hand])
        return list(left.elements())

    def reply(self, view: View[Public], ctx: Context) -> Move | None:
        """The best turn, of a large hand a good one."""
        return generate.best(view, generate.LOOKED_AT_QUICKLY)

    def standing(self, state: State[Public], seat: int) -> float:
        """The lead."""
        return lead(state.scores, seat)

    def simulated(self, world: State[Public], move: Move) -> float:
        """See ``playouts.Simulated``: by the rules, but where the tiles would lie is not asked."""
        unseen = replace(world, public=replace(world.public, plan=layout.UNSEEN))
        return playouts.played_out(self, unseen, move, Context(AnyWords(), rng.unshuffled), self.effort.turns)


GAME = DomiJongg()


# ---- the table as a neutral drawing ----


def draw(public: Public) -> Scene:
    """All tiles with the cells they lie on, what they lie at, and the heads with the cells of their numbers."""
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
        (head.number, tuple(public.laid[place].tile for place in chain(public, head.number))) for head in heads
    )
    return Snake(tuple(links), heads, chains)


# ---- a deal that a record fixes: racks, stock, single, starter, board (RULES.md, "Records") ----


_TILES = "Expected: a list of tiles such as K3, E, DR, F2."


def read(seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]) -> tuple[State[Public], Notes]:
    """The opening state and what everybody learns of it; ``to_move`` is the starter, whether it can lay or not.
    Raises RecordError, OperatorError if the tiles do not suffice."""
    starter = fixed.get("starter", 1 % seats)
    if not isinstance(starter, int) or isinstance(starter, bool) or not 0 <= starter < seats:
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    hands, wall = _hands(seats, options, ctx, fixed)
    board = fixed.get("board") or []
    if not isinstance(board, list | tuple) or not all(isinstance(entry, str) for entry in board):
        raise RecordError("board has the wrong shape.", 'Expected: ["K3", "2: B3", "1: J3"], the singlestone first.')
    single, stock, returned = _single(board, wall, ctx, fixed)
    public = _played(begin(options, seats, single, leader=(starter - 1) % seats), board[1:])
    state = State(public, hands, stock, (0,) * seats, (starter,))
    return state, opening(state, returned)


def _hands(
    seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The hands and the wall behind them."""
    if "racks" in fixed:
        racks = fixed["racks"]
        if not isinstance(racks, list | tuple) or len(racks) != seats:
            raise RecordError(f"racks needs {seats} lists of tiles.", _TILES)
        return tuple(_tiles(rack, "racks") for rack in racks), _tiles(fixed.get("stock", ()), "stock")
    wall = _tiles(fixed["stock"], "stock") if "stock" in fixed else ctx.shuffle("round1", WALL)
    size = options.full_hand(seats)
    if len(wall) < seats * size:
        raise OperatorError(f"{seats} hands of {size} need {seats * size} tiles, there are {len(wall)}.")
    return tuple(wall[seat * size : (seat + 1) * size] for seat in range(seats)), wall[seats * size :]


def _single(
    board: list[str] | tuple[str, ...], wall: tuple[str, ...], ctx: Context, fixed: Mapping[str, Any]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The singlestone, the wall without it, and the specials that were shuffled back. A named one comes from nowhere:
    the wall is taken as it is."""
    named = [*board[:1], *([fixed["single"]] if fixed.get("single") is not None else [])]
    if not named:
        if all(map(is_special, wall)):
            raise RecordError("The stock holds no tile that could be the singlestone.", 'Name one as "single".')
        return turn_up(wall, ctx, 1)
    if len(set(_tiles(named, "single"))) > 1 or is_special(named[0]):
        raise RecordError(f"single = {named[-1]!r} is wrong.", "One suit tile, wind or dragon, the first of board.")
    return named[0], wall, ()


def _tiles(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) and v in RANK for v in values):
        raise RecordError(f"{where} = {values!r} is wrong.", _TILES)
    return tuple(values)


def _played(public: Public, turns: list[str] | tuple[str, ...]) -> Public:
    """The table after turns in notation, whoever laid them."""
    view = View(None, public, (), (), 0, (), ())
    for text in turns:
        try:
            public = lay(public, notation.read(text, view)).public
        except PlayerError as error:
            raise RecordError(f"board: {text!r} cannot be laid ({error.code}).", "A turn as in a mail.") from error
    return public


# ---- dealing, and what happens by itself between two turns ----


IDLE_CIRCLES = 2
"""With the wall used up, so many circles without a laid tile end the game: somebody could lay and sends nothing."""
MOST_RETURNS = 100
"""So often a special is shuffled back; then the first ordinary tile of the wall is turned up. Never seen."""

Notes = tuple[Note, ...]


def deal(
    options: Options, seats: int, ctx: Context, round: int, leader: int, scores: tuple[int, ...]
) -> tuple[State[Public], Notes]:
    """The state before the first turn of a game, and what everybody learns of it. Hands are dealt seat by seat, then
    the singlestone. ``to_move`` is the seat after the leader, whether it can lay or not."""
    wall, size = ctx.shuffle(f"round{round}", WALL), options.full_hand(seats)
    hands = tuple(tuple(wall[seat * size : (seat + 1) * size]) for seat in range(seats))
    single, stock, returned = turn_up(wall[seats * size :], ctx, round)
    state = State(begin(options, seats, single, round, leader), hands, stock, scores, ((leader + 1) % seats,))
    return state, opening(state, returned)


def turn_up(wall: Sequence[str], ctx: Context, round: int) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """(singlestone, rest of the wall, specials that were turned up first and shuffled back). The n-th special goes
    to the end of the wall, which is then mixed as ``round1/single<n>``. The wall must hold an ordinary tile."""
    returned: list[str] = []
    rest = tuple(wall)
    while is_special(rest[0]) and len(returned) < MOST_RETURNS:
        returned.append(rest[0])
        rest = ctx.shuffle(f"round{round}/single{len(returned)}", (*rest[1:], rest[0]))
    place = next(n for n, tile in enumerate(rest) if not is_special(tile))
    return rest[place], (*rest[:place], *rest[place + 1 :]), tuple(returned)


def opening(state: State[Public], returned: Sequence[str]) -> Notes:
    """What everybody learns of a new deal."""
    public = state.public
    back = (Note("put-back", {"tiles": list(returned)}, public.leader),) if returned else ()
    opened = Note("opened", {"tile": public.laid[0].tile}, public.leader)
    return (*back, opened, Note("starts", seat=state.to_move[0]))


def draw_tiles(state: State[Public], seat: int, count: int) -> tuple[State[Public], tuple[str, ...]]:
    """The seat takes up to ``count`` tiles from the wall; also the tiles."""
    drawn = state.stock[: max(0, count)]
    hands = (*state.hands[:seat], state.hands[seat] + drawn, *state.hands[seat + 1 :])
    return replace(state, hands=hands, stock=state.stock[len(drawn) :]), drawn


def refill(state: State[Public], seat: int) -> tuple[State[Public], Notes]:
    """The seat draws up to the start count."""
    state, drawn = draw_tiles(state, seat, state.public.full_hand - len(state.hands[seat]))
    if not drawn:
        return state, ()
    return state, (Note("drew", {"count": len(drawn)}, seat), _drawn(seat, drawn))


def _drawn(seat: int, drawn: Sequence[str]) -> Note:
    return Note("drew-tiles", {"tiles": list(drawn)}, seat, only=seat)


def no_tile(state: State[Public], seat: int, missed: bool) -> tuple[State[Public], Notes]:
    """The seat lays nothing: a penalty tile and −1, or with the wall used up nothing at all."""
    public = state.public
    if not state.stock:
        idle = replace(state, public=replace(public, idle=public.idle + 1))
        return idle, () if missed else (Note("passed", seat=seat),)
    state, drawn = draw_tiles(state, seat, 1)
    penalties = tuple(old + (s == seat) for s, old in enumerate(public.penalties))
    scores = tuple(old - (s == seat) for s, old in enumerate(state.scores))
    state = replace(state, public=replace(public, penalties=penalties), scores=scores)
    note = Note("penalty-missed" if missed else "penalty", {"count": 1}, seat, -1)
    return state, (note, _drawn(seat, drawn))


def go_on(state: State[Public], seat: int, ctx: Context) -> tuple[State[Public], Notes]:
    """From the end of ``seat``'s turn to the next seat that has a choice, or to the end of the series.

    Ends always: each round of the loop takes a tile from the wall, or passes with the wall used up (at most once
    per seat: one can lay, or the game ends), or ends one of the series' games.
    """
    notes: list[Note] = []
    following = (seat + 1) % state.seats
    while True:
        if ending := _ending(state):
            state, more = _finish(state, ending, ctx)
            notes += more
            if state.over:
                return state, tuple(notes)
            following = state.to_move[0]
        elif _can(state, following):
            return replace(state, to_move=(following,)), tuple(notes)
        else:
            state, penalty = no_tile(state, following, missed=False)
            notes += penalty
            following = (following + 1) % state.seats


def _can(state: State[Public], seat: int) -> bool:
    return can_lay(state.public.heads, state.hands[seat], state.public.options.max_heads)


def _ending(state: State[Public]) -> Note | None:
    """Why the game is over, if it is: the wall is used up and somebody has laid all tiles, or nobody can lay, or
    turn after turn went by."""
    if state.stock:
        return None
    out = next((seat for seat, hand in enumerate(state.hands) if not hand), None)
    if out is not None:
        return Note("went-out", seat=out)
    if state.public.idle >= IDLE_CIRCLES * state.seats:
        return Note("all-missed")
    return None if any(_can(state, seat) for seat in range(state.seats)) else Note("blocked")


def _finish(state: State[Public], ending: Note, ctx: Context) -> tuple[State[Public], list[Note]]:
    """The end of a game, its sums line by line, and the next game's deal or the end of the series."""
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
    return _next_game(state, notes, ctx)


def _next_game(state: State[Public], notes: list[Note], ctx: Context) -> tuple[State[Public], list[Note]]:
    public = state.public
    leader, round = (public.leader + 1) % state.seats, public.round + 1
    dealt, news = deal(public.options, state.seats, ctx, round, leader, state.scores)
    return replace(dealt, past=state.ended), [*notes, Note("next-round", {"round": round}), *news]
