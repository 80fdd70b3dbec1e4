"""Games of contract 1, for one release: what they import, and how their methods come to the names of today."""

from __future__ import annotations

from functools import cache
from typing import Any, Generic

from moderator.common.errors import OperatorError
from moderator.rules import game
from moderator.rules.game import Game, P
from moderator.rules.state import M


def __getattr__(name: str) -> Any:
    """Return what a game of contract 1 imports and is called as it was, or nearly so."""
    return getattr(game, "resolve_option_values" if name == "agreed" else name)


class Sequential(Generic[P, M]):
    """The class that a game inherited in which one seat acts at a time."""

    paces: tuple[str, ...] = ("sequential",)
    seeded_rounds = True
    uses_words = False
    style = game.PLAIN
    check_seats = Game.check_seats
    winners = Game.find_winners
    situation = Game.describe_situation
    lasting = Game.is_standing_order
    settle = Game.evaluate_round
    close_round = Game.close_round


class Simultaneous(Sequential[P, M]):
    """The class that a game inherited in which all act at once."""

    paces = ("rounds",)
    seeded_rounds = False
    at_once = True


class _Optional:
    """Any of the protocols that a game needed not have. It could inherit them as well as just have their methods."""


Adjudicable = Conserving = Eliminating = Opening = Portable = Resumable = Valued = BySeats = _Optional
Greedy = Levelled = Idling = Exemplary = Redealable = Simulated = Assessing = Partly = Surveying = Weighing = _Optional

_NEW_NAMES = {
    "agreed": "resolve_options",
    "apply": "apply_move",
    "at_level": "choose_for_level",
    "eliminated": "elimination_code",
    "equities": "estimate_equities",
    "examples": "build_examples",
    "format": "format_move",
    "greedy": "choose_greedy",
    "lasting": "is_standing_order",
    "listable": "can_list_moves",
    "miss": "pass_turn",
    "moves": "list_moves",
    "on_table": "list_table_tiles",
    "parse": "parse_move",
    "rack_value": "find_rack_value",
    "reply": "choose_reply",
    "scene": "build_scene",
    "settle": "evaluate_round",
    "simulated": "simulate_playout",
    "situation": "describe_situation",
    "standing": "estimate_standing",
    "survey": "survey_moves",
    "unseen": "list_unseen_tiles",
    "values": "tile_values",
    "winners": "find_winners",
    "without_move": "choose_idle_move",
}
_KEPT_NAMES = (
    "at_once", "check_seats", "close_round", "contract", "export", "key", "luckless", "max_seats", "min_seats",
    "opener", "options", "paces", "pass_text", "seeded_rounds", "setup", "style", "uses_words", "version",
)  # fmt: skip
_TOGETHER = (
    ("table", "placed"),
    ("diagram", "resume"),
    ("own_levels", "at_level"),
    ("effort", "unseen", "reply", "standing"),
)
"""Names that meant something only where all of them were there."""


@cache
def adapt_game(old: Any) -> Game[Any, Any]:
    """Return a game of contract 1 under the names of today. Raises OperatorError where something is missing that each
    game must have."""
    absent = {name for names in _TOGETHER for name in names if not all(hasattr(old, one) for one in names)}
    names = {*_NEW_NAMES, *_KEPT_NAMES, *(name for group in _TOGETHER for name in group)} - absent
    members: dict[str, Any] = {_NEW_NAMES.get(name, name): getattr(old, name) for name in names if hasattr(old, name)}
    members["finds_best"] = hasattr(old, "greedy")
    if hasattr(old, "weigh"):
        members["compared_by"] = "tiles"
        members["weigh_move"] = lambda view, move, points: old.weigh(view, move)
    if hasattr(old, "by_points"):
        members["count_by_points"] = lambda: adapt_game(old.by_points())
    kind = type("LegacyGame", (Game,), {n: staticmethod(one) if callable(one) else one for n, one in members.items()})
    try:
        adapted: Game[Any, Any] = kind()
    except TypeError as error:
        raise OperatorError(f"The game {old.key!r} is not whole: {error}.", "Install another release of it.") from error
    return adapted
