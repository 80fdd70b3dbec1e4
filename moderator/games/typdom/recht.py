"""The game object: »Wer behält recht?« as the engine sees it. What it decides stands in the modules recht_*.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Grid, Note, State, Step, View, check_turn
from moderator.engine.sequential import Sequential
from moderator.engine.style import Style
from moderator.errors import Illegal, OperatorError, RecordError
from moderator.games.typdom import board, flow, recht_notation, recht_turn, scene
from moderator.games.typdom.board import Direction, Run, Table, index, name, run_through
from moderator.games.typdom.recht_completing import completions, swapped
from moderator.games.typdom.recht_flow import awaited
from moderator.games.typdom.recht_line import places, words_across
from moderator.games.typdom.recht_search import lays
from moderator.games.typdom.recht_state import Buy, Complete, Finished, Lay, Move, Options, Pass, Public, Running
from moderator.games.typdom.style import STYLE as COMMON
from moderator.games.typdom.tiles import STAR, as_held, counted, deal, nearest_to_z, read_deal, rest_points

# ---- how the moves of »Wer behält recht?« stand in a mail ----


_SQUARE = r"(?:[a-z]{1,2}\s?\d{1,2}|\d{1,2}\s?[a-z]{1,2})(?!\w)"
_LETTER = r"[*★☆]?[a-z](?!\w)"
_SIDE = (
    r"(?:vorn|vorne|vor|davor|voran|hinten|hinter|dahinter|links|rechts|oben|unten"
    r"|front|before|back|behind|after|left|right|above|below)(?!\w)"
)
_END = r"(?:end|ende|anfang|top|bottom)(?!\w)"
_FIRST = (
    r"(?:(?:ich|i)(?:['’]ll|\s+will)?\s+)?"
    r"(?:(?:lege?|setze?|baue?|beginne?|starte?|spiele?|lay|put|place|play|add|begin)\s+)?"
)
_SAYS = r"\s*(?:[=:,+(]|[-=]>|→|$|(?-i:[A-ZÄÖÜ]{2,}))"
_BUY = r"(?:(?:ich|i)\s+)?(?:kaufe?n?|buy)\s+(?:(?:einen?|one|a|1)\s+)?\w+"

STYLE = Style(
    attempt=re.compile(
        rf"{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}{_SAYS}|{_LETTER}\s+{_SIDE}{_SAYS}|{_LETTER}\s*(?:an|at|auf|on)\s+{_SQUARE}"
        rf"|{_LETTER}\s*=|(?:weiter|continue)\s+(?:{_SIDE}\s+)?{_LETTER}|(?:vollende|complete)(?!\w)|{_BUY}\s*$)"
        rf"|{COMMON.attempt.pattern if COMMON.attempt else ''}",
        re.IGNORECASE,
    ),
    unfinished=re.compile(
        rf"{COMMON.unfinished.pattern if COMMON.unfinished else ''}|{_BUY}|{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}"
        rf"|{_LETTER}\s+(?:(?:an|am|at|to|on)\s+)?(?:(?:the|den|der|das)\s+)?(?:{_SIDE}|{_END})|{_LETTER}\s*(?:an|at|auf|on)\s+{_SQUARE})",
        re.IGNORECASE,
    ),
    chain=re.compile(
        rf"[+&]\s*\S|(?:(?:und|and|dann|then|danach|plus)\s+){{1,2}}"
        rf"(?={_SIDE}\s*[:,]?\s*{_LETTER}|{_LETTER}\s*(?:an|at|auf|on)\s+{_SQUARE})",
        re.IGNORECASE,
    ),
    dangling=re.compile(r"[+&]\s*$"),
)
"""Behind an exchange of jollies and behind a tile without its word the move goes on, behind a purchase »passe« may
stand."""


# ---- recht ----


class Recht(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.engine.contract.Game``."""

    key = "recht"
    min_seats = 2
    max_seats = 5
    options = Options
    version = "1"
    uses_words = True
    style = STYLE
    pass_text = "kaufe schwarz, passe; sonst passe"
    """For robots: who only passed would never let the stock run out."""

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal the first game. Raises OperatorError, RecordError."""
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(f"recht is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play.")
        state, starter = first_state(seats, options, ctx, fixed or {})
        seat = nearest_to_z(state.hands) if starter is None else starter
        state = replace(state, public=replace(state.public, starter=seat), to_move=(seat,))
        running = state.public.running
        if running is None:
            return Step(state, (Note("starts", seat=seat),))
        if running.author == seat:
            return Step(*awaited(state, seat, ctx))
        return Step(state)

    def moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Move, int]]:
        """What can be laid and announced, lazily, see ``recht_search.lays``; none while the seat is not to move.
        Buying, passing and exchanges are left out."""
        if view.seat is None or view.seat not in view.to_move:
            return
        public = view.public
        if public.completing:
            for way in completions(public, view.hand):
                yield Complete(name(way.place[0], public.table.size)), 0
            return
        for move in lays(public, view.hand, ctx.words):
            yield move, 0

    def listable(self, view: View[Public]) -> bool:
        """Whether the moves can be listed wholly: not with a jolly, which can be laid in too many ways."""
        return not any(tile.startswith(STAR) for tile in view.hand)

    def examples(self, view: View[Public]) -> Mapping[str, str]:
        """Which pattern suits: who begins a word has nothing to add a tile to."""
        return {} if view.public.running is not None else {"pattern": "example.start"}

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return recht_notation.read(line, view.public)

    def format(self, move: Move) -> str:
        """Canonical notation, e.g. ``hinten T = NAHT``, ``E an T20 w = REISE``, ``weiter T``, ``kaufe rot``."""
        return recht_notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Play a move; what is forced then happens, too. Raises Illegal or Undecided."""
        check_turn(state, seat)
        if state.public.completing and not isinstance(move, Complete):
            raise Illegal("complete-first", word=state.public.running.word if state.public.running else "")
        state, notes = swapped(state, seat, move.exchanges)
        step = self._act(state, seat, move, ctx)
        return replace(step, notes=(*notes, *step.notes))

    def _act(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        if isinstance(move, Lay):
            return recht_turn.lay(state, seat, move, ctx)
        if isinstance(move, Buy):
            return recht_turn.buy(state, seat, move, ctx)
        if isinstance(move, Pass):
            return recht_turn.report_on(state, seat, move, ctx)
        return recht_turn.choose(state, seat, move, ctx)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat had found nothing."""
        check_turn(state, seat)
        return recht_turn.missed(state, seat, ctx)

    def scene(self, view: View[Public]) -> Grid:
        """The used part of the table and one ring around it; the fragment is framed, or else the last words."""
        running = view.public.running
        return scene.draw(view.public.table, view.public.fresh, view.public.runs if running is None else [running.run])

    def situation(self, view: View[Public]) -> tuple[Note, ...]:
        """What stands besides the tiles: the announcement and its author, what the seat to move has to do."""
        return situation(view)

    def export(self, public: Public) -> dict[str, Any]:
        """Table, fragment, announcement; RULES.md lists the keys."""
        return export(public)

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The rest, double in a game that counts double; nothing of a seat that is out of the game and has paid."""
        public = state.public
        return 0 if seat in public.gone else public.stake * rest_points(state.hands[seat])

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [as_held(tile) for tile in public.table.squares.values()]

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody won a game."""
        return flow.winning(state) if state.over else ()


GAME = Recht()


# ---- recht situation ----
# What stands besides the tiles and that every mail must say: the announcement, its author, what is to be done.


def situation(view: View[Public]) -> tuple[Note, ...]:
    """Codes of the standing facts, the most important first; nothing when the match is over."""
    public = view.public
    if not view.to_move:
        return ()
    seat = view.to_move[0]
    notes = [_word(public, seat)]
    if public.completing:
        notes.append(Note("choose-place", seat=seat))
    elif public.running is not None and public.running.author == _following(view, seat):
        notes.append(Note("goes-round", {"word": public.running.word}, seat=public.running.author))
    if public.bought:
        notes.append(Note("has-bought", seat=seat))
    if public.stake > 1:
        notes.append(Note("counts-double"))
    return (*notes, *(Note("is-out", seat=gone) for gone in public.gone))


def _word(public: Public, seat: int) -> Note:
    size = public.table.size
    running, finished = public.running, public.finished
    if running is not None:
        params = {"fragment": public.table.text(running.run), **_where(running, size)}
        if not running.word:
            return Note("unannounced", params)
        return Note("announced", {"word": running.word, **params}, seat=running.author)
    if not public.table.squares:
        return Note("first-tile", {"square": name(public.table.start, size)}, seat=seat)
    if finished is None:
        return Note("new-word", seat=seat)
    return Note("new-word-across", {"word": public.table.text(finished.run), **_where(finished, size)}, seat=seat)


def _where(line: Running | Finished, size: int) -> dict[str, str]:
    return {"square": name(line.run[0], size), "direction": line.direction}


def _following(view: View[Public], seat: int) -> int:
    seats = len(view.scores)
    order = ((seat + n) % seats for n in range(1, seats + 1))
    return next(other for other in order if other not in view.public.gone)


# ---- a game as plain values: what a record may fix of the first one, and what is exported ----


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
