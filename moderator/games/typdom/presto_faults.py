"""What is wrong with a submission: everything at once, because each mail costs time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from moderator.engine.contract import Context
from moderator.errors import Illegal, Undecided
from moderator.games.typdom.board import SIZE, Table, columns, run_through, words_on
from moderator.games.typdom.presto_layout import Layout, of_colour, parts, used
from moderator.games.typdom.tiles import JOLLIES, STAR, Colour, as_held, colour

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
