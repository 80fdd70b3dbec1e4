"""All legal placements with their points, fast enough for a 200,000-word dictionary in pure Python.

A *slot* is a stretch of squares whose ends are free and that touches what lies there. For each slot the words
that may fit are found by AND-ing big integers (one bit per word): the words that the rack can make but for as
many letters as the slot shows, then for each occupied or crossed square the words with an allowed letter.
The few that remain are checked exactly and scored from sums that were made once per position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from moderator.games.topwords.board import get_stack_run, is_rack_bonus_due, list_lying_words
from moderator.games.topwords.state import (
    ALPHABET,
    CENTRE,
    RACK_POINTS,
    RARE,
    RARE_POINTS,
    SIZE,
    STEP,
    Direction,
    TopwordsPlacement,
    TopwordsPublic,
    get_stack_name,
)
from moderator.games.word_index import FIELD, DictionaryCache, LetterPacking, WordSet, build_word_set, list_set_bits
from moderator.games.word_index import group_words_by_missing as within_reach
from moderator.rules.game import Context, View, Words


@dataclass(frozen=True)
class _PackedRack:
    hand: tuple[str, ...]
    counts: int
    """Packed, with the guard bits set."""
    bonus_at: int
    """Number of laid tiles that earns the bonus; 0 = none does."""


@dataclass(frozen=True)
class _Slot:
    start: int
    squares: range
    free: list[int]
    """Positions in the slot that are empty."""
    taken: list[int]
    """Positions that show a letter."""


def list_topwords_placements(view: View[TopwordsPublic], ctx: Context) -> list[tuple[TopwordsPlacement, int]]:
    """Return every legal placement of ``view.seat`` and its points; [] while that seat is not to move."""
    if view.seat is None or view.seat not in view.to_move or not view.hand:
        return []
    public = view.public
    hand = view.hand
    bonus = is_rack_bonus_due(public.options, len(hand), view.stock_count)
    rack = _PackedRack(hand, pack("".join(hand)) | GUARD, len(hand) if bonus else 0)
    index = index_for(ctx.words)
    reach = {length: within_reach(word_set, length, hand) for length, word_set in index.word_sets.items()}
    found: list[tuple[TopwordsPlacement, int]] = []
    directions: tuple[Direction, ...] = ("w", "s")
    for direction in directions:
        _DirectionSearch(public, rack, index, reach, direction).add_placements(found)
    return found


class _DirectionSearch:
    """A search in one direction of one position: all that is constant while its slots are visited."""

    def __init__(
        self,
        public: TopwordsPublic,
        rack: _PackedRack,
        index: TopwordsIndex,
        reach: dict[int, list[int]],
        direction: Direction,
    ) -> None:
        self.options = public.options
        self.board = public.board
        self.rack = rack
        self.index = index
        self.reach = reach
        self.direction = direction
        self.step = STEP[direction]
        self.opening = not any(self.board)
        cross = "s" if direction == "w" else "w"
        self.cross: CrossingTable = build_crossing_table(public, index.words, rack.hand, STEP[cross])
        self.masks: dict[tuple[int, int, str, str], int] = {}
        self.names = [get_stack_name(square, public.options) for square in range(SIZE * SIZE)]

    def add_placements(self, found: list[tuple[TopwordsPlacement, int]]) -> None:
        """Append all placements of this direction to ``found``."""
        for slot in self._iter_slots():
            word_set = self.index.word_sets.get(len(slot.squares))
            if word_set is not None:
                fitting = self._compute_fitting_words(slot, word_set)
                if fitting:
                    self._score_words(slot, word_set, fitting, found)

    def _iter_slots(self) -> Iterator[_Slot]:
        """Yield the slots that may hold a word: ends free, at least one tile to lay, touching (or on the centre)."""
        board, step = self.board, self.step
        touching = CENTRE if self.opening else self.cross.beside
        line_step = SIZE if step == 1 else 1
        for line in range(0, SIZE * line_step, line_step):
            for first in range(SIZE - 1):
                start = line + first * step
                if first and board[start - step]:
                    continue
                free: list[int] = []
                taken: list[int] = []
                touches = False
                for length in range(1, SIZE - first + 1):
                    square = start + (length - 1) * step
                    (taken if board[square] else free).append(length - 1)
                    touches = touches or bool(board[square]) or square in touching
                    if length < 2 or not touches or len(free) > len(self.rack.hand):
                        continue
                    if first + length < SIZE and board[square + step]:
                        continue
                    yield _Slot(start, range(start, square + step, step), free[:], taken[:])

    def _compute_fitting_words(self, slot: _Slot, word_set: WordSet) -> int:
        """Return the set of words that may fit; a few may still need letters twice that the rack has once."""
        length = len(slot.squares)
        fitting = self.reach[length][len(slot.taken)]
        allowed = self.cross.allowed
        for position in slot.taken:
            square = slot.squares[position]
            fitting &= self._get_letter_mask(word_set, length, position, allowed[square], self.board[square][-1])
            if not fitting:
                return 0
        unbound = allowed_anywhere = self.cross.unbound
        for position in slot.free:
            letters = allowed[slot.squares[position]]
            if letters is not unbound:
                fitting &= self._get_letter_mask(word_set, length, position, letters, "")
                if not fitting:
                    return 0
        if slot.taken and fitting.bit_count() > 8:
            for position in slot.free:
                fitting &= self._get_letter_mask(word_set, length, position, allowed_anywhere, "")
        return fitting

    def _get_letter_mask(self, word_set: WordSet, length: int, position: int, letters: str, top: str) -> int:
        """Return the words with one of ``letters`` or ``top`` at a position."""
        key = (length, position, letters, top)
        mask = self.masks.get(key)
        if mask is None:
            sets = word_set.at[position]
            mask = sets.get(top, 0)
            for letter in letters:
                mask |= sets.get(letter, 0)
            self.masks[key] = mask
        return mask

    def _score_words(
        self, slot: _Slot, word_set: WordSet, fitting: int, found: list[tuple[TopwordsPlacement, int]]
    ) -> None:
        """Check the words of ``fitting`` exactly and add those that can be laid."""
        board, points_across = self.board, self.cross.points
        tiles = len(slot.squares) + sum(len(board[slot.squares[p]]) - 1 for p in slot.taken)
        low = all(len(board[slot.squares[p]]) == 1 for p in slot.taken)
        free = len(slot.free)
        base = sum(points_across[slot.squares[p]] for p in slot.free)
        shown = [(p, board[slot.squares[p]][-1], points_across[slot.squares[p]] + 1) for p in slot.taken]
        whole = () if self.options.cover_whole_word else self._list_whole_words(slot)
        square, direction, counts, bonus_at = (
            self.names[slot.start],
            self.direction,
            self.rack.counts,
            self.rack.bonus_at,
        )
        words, needs = word_set.words, word_set.needs
        for number in list_set_bits(fitting):
            word, need = words[number], needs[number]
            laid, points = free, base
            for position, letter, gain in shown:
                if word[position] == letter:
                    need -= UNIT[letter]
                else:
                    laid += 1
                    points += gain
            if not laid or (counts - need) & GUARD != GUARD:
                continue
            if whole and any(all(word[p] != c for p, c in run) for run in whole):
                continue
            points += 2 * tiles if low and laid == free else tiles
            if laid == bonus_at:
                points += RACK_POINTS
            if need & RARE_MASK:
                points += RARE_POINTS * sum(need >> shift & 15 for shift in RARE_SHIFTS)
            found.append((TopwordsPlacement(square, direction, word), points))

    def _list_whole_words(self, slot: _Slot) -> list[list[tuple[int, str]]]:
        """Return (position, letter) of each lying word in the slot, none of which may be covered completely."""
        runs = list_lying_words(self.board, tuple(slot.squares), self.step)
        return [[(slot.squares.index(s), self.board[s][-1]) for s in run] for run in runs]


# ---- the dictionary ----
# The dictionary of Topwords for its move generator. Built once per Words object (about a second for 200,000 words).


PACKING = LetterPacking(ALPHABET)
UNIT, GUARD, pack = PACKING.unit, PACKING.guard, PACKING.pack_letters
RARE_MASK = sum(15 * UNIT[letter] for letter in RARE)
RARE_SHIFTS = tuple(FIELD * PACKING.letters.index(letter) for letter in sorted(RARE))


@dataclass(frozen=True)
class TopwordsIndex:
    words: frozenset[str]
    word_sets: dict[int, WordSet]
    """By length; lengths without words are absent."""


def build_topwords_index(words: Words) -> TopwordsIndex:
    """Sort the playable words of 2..10 letters into sets; what cannot be laid is left out."""
    known = frozenset(word for word in words.playable(SIZE) if 2 <= len(word) <= SIZE and ALPHABET.issuperset(word))
    by_length: dict[int, list[str]] = {}
    for word in sorted(known):
        by_length.setdefault(len(word), []).append(word)
    return TopwordsIndex(known, {length: build_word_set(length, group, PACKING) for length, group in by_length.items()})


index_for = DictionaryCache(build_topwords_index)
"""The index of a dictionary, kept if that very object was seen before."""


# ---- what a tile laid on a square does to the words that cross the line ----


@dataclass(frozen=True)
class CrossingTable:
    """The effect of a tile on each square 0..99 on the words that cross there, for moves at right angles to
    ``step``."""

    allowed: list[str]
    """Rack letters (each once, sorted) that may be laid there; without the one on top."""
    points: list[int]
    """What the changed crossing word scores; 0 where none crosses."""
    beside: frozenset[int]
    """Empty or occupied squares with an occupied neighbour across."""
    unbound: str
    """All rack letters; the very object stands in ``allowed`` where nothing limits the square."""


def build_crossing_table(
    public: TopwordsPublic, words: frozenset[str], hand: tuple[str, ...], step: int
) -> CrossingTable:
    """Build the table of all squares for a tile laid there; ``step`` (1 or 10) is the crossing direction."""
    board, highest = public.board, public.options.max_height
    unbound = "".join(sorted(set(hand)))
    allowed: list[str] = []
    points: list[int] = []
    beside: list[int] = []
    probe = list(board)
    for square, stack in enumerate(board):
        place = square // SIZE if step == SIZE else square % SIZE
        before = place > 0 and board[square - step] != ""
        after = place < SIZE - 1 and board[square + step] != ""
        letters = unbound if len(stack) < highest else ""
        gained = 0
        if stack:
            letters = letters.replace(stack[-1], "")
        if before or after:
            beside.append(square)
            probe[square] = stack + "?"
            run = get_stack_run(probe, square, step)
            probe[square] = stack
            text = [board[s][-1:] for s in run]
            at = run.index(square)
            head, tail = "".join(text[:at]), "".join(text[at + 1 :])
            letters = "".join(letter for letter in letters if head + letter + tail in words)
            tiles = 1 + sum(len(board[s]) for s in run)
            gained = 2 * tiles if tiles == len(run) else tiles
        allowed.append(letters)
        points.append(gained)
    return CrossingTable(allowed, points, frozenset(beside), unbound)
