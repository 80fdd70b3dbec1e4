"""What a mail says about a tournament, as sections: pairings, results, tables, pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from moderator.render.document import Block, Heading, Items, Para, Picture
from moderator.render.mails import tournament, tournament_cells
from moderator.render.mails.position import get_picture_domain
from moderator.render.mails.sections import build_section, tell_lines
from moderator.render.png import render_png
from moderator.render.text import build_mailto
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import Crosstable


def show_tournaments(page: Page) -> Iterator[Block]:
    """Yield what there is to say about tournaments; in a daily mail a short table of each."""
    for view in list_tournament_views(page.content):
        if page.kind != MailKind.DIGEST:
            yield from _iter_sections(view, page)
        elif (table := tournament.find_own_table(view)) is not None:
            yield from _iter_daily_section(view, table, page)


def _iter_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    if view.topic == "news":
        return
    if view.status in (TournamentStatus.PLANNED, TournamentStatus.OPEN):
        yield from _iter_invitation_sections(view, page)
    elif view.topic == "pairings":
        yield from _iter_pairing_sections(view, page)
    elif view.topic == "warning":
        yield from _iter_open_games_section(view, page)
    else:
        if any(note.code == "cup-challenged" for note in page.notes):
            yield from _iter_challenge_sections(view, page)
        yield from _iter_report_sections(view, page)


# ---- before it begins ----


def _iter_invitation_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    language = page.reader.language
    yield from build_section(render_label("cup-section-how", language), tuple(iter_format_lines(view, language)))
    waiting = [clean_name(name) for name in view.standby]
    if view.you_in and page.reader.name in view.standby:
        at = view.standby.index(page.reader.name) + 1
        yield from build_section("", (render_label("cup-you-wait", language, code=view.code, place=at),))
    elif view.you_in:
        yield from build_section("", (render_label("cup-you-in", language, code=view.code),))
    elif view.status == TournamentStatus.OPEN:
        yield from _iter_join_section(view, page)
    names = [clean_name(name) for name in view.entrants]
    lines = [render_label("cup-field-open" if names else "cup-field-none", language, names=names, count=len(names))]
    if waiting:
        lines.append(render_label("cup-field-standby", language, names=waiting))
    yield from build_section(render_label("cup-section-field", language), tuple(lines))


def iter_format_lines(view: TournamentView, language: str) -> Iterator[str]:
    """Yield game and format in words."""
    yield render_label("cup-game", language, game=render_code("name", language, view.game))
    code = f"cup-format-{get_format(view).words}{get_format(view).describe_variant(view.rounds, view.legs)}"
    yield render_label(code, language, rounds=view.rounds, seats=view.seats, reach=view.reach, size=view.division)
    if view.legs == 2 and view.starter is not None:
        yield render_label("cup-each-starts", language)


def _iter_join_section(view: TournamentView, page: Page) -> Iterator[Block]:
    language = page.reader.language
    lines = [render_label("cup-join", language, code=view.code)]
    if view.places:
        full = len(view.entrants) >= view.places
        lines.append(render_label("cup-places-full" if full else "cup-places", language, places=view.places))
    heading, link = render_label("cup-section-join", language), _build_answer_link("cup-join-body", view, page)
    yield from build_section(heading, tuple(lines), link=link, button=render_label("cup-join-button", language))


def _build_answer_link(code: str, view: TournamentView, page: Page) -> str:
    """Return the link of a prefilled answer with this line and nothing else; an empty text where no answer is
    possible."""
    if page.reply is None:
        return ""
    language = page.reader.language
    body = f"{render_label(code, language, code=view.code)}\n\n{render_label('marker', language)}\n"
    return build_mailto(ReplyAddress(page.reply.address, "", body), f"{clean_name(view.name)} ({view.code})")


# ---- while it runs ----


def _iter_challenge_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    """Yield the two answers to a challenge, which the first lines of the mail announce."""
    for answer in ("accept", "refuse"):
        link = _build_answer_link(f"cup-{answer}-body", view, page)
        yield from build_section("", link=link, button=render_label(f"cup-{answer}-button", page.reader.language))


def _iter_pairing_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    language = page.reader.language
    if view.yours:
        yield from _iter_own_games_section(view.yours, page, "cup-section-yours", _list_next_steps(view, page))
    if view.at_once:
        yield from _iter_field_section(view, page)
    elif view.games:
        items = tuple(tournament.render_pairing(game, view, language) for game in view.games)
        yield from build_section(render_label("cup-section-pairings", language), (), items, look="list")


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


def _iter_own_games_section(
    games: tuple[TournamentGameLine, ...], page: Page, heading: str, after: tuple[str, ...] = ()
) -> Iterator[Block]:
    language = page.reader.language
    items = tuple(tournament.render_own_game(game, tournament.get_page_tournament(page), language) for game in games)
    one = "-one" if len(items) == 1 and heading == "cup-section-yours" else ""
    yield from build_section(render_label(heading + one, language), (), items, look="list")
    yield from tell_lines(after)


def _iter_field_section(view: TournamentView, page: Page) -> Iterator[Block]:
    """Return the players, where everybody meets everybody or there are too many games to list; the reader's own
    division first."""
    language = page.reader.language
    heading = render_label("cup-section-field", language)
    fields = [(n, [clean_name(name) for name in names]) for n, names in enumerate(view.fields, 1)]
    if len(fields) < 2:
        names = fields[0][1] if fields else []
        yield from build_section(heading, (render_label("cup-field", language, names=names, count=len(names)),))
        return
    fields.sort(key=lambda one: (one[0] != view.own, one[0]))
    items = tuple(render_label("cup-field-division", language, division=n, names=names) for n, names in fields)
    yield from build_section(heading, (), items, look="list")


def _iter_open_games_section(view: TournamentView, page: Page) -> Iterator[Block]:
    games = tuple(game for game in view.yours if not game.points)
    yield from _iter_own_games_section(games, page, "cup-section-still-open", _list_next_steps(view, page))


# ---- results ----


def _iter_report_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    """Yield the results, the table, the others' tables, and pictures."""
    language = page.reader.language
    if view.topic == "table" and view.status == TournamentStatus.RUNNING:
        games = tuple(game for game in view.yours if not game.points)
        if games:
            yield from _iter_own_games_section(games, page, "cup-section-yours")
    own = tournament.find_own_table(view)
    bracket = own is not None and isinstance(own.table, TournamentBracket)  # which has the results
    if view.topic == "report" and view.games and not bracket:
        items = tuple(
            tournament.render_pairing(game, view, language) for game in _sort_own_first(view, page.reader.name)
        )
        yield from build_section(render_label("cup-section-results", language), (), items, look="list")
    if own is not None:
        yield from _iter_table_sections(own, view, page)
    for table in view.tables:
        if table is not own and table.cross is not None:
            yield from _iter_other_division(table, language)


def _sort_own_first(view: TournamentView, name: str) -> list[TournamentGameLine]:
    return sorted(view.games, key=lambda game: name not in game.names)


def _iter_table_sections(table: TournamentTable, view: TournamentView, page: Page) -> Iterator[Block]:
    match table.table:
        case TournamentRungs():
            yield from _iter_ladder_sections(table, table.table, view, page)
        case TournamentBracket():
            yield from _iter_bracket_sections(table, table.table, view, page)
        case Crosstable():
            yield from _iter_points_section(table, table.table, view, page)


def _iter_points_section(
    table: TournamentTable, cross: Crosstable, view: TournamentView, page: Page
) -> Iterator[Block]:
    language = page.reader.language
    last = view.topic == "final" or view.status == TournamentStatus.FINISHED
    heading = render_label("cup-section-table-final" if last else "cup-section-table", language)
    if len(view.tables) > 1:
        heading = render_label("cup-section-division", language, division=table.division)
    grid, left = tournament_cells.build_full_table(table, language)
    after = [render_label("cup-table-rest", language, count=left)] if left else []
    after += filter(None, [tournament_cells.render_tie_break_legend(cross, language)])
    after += [render_label("cup-per-move-means", language)] if tournament_cells.has_move_column(cross) else []
    after += _render_league_moves(table, cross, language)
    yield from (Heading(heading), grid, *tell_lines(after))
    if view.topic == "final":
        yield from _iter_pictures(table, cross, view, page)


def _render_league_moves(table: TournamentTable, cross: Crosstable, language: str) -> list[str]:
    """Return lines on who goes up and down, if they play again."""
    names = [clean_name(line.name) for line in cross.lines]
    found = [render_label("cup-up", language, names=names[: table.up])] if table.up else []
    return found + ([render_label("cup-down", language, names=names[-table.down :])] if table.down else [])


def _iter_other_division(table: TournamentTable, language: str) -> Iterator[Block]:
    grid, left = tournament_cells.build_short_table(table, language)
    rest = (render_label("cup-table-rest", language, count=left),) if left else ()
    yield Heading(render_label("cup-section-division", language, division=table.division))
    yield from (grid, *tell_lines(rest))


def _iter_bracket_sections(
    table: TournamentTable, bracket: TournamentBracket, view: TournamentView, page: Page
) -> Iterator[Block]:
    """Yield the ties by round, the latest first; at the end the places, too."""
    language = page.reader.language
    stages: dict[tuple[int, bool], list[str]] = {}
    headings: dict[tuple[int, bool], str] = {}
    for tie in bracket.ties:
        key = (-tie.round, tie.third)
        headings[key] = tournament.render_stage(tie, view, language)
        stages.setdefault(key, []).append(tournament.render_tie(tie, view, language))
    for key in sorted(stages):
        yield from build_section(headings[key], (), tuple(stages[key]), look="list")
    if bracket.order:
        yield Heading(render_label("cup-section-places", language))
        yield tournament_cells.build_order_table(table, "cup-place-row", page.reader.name, language)


def _iter_ladder_sections(
    table: TournamentTable, rungs: TournamentRungs, view: TournamentView, page: Page
) -> Iterator[Block]:
    language = page.reader.language
    yield Heading(render_label("cup-section-ladder", language))
    yield tournament_cells.build_order_table(table, "cup-ladder-row", page.reader.name, language)
    if rungs.challenges:
        items = tuple(
            render_label(
                f"cup-challenge-{'played' if taken else 'open'}", language, one=clean_name(a), other=clean_name(b)
            )
            for a, b, taken in rungs.challenges
        )
        yield from build_section(render_label("cup-section-challenges", language), (), items, look="list")
    if view.challengeable:
        names = [clean_name(name) for name in view.challengeable]
        yield from build_section("", (render_label("cup-challenge-how", language, names=names, code=view.code),))


# ---- in the daily mail ----


def _iter_daily_section(view: TournamentView, table: TournamentTable, page: Page) -> Iterator[Block]:
    language = page.reader.language
    where = " ".join(tournament.iter_reader_standing(page, view))
    yield Heading(render_label("cup-digest-heading", language, name=clean_name(view.name)))
    yield Para((where,))
    if isinstance(table.table, TournamentBracket):
        ties = (tie for tie in table.table.ties if tie.round == view.round)
        yield Items(tuple(tournament.render_tie(tie, view, language) for tie in ties), "list")
    elif tournament.is_ladder(table):
        yield tournament_cells.build_order_table(table, "cup-ladder-row", page.reader.name, language)
    else:
        yield tournament_cells.build_short_table(table, language)[0]
    yield Para((render_label("cup-digest-more", language, code=view.code),))


# ---- the pictures of a tournament's final report; each is drawn once, however many readers it has ----


MOST: Final = 20
"""With more entrants nothing could be read on a phone, and the pictures weigh too much."""


def _iter_pictures(table: TournamentTable, cross: Crosstable, view: TournamentView, page: Page) -> Iterator[Block]:
    """Yield crosstable and progress of the reader's division, for those who want pictures."""
    if page.reader.board != BoardForm.PNG or len(cross.lines) > MOST:
        return
    language = page.reader.language
    alt = render_label("cup-alt-cross", language)
    yield _build_picture(page, view, "table", _render_crosstable(cross, language), alt)
    if table.progress and max(map(len, table.progress.values())) > 1:
        svg = _render_progress(_to_hashable_places(table), _to_hashable_names(cross), language)
        yield _build_picture(page, view, "progress", svg, _describe_progress(cross, language))


def _build_picture(page: Page, view: TournamentView, what: str, svg: str, alt: str) -> Picture:
    code = re.sub(r"[^a-z0-9]+", "", view.code.lower())
    width = re.search(r'width="([\d.]+)"', svg)
    assert width is not None
    return Picture(f"{code}-{what}@{get_picture_domain(page)}", alt, round(float(width[1])), render_png(svg))


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
