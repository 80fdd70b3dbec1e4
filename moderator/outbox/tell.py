"""The only way to a player, and to the moderator: it alone decides when somebody reads something.

A mail is made at once, unless its reader is told of that in the daily mail (digest.py), or, while a backlog is
handled, in the one mail at the end of the run. What that will tell is kept in the transaction of the deed
(``store/deferred_news.py``), so a run that dies loses nothing; ``catching_up.py`` tells."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from moderator.club.desk import Desk
from moderator.club.referees import Official, chief, in_charge
from moderator.match import decision, happened
from moderator.match.contract import Note
from moderator.match.decision import OrderDecision
from moderator.match.happened import Happened
from moderator.outbox.post import official_page, post, post_again
from moderator.pages.pages import MoveReport, Page, PressItem, Receipt
from moderator.states import MailKind
from moderator.store import deferred_news
from moderator.store.models import DeferredNews, Match, Outbox, Player, Seat
from moderator.typed import build

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
    {MailKind.REMINDER, MailKind.STATUS, MailKind.REFEREE, MailKind.TOURNAMENT, MailKind.DIGEST, MailKind.PUZZLE}
)
"""What is not sent unasked to an address that no mail gets through to. Reports are: they try it again."""


@dataclass(frozen=True)
class To:
    """Who reads: a player, with the match that it is about and the seat there (None: who watches); without a player the
    chief, a referee, or a mailbox of nobody we know."""

    player: Player | None = None
    match: Match | None = None
    seat: Seat | None = None
    referee: bool = False
    """A referee, to whom notices go at once."""


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
    if (
        desk.cache.catching_up
        and told.kind in LATER
        and (player is not None or (told.kind == MailKind.NOTICE and not to.referee))
    ):
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
        post_again(desk, raw, to.player, match_id=to.match.id, round=round)


def tell_lost(desk: Desk, player: Player, mail: Outbox, raw: bytes) -> None:
    """A mail that this player never had, as it was or with less in it; it is no answer to the mail at hand."""
    post_again(desk, raw, player, match_id=mail.match_id, round=mail.round, kind=mail.kind)


def reads(player: Player, kind: MailKind) -> bool:
    """Whether an unasked mail of this kind is for the player."""
    if player.address is None or (player.undeliverable and kind in NOT_TO_THE_DEAD):
        return False
    return not (player.digest and kind in DAILY)


def _of_page(page: Page) -> News:
    """A mail that is made already."""
    said = Said(page.reports, page.notes, page.press, page.receipt, happened=page.happened)
    return News(page.kind, lambda: said, lambda _: page)


def tell_official(desk: Desk, who: Official, page: Page, *, answers: bool = False, once: bool = False) -> None:
    """A page for the chief or a referee."""
    tell(desk, To(referee=not who.chief), page, answers=answers, once=once)


def notify(desk: Desk, who: Official, *notes: Note) -> None:
    """A notice that something needs a look."""
    tell_official(desk, who, official_page(desk, MailKind.NOTICE, who, notes=notes))


def tell_chief(desk: Desk, *notes: Note) -> None:
    """A notice about the club as a whole."""
    notify(desk, chief(desk), *notes)


def tell_in_charge(desk: Desk, match: Match, *notes: Note) -> None:
    """A notice about a match."""
    notify(desk, in_charge(desk, match), *notes)


# ---- kept until the end of the run ----


MOST_MAILS = 100
"""So many mails of a player are answered for line by line."""
_MOMENT, _DAY, _DECIDED, _HAPPENED = "$moment", "$day", "$decided", "$happened"


@dataclass(frozen=True)
class DeferredCommand:
    """A command that asks for a mail and changes nothing; as it stood in the mail."""

    name: str
    number: int
    text: str
    argument: str = ""
    whole: bool = True
    """See ``Identity.whole``."""
    placed: bool = False
    """It means the row's match."""


@dataclass(frozen=True)
class Said:
    """What the mail would have said besides how things stand."""

    reports: tuple[MoveReport, ...] = ()
    notes: tuple[Note, ...] = ()
    press: tuple[PressItem, ...] = ()
    receipt: Receipt | None = None
    since: int | None = None
    """Number of the round before the first thing happened, see ``Progress.since``."""
    asked: DeferredCommand | None = None
    happened: tuple[Happened, ...] = ()
    """What there was besides moves."""


NOTHING = Said()


def defer(desk: Desk, player: Player | None, kind: MailKind, said: Said, match: Match | None = None) -> None:
    """Tell the player, or the moderator (None), at the end of the run. ``match``: what it is about."""
    if player is not None and player.digest and kind != MailKind.NEWS:
        said = dataclasses.replace(said, press=())  # the daily mail brings them
    if player is not None and said.receipt and deferred_news.more_than(desk.session, player.number, MOST_MAILS):
        said = dataclasses.replace(said, receipt=Receipt(said.receipt.decided))
    desk.session.add(
        DeferredNews(
            player_id=player.id if player else None,
            match_id=match.id if match else None,
            inbox_id=desk.inbox_id,
            kind=kind,
            entry=match.entries if match else 0,
            said=to_json(said),
            at=desk.arrived,
        )
    )


def to_json(said: Said) -> dict[str, Any]:
    """Plain values. ``from_json(to_json(said)) == said``, but that tuples in the parameters of notes become lists."""
    values: dict[str, Any] = _plain(said)
    return values


def from_json(values: Mapping[str, Any]) -> Said:
    return build(Said, _read(values), "what is to be told")


def _plain(value: Any) -> Any:
    if isinstance(value, OrderDecision):
        return {_DECIDED: decision.code(value), "words": list(decision.words(value))}
    if isinstance(value, Happened):
        return {_HAPPENED: happened.to_json(value)}
    if dataclasses.is_dataclass(value):
        fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {field.name: _plain(given) for field, given in fields if given != field.default}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return {_MOMENT: value.isoformat()}
    return {_DAY: value.isoformat()} if isinstance(value, date) else value


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        if _MOMENT in value:
            return datetime.fromisoformat(value[_MOMENT])
        if _DAY in value:
            return date.fromisoformat(value[_DAY])
        if _DECIDED in value:
            return decision.of_code(value[_DECIDED], value["words"])
        if _HAPPENED in value:
            return happened.from_json(value[_HAPPENED])
        if "counts" in value:
            return _read(_before_decisions(value))
        return {key: _read(item) for key, item in value.items()}
    return [_read(item) for item in value] if isinstance(value, Sequence) and not isinstance(value, str) else value


def _before_decisions(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """A receipt as versions up to 0.1 kept it, in a row of a run that was not brought to its end."""
    rest = {key: value for key, value in receipt.items() if key not in ("counts", "undecided")}
    name = "unopened" if receipt["counts"] == "nothing" and receipt.get("unopened") else receipt["counts"]
    return {**rest, "decided": {_DECIDED: name, "words": receipt.get("undecided", [])}}
