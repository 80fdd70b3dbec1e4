"""``Turnier``: what there is, tables and pairings, joining, leaving; see tournament_ladder.py, too."""

from __future__ import annotations

from moderator.commands.call import CommandContext, CommandOutcome, done_with
from moderator.commands.declaration import Command, CommandGiver, CommandGroup, CommandScope
from moderator.commands.player import tournament_ladder, tournament_words
from moderator.commands.player.tournament_words import TournamentWish, parse_tournament_wish
from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import Impossible, Misused
from moderator.delivery.route import notify_chief
from moderator.notifications.tournament_view import Topic
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.service.tournaments import game_rulings, notify, registration
from moderator.store import tournaments
from moderator.store.tables import Tournament, TournamentEntry
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Rungs
from moderator.views import tournament_rows, tournament_view

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
    wish = parse_tournament_wish(call.request.argument, tournament_words.list_all_name_keys(call.desk.session))
    if wish is None or wish.what == "unclear":
        raise Misused("cups-what")
    actions = {
        "list": answer_tournament_list,
        "table": answer_tournament_table,
        "pairings": answer_tournament_pairings,
        "join": join_tournament_by_wish,
        "leave": leave_tournament_by_wish,
        "ratings": tournament_ladder.answer_ratings_request,
        "challenge": tournament_ladder.challenge_by_wish,
        "accept": tournament_ladder.accept_challenge_by_wish,
        "refuse": tournament_ladder.refuse_challenge_by_wish,
    }
    return actions[wish.what](call, wish)


def answer_tournament_list(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Return the writer's own tournaments with their places, and those that may be joined: ``Turnier``."""
    mine, open_ = (
        tournament_view.list_own_tournaments(call.desk, call.player, over=True),
        tournament_view.list_joinable_lines(call.desk, call.player),
    )
    notes = [Note("cups-mine" if mine else "cups-mine-none"), *mine]
    notes += [Note("cups-open-ones"), *open_] if open_ else [Note("cups-open-none")]
    ways = [Note("cups-ways")] if mine else []
    return CommandOutcome((*notes, *ways))


def answer_tournament_table(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Send the table in a mail of its own, ``Turnier T3 Stand``; before the start the list of entrants."""
    return _answer_tournament_view(call, wish, "table")


def answer_tournament_pairings(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Send the pairings of the round that is being played: ``Turnier T3 Paarungen``."""
    return _answer_tournament_view(call, wish, "pairings")


def _answer_tournament_view(call: CommandContext, wish: TournamentWish, topic: Topic) -> CommandOutcome:
    tournament = tournament_words.choose_tournament(call, wish, tournament_words.list_askable_tournaments)
    if isinstance(tournament, CommandOutcome):
        return tournament
    if tournament.status == TournamentStatus.CANCELLED:
        raise Impossible("cups-cancelled", cup=tournament.code, title=tournament.name)
    if not tournament.round and topic == "pairings":
        raise Impossible("cups-not-begun", cup=tournament.code, title=tournament.name)
    topic = topic if get_format(tournament).in_rounds else "table"  # it shows the challenges, too
    notify.answer_tournament_question(call.desk, tournament, call.player, topic if tournament.round else "invite")
    return CommandOutcome(mailed=True)


def join_tournament_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Enter the writer into a tournament: ``Turnier T3 mitspielen``."""
    tournament = tournament_words.choose_tournament(
        call, wish, lambda desk, call: tournament_view.list_joinable_tournaments(desk, call.player)
    )
    return tournament if isinstance(tournament, CommandOutcome) else enter_chosen_tournament(call, tournament)


def enter_chosen_tournament(call: CommandContext, tournament: Tournament) -> CommandOutcome:
    """Enter the writer into ``handle_tournament_command``, or on its waiting list. Raises Misused."""
    desk, player = call.desk, call.player
    known = {"cup": tournament.code, "title": tournament.name}
    entry = tournaments.find_tournament_entry(desk.session, tournament, player)
    if entry is not None and entry.state == EntryState.STANDBY:
        raise Impossible(
            "cups-waiting-already", place=tournament_view.compute_standby_place(desk, tournament, entry), **known
        )
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
    if tournament_view.get_admission(desk, tournament) == "no":
        raise Impossible("cups-begun", **known)
    entry = registration.enter_player(desk, tournament, player)
    if (
        tournament.status == TournamentStatus.RUNNING and entry.state == EntryState.STANDBY
    ):  # the moderator may take them in
        notify_chief(desk, Note("cups-wants-in", {"name": player.name} | known))
    return CommandOutcome((build_entered_note(desk, tournament, entry, player.language),))


def build_entered_note(desk: Desk, tournament: Tournament, entry: TournamentEntry, language: str) -> Note:
    """Return what somebody reads who has just been entered."""
    known = tournament_view.build_tournament_facts(desk, tournament, language)
    if entry.state == EntryState.STANDBY:
        known |= {"place": tournament_view.compute_standby_place(desk, tournament, entry)}
        code = "cups-standby-late" if tournament.status == TournamentStatus.RUNNING else "cups-standby"
        return Note(
            code if tournament.closes_at or tournament.status == TournamentStatus.RUNNING else "cups-standby-undated",
            known,
        )
    stands = (
        tournament_rows.find_bracket_or_rungs(desk.session, tournament)
        if tournament.status == TournamentStatus.RUNNING
        else None
    )
    if isinstance(stands, Rungs):
        return Note("cups-joined-ladder", known | {"place": stands.find_rung(entry.number)})
    if tournament.status == TournamentStatus.RUNNING:
        return Note("cups-joined-late", known | {"round": entry.joined})
    return Note("cups-joined" if tournament.closes_at else "cups-joined-undated", known)


def leave_tournament_by_wish(call: CommandContext, wish: TournamentWish) -> CommandOutcome:
    """Take the writer out of a tournament, ``Turnier T3 aussteigen``; a running one must be named, and the line must
    say that it is meant for good."""
    tournament = tournament_words.choose_tournament(
        call,
        wish,
        tournament_words.build_own_lister(TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING),
    )
    if isinstance(tournament, CommandOutcome):
        return tournament
    desk, player = call.desk, call.player
    known = {"cup": tournament.code, "title": tournament.name}
    entry = tournaments.find_tournament_entry(desk.session, tournament, player)
    if entry is None or entry.state == EntryState.WITHDRAWN:
        raise Impossible("cups-not-in", **known)
    if tournament.status in OVER:
        raise Impossible("cups-over", **known)
    if tournament.status == TournamentStatus.RUNNING and entry.state == EntryState.IN:
        return _leave_running(call, wish, tournament, entry)
    waited = entry.state == EntryState.STANDBY
    game_rulings.withdraw_player(desk, tournament, entry, player)
    if tournament.status != TournamentStatus.RUNNING:
        for moved in registration.move_up_standby(desk, tournament):
            notify.notify_about_tournament(
                desk, tournament, "news", [moved], [Note("cup-moved-up", {"cup": tournament.name})]
            )
    return done_with("cups-left-standby" if waited else "cups-left", **known)


def _leave_running(
    call: CommandContext, wish: TournamentWish, tournament: Tournament, entry: TournamentEntry
) -> CommandOutcome:
    desk = call.desk
    games = tournament_rows.filter_open_games(tournaments.list_pairings(desk.session, tournament, entry.division))
    count = sum(entry.number in row.seats for row in games)
    known = {"cup": tournament.code, "title": tournament.name, "count": count}
    robin = (Note("cups-leave-half"),) if get_format(tournament).round_robin else ()
    if not (wish.final and wish.tournament):
        asked = Note("cups-leave-asks" if count else "cups-leave-asks-none", known)
        return CommandOutcome((asked, *robin, Note("cups-leave-how", known)))
    game_rulings.withdraw_player(desk, tournament, entry, call.player)
    note = Note("cups-withdrawn" if count else "cups-withdrawn-none", known)
    # The mails about the games that end have no receipt.
    notify.answer_tournament_question(desk, tournament, call.player, "news", (note,))
    return CommandOutcome((note,), mailed=True)
