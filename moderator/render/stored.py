"""What the reader has sent and what is kept of it: the stored order, and what holds if nothing more is sent."""

from __future__ import annotations

from moderator.engine.conditions import AFTER_DRAW_TEXT
from moderator.render import dates, traits
from moderator.render.flow import orders
from moderator.render.messages import Shown, known, label, say
from moderator.render.pages import Page

ASKING_NOTHING = frozenset({"", "counted", "withdrawn", "nothing-stored", "done", "misused"})
"""Receipts after which nobody need be asked for a new move."""


def moves(page: Page) -> list[Shown]:
    """The alternatives of the stored order, without standing orders."""
    return [order for order in orders(page.standing, traits.style(page.game)) if order != AFTER_DRAW_TEXT]


def sequential(page: Page) -> bool:
    return page.match is not None and page.match.pace == "sequential"


def race(page: Page) -> bool:
    return page.match is not None and page.match.pace == "race"


def gave_up(page: Page) -> bool:
    """Whether what is kept in a race is no solution: the reader is out of this round."""
    return race(page) and [str(order) for order in moves(page)] == [traits.pass_text(page.game)]


def waits(page: Page) -> bool:
    """Whether a stored move will be tried, so that nothing more is wanted. In pace ``sequential`` it has been
    tried already when the reader is to move, and was not possible."""
    return bool(moves(page)) and not (page.your_turn and (page.vain or sequential(page)))


def kind(page: Page) -> str:
    """Which headline a receipt has for an order that is kept: ``stored-ahead`` = until it is the reader's turn,
    ``vain-ahead`` = until then, but as things stand it is not possible, ``stored-standing`` = a standing order and
    nothing else, ``stored-race`` = until the round is over, ``gave-up-race`` = the reader is out of this round; ""
    where the usual one is right."""
    if page.receipt is not None and page.receipt.counts == "vain" and sequential(page):
        return "vain-ahead"
    if page.receipt is None or page.receipt.counts != "stored":
        return ""
    if race(page):
        return "gave-up-race" if gave_up(page) else "stored-race"
    if not sequential(page):
        return ""
    return "stored-ahead" if moves(page) else "stored-standing"


def sentences(page: Page) -> tuple[str, ...]:
    """One for each alternative, then the standing orders, whatever their order in the player's mail."""
    language, once = page.reader.language, moves(page)
    first = "standing-vain" if page.vain else "standing-first"
    lines = [label("standing-else" if n else first, language, move=order) for n, order in enumerate(once)]
    if AFTER_DRAW_TEXT in orders(page.standing, traits.style(page.game)):
        lines.append(label("standing-lasting", language, move=AFTER_DRAW_TEXT))
    return tuple(lines)


def deadline(page: Page, *, left: bool = True) -> str:
    """``Montag, 24. November, 20:00 Uhr (noch 4 Tage)`` on the reader's clock; "" without a deadline."""
    if page.deadline is None:
        return ""
    reader = page.reader
    say_it = dates.deadline if left else dates.moment
    return say_it(page.deadline, page.now, reader.language, reader.zone, page.club_zone)


def then(page: Page) -> str:
    """What holds if the reader does nothing more; "" where nothing is wanted of him."""
    language = page.reader.language
    if page.kind not in ("start", "turn", "receipt", "reminder", "status", "correction"):
        return ""
    counts = page.receipt.counts if page.receipt else ""
    if counts == "held" or page.held:
        return label("then-held", language)
    if counts == "played" and not page.your_turn:
        return label("then-played", language)
    if counts == "stored":
        return _if_stored(page)
    if counts in ("vain", "waits"):
        missing = _missing(page) if counts == "vain" and page.your_turn else ""
        return " ".join(filter(None, (label(f"then-{kind(page) or counts}", language), missing)))
    if moves(page) and page.vain and not sequential(page):
        return " ".join(filter(None, (label("then-vain", language), _missing(page))))
    if waits(page) and race(page):
        return label("then-gave-up-race" if gave_up(page) else "then-stored-race", language)
    if waits(page):
        return label("then-kept" if counts else "then-ahead" if sequential(page) else "then-ready", language)
    if moves(page):
        return " ".join(filter(None, (label("then-not-now", language), _missing(page))))
    missing = _missing(page) if page.your_turn else ""
    return missing or (label("then-missing-open", language) if counts not in ASKING_NOTHING else "")


def _if_stored(page: Page) -> str:
    language, until = page.reader.language, deadline(page, left=False)
    if how := kind(page):
        missing = _missing(page) if page.your_turn and sequential(page) else ""
        return " ".join(filter(None, (label(f"then-{how}", language), missing)))
    return label("then-stored-until" if until else "then-stored", language, deadline=until)


def _missing(page: Page) -> str:
    """What a turn costs that nobody takes, in the game's own words if it has ``mail.then-missing``; "" without a
    deadline."""
    language, until = page.reader.language, deadline(page, left=False)
    if not until:
        return ""
    own = "mail.then-missing"
    if known(own, language, page.game):
        return say(own, language, page.game, deadline=until)
    return label("then-missing", language, deadline=until)
