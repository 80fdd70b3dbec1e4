"""The turn as data: small enough for a mail, and read back by another program it is the same position."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from moderator.conformance.finding import CheckFigure, Finding, Found, describe_difference
from moderator.conformance.subject import CODE, GameSubject, SampleMatch, iter_sample_moves
from moderator.rules import turn_data
from moderator.rules.game import Game, Portable, State, view_for
from moderator.rules.table import MatchState, preview_order
from moderator.rules.turn_data import TurnData, TurnReply
from moderator.rules.words import AnyWords

LONG = "Maximiliane-Charlotte von Größenbrück-Ho"
"""A name of as many letters as one can have."""


def build_full_turn_data(game: Game[Any, Any], state: State[Any], seat: int, options: Any) -> TurnData:
    """Build the turn as the mail has it that asks the seat for a move."""
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
        reply=TurnReply(f"postspiele+{CODE}-8J3MZP4QXA@mail.example.org", f"{game.key} {LONG} [{CODE}-8J3MZP4QXA]"),
        seat=seat,
        names=(LONG,) * state.seats,
        scores=state.scores,
        tiles=() if common else view.hand_counts,
        rack=view.hand,
        common=common,
        stock=view.stock_count,
        options=dataclasses.asdict(options),
        board=turn_data.build_table_values(game, view),
    )


def iter_turn_file_findings(subject: GameSubject) -> Iterator[Found]:
    """Check size, board, situation and drawing; and that a move is worth the same there."""
    largest = 0
    for match, number, state in subject.iter_positions(8):
        for seat in state.to_move[:1]:
            data = build_full_turn_data(match.game, state, seat, match.options)
            written = turn_data.encode_turn(data)
            if written is None:
                told = f"its board is too large for a file of {turn_data.MOST} bytes"
                yield Finding(f"table(public) after {match.describe_moment(number)}", told, match.seed)
                return
            largest = max(largest, len(written))
            if fault := _find_difference(match, state, seat, turn_data.decode_turn(written), data):
                yield Finding(f"placed(table(public), …) after {match.describe_moment(number)}", fault, match.seed)
                return
    yield CheckFigure(f"({largest} bytes at most)")


def _find_difference(match: SampleMatch, state: State[Any], seat: int, read: TurnData, data: TurnData) -> str:
    """Return the first thing that is not the same in the file read back; "" = all is."""
    game, own = match.game, view_for(state, seat)
    view = turn_data.build_turn_view(read, game)
    if view is None or not isinstance(game, Portable):
        return "" if read.board == game.export(state.public) else "the board is not what export gives"
    if (again := turn_data.build_table_values(game, view)) != data.board:
        return f"written again: {describe_difference(data.board, again)}"
    if game.situation(view) != game.situation(own):
        return f"situation: {describe_difference(game.situation(own), game.situation(view))}"
    if _without_word_frames(game.scene(view)) != _without_word_frames(game.scene(own)):
        scenes = _without_word_frames(game.scene(own)), _without_word_frames(game.scene(view))
        return f"scene: {describe_difference(*scenes)}"
    there = MatchState(turn_data.build_possible_state(game, view, match.options), match.options.pace, seat)
    here, ctx = MatchState(state, match.options.pace, seat), dataclasses.replace(turn_data.CONTEXT, words=AnyWords())
    for order in ("passe", *(game.format(move) for _, move, _ in iter_sample_moves(match, state, 8))):
        ours, theirs = (
            [(o.canonical, o.points, o.refused) for o in preview_order(game, t, seat, order, ctx)]
            for t in (here, there)
        )
        if ours != theirs:
            return f"{order!r} is worth something else: {describe_difference(ours, theirs)}"
    return ""


def _without_word_frames(scene: Any) -> Any:
    """Return the scene without the frames around the words of the last move, which are not sent along."""
    return dataclasses.replace(scene, words=()) if hasattr(scene, "words") else scene
