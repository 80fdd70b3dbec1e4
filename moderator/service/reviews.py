"""Who is told of the review of a finished match: whoever asked for it, and all who read how the match ended."""

from __future__ import annotations

from moderator.common.enums import MailKind
from moderator.common.errors import StoreError, TransientError
from moderator.delivery.compose import build_club_page, build_reply_address, reader_of
from moderator.delivery.route import Recipient, route
from moderator.notifications.pages import Page
from moderator.render.mails.puzzle import build_review_text
from moderator.review.review import Review
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.store import reviews as store
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import reviews
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_view import build_public_match_view


def build_review_page(
    desk: Desk, match: MatchRow, live: LiveMatch, seat: SeatRow, player: PlayerRow, review: Review
) -> Page:
    """Return a page with the whole review, for a player with a seat."""
    return build_club_page(
        desk,
        MailKind.REVIEW,
        reader_of(player),
        match=build_public_match_view(match, live, player.language),
        reply=build_reply_address(desk, match.code, seat.token),
        content=build_review_text(review),
        names=tuple(one.name for one in desk.list_players(match)),
    )


def notify_review_requesters(desk: Desk, match: MatchRow, review: Review) -> None:
    """Send the finished review, once, to everybody who asked for it."""
    waiting = store.list_review_requests(desk.session, match.number)
    if not waiting:
        return
    live = desk.cache.load_match(desk.session, match)
    for seat, player in desk.list_seated(match):
        if player.number in waiting:
            route(
                desk,
                Recipient(player, match, seat),
                build_review_page(desk, match, live, seat, player, review),
                once=True,
            )
    store.delete_review_requests(desk.session, match.number)


def summarize_review(desk: Desk, match: MatchRow) -> tuple[Note, ...]:
    """Return five lines of the review for the mail about the end of the match; () where the review is not complete
    within this run's seconds. The result waits for nothing: what is not ready now stands in the match's page later.
    Raises StoreError, TransientError."""
    from moderator.review import notes

    try:
        found = reviews.advance_match_review(desk.session, desk.cache, match, desk.now)
    except (StoreError, TransientError):
        raise
    except Exception:
        return ()  # whatever it is, a match ends without it; the queue has it, and says why it cannot be made
    return notes.list_short_summary(found) if found is not None else ()
