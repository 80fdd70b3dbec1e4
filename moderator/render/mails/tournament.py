"""A tournament in sentences: its name, who plays whom, results, byes, ties of a knock-out, the place of the reader; and
cells of its tables, for the HTML and in lines of fixed width for the text.

A result stands behind the names in the same piece (no-break spaces): ``1–0`` at the beginning of a line would be a
domino. No line is a match's code alone, which would name the match that the lines below it belong to. Nothing in a cell
of its own may be read as a move when a program gives every cell a line: numbers of two digits stand one below the
other, points have their unit, and a name stands between its place and its number."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from moderator.common.disk import LANGUAGES
from moderator.common.enums import GameKind
from moderator.common.text import clean_line, clean_name
from moderator.language import dates
from moderator.language.messages import load_labels, render_code, render_label
from moderator.notifications.content import (
    TournamentBracket,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentTie,
    TournamentView,
)
from moderator.notifications.pages import Page, list_tournament_views
from moderator.render.document import Row, Table
from moderator.render.mails.headline import format_points
from moderator.rules.ending import EndCause
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import Crosstable, CrosstableLine

AROUND: Final = 1
OWN: Final = "*"
WIDTH: Final = 78
"""Columns of a table as text."""
LEAST_NAME: Final = 10
LEGEND: Final = 60
HOLD: Final = "\u00a0"
"""Between cells: a mail program that wraps a quoted line breaks at spaces, and its end ("1–3", "-30") might be read as
a move. These lines it leaves whole."""


def build_short_table(table: TournamentTable, language: str, most: int | None) -> tuple[Table, int]:
    """Return place, name and points of the first ones and of those around the reader, and how many are left out. With
    ``most`` None nobody is."""
    cross = table.cross
    assert cross is not None
    own = next((at for at, line in enumerate(cross.lines) if line.number == table.you), None)
    kept = _choose_rows(len(cross.lines), own, len(cross.lines) if most is None else most)
    rows = tuple(_build_row(cross.lines[at], table, language) for at in kept)
    shown = Table(rows, lines=tuple(_iter_short_lines(rows)), is_small=True)
    return shown, len(cross.lines) - len(kept)


def _choose_rows(count: int, own: int | None, most: int) -> list[int]:
    """Return the rows to show: the first ones, and those around the reader."""
    near = range(0) if own is None or own < most else range(own - AROUND, min(own + AROUND + 1, count))
    return [*range(min(count, most - len(near))), *near]


def _build_row(line: CrosstableLine, table: TournamentTable, language: str) -> Row:
    points = format_decimal(line.points, language)
    mine = line.number == table.you
    name = clean_name(line.name)
    if line.place:
        text = render_label("cup-row", language, place=line.place, name=name)
    else:
        text = render_label("cup-row-out", language, name=name.strip("()"))
    return Row(text, (points,), is_mine=mine, is_bold=mine)


def render_ranked_name(line: CrosstableLine, language: str) -> str:
    """Return ``3. Anna · Nr. 7``."""
    code = "cup-ranked" if line.place else "cup-ranked-out"
    text = render_label(code, language, place=line.place, name=line.name, number=line.number)
    name, dot, number = text.rpartition(" · ")
    return name + dot.replace(" ", HOLD) + number.replace(" ", HOLD)


def format_decimal(value: str, language: str) -> str:
    """Return decimals as the language writes them."""
    return value.replace(".", render_label("decimal-mark", language))


def _iter_short_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows in fixed columns."""
    names = [f"{OWN if row.is_mine else HOLD}{HOLD}{row.name}" for row in rows]
    shown = [row.numbers[-1] if row.numbers else "" for row in rows]
    wide, points = max(map(len, names), default=0), max(map(len, shown), default=0)
    for name, number, row in zip(names, shown, rows, strict=True):
        below = f"  {row.below}" if row.below else ""
        yield (f"{name:<{wide}}  {number:>{points}}" + below).rstrip().replace(" ", HOLD)


def build_order_table(table: TournamentTable, code: str, you: str, language: str, most: int) -> Table:
    """Return a table of rungs or final places, where there are no points."""
    own = next((at for at, (_, name) in enumerate(table.order) if name == you), None)
    shown = (table.order[at] for at in _choose_rows(len(table.order), own, most))
    rows = tuple(
        Row(render_label(code, language, place=place, name=clean_name(name)), is_mine=name == you, is_bold=name == you)
        for place, name in shown
    )
    return Table(rows, lines=tuple(_iter_short_lines(rows)), is_small=True)


# ---- as text ----


def render_crosstable_text(table: Crosstable, language: str) -> str:
    """Return plain text, no line wider than 78 columns; of a list too wide the last rounds are shown, and tie-breaks
    that do not fit are left out from the last one on."""
    table = _fit_columns(table)
    grid = [_list_heads(table, language), *(_list_cells(line) for line in table.lines)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(grid[0]))]
    widths[2] = min(widths[2], max(LEAST_NAME, WIDTH - sum(widths) - len(widths) + 1 + widths[2]))
    printed = [_format_columns(line, widths).replace(" ", HOLD) for line in grid]
    legend = textwrap.wrap(render_code(f"cup-legend-{table.kind}", language), LEGEND)
    return "\n".join([*printed, *legend]) + "\n"


def _format_columns(line: Sequence[str], widths: Sequence[int]) -> str:
    shown = [_cut_cell(cell, width) for cell, width in zip(line, widths, strict=True)]
    columns = [
        cell.ljust(width) if column == 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(shown, widths, strict=True))
    ]
    return " ".join(columns).rstrip()


def _cut_cell(cell: str, width: int) -> str:
    if len(cell) <= width:
        return cell
    ending = "…)" if cell.endswith(")") else "…"
    return cell[: width - len(ending)] + ending


def _list_heads(table: Crosstable, language: str) -> tuple[str, ...]:
    cross = table.kind == "cross"
    heads = (str(head) if cross else render_code("cup-round", language, round=head) for head in table.heads)
    ties = (render_code(f"cup-tie-{code}", language) for code in table.columns)
    left = (render_label("cup-per-move-short", language),) if has_move_column(table) else ()
    span = (render_code("cup-range", language),) if any(line.range for line in table.lines) else ()
    names = (render_code(f"cup-{code}", language) for code in ("place", "number", "name"))
    return (*names, *heads, render_code("cup-points", language), *ties, *left, *span)


def _list_cells(line: CrosstableLine) -> tuple[str, ...]:
    left, span = ((one,) if one else () for one in (line.per_move, line.range))
    return (line.place, str(line.number), line.name, *line.cells, line.points, *line.ties, *left, *span)


def render_tie_break_legend(table: Crosstable, language: str) -> str:
    """Return the meaning of the columns behind the points, in the order in which they decide; an empty text where there
    are none."""
    columns = [_render_tie_break(code, language) for code in table.columns]
    return render_label("cup-tiebreaks", language, columns=columns) if columns else ""


def _render_tie_break(code: str, language: str) -> str:
    """Return ``Sonneborn-Berger (SoBe)``."""
    name, short = render_label(f"cup-tie-name-{code}", language), render_code(f"cup-tie-{code}", language)
    return (
        name if name.casefold() == short.casefold() else render_label("cup-tiebreak", language, name=name, short=short)
    )


def has_move_column(table: Crosstable) -> bool:
    """Return whether the table has the column of points left per move."""
    return any(line.per_move for line in table.lines)


def _fit_columns(table: Crosstable) -> Crosstable:
    """Drop the columns that do not fit beside names of ``LEAST_NAME``: first rounds of long ago (at least three stay),
    then the points left per move, then the last tie-breaks. Possible places are given for everybody or for nobody."""
    if any(line.range for line in table.lines):
        table = replace(table, lines=tuple(replace(line, range=line.range or "–") for line in table.lines))
    while _compute_least_width(table) > WIDTH:
        if table.kind != "cross" and len(table.heads) > 3:
            lines = tuple(replace(line, cells=line.cells[1:]) for line in table.lines)
            table = replace(table, heads=table.heads[1:], lines=lines)
        elif has_move_column(table):
            table = replace(table, lines=tuple(replace(line, per_move="") for line in table.lines))
        elif table.columns:
            lines = tuple(replace(line, ties=line.ties[:-1]) for line in table.lines)
            table = replace(table, columns=table.columns[:-1], lines=lines)
        else:
            break
    return table


def _compute_least_width(table: Crosstable) -> int:
    """Return the table's least width, in the language with the longest headings."""
    widest = 0
    for language in LANGUAGES:
        grid = [_list_heads(table, language), *(_list_cells(line) for line in table.lines)]
        widths = [max(len(line[column]) for line in grid) for column in range(len(grid[0]))]
        widths[2] = min(widths[2], LEAST_NAME)
        widest = max(widest, sum(widths) + len(widths) - 1)
    return widest


# ---- what it is called, and where the reader stands ----


IN_SUBJECT = 23
"""Characters of a tournament's name in a subject; the code behind it is never cut."""


@dataclass(frozen=True)
class TournamentPlace:
    """The place of the reader in the table."""

    place: int
    count: int


def get_page_tournament(page: Page) -> TournamentView:
    """Return the tournament of a mail about one."""
    return list_tournament_views(page.content)[0]


def render_tournament_name(view: TournamentView, language: str) -> str:
    """Return ``Herbstturnier``; of a league ``Liga · Saison 2 · 1. Liga``."""
    name, parts = clean_name(view.name), list[str]()
    if view.season:
        name = name.removesuffix(f" {view.season}")
        parts.append(render_label("cup-season", language, season=view.season))
    if len(view.fields) > 1 and view.own:
        parts.append(render_label("cup-section-division", language, division=view.own))
    return " · ".join((name, *parts))


def render_tournament_titles(page: Page) -> tuple[str, str]:
    """Return its name, and for a subject with the code, which tells the answers apart: ``Herbstturnier (T3)``."""
    view, language = get_page_tournament(page), page.reader.language
    short = render_label("cup-about", language, name=clean_line(view.name, IN_SUBJECT), code=view.code)
    return render_tournament_name(view, language), short


def format_round_end(page: Page, view: TournamentView) -> str:
    """Return the latest end of the round on the reader's clock."""
    reader = page.reader
    assert view.ends_at is not None
    return dates.format_moment(view.ends_at, page.now, reader.language, reader.zone, page.club_zone)


def find_own_table(view: TournamentView) -> TournamentTable | None:
    """Return the table of the reader's division, or of the highest one; None if there is none."""
    wanted = view.own or 1
    return next((table for table in view.tables if table.division == wanted), None)


def find_reader_place(view: TournamentView, name: str) -> TournamentPlace | None:
    """Return the place or rung of the reader, who has that name; None for a reader without one."""
    table = find_own_table(view)
    if table is None:
        return None
    if table.cross is None:
        found = [at for at, one in table.order if one == name]
        return TournamentPlace(found[0], len(table.order)) if found else None
    counted = [line for line in table.cross.lines if line.place]
    own = next((line for line in counted if line.number == table.you), None)
    return TournamentPlace(int(own.place), len(counted)) if own else None


def render_reader_standing(page: Page, view: TournamentView) -> str:
    """Return the reader's place in a running tournament; an empty text without one."""
    own = find_reader_place(view, page.reader.name)
    if own is None:
        return ""
    code = "cup-rung" if is_ladder(find_own_table(view)) else "cup-place-now"
    return render_label(code, page.reader.language, place=own.place, count=own.count)


def is_ladder(table: TournamentTable | None) -> bool:
    """Return whether its places are called rungs."""
    return table is not None and isinstance(table.table, TournamentRungs)


def get_bracket(view: TournamentView) -> TournamentBracket | None:
    """Return the bracket of a knock-out."""
    table = find_own_table(view)
    return table.table if table is not None and isinstance(table.table, TournamentBracket) else None


def list_division_winners(table: TournamentTable | None) -> tuple[str, ...]:
    """Return the names on the first place of a division."""
    if table is None:
        return ()
    if table.cross is None:
        return tuple(name for at, name in table.order if at == 1)
    return tuple(line.name for line in table.cross.lines if line.place == "1")


# ---- pairings and results ----


def render_pairing(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """Return ``Anna – Bert``, in a knock-out with the name of its stage; with its result once it has one."""
    what = _render_bye(game, language) if game.kind == GameKind.BYE else _render_players(game, language)
    return what if get_format(view).table else _render_stage_game(game, view, what, language)


def _render_stage_game(game: TournamentGameLine, view: TournamentView, what: str, language: str) -> str:
    """Return ``Finale: Anna – Bert``; in other rounds all play in one stage."""
    if not view.rounds or game.round < view.rounds or game.kind == GameKind.BYE:
        return what
    return render_label("cup-stage-game", language, stage=render_stage(to_tie(game, view), view, language), what=what)


def to_tie(game: TournamentGameLine, view: TournamentView) -> TournamentTie:
    return TournamentTie(game.round, game.names, third=game.round == view.rounds and game.board > 2)


def _render_bye(game: TournamentGameLine, language: str) -> str:
    return render_label(f"cup-names-bye{get_bye_suffix(game)}", language, name=clean_name(game.names[0]))


def get_bye_suffix(game: TournamentGameLine) -> str:
    return {"½": "-half", "0": "-none"}.get("".join(game.points), "")


def _render_players(game: TournamentGameLine, language: str) -> str:
    names = [clean_name(name) for name in game.names]
    two = len(names) == 2
    if not game.points:
        return " – ".join(names) if two else ", ".join(names)
    scores = game.scores if any(game.scores) else ()
    if two:
        text = f"{' – '.join(names)}:{HOLD}{'–'.join(game.points)}"
        text += f"{HOLD}({':'.join(map(format_points, scores))})" if scores else ""
    else:
        behind = [f"{HOLD}({format_points(score)})" for score in scores] or [""] * len(names)
        text = ", ".join(f"{n}{HOLD}{p}{s}" for n, p, s in zip(names, game.points, behind, strict=True))
    how = render_settlement(game, language)
    return f"{text}, {how}" if how else text


def render_settlement(game: TournamentGameLine, language: str) -> str:
    """Return ``abgeschätzt, berichtigt``; an empty text for a game that was played to its end."""
    how = EndCause.FORFEIT if game.kind == GameKind.FORFEIT and game.how == EndCause.RULED else game.how
    codes = ([] if how == EndCause.PLAYED else [how.value]) + (["corrected"] if game.corrected else [])
    return ", ".join(render_label(f"cup-ended-{code}", language) for code in codes)


def render_own_game(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """Return a game as one of those who play it reads it."""
    assert game.you is not None
    if game.kind == GameKind.BYE:
        kind = get_bye_suffix(game) if get_format(view).table else "-knockout"
        return render_label(f"cup-own-bye{kind}", language)
    others = list_opponent_names(game)
    if game.points:
        return _render_own_result(game, others, language)
    code = "cup-own-open" if len(others) == 1 else "cup-own-open-several"
    return render_label(code, language, name=others[0], names=list(others), match=game.match)


def list_opponent_names(game: TournamentGameLine) -> tuple[str, ...]:
    """Return the names of those whom the reader meets in a game."""
    return tuple(clean_name(name) for seat, name in enumerate(game.names) if seat != game.you)


def list_open_games(view: TournamentView) -> list[TournamentGameLine]:
    """Return the reader's games that have no result yet."""
    return [game for game in view.yours if not game.points]


def _render_own_result(game: TournamentGameLine, others: Sequence[str], language: str) -> str:
    assert game.you is not None
    mine = game.points[game.you]
    if len(others) > 1:
        text = render_label("cup-own-several", language, names=list(others), points=mine)
    else:
        how = {"1": "won", "0": "lost"}.get(mine, "drawn")
        scores = game.scores if any(game.scores) else ()
        kind = "" if scores else "-bare"
        facts = (
            {"own": format_points(scores[game.you]), "theirs": format_points(scores[1 - game.you])} if scores else {}
        )
        text = render_label(f"cup-own-{how}{kind}", language, name=others[0], **facts)
    ended = render_settlement(game, language)
    return f"{text}, {ended}" if ended else text


def render_stage(tie: TournamentTie, view: TournamentView, language: str) -> str:
    """Return ``Halbfinale``."""
    code = f"cup-stage-{get_stage(tie, view)}"
    return render_label(code if code in load_labels(language) else "cup-stage", language, round=tie.round)


def get_stage(tie: TournamentTie, view: TournamentView) -> str:
    """Return ``third``, or how many ties the stage has, which give it its name."""
    return "third" if tie.third else str(2 ** max(0, view.rounds - tie.round))


def render_tie(one: TournamentTie, view: TournamentView, language: str) -> str:
    """Return the two of a tie, the result between them, and who goes on."""
    names = [clean_name(name) for name in one.names]
    if len(names) == 1:
        return render_label("cup-tie-bye", language, one=names[0])
    facts = {"one": names[0], "other": names[1], "points": "–".join(one.points)}
    if one.through is None:
        return render_label("cup-tie-points" if one.points else "cup-tie-open", language, **facts).replace(
            ": ", f":{HOLD}"
        )
    last = one.round == view.rounds
    code = "cup-tie-over-bare" if not one.points else "cup-tie-over-final" if last else "cup-tie-over"
    text = render_label(code, language, winner=names[one.through], **facts)
    if len(set(one.points)) == 1:
        why = "scores" if len(set(one.sums)) > 1 else "seed"
        text = render_label(f"cup-tie-by-{why}", language, text=text, sums=" : ".join(map(format_points, one.sums)))
    return text.replace(f": {facts['points']}", f":{HOLD}{facts['points']}") if one.points else text
