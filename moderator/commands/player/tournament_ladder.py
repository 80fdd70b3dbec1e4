"""Challenges on a ladder: ``Turnier T3 fordern Bert``, ``annehmen``, ``ablehnen``.

``Turnier Rangliste Topwords``: the ratings of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from moderator.club import ratings, spelling
from moderator.club.desk import Desk
from moderator.club.names import Unclear, one_of
from moderator.club.tournaments import rows
from moderator.commands.call import Answer, Call, said
from moderator.commands.player import guide, tournament_words
from moderator.commands.player.tournament_words import Wish
from moderator.errors import Illegal, Impossible, Misused
from moderator.match.contract import Note
from moderator.play.tournaments import challenges
from moderator.states import EntryState, TournamentStatus
from moderator.store import players, tournaments
from moderator.store.models import Player, Tournament
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Rungs
from moderator.tournaments.rating import Ranked, ranking


def challenge(call: Call, wish: Wish) -> Answer:
    """Ask somebody above for a game. A robot accepts at once."""
    tournament = _ladder(call, wish)
    if isinstance(tournament, Answer):
        return tournament
    desk, own = call.desk, _number(call, tournament)
    there = rows.numbered(desk.session, tournament, 1)
    names = [there[number].name for number in rows.challengeable(desk, tournament, own)]
    if not wish.rest:
        _refused("cups-challenge-whom", tournament, names)
    number = _called(wish.rest, _taking_part(desk, tournament), tournament, names)
    if number == own:
        _refused("cups-challenge-self", tournament, names)
    try:
        made = challenges.challenge(desk, tournament, own, number)
    except Illegal as error:
        faults = [{"code": error.code, **error.params}]
        code = "cups-challenge-no" if names else "cups-challenge-nobody"
        raise Impossible(
            code, faults=faults, names=names, cup=tournament.code, name=names[0] if names else ""
        ) from None
    known = {"cup": tournament.code, "title": tournament.name, "name": there[number].name}
    if there[number].robot:
        if not made.accepted:
            challenges.accept(desk, tournament, number)
        return Answer(mailed=True)  # by the robot, so to speak
    return said("cups-challenged", until=made.until, **known)


def _taking_part(desk: Desk, tournament: Tournament) -> dict[int, Player]:
    """Who can be named: the entrants that have not left."""
    entries = tournaments.entries(desk.session, tournament, 1)
    return {entry.number: player for entry, player in entries if entry.number and entry.state == EntryState.IN}


def _refused(code: str, tournament: Tournament, names: Sequence[str]) -> NoReturn:
    """Raises Impossible, with the line to write for somebody who may be challenged now."""
    if not names:
        raise Impossible("cups-challenge-none", cup=tournament.code)
    raise Impossible(code, cup=tournament.code, names=names, name=names[0])


def _called(wanted: str, people: Mapping[int, Player], tournament: Tournament, names: Sequence[str]) -> int:
    """Number of the one who is called so on the ladder. Raises Impossible."""
    try:
        return list(people)[one_of(wanted, [player.name for player in people.values()])]
    except Unclear as error:
        _refused("cups-challenge-several" if error.several else "cups-challenge-unknown", tournament, names)


def accept(call: Call, wish: Wish) -> Answer:
    """The game will be played."""
    return _answered(call, wish, accepted=True)


def refuse(call: Call, wish: Wish) -> Answer:
    """No game, at the price that this ladder has."""
    return _answered(call, wish, accepted=False)


def _answered(call: Call, wish: Wish, accepted: bool) -> Answer:
    tournament = _ladder(call, wish)
    if isinstance(tournament, Answer):
        return tournament
    desk, own = call.desk, _number(call, tournament)
    waiting = challenges.waiting(tournament, own)
    if waiting is None:
        raise Impossible("cups-challenge-not-there", cup=tournament.code, title=tournament.name)
    name = rows.numbered(desk.session, tournament, 1)[waiting.challenger].name
    if accepted:
        challenges.accept(desk, tournament, own)
        return said("cups-accepted", cup=tournament.code, title=tournament.name, name=name)
    challenges.refuse(desk, tournament, own)
    stands = rows.stands(desk.session, tournament)
    place = stands.rung(own) if isinstance(stands, Rungs) else 0
    note = Note("cups-refused", {"cup": tournament.code, "title": tournament.name, "name": name, "place": place})
    return Answer((note,), mailed=waiting.costs)  # what it costs is told in a mail of its own


def _ladder(call: Call, wish: Wish) -> Tournament | Answer:
    """The ladder that is meant, running. Raises Misused."""
    tournament = tournament_words.meant(call, wish, _asked_to if wish.what in ("accept", "refuse") else _ladders)
    if isinstance(tournament, Answer):
        return tournament
    if of(tournament).in_rounds:
        raise Impossible("cups-no-ladder", cup=tournament.code, title=tournament.name)
    if tournament.status != TournamentStatus.RUNNING:
        over = tournament.status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
        raise Impossible("cups-over" if over else "cups-not-begun", cup=tournament.code, title=tournament.name)
    return tournament


def _number(call: Call, tournament: Tournament) -> int:
    entry = tournaments.entry_of(call.desk.session, tournament, call.player)
    if entry is None or entry.state != EntryState.IN:
        raise Impossible("cups-not-in", cup=tournament.code, title=tournament.name)
    return entry.number


def _ladders(desk: Desk, call: Call) -> Sequence[Tournament]:
    return [
        tournament
        for tournament in tournament_words.entered(TournamentStatus.RUNNING)(desk, call)
        if not of(tournament).in_rounds
    ]


def _asked_to(desk: Desk, call: Call) -> Sequence[Tournament]:
    """Ladders on which somebody waits for the writer's answer."""
    return [
        tournament
        for tournament in _ladders(desk, call)
        if challenges.waiting(tournament, _number(call, tournament)) is not None
    ]


# ---- ratings ----


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
            return guide.find_game(wish.rest, call.player.language)
        except Misused as error:  # the example of a right line is another command's
            raise Impossible(error.code, **error.params) from None
    if wish.tournament:
        tournament = tournament_words.meant(call, wish, tournament_words.shown)
        return tournament if isinstance(tournament, Answer) else tournament.game
    played = ratings.rated_games(call.desk.session) or tournaments.games(call.desk.session)
    if len(played) == 1:
        return played.pop()
    language = call.player.language
    names = [spelling.game_name(key, language) for key in sorted(played)] or guide.names(language)
    raise Impossible("cups-ratings-which", games=names, game=names[0])
