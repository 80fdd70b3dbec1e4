"""What a match's feed tells: that it begins, every move or round, its end. Read off the log as it was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlmodel import col, select

from moderator.match.contract import Note
from moderator.match.replay import Entry as LogEntry
from moderator.match.replay import effective
from moderator.match.result import Result
from moderator.outbox import match_history
from moderator.outbox.match_pages import NOBODY, move_report
from moderator.pages.pages import MoveReport
from moderator.site.feed_entry import END, Entry
from moderator.site.site import Listed, Site, View, masked
from moderator.store.models import Event, Match, Player


def entries(site: Site, match: Listed, language: str) -> Iterator[Entry]:
    """The oldest first."""
    page = f"matches/{match.code}.html"
    view = View(site, page, language)
    about = {"game": view.game(match.game), "name": match.title}
    names = ", ".join(seat.name for seat in match.seats)
    if match.started:
        title = view.t("site.feed-begins", **about)
        who = view.t("site.feed-begins-who", names=names)
        yield _entry(match, 0, match.started, title, (who,), page)
    for n, (number, at, told) in enumerate(_told(site, match), 1):
        lines = tuple(line(view, match, one) for one in told)
        title = (
            view.t("site.feed-one", what=lines[0], **about)
            if len(lines) == 1
            else view.t("site.feed-several", n=n, count=len(lines), **about)
        )
        yield _entry(match, number, at, title, lines, f"{page}#zug{n}")
    if match.over and match.finished:
        title = view.t("site.feed-over", **about)
        yield _entry(match, END, match.finished, title, tuple(_places(view, match)), page)


def _entry(match: Listed, number: int, at: datetime, title: str, lines: tuple[str, ...], page: str) -> Entry:
    id = f"matches/{match.code}/{'end' if number == END else number}"
    return Entry(id, at, number, masked(title), tuple(map(masked, lines)), page)


def _told(site: Site, match: Listed) -> Iterator[tuple[int, datetime, list[MoveReport | Note]]]:
    """(number in the log, time, what everybody may read) of each moment that the page of the match steps through."""
    session = site.desk.session
    query = select(Event).where(Event.match_id == match.id).order_by(col(Event.n))
    rows = session.exec(query).all()
    players = site.desk.players(session.get_one(Match, match.id))
    for number, entry in effective([LogEntry(row.kind, row.seat, row.text, row.outcome) for row in rows]):
        told: list[MoveReport | Note] = [*_moves(entry, players), *match_history.news(site.desk, entry, players)]
        if told:
            yield number, rows[number - 1].at, told


def _moves(entry: LogEntry, players: list[Player]) -> Iterator[MoveReport]:
    for move in match_history.shown(entry, Result.from_json(entry.outcome)):
        yield move_report(move, NOBODY, players)


def line(view: View, match: Listed, told: MoveReport | Note) -> str:
    """``Jörg D5 s RATTE, 21 Punkte``."""
    if isinstance(told, Note):
        return view.say(told, match.game, tuple(seat.name for seat in match.seats))
    return moved(view, told.name, told.played, told.points)


def moved(view: View, name: str, played: str, points: int) -> str:
    """The same of a move; ``played`` = "" if there was none."""
    values = {"name": name, "text": played or view.t("site.no-move"), "points": points}
    return view.t("site.says-move" if points else "site.says-plain", **values)


def _places(view: View, match: Listed) -> Iterator[str]:
    """``1. Anna mit 310``, the winner first."""
    outcome = match.outcome
    if outcome is None:
        return
    places = outcome.places or tuple(1 for _ in match.seats)
    for place, seat in sorted(zip(places, match.seats, strict=True), key=lambda one: (one[0], one[1].number)):
        score = outcome.scores[seat.number]
        yield view.t("site.feed-over-line", place=place, name=seat.name, score=score)
