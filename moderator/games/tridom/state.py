"""Values of Tridom: options, moves, the public state, and how a turn and the end of a round change it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from moderator.common.errors import ConfigError
from moderator.games.tridom.board import HEXAGON, TridomBoard, sum_tile_values
from moderator.rules.game import Note, State
from moderator.rules.orders.conditions import AfterDraw


@dataclass(frozen=True)
class TridomOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    target: int = 400
    triple_zero: Literal["lowest", "highest"] = "lowest"
    double_hexagon: int = 50
    bonus: Literal["highest", "sum"] = "highest"

    def __post_init__(self) -> None:
        if self.target < 1:
            raise ConfigError(f"target = {self.target} is too small.", "At least 1.")
        if not HEXAGON <= self.double_hexagon <= 2 * HEXAGON:
            raise ConfigError(
                f"double_hexagon = {self.double_hexagon} is out of range.", f"{HEXAGON} to {2 * HEXAGON}, e.g. 60."
            )

    def score_hexagons(self, count: int) -> int:
        """Return the bonus for closing ``count`` hexagons with one tile: 50, and what ``double_hexagon`` adds for each
        further."""
        return HEXAGON + (count - 1) * (self.double_hexagon - HEXAGON) if count else 0


@dataclass(frozen=True, slots=True)
class TridomPlacement:
    """The laying of a tile on a place. ``at_least``: only if it scores that many points."""

    tile: str
    place: int
    at_least: int | None = None


Move = TridomPlacement | AfterDraw


@dataclass(frozen=True)
class TridomPublic:
    """The state that everybody sees."""

    options: TridomOptions
    mirrored: bool
    """SuperTridom, where mirror images are tiles of their own."""
    board: TridomBoard
    gains: tuple[tuple[int, ...], ...]
    """Per seat what it won and lost in this round so far, in order: opening, tiles, draws, penalties."""
    round: int = 1
    mover: int = 0
    """Seat whose turn it is."""
    drawn: int = 0
    """Tiles that it has drawn in this turn."""
    passes: int = 0
    """Passes in a row after which the stock was empty: forced ones, and missed turns of seats that play no more."""
    last: int | None = None
    """Place of the tile that was laid last."""


# ---- the small changes of a state that a turn is made of ----


def lay_tridom_tile(
    state: State[TridomPublic], seat: int, tile: str, board: TridomBoard, place: int, points: int
) -> State[TridomPublic]:
    """Return the state with the tile off its rack, ``board`` with it at ``place``, the points on the account, the turn
    with the next seat."""
    hand = list(state.hands[seat])
    hand.remove(tile)
    following = (seat + 1) % state.seats
    gains = _append_gain(state.public.gains, seat, points)
    return replace(
        state,
        public=replace(state.public, board=board, gains=gains, mover=following, drawn=0, passes=0, last=place),
        hands=(*state.hands[:seat], tuple(hand), *state.hands[seat + 1 :]),
        scores=add_tridom_points(state.scores, seat, points),
        to_move=(following,),
    )


def add_tridom_gain(state: State[TridomPublic], seat: int, points: int) -> State[TridomPublic]:
    """Add ``points``, maybe negative, for a seat in this round."""
    public = replace(state.public, gains=_append_gain(state.public.gains, seat, points))
    return replace(state, scores=add_tridom_points(state.scores, seat, points), public=public)


def _append_gain(gains: tuple[tuple[int, ...], ...], seat: int, points: int) -> tuple[tuple[int, ...], ...]:
    return (*gains[:seat], (*gains[seat], points), *gains[seat + 1 :])


def add_tridom_points(scores: tuple[int, ...], seat: int, points: int) -> tuple[int, ...]:
    return (*scores[:seat], scores[seat] + points, *scores[seat + 1 :])


def begin_tridom_turn(state: State[TridomPublic], seat: int, passes: int = 0) -> State[TridomPublic]:
    """Begin the turn after that of ``seat``. ``passes``: those in a row so far."""
    following = (seat + 1) % state.seats
    public = replace(state.public, mover=following, drawn=0, passes=passes)
    return replace(state, public=public, to_move=(following,))


# ---- what a turn without a fitting tile costs ----


DRAWS = 3
"""Tiles that may be drawn in a turn."""
DRAW_COST, NOTHING_LAID = 5, 10
"""Points lost for each drawn tile, and for a turn in which nothing could be laid."""


# ---- the end of a round: what each seat won and lost, line by line ----


OUT = 25
"""For the seat that got rid of its tiles first."""


def settle_tridom_round(state: State[TridomPublic], out: int | None) -> tuple[State[TridomPublic], tuple[Note, ...]]:
    """Settle the racks: ``out`` gets 25 and what the others still hold; where nobody could lay any more (None)
    everybody loses what they hold."""
    number = state.public.round
    rests = [(seat, sum_tile_values(hand)) for seat, hand in enumerate(state.hands) if hand]
    notes = [Note("blocked", {"round": number}) if out is None else Note("went-out", {"round": number}, seat=out)]
    notes += [Note("rest", {"tiles": list(state.hands[seat]), "points": rest}, seat=seat) for seat, rest in rests]
    scores = state.scores
    for seat, gains in enumerate(state.public.gains):
        lines = [Note("sum-laid", {"items": format_sum_terms(gains), "points": sum(gains)}, seat=seat)]
        if seat == out:
            items = [rest for _, rest in rests]
            lines.append(Note("sum-out", {"points": OUT}, seat=seat, points=OUT))
            lines.append(Note("sum-rests", {"items": format_sum_terms(items), "points": sum(items)}, seat, sum(items)))
        elif out is None and state.hands[seat]:
            rest = sum_tile_values(state.hands[seat])
            lines.append(Note("sum-own-rest", {"points": rest}, seat=seat, points=-rest))
        scores = add_tridom_points(scores, seat, sum(line.points for line in lines))
        points = sum(gains) + sum(line.points for line in lines)
        params = {"round": number, "points": points, "total": scores[seat]}
        notes += [*lines, Note("sum-total", params, seat=seat)]
    return replace(state, scores=scores), tuple(notes)


def list_leading_seats(state: State[TridomPublic]) -> tuple[int, ...]:
    """Return the seats that have the highest score, if it reaches the target."""
    best = max(state.scores)
    if best < state.public.options.target:
        return ()
    return tuple(seat for seat, score in enumerate(state.scores) if score == best)


def format_sum_terms(items: Iterable[int]) -> str:
    """Return ``35 + 12 - 5``; ``0`` for nothing."""
    text = "".join(f" {'-' if item < 0 else '+'} {abs(item)}" for item in items)
    return f"-{text[3:]}" if text.startswith(" -") else text[3:] or "0"
