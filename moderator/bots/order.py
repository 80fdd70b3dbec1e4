"""What a robot of somebody else is asked, and whether its answer is an order. docs/bots.md says what stands in the line
for a program."""

from __future__ import annotations

import json
import logging
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from moderator.bots import contract
from moderator.bots.contract import RobotTurn
from moderator.bots.failures import Failed
from moderator.bots.packaged import Packaged
from moderator.bots.program import FOLDER, Program
from moderator.config import MEBIBYTES, Config
from moderator.match import playouts, turn_data
from moderator.match.alternatives import first_legal
from moderator.match.contract import Context, Game, State, agreed, view_for
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
        """Moves with their points, as far as they are looked for; those with the most points first."""
        context = replace(self.context, words=for_robots(self.context.words))
        return contract.legal(self.game, view_for(self.state, self.seat), context)

    def seen(self, seconds: int) -> RobotTurn:
        """For a robot in this process. The shuffle of the match would tell it the stock, and the deals to come."""
        view = deepcopy(view_for(self.state, self.seat))
        context = replace(self.context, words=for_robots(self.context.words), shuffle=playouts.worlds(self.game, view))
        options = agreed(self.game, self.options, self.state.seats)
        return RobotTurn(self.match, self.game, options, view, context, seconds)


def of(config: Config, name: str) -> Program | Packaged:
    """What plays for the robot of this name, for which there is ``[bots.NAME]``."""
    bot = config.bots[name]
    if bot.robot:
        return Packaged(bot.robot, bot.seconds)
    return Program(bot.command, config.file.parent / FOLDER, bot.seconds, bot.mebibytes or MEBIBYTES)


def asked(player: Program | Packaged, name: str, turn: Turn) -> str:
    """The first legal move of the order with which it answers for the robot of that name. A word that the moderator
    would have to rule on is not legal for it. Raises Failed, with a line in the log that says more, and Unstarted."""
    what = "program" if isinstance(player, Program) else f"package's robot {player.key}"
    whose = f"match {turn.match}: the {what} that plays for {name} in seat {turn.seat + 1}"
    try:
        answer = _answer(player, turn)
    except Failed as failed:
        last = f"; its last line on standard error: {failed.said}" if failed.said else ""
        LOG.warning("%s has no answer: %s%s", whose, failed, last)
        raise
    found = first_legal(turn.game, turn.state, turn.seat, answer, turn.context, "reject")
    if found.move is None or found.step is None:
        LOG.warning("%s has answered, but that is no legal move", whose)
        raise Failed("its answer is no legal move")
    return turn.game.format(found.move)


def _answer(player: Program | Packaged, turn: Turn) -> str:
    if isinstance(player, Program):
        return player.ask(question(turn, player.seconds)).decode("utf-8", "replace").strip()
    return player.ask(turn.seen(player.seconds))


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
