"""A game as plain values: what a record may fix of the first one, and what is exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, State
from moderator.errors import Illegal, RecordError
from moderator.games.typdom import board
from moderator.games.typdom.board import Direction, Run, Table, index, name, run_through
from moderator.games.typdom.recht_line import places, words_across
from moderator.games.typdom.recht_state import Finished, Options, Public, Running
from moderator.games.typdom.tiles import as_held, counted, deal, read_deal

HINT = (
    'For example {"squares": {"T20": "A"}, '
    '"running": {"square": "T20", "direction": "s", "word": "NAHT", "author": 1}}.'
)


def first_state(
    seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]
) -> tuple[State[Public], int | None]:
    """(the first deal, with nobody to move; the seat that a record lets begin). Raises OperatorError, RecordError."""
    public = _read_board(fixed.get("board") or {}, options, seats, ctx)
    if "racks" in fixed:
        hands, stock = read_deal(fixed, seats)
        if not all(hands):
            raise RecordError("A rack of racks is empty.", "Each seat needs at least one tile.")
    elif "stock" in fixed:
        raise RecordError("A stock without racks cannot be dealt.", "Give racks as well, or neither.")
    else:
        lying = [as_held(tile) for tile in public.table.squares.values()]
        hands, stock = deal(1, seats, *options.hand, ctx.shuffle, lying)
    starter = fixed.get("starter")
    if starter is not None and (not isinstance(starter, int) or not 0 <= starter < seats):
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    public = replace(public, left=counted(stock), gains=((),) * seats)
    return State(public, hands, stock, (0,) * seats, ()), starter


def _read_board(values: Any, options: Options, seats: int, ctx: Context) -> Public:
    """Squares alone, or {"squares", "running", "finished"} as they are exported."""
    whole = isinstance(values, Mapping) and "squares" in values
    if whole and (unknown := set(values) - {"squares", "running", "finished"}):
        raise RecordError(f"board: {', '.join(sorted(map(str, unknown)))} is not known.", HINT)
    table = board.read(values["squares"] if whole else values, options.table_size)
    public = Public(options=options, table=table)
    if not whole:
        return public
    running, finished = values.get("running"), values.get("finished")
    if running:
        public = replace(public, running=_read_running(running, table, seats, ctx))
    if finished:
        direction, run = _read_run(finished, table, "finished")
        public = replace(public, finished=Finished(direction, run))
    return public


def _read_run(values: Any, table: Table, where: str) -> tuple[Direction, Run]:
    if not isinstance(values, Mapping) or values.get("direction") not in ("w", "s"):
        raise RecordError(f"board: {where} has the wrong shape.", HINT)
    squares = values.get("squares") or [values.get("square")]
    direction: Direction = "w" if values["direction"] == "w" else "s"
    try:
        first = index(str(squares[0]).upper(), table.size)
    except Illegal:
        raise RecordError(f"board: {where}: there is no square {squares[0]!r}.", HINT) from None
    if first not in table.squares:
        raise RecordError(f"board: {where}: nothing lies on {squares[0]}.", HINT)
    return direction, run_through(table, first, direction)


def _read_running(values: Any, table: Table, seats: int, ctx: Context) -> Running:
    direction, run = _read_run(values, table, "running")
    word, author = values.get("word") or "", values.get("author")
    if not word:
        return Running(direction, run)
    if not isinstance(author, int) or not 0 <= author < seats:
        raise RecordError(f"board: running: author = {author!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    fitting = tuple(
        place
        for place in places(table, direction, run, str(word))
        if all(ctx.words.judge(text).ruling == "accept" for text in words_across(table, direction, place, str(word)))
    )
    if not fitting or len(word) <= len(run):
        raise RecordError(f"board: running: {word} cannot grow out of {table.text(run)}.", HINT)
    return Running(direction, run, str(word), author, fitting)


def export(public: Public) -> dict[str, Any]:
    """What everybody sees as plain JSON; RULES.md lists the keys."""
    table, running, finished = public.table, public.running, public.finished
    return {
        "squares": board.export(table),
        "stock": dict(public.left),
        "round": public.round,
        "starter": public.starter,
        "stake": public.stake,
        "running": None if running is None else _running(running, table),
        "finished": None if finished is None else _run(finished.direction, finished.run, table),
        "passes": public.passes,
        "bought": public.bought,
        "completing": public.completing,
        "out": list(public.gone),
    }


def _run(direction: Direction, run: Run, table: Table) -> dict[str, Any]:
    return {"squares": _names(run, table), "direction": direction, "letters": table.text(run)}


def _running(running: Running, table: Table) -> dict[str, Any]:
    return {
        **_run(running.direction, running.run, table),
        "word": running.word,
        "author": running.author,
        "places": [_names(place, table) for place in running.places],
    }


def _names(run: Run, table: Table) -> list[str]:
    return [name(square, table.size) for square in run]
