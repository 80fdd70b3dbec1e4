"""Values of Presto: its options and what everybody sees; its positions as plain values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from moderator.common.errors import ConfigError, PlayerError, RecordError
from moderator.games.typdom.board import SIZE, decode_table_squares, encode_table_squares
from moderator.games.typdom.presto_layout import (
    CrosswordLayout,
    build_crossword,
    count_used_tiles,
    parse_crossword_rows,
)
from moderator.games.typdom.state import check_option_range as check_option
from moderator.games.typdom.tiles import BLACK, RED, find_typdom_tile
from moderator.rules.game import State
from moderator.rules.position import PLAYERS, Audience, Diagram, PositionCodec
from moderator.rules.state import Context


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


# ---- positions as plain values ----


class PrestoCodec(PositionCodec[PrestoPublic]):
    """``finished`` and ``gave_up``: seats; ``last``, in a record ``layouts``: the crosswords of the round before, as
    ``rows`` or ``squares``; in a diagram, per seat, ``layout``, the rows of a crossword that is right, and ``gains`` of
    this round; ``empty``: rounds in a row that nobody finished."""

    def write(self, state: State[PrestoPublic], audience: Audience) -> dict[str, Any]:
        public = state.public
        seats = {"finished": list(public.finished), "gave_up": list(public.gave_up)}
        if audience is Audience.DIAGRAM:
            layouts = tuple(list(own.rows) if isinstance(own, CrosswordLayout) else [] for own in state.private)
            return {**seats, "gains": public.gains, "empty": public.empty, "layout": layouts}
        if audience is Audience.SEAT:
            return {**seats, "last": [{"seat": seat, "rows": list(layout.rows)} for seat, layout in public.last]}
        last = [{"seat": seat, "squares": encode_table_squares(layout.table)} for seat, layout in public.last]
        return {"squares": last[0]["squares"] if last else {}, "layouts": last, "round": public.round, **seats}

    def read(
        self, values: Diagram, options: PrestoOptions, audience: Audience, ctx: Context | None
    ) -> State[PrestoPublic]:
        seats = range(values.seats)
        finished, gave_up = values.several("finished"), values.several("gave_up")
        gains = values.per_seat(lambda seat: values.whole("gains", seat=seat))
        public = PrestoPublic(options, values.round(), finished, gave_up, gains)
        private: tuple[CrosswordLayout | None, ...] = ()
        if audience is Audience.DIAGRAM:
            public = replace(public, empty=values.whole("empty"))
            private = values.per_seat(lambda seat: _read_layout(values, seat))
            drawn = {seat for seat in seats if private[seat] is not None}
            if drawn != set(finished) or len(finished) > len(drawn):
                values.wrong(("finished",), "those who have finished, and nobody else, have a layout.")
        else:
            rows = audience is Audience.SEAT
            last = values.get("last" if rows else "layouts")
            found = [
                (int(one["seat"]), parse_crossword_rows(one["rows"], "") if rows else _read_squares(one))
                for one in last
            ]
            if not {seat for seat, _ in found} <= set(seats):
                raise RecordError("A crossword is of no seat.")
            public = replace(public, last=tuple(found))
        to_move = tuple(seat for seat in seats if seat not in finished and seat not in gave_up)
        return State(public, (), (), (), to_move, private)

    def find_tile(self, text: str) -> str | None:
        return find_typdom_tile(text)

    def list_box(self, state: State[PrestoPublic]) -> tuple[str, ...]:
        return *RED, *BLACK

    def list_lying(self, state: State[PrestoPublic]) -> list[str]:
        return [tile for own in state.private if own is not None for tile in count_used_tiles(own).elements()]

    def read_hands(self, values: Diagram, state: State[PrestoPublic]) -> tuple[tuple[str, ...], ...]:
        return values.racks(find_typdom_tile, state.public.finished)


def _read_squares(values: Mapping[str, Any]) -> CrosswordLayout:
    squares = decode_table_squares(values["squares"]).squares
    return build_crossword({(at % SIZE, at // SIZE): tile for at, tile in squares.items()})


def _read_layout(values: Diagram, seat: int) -> CrosswordLayout | None:
    rows = values.lines("layout", seat)
    try:
        return parse_crossword_rows(rows, "") if rows else None
    except PlayerError as error:
        values.wrong((PLAYERS, seat, "layout"), f"this is no crossword ({error.code}).")
        return None
