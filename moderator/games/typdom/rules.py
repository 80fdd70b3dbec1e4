"""Kreuzwort-Spiel and Point-Typ-Dom: one or two words, an exchange of jollies, buying, passing, and what each of both
counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from moderator.errors import Illegal, Undecided
from moderator.games.placement import differing_claims, not_a_word
from moderator.games.typdom import board, diagrams, flow, notation, position, strong
from moderator.games.typdom.board import Laying, Place, Run, Table, lay
from moderator.games.typdom.flow import gain
from moderator.games.typdom.notation import STYLE
from moderator.games.typdom.search import can_lay, placements
from moderator.games.typdom.state import Options, PointOptions, Public, RestOptions, Turn
from moderator.games.typdom.tiles import REST_JOLLY, STAR, VALUES, Colour, as_held, rest_points, take
from moderator.match.contract import Context, Grid, Note, State, Step, View, Words, check_turn
from moderator.match.diagram import Diagram
from moderator.match.sequential import Sequential
from moderator.match.survey import Scope
from moderator.states import Level


class WordGame(Sequential[Public, Turn]):
    """See RULES.md; every method keeps the contract of ``moderator.match.contract.Game``."""

    key: str
    min_seats = 2
    max_seats = 5
    options: type[Options] = Options
    contract = 1
    version = "1"
    opener = "tile"
    uses_words = True
    style = STYLE
    pass_text = "passe"

    most_bought: int
    """Tiles that may be bought instead of a word."""
    second_is_due: bool
    """Who may lay a second word and finds none, must buy."""
    out_bonus: int
    """Points for the first seat without tiles."""
    plays_round_out: bool
    """The round is finished after a seat has got rid of its tiles."""

    def has_to_buy(self, public: Public) -> bool:
        """Whether who lays and buys nothing gets a tile."""
        return True

    @abstractmethod
    def worth(self, table: Table, run: Run) -> int:
        """Points of a new word on the table."""

    @abstractmethod
    def sums(self, state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...], int]:
        """The end of a game, see ``flow.Sums``."""

    @abstractmethod
    def rack_value(self, state: State[Public], seat: int) -> int:
        """See ``contract.Adjudicable``."""

    # ---- the contract ----

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal the first game. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        return Step(*flow.first_deal(seats, options, ctx, fixed or {}))

    def moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Turn, int]]:
        """Every turn of one word with its points, lazily; none while the seat is not to move. Second words and
        exchanges are left out; jollies stand only for what the rack lacks."""
        if view.seat not in view.to_move:
            return
        table = view.public.table
        for place in placements(table, view.hand, ctx.words):
            yield Turn((place,)), self._points(view, board.lay(table, place, view.hand))

    def greedy(self, view: View[Public], ctx: Context) -> Turn | None:
        """A good turn for a robot; None if there is no word. See ``best_turn``."""
        if view.seat not in view.to_move:
            return None
        return best_turn(view.public, view.hand, ctx.words, self.worth)

    own_levels = frozenset({Level.STRONG})

    def at_level(self, level: Level, view: View[Public], ctx: Context) -> Turn | None:
        """See ``robot.Levelled``: the strong robot, see ``strong``."""
        if view.seat not in view.to_move:
            return None
        return strong.best(view.public.table, view.hand, _ranking(ctx.words, self.worth), NO_SECOND)

    def listable(self, view: View[Public]) -> bool:
        """Whether the moves can be listed wholly: not with a jolly, which can be laid in too many ways."""
        return not any(tile.startswith(STAR) for tile in view.hand)

    def survey(self, view: View[Public], ctx: Context) -> tuple[list[tuple[Turn, int]], Scope]:
        """See ``Surveying``: every turn of one word; with a jolly only some."""
        if view.seat not in view.to_move:
            return [], "single"
        table, hand, whole = view.public.table, view.hand, self.listable(view)
        layings = (lay(table, one, hand) for one in placements(table, hand, ctx.words))
        found = layings if whole else _looked_at(table, hand, ctx.words)
        return [(Turn((one.place,)), self._points(view, one)) for one in found], "single" if whole else "some"

    def examples(self, view: View[Public]) -> Mapping[str, str]:
        """Squares of the table, for sentences that show how a turn is written."""
        return board.example_squares(view.public.table.size)

    def parse(self, line: str, view: View[Public]) -> Turn:
        """One turn. Raises Unreadable or Ambiguous."""
        return notation.read(line, view.public.table)

    def format(self, move: Turn) -> str:
        """Canonical notation, e.g. ``tausche A an H7; T20 s POLA + U22 w PHON 18``, ``kaufe rot``, ``passe``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Turn, ctx: Context) -> Step[Public]:
        """Play a turn. Raises Illegal or Undecided."""
        check_turn(state, seat)
        table, hand = state.public.table, state.hands[seat]
        notes: list[Note] = []
        for swap in move.exchanges:
            table, hand = board.exchange(table, swap.square, swap.letter, hand)
            notes.append(Note("exchanged", {"letter": swap.letter, "square": swap.square}, seat=seat))
        if notes:
            public = replace(state.public, table=table, passes=0, fresh=(), runs=())
            state = flow.with_hand(replace(state, public=public), seat, hand)
        act = self._lay if move.places else self._lay_nothing
        step = act(state, seat, move, ctx)
        return replace(step, notes=(*notes, *step.notes))

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat had found no word."""
        check_turn(state, seat)
        step = self._nothing(state, seat, (), ctx)
        return replace(step, notes=(Note("missed", seat=seat), *step.notes))

    def scene(self, view: View[Public]) -> Grid:
        """The used part of the table and one ring around it."""
        return board.draw(view.public.table, view.public.fresh, view.public.runs)

    def export(self, public: Public) -> dict[str, Any]:
        """{"squares": {"T20": "E", "U20": "*A"}, "stock": tiles left by colour, "round", "starter", "stake"}."""
        return {
            "squares": board.export(public.table),
            "stock": dict(public.left),
            "round": public.round,
            "starter": public.starter,
            "stake": public.stake,
        }

    def table(self, public: Public) -> dict[str, Any]:
        """See ``contract.Portable``."""
        return position.write(public)

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round: int) -> Public:
        """See ``contract.Portable``."""
        return position.read(values, options, seats, round)

    def diagram(self, state: State[Public]) -> dict[str, Any]:
        """See ``contract.Resumable``."""
        return diagrams.write_diagram(state)

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Public]:
        """See ``contract.Resumable``."""
        return Step(diagrams.read_diagram(diagram, options, ctx))

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [as_held(tile) for tile in public.table.squares.values()]

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody won a game."""
        return flow.winning(state) if state.over else ()

    # ---- a turn ----

    def _lay(self, state: State[Public], seat: int, turn: Turn, ctx: Context) -> Step[Public]:
        hand, options = state.hands[seat], state.public.options
        layings = _layings(state.public.table, turn.places, hand)
        judge([word for laying in layings for word in laying.words], ctx)
        rest = take(hand, [tile for laying in layings for tile in laying.used])
        table = layings[-1].table
        due = self.second_is_due and len(layings) == 1 and layings[0].connects and bool(rest)
        if turn.buys and not due:
            raise Illegal("no-buy-with-word")
        if len(turn.buys) > 1:
            raise Illegal("buy-too-many", most=1)
        if due and options.strict_buy and can_lay(table, rest, ctx):
            raise Illegal("could-lay-second")
        bonus = 0 if rest else self._bonus(state.public)
        worth = [self.worth(laying.table, laying.runs[0]) for laying in layings]
        points = sum(worth) + bonus
        words = [{"word": one.words[0], "points": won} for one, won in zip(layings, worth, strict=True)]
        words += [{"word": word, "points": 0} for laying in layings for word in laying.words[1:]]
        state = self._after_words(state, seat, layings, rest, points)
        notes = [Note("went-out", {"points": bonus}, seat=seat, points=bonus)] if bonus else []
        notes += _claims(seat, turn, layings, points)
        if due:
            state, bought = flow.buy(state, seat, turn.buys or (flow.most_left(state.stock),))
            notes += [Note("second-missing", seat=seat), *bought]
        after, happened = flow.onward(state, seat, self.sums, ctx)
        played = replace(turn, places=tuple(laying.place for laying in layings), points=None)
        return Step(after, tuple(notes), points, played, {"words": words}, happened)

    def _after_words(
        self, state: State[Public], seat: int, layings: Sequence[Laying], rest: Sequence[str], points: int
    ) -> State[Public]:
        public = replace(
            state.public,
            table=layings[-1].table,
            passes=0,
            out=self._out(state.public, seat, rest),
            gains=tuple((*row, points) if n == seat else row for n, row in enumerate(state.public.gains)),
            fresh=tuple(square for laying in layings for square, _ in laying.laid),
            runs=tuple(run for laying in layings for run in laying.runs),
        )
        return flow.gain(flow.with_hand(replace(state, public=public), seat, rest), seat, points)

    def _lay_nothing(self, state: State[Public], seat: int, turn: Turn, ctx: Context) -> Step[Public]:
        if len(turn.buys) > self.most_bought:
            raise Illegal("buy-too-many", most=self.most_bought)
        if state.public.options.strict_buy and can_lay(state.public.table, state.hands[seat], ctx):
            raise Illegal("could-lay")
        return replace(self._nothing(state, seat, turn.buys, ctx), played=replace(turn, points=None))

    def _nothing(self, state: State[Public], seat: int, buys: Sequence[Colour], ctx: Context) -> Step[Public]:
        """A turn without a word: where it has to be, something is bought as long as there is something."""
        if not buys and state.public.out is None and self.has_to_buy(state.public):
            buys = (flow.most_left(state.stock),)
        state, notes = flow.buy(state, seat, buys)
        bought = any(note.code.startswith("bought") for note in notes)
        passes = 0 if bought else state.public.passes + 1
        state = replace(state, public=replace(state.public, passes=passes, fresh=(), runs=()))
        after, happened = flow.onward(state, seat, self.sums, ctx)
        return Step(after, notes if bought else (Note("passed", seat=seat),), 0, None, {"words": []}, happened)

    def _out(self, public: Public, seat: int, rest: Sequence[str]) -> int | None:
        if rest or not self.plays_round_out or public.out is not None:
            return public.out
        return seat

    def _bonus(self, public: Public) -> int:
        return self.out_bonus if public.out is None else 0

    def _points(self, view: View[Public], laying: Laying) -> int:
        bonus = self._bonus(view.public) if len(laying.laid) == len(view.hand) else 0
        return self.worth(laying.table, laying.runs[0]) + bonus


def _layings(table: Table, places: Sequence[Place], hand: Sequence[str]) -> list[Laying]:
    """One or two words laid one after the other. Raises Illegal, "no-second-word" if the first connects no words."""
    first = board.lay(table, places[0], hand)
    if len(places) == 1:
        return [first]
    if not first.connects:
        raise Illegal("no-second-word", word=first.words[0])
    return [first, board.lay(first.table, places[1], take(hand, first.used))]


def _claims(seat: int, turn: Turn, layings: Sequence[Laying], points: int) -> list[Note]:
    named = [word for place in turn.places for word in place.named]
    formed = [word for laying in layings for word in laying.words[1:]]
    laid = [laying.words[0] for laying in layings]
    extra = [word for word in dict.fromkeys(named) if word not in formed and word not in laid]
    return list(differing_claims(seat, turn.points, points, named, formed, extra))


# ---- words before the dictionary ----


def judge(words: Iterable[str], ctx: Context) -> None:
    """Raises Illegal("not-a-word") if any word does not count, else Undecided if the moderator must rule on some."""
    verdicts = [ctx.words.judge(word) for word in dict.fromkeys(words)]
    refused = [verdict for verdict in verdicts if verdict.ruling == "reject"]
    if refused:
        raise not_a_word(refused)
    waiting = [verdict.word for verdict in verdicts if verdict.ruling == "ask"]
    if waiting:
        raise Undecided(waiting)


# ---- greedy ----
# A robot's turn: many points and many tiles, with a second word where one is allowed. Bounded, not exhaustive.


Worth = Callable[[Table, Run], int]

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


def best_turn(public: Public, hand: Sequence[str], words: Words, worth: Worth) -> Turn | None:
    """The best of the turns looked at, ties by square and word; None if no word was found."""
    ranked = _ranking(words, worth)
    firsts = ranked(public.table, hand)
    turns = [(score - NO_SECOND * first.connects, Turn((first.place,))) for score, first in firsts[:1]]
    turns += [(score, Turn((first.place,))) for score, first in firsts if not first.connects][:1]
    for score, first in [one for one in firsts if one[1].connects][:FIRSTS]:
        rest = take(hand, first.used)
        if not rest:
            turns.append((score, Turn((first.place,))))
        for more, second in ranked(first.table, rest)[:1]:
            turns.append((score + more, Turn((first.place, second.place))))
    return max(turns, key=lambda one: one[0])[1] if turns else None


VALUE = 2
"""What a point counts when turns are compared."""


def _valuing(worth: Worth) -> strong.Value:
    """What a word is worth: points, tiles, and what they would cost at the end."""

    def value(laying: Laying) -> int:
        points = worth(laying.table, laying.runs[0])
        return VALUE * (points + len(laying.laid)) + rest_points(laying.used)

    return value


def _ranking(words: Words, worth: Worth) -> strong.Ranked:
    """What can be laid, as far as it is looked at, by its value."""
    value = _valuing(worth)

    def ranked(table: Table, tiles: Sequence[str]) -> list[tuple[int, Laying]]:
        found = [(value(laying), laying) for laying in _looked_at(table, tiles, words)]
        return sorted(found, key=lambda one: (-one[0], one[1].square, one[1].direction, one[1].place.word))

    return ranked


def _looked_at(table: Table, hand: Sequence[str], words: Words) -> Iterable[Laying]:
    plain = [tile for tile in hand if not tile.startswith(STAR)]
    found = [lay(table, place, hand) for place in islice(placements(table, plain, words), MOST)]
    if len(plain) < len(hand) and (not found or len(hand) <= FEW):
        found += [lay(table, place, hand) for place in islice(placements(table, hand, words), MOST_STARRED)]
    return found


# ---- Kreuzwort-Spiel: whoever is rid of all tiles first gets what the others have left ----


class Kreuzwort(WordGame):
    key = "kreuzwort"
    options = RestOptions
    most_bought = 1
    second_is_due = True
    out_bonus = 0
    plays_round_out = False

    def worth(self, table: Table, run: Run) -> int:
        """Words bring nothing by themselves."""
        return 0

    def sums(self, state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...], int]:
        """The seat that is out, or of a blocked game the one with the lowest rest, wins. Equal lowest rests: nobody
        does, and the next game counts double."""
        return settle(state, out)

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The rest, double in a game that counts double."""
        return state.public.stake * rest_points(state.hands[seat])

    def weigh(self, view: View[Public], move: Turn) -> int:
        """See ``Weighing``: the rest that the tiles would have been; 0 where nothing is laid."""
        table, hand = view.public.table, view.hand
        for swap in move.exchanges:
            table, hand = board.exchange(table, swap.square, swap.letter, hand)
        used = [tile for one in _layings(table, move.places, hand) for tile in one.used] if move.places else []
        return rest_points(used)


def settle(state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...], int]:
    """See ``Kreuzwort.sums``."""
    rests = [rest_points(hand) for hand in state.hands]
    notes = [Note("blocked") if out is None else Note("out", seat=out)]
    for seat, hand in enumerate(state.hands):
        if hand:
            notes.append(Note("rest", {"tiles": list(hand), "rest": rests[seat]}, seat=seat))
    lowest = [seat for seat, rest in enumerate(rests) if rest == min(rests)]
    winner = out if out is not None else lowest[0]
    if out is None and len(lowest) > 1:
        notes.append(Note("blocked-equal", {"seats": lowest, "rest": min(rests)}))
        return state, tuple(notes), 2
    paid = flow.settled(state.public, winner, dict(enumerate(rests)))
    won = {note.seat: note.points for note in paid}
    notes += paid
    after = replace(state, scores=tuple(score + won.get(seat, 0) for seat, score in enumerate(state.scores)))
    if state.public.options.games > 1:
        for seat, score in enumerate(after.scores):
            params = {"round": state.public.round, "points": won.get(seat, 0), "total": score}
            notes.append(Note("sum-total", params, seat=seat))
    return after, tuple(notes), 1


KREUZWORT = Kreuzwort()


# ---- Point-Typ-Dom: each letter of a new word has its value; what is left at the end is subtracted ----


class Point(WordGame):
    key = "point"
    options = PointOptions
    most_bought = 3
    second_is_due = False
    out_bonus = 10
    plays_round_out = True

    values: Mapping[str, int] = VALUES
    """See ``contract.Valued``."""

    def has_to_buy(self, public: Public) -> bool:
        """Only where that was agreed."""
        return isinstance(public.options, PointOptions) and public.options.pass_buys

    def without_move(self, view: View[Public]) -> Turn:
        """See ``robot.Idling``: one more tile, while it may still help."""
        left, public = view.public.left, view.public
        if public.out is not None or not any(left.values()) or self.has_to_buy(public):
            return Turn()
        return Turn(buys=(flow.more_left(left),))

    def scene(self, view: View[Public]) -> Grid:
        """With the value on each tile."""
        drawn = super().scene(view)
        cells = (replace(cell, value=None if cell.joker else VALUES[cell.letter]) for cell in drawn.cells)
        return replace(drawn, cells=tuple(cells))

    def equities(
        self, view: View[Public], played: Turn | None, points: int, ctx: Context
    ) -> list[tuple[Turn | None, tuple[float]]]:
        """See ``equity.Assessing``. A game in which nothing is dealt to look ahead: one world."""
        table, hand, ranked = view.public.table, view.hand, _ranking(ctx.words, self.worth)
        own = strong.equity(table, hand, played or Turn(), _valuing(self.worth), ranked, NO_SECOND)
        others = strong.compared(table, hand, ranked, NO_SECOND, REVIEWED)
        return [(played, (own / VALUE,)), *((turn, (value / VALUE,)) for value, turn in others)]

    def worth(self, table: Table, run: Run) -> int:
        """All letters of the word, lying ones too; a jolly counts nothing."""
        return sum(VALUES.get(table.squares[square], 0) for square in run)

    def sums(self, state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...], int]:
        """What each seat laid, minus what it has left."""
        idle = Note("all-passed" if state.stock else "blocked")
        notes = [idle if out is None else Note("out", seat=out)]
        for seat, hand in enumerate(state.hands):
            gains = state.public.gains[seat]
            notes.append(Note("sum-laid", {"items": list(gains), "points": sum(gains)}, seat=seat))
            cost = self.rack_value(state, seat)
            if hand:
                state = gain(state, seat, -cost)
                notes.append(Note("left-over", {"tiles": list(hand), "cost": cost}, seat=seat, points=-cost))
            params = {"round": state.public.round, "points": sum(gains) - cost, "total": state.scores[seat]}
            notes.append(Note("sum-total", params, seat=seat))
        return state, tuple(notes), 1

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The values of the letters, 10 for a jolly, as at the end of a game."""
        return sum(REST_JOLLY if tile.startswith(STAR) else VALUES[tile] for tile in state.hands[seat])


POINT = Point()
