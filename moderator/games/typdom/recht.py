"""»Wer behält recht?« as the engine sees it, and a seat's turn: what laying, buying, reporting on and completing do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from moderator.errors import Illegal
from moderator.games.typdom import board, diagrams, flow, position, recht_notation, recht_robot
from moderator.games.typdom.board import name
from moderator.games.typdom.recht_flow import Completion, awaited, complete, completions, following, formed, swapped
from moderator.games.typdom.recht_laying import Way, admitted, check_hand, ways
from moderator.games.typdom.recht_notation import STYLE, write
from moderator.games.typdom.recht_search import can_lay, lays
from moderator.games.typdom.recht_state import (
    Buy,
    Complete,
    Finished,
    Lay,
    Move,
    Options,
    Pass,
    Public,
    Running,
    Tile,
    export,
    first_state,
)
from moderator.games.typdom.tiles import STAR, Colour, as_held, nearest_to_z, rest_points, take
from moderator.match.contract import Context, Grid, Note, State, Step, View, check_turn
from moderator.match.diagram import Diagram
from moderator.match.sequential import Sequential
from moderator.match.survey import Scope
from moderator.states import Level

SURVEYED = 5000
"""So many moves are compared at most: with a jolly there are too many."""


class Recht(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.match.contract.Game``."""

    key = "recht"
    min_seats = 2
    max_seats = 5
    options = Options
    contract = 1
    version = "1"
    opener = "tile"
    uses_words = True
    style = STYLE
    pass_text = "passe"
    eliminated = "cannot-complete"

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal the first game. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        state, starter = first_state(seats, options, ctx, fixed or {})
        seat = nearest_to_z(state.hands) if starter is None else starter
        state = replace(state, public=replace(state.public, starter=seat), to_move=(seat,))
        running = state.public.running
        if running is None:
            return Step(state, (Note("starts", seat=seat),))
        if running.author == seat:
            return Step(*awaited(state, seat, ctx))
        return Step(state)

    def moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Move, int]]:
        """What can be laid and announced, lazily, see ``recht_search.lays``; none while the seat is not to move.
        Buying, passing and exchanges are left out."""
        if view.seat is None or view.seat not in view.to_move:
            return
        public = view.public
        if public.completing:
            for way in completions(public, view.hand):
                yield Complete(name(way.place[0], public.table.size)), 0
            return
        for move in lays(public, view.hand, ctx.words):
            yield move, 0

    own_levels = frozenset(Level)

    def at_level(self, level: Level, view: View[Public], ctx: Context) -> Move | None:
        """See ``robot.Levelled`` and ``recht_robot``."""
        return recht_robot.choose(level, view, ctx)

    def without_move(self, view: View[Public]) -> Move:
        """See ``robot.Idling`` and ``recht_robot``."""
        return recht_robot.without_move(view)

    def listable(self, view: View[Public]) -> bool:
        """Whether the moves can be listed wholly: not with a jolly, which can be laid in too many ways."""
        return not any(tile.startswith(STAR) for tile in view.hand)

    def survey(self, view: View[Public], ctx: Context) -> tuple[list[tuple[Move, int]], Scope]:
        """See ``Surveying``: what ``moves`` finds first; it leaves out many announcements."""
        return list(islice(self.moves(view, ctx), SURVEYED)), "some"

    def weigh(self, view: View[Public], move: Move) -> int | None:
        """See ``Weighing``: the rest that the tiles would have been. After buying the turn goes on."""
        if isinstance(move, Buy):
            return 0 if move.then_pass else None
        if isinstance(move, Complete):
            table, hand = view.public.table, view.hand
            for swap in move.exchanges:  # with a jolly in hand the word may lie where it could not before
                table, hand = board.exchange(table, swap.square, swap.letter, hand)
            ways = completions(replace(view.public, table=table), hand)
            size = table.size
            laid = next(way.laid for way in ways if name(way.place[0], size) == move.square)
            return rest_points(as_held(tile) for _, tile in laid)
        return rest_points(as_held(tile.letter) for tile in move.tiles) if isinstance(move, Lay) else 0

    def examples(self, view: View[Public]) -> Mapping[str, str]:
        """Which pattern suits: who begins a word has nothing to add a tile to; squares of the table; how one reports
        on here."""
        suits = {} if view.public.running is not None else {"pattern": "example.start"}
        passing = {"pass_buys" if view.public.options.buy_before_pass else "pass_free": ""}
        return board.example_squares(view.public.table.size) | suits | passing

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return recht_notation.read(line, view.public)

    def format(self, move: Move) -> str:
        """Canonical notation, e.g. ``hinten T = NAHT``, ``E an T20 w = REISE``, ``weiter T``, ``kaufe rot``."""
        return recht_notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Play a move; what is forced then happens, too. Raises Illegal or Undecided."""
        check_turn(state, seat)
        if state.public.completing and not isinstance(move, Complete):
            raise Illegal("complete-first", word=state.public.running.word if state.public.running else "")
        state, notes = swapped(state, seat, move.exchanges)
        step = self._act(state, seat, move, ctx)
        return replace(step, notes=(*notes, *step.notes))

    def _act(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        if isinstance(move, Lay):
            return lay(state, seat, move, ctx)
        if isinstance(move, Buy):
            return buy(state, seat, move, ctx)
        if isinstance(move, Pass):
            return report_on(state, seat, move, ctx)
        return choose(state, seat, move, ctx)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat had found nothing."""
        check_turn(state, seat)
        return missed(state, seat, ctx)

    def scene(self, view: View[Public]) -> Grid:
        """The used part of the table and one ring around it; the fragment is framed, or else the last words."""
        running = view.public.running
        return board.draw(view.public.table, view.public.fresh, view.public.runs if running is None else [running.run])

    def situation(self, view: View[Public]) -> tuple[Note, ...]:
        """What stands besides the tiles: the announcement and its author, what the seat to move has to do."""
        return situation(view)

    def export(self, public: Public) -> dict[str, Any]:
        """Table, fragment, announcement; RULES.md lists the keys."""
        return export(public)

    def table(self, public: Public) -> dict[str, Any]:
        """See ``contract.Portable``."""
        return position.write_recht(public)

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round: int) -> Public:
        """See ``contract.Portable``."""
        return position.read_recht(values, options, seats, round)

    def diagram(self, state: State[Public]) -> dict[str, Any]:
        """See ``contract.Resumable``."""
        return diagrams.write_recht(state)

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Public]:
        """See ``contract.Resumable``."""
        return Step(diagrams.read_recht(diagram, options, ctx))

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The rest, double in a game that counts double; nothing of a seat that is out of the game and has paid."""
        public = state.public
        return 0 if seat in public.gone else public.stake * rest_points(state.hands[seat])

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [as_held(tile) for tile in public.table.squares.values()]

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody won a game."""
        return flow.winning(state) if state.over else ()


GAME = Recht()


# ---- the situation ----
# What stands besides the tiles and that every mail must say: the announcement, its author, what is to be done.


def situation(view: View[Public]) -> tuple[Note, ...]:
    """Codes of the standing facts, the most important first; nothing when the match is over."""
    public = view.public
    if not view.to_move:
        return ()
    seat = view.to_move[0]
    notes = [_word(public, seat)]
    if public.completing:
        notes.append(Note("choose-place", seat=seat))
    elif public.running is not None and public.running.author == _following(view, seat):
        notes.append(Note("goes-round", {"word": public.running.word}, seat=public.running.author))
    if public.bought:
        notes.append(Note("has-bought", seat=seat))
    if public.stake > 1:
        notes.append(Note("counts-double"))
    return (*notes, *(Note("is-out", seat=gone) for gone in public.gone))


def _word(public: Public, seat: int) -> Note:
    size = public.table.size
    running, finished = public.running, public.finished
    if running is not None:
        params = {"fragment": public.table.text(running.run), **_where(running, size)}
        if not running.word:
            return Note("unannounced", params)
        return Note("announced", {"word": running.word, **params}, seat=running.author)
    if not public.table.squares:
        return Note("first-tile", {"square": name(public.table.start, size)}, seat=seat)
    if finished is None:
        return Note("new-word", seat=seat)
    return Note("new-word-across", {"word": public.table.text(finished.run), **_where(finished, size)}, seat=seat)


def _where(line: Running | Finished, size: int) -> dict[str, str]:
    return {"square": name(line.run[0], size), "direction": line.direction}


def _following(view: View[Public], seat: int) -> int:
    seats = len(view.scores)
    order = ((seat + n) % seats for n in range(1, seats + 1))
    return next(other for other in order if other not in view.public.gone)


# ---- a seat's turn: laying and announcing, buying, reporting on, completing an announcement that has gone round ----


Notes = tuple[Note, ...]

# ---- laying ----


def lay(state: State[Public], seat: int, move: Lay, ctx: Context) -> Step[Public]:
    """Lay a tile (or more as a premium) and announce a word, or go on with the standing one. Raises Illegal or
    Undecided."""
    public = state.public
    word, goes_on = _announcement(public, move)
    check_hand(move.tiles, state.hands[seat])
    found = admitted(ways(public, public.table, move, word), word, ctx)
    if len(found) > 1:
        raise Illegal("which-side", readings=[write(_played(public, way, move, goes_on)) for way in found])
    way = found[0]
    fragment = way.table.text(way.run)
    notes = _premiums(seat, way)
    if way.complete:
        notes += (Note("finishes", {"word": word}, seat=seat),)
    elif goes_on and public.running is not None:
        notes += (Note("goes-on", {"word": word, "fragment": fragment, "seat": public.running.author}, seat=seat),)
    else:
        notes += (Note("announces", {"word": word, "fragment": fragment}, seat=seat),)
    author = public.running.author if goes_on and public.running is not None else seat
    after = _with_tiles(state, seat, way, word, author)
    words = [*([word] if way.complete else []), *way.beside]
    detail = {"words": [{"word": text, "points": 0} for text in words], "announced": word, "fragment": fragment}
    following_seat = _next(after, seat, author, way.complete)
    after, happened = awaited(after, following_seat, ctx)
    if way.complete and after.public.round == public.round and not after.over:
        happened = (Note("begins", seat=following_seat), *happened)
    return Step(after, notes, 0, _played(public, way, move, goes_on), detail, happened)


def _announcement(public: Public, move: Lay) -> tuple[str, bool]:
    """(the word announced after the move, whether it is the standing one). Raises Illegal: nothing-announced,
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


def _played(public: Public, way: Way, move: Lay, goes_on: bool) -> Lay:
    """The move with all that it left to be found out."""
    running = public.running
    if running is None:
        tiles = tuple(Tile(tile, name(square, way.table.size)) for square, tile in way.laid)
        return Lay(tiles, move.word, way.direction, False, move.exchanges)
    tiles = tuple(Tile(tile, "front" if square < running.run[0] else "back") for square, tile in way.laid)
    return Lay(tiles, "" if goes_on else move.word, "", goes_on, move.exchanges)


def _premiums(seat: int, way: Way) -> Notes:
    """What allowed the tiles after the first; a premium that was not used is not mentioned."""
    notes: list[Note] = []
    if len(way.laid) > 1 and way.vowel:
        notes.append(Note("premium-vowel", {"letter": way.vowel}, seat=seat))
    used = [square for square in way.squares if square != way.laid[-1][0]]
    if used:
        notes.append(Note("premium-square", {"squares": [name(square, way.table.size) for square in used]}, seat=seat))
    return tuple(notes)


def _with_tiles(state: State[Public], seat: int, way: Way, word: str, author: int | None) -> State[Public]:
    squares = tuple(square for square, _ in way.laid)
    words = formed(way.table, way.direction, way.run, squares)
    public = replace(
        state.public,
        table=way.table,
        running=None if way.complete else Running(way.direction, way.run, word, author, way.places),
        finished=Finished(way.direction, way.run) if way.complete else state.public.finished,
        passes=0,
        fresh=squares,
        runs=words if way.complete else words[1:],
    )
    hand = take(state.hands[seat], [as_held(tile) for _, tile in way.laid])
    return flow.with_hand(replace(state, public=public), seat, hand)


def _next(state: State[Public], seat: int, author: int | None, complete: bool) -> int:
    """Whose turn it is after a tile: after a completed word its author's, unless that is who has just announced it."""
    return author if complete and author is not None and author != seat else following(state, seat)


# ---- laying nothing ----


def buy(state: State[Public], seat: int, move: Buy, ctx: Context) -> Step[Public]:
    """Take a tile off the stock; the seat may still lay in this turn. Raises Illegal: bought-already, stock-empty,
    could-announce."""
    public = state.public
    if public.bought:
        raise Illegal("bought-already")
    if not state.stock:
        raise Illegal("stock-empty")
    _check_strict(state, seat, ctx)
    state, notes = _bought(state, seat, move.colour)
    if not move.then_pass:
        return Step(state, notes, 0, move, {"words": []})
    if public.options.strict_buy and can_lay(state, seat, ctx, new=True):
        played = replace(move, then_pass=False)
        return Step(state, (*notes, Note("can-announce-now", seat=seat)), 0, played, {"words": []})
    after, happened = awaited(state, following(state, seat), ctx)
    return Step(after, (*notes, Note("reports-on", seat=seat)), 0, move, {"words": []}, happened)


def report_on(state: State[Public], seat: int, move: Pass | None, ctx: Context) -> Step[Public]:
    """Lay nothing. With ``buy_before_pass`` a tile is bought first, if there is one. Raises Illegal: could-announce."""
    _check_strict(state, seat, ctx)
    notes: Notes = ()
    if state.public.options.buy_before_pass:
        state, notes = _bought(state, seat, None)
    return _nothing_laid(state, seat, (*notes, Note("reports-on", seat=seat)), move, ctx)


def missed(state: State[Public], seat: int, ctx: Context) -> Step[Public]:
    """Nothing came before the ZAT: one tile is bought, unless that was done already, and the turn passes on. An
    announcement to be completed is laid at its first place."""
    missing = Note("missed", seat=seat)
    if state.public.completing:
        step = _completed(state, seat, completions(state.public, state.hands[seat])[0], ctx)
        return replace(step, notes=(missing, *step.notes), played=None)
    state, notes = _bought(state, seat, None)
    return _nothing_laid(state, seat, (missing, *notes), None, ctx)


def _nothing_laid(state: State[Public], seat: int, notes: Notes, move: Pass | None, ctx: Context) -> Step[Public]:
    public = state.public
    busy = public.bought or (move is not None and bool(move.exchanges))
    public = replace(public, passes=0 if busy else public.passes + 1, fresh=(), runs=())
    after, happened = awaited(replace(state, public=public), following(state, seat), ctx)
    return Step(after, notes, 0, move, {"words": []}, happened)


def _bought(state: State[Public], seat: int, wanted: Colour | None) -> tuple[State[Public], Notes]:
    """One tile of a colour, by default of the one with more tiles left; nothing if the seat has bought already in this
    turn, or the stock is empty."""
    if state.public.bought or not state.stock:
        return state, ()
    state, notes = flow.buy(state, seat, (wanted or flow.most_left(state.stock),))
    return replace(state, public=replace(state.public, bought=True, passes=0, fresh=(), runs=())), notes


def _check_strict(state: State[Public], seat: int, ctx: Context) -> None:
    if state.public.options.strict_buy and can_lay(state, seat, ctx, new=True):
        raise Illegal("could-announce")


# ---- completing ----


def choose(state: State[Public], seat: int, move: Complete, ctx: Context) -> Step[Public]:
    """Complete the own announcement at the place chosen. Raises Illegal: nothing-to-complete, cannot-lie-there."""
    if not state.public.completing:
        raise Illegal("nothing-to-complete")
    possible = completions(state.public, state.hands[seat])
    squares = [name(way.place[0], state.public.table.size) for way in possible]
    if move.square not in squares:
        raise Illegal("cannot-lie-there", square=move.square, squares=squares)
    return replace(_completed(state, seat, possible[squares.index(move.square)], ctx), played=move)


def _completed(state: State[Public], seat: int, way: Completion, ctx: Context) -> Step[Public]:
    running = state.public.running
    word = running.word if running is not None else ""
    after, notes = complete(state, seat, way)
    number = after.public.round
    after, happened = awaited(after, seat, ctx)
    if after.public.round == number and not after.over:
        happened = (Note("begins", seat=seat), *happened)
    return Step(after, notes, 0, None, {"words": [{"word": word, "points": 0}]}, happened)
