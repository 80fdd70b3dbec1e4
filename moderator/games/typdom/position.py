"""Positions of the games with a common table, Kreuzwort-Spiel, Point-Typ-Dom and »Wer behält recht?«, as plain values,
for each who reads them, and back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, TypeVar

from moderator.common.errors import Illegal, RecordError
from moderator.games.typdom import state as common
from moderator.games.typdom.board import (
    Direction,
    Run,
    TypdomTable,
    decode_table_squares,
    encode_table_squares,
    get_square_index,
    get_square_name,
    get_tile_run,
    list_table_runs,
    split_starred_word,
)
from moderator.games.typdom.presto_state import list_connected_parts
from moderator.games.typdom.recht_flow import list_completions
from moderator.games.typdom.recht_state import (
    FinishedWord,
    RechtOptions,
    RechtPublic,
    WordInProgress,
    list_word_places,
    list_words_across,
)
from moderator.games.typdom.tiles import BLACK, RED, STARS, Colour, count_colours, find_typdom_tile, to_rack_tile
from moderator.rules.codec import Audience, PositionCodec
from moderator.rules.game import State
from moderator.rules.position import Diagram
from moderator.rules.state import Context

P = TypeVar("P", bound=common.TypdomPublic)
_WORD = re.compile(r"([A-Z]{1,2}\d{1,2})\s+([WS])\s+((?:\*?[A-Z])+)")


class CommonTableCodec(PositionCodec[P]):
    """``squares``: ``{"T20": "E", "U20": "*A"}``, in a diagram ``board``: the words that lie, ``T20 w PO*LA``;
    ``fresh``: squares laid last; ``stock``: tiles left by colour; ``starter`` of this game, ``stake``, ``passes`` in a
    row; ``gains`` of this game."""

    def write(self, state: State[P], audience: Audience) -> dict[str, Any]:
        public, table = state.public, state.public.table
        facts = {"starter": public.starter, "stake": public.stake}
        if audience is Audience.DIAGRAM:
            # Every word, and every tile that is in none.
            runs = [*list_table_runs(table)]
            inside = {square for run in runs for square in run}
            runs += [(square,) for square in sorted(table.squares) if square not in inside]
            found = {"turn": state.to_move[0], "board": [_format_word(table, run) for run in runs], **facts}
            return found | {"passes": public.passes, "gains": public.gains}
        squares, stock = encode_table_squares(table), dict(public.left)
        if audience is Audience.RECORD:
            return {"squares": squares, "stock": stock, "round": public.round, **facts}
        fresh = [get_square_name(square, table.size) for square in public.fresh]
        return {"squares": squares, "fresh": fresh, "stock": stock, **facts, "passes": public.passes}

    def read_common(self, values: Diagram, options: Any, audience: Audience) -> tuple[tuple[int, ...], dict[str, Any]]:
        """Return the seat to move, and the fields that these games have in common."""
        seat, size = 0, options.table_size
        fresh: tuple[int, ...] = ()
        left: dict[Colour, int] = {}
        if audience is Audience.DIAGRAM:
            seat = values.turn()
            table = _read_words(values, size)
        else:
            table = decode_table_squares(values.get("squares"), size)
            fresh = tuple(get_square_index(square, size) for square in values.get("fresh") or ())
            stock = values.get("stock") or {"red": 0, "black": 0}
            left = {"red": int(stock["red"]), "black": int(stock["black"])}
            if min(left.values()) < 0:
                raise RecordError("A number of tiles is below 0.")
        return (seat,), {
            "table": table,
            "round": values.round(),
            "starter": values.seat("starter"),
            "stake": values.whole("stake", 1, least=1, most=2),
            "passes": values.whole("passes"),
            "left": left,
            "gains": values.gains(),
            "fresh": fresh,
        }

    def find_tile(self, text: str) -> str | None:
        return find_typdom_tile(text)

    def list_box(self, state: State[P]) -> tuple[str, ...]:
        return *RED, *BLACK

    def list_lying(self, state: State[P]) -> list[str]:
        return [to_rack_tile(tile) for tile in state.public.table.squares.values()]

    def complete(self, state: State[P], values: Diagram) -> State[P]:
        return replace(state, public=replace(state.public, left=count_colours(state.stock)))


class TypdomCodec(CommonTableCodec[common.TypdomPublic]):
    """And ``out``: the seat that is, while the round is being finished; in a diagram a list."""

    def write(self, state: State[common.TypdomPublic], audience: Audience) -> dict[str, Any]:
        found, out = super().write(state, audience), state.public.out
        if audience is Audience.RECORD:
            return found
        return found | {"out": out if audience is Audience.SEAT else [] if out is None else [out]}

    def read(
        self, values: Diagram, options: common.TypdomOptions, audience: Audience, ctx: Context | None
    ) -> State[common.TypdomPublic]:
        to_move, facts = self.read_common(values, options, audience)
        out = next(iter(values.several("out")), None) if audience is Audience.DIAGRAM else values.who("out")
        return State(common.TypdomPublic(options, out=out, **facts), (), (), (), to_move)

    def read_hands(self, values: Diagram, state: State[common.TypdomPublic]) -> tuple[tuple[str, ...], ...]:
        return values.racks(find_typdom_tile, () if state.public.out is None else range(values.seats))


# ---- the words of a table ----


def _format_word(table: TypdomTable, run: Run) -> str:
    direction = "s" if len(run) > 1 and run[1] - run[0] > 1 else "w"
    return f"{get_square_name(run[0], table.size)} {direction} {''.join(table.squares[square] for square in run)}"


def _read_words(values: Diagram, size: int) -> TypdomTable:
    squares: dict[int, str] = {}
    for n, entry in enumerate(values.lines("board")):
        found = _WORD.fullmatch(entry.translate(STARS).strip().upper())
        if found is None:
            values.wrong(("board", n), f"{entry!r} is no word; expected for example T20 w POLA or U22 s *PHON.")
            continue
        letters = split_starred_word(found[3])
        try:
            first = get_square_index(found[1], size)
        except Illegal:
            values.wrong(("board", n), f"there is no square {found[1]} on a table of {size}.")
            continue
        y, x = divmod(first, size)
        if len(letters) > size - (x if found[2] == "W" else y):
            values.wrong(("board", n), f"{entry!r} goes beyond the table.")
            continue
        step = 1 if found[2] == "W" else size
        for square, tile in zip(range(first, first + len(letters) * step, step), letters, strict=True):
            if squares.setdefault(square, tile) != tile:
                name = get_square_name(square, size)
                values.wrong(("board", n), f"on {name} lie both {squares[square]} and {tile}.")
    table = TypdomTable(size, squares)
    if not values.faults and len(list_connected_parts(table)) > 1:
        values.wrong(("board",), "the words do not hang together.")
    return table


# ---- Wer behält recht?: the word in the making ----


class RechtCodec(CommonTableCodec[RechtPublic]):
    """And ``running``: the word in the making, with its ``author`` and the squares on which it may begin, ``places``;
    ``finished``: the word completed last; ``bought``, ``completing``: what the seat to move has done or must do;
    ``gone``, in a record ``out``: the seats that are out."""

    def encode(self, state: State[RechtPublic], audience: Audience) -> dict[str, Any]:
        found, public = super().encode(state, audience), state.public
        running, finished = (
            None if word is None else _write_word(word, public.table, audience)
            for word in (public.running, public.finished)
        )
        more = {"running": running, "finished": finished}
        flags = {"bought": public.bought, "completing": public.completing, _GONE[audience]: list(public.gone)}
        if audience is Audience.DIAGRAM:
            return found | {key: value for key, value in (more | flags).items() if value}
        return found | more | ({"passes": public.passes} if audience is Audience.RECORD else {}) | flags

    def read(
        self, values: Diagram, options: RechtOptions, audience: Audience, ctx: Context | None
    ) -> State[RechtPublic]:
        to_move, facts = self.read_common(values, options, audience)
        table = facts["table"]
        finished = _read_run(values, "finished", table)
        public = RechtPublic(
            options,
            **facts,
            running=_read_running(values, table, ctx),
            finished=None if finished is None else FinishedWord(*finished),
            bought=values.flag("bought"),
            completing=values.flag("completing"),
            gone=values.several(_GONE[audience]),
        )
        return State(public, (), (), (), to_move)

    def read_hands(self, values: Diagram, state: State[RechtPublic]) -> tuple[tuple[str, ...], ...]:
        return values.racks(find_typdom_tile, state.public.gone)

    def complete(self, state: State[RechtPublic], values: Diagram) -> State[RechtPublic]:
        """Check that the seat to move can do all that it has to. One whose announcement has gone round completes it
        first, unless it chooses where: ``completing``."""
        state = super().complete(state, values)
        public, (seat,) = state.public, state.to_move
        if values.faults:
            return state
        own = public.running is not None and public.running.author == seat
        if seat in public.gone:
            values.wrong(("turn",), "who is gone has no turn.")
        if len(set(public.gone)) > state.seats - 2:
            values.wrong(("gone",), "at least two are still in the game.")
        if public.running is not None and public.running.author in public.gone:
            values.wrong(("running",), "who is gone has no announcement.")
        if public.completing and not (own and list_completions(public, state.hands[seat])):
            values.wrong(("completing",), "who is to move has announced no word that the own tiles complete.")
        if own and not public.completing:
            values.wrong(("turn",), "the announcement has gone round: complete it first, then write the diagram.")
        return state


_GONE = {Audience.RECORD: "out", Audience.SEAT: "gone", Audience.DIAGRAM: "gone"}


def _write_word(word: WordInProgress | FinishedWord, table: TypdomTable, audience: Audience) -> dict[str, Any]:
    whole = audience is Audience.RECORD

    def name(run: Run) -> str | list[str]:
        names = [get_square_name(square, table.size) for square in run]
        return names if whole else names[0]

    found: dict[str, Any] = {"squares" if whole else "square": name(word.run), "direction": word.direction}
    if audience is not Audience.DIAGRAM:
        found["letters"] = table.get_run_text(word.run)
    if isinstance(word, WordInProgress) and (word.author is not None or audience is not Audience.DIAGRAM):
        found |= {"word": word.word, "author": word.author, "places": [name(place) for place in word.places]}
    return found


def _read_run(values: Diagram, key: str, table: TypdomTable) -> tuple[Direction, Run] | None:
    found = values.get(key)
    if found is None:
        return None
    if not isinstance(found, dict) or found.get("direction") not in ("w", "s"):
        values.wrong((key,), 'expected for example { square = "T20", direction = "w" }.')
        return None
    direction: Direction = "w" if found["direction"] == "w" else "s"
    squares = found.get("squares") or [found.get("square")]
    square = str(squares[0] if isinstance(squares, list) else squares)
    try:
        first = get_square_index(square.upper(), table.size)
    except Illegal:
        first = -1
    if first not in table.squares:
        values.wrong((key,), f"nothing lies on {square}.")
        return None
    return direction, get_tile_run(table, first, direction)


def _read_running(values: Diagram, table: TypdomTable, ctx: Context | None) -> WordInProgress | None:
    found = _read_run(values, "running", table)
    author = values.who("author", inside="running")
    if found is None:
        return None
    direction, run = found
    running = values.values["running"]
    word, given = running.get("word", ""), running.get("places", [])
    if not isinstance(word, str):
        values.wrong(("running",), f"word is {word!r}; expected a text in quotes.")
        return None
    if not isinstance(given, list) or not all(isinstance(one, str) or (one and isinstance(one, list)) for one in given):
        values.wrong(("running",), f"places is {given!r}; expected squares in quotes, in [ ].")
        return None
    word = word.upper()
    if not word:
        return WordInProgress(direction, run)
    places = {get_square_name(one[0], table.size): one for one in list_word_places(table, direction, run, word)}
    if running.get("places") is None:
        # Kept with the match: the dictionary is not asked again when it is played again.
        running["places"] = [
            name for name, place in places.items() if ctx is None or _is_admissible(table, direction, place, word, ctx)
        ]
    kept = [one if isinstance(one, str) else one[0] for one in running["places"]]
    fitting = tuple(place for name, place in places.items() if name in kept)
    if not fitting or len(word) <= len(run):
        values.wrong(("running",), f"{word} cannot grow out of {table.get_run_text(run)}.")
    if author is None:
        values.wrong(("running",), "who has announced the word, author, is missing.")
    return WordInProgress(direction, run, word, author, fitting)


def _is_admissible(table: TypdomTable, direction: Direction, place: Run, word: str, ctx: Context) -> bool:
    return all(ctx.words.judge(text).ruling == "accept" for text in list_words_across(table, direction, place, word))
