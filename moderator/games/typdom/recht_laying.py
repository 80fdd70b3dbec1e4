"""Where the tiles of a move come to lie, and whether the announced word can go on from there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from moderator.errors import Illegal, Undecided
from moderator.games.placement import not_a_word
from moderator.games.typdom.board import Direction, Run, Table, index, name, run_through
from moderator.games.typdom.recht_state import (
    SIDES,
    Finished,
    Lay,
    Public,
    Tile,
    across,
    end,
    laid,
    makes_square,
    places,
    word_across,
    words_across,
)
from moderator.games.typdom.tiles import STAR, VOWELS, as_held
from moderator.match.contract import Context, Verdict

MOST_TILES = 4
"""More than one tile is rare, more than four cannot be."""


@dataclass(frozen=True)
class Way:
    """Tiles of a move as they can lie."""

    table: Table
    direction: Direction
    run: Run = ()
    """The fragment with them; () on an empty table."""
    laid: tuple[tuple[int, str], ...] = ()
    """(square, tile) in the order in which they are laid."""
    vowel: str = ""
    """In which a new word crosses another one."""
    squares: tuple[int, ...] = ()
    """Laid tiles that are part of four in a square, a premium each."""
    beside: tuple[str, ...] = ()
    """Words that they complete across the line."""
    places: tuple[Run, ...] = ()
    """Where the announced word may come to lie."""

    @property
    def allowed(self) -> int:
        """How many tiles may be laid in all, as far as is known yet."""
        return 1 + bool(self.vowel) + len(self.squares)

    @property
    def complete(self) -> bool:
        """The announced word lies there."""
        return self.places == (self.run,)


def check_hand(tiles: Sequence[Tile], hand: Sequence[str]) -> None:
    """Raises Illegal: no-jolly, wrong-jolly, mark-jolly, not-your-letters."""
    used = Counter(as_held(tile.letter) for tile in tiles)
    missing = used - Counter(hand)
    if not missing:
        return
    for tile in tiles:
        if tile.letter.startswith(STAR) and as_held(tile.letter) in missing:
            held = any(other.startswith(STAR) for other in hand)
            raise Illegal("wrong-jolly" if held else "no-jolly", letter=tile.letter[-1], word=tile.letter[-1])
    lacking = sorted(missing.elements())
    if not Counter(as_held(STAR + letter) for letter in lacking) - (Counter(hand) - used):
        raise Illegal("mark-jolly", letters=lacking, word=lacking[0], suggestion=STAR + lacking[0])
    raise Illegal("not-your-letters", letters=lacking, word="")


def ways(public: Public, table: Table, move: Lay, word: str) -> tuple[Way, ...]:
    """All ways in which the tiles can lie so that ``word`` can go on; more than one only where the move leaves it open.

    The order in which tiles are named counts for nothing unless both orders are possible. Raises Illegal:
    one-tile-only, name-square, start-square, taken, does-not-cross, touches-nothing, not-at-fragment,
    edge-front, edge-back, lacks-fragment, no-room,
    square-off-board.
    """
    if len(move.tiles) > MOST_TILES:
        raise Illegal("one-tile-only", count=1)
    problems: list[Illegal] = []
    unfit: list[Illegal] = []
    for tiles in permutations(move.tiles):
        found: dict[tuple[tuple[int, str], ...], Way] = {}
        for way in _all_laid(public, table, move, tiles, problems):
            fitting = places(way.table, way.direction, way.run, word)
            if fitting:
                found.setdefault(tuple(sorted(way.laid)), replace(way, places=fitting))
            else:
                unfit.append(_unfit(way, word))
        if found:
            return tuple(found.values())
    too_many = [problem for problem in problems if problem.code == "one-tile-only"]
    raise next(iter([*unfit, *too_many, *problems]))


def _unfit(way: Way, word: str) -> Illegal:
    fragment = way.table.text(way.run)
    code = "no-room" if fragment in word else "lacks-fragment"
    return Illegal(code, word=word, fragment=fragment, square=name(way.run[0], way.table.size))


def _all_laid(public: Public, table: Table, move: Lay, tiles: Sequence[Tile], problems: list[Illegal]) -> Iterator[Way]:
    running = public.running
    if running is not None:
        if move.direction not in ("", running.direction):
            problems.append(_apart(Way(table, running.direction, running.run), tiles[0].at))
            return
        yield from _grown(Way(table, running.direction, running.run), tiles, problems)
        return
    try:
        begun = tuple(_begun(public, table, move, tiles[0]))
    except Illegal as problem:
        problems.append(problem)
        return
    for way in begun:
        yield from _grown(way, tiles[1:], problems)


# ---- the first tile of a word ----


def _begun(public: Public, table: Table, move: Lay, tile: Tile) -> Iterator[Way]:
    if tile.at in ("", *SIDES):
        raise Illegal("name-square", letter=tile.letter[-1])
    square = index(tile.at, table.size)
    if not table.squares:
        if square != table.start:
            raise Illegal("start-square", square=name(table.start, table.size))
        yield grow(Way(table, move.direction or "w"), square, tile.letter)
        return
    if square in table.squares:
        raise Illegal("taken", square=tile.at, letter=table.letter(square))
    directions = [d for d in new_directions(public.finished) if move.direction in ("", d)]
    begun = [begin(public.finished, table, direction, square, tile.letter) for direction in directions]
    if not any(begun):
        finished = public.finished
        if finished is None:
            raise Illegal("touches-nothing", square=tile.at)
        raise Illegal("does-not-cross", square=tile.at, word=table.text(finished.run))
    yield from (way for way in begun if way is not None)


def new_directions(finished: Finished | None) -> tuple[Direction, ...]:
    """In which a new word can run."""
    return ("w", "s") if finished is None else (across(finished.direction),)


def begin(finished: Finished | None, table: Table, direction: Direction, square: int, letter: str) -> Way | None:
    """A new word begun on a free square. None if it does not cross the finished one; where none is finished (a record's
    board) any lying tile will do."""
    way = grow(Way(table, direction), square, letter)
    crossed = set(way.run) - {square} if finished is None else set(way.run) & set(finished.run)
    if not crossed:
        return None
    vowels = (table.letter(s) for s in sorted(crossed) if table.letter(s) in VOWELS)
    return replace(way, vowel=next(vowels, ""))


# ---- one tile more ----


def _grown(way: Way, tiles: Sequence[Tile], problems: list[Illegal]) -> Iterator[Way]:
    if not tiles:
        yield way
        return
    if len(way.laid) >= way.allowed:
        problems.append(Illegal("one-tile-only", count=way.allowed))
        return
    tile, rest = tiles[0], tiles[1:]
    ends = {side: end(way.table, way.direction, way.run, side) for side in SIDES}
    for side, square in ends.items():
        if square is not None and tile.at in ("", side, name(square, way.table.size)):
            yield from _grown(grow(way, square, tile.letter), rest, problems)
    if tile.at in SIDES and ends[tile.at] is None:
        code = "edge-front" if tile.at == "front" else "edge-back"
        problems.append(Illegal(code, fragment=way.table.text(way.run)))
    elif tile.at not in ("", *SIDES, *(name(s, way.table.size) for s in ends.values() if s is not None)):
        problems.append(_apart(way, tile.at))


def _apart(way: Way, at: str) -> Illegal:
    size = way.table.size
    free = [name(s, size) for side in SIDES if (s := end(way.table, way.direction, way.run, side)) is not None]
    return Illegal("not-at-fragment", square=at, squares=free, fragment=way.table.text(way.run))


def grow(way: Way, square: int, letter: str) -> Way:
    """The way with one more tile."""
    after = laid(way.table, square, letter)
    beside = word_across(way.table, way.direction, square, letter[-1])
    return replace(
        way,
        table=after,
        run=run_through(after, square, way.direction),
        laid=(*way.laid, (square, letter)),
        squares=(*way.squares, square) if makes_square(after, square) else way.squares,
        beside=(*way.beside, beside) if beside else way.beside,
    )


# ---- the dictionary ----


@dataclass(frozen=True)
class _Ruling:
    """What the dictionary says of the words across."""

    places: tuple[Run, ...] = ()
    """Of the announced word, where all words across are admissible."""
    waiting: tuple[str, ...] = ()
    """Words that the moderator must rule on."""
    refused: Verdict | None = None


def admitted(found: Sequence[Way], word: str, ctx: Context) -> tuple[Way, ...]:
    """The ways in which all words are admissible, each with the places of the announced word where that is so.

    Raises Illegal (not-a-word, senseless-beside) if there are none, or Undecided if the moderator must rule first.
    """
    own = ctx.words.judge(word)
    if own.ruling == "reject":
        raise not_a_word([own])
    rulings = [(way, _ruling(way, word, ctx)) for way in found]
    good = [replace(way, places=r.places) for way, r in rulings if r.places and not r.waiting]
    if good and own.ruling == "accept":
        return tuple(good)
    if good or any(r.waiting for _, r in rulings):
        asked = [word] if own.ruling == "ask" else []
        raise Undecided([*asked, *dict.fromkeys(w for _, r in rulings for w in r.waiting if w != word)])
    refused = next(r.refused for _, r in rulings if r.refused is not None)
    raise Illegal(
        "senseless-beside",
        word=word,
        beside=refused.word,
        reason=refused.reason,
        source=refused.source,
        why=dict(refused.params),
    )


def _ruling(way: Way, word: str, ctx: Context) -> _Ruling:
    here = [ctx.words.judge(text) for text in way.beside]
    refused = _refused(here)
    if refused is not None:
        return _Ruling(refused=refused)
    kept: list[Run] = []
    later: list[str] = []
    for place in way.places:
        verdicts = [ctx.words.judge(text) for text in words_across(way.table, way.direction, place, word)]
        bad, asked = _refused(verdicts), _asked(verdicts)
        if bad is not None:
            refused = refused or bad
        elif asked:
            later += asked
        else:
            kept.append(place)
    waiting = [*_asked(here), *([] if kept else later)]
    return _Ruling(tuple(kept), tuple(waiting if kept or later else ()), refused)


def _refused(verdicts: Sequence[Verdict]) -> Verdict | None:
    return next((verdict for verdict in verdicts if verdict.ruling == "reject"), None)


def _asked(verdicts: Sequence[Verdict]) -> list[str]:
    return [verdict.word for verdict in verdicts if verdict.ruling == "ask"]
