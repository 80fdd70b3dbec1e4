"""Which words can be laid: lazily, the short ones first, so that »can anything be laid at all« is answered early.

A *slot* is a stretch of squares whose ends are free, with at least one lying tile and one free square. For each slot
the words that may fit are found by AND-ing big integers (one bit per word): the words that the rack can make but for as
many letters as the slot shows and jollies can stand for, then for each lying tile and each crossed square the words
with a possible letter there. The few that remain are checked exactly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import get_args

from moderator.games.typdom.board import (
    SIZE,
    Direction,
    LaidWord,
    Placement,
    TypdomTable,
    exchange_jolly,
    get_square_name,
    get_tile_run,
    lay_typdom_word,
    list_exchangeable_jollies,
)
from moderator.games.typdom.state import TypdomTurn
from moderator.games.typdom.tiles import JOLLIES, LETTERS, STAR, VOWELS, remove_tiles_from_rack, sum_rest_points
from moderator.games.word_index import (
    FIELD,
    MOST,
    DictionaryCache,
    LetterPacking,
    WordSet,
    build_word_set,
    group_words_by_missing,
    list_set_bits,
)
from moderator.rules.game import Context, Words
from moderator.rules.words import listed, unwrapped

STAGES = (4, 8)
"""Word lengths up to which a dictionary is made ready; a third time wholly."""
PACKING = LetterPacking(LETTERS)
CONSONANTS = frozenset(LETTERS) - VOWELS


class WordLibrary:
    """The words that can be laid, by length, made ready when they are first asked for."""

    def __init__(self) -> None:
        self._ready = 1
        self._words: dict[int, list[str]] = {}
        self._word_sets: dict[int, WordSet] = {}

    def find_word_set(self, length: int, words: Words) -> WordSet | None:
        """Return all words of a length; None if there are none."""
        if length not in self._word_sets:
            found = self._list_words(length, words)
            if not found:
                return None
            self._word_sets[length] = build_word_set(length, found, PACKING)
        return self._word_sets[length]

    def has_word(self, word: str, words: Words) -> bool:
        """Return whether a word can be laid."""
        found = self._list_words(len(word), words)
        at = bisect_left(found, word)
        return at < len(found) and found[at] == word

    def _list_words(self, length: int, words: Words) -> list[str]:
        if length > self._ready:
            upto = next((stage for stage in STAGES if stage >= length), max(length, SIZE))
            for word in sorted(set(words.playable(upto))):
                if len(word) > self._ready and word.isascii() and word.isalpha() and word.isupper():
                    self._words.setdefault(len(word), []).append(word)
            self._ready = upto
        return self._words.get(length, [])


library = DictionaryCache(lambda words: WordLibrary())
"""The one of a dictionary, kept with it."""


@dataclass(frozen=True)
class WordSlot:
    """A stretch of squares that a word may fill."""

    direction: Direction
    squares: range
    free: tuple[int, ...]
    """Positions in it that are empty."""
    taken: tuple[tuple[int, str], ...]
    """(position, letter) of the lying tiles."""


def iter_typdom_placements(table: TypdomTable, hand: Sequence[str], words: Words) -> Iterator[Placement]:
    """Yield every placement of one word with admissible crossing words, by length, lazily. Jollies stand only for
    letters that the rack lacks, at each place in turn where they can."""
    found = _SlotSearch(table, tuple(hand), words)
    return (place for slot, word in found.iter_slot_words() for place in found.iter_starred_placements(slot, word))


def can_lay_word(table: TypdomTable, hand: Sequence[str], ctx: Context) -> bool | None:
    """Return whether any word can be laid, also after exchanging jollies. None where the dictionary cannot list its
    words.

    The word that is found is put to the dictionary as well, so that its verdicts stand in the log and a replay finds it
    again."""
    if not listed(ctx.words):
        return None
    return any(_has_legal_placement(changed, held, ctx) for changed, held in iter_jolly_exchanges(table, tuple(hand)))


def _has_legal_placement(table: TypdomTable, hand: tuple[str, ...], ctx: Context) -> bool:
    for place in iter_typdom_placements(table, hand, ctx.words):
        laying = lay_typdom_word(table, place, hand)
        if all(ctx.words.judge(word).ruling == "accept" for word in laying.words):
            return True
    return False


def iter_jolly_exchanges(table: TypdomTable, hand: tuple[str, ...]) -> Iterator[tuple[TypdomTable, tuple[str, ...]]]:
    """Yield the table and the rack as they are, and after every possible exchange of jollies."""
    lying = [square for square in list_exchangeable_jollies(table) if table.get_letter(square) in hand]
    for count in range(len(lying) + 1):
        for squares in combinations(lying, count):
            letters = [table.get_letter(square) for square in squares]
            if any(letters.count(letter) > hand.count(letter) for letter in letters):
                continue
            changed, held = table, hand
            for square, letter in zip(squares, letters, strict=True):
                changed, held = exchange_jolly(changed, get_square_name(square, table.size), letter, held)
            yield changed, held


class _SlotSearch:
    """A search of one position: all that is constant while its slots are visited."""

    def __init__(self, table: TypdomTable, hand: tuple[str, ...], words: Words) -> None:
        self.table = table
        self.words = unwrapped(words)
        self.library = library(self.words)
        self.size = len(hand)
        self.letters = tuple(tile for tile in hand if not tile.startswith(STAR))
        self.jollies = {frozenset(VOWELS): hand.count(JOLLIES["red"]), CONSONANTS: hand.count(JOLLIES["black"])}
        self.joker_count = sum(self.jollies.values())
        self.counts = PACKING.pack_letters("".join(self.letters)) | PACKING.guard
        possible = set(self.letters).union(*(kind for kind, count in self.jollies.items() if count))
        self.unbound = "".join(sorted(possible))
        """All letters that can be laid; the very object stands for squares that nothing limits."""
        self.allowed: dict[tuple[Direction, int], str] = {}
        self.masks: dict[tuple[int, int, str], int] = {}
        self.within: dict[int, list[int]] = {}

    def iter_slot_words(self) -> Iterator[tuple[WordSlot, str]]:
        """Yield (slot, word) of everything that can be laid, short words first within each stage."""
        if not self.size:
            return
        low = 1
        slots = sorted(self._iter_slots(), key=lambda slot: len(slot.squares))
        for high in (*STAGES, self.table.size):
            for slot in slots:
                if low < len(slot.squares) <= high:
                    word_set = self.library.find_word_set(len(slot.squares), self.words)
                    if word_set is not None:
                        yield from ((slot, word_set.words[n]) for n in self._iter_fitting_words(slot, word_set))
            low = high

    # ---- slots ----

    def _iter_slots(self) -> Iterator[WordSlot]:
        size = self.table.size
        directions: tuple[Direction, ...] = get_args(Direction)
        for direction in directions:
            step = self.table.get_step(direction)
            # The rows or columns with a tile; the middle one of an empty table.
            squares = self.table.squares or (self.table.start,)
            for line in sorted({s // self.table.size if direction == "w" else s % self.table.size for s in squares}):
                start = line * size if direction == "w" else line
                yield from self._iter_line_slots(direction, range(start, start + size * step, step))

    def _iter_line_slots(self, direction: Direction, line: range) -> Iterator[WordSlot]:
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
                yield WordSlot(direction, line[first:following], tuple(free), tuple(taken))

    # ---- words ----

    def _iter_fitting_words(self, slot: WordSlot, word_set: WordSet) -> Iterator[int]:
        """Yield the numbers of the words that can be laid in a slot."""
        length = len(slot.squares)
        if length not in self.within:
            self.within[length] = group_words_by_missing(word_set, length, self.letters)
        fitting = self.within[length][min(length, len(slot.taken) + self.joker_count)]
        shown = 0
        for position, letter in slot.taken:
            fitting &= word_set.at[position].get(letter, 0)
            shown += PACKING.unit[letter]
            if not fitting:
                return
        for position in slot.free:
            # The letters that can be laid on a free square so that the word across is one.
            square = slot.squares[position]
            letters = self.allowed.get((slot.direction, square))
            if letters is None:
                letters = self.allowed[slot.direction, square] = self._compute_crossing_letters(slot.direction, square)
            if letters is not self.unbound or fitting.bit_count() > 8:
                fitting &= self._get_letter_mask(word_set, length, position, letters)
                if not fitting:
                    return
        guard = PACKING.guard
        for number in list_set_bits(fitting):
            left = self.counts - (word_set.needs[number] - shown)
            if left & guard == guard or (self.joker_count and self._can_cover_with_jollies(left)):
                yield number

    def _get_letter_mask(self, word_set: WordSet, length: int, position: int, letters: str) -> int:
        """Return the words with one of ``letters`` at a position."""
        key = (length, position, letters)
        mask = self.masks.get(key)
        if mask is None:
            mask = 0
            for letter in letters:
                mask |= word_set.at[position].get(letter, 0)
            self.masks[key] = mask
        return mask

    def _compute_crossing_letters(self, direction: Direction, square: int) -> str:
        table = self.table
        across: Direction = "s" if direction == "w" else "w"
        probe = TypdomTable(table.size, {**table.squares, square: "?"})
        run = get_tile_run(probe, square, across)
        if len(run) < 2:
            return self.unbound
        head, tail = probe.get_run_text(run).split("?")
        return "".join(c for c in self.unbound if self.library.has_word(head + c + tail, self.words))

    def _can_cover_with_jollies(self, left: int) -> bool:
        """Return whether jollies can stand for the letters that the rack lacks."""
        lacking = _count_lacking_letters(left)
        return all(sum(lacking[c] for c in lacking if c in kind) <= count for kind, count in self.jollies.items())

    # ---- jollies ----

    def iter_starred_placements(self, slot: WordSlot, word: str) -> Iterator[Placement]:
        """Yield the word with stars where jollies are laid, in every way; as it is if none is needed."""
        shown = sum(PACKING.unit[letter] for _, letter in slot.taken)
        lacking = _count_lacking_letters(self.counts - (PACKING.pack_letters(word) - shown))
        square = get_square_name(slot.squares[0], self.table.size)
        places = [list(combinations([p for p in slot.free if word[p] == c], n)) for c, n in lacking.items()]
        for chosen in product(*places):
            stars = {position for positions in chosen for position in positions}
            text = "".join(STAR + c if p in stars else c for p, c in enumerate(word))
            yield Placement(square, slot.direction, text)


def _count_lacking_letters(left: int) -> dict[str, int]:
    """Return letter -> how many of it are missing after a subtraction of packed counts."""
    missing = PACKING.guard & ~left
    lacking: dict[str, int] = {}
    while missing:
        bit = (missing & -missing).bit_length() - 1
        missing &= missing - 1
        at = bit // FIELD
        lacking[PACKING.letters[at]] = MOST + 1 - (left >> at * FIELD & MOST)
    return lacking


# ---- How the strong robot plays Kreuzwort-Spiel and Point-Typ-Dom: it looks at its next turn, too, on the table as
# this one leaves it and with the tiles that it keeps.


Ranked = Callable[[TypdomTable, Sequence[str]], list[tuple[int, LaidWord]]]
"""What can be laid with some tiles, each with its value, best first."""

Value = Callable[[LaidWord], int]
"""The value of one of them."""

COMPARED = 5
"""First words that are looked at, of those that demand a second one and of the others each."""
NEXT = 0.6
"""What the next turn's value counts: others lay before it, tiles are bought."""
RID = 15
"""What it is worth to have laid all tiles."""
STUCK = 0.4
"""What it costs to keep a tile, for each point of the rest, if nothing can be laid with what is kept."""


def find_strong_typdom_turn(
    table: TypdomTable, hand: Sequence[str], ranked: Ranked, no_second: int
) -> TypdomTurn | None:
    """Return the turn with the best value together with the one that may follow it; None without a word."""
    turns = list_compared_turns(table, hand, ranked, no_second)
    return max(turns, key=lambda one: one[0])[1] if turns else None


def list_compared_turns(
    table: TypdomTable, hand: Sequence[str], ranked: Ranked, no_second: int, firsts: int = COMPARED
) -> list[tuple[float, TypdomTurn]]:
    """Return the turns that are looked at, each with its value together with the one that may follow it. ``no_second``:
    points that a first word loses that demands a second one which is not there."""
    turns: list[tuple[float, TypdomTurn]] = []
    # The best of both kinds, each set of tiles once: the same ones laid elsewhere change little.
    found = ranked(table, hand)
    chosen: list[tuple[int, LaidWord]] = []
    for connects in (True, False):
        seen = set[tuple[str, ...]]()
        for score, one in found:
            if (
                bool(one.connects) is connects
                and len(seen) < firsts
                and (used := tuple(sorted(one.used_tiles))) not in seen
            ):
                seen.add(used)
                chosen.append((score, one))
    for score, first in chosen:
        rest = remove_tiles_from_rack(hand, first.used_tiles)
        lacks = no_second if first.connects and rest else 0
        turns.append((score - lacks + _estimate_next_turn(first.table, rest, ranked), TypdomTurn((first.placement,))))
        if first.connects and rest:
            for more, second in ranked(first.table, rest)[:1]:
                kept = remove_tiles_from_rack(rest, second.used_tiles)
                value = score + more + _estimate_next_turn(second.table, kept, ranked)
                turns.append((value, TypdomTurn((first.placement, second.placement))))
    return turns


def estimate_typdom_equity(
    table: TypdomTable, hand: Sequence[str], turn: TypdomTurn, value: Value, ranked: Ranked, no_second: int
) -> float:
    """Estimate the worth of a turn that was played by the same reckoning, whatever it was."""
    for swap in turn.exchanges:
        table, hand = exchange_jolly(table, swap.square, swap.letter, hand)
    worth, due = 0, False
    for place in turn.places:
        laying = lay_typdom_word(table, place, hand)
        worth, due = worth + value(laying), bool(laying.connects)
        table, hand = laying.table, remove_tiles_from_rack(hand, laying.used_tiles)
    lacks = no_second if len(turn.places) == 1 and due and hand else 0
    return worth - lacks + _estimate_next_turn(table, hand, ranked)


def _estimate_next_turn(table: TypdomTable, kept: Sequence[str], ranked: Ranked) -> float:
    """Estimate what the tiles that stay on the rack may bring in the next turn."""
    if not kept:
        return RID
    following = ranked(table, kept)
    return NEXT * following[0][0] if following else -STUCK * sum_rest_points(kept)
