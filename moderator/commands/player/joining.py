"""Commands that bring a player to a match: a free seat, a seat that was given up, a look from outside."""

from __future__ import annotations

import re
from pathlib import Path

from moderator.commands.call import CommandContext, CommandOutcome, done_with
from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandGiver,
    CommandGroup,
    CommandScope,
    accept_any_argument,
)
from moderator.commands.player import tournament, tournament_words
from moderator.commands.player.settings import OFF, ON, SWITCHED
from moderator.commands.player.tournament_words import TournamentWish, is_tournament_code, parse_tournament_wish
from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.common.message_files import load_word_pattern, normalize_spelling
from moderator.common.tokens import CODE
from moderator.delivery.route import MailPayload, Recipient, route
from moderator.games import REGISTRY
from moderator.language.spelling import find_games_by_name, get_game_name
from moderator.rules.game import Note
from moderator.service import create, seat_changes, stand_ins, watching
from moderator.store import bystanders, matches
from moderator.store import bystanders as waiting
from moderator.store.matches import list_seats_in_matches
from moderator.store.tables import MatchRow, StandbyRow, WatcherRow
from moderator.views import tournament_view
from moderator.views.match_view import build_watcher_view

_BEFORE_A_MATCH = re.compile(rf"^{load_word_pattern(Path(__file__).parent, 'before-a-match')}\b\s*", re.IGNORECASE)


def find_code_in_line(call: CommandContext) -> str:
    """Return the code of the match that the command's line names, "" for none. (The code that stands behind a command
    is cut off from its argument, see inbox/read.py; a heading above it does not count here.)"""
    found = re.search(rf"(?<![\w-])({CODE.pattern})(?![\w-])", call.request.line.text, re.IGNORECASE)
    return found.group(1).upper() if found else ""


def _find_named_match(call: CommandContext) -> MatchRow | None:
    """Return the match that is named; None = none is. Raises Misused if there is none of that code."""
    code = find_code_in_line(call)
    if not code:
        return None
    match = matches.find_match_by_code(call.desk.session, code)
    if match is None:
        raise Impossible("no-match-of-that-code", match=code)
    return match


NAMED = CommandArgument("match", _find_named_match)


def _has_seat_in(call: CommandContext, match: MatchRow) -> bool:
    return bool(list_seats_in_matches(call.desk.session, call.player.number, [match.number]))


@Command(
    "join",
    scope=CommandScope.CLUB,
    group=CommandGroup.MATCHES,
    rank=10,
    who=CommandGiver.PLAYER,
    pattern=r".{0,60}",
    whole=True,
)
def join_by_command(call: CommandContext) -> CommandOutcome:
    """Give the writer a free seat: ``Mitspielen K7Q2``, ``Mitspielen Topwords``, ``Mitspielen``: of that match, or of
    the only one. ``Mitspielen T3``: enter that tournament."""
    if (wish := _parse_tournament_wish(call)) is not None:
        return tournament.join_tournament_by_wish(call, wish)
    match = _find_named_match(call) or _choose_open_match(call)
    if isinstance(match, CommandOutcome):
        return match
    if _has_seat_in(call, match):
        raise Impossible("plays-already", match=match.code)
    if match.status != MatchStatus.OPEN or not create.count_free_seats(call.desk, match):
        raise Impossible("no-free-seat", match=match.code)
    left = create.seat_player(call.desk, match, call.player)
    facts = {
        "match": match.code,
        "title": match.name,
        "game": get_game_name(match.game, call.player.language),
        "count": left,
    }
    if left:
        return done_with("joined", **facts)
    if not create.begin_full_match(call.desk, match):
        return done_with("joined-not-begun", **facts)
    return CommandOutcome((Note("joined-last", facts),), mailed=True)


def _choose_open_match(call: CommandContext) -> MatchRow | CommandOutcome:
    """Return the only one of the open matches (of the game that is named); else a list of them."""
    wanted = _BEFORE_A_MATCH.sub("", call.request.argument.strip(" .!?"))
    keys = find_games_by_name(wanted)
    if wanted and not keys:
        raise Misused(
            "game-unknown", game=wanted[:40], games=[get_game_name(key, call.player.language) for key in REGISTRY]
        )
    found = [m for m in create.list_open_matches(call.desk, call.player) if not wanted or m.game in keys]
    tournaments = () if wanted else tournament_view.list_joinable_lines(call.desk, call.player)
    if len(found) == 1 and not tournaments:
        return found[0]
    offers = [
        one for game in (keys if wanted else ("",)) for one in stand_ins.list_seat_offers(call.desk, call.player, game)
    ]
    if not found and not tournaments and not offers:
        return done_with("no-open-match")
    notes = [Note("open-matches", {"count": len(found)}), *create.list_open_match_notes(call.desk, found, call.player)]
    to_enter = (Note("cups-open-ones"), *tournaments) if tournaments else ()
    return CommandOutcome((*(notes if found else ()), *offers, *to_enter))


def _parse_tournament_wish(call: CommandContext) -> TournamentWish | None:
    """Return the wish to join a tournament, if its code or its whole name is there."""
    argument = call.request.argument
    if not argument or find_code_in_line(call) or find_games_by_name(_BEFORE_A_MATCH.sub("", argument.strip(" .!?"))):
        return None
    names = tournament_words.list_all_name_keys(call.desk.session)
    wish = parse_tournament_wish(f"{argument} {tournament_words.get_wish_phrase('join')}", names)
    return wish if wish is not None and (wish.tournament in names or is_tournament_code(wish.tournament)) else None


@Command(
    "takeover",
    scope=CommandScope.CLUB,
    group=CommandGroup.MATCHES,
    rank=60,
    who=CommandGiver.PLAYER,
    pattern=r".{0,20}",
    arguments=(NAMED,),
)
def take_over_by_command(call: CommandContext, match: MatchRow | None) -> CommandOutcome:
    """Give the writer a seat that nobody plays any more, or a robot holds: ``Übernehmen K7Q2``; ``Übernehmen`` lists
    them."""
    if match is None:
        if found := stand_ins.list_seat_offers(call.desk, call.player):
            return CommandOutcome(found)
        raise Misused("takeover-which")
    if _has_seat_in(call, match):
        raise Impossible("plays-already", match=match.code)
    if not stand_ins.may_take_over_seats(match):
        raise Impossible("takeover-none", match=match.code)
    live = call.desk.cache.load_match(call.desk.session, match)
    free = stand_ins.list_free_seats(call.desk, match, live)
    if not free:
        raise Impossible("takeover-none", match=match.code)
    watching.stop_watching(call.desk, match, call.player)
    seat_changes.hand_over_seat(call.desk, match, live, free[0], call.player)
    return CommandOutcome((Note("taken-over", {"match": match.code}),), mailed=True)


@Command(
    "standby",
    scope=CommandScope.CLUB,
    group=CommandGroup.MATCHES,
    rank=70,
    who=CommandGiver.PLAYER,
    pattern=rf"{SWITCHED}|[\w äöüÄÖÜ?-]{{0,40}}",
    whole=True,
    short=accept_any_argument,
)
def switch_standby_by_command(call: CommandContext) -> CommandOutcome:
    """Set whether the writer would take over a seat that is given up: ``Ersatzspieler an``, ``aus`` or the name of a
    game."""
    session, player = call.desk.session, call.player
    rows = waiting.list_standbys_of_player(session, player.number)
    wanted = normalize_spelling(call.request.argument).strip(" .!?")
    if wanted in OFF:
        for row in rows:
            session.delete(row)
        return done_with("standby-off")
    keys = [""] if wanted in ON else list(find_games_by_name(wanted))
    if not wanted:
        return _answer_standby([row.game for row in rows], call)
    if len(keys) != 1:
        raise Misused(
            "standby-which", game=wanted[:40], games=[get_game_name(key, player.language) for key in keys or REGISTRY]
        )
    games = [row.game for row in rows]
    if keys[0] not in games:
        session.add(StandbyRow(player_id=player.number, game=keys[0], since=call.desk.now))
    return _answer_standby([*games, keys[0]], call)


def _answer_standby(games: list[str], call: CommandContext) -> CommandOutcome:
    """Return the outcome, with the seats that wait already: whoever wants one takes it."""
    if not games:
        return done_with("standby-off")
    called = sorted({""} if "" in games else set(games))
    offers = [one for game in called for one in stand_ins.list_seat_offers(call.desk, call.player, game)]
    if "" in games:
        return CommandOutcome((Note("standby-any"), *offers))
    return CommandOutcome(
        (Note("standby-games", {"games": [get_game_name(key, call.player.language) for key in called]}), *offers)
    )


@Command(
    "watch",
    scope=CommandScope.CLUB,
    group=CommandGroup.MATCHES,
    rank=40,
    who=CommandGiver.PLAYER,
    pattern=r".{0,20}",
    arguments=(NAMED,),
)
def watch_by_command(call: CommandContext, match: MatchRow | None) -> CommandOutcome:
    """Let the writer watch a match, ``Zuschauen K7Q2``: every report of that match, as anybody may see it; the position
    now comes at once."""
    desk, player = call.desk, call.player
    if match is None:
        raise Misused("watch-which")
    if _has_seat_in(call, match):
        raise Impossible("watch-your-own", match=match.code)
    if match.status not in (MatchStatus.OPEN, MatchStatus.RUNNING, MatchStatus.SUSPENDED):
        raise Impossible("watch-over", match=match.code)
    if bystanders.find_watcher(desk.session, match.number, player.number) is None:
        desk.session.add(WatcherRow(match_id=match.number, player_id=player.number, since=desk.now))
        desk.session.flush()
    note = Note("watching", {"match": match.code, "title": match.name})
    if match.status != MatchStatus.RUNNING:
        return CommandOutcome((note,))
    live = desk.cache.load_match(desk.session, match)
    page = build_watcher_view(desk, live, match, player, MailKind.STATUS, MailPayload(notes=(note,)))
    route(desk, Recipient(player, match), page, answers=True)
    return CommandOutcome((note,), mailed=True)


@Command(
    "unwatch",
    scope=CommandScope.CLUB,
    group=CommandGroup.MATCHES,
    rank=50,
    who=CommandGiver.PLAYER,
    pattern=r".{0,20}",
    whole=True,
    arguments=(NAMED,),
)
def stop_watching_by_command(call: CommandContext, match: MatchRow | None) -> CommandOutcome:
    """Stop the watching of a match, ``Nicht mehr zuschauen K7Q2``; without a code: of the only one, or of all."""
    desk, player = call.desk, call.player
    found = [match] if match else bystanders.list_watched_matches(desk.session, player.number)
    ended = []
    for one in found:
        row = bystanders.find_watcher(desk.session, one.number, player.number)
        if row is not None:
            desk.session.delete(row)
            ended.append(one.code)
    if not ended:
        raise Impossible("watches-nothing")
    return done_with("watching-no-more", matches=ended)
