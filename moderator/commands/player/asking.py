"""Commands that ask for something to be shown: state, board, tiles, history, an earlier report, the rules."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from moderator.club import reviews
from moderator.commands.call import Answer, Call
from moderator.commands.declaration import Command, Group, Scope
from moderator.errors import Impossible, OperatorError, StoreError, TransientError
from moderator.match.contract import Note
from moderator.outbox import asked
from moderator.outbox.asked import overview, promptness_in
from moderator.outbox.match_pages import match_info, match_page
from moderator.outbox.post import new_page, personal_reply, reader, reply_to
from moderator.outbox.reviews import page_of
from moderator.outbox.tell import To, tell, tell_again
from moderator.pages.content import Content
from moderator.pages.pages import Page
from moderator.states import MailKind
from moderator.store import outbox
from moderator.store import reviews as store
from moderator.texts import heard, pattern, plain

HERE = Path(__file__).parent
ALL_MATCHES = heard(HERE, "all-matches")
"""Words that mean all matches, wherever they stand."""
REPORTS = (MailKind.START, MailKind.TURN, MailKind.END, MailKind.CORRECTION)
MOST_AT_ONCE = 12
"""Of one round at most so many reports are sent again."""
MAILED = Answer(mailed=True)


@Command(
    "status",
    scope=Scope.EITHER,
    group=Group.SHOW,
    rank=20,
    asks=True,
    in_match_mail=True,
)
def status(call: Call) -> Answer:
    """Board, scores, what is awaited; without a match all matches of the player."""
    if call.match is None or _means_all(call):
        return _overview(call)
    match, _, live = call.at
    return _post(call, _match_page(call, MailKind.STATUS, promptness_in(call.desk, match, live)))


def _means_all(call: Call) -> bool:
    first = plain(call.request.line.text.split()[0]).rstrip(":.!,")
    return any(word.startswith(first) for word in ALL_MATCHES)


def _overview(call: Call) -> Answer:
    if not call.writer.whole:
        raise Impossible("all-matches-need-your-address")
    to, shown = reader(call.player), overview(call.desk, call.player)
    page = new_page(call.desk, MailKind.OVERVIEW, to, reply=personal_reply(call.desk, call.player), content=shown)
    tell(call.desk, To(call.player), page, answers=True)
    return MAILED


@Command(
    "board",
    scope=Scope.MATCH,
    group=Group.SHOW,
    rank=30,
    asks=True,
    in_match_mail=True,
)
def board(call: Call) -> Answer:
    """The board and nothing else."""
    return _post(call, _match_page(call, MailKind.BOARD))


@Command(
    "rack",
    scope=Scope.MATCH,
    group=Group.SHOW,
    rank=40,
    whole=True,
    asks=True,
    in_match_mail=True,
)
def rack(call: Call) -> Answer:
    """The player's tiles and nothing else."""
    return _post(call, replace(_match_page(call, MailKind.RACK), scene=None))


@Command(
    "history",
    scope=Scope.MATCH,
    group=Group.SHOW,
    rank=50,
    asks=True,
)
def history(call: Call) -> Answer:
    """Every turn of the match."""
    match, seat, live = call.at
    page = new_page(
        call.desk,
        MailKind.HISTORY,
        reader(call.player),
        match=match_info(match, live, call.player.language),
        reply=reply_to(call.desk, match.code, seat.token),
        content=asked.history(call.desk, match, live, seat.number),
        names=tuple(player.name for player in call.desk.players(match)),
    )
    return _post(call, page)


@Command(
    "resend",
    scope=Scope.MATCH,
    group=Group.SHOW,
    rank=60,
    pattern=rf"{pattern(HERE, 'round')}?\s*\d*",
    asks=True,
)
def resend(call: Call) -> Answer:
    """``nachfordern 5``: what this player was sent about round 5; the last report without a number."""
    match, seat, _ = call.at
    found = outbox.reports(call.desk.session, match.number, seat.player_id, REPORTS)
    wanted = re.search(r"\d+", call.request.argument)
    if wanted:
        rounds = sorted({row.round for row, _ in found})
        found = [(row, raw) for row, raw in found if row.round == int(wanted[0])]
        if not found and rounds:
            raise Impossible("no-such-report", round=int(wanted[0]), rounds=_ranges(rounds))
    if not found:
        raise Impossible("no-report-at-all")
    for row, raw in found[-MOST_AT_ONCE:] if wanted else found[-1:]:
        tell_again(call.desk, To(call.player, match), raw, row.round)
    return MAILED


@Command(
    "review",
    scope=Scope.MATCH,
    group=Group.SHOW,
    rank=55,
    whole=True,
    asks=True,
)
def review(call: Call) -> Answer:
    """What there was in each turn of a match that is over; as soon as it is worked out."""
    match, seat, live = call.at
    if not reviews.is_over(match):
        raise Impossible("review-not-over")
    failed = False
    try:
        found = reviews.within(call.desk.session, call.desk.cache, match, call.desk.now)
    except (StoreError, TransientError):
        raise
    except OperatorError as error:
        raise Impossible("review-no-dictionary") from error
    except Exception:
        found, failed = None, True  # a review is never worth a mail: the queue has it, and says why it cannot be made
    if found is not None:
        return _post(call, page_of(call.desk, match, live, seat, call.player, found))
    if not call.desk.config.review.seconds_per_tick:
        raise Impossible("review-by-hand")
    store.request(call.desk.session, match.number, call.player.number, call.desk.now)
    return Answer((Note("review-failed" if failed else "review-comes"),))


def _ranges(numbers: list[int]) -> list[str]:
    """``1–4``, ``7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]


def _match_page(call: Call, kind: MailKind, content: Content | None = None) -> Page:
    match, seat, live = call.at
    return match_page(call.desk, live, match, seat, kind, content=content)


def _post(call: Call, page: Page) -> Answer:
    match, seat, _ = call.at
    tell(call.desk, To(call.player, match, seat), page, answers=True)
    return MAILED
