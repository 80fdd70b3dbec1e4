"""What can be laid and announced, lazily: tile by tile, for each the words that the grown fragment is part of.

Words are found by AND-ing big integers as in ``search.py``; here the rack limits only the tile, not the word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from moderator.errors import Illegal, Undecided
from moderator.games.index import WordSet, members
from moderator.games.typdom.board import Direction, Run, Table, name, run_through
from moderator.games.typdom.recht_laying import Way, admitted, begin, grow, new_directions, ways
from moderator.games.typdom.recht_state import SIDES, Lay, Public, Side, Tile, end, position, word_across
from moderator.games.typdom.search import STAGES, Library, exchanged, library
from moderator.games.typdom.tiles import JOLLIES, LETTERS, STAR, as_held, colour, take
from moderator.match.contract import Context, State, Words
from moderator.match.words import listed, unwrapped

MOST_WORDS = 500
"""Announcements that are listed for the same tiles; the short ones come first."""


class _Line:
    """The words that fit a line of the table, as it is before the move."""

    def __init__(self, table: Table, direction: Direction, square: int, words: Words) -> None:
        self.words = unwrapped(words)
        self.library: Library = library(self.words)
        self.table, self.direction = table, direction
        step = table.step(direction)
        first = square - position(table, direction, square) * step
        self.squares = range(first, first + table.size * step, step)
        self.known: dict[int, str] = {}

    def letters(self, at: int) -> str:
        """The letters that can stand on a square of the line, whoever lays them."""
        found = self.known.get(at)
        if found is None:
            found = self.known[at] = self._letters(self.squares[at])
        return found

    def _letters(self, square: int) -> str:
        shown = self.table.letter(square)
        if shown:
            return shown
        if not word_across(self.table, self.direction, square, "?"):
            return LETTERS
        made = ((c, word_across(self.table, self.direction, square, c)) for c in LETTERS)
        return "".join(c for c, word in made if self.library.knows(word, self.words))

    def fits(self, run: Run, text: str, word: str) -> bool:
        """Whether a word can come to lie over a run that shows ``text`` by then."""
        at = position(self.table, self.direction, run[0])
        covered = range(at, at + len(run))
        for offset in range(len(word) - len(run) + 1):
            first = at - offset
            if not word.startswith(text, offset) or first < 0 or first + len(word) > self.table.size:
                continue
            if self._free(first, len(word)):
                around = ((first + n, c) for n, c in enumerate(word) if first + n not in covered)
                if all(c in self.letters(n) for n, c in around):
                    return True
        return False

    def sensible(self, way: Way) -> bool:
        """Whether all words that the tiles complete across the line are admissible."""
        return all(self.library.knows(word, self.words) for word in way.beside)

    def _free(self, first: int, length: int) -> bool:
        """Whether nothing lies at the ends of a stretch."""
        ends = (first - 1, first + length)
        return not any(0 <= n < self.table.size and self.squares[n] in self.table.squares for n in ends)

    def announceable(self, run: Run, text: str) -> Iterator[str]:
        """The words that contain ``text`` and can come to lie over its run, by length."""
        low = 1
        for high in (*STAGES, self.table.size):
            for length in range(max(low + 1, len(text)), high + 1):
                word_set = self.library.word_set(length, self.words)
                if word_set is not None:
                    found = 0
                    for offset in range(length - len(text) + 1):
                        found |= self._at(word_set, length, offset, run, text)
                    yield from (word_set.words[n] for n in members(found))
            low = high

    def _at(self, word_set: WordSet, length: int, offset: int, run: Run, text: str) -> int:
        """The set of words of a length that have the run's text at ``offset``."""
        first = position(self.table, self.direction, run[0]) - offset
        if first < 0 or first + length > self.table.size or not self._free(first, length):
            return 0
        fitting = word_set.everything
        for n, letter in enumerate(text):
            fitting &= word_set.at[offset + n].get(letter, 0)
            if not fitting:
                return 0
        for n in (*range(offset), *range(offset + len(text), length)):
            letters = self.letters(first + n)
            if letters is not LETTERS:
                column, mask = word_set.at[n], 0
                for letter in letters:
                    mask |= column.get(letter, 0)
                fitting &= mask
                if not fitting:
                    return 0
        return fitting


# ---- moves ----


@dataclass(frozen=True)
class Choice:
    """One or two tiles where they can lie, and what can be announced with them."""

    way: Way
    tiles: tuple[Tile, ...]
    goes_on: bool
    """They continue the standing announcement."""
    words: Iterator[str]
    """New announcements, the short ones first."""


def lays(public: Public, hand: Sequence[str], words: Words) -> Iterator[Lay]:
    """What can be laid and announced, without exchanging a jolly: for each choice of tiles the standing announcement
    continued, then at most 500 new ones."""
    for choice in choices(public, hand, words):
        if choice.goes_on:
            yield Lay(choice.tiles, goes_on=True)
        yield from (announcing(public, choice, word) for word in islice(choice.words, MOST_WORDS))


def announcing(public: Public, choice: Choice, word: str) -> Lay:
    """The move that lays these tiles and announces a new word."""
    return Lay(choice.tiles, word, choice.way.direction if public.running is None else "")


def choices(public: Public, hand: Sequence[str], words: Words) -> Iterator[Choice]:
    """Each choice of one or two tiles, lazily. Jollies come last and stand only for letters that the rack lacks; a
    third tile, which is hardly ever allowed, is left out."""
    plain = tuple(tile for tile in hand if not tile.startswith(STAR))
    lines: dict[tuple[Direction, int], _Line] = {}
    standing = "" if public.running is None else public.running.word
    for held in (plain, tuple(hand)) if len(plain) < len(hand) else (plain,):
        for way, tiles in _laid(public, held, lines, words):
            if held is plain or any(tile.letter.startswith(STAR) for tile in tiles):
                line, text = _line(lines, public.table, way, words), way.table.text(way.run)
                new = (word for word in line.announceable(way.run, text) if word != standing)
                yield Choice(way, tiles, bool(standing) and line.fits(way.run, text, standing), new)


def beginnings(public: Public, tiles: Sequence[str], words: Words) -> int:
    """How many new words can be begun with these tiles: each where each of them can lie."""
    lines: dict[tuple[Direction, int], _Line] = {}
    found = 0
    for way, _ in _first(public, tuple(tiles)):
        line = _line(lines, public.table, way, words)
        if line.sensible(way) and next(line.announceable(way.run, way.table.text(way.run)), None) is not None:
            found += 1
    return found


def _line(lines: dict[tuple[Direction, int], _Line], table: Table, way: Way, words: Words) -> _Line:
    """The line of a way, made when it is first needed."""
    square = way.run[0]
    first = square - position(table, way.direction, square) * table.step(way.direction)
    found = lines.get((way.direction, first))
    if found is None:
        found = lines[way.direction, first] = _Line(table, way.direction, first, words)
    return found


def _laid(
    public: Public, hand: tuple[str, ...], lines: dict[tuple[Direction, int], _Line], words: Words
) -> Iterator[tuple[Way, tuple[Tile, ...]]]:
    """Every choice of one or two tiles that a word may contain; each once, in whatever order they are laid."""
    seen: set[tuple[tuple[int, str], ...]] = set()
    for way, tile in _first(public, hand):
        line = _line(lines, public.table, way, words)
        if not line.sensible(way):
            continue
        yield way, (tile,)
        if way.allowed == 1 or next(line.announceable(way.run, way.table.text(way.run)), None) is None:
            continue
        for side, square in _ends(way.table, way.direction, way.run):
            for letter in _letters(take(hand, [as_held(tile.letter)])):
                more = grow(way, square, letter)
                known = tuple(sorted(more.laid))
                if known not in seen and line.sensible(more):
                    seen.add(known)
                    yield more, (tile, Tile(letter, side if public.running else name(square, way.table.size)))


def _first(public: Public, hand: tuple[str, ...]) -> Iterator[tuple[Way, Tile]]:
    table, running = public.table, public.running
    if running is not None:
        fragment = Way(table, running.direction, running.run)
        for side, square in _ends(table, running.direction, running.run):
            yield from ((grow(fragment, square, letter), Tile(letter, side)) for letter in _letters(hand))
        return
    for direction in new_directions(public.finished):
        squares = [table.start] if not table.squares else _beside_finished(public, direction)
        for square in squares:
            for letter in _letters(hand):
                way = begin(public.finished, table, direction, square, letter) if table.squares else None
                way = way if table.squares else grow(Way(table, direction), square, letter)
                if way is not None:
                    yield way, Tile(letter, name(square, table.size))


def _beside_finished(public: Public, direction: Direction) -> list[int]:
    """Free squares at both ends of the runs that go through the finished word, or through any tile where there is
    none."""
    table, finished = public.table, public.finished
    through = table.squares if finished is None else finished.run
    runs = dict.fromkeys(run_through(table, square, direction) for square in through)
    return list(dict.fromkeys(square for run in runs for _, square in _ends(table, direction, run)))


def _ends(table: Table, direction: Direction, run: Run) -> list[tuple[Side, int]]:
    found = ((side, end(table, direction, run, side)) for side in SIDES)
    return [(side, square) for side, square in found if square is not None]


def _letters(hand: tuple[str, ...]) -> list[str]:
    """What the tiles of a rack can be laid as."""
    letters = sorted({tile for tile in hand if not tile.startswith(STAR)})
    for kind, jolly in JOLLIES.items():
        if jolly in hand:
            letters += [STAR + c for c in LETTERS if colour(c) == kind and c not in letters]
    return letters


# ---- whether there is any ----


def can_lay(state: State[Public], seat: int, ctx: Context, new: bool) -> bool | None:
    """Whether a seat can lay at all, also after exchanging jollies; with ``new`` whether it can announce another word.
    None where the dictionary cannot list its words.

    What is found is put to the dictionary as well, so that its verdicts stand in the log and a replay finds it again.
    """
    if not listed(ctx.words):
        return None
    public = state.public
    standing = public.running.word if public.running else ""
    for table, hand in exchanged(public.table, state.hands[seat]):
        changed = replace(public, table=table)
        for move in lays(changed, hand, ctx.words):
            if new and move.goes_on:
                continue
            word = move.word or standing
            try:
                admitted(ways(changed, table, move, word), word, ctx)
            except (Illegal, Undecided):
                continue
            return True
    return False
