"""A seat's turn: laying and announcing, buying, reporting on, completing an announcement that has gone round."""

from __future__ import annotations

from dataclasses import replace

from moderator.engine.contract import Context, Note, State, Step
from moderator.errors import Illegal
from moderator.games.typdom import flow
from moderator.games.typdom.board import name
from moderator.games.typdom.recht_completing import Completion, complete, completions, formed
from moderator.games.typdom.recht_flow import awaited, following
from moderator.games.typdom.recht_laying import Way, admitted, check_hand, ways
from moderator.games.typdom.recht_notation import write
from moderator.games.typdom.recht_search import can_lay
from moderator.games.typdom.recht_state import Buy, Complete, Finished, Lay, Pass, Public, Running, Tile
from moderator.games.typdom.tiles import Colour, as_held, take

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
