"""Which match and seat a player's lines mean, and what these lines are there: orders, or only words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from moderator.common.disk import LANGUAGES
from moderator.common.enums import MatchStatus
from moderator.common.mails import Line
from moderator.common.tokens import CODE_WORD
from moderator.inbox.job import MailJob, Writer
from moderator.inbox.match_names import Grade, MatchName, MatchNameReader
from moderator.language import spelling
from moderator.rules.game import Note
from moderator.rules.orders.parse import ParsedOrders
from moderator.service.orders import parse_seat_lines
from moderator.store import matches
from moderator.store.database import Session
from moderator.store.matches import GOING, Place, list_current_seats, list_seats_by_codes
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, MatchSuspended, rebuild_match
from moderator.views.unit_of_work import UnitOfWork


def find_place(session: Session, writer: Writer, code: str, orders: bool) -> Place | Note:
    """Return the match and seat that lines under the heading ``code`` ("" = none) mean, or why there is none.
    ``orders``: there are orders among them, which a match that is over does not take."""
    if writer.match and writer.seat and code in ("", writer.match.code) and writer.match.status == MatchStatus.RUNNING:
        return writer.match, writer.seat
    mine = {match.code: (match, seat) for match, seat in list_current_seats(session, writer.player.number)}
    code = code or (writer.match.code if writer.match else "")
    if code and code not in mine:
        mine |= {
            match.code: (match, seat) for match, seat in list_seats_by_codes(session, writer.player.number, [code])
        }
    running = [found for found in mine.values() if found[0].status in GOING]
    if not code and len(running) == 1:
        return running[0]
    if code in mine and (writer.whole or (writer.seat and writer.seat.id == mine[code][1].id)):
        match, seat = mine[code]
        if match.status in GOING or (match.status == MatchStatus.FINISHED and not orders):
            return match, seat
        return Note(f"match-{match.status}", {"match": match.code, "name": match.name})
    if code in mine:
        return Note("other-match-needs-its-own-address", {"match": code})
    if code:
        return Note("no-such-match", {"match": code})
    if running:
        return Note("which-match", {"matches": [f"{m.code} ({m.name})" for m, _ in running]})
    return Note("no-match-at-all")


def build_name_reader(job: MailJob, text: str) -> MatchNameReader:
    """Return a reader of the names of the player's matches, which also knows the one that lines without a name mean.
    ``text``: all lines; of the matches that are over it has those whose codes stand there."""
    mine = {match.code: (match, seat) for match, seat in list_current_seats(job.session, job.player.number)}
    running = [code for code, (match, _) in mine.items() if match.status in GOING]
    here = job.writer.match.code if job.writer.match else running[0] if len(running) == 1 else ""
    ids = [match.number for match, _ in mine.values()]
    others = {hit[1].upper() for hit in CODE_WORD.finditer(text)} - mine.keys()
    mine |= {
        match.code: (match, seat) for match, seat in list_seats_by_codes(job.session, job.player.number, sorted(others))
    }

    def list_people() -> Collection[str]:
        return matches.list_names_in_matches(job.session, ids)

    def compute_grade(code: str, text: str) -> Grade:
        grades = [_compute_grade(job, mine[one], text) for one in ([code] if code in mine else running)]
        return max(grades, default=0)

    return MatchNameReader([_build_match_name(match) for match, _ in mine.values()], here, list_people, compute_grade)


def _build_match_name(match: MatchRow) -> MatchName:
    names = (match.game, *(spelling.get_game_name(match.game, language) for language in LANGUAGES))
    return MatchName(match.code, match.name, names, over=match.status in matches.OVER)


def _compute_grade(job: MailJob, place: Place, text: str) -> Grade:
    orders = _parse_order_lines(job, place, [Line(1, text)])
    if orders is None or any(line.status == "error" for line in orders.lines):
        return 1
    return 2 if any(line.status in ("move", "fallback") for line in orders.lines) else 0


def find_order_lines(job: MailJob, codes: Sequence[str], lines: Sequence[Line]) -> set[int]:
    """Return the numbers of the lines that are meant as orders in one of these matches; () = in any of the player's."""
    places = [
        place for place in list_current_seats(job.session, job.player.number) if not codes or place[0].code in codes
    ]
    found: set[int] = set()
    for place in places:
        if place[0].status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED, MatchStatus.OPEN):
            orders = _parse_order_lines(job, place, lines)
            read = lines if orders is None else [line for line in orders.lines if line.status != "text"]
            found |= {line.number for line in read}
    return found


def find_move_lines(live: LiveMatch, seat: int, lines: Sequence[Line]) -> dict[int, str]:
    """Return number of each line that is a move of the seat -> the move, in notation."""
    return {line.number: line.canonical for line in parse_seat_lines(live, seat, lines).orders}


def _parse_order_lines(job: MailJob, place: Place, lines: Sequence[Line]) -> ParsedOrders | None:
    """Return what the lines are in a match; None = nobody can say."""
    live = load_readonly_match(job.work, place[0])
    return None if live is None else parse_seat_lines(live, place[1].number, lines)


def load_readonly_match(work: UnitOfWork, match: MatchRow) -> LiveMatch | None:
    """Return the match without locking it (see ``loaded_match.lock_match``); it must not be changed. None = it cannot
    be loaded."""
    live = work.cache.matches.get(match.number)
    if live is not None or match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        return live
    try:
        return rebuild_match(work.session, match, work.config.deadlines)
    except MatchSuspended:
        return None
