"""What the feeds tell: of a match that it begins, every move or round, its end; of a tournament who plays, every round
with its pairings, its results and the table, the end.

It is read off the logs as it was recorded; only how a match stands is played again, once for each of its moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from moderator.club import archive
from moderator.club.live_match import Suspended, walk
from moderator.club.tournaments.view import Seen
from moderator.match.contract import Note, view_for
from moderator.match.replay import Entry as LogEntry
from moderator.match.replay import effective
from moderator.match.result import Result
from moderator.outbox import asked
from moderator.outbox.match_pages import NOBODY, move_report
from moderator.pages import boards
from moderator.pages.pages import MoveReport
from moderator.pages.tournament_tables import named
from moderator.pages.tournament_view import TournamentGameLine
from moderator.site.site import Listed, Site, View, masked
from moderator.site.tournament_list import ListedTournament
from moderator.states import TournamentStatus
from moderator.store import events, tournaments
from moderator.store.models import Match, Player, Tournament
from moderator.store.tournaments import steps_of_all
from moderator.tournaments.crosstable import crosstable
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import of

END = 1 << 30
"""Behind the number of any entry of a log."""


@dataclass(frozen=True)
class Position:
    """How a match stands."""

    picture: str
    """Address of the board as a picture; "" for a club that is not on the web."""
    words: str
    """The board for those who hear it."""
    lines: tuple[str, ...]
    """The board as text, where there is no picture, in fixed columns or not."""
    fixed: bool
    scores: tuple[tuple[str, int], ...]
    """Names with their points, by seat; () where an entry says them itself."""


@dataclass(frozen=True)
class Entry:
    id: str
    """Within the club and a language: ``matches/K7Q2/12``. Never changes."""
    at: datetime
    order: int
    """Of those at one moment the higher one came later."""
    title: str
    lines: tuple[str, ...]
    page: str
    """That it leads to: ``matches/K7Q2.html#zug12``."""
    position: Position | None = None
    """Of the newest entry of a match."""


# ---- tournaments that have begun, with the times of their steps ----


@dataclass(frozen=True)
class Logged:
    listed: ListedTournament
    steps: tuple[tuple[str, datetime], ...]
    """What was done when, see play/tournaments/steps.py."""

    def at(self, step: str) -> datetime | None:
        """When that was done."""
        return next((at for name, at in self.steps if name == step), None)


def logged(site: Site) -> tuple[Logged, ...]:
    """The oldest first."""
    steps = steps_of_all(site.desk.session)
    begun = [
        tournament
        for tournament in reversed(site.tournaments)
        if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED)
    ]
    return tuple(Logged(tournament, tuple(steps.get(tournament.id, ()))) for tournament in begun)


# ---- what a tournament's feed tells ----


STEPS = {"close": "closed", "pair": "pair", "report": "report", "finish": "finish"}
"""Those of play/tournaments/steps.py that are told."""


def tournament_entries(site: Site, tournament: Logged, language: str) -> Iterator[Entry]:
    """The oldest first."""
    page = f"tournaments/{tournament.listed.code}.html"
    view = View(site, page, language)
    seen: Seen | None = None
    for order, (step, at) in enumerate(tournament.steps):
        kind, _, number = step.partition(":")
        if kind in STEPS:
            seen = seen or Seen(site.desk, site.desk.session.get_one(Tournament, tournament.listed.id))
            round = int(number) if number.isdecimal() else 0
            title = view.t(f"site.feed-cup-{STEPS[kind]}", name=tournament.listed.name, round=round)
            id = f"tournaments/{tournament.listed.code}/{step.replace(':', '-')}"
            lines = tuple(map(masked, _lines(seen, kind, round, view)))
            yield Entry(id, at, END + order, masked(title), lines, page)


def _lines(seen: Seen, kind: str, round: int, view: View) -> Iterator[str]:
    if kind == "close":
        yield ", ".join(player.name for entry, player in seen.entries if entry.number)
        return
    if kind == "pair":
        yield from (pairing(line, view) for line in _games(seen, round))
        return
    yield from (pairing(line, view) for line in (_games(seen, round) if round else ()))
    for division in seen.divisions:
        yield from standing(until(seen.states[division], round), view)


def _games(seen: Seen, round: int) -> Iterator[TournamentGameLine]:
    return (seen.line(row) for row in tournaments.pairings(seen.desk.session, seen.tournament) if row.round == round)


def pairing(line: TournamentGameLine, view: View) -> str:
    """``Anna – Bert 310:280``."""
    if len(line.names) == 1:
        return view.t("site.feed-cup-free", name=line.names[0])
    result = ":".join(map(str, line.scores)) or ":".join(line.points)
    return f"{' – '.join(line.names)} {result}".rstrip()


def until(t: TournamentState, round: int) -> TournamentState:
    """As it stood after ``round``; 0 = now."""
    return replace(t, games=tuple(game for game in t.games if game.round <= round)) if round else t


def standing(t: TournamentState, view: View) -> Iterator[str]:
    """``1. Anna · Nr. 7: 3½``; nothing where there is no table."""
    if not of(t).table:
        return
    for line in crosstable(t).lines:
        yield f"{named(line, view.lang)}: {line.points}"


# ---- what a match's feed tells ----


def match_entries(site: Site, match: Listed, language: str) -> Iterator[Entry]:
    """The oldest first; the newest shows how the match stands, once something was played."""
    made = tuple(_match_entries(site, match, language))
    yield from made[:-1]
    if made:
        yield replace(made[-1], position=_position(site, match, language) if made[-1].order else None)


def _position(site: Site, match: Listed, language: str) -> Position | None:
    """None for a match whose log does not fit. A match that has not moved since is not played again."""
    key = site.key("position", match.game, match.status, match.entries, site.config.site.url)
    stand = site.boards.value("position", match.id, key, lambda: _stand(site, match))
    if stand is None:
        return None
    words, lines = stand["told"][language]
    names = () if match.over else tuple(zip((seat.name for seat in match.seats), stand["scores"], strict=True))
    picture = archive.address(site.config, f"matches/{match.code}.png")
    return Position(picture, words, tuple(lines), stand["fixed"], names)


def _stand(site: Site, match: Listed) -> dict[str, Any] | None:
    """The same as plain values, in all languages."""
    desk = site.desk
    try:
        live = walk(desk.session, desk.session.get_one(Match, match.id), desk.config.deadlines).live
    except Suspended:
        return None
    scene = live.game.scene(view_for(live.table.state, None))
    drawn = not site.config.site.url
    return {
        "scores": list(live.table.state.scores),
        "fixed": bool(boards.characters(scene)),
        "told": {
            language: [boards.alt(scene, language), list(boards.lines(scene, language)) if drawn else []]
            for language in site.languages
        },
    }


def _match_entries(site: Site, match: Listed, language: str) -> Iterator[Entry]:
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
    rows = events.rows(session, match.id)
    players = site.desk.players(session.get_one(Match, match.id))
    for number, entry in effective([LogEntry(row.kind, row.seat, row.text, row.outcome) for row in rows]):
        told: list[MoveReport | Note] = [*_moves(entry, players), *asked.news(site.desk, entry, players)]
        if told:
            yield number, rows[number - 1].at, told


def _moves(entry: LogEntry, players: list[Player]) -> Iterator[MoveReport]:
    for move in asked.shown(entry, Result.from_json(entry.outcome)):
        yield move_report(move, NOBODY, players)


def line(view: View, match: Listed, told: MoveReport | Note) -> str:
    """``Jörg D5 s RATTE, 21 Punkte``."""
    if isinstance(told, Note):
        return view.say(told, match.game, tuple(seat.name for seat in match.seats))
    return moved(view, match.game, told.name, told.played, told.points)


def moved(view: View, game: str, name: str, played: str, points: int) -> str:
    """The same of a move; ``played`` = "" if there was none."""
    values = {"name": name, "text": view.move(played, game), "points": points}
    return view.t("site.says-move" if points else "site.says-plain", **values)


def _places(view: View, match: Listed) -> Iterator[str]:
    """``1. Anna mit 310``, the winner first."""
    ended = match.ending
    if ended is None:
        return
    for place, seat in sorted(zip(ended.places, match.seats, strict=True), key=lambda one: (one[0], one[1].number)):
        yield view.t("site.feed-over-line", place=place, name=seat.name, score=ended.shown(seat.number))
