"""Whatever the deal of a match can refuse is found before the match is there: options, numbers of seats and words are
tried as they will be used, and nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moderator import games
from moderator.common.errors import ModeratorError, OperatorError
from moderator.rules import shuffling, table
from moderator.rules.game import Context, Game, read_options
from moderator.rules.words import AnyWords
from moderator.views.match_cache import MatchCache


def try_deal(cache: MatchCache, game_key: str, values: Mapping[str, Any], seats: Iterable[int]) -> None:
    """Deal to each of these numbers of seats, and open the dictionary. Raises OperatorError with what cannot be, and
    what is possible."""
    game = games.load_game(game_key)
    options = read_options(game, values, f"{game_key} options")
    words = cache.get_dictionary(options) if game.uses_words else AnyWords()
    for number in seats:
        if not game.min_seats <= number <= game.max_seats:
            raise OperatorError(
                f"{game_key} is for {_format_seat_range(game)} seats, not {number}.",
                "Take another number of seats.",
            )
        try:
            table.open_match_state(game, number, options, Context(words, shuffling.keep_order))
        except ModeratorError:
            raise
        except Exception as error:  # of somebody else's game: this one line is all that it costs
            message = f"{game_key} with {dict(values)} cannot be dealt to {number} seats: {error!r}."
            raise OperatorError(message, "Take other options, or mend the game.") from error


def _format_seat_range(game: Game[Any, Any]) -> str:
    """Format the numbers of seats: ``2 to 4``, or ``2``."""
    return str(game.min_seats) if game.min_seats == game.max_seats else f"{game.min_seats} to {game.max_seats}"
