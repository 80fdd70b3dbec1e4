"""The whole position of the games with a common table, as somebody writes it down: Kreuzwort-Spiel, Point-Typ-Dom and
»Wer behält recht?«."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from moderator.common.errors import Illegal
from moderator.games.typdom import recht_state, state
from moderator.games.typdom.board import (
    Direction,
    Run,
    TypdomTable,
    get_square_index,
    get_square_name,
    get_tile_run,
    list_square_neighbours,
    list_table_runs,
    split_starred_word,
)
from moderator.games.typdom.recht_flow import list_completions
from moderator.games.typdom.tiles import BLACK, RED, STARS, count_colours, find_typdom_tile, to_rack_tile
from moderator.rules.game import Context, State
from moderator.rules.position import Diagram, written

_WORD = re.compile(r"([A-Z]{1,2}\d{1,2})\s+([WS])\s+((?:\*?[A-Z])+)")


def encode_typdom_diagram(now: State[Any]) -> dict[str, Any]:
    """Return ``board``: the words that lie, ``T20 w PO*LA``; ``starter`` of this game, ``stake``, ``passes`` in a row;
    ``out``: the seat that is, while the round is being finished; per seat ``gains`` of this game."""
    public = now.public
    return written(
        now,
        turn=now.to_move[0],
        board=_list_words(public.table),
        starter=public.starter,
        stake=public.stake,
        passes=public.passes,
        gains=public.gains,
        **({} if public.out is None else {"out": [public.out]}),
    )


def decode_typdom_diagram(diagram: Diagram, options: state.TypdomOptions, ctx: Context) -> State[state.TypdomPublic]:
    """Return the state of a diagram, as the opposite of ``encode_typdom_diagram``."""
    out = diagram.several("out")
    found, common = _decode_common_fields(diagram, options, ctx, range(diagram.seats) if out else ())
    return replace(found, public=state.TypdomPublic(options, **common, out=out[0] if out else None))


def _decode_common_fields(
    diagram: Diagram, options: Any, ctx: Context, empty: Collection[int]
) -> tuple[State[Any], dict[str, Any]]:
    """Return the state without its public part, and of that part the fields that these games have in common."""
    round, seat = diagram.round(), diagram.turn()
    table = _decode_table(diagram, options.table_size)
    hands = diagram.racks(find_typdom_tile, empty)
    lying = [to_rack_tile(tile) for tile in table.squares.values()]
    stock = diagram.stock((*RED, *BLACK), lying, hands, find_typdom_tile, ctx, round)
    public = {
        "table": table,
        "round": round,
        "starter": diagram.who("starter", 0) or 0,
        "stake": diagram.whole("stake", 1, least=1, most=2),
        "passes": diagram.whole("passes"),
        "left": count_colours(stock),
        "gains": diagram.per_seat(lambda one: diagram.numbers("gains", one)),
    }
    return State(None, hands, stock, diagram.scores(), (seat,)), public


def _list_words(table: TypdomTable) -> list[str]:
    """Return every word, and every tile that is in none."""
    runs = [*list_table_runs(table)]
    inside = {square for run in runs for square in run}
    runs += [(square,) for square in sorted(table.squares) if square not in inside]
    return [_format_word(table, run) for run in runs]


def _format_word(table: TypdomTable, run: Run) -> str:
    direction = "s" if len(run) > 1 and run[1] - run[0] > 1 else "w"
    return f"{get_square_name(run[0], table.size)} {direction} {''.join(table.squares[square] for square in run)}"


def _decode_table(diagram: Diagram, size: int) -> TypdomTable:
    squares: dict[int, str] = {}
    for n, entry in enumerate(diagram.lines("board")):
        found = _WORD.fullmatch(entry.translate(STARS).strip().upper())
        if found is None:
            diagram.wrong(("board", n), f"{entry!r} is no word; expected for example T20 w POLA or U22 s *PHON.")
            continue
        letters = split_starred_word(found[3])
        try:
            first = get_square_index(found[1], size)
        except Illegal:
            diagram.wrong(("board", n), f"there is no square {found[1]} on a table of {size}.")
            continue
        y, x = divmod(first, size)
        if len(letters) > size - (x if found[2] == "W" else y):
            diagram.wrong(("board", n), f"{entry!r} goes beyond the table.")
            continue
        step = 1 if found[2] == "W" else size
        for square, tile in zip(range(first, first + len(letters) * step, step), letters, strict=True):
            if squares.setdefault(square, tile) != tile:
                diagram.wrong(
                    ("board", n), f"on {get_square_name(square, size)} lie both {squares[square]} and {tile}."
                )
    table = TypdomTable(size, squares)
    if not diagram.faults and squares and not _is_connected(table):
        diagram.wrong(("board",), "the words do not hang together.")
    return table


def _is_connected(table: TypdomTable) -> bool:
    waiting = [min(table.squares)]
    reached = set(waiting)
    while waiting:
        found = {near for near in list_square_neighbours(waiting.pop(), table.size) if near in table.squares} - reached
        reached |= found
        waiting += found
    return len(reached) == len(table.squares)


# ---- Wer behält recht?: the word in the making ----


def encode_recht_diagram(now: State[recht_state.RechtPublic]) -> dict[str, Any]:
    """Return the values of ``encode_typdom_diagram``; ``running``: the word in the making, with the squares on which it
    may begin; ``finished``: the word completed last; ``bought``, ``completing``: what the seat to move has done or must
    do; ``gone``: the seats that are out."""
    public = now.public
    found = encode_typdom_diagram(now)
    running, finished = public.running, public.finished
    if running is not None:
        found["running"] = _encode_run(running.direction, running.run, public.table)
    if running is not None and running.author is not None:
        places = [get_square_name(place[0], public.table.size) for place in running.places]
        found["running"] |= {"word": running.word, "author": running.author, "places": places}
    if finished is not None:
        found["finished"] = _encode_run(finished.direction, finished.run, public.table)
    flags = {"bought": public.bought, "completing": public.completing, "gone": list(public.gone)}
    return found | {key: value for key, value in flags.items() if value}


def _encode_run(direction: Direction, run: Run, table: TypdomTable) -> dict[str, Any]:
    return {"square": get_square_name(run[0], table.size), "direction": direction}


def decode_recht_diagram(
    diagram: Diagram, options: recht_state.RechtOptions, ctx: Context
) -> State[recht_state.RechtPublic]:
    """Return the state of a diagram, as the opposite of ``encode_recht_diagram``. One whose announcement has gone round
    completes it first, unless it chooses where: `completing`."""
    gone = diagram.several("gone")
    found, common = _decode_common_fields(diagram, options, ctx, gone)
    table = common["table"]
    public = recht_state.RechtPublic(options, **common)
    finished = _decode_run(diagram, "finished", table)
    public = replace(
        public,
        running=_decode_running(diagram, table, ctx),
        finished=None if finished is None else recht_state.FinishedWord(*finished),
        bought=diagram.flag("bought"),
        completing=diagram.flag("completing"),
        gone=gone,
    )
    found = replace(found, public=public)
    if not diagram.faults:
        _check_turn(diagram, found)
    return found


def _check_turn(diagram: Diagram, state: State[recht_state.RechtPublic]) -> None:
    """Check that the seat to move of a diagram can do all that it has to."""
    public, (seat,) = state.public, state.to_move
    own = public.running is not None and public.running.author == seat
    if seat in public.gone:
        diagram.wrong(("turn",), "who is gone has no turn.")
    if len(set(public.gone)) > state.seats - 2:
        diagram.wrong(("gone",), "at least two are still in the game.")
    if public.running is not None and public.running.author in public.gone:
        diagram.wrong(("running",), "who is gone has no announcement.")
    if public.completing and not (own and list_completions(public, state.hands[seat])):
        diagram.wrong(("completing",), "who is to move has announced no word that the own tiles complete.")
    if own and not public.completing:
        diagram.wrong(("turn",), "the announcement has gone round: complete it first, then write the diagram.")


def _decode_run(diagram: Diagram, key: str, table: TypdomTable) -> tuple[Direction, Run] | None:
    values = diagram.get(key)
    if values is None:
        return None
    if not isinstance(values, dict) or values.get("direction") not in ("w", "s"):
        diagram.wrong((key,), 'expected for example { square = "T20", direction = "w" }.')
        return None
    direction: Direction = "w" if values["direction"] == "w" else "s"
    try:
        first = get_square_index(str(values.get("square")).upper(), table.size)
    except Illegal:
        first = -1
    if first not in table.squares:
        diagram.wrong((key,), f"nothing lies on {values.get('square')}.")
        return None
    return direction, get_tile_run(table, first, direction)


def _decode_running(diagram: Diagram, table: TypdomTable, ctx: Context) -> recht_state.WordInProgress | None:
    found = _decode_run(diagram, "running", table)
    author = diagram.who("author", inside="running")
    if found is None:
        return None
    direction, run = found
    values = diagram.values["running"]
    word, given = values.get("word", ""), values.get("places", [])
    if not isinstance(word, str):
        diagram.wrong(("running",), f"word is {word!r}; expected a text in quotes.")
        return None
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        diagram.wrong(("running",), f"places is {given!r}; expected squares in quotes, in [ ].")
        return None
    word = word.upper()
    if not word:
        return recht_state.WordInProgress(direction, run)
    places = recht_state.list_word_places(table, direction, run, word)
    if values.get("places") is None:
        # Kept with the match: the dictionary is not asked again when it is played again.
        fitting = (place for place in places if _is_admissible(table, direction, place, word, ctx))
        values["places"] = [get_square_name(place[0], table.size) for place in fitting]
    places = tuple(place for place in places if get_square_name(place[0], table.size) in values["places"])
    if not places or len(word) <= len(run):
        diagram.wrong(("running",), f"{word} cannot grow out of {table.get_run_text(run)}.")
    if author is None:
        diagram.wrong(("running",), "who has announced the word, author, is missing.")
    return recht_state.WordInProgress(direction, run, word, author, places)


def _is_admissible(table: TypdomTable, direction: Direction, place: Run, word: str, ctx: Context) -> bool:
    return all(
        ctx.words.judge(text).ruling == "accept"
        for text in recht_state.list_words_across(table, direction, place, word)
    )
