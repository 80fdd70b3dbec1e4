"""How robots play »Wer behält recht?«: they keep the word in the making going, with tiles that the next player is
likely to hold, and announce what they can finish; above beginner also what is likely to be changed before."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import comb, exp, prod
from statistics import median

from moderator.common.enums import Level
from moderator.common.errors import Illegal, Undecided
from moderator.games.typdom.board import TypdomTable, get_square_name
from moderator.games.typdom.recht_flow import find_completing_tiles, list_completions
from moderator.games.typdom.recht_search import (
    TileChoice,
    build_announcing_move,
    count_word_beginnings,
    iter_tile_choices,
)
from moderator.games.typdom.recht_state import (
    FinishedWord,
    Move,
    PossibleLaying,
    RechtCompletion,
    RechtLaying,
    RechtPass,
    RechtPublic,
    RechtPurchase,
    filter_admissible_layings,
    list_possible_layings,
)
from moderator.games.typdom.tiles import (
    BLACK,
    RED,
    STAR,
    VALUES,
    count_colours,
    remove_tiles_from_rack,
    sum_rest_points,
    to_rack_tile,
)
from moderator.rules.game import Context, View
from moderator.rules.robots import choose

CHOICES = 400
"""Choices of tiles that are thought of, at most."""
WORDS = 60
"""Announcements that are thought of for each, the short ones first."""
COMPARED = {Level.BEGINNER: 12, Level.CLUB: 12, Level.STRONG: 30}
"""Moves that are looked at closely."""
LIVELY = {Level.BEGINNER: 0.95, Level.CLUB: 0.95, Level.STRONG: 0.8}
"""Where the next player has a tile with this probability, more is not asked for."""
OF_USE = 0.15
"""The probability that a player who holds the tile for an announcement can stand for it."""
UNWILLING = 0.2
"""The probability that a player does not change a word, however well it can be changed."""
AT_STAKE = 0.35
"""Points that a word may be expected to cost its author, if it is dared."""
FAITHFUL = 0.35
"""The probability that a player leaves a dared word as it is, at least."""
OUT = 5
"""What it costs to be out, at least, for each of the others: a game that ends early or goes on with one less."""
IDLE = 2.0
"""Weight of each of the others who finds nothing to lay, where there are several."""
STUCK = 3
"""Exponent of the room that is missing: a little less of it stops nobody."""
LETTER = 0.1
"""Of the others, so much is added for each letter that a word still lacks, before it is looked at closely."""
ROOM = 0.5
"""Weight of the room that a word leaves for the next one."""
ROOMIEST = 0.95
ROOMY = 0.05
"""What each way to begin a word with one of ``COMMON`` adds to it."""
COMMON = "ENISRATDUO"
WORTH = {Level.BEGINNER: 0.1, Level.CLUB: 0.1, Level.STRONG: 0.15}
"""Weight of the tiles that are laid."""
AWKWARD = 0.5
"""Weight of the value that a letter has in Point-Typ-Dom: the rarer, the sooner it has to go."""
KEPT_JOLLY = -3
"""Points of a jolly that is laid while more than a few tiles are left."""
FEW = 3
PROPORTION = 10
"""What it costs to keep vowels and consonants out of the proportion in which they are dealt."""
VOWELS_DEALT = 5 / 13

Laid = tuple[tuple[int, str], ...]
"""Squares and the tiles that go there."""


def find_recht_robot_move(level: Level, view: View[RechtPublic], ctx: Context) -> Move | None:
    """Return the move of a robot; None if it finds none that it can stand for. A beginner chooses among those of a
    single tile, at a table of several among the better half of them (of three players: third), or else too often
    nobody else would find anything."""
    if view.seat is None or view.seat not in view.to_move:
        return None
    if view.public.completing:
        # Build the completion of the own announcement at its first place, with the exchanges that this takes.
        first = list_completions(view.public, view.hand)[0]
        return RechtCompletion(get_square_name(first.place[0], view.public.table.size))
    found = list(islice(_RobotAnalysis(level, view, ctx).iter_defensible_moves(), COMPARED[level]))
    if not found:
        return None
    if level is Level.BEGINNER and len(view.scores) > 2:
        order = sorted((worth for _, worth in found), reverse=True)
        least = order[len(order) // 3] if len(view.scores) == 3 else median(order)
        found = [(move, worth) for move, worth in found if worth >= least]
    return (choose.choose_as_learner if level is Level.BEGINNER else choose.choose_best)(found, ctx.shuffle)


def choose_purchase_or_pass(view: View[RechtPublic]) -> Move:
    """Return the move of a robot that finds nothing to lay: it buys a tile of the colour that the hand lacks, or a
    vowel where one is likelier to go on with the standing word, and looks again; after that it reports on."""
    if view.public.bought or not view.stock_count:
        return RechtPass()
    public, lacks_vowels = view.public, count_colours(view.hand)["red"] < VOWELS_DEALT * len(view.hand)
    if public.running is not None and public.running.word:
        unseen = _count_unseen(view)
        fitting = set(_iter_adjacent_letters(public.table.get_run_text(public.running.run), public.running.word))
        red, black = (
            sum(unseen[tile] for tile in fitting & set(tiles)) / max(1, sum(unseen[tile] for tile in set(tiles)))
            for tiles in (RED, BLACK)
        )
        lacks_vowels |= red > black
    return RechtPurchase("red" if lacks_vowels else "black")


def _count_unseen(view: View[RechtPublic]) -> Counter[str]:
    """Count the tiles that the seat does not see."""
    lying = [to_rack_tile(tile) for tile in view.public.table.squares.values()]
    return Counter((*RED, *BLACK)) - Counter(view.hand) - Counter(lying)


@dataclass(frozen=True)
class _Prospect:
    """A move before the dictionary has been asked of the words across."""

    move: RechtLaying
    lively: float
    """The probability that the next player has something to lay."""
    kept: tuple[float, ...]
    """The probabilities that each of the others, the next first, cannot change the word."""
    worth: float
    """Of the tiles that leave the rack, and of those that stay."""
    idle: float
    """How many of the others are likely to find nothing, as far as the fragment alone tells."""

    @property
    def unchanged(self) -> float:
        """The probability that all others leave the word as it is."""
        return prod(max(UNWILLING, one) for one in self.kept)


class _RobotAnalysis:
    """The analysis of one position by one robot."""

    def __init__(self, level: Level, view: View[RechtPublic], ctx: Context) -> None:
        self.level, self.view, self.ctx, self.public = level, view, ctx, view.public
        seats = len(view.scores)
        order = ((view.seat or 0) + n for n in range(1, seats))
        self.others = [view.hand_counts[seat % seats] for seat in order if seat % seats not in self.public.gone]
        """Number of tiles of each of the others, the next player first."""
        self.unseen = _count_unseen(view)
        self.lively_enough = LIVELY[level] if len(self.others) == 1 else max(LIVELY.values())
        self.word = self.public.running.word if self.public.running else ""

    def iter_defensible_moves(self) -> Iterator[tuple[RechtLaying, float]]:
        """Yield the moves that the robot can stand for, each with its worth; the lively ones first. If there are none,
        those that it dares."""
        dared, stood = list[tuple[RechtLaying, float]](), False
        for one in sorted(self._iter_prospects(), key=self._get_rank):
            way = self._find_only_laying(one.move)
            if way is None:
                continue
            rest = remove_tiles_from_rack(self.view.hand, [to_rack_tile(tile.letter) for tile in one.move.tiles])
            finishing = [
                find_completing_tiles(way.table, place, one.move.word, rest) for place in way.places if one.move.word
            ]
            stands = one.move.goes_on or self._can_defend_word(finishing)
            if stands or (not stood and len(dared) < COMPARED[self.level] and self._can_dare_word(one, rest)):
                room = min(ROOMIEST, self._compute_next_room(way, one.move.word or self.word))
                worth = one.worth + (
                    one.unchanged * _compute_relief_points(finishing) if self.level is Level.STRONG else 0
                )
                idle = 0.0 if len(self.others) == 1 else self._count_idle(one, way, room)
                shared = min(one.lively, self.lively_enough) - IDLE * idle + ROOM * room
                found = one.move, shared + WORTH[self.level] * worth
                if not stands:
                    dared.append(found)
                    continue
                stood = True
                yield found
        if not stood:
            yield from dared

    def _get_rank(self, one: _Prospect) -> tuple[float, float]:
        """Return the key by which prospects are looked at closely, the best first."""
        if len(self.others) == 1:
            return -min(one.lively, self.lively_enough), -one.worth
        return one.idle, -one.worth

    def _iter_prospects(self) -> Iterator[_Prospect]:
        most = 1 if self.level is Level.BEGINNER else 2
        for choice in islice(iter_tile_choices(self.public, self.view.hand, self.ctx.words), CHOICES):
            if len(choice.tiles) <= most:
                yield from self._iter_prospects_of_choice(choice)

    def _iter_prospects_of_choice(self, choice: TileChoice) -> Iterator[_Prospect]:
        """Yield all that can be announced with the same tiles."""
        tiles = [to_rack_tile(tile.letter) for tile in choice.tiles]
        rest = remove_tiles_from_rack(self.view.hand, tiles)
        worth = _evaluate_laid_tiles(tiles, rest)
        text = choice.way.table.get_run_text(choice.way.run)
        new = list(islice(choice.words, WORDS))
        words = [*([self.word] if choice.goes_on else []), *new]
        beside = {word: set(_iter_adjacent_letters(text, word)) for word in words}
        uses = Counter(letter for letters in beside.values() for letter in letters)
        for number, word in enumerate(words):
            goes_on = choice.goes_on and not number
            move = (
                RechtLaying(choice.tiles, goes_on=True) if goes_on else build_announcing_move(self.public, choice, word)
            )
            if word == text:
                yield _Prospect(move, 1.0, (1.0,) * len(self.others), worth, 0.0)
                continue
            kept = tuple(self._compute_unchanged_chance(uses - Counter(beside[word]), count) for count in self.others)
            idle = [
                one * self._compute_absence_chance(beside[word], count)
                for one, count in zip(kept, self.others, strict=True)
            ]
            more = LETTER * (len(word) - len(text)) if len(kept) > 1 else 0
            yield _Prospect(move, 1 - idle[0], kept, worth, sum(idle) + more)

    def _compute_unchanged_chance(self, uses: Counter[str], count: int) -> float:
        """Return the probability that a player with so many tiles cannot change the word. ``uses``: for each letter,
        the number of other words that it leads to."""
        held = count / max(1, self.unseen.total())
        return exp(-OF_USE * sum(min(1, self.unseen[letter] * held) * number for letter, number in uses.items()))

    def _compute_absence_chance(self, letters: set[str], count: int) -> float:
        """Return the probability that none of these letters is among so many tiles."""
        total = self.unseen.total()
        others = total - sum(self.unseen[letter] for letter in letters)
        return comb(others, count) / comb(total, count) if count <= total else 0.0

    def _find_only_laying(self, move: RechtLaying) -> PossibleLaying | None:
        """Return the way in which the tiles lie, with the places that the dictionary allows the word; None if it allows
        none, or if it is not clear."""
        word = move.word or self.word
        try:
            found = filter_admissible_layings(
                list_possible_layings(self.public, self.public.table, move, word), word, self.ctx
            )
        except (Illegal, Undecided):
            return None
        return found[0] if len(found) == 1 else None

    def _count_idle(self, one: _Prospect, way: PossibleLaying, room: float) -> float:
        """Estimate how many of the others will find nothing in their next turn, as long as the word stands; once it is
        finished, because the next one cannot be begun."""
        word, place, lying = one.move.word or self.word, way.places[0], way.table.squares
        free = [(square, letter) for square, letter in zip(place, word, strict=True) if square not in lying]
        front = [letter for square, letter in reversed(free) if square < way.run[0]]
        back = [letter for square, letter in free if square > way.run[0]]
        idle = 0.0
        chances: Mapping[tuple[int, int], float] = {(0, 0): 1.0}
        """Letters laid before and behind the fragment -> probability."""
        for kept, count in zip(one.kept, self.others, strict=True):
            following: defaultdict[tuple[int, int], float] = defaultdict(float)
            for (before, behind), chance in chances.items():
                steps = {}
                if before < len(front):
                    steps[before + 1, behind] = front[before]
                if behind < len(back):
                    steps[before, behind + 1] = back[behind]
                if not steps:
                    idle += chance * (1 - room) ** STUCK
                    following[before, behind] += chance
                    continue
                none = self._compute_absence_chance(set(steps.values()), count)
                same = chance * (1 - (1 - kept) / 2 ** (before + behind))  # the longer, the harder to change
                idle += same * none
                following[before, behind] += same * none
                for step in steps:
                    following[step] += same * (1 - none) / len(steps)
            chances = following
        return idle

    def _can_defend_word(self, finishing: Sequence[Laid | None]) -> bool:
        """Return whether the own tiles finish the word wherever it may come to lie; above beginner one place will
        do."""
        return None not in finishing if self.level is Level.BEGINNER else any(laid is not None for laid in finishing)

    def _can_dare_word(self, one: _Prospect, rest: Sequence[str]) -> bool:
        """Return whether, above beginner, a new word that the own tiles cannot finish is likely enough to be changed or
        costs little: one that has grown is hard to change."""
        unchanged = max(one.unchanged, FAITHFUL ** len(self.others))
        cost = unchanged * max(OUT, sum_rest_points(rest)) * len(self.others)
        return self.level is not Level.BEGINNER and self.public.running is None and cost <= AT_STAKE

    def _compute_next_room(self, way: PossibleLaying, word: str) -> float:
        """Return the room for the next word once this one lies on the table: how well it can be begun, 0 to 1."""
        place, lying = way.places[0], way.table.squares
        squares = {**dict(zip(place, word, strict=True)), **lying}
        finished = FinishedWord(way.direction, place)
        after = replace(self.public, table=TypdomTable(way.table.size, squares), running=None, finished=finished)
        return 1 - exp(-ROOMY * count_word_beginnings(after, COMMON, self.ctx.words))


def _compute_relief_points(finishing: Sequence[Laid | None]) -> int:
    """Return the points of the tiles that finish the word; the least over all places."""
    return min(
        (sum_rest_points(to_rack_tile(tile) for _, tile in laid) for laid in finishing if laid is not None), default=0
    )


def _evaluate_laid_tiles(tiles: Sequence[str], rest: Sequence[str]) -> float:
    """Return the worth of laying the tiles: what they would cost at the end, how hard they are to lay, and whether
    vowels and consonants stay in proportion."""
    points = 0.0
    for tile in tiles:
        points += KEPT_JOLLY if tile.startswith(STAR) and len(rest) > FEW else sum_rest_points([tile])
        points += AWKWARD * VALUES.get(tile, 0)
    return points - (PROPORTION * abs(count_colours(rest)["red"] / len(rest) - VOWELS_DEALT) if rest else 0)


def _iter_adjacent_letters(text: str, word: str) -> Iterator[str]:
    """Yield the letters that stand before or behind ``text`` in a word."""
    at = word.find(text)
    while at >= 0:
        yield from word[max(0, at - 1) : at]
        yield from word[at + len(text) : at + len(text) + 1]
        at = word.find(text, at + 1)
