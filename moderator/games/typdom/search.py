"""Which words can be laid: lazily, the short ones first, so that »can anything be laid at all« is answered early.

A *slot* is a stretch of squares whose ends are free, with at least one lying tile and one free square. For each slot
the words that may fit are found by AND-ing big integers (one bit per word): the words that the rack can make but for as
many letters as the slot shows and jollies can stand for, then for each lying tile and each crossed square the words
with a possible letter there. The few that remain are checked exactly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import get_args

from moderator.games.index import FIELD, MOST, Packing, PerDictionary, WordSet, build_word_set, members, reach
from moderator.games.typdom.board import SIZE, Direction, Place, Table, exchange, exchangeable, lay, name, run_through
from moderator.games.typdom.tiles import JOLLIES, LETTERS, STAR, VOWELS
from moderator.match.contract import Context, Words
from moderator.match.words import listed, unwrapped

STAGES = (4, 8)
"""Word lengths up to which a dictionary is made ready; a third time wholly."""
PACKING = Packing(LETTERS)
CONSONANTS = frozenset(LETTERS) - VOWELS


class Library:
    """The words that can be laid, by length, made ready when they are first asked for."""

    def __init__(self) -> None:
        self._ready = 1
        self._words: dict[int, list[str]] = {}
        self._word_sets: dict[int, WordSet] = {}

    def word_set(self, length: int, words: Words) -> WordSet | None:
        """All words of a length; None if there are none."""
        if length not in self._word_sets:
            found = self._listed(length, words)
            if not found:
                return None
            self._word_sets[length] = build_word_set(length, found, PACKING)
        return self._word_sets[length]

    def knows(self, word: str, words: Words) -> bool:
        """Whether a word can be laid."""
        found = self._listed(len(word), words)
        at = bisect_left(found, word)
        return at < len(found) and found[at] == word

    def _listed(self, length: int, words: Words) -> list[str]:
        if length > self._ready:
            upto = next((stage for stage in STAGES if stage >= length), max(length, SIZE))
            for word in sorted(set(words.playable(upto))):
                if len(word) > self._ready and word.isascii() and word.isalpha() and word.isupper():
                    self._words.setdefault(len(word), []).append(word)
            self._ready = upto
        return self._words.get(length, [])


library = PerDictionary(lambda words: Library())
"""The one of a dictionary, kept with it."""


@dataclass(frozen=True)
class Slot:
    """A stretch of squares that a word may fill."""

    direction: Direction
    squares: range
    free: tuple[int, ...]
    """Positions in it that are empty."""
    taken: tuple[tuple[int, str], ...]
    """(position, letter) of the lying tiles."""


def placements(table: Table, hand: Sequence[str], words: Words) -> Iterator[Place]:
    """Every placement of one word with admissible crossing words, by length, lazily. Jollies stand only for letters
    that the rack lacks, at each place in turn where they can."""
    found = _Search(table, tuple(hand), words)
    return (place for slot, word in found.run() for place in found.starred(slot, word))


def can_lay(table: Table, hand: Sequence[str], ctx: Context) -> bool | None:
    """Whether any word can be laid, also after exchanging jollies. None where the dictionary cannot list its words.

    What is found is put to the dictionary as well, so that its verdicts stand in the log and a replay finds it again.
    """
    if not listed(ctx.words):
        return None
    return any(_one(changed, held, ctx) for changed, held in exchanged(table, tuple(hand)))


def _one(table: Table, hand: tuple[str, ...], ctx: Context) -> bool:
    for place in placements(table, hand, ctx.words):
        laying = lay(table, place, hand)
        if all(ctx.words.judge(word).ruling == "accept" for word in laying.words):
            return True
    return False


def exchanged(table: Table, hand: tuple[str, ...]) -> Iterator[tuple[Table, tuple[str, ...]]]:
    """The table and the rack as they are, and after every possible exchange of jollies."""
    lying = [square for square in exchangeable(table) if table.letter(square) in hand]
    for count in range(len(lying) + 1):
        for squares in combinations(lying, count):
            letters = [table.letter(square) for square in squares]
            if any(letters.count(letter) > hand.count(letter) for letter in letters):
                continue
            changed, held = table, hand
            for square, letter in zip(squares, letters, strict=True):
                changed, held = exchange(changed, name(square, table.size), letter, held)
            yield changed, held


class _Search:
    """One position: what is constant while its slots are gone through."""

    def __init__(self, table: Table, hand: tuple[str, ...], words: Words) -> None:
        self.table = table
        self.words = unwrapped(words)
        self.library = library(self.words)
        self.size = len(hand)
        self.letters = tuple(tile for tile in hand if not tile.startswith(STAR))
        self.jollies = {frozenset(VOWELS): hand.count(JOLLIES["red"]), CONSONANTS: hand.count(JOLLIES["black"])}
        self.joker_count = sum(self.jollies.values())
        self.counts = PACKING.pack("".join(self.letters)) | PACKING.guard
        possible = set(self.letters).union(*(kind for kind, count in self.jollies.items() if count))
        self.unbound = "".join(sorted(possible))
        """All letters that can be laid; the very object stands for squares that nothing limits."""
        self.allowed: dict[tuple[Direction, int], str] = {}
        self.masks: dict[tuple[int, int, str], int] = {}
        self.within: dict[int, list[int]] = {}

    def run(self) -> Iterator[tuple[Slot, str]]:
        """(slot, word) of everything that can be laid, short words first within each stage."""
        if not self.size:
            return
        low = 1
        slots = sorted(self._slots(), key=lambda slot: len(slot.squares))
        for high in (*STAGES, self.table.size):
            for slot in slots:
                if low < len(slot.squares) <= high:
                    word_set = self.library.word_set(len(slot.squares), self.words)
                    if word_set is not None:
                        yield from ((slot, word_set.words[n]) for n in self._fitting(slot, word_set))
            low = high

    # ---- slots ----

    def _slots(self) -> Iterator[Slot]:
        size = self.table.size
        directions: tuple[Direction, ...] = get_args(Direction)
        for direction in directions:
            step = self.table.step(direction)
            for line in self._lines(direction):
                start = line * size if direction == "w" else line
                yield from self._in_line(direction, range(start, start + size * step, step))

    def _lines(self, direction: Direction) -> Iterable[int]:
        """Rows or columns with a tile; the middle one of an empty table."""
        squares = self.table.squares or (self.table.start,)
        return sorted({s // self.table.size if direction == "w" else s % self.table.size for s in squares})

    def _in_line(self, direction: Direction, line: range) -> Iterator[Slot]:
        squares = self.table.squares
        opening = not squares
        for first in range(len(line)):
            if first and line[first - 1] in squares:
                continue
            free: list[int] = []
            taken: list[tuple[int, str]] = []
            covers = False
            for length in range(1, len(line) - first + 1):
                square = line[first + length - 1]
                if square in squares:
                    taken.append((length - 1, squares[square][-1]))
                else:
                    free.append(length - 1)
                    if len(free) > self.size:
                        break
                covers = covers or square == self.table.start
                following = first + length
                if length < 2 or not free or not (covers if opening else taken):
                    continue
                if following < len(line) and line[following] in squares:
                    continue
                yield Slot(direction, line[first:following], tuple(free), tuple(taken))

    # ---- words ----

    def _fitting(self, slot: Slot, word_set: WordSet) -> Iterator[int]:
        """Numbers of the words that can be laid in a slot."""
        length = len(slot.squares)
        if length not in self.within:
            self.within[length] = reach(word_set, length, self.letters)
        fitting = self.within[length][min(length, len(slot.taken) + self.joker_count)]
        shown = 0
        for position, letter in slot.taken:
            fitting &= word_set.at[position].get(letter, 0)
            shown += PACKING.unit[letter]
            if not fitting:
                return
        for position in slot.free:
            letters = self._allowed(slot.direction, slot.squares[position])
            if letters is not self.unbound or fitting.bit_count() > 8:
                fitting &= self._mask(word_set, length, position, letters)
                if not fitting:
                    return
        guard = PACKING.guard
        for number in members(fitting):
            left = self.counts - (word_set.needs[number] - shown)
            if left & guard == guard or (self.joker_count and self._covered(left)):
                yield number

    def _mask(self, word_set: WordSet, length: int, position: int, letters: str) -> int:
        """Words with one of ``letters`` at a position."""
        key = (length, position, letters)
        mask = self.masks.get(key)
        if mask is None:
            mask = 0
            for letter in letters:
                mask |= word_set.at[position].get(letter, 0)
            self.masks[key] = mask
        return mask

    def _allowed(self, direction: Direction, square: int) -> str:
        """Letters that can be laid on a free square so that the word across is one."""
        known = self.allowed.get((direction, square))
        if known is None:
            known = self.allowed[direction, square] = self._crossing(direction, square)
        return known

    def _crossing(self, direction: Direction, square: int) -> str:
        table = self.table
        across: Direction = "s" if direction == "w" else "w"
        probe = Table(table.size, {**table.squares, square: "?"})
        run = run_through(probe, square, across)
        if len(run) < 2:
            return self.unbound
        head, tail = probe.text(run).split("?")
        return "".join(c for c in self.unbound if self.library.knows(head + c + tail, self.words))

    def _covered(self, left: int) -> bool:
        """Whether jollies can stand for what the rack lacks."""
        lacking = _lacking(left)
        return all(sum(lacking[c] for c in lacking if c in kind) <= count for kind, count in self.jollies.items())

    # ---- jollies ----

    def starred(self, slot: Slot, word: str) -> Iterator[Place]:
        """The word with stars where jollies are laid, in every way; as it is if none is needed."""
        shown = sum(PACKING.unit[letter] for _, letter in slot.taken)
        lacking = _lacking(self.counts - (PACKING.pack(word) - shown))
        square = name(slot.squares[0], self.table.size)
        places = [list(combinations([p for p in slot.free if word[p] == c], n)) for c, n in lacking.items()]
        for chosen in product(*places):
            stars = {position for positions in chosen for position in positions}
            text = "".join(STAR + c if p in stars else c for p, c in enumerate(word))
            yield Place(square, slot.direction, text)


def _lacking(left: int) -> dict[str, int]:
    """Letter -> how many of it are missing after a subtraction of packed counts."""
    missing = PACKING.guard & ~left
    lacking: dict[str, int] = {}
    while missing:
        bit = (missing & -missing).bit_length() - 1
        missing &= missing - 1
        at = bit // FIELD
        lacking[PACKING.letters[at]] = MOST + 1 - (left >> at * FIELD & MOST)
    return lacking
