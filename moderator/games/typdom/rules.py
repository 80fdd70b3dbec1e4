"""Kreuzwort-Spiel and Point-Typ-Dom: one or two words, an exchange of jollies, buying, passing, and what each of both
counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from moderator.common.enums import Level
from moderator.common.errors import Illegal, Undecided
from moderator.games.placement import build_word_refusal, list_claim_notes
from moderator.games.typdom import board, flow, notation, search
from moderator.games.typdom.board import LaidWord, Placement, Run, TypdomTable, lay_typdom_word
from moderator.games.typdom.flow import add_typdom_points
from moderator.games.typdom.notation import STYLE
from moderator.games.typdom.position import TypdomCodec
from moderator.games.typdom.search import can_lay_word, iter_typdom_placements
from moderator.games.typdom.state import PointOptions, RestOptions, TypdomOptions, TypdomPublic, TypdomTurn
from moderator.games.typdom.tiles import (
    REST_JOLLY,
    STAR,
    VALUES,
    Colour,
    remove_tiles_from_rack,
    sum_rest_points,
    to_rack_tile,
)
from moderator.rules.codec import CodecGame
from moderator.rules.game import Scope, State, Step
from moderator.rules.scenes import Grid
from moderator.rules.state import Context, Note, View, Words, check_turn


class WordGame(CodecGame[TypdomPublic, TypdomTurn]):
    """See RULES.md; every method keeps the contract of ``moderator.rules.game.Game``."""

    key: str
    min_seats = 2
    max_seats = 5
    options: type[TypdomOptions] = TypdomOptions
    contract = 2
    version = "1"
    opener = "tile"
    uses_words = True
    style = STYLE
    position = TypdomCodec()
    pass_text = "passe"

    most_bought: int
    """Tiles that may be bought instead of a word."""
    second_is_due: bool
    """Who may lay a second word and finds none, must buy."""
    out_bonus: int
    """Points for the first seat without tiles."""
    plays_round_out: bool
    """The round is finished after a seat has got rid of its tiles."""

    def has_to_buy(self, public: TypdomPublic) -> bool:
        """Return whether a seat that lays and buys nothing gets a tile."""
        return True

    @abstractmethod
    def score_run(self, table: TypdomTable, run: Run) -> int:
        """Return the points of a new word on the table."""

    @abstractmethod
    def settle_game(
        self, state: State[TypdomPublic], out: int | None
    ) -> tuple[State[TypdomPublic], tuple[Note, ...], int]:
        """Settle the end of a game, see ``flow.GameSettlement``."""

    # ---- the contract ----

    def setup(
        self, seats: int, options: TypdomOptions, ctx: Context, fixed: Mapping[str, Any] | None = None
    ) -> Step[TypdomPublic]:
        """Deal the first game. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        return Step(*flow.deal_typdom_match(seats, options, ctx, fixed or {}))

    def list_moves(self, view: View[TypdomPublic], ctx: Context) -> Iterator[tuple[TypdomTurn, int]]:
        """Yield every turn of one word with its points, lazily; none while the seat is not to move. Second words and
        exchanges are left out; jollies stand only for letters that the rack lacks."""
        if view.seat not in view.to_move:
            return
        table = view.public.table
        for place in iter_typdom_placements(table, view.hand, ctx.words):
            yield TypdomTurn((place,)), self._score_laid_word(view, board.lay_typdom_word(table, place, view.hand))

    def choose_greedy(self, view: View[TypdomPublic], ctx: Context) -> TypdomTurn | None:
        """Return a good turn for a robot; None if there is no word. See ``find_greedy_turn``."""
        if view.seat not in view.to_move:
            return None
        return find_greedy_turn(view.public, view.hand, ctx.words, self.score_run)

    finds_best = True
    own_levels = frozenset({Level.STRONG})

    def choose_for_level(self, level: Level, view: View[TypdomPublic], ctx: Context) -> TypdomTurn | None:
        """See ``Game.choose_for_level``: the strong robot, see ``strong``."""
        if view.seat not in view.to_move:
            return None
        return search.find_strong_typdom_turn(
            view.public.table, view.hand, _build_word_ranking(ctx.words, self.score_run), NO_SECOND
        )

    def can_list_moves(self, view: View[TypdomPublic]) -> bool:
        """Return whether the moves can be listed wholly: not with a jolly, which can be laid in too many ways."""
        return not any(tile.startswith(STAR) for tile in view.hand)

    def survey_moves(self, view: View[TypdomPublic], ctx: Context) -> tuple[list[tuple[TypdomTurn, int]], Scope]:
        """See ``Game.survey_moves``: every turn of one word; with a jolly only some."""
        if view.seat not in view.to_move:
            return [], "single"
        table, hand, whole = view.public.table, view.hand, self.can_list_moves(view)
        layings = (lay_typdom_word(table, one, hand) for one in iter_typdom_placements(table, hand, ctx.words))
        found = layings if whole else _list_considered_words(table, hand, ctx.words)
        return [
            (TypdomTurn((one.placement,)), self._score_laid_word(view, one)) for one in found
        ], "single" if whole else "some"

    def build_examples(self, view: View[TypdomPublic]) -> Mapping[str, str]:
        """Squares of the table, for sentences that show how a turn is written."""
        return board.get_example_squares(view.public.table.size)

    def parse_move(self, line: str, view: View[TypdomPublic]) -> TypdomTurn:
        """One turn. Raises Unreadable or Ambiguous."""
        return notation.parse_typdom_turn(line, view.public.table)

    def format_move(self, move: TypdomTurn) -> str:
        """Canonical notation, e.g. ``tausche A an H7; T20 s POLA + U22 w PHON 18``, ``kaufe rot``, ``passe``."""
        return notation.format_typdom_turn(move)

    def apply_move(self, state: State[TypdomPublic], seat: int, move: TypdomTurn, ctx: Context) -> Step[TypdomPublic]:
        """Play a turn. Raises Illegal or Undecided."""
        check_turn(state, seat)
        table, hand = state.public.table, state.hands[seat]
        notes: list[Note] = []
        for swap in move.exchanges:
            table, hand = board.exchange_jolly(table, swap.square, swap.letter, hand)
            notes.append(Note("exchanged", {"letter": swap.letter, "square": swap.square}, seat=seat))
        if notes:
            public = replace(state.public, table=table, passes=0, fresh=(), runs=())
            state = flow.set_seat_hand(replace(state, public=public), seat, hand)
        act = self._lay_words if move.places else self._lay_nothing
        step = act(state, seat, move, ctx)
        return replace(step, notes=(*notes, *step.notes))

    miss_effects: Mapping[str, str] = MappingProxyType({"bought-black": "bought", "bought-red": "bought"})

    def pass_turn(self, state: State[TypdomPublic], seat: int, ctx: Context) -> Step[TypdomPublic]:
        """Pass the turn of a seat whose deadline passed, as if it had found no word."""
        check_turn(state, seat)
        step = self._end_wordless_turn(state, seat, (), ctx)
        return replace(step, notes=(Note("missed", seat=seat), *step.notes))

    def build_scene(self, view: View[TypdomPublic]) -> Grid:
        """The used part of the table and one ring around it."""
        return board.build_typdom_scene(view.public.table, view.public.fresh, view.public.runs)

    def list_table_tiles(self, public: TypdomPublic) -> list[str]:
        return [to_rack_tile(tile) for tile in public.table.squares.values()]

    def find_winners(self, state: State[TypdomPublic]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody won a game."""
        return flow.list_typdom_winners(state) if state.over else ()

    # ---- a turn ----

    def _lay_words(self, state: State[TypdomPublic], seat: int, turn: TypdomTurn, ctx: Context) -> Step[TypdomPublic]:
        hand, options = state.hands[seat], state.public.options
        layings = _lay_places(state.public.table, turn.places, hand)
        judge_new_words([word for laying in layings for word in laying.words], ctx)
        rest = remove_tiles_from_rack(hand, [tile for laying in layings for tile in laying.used_tiles])
        table = layings[-1].table
        due = self.second_is_due and len(layings) == 1 and layings[0].connects and bool(rest)
        if turn.buys and not due:
            raise Illegal("no-buy-with-word")
        if len(turn.buys) > 1:
            raise Illegal("buy-too-many", most=1)
        if due and options.strict_buy and can_lay_word(table, rest, ctx):
            raise Illegal("could-lay-second")
        bonus = 0 if rest else self._compute_out_bonus(state.public)
        worth = [self.score_run(laying.table, laying.runs[0]) for laying in layings]
        points = sum(worth) + bonus
        words = [{"word": one.words[0], "points": won} for one, won in zip(layings, worth, strict=True)]
        words += [{"word": word, "points": 0} for laying in layings for word in laying.words[1:]]
        state = self._apply_words(state, seat, layings, rest, points)
        notes = [Note("went-out", {"points": bonus}, seat=seat, points=bonus)] if bonus else []
        named = [word for place in turn.places for word in place.named]
        formed = [word for laying in layings for word in laying.words[1:]]
        laid = [laying.words[0] for laying in layings]
        extra = [word for word in dict.fromkeys(named) if word not in formed and word not in laid]
        notes += list(list_claim_notes(seat, turn.points, points, named, formed, extra))
        if due:
            state, bought = flow.buy_typdom_tiles(state, seat, turn.buys or (flow.get_most_left_colour(state.stock),))
            notes += [Note("second-missing", seat=seat), *bought]
        after, happened = flow.advance_typdom_game(state, seat, self.settle_game, ctx)
        played = replace(turn, places=tuple(laying.placement for laying in layings), points=None)
        return Step(after, tuple(notes), points, played, {"words": words}, happened)

    def _apply_words(
        self, state: State[TypdomPublic], seat: int, layings: Sequence[LaidWord], rest: Sequence[str], points: int
    ) -> State[TypdomPublic]:
        public = replace(
            state.public,
            table=layings[-1].table,
            passes=0,
            out=self._find_out_seat(state.public, seat, rest),
            gains=tuple((*row, points) if n == seat else row for n, row in enumerate(state.public.gains)),
            fresh=tuple(square for laying in layings for square, _ in laying.laid),
            runs=tuple(run for laying in layings for run in laying.runs),
        )
        return flow.add_typdom_points(flow.set_seat_hand(replace(state, public=public), seat, rest), seat, points)

    def _lay_nothing(self, state: State[TypdomPublic], seat: int, turn: TypdomTurn, ctx: Context) -> Step[TypdomPublic]:
        if len(turn.buys) > self.most_bought:
            raise Illegal("buy-too-many", most=self.most_bought)
        if state.public.options.strict_buy and can_lay_word(state.public.table, state.hands[seat], ctx):
            raise Illegal("could-lay")
        return replace(self._end_wordless_turn(state, seat, turn.buys, ctx), played=replace(turn, points=None))

    def _end_wordless_turn(
        self, state: State[TypdomPublic], seat: int, buys: Sequence[Colour], ctx: Context
    ) -> Step[TypdomPublic]:
        """End a turn without a word: something is bought as long as there is something, and as it makes sense."""
        if not buys and state.public.out is None and self.has_to_buy(state.public):
            buys = (flow.get_most_left_colour(state.stock),)
        state, notes = flow.buy_typdom_tiles(state, seat, buys)
        bought = any(note.code.startswith("bought") for note in notes)
        passes = 0 if bought else state.public.passes + 1
        state = replace(state, public=replace(state.public, passes=passes, fresh=(), runs=()))
        after, happened = flow.advance_typdom_game(state, seat, self.settle_game, ctx)
        return Step(after, notes if bought else (Note("passed", seat=seat),), 0, None, {"words": []}, happened)

    def _find_out_seat(self, public: TypdomPublic, seat: int, rest: Sequence[str]) -> int | None:
        if rest or not self.plays_round_out or public.out is not None:
            return public.out
        return seat

    def _compute_out_bonus(self, public: TypdomPublic) -> int:
        return self.out_bonus if public.out is None else 0

    def _score_laid_word(self, view: View[TypdomPublic], laying: LaidWord) -> int:
        bonus = self._compute_out_bonus(view.public) if len(laying.laid) == len(view.hand) else 0
        return self.score_run(laying.table, laying.runs[0]) + bonus


def _lay_places(table: TypdomTable, places: Sequence[Placement], hand: Sequence[str]) -> list[LaidWord]:
    """Lay one or two words one after the other. Raises Illegal, "no-second-word" if the first connects no words."""
    first = board.lay_typdom_word(table, places[0], hand)
    if len(places) == 1:
        return [first]
    if not first.connects:
        raise Illegal("no-second-word", word=first.words[0])
    return [first, board.lay_typdom_word(first.table, places[1], remove_tiles_from_rack(hand, first.used_tiles))]


# ---- words before the dictionary ----


def judge_new_words(words: Iterable[str], ctx: Context) -> None:
    """Judge new words. Raises Illegal("not-a-word") if any word does not count, else Undecided if the moderator must
    rule on some."""
    verdicts = [ctx.words.judge(word) for word in dict.fromkeys(words)]
    refused = [verdict for verdict in verdicts if verdict.ruling == "reject"]
    if refused:
        raise build_word_refusal(refused)
    waiting = [verdict.word for verdict in verdicts if verdict.ruling == "ask"]
    if waiting:
        raise Undecided(waiting)


# ---- greedy ----
# A robot's turn: many points and many tiles, with a second word where one is allowed. Bounded, not exhaustive.


Worth = Callable[[TypdomTable, Run], int]

MOST = 4000
"""Words without a jolly that are looked at."""
MOST_STARRED = 300
"""Words with one; they are looked at where there are no others, or few tiles left."""
FEW = 6
FIRSTS = 6
"""First words for which a second one is looked for."""
REVIEWED = 2
"""First words of each kind that a review compares with what was played."""
NO_SECOND = 6
"""What a word loses that demands a second one which is not there."""


def find_greedy_turn(public: TypdomPublic, hand: Sequence[str], words: Words, worth: Worth) -> TypdomTurn | None:
    """Return the best of the turns looked at, ties by square and word; None if no word was found."""
    ranked = _build_word_ranking(words, worth)
    firsts = ranked(public.table, hand)
    turns = [(score - NO_SECOND * first.connects, TypdomTurn((first.placement,))) for score, first in firsts[:1]]
    turns += [(score, TypdomTurn((first.placement,))) for score, first in firsts if not first.connects][:1]
    for score, first in [one for one in firsts if one[1].connects][:FIRSTS]:
        rest = remove_tiles_from_rack(hand, first.used_tiles)
        if not rest:
            turns.append((score, TypdomTurn((first.placement,))))
        for more, second in ranked(first.table, rest)[:1]:
            turns.append((score + more, TypdomTurn((first.placement, second.placement))))
    return max(turns, key=lambda one: one[0])[1] if turns else None


VALUE = 2
"""What a point counts when turns are compared."""


def _build_word_evaluator(worth: Worth) -> search.Value:
    """Return a function that gives the worth of a word: points, tiles, and their cost at the end."""

    def evaluate_word(laying: LaidWord) -> int:
        points = worth(laying.table, laying.runs[0])
        return VALUE * (points + len(laying.laid)) + sum_rest_points(laying.used_tiles)

    return evaluate_word


def _build_word_ranking(words: Words, worth: Worth) -> search.Ranked:
    """Return a function that lists the words that can be laid, as far as they are looked at, by their value."""
    value = _build_word_evaluator(worth)

    def rank_words(table: TypdomTable, tiles: Sequence[str]) -> list[tuple[int, LaidWord]]:
        found = [(value(laying), laying) for laying in _list_considered_words(table, tiles, words)]
        return sorted(found, key=lambda one: (-one[0], one[1].square, one[1].direction, one[1].placement.word))

    return rank_words


def _list_considered_words(table: TypdomTable, hand: Sequence[str], words: Words) -> Iterable[LaidWord]:
    plain = [tile for tile in hand if not tile.startswith(STAR)]
    found = [lay_typdom_word(table, place, hand) for place in islice(iter_typdom_placements(table, plain, words), MOST)]
    if len(plain) < len(hand) and (not found or len(hand) <= FEW):
        found += [
            lay_typdom_word(table, place, hand)
            for place in islice(iter_typdom_placements(table, hand, words), MOST_STARRED)
        ]
    return found


# ---- Kreuzwort-Spiel: whoever is rid of all tiles first gets what the others have left ----


class Kreuzwort(WordGame):
    key = "kreuzwort"
    options = RestOptions
    most_bought = 1
    second_is_due = True
    out_bonus = 0
    plays_round_out = False
    compared_by = "tiles"

    def score_run(self, table: TypdomTable, run: Run) -> int:
        """Return 0: words bring nothing by themselves."""
        return 0

    def settle_game(
        self, state: State[TypdomPublic], out: int | None
    ) -> tuple[State[TypdomPublic], tuple[Note, ...], int]:
        """Credit the seat that is out, or of a blocked game the one with the lowest rest, the others' rests, times the
        stake. Equal lowest rests: nobody, and the next game counts double."""
        rests = [sum_rest_points(hand) for hand in state.hands]
        notes = [Note("blocked") if out is None else Note("out", seat=out)]
        for seat, hand in enumerate(state.hands):
            if hand:
                notes.append(Note("rest", {"tiles": list(hand), "rest": rests[seat]}, seat=seat))
        lowest = [seat for seat, rest in enumerate(rests) if rest == min(rests)]
        winner = out if out is not None else lowest[0]
        if out is None and len(lowest) > 1:
            notes.append(Note("blocked-equal", {"seats": lowest, "rest": min(rests)}))
            return state, tuple(notes), 2
        paid = flow.build_settlement_notes(state.public, winner, dict(enumerate(rests)))
        won = {note.seat: note.points for note in paid}
        notes += paid
        after = replace(state, scores=tuple(score + won.get(seat, 0) for seat, score in enumerate(state.scores)))
        if state.public.options.games > 1:
            for seat, score in enumerate(after.scores):
                params = {"round": state.public.round, "points": won.get(seat, 0), "total": score}
                notes.append(Note("sum-total", params, seat=seat))
        return after, tuple(notes), 1

    def find_rack_value(self, state: State[TypdomPublic], seat: int) -> int:
        """The rest, double in a game that counts double."""
        return state.public.stake * sum_rest_points(state.hands[seat])

    def weigh_move(self, view: View[TypdomPublic], move: TypdomTurn, points: int) -> int:
        """Return the rest that the tiles would have been, see ``Game.weigh_move``; 0 where nothing is laid."""
        table, hand = view.public.table, view.hand
        for swap in move.exchanges:
            table, hand = board.exchange_jolly(table, swap.square, swap.letter, hand)
        used = [tile for one in _lay_places(table, move.places, hand) for tile in one.used_tiles] if move.places else []
        return sum_rest_points(used)


KREUZWORT = Kreuzwort()


# ---- Point-Typ-Dom: each letter of a new word has its value; what is left at the end is subtracted ----


class PointTypDom(WordGame):
    key = "point"
    options = PointOptions
    most_bought = 3
    second_is_due = False
    out_bonus = 10
    plays_round_out = True

    tile_values = VALUES

    def has_to_buy(self, public: TypdomPublic) -> bool:
        """Only where that was agreed."""
        return isinstance(public.options, PointOptions) and public.options.pass_buys

    def choose_idle_move(self, view: View[TypdomPublic]) -> TypdomTurn:
        """See ``Game.choose_idle_move``: one more tile, while it may still help."""
        left, public = view.public.left, view.public
        if public.out is not None or not any(left.values()) or self.has_to_buy(public):
            return TypdomTurn()
        return TypdomTurn(buys=(flow.choose_fuller_colour(left),))

    def build_scene(self, view: View[TypdomPublic]) -> Grid:
        """Draw the table with the value on each tile."""
        drawn = super().build_scene(view)
        cells = (replace(cell, value=None if cell.joker else VALUES[cell.letter]) for cell in drawn.cells)
        return replace(drawn, cells=tuple(cells))

    def estimate_equities(
        self, view: View[TypdomPublic], played: TypdomTurn | None, points: int, ctx: Context
    ) -> list[tuple[TypdomTurn | None, tuple[float]]]:
        """See ``Game.estimate_equities``. A game in which nothing is dealt to look ahead: one world."""
        table, hand, ranked = view.public.table, view.hand, _build_word_ranking(ctx.words, self.score_run)
        own = search.estimate_typdom_equity(
            table, hand, played or TypdomTurn(), _build_word_evaluator(self.score_run), ranked, NO_SECOND
        )
        others = search.list_compared_turns(table, hand, ranked, NO_SECOND, REVIEWED)
        return [(played, (own / VALUE,)), *((turn, (value / VALUE,)) for value, turn in others)]

    def score_run(self, table: TypdomTable, run: Run) -> int:
        """Return the values of all letters of the word, lying ones too; a jolly counts nothing."""
        return sum(VALUES.get(table.squares[square], 0) for square in run)

    def settle_game(
        self, state: State[TypdomPublic], out: int | None
    ) -> tuple[State[TypdomPublic], tuple[Note, ...], int]:
        """Score what each seat laid, minus the tiles that it has left."""
        idle = Note("all-passed" if state.stock else "blocked")
        notes = [idle if out is None else Note("out", seat=out)]
        for seat, hand in enumerate(state.hands):
            gains = state.public.gains[seat]
            notes.append(Note("sum-laid", {"items": list(gains), "points": sum(gains)}, seat=seat))
            cost = self.find_rack_value(state, seat)
            if hand:
                state = add_typdom_points(state, seat, -cost)
                notes.append(Note("left-over", {"tiles": list(hand), "cost": cost}, seat=seat, points=-cost))
            params = {"round": state.public.round, "points": sum(gains) - cost, "total": state.scores[seat]}
            notes.append(Note("sum-total", params, seat=seat))
        return state, tuple(notes), 1

    def find_rack_value(self, state: State[TypdomPublic], seat: int) -> int:
        """The values of the letters, 10 for a jolly, as at the end of a game."""
        return sum(REST_JOLLY if tile.startswith(STAR) else VALUES[tile] for tile in state.hands[seat])


POINT = PointTypDom()
