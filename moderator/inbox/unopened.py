"""What was not read of a mail, in notes: what it was, and what to do instead.

Only where nothing in the mail was an order or a command: a photo beside a move needs no word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moderator.club.desk import Desk
from moderator.inbox.places import looked_at, orders_among
from moderator.inbox.sections import SUBJECT
from moderator.mail.model import Incoming, Left, Line, Unopened
from moderator.match.contract import Note
from moderator.match.decision import NoOrder
from moderator.pages.pages import LineRead, Receipt
from moderator.people.identify import Identity
from moderator.play.orders import right_line
from moderator.states import MatchStatus
from moderator.store.matches import Place, seats_of

HOW = Note("unopened-write")
"""What to do instead, for a player."""


def notes(mail: Incoming, lines: Sequence[Line], whole: bool = True) -> tuple[Note, ...]:
    """A note for each sort of what was not read. ``lines``: what is left of the mail's without our own; of a mail that
    is not there as a ``whole`` they say nothing."""
    left = mail.unopened or (() if lines or not whole else (Left(Unopened.QUOTED),))
    kinds = dict.fromkeys(one.kind for one in left)
    return tuple(_note(kind, [one.name for one in left if one.kind is kind and one.name]) for kind in kinds)


def _note(kind: Unopened, names: Sequence[str]) -> Note:
    """Its sentence is ``unopened-…``; where there are names, ``unopened-…-named``."""
    files = [f"»{name.replace('»', '›').replace('«', '‹')}«" for name in names]
    return Note(f"unopened-{kind}-named", {"files": files}) if files else Note(f"unopened-{kind}")


def understood(desk: Desk, writer: Identity, read: Sequence[LineRead]) -> bool:
    """Whether one of the lines is an order or a command, whatever became of it."""
    if any(line.status in ("move", "fallback", "command", "impossible") or line.number == SUBJECT for line in read):
        return True
    texts = [Line(line.number, line.text) for line in read if line.status == "text"]
    return bool(texts and orders_among(desk, writer, (), texts))


def with_unopened(
    desk: Desk, writer: Identity, receipt: Receipt, why: tuple[Note, ...], place: Place | None
) -> Receipt:
    """The receipt with what was not read, how to write, and a right line for this place."""
    if not why:
        return receipt
    decided = NoOrder(unread=True) if receipt.decided == NoOrder() else receipt.decided
    return replace(receipt, decided=decided, unopened=(*why, HOW), right=_right(desk, writer, place))


def _right(desk: Desk, writer: Identity, place: Place | None) -> str:
    """A right line in the match; without one, for the writer's first match that runs, with its code; "" without any."""
    places = (
        [place]
        if place
        else [one for one in seats_of(desk.session, writer.player.number) if one[0].status == MatchStatus.RUNNING]
    )
    for match, seat in places:
        if (live := looked_at(desk, match)) is not None:
            line = right_line(desk, live, seat.number, writer.player.language)
            return line if place else f"{match.code}: {line}"
    return ""
