"""Commands that ask for something to be shown: state, board, tiles, history, an earlier report, the rules."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from moderator.commands.call import CommandContext, CommandOutcome
from moderator.commands.declaration import Command, CommandGroup, CommandScope
from moderator.common.enums import MailKind
from moderator.common.errors import Impossible, OperatorError, StoreError, TransientError
from moderator.common.message_files import load_synonyms, load_word_pattern, normalize_spelling
from moderator.delivery.compose import build_club_page, build_personal_reply, build_reply_address, reader_of
from moderator.delivery.route import Recipient, resend_mail, route
from moderator.notifications.content import Content
from moderator.notifications.pages import Page
from moderator.rules.game import Note
from moderator.service.reviews import build_review_page
from moderator.store import outbox
from moderator.store import reviews as store
from moderator.views import history, reviews
from moderator.views.history import build_match_promptness, build_player_overview
from moderator.views.match_view import build_match_view, build_public_match_view

HERE = Path(__file__).parent
ALL_MATCHES = load_synonyms(HERE, "all-matches")
"""Words that mean all matches, wherever they stand."""
REPORTS = (MailKind.START, MailKind.TURN, MailKind.END, MailKind.CORRECTION)
MOST_AT_ONCE = 12
"""Of one round at most so many reports are sent again."""
MAILED = CommandOutcome(mailed=True)


@Command(
    "status",
    scope=CommandScope.EITHER,
    group=CommandGroup.SHOW,
    rank=20,
    asks=True,
    in_match_mail=True,
)
def answer_status_request(call: CommandContext) -> CommandOutcome:
    """Send board, scores and what is awaited; without a match all matches of the player."""
    if call.match is None or _is_about_all(call):
        return _answer_overview_request(call)
    match, _, live = call.required_match
    return _deliver_page(call, _build_match_page(call, MailKind.STATUS, build_match_promptness(call.desk, match, live)))


def _is_about_all(call: CommandContext) -> bool:
    first = normalize_spelling(call.request.line.text.split()[0]).rstrip(":.!,")
    return any(word.startswith(first) for word in ALL_MATCHES)


def _answer_overview_request(call: CommandContext) -> CommandOutcome:
    if not call.writer.whole:
        raise Impossible("all-matches-need-your-address")
    to, shown = reader_of(call.player), build_player_overview(call.desk, call.player)
    page = build_club_page(
        call.desk, MailKind.OVERVIEW, to, reply=build_personal_reply(call.desk, call.player), content=shown
    )
    route(call.desk, Recipient(call.player), page, answers=True)
    return MAILED


@Command(
    "board",
    scope=CommandScope.MATCH,
    group=CommandGroup.SHOW,
    rank=30,
    asks=True,
    in_match_mail=True,
)
def answer_board_request(call: CommandContext) -> CommandOutcome:
    """Send the board and nothing else."""
    return _deliver_page(call, _build_match_page(call, MailKind.BOARD))


@Command(
    "rack",
    scope=CommandScope.MATCH,
    group=CommandGroup.SHOW,
    rank=40,
    whole=True,
    asks=True,
    in_match_mail=True,
)
def answer_rack_request(call: CommandContext) -> CommandOutcome:
    """Send the player's tiles and nothing else."""
    return _deliver_page(call, replace(_build_match_page(call, MailKind.RACK), scene=None))


@Command(
    "history",
    scope=CommandScope.MATCH,
    group=CommandGroup.SHOW,
    rank=50,
    asks=True,
)
def answer_history_request(call: CommandContext) -> CommandOutcome:
    """Send every turn of the match."""
    match, seat, live = call.required_match
    page = build_club_page(
        call.desk,
        MailKind.HISTORY,
        reader_of(call.player),
        match=build_public_match_view(match, live, call.player.language),
        reply=build_reply_address(call.desk, match.code, seat.token),
        content=history.build_match_history(call.desk, match, live, seat.number),
        names=tuple(player.name for player in call.desk.list_players(match)),
    )
    return _deliver_page(call, page)


@Command(
    "resend",
    scope=CommandScope.MATCH,
    group=CommandGroup.SHOW,
    rank=60,
    pattern=rf"{load_word_pattern(HERE, 'round')}?\s*\d*",
    asks=True,
)
def answer_resend_request(call: CommandContext) -> CommandOutcome:
    """Send again what this player was sent about a round: ``nachfordern 5``; the last report without a number."""
    match, seat, _ = call.required_match
    found = outbox.list_mails_to_player(call.desk.session, match.number, seat.player_id, REPORTS)
    wanted = re.search(r"\d+", call.request.argument)
    if wanted:
        rounds = sorted({row.round for row, _ in found})
        found = [(row, raw) for row, raw in found if row.round == int(wanted[0])]
        if not found and rounds:
            raise Impossible("no-such-report", round=int(wanted[0]), rounds=_format_ranges(rounds))
    if not found:
        raise Impossible("no-report-at-all")
    for row, raw in found[-MOST_AT_ONCE:] if wanted else found[-1:]:
        resend_mail(call.desk, Recipient(call.player, match), raw, row.round)
    return MAILED


@Command(
    "review",
    scope=CommandScope.MATCH,
    group=CommandGroup.SHOW,
    rank=55,
    whole=True,
    asks=True,
)
def answer_review_request(call: CommandContext) -> CommandOutcome:
    """Send a review of each turn of a match that is over; as soon as it is worked out."""
    match, seat, live = call.required_match
    if not reviews.is_match_over(match):
        raise Impossible("review-not-over")
    failed = False
    try:
        found = reviews.advance_match_review(call.desk.session, call.desk.cache, match, call.desk.now)
    except (StoreError, TransientError):
        raise
    except OperatorError as error:
        raise Impossible("review-no-dictionary") from error
    except Exception:
        found, failed = None, True  # a review is never worth a mail: the queue has it, and says why it cannot be made
    if found is not None:
        return _deliver_page(call, build_review_page(call.desk, match, live, seat, call.player, found))
    if not call.desk.config.review.seconds_per_tick:
        raise Impossible("review-by-hand")
    store.request_review(call.desk.session, match.number, call.player.number, call.desk.now)
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
    match, seat, live = call.required_match
    return build_match_view(call.desk, live, match, seat, kind, content=content)


def _deliver_page(call: CommandContext, page: Page) -> CommandOutcome:
    match, seat, _ = call.required_match
    route(call.desk, Recipient(call.player, match, seat), page, answers=True)
    return MAILED
