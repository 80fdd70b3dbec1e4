"""The tournaments: a list of all, and a page for each with its tables, pairings and courses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial

from moderator.club.tournaments.rows import game_options, latest_ends
from moderator.club.tournaments.view import Seen
from moderator.pages import tournament_lines
from moderator.pages.agreed import option_line, unusual
from moderator.pages.messages import label, say
from moderator.pages.tournament_sections import how
from moderator.pages.tournament_tables import number
from moderator.pages.tournament_view import (
    TournamentBracket,
    TournamentGameLine,
    TournamentTable,
    TournamentTie,
    TournamentView,
)
from moderator.site.board import place_curves
from moderator.site.site import Site, View
from moderator.site.tournament_list import ListedTournament
from moderator.site.tree import File
from moderator.states import GameKind, TournamentStatus
from moderator.store.models import Tournament, TournamentGame
from moderator.tournaments.crosstable import OWN, Crosstable, TableLine
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import of
from moderator.tournaments.standings import counted


def files(site: Site) -> Iterator[File]:
    """``tournaments.html`` and ``tournaments/T1.html`` in each language."""
    seasons = _seasons(site)
    paged = frozenset(site.people)
    for language in site.languages:
        make = partial(site.render, "tournaments.html.j2", "tournaments.html", language)
        yield File(site.path("tournaments.html", language), site.key("cups", site.tournaments), make)
    for tournament in site.tournaments:
        shown = Shown(site, tournament)
        own = [match.id for match in site.matches if match.tournament == tournament.id]
        began = tuple((number, site.reviews.get(number)) for number in own)
        who = tuple(one.player in paged for one in tournament.entered)
        around = tuple(other and (other.code, other.name) for other in seasons[tournament.id])
        key = site.key("cup", tournament, began, who, around)
        for language in site.languages:
            page = f"tournaments/{tournament.code}.html"
            make = partial(_page, site, shown, seasons[tournament.id], page, language)
            yield File(site.path(page, language), key, make)


def _seasons(site: Site) -> Mapping[int, tuple[ListedTournament | None, ListedTournament | None]]:
    """The seasons before and after each tournament."""
    by_id = {tournament.id: tournament for tournament in site.tournaments}
    following = {tournament.previous: tournament for tournament in site.tournaments if tournament.previous}
    return {
        tournament.id: (by_id.get(tournament.previous or 0), following.get(tournament.id))
        for tournament in site.tournaments
    }


def _page(
    site: Site, shown: Shown, seasons: tuple[ListedTournament | None, ListedTournament | None], page: str, language: str
) -> bytes:
    view, divisions = View(site, page, language), shown.divisions(language)
    return site.render(
        "tournament.html.j2",
        page,
        language,
        c=shown.tournament,
        shown=shown,
        how=tuple(how(shown.view, language)),
        settings=tuple(_settings(shown, view)),
        divisions=divisions,
        ties=_tie_breaks(shown, divisions, view),
        stages=shown.stages(language),
        before=seasons[0],
        after=seasons[1],
    )


@dataclass(frozen=True)
class TieBreak:
    """What separates those with equal points."""

    short: str
    name: str
    rule: str


def _tie_breaks(shown: Shown, divisions: Sequence[Division], view: View) -> tuple[TieBreak, ...]:
    """In the order applied."""
    tables = [division.table.cross for division in divisions if division.table.cross is not None]
    return tuple(
        TieBreak(
            say(f"cup-tie-{code}", view.lang),
            _capital(label(f"cup-tie-name-{code}", view.lang)),
            " ".join(_rules(code, shown, view)),
        )
        for code in (tables[0].columns if tables else ())
    )


def _rules(code: str, shown: Shown, view: View) -> Iterator[str]:
    """How it is computed."""
    cap = shown.seen.settings.spread_cap
    yield view.t(f"site.tie-{code}{'-free' if code == 'spread' and not cap else ''}", cap=cap)
    if of(shown.tournament).round_robin:
        return
    if code == "buchholz-cut-1":
        yield view.t("site.tie-cut")
    if code in ("buchholz-cut-1", "buchholz", "sonneborn-berger"):
        yield view.t("site.tie-unplayed")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _settings(shown: Shown, view: View) -> Iterator[str]:
    """What else was agreed, in words."""
    tournament, settings = shown.tournament, shown.seen.settings
    for name, value in unusual(tournament.game, game_options(shown.seen.tournament)).items():
        if line := option_line(name, value, view.lang, tournament.game):
            yield line
    if tournament.status == TournamentStatus.OPEN:
        if tournament.closes:
            yield view.t("site.cup-closes", day=view.day(tournament.closes))
        return
    yield from _numbers(shown, view)
    ends = _end(shown)
    if ends:
        yield view.t("site.cup-ends", day=view.day(ends))
    yield view.t(f"cup-after-{settings.adjudicate}")
    for code, facts in of(tournament).agreed(settings):
        yield view.t(code, **facts)


def _numbers(shown: Shown, view: View) -> Iterator[str]:
    """Where the numbers in the tables come from."""
    tournament = shown.tournament
    seeding: str = shown.seen.settings.seeding
    early = [one for t in shown.seen.states.values() for one in t.entrants if one.joined <= 1]
    if tournament.previous:
        seeding = "season"
    elif seeding == "rating" and len({one.rating for one in early}) == 1:
        seeding = "equal"
    yield view.t(f"site.cup-seeding-{seeding}")
    if len(early) < sum(len(t.entrants) for t in shown.seen.states.values()):
        yield view.t("site.cup-seeding-late")


def _end(shown: Shown) -> datetime | None:
    """The latest end of what is being played."""
    return None if shown.tournament.over else max(latest_ends(shown.seen.round), default=None)


# ---- what the page of a tournament shows: tables, ties, rungs and pairings, each name and match with its page ----


MOST_CURVES = 40
"""With more entrants nobody could follow a line."""


@dataclass(frozen=True)
class Person:
    """A name; ``player`` is the primary key of who has a page, else None."""

    name: str
    player: int | None


@dataclass(frozen=True)
class Pairing:
    """A game as the list of a round shows it."""

    board: int
    people: tuple[Person, ...]
    points: tuple[str, ...]
    scores: tuple[int, ...]
    match: str
    note: str
    """How it was settled, or that somebody has a bye."""


@dataclass(frozen=True)
class Round:
    heading: str
    open: bool
    """Being played."""
    pairings: tuple[Pairing, ...]


@dataclass(frozen=True)
class Tie:
    """Two of a knock-out; () people = not known yet."""

    people: tuple[Person, ...]
    points: tuple[str, ...]
    through: int | None
    matches: tuple[str, ...]
    says: str
    """Code of what is said of who has won it."""


@dataclass(frozen=True)
class Stage:
    heading: str
    ties: tuple[Tie, ...]


@dataclass(frozen=True)
class Division:
    """A table with all that belongs to it."""

    number: int
    table: TournamentTable
    lines: tuple[Line, ...]
    curve: str

    @property
    def ranged(self) -> bool:
        """Whether it says which places are still possible."""
        return any(line.line.range for line in self.lines)

    @property
    def moves(self) -> bool:
        """Whether it says how many points were left per move."""
        return any(line.line.per_move for line in self.lines)


class Shown:
    """A tournament that is read when its page is really made."""

    def __init__(self, site: Site, tournament: ListedTournament) -> None:
        self.site, self.tournament = site, tournament

    @property
    def began(self) -> datetime | None:
        """The first match; None where none was played."""
        own = (match.started for match in self.site.matches if match.tournament == self.tournament.id)
        return min((at for at in own if at), default=self.tournament.finished)

    @cached_property
    def seen(self) -> Seen:
        return Seen(self.site.desk, self.site.desk.session.get_one(Tournament, self.tournament.id))

    @cached_property
    def view(self) -> TournamentView:
        return self.seen.common("final" if self.tournament.over else "table")

    @cached_property
    def tables(self) -> tuple[TournamentTable, ...]:
        """With the way there where there is one."""
        return self.seen.tables(self.tournament.over or of(self.tournament).table)

    @cached_property
    def games(self) -> dict[int, list[TournamentGame]]:
        """By division, round and board."""
        from moderator.store import tournaments

        found: dict[int, list[TournamentGame]] = {}
        for row in tournaments.pairings(self.site.desk.session, self.seen.tournament):
            found.setdefault(row.division, []).append(row)
        return found

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], int]:
        return {(one.division, one.number): one.player for one in self.tournament.entered if one.number}

    @cached_property
    def _names(self) -> dict[str, int]:
        return {one.name: one.player for one in self.tournament.entered}

    def person(self, name: str) -> Person:
        player = self._names.get(name)
        return Person(name, player if player in self.site.people else None)

    def entrant(self, division: int, entrant: int) -> Person:
        player = self._numbers[division, entrant]
        return Person(self.seen.names[division, entrant], player if player in self.site.people else None)

    def others(self, division: int, numbers: Sequence[int]) -> list[str]:
        return [self.seen.names[division, one] for one in numbers]

    def codes(self, division: int) -> dict[tuple[int, int], str]:
        """Codes of matches that have a page, by round and board."""
        pages = {match.id: match.code for match in self.site.matches}
        return {
            (row.round, row.board): pages[row.match_id] for row in self.games.get(division, ()) if row.match_id in pages
        }

    def divisions(self, language: str) -> tuple[Division, ...]:
        """Those that have a table."""
        found = []
        for table in self.tables:
            if table.cross is None:
                continue
            codes = self.codes(table.division)
            lines = rows(self.seen.states[table.division], table.cross, codes, table.up, table.down)
            names = {line.line.number: line.line.name for line in lines}
            drawn = table.progress or {}
            curve = place_curves(drawn, names, language) if len(names) <= MOST_CURVES else ""
            found.append(Division(table.division, table, lines, curve))
        return tuple(found)

    def rounds(self, division: int, view: View) -> tuple[Round, ...]:
        """The latest first."""
        found: dict[int, list[TournamentGame]] = {}
        for row in self.games.get(division, ()):
            found.setdefault(row.round, []).append(row)
        return tuple(
            Round(
                view.t("site.cup-round", round=round),
                any(row.result is None for row in games),
                tuple(self._pairing(row, view.lang) for row in games),
            )
            for round, games in sorted(found.items(), reverse=True)
        )

    def _pairing(self, row: TournamentGame, language: str) -> Pairing:
        line = self.seen.line(row)
        people = tuple(self.entrant(row.division, entrant) for entrant in row.seats)
        match = line.match if line.match in self._pages else ""
        points = tuple(number(one, language) for one in line.points)
        scores = line.scores if any(line.scores) else ()
        if row.kind == GameKind.BYE:
            return Pairing(row.board, people, (), (), "", _bye(line, language))
        return Pairing(row.board, people, points, scores, match, tournament_lines.settled(line, language))

    @cached_property
    def _pages(self) -> frozenset[str]:
        return frozenset(match.code for match in self.site.matches)

    def stages(self, language: str) -> tuple[Stage, ...]:
        """The bracket, also of rounds to come; the match for third place by itself."""
        bracket = self.tables[0].table if self.tables else None
        return tuple(self._stages(bracket.ties, language)) if isinstance(bracket, TournamentBracket) else ()

    def _stages(self, ties: tuple[TournamentTie, ...], language: str) -> Iterator[Stage]:
        rounds = self.view.rounds
        for round in range(1, rounds + 1):
            known = [tie for tie in ties if tie.round == round and not tie.third]
            shown = [self._tie(tie, at) for at, tie in enumerate(known, 1)]
            shown += [Tie((), (), None, (), "")] * (2 ** (rounds - round) - len(shown))
            yield Stage(tournament_lines.stage(TournamentTie(round, ()), self.view, language), tuple(shown))
        for tie in ties:
            if tie.third:
                yield Stage(tournament_lines.stage(tie, self.view, language), (self._tie(tie, 2),))

    def _tie(self, tie: TournamentTie, at: int) -> Tie:
        codes = self.codes(1)
        matches = tuple(codes[tie.round, board] for board in (2 * at - 1, 2 * at) if (tie.round, board) in codes)
        says = "site.wins" if tie.round == self.view.rounds else "site.goes-on"
        return Tie(tuple(map(self.person, tie.names)), tie.points, tie.through, matches, says)


def _bye(line: TournamentGameLine, language: str) -> str:
    """``Freilos``; half a point or nothing for who sits out."""
    kind = {"½": "-half", "0": "-none"}.get("".join(line.points), "")
    return label(f"site.cup-bye{kind}", language)


# ---- the table ----
#
# The table of a tournament, each result with the match that it comes from.


Codes = Mapping[tuple[int, int], str]
"""Codes of matches by round and board."""
KINDS = {"1": "won", "+": "won", "=": "drawn", "0": "lost", "-": "lost", ".": "open", "f": "won", "h": "drawn"}


@dataclass(frozen=True)
class Piece:
    """One result in a cell."""

    text: str
    """As mails print it: ``1``, ``7/=``."""
    match: str = ""
    """Code; "" = there is none to look at."""
    kind: str = ""
    """won | drawn | lost | open | own | ""."""
    against: tuple[int, ...] = ()
    """Numbers of the others."""


@dataclass(frozen=True)
class Line:
    """A row of the table."""

    line: TableLine
    cells: tuple[tuple[Piece, ...], ...]
    mark: str = ""
    """up | down in a league; "" for who stays."""


def rows(t: TournamentState, table: Crosstable, codes: Codes, up: int = 0, down: int = 0) -> tuple[Line, ...]:
    """The lines of ``table`` with their cells in pieces."""
    games = t.with_games(counted(t).games).games
    last = len(table.lines) - down
    return tuple(
        Line(
            line,
            tuple(tuple(_cell(table, line, at, games, codes)) for at in range(len(table.heads))),
            "up" if number < up else "down" if number >= last else "",
        )
        for number, line in enumerate(table.lines)
    )


def _cell(table: Crosstable, line: TableLine, at: int, games: Sequence[Game], codes: Codes) -> Iterator[Piece]:
    text, head = line.cells[at], table.heads[at]
    if text == OWN:
        yield Piece(OWN, kind="own")
        return
    if table.kind == "cross":
        own = [game for game in games if {line.number, head} <= set(game.seats)]
        parts = list(text)
    else:
        own = [game for game in games if line.number in game.seats and game.round == head]
        parts = text.split()
    for part, game in zip(parts, own, strict=True):
        others = tuple(number for number in game.seats if number != line.number)
        yield Piece(part, codes.get((game.round, game.table), ""), _kind(part, table), others)


def _kind(text: str, table: Crosstable) -> str:
    if table.kind == "tables" and text[0].isdigit():
        return "won" if text == "1" else ""
    return KINDS.get(text[-1], "")
