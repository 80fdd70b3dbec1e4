"""The review of a finished match: its log as turns (what a seat had, what it chose, what that did to the scores), each
beside the best there was; the turning point, the find, luck and skill.

Luck and skill. Summed over a match the score is

    end = beginning + luck + skill + rest

luck       what a seat's draws were worth more than those of the others on average: of all seats it is 0
skill      what its turns were worth less than the best ones (``Reviewed.loss``); 0 or less
beginning  the score after the deal and the best turns' points, without the luck; never more than ends the match
rest       what is neither: ends of rounds, penalties, missed turns, and what turns did later or to others

Turns are reviewed one by one (``review_turn``), so that the work can be done in slices; ``build_review`` makes the
whole of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import groupby
from statistics import fmean
from typing import Any

from moderator.common.typed import build_dataclass
from moderator.rules import table as driver
from moderator.rules.game import Game, Scope, State
from moderator.rules.log import EngineResult, PlayedMove
from moderator.rules.orders.parse import find_first_legal
from moderator.rules.replay import LogEntry, apply_log_entry, drop_undone, find_import_entry
from moderator.rules.robots.choose import Survey, TurnEquity, find_turn_equity, survey_position
from moderator.rules.shuffling import commit_seed
from moderator.rules.state import Context, view_for
from moderator.rules.table import MatchState
from moderator.rules.words import RecordedWords

Points = tuple[int, ...]
"""By seat."""


@dataclass(frozen=True)
class ReviewedTurn:
    """A seat's turn. Where all move together there is one for each seat and round."""

    n: int
    """Number of its entry in the log."""
    round: int
    before: State[Any]
    """The position that the seat chose in, with all that is hidden, as if it were awaited alone: where all move
    together, that at the beginning of the round."""
    seat: int
    played: str | None
    """Canonical notation of what it chose there; None = nothing."""
    worth: int
    """Its points there; where turns are ``compared_by`` tiles, what those count that were laid."""
    points: int
    """Its points there."""
    counted: int
    """Points that it brought in the end: others where the orders of other seats came first."""
    out: tuple[int, ...]
    """Seats that played no more then."""
    scores: Points
    """After its entry."""


@dataclass(frozen=True)
class ReviewMaterial:
    """All that a review is made of."""

    game: Game[Any, Any]
    options: Any
    seats: int
    turns: tuple[ReviewedTurn, ...]
    ended: Points
    out: tuple[int, ...]
    """Seats that left before the end."""
    context: Context
    """With the dictionary itself, and the shuffle of the match, whose seed was committed to when it began."""
    commitment: str
    edition: str
    """Of the dictionary; "" in a game that uses none."""
    past: Mapping[int, MatchState[Any]]
    """After the deal (0) and before each entry that has turns."""
    log: Mapping[int, LogEntry]
    """Those entries."""
    fixed: Mapping[str, Any] | None
    """What stands for the shuffle of the deal, or of a part of it."""

    @property
    def pace(self) -> str:
        return str(self.options.pace)

    @property
    def target(self) -> int | None:
        """The score that ends the match; None where none does."""
        found: int | None = getattr(self.options, "target", None)
        return found

    def build_state_after(self, number: int, label: str = "") -> State[Any]:
        """Return the position after an entry (0 = after the deal); with a ``label`` as it would be if what came up by
        chance in it had come up otherwise."""
        ctx, table = self.context, self.past[number]
        if label:
            deal = self.context.shuffle
            ctx = replace(ctx, shuffle=lambda own, items: deal(f"{own}/{label}", items))
            own = f"round{len(table.state.past) + 1}/stock" if self.game.seeded_rounds else "stock"
            stock = ctx.shuffle(own, sorted(table.state.stock))
            table = replace(table, state=replace(table.state, stock=stock))
        if number == 0:
            return driver.open_match_state(self.game, self.seats, self.options, ctx, self.fixed)[0].state
        return apply_log_entry(self.game, table, self.log[number], ctx, check=False)[0].state


def build_review_material(
    game: Game[Any, Any],
    options: Any,
    context: Context,
    log: Sequence[LogEntry],
    past: Sequence[MatchState[Any]],
    results: Sequence[EngineResult],
    seed: bytes,
    fixed: Mapping[str, Any] | None = None,
) -> ReviewMaterial:
    """Build the material of a review from the values of ``replay.walk_log``. ``context.words`` is the dictionary that
    says which words could have been laid; a word that was laid counts whatever it says. Raises ValueError for a match
    that is not over: its tiles are secret."""
    ended = past[-1]
    if not ended.state.over:
        raise ValueError("the match is not over")
    turns: list[ReviewedTurn] = []
    opened = past[0].state
    for number, entry in drop_undone(log):
        table = past[number - 1]
        if table.pace != "race" or table.state.public.round != opened.public.round:
            opened = table.state
        words = RecordedWords(entry.outcome.get("verdicts", {}), context.words)
        ctx = replace(context, words=words, out=table.out)
        turns += _iter_entry_turns(game, number, table, opened, past[number].state, results[number - 1], ctx)
    numbers = {one.n for one in turns}
    return ReviewMaterial(
        game,
        options,
        ended.state.seats,
        tuple(turns),
        ended.state.scores,
        tuple(ended.out),
        context,
        commit_seed(seed),
        str(getattr(context.words, "edition", "")) if game.uses_words else "",
        {0: past[0]} | {number: past[number - 1] for number in numbers},
        {number: log[number - 1] for number in numbers},
        find_import_entry(log) or fixed,
    )


def _iter_entry_turns(
    game: Game[Any, Any],
    number: int,
    table: MatchState[Any],
    opened: State[Any],
    after: State[Any],
    result: EngineResult,
    ctx: Context,
) -> Iterator[ReviewedTurn]:
    """Yield the turns of an entry. There is none of a seat that plays no more, of something sent in vain, and of a move
    after which the turn goes on."""
    if not table.is_simultaneous and after is table.state:
        return
    for move in result.moves:
        before = replace(opened, to_move=(move.seat,))
        played, points = _find_chosen_move(game, table, before, move, ctx)
        worth = _find_worth(game, before, played, points)
        if move.seat not in table.out and worth is not None:
            round, counted, out = before.public.round, move.points, tuple(table.out)
            yield ReviewedTurn(number, round, before, move.seat, played, worth, points, counted, out, after.scores)


def _find_chosen_move(
    game: Game[Any, Any], table: MatchState[Any], before: State[Any], move: PlayedMove, ctx: Context
) -> tuple[str | None, int]:
    """Return (what the seat chose, its points) in the position that it could see. Where all move together that is its
    first order that was possible at the beginning of the round, whatever the orders of others made of it."""
    if table.pace in ("rounds", "race"):
        found = find_first_legal(game, before, move.seat, move.text, ctx, "reject")
        if found.step is not None:
            return game.format_move(found.move if found.step.played is None else found.step.played), found.step.points
    return move.played, move.points


def _find_worth(game: Game[Any, Any], before: State[Any], played: str | None, points: int) -> int | None:
    """Return the number by which the turn is compared; None for no turn: one of a seat that plays no more, something
    sent that was refused, a move after which the turn goes on."""
    if game.compared_by == "points":
        return points
    view = view_for(before, before.to_move[0])
    return 0 if played is None else game.weigh_move(view, game.parse_move(played, view), points)


# ---- What the draws of a match were worth.
#
# Before tiles are drawn nobody knows which will come. So what was drawn with an entry of the log is put beside what
# might have been: the entry is played ``AGAIN`` times with the stock, and all that is dealt in it, in other orders,
# which the match's own shuffle makes; and each hand is measured alike in all of these positions, by the most points
# that it could bring at once. The draw is worth its measure less the mean of the others. All orders are as likely as
# the one that there was, so that mean is 0 whatever the measure is good for: by construction, in every game.


AGAIN, AGAIN_WORDS = 12, 4
"""How often an entry is played with other draws; less often where a dictionary is searched each time."""


def has_balance(material: ReviewMaterial) -> bool:
    """Return whether turns bring points, and not only to the seat that was first."""
    return material.pace != "race" and material.game.compared_by == "points"


def has_luck(material: ReviewMaterial) -> bool:
    """Return whether the worth of draws is to be reckoned: not where all seats have the same tiles."""
    return has_balance(material) and material.pace != "common" and not material.game.luckless


def measure_draws(material: ReviewMaterial, number: int) -> tuple[float, ...]:
    """Return by seat the worth of the draws in an entry of the log (0 = the deal) beside others."""
    times = AGAIN_WORDS if material.game.uses_words else AGAIN
    after = material.build_state_after(number)
    others = [material.build_state_after(number, f"review/{number}/{one}") for one in range(1, times + 1)]
    return tuple(_measure_draw_worth(material, after, others, seat) for seat in range(material.seats))


def _measure_draw_worth(material: ReviewMaterial, after: State[Any], others: list[State[Any]], seat: int) -> float:
    hands = {tuple(sorted(one.hand(seat))) for one in (after, *others)}
    if len(hands) == 1:
        return 0.0
    return _measure_best_points(material, after, seat) - fmean(
        _measure_best_points(material, one, seat) for one in others
    )


def _measure_best_points(material: ReviewMaterial, state: State[Any], seat: int) -> int:
    """Return the most points that the hand could bring at once; 0 once the match is over."""
    return (
        0
        if state.over
        else survey_position(material.game, replace(state, to_move=(seat,)), seat, material.context).best_worth
    )


FORMAT = 3


@dataclass(frozen=True)
class Reviewed:
    """A turn beside the best there was. Its unit is that of ``Review.unit``."""

    n: int
    """Number of its entry in the log."""
    round: int
    seat: int
    played: str
    """Canonical notation of what the seat chose; "" = nothing was played."""
    worth: int
    """Where all move together: in the position that the seat could see."""
    counted: int
    """Points that it brought in the end."""
    best: str
    """The best turn found, which may be the one that was played; "" = there was none."""
    most: int
    """What it is worth."""
    left: int
    """How much more there was at once, up to the end of the match; never below 0, and 0 of a missed turn."""
    rank: int | None
    """1 + the number of turns that are worth more; None where not all were searched, or nothing was played."""
    of: int
    """How many turns there were, as far as they were searched."""
    scope: Scope
    equity: float | None
    """What it is worth with what may follow, on a scale of the position's own; None where nobody knows, or there was
    nothing to compare (``rules/robots/choose.py``)."""
    top: float | None
    """What the best of the turns is worth that are surely worth more; of the turn itself where none is."""
    better: str
    """That one; "" = none is."""
    drawn: tuple[float, ...] | None
    """By seat: what the draws were worth that came with it, with the first turn those of the deal, too; None where
    none are reckoned."""
    scores: tuple[int, ...]
    """After it; where all move together after all of them."""

    @property
    def loss(self) -> float:
        """The points that there were more with the turns that may follow; where nobody knows, at once. Never below
        0."""
        if not self.played:
            return 0.0
        return float(self.left) if self.equity is None or self.top is None else self.top - self.equity

    def has_choice(self) -> bool:
        """Return whether there was another turn than this one, as far as anybody knows."""
        if not self.played:
            return bool(self.best)
        return self.of > 1 or bool(self.better) or (self.scope == "some" and self.worth > 0)


@dataclass(frozen=True)
class Balance:
    """The balance of one seat: ``end = beginning + luck + skill``."""

    seat: int
    beginning: float
    """What the best turns would have brought without the luck."""
    luck: float | None
    """What the own draws were worth more than those of all seats on average; None in a match without."""
    skill: float
    """What the turns were worth less than the best ones (``Reviewed.loss``); 0 or less."""
    rest: float
    """What is neither draw nor choice."""
    end: int
    """The score."""


@dataclass(frozen=True)
class Turning:
    """The turn by which the lead went from one seat to another for good."""

    turn: int
    """Index in ``Review.turns``: where all move together, of the new leader's turn in that round."""
    seat: int
    """The new leader."""
    lead: int
    """Points ahead then."""


_PLAIN = ("game", "unit", "together", "edition", "commitment", "seats", "find")


@dataclass(frozen=True)
class Review:
    """The review of a whole match; plain values."""

    game: str
    unit: str
    """What turns are compared by: "points", or "tiles" where a turn brings none (``Game.compared_by``)."""
    together: bool
    """All seats of a round move at once."""
    edition: str
    """The dictionary that says what could have been laid; "" where none is used."""
    commitment: str
    """Of the seed that the re-deals come from."""
    seats: int
    turns: tuple[Reviewed, ...]
    turning: Turning | None
    """None where the lead never went to another seat for good."""
    find: int | None
    """Index of the find of the match."""
    balance: tuple[Balance, ...]
    """By seat; () in a match without luck and skill: where turns bring no points, and in a race."""

    def is_silent(self) -> bool:
        """Return whether there is nothing to tell: no turn could bring anything."""
        return not any(one.worth or one.most for one in self.turns)

    def to_json(self) -> dict[str, Any]:
        """Return plain values; the same bytes whenever the same match is reviewed with the same dictionary."""
        turns = [asdict(one) | {"loss": one.loss} for one in self.turns]
        own = [[one for one in self.turns if one.seat == seat] for seat in range(self.seats)]
        sums = {
            "left": [sum(one.left for one in of_seat) for of_seat in own],
            "loss": [float(sum_losses(of_seat)) for of_seat in own],
            "moves": [count_moves_made(of_seat) for of_seat in own],
        }
        return {"review": FORMAT} | asdict(self) | {"turns": turns} | sums


def decode_review(values: Mapping[str, Any]) -> Review:
    """Return a review, as the opposite of ``Review.to_json``. Raises ConfigError for other values."""
    known = {key: value for key, value in values.items() if key in _PLAIN}
    balance = tuple(build_dataclass(Balance, one, "review") for one in values["balance"])
    turns = tuple(map(decode_turn_comparison, values["turns"]))
    turning = None if values["turning"] is None else build_dataclass(Turning, values["turning"], "review")
    found: Review = build_dataclass(Review, known | {"turns": (), "balance": (), "turning": None}, "review")
    return replace(found, turns=turns, balance=balance, turning=turning)


def review_turn(material: ReviewMaterial, at: int) -> Reviewed:
    """Review the turn with that index. Costs a search of its position, and one for each re-deal, besides the cost of
    its equity."""
    found = review_without_luck(material, at)
    return replace(found, drawn=_sum_turn_draws(material, at)) if has_luck(material) else found


def _sum_turn_draws(material: ReviewMaterial, at: int) -> tuple[float, ...]:
    """Return by seat the worth of the draws that came with the turn; of several turns in one entry the last has
    them."""
    n, following = material.turns[at].n, material.turns[at + 1 : at + 2]
    entries = [0] * (at == 0) + [n] * (not following or following[0].n != n)
    worths = [measure_draws(material, number) for number in entries]
    return tuple(sum(one[seat] for one in worths) for seat in range(material.seats))


def review_without_luck(material: ReviewMaterial, at: int) -> Reviewed:
    """Review a turn without ``measure_draws``, where no luck is asked for: in much less time."""
    one = material.turns[at]
    there = survey_position(material.game, one.before, one.seat, material.context)
    best, most = there.found[0] if there.found else ("", 0)
    of, rank = len(there.found), None
    if one.played and all(one.played != notation for notation, _ in there.found):
        of += 1  # an exchange or a pass, a word that counts only by its base form or by a ruling
    if one.played is not None and one.worth >= most:
        best, most = one.played, one.worth
    if one.played is not None and there.scope != "some":
        rank = 1 + sum(worth > one.worth for _, worth in there.found)
    known = _find_turn_equity(material, one, at, there)
    return Reviewed(
        n=one.n,
        round=one.round,
        seat=one.seat,
        played=one.played or "",
        worth=one.worth,
        counted=one.counted,
        best=best,
        most=most,
        left=_compute_points_left(material, one, best, most),
        rank=rank,
        of=of,
        scope=there.scope,
        equity=None if known is None else known.equity,
        top=None if known is None else known.top,
        better="" if known is None or known.better is None else material.game.format_move(known.better),
        drawn=None,
        scores=one.scores,
    )


def _compute_points_left(material: ReviewMaterial, one: ReviewedTurn, best: str, most: int) -> int:
    """Return the points that there were more at once. Of a turn that would have ended the match counts only what was
    wanting."""
    if one.played is None or most <= one.worth:
        return 0
    wanting = None if material.target is None else material.target - one.before.scores[one.seat]
    if wanting is not None and most > wanting:
        move = material.game.parse_move(best, view_for(one.before, one.seat))
        if material.game.apply_move(one.before, one.seat, move, material.context).state.over:
            most = wanting
    return max(0, most - one.worth)


def _find_turn_equity(material: ReviewMaterial, one: ReviewedTurn, at: int, there: Survey) -> TurnEquity | None:
    """Compare the turn with others by the turns that may follow, in worlds that are dealt from all that the seat could
    see."""
    if one.played is None or not has_balance(material):
        return None
    view = view_for(one.before, one.seat)
    played = material.game.parse_move(one.played, view)
    prefix = f"round{len(one.before.past) + 1}/" if material.game.seeded_rounds else ""
    deal, prefix = material.context.shuffle, f"{prefix}review/{at + 1}/"
    context = replace(material.context, shuffle=lambda label, items: deal(prefix + label, items), out=one.out)
    best, in_turns = [notation for notation, _ in there.found], material.pace == "sequential"
    return find_turn_equity(material.game, view, played, one.points, best, context, in_turns)


def build_review(material: ReviewMaterial, turns: Sequence[Reviewed]) -> Review:
    """Build one review of all turns of a match, each made by ``review_turn``."""
    together, turning, find = material.pace != "sequential", _find_turning_point(material, turns), _choose_find(turns)
    bare = Review(
        material.game.key,
        material.game.compared_by,
        together,
        material.edition,
        material.commitment,
        material.seats,
        tuple(turns),
        turning,
        find,
        balance=(),
    )
    if bare.is_silent() or not has_balance(material):
        return bare
    return replace(bare, balance=tuple(_compute_balance(material, turns, seat) for seat in range(material.seats)))


def review_match(material: ReviewMaterial) -> Review:
    """Review a match in one go."""
    return build_review(material, [review_turn(material, at) for at in range(len(material.turns))])


def decode_turn_comparison(values: Mapping[str, Any]) -> Reviewed:
    """Return the review of a turn, as the opposite of ``asdict``, for turns that were reviewed in an earlier slice.
    Raises ConfigError for other values."""
    found: Reviewed = build_dataclass(Reviewed, _without_keys(values, "loss"), "review")
    return found


def _without_keys(values: Mapping[str, Any], *worked_out: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in worked_out}


def sum_losses(turns: Iterable[Reviewed]) -> Fraction:
    """Return the points by which the turns were worth less than the best ones, in all."""
    return sum((Fraction(one.loss) for one in turns), Fraction())


def count_moves_made(turns: Iterable[Reviewed]) -> int:
    """Count the turns that were not missed."""
    return sum(bool(one.played) for one in turns)


def _compute_balance(material: ReviewMaterial, turns: Sequence[Reviewed], seat: int) -> Balance:
    own = [one for one in turns if one.seat == seat]
    best = sum(one.worth + one.left if one.played else max(one.worth, one.most) for one in own)
    luck, skill, end = _compute_luck(turns, seat), -sum_losses(own), material.ended[seat]
    beginning = material.past[0].state.scores[seat] + best - (luck or 0)
    if material.target is not None:
        beginning = min(beginning, Fraction(max(material.target, end)))
    rest = end - beginning - (luck or 0) - skill
    return Balance(seat, float(beginning), None if luck is None else float(luck), float(skill), float(rest), end)


def _compute_luck(turns: Sequence[Reviewed], seat: int) -> Fraction | None:
    """Return by how much a seat's draws were worth more than those of all seats on average; None where no draw changed
    anything."""
    draws = [one.drawn for one in turns if one.drawn is not None]
    if not any(map(any, draws)):
        return None
    return sum((Fraction(one[seat]) - sum(map(Fraction, one), Fraction()) / len(one) for one in draws), Fraction())


def _find_turning_point(material: ReviewMaterial, turns: Sequence[Reviewed]) -> Turning | None:
    """Return the turn by which the lead went from one seat to another for good; None where it never did."""
    moments = list(_iter_score_moments(material, turns))
    leaders = [
        max(_list_remaining_seats(material), key=lambda seat: scores[seat])
        if compute_leader_margin(material, scores)
        else None
        for scores, _ in moments
    ]
    first = len(leaders) - 1
    while first and leaders[first - 1] == leaders[-1]:
        first -= 1
    before = [one for one in leaders[:first] if one is not None]
    scores, numbers = moments[first]
    seat = leaders[-1]
    if seat is None or not before or before[-1] == seat or not numbers:
        return None
    at = next((at for at in numbers if turns[at].seat == seat), numbers[-1])
    return Turning(at, seat, compute_leader_margin(material, scores))


def _iter_score_moments(material: ReviewMaterial, turns: Sequence[Reviewed]) -> Iterator[tuple[Points, list[int]]]:
    """Yield (the scores, the turns that led to them, together where all move together). Those that no turn led to have
    none."""
    now = material.past[0].state.scores
    yield now, []
    together = groupby(range(len(turns)), lambda at: turns[at].round if material.pace == "race" else turns[at].n)
    for numbers in (list(group) for _, group in together):
        before, after = material.turns[numbers[0]].before.scores, turns[numbers[-1]].scores
        if before != now:
            yield before, []
        yield after, numbers
        now = after
    if material.ended != now:
        yield material.ended, []


def compute_leader_margin(material: ReviewMaterial, scores: Points) -> int:
    """Return the points between the first two of the seats that were there to the end."""
    best = sorted((scores[seat] for seat in _list_remaining_seats(material)), reverse=True)
    return best[0] - best[1] if len(best) > 1 else 0


def _list_remaining_seats(material: ReviewMaterial) -> list[int]:
    return [seat for seat in range(material.seats) if seat not in material.out]


def _choose_find(turns: Sequence[Reviewed]) -> int | None:
    """Return the turn that was worth most of those that were the best there was, all being searched, and not the only
    one; of equals the one that was best of more, then the first. None if there is none."""
    best = [at for at, one in enumerate(turns) if one.scope == "all" and one.rank == 1 and one.worth > 0 and one.of > 1]
    return min(best, key=lambda at: (-turns[at].worth, -turns[at].of, at), default=None)
