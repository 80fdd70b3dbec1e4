"""The tournaments: a list of all, and a page for each with its tables, pairings and courses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial

from moderator.common.enums import GameKind, TournamentStatus
from moderator.common.text import capitalize_start
from moderator.language.messages import render_code, render_label
from moderator.notifications.content import (
    TournamentBracket,
    TournamentGameLine,
    TournamentTable,
    TournamentTie,
    TournamentView,
)
from moderator.render.mails import tournament as tournament_lines
from moderator.render.mails.match_sections import render_option, select_unusual_options
from moderator.render.mails.tournament import format_decimal
from moderator.render.mails.tournament_tables import iter_format_lines
from moderator.site.board import render_place_curves
from moderator.site.layout import PageView, SiteContent
from moderator.site.listed import ListedTournament
from moderator.site.tree import SiteFile
from moderator.store import tournaments
from moderator.store.tables import Tournament, TournamentGame
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import OWN, Crosstable, CrosstableLine, drop_uncounted_games
from moderator.views.tournament_rows import get_game_options, list_latest_ends
from moderator.views.tournament_view import TournamentReader


def iter_tournament_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``tournaments.html`` and ``tournaments/T1.html`` in each language."""
    seasons = _find_seasons(site)
    paged = frozenset(site.people)
    for language in site.languages:
        make = partial(site.render_page, "tournaments.html.j2", "tournaments.html", language)
        yield SiteFile(
            site.get_page_path("tournaments.html", language), site.compute_key("cups", site.tournaments), make
        )
    for tournament in site.tournaments:
        shown = TournamentPage(site, tournament)
        own = [match.id for match in site.matches if match.tournament == tournament.id]
        began = tuple((number, site.reviews.get(number)) for number in own)
        who = tuple(one.player in paged for one in tournament.entered)
        around = tuple(other and (other.code, other.name) for other in seasons[tournament.id])
        key = site.compute_key("cup", tournament, began, who, around)
        for language in site.languages:
            page = f"tournaments/{tournament.code}.html"
            make = partial(_render_tournament_page, site, shown, seasons[tournament.id], page, language)
            yield SiteFile(site.get_page_path(page, language), key, make)


def _find_seasons(site: SiteContent) -> Mapping[int, tuple[ListedTournament | None, ListedTournament | None]]:
    """Return the seasons before and after each tournament."""
    by_id = {tournament.id: tournament for tournament in site.tournaments}
    following = {tournament.previous: tournament for tournament in site.tournaments if tournament.previous}
    return {
        tournament.id: (by_id.get(tournament.previous or 0), following.get(tournament.id))
        for tournament in site.tournaments
    }


def _render_tournament_page(
    site: SiteContent,
    tournament_page: TournamentPage,
    seasons: tuple[ListedTournament | None, ListedTournament | None],
    page: str,
    language: str,
) -> bytes:
    view, divisions = PageView(site, page, language), tournament_page.list_divisions(language)
    return site.render_page(
        "tournament.html.j2",
        page,
        language,
        c=tournament_page.tournament,
        shown=tournament_page,
        how=tuple(_iter_how_lines(tournament_page.view, language)),
        settings=tuple(_iter_settings(tournament_page, view)),
        divisions=divisions,
        ties=_list_tie_breaks(tournament_page, divisions, view),
        stages=tournament_page.list_stages(language),
        before=seasons[0],
        after=seasons[1],
    )


def _iter_how_lines(view: TournamentView, language: str) -> Iterator[str]:
    """Yield game and format in words."""
    yield render_label("cup-game", language, game=render_code("name", language, view.game))
    yield from iter_format_lines(view, language)


@dataclass(frozen=True)
class TieBreak:
    """A rule that separates entrants with equal points."""

    short: str
    name: str
    rule: str


def _list_tie_breaks(
    tournament_page: TournamentPage, divisions: Sequence[ListedDivision], view: PageView
) -> tuple[TieBreak, ...]:
    """Return the tie-breaks in the order in which they are applied."""
    tables = [division.table.cross for division in divisions if division.table.cross is not None]
    return tuple(
        TieBreak(
            render_code(f"cup-tie-{code}", view.lang),
            _to_capitalized(render_label(f"cup-tie-name-{code}", view.lang)),
            " ".join(_iter_tie_break_rules(code, tournament_page, view)),
        )
        for code in (tables[0].columns if tables else ())
    )


def _iter_tie_break_rules(code: str, tournament_page: TournamentPage, view: PageView) -> Iterator[str]:
    """Yield sentences on how a tie-break is computed."""
    cap = tournament_page.tournament_reader.settings.spread_cap
    yield view.t(f"site.tie-{code}{'-free' if code == 'spread' and not cap else ''}", cap=cap)
    if get_format(tournament_page.tournament).round_robin:
        return
    if code == "buchholz-cut-1":
        yield view.t("site.tie-cut")
    if code in ("buchholz-cut-1", "buchholz", "sonneborn-berger"):
        yield view.t("site.tie-unplayed")


def _to_capitalized(text: str) -> str:
    return capitalize_start(text)


def _iter_settings(tournament_page: TournamentPage, view: PageView) -> Iterator[str]:
    """Yield sentences on what else was agreed."""
    tournament, settings = tournament_page.tournament, tournament_page.tournament_reader.settings
    for name, value in select_unusual_options(
        tournament.game, get_game_options(tournament_page.tournament_reader.row)
    ).items():
        if line := render_option(name, value, view.lang, tournament.game):
            yield line
    if tournament.status == TournamentStatus.OPEN:
        if tournament.closes:
            yield view.t("site.cup-closes", day=view.day(tournament.closes))
        return
    yield from _iter_seeding_lines(tournament_page, view)
    ends = _find_latest_end(tournament_page)
    if ends:
        yield view.t("site.cup-ends", day=view.day(ends))
    yield view.t(f"cup-after-{settings.adjudicate}")
    for code, facts in get_format(tournament).describe_settings(settings):
        yield view.t(code, **facts)


def _iter_seeding_lines(tournament_page: TournamentPage, view: PageView) -> Iterator[str]:
    """Yield sentences on the origin of the entrants' numbers in the tables."""
    tournament = tournament_page.tournament
    seeding: str = tournament_page.tournament_reader.settings.seeding
    early = [one for t in tournament_page.tournament_reader.states.values() for one in t.entrants if one.joined <= 1]
    if tournament.previous:
        seeding = "season"
    elif seeding == "rating" and len({one.rating for one in early}) == 1:
        seeding = "equal"
    yield view.t(f"site.cup-seeding-{seeding}")
    if len(early) < sum(len(t.entrants) for t in tournament_page.tournament_reader.states.values()):
        yield view.t("site.cup-seeding-late")


def _find_latest_end(tournament_page: TournamentPage) -> datetime | None:
    """Return the latest end of what is being played; None if there is none."""
    return (
        None
        if tournament_page.tournament.over
        else max(list_latest_ends(tournament_page.tournament_reader.round_pairings), default=None)
    )


# ---- what the page of a tournament shows: tables, ties, rungs and pairings, each name and match with its page ----


MOST_CURVES = 40
"""With more entrants nobody could follow a line."""


@dataclass(frozen=True)
class PersonLink:
    """A name; ``player`` is the primary key of who has a page, else None."""

    name: str
    player: int | None


@dataclass(frozen=True)
class ListedPairing:
    """A game as the list of a round shows it."""

    board: int
    people: tuple[PersonLink, ...]
    points: tuple[str, ...]
    scores: tuple[int, ...]
    match: str
    note: str
    """How it was settled, or that somebody has a bye."""


@dataclass(frozen=True)
class ListedRound:
    heading: str
    open: bool
    """Being played."""
    pairings: tuple[ListedPairing, ...]


@dataclass(frozen=True)
class BracketTie:
    """A tie of a knock-out; () people = not known yet."""

    people: tuple[PersonLink, ...]
    points: tuple[str, ...]
    through: int | None
    matches: tuple[str, ...]
    says: str
    """Code of what is said of who has won it."""
    why: str = ""
    """What decided, where the points of the tie did not."""


@dataclass(frozen=True)
class BracketStage:
    heading: str
    ties: tuple[BracketTie, ...]
    below: tuple[BracketStage, ...] = ()
    """Below the final, the match for third place."""


@dataclass(frozen=True)
class ListedDivision:
    """A table with all that belongs to it."""

    number: int
    table: TournamentTable
    lines: tuple[LinkedTableLine, ...]
    curve: str

    @property
    def ranged(self) -> bool:
        """True where it says which places are still possible, and not that all are."""
        return len({line.line.range for line in self.lines}) > 1

    @property
    def moves(self) -> bool:
        """True where it says how many points were left per move."""
        return any(line.line.per_move for line in self.lines)


class TournamentPage:
    """A tournament that is read when its page is really made."""

    def __init__(self, site: SiteContent, tournament: ListedTournament) -> None:
        self.site, self.tournament = site, tournament

    @property
    def began(self) -> datetime | None:
        """The start of the first match; where none was played the end of the tournament, which may be None."""
        own = (match.started for match in self.site.matches if match.tournament == self.tournament.id)
        return min((at for at in own if at), default=self.tournament.finished)

    @cached_property
    def tournament_reader(self) -> TournamentReader:
        return TournamentReader(self.site.work, self.site.work.session.get_one(Tournament, self.tournament.id))

    @cached_property
    def view(self) -> TournamentView:
        return self.tournament_reader.build_common_view("final" if self.tournament.over else "table")

    @cached_property
    def tables(self) -> tuple[TournamentTable, ...]:
        """The tables; with the places after each round where the format has them."""
        return self.tournament_reader.build_tables(self.tournament.over or get_format(self.tournament).table)

    @cached_property
    def games(self) -> dict[int, list[TournamentGame]]:
        """The games by division, ordered by round and board."""
        found: dict[int, list[TournamentGame]] = {}
        for row in tournaments.list_pairings(self.site.work.session, self.tournament_reader.row):
            found.setdefault(row.division, []).append(row)
        return found

    @cached_property
    def _players_by_number(self) -> dict[tuple[int, int], int]:
        return {(one.division, one.number): one.player for one in self.tournament.entered if one.number}

    @cached_property
    def _players_by_name(self) -> dict[str, int]:
        return {one.name: one.player for one in self.tournament.entered}

    def person(self, name: str) -> PersonLink:
        player = self._players_by_name.get(name)
        return PersonLink(name, player if player in self.site.people else None)

    def entrant(self, division: int, entrant: int) -> PersonLink:
        player = self._players_by_number[division, entrant]
        return PersonLink(
            self.tournament_reader.names[division, entrant], player if player in self.site.people else None
        )

    def others(self, division: int, numbers: Sequence[int]) -> list[str]:
        return [self.tournament_reader.names[division, one] for one in numbers]

    def list_match_codes(self, division: int) -> dict[tuple[int, int], str]:
        """Return the codes of matches that have a page, by round and board."""
        pages = {match.id: match.code for match in self.site.matches}
        return {
            (row.round, row.board): pages[row.match_id] for row in self.games.get(division, ()) if row.match_id in pages
        }

    def list_divisions(self, language: str) -> tuple[ListedDivision, ...]:
        """Return the divisions that have a table of points."""
        found = []
        for table in self.tables:
            if table.cross is None:
                continue
            codes = self.list_match_codes(table.division)
            lines = build_linked_lines(
                self.tournament_reader.states[table.division], table.cross, codes, table.up, table.down
            )
            names = {line.line.number: line.line.name for line in lines}
            drawn = table.progress or {}
            curve = render_place_curves(drawn, names, language) if len(names) <= MOST_CURVES else ""
            found.append(ListedDivision(table.division, table, lines, curve))
        return tuple(found)

    def rounds(self, division: int, view: PageView) -> tuple[ListedRound, ...]:
        """Return the rounds of a division, the latest first."""
        found: dict[int, list[TournamentGame]] = {}
        for row in self.games.get(division, ()):
            found.setdefault(row.round, []).append(row)
        return tuple(
            ListedRound(
                view.t("site.cup-round", round=round),
                any(row.result is None for row in games),
                tuple(self._build_pairing(row, view.lang) for row in games),
            )
            for round, games in sorted(found.items(), reverse=True)
        )

    def _build_pairing(self, row: TournamentGame, language: str) -> ListedPairing:
        line = self.tournament_reader.build_game_line(row)
        people = tuple(self.entrant(row.division, entrant) for entrant in row.seats)
        match = line.match if line.match in self._match_codes else ""
        points = tuple(format_decimal(one, language) for one in line.points)
        scores = line.scores if any(line.scores) else ()
        if row.kind == GameKind.BYE:
            return ListedPairing(row.board, people, (), (), "", _render_bye(line, language))
        return ListedPairing(
            row.board, people, points, scores, match, tournament_lines.render_settlement(line, language)
        )

    @cached_property
    def _match_codes(self) -> frozenset[str]:
        return frozenset(match.code for match in self.site.matches)

    def list_stages(self, language: str) -> tuple[BracketStage, ...]:
        """Return the stages of the bracket, also of rounds to come."""
        bracket = self.tables[0].table if self.tables else None
        return tuple(self._iter_stages(bracket.ties, language)) if isinstance(bracket, TournamentBracket) else ()

    def _iter_stages(self, ties: tuple[TournamentTie, ...], language: str) -> Iterator[BracketStage]:
        rounds = self.view.rounds
        for round in range(1, rounds + 1):
            known = [tie for tie in ties if tie.round == round and not tie.third]
            shown = [self._build_tie(tie, at, language) for at, tie in enumerate(known, 1)]
            shown += [BracketTie((), (), None, (), "")] * (2 ** (rounds - round) - len(shown))
            heading = tournament_lines.render_stage(TournamentTie(round, ()), self.view, language)
            last = [tie for tie in ties if tie.third and round == rounds]
            below = (
                BracketStage(
                    tournament_lines.render_stage(tie, self.view, language), (self._build_tie(tie, 2, language),)
                )
                for tie in last
            )
            yield BracketStage(heading, tuple(shown), tuple(below))

    def _build_tie(self, tie: TournamentTie, at: int, language: str) -> BracketTie:
        codes = self.list_match_codes(1)
        matches = tuple(codes[tie.round, board] for board in (2 * at - 1, 2 * at) if (tie.round, board) in codes)
        says = "site.wins" if tie.round == self.view.rounds else "site.goes-on"
        people = tuple(map(self.person, tie.names))
        return BracketTie(people, tie.points, tie.through, matches, says, _explain_level_tie(tie, language))


def _explain_level_tie(tie: TournamentTie, language: str) -> str:
    """Return why one of two with equal points goes on; "" where the points say it."""
    if tie.through is None or len(set(tie.points)) != 1:
        return ""
    if len(set(tie.sums)) == 1:
        return render_label("site.level-seed", language)
    return render_label("site.level-scores", language, sums=" : ".join(map(str, tie.sums)))


def _render_bye(line: TournamentGameLine, language: str) -> str:
    """Return ``Freilos``; half a point or nothing for a player who sits out."""
    kind = {"½": "-half", "0": "-none"}.get("".join(line.points), "")
    return render_label(f"site.cup-bye{kind}", language)


# ---- the table ----
#
# The table of a tournament, each result with the match that it comes from.


Codes = Mapping[tuple[int, int], str]
"""Codes of matches by round and board."""
KINDS = {"1": "won", "+": "won", "=": "drawn", "0": "lost", "-": "lost", ".": "open", "f": "won", "h": "drawn"}


@dataclass(frozen=True)
class ResultPiece:
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
class LinkedTableLine:
    """A row of the table."""

    line: CrosstableLine
    cells: tuple[tuple[ResultPiece, ...], ...]
    mark: str = ""
    """up | down in a league; "" for who stays."""


def build_linked_lines(
    t: TournamentState, table: Crosstable, codes: Codes, up: int = 0, down: int = 0
) -> tuple[LinkedTableLine, ...]:
    """Return the lines of ``table`` with their cells in pieces."""
    games = t.with_games(drop_uncounted_games(t).games).games
    last = len(table.lines) - down
    return tuple(
        LinkedTableLine(
            line,
            tuple(tuple(_iter_cell_pieces(table, line, at, games, codes)) for at in range(len(table.heads))),
            "up" if number < up else "down" if number >= last else "",
        )
        for number, line in enumerate(table.lines)
    )


def _iter_cell_pieces(
    table: Crosstable, line: CrosstableLine, at: int, games: Sequence[Game], codes: Codes
) -> Iterator[ResultPiece]:
    text, head = line.cells[at], table.heads[at]
    if text == OWN:
        yield ResultPiece(OWN, kind="own")
        return
    if table.kind == "cross":
        own = [game for game in games if {line.number, head} <= set(game.seats)]
        parts = list(text)
    else:
        own = [game for game in games if line.number in game.seats and game.round == head]
        parts = text.split()
    for part, game in zip(parts, own, strict=True):
        others = tuple(number for number in game.seats if number != line.number)
        yield ResultPiece(part, codes.get((game.round, game.table), ""), _get_result_kind(part, table), others)


def _get_result_kind(text: str, table: Crosstable) -> str:
    if table.kind == "tables" and text[0].isdigit():
        return "won" if text == "1" else ""
    return KINDS.get(text[-1], "")
