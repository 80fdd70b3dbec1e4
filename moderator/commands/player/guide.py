"""``HILFE``: how to write a move, and all commands; ``REGELN``: the rules of a game."""

from __future__ import annotations

from moderator.commands.call import CommandContext, CommandOutcome
from moderator.commands.declaration import Command, CommandGroup, CommandScope, get_player_commands
from moderator.common.enums import MailKind
from moderator.common.errors import Misused
from moderator.common.message_files import normalize_spelling
from moderator.delivery.compose import build_club_page, build_personal_reply, reader_of
from moderator.delivery.route import Recipient, route
from moderator.games import REGISTRY
from moderator.language import spelling
from moderator.language.messages import render_label
from moderator.language.rules_text import load_rules_text
from moderator.notifications.content import CommandList, CommandListing
from moderator.views import match_rulings
from moderator.views.match_view import build_match_view, build_public_match_view


def build_command_overview(language: str) -> CommandList:
    """Return all commands, each with its word in another language, which counts as well: the one that ``command-line``
    speaks of."""
    other = render_label("command-twin", language)
    groups: dict[str, list[CommandListing]] = {}
    for one in get_player_commands().values():
        own = one.get_text(language)
        groups.setdefault(str(one.group), []).append(CommandListing(own.name, one.get_text(other).name, own.help))
    return CommandList(tuple((group, tuple(lines)) for group, lines in groups.items()))


@Command(
    "help",
    scope=CommandScope.EITHER,
    group=CommandGroup.SHOW,
    rank=10,
    asks=True,
)
def answer_help_request(call: CommandContext) -> CommandOutcome:
    """Send how moves of the match are written, and all commands; without a match the commands."""
    desk, reply, asked = (
        call.desk,
        build_personal_reply(call.desk, call.player),
        build_command_overview(call.player.language),
    )
    if call.match is None or call.seat is None or call.live is None:
        page = build_club_page(desk, MailKind.HELP, reader_of(call.player), reply=reply, content=asked)
    else:
        page = build_match_view(desk, call.live, call.match, call.seat, MailKind.HELP, content=asked)
    route(desk, Recipient(call.player, call.match, call.seat), page, answers=True)
    return CommandOutcome(mailed=True)


@Command(
    "rules",
    scope=CommandScope.EITHER,
    group=CommandGroup.SHOW,
    rank=80,
    pattern=r"[\w äöüÄÖÜ?-]*",
    asks=True,
)
def answer_rules_request(call: CommandContext) -> CommandOutcome:
    """Send the rules: ``Regeln``: of the match's game; ``Regeln Presto``: of any."""
    desk, match, seat = call.desk, call.match, call.seat
    agreed, about = None, None
    if normalize_spelling(call.request.argument):
        key = parse_game_name(call.request.argument, call.player.language)
    elif match is not None and call.live is not None:
        known = match_rulings.build_ruling_notes(desk, match, call.live)
        about = build_public_match_view(match, call.live, call.player.language, rulings=known)
        key, agreed = match.game, dict(about.options)
    else:
        raise Misused("rules-of-which-game", games=list_game_names(call.player.language))
    page = build_club_page(
        desk,
        MailKind.RULES,
        reader_of(call.player),
        reply=build_personal_reply(desk, call.player, match, seat),
        match=about,
        content=load_rules_text(key, call.player.language, agreed),
    )
    route(desk, Recipient(call.player, match, seat), page, answers=True)
    return CommandOutcome(mailed=True)


def parse_game_name(text: str, language: str) -> str:
    """Return the key of the game that is called so, in any language, by its name or any beginning that no other game
    has. Raises Misused."""
    found = spelling.find_games_by_name(text)
    if len(found) == 1:
        return found[0]
    if found:
        raise Misused("game-ambiguous", name=text, games=[spelling.get_game_name(key, language) for key in found])
    raise Misused("no-such-game", name=text, games=list_game_names(language))


def list_game_names(language: str) -> list[str]:
    """Return the names of the games."""
    return [spelling.get_game_name(key, language) for key in REGISTRY]
