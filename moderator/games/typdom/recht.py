"""»Wer behält recht?« as the engine sees it, and a seat's turn: what laying, buying, reporting on and completing do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from moderator.common.enums import Level
from moderator.common.errors import Illegal, RecordError
from moderator.games.typdom import board, flow, recht_notation, recht_robot
from moderator.games.typdom.board import get_square_name
from moderator.games.typdom.position import RechtCodec
from moderator.games.typdom.recht_flow import (
    WordCompletion,
    advance_recht_game,
    complete_announcement,
    exchange_jollies_in_state,
    get_next_playing_seat,
    list_completions,
    list_formed_runs,
)
from moderator.games.typdom.recht_notation import STYLE, format_recht_move
from moderator.games.typdom.recht_search import can_lay_recht_tile, iter_recht_layings
from moderator.games.typdom.recht_state import (
    FinishedWord,
    Move,
    PossibleLaying,
    RechtCompletion,
    RechtLaying,
    RechtOptions,
    RechtPass,
    RechtPublic,
    RechtPurchase,
    RechtTile,
    WordInProgress,
    check_tiles_in_hand,
    filter_admissible_layings,
    list_possible_layings,
)
from moderator.games.typdom.tiles import (
    STAR,
    Colour,
    count_colours,
    deal_first_hands,
    get_seat_nearest_to_z,
    remove_tiles_from_rack,
    sum_rest_points,
    to_rack_tile,
)
from moderator.rules.codec import Audience, CodecGame
from moderator.rules.game import Scope, State, Step, TouchMove
from moderator.rules.scenes import Grid
from moderator.rules.state import Context, Note, View, check_turn, read_starter

SURVEYED = 5000
"""So many moves are compared at most: with a jolly there are too many."""


class Recht(CodecGame[RechtPublic, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.rules.game.Game``."""

    key = "recht"
    min_seats = 2
    max_seats = 5
    options = RechtOptions
    contract = 2
    version = "1"
    opener = "tile"
    uses_words = True
    style = STYLE
    position = RechtCodec()
    pass_text = "passe"
    elimination_code = "cannot-complete"
    miss_effects = MappingProxyType(
        {"bought-black": "bought", "bought-red": "bought", "cannot-complete": "eliminated", "completes": "completed"}
    )
    compared_by = "tiles"

    def setup(
        self, seats: int, options: RechtOptions, ctx: Context, fixed: Mapping[str, Any] | None = None
    ) -> Step[RechtPublic]:
        """Deal the first game. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        fixed = fixed or {}
        # The table of squares, or of {"squares", "running", "finished"} as they are exported.
        values = fixed.get("board") or {}
        if not isinstance(values, Mapping) or "squares" not in values:
            values = {"squares": values}
        if unknown := set(values) - {"squares", "running", "finished"}:
            raise RecordError(f"board: {', '.join(sorted(map(str, unknown)))} is not known.")
        state = self.position.decode(values, options, seats, Audience.RECORD, ctx)
        lying = self.position.list_lying(state)
        hands, stock = deal_first_hands(fixed, seats, options.dealt_colours, ctx.shuffle, lying)
        starter = read_starter(fixed, seats)
        seat = get_seat_nearest_to_z(hands) if starter is None else starter
        public = replace(state.public, left=count_colours(stock), starter=seat)
        state, running = State(public, hands, stock, (0,) * seats, (seat,)), public.running
        if running is None:
            return Step(state, (Note("starts", seat=seat),))
        if running.author == seat:
            return Step(*advance_recht_game(state, seat, ctx))
        return Step(state)

    def list_moves(self, view: View[RechtPublic], ctx: Context) -> Iterator[tuple[Move, int]]:
        """Yield all that can be laid and announced, lazily, see ``recht_search.iter_recht_layings``; none while the
        seat is not to move. Buying, passing and exchanges are left out."""
        if view.seat is None or view.seat not in view.to_move:
            return
        public = view.public
        if public.completing:
            for way in list_completions(public, view.hand):
                yield RechtCompletion(get_square_name(way.place[0], public.table.size)), 0
            return
        for move in iter_recht_layings(public, view.hand, ctx.words):
            yield move, 0

    own_levels = frozenset(Level)

    def choose_for_level(self, level: Level, view: View[RechtPublic], ctx: Context) -> Move | None:
        """See ``Game.choose_for_level`` and ``recht_robot``."""
        return recht_robot.find_recht_robot_move(level, view, ctx)

    def choose_idle_move(self, view: View[RechtPublic]) -> Move:
        """See ``Game.choose_idle_move`` and ``recht_robot``."""
        return recht_robot.choose_purchase_or_pass(view)

    def can_list_moves(self, view: View[RechtPublic]) -> bool:
        """Return whether the moves can be listed wholly: not with a jolly, which can be laid in too many ways."""
        return not any(tile.startswith(STAR) for tile in view.hand)

    def survey_moves(self, view: View[RechtPublic], ctx: Context) -> tuple[list[tuple[Move, int]], Scope]:
        """Return the moves that ``list_moves`` finds first; it leaves out many announcements."""
        return list(islice(self.list_moves(view, ctx), SURVEYED)), "some"

    def weigh_move(self, view: View[RechtPublic], move: Move, points: int) -> int | None:
        """Return the rest that the tiles would have been, see ``Game.weigh_move``. After buying the turn goes on."""
        if isinstance(move, RechtPurchase):
            return 0 if move.then_pass else None
        if isinstance(move, RechtCompletion):
            table, hand = view.public.table, view.hand
            for swap in move.exchanges:  # with a jolly in hand the word may lie where it could not before
                table, hand = board.exchange_jolly(table, swap.square, swap.letter, hand)
            ways = list_completions(replace(view.public, table=table), hand)
            size = table.size
            laid = next(way.laid for way in ways if get_square_name(way.place[0], size) == move.square)
            return sum_rest_points(to_rack_tile(tile) for _, tile in laid)
        return sum_rest_points(to_rack_tile(tile.letter) for tile in move.tiles) if isinstance(move, RechtLaying) else 0

    def build_examples(self, view: View[RechtPublic]) -> Mapping[str, str]:
        """Return the pattern and the sentence that suit: a seat that begins a word has nothing to add a tile to; and
        squares of the table."""
        if view.public.completing and view.seat in view.to_move:
            ways = list_completions(view.public, view.hand)
            return {"how": "how-to-complete", "square": get_square_name(ways[0].place[0], view.public.table.size)}
        suits = {} if view.public.running is not None else {"pattern": "example.start", "first": "how-to-3"}
        passing = {"pass_buys" if view.public.options.buy_before_pass else "pass_free": ""}
        if not (suits or view.public.options.strict_buy or view.public.bought) and all(view.public.left):
            passing["may_buy"] = ""
        return board.get_example_squares(view.public.table.size) | suits | passing

    def parse_move(self, line: str, view: View[RechtPublic]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return recht_notation.parse_recht_move(line, view.public)

    def format_move(self, move: Move) -> str:
        """Canonical notation, e.g. ``hinten T = NAHT``, ``E an T20 w = REISE``, ``weiter T``, ``kaufe rot``."""
        return recht_notation.format_recht_move(move)

    def apply_move(self, state: State[RechtPublic], seat: int, move: Move, ctx: Context) -> Step[RechtPublic]:
        """Play a move; what is forced then happens, too. Raises Illegal or Undecided."""
        check_turn(state, seat)
        if state.public.completing and not isinstance(move, RechtCompletion):
            raise Illegal("complete-first", word=state.public.running.word if state.public.running else "")
        state, notes = exchange_jollies_in_state(state, seat, move.exchanges)
        step = self._play_move(state, seat, move, ctx)
        return replace(step, notes=(*notes, *step.notes))

    def _play_move(self, state: State[RechtPublic], seat: int, move: Move, ctx: Context) -> Step[RechtPublic]:
        if isinstance(move, RechtLaying):
            return lay_recht_tiles(state, seat, move, ctx)
        if isinstance(move, RechtPurchase):
            return buy_recht_tile(state, seat, move, ctx)
        if isinstance(move, RechtPass):
            return pass_recht_turn(state, seat, move, ctx)
        if not state.public.completing:
            raise Illegal("nothing-to-complete")
        possible = list_completions(state.public, state.hands[seat])
        squares = [get_square_name(way.place[0], state.public.table.size) for way in possible]
        if move.square not in squares:
            raise Illegal("cannot-lie-there", square=move.square, squares=squares)
        return replace(_complete_word(state, seat, possible[squares.index(move.square)], ctx), played=move)

    def pass_turn(self, state: State[RechtPublic], seat: int, ctx: Context) -> Step[RechtPublic]:
        """Pass the turn of a seat whose deadline passed, as if it had found nothing."""
        check_turn(state, seat)
        return miss_recht_turn(state, seat, ctx)

    def build_scene(self, view: View[RechtPublic]) -> Grid:
        """The used part of the table and one ring around it; the fragment is framed, or else the last words."""
        running = view.public.running
        return board.build_typdom_scene(
            view.public.table, view.public.fresh, view.public.runs if running is None else [running.run]
        )

    def list_eliminated(self, public: RechtPublic) -> tuple[int, ...]:
        """See ``Game.list_eliminated``."""
        return public.gone

    def list_touch_moves(self, view: View[RechtPublic], ctx: Context) -> Iterator[tuple[Move, int, TouchMove]]:
        """See ``Game.list_touch_moves``: where the own word may lie that has gone round."""
        if view.public.completing and view.public.running is not None:
            for move, points in self.list_moves(view, ctx):
                assert isinstance(move, RechtCompletion)
                yield move, points, TouchMove(view.public.running.word, move.square)

    def describe_situation(self, view: View[RechtPublic]) -> tuple[Note, ...]:
        """Return the notes on all that stands besides the tiles: the announcement and its author, the task of the seat
        to move."""
        public = view.public
        if not view.to_move:
            return ()
        seat = view.to_move[0]
        notes = [_build_word_note(public, seat)]
        if public.completing:
            notes.append(Note("choose-place", seat=seat))
        elif public.running is not None and public.running.author == _get_next_playing_seat(view, seat):
            notes.append(Note("goes-round", {"word": public.running.word}, seat=public.running.author))
        if public.bought:
            notes.append(Note("has-bought", seat=seat))
        if public.stake > 1:
            notes.append(Note("counts-double"))
        return (*notes, *(Note("is-out", seat=gone) for gone in public.gone))

    def find_rack_value(self, state: State[RechtPublic], seat: int) -> int:
        """The rest, double in a game that counts double; nothing of a seat that is out of the game and has paid."""
        public = state.public
        return 0 if seat in public.gone else public.stake * sum_rest_points(state.hands[seat])

    def list_table_tiles(self, public: RechtPublic) -> list[str]:
        return [to_rack_tile(tile) for tile in public.table.squares.values()]

    def find_winners(self, state: State[RechtPublic]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody won a game."""
        return flow.list_typdom_winners(state) if state.over else ()


GAME = Recht()


# ---- the situation ----
# What stands besides the tiles and that every mail must say: the announcement, its author, what is to be done.


def _build_word_note(public: RechtPublic, seat: int) -> Note:
    size = public.table.size
    running, finished = public.running, public.finished
    if running is not None:
        params = {"fragment": public.table.get_run_text(running.run), **_build_place_params(running, size)}
        if not running.word:
            return Note("unannounced", params)
        return Note("announced", {"word": running.word, **params}, seat=running.author)
    if not public.table.squares:
        return Note("first-tile", {"square": get_square_name(public.table.start, size)}, seat=seat)
    if finished is None:
        return Note("new-word", seat=seat)
    return Note(
        "new-word-across",
        {"word": public.table.get_run_text(finished.run), **_build_place_params(finished, size)},
        seat=seat,
    )


def _build_place_params(line: WordInProgress | FinishedWord, size: int) -> dict[str, str]:
    return {"square": get_square_name(line.run[0], size), "direction": line.direction}


def _get_next_playing_seat(view: View[RechtPublic], seat: int) -> int:
    seats = len(view.scores)
    order = ((seat + n) % seats for n in range(1, seats + 1))
    return next(other for other in order if other not in view.public.gone)


# ---- a seat's turn: laying and announcing, buying, reporting on, completing an announcement that has gone round ----


Notes = tuple[Note, ...]

# ---- laying ----


def lay_recht_tiles(state: State[RechtPublic], seat: int, move: RechtLaying, ctx: Context) -> Step[RechtPublic]:
    """Lay a tile (or more as a premium) and announce a word, or go on with the standing one. Raises Illegal or
    Undecided."""
    public = state.public
    word, goes_on = _resolve_announcement(public, move)
    check_tiles_in_hand(move.tiles, state.hands[seat])
    found = filter_admissible_layings(list_possible_layings(public, public.table, move, word), word, ctx)
    if len(found) > 1:
        raise Illegal(
            "which-side", readings=[format_recht_move(_build_played_move(public, way, move, goes_on)) for way in found]
        )
    way = found[0]
    fragment = way.table.get_run_text(way.run)
    notes = _list_premium_notes(seat, way)
    if way.is_complete:
        notes += (Note("finishes", {"word": word}, seat=seat),)
    elif goes_on and public.running is not None:
        notes += (Note("goes-on", {"word": word, "fragment": fragment, "seat": public.running.author}, seat=seat),)
    else:
        notes += (Note("announces", {"word": word, "fragment": fragment}, seat=seat),)
    author = public.running.author if goes_on and public.running is not None else seat
    after = _lay_in_state(state, seat, way, word, author)
    words = [*([word] if way.is_complete else []), *way.beside]
    detail = {"words": [{"word": text, "points": 0} for text in words], "announced": word, "fragment": fragment}
    following_seat = (
        author if way.is_complete and author is not None and author != seat else get_next_playing_seat(after, seat)
    )
    after, happened = advance_recht_game(after, following_seat, ctx)
    if way.is_complete and after.public.round == public.round and not after.over:
        happened = (Note("begins", seat=following_seat), *happened)
    return Step(after, notes, 0, _build_played_move(public, way, move, goes_on), detail, happened)


def _resolve_announcement(public: RechtPublic, move: RechtLaying) -> tuple[str, bool]:
    """Return (the word announced after the move, whether it is the standing one). Raises Illegal: nothing-announced,
    other-announcement, no-announcement, too-short."""
    standing = public.running.word if public.running is not None else ""
    if move.goes_on and not standing:
        raise Illegal("nothing-announced")
    if move.goes_on and move.word not in ("", standing):
        raise Illegal("other-announcement", word=move.word, announced=standing)
    word = standing if move.goes_on else move.word
    if len(word) < 2:
        raise Illegal("too-short", word=word)
    return word, word == standing


def _build_played_move(public: RechtPublic, way: PossibleLaying, move: RechtLaying, goes_on: bool) -> RechtLaying:
    """Return the move with all that it left to be found out."""
    running = public.running
    if running is None:
        tiles = tuple(RechtTile(tile, get_square_name(square, way.table.size)) for square, tile in way.laid)
        return RechtLaying(tiles, move.word, way.direction, False, move.exchanges)
    tiles = tuple(RechtTile(tile, "front" if square < running.run[0] else "back") for square, tile in way.laid)
    return RechtLaying(tiles, "" if goes_on else move.word, "", goes_on, move.exchanges)


def _list_premium_notes(seat: int, way: PossibleLaying) -> Notes:
    """Return the notes on the premiums that allowed the tiles after the first; a premium that was not used is not
    mentioned."""
    notes: list[Note] = []
    if len(way.laid) > 1 and way.vowel:
        notes.append(Note("premium-vowel", {"letter": way.vowel}, seat=seat))
    used = [square for square in way.squares if square != way.laid[-1][0]]
    if used:
        notes.append(
            Note("premium-square", {"squares": [get_square_name(square, way.table.size) for square in used]}, seat=seat)
        )
    return tuple(notes)


def _lay_in_state(
    state: State[RechtPublic], seat: int, way: PossibleLaying, word: str, author: int | None
) -> State[RechtPublic]:
    squares = tuple(square for square, _ in way.laid)
    words = list_formed_runs(way.table, way.direction, way.run, squares)
    public = replace(
        state.public,
        table=way.table,
        running=None if way.is_complete else WordInProgress(way.direction, way.run, word, author, way.places),
        finished=FinishedWord(way.direction, way.run) if way.is_complete else state.public.finished,
        passes=0,
        fresh=squares,
        runs=words if way.is_complete else words[1:],
    )
    hand = remove_tiles_from_rack(state.hands[seat], [to_rack_tile(tile) for _, tile in way.laid])
    return flow.set_seat_hand(replace(state, public=public), seat, hand)


# ---- laying nothing ----


def buy_recht_tile(state: State[RechtPublic], seat: int, move: RechtPurchase, ctx: Context) -> Step[RechtPublic]:
    """Take a tile off the stock; the seat may still lay in this turn. Raises Illegal: bought-already, stock-empty,
    could-announce."""
    public = state.public
    if public.bought:
        raise Illegal("bought-already")
    if not state.stock:
        raise Illegal("stock-empty")
    _check_strict_buying(state, seat, ctx)
    state, notes = _buy_one_tile(state, seat, move.colour)
    if not move.then_pass:
        return Step(state, notes, 0, move, {"words": []})
    if public.options.strict_buy and can_lay_recht_tile(state, seat, ctx, new=True):
        played = replace(move, then_pass=False)
        return Step(state, (*notes, Note("can-announce-now", seat=seat)), 0, played, {"words": []})
    after, happened = advance_recht_game(state, get_next_playing_seat(state, seat), ctx)
    return Step(after, (*notes, Note("reports-on", seat=seat)), 0, move, {"words": []}, happened)


def pass_recht_turn(state: State[RechtPublic], seat: int, move: RechtPass | None, ctx: Context) -> Step[RechtPublic]:
    """Lay nothing. With ``buy_before_pass`` a tile is bought first, if there is one. Raises Illegal: could-announce."""
    _check_strict_buying(state, seat, ctx)
    notes: Notes = ()
    if state.public.options.buy_before_pass:
        state, notes = _buy_one_tile(state, seat, None)
    return _end_tileless_turn(state, seat, (*notes, Note("reports-on", seat=seat)), move, ctx)


def miss_recht_turn(state: State[RechtPublic], seat: int, ctx: Context) -> Step[RechtPublic]:
    """Pass the turn of a seat that sent nothing before the deadline: one tile is bought, unless that was done already,
    and the turn passes on. An announcement to be completed is laid at its first place."""
    missing = Note("missed", seat=seat)
    if state.public.completing:
        step = _complete_word(state, seat, list_completions(state.public, state.hands[seat])[0], ctx)
        return replace(step, notes=(missing, *step.notes), played=None)
    state, notes = _buy_one_tile(state, seat, None)
    return _end_tileless_turn(state, seat, (missing, *notes), None, ctx)


def _end_tileless_turn(
    state: State[RechtPublic], seat: int, notes: Notes, move: RechtPass | None, ctx: Context
) -> Step[RechtPublic]:
    public = state.public
    busy = public.bought or (move is not None and bool(move.exchanges))
    public = replace(public, passes=0 if busy else public.passes + 1, fresh=(), runs=())
    after, happened = advance_recht_game(replace(state, public=public), get_next_playing_seat(state, seat), ctx)
    return Step(after, notes, 0, move, {"words": []}, happened)


def _buy_one_tile(state: State[RechtPublic], seat: int, wanted: Colour | None) -> tuple[State[RechtPublic], Notes]:
    """Buy one tile of a colour, by default of the one with more tiles left; nothing if the seat has bought already in
    this turn, or the stock is empty."""
    if state.public.bought or not state.stock:
        return state, ()
    state, notes = flow.buy_typdom_tiles(state, seat, (wanted or flow.get_most_left_colour(state.stock),))
    return replace(state, public=replace(state.public, bought=True, passes=0, fresh=(), runs=())), notes


def _check_strict_buying(state: State[RechtPublic], seat: int, ctx: Context) -> None:
    if state.public.options.strict_buy and can_lay_recht_tile(state, seat, ctx, new=True):
        raise Illegal("could-announce")


# ---- completing ----


def _complete_word(state: State[RechtPublic], seat: int, way: WordCompletion, ctx: Context) -> Step[RechtPublic]:
    running = state.public.running
    word = running.word if running is not None else ""
    after, notes = complete_announcement(state, seat, way)
    number = after.public.round
    after, happened = advance_recht_game(after, seat, ctx)
    if after.public.round == number and not after.over:
        happened = (Note("begins", seat=seat), *happened)
    return Step(after, notes, 0, None, {"words": [{"word": word, "points": 0}]}, happened)
