"""Commands that bring a player to a match: a free seat, a seat that was given up, a look from outside."""

from __future__ import annotations

import re
from pathlib import Path

from moderator.club import watching
from moderator.club.spelling import game_name, games_called
from moderator.club.tokens import CODE
from moderator.club.tournaments import view
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Argument, Command, Group, Scope, Who, always
from moderator.commands.player import tournament, tournament_words
from moderator.commands.player.settings import OFF, ON, SWITCHED
from moderator.commands.player.tournament_words import Wish, is_code, read
from moderator.errors import Impossible, Misused
from moderator.games import REGISTRY
from moderator.match.contract import Note
from moderator.outbox.match_pages import watch_page
from moderator.outbox.tell import Said, To, tell
from moderator.play import create, lifecycle, stand_ins
from moderator.states import MailKind, MatchStatus
from moderator.store import bystanders, matches
from moderator.store import bystanders as waiting
from moderator.store.matches import seats_in
from moderator.store.models import Match, Standby, Watcher
from moderator.texts import pattern, plain

_FILLING = re.compile(rf"^{pattern(Path(__file__).parent, 'before-a-match')}\b\s*", re.IGNORECASE)


def named_code(call: Call) -> str:
    """The match that the command's line names, "" for none. (What stands behind a command as a match is cut off from
    its argument, see sections.py; a heading above it does not count here.)"""
    found = re.search(rf"(?<![\w-])({CODE.pattern})(?![\w-])", call.request.line.text, re.IGNORECASE)
    return found.group(1).upper() if found else ""


def _match(call: Call) -> Match | None:
    """The match that is named. Raises Misused if there is none of that code."""
    code = named_code(call)
    if not code:
        return None
    match = matches.by_code(call.desk.session, code)
    if match is None:
        raise Impossible("no-match-of-that-code", match=code)
    return match


NAMED = Argument("match", _match)


def _plays_in(call: Call, match: Match) -> bool:
    return bool(seats_in(call.desk.session, call.player.number, [match.number]))


@Command(
    "join",
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=10,
    who=Who.PLAYER,
    pattern=r".{0,60}",
    whole=True,
)
def join(call: Call) -> Answer:
    """``Mitspielen K7Q2``, ``Mitspielen Topwords``, ``Mitspielen``: a free seat of that match, or of the only one.
    ``Mitspielen T3``: that tournament."""
    if (wish := _tournament(call)) is not None:
        return tournament.join(call, wish)
    match = _match(call) or _only_one(call)
    if isinstance(match, Answer):
        return match
    if _plays_in(call, match):
        raise Impossible("plays-already", match=match.code)
    if match.status != MatchStatus.OPEN or not create.free_seats(call.desk, match):
        raise Impossible("no-free-seat", match=match.code)
    left = create.sit_down(call.desk, match, call.player)
    facts = {
        "match": match.code,
        "title": match.name,
        "game": game_name(match.game, call.player.language),
        "count": left,
    }
    if left:
        return said("joined", **facts)
    if not create.begin(call.desk, match):
        return said("joined-not-begun", **facts)
    return Answer((Note("joined-last", facts),), mailed=True)


def _only_one(call: Call) -> Match | Answer:
    """Of the open matches (of the game that is named) the only one; else a list of them."""
    wanted = _FILLING.sub("", call.request.argument.strip(" .!?"))
    keys = games_called(wanted)
    if wanted and not keys:
        raise Misused(
            "game-unknown", game=wanted[:40], games=[game_name(key, call.player.language) for key in REGISTRY]
        )
    found = [m for m in create.open_matches(call.desk, call.player) if not wanted or m.game in keys]
    tournaments = () if wanted else view.open_lines(call.desk, call.player)
    if len(found) == 1 and not tournaments:
        return found[0]
    offers = [one for game in (keys if wanted else ("",)) for one in stand_ins.offers(call.desk, call.player, game)]
    if not found and not tournaments and not offers:
        return said("no-open-match")
    notes = [Note("open-matches", {"count": len(found)}), *create.invitations(call.desk, found, call.player)]
    to_enter = (Note("cups-open-ones"), *tournaments) if tournaments else ()
    return Answer((*(notes if found else ()), *offers, *to_enter))


def _tournament(call: Call) -> Wish | None:
    """The wish to join a tournament, if its code or its whole name is there."""
    argument = call.request.argument
    if not argument or named_code(call) or games_called(_FILLING.sub("", argument.strip(" .!?"))):
        return None
    names = tournament_words.names(call.desk.session)
    wish = read(f"{argument} {tournament_words.called('join')}", names)
    return wish if wish is not None and (wish.tournament in names or is_code(wish.tournament)) else None


@Command(
    "takeover",
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=60,
    who=Who.PLAYER,
    pattern=r".{0,20}",
    arguments=(NAMED,),
)
def take_over(call: Call, match: Match | None) -> Answer:
    """``Übernehmen K7Q2``: a seat that nobody plays any more, or a robot holds; ``Übernehmen``: which there are."""
    if match is None:
        if found := stand_ins.offers(call.desk, call.player):
            return Answer(found)
        raise Misused("takeover-which")
    if _plays_in(call, match):
        raise Impossible("plays-already", match=match.code)
    if not stand_ins.may_be_taken(match):
        raise Impossible("takeover-none", match=match.code)
    live = call.desk.cache.live(call.desk.session, match)
    free = stand_ins.free(call.desk, match, live)
    if not free:
        raise Impossible("takeover-none", match=match.code)
    watching.sits_down(call.desk, match, call.player)
    lifecycle.hand_over(call.desk, match, live, free[0], call.player)
    return Answer((Note("taken-over", {"match": match.code}),), mailed=True)


@Command(
    "standby",
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=70,
    who=Who.PLAYER,
    pattern=rf"{SWITCHED}|[\w äöüÄÖÜ?-]{{0,40}}",
    whole=True,
    short=always,
)
def standby(call: Call) -> Answer:
    """``Ersatzspieler an``, ``aus`` or the name of a game: would take over a seat that is given up."""
    session, player = call.desk.session, call.player
    rows = waiting.waits_for(session, player.number)
    wanted = plain(call.request.argument).strip(" .!?")
    if wanted in OFF:
        for row in rows:
            session.delete(row)
        return said("standby-off")
    keys = [""] if wanted in ON else list(games_called(wanted))
    if not wanted:
        return _standby_for([row.game for row in rows], call)
    if len(keys) != 1:
        raise Misused(
            "standby-which", game=wanted[:40], games=[game_name(key, player.language) for key in keys or REGISTRY]
        )
    games = [row.game for row in rows]
    if keys[0] not in games:
        session.add(Standby(player_id=player.number, game=keys[0], since=call.desk.now))
    return _standby_for([*games, keys[0]], call)


def _standby_for(games: list[str], call: Call) -> Answer:
    """With the seats that wait already: whoever wants one takes it."""
    if not games:
        return said("standby-off")
    called = sorted({""} if "" in games else set(games))
    offers = [one for game in called for one in stand_ins.offers(call.desk, call.player, game)]
    if "" in games:
        return Answer((Note("standby-any"), *offers))
    return Answer((Note("standby-games", {"games": [game_name(key, call.player.language) for key in called]}), *offers))


@Command(
    "watch",
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=40,
    who=Who.PLAYER,
    pattern=r".{0,20}",
    arguments=(NAMED,),
)
def watch(call: Call, match: Match | None) -> Answer:
    """``Zuschauen K7Q2``: every report of that match, as anybody may see it; the position now comes at once."""
    desk, player = call.desk, call.player
    if match is None:
        raise Misused("watch-which")
    if _plays_in(call, match):
        raise Impossible("watch-your-own", match=match.code)
    if match.status not in (MatchStatus.OPEN, MatchStatus.RUNNING, MatchStatus.SUSPENDED):
        raise Impossible("watch-over", match=match.code)
    if bystanders.watcher(desk.session, match.number, player.number) is None:
        desk.session.add(Watcher(match_id=match.number, player_id=player.number, since=desk.now))
        desk.session.flush()
    note = Note("watching", {"match": match.code, "title": match.name})
    if match.status != MatchStatus.RUNNING:
        return Answer((note,))
    live = desk.cache.live(desk.session, match)
    page = watch_page(desk, live, match, player, MailKind.STATUS, Said(notes=(note,)))
    tell(desk, To(player, match), page, answers=True)
    return Answer((note,), mailed=True)


@Command(
    "unwatch",
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=50,
    who=Who.PLAYER,
    pattern=r".{0,20}",
    whole=True,
    arguments=(NAMED,),
)
def unwatch(call: Call, match: Match | None) -> Answer:
    """``Nicht mehr zuschauen K7Q2``; without a code: the only one, or all."""
    desk, player = call.desk, call.player
    found = [match] if match else bystanders.watched(desk.session, player.number)
    ended = []
    for one in found:
        row = bystanders.watcher(desk.session, one.number, player.number)
        if row is not None:
            desk.session.delete(row)
            ended.append(one.code)
    if not ended:
        raise Impossible("watches-nothing")
    return said("watching-no-more", matches=ended)
