"""Commands that ask for something to be shown: state, board, tiles, history, an earlier report, the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGiver,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    LoggedPart,
    done_with,
)
from moderator.commands.player.settings import OFF, ON
from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused, OperatorError, StoreError, TransientError
from moderator.common.mails import Line
from moderator.common.message_files import build_any_pattern, load_synonyms, load_word_pattern, normalize_spelling
from moderator.games import REGISTRY
from moderator.language import spelling
from moderator.language.messages import load_rules_text, render_label
from moderator.notifications.content import (
    CalendarDate,
    DeadlineLine,
    DeadlineList,
    build_deadline_uid,
)
from moderator.notifications.pages import Content, Page
from moderator.rules.game import Note
from moderator.service.notifications import notify_reader, resend_mail
from moderator.service.puzzles import PuzzleReader, PuzzleWeek, ReviewSender
from moderator.settings import Config
from moderator.store import outbox, reviews
from moderator.store.database import Session
from moderator.store.matches import list_current_seats
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import links, match_state, puzzles
from moderator.views.history import HistoryReader, build_player_overview
from moderator.views.links import (
    build_calendar_address,
    build_personal_reply,
    build_player_page,
    build_reply_address,
    change_calendar_address,
)
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.match_view import MatchReader, build_public_match_view
from moderator.views.unit_of_work import Recipient

HERE = Path(__file__).parent
ALL_MATCHES = load_synonyms(HERE, "all-matches")
"""Words that mean all matches, wherever they stand."""
REPORTS = (MailKind.START, MailKind.TURN, MailKind.END, MailKind.CORRECTION)
MOST_AT_ONCE = 12
"""Of one round at most so many reports are sent again."""
MAILED = CommandOutcome(mailed=True)


_declare = partial(Command, scope=CommandScope.MATCH, group=CommandGroup.SHOW, asks=True)


@_declare("status", scope=CommandScope.EITHER, rank=20, in_match_mail=True)
def answer_status_request(call: CommandContext) -> CommandOutcome:
    """Send board, scores and what is awaited; without a match all matches of the player."""
    if call.match is None or _is_about_all(call):
        if not call.whole:
            raise Impossible("all-matches-need-your-address")
        shown = build_player_overview(call.work, call.player)
        page = build_player_page(call.work, MailKind.OVERVIEW, call.player, content=shown)
        notify_reader(call.work, Recipient(call.player), page, answers=True)
        return MAILED
    match, _ = call.required_match
    return _deliver_page(
        call,
        _build_match_page(call, MailKind.STATUS, HistoryReader(call.work, match.row, match.live).build_promptness()),
    )


def _is_about_all(call: CommandContext) -> bool:
    first = normalize_spelling(call.request.line.text.split()[0]).rstrip(":.!,")
    return any(word.startswith(first) for word in ALL_MATCHES)


@_declare("board", rank=30, in_match_mail=True)
def answer_board_request(call: CommandContext) -> CommandOutcome:
    """Send the board and nothing else."""
    return _deliver_page(call, _build_match_page(call, MailKind.BOARD))


@_declare("rack", rank=40, whole=True, in_match_mail=True)
def answer_rack_request(call: CommandContext) -> CommandOutcome:
    """Send the player's tiles and nothing else."""
    return _deliver_page(call, replace(_build_match_page(call, MailKind.RACK), scene=None))


@_declare("history", rank=50)
def answer_history_request(call: CommandContext) -> CommandOutcome:
    """Send every turn of the match."""
    match, seat = call.required_match
    page = build_player_page(
        call.work,
        MailKind.HISTORY,
        call.player,
        match=build_public_match_view(match.row, match.live, call.player.language),
        reply=build_reply_address(call.work.config, match.row.code, seat.token),
        content=HistoryReader(call.work, match.row, match.live).build_history(seat.number),
        names=tuple(player.name for player in match.players),
    )
    return _deliver_page(call, page)


@_declare("resend", rank=60, pattern=rf"{load_word_pattern(HERE, 'round')}?\s*\d*")
def answer_resend_request(call: CommandContext) -> CommandOutcome:
    """Send again what this player was sent about a round: ``nachfordern 5``; the last report without a number."""
    match, seat = call.required_match
    found = outbox.list_mails_to_player(call.work.session, match.row.number, seat.player_id, REPORTS)
    wanted = re.search(r"\d+", call.request.argument)
    if wanted:
        rounds = sorted({row.round for row, _ in found})
        found = [(row, raw) for row, raw in found if row.round == int(wanted[0])]
        if not found and rounds:
            raise Impossible("no-such-report", round=int(wanted[0]), rounds=_format_ranges(rounds))
    if not found:
        raise Impossible("no-report-at-all")
    for row, raw in found[-MOST_AT_ONCE:] if wanted else found[-1:]:
        resend_mail(call.work, Recipient(call.player, match.row), raw, row.round)
    return MAILED


@_declare("review", rank=55, whole=True)
def answer_review_request(call: CommandContext) -> CommandOutcome:
    """Send a review of each turn of a match that is over; as soon as it is worked out."""
    match, seat = call.required_match
    if not puzzles.is_match_over(match.row):
        raise Impossible("review-not-over")
    failed = False
    try:
        found = puzzles.advance_match_review(call.work.session, call.work.cache, match.row, call.work.now)
    except (StoreError, TransientError):
        raise
    except OperatorError as error:
        raise Impossible("review-no-dictionary") from error
    except Exception:
        found, failed = None, True  # a review is never worth a mail: the queue has it, and says why it cannot be made
    if found is not None:
        return _deliver_page(call, ReviewSender(call.work, match.row).build_page(match.live, seat, call.player, found))
    if not call.work.config.review.seconds_per_tick:
        raise Impossible("review-by-hand")
    reviews.request_review(call.work.session, match.row.number, call.player.number, call.work.now)
    return CommandOutcome((Note("review-failed" if failed else "review-comes"),))


def _format_ranges(numbers: list[int]) -> list[str]:
    """Return runs of numbers as ``1–4``, ``7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]


def _build_match_page(call: CommandContext, kind: MailKind, content: Content | None = None) -> Page:
    match, seat = call.required_match
    return MatchReader(call.work, match.row, match.live).build_seat_page(seat, kind, content=content)


def _deliver_page(call: CommandContext, page: Page) -> CommandOutcome:
    match, seat = call.required_match
    notify_reader(call.work, Recipient(call.player, match.row, seat), page, answers=True)
    return MAILED


# ---- ``KALENDER``: the deadlines as a file for the calendar of a phone; ``KALENDER NEU``: another address for it.


@_declare(
    "calendar",
    scope=CommandScope.EITHER,
    rank=70,
    pattern=rf"{load_word_pattern(Path(__file__).parent, 'new-address')}?",
)
def answer_calendar_request(call: CommandContext) -> CommandOutcome:
    """Send the deadline of the match; without a match those of all matches in which the player is awaited."""
    work, match, seat = call.work, call.match, call.seat
    if call.request.argument:
        if not call.whole:
            raise Impossible("all-matches-need-your-address")
        if not call.work.config.site.url:
            return done_with("no-calendar-address")
        change_calendar_address(call.work.session, call.player)
        return done_with(
            "calendar-changed", address=build_calendar_address(call.work.session, call.work.config, call.player)
        )
    if match is not None and seat is not None:
        found = [(match, _is_awaited(work.session, work.cache, match, seat))] if _is_clock_running(match) else []
    else:
        if not call.whole:
            raise Impossible("all-matches-need-your-address")
        found = [(one, True) for one in _iter_awaiting_matches(work.session, work.cache, call.player)]
    if not found:
        return done_with("no-date" if match is not None else "no-dates")
    lines = [_build_deadline_line(one, yours) for one, yours in found]
    dates = [
        _build_calendar_date(work.session, work.config, one, line, call.player)
        for (one, _), line in zip(found, lines, strict=True)
    ]
    address = build_calendar_address(work.session, work.config, call.player) if call.whole else ""
    page = build_player_page(
        work,
        MailKind.CALENDAR,
        call.player,
        reply=build_personal_reply(work.session, work.config, call.player, match, seat),
        content=DeadlineList(tuple(lines), tuple(dates), match.code if match else "", address),
    )
    notify_reader(work, Recipient(call.player, match, seat), page, answers=True)
    return CommandOutcome(mailed=True)


def _is_clock_running(match: MatchRow) -> bool:
    return match.status == MatchStatus.RUNNING and match.deadline is not None and not match.stopped and not match.held


def _is_awaited(session: Session, cache: MatchCache, match: MatchRow, seat: SeatRow) -> bool:
    """Return whether the match waits for something of this seat. Raises MatchSuspended."""
    return cache.load_match(session, match).get_seat_status(seat.number).is_awaited


def _iter_awaiting_matches(session: Session, cache: MatchCache, player: PlayerRow) -> Iterator[MatchRow]:
    for match, seat in list_current_seats(session, player.number):
        try:
            if _is_clock_running(match) and _is_awaited(session, cache, match, seat):
                yield match
        except MatchSuspended:
            continue


def _build_deadline_line(match: MatchRow, yours: bool) -> DeadlineLine:
    assert match.deadline is not None
    return DeadlineLine(match.code, match.name, match.game, match.deadline, yours)


def _build_calendar_date(
    session: Session, config: Config, match: MatchRow, line: DeadlineLine, player: PlayerRow
) -> CalendarDate:
    values = {"game": spelling.get_game_name(match.game, player.language), "name": match.name, "code": match.code}
    return CalendarDate(
        uid=build_deadline_uid(config.mail.address.rpartition("@")[2], match.code),
        sequence=match.entries,
        when=line.deadline,
        title=render_label("ics-yours" if line.yours else "ics-other", player.language, **values),
        text=render_label("ics-text", player.language, club=config.club.name, **values),
        url=links.link_to_match(config, session, match, player.language),
    )


# ---- ``REGELN``: the rules of a game.


@_declare("rules", scope=CommandScope.EITHER, rank=80, pattern=r"[\w äöüÄÖÜ?-]*")
def answer_rules_request(call: CommandContext) -> CommandOutcome:
    """Send the rules: ``Regeln``: of the match's game; ``Regeln Presto``: of any."""
    work, match, seat = call.work, call.match, call.seat
    agreed, about = None, None
    if normalize_spelling(call.request.argument):
        key = parse_game_name(call.request.argument, call.player.language)
    elif match is not None and call.live is not None:
        known = match_state.build_ruling_notes(work.session, work.cache, match, call.live)
        about = build_public_match_view(match, call.live, call.player.language, rulings=known)
        key, agreed = match.game, dict(about.options)
    else:
        raise Misused("rules-of-which-game", games=list_game_names(call.player.language))
    page = build_player_page(
        work,
        MailKind.RULES,
        call.player,
        reply=build_personal_reply(work.session, work.config, call.player, match, seat),
        match=about,
        content=load_rules_text(key, call.player.language, agreed),
    )
    notify_reader(work, Recipient(call.player, match, seat), page, answers=True)
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
    return [spelling.get_game_name(key, language) for key in REGISTRY]


# ---- ``AUFGABE``: the puzzle of the week: whether somebody wants it, what it is, and an answer to it


MOVE = r"(?=.*\d)(?=.*[^\W\d_]|.*@)[\w*+@:;,() -]{2,60}"
"""What may be a move; no sentence that goes on with a point, as ours do where they name the puzzle."""


@Command(
    "puzzle",
    scope=CommandScope.CLUB,
    group=CommandGroup.SETTINGS,
    rank=55,
    who=CommandGiver.PLAYER,
    pattern=rf"|{build_any_pattern(ON | OFF)}|{MOVE}",
    whole=True,
    logged=LoggedPart.NOTHING,
)
def handle_puzzle_command(call: CommandContext) -> CommandOutcome:
    """Switch the puzzle of the week, ``Aufgabe an``, ``Aufgabe aus``; alone: send this week's; with a move behind it:
    take the answer."""
    word = normalize_spelling(call.request.argument).strip().rstrip(".!")
    if word in ON or word in OFF:
        return _switch_puzzles(call, word in ON)
    running, _ = PuzzleWeek(call.work).get_running_puzzle()
    if not word:
        PuzzleReader(call.work, call.player).notify_puzzle(running, None, answers=True)
        return CommandOutcome(mailed=True)
    line = Line(call.request.line.number, call.request.argument)
    reader = PuzzleReader(call.work, call.player)
    reader.notify_receipt(*reader.answer_puzzle([line]))
    return CommandOutcome(mailed=True)


def _switch_puzzles(call: CommandContext, on: bool) -> CommandOutcome:
    if on and not call.work.config.puzzle.weekly:
        raise Impossible("puzzle-off")
    call.player.puzzles = on
    call.work.session.add(call.player)
    if not on:
        return done_with("puzzles-stopped")
    try:
        running, _ = PuzzleWeek(call.work).get_running_puzzle()
    except Impossible:
        return done_with("puzzles-wanted")
    return done_with("puzzles-wanted-running", until=running.until)
