"""``Turnier``: what there is, tables and pairings, joining, leaving; see tournament_ladder.py, too."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.tournaments import rows, view
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Scope, Who
from moderator.commands.player import tournament_ladder, tournament_words
from moderator.commands.player.tournament_words import Wish, read
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.outbox import tournament_mails
from moderator.outbox.tell import tell_chief
from moderator.pages.tournament_view import Topic
from moderator.play.tournaments import judging, registration
from moderator.states import EntryState, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Tournament, TournamentEntry
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Rungs

OVER = (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)


@Command(
    "cup",
    scope=Scope.TOURNAMENT,
    group=Group.MATCHES,
    rank=20,
    who=Who.PLAYER,
    refusal="cups-need-your-address",
    pattern=r".*",
    reads=tournament_words.read,
    whole=True,
)
def tournament(call: Call) -> Answer:
    """``Turnier T3 mitspielen`` and all else that tournament_words.py reads."""
    wish = read(call.request.argument, tournament_words.names(call.desk.session))
    if wish is None or wish.what == "unclear":
        raise Misused("cups-what")
    actions = {
        "list": listed,
        "table": table,
        "pairings": pairings,
        "join": join,
        "leave": withdraw,
        "ratings": tournament_ladder.ratings_of,
        "challenge": tournament_ladder.challenge,
        "accept": tournament_ladder.accept,
        "refuse": tournament_ladder.refuse,
    }
    return actions[wish.what](call, wish)


def listed(call: Call, wish: Wish) -> Answer:
    """``Turnier``: the writer's own with their places, and those that may be joined."""
    mine, open_ = view.mine(call.desk, call.player, over=True), view.open_lines(call.desk, call.player)
    notes = [Note("cups-mine" if mine else "cups-mine-none"), *mine]
    notes += [Note("cups-open-ones"), *open_] if open_ else [Note("cups-open-none")]
    ways = [Note("cups-ways")] if mine else []
    return Answer((*notes, *ways))


def table(call: Call, wish: Wish) -> Answer:
    """``Turnier T3 Stand``: the table, in a mail of its own; before the start who takes part."""
    return _shown(call, wish, "table")


def pairings(call: Call, wish: Wish) -> Answer:
    """``Turnier T3 Paarungen``: of the round that is being played."""
    return _shown(call, wish, "pairings")


def _shown(call: Call, wish: Wish, topic: Topic) -> Answer:
    tournament = tournament_words.meant(call, wish, tournament_words.shown)
    if isinstance(tournament, Answer):
        return tournament
    if tournament.status == TournamentStatus.CANCELLED:
        raise Impossible("cups-cancelled", cup=tournament.code, title=tournament.name)
    if not tournament.round and topic == "pairings":
        raise Impossible("cups-not-begun", cup=tournament.code, title=tournament.name)
    topic = topic if of(tournament).in_rounds else "table"  # it shows the challenges, too
    tournament_mails.answer(call.desk, tournament, call.player, topic if tournament.round else "invite")
    return Answer(mailed=True)


def join(call: Call, wish: Wish) -> Answer:
    """``Turnier T3 mitspielen``."""
    tournament = tournament_words.meant(call, wish, lambda desk, call: view.joinable(desk, call.player))
    return tournament if isinstance(tournament, Answer) else enter(call, tournament)


def enter(call: Call, tournament: Tournament) -> Answer:
    """The writer takes part in ``tournament``, or waits to. Raises Misused."""
    desk, player = call.desk, call.player
    known = {"cup": tournament.code, "title": tournament.name}
    entry = tournaments.entry_of(desk.session, tournament, player)
    if entry is not None and entry.state == EntryState.STANDBY:
        raise Impossible("cups-waiting-already", place=view.waiting(desk, tournament, entry), **known)
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
    if view.admits(desk, tournament) == "no":
        raise Impossible("cups-begun", **known)
    entry = registration.enter(desk, tournament, player)
    if (
        tournament.status == TournamentStatus.RUNNING and entry.state == EntryState.STANDBY
    ):  # the moderator may take them in
        tell_chief(desk, Note("cups-wants-in", {"name": player.name} | known))
    return Answer((entered(desk, tournament, entry, player.language),))


def entered(desk: Desk, tournament: Tournament, entry: TournamentEntry, language: str) -> Note:
    """What somebody reads who has just been entered."""
    known = view.facts(desk, tournament, language)
    if entry.state == EntryState.STANDBY:
        known |= {"place": view.waiting(desk, tournament, entry)}
        code = "cups-standby-late" if tournament.status == TournamentStatus.RUNNING else "cups-standby"
        return Note(
            code if tournament.closes_at or tournament.status == TournamentStatus.RUNNING else "cups-standby-undated",
            known,
        )
    stands = rows.stands(desk.session, tournament) if tournament.status == TournamentStatus.RUNNING else None
    if isinstance(stands, Rungs):
        return Note("cups-joined-ladder", known | {"place": stands.rung(entry.number)})
    if tournament.status == TournamentStatus.RUNNING:
        return Note("cups-joined-late", known | {"round": entry.joined})
    return Note("cups-joined" if tournament.closes_at else "cups-joined-undated", known)


def withdraw(call: Call, wish: Wish) -> Answer:
    """``Turnier T3 aussteigen``; a running one must be named, and it must say that it is meant for good."""
    tournament = tournament_words.meant(
        call, wish, tournament_words.entered(TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING)
    )
    if isinstance(tournament, Answer):
        return tournament
    desk, player = call.desk, call.player
    known = {"cup": tournament.code, "title": tournament.name}
    entry = tournaments.entry_of(desk.session, tournament, player)
    if entry is None or entry.state == EntryState.WITHDRAWN:
        raise Impossible("cups-not-in", **known)
    if tournament.status in OVER:
        raise Impossible("cups-over", **known)
    if tournament.status == TournamentStatus.RUNNING and entry.state == EntryState.IN:
        return _withdraw_running(call, wish, tournament, entry)
    waited = entry.state == EntryState.STANDBY
    judging.withdraw(desk, tournament, entry, player)
    if tournament.status != TournamentStatus.RUNNING:
        for moved in registration.move_up(desk, tournament):
            tournament_mails.send(desk, tournament, "news", [moved], [Note("cup-moved-up", {"cup": tournament.name})])
    return said("cups-left-standby" if waited else "cups-left", **known)


def _withdraw_running(call: Call, wish: Wish, tournament: Tournament, entry: TournamentEntry) -> Answer:
    desk = call.desk
    games = rows.open_games(tournaments.pairings(desk.session, tournament, entry.division))
    count = sum(entry.number in row.seats for row in games)
    known = {"cup": tournament.code, "title": tournament.name, "count": count}
    robin = (Note("cups-leave-half"),) if of(tournament).round_robin else ()
    if not (wish.final and wish.tournament):
        asked = Note("cups-leave-asks" if count else "cups-leave-asks-none", known)
        return Answer((asked, *robin, Note("cups-leave-how", known)))
    judging.withdraw(desk, tournament, entry, call.player)
    note = Note("cups-withdrawn" if count else "cups-withdrawn-none", known)
    # The mails about the games that end have no receipt.
    tournament_mails.answer(desk, tournament, call.player, "news", (note,))
    return Answer((note,), mailed=True)
