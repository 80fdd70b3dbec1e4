"""``Turnier``: what there is, tables and pairings, joining and leaving; for more see cup_ladder.py, cup_ratings.py."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.tournaments import glance, rows
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Scope, Text, Who
from moderator.commands.player import cup_find, cup_ladder, cup_ratings, cup_words
from moderator.commands.player.cup_words import Wish, read
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.outbox import tournament_mails
from moderator.outbox.tell import tell_moderator
from moderator.pages.cups import Topic
from moderator.play.tournaments import judging, registration
from moderator.states import CupStatus, EntryState
from moderator.store.models import Cup, CupEntry
from moderator.tournaments.formats import of
from moderator.tournaments.ladder import Ladder

OVER = (CupStatus.FINISHED, CupStatus.CANCELLED)


@Command(
    "cup",
    {
        "de": Text(
            cup_words.GERMAN,
            (
                "kommen deine Turniere und die, bei denen du noch mitspielen kannst, mit der "
                "Zeile, die dafür zu schreiben ist; mit dem Kürzel dahinter die Tabelle."
            ),
            example="Turnier T1 mitspielen",
        ),
        "en": Text(
            cup_words.ENGLISH,
            (
                "you get your tournaments and those you may still join, with the line to write "
                "for it; with the code behind it the standings."
            ),
            example="Cup T1 join",
            said="CUP",
        ),
    },
    scope=Scope.TOURNAMENT,
    group=Group.MATCHES,
    rank=20,
    who=Who.PLAYER,
    refusal="cups-need-your-address",
    pattern=r".*",
    reads=cup_words.read,
    whole=True,
)
def cup(call: Call) -> Answer:
    """``Turnier T3 mitspielen`` and all else that cup_words.py reads."""
    wish = read(call.request.argument, cup_find.names(call.desk.session))
    if wish is None or wish.what == "unclear":
        raise Misused("cups-what")
    actions = {
        "list": listed,
        "table": table,
        "pairings": pairings,
        "join": join,
        "leave": leave,
        "ratings": cup_ratings.ratings_of,
        "challenge": cup_ladder.challenge,
        "accept": cup_ladder.accept,
        "refuse": cup_ladder.refuse,
    }
    return actions[wish.what](call, wish)


def listed(call: Call, wish: Wish) -> Answer:
    """``Turnier``: the writer's own with their places, and those that may be joined."""
    mine, open_ = glance.mine(call.desk, call.player, over=True), glance.open_lines(call.desk, call.player)
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
    cup = cup_find.meant(call, wish, cup_find.shown)
    if isinstance(cup, Answer):
        return cup
    if cup.status == CupStatus.CANCELLED:
        raise Impossible("cups-cancelled", cup=cup.code, title=cup.name)
    if not cup.round and topic == "pairings":
        raise Impossible("cups-not-begun", cup=cup.code, title=cup.name)
    topic = "table" if of(cup).challenges else topic  # it shows the challenges, too
    tournament_mails.answer(call.desk, cup, call.player, topic if cup.round else "invite")
    return Answer(mailed=True)


def join(call: Call, wish: Wish) -> Answer:
    """``Turnier T3 mitspielen``."""
    cup = cup_find.meant(call, wish, lambda desk, call: glance.joinable(desk, call.player))
    return cup if isinstance(cup, Answer) else enter(call, cup)


def enter(call: Call, cup: Cup) -> Answer:
    """The writer takes part in ``cup``, or waits to. Raises Misused."""
    desk, player = call.desk, call.player
    known = {"cup": cup.code, "title": cup.name}
    entry = rows.entry_of(desk.session, cup, player)
    if entry is not None and entry.state == EntryState.STANDBY:
        raise Impossible("cups-waiting-already", place=glance.waiting(desk, cup, entry), **known)
    if entry is not None and entry.state == EntryState.IN and cup.status not in OVER:
        raise Impossible("cups-in-already", **known)
    if cup.status in OVER:
        raise Impossible("cups-over", **known)
    if cup.status == CupStatus.PLANNED:
        raise Impossible("cups-not-open-yet" if cup.opens_at else "cups-not-open", opens=cup.opens_at, **known)
    if entry is not None and entry.number:
        raise Impossible("cups-left-before", **known)
    if glance.admits(desk, cup) == "no":
        raise Impossible("cups-begun", **known)
    entry = registration.enter(desk, cup, player)
    if cup.status == CupStatus.RUNNING and entry.state == EntryState.STANDBY:  # the moderator may take them in
        tell_moderator(desk, Note("cups-wants-in", {"name": player.name} | known))
    return Answer((entered(desk, cup, entry, player.language),))


def entered(desk: Desk, cup: Cup, entry: CupEntry, language: str) -> Note:
    """What somebody reads who has just been entered."""
    known = glance.facts(desk, cup, language)
    if entry.state == EntryState.STANDBY:
        known |= {"place": glance.waiting(desk, cup, entry)}
        code = "cups-standby-late" if cup.status == CupStatus.RUNNING else "cups-standby"
        return Note(code if cup.closes_at or cup.status == CupStatus.RUNNING else "cups-standby-undated", known)
    if cup.status == CupStatus.RUNNING and of(cup).challenges:
        return Note("cups-joined-ladder", known | {"place": Ladder.from_json(cup.state).rung(entry.number)})
    if cup.status == CupStatus.RUNNING:
        return Note("cups-joined-late", known | {"round": entry.joined})
    return Note("cups-joined" if cup.closes_at else "cups-joined-undated", known)


def leave(call: Call, wish: Wish) -> Answer:
    """``Turnier T3 aussteigen``; a running one must be named, and it must say that it is meant for good."""
    cup = cup_find.meant(call, wish, cup_find.entered(CupStatus.PLANNED, CupStatus.OPEN, CupStatus.RUNNING))
    if isinstance(cup, Answer):
        return cup
    desk, player = call.desk, call.player
    known = {"cup": cup.code, "title": cup.name}
    entry = rows.entry_of(desk.session, cup, player)
    if entry is None or entry.state == EntryState.WITHDRAWN:
        raise Impossible("cups-not-in", **known)
    if cup.status in OVER:
        raise Impossible("cups-over", **known)
    if cup.status == CupStatus.RUNNING and entry.state == EntryState.IN:
        return _leave_running(call, wish, cup, entry)
    waited = entry.state == EntryState.STANDBY
    judging.withdraw(desk, cup, entry, player)
    if cup.status != CupStatus.RUNNING:
        for moved in registration.move_up(desk, cup):
            tournament_mails.send(desk, cup, "news", [moved], [Note("cup-moved-up", {"cup": cup.name})])
    return said("cups-left-standby" if waited else "cups-left", **known)


def _leave_running(call: Call, wish: Wish, cup: Cup, entry: CupEntry) -> Answer:
    desk = call.desk
    games = rows.open_games(rows.games(desk.session, cup, entry.division))
    count = sum(entry.number in row.seats for row in games)
    known = {"cup": cup.code, "title": cup.name, "count": count}
    robin = (Note("cups-leave-half"),) if of(cup).round_robin else ()
    if not (wish.final and wish.cup):
        asked = Note("cups-leave-asks" if count else "cups-leave-asks-none", known)
        return Answer((asked, *robin, Note("cups-leave-how", known)))
    judging.withdraw(desk, cup, entry, call.player)
    note = Note("cups-withdrawn" if count else "cups-withdrawn-none", known)
    # The mails about the games that end have no receipt.
    tournament_mails.answer(desk, cup, call.player, "news", (note,))
    return Answer((note,), mailed=True)
