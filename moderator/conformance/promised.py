"""What a game or a transport of another package may import of moderator, and finds there as long as
its contract has that version."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from moderator.conformance.finding import Finding, Found, Skipped
from moderator.conformance.subject import GameSubject
from moderator.games import OWN, folder

WHOLE = (
    "moderator.rules.game",
    "moderator.rules.scenes",
    "moderator.rules.orders.conditions",
)
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
