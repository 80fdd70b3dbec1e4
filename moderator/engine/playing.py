"""A record played move by move, by the same functions that play a live match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from moderator.engine.contract import Context, Shuffle, Step, Words
from moderator.engine.recordfile import Record, RecordMove
from moderator.engine.result import Played, Result, refusal
from moderator.engine.seats import hand_over, retire, stop
from moderator.engine.table import Table, evaluate, miss, open_table, submit
from moderator.engine.words import AnyWords, Without, WordList
from moderator.errors import OperatorError, PlayerError, RecordError


class AnyListed(AnyWords):
    """Any word counts; knows whether somebody wanted them all, which nobody can list."""

    asked = False

    def playable(self, max_length: int) -> Sequence[str]:
        self.asked = True
        return ()


@dataclass(frozen=True)
class Moment:
    """The match after one entry of the record."""

    n: int
    """Number of the entry, from 1; 0 = the deal."""
    table: Table[Any]
    result: Result
    setup: Step[Any] | None = None


def words_of(record: Record, words: Words | None = None) -> Words:
    """The dictionary that decides: the record's own, else ``words``; any where the game uses none. Raises RecordError
    if there is none."""
    if not record.game.uses_words:
        return AnyWords()
    if record.lexicon == "any":
        return AnyListed()
    if record.lexicon is not None:
        return WordList(record.lexicon, "record")
    if words is None:
        raise RecordError("The record has no lexicon.", 'Add "lexicon": ["WORD", …] or "any", or name a --config.')
    return words


def play(record: Record, words: Words, shuffle: Shuffle | None = None) -> list[Moment]:
    """The match, moment by moment, the deal first. ``shuffle`` takes the place of the record's. Raises RecordError for
    entries that cannot be."""
    ctx = Context(words, shuffle or record.shuffle)
    table, setup = open_table(record.game, len(record.seats), record.options, ctx, record.fixed or None)
    moments = [Moment(0, table, Result(notes=(*setup.notes, *setup.after)), setup)]
    for n, move in enumerate(record.moves, start=1):
        here = replace(ctx, words=Without(words, move.rejected)) if move.rejected else ctx
        table, result = _play_move(record, table, move, here, n)
        moments.append(Moment(n, table, result))
    return moments


def _play_move(record: Record, table: Table[Any], move: RecordMove, ctx: Context, n: int) -> tuple[Table[Any], Result]:
    try:
        if move.kind == "evaluate":
            return evaluate(record.game, table, ctx, "reject")
        if move.kind == "miss":
            return miss(record.game, table, move.seat, ctx)
        if move.kind == "stop":
            return stop(table), Result()
        if move.kind in ("out", "in"):
            return (retire if move.kind == "out" else hand_over)(table, move.seat), Result()
        return submit(record.game, table, move.seat, move.text, ctx, "reject")
    except PlayerError as error:
        if move.kind == "evaluate":
            raise RecordError(f"moves, entry {n}: {error.code}.", "Remove the evaluation.") from error
        return table, Result((Played(move.seat, move.text, refused=(refusal(1, move.text, error),)),))
    except OperatorError as error:
        raise RecordError(f"moves, entry {n}: {error.message}", error.hint) from error
