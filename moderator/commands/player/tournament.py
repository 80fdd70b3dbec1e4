"""``Turnier``: what there is, tables and pairings, joining, leaving."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NoReturn

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGiver,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    done_with,
)
from moderator.commands.player import show, tournament_words
from moderator.commands.player.tournament_words import TournamentWish, parse_tournament_wish
from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import Illegal, Impossible, Misused
from moderator.language import spelling
from moderator.language.messages import render_note
from moderator.notifications.content import Topic
from moderator.notifications.pages import LineOffer
from moderator.rules.game import Note
from moderator.service.notifications import notify_chief
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import players, tournaments
from moderator.store.tables import PlayerRow, Tournament, TournamentEntry
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Rungs
from moderator.tournaments.ratings import RankedPlayer, build_rating_list
from moderator.views import ratings, tournament_view
from moderator.views.people import UnclearName, resolve_name_index
from moderator.views.tournament_view import TournamentSummary


def challenge_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Ask somebody above for a game. A robot accepts at once."""
    tournament = _choose_ladder(call, wish)
    if isinstance(tournament, CommandOutcome):
        return tournament
    work, own = call.work, _get_entrant_number(call, tournament)
    cup = ClubTournament(work, tournament)
    there = cup.load_numbered_players(1)
    names = [there[number].name for number in cup.list_challengeable_today(work, own)]
    if not wish.rest:
        _raise_refusal("cups-challenge-whom", tournament, names)
    number = _get_entrant_by_name(wish.rest, _load_entrants(cup), tournament, names)
    if number == own:
        _raise_refusal("cups-challenge-self", tournament, names)
    try:
        made = cup.challenge_entrant(own, number)
    except Illegal as error:
        faults = [{"code": error.code, **error.params}]
        code = "cups-challenge-no" if names else "cups-challenge-nobody"
        raise Impossible(
            code, faults=faults, names=names, cup=tournament.code, name=names[0] if names else ""
        ) from None
    known = {"cup": tournament.code, "title": tournament.name, "name": there[number].name}
    if there[number].robot:
        if not made.accepted:
            cup.accept_ladder_game(number)
        return CommandOutcome(mailed=True)  # by the robot, so to speak
    return done_with("cups-challenged", until=made.until, **known)


def _load_entrants(cup: ClubTournament) -> dict[int, PlayerRow]:
    """Return the entrants that can be named: those that have not left."""
    entered = cup.list_entered(1)
    return {entry.number: player for entry, player in entered if entry.number and entry.state == EntryState.IN}


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


def _answer_challenge(call: CommandContext, wish: TournamentWish, *, accepted: bool) -> CommandOutcome:
    """Accept a challenge, so that the game will be played, or refuse it, at the price that this ladder has."""
    tournament = _choose_ladder(call, wish)
    if isinstance(tournament, CommandOutcome):
        return tournament
    own, cup = _get_entrant_number(call, tournament), ClubTournament(call.work, tournament)
    waiting = cup.find_waiting_challenge(own)
    if waiting is None:
        raise Impossible("cups-challenge-not-there", cup=tournament.code, title=tournament.name)
    name = cup.load_numbered_players(1)[waiting.challenger].name
    if accepted:
        cup.accept_ladder_game(own)
        return done_with("cups-accepted", cup=tournament.code, title=tournament.name, name=name)
    cup.refuse_ladder_game(own)
    stands = cup.find_bracket_or_rungs()
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
    entry = tournaments.find_tournament_entry(call.work.session, tournament, call.player)
    if entry is None or entry.state != EntryState.IN:
        raise Impossible("cups-not-in", cup=tournament.code, title=tournament.name)
    return entry.number


def _list_own_ladders(call: CommandContext) -> Sequence[Tournament]:
    return [
        tournament
        for tournament in tournament_words.build_own_lister(TournamentStatus.RUNNING)(call)
        if not get_format(tournament).in_rounds
    ]


def _list_challenged_ladders(call: CommandContext) -> Sequence[Tournament]:
    """Return the ladders on which somebody waits for the writer's answer."""
    return [
        tournament
        for tournament in _list_own_ladders(call)
        if ClubTournament(call.work, tournament).find_waiting_challenge(_get_entrant_number(call, tournament))
        is not None
    ]


# ---- ratings ----


SHOWN = 20


def answer_ratings_request(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Return the best ratings, and the writer's own line. Only a settled rating has a place."""
    game = _choose_rated_game(call, wish)
    if isinstance(game, CommandOutcome):
        return game
    known = {"game": spelling.get_game_name(game, call.player.language)}
    found = ratings.compute_club_ratings(call.work.session, game)
    if not found:
        return CommandOutcome((Note("cups-ratings-none", known),))
    names = {player.number: player.name for player in players.list_all_players(call.work.session)}
    lines = build_rating_list({names[number]: rating for number, rating in found.items()})
    best = [line for line in lines if line.place is not None][:SHOWN]
    notes = [Note("cups-ratings", known), *(Note("cups-rating", _build_rating_facts(line)) for line in best)]
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


def _build_rating_facts(line: RankedPlayer) -> dict[str, object]:
    rating = line.rating
    return {"place": line.place, "name": line.player, "rating": str(rating.rounded), "count": rating.games}


def _choose_rated_game(call: CommandContext, wish: TournamentWish) -> str | CommandOutcome:
    """Return the game that is named, by itself or as that of a tournament; else the only one that is played. Raises
    Impossible."""
    if wish.rest:
        try:
            return show.parse_game_name(wish.rest, call.player.language)
        except Misused as error:  # the example of a right line is another command's
            raise Impossible(error.code, **error.params) from None
    if wish.tournament:
        tournament = tournament_words.choose_tournament(call, wish, tournament_words.list_askable_tournaments)
        return tournament if isinstance(tournament, CommandOutcome) else tournament.game
    played = ratings.load_rated_games(call.work.session) or tournaments.load_tournament_games(call.work.session)
    if len(played) == 1:
        return played.pop()
    language = call.player.language
    names = [spelling.get_game_name(key, language) for key in sorted(played)] or show.list_game_names(language)
    raise Impossible("cups-ratings-which", games=names, game=names[0])


OVER = (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)


@Command(
    "cup",
    scope=CommandScope.TOURNAMENT,
    group=CommandGroup.MATCHES,
    rank=20,
    who=CommandGiver.PLAYER,
    refusal="cups-need-your-address",
    pattern=r".*",
    reads=tournament_words.parse_tournament_wish,
    whole=True,
)
def handle_tournament_command(call: CommandContext) -> CommandOutcome:
    """Run ``Turnier T3 mitspielen`` and all else that tournament_words.py reads."""
    wish = parse_tournament_wish(call.request.argument, tournament_words.list_all_name_keys(call.work.session))
    if wish is None or wish.what == "unclear":
        raise Misused("cups-what")
    actions: dict[str, Callable[[CommandContext, TournamentWish], CommandOutcome]] = {
        "list": answer_tournament_list,
        "table": partial(_answer_tournament_view, topic="table"),
        "pairings": partial(_answer_tournament_view, topic="pairings"),
        "join": join_tournament_by_wish,
        "leave": leave_tournament_by_wish,
        "ratings": answer_ratings_request,
        "challenge": challenge_by_wish,
        "accept": partial(_answer_challenge, accepted=True),
        "refuse": partial(_answer_challenge, accepted=False),
    }
    return actions[wish.what](call, wish)


def answer_tournament_list(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Return the writer's own tournaments with their places, and those that may be joined: ``Turnier``."""
    mine, open_ = (
        tournament_view.list_own_tournaments(call.work.session, call.work.now, call.player, over=True),
        tournament_view.list_joinable_lines(call.work.session, call.player),
    )
    notes = [Note("cups-mine" if mine else "cups-mine-none"), *mine]
    notes += [Note("cups-open-ones"), *open_] if open_ else [Note("cups-open-none")]
    ways = [Note("cups-ways")] if mine else []
    return CommandOutcome((*notes, *ways))


def _answer_tournament_view(call: CommandContext, wish: TournamentWish, *, topic: Topic) -> CommandOutcome:
    """Send the table, ``Turnier T3 Stand`` (before the start the list of entrants), or the pairings of the round that
    is being played, ``Turnier T3 Paarungen``, in a mail of its own."""
    tournament = tournament_words.choose_tournament(call, wish, tournament_words.list_askable_tournaments)
    if isinstance(tournament, CommandOutcome):
        return tournament
    if tournament.status == TournamentStatus.CANCELLED:
        raise Impossible("cups-cancelled", cup=tournament.code, title=tournament.name)
    if not tournament.round and topic == "pairings":
        raise Impossible("cups-not-begun", cup=tournament.code, title=tournament.name)
    topic = topic if get_format(tournament).in_rounds else "table"  # it shows the challenges, too
    ClubTournament(call.work, tournament).answer_tournament_question(
        call.player, topic if tournament.round else "invite"
    )
    return CommandOutcome(mailed=True)


def join_tournament_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Enter the writer into a tournament: ``Turnier T3 mitspielen``."""
    tournament = tournament_words.choose_tournament(
        call, wish, lambda call: tournament_view.list_joinable_tournaments(call.work.session, call.player)
    )
    return tournament if isinstance(tournament, CommandOutcome) else enter_chosen_tournament(call, tournament)


def enter_chosen_tournament(call: CommandContext, tournament: Tournament) -> CommandOutcome:
    """Enter the writer into ``handle_tournament_command``, or on its waiting list. Raises Misused."""
    work, player = call.work, call.player
    known = {"cup": tournament.code, "title": tournament.name}
    cup = ClubTournament(work, tournament)
    entry = cup.find_entry(player)
    if entry is not None and entry.state == EntryState.STANDBY:
        raise Impossible("cups-waiting-already", place=cup.compute_standby_place(entry), **known)
    if entry is not None and entry.state == EntryState.IN and tournament.status not in OVER:
        raise Impossible("cups-in-already", **known)
    if tournament.status in OVER:
        raise Impossible("cups-over", **known)
    if tournament.status == TournamentStatus.PLANNED:
        raise Impossible(
            "cups-not-open-yet" if tournament.opens_at else "cups-not-open", opens=tournament.opens_at, **known
        )
    if entry is not None and entry.number:
        raise Impossible("cups-left-before", **known)
    if cup.get_admission() == "no":
        raise Impossible("cups-begun", **known)
    entry = cup.enter_player(player)
    if (
        tournament.status == TournamentStatus.RUNNING and entry.state == EntryState.STANDBY
    ):  # the moderator may take them in
        notify_chief(work, Note("cups-wants-in", {"name": player.name} | known))
    note = TournamentSummary(work.session, tournament).build_entered_note(entry, player.language)
    cup.answer_tournament_question(player, "news", (note,))
    return CommandOutcome((note,), mailed=True)


def leave_tournament_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Take the writer out of a tournament, ``Turnier T3 aussteigen``. One that runs, or for which others wait, must be
    named, and the line must say that it is meant for good."""
    tournament = tournament_words.choose_tournament(
        call,
        wish,
        tournament_words.build_own_lister(TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING),
    )
    if isinstance(tournament, CommandOutcome):
        return tournament
    work, player = call.work, call.player
    known = {"cup": tournament.code, "title": tournament.name}
    cup = ClubTournament(work, tournament)
    entry = cup.find_entry(player)
    if entry is None or entry.state == EntryState.WITHDRAWN:
        raise Impossible("cups-not-in", **known)
    if tournament.status in OVER:
        raise Impossible("cups-over", **known)
    if tournament.status == TournamentStatus.RUNNING and entry.state == EntryState.IN:
        return _leave_running(call, wish, cup, entry)
    waited = entry.state == EntryState.STANDBY
    if not waited and cup.list_standby_entries() and not (wish.final and wish.tournament):
        return _ask_to_leave(call, cup, Note("cups-leave-asks-place", known))
    cup.withdraw_player(entry, player)
    if tournament.status != TournamentStatus.RUNNING:
        cup.fill_free_places()
    note = Note("cups-left-standby" if waited else "cups-left", known)
    cup.answer_tournament_question(player, "news", (note,))
    return CommandOutcome((note,), mailed=True)


def _leave_running(
    call: CommandContext, wish: TournamentWish, cup: ClubTournament, entry: TournamentEntry
) -> CommandOutcome:
    count = sum(entry.number in row.seats for row in cup.list_open_pairings(entry.division))
    known = {"cup": cup.row.code, "title": cup.row.name, "count": count}
    robin = (Note("cups-leave-half"),) if cup.format.round_robin else ()
    if not (wish.final and wish.tournament):
        return _ask_to_leave(call, cup, Note("cups-leave-asks" if count else "cups-leave-asks-none", known), *robin)
    cup.withdraw_player(entry, call.player)
    note = Note("cups-withdrawn" if count else "cups-withdrawn-none", known)
    # The mails about the games that end have no receipt.
    cup.answer_tournament_question(call.player, "news", (note,))
    return CommandOutcome((note,), mailed=True)


def _ask_to_leave(call: CommandContext, cup: ClubTournament, *asked: Note) -> CommandOutcome:
    """Ask whether the writer means to leave for good; the line that says so is offered."""
    line = render_note(Note("cups-leave-line", {"cup": cup.row.code}), call.player.language)
    cup.answer_tournament_question(call.player, "news", asked)
    return CommandOutcome(asked, offer=LineOffer(Note("cups-leave-how"), line), mailed=True)
