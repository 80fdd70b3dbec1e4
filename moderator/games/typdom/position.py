"""The table as plain JSON, for programs that show it and compose a move; and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.errors import RecordError
from moderator.games.typdom import board, recht_state, state
from moderator.games.typdom.board import Direction, Run, Table, index, name, run_through

STAKES = (1, 2)
"""How often a game may count."""


def write(public: state.Public) -> dict[str, Any]:
    """{"squares": {"T20": "E", "U20": "*A"}, "fresh": squares laid last, "stock": tiles left by colour, "starter",
    "stake", "passes", "out"}."""
    table = public.table
    return {
        "squares": board.export(table),
        "fresh": _names(public.fresh, table),
        "stock": dict(public.left),
        "starter": public.starter,
        "stake": public.stake,
        "passes": public.passes,
        "out": public.out,
    }


def read(values: Mapping[str, Any], options: state.Options, seats: int, round: int) -> state.Public:
    """The opposite of ``write``."""
    return state.Public(options, **_common(values, options, seats, round))


def _common(values: Mapping[str, Any], options: state.Options, seats: int, round: int) -> dict[str, Any]:
    stock = values["stock"]
    if values["stake"] not in STAKES:
        raise RecordError(f"No game counts {values['stake']!r} times.")
    check_seats([values["starter"], *([] if values.get("out") is None else [values["out"]])], seats)
    if min(*stock.values(), values["passes"]) < 0:
        raise RecordError("A number of tiles or passes is below 0.")
    return {
        "table": board.read(values["squares"], options.table_size),
        "round": round,
        "starter": int(values["starter"]),
        "stake": int(values["stake"]),
        "passes": int(values["passes"]),
        "left": {"red": int(stock["red"]), "black": int(stock["black"])},
        "out": None if values.get("out") is None else int(values["out"]),
        "gains": ((),) * seats,
        "fresh": tuple(index(square, options.table_size) for square in values["fresh"]),
    }


def check_seats(found: Iterable[int], seats: int) -> None:
    """Raises RecordError."""
    for seat in found:
        if seat not in range(seats):
            raise RecordError(f"There is no seat {seat!r}.")


def _names(squares: Run, table: Table) -> list[str]:
    return [name(square, table.size) for square in squares]


# ---- Wer behält recht?: the word in the making ----


def write_recht(public: recht_state.Public) -> dict[str, Any]:
    """The same, and "running" {"square", "direction", "letters", "word", "author", "places": first squares},
    "finished", "bought", "completing", "gone"."""
    table, running, finished = public.table, public.running, public.finished
    found = write(public)
    del found["out"]
    return found | {
        "running": None
        if running is None
        else _run(running.direction, running.run, table)
        | {
            "word": running.word,
            "author": running.author,
            "places": [name(place[0], table.size) for place in running.places],
        },
        "finished": None if finished is None else _run(finished.direction, finished.run, table),
        "bought": public.bought,
        "completing": public.completing,
        "gone": list(public.gone),
    }


def _run(direction: Direction, run: Run, table: Table) -> dict[str, Any]:
    return {"square": name(run[0], table.size), "direction": direction, "letters": table.text(run)}


def read_recht(values: Mapping[str, Any], options: recht_state.Options, seats: int, round: int) -> recht_state.Public:
    """The opposite of ``write_recht``."""
    public = recht_state.Public(options, **_common(values, options, seats, round))
    running, finished = values["running"], values["finished"]
    check_seats(values["gone"], seats)
    public = replace(
        public,
        bought=bool(values["bought"]),
        completing=bool(values["completing"]),
        gone=tuple(int(seat) for seat in values["gone"]),
    )
    if finished is not None:
        public = replace(public, finished=recht_state.Finished(*_read_run(finished, public.table)))
    if running is None:
        return public
    direction, run = _read_run(running, public.table)
    word, step, size = str(running["word"]), public.table.step(direction), public.table.size
    starts = [index(square, size) for square in running["places"]]
    places = tuple(tuple(range(start, start + len(word) * step, step)) for start in starts)
    author = None if running["author"] is None else int(running["author"])
    check_seats([] if author is None else [author], seats)
    return replace(public, running=recht_state.Running(direction, run, word, author, places))


def _read_run(values: Mapping[str, Any], table: Table) -> tuple[Direction, Run]:
    direction: Direction = "w" if values["direction"] == "w" else "s"
    return direction, run_through(table, index(values["square"], table.size), direction)
