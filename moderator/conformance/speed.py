"""How long a move takes, as a multiple of a floor of the same run: machines differ, their ratios hardly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any

from moderator.common.errors import PlayerError
from moderator.conformance.finding import CheckFigure, Finding, Found
from moderator.conformance.subject import GameSubject, SampleMatch, iter_sample_moves
from moderator.rules.game import State, view_for

REPEATED = 3
"""The shortest of so many counts: whatever else a machine does makes a call longer, never shorter."""


def run_floor() -> None:
    """Run for a tenth of a millisecond or so of a usual machine."""
    sum(range(10_000))


def measure_seconds(call: Callable[[], Any]) -> float:
    """Return the seconds of the shortest of some calls."""
    found = []
    for _ in range(REPEATED):
        began = perf_counter()
        call()
        found.append(perf_counter() - began)
    return min(found)


def iter_speed_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the slowest call of all kinds."""
    least, worst, named = measure_seconds(run_floor), 0.0, ""
    for match, number, state in subject.iter_positions(2):
        for name, call in _iter_timed_calls(match, state):
            ratio = measure_seconds(call) / least
            if ratio > worst:
                worst, named = ratio, f"{name} after {match.describe_moment(number)}"
            if ratio > subject.absurd:
                told = (
                    f"it takes {ratio:,.0f} times the floor ({least * 1000:.2f} ms), at most {subject.absurd:,} will do"
                )
                yield Finding(f"{name} after {match.describe_moment(number)}", told, match.seed)
                return
    yield CheckFigure(f"(slowest: {worst:,.1f} × {least * 1000:.2f} ms, {named.partition('(')[0]})")


def _iter_timed_calls(match: SampleMatch, state: State[Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    game, ctx, view = match.game, match.ctx, view_for(state, state.to_move[0])
    yield "moves(view, ctx)", lambda: list(islice(game.moves(view, ctx), 2500))
    yield "scene(view)", lambda: game.scene(view)
    if match.options.pace == "common":
        return
    for seat, move, _ in iter_sample_moves(match, state, 5):
        yield f"apply(state, {seat}, {game.format(move)}, ctx)", partial(_apply_quietly, match, state, seat, move)


def _apply_quietly(match: SampleMatch, state: State[Any], seat: int, move: Any) -> None:
    with suppress(PlayerError):
        match.game.apply(state, seat, move, match.ctx)
