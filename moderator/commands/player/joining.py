"""Commands that bring a player to a match: a free seat, a seat that was given up, a look from outside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandContext,
    CommandGiver,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    accept_any_argument,
    done_with,
    find_command,
    get_player_commands,
)
from moderator.commands.player import tournament, tournament_words
from moderator.commands.player.settings import OFF, ON, SWITCHED
from moderator.commands.player.tournament_words import TournamentWish, is_tournament_code, parse_tournament_wish
from moderator.common import tokens
from moderator.common.enums import Level, MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused, OperatorError
from moderator.common.mails import ParsedMail
from moderator.common.message_files import (
    build_any_pattern,
    load_per_language,
    load_synonyms,
    load_word_pattern,
    load_words_by_language,
    normalize_spelling,
)
from moderator.common.text import ANSWERED
from moderator.common.tokens import CODE
from moderator.games import REGISTRY
from moderator.language.messages import render_label
from moderator.language.spelling import find_games_by_name, get_game_name
from moderator.notifications.pages import MailPayload
from moderator.rules.game import Note
from moderator.service import create, free_seats
from moderator.service.create import compute_lookalike_key
from moderator.service.free_seats import list_seat_offers
from moderator.service.match import seats
from moderator.service.match.match import Match
from moderator.service.match.start import MatchStart
from moderator.service.notifications import notify_reader
from moderator.settings import Config
from moderator.store import matches, players
from moderator.store.database import Session
from moderator.store.matches import list_seats_in_matches
from moderator.store.players import list_player_names
from moderator.store.tables import MatchRow, StandbyRow, WatcherRow
from moderator.views import people, tournament_view
from moderator.views.match_view import MatchReader
from moderator.views.unit_of_work import Recipient

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
    match = matches.find_match_by_code(call.work.session, code)
    if match is None:
        raise Impossible("no-match-of-that-code", match=code)
    return match


NAMED = CommandArgument("match", _find_named_match)


def _has_seat_in(call: CommandContext, match: MatchRow) -> bool:
    return bool(list_seats_in_matches(call.work.session, call.player.number, [match.number]))


_declare = partial(
    Command, scope=CommandScope.CLUB, group=CommandGroup.MATCHES, who=CommandGiver.PLAYER, pattern=".{0,20}"
)


@_declare("join", rank=10, pattern=r".{0,60}", whole=True)
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
    if match.status != MatchStatus.OPEN or not create.count_free_seats(call.work.session, match):
        raise Impossible("no-free-seat", match=match.code)
    left = create.seat_player(call.work, match, call.player)
    facts = {
        "match": match.code,
        "title": match.name,
        "game": get_game_name(match.game, call.player.language),
        "count": left,
    }
    if left:
        return done_with("joined", **facts)
    if not MatchStart(call.work, match).begin_full_match():
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
    found = [m for m in create.list_open_matches(call.work.session, call.player) if not wanted or m.game in keys]
    tournaments = () if wanted else tournament_view.list_joinable_lines(call.work.session, call.player)
    if len(found) == 1 and not tournaments:
        return found[0]
    offers = [one for game in (keys if wanted else ("",)) for one in list_seat_offers(call.work, call.player, game)]
    if not found and not tournaments and not offers:
        return done_with("no-open-match")
    notes = [Note("open-matches", {"count": len(found)}), *create.list_open_match_notes(call.work, found, call.player)]
    to_enter = (Note("cups-open-ones"), *tournaments) if tournaments else ()
    return CommandOutcome((*(notes if found else ()), *offers, *to_enter))


def _parse_tournament_wish(call: CommandContext) -> TournamentWish | None:
    """Return the wish to join a tournament, if its code or its whole name is there."""
    argument = call.request.argument
    if not argument or find_code_in_line(call) or find_games_by_name(_BEFORE_A_MATCH.sub("", argument.strip(" .!?"))):
        return None
    names = tournament_words.list_all_name_keys(call.work.session)
    wish = parse_tournament_wish(f"{argument} {tournament_words.get_wish_phrase('join')}", names)
    return wish if wish is not None and (wish.tournament in names or is_tournament_code(wish.tournament)) else None


@_declare("takeover", rank=60, arguments=(NAMED,))
def take_over_by_command(call: CommandContext, match: MatchRow | None) -> CommandOutcome:
    """Give the writer a seat that nobody plays any more, or a robot holds: ``Übernehmen K7Q2``; ``Übernehmen`` lists
    them."""
    if match is None:
        if found := list_seat_offers(call.work, call.player):
            return CommandOutcome(found)
        raise Misused("takeover-which")
    if _has_seat_in(call, match):
        raise Impossible("plays-already", match=match.code)
    if not seats.may_take_over_seats(match):
        raise Impossible("takeover-none", match=match.code)
    playing = Match.load(call.work, match)
    free = playing.list_free_seats()
    if not free:
        raise Impossible("takeover-none", match=match.code)
    people.stop_watching(call.work.session, match, call.player)
    playing.hand_over_seat(free[0], call.player)
    return CommandOutcome((Note("taken-over", {"match": match.code}),), mailed=True)


@_declare("standby", rank=70, pattern=rf"{SWITCHED}|[\w äöüÄÖÜ?-]{{0,40}}", whole=True, short=accept_any_argument)
def switch_standby_by_command(call: CommandContext) -> CommandOutcome:
    """Set whether the writer would take over a seat that is given up: ``Ersatzspieler an``, ``aus`` or the name of a
    game."""
    session, player = call.work.session, call.player
    rows = players.list_standbys_of_player(session, player.number)
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
        session.add(StandbyRow(player_id=player.number, game=keys[0], since=call.work.now))
    return _answer_standby([*games, keys[0]], call)


def _answer_standby(games: list[str], call: CommandContext) -> CommandOutcome:
    """Return the outcome, with the seats that wait already: whoever wants one takes it."""
    if not games:
        return done_with("standby-off")
    called = sorted({""} if "" in games else set(games))
    offers = [one for game in called for one in list_seat_offers(call.work, call.player, game)]
    if "" in games:
        return CommandOutcome((Note("standby-any"), *offers))
    return CommandOutcome(
        (Note("standby-games", {"games": [get_game_name(key, call.player.language) for key in called]}), *offers)
    )


@_declare("watch", rank=40, arguments=(NAMED,))
def watch_by_command(call: CommandContext, match: MatchRow | None) -> CommandOutcome:
    """Let the writer watch a match, ``Zuschauen K7Q2``: every report of that match, as anybody may see it; the position
    now comes at once."""
    work, player = call.work, call.player
    if match is None:
        raise Misused("watch-which")
    if _has_seat_in(call, match):
        raise Impossible("watch-your-own", match=match.code)
    if match.status not in (MatchStatus.OPEN, MatchStatus.RUNNING, MatchStatus.SUSPENDED):
        raise Impossible("watch-over", match=match.code)
    if players.find_watcher(work.session, match.number, player.number) is None:
        work.session.add(WatcherRow(match_id=match.number, player_id=player.number, since=work.now))
        work.session.flush()
    note = Note("watching", {"match": match.code, "title": match.name})
    if match.status != MatchStatus.RUNNING:
        return CommandOutcome((note,))
    live = work.cache.load_match(work.session, match)
    page = MatchReader(work, match, live).build_watcher_page(player, MailKind.STATUS, MailPayload(notes=(note,)))
    notify_reader(work, Recipient(player, match), page, answers=True)
    return CommandOutcome((note,), mailed=True)


@_declare("unwatch", rank=50, whole=True, arguments=(NAMED,))
def stop_watching_by_command(call: CommandContext, match: MatchRow | None) -> CommandOutcome:
    """Stop the watching of a match, ``Nicht mehr zuschauen K7Q2``; without a code: of the only one, or of all."""
    work, player = call.work, call.player
    found = [match] if match else players.list_watched_matches(work.session, player.number)
    ended = []
    for one in found:
        row = players.find_watcher(work.session, one.number, player.number)
        if row is not None:
            work.session.delete(row)
            ended.append(one.code)
    if not ended:
        raise Impossible("watches-nothing")
    return done_with("watching-no-more", matches=ended)


# ---- What a mail from nobody we know asks for: the wish to join, in a command's words or in a sentence, and the
# name.


LOOKED_AT = 12
"""Lines in which the wish to join is looked for."""
HERE = Path(__file__).parent
_FILLING = re.compile(rf"^{load_word_pattern(HERE, 'signup-filling')}\b\s*", re.IGNORECASE)
_REPLY = re.compile(rf"^{ANSWERED}+", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^\w .'’-]|[\d_]")
RESERVED = load_synonyms(HERE, "no-name")
"""Names that mean something else in a mail."""
OFFICES = load_synonyms(HERE, "offices")
"""Words that are in nobody's name but the moderator's, in whatever script they are written."""
_LINK = re.compile(r"\.(?=\w\w)")
"""Where a mail program sees a link: the question to a stranger must not carry somebody else's."""
_LONGEST = 300
"""Characters of a line that are looked at."""


@dataclass(frozen=True)
class JoinWish:
    """The wish of somebody who wants to join, as it was written."""

    language: str
    name: str
    code: str = ""
    """A match, if one is named."""
    game: str = ""
    """Key of a game, if one is named."""
    tournament: str = ""
    """A tournament, if one is named: its code, or its name spelt plain."""


def find_join_wish(mail: ParsedMail) -> JoinWish | None:
    """Return the wish to join in a mail's subject or first lines; None if there is none."""
    joining = [get_player_commands()[name] for name in ("join", "cup")]
    for text in (_REPLY.sub("", mail.subject[:300]), *(line.text for line in mail.lines[:LOOKED_AT])):
        found = find_command(text, joining)
        if found is None:
            continue
        language = _detect_language(found[0], normalize_spelling(text))
        tournament = _parse_tournament(*found)
        if tournament is not None:
            return JoinWish(language, mail.sender_name, tournament=tournament)
        if found[0].name == "cup":
            continue
        code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
        rest = _FILLING.sub("", text[len(text) - len(found[1]) :] if found[1] else "")
        rest = rest.replace(code.group(0), "") if code else rest
        games = find_games_by_name(rest)
        own = "" if games else rest
        return JoinWish(
            language, own or mail.sender_name, code.group(1).upper() if code else "", games[0] if games else ""
        )
    return _find_wish_in_prose(mail)


def _find_wish_in_prose(mail: ParsedMail) -> JoinWish | None:
    """Return the wish of somebody who knows no commands; None if there is none."""
    for text in (_REPLY.sub("", mail.subject[:_LONGEST]), *(line.text[:_LONGEST] for line in mail.lines[:LOOKED_AT])):
        said = normalize_spelling(text)
        language = next((one for one, wishes in _load_wish_patterns().items() if wishes.search(said)), None)
        if language is not None:
            code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
            return JoinWish(language, mail.sender_name, code.group(1).upper() if code else "")
    return None


@cache
def _load_wish_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return language -> how the wish to join is put in it."""
    every = load_per_language(HERE, "heard", "wishes")
    return {
        language: re.compile("|".join(map(_build_sentence_pattern, lines))) for language, (_, lines) in every.items()
    }


def _build_sentence_pattern(line: str) -> str:
    """Return a regular expression for ``ich|wir … mitspielen|gern* mit``."""
    parts = ([normalize_spelling(words) for words in part.split("|")] for part in line.split("…"))
    return r"[^.!?]*".join(rf"\b{build_any_pattern(words)}\b".replace(r"\*", r"\w*") for words in parts)


def _detect_language(command: Command, said: str) -> str:
    """Return the language in which a line asks to join: that of its first word, or of most words where several have
    that one."""
    joining = load_words_by_language(Path(tournament_words.__file__).parent, "cup-join")
    own = {language: tuple(map(normalize_spelling, text.words.split("|"))) for language, text in command.texts.items()}

    def count_words(language: str) -> int:
        return sum(re.search(rf"\b{word}\b", said) is not None for word in (*own[language], *joining[language]))

    return max((language for language, words in own.items() if said.startswith(words)), key=count_words)


def _parse_tournament(command: Command, argument: str) -> str | None:
    """Return the tournament that a line asks to join ("" = whichever), None for another line."""
    if command.name == "join":
        code = _FILLING.sub("", argument.strip())
        return code.lower() if tournament_words.is_tournament_code(code) else None
    wanted = tournament_words.parse_tournament_wish(argument)
    return wanted.tournament if wanted is not None and wanted.what == "join" else None


def choose_free_name(session: Session, config: Config, wanted: str, address: str) -> str:
    """Return a name that nobody has, made of letters: as wanted, else what stands before the @; with a number if need
    be."""
    taken = {compute_lookalike_key(known) for known in list_player_names(session)}
    base = choose_stranger_name(wanted, address, config.club.language)
    possible = (base, *(f"{base[:36]} {number}" for number in range(2, 1000)))
    return next(one for one in possible if compute_lookalike_key(one) not in taken)


def choose_stranger_name(wanted: str, address: str, language: str) -> str:
    """Return the name for a stranger who may not learn yet which names are taken."""
    return next(
        filter(None, (clean_player_name(one) for one in (wanted, address.partition("@")[0]))),
        render_label("guest", language),
    )


def clean_player_name(text: str) -> str:
    """Return letters, spaces, hyphens; "" for what would be read as something else than a name."""
    shown = " ".join(_NOT_IN_NAMES.sub(" ", _LINK.sub(" ", text)).split()).strip(" .-'’")[:40].strip(" .-'’")
    shown = shown.capitalize() if shown.islower() and " " not in shown else shown
    if (
        normalize_spelling(shown) in RESERVED
        or find_command(shown, whole=True) is not None
        or not any(letter.isalpha() for letter in shown)
    ):
        return ""
    words = {compute_lookalike_key(word) for word in (*shown.split(), *shown.casefold().split())}
    return "" if words & OFFICES else shown


# ---- A table for training: the player against a robot of the level that is named. Its result counts for no rating.


CALLED = {level: load_synonyms(HERE, f"level-{level.value}") for level in Level}
FILLING = load_synonyms(HERE, "before-a-level")


@_declare("practise", rank=80, pattern=r".{0,60}", whole=True)
def start_practice_by_command(call: CommandContext) -> CommandOutcome:
    """Begin a match against a robot at once, ``Üben Topwords stark``; without a level it is that of the club."""
    work, player = call.work, call.player
    language = player.language
    words = [word for word in normalize_spelling(call.request.argument).strip(" .!?").split() if word not in FILLING]
    named = [level for word in words for level, called in CALLED.items() if word in called]
    wanted = " ".join(word for word in words if not any(word in called for called in CALLED.values()))
    keys = find_games_by_name(wanted)
    if len(keys) != 1 or len(named) > 1:
        raise Misused("practise-which", games=[get_game_name(key, language) for key in keys or REGISTRY])
    if matches.count_training_matches(work.session, player.number) >= free_seats.MOST:
        raise Impossible("practise-enough", count=free_seats.MOST)
    level = named[0] if named else Level.CLUB
    try:
        match, robot = free_seats.begin_practice(work, player, keys[0], level, render_label("practice-table", language))
    except OperatorError:
        raise Impossible("practise-not-here", game=get_game_name(keys[0], language)) from None
    facts = {"match": match.code, "game": get_game_name(match.game, language), "name": robot.name}
    return CommandOutcome((Note("practise-begun", facts),), mailed=True)
