"""What the page of a game in a package of its own says of a move, beside what Python says."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from moderator.errors import PlayerError
from moderator.match.contract import State, view_for
from moderator.match.turn_data import CONTEXT
from tests.chromium import chromium

LEGAL, ILLEGAL = 1000, 300
Case = tuple[State[Any], int, str, Any]
"""(position, square, tile that is put there, the move that this is)."""
ASKED = """async ([source, name, cases]) => {
    const family = (await import("data:text/javascript;base64," + source))[name];
    return cases.map(([turn, square, tile]) => {
        const after = family.put(family.start(turn), square, tile);
        return after.why ? after : family.judge(after);
    });
}"""


def turn_of(game: Any, state: State[Any]) -> dict[str, Any]:
    """As much of docs/turn.md as these pages read."""
    tiles = [len(hand) for hand in state.hands]
    return {"game": game.key, "rack": list(state.hands[0]), "tiles": tiles, "board": game.table(state.public)}


def outcome(game: Any, state: State[Any], move: Any) -> dict[str, Any]:
    """What Python says, in the form of the page."""
    read = game.parse(game.format(move), view_for(state, 0))
    try:
        step = game.apply(state, 0, read, CONTEXT)
    except PlayerError as error:
        return {"why": error.code, "params": dict(error.params)}
    notes = [{"code": note.code, "params": dict(note.params)} for note in step.notes if note.only is None]
    return {"text": game.format(read), "words": [], "notes": notes, "points": step.points}


def differing(game: Any, module: Path, name: str, cases: Iterator[Case]) -> list[tuple[Any, ...]]:
    """(what the page says, what Python says) where that is not the same, of a thousand legal moves and 300 others."""
    found: dict[bool, list[tuple[dict[str, Any], int, str, dict[str, Any]]]] = {True: [], False: []}
    for state, square, tile, move in cases:
        told = outcome(game, state, move)
        kept, most = found["text" in told], LEGAL if "text" in told else ILLEGAL
        if len(kept) < most:
            kept.append((turn_of(game, state), square, tile, told))
        if (len(found[True]), len(found[False])) == (LEGAL, ILLEGAL):
            break
    every = found[True] + found[False]
    source = b64encode(module.read_bytes()).decode()
    with chromium() as browser:
        answers = browser.new_page().evaluate(ASKED, [source, name, [case[:3] for case in every]])
    return [(answer, case[3]) for answer, case in zip(answers, every, strict=True) if answer != case[3]]
