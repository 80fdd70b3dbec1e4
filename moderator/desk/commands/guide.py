"""``HILFE``: how to write a move, and all commands; ``REGELN``: the rules of a game."""

from __future__ import annotations

from dataclasses import replace

from moderator.desk import game_names
from moderator.desk.announce import match_page
from moderator.desk.commands.call import Answer, Call
from moderator.desk.desk import Progress
from moderator.desk.post import new_page, plain_reply, post, reader, reply_to
from moderator.desk.spelling import plain
from moderator.errors import Misused
from moderator.games import REGISTRY
from moderator.games.rules_text import rules_text
from moderator.render.asked import Commands

GROUPS = Commands(
    (
        ("turn", ("preview", "withdraw", "wait", "ready", "undo", "agree", "refuse", "resign")),
        ("show", ("help", "status", "board", "rack", "history", "resend", "calendar", "rules")),
        ("talk", ("press", "protest")),
        ("matches", ("join", "cup", "leave", "watch", "unwatch", "takeover", "standby")),
        ("settings", ("language", "zone", "form", "digest", "invitations", "unsubscribe", "single", "address")),
    )
)


def how_to(call: Call) -> Answer:
    """How moves of the match are written, and all commands; without a match the commands."""
    desk, reply = call.desk, plain_reply(call.desk)
    if call.match is None or call.seat is None or call.live is None:
        page = new_page(desk, "help", reader(call.player), reply=reply, asked=GROUPS)
    else:
        page = match_page(desk, call.live, call.seat, "help", Progress(call.match))
        page = replace(page, asked=GROUPS)
    post(desk, page, match=call.match, seat=call.seat, answers=True)
    return Answer(mailed=True)


def rules(call: Call) -> Answer:
    """``Regeln``: of the match's game; ``Regeln Presto``: of any."""
    desk, match, seat = call.desk, call.match, call.seat
    if plain(call.command.argument):
        key = find_game(call.command.argument)
    elif match is not None:
        key = match.game
    else:
        raise Misused("rules-of-which-game", games=names())
    page = new_page(
        desk,
        "rules",
        reader(call.player),
        reply=reply_to(desk, match.code, seat.token) if match and seat else plain_reply(desk),
        asked=rules_text(key, call.player.language),
    )
    post(desk, page, match=match, seat=seat, answers=True)
    return Answer(mailed=True)


def find_game(text: str) -> str:
    """The key of the game that is called so, in any language, by its name or any beginning that no other game has.
    Raises Misused."""
    found = game_names.called(text)
    if len(found) == 1:
        return found[0]
    if found:
        raise Misused("game-ambiguous", name=text, games=[game_names.name(key, "de") for key in found])
    raise Misused("no-such-game", name=text, games=names())


def names() -> list[str]:
    """What the games are called."""
    return [game_names.name(key, "de") for key in REGISTRY]
