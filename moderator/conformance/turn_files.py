"""The turn as data: small enough for a mail, and read back by another program it is the same position."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from moderator.conformance.finding import Finding, Found, Said, difference
from moderator.conformance.subject import CODE, Match, Subject, moves_of
from moderator.match import turn_data
from moderator.match.contract import Game, Portable, State, view_for
from moderator.match.table import Table, preview
from moderator.match.turn_data import Reply, TurnData
from moderator.match.words import AnyWords

LONG = "Maximiliane-Charlotte von Größenbrück-Ho"
"""A name of as many letters as one can have."""


def of(game: Game[Any, Any], state: State[Any], seat: int, options: Any) -> TurnData:
    """As the mail has it that asks the seat for a move."""
    view = view_for(state, seat)
    common = len(state.hands) == 1 < state.seats
    return TurnData(
        match=CODE,
        name=LONG,
        game=game.key,
        entry=999,
        round=state.public.round,
        deadline="2026-12-01T19:00:00Z",
        zone="Europe/Berlin",
        language="de",
        reply=Reply(f"postspiele+{CODE}-8J3MZP4QXA@mail.example.org", f"{game.key} {LONG} [{CODE}-8J3MZP4QXA]"),
        seat=seat,
        names=(LONG,) * state.seats,
        scores=state.scores,
        tiles=() if common else view.hand_counts,
        rack=view.hand,
        common=common,
        stock=view.stock_count,
        options=dataclasses.asdict(options),
        board=turn_data.table_of(game, view),
    )


def comes_back(subject: Subject) -> Iterator[Found]:
    """Size, board, situation and drawing; and a move is worth the same there."""
    largest = 0
    for match, number, state in subject.positions(8):
        for seat in state.to_move[:1]:
            data = of(match.game, state, seat, match.options)
            written = turn_data.write(data)
            if written is None:
                told = f"its board is too large for a file of {turn_data.MOST} bytes"
                yield Finding(f"table(public) after {match.at(number)}", told, match.seed)
                return
            largest = max(largest, len(written))
            if fault := _other(match, state, seat, turn_data.read(written), data):
                yield Finding(f"placed(table(public), …) after {match.at(number)}", fault, match.seed)
                return
    yield Said(f"({largest} bytes at most)")


def _other(match: Match, state: State[Any], seat: int, read: TurnData, data: TurnData) -> str:
    """What is not the same in what was read back; "" = all is."""
    game, own = match.game, view_for(state, seat)
    view = turn_data.view_of(read, game)
    if view is None or not isinstance(game, Portable):
        return "" if read.board == game.export(state.public) else "the board is not what export gives"
    if (again := turn_data.table_of(game, view)) != data.board:
        return f"written again: {difference(data.board, again)}"
    if game.situation(view) != game.situation(own):
        return f"situation: {difference(game.situation(own), game.situation(view))}"
    if _still(game.scene(view)) != _still(game.scene(own)):
        return f"scene: {difference(_still(game.scene(own)), _still(game.scene(view)))}"
    there = Table(turn_data.state_of(game, view, match.options), match.options.pace, seat)
    here, ctx = Table(state, match.options.pace, seat), dataclasses.replace(turn_data.CONTEXT, words=AnyWords())
    for order in ("passe", *(game.format(move) for _, move, _ in moves_of(match, state, 8))):
        ours, theirs = (
            [(o.canonical, o.points, o.refused) for o in preview(game, t, seat, order, ctx)] for t in (here, there)
        )
        if ours != theirs:
            return f"{order!r} is worth something else: {difference(ours, theirs)}"
    return ""


def _still(scene: Any) -> Any:
    """Without the frames around the words of the last move, which are not sent along."""
    return dataclasses.replace(scene, words=()) if hasattr(scene, "words") else scene
