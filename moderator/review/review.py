"""The review of a finished match: each turn beside the best there was, the turning point, the find, luck and skill.

Luck and skill. Summed over a match the score is

    end = beginning + luck + skill + rest

luck       what a seat's draws were worth (``turns.py``) more than those of the others on average: of all seats it is 0
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
from typing import Any

from moderator.common.typed import build_dataclass
from moderator.review.turns import Points, ReviewedTurn, ReviewMaterial, has_balance, has_luck, measure_draws
from moderator.rules.game import Scope
from moderator.rules.robots.survey import Survey, TurnEquity, find_turn_equity, survey_position
from moderator.rules.state import view_for

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
    nothing to compare (``rules/robots/survey.py``)."""
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
    leaders = [find_leading_seat(material, scores) for scores, _ in moments]
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


def find_leading_seat(material: ReviewMaterial, scores: Points) -> int | None:
    """Return the seat with the highest score; None where two have it."""
    return (
        max(_list_remaining_seats(material), key=lambda seat: scores[seat])
        if compute_leader_margin(material, scores)
        else None
    )


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
