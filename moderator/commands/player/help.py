"""``HILFE``: how to write a move of this match, what can be asked for, and what to do when something comes up; ``HILFE
Mails``: all about a topic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    get_player_commands,
)
from moderator.common.enums import MailKind
from moderator.common.errors import PlayerError
from moderator.common.message_files import load_distinct_words, load_per_language, normalize_spelling
from moderator.language.messages import load_move_words, load_sentences
from moderator.notifications.content import CommandListing, HelpLine, HelpText, HelpTopic
from moderator.rules.game import Game
from moderator.rules.robots import choose
from moderator.rules.state import Context, State, view_for
from moderator.service.notifications import notify_reader
from moderator.views.links import build_player_page
from moderator.views.match_view import MatchReader
from moderator.views.unit_of_work import Recipient

HERE = Path(__file__).parent
_TOPIC_WORDS = dict(zip(HelpTopic, load_distinct_words(HERE, *(f"help-{topic}" for topic in HelpTopic)), strict=True))
_GROUPS: Mapping[HelpTopic, tuple[CommandGroup, ...]] = {
    HelpTopic.MOVES: (CommandGroup.TURN,),
    HelpTopic.MAILS: (CommandGroup.SETTINGS,),
    HelpTopic.JOINING: (CommandGroup.MATCHES,),
    HelpTopic.ALL: tuple(CommandGroup),
}
ASKING = (CommandGroup.SHOW, CommandGroup.TALK)
"""Groups of the commands that ask for something; the others are for when something comes up."""
MOVE = "help.move"
"""Code of what a move consists of; behind it may stand the first word of a move that is written otherwise. Every other
``help.kaufe-rot`` has the words of a line in canonical notation, and the sentence says what that does."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def parse_help_topic(argument: str) -> HelpTopic | str | None:
    """Return the topic that stands behind the word, or the word that is none; "" = there is nothing, None = that is no
    command but a sentence."""
    words = re.findall(r"\w+", normalize_spelling(argument))
    for topic, known in _TOPIC_WORDS.items():
        if not known.isdisjoint(words):
            return topic
    return argument.strip() if len(words) < 2 else None


@Command(
    "help",
    scope=CommandScope.EITHER,
    group=CommandGroup.SHOW,
    rank=10,
    pattern=r"[\w /’'-]{0,60}",
    reads=parse_help_topic,
    asks=True,
)
def answer_help_request(call: CommandContext) -> CommandOutcome:
    """Send the help in short, or all about a topic; how moves are written where a match is meant."""
    work, language, topic = call.work, call.player.language, parse_help_topic(call.request.argument) or ""
    if call.match is None or call.seat is None or call.live is None:
        shown = build_help_text(language, topic, is_of_match=False)
        page = build_player_page(work, MailKind.HELP, call.player, content=shown)
    else:
        live, seat = call.live, call.seat.number
        ctx, is_race = work.cache.build_context(live), live.table.pace == "race"
        lines = list_help_lines(live.game, live.table.state, seat, ctx, is_race=is_race)
        shown = replace(build_help_text(language, topic), moves=() if seat in live.table.out else lines)
        page = MatchReader(work, call.match, live).build_seat_page(call.seat, MailKind.HELP, content=shown)
    notify_reader(work, Recipient(call.player, call.match, call.seat), page, answers=True)
    return CommandOutcome(mailed=True)


def build_help_text(language: str, topic: HelpTopic | str = "", *, is_of_match: bool = True) -> HelpText:
    """Return what the declarations of the commands say: all commands of a topic, or the lines of the short help."""
    offered = {one: get_topic_line(one, language) for one in HelpTopic if one is not HelpTopic.MOVES or is_of_match}
    if isinstance(topic, HelpTopic):
        groups = tuple((f"commands-{group}", _list_commands(group, language)) for group in _GROUPS[topic])
        return HelpText(groups, topic=topic)
    asking, upset = (
        tuple(line for group in groups for line in _list_short_lines(group, language, is_of_match))
        for groups in (ASKING, [group for group in CommandGroup if group not in ASKING])
    )
    return HelpText((("help-asking", asking), ("help-upset", upset)), topics=offered, unknown=topic)


def get_topic_line(topic: HelpTopic, language: str) -> str:
    """Return ``HILFE Mails``."""
    _, words = load_per_language(HERE, "heard", f"help-{topic}")[language]
    return f"{get_player_commands()['help'].get_text(language).first_word.upper()} {words.partition('|')[0]}"


def _list_commands(group: CommandGroup, language: str) -> tuple[CommandListing, ...]:
    texts = (one.get_text(language) for one in get_player_commands().values() if one.group is group)
    return tuple(CommandListing(text.name, text.help) for text in texts)


def _list_short_lines(group: CommandGroup, language: str, is_of_match: bool) -> Iterator[CommandListing]:
    for one in get_player_commands().values():
        text = one.get_text(language)
        for line in (text.short if is_of_match else "", text.anywhere):
            if one.group is group and line:
                said, _, what = line.partition(" = ")
                yield CommandListing(said, what)


# ---- the lines by which something is played, as far as they are possible now


def list_help_lines(
    game: Game[Any, Any], state: State[Any], seat: int, ctx: Context, *, is_race: bool
) -> tuple[HelpLine, ...]:
    """Return a move of the hand and what else the seat could write if it were its turn; of the move only what it
    consists of where there is none, or where it would be the solution."""
    if state.over:
        return ()
    view = view_for(state, seat)
    known = choose.example_moves(game, view, ctx)
    move = "" if is_race else known.get("move") or choose.find_plain_move(game, view, ctx)
    said = load_sentences("en", game.key)
    special = f"{MOVE}-{move.partition(' ')[0]}"
    lines = [HelpLine(special if special in said else MOVE, move)] if MOVE in said else []
    for code, text in said.items():
        if code.startswith("help.") and not code.startswith(MOVE) and known.keys() >= {*_PLACEHOLDER.findall(text)}:
            name = code.removeprefix("help.")
            words = load_move_words("de", game.key)
            parts = [known.get(word, word if word in words else "") for word in name.split("-")]
            line = " ".join(parts) if all(parts) else ""
            lines += [HelpLine(code, line)] if line and _is_legal(game, state, seat, ctx, line) else []
    return tuple(lines)


def _is_legal(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context, line: str) -> bool:
    """Return whether the seat could play a line if it were its turn."""
    at_turn = replace(state, to_move=(seat,))
    try:
        game.apply_move(at_turn, seat, game.parse_move(line, view_for(at_turn, seat)), ctx)
    except PlayerError:
        return False
    return True
