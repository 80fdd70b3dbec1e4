"""``Turnier Rangliste Topwords``: the ratings of a game."""

from __future__ import annotations

from moderator.club import ratings, spelling
from moderator.commands.call import Answer, Call
from moderator.commands.player import guide, tournament_words
from moderator.commands.player.tournament_words import Wish
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.store import matches, players, tournaments
from moderator.tournaments.rating import Ranked, ranking

SHOWN = 20


def ratings_of(call: Call, wish: Wish) -> Answer:
    """The best, and the writer's own line. A place has only who has a settled rating."""
    game = _game(call, wish)
    if isinstance(game, Answer):
        return game
    known = {"game": spelling.game_name(game, call.player.language)}
    found = ratings.rated(call.desk.session, game)
    if not found:
        return Answer((Note("cups-ratings-none", known),))
    names = {player.number: player.name for player in players.every(call.desk.session)}
    lines = ranking({names[number]: rating for number, rating in found.items()})
    best = [line for line in lines if line.place is not None][:SHOWN]
    notes = [Note("cups-ratings", known), *(_line(line) for line in best)]
    own = next((line for line in lines if line.player == call.player.name), None)
    if not best:
        notes = [Note("cups-ratings-unsettled", known | {"count": len(lines)})]
    if own is None:
        notes.append(Note("cups-rating-not-yours", known))
    elif own.place is None:
        notes.append(Note("cups-rating-yours-unsettled", _facts(own)))
    elif own not in best:
        notes.append(Note("cups-rating-yours", _facts(own)))
    return Answer(tuple(notes))


def _line(line: Ranked) -> Note:
    return Note("cups-rating", _facts(line))


def _facts(line: Ranked) -> dict[str, object]:
    rating = line.rating
    return {"place": line.place, "name": line.player, "rating": str(rating.shown), "count": rating.games}


def _game(call: Call, wish: Wish) -> str | Answer:
    """The game that is named, by itself or as that of a tournament; else the only one that is played. Raises
    Impossible."""
    if wish.rest:
        try:
            return guide.find_game(wish.rest)
        except Misused as error:  # the example of a right line is another command's
            raise Impossible(error.code, **error.params) from None
    if wish.tournament:
        tournament = tournament_words.meant(call, wish, tournament_words.shown)
        return tournament if isinstance(tournament, Answer) else tournament.game
    played = matches.games_with_results(call.desk.session) or tournaments.games(call.desk.session)
    if len(played) == 1:
        return played.pop()
    names = [spelling.game_name(key, call.player.language) for key in sorted(played)] or guide.names()
    raise Impossible("cups-ratings-which", games=names, game=names[0])
