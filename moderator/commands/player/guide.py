"""``HILFE``: how to write a move, and all commands; ``REGELN``: the rules of a game."""

from __future__ import annotations

from moderator.club import match_rulings, spelling
from moderator.commands.call import Answer, Call
from moderator.commands.declaration import Command, Group, Scope, players
from moderator.errors import Misused
from moderator.games import REGISTRY
from moderator.games.rules_text import rules_text
from moderator.outbox.match_pages import match_info, match_page
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import To, tell
from moderator.pages.content import CommandLine, Commands
from moderator.pages.messages import label
from moderator.states import MailKind
from moderator.texts import plain


def all_commands(language: str) -> Commands:
    """Each with its word in another language, which counts as well: the one that ``command-line`` speaks of."""
    other = label("command-twin", language)
    groups: dict[str, list[CommandLine]] = {}
    for one in players().values():
        own = one.text(language)
        groups.setdefault(str(one.group), []).append(CommandLine(own.name, one.text(other).name, own.help))
    return Commands(tuple((group, tuple(lines)) for group, lines in groups.items()))


@Command(
    "help",
    scope=Scope.EITHER,
    group=Group.SHOW,
    rank=10,
    asks=True,
)
def how_to(call: Call) -> Answer:
    """How moves of the match are written, and all commands; without a match the commands."""
    desk, reply, asked = call.desk, personal_reply(call.desk, call.player), all_commands(call.player.language)
    if call.match is None or call.seat is None or call.live is None:
        page = new_page(desk, MailKind.HELP, reader(call.player), reply=reply, content=asked)
    else:
        page = match_page(desk, call.live, call.match, call.seat, MailKind.HELP, content=asked)
    tell(desk, To(call.player, call.match, call.seat), page, answers=True)
    return Answer(mailed=True)


@Command(
    "rules",
    scope=Scope.EITHER,
    group=Group.SHOW,
    rank=80,
    pattern=r"[\w äöüÄÖÜ?-]*",
    asks=True,
)
def rules(call: Call) -> Answer:
    """``Regeln``: of the match's game; ``Regeln Presto``: of any."""
    desk, match, seat = call.desk, call.match, call.seat
    agreed, about = None, None
    if plain(call.request.argument):
        key = find_game(call.request.argument, call.player.language)
    elif match is not None and call.live is not None:
        known = match_rulings.told(desk, match, call.live)
        about = match_info(match, call.live, call.player.language, rulings=known)
        key, agreed = match.game, dict(about.options)
    else:
        raise Misused("rules-of-which-game", games=names(call.player.language))
    page = new_page(
        desk,
        MailKind.RULES,
        reader(call.player),
        reply=personal_reply(desk, call.player, match, seat),
        match=about,
        content=rules_text(key, call.player.language, agreed),
    )
    tell(desk, To(call.player, match, seat), page, answers=True)
    return Answer(mailed=True)


def find_game(text: str, language: str) -> str:
    """The key of the game that is called so, in any language, by its name or any beginning that no other game has.
    Raises Misused."""
    found = spelling.games_called(text)
    if len(found) == 1:
        return found[0]
    if found:
        raise Misused("game-ambiguous", name=text, games=[spelling.game_name(key, language) for key in found])
    raise Misused("no-such-game", name=text, games=names(language))


def names(language: str) -> list[str]:
    """What the games are called."""
    return [spelling.game_name(key, language) for key in REGISTRY]
