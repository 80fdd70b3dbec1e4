"""What a game or a transport of another package may import of moderator, and finds there as long as its contract has
that version; and that a game asks nobody but its Context: no clock, no chance, no file, no net."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice
from time import perf_counter
from types import FrameType
from typing import Any

from moderator.common.errors import PlayerError
from moderator.conformance.subject import (
    CheckFigure,
    Finding,
    Found,
    GameSubject,
    SampleMatch,
    Skipped,
    iter_sample_moves,
)
from moderator.games import OWN, folder
from moderator.rules.game import State
from moderator.rules.state import view_for

WHOLE = ("moderator.rules.game", "moderator.rules.scenes", "moderator.rules.orders.conditions")
"""Modules of which every name without an underscore is promised."""
PROMISED: Mapping[str, tuple[str, ...]] = {
    "moderator.rules.game": (
        "BEFORE", "CONTRACT", "Cell", "Context", "Effort", "Equities", "FENCE", "FIRST", "Game", "Grid", "InForce",
        "M", "Note", "NumberedText", "Opener", "P", "PLAIN", "Pace", "Public", "Scene", "Scope", "TouchMove",
        "Shuffle", "State", "Step", "Style", "Verdict", "View", "Words", "begins_by_lot", "best_seats", "check_turn",
        "first_mover", "is_evaluated", "new_options", "read_options", "read_starter", "resolve_option_values",
        "view_for",
    ),
    "moderator.rules.scenes": (
        "Bone", "Cell", "Grid", "Head", "Layout", "Link", "OpenEnd", "Scene", "TouchMove", "Snake", "Triangle",
        "Triangles",
    ),
    "moderator.rules.orders.conditions": (
        "AFTER_DRAW_TEXT", "AfterDraw", "check", "is_pass", "read_after_draw", "take", "write",
    ),
    "moderator.rules.position": ("Diagram", "DiagramError", "written"),
    "moderator.rules.ending": ("lead",),
    "moderator.rules.words": ("AnyWords", "WordList", "listed", "unwrapped"),
    "moderator.common.enums": ("Level",),
    "moderator.common.errors": (
        "Ambiguous", "ConfigError", "Illegal", "OperatorError", "PlayerError", "RecordError", "Undecided", "Unreadable",
    ),
}  # fmt: skip
"""Module -> its names that are promised to games; docs/build/contract.md says what for."""
TRANSPORTS: Mapping[str, tuple[str, ...]] = {
    "moderator.mail.transport": ("CONTRACT", "OneByOne", "Polled", "Refused", "Setup", "Transport", "Way"),
    "moderator.mail.model": ("Mailbox", "Mark", "RawMail", "Ready", "Sender", "Sent"),
    "moderator.common.errors": ("ConfigError", "OperatorError", "TransientError"),
}
"""The same to transports."""


def iter_import_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that all that the game's Python imports of moderator is promised."""
    if subject.key in OWN:
        yield Skipped("it is one of moderator's own")
        return
    if subject.game.contract == 1:
        yield Skipped("it was written for contract 1, whose names are there for this release only")
        return
    for file in sorted(folder(subject.key).glob("*.py")):
        for line, name in iter_unpromised_imports(file.read_text(encoding="utf-8"), PROMISED):
            yield Finding(f"{file.name}:{line}", f"it imports {name}, which may change or go with any release")


def iter_unpromised_imports(source: str, promised: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of all that Python source imports of moderator and is not promised to it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names if one.name not in promised]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            known = promised.get(module, ())
            names = [f"{module}.{one.name}" for one in node.names if one.name not in known]
            names = [name for name in names if name not in promised]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.partition(".")[0] == "moderator")


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


class OutsideWatch:
    """A profiler that notes each built-in function that is called and asks the outside."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and (what := _find_outside_source(called)):
            steps: list[str] = []
            here: FrameType | None = frame
            while here is not None and len(steps) < 3:
                if str(here.f_globals.get("__name__", "")).startswith(MACHINERY) or "importlib" in _get_file_name(here):
                    return
                steps.append(f"{here.f_code.co_name} ({_get_file_name(here)}:{here.f_lineno})")
                here = here.f_back
            self.seen.append(f"{what}, {getattr(called, '__name__', called)} in {' < '.join(steps)}")


def _get_file_name(frame: FrameType) -> str:
    return frame.f_code.co_filename


def _find_outside_source(called: Any) -> str:
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


def iter_outside_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that nothing outside is asked. Each call is made once before, so that all that is imported then is
    there."""
    for match, number, state in subject.iter_positions(2):
        for name, call in _iter_calls(match, state, number):
            try:
                call()
            except PlayerError:
                continue
            watch, before = OutsideWatch(), sys.getprofile()
            sys.setprofile(watch)
            try:
                with contextlib.suppress(PlayerError):
                    call()
            finally:
                sys.setprofile(before)
            if seen := watch.seen:
                yield Finding(f"{name} after {match.describe_moment(number)}", f"it asks {seen[0]}", match.seed)
                return


def _iter_calls(match: SampleMatch, state: State[Any], number: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    game, ctx, together = match.game, match.ctx, match.options.pace == "common"
    seat, view = state.to_move[0], view_for(state, state.to_move[0])
    if number == 0:
        yield f"setup({match.seats}, options, ctx)", partial(game.setup, match.seats, match.options, ctx)
    yield "list_moves(view, ctx)", lambda: list(game.list_moves(view, ctx))
    yield "build_scene(view)", partial(game.build_scene, view)
    yield "describe_situation(view)", partial(game.describe_situation, view)
    yield "export(public)", partial(game.export, view.public)
    if not together:
        yield f"pass_turn(state, {seat}, ctx)", partial(game.pass_turn, state, seat, ctx)
    for mover, move, _ in iter_sample_moves(match, state, 4):
        text = game.format_move(move)
        yield f"parse_move({text!r}, view)", partial(game.parse_move, text, view_for(state, mover))
        if together:
            yield "evaluate_round(state, choices, ctx)", partial(game.evaluate_round, state, {mover: move}, ctx)
        else:
            yield f"apply_move(state, {mover}, {text}, ctx)", partial(game.apply_move, state, mover, move, ctx)


# ---- How long a move takes, as a multiple of a floor of the same run: machines differ, their ratios hardly.


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
    yield "list_moves(view, ctx)", lambda: list(islice(game.list_moves(view, ctx), 2500))
    yield "build_scene(view)", lambda: game.build_scene(view)
    if match.options.pace == "common":
        return
    for seat, move, _ in iter_sample_moves(match, state, 5):
        yield (
            f"apply_move(state, {seat}, {game.format_move(move)}, ctx)",
            partial(_apply_quietly, match, state, seat, move),
        )


def _apply_quietly(match: SampleMatch, state: State[Any], seat: int, move: Any) -> None:
    with suppress(PlayerError):
        match.game.apply_move(state, seat, move, match.ctx)
