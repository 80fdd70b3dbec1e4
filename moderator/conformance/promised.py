"""What a game of another package may import of moderator, and finds there as long as the contract has that version."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from moderator.conformance.finding import Finding, Found, Skipped
from moderator.conformance.subject import Subject
from moderator.games import OWN, folder

WHOLE = (
    "moderator.match.contract",
    "moderator.match.scenes",
    "moderator.match.sequential",
    "moderator.match.conditions",
)
"""Modules of which every name without an underscore is promised."""
PROMISED: Mapping[str, tuple[str, ...]] = {
    "moderator.match.contract": (
        "Adjudicable", "BySeats", "CONTRACT", "Cell", "Conserving", "Context", "Eliminating", "FENCE", "Game", "Grid",
        "M", "Note", "NumberedText", "P", "PLAIN", "Pace", "Portable", "Public", "Resumable", "Scene", "Shuffle",
        "State", "Step", "Style", "Valued", "Verdict", "View", "Words", "agreed", "check_turn", "read_options",
        "view_for",
    ),
    "moderator.match.scenes": (
        "Bone", "Cell", "Grid", "Head", "Layout", "Link", "OpenEnd", "Scene", "Snake", "Triangle", "Triangles",
    ),
    "moderator.match.sequential": ("Sequential", "best_seats", "read_starter"),
    "moderator.match.conditions": (
        "AFTER_DRAW_TEXT", "AfterDraw", "check", "is_pass", "read_after_draw", "take", "write",
    ),
    "moderator.match.diagram": ("Diagram", "DiagramError", "written"),
    "moderator.match.robot": ("Exemplary", "Greedy", "Levelled"),
    "moderator.match.playouts": ("Effort", "Redealable", "Simulated"),
    "moderator.match.record": ("Partly",),
    "moderator.match.survey": ("Scope", "Surveying", "Weighing"),
    "moderator.match.outcome": ("lead",),
    "moderator.match.words": ("AnyWords", "WordList", "listed", "unwrapped"),
    "moderator.states": ("Level",),
    "moderator.errors": (
        "Ambiguous", "ConfigError", "Illegal", "OperatorError", "PlayerError", "RecordError", "Undecided", "Unreadable",
    ),
}  # fmt: skip
"""Module -> its names that are promised; docs/contract.md says what for."""


def imports(subject: Subject) -> Iterator[Found]:
    """Whatever the game's Python imports of moderator is promised."""
    if subject.key in OWN:
        yield Skipped("it is one of moderator's own")
        return
    for file in sorted(folder(subject.key).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for name in _unpromised(node):
                line = getattr(node, "lineno", 0)
                yield Finding(f"{file.name}:{line}", f"it imports {name}, which may change or go with any release")


def _unpromised(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for one in node.names:
            if one.name.partition(".")[0] == "moderator" and one.name not in PROMISED:
                yield one.name
    if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").partition(".")[0] == "moderator":
        for one in node.names:
            whole = f"{node.module}.{one.name}"
            if one.name not in PROMISED.get(node.module or "", ()) and whole not in PROMISED:
                yield whole
