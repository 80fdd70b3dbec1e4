"""While a backlog is handled, what would be a mail for each mail that waited is kept and told at the end of the run.

Kept in the transaction of the deed (``store/deferred_news.py``), so a run that dies loses nothing;
``catching_up.py`` tells.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from moderator.club.desk import Desk
from moderator.match import decision, happened
from moderator.match.contract import Note
from moderator.match.decision import OrderDecision
from moderator.match.happened import Happened
from moderator.pages.pages import MoveReport, PressItem, Receipt
from moderator.states import MailKind
from moderator.store import deferred_news
from moderator.store.models import DeferredNews, Match, Player
from moderator.typed import build

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
