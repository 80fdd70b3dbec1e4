"""The only way to a player, and to the moderator: it alone decides when somebody reads something.

A mail is made at once, unless its reader is told of that in the daily mail (digest.py), or, while a backlog is handled,
in the one mail at the end of the run (deferred.py, catching_up.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moderator.club.desk import Desk
from moderator.match.contract import Note
from moderator.outbox.deferred import NOTHING, Said, defer
from moderator.outbox.post import moderator, new_page, post, post_again
from moderator.pages.pages import Page
from moderator.states import MailKind
from moderator.store.models import Match, Player, Seat

DAILY: frozenset[MailKind] = frozenset({MailKind.TURN, MailKind.REMINDER})
"""What a player who wants one mail a day reads there."""
LATER: frozenset[MailKind] = frozenset(
    {
        MailKind.TURN,
        MailKind.RECEIPT,
        MailKind.CORRECTION,
        MailKind.STATUS,
        MailKind.REMINDER,
        MailKind.REFEREE,
        MailKind.DONE,
        MailKind.UNREAD,
        MailKind.NEWS,
        MailKind.NOTICE,
    }
)
"""Mails that wait for the end of a run over a backlog. Beginnings, ends, and questions that need an answer don't."""
NOT_TO_THE_DEAD: frozenset[MailKind] = frozenset(
    {MailKind.REMINDER, MailKind.STATUS, MailKind.REFEREE, MailKind.TOURNAMENT, MailKind.DIGEST}
)
"""What is not sent unasked to an address that no mail gets through to. Reports are: they try it again."""


@dataclass(frozen=True)
class To:
    """Who reads: a player, with the match that it is about and the seat there (None: who watches); without a player the
    moderator, or a mailbox of nobody we know."""

    player: Player | None = None
    match: Match | None = None
    seat: Seat | None = None


@dataclass(frozen=True)
class News:
    """Something for one reader. Neither what is said nor the mail is made before it is wanted."""

    kind: MailKind
    said: Callable[[], Said]
    """What cannot be had again later."""
    page: Callable[[Said], Page]
    """The mail, of that and of how things stand."""


def made(kind: MailKind, page: Callable[[], Page]) -> News:
    """A mail of which everything can be had again."""
    return News(kind, lambda: NOTHING, lambda _: page())


def tell(
    desk: Desk, to: To, news: News | Page, *, answers: bool = False, once: bool = False, sort: MailKind | None = None
) -> bool:
    """Bring the news, now or later. ``answers``: it replies to the mail at hand; ``once``: the reader would not get it
    another time, so no daily cap on answers holds it back; ``sort``: what the outbox counts it as, if not as its kind.
    Returns False if nobody reads it: a robot, a dead address, a day with too many answers, a player who reads of it in
    the daily mail."""
    told = _of_page(news) if isinstance(news, Page) else news
    player = to.player
    if player is not None and not answers and not reads(player, told.kind):
        return False
    if desk.cache.catching_up and told.kind in LATER and (player is not None or told.kind == MailKind.NOTICE):
        defer(desk, player, told.kind, told.said(), to.match)
        return True
    return now(desk, to, told.page(told.said()), answers=answers, once=once, sort=sort)


def now(
    desk: Desk, to: To, page: Page, *, answers: bool = False, once: bool = False, sort: MailKind | None = None
) -> bool:
    """Bring what has waited: for the daily mail, for the end of the run."""
    return post(desk, page, match=to.match, seat=to.seat, player=to.player, answers=answers, news=once, kind=sort)


def tell_again(desk: Desk, to: To, raw: bytes, round: int) -> None:
    """A mail that this player was sent before, once more, as the answer to the mail at hand."""
    if to.player is not None and to.match is not None:
        post_again(desk, raw, to.player, match=to.match, round=round)


def reads(player: Player, kind: MailKind) -> bool:
    """Whether an unasked mail of this kind is for the player."""
    if player.address is None or (player.undeliverable and kind in NOT_TO_THE_DEAD):
        return False
    return not (player.digest and kind in DAILY)


def _of_page(page: Page) -> News:
    """A mail that is made already."""
    said = Said(page.reports, page.notes, page.press, page.receipt, happened=page.happened)
    return News(page.kind, lambda: said, lambda _: page)


def tell_moderator(desk: Desk, *notes: Note) -> None:
    """A notice that something needs a look."""
    tell(desk, To(), new_page(desk, MailKind.NOTICE, moderator(desk), notes=notes))
