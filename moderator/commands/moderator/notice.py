"""``Amtlich``: the moderator's official word to players."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moderator.club.desk import Desk, enter
from moderator.club.live_match import LiveMatch
from moderator.club.spelling import HERE as SPELLING
from moderator.commands.declaration import Argument, Command, Parameter, Reach, Scope, Shell, Who
from moderator.commands.moderator_call import HERE, ModeratorCall, Outcome, outcome
from moderator.errors import Impossible, Misused
from moderator.match.replay import Entry
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import To, tell
from moderator.pages.content import Spoken
from moderator.pages.pages import PressItem
from moderator.play.create import find_match
from moderator.states import EntryKind, MailKind, MatchStatus
from moderator.store import matches
from moderator.store.models import Match, Player, Seat
from moderator.texts import heard, pattern, plain

_TO_ALL = re.compile(rf"(?:{pattern(HERE, 'boss-to')}\s+)?{pattern(HERE, 'boss-all')}", re.IGNORECASE)


def _to(call: ModeratorCall) -> Match | None:
    """The match whose players are meant; None = everybody. Raises Misused, also where the text may not be whole."""
    if call.request.body and not call.request.closed:
        raise Misused("boss-not-closed")
    if not call.request.body and any(line.number == call.request.line.number + 1 for line in call.unread):
        raise Impossible("boss-text-goes-on")
    if _TO_ALL.fullmatch(call.rest) and not call.code:
        return None
    match = call.match()
    if plain(call.rest) not in {"", *heard(HERE, "boss-to"), *heard(SPELLING, "in")}:
        raise Misused("boss-to-whom", name=call.rest)
    return match


def _typed_to(desk: Desk, code: str) -> Match | None:
    return None if plain(code) in heard(HERE, "boss-all") else find_match(desk.session, code)


TO = Argument("match", _to, Parameter("code", take=_typed_to))
LINES = Argument(
    "lines",
    lambda call: call.request.body or (call.text,),
    Parameter("text", take=lambda _, text: text.splitlines()),
)


@Command(
    "official",
    scope=Scope.EITHER,
    rank=150,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(TO, LINES),
    body="letter",
    shell=Shell(
        "notice", "Send an official TEXT to the players of match CODE, or of all running matches (CODE = all)."
    ),
)
def official(desk: Desk, match: Match | None, lines: Sequence[str]) -> Outcome:
    """An official word to the players of a match, or (None) to everybody who plays in one. It stands in the log.
    Raises Misused."""
    said = "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")
    if not any(said):
        raise Misused("boss-no-text")
    told: dict[int, tuple[Match, Seat, Player]] = {}
    for row in [match] if match else matches.going(desk.session):
        if row.status in (MatchStatus.RUNNING, MatchStatus.FINISHED):
            _log(desk, row, desk.cache.live(desk.session, row), said)
        for seat, player in desk.seated(row):
            if player.address:
                told.setdefault(player.number, (row, seat, player))
    if not told:
        raise Impossible("boss-nobody")
    for row, seat, player in told.values():
        _send(desk, player, (row, seat) if match else None, said)
    names = [player.name for _, _, player in told.values()]
    return (
        outcome("boss-official", match=match.code, names=names) if match else outcome("boss-official-all", names=names)
    )


def _log(desk: Desk, match: Match, live: LiveMatch, said: Sequence[str]) -> None:
    enter(desk, match, live, Entry(EntryKind.NOTICE, text="\n".join(said)[:4000]))


def _send(desk: Desk, player: Player, place: tuple[Match, Seat] | None, said: Sequence[str]) -> None:
    reply = personal_reply(desk, player, *(place or ()))
    content = Spoken(place[0].code, place[0].name) if place else Spoken()
    letter = PressItem(desk.config.club.name, "\n".join(said))
    page = new_page(desk, MailKind.OFFICIAL, reader(player), reply=reply, press=(letter,), content=content)
    tell(desk, To(player, *place) if place else To(player), page)
