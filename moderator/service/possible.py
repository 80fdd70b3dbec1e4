"""Pace ``common``: what the rack would have brought, told with the report of the round. Rack and board were the same
for all, so nothing is told that a player could not have found alone; the next round has another rack and board."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from moderator.rules.game import Note
from moderator.rules.result import EngineResult
from moderator.rules.robots.survey import survey_position
from moderator.rules.table import MatchState
from moderator.rules.words import listed
from moderator.service.desk import Desk
from moderator.views.loaded_match import LiveMatch


def missed_best_word(desk: Desk, live: LiveMatch, before: MatchState[Any], result: EngineResult) -> tuple[Note, ...]:
    """Find the most points that the rack had on the board ``before``, and who had them; () in the other paces, and
    where nobody can say: a dictionary that lists no words, a rack of which not all was searched."""
    context = desk.cache.build_context(live)
    if before.pace != "common" or not listed(context.words) or not result.moves:
        return ()
    seat = result.moves[0].seat
    there = survey_position(live.game, replace(before.state, to_move=(seat,)), seat, context)
    if there.scope != "all":
        return ()
    could = [(there.best_worth, there.found[0][0] if there.found else "")]
    could += [(move.points, move.played) for move in result.moves if move.played is not None]
    points, move = max(could, key=lambda one: one[0])
    if not points:
        return (Note("common-nothing-possible"),)
    seats = [move.seat for move in result.moves if move.played is not None and move.points == points]
    values = {"most": points, "laid": move}
    if not seats:
        return (Note("common-possible", values),)
    return (Note("common-possible-found", values | {"seats": seats}),)
