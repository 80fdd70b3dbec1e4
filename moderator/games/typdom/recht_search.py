"""What can be laid and announced, lazily: tile by tile, for each the words that the grown fragment is part of.

Words are found by AND-ing big integers as in ``search.py``; here the rack limits only the tile, not the word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from moderator.common.errors import Illegal, Undecided
from moderator.games.typdom.board import Direction, Run, TypdomTable, get_square_name, get_tile_run
from moderator.games.typdom.recht_state import (
    SIDES,
    PossibleLaying,
    RechtLaying,
    RechtPublic,
    RechtTile,
    Side,
    extend_laying,
    filter_admissible_layings,
    find_begun_word,
    find_end_square,
    find_word_across,
    get_line_position,
    list_new_directions,
    list_possible_layings,
)
from moderator.games.typdom.search import STAGES, WordLibrary, iter_jolly_exchanges, library
from moderator.games.typdom.tiles import JOLLIES, LETTERS, STAR, colour, remove_tiles_from_rack, to_rack_tile
from moderator.games.word_index import WordSet, list_set_bits
from moderator.rules.game import Context, State, Words
from moderator.rules.words import listed, unwrapped

MOST_WORDS = 500
"""Announcements that are listed for the same tiles; the short ones come first."""


class _LineWords:
    """The words that fit a line of the table, as it is before the move."""

    def __init__(self, table: TypdomTable, direction: Direction, square: int, words: Words) -> None:
        self.words = unwrapped(words)
        self.library: WordLibrary = library(self.words)
        self.table, self.direction = table, direction
        step = table.get_step(direction)
        first = square - get_line_position(table, direction, square) * step
        self.squares = range(first, first + table.size * step, step)
        self.known: dict[int, str] = {}

    def get_letters(self, at: int) -> str:
        """Return the letters that can stand on a square of the line, whoever lays them."""
        found = self.known.get(at)
        if found is None:
            found = self.known[at] = self._compute_letters(self.squares[at])
        return found

    def _compute_letters(self, square: int) -> str:
        shown = self.table.get_letter(square)
        if shown:
            return shown
        if not find_word_across(self.table, self.direction, square, "?"):
            return LETTERS
        made = ((c, find_word_across(self.table, self.direction, square, c)) for c in LETTERS)
        return "".join(c for c, word in made if self.library.has_word(word, self.words))

    def can_word_lie(self, run: Run, text: str, word: str) -> bool:
        """Return whether a word can come to lie over a run that shows ``text`` by then."""
        at = get_line_position(self.table, self.direction, run[0])
        covered = range(at, at + len(run))
        for offset in range(len(word) - len(run) + 1):
            first = at - offset
            if not word.startswith(text, offset) or first < 0 or first + len(word) > self.table.size:
                continue
            if self._has_free_ends(first, len(word)):
                around = ((first + n, c) for n, c in enumerate(word) if first + n not in covered)
                if all(c in self.get_letters(n) for n, c in around):
                    return True
        return False

    def is_sensible(self, way: PossibleLaying) -> bool:
        """Return whether all words that the tiles complete across the line are admissible."""
        return all(self.library.has_word(word, self.words) for word in way.beside)

    def _has_free_ends(self, first: int, length: int) -> bool:
        """Return whether nothing lies at the ends of a stretch."""
        ends = (first - 1, first + length)
        return not any(0 <= n < self.table.size and self.squares[n] in self.table.squares for n in ends)

    def iter_announceable_words(self, run: Run, text: str) -> Iterator[str]:
        """Yield the words that contain ``text`` and can come to lie over its run, by length."""
        low = 1
        for high in (*STAGES, self.table.size):
            for length in range(max(low + 1, len(text)), high + 1):
                word_set = self.library.find_word_set(length, self.words)
                if word_set is not None:
                    found = 0
                    for offset in range(length - len(text) + 1):
                        found |= self._compute_words_at(word_set, length, offset, run, text)
                    yield from (word_set.words[n] for n in list_set_bits(found))
            low = high

    def _compute_words_at(self, word_set: WordSet, length: int, offset: int, run: Run, text: str) -> int:
        """Return the set of words of a length that have the run's text at ``offset``."""
        first = get_line_position(self.table, self.direction, run[0]) - offset
        if first < 0 or first + length > self.table.size or not self._has_free_ends(first, length):
            return 0
        fitting = word_set.everything
        for n, letter in enumerate(text):
            fitting &= word_set.at[offset + n].get(letter, 0)
            if not fitting:
                return 0
        for n in (*range(offset), *range(offset + len(text), length)):
            letters = self.get_letters(first + n)
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
class TileChoice:
    """One or two tiles where they can lie, and what can be announced with them."""

    way: PossibleLaying
    tiles: tuple[RechtTile, ...]
    goes_on: bool
    """They continue the standing announcement."""
    words: Iterator[str]
    """New announcements, the short ones first."""


def iter_recht_layings(public: RechtPublic, hand: Sequence[str], words: Words) -> Iterator[RechtLaying]:
    """Yield all that can be laid and announced, without exchanging a jolly: for each choice of one or two tiles the
    standing announcement continued, then at most 500 new ones. Jollies come last and stand only for letters that the
    rack lacks; a third tile, which is hardly ever allowed, is left out."""
    for choice in iter_tile_choices(public, hand, words):
        if choice.goes_on:
            yield RechtLaying(choice.tiles, goes_on=True)
        yield from (build_announcing_move(public, choice, word) for word in islice(choice.words, MOST_WORDS))


def build_announcing_move(public: RechtPublic, choice: TileChoice, word: str) -> RechtLaying:
    """Build the move that lays these tiles and announces a new word."""
    return RechtLaying(choice.tiles, word, choice.way.direction if public.running is None else "")


def iter_tile_choices(public: RechtPublic, hand: Sequence[str], words: Words) -> Iterator[TileChoice]:
    """Yield each choice of one or two tiles, lazily. Jollies come last and stand only for letters that the rack lacks;
    a third tile, which is hardly ever allowed, is left out."""
    plain = tuple(tile for tile in hand if not tile.startswith(STAR))
    lines: dict[tuple[Direction, int], _LineWords] = {}
    standing = "" if public.running is None else public.running.word
    for held in (plain, tuple(hand)) if len(plain) < len(hand) else (plain,):
        for way, tiles in _iter_allowed_layings(public, held, lines, words):
            if held is plain or any(tile.letter.startswith(STAR) for tile in tiles):
                line, text = _get_line(lines, public.table, way, words), way.table.get_run_text(way.run)
                new = (word for word in line.iter_announceable_words(way.run, text) if word != standing)
                yield TileChoice(way, tiles, bool(standing) and line.can_word_lie(way.run, text, standing), new)


def count_word_beginnings(public: RechtPublic, tiles: Sequence[str], words: Words) -> int:
    """Count the new words that can be begun with these tiles: each where each of them can lie."""
    lines: dict[tuple[Direction, int], _LineWords] = {}
    found = 0
    for way, _ in _iter_first_tiles(public, tuple(tiles)):
        line = _get_line(lines, public.table, way, words)
        if (
            line.is_sensible(way)
            and next(line.iter_announceable_words(way.run, way.table.get_run_text(way.run)), None) is not None
        ):
            found += 1
    return found


def _get_line(
    lines: dict[tuple[Direction, int], _LineWords], table: TypdomTable, way: PossibleLaying, words: Words
) -> _LineWords:
    """Return the line of a laying, made when it is first needed."""
    square = way.run[0]
    first = square - get_line_position(table, way.direction, square) * table.get_step(way.direction)
    found = lines.get((way.direction, first))
    if found is None:
        found = lines[way.direction, first] = _LineWords(table, way.direction, first, words)
    return found


def _iter_allowed_layings(
    public: RechtPublic, hand: tuple[str, ...], lines: dict[tuple[Direction, int], _LineWords], words: Words
) -> Iterator[tuple[PossibleLaying, tuple[RechtTile, ...]]]:
    """Yield every choice of one or two tiles that a word may contain; each once, in whatever order they are laid."""
    seen: set[tuple[tuple[int, str], ...]] = set()
    for way, tile in _iter_first_tiles(public, hand):
        line = _get_line(lines, public.table, way, words)
        if not line.is_sensible(way):
            continue
        yield way, (tile,)
        if (
            way.allowed_count == 1
            or next(line.iter_announceable_words(way.run, way.table.get_run_text(way.run)), None) is None
        ):
            continue
        for side, square in _list_run_ends(way.table, way.direction, way.run):
            for letter in _list_letters(remove_tiles_from_rack(hand, [to_rack_tile(tile.letter)])):
                more = extend_laying(way, square, letter)
                known = tuple(sorted(more.laid))
                if known not in seen and line.is_sensible(more):
                    seen.add(known)
                    yield (
                        more,
                        (tile, RechtTile(letter, side if public.running else get_square_name(square, way.table.size))),
                    )


def _iter_first_tiles(public: RechtPublic, hand: tuple[str, ...]) -> Iterator[tuple[PossibleLaying, RechtTile]]:
    table, running = public.table, public.running
    if running is not None:
        fragment = PossibleLaying(table, running.direction, running.run)
        for side, square in _list_run_ends(table, running.direction, running.run):
            yield from (
                (extend_laying(fragment, square, letter), RechtTile(letter, side)) for letter in _list_letters(hand)
            )
        return
    for direction in list_new_directions(public.finished):
        squares = [table.start] if not table.squares else _list_squares_beside_finished(public, direction)
        for square in squares:
            for letter in _list_letters(hand):
                way = find_begun_word(public.finished, table, direction, square, letter) if table.squares else None
                way = way if table.squares else extend_laying(PossibleLaying(table, direction), square, letter)
                if way is not None:
                    yield way, RechtTile(letter, get_square_name(square, table.size))


def _list_squares_beside_finished(public: RechtPublic, direction: Direction) -> list[int]:
    """Return the free squares at both ends of the runs that go through the finished word, or through any tile where
    there is none."""
    table, finished = public.table, public.finished
    through = table.squares if finished is None else finished.run
    runs = dict.fromkeys(get_tile_run(table, square, direction) for square in through)
    return list(dict.fromkeys(square for run in runs for _, square in _list_run_ends(table, direction, run)))


def _list_run_ends(table: TypdomTable, direction: Direction, run: Run) -> list[tuple[Side, int]]:
    found = ((side, find_end_square(table, direction, run, side)) for side in SIDES)
    return [(side, square) for side, square in found if square is not None]


def _list_letters(hand: tuple[str, ...]) -> list[str]:
    """Return the letters that the tiles of a rack can be laid as."""
    letters = sorted({tile for tile in hand if not tile.startswith(STAR)})
    for kind, jolly in JOLLIES.items():
        if jolly in hand:
            letters += [STAR + c for c in LETTERS if colour(c) == kind and c not in letters]
    return letters


# ---- whether there is any ----


def can_lay_recht_tile(state: State[RechtPublic], seat: int, ctx: Context, new: bool) -> bool | None:
    """Return whether a seat can lay at all, also after exchanging jollies; with ``new`` whether it can announce another
    word. None where the dictionary cannot list its words.

    The move that is found is put to the dictionary as well, so that its verdicts stand in the log and a replay finds it
    again."""
    if not listed(ctx.words):
        return None
    public = state.public
    standing = public.running.word if public.running else ""
    for table, hand in iter_jolly_exchanges(public.table, state.hands[seat]):
        changed = replace(public, table=table)
        for move in iter_recht_layings(changed, hand, ctx.words):
            if new and move.goes_on:
                continue
            word = move.word or standing
            try:
                filter_admissible_layings(list_possible_layings(changed, table, move, word), word, ctx)
            except (Illegal, Undecided):
                continue
            return True
    return False
