"""Tables for training: one person against a robot, in a match whose result counts for no rating."""

from __future__ import annotations

from collections.abc import Collection

from moderator.club.desk import Desk
from moderator.errors import OperatorError
from moderator.play import create
from moderator.states import Level
from moderator.store import matches, players
from moderator.store.db import Session
from moderator.store.models import Match, Player

MOST = 2
"""Such tables that one person plays at at once."""


def running(session: Session, player: int) -> int:
    """How many tables for training a player has that are not over."""
    return matches.in_training(session, player)


def begin(desk: Desk, player: Player, game: str, level: Level, name: str) -> tuple[Match, Player]:
    """The match, dealt, and its robot. The mails are made with all others of this transaction. Raises OperatorError
    where the game cannot be played here, not by two, say, or without its dictionary; then nothing is kept."""
    match = None
    try:
        with desk.kept_whole():
            opponent = robot(desk, level)
            match = create.new_match(desk, game, name, [player, opponent], {})
            match.training = True
            create.deal(desk, match)
    except OperatorError:
        desk.progress = {number: one for number, one in desk.progress.items() if one.match is not match}
        raise
    return match, opponent


def robot(desk: Desk, level: Level, but: Collection[int] = ()) -> Player:
    """The club's robot of a level, none of those ``but``; made where there is none yet."""
    found = players.robot_of(desk.session, level, but)
    if found is not None:
        return found
    names = {known.casefold() for known in players.names(desk.session)}
    tried = (f"Robot {level.value}{number}" for number in ("", *(f" {n}" for n in range(2, 1000))))
    return create.add_player(
        desk.session, next(name for name in tried if name.casefold() not in names), None, desk.now, level=level
    )
