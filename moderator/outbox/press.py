"""Press: players' words to others of their match, with the next report or at once, and never to anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.club.names import Unclear, one_of
from moderator.club.referees import chief, in_charge
from moderator.errors import Impossible, PlayerError
from moderator.match.contract import Note
from moderator.outbox.match_pages import match_info
from moderator.outbox.post import new_page, official_page, personal_reply, reader
from moderator.outbox.tell import News, Said, To, tell, tell_official
from moderator.pages.messages import sentence
from moderator.pages.pages import Page, PressItem
from moderator.printable import clean
from moderator.states import MailKind, MatchStatus
from moderator.store import bystanders, outbox, press
from moderator.store.models import Match, Player, Press, Seat
from moderator.texts import apart, pattern, plain

LONGEST = 4000
"""Characters of a letter."""
DAILY = 10
"""Letters of a player in a day."""
MODERATOR = -1
"""In ``Press.seats``: to the moderator, who got it at once."""
TO_CHIEF, TO_REFEREE = "to-the-moderator", "to-the-referee"
"""What a letter's addressee is called when he reads it."""
TICK = timedelta(microseconds=1)
WITH_PRESS = (MailKind.START, MailKind.TURN, MailKind.END, MailKind.CORRECTION)
"""Mails that letters go with."""
HERE = Path(__file__).parent
_NOW, _NOW_BEHIND, _TO = (pattern(HERE, f"press-{key}") for key in ("now", "now-behind", "to"))
NOW, TO, ALL = (pattern(HERE, f"press-line-{key}") for key in ("now", "to", "all"))
"""Regular expressions for a line that is a letter for sure, even without a colon: ``sofort``, ``an``, ``alle``."""
_HEAD = re.compile(
    rf"\s*(?P<now>{_NOW}\b\s*,?\s*)?(?:{_TO}\s+)?(?P<names>.*?)"
    rf"(?P<later>\s*,?\s*\(?\b{_NOW_BEHIND}\)?)?\s*",
    re.IGNORECASE | re.DOTALL,
)
_ALL, _MODERATOR = apart(HERE, "press-all", "press-moderator")
_ARTICLE = re.compile(rf"{pattern(HERE, 'press-article')}\s+", re.IGNORECASE)
_BETWEEN = re.compile(rf"\s*(?:[,;&+]|\b{pattern(HERE, 'press-and')}\b)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Addressees:
    """``seats``: numbers; with ``everybody`` all but the writer."""

    seats: tuple[int, ...] = ()
    everybody: bool = False
    moderator: bool = False
    at_once: bool = False


def read_addressees(text: str, players: Sequence[Player], you: int) -> Addressees:
    """Whom ``sofort an Anna und Bert`` means. Raises PlayerError("press-to-whom", "press-unknown", "press-ambiguous",
    "press-to-yourself", "press-to-a-robot", "press-to-nobody")."""
    found = _HEAD.fullmatch(text)
    names = found["names"].strip(" .") if found else ""
    if found is None or not names:
        raise PlayerError("press-to-whom", names=_names(players, you))
    seats: list[int] = []
    everybody = to_moderator = False
    for name in _parts(names, players):
        key = _plain(_ARTICLE.sub("", name))
        seat = _seat(name, players, you, keyword=key in _ALL | _MODERATOR)
        everybody, to_moderator = everybody or (seat is None and key in _ALL), to_moderator or key in _MODERATOR
        seats += [] if seat is None else [seat]
    others = [n for n, player in enumerate(players) if n != you and not player.robot]
    if everybody and not others:
        raise PlayerError("press-to-nobody")
    at_once = bool(found["now"] or found["later"])
    return Addressees(tuple(dict.fromkeys(seats)), everybody, to_moderator, at_once)


def _parts(names: str, players: Sequence[Player]) -> list[str]:
    """The names of a list; a player's name may hold a word that parts others."""
    whole = {player.name_key for player in players}
    return [names] if names.casefold() in whole else [part for part in _BETWEEN.split(names) if part.strip()]


def _seat(name: str, players: Sequence[Player], you: int, keyword: bool) -> int | None:
    """The seat of that name, or of the only one that begins so; None for ``keyword``, if nobody has that name."""
    if keyword:
        if _plain(name) in (_plain(player.name) for player in players):
            raise PlayerError("press-ambiguous", name=name, names=_names(players, you))
        return None
    try:
        found = one_of(name, [player.name for player in players])
    except Unclear as error:
        if error.several:
            raise PlayerError("press-ambiguous", name=name, names=error.names) from None
        raise PlayerError("press-unknown", name=name, names=_names(players, you)) from None
    if found == you:
        raise PlayerError("press-to-yourself")
    if players[found].robot:
        raise PlayerError("press-to-a-robot", name=players[found].name)
    return found


def _plain(text: str) -> str:
    return plain(clean(text))


def _names(players: Sequence[Player], you: int) -> list[str]:
    return [player.name for n, player in enumerate(players) if n != you and not player.robot]


def sanitised(lines: Iterable[str]) -> str:
    """A letter as it is kept: no control or direction characters, single blanks, line by line. Raises
    PlayerError("press-empty", "press-too-long")."""
    text = "\n".join(clean(line, 10 * LONGEST) for line in lines).strip()
    if not text:
        raise PlayerError("press-empty")
    if len(text) > LONGEST:
        raise PlayerError("press-too-long", length=len(text), most=LONGEST)
    return text


def send(desk: Desk, match: Match, live: LiveMatch, seat: int, player: Player, to: Addressees, text: str) -> bool:
    """Keep a letter until the next report, or deliver it now. True = it has gone out. Raises
    Impossible("press-too-many")."""
    at_once = to.at_once or match.status != MatchStatus.RUNNING
    seats = [] if to.everybody else [*to.seats, *([MODERATOR] if to.moderator else [])]
    others = to.everybody or bool(to.seats)
    row = _keep(desk, match, player, seats, text, gone=at_once or not others)
    if to.moderator:
        _tell_the_one_in_charge(desk, match, player, text)
    if at_once and others:
        _deliver(desk, match, live, seat, row)
    return at_once or not others


def _keep(desk: Desk, match: Match, player: Player, seats: list[int], text: str, *, gone: bool) -> Press:
    """Write a letter down, unless there are too many today. ``gone``: it does not wait for the next report."""
    desk.session.flush()  # those of the same mail count, too
    if press.written_since(desk.session, player.number, desk.now - timedelta(days=1)) >= DAILY:
        raise Impossible("press-too-many", most=DAILY)
    row = Press(match_id=match.number, player_id=player.number, seats=seats, text=text, at=desk.now)
    row.delivered_at = desk.now if gone else None
    desk.session.add(row)
    return row


def to_the_one_in_charge(desk: Desk, match: Match | None, player: Player, text: str) -> None:
    """Tell the referee of the match, or the chief, what a player asks; in a match it counts as a letter. Raises
    Impossible("press-too-many")."""
    if match is not None:
        _keep(desk, match, player, [MODERATOR], text, gone=True)
    _tell_the_one_in_charge(desk, match, player, text)


def _tell_the_one_in_charge(desk: Desk, match: Match | None, player: Player, text: str) -> None:
    who = in_charge(desk, match) if match else chief(desk)
    item = PressItem(player.name, text, (sentence(Note(TO_CHIEF if who.chief else TO_REFEREE), who.language),))
    facts = {"match": match.code, "match_name": match.name} if match else {}
    note = Note("press-for-you" if match else "question-for-you", {**facts, "address": player.address})
    tell_official(desk, who, official_page(desk, MailKind.NOTICE, who, notes=(note,), press=(item,)))


def _deliver(desk: Desk, match: Match, live: LiveMatch, by: int, row: Press) -> None:
    """A mail of its own to each addressee; what is for all, also to those who watch."""
    addressed: list[tuple[Seat | None, Player]] = [
        (seat, player)
        for seat, player in desk.seated(match)
        if seat.number != by and (not row.seats or seat.number in row.seats)
    ]
    if not row.seats:
        addressed += [(None, player) for _, player in bystanders.watchers_of(desk.session, match.number)]
    for seat, player in addressed:

        def said(seat: Seat | None = seat) -> Said:
            return Said(press=shown(desk, match, (row,), seat.number if seat else None))

        def page(said: Said, seat: Seat | None = seat, player: Player = player) -> Page:
            return new_page(
                desk,
                MailKind.NEWS,
                reader(player),
                match=match_info(match, live, player.language),
                reply=personal_reply(desk, player, match, seat),
                press=said.press,
            )

        tell(desk, To(player, match, seat), News(MailKind.NEWS, said, page))


def delivered(desk: Desk, rows: Iterable[Press]) -> None:
    """The report with these letters is on its way. (A letter that went at once has ``delivered_at`` = ``at``.)"""
    for row in rows:
        row.delivered_at = max(desk.now, row.at + TICK)
        desk.session.add(row)


def for_daily(
    desk: Desk, player: Player, places: Iterable[tuple[Match, Seat | None]], since: datetime
) -> tuple[PressItem, ...]:
    """What a player who wants one mail a day has not read yet: letters that went with reports since then of which no
    mail was made for the player. No seat: the player watches."""
    found: list[PressItem] = []
    for match, seat in places:
        letters = press.delivered_since(desk.session, match.number, since)
        rows = [row for row in letters if row.delivered_at != row.at]
        if not rows:
            continue
        read = outbox.times_made(desk.session, match.number, player.number, WITH_PRESS)
        rows = [row for row in rows if row.delivered_at and not {row.delivered_at, row.delivered_at - TICK} & read]
        items = shown(desk, match, rows, None if seat is None else seat.number)
        found += [replace(item, match=match.code) for item in items]
    return tuple(found)


def shown(
    desk: Desk, match: Match, rows: Iterable[Press], seat: int | None, newcomers: Iterable[int] = ()
) -> tuple[PressItem, ...]:
    """The letters that this seat may read, its own among them; None = somebody who watches, who reads what is for all.
    ``newcomers``: seats that somebody else has taken over since: what was written to one before is not theirs."""
    players = desk.players(match)
    you = None if seat is None else players[seat].number
    language = desk.config.club.language if seat is None else players[seat].language
    new = set(newcomers)
    items = []
    for row in rows:
        own = you is not None and row.player_id == you
        if own or not row.seats or (seat in row.seats and seat not in new):
            by = desk.session.get_one(Player, row.player_id).name
            items.append(PressItem(by, row.text, _named(row, players, language), own))
    return tuple(items)


def _named(row: Press, players: Sequence[Player], language: str) -> tuple[str, ...]:
    """Names of the addressees; () = all."""
    return tuple(
        sentence(Note("to-the-moderator"), language) if n == MODERATOR else players[n].name
        for n in row.seats
        if n < len(players)
    )
