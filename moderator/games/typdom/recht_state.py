"""Values of »Wer behält recht?«: options, moves, the word in the making, the public state; where the tiles of a move
come to lie, and whether the announced word can go on from there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Literal

from moderator.common.errors import Illegal, Undecided
from moderator.games.placement import build_word_refusal
from moderator.games.typdom import state as common
from moderator.games.typdom.board import Direction, Run, TypdomTable, get_square_index, get_square_name, get_tile_run
from moderator.games.typdom.state import JollyExchange
from moderator.games.typdom.tiles import STAR, VOWELS, Colour, to_rack_tile
from moderator.rules.game import BEFORE, Context, Verdict

Side = Literal["front", "back"]
SIDES: tuple[Side, ...] = ("front", "back")


@dataclass(frozen=True)
class RechtOptions(common.RestOptions):
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    buy_before_pass: bool = field(default=True, metadata={BEFORE: False})


# ---- moves ----


@dataclass(frozen=True, slots=True)
class RechtTile:
    """One tile to lay. ``letter`` is ``E``, or ``*E`` for a jolly; ``at`` is "front", "back", a square's name, or ""
    where the announced word must tell."""

    letter: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class RechtLaying:
    """The laying of a tile, or of more as a premium, with the announcement of a word.

    ``word`` is the announced one. With ``goes_on`` the standing announcement remains: then ``word`` is "" or that word,
    as a condition. ``direction`` is that of a new word, "" where it follows from the table."""

    tiles: tuple[RechtTile, ...]
    word: str = ""
    direction: Direction | Literal[""] = ""
    goes_on: bool = False
    exchanges: tuple[JollyExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RechtPurchase:
    """The purchase of a tile. The seat stays to move, unless it passes at once."""

    colour: Colour
    then_pass: bool = False
    exchanges: tuple[JollyExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RechtPass:
    """A turn that reports on: nothing is laid."""

    exchanges: tuple[JollyExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RechtCompletion:
    """The completion of one's own announcement where it can lie in several ways. ``square`` is that of its first
    letter."""

    square: str
    exchanges: tuple[JollyExchange, ...] = ()


Move = RechtLaying | RechtPurchase | RechtPass | RechtCompletion


# ---- the table ----


@dataclass(frozen=True, slots=True)
class WordInProgress:
    """The word in the making."""

    direction: Direction
    run: Run
    """Squares of the fragment."""
    word: str = ""
    """As announced; "" while no announcement stands (its author is out)."""
    author: int | None = None
    places: tuple[Run, ...] = ()
    """Where the announced word may come to lie, in reading order: all its squares."""


@dataclass(frozen=True, slots=True)
class FinishedWord:
    """The word completed last, which the next one has to cross."""

    direction: Direction
    run: Run


@dataclass(frozen=True)
class RechtPublic(common.TypdomPublic):
    """The state that everybody sees. ``passes``: turns in a row in which nothing was laid, bought or exchanged;
    ``runs``: words that the last move completed."""

    options: RechtOptions
    running: WordInProgress | None = None
    finished: FinishedWord | None = None
    bought: bool = False
    """The seat to move has bought in this turn."""
    completing: bool = False
    """The seat to move must complete its announcement and may choose where it lies."""
    gone: tuple[int, ...] = ()
    """Seats that could not complete their announcement, in that order."""


# ---- the line of a word in the making: its ends, where an announced word can lie, what lies beside it ----


def get_other_direction(direction: Direction) -> Direction:
    """Return the other direction."""
    return "s" if direction == "w" else "w"


def get_line_position(table: TypdomTable, direction: Direction, square: int) -> int:
    """Return the number of a square in its line, from 0."""
    return square % table.size if direction == "w" else square // table.size


def find_end_square(table: TypdomTable, direction: Direction, run: Run, side: Side) -> int | None:
    """Return the square right before or right behind a run; None at the edge of the table."""
    step = table.get_step(direction)
    if side == "front":
        return run[0] - step if get_line_position(table, direction, run[0]) else None
    return run[-1] + step if get_line_position(table, direction, run[-1]) < table.size - 1 else None


def lay_tile_on_table(table: TypdomTable, square: int, tile: str) -> TypdomTable:
    """Return the table with one more tile, ``E`` or ``*E``."""
    return TypdomTable(table.size, {**table.squares, square: tile})


def find_word_across(table: TypdomTable, direction: Direction, square: int, letter: str) -> str:
    """Return the word that a letter on a free square of the line would make across it; "" if none."""
    probe = lay_tile_on_table(table, square, letter)
    run = get_tile_run(probe, square, get_other_direction(direction))
    return probe.get_run_text(run) if len(run) > 1 else ""


def is_in_tile_square(table: TypdomTable, square: int) -> bool:
    """Return whether a lying tile is part of four in a square."""
    size, here = table.size, (square % table.size, square // table.size)
    for dx in (-1, 1):
        for dy in (-1, 1):
            corners = [(here[0] + a, here[1] + b) for a in (0, dx) for b in (0, dy)]
            inside = all(0 <= x < size and 0 <= y < size for x, y in corners)
            if inside and all(y * size + x in table.squares for x, y in corners):
                return True
    return False


def list_word_places(table: TypdomTable, direction: Direction, run: Run, word: str) -> tuple[Run, ...]:
    """Return all ways in which a word can come to lie over a run, the first square first: the tiles that lie in its
    line fit, and it touches nothing at its ends. The words across are not looked at."""
    return tuple(_iter_word_places(table, direction, run, word))


def _iter_word_places(table: TypdomTable, direction: Direction, run: Run, word: str) -> Iterator[Run]:
    step, text = table.get_step(direction), table.get_run_text(run)
    at = get_line_position(table, direction, run[0])
    for offset in range(len(word) - len(run), -1, -1):
        if word[offset : offset + len(run)] != text or at < offset or at - offset + len(word) > table.size:
            continue
        first = run[0] - offset * step
        squares = tuple(range(first, first + len(word) * step, step))
        ends = (find_end_square(table, direction, squares, "front"), find_end_square(table, direction, squares, "back"))
        if any(square in table.squares for square in ends):
            continue
        if all(table.get_letter(square) in ("", letter) for square, letter in zip(squares, word, strict=True)):
            yield squares


def list_words_across(table: TypdomTable, direction: Direction, place: Run, word: str) -> tuple[str, ...]:
    """Return the words that a word makes across its line on the squares that are still free."""
    pairs = zip(place, word, strict=True)
    found = (find_word_across(table, direction, s, letter) for s, letter in pairs if s not in table.squares)
    return tuple(text for text in found if text)


MOST_TILES = 4
"""More than one tile is rare, more than four cannot be."""


@dataclass(frozen=True)
class PossibleLaying:
    """Tiles of a move as they can lie."""

    table: TypdomTable
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
    def allowed_count(self) -> int:
        """The number of tiles that may be laid in all, as far as is known yet."""
        return 1 + bool(self.vowel) + len(self.squares)

    @property
    def is_complete(self) -> bool:
        """True where the announced word lies there."""
        return self.places == (self.run,)


def check_tiles_in_hand(tiles: Sequence[RechtTile], hand: Sequence[str]) -> None:
    """Check that the hand has the tiles. Raises Illegal: no-jolly, wrong-jolly, mark-jolly, not-your-letters."""
    used = Counter(to_rack_tile(tile.letter) for tile in tiles)
    missing = used - Counter(hand)
    if not missing:
        return
    for tile in tiles:
        if tile.letter.startswith(STAR) and to_rack_tile(tile.letter) in missing:
            held = any(other.startswith(STAR) for other in hand)
            raise Illegal("wrong-jolly" if held else "no-jolly", letter=tile.letter[-1], word=tile.letter[-1])
    lacking = sorted(missing.elements())
    if not Counter(to_rack_tile(STAR + letter) for letter in lacking) - (Counter(hand) - used):
        raise Illegal("mark-jolly", letters=lacking, word=lacking[0], suggestion=STAR + lacking[0])
    raise Illegal("not-your-letters", letters=lacking, word="")


def list_possible_layings(
    public: RechtPublic, table: TypdomTable, move: RechtLaying, word: str
) -> tuple[PossibleLaying, ...]:
    """Return all ways in which the tiles can lie so that ``word`` can go on; more than one only where the move leaves
    it open.

    The order in which tiles are named counts for nothing unless both orders are possible. Raises Illegal:
    one-tile-only, name-square, start-square, taken, does-not-cross, touches-nothing, not-at-fragment, edge-front,
    edge-back, lacks-fragment, no-room, square-off-board."""
    if len(move.tiles) > MOST_TILES:
        raise Illegal("one-tile-only", count=1)
    problems: list[Illegal] = []
    unfit: list[Illegal] = []
    for tiles in permutations(move.tiles):
        found: dict[tuple[tuple[int, str], ...], PossibleLaying] = {}
        for way in _iter_layings(public, table, move, tiles, problems):
            fitting = list_word_places(way.table, way.direction, way.run, word)
            if fitting:
                found.setdefault(tuple(sorted(way.laid)), replace(way, places=fitting))
            else:
                unfit.append(_build_unfit_error(way, word))
        if found:
            return tuple(found.values())
    too_many = [problem for problem in problems if problem.code == "one-tile-only"]
    raise next(iter([*unfit, *too_many, *problems]))


def _build_unfit_error(way: PossibleLaying, word: str) -> Illegal:
    fragment = way.table.get_run_text(way.run)
    code = "no-room" if fragment in word else "lacks-fragment"
    return Illegal(code, word=word, fragment=fragment, square=get_square_name(way.run[0], way.table.size))


def _iter_layings(
    public: RechtPublic, table: TypdomTable, move: RechtLaying, tiles: Sequence[RechtTile], problems: list[Illegal]
) -> Iterator[PossibleLaying]:
    running = public.running
    if running is not None:
        if move.direction not in ("", running.direction):
            problems.append(
                _build_off_fragment_error(PossibleLaying(table, running.direction, running.run), tiles[0].at)
            )
            return
        yield from _iter_grown_layings(PossibleLaying(table, running.direction, running.run), tiles, problems)
        return
    try:
        begun = tuple(_iter_begun_words(public, table, move, tiles[0]))
    except Illegal as problem:
        problems.append(problem)
        return
    for way in begun:
        yield from _iter_grown_layings(way, tiles[1:], problems)


# ---- the first tile of a word ----


def _iter_begun_words(
    public: RechtPublic, table: TypdomTable, move: RechtLaying, tile: RechtTile
) -> Iterator[PossibleLaying]:
    if tile.at in ("", *SIDES):
        raise Illegal("name-square", letter=tile.letter[-1])
    square = get_square_index(tile.at, table.size)
    if not table.squares:
        if square != table.start:
            raise Illegal("start-square", square=get_square_name(table.start, table.size))
        yield extend_laying(PossibleLaying(table, move.direction or "w"), square, tile.letter)
        return
    if square in table.squares:
        raise Illegal("taken", square=tile.at, letter=table.get_letter(square))
    directions = [d for d in list_new_directions(public.finished) if move.direction in ("", d)]
    begun = [find_begun_word(public.finished, table, direction, square, tile.letter) for direction in directions]
    if not any(begun):
        finished = public.finished
        if finished is None:
            raise Illegal("touches-nothing", square=tile.at)
        raise Illegal("does-not-cross", square=tile.at, word=table.get_run_text(finished.run))
    yield from (way for way in begun if way is not None)


def list_new_directions(finished: FinishedWord | None) -> tuple[Direction, ...]:
    """Return the directions in which a new word can run."""
    return ("w", "s") if finished is None else (get_other_direction(finished.direction),)


def find_begun_word(
    finished: FinishedWord | None, table: TypdomTable, direction: Direction, square: int, letter: str
) -> PossibleLaying | None:
    """Begin a new word on a free square. None if it does not cross the finished one; where none is finished (a record's
    board) any lying tile will do."""
    way = extend_laying(PossibleLaying(table, direction), square, letter)
    crossed = set(way.run) - {square} if finished is None else set(way.run) & set(finished.run)
    if not crossed:
        return None
    vowels = (table.get_letter(s) for s in sorted(crossed) if table.get_letter(s) in VOWELS)
    return replace(way, vowel=next(vowels, ""))


# ---- one tile more ----


def _iter_grown_layings(
    way: PossibleLaying, tiles: Sequence[RechtTile], problems: list[Illegal]
) -> Iterator[PossibleLaying]:
    if not tiles:
        yield way
        return
    if len(way.laid) >= way.allowed_count:
        problems.append(Illegal("one-tile-only", count=way.allowed_count))
        return
    tile, rest = tiles[0], tiles[1:]
    ends = {side: find_end_square(way.table, way.direction, way.run, side) for side in SIDES}
    for side, square in ends.items():
        if square is not None and tile.at in ("", side, get_square_name(square, way.table.size)):
            yield from _iter_grown_layings(extend_laying(way, square, tile.letter), rest, problems)
    if tile.at in SIDES and ends[tile.at] is None:
        code = "edge-front" if tile.at == "front" else "edge-back"
        problems.append(Illegal(code, fragment=way.table.get_run_text(way.run)))
    elif tile.at not in ("", *SIDES, *(get_square_name(s, way.table.size) for s in ends.values() if s is not None)):
        problems.append(_build_off_fragment_error(way, tile.at))


def _build_off_fragment_error(way: PossibleLaying, at: str) -> Illegal:
    size = way.table.size
    free = [
        get_square_name(s, size)
        for side in SIDES
        if (s := find_end_square(way.table, way.direction, way.run, side)) is not None
    ]
    return Illegal("not-at-fragment", square=at, squares=free, fragment=way.table.get_run_text(way.run))


def extend_laying(way: PossibleLaying, square: int, letter: str) -> PossibleLaying:
    """Return the laying with one more tile."""
    after = lay_tile_on_table(way.table, square, letter)
    beside = find_word_across(way.table, way.direction, square, letter[-1])
    return replace(
        way,
        table=after,
        run=get_tile_run(after, square, way.direction),
        laid=(*way.laid, (square, letter)),
        squares=(*way.squares, square) if is_in_tile_square(after, square) else way.squares,
        beside=(*way.beside, beside) if beside else way.beside,
    )


# ---- the dictionary ----


@dataclass(frozen=True)
class _CrossRuling:
    """The verdict of the dictionary on the words across."""

    places: tuple[Run, ...] = ()
    """Of the announced word, where all words across are admissible."""
    waiting: tuple[str, ...] = ()
    """Words that the moderator must rule on."""
    refused: Verdict | None = None


def filter_admissible_layings(found: Sequence[PossibleLaying], word: str, ctx: Context) -> tuple[PossibleLaying, ...]:
    """Return the ways in which all words are admissible, each with the places of the announced word where that is so.

    Raises Illegal (not-a-word, senseless-beside) if there are none, or Undecided if the moderator must rule first."""
    own = ctx.words.judge(word)
    if own.ruling == "reject":
        raise build_word_refusal([own])
    rulings = [(way, _judge_words_across(way, word, ctx)) for way in found]
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


def _judge_words_across(way: PossibleLaying, word: str, ctx: Context) -> _CrossRuling:
    here = [ctx.words.judge(text) for text in way.beside]
    refused = _find_refused(here)
    if refused is not None:
        return _CrossRuling(refused=refused)
    kept: list[Run] = []
    later: list[str] = []
    for place in way.places:
        verdicts = [ctx.words.judge(text) for text in list_words_across(way.table, way.direction, place, word)]
        bad, asked = _find_refused(verdicts), _list_undecided_words(verdicts)
        if bad is not None:
            refused = refused or bad
        elif asked:
            later += asked
        else:
            kept.append(place)
    waiting = [*_list_undecided_words(here), *([] if kept else later)]
    return _CrossRuling(tuple(kept), tuple(waiting if kept or later else ()), refused)


def _find_refused(verdicts: Sequence[Verdict]) -> Verdict | None:
    return next((verdict for verdict in verdicts if verdict.ruling == "reject"), None)


def _list_undecided_words(verdicts: Sequence[Verdict]) -> list[str]:
    return [verdict.word for verdict in verdicts if verdict.ruling == "ask"]
