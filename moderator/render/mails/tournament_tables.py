"""A mail about a tournament as finished parts: headings, paragraphs, lists, tables, pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from moderator.common.enums import BoardForm, MailKind, TournamentStatus
from moderator.common.text import clean_name
from moderator.language.messages import render_code, render_label
from moderator.notifications.content import (
    ReplyAddress,
    TournamentBracket,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentView,
)
from moderator.notifications.pages import Page, list_tournament_views
from moderator.render.boards.crosstable import render_crosstable_svg, render_progress_svg
from moderator.render.mails import tournament, tournament_cells
from moderator.render.mails.tournament_cells import TournamentGrid
from moderator.render.text import build_mailto
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import Crosstable


@dataclass(frozen=True)
class TournamentSection:
    """A stretch of a mail; its fields are printed in this order."""

    heading: str = ""
    lines: tuple[str, ...] = ()
    """Paragraphs."""
    items: tuple[str, ...] = ()
    grid: TournamentGrid | None = None
    text: tuple[str, ...] = ()
    """The same table in lines of fixed width, for the text mail."""
    small: tuple[str, ...] = ()
    """How the table is read, in HTML (the text has it already)."""
    after: tuple[str, ...] = ()
    """Paragraphs below the table."""
    pictures: tuple[TournamentPicture, ...] = ()
    link: str = ""
    """A prefilled answer."""
    button: str = ""


def build_tournament_sections(page: Page) -> tuple[TournamentSection, ...]:
    """Return all sections; in a daily mail a short table of each tournament."""
    views = list_tournament_views(page.content)
    if page.kind == MailKind.DIGEST:
        return tuple(_build_daily_section(view, page) for view in views if tournament.find_own_table(view) is not None)
    found: list[TournamentSection] = []
    for view in views:
        found += _iter_sections(view, page)
    return tuple(found)


def _iter_sections(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    if view.topic == "news":
        return
    if view.status in (TournamentStatus.PLANNED, TournamentStatus.OPEN):
        yield from _iter_invitation_sections(view, page)
    elif view.topic == "pairings":
        yield from _iter_pairing_sections(view, page)
    elif view.topic == "warning":
        yield _build_open_games_section(view, page)
    else:
        if any(note.code == "cup-challenged" for note in page.notes):
            yield from _iter_challenge_sections(view, page)
        yield from _iter_report_sections(view, page)


# ---- before it begins ----


def _iter_invitation_sections(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    language = page.reader.language
    yield TournamentSection(render_label("cup-section-how", language), tuple(iter_format_lines(view, language)))
    waiting = [clean_name(name) for name in view.standby]
    if view.you_in and page.reader.name in view.standby:
        at = view.standby.index(page.reader.name) + 1
        yield TournamentSection(lines=(render_label("cup-you-wait", language, code=view.code, place=at),))
    elif view.you_in:
        yield TournamentSection(lines=(render_label("cup-you-in", language, code=view.code),))
    elif view.status == TournamentStatus.OPEN:
        yield _build_join_section(view, page)
    names = [clean_name(name) for name in view.entrants]
    lines = [render_label("cup-field-open" if names else "cup-field-none", language, names=names, count=len(names))]
    if waiting:
        lines.append(render_label("cup-field-standby", language, names=waiting))
    yield TournamentSection(render_label("cup-section-field", language), tuple(lines))


def iter_format_lines(view: TournamentView, language: str) -> Iterator[str]:
    """Yield game and format in words."""
    yield render_label("cup-game", language, game=render_code("name", language, view.game))
    code = f"cup-format-{get_format(view).words}{get_format(view).describe_variant(view.rounds, view.legs)}"
    yield render_label(code, language, rounds=view.rounds, seats=view.seats, reach=view.reach, size=view.division)
    if view.legs == 2 and view.starter is not None:
        yield render_label("cup-each-starts", language)


def _build_join_section(view: TournamentView, page: Page) -> TournamentSection:
    language = page.reader.language
    lines = [render_label("cup-join", language, code=view.code)]
    if view.places:
        full = len(view.entrants) >= view.places
        lines.append(render_label("cup-places-full" if full else "cup-places", language, places=view.places))
    heading, link = render_label("cup-section-join", language), _build_answer_link("cup-join-body", view, page)
    return TournamentSection(heading, tuple(lines), link=link, button=render_label("cup-join-button", language))


def _build_answer_link(code: str, view: TournamentView, page: Page) -> str:
    """Return the link of a prefilled answer with this line and nothing else; an empty text where no answer is
    possible."""
    if page.reply is None:
        return ""
    language = page.reader.language
    body = f"{render_label(code, language, code=view.code)}\n\n{render_label('marker', language)}\n"
    return build_mailto(ReplyAddress(page.reply.address, "", body), f"{clean_name(view.name)} ({view.code})", language)


# ---- while it runs ----


def _iter_challenge_sections(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    """Yield the two answers to a challenge, which the first lines of the mail announce."""
    for answer in ("accept", "refuse"):
        link = _build_answer_link(f"cup-{answer}-body", view, page)
        yield TournamentSection(link=link, button=render_label(f"cup-{answer}-button", page.reader.language))


def _iter_pairing_sections(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    language = page.reader.language
    if view.yours:
        yield _build_own_games_section(view.yours, page, "cup-section-yours", _list_next_steps(view, page))
    if view.at_once:
        yield _build_field_section(view, page)
    elif view.games:
        items = tuple(tournament.render_pairing(game, view, language) for game in view.games)
        yield TournamentSection(render_label("cup-section-pairings", language), items=items)


def _list_next_steps(view: TournamentView, page: Page) -> tuple[str, ...]:
    """Return what the reader has to do, and what happens to games that take too long."""
    language = page.reader.language
    still = sum(not game.points for game in view.yours)
    if not still:
        last = "-last" if view.rounds and view.round >= view.rounds else ""
        return (render_label(f"cup-nothing-to-do{last}", language),) if not view.at_once else ()
    return (
        render_label("cup-mail-one" if still == 1 else "cup-mail-each", language),
        render_label(f"cup-after-{view.adjudicate}", language),
    )


def _build_own_games_section(
    games: tuple[TournamentGameLine, ...], page: Page, heading: str, after: tuple[str, ...] = ()
) -> TournamentSection:
    language = page.reader.language
    items = tuple(tournament.render_own_game(game, tournament.get_page_tournament(page), language) for game in games)
    one = "-one" if len(items) == 1 and heading == "cup-section-yours" else ""
    return TournamentSection(render_label(heading + one, language), items=items, after=after)


def _build_field_section(view: TournamentView, page: Page) -> TournamentSection:
    """Return the players, where everybody meets everybody or there are too many games to list; the reader's own
    division first."""
    language = page.reader.language
    heading = render_label("cup-section-field", language)
    fields = [(n, [clean_name(name) for name in names]) for n, names in enumerate(view.fields, 1)]
    if len(fields) < 2:
        names = fields[0][1] if fields else []
        return TournamentSection(heading, (render_label("cup-field", language, names=names, count=len(names)),))
    fields.sort(key=lambda one: (one[0] != view.own, one[0]))
    return TournamentSection(
        heading, items=tuple(render_label("cup-field-division", language, division=n, names=x) for n, x in fields)
    )


def _build_open_games_section(view: TournamentView, page: Page) -> TournamentSection:
    games = tuple(game for game in view.yours if not game.points)
    return _build_own_games_section(games, page, "cup-section-still-open", _list_next_steps(view, page))


# ---- results ----


def _iter_report_sections(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    """Yield the results, the table, the others' tables, and pictures."""
    language = page.reader.language
    if view.topic == "table" and view.status == TournamentStatus.RUNNING:
        games = tuple(game for game in view.yours if not game.points)
        if games:
            yield _build_own_games_section(games, page, "cup-section-yours")
    own = tournament.find_own_table(view)
    bracket = own is not None and isinstance(own.table, TournamentBracket)  # which has the results
    if view.topic == "report" and view.games and not bracket:
        items = tuple(
            tournament.render_pairing(game, view, language) for game in _sort_own_first(view, page.reader.name)
        )
        yield TournamentSection(render_label("cup-section-results", language), items=items)
    if own is not None:
        yield from _iter_table_sections(own, view, page)
    for table in view.tables:
        if table is not own and table.cross is not None:
            yield _build_other_division(table, language)


def _sort_own_first(view: TournamentView, name: str) -> list[TournamentGameLine]:
    return sorted(view.games, key=lambda game: name not in game.names)


def _iter_table_sections(table: TournamentTable, view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    match table.table:
        case TournamentRungs():
            yield from _iter_ladder_sections(table, table.table, view, page)
        case TournamentBracket():
            yield from _iter_bracket_sections(table, table.table, view, page)
        case Crosstable():
            yield _build_points_section(table, table.table, view, page)


def _build_points_section(
    table: TournamentTable, cross: Crosstable, view: TournamentView, page: Page
) -> TournamentSection:
    language = page.reader.language
    last = view.topic == "final" or view.status == TournamentStatus.FINISHED
    heading = render_label("cup-section-table-final" if last else "cup-section-table", language)
    if len(view.tables) > 1:
        heading = render_label("cup-section-division", language, division=table.division)
    grid, left = tournament_cells.build_full_table(table, language)
    small = (render_label(f"cup-legend-{cross.kind}", language),) if grid.heads else ()
    after = [render_label("cup-table-rest", language, count=left)] if left else []
    after += filter(None, [tournament_cells.render_tie_break_legend(cross, language)])
    after += [render_label("cup-per-move-means", language)] if tournament_cells.has_move_column(cross) else []
    after += _render_league_moves(table, cross, language)
    text = tournament_cells.render_table_lines(table, language)
    return TournamentSection(
        heading, grid=grid, text=text, small=small, after=tuple(after), pictures=build_tournament_pictures(page)
    )


def _render_league_moves(table: TournamentTable, cross: Crosstable, language: str) -> list[str]:
    """Return lines on who goes up and down, if they play again."""
    names = [clean_name(line.name) for line in cross.lines]
    found = [render_label("cup-up", language, names=names[: table.up])] if table.up else []
    return found + ([render_label("cup-down", language, names=names[-table.down :])] if table.down else [])


def _build_other_division(table: TournamentTable, language: str) -> TournamentSection:
    grid, left = tournament_cells.build_short_table(table, language)
    rest = (render_label("cup-table-rest", language, count=left),) if left else ()
    heading = render_label("cup-section-division", language, division=table.division)
    return TournamentSection(heading, grid=grid, text=tournament_cells.render_short_table(grid), after=rest)


def _iter_bracket_sections(
    table: TournamentTable, bracket: TournamentBracket, view: TournamentView, page: Page
) -> Iterator[TournamentSection]:
    """Yield the ties by round, the latest first; at the end the places, too."""
    language = page.reader.language
    stages: dict[tuple[int, bool], list[str]] = {}
    headings: dict[tuple[int, bool], str] = {}
    for tie in bracket.ties:
        key = (-tie.round, tie.third)
        headings[key] = tournament.render_stage(tie, view, language)
        stages.setdefault(key, []).append(tournament.render_tie(tie, view, language))
    for key in sorted(stages):
        yield TournamentSection(headings[key], items=tuple(stages[key]))
    if bracket.order:
        grid = tournament_cells.build_order_table(table, "cup-place-row", page.reader.name, language)
        text = tournament_cells.render_short_table(grid)
        yield TournamentSection(render_label("cup-section-places", language), grid=grid, text=text)


def _iter_ladder_sections(
    table: TournamentTable, rungs: TournamentRungs, view: TournamentView, page: Page
) -> Iterator[TournamentSection]:
    language = page.reader.language
    grid = tournament_cells.build_order_table(table, "cup-ladder-row", page.reader.name, language)
    yield TournamentSection(
        render_label("cup-section-ladder", language), grid=grid, text=tournament_cells.render_short_table(grid)
    )
    if rungs.challenges:
        items = tuple(
            render_label(
                f"cup-challenge-{'played' if taken else 'open'}", language, one=clean_name(a), other=clean_name(b)
            )
            for a, b, taken in rungs.challenges
        )
        yield TournamentSection(render_label("cup-section-challenges", language), items=items)
    if view.challengeable:
        names = [clean_name(name) for name in view.challengeable]
        yield TournamentSection(lines=(render_label("cup-challenge-how", language, names=names, code=view.code),))


# ---- in the daily mail ----


def _build_daily_section(view: TournamentView, page: Page) -> TournamentSection:
    language, table = page.reader.language, tournament.find_own_table(view)
    assert table is not None
    heading = render_label("cup-digest-heading", language, name=clean_name(view.name))
    where = " ".join(tournament.iter_reader_standing(page, view))
    more = (render_label("cup-digest-more", language, code=view.code),)
    lines = (where,) if where else ()
    if isinstance(table.table, TournamentBracket):
        ties = (tie for tie in table.table.ties if tie.round == view.round)
        items = tuple(tournament.render_tie(tie, view, language) for tie in ties)
        return TournamentSection(heading, lines, items, after=more)
    if tournament.is_ladder(table):
        grid = tournament_cells.build_order_table(table, "cup-ladder-row", page.reader.name, language)
    else:
        grid, _ = tournament_cells.build_short_table(table, language)
    return TournamentSection(heading, lines, grid=grid, text=tournament_cells.render_short_table(grid), after=more)


# ---- the pictures of a tournament's final report; each is drawn once, however many readers it has ----


MOST: Final = 20
"""With more entrants nothing could be read on a phone, and the pictures weigh too much."""


@dataclass(frozen=True)
class TournamentPicture:
    cid: str
    alt: str
    width: int
    svg: str


def build_tournament_pictures(page: Page) -> tuple[TournamentPicture, ...]:
    """Return crosstable and progress of the reader's division, for those who want pictures; () in other mails."""
    found: list[TournamentPicture] = []
    for view in list_tournament_views(page.content):
        table = _find_own_table(view)
        if view.topic != "final" or page.reader.board != BoardForm.PNG or table is None or table.cross is None:
            continue
        if len(table.cross.lines) > MOST:
            continue
        language = page.reader.language
        found.append(
            _build_picture(
                page, view, "table", _render_crosstable(table.cross, language), render_label("cup-alt-cross", language)
            )
        )
        if table.progress and max(map(len, table.progress.values())) > 1:
            svg = _render_progress(_to_hashable_places(table), _to_hashable_names(table.cross), language)
            found.append(_build_picture(page, view, "progress", svg, _describe_progress(table.cross, language)))
    return tuple(found)


def _find_own_table(view: TournamentView) -> TournamentTable | None:
    own = [table for table in view.tables if table.division == (view.own or 1)]
    return own[0] if own else None


def _build_picture(page: Page, view: TournamentView, what: str, svg: str, alt: str) -> TournamentPicture:
    domain = re.sub(r"[^A-Za-z0-9.-]", "", page.reply.address.rpartition("@")[2]) if page.reply else ""
    code = re.sub(r"[^a-z0-9]+", "", view.code.lower())
    width = re.search(r'width="([\d.]+)"', svg)
    assert width is not None
    return TournamentPicture(f"{code}-{what}@{domain or 'moderator.invalid'}", alt, round(float(width[1])), svg)


def _to_hashable_places(table: TournamentTable) -> tuple[tuple[int, tuple[int | None, ...]], ...]:
    return tuple((number, tuple(places)) for number, places in (table.progress or {}).items())


def _to_hashable_names(table: Crosstable) -> tuple[tuple[int, str], ...]:
    return tuple((line.number, line.name) for line in table.lines)


def _describe_progress(table: Crosstable, language: str) -> str:
    places = [
        render_label("cup-alt-place", language, place=line.place, name=clean_name(line.name))
        for line in table.lines
        if line.place
    ]
    return render_label("cup-alt-progress", language, places=places)


@lru_cache(maxsize=16)
def _render_crosstable(table: Crosstable, language: str) -> str:
    return render_crosstable_svg(table, language)


@lru_cache(maxsize=16)
def _render_progress(
    places: tuple[tuple[int, tuple[int | None, ...]], ...], names: tuple[tuple[int, str], ...], language: str
) -> str:
    return render_progress_svg(dict(places), dict(names), language)
