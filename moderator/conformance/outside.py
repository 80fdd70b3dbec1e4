"""A game asks nobody but its Context: no clock, no chance, no file, no net."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

from moderator.conformance.finding import Finding, Found
from moderator.conformance.subject import Match, Subject, moves_of
from moderator.errors import PlayerError
from moderator.match.contract import State, view_for

MODULES = {
    "time": "the clock",
    "_random": "chance",
    "random": "chance",
    "posix": "the system",
    "nt": "the system",
    "_io": "a file",
    "io": "a file",
    "_socket": "the net",
    "_ssl": "the net",
}
"""Module of a built-in function -> what it asks."""
METHODS = {"datetime": ("now", "utcnow", "today"), "date": ("today",), "Random": (), "SystemRandom": ()}
"""Class -> its methods that ask the clock or chance; () = all of them."""
HARMLESS = frozenset({("posix", "fspath"), ("nt", "fspath")})
MACHINERY = ("importlib", "zipimport", "encodings", "linecache")
"""Beginnings of modules that may do what they like."""


class Watch:
    """Notes each built-in function that is called and asks the outside."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and (what := _asks(called)):
            steps: list[str] = []
            here: FrameType | None = frame
            while here is not None and len(steps) < 3:
                if str(here.f_globals.get("__name__", "")).startswith(MACHINERY) or "importlib" in _file(here):
                    return
                steps.append(f"{here.f_code.co_name} ({_file(here)}:{here.f_lineno})")
                here = here.f_back
            self.seen.append(f"{what}, {getattr(called, '__name__', called)} in {' < '.join(steps)}")


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename


def _asks(called: Any) -> str:
    name, module = getattr(called, "__name__", ""), getattr(called, "__module__", None)
    if module in MODULES and (module, name) not in HARMLESS and not isinstance(called, type):
        return MODULES[module]
    owner = getattr(called, "__self__", None)
    kind = owner if isinstance(owner, type) else type(owner)
    for one in kind.__mro__ if owner is not None else ():
        if one.__name__ in METHODS and one.__module__ in ("datetime", "random", "_random"):
            allowed = METHODS[one.__name__]
            if not allowed or name in allowed:
                return "chance" if "andom" in one.__name__ else "the clock"
    return ""


def watched(call: Callable[[], Any]) -> list[str]:
    """What a call asks of the outside."""
    watch, before = Watch(), sys.getprofile()
    sys.setprofile(watch)
    try:
        with contextlib.suppress(PlayerError):
            call()
    finally:
        sys.setprofile(before)
    return watch.seen


def alone(subject: Subject) -> Iterator[Found]:
    """Nothing outside is asked. Each call is made once before, so that what is imported then is there."""
    for match, number, state in subject.positions(2):
        for name, call in _calls(match, state, number):
            try:
                call()
            except PlayerError:
                continue
            if seen := watched(call):
                yield Finding(f"{name} after {match.at(number)}", f"it asks {seen[0]}", match.seed)
                return


def _calls(match: Match, state: State[Any], number: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    game, ctx, together = match.game, match.ctx, match.options.pace == "common"
    seat, view = state.to_move[0], view_for(state, state.to_move[0])
    if number == 0:
        yield f"setup({match.seats}, options, ctx)", partial(game.setup, match.seats, match.options, ctx)
    yield "moves(view, ctx)", lambda: list(game.moves(view, ctx))
    yield "scene(view)", partial(game.scene, view)
    yield "situation(view)", partial(game.situation, view)
    yield "export(public)", partial(game.export, view.public)
    if not together:
        yield f"miss(state, {seat}, ctx)", partial(game.miss, state, seat, ctx)
    for mover, move, _ in moves_of(match, state, 4):
        text = game.format(move)
        yield f"parse({text!r}, view)", partial(game.parse, text, view_for(state, mover))
        if together:
            yield "settle(state, choices, ctx)", partial(game.settle, state, {mover: move}, ctx)
        else:
            yield f"apply(state, {mover}, {text}, ctx)", partial(game.apply, state, mover, move, ctx)
