"""The review of a finished match: each turn beside the best there was, the turning points, the find, luck and skill.

Luck and skill. ``par`` of a turn is what the best turns would have brought on average with other tiles in place of
those that the seat had drawn since its last turn: ``REDEALS`` times they and the stock are mixed, by the match's own
shuffle, so that everybody who has the seed comes to the same figures. A turn that is worth more than all that a search
finds, as one of two words may be, has the difference in its par, for the re-deals are searched no further. A turn's
points are then par, plus what the draw changed (best less par: luck), plus what the turn was worse than the best
(points less best: skill, never above 0). What the scores changed by besides turns (penalty tiles, ends of rounds) is
luck, too, and kept apart. Summed over a match
these are the score:

    end = beginning + luck + skill        beginning = score after the deal + par of all turns of the seat

Turns are reviewed one by one (``turn``), so that the work can be done in slices; ``review`` makes the whole of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from moderator.match.contract import State, view_for
from moderator.match.equity import Assessed, Assessing, assessed
from moderator.match.outcome import lead
from moderator.match.survey import Scope, Survey, Weighing, survey
from moderator.review.turns import Turn, Work
from moderator.typed import build

FORMAT = 2
REDEALS, REDEALS_WORDS = 12, 4
"""How often what a seat drew is dealt again; less often where a dictionary is searched each time."""
TURNING_POINTS = 3


@dataclass(frozen=True)
class Reviewed:
    """A turn beside what there was. Its unit is that of ``Review.unit``."""

    n: int
    """Number of its entry in the log."""
    round: int
    seat: int
    played: str
    """Canonical notation; "" = nothing was played."""
    worth: int
    best: str
    """The best turn found, which may be the one that was played; "" = there was none."""
    most: int
    """What it is worth."""
    rank: int | None
    """1 + the number of turns that are worth more; None where not all were searched, or nothing was played."""
    of: int
    """How many turns there were, as far as they were searched."""
    scope: Scope
    par: float | None
    """None in a match without luck and skill."""
    equity: float | None
    """What it is worth with what may follow, on a scale of the position's own; None where nobody knows, or there was
    nothing to compare (``match/equity.py``)."""
    top: float | None
    """What the best of the turns is worth that are surely worth more; of the turn itself where none is."""
    better: str
    """That one; "" = none is."""
    happened: tuple[int, ...]
    """By seat: what the scores changed by besides the turn's points."""
    scores: tuple[int, ...]
    """Afterwards."""

    @property
    def left(self) -> int:
        """How much more there was at once; never below 0."""
        return self.most - self.worth

    @property
    def loss(self) -> float:
        """How much more there was with what may follow, in points; where nobody knows, at once. Never below 0."""
        return float(self.left) if self.equity is None or self.top is None else self.top - self.equity


@dataclass(frozen=True)
class Balance:
    """Of one seat: ``end = beginning + luck + skill``."""

    seat: int
    beginning: float
    """What the best turns would have brought with average draws: the score after the deal, par of all turns, and
    ``later``."""
    later: float
    """What the turns did besides their own points: 1 or more where they cost more than the points show, below 0 where
    they gave up points for those to come. Pars tell of it with the other sign, as far as it came to pass."""
    drawn: float
    """What the draws made of it."""
    besides: float
    """What came besides turns: penalty tiles, ends of rounds."""
    skill: float
    """What the turns were worth less than the best ones (``Reviewed.loss``); 0 or less."""
    end: int
    """The score."""

    @property
    def luck(self) -> float:
        return self.drawn + self.besides


_PLAIN = ("game", "unit", "edition", "commitment", "seats", "turning", "find")


@dataclass(frozen=True)
class Review:
    """Of a whole match; plain values."""

    game: str
    unit: str
    """What turns are compared by: "points", or "tiles" where a turn brings none (``survey.Weighing``)."""
    edition: str
    """The dictionary that says what could have been laid; "" where none is used."""
    commitment: str
    """Of the seed that the re-deals come from."""
    seats: int
    turns: tuple[Reviewed, ...]
    turning: tuple[int, ...]
    """Indices of the turning points in ``turns``, in the order of play."""
    find: int | None
    """Index of the find of the match."""
    balance: tuple[Balance, ...]
    """By seat; () in a match without luck and skill: where turns bring no points, and in a race."""

    def to_json(self) -> dict[str, Any]:
        """Plain values; the same bytes whenever the same match is reviewed with the same dictionary."""
        turns = [asdict(one) | {"left": one.left, "loss": one.loss} for one in self.turns]
        balance = [asdict(one) | {"luck": one.luck} for one in self.balance]
        own = [[one for one in self.turns if one.seat == seat] for seat in range(self.seats)]
        sums = {
            "left": [sum(one.left for one in of_seat) for of_seat in own],
            "loss": [float(lost(of_seat)) for of_seat in own],
            "moves": [len(of_seat) for of_seat in own],
        }
        return {"review": FORMAT} | asdict(self) | {"turns": turns, "balance": balance} | sums


def read(values: Mapping[str, Any]) -> Review:
    """The opposite of ``Review.to_json``. Raises ConfigError for other values."""
    known = {key: value for key, value in values.items() if key in _PLAIN}
    balance = tuple(build(Balance, _without(one, "luck"), "review") for one in values["balance"])
    turns = tuple(map(read_turn, values["turns"]))
    found: Review = build(Review, known | {"turns": (), "balance": ()}, "review")
    return replace(found, turns=turns, balance=balance)


def turn(work: Work, at: int) -> Reviewed:
    """The turn with that index, reviewed. Costs a search of its position, and one for each re-deal, besides what its
    equity costs."""
    found, there = _compared(work, at)
    # What beats all that was found is no luck: the re-deals are searched as far as the turn was, and no further.
    beyond = max(0, found.most - there.most)
    return replace(found, par=par(work, at, there.most) + beyond if has_luck(work) else None)


def foreseen(work: Work, at: int) -> Reviewed:
    """The same without ``par``, for who asks for no luck: in much less time."""
    return _compared(work, at)[0]


def _compared(work: Work, at: int) -> tuple[Reviewed, Survey]:
    one = work.turns[at]
    there = survey(work.game, _alone(one), one.seat, work.context)
    best, most = there.found[0] if there.found else ("", 0)
    of, rank = len(there.found), None
    if one.played and all(one.played != notation for notation, _ in there.found):
        of += 1  # an exchange or a pass, a word that counts only by its base form or by a ruling
    if one.played is not None and one.worth >= most:
        best, most = one.played, one.worth
    if one.played is not None and there.scope != "some":
        rank = 1 + sum(worth > one.worth for _, worth in there.found)
    known, played = _assessed(work, one, at, there), one.played or ""
    found = Reviewed(
        n=one.n,
        round=one.round,
        seat=one.seat,
        played=played,
        worth=one.worth,
        best=best,
        most=most,
        rank=rank,
        of=of,
        scope=there.scope,
        par=None,
        equity=None if known is None else known.equity,
        top=None if known is None else known.top,
        better="" if known is None or known.better is None else work.game.format(known.better),
        happened=one.happened,
        scores=one.after,
    )
    return found, there


def has_luck(work: Work) -> bool:
    """Whether a match has luck and skill that can be told apart: turns bring points, one after the other."""
    return work.pace != "race" and not isinstance(work.game, Weighing)


def _assessed(work: Work, one: Turn, at: int, there: Survey) -> Assessed | None:
    """The turn beside others by what may follow, in worlds that are dealt from what the seat could see."""
    alone = work.pace == "sequential" or isinstance(work.game, Assessing)
    if not has_luck(work) or not alone:
        return None  # who plays next is not known, but to a game that says so itself
    view = view_for(_alone(one), one.seat)
    played = None if one.played is None else work.game.parse(one.played, view)
    prefix = f"{_round(work, one)}review/{at + 1}/"
    deal = work.context.shuffle
    context = replace(work.context, shuffle=lambda label, items: deal(prefix + label, items), out=one.out)
    return assessed(work.game, view, played, one.points, [notation for notation, _ in there.found], context)


def _alone(one: Turn) -> State[Any]:
    """The position as if only this seat were awaited."""
    return replace(one.before, to_move=(one.seat,))


def par(work: Work, at: int, most: int) -> float:
    """What the best turns bring on average with other draws; ``most`` with the one that there was."""
    one = work.turns[at]
    if not one.drawn or not one.before.stock:
        return float(most)
    state, hand = _alone(one), list(one.before.hand(one.seat))
    for tile in one.drawn:
        hand.remove(tile)
    pile = tuple(sorted((*one.drawn, *one.before.stock)))
    times = REDEALS_WORDS if work.game.uses_words else REDEALS
    total = 0
    for number in range(1, times + 1):
        mixed = _mixed(work, f"review/{at + 1}/{number}", one, pile)
        hands = list(state.hands)
        hands[one.seat if len(hands) > 1 else 0] = (*hand, *mixed)
        total += survey(work.game, replace(state, hands=tuple(hands)), one.seat, work.context).most
    return total / times


def _mixed(work: Work, label: str, one: Turn, pile: tuple[str, ...]) -> tuple[str, ...]:
    """As many tiles as the seat has drawn."""
    return work.context.shuffle(_round(work, one) + label, pile)[: len(one.drawn)]


def _round(work: Work, one: Turn) -> str:
    """How a label begins that asks for the round's own seed."""
    return f"round{len(one.before.past) + 1}/" if work.game.seeded_rounds else ""


def review(work: Work, turns: Sequence[Reviewed]) -> Review:
    """All turns of a match, each made by ``turn``, as one review."""
    unit = "tiles" if isinstance(work.game, Weighing) else "points"
    balance = tuple(_balance(work, turns, seat) for seat in range(work.seats)) if has_luck(work) else ()
    return Review(
        work.game.key,
        unit,
        work.edition,
        work.commitment,
        work.seats,
        tuple(turns),
        _turning(work, turns),
        _find(turns),
        balance,
    )


def whole(work: Work) -> Review:
    """The review in one go."""
    return review(work, [turn(work, at) for at in range(len(work.turns))])


def read_turn(values: Mapping[str, Any]) -> Reviewed:
    """The opposite of ``asdict``, for turns that were reviewed in an earlier slice. Raises ConfigError for others."""
    found: Reviewed = build(Reviewed, _without(values, "left", "loss"), "review")
    return found


def _without(values: Mapping[str, Any], *worked_out: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in worked_out}


def lost(turns: Iterable[Reviewed]) -> Fraction:
    """What the turns were worth less than the best ones, in all."""
    return sum((Fraction(one.loss) for one in turns), Fraction())


def _balance(work: Work, turns: Sequence[Reviewed], seat: int) -> Balance:
    own = [one for one in turns if one.seat == seat]
    pars = sum((Fraction(one.par or 0) for one in own), Fraction())
    besides = work.besides[seat] + sum(one.happened[seat] for one in turns)
    drawn = sum(one.most for one in own) - pars
    later = lost(own) - sum(one.left for one in own)
    beginning = work.began[seat] + pars + later
    skill, end = -lost(own), work.ended[seat]
    return Balance(seat, float(beginning), float(later), float(drawn), float(besides), float(skill), end)


def _turning(work: Work, turns: Sequence[Reviewed]) -> tuple[int, ...]:
    """The turns by which the lead went from one seat to another; three at most, those that moved it most, in order of
    play."""
    found: list[tuple[int, int]] = []
    before, ahead = work.began, leader(work.began)
    for at, one in enumerate(turns):
        now = leader(one.scores)
        if now is not None and now != ahead:
            if ahead is not None:
                found.append((abs(lead(one.scores, one.seat) - lead(before, one.seat)), -at))
            ahead = now
        before = one.scores
    return tuple(sorted(-at for _, at in sorted(found, reverse=True)[:TURNING_POINTS]))


def leader(scores: Sequence[int]) -> int | None:
    """The seat with the highest score; None where two have it."""
    best = [seat for seat, score in enumerate(scores) if score == max(scores)]
    return best[0] if len(best) == 1 else None


def _find(turns: Sequence[Reviewed]) -> int | None:
    """The turn that was worth most of those that were the best there was, all being searched, and not the only one; of
    equals the one that was best of more, then the first. None if there is none."""
    best = [at for at, one in enumerate(turns) if one.scope == "all" and one.rank == 1 and one.worth > 0 and one.of > 1]
    return min(best, key=lambda at: (-turns[at].worth, -turns[at].of, at), default=None)
