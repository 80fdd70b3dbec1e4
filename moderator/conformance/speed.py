"""How long a move takes, as a multiple of a floor of the same run: machines differ, their ratios hardly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any

from moderator.conformance.finding import Finding, Found, Said
from moderator.conformance.subject import Match, Subject, moves_of
from moderator.errors import PlayerError
from moderator.match.contract import State, view_for

REPEATED = 3
"""The shortest of so many counts: whatever else a machine does makes a call longer, never shorter."""


def floor() -> None:
    """A tenth of a millisecond or so of a usual machine."""
    sum(range(10_000))


def taken(call: Callable[[], Any]) -> float:
    """Seconds."""
    found = []
    for _ in range(REPEATED):
        began = perf_counter()
        call()
        found.append(perf_counter() - began)
    return min(found)


def per_move(subject: Subject) -> Iterator[Found]:
    """The slowest call of all kinds."""
    least, worst, named = taken(floor), 0.0, ""
    for match, number, state in subject.positions(2):
        for name, call in _calls(match, state):
            ratio = taken(call) / least
            if ratio > worst:
                worst, named = ratio, f"{name} after {match.at(number)}"
            if ratio > subject.absurd:
                told = (
                    f"it takes {ratio:,.0f} times the floor ({least * 1000:.2f} ms), at most {subject.absurd:,} will do"
                )
                yield Finding(f"{name} after {match.at(number)}", told, match.seed)
                return
    yield Said(f"(slowest: {worst:,.1f} × {least * 1000:.2f} ms, {named.partition('(')[0]})")


def _calls(match: Match, state: State[Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    game, ctx, view = match.game, match.ctx, view_for(state, state.to_move[0])
    yield "moves(view, ctx)", lambda: list(islice(game.moves(view, ctx), 2500))
    yield "scene(view)", lambda: game.scene(view)
    if match.options.pace == "common":
        return
    for seat, move, _ in moves_of(match, state, 5):
        yield f"apply(state, {seat}, {game.format(move)}, ctx)", partial(_applied, match, state, seat, move)


def _applied(match: Match, state: State[Any], seat: int, move: Any) -> None:
    with suppress(PlayerError):
        match.game.apply(state, seat, move, match.ctx)
