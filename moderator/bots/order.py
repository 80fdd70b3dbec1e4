"""What a program is asked, and whether its answer is an order. docs/bots.md says what stands in the line."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from moderator.bots.program import Failed, Program
from moderator.match import turn_data
from moderator.match.alternatives import first_legal
from moderator.match.contract import Context, Game, State, agreed, view_for
from moderator.match.robot import THOUGHT_OF
from moderator.match.words import for_robots

LOG = logging.getLogger("moderator")
VERSION = 1
"""Of the line. A higher one may mean anything; new keys alone do not raise it."""
LISTED = 500
"""Legal moves that are named, those with the most points; a crossword can have tens of thousands."""


@dataclass(frozen=True)
class Turn:
    """Of which match, and whose turn it is. ``context``: who is out, and the dictionary."""

    match: str
    game: Game[Any, Any]
    options: Any
    state: State[Any]
    seat: int
    context: Context

    def data(self) -> dict[str, Any]:
        """What docs/turn.md says, without what is for mails alone."""
        view, common = view_for(self.state, self.seat), len(self.state.hands) == 1 < self.state.seats
        return {
            "turn": turn_data.VERSION,
            "match": self.match,
            "game": self.game.key,
            "round": self.state.public.round,
            "seat": self.seat,
            "scores": view.scores,
            "rack": view.hand,
            "stock": view.stock_count,
            "options": agreed(self.game, self.options, self.state.seats),
            "board": turn_data.table_of(self.game, view),
            **({"common": True} if common else {"tiles": view.hand_counts}),
        }

    def legal(self) -> list[tuple[int, str]]:
        """Points and moves, as far as they are looked for; those with the most points first."""
        context = replace(self.context, words=for_robots(self.context.words))
        found = islice(self.game.moves(view_for(self.state, self.seat), context), THOUGHT_OF)
        return sorted(((points, self.game.format(move)) for move, points in found), key=lambda one: (-one[0], one[1]))


def asked(program: Program, turn: Turn) -> str:
    """The first legal move of the order that the program answers with; "" where there is none, with a line in the log
    that says why. A word that the moderator would have to rule on is not legal for it. Raises Unstarted."""
    try:
        answer = program.ask(question(turn, program.seconds)).decode("utf-8", "replace").strip()
    except Failed as failed:
        LOG.warning("match %s: the program in seat %d has no answer: %s", turn.match, turn.seat + 1, failed)
        return ""
    found = first_legal(turn.game, turn.state, turn.seat, answer, turn.context, "reject")
    if found.move is None or found.step is None:
        LOG.warning("match %s: the answer of the program in seat %d is no legal move", turn.match, turn.seat + 1)
        return ""
    return turn.game.format(found.move)


def question(turn: Turn, seconds: int) -> bytes:
    """One line of JSON, without its end. ``seconds``: so long the program may think."""
    legal = turn.legal()
    line = {
        "moderator": VERSION,
        "seconds": seconds,
        "turn": turn.data(),
        "legal": [{"move": text, "points": points} for points, text in legal[:LISTED]],
        "all": len(legal) <= LISTED,
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
