"""What a robot of somebody else is asked, and whether its answer is an order. docs/build/bots.md says what stands in
the line for a program."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from moderator.bots.program import FOLDER, BotProgram
from moderator.bots.walls import BotFailure, BotNotStarted
from moderator.rules import turn_data
from moderator.rules.game import Game, State, resolve_option_values
from moderator.rules.orders.alternatives import find_first_legal
from moderator.rules.robots.choose import THOUGHT_OF
from moderator.rules.state import Context, view_for
from moderator.rules.words import filter_robot_words
from moderator.settings import Config

LOG = logging.getLogger("moderator")
VERSION = 1
"""Of the line. A higher one may mean anything; new keys alone do not raise it."""
LISTED = 500
"""Legal moves that are named, those with the most points; a crossword can have tens of thousands."""


@dataclass(frozen=True)
class BotTurn:
    """A turn of a match. ``context``: the seats that are out, and the dictionary."""

    match: str
    game: Game[Any, Any]
    options: Any
    state: State[Any]
    seat: int
    context: Context

    def to_data(self) -> dict[str, Any]:
        """Return the values that docs/build/turn.md lists, without those that are for mails only."""
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
            "options": resolve_option_values(self.game, self.options, self.state.seats),
            "board": turn_data.build_table_values(self.game, view),
            **({"common": True} if common else {"tiles": view.hand_counts}),
        }

    def list_legal_moves(self) -> list[tuple[str, int]]:
        """Return moves with their points, as far as they are looked for: the most points first, of equal ones the first
        by its text."""
        context = replace(self.context, words=filter_robot_words(self.context.words))
        found = islice(self.game.list_moves(view_for(self.state, self.seat), context), THOUGHT_OF)
        return sorted(
            ((self.game.format_move(move), points) for move, points in found), key=lambda one: (-one[1], one[0])
        )


def build_bot_program(config: Config, name: str) -> BotProgram:
    """Build the program that plays for the robot of this name, for which there is ``[bots.NAME]``."""
    bot = config.bots[name]
    return BotProgram(bot.command, config.file.parent / FOLDER, bot.seconds, bot.mebibytes)


def find_bot_program(config: Config, started: dict[str, BotProgram], name: str) -> BotProgram | None:
    """Find the program that plays for the robot of this name; None where we do. ``started``: those of this run, which
    live as long as it does."""
    if name in config.bots and name not in started:
        started[name] = build_bot_program(config, name)
    return started.get(name)


def ask_bot_for_move(program: BotProgram, name: str, turn: BotTurn) -> str:
    """Return the first legal move of the order with which a program answers for the robot of that name. A word that the
    moderator would have to rule on is not legal for it. Raises BotFailure and BotNotStarted, with a line in the log
    that says more."""
    whose = f"match {turn.match}: the program that plays for {name} in seat {turn.seat + 1}"
    try:
        answer = program.ask_line(build_bot_question(turn, program.seconds)).decode("utf-8", "replace").strip()
    except BotNotStarted as unstarted:
        LOG.warning("%s cannot be asked, the robot plays by itself: %s", whose, unstarted)
        raise
    except BotFailure as failed:
        LOG.warning("%s has no answer: %s%s", whose, failed, _format_last_line(failed.said))
        raise
    found = find_first_legal(turn.game, turn.state, turn.seat, answer, turn.context, "reject")
    if found.move is None or found.step is None:
        why, said = "is no legal move" if answer else "is empty", program.get_last_error_line()
        LOG.warning("%s has answered, but that %s%s", whose, why, _format_last_line(said))
        raise BotFailure(f"its answer {why}", said)
    return turn.game.format_move(found.move)


def _format_last_line(said: str) -> str:
    return f"; its last line on standard error: {said}" if said else ""


def build_bot_question(turn: BotTurn, seconds: int) -> bytes:
    """Return one line of JSON, without its end. ``seconds``: so long the program may think."""
    legal = turn.list_legal_moves()
    line = {
        "moderator": VERSION,
        "seconds": seconds,
        "turn": turn.to_data(),
        "legal": [{"move": text, "points": points} for text, points in legal[:LISTED]],
        "all": len(legal) <= LISTED,
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
