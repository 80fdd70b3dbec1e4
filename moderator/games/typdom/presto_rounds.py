"""Around the crosswords of Presto: the deals, who is out of a round, its end, the next one and the end of the match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Note, State
from moderator.errors import Illegal, RecordError, Undecided
from moderator.games.typdom.board import SIZE, Table, columns, run_through, words_on
from moderator.games.typdom.presto_layout import Layout, of_colour, parts, used, write
from moderator.games.typdom.presto_state import EMPTY_ROUNDS, HANDS, POINTS, Options, Public
from moderator.games.typdom.tiles import JOLLIES, STAR, Colour, as_held, colour, deal, read_deal

Happened = tuple[State[Public], tuple[Note, ...]]

SHOWN = 180
"""Characters of a drawing that a report can print in one piece; of a longer one the words are named."""


def first(seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]) -> Happened:
    """The first round. ``fixed`` may give racks and stock. Raises RecordError."""
    if "racks" in fixed:
        hands, stock = read_deal(fixed, seats)
        if not all(len(hand) > 1 for hand in hands):
            raise RecordError("A rack of racks is too small.", "Each seat needs at least two tiles.")
    elif "stock" in fixed:
        raise RecordError("A stock without racks cannot be dealt.", "Give racks as well, or neither.")
    else:
        hands, stock = deal(1, seats, *HANDS[seats], ctx.shuffle)
    public = Public(options, gains=(0,) * seats)
    state = State(public, hands, stock, (0,) * seats, tuple(range(seats)), (None,) * seats)
    return state, (Note("go"),)


def finished(state: State[Public], seat: int, layout: Layout, left: tuple[str, ...], points: int) -> State[Public]:
    """The seat has finished; ``left`` is what remains on its rack."""
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


def without(state: State[Public], seat: int) -> State[Public]:
    """The seat is out of this round."""
    public = replace(state.public, gave_up=(*state.public.gave_up, seat))
    return replace(state, public=public, to_move=tuple(other for other in state.to_move if other != seat))


def onward(state: State[Public], ctx: Context) -> Happened:
    """After somebody finished or went: the end of the round if it has come, and then the next deal or the end of the
    match."""
    done = state.public.finished
    if state.to_move and len(done) < len(POINTS):
        return state, ()
    code = "went-out" if len(done) == len(POINTS) else "blocked" if done else "blocked-all"
    notes = [Note(code)]
    last = tuple((seat, layout) for seat in done if isinstance(layout := state.private[seat], Layout))
    for seat, layout in last:
        drawn = write(layout)
        values = {"words": words_of(layout), "move": drawn}
        notes.append(Note("layout" if len(drawn) <= SHOWN else "layout-words", values, seat=seat))
    for seat, total in enumerate(state.scores):
        params = {"round": state.public.round, "points": state.public.gains[seat], "total": total}
        notes.append(Note("sum-total", params, seat=seat))
    empty = 0 if done else state.public.empty + 1
    state = replace(state, public=replace(state.public, last=last, empty=empty))
    after, more = _ended(state) if _match_over(state) else _next(state, ctx)
    return after, (*notes, *more)


def _match_over(state: State[Public]) -> bool:
    public = state.public
    if public.options.target is None:
        return public.round >= public.options.rounds
    return max(state.scores) >= public.options.target or public.empty >= EMPTY_ROUNDS


def _next(state: State[Public], ctx: Context) -> Happened:
    seats, number = state.seats, state.public.round + 1
    hands, stock = deal(number, seats, *HANDS[seats], ctx.shuffle)
    old = state.public
    public = Public(old.options, number, gains=(0,) * seats, last=old.last, empty=old.empty)
    dealt = State(public, hands, stock, state.scores, tuple(range(seats)), (None,) * seats)
    return dealt, (Note("next-round", {"round": number}), Note("go"))


def _ended(state: State[Public]) -> Happened:
    winners = winning(state)
    best = max(state.scores)
    if len(winners) == 1:
        note = Note("match-won", {"points": best}, seat=winners[0])
    elif winners:
        note = Note("match-shared", {"seats": list(winners), "points": best})
    else:
        note = Note("match-undecided")
    return replace(state, to_move=(), private=(None,) * state.seats), (note,)


def winning(state: State[Public]) -> tuple[int, ...]:
    """The seats with the highest score; nobody without a point."""
    best = max(state.scores)
    return tuple(seat for seat, score in enumerate(state.scores) if score == best) if best else ()


# ---- what is wrong with a submission: everything at once, because each mail costs time ----


Fault = dict[str, Any]
"""A code and its parameters; its sentence is part of that of ``not-right``."""

_NO_JOLLY: dict[Colour, str] = {"red": "fault-no-jolly-red", "black": "fault-no-jolly-black"}
_OTHER_JOLLY: dict[Colour, str] = {"red": "fault-jolly-red", "black": "fault-jolly-black"}


def check(layout: Layout, hand: Sequence[str], most_left: int, ctx: Context) -> None:
    """Raises Illegal("not-right", faults, words, missing, left) with all that is wrong; else Undecided if the moderator
    must rule on words.

    ``words``: those that do not count; ``missing``: tiles that are not on the rack ``hand``; ``left``: tiles of it that
    are not used, where there are more than ``most_left``.
    """
    table = layout.table
    missing = sorted((used(layout) - Counter(hand)).elements())
    left = sorted((Counter(hand) - used(layout)).elements())
    if len(left) <= most_left and not missing:
        left = []
    refused, waiting, of_words = _words(table, ctx)
    faults = [*_of_tiles(missing, left, most_left), *_of_shape(table), *of_words]
    if faults:
        raise Illegal("not-right", faults=faults, words=refused, missing=missing, left=left)
    if waiting:
        raise Undecided(waiting)


def _of_tiles(missing: Sequence[str], left: Sequence[str], most_left: int) -> list[Fault]:
    faults: list[Fault] = []
    letters = [tile for tile in missing if not tile.startswith(STAR)]
    if letters:
        faults.append({"code": "fault-missing", "letters": letters})
    for tile in missing:
        if tile.startswith(STAR):
            faults.append({"code": _NO_JOLLY[colour(tile)]})
    for name, jolly in JOLLIES.items():
        # A jolly that would help if it had the other colour.
        if jolly in left and letters and not of_colour(letters, name):
            faults.append({"code": _OTHER_JOLLY[name]})
    if left:
        code = "fault-left-many" if most_left and len(left) > most_left else "fault-left"
        faults.append({"code": code, "tiles": list(left)})
    return faults


def _of_shape(table: Table) -> list[Fault]:
    """Everything but the largest part lies apart: named by its longest run."""
    apart = []
    for part in parts(table)[1:]:
        runs = [run_through(table, square, direction) for square in part for direction in ("w", "s")]
        apart.append(table.text(max(runs, key=len)))
    return [{"code": "fault-apart", "words": apart}] if apart else []


def _words(table: Table, ctx: Context) -> tuple[list[str], list[str], list[Fault]]:
    """(words that do not count, words to rule on, faults): across from the top, then down from the left."""
    faults: list[Fault] = []
    refused: list[str] = []
    waiting: list[str] = []
    source = ""
    for run in words_on(table):
        word = table.text(run)
        verdict = ctx.words.judge(word)
        if verdict.ruling == "ask":
            waiting.append(word)
        if verdict.ruling != "reject":
            continue
        across = run[1] == run[0] + 1
        line = {"row": run[0] // SIZE + 1} if across else {"column": columns(SIZE)[run[0] % SIZE]}
        told = {"word": word, "reason": verdict.reason, "why": dict(verdict.params)}
        faults.append({"code": "fault-across" if across else "fault-down", **line, **told})
        refused.append(word)
        source = source or verdict.source
    if source:
        faults.append({"code": "fault-source", "source": source})
    return _once(refused), _once(waiting), faults


def _once(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


def words_of(layout: Layout) -> list[str]:
    """All words of a layout, across from the top, then down from the left."""
    table = layout.table
    return [table.text(run) for run in sorted(words_on(table), key=lambda run: (run[1] - run[0] > 1, run))]


def left_over(layout: Layout, hand: Sequence[str]) -> tuple[str, ...]:
    """The tiles of the rack that a layout does not use, in their order."""
    gone = Counter(as_held(tile) for tile in layout.squares.values())
    kept = []
    for tile in hand:
        if gone[tile]:
            gone[tile] -= 1
        else:
            kept.append(tile)
    return tuple(kept)
