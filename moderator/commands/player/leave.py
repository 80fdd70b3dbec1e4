"""Leave: announced ahead, shown to opponents at once, never moving a deadline that runs."""

from __future__ import annotations

from datetime import date

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, terms_of
from moderator.club.spelling import plain
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Scope, Text, Who, always
from moderator.commands.player.spans import read_span
from moderator.errors import Impossible, Misused, PlayerError
from moderator.match.contract import Note
from moderator.match.time import calendar as rules
from moderator.outbox.post import new_page, plain_reply, reader
from moderator.outbox.tell import To, tell
from moderator.states import MailKind, MatchStatus
from moderator.store import leaves
from moderator.store.matches import Place, seats_of
from moderator.store.models import Leave, Match, Player

_CANCEL = ("loesch", "delete", "cancel", "streich", "remove")


@Command(
    "leave",
    {
        "de": Text(
            "urlaub|abwesend",
            "zählen diese Tage von der nächsten Frist an nicht; ohne Tage kommt, was eingetragen ist.",
            example="Urlaub 24.12. bis 2.1.",
            said="URLAUB 24.12. BIS 2.1.",
        ),
        "en": Text(
            "leave|vacation|holiday|absence",
            "these days do not count from the next deadline on; without days you get what is entered.",
            example="leave 24 Dec to 2 Jan",
            said="LEAVE 24 DEC TO 2 JAN",
        ),
    },
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=30,
    who=Who.PLAYER,
    pattern=r".*\d.*|(?:ab|from|vom|bis)\s+(?:heute|morgen|today|tomorrow)\b.*|.*(?:lösch|loesch|delete|cancel).*|",
    short=always,
)
def leave(call: Call) -> Answer:
    """``Urlaub 24.12. bis 2.1.``; ``Urlaub löschen``; ``Urlaub`` alone lists what is announced."""
    words = plain(call.request.argument).split()
    if not words:
        return _listed(call)
    kept = [word for word in words if not word.startswith(_CANCEL)]
    if len(kept) < len(words):
        return _cancel(call, " ".join(w for w in call.request.argument.split() if not plain(w).startswith(_CANCEL)))
    return _announce(call)


def _announce(call: Call) -> Answer:
    desk, player, today = call.desk, call.player, call.desk.today
    first, last = _read(call.request.argument, today)
    taken = desk.cache.leaves_of(desk.session, player.number)
    why = rules.problem(first, last, taken, today, desk.config.leave)
    if why is not None:
        raise Impossible(why.code, **why.params)
    desk.session.add(Leave(player_id=player.number, first=first, last=last, announced_at=desk.now))
    desk.session.flush()
    desk.cache.leaves = None
    places = _running(desk, player)
    _tell(desk, player, places, Note("leave-of", {"name": player.name, "first": first, "last": last}))
    entered = Note("leave-entered", {"first": first, "last": last, "count": (last - first).days + 1})
    return Answer((entered, *_left(desk, player, first, last), *_consequences(desk, places)))


def _read(text: str, today: date) -> tuple[date, date]:
    try:
        return read_span(text, today)
    except PlayerError as error:
        raise Misused(error.code, **error.params) from None


def _left(desk: Desk, player: Player, first: date, last: date) -> list[Note]:
    """Days that may still be announced, for each year that the leave touches."""
    taken = desk.cache.leaves_of(desk.session, player.number)
    return [
        Note("leave-left", {"year": str(year), "count": rules.days_left(year, taken, desk.config.leave)})
        for year in range(first.year, last.year + 1)
    ]


def _running(desk: Desk, player: Player) -> list[tuple[Place, LiveMatch | None]]:
    """The player's matches that are not over; None for one that cannot be looked into just now."""
    found: list[tuple[Place, LiveMatch | None]] = []
    for match, seat in seats_of(desk.session, player.number):
        if match.status == MatchStatus.SUSPENDED:
            found.append(((match, seat), None))
        elif match.status == MatchStatus.RUNNING:
            live = desk.cache.live(desk.session, match)
            if seat.number not in live.table.out:
                found.append(((match, seat), live))
    return found


def _counts(desk: Desk, match: Match) -> bool:
    return terms_of(match, desk.config.deadlines).leave


def _consequences(desk: Desk, places: list[tuple[Place, LiveMatch | None]]) -> list[Note]:
    """In which matches the leave counts, and which deadlines stay as they are."""
    notes: list[Note] = []
    counting = [_named(match) for (match, _), _ in places if _counts(desk, match)]
    without = [_named(match) for (match, _), _ in places if not _counts(desk, match)]
    if counting:
        notes.append(Note("leave-counts", {"matches": counting}))
    if without:
        notes.append(Note("leave-counts-not", {"matches": without}))
    for (match, seat), live in places:
        if live is not None and match.deadline is not None and seat.number in live.missing:
            notes.append(Note("leave-deadline-stays", {"match": _named(match), "deadline": match.deadline}))
    return notes


def _named(match: Match) -> str:
    return f"{match.code} ({match.name})"


def _listed(call: Call) -> Answer:
    desk, year = call.desk, str(call.desk.today.year)
    rows = leaves.to_come(desk.session, call.player.number, desk.today)
    left = rules.days_left(int(year), desk.cache.leaves_of(desk.session, call.player.number), desk.config.leave)
    notes = [Note("leave-listed", {"first": row.first, "last": row.last}) for row in rows] or [Note("leave-none")]
    notes.append(Note("leave-left", {"year": year, "count": left}))
    return Answer((*notes, Note("leave-how-cancel" if rows else "leave-how")))


def _cancel(call: Call, text: str) -> Answer:
    desk, today = call.desk, call.desk.today
    row = _chosen(leaves.to_come(desk.session, call.player.number, today), text, today)
    begun = row.first <= today
    if begun and row.last == today:
        raise Impossible("leave-ends-today")
    before = row.last
    if begun:
        row.last = today
    else:
        row.cancelled_at = desk.now
    desk.session.add(row)
    desk.session.flush()
    desk.cache.leaves = None
    facts = {"name": call.player.name, "first": row.first, "last": before}
    _tell(desk, call.player, _running(desk, call.player), Note("leave-of-shorter" if begun else "leave-of-off", facts))
    done = said("leave-shortened" if begun else "leave-cancelled", first=row.first, last=before)
    return Answer((*done.notes, *_left(desk, call.player, row.first, before)))


def _chosen(rows: list[Leave], text: str, today: date) -> Leave:
    """The leave that is meant: the only one, or the one that has the day named."""
    if not rows:
        raise Impossible("leave-nothing-to-cancel")
    if text.strip(" .:"):
        first, last = _read(text, today)
        # A leave that has begun may be named by its first day, which is read as next year's.
        days = {(first.month, first.day)}
        rows = [
            row for row in rows if (row.first <= first and last <= row.last) or (row.first.month, row.first.day) in days
        ]
        if not rows:
            raise Impossible("leave-no-such")
    if len(rows) > 1:
        raise Misused("leave-which", dates=[row.first for row in rows])
    return rows[0]


def _tell(desk: Desk, player: Player, places: list[tuple[Place, LiveMatch | None]], note: Note) -> None:
    """One short mail to each opponent of the matches in which the leave counts."""
    matches: dict[int, tuple[Player, list[str]]] = {}
    for (match, _), live in places:
        if not _counts(desk, match):
            continue
        for seat, other in desk.seated(match):
            gone = live is not None and seat.number in live.table.out
            if other.address and other.number != player.number and not gone:
                matches.setdefault(other.number, (other, []))[1].append(_named(match))
    for other, named in matches.values():
        told = Note(note.code, {**note.params, "matches": named})
        tell(desk, To(other), new_page(desk, MailKind.NEWS, reader(other), reply=plain_reply(desk), notes=(told,)))
