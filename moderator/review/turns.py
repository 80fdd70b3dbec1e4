"""The log of a finished match as turns: what a seat had before it, what it chose, and what that did to the scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from moderator.rules import table as driver
from moderator.rules.game import Game, State
from moderator.rules.orders.alternatives import find_first_legal
from moderator.rules.replay import LogEntry, apply_log_entry, drop_undone, find_import_entry
from moderator.rules.result import EngineResult, PlayedMove
from moderator.rules.robots.survey import survey_position
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
