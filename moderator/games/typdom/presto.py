"""Presto: all tiles are dealt, everybody builds a crossword of their own, the first two to finish score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moderator.common.enums import Level
from moderator.common.errors import Illegal, Undecided
from moderator.games.typdom import board, presto_notation
from moderator.games.typdom.board import SIZE, TypdomTable, get_tile_run, list_column_names, list_table_runs
from moderator.games.typdom.flow import build_closing_note, list_typdom_winners
from moderator.games.typdom.presto_notation import STYLE, Move, PrestoFinished, PrestoPass, format_presto_move
from moderator.games.typdom.presto_state import (
    CrosswordLayout,
    PrestoCodec,
    PrestoOptions,
    PrestoPublic,
    assign_jollies,
    count_used_tiles,
    filter_by_colour,
    find_crossword,
    format_crossword,
    list_connected_parts,
    list_crossword_words,
    list_unused_tiles,
)
from moderator.games.typdom.tiles import JOLLIES, STAR, Colour, colour, deal_first_hands, deal_typdom_hands
from moderator.rules.codec import CodecGame
from moderator.rules.game import State, Step
from moderator.rules.scenes import Grid
from moderator.rules.state import Context, Note, View

HANDS = {2: (15, 25), 3: (10, 16), 4: (7, 12), 5: (6, 10), 6: (5, 8)}
"""Seats -> (red, black) tiles that each is dealt."""
POINTS = (4, 2)
"""For the first and the second who has finished."""
POINTS_ONE_LEFT = (2, 1)
"""The same with one tile left."""
EMPTY_ROUNDS = 3
"""So many rounds in a row that nobody finished end a match to a target."""
FINISHED = ("finished-1", "finished-2")
"""What is said of the first and of the second who has."""

PATIENCE = {Level.BEGINNER: 26, Level.STRONG: 400}
"""In how many positions robots look for words that do not look as long as those of the club."""


class Presto(CodecGame[PrestoPublic, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.rules.game.Game``."""

    key = "presto"
    min_seats, max_seats = min(HANDS), max(HANDS)
    options = PrestoOptions
    paces = ("race",)
    contract = 2
    version = "1"
    uses_words = True
    style = STYLE
    position = PrestoCodec()
    pass_text = presto_notation.PASS_TEXT

    def setup(
        self, seats: int, options: PrestoOptions, ctx: Context, fixed: Mapping[str, Any] | None = None
    ) -> Step[PrestoPublic]:
        """Deal the first round; all seats are awaited. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        hands, stock = deal_first_hands(fixed or {}, seats, HANDS[seats], ctx.shuffle, least=2)
        public = PrestoPublic(options, gains=(0,) * seats)
        state = State(public, hands, stock, (0,) * seats, tuple(range(seats)), (None,) * seats)
        return Step(state, (Note("go"),))

    def list_moves(self, view: View[PrestoPublic], ctx: Context) -> Iterator[tuple[Move, int]]:
        """One crossword, if the robot finds any: nobody can list them all."""
        found = self.choose_greedy(view, ctx)
        if found is not None:
            left = len(view.hand) - len(found.squares)
            yield found, _compute_finish_points(view.public, left)

    def choose_greedy(self, view: View[PrestoPublic], ctx: Context) -> CrosswordLayout | None:
        """A crossword of the whole rack, or of all tiles but one where that may do; None if none was found."""
        if view.seat not in view.to_move:
            return None
        return find_crossword(view.hand, int(view.public.options.finish_with_one_left), ctx.words)

    finds_best = True
    own_levels = frozenset(PATIENCE)

    def choose_for_level(self, level: Level, view: View[PrestoPublic], ctx: Context) -> CrosswordLayout | None:
        """Return the move of a robot, see ``Game.choose_for_level``: it looks for a crossword for a shorter or a longer
        time."""
        if view.seat not in view.to_move:
            return None
        return find_crossword(view.hand, int(view.public.options.finish_with_one_left), ctx.words, PATIENCE[level])

    def can_list_moves(self, view: View[PrestoPublic]) -> bool:
        """Return False: see ``list_moves``."""
        return False

    def parse_move(self, line: str, view: View[PrestoPublic]) -> Move:
        """One submission. Raises Unreadable or Ambiguous."""
        return presto_notation.parse_presto_move(line, view.hand)

    def format_move(self, move: Move | PrestoFinished) -> str:
        """Canonical notation, e.g. ``Gitter (EXAMEN / .B / .*AR)``, ``passe``; ``fertig`` in reports."""
        return format_presto_move(move)

    def apply_move(self, state: State[PrestoPublic], seat: int, move: Move, ctx: Context) -> Step[PrestoPublic]:
        """Play a submission. Raises Illegal("not-right", …) with all that is wrong, or Undecided."""
        _check_awaited(state, seat)
        if isinstance(move, PrestoPass):
            gone = leave_round_in_state(state, seat)
            return _build_next_step(gone, (Note("gave-up", seat=seat),), 0, move, ctx)
        hand = state.hands[seat]
        layout = assign_jollies(move, hand)
        check_crossword(layout, hand, int(state.public.options.finish_with_one_left), ctx)
        left = list_unused_tiles(layout, hand)
        points = _compute_finish_points(state.public, len(left))
        notes = [Note(FINISHED[len(state.public.finished)], seat=seat)]
        if left:
            notes.append(Note("one-left", seat=seat))
        notes.append(Note("own-words", {"words": list_crossword_words(layout)}, seat=seat, only=seat))
        return _build_next_step(
            finish_in_state(state, seat, layout, left, points), tuple(notes), points, PrestoFinished(), ctx
        )

    def pass_turn(self, state: State[PrestoPublic], seat: int, ctx: Context) -> Step[PrestoPublic]:
        """Take a seat whose deadline passed out of this round."""
        _check_awaited(state, seat)
        return _build_next_step(leave_round_in_state(state, seat), (Note("missed", seat=seat),), 0, None, ctx)

    def build_scene(self, view: View[PrestoPublic]) -> Grid:
        """The reader's own crossword of this round, or that of the winner of the last one."""
        last = view.public.last
        layout = view.private or (last[0][1] if last else None)
        if layout is None:
            return Grid(columns=list_column_names(BLANK), rows=tuple(str(n) for n in range(1, BLANK + 1)), cells=())
        whole = board.build_typdom_scene(layout.table)
        return replace(whole, columns=whole.columns[: layout.width], rows=whole.rows[: len(layout.rows)])

    def advance_resumed(self, state: State[PrestoPublic], ctx: Context) -> Step[PrestoPublic]:
        return Step(*advance_presto_round(state, ctx))

    def find_rack_value(self, state: State[PrestoPublic], seat: int) -> int:
        """Nothing: whoever has not finished a round loses no points by it."""
        return 0

    def find_winners(self, state: State[PrestoPublic]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody has a point."""
        return list_typdom_winners(state) if state.over else ()


def _compute_finish_points(public: PrestoPublic, left: int) -> int:
    return (POINTS_ONE_LEFT if left else POINTS)[len(public.finished)]


def _check_awaited(state: State[PrestoPublic], seat: int) -> None:
    if state.over:
        raise Illegal("game-over")
    if seat not in state.to_move:
        raise Illegal("not-awaited", seats=list(state.to_move))


def _build_next_step(
    state: State[PrestoPublic],
    notes: tuple[Note, ...],
    points: int,
    played: PrestoPass | PrestoFinished | None,
    ctx: Context,
) -> Step[PrestoPublic]:
    after, happened = advance_presto_round(state, ctx)
    return Step(after, notes, points, played, {"words": []}, happened)


GAME = Presto()


# ---- the drawing of a finished crossword, its top left square A1 ----


BLANK = 5
"""Squares along a side where there is nothing to show yet."""


# ---- around the crosswords: the deals, who is out of a round, its end, the next one and the end of the match ----


Happened = tuple[State[PrestoPublic], tuple[Note, ...]]

SHOWN = 180
"""Characters of a drawing that a report can print in one piece; of a longer one the words are named."""


def finish_in_state(
    state: State[PrestoPublic], seat: int, layout: CrosswordLayout, left: tuple[str, ...], points: int
) -> State[PrestoPublic]:
    """Return the state in which the seat has finished; ``left``: the tiles that remain on its rack."""
    public = replace(
        state.public,
        finished=(*state.public.finished, seat),
        gains=tuple(gain + points * (n == seat) for n, gain in enumerate(state.public.gains)),
    )
    return replace(
        state,
        public=public,
        hands=tuple(left if n == seat else hand for n, hand in enumerate(state.hands)),
        scores=tuple(score + points * (n == seat) for n, score in enumerate(state.scores)),
        to_move=tuple(other for other in state.to_move if other != seat),
        private=tuple(layout if n == seat else own for n, own in enumerate(state.private)),
    )


def leave_round_in_state(state: State[PrestoPublic], seat: int) -> State[PrestoPublic]:
    """Return the state in which the seat is out of this round."""
    public = replace(state.public, gave_up=(*state.public.gave_up, seat))
    return replace(state, public=public, to_move=tuple(other for other in state.to_move if other != seat))


def advance_presto_round(state: State[PrestoPublic], ctx: Context) -> Happened:
    """Go on after somebody finished or left: the end of the round if it has come, and then the next deal or the end of
    the match."""
    done = state.public.finished
    if state.to_move and len(done) < len(POINTS):
        return state, ()
    code = "went-out" if len(done) == len(POINTS) else "blocked" if done else "blocked-all"
    notes = [Note(code)]
    last = tuple((seat, layout) for seat in done if isinstance(layout := state.private[seat], CrosswordLayout))
    for seat, layout in last:
        drawn = format_crossword(layout)
        values = {"words": list_crossword_words(layout), "move": drawn}
        notes.append(Note("layout" if len(drawn) <= SHOWN else "layout-words", values, seat=seat))
    for seat, total in enumerate(state.scores):
        params = {"round": state.public.round, "points": state.public.gains[seat], "total": total}
        notes.append(Note("sum-total", params, seat=seat))
    empty = 0 if done else state.public.empty + 1
    state = replace(state, public=replace(state.public, last=last, empty=empty))
    after, more = _end_match(state) if _is_match_over(state) else _deal_next_round(state, ctx)
    return after, (*notes, *more)


def _is_match_over(state: State[PrestoPublic]) -> bool:
    public = state.public
    if public.options.target is None:
        return public.round >= public.options.rounds
    return max(state.scores) >= public.options.target or public.empty >= EMPTY_ROUNDS


def _deal_next_round(state: State[PrestoPublic], ctx: Context) -> Happened:
    seats, number = state.seats, state.public.round + 1
    hands, stock = deal_typdom_hands(number, seats, *HANDS[seats], ctx.shuffle)
    old = state.public
    public = PrestoPublic(old.options, number, gains=(0,) * seats, last=old.last, empty=old.empty)
    dealt = State(public, hands, stock, state.scores, tuple(range(seats)), (None,) * seats, past=state.ended)
    return dealt, (Note("next-round", {"round": number}), Note("go"))


def _end_match(state: State[PrestoPublic]) -> Happened:
    note = build_closing_note(list_typdom_winners(state), max(state.scores))
    return replace(state, to_move=(), private=(None,) * state.seats), (note,)


# ---- what is wrong with a crossword that was sent in ----


Fault = dict[str, Any]
"""A code and its parameters; its sentence is part of that of ``not-right``."""

_NO_JOLLY: dict[Colour, str] = {"red": "fault-no-jolly-red", "black": "fault-no-jolly-black"}
_OTHER_JOLLY: dict[Colour, str] = {"red": "fault-jolly-red", "black": "fault-jolly-black"}


def check_crossword(layout: CrosswordLayout, hand: Sequence[str], most_left: int, ctx: Context) -> None:
    """Check a crossword. Raises Illegal("not-right", faults, words, missing, left) with all that is wrong; else
    Undecided if the moderator must rule on words.

    ``words``: those that do not count; ``missing``: tiles that are not on the rack ``hand``; ``left``: tiles of it that
    are not used, where there are more than ``most_left``."""
    table = layout.table
    missing = sorted((count_used_tiles(layout) - Counter(hand)).elements())
    left = sorted((Counter(hand) - count_used_tiles(layout)).elements())
    if len(left) <= most_left and not missing:
        left = []
    refused, waiting, of_words = _judge_words(table, ctx)
    faults = [*_list_tile_faults(missing, left, most_left), *_list_shape_faults(table), *of_words]
    if faults:
        raise Illegal("not-right", faults=faults, words=refused, missing=missing, left=left)
    if waiting:
        raise Undecided(waiting)


def _list_tile_faults(missing: Sequence[str], left: Sequence[str], most_left: int) -> list[Fault]:
    faults: list[Fault] = []
    letters = [tile for tile in missing if not tile.startswith(STAR)]
    if letters:
        faults.append({"code": "fault-missing", "letters": letters})
    for tile in missing:
        if tile.startswith(STAR):
            faults.append({"code": _NO_JOLLY[colour(tile)]})
    for name, jolly in JOLLIES.items():
        # A jolly that would help if it had the other colour.
        if jolly in left and letters and not filter_by_colour(letters, name):
            faults.append({"code": _OTHER_JOLLY[name]})
    if left:
        code = "fault-left-many" if most_left and len(left) > most_left else "fault-left"
        faults.append({"code": code, "tiles": list(left)})
    return faults


def _list_shape_faults(table: TypdomTable) -> list[Fault]:
    """Return a fault for all parts but the largest, which are named by their longest runs."""
    apart = []
    for part in list_connected_parts(table)[1:]:
        runs = [get_tile_run(table, square, direction) for square in part for direction in ("w", "s")]
        apart.append(table.get_run_text(max(runs, key=len)))
    return [{"code": "fault-apart", "words": apart}] if apart else []


def _judge_words(table: TypdomTable, ctx: Context) -> tuple[list[str], list[str], list[Fault]]:
    """Return (words that do not count, words to rule on, faults): across from the top, then down from the left."""
    faults: list[Fault] = []
    refused: list[str] = []
    waiting: list[str] = []
    for run in list_table_runs(table):
        word = table.get_run_text(run)
        verdict = ctx.words.judge(word)
        if verdict.ruling == "ask":
            waiting.append(word)
        if verdict.ruling != "reject":
            continue
        across = run[1] == run[0] + 1
        line = {"row": run[0] // SIZE + 1} if across else {"column": list_column_names(SIZE)[run[0] % SIZE]}
        told = {"word": word, "reason": verdict.reason, "why": dict(verdict.params)}
        faults.append({"code": "fault-across" if across else "fault-down", **line, **told})
        refused.append(word)
    return _remove_duplicates(refused), _remove_duplicates(waiting), faults


def _remove_duplicates(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))
