"""Which match and seat a player's lines mean, and what these lines are there: orders, or only words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from moderator.club import spelling
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended, rebuild
from moderator.club.tokens import CODE_WORD
from moderator.inbox.naming import Called, Grade, Naming
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.match.orders import OrderSheet
from moderator.paths import LANGUAGES
from moderator.people.identify import Identity
from moderator.play.orders import read_sheet
from moderator.states import MatchStatus
from moderator.store import matches
from moderator.store.matches import Place, seats_at, seats_of
from moderator.store.models import Match


def find_place(desk: Desk, writer: Identity, code: str, orders: bool) -> Place | Note:
    """The match and seat that lines under the heading ``code`` ("" = none) mean, or why there is none. ``orders``:
    there are orders among them, which a match that is over does not take."""
    if writer.match and writer.seat and code in ("", writer.match.code) and writer.match.status == MatchStatus.RUNNING:
        return writer.match, writer.seat
    mine = {match.code: (match, seat) for match, seat in seats_of(desk.session, writer.player.number)}
    code = code or (writer.match.code if writer.match else "")
    if code and code not in mine:
        mine |= {match.code: (match, seat) for match, seat in seats_at(desk.session, writer.player.number, [code])}
    running = [found for found in mine.values() if found[0].status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED)]
    if not code and len(running) == 1:
        return running[0]
    if code in mine and (writer.whole or (writer.seat and writer.seat.id == mine[code][1].id)):
        match, seat = mine[code]
        if match.status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED) or (
            match.status == MatchStatus.FINISHED and not orders
        ):
            return match, seat
        return Note(f"match-{match.status}", {"match": match.code, "name": match.name})
    if code in mine:
        return Note("other-match-needs-its-own-address", {"match": code})
    if code:
        return Note("no-such-match", {"match": code})
    if running:
        return Note("which-match", {"matches": [f"{m.code} ({m.name})" for m, _ in running]})
    return Note("no-match-at-all")


def naming_of(desk: Desk, writer: Identity, text: str) -> Naming:
    """How the writer's lines name matches, and which one they mean where they name none. ``text``: all of them; of the
    matches that are over it has those whose codes stand there."""
    mine = {match.code: (match, seat) for match, seat in seats_of(desk.session, writer.player.number)}
    running = [
        code for code, (match, _) in mine.items() if match.status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
    ]
    here = writer.match.code if writer.match else running[0] if len(running) == 1 else ""
    ids = [match.number for match, _ in mine.values()]
    others = {hit[1].upper() for hit in CODE_WORD.finditer(text)} - mine.keys()
    mine |= {match.code: (match, seat) for match, seat in seats_at(desk.session, writer.player.number, sorted(others))}

    def people() -> Collection[str]:
        return matches.names_at_any(desk.session, ids)

    def grade(code: str, text: str) -> Grade:
        grades = [_grade(desk, mine[one], text) for one in ([code] if code in mine else running)]
        return max(grades, default=0)

    return Naming([_called(match) for match, _ in mine.values()], here, people, grade)


def _called(match: Match) -> Called:
    names = (match.game, *(spelling.game_name(match.game, language) for language in LANGUAGES))
    return Called(match.code, match.name, names, over=match.status in matches.OVER)


def _grade(desk: Desk, place: Place, text: str) -> Grade:
    sheet = _sheet(desk, place, [Line(1, text)])
    if sheet is None or any(line.status == "error" for line in sheet.lines):
        return 1
    return 2 if any(line.status in ("move", "fallback") for line in sheet.lines) else 0


def orders_among(desk: Desk, writer: Identity, codes: Sequence[str], lines: Sequence[Line]) -> set[int]:
    """Numbers of the lines that are meant as orders in one of these matches; () = in any of the writer's."""
    places = [place for place in seats_of(desk.session, writer.player.number) if not codes or place[0].code in codes]
    found: set[int] = set()
    for place in places:
        if place[0].status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED, MatchStatus.OPEN):
            sheet = _sheet(desk, place, lines)
            read = lines if sheet is None else [line for line in sheet.lines if line.status != "text"]
            found |= {line.number for line in read}
    return found


def moves_among(live: LiveMatch, seat: int, lines: Sequence[Line]) -> dict[int, str]:
    """Number of each line that is a move of the seat -> the move, in notation."""
    return {line.number: line.canonical for line in read_sheet(live, seat, lines).orders}


def _sheet(desk: Desk, place: Place, lines: Sequence[Line]) -> OrderSheet | None:
    """What the lines are in a match. None = nobody can say."""
    live = looked_at(desk, place[0])
    return None if live is None else read_sheet(live, place[1].number, lines)


def looked_at(desk: Desk, match: Match) -> LiveMatch | None:
    """The match, which is not taken (see ``live.lock``) and must not be changed; None = it cannot be had."""
    live = desk.cache.matches.get(match.number)
    if live is not None or match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        return live
    try:
        return rebuild(desk.session, match, desk.config.deadlines)
    except Suspended:
        return None
