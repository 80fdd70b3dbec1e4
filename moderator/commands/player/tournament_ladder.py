"""Challenges on a ladder: ``Turnier T3 fordern Bert``, ``annehmen``, ``ablehnen``.

``Turnier Rangliste Topwords``: the ratings of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from moderator.commands.call import CommandContext, CommandOutcome, done_with
from moderator.commands.player import guide, tournament_words
from moderator.commands.player.tournament_words import TournamentWish
from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import Illegal, Impossible, Misused
from moderator.language import spelling
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.service.tournaments import challenges
from moderator.store import players, tournaments
from moderator.store.tables import PlayerRow, Tournament
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Rungs
from moderator.tournaments.ratings import RankedPlayer, build_rating_list
from moderator.views import ratings, tournament_rows
from moderator.views.people import UnclearName, resolve_name_index


def challenge_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Ask somebody above for a game. A robot accepts at once."""
    tournament = _choose_ladder(call, wish)
    if isinstance(tournament, CommandOutcome):
        return tournament
    desk, own = call.desk, _get_entrant_number(call, tournament)
    there = tournament_rows.load_numbered_players(desk.session, tournament, 1)
    names = [there[number].name for number in tournament_rows.list_challengeable_today(desk, tournament, own)]
    if not wish.rest:
        _raise_refusal("cups-challenge-whom", tournament, names)
    number = _get_entrant_by_name(wish.rest, _load_entrants(desk, tournament), tournament, names)
    if number == own:
        _raise_refusal("cups-challenge-self", tournament, names)
    try:
        made = challenges.challenge_entrant(desk, tournament, own, number)
    except Illegal as error:
        faults = [{"code": error.code, **error.params}]
        code = "cups-challenge-no" if names else "cups-challenge-nobody"
        raise Impossible(
            code, faults=faults, names=names, cup=tournament.code, name=names[0] if names else ""
        ) from None
    known = {"cup": tournament.code, "title": tournament.name, "name": there[number].name}
    if there[number].robot:
        if not made.accepted:
            challenges.accept_ladder_game(desk, tournament, number)
        return CommandOutcome(mailed=True)  # by the robot, so to speak
    return done_with("cups-challenged", until=made.until, **known)


def _load_entrants(desk: Desk, tournament: Tournament) -> dict[int, PlayerRow]:
    """Return the entrants that can be named: those that have not left."""
    entries = tournaments.list_entries_with_players(desk.session, tournament, 1)
    return {entry.number: player for entry, player in entries if entry.number and entry.state == EntryState.IN}


def _raise_refusal(code: str, tournament: Tournament, names: Sequence[str]) -> NoReturn:
    """Raise Impossible, with the line to write for somebody who may be challenged now."""
    if not names:
        raise Impossible("cups-challenge-none", cup=tournament.code)
    raise Impossible(code, cup=tournament.code, names=names, name=names[0])


def _get_entrant_by_name(
    wanted: str, people: Mapping[int, PlayerRow], tournament: Tournament, names: Sequence[str]
) -> int:
    """Return the number of the entrant who is called so on the ladder. Raises Impossible."""
    try:
        return list(people)[resolve_name_index(wanted, [player.name for player in people.values()])]
    except UnclearName as error:
        _raise_refusal("cups-challenge-several" if error.several else "cups-challenge-unknown", tournament, names)


def accept_challenge_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Accept a challenge: the game will be played."""
    return _answer_challenge(call, wish, accepted=True)


def refuse_challenge_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Refuse a challenge, at the price that this ladder has."""
    return _answer_challenge(call, wish, accepted=False)


def _answer_challenge(call: CommandContext, wish: TournamentWish, accepted: bool) -> CommandOutcome:
    tournament = _choose_ladder(call, wish)
    if isinstance(tournament, CommandOutcome):
        return tournament
    desk, own = call.desk, _get_entrant_number(call, tournament)
    waiting = challenges.find_waiting_challenge(tournament, own)
    if waiting is None:
        raise Impossible("cups-challenge-not-there", cup=tournament.code, title=tournament.name)
    name = tournament_rows.load_numbered_players(desk.session, tournament, 1)[waiting.challenger].name
    if accepted:
        challenges.accept_ladder_game(desk, tournament, own)
        return done_with("cups-accepted", cup=tournament.code, title=tournament.name, name=name)
    challenges.refuse_ladder_game(desk, tournament, own)
    stands = tournament_rows.find_bracket_or_rungs(desk.session, tournament)
    place = stands.find_rung(own) if isinstance(stands, Rungs) else 0
    note = Note("cups-refused", {"cup": tournament.code, "title": tournament.name, "name": name, "place": place})
    return CommandOutcome((note,), mailed=waiting.costs)  # what it costs is told in a mail of its own


def _choose_ladder(call: CommandContext, wish: TournamentWish) -> Tournament | CommandOutcome:
    """Return the running ladder that is meant; or a list, if nobody can tell which. Raises Misused."""
    tournament = tournament_words.choose_tournament(
        call, wish, _list_challenged_ladders if wish.what in ("accept", "refuse") else _list_own_ladders
    )
    if isinstance(tournament, CommandOutcome):
        return tournament
    if get_format(tournament).in_rounds:
        raise Impossible("cups-no-ladder", cup=tournament.code, title=tournament.name)
    if tournament.status != TournamentStatus.RUNNING:
        over = tournament.status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
        raise Impossible("cups-over" if over else "cups-not-begun", cup=tournament.code, title=tournament.name)
    return tournament


def _get_entrant_number(call: CommandContext, tournament: Tournament) -> int:
    entry = tournaments.find_tournament_entry(call.desk.session, tournament, call.player)
    if entry is None or entry.state != EntryState.IN:
        raise Impossible("cups-not-in", cup=tournament.code, title=tournament.name)
    return entry.number


def _list_own_ladders(desk: Desk, call: CommandContext) -> Sequence[Tournament]:
    return [
        tournament
        for tournament in tournament_words.build_own_lister(TournamentStatus.RUNNING)(desk, call)
        if not get_format(tournament).in_rounds
    ]


def _list_challenged_ladders(desk: Desk, call: CommandContext) -> Sequence[Tournament]:
    """Return the ladders on which somebody waits for the writer's answer."""
    return [
        tournament
        for tournament in _list_own_ladders(desk, call)
        if challenges.find_waiting_challenge(tournament, _get_entrant_number(call, tournament)) is not None
    ]


# ---- ratings ----


SHOWN = 20


def answer_ratings_request(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Return the best ratings, and the writer's own line. Only a settled rating has a place."""
    game = _choose_rated_game(call, wish)
    if isinstance(game, CommandOutcome):
        return game
    known = {"game": spelling.get_game_name(game, call.player.language)}
    found = ratings.compute_club_ratings(call.desk.session, game)
    if not found:
        return CommandOutcome((Note("cups-ratings-none", known),))
    names = {player.number: player.name for player in players.list_all_players(call.desk.session)}
    lines = build_rating_list({names[number]: rating for number, rating in found.items()})
    best = [line for line in lines if line.place is not None][:SHOWN]
    notes = [Note("cups-ratings", known), *(_build_rating_note(line) for line in best)]
    own = next((line for line in lines if line.player == call.player.name), None)
    if not best:
        notes = [Note("cups-ratings-unsettled", known | {"count": len(lines)})]
    if own is None:
        notes.append(Note("cups-rating-not-yours", known))
    elif own.place is None:
        notes.append(Note("cups-rating-yours-unsettled", _build_rating_facts(own)))
    elif own not in best:
        notes.append(Note("cups-rating-yours", _build_rating_facts(own)))
    return CommandOutcome(tuple(notes))


def _build_rating_note(line: RankedPlayer) -> Note:
    return Note("cups-rating", _build_rating_facts(line))


def _build_rating_facts(line: RankedPlayer) -> dict[str, object]:
    rating = line.rating
    return {"place": line.place, "name": line.player, "rating": str(rating.rounded), "count": rating.games}


def _choose_rated_game(call: CommandContext, wish: TournamentWish) -> str | CommandOutcome:
    """Return the game that is named, by itself or as that of a tournament; else the only one that is played. Raises
    Impossible."""
    if wish.rest:
        try:
            return guide.parse_game_name(wish.rest, call.player.language)
        except Misused as error:  # the example of a right line is another command's
            raise Impossible(error.code, **error.params) from None
    if wish.tournament:
        tournament = tournament_words.choose_tournament(call, wish, tournament_words.list_askable_tournaments)
        return tournament if isinstance(tournament, CommandOutcome) else tournament.game
    played = ratings.load_rated_games(call.desk.session) or tournaments.load_tournament_games(call.desk.session)
    if len(played) == 1:
        return played.pop()
    language = call.player.language
    names = [spelling.get_game_name(key, language) for key in sorted(played)] or guide.list_game_names(language)
    raise Impossible("cups-ratings-which", games=names, game=names[0])
