"""What a robot of somebody else is asked, and whether its answer is an order. docs/bots.md says what stands in the line
for a program."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from moderator.bots.failures import Failed, Unstarted
from moderator.bots.program import FOLDER, Program
from moderator.config import Config
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

    def legal(self) -> list[tuple[str, int]]:
        """Moves with their points, as far as they are looked for: the most points first, of equal ones the first by its
        text."""
        context = replace(self.context, words=for_robots(self.context.words))
        found = islice(self.game.moves(view_for(self.state, self.seat), context), THOUGHT_OF)
        return sorted(((self.game.format(move), points) for move, points in found), key=lambda one: (-one[1], one[0]))


def of(config: Config, name: str) -> Program:
    """What plays for the robot of this name, for which there is ``[bots.NAME]``."""
    bot = config.bots[name]
    return Program(bot.command, config.file.parent / FOLDER, bot.seconds, bot.mebibytes)


def asked(program: Program, name: str, turn: Turn) -> str:
    """The first legal move of the order with which it answers for the robot of that name. A word that the moderator
    would have to rule on is not legal for it. Raises Failed and Unstarted, with a
    line in the log that says more."""
    whose = f"match {turn.match}: the program that plays for {name} in seat {turn.seat + 1}"
    try:
        answer = program.ask(question(turn, program.seconds)).decode("utf-8", "replace").strip()
    except Unstarted as unstarted:
        LOG.warning("%s cannot be asked, the robot plays by itself: %s", whose, unstarted)
        raise
    except Failed as failed:
        LOG.warning("%s has no answer: %s%s", whose, failed, _last(failed.said))
        raise
    found = first_legal(turn.game, turn.state, turn.seat, answer, turn.context, "reject")
    if found.move is None or found.step is None:
        why, said = "is no legal move" if answer else "is empty", program.said()
        LOG.warning("%s has answered, but that %s%s", whose, why, _last(said))
        raise Failed(f"its answer {why}", said)
    return turn.game.format(found.move)


def _last(said: str) -> str:
    return f"; its last line on standard error: {said}" if said else ""


def question(turn: Turn, seconds: int) -> bytes:
    """One line of JSON, without its end. ``seconds``: so long the program may think."""
    legal = turn.legal()
    line = {
        "moderator": VERSION,
        "seconds": seconds,
        "turn": turn.data(),
        "legal": [{"move": text, "points": points} for text, points in legal[:LISTED]],
        "all": len(legal) <= LISTED,
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
