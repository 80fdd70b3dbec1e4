"""Tables for training: one person against a robot, in a match whose result counts for no rating."""

from __future__ import annotations

from collections.abc import Collection

from moderator.common.enums import Level
from moderator.common.errors import OperatorError
from moderator.service import create
from moderator.service.desk import Desk
from moderator.store import matches, players
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow

MOST = 2
"""Such tables that one person plays at at once."""


def count_practice_tables(session: Session, player: int) -> int:
    """Count the player's tables for training that are not over."""
    return matches.count_training_matches(session, player)


def begin_practice(desk: Desk, player: PlayerRow, game: str, level: Level, name: str) -> tuple[MatchRow, PlayerRow]:
    """Create a match for training and deal it; returns it and its robot. The mails are made with all others of this
    transaction. Raises OperatorError where the game cannot be played here, not by two, say, or without its dictionary;
    then nothing is stored."""
    match = None
    try:
        with desk.begin_savepoint():
            opponent = ensure_robot(desk, level)
            match = create.create_match(desk, game, name, [player, opponent], {})
            match.training = True
            create.deal_match(desk, match)
    except OperatorError:
        desk.progress = {number: one for number, one in desk.progress.items() if one.match is not match}
        raise
    return match, opponent


def ensure_robot(desk: Desk, level: Level, excluded: Collection[int] = ()) -> PlayerRow:
    """Return the club's robot of a level, none of those ``excluded``; created where there is none yet."""
    found = players.find_robot_of_level(desk.session, level, excluded)
    if found is not None:
        return found
    names = {known.casefold() for known in players.list_player_names(desk.session)}
    tried = (f"Robot {level.value}{number}" for number in ("", *(f" {n}" for n in range(2, 1000))))
    return create.add_player(
        desk.session, next(name for name in tried if name.casefold() not in names), None, desk.now, level=level
    )
