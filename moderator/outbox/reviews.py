"""Who is told of the review of a finished match: whoever asked for it, and all who read how the match ended."""

from __future__ import annotations

from moderator.club import reviews
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.errors import StoreError, TransientError
from moderator.match.contract import Note
from moderator.outbox.match_pages import match_info
from moderator.outbox.post import new_page, reader, reply_to
from moderator.outbox.tell import To, tell
from moderator.pages.pages import Page
from moderator.pages.review import content
from moderator.review.review import Review
from moderator.states import MailKind
from moderator.store import reviews as store
from moderator.store.models import Match, Player, Seat


def page_of(desk: Desk, match: Match, live: LiveMatch, seat: Seat, player: Player, review: Review) -> Page:
    """The whole review, for somebody with a seat."""
    return new_page(
        desk,
        MailKind.REVIEW,
        reader(player),
        match=match_info(match, live, player.language),
        reply=reply_to(desk, match.code, seat.token),
        content=content(review),
        names=tuple(one.name for one in desk.players(match)),
    )


def tell_waiting(desk: Desk, match: Match, review: Review) -> None:
    """It is whole: everybody who waits for it gets it, once."""
    waiting = store.requests(desk.session, match.number)
    if not waiting:
        return
    live = desk.cache.live(desk.session, match)
    for seat, player in desk.seated(match):
        if player.number in waiting:
            tell(desk, To(player, match, seat), page_of(desk, match, live, seat, player, review), once=True)
    store.answered(desk.session, match.number)


def end_lines(desk: Desk, match: Match) -> tuple[Note, ...]:
    """Five lines of the review for the mail that tells of the end; () where it is not whole within this run's
    seconds. The result waits for nothing: what cannot be said now stands in the match's page later."""
    from moderator.review import told

    try:
        found = reviews.within(desk.session, desk.cache, match, desk.now)
    except (StoreError, TransientError):
        raise
    except Exception:
        return ()  # whatever it is, a match ends without it; the queue has it, and says why it cannot be made
    return told.short(found) if found is not None else ()
