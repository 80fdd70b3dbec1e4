"""Values of Presto: its options and what everybody sees; the whole position as a diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from moderator.errors import ConfigError, PlayerError
from moderator.games.typdom.presto_layout import Layout, read_rows, used
from moderator.games.typdom.state import check as check_option
from moderator.games.typdom.tiles import BLACK, RED, named
from moderator.match.contract import Context, State
from moderator.match.diagram import Diagram, written


@dataclass(frozen=True)
class Options:
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

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
class Public:
    """What everybody sees. Layouts are secret until their round is over, see ``State.private``."""

    options: Options
    round: int = 1
    finished: tuple[int, ...] = ()
    """Seats that have finished in this round, the first first."""
    gave_up: tuple[int, ...] = ()
    """Seats that are out of this round without a layout."""
    gains: tuple[int, ...] = ()
    """Per seat the points of this round."""
    last: tuple[tuple[int, Layout], ...] = ()
    """(seat, layout) of those that finished the round before, or the last one of the match, the first first."""
    empty: int = 0
    """Rounds in a row that nobody finished."""


# ---- the whole position, as somebody writes it down ----


def write_diagram(state: State[Public]) -> dict[str, Any]:
    """Per seat ``layout``, the rows of a crossword that is right, and ``gains`` of this round; ``finished`` and
    ``gave_up``: seats; ``empty``: rounds in a row that nobody finished."""
    public = state.public
    layouts = tuple(list(own.rows) if isinstance(own, Layout) else [] for own in state.private)
    return written(
        state,
        finished=list(public.finished),
        gave_up=list(public.gave_up),
        gains=public.gains,
        empty=public.empty,
        layout=layouts,
    )


def read_diagram(diagram: Diagram, options: Options, ctx: Context) -> State[Public]:
    """The opposite; what is forced then has not happened yet."""
    round = diagram.round()
    layouts = diagram.per_seat(lambda seat: _read_layout(diagram, seat))
    finished, gave_up = diagram.several("finished"), diagram.several("gave_up")
    drawn = {seat for seat, own in enumerate(layouts) if own is not None}
    if drawn != set(finished) or len(finished) > len(drawn):
        diagram.wrong(("finished",), "those who have finished, and nobody else, have a layout.")
    hands = diagram.racks(named, finished)
    lying = [tile for own in layouts if own is not None for tile in used(own).elements()]
    stock = diagram.stock((*RED, *BLACK), lying, hands, named, ctx, round)
    gains = diagram.per_seat(lambda seat: diagram.whole("gains", seat=seat))
    public = Public(options, round, finished, gave_up, gains, empty=diagram.whole("empty"))
    to_move = tuple(seat for seat in range(diagram.seats) if seat not in finished and seat not in gave_up)
    return State(public, hands, stock, diagram.scores(), to_move, layouts)


def _read_layout(diagram: Diagram, seat: int) -> Layout | None:
    rows = diagram.lines("layout", seat)
    try:
        return read_rows(rows, "") if rows else None
    except PlayerError as error:
        diagram.wrong(("player", seat, "layout"), f"this is no crossword ({error.code}).")
        return None
