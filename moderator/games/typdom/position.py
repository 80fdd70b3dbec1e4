"""The table as plain JSON, for programs that show it and compose a move; and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.common.errors import RecordError
from moderator.games.typdom import board, recht_state, state
from moderator.games.typdom.board import Direction, Run, TypdomTable, get_square_index, get_square_name, get_tile_run

STAKES = (1, 2)
"""How often a game may count."""


def encode_typdom_table(public: state.TypdomPublic) -> dict[str, Any]:
    """{"squares": {"T20": "E", "U20": "*A"}, "fresh": squares laid last, "stock": tiles left by colour, "starter",
    "stake", "passes", "out"}."""
    table = public.table
    return {
        "squares": board.encode_table_squares(table),
        "fresh": _list_square_names(public.fresh, table),
        "stock": dict(public.left),
        "starter": public.starter,
        "stake": public.stake,
        "passes": public.passes,
        "out": public.out,
    }


def decode_typdom_table(
    values: Mapping[str, Any], options: state.TypdomOptions, seats: int, round_number: int
) -> state.TypdomPublic:
    """Return the table, as the opposite of ``encode_typdom_table``. Raises RecordError."""
    return state.TypdomPublic(options, **_decode_common_fields(values, options, seats, round_number))


def _decode_common_fields(
    values: Mapping[str, Any], options: state.TypdomOptions, seats: int, round_number: int
) -> dict[str, Any]:
    stock = values["stock"]
    if values["stake"] not in STAKES:
        raise RecordError(f"No game counts {values['stake']!r} times.")
    check_known_seats([values["starter"], *([] if values.get("out") is None else [values["out"]])], seats)
    if min(*stock.values(), values["passes"]) < 0:
        raise RecordError("A number of tiles or passes is below 0.")
    return {
        "table": board.decode_table_squares(values["squares"], options.table_size),
        "round": round_number,
        "starter": int(values["starter"]),
        "stake": int(values["stake"]),
        "passes": int(values["passes"]),
        "left": {"red": int(stock["red"]), "black": int(stock["black"])},
        "out": None if values.get("out") is None else int(values["out"]),
        "gains": ((),) * seats,
        "fresh": tuple(get_square_index(square, options.table_size) for square in values["fresh"]),
    }


def check_known_seats(found: Iterable[int], seats: int) -> None:
    """Check that all of these are seats. Raises RecordError."""
    for seat in found:
        if seat not in range(seats):
            raise RecordError(f"There is no seat {seat!r}.")


def _list_square_names(squares: Run, table: TypdomTable) -> list[str]:
    return [get_square_name(square, table.size) for square in squares]


# ---- Wer behält recht?: the word in the making ----


def encode_recht_table(public: recht_state.RechtPublic) -> dict[str, Any]:
    """Return the values of ``encode_typdom_table``, and "running" {"square", "direction", "letters", "word", "author",
    "places": first squares}, "finished", "bought", "completing", "gone"."""
    table, running, finished = public.table, public.running, public.finished
    found = encode_typdom_table(public)
    del found["out"]
    return found | {
        "running": None
        if running is None
        else _encode_run(running.direction, running.run, table)
        | {
            "word": running.word,
            "author": running.author,
            "places": [get_square_name(place[0], table.size) for place in running.places],
        },
        "finished": None if finished is None else _encode_run(finished.direction, finished.run, table),
        "bought": public.bought,
        "completing": public.completing,
        "gone": list(public.gone),
    }


def _encode_run(direction: Direction, run: Run, table: TypdomTable) -> dict[str, Any]:
    return {"square": get_square_name(run[0], table.size), "direction": direction, "letters": table.get_run_text(run)}


def decode_recht_table(
    values: Mapping[str, Any], options: recht_state.RechtOptions, seats: int, round_number: int
) -> recht_state.RechtPublic:
    """Return the table, as the opposite of ``encode_recht_table``. Raises RecordError."""
    public = recht_state.RechtPublic(options, **_decode_common_fields(values, options, seats, round_number))
    running, finished = values["running"], values["finished"]
    check_known_seats(values["gone"], seats)
    public = replace(
        public,
        bought=bool(values["bought"]),
        completing=bool(values["completing"]),
        gone=tuple(int(seat) for seat in values["gone"]),
    )
    if finished is not None:
        public = replace(public, finished=recht_state.FinishedWord(*_decode_run(finished, public.table)))
    if running is None:
        return public
    direction, run = _decode_run(running, public.table)
    word, step, size = str(running["word"]), public.table.get_step(direction), public.table.size
    starts = [get_square_index(square, size) for square in running["places"]]
    places = tuple(tuple(range(start, start + len(word) * step, step)) for start in starts)
    author = None if running["author"] is None else int(running["author"])
    check_known_seats([] if author is None else [author], seats)
    return replace(public, running=recht_state.WordInProgress(direction, run, word, author, places))


def _decode_run(values: Mapping[str, Any], table: TypdomTable) -> tuple[Direction, Run]:
    direction: Direction = "w" if values["direction"] == "w" else "s"
    return direction, get_tile_run(table, get_square_index(values["square"], table.size), direction)
