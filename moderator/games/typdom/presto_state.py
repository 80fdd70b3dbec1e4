"""Values of Presto: its options and what everybody sees; the whole position as a diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from moderator.common.errors import ConfigError, PlayerError
from moderator.games.typdom.presto_layout import CrosswordLayout, count_used_tiles, parse_crossword_rows
from moderator.games.typdom.state import check_option_range as check_option
from moderator.games.typdom.tiles import BLACK, RED, find_typdom_tile
from moderator.rules.game import Context, State
from moderator.rules.position import Diagram, written


@dataclass(frozen=True)
class PrestoOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["race"] = "race"
    rounds: int = 1
    target: int | None = None
    finish_with_one_left: bool = False
    policy: str = "typdom"
    unknown_words: Literal["reject", "ask"] = "reject"

    def __post_init__(self) -> None:
        check_option("rounds", self.rounds, 1, 99)
        if self.target is not None:
            check_option("target", self.target, 1, 999)
            if self.rounds != 1:
                raise ConfigError("rounds and target exclude each other.", "A match to a target takes what it takes.")


@dataclass(frozen=True)
class PrestoPublic:
    """The state that everybody sees. Layouts are secret until their round is over, see ``State.private``."""

    options: PrestoOptions
    round: int = 1
    finished: tuple[int, ...] = ()
    """Seats that have finished in this round, the first first."""
    gave_up: tuple[int, ...] = ()
    """Seats that are out of this round without a layout."""
    gains: tuple[int, ...] = ()
    """Per seat the points of this round."""
    last: tuple[tuple[int, CrosswordLayout], ...] = ()
    """(seat, layout) of those that finished the round before, or the last one of the match, the first first."""
    empty: int = 0
    """Rounds in a row that nobody finished."""


# ---- the whole position, as somebody writes it down ----


def encode_presto_diagram(state: State[PrestoPublic]) -> dict[str, Any]:
    """Per seat ``layout``, the rows of a crossword that is right, and ``gains`` of this round; ``finished`` and
    ``gave_up``: seats; ``empty``: rounds in a row that nobody finished."""
    public = state.public
    layouts = tuple(list(own.rows) if isinstance(own, CrosswordLayout) else [] for own in state.private)
    return written(
        state,
        finished=list(public.finished),
        gave_up=list(public.gave_up),
        gains=public.gains,
        empty=public.empty,
        layout=layouts,
    )


def decode_presto_diagram(diagram: Diagram, options: PrestoOptions, ctx: Context) -> State[PrestoPublic]:
    """Return the state of a diagram, as the opposite of ``encode_presto_diagram``; what is forced then has not happened
    yet."""
    round = diagram.round()
    layouts = diagram.per_seat(lambda seat: _decode_layout(diagram, seat))
    finished, gave_up = diagram.several("finished"), diagram.several("gave_up")
    drawn = {seat for seat, own in enumerate(layouts) if own is not None}
    if drawn != set(finished) or len(finished) > len(drawn):
        diagram.wrong(("finished",), "those who have finished, and nobody else, have a layout.")
    hands = diagram.racks(find_typdom_tile, finished)
    lying = [tile for own in layouts if own is not None for tile in count_used_tiles(own).elements()]
    stock = diagram.stock((*RED, *BLACK), lying, hands, find_typdom_tile, ctx, round)
    gains = diagram.per_seat(lambda seat: diagram.whole("gains", seat=seat))
    public = PrestoPublic(options, round, finished, gave_up, gains, empty=diagram.whole("empty"))
    to_move = tuple(seat for seat in range(diagram.seats) if seat not in finished and seat not in gave_up)
    return State(public, hands, stock, diagram.scores(), to_move, layouts)


def _decode_layout(diagram: Diagram, seat: int) -> CrosswordLayout | None:
    rows = diagram.lines("layout", seat)
    try:
        return parse_crossword_rows(rows, "") if rows else None
    except PlayerError as error:
        diagram.wrong(("player", seat, "layout"), f"this is no crossword ({error.code}).")
        return None
