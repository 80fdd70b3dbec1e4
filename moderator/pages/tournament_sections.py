"""A mail about a tournament as finished parts: headings, paragraphs, lists, tables, pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from moderator.pages import tournament_lines, tournament_tables
from moderator.pages.content import tournaments
from moderator.pages.flow import mailto
from moderator.pages.messages import label, say
from moderator.pages.pages import Page, Reply
from moderator.pages.tournament_tables import Grid
from moderator.pages.tournament_view import (
    TournamentBracket,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentView,
)
from moderator.printable import clean_name
from moderator.states import BoardForm, MailKind, TournamentStatus
from moderator.tournaments.crosstable import Crosstable
from moderator.tournaments.formats import of


@dataclass(frozen=True)
class TournamentSection:
    """A stretch of a mail, in this order."""

    heading: str = ""
    lines: tuple[str, ...] = ()
    """Paragraphs."""
    items: tuple[str, ...] = ()
    grid: Grid | None = None
    text: tuple[str, ...] = ()
    """The same table in lines of fixed width, for the text mail."""
    small: tuple[str, ...] = ()
    """How the table is read, in HTML (the text has it already)."""
    after: tuple[str, ...] = ()
    """Paragraphs below the table."""
    pictures: tuple[Picture, ...] = ()
    link: str = ""
    """A prefilled answer."""
    button: str = ""


def parts(page: Page) -> tuple[TournamentSection, ...]:
    """All of them; in a daily mail a short table of each tournament."""
    views = tournaments(page.content)
    if page.kind == MailKind.DIGEST:
        return tuple(_daily(view, page) for view in views if tournament_lines.own_table(view) is not None)
    found: list[TournamentSection] = []
    for view in views:
        found += _parts(view, page)
    return tuple(found)


def _parts(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    if view.topic == "news":
        return
    if view.status in (TournamentStatus.PLANNED, TournamentStatus.OPEN):
        yield from _invitation(view, page)
    elif view.topic == "pairings":
        yield from _pairings(view, page)
    elif view.topic == "warning":
        yield _still_open(view, page)
    else:
        if any(note.code == "cup-challenged" for note in page.notes):
            yield from _challenged(view, page)
        yield from _report(view, page)


# ---- before it begins ----


def _invitation(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    language = page.reader.language
    yield TournamentSection(label("cup-section-how", language), tuple(how(view, language)))
    waiting = [clean_name(name) for name in view.standby]
    if view.you_in and page.reader.name in view.standby:
        at = view.standby.index(page.reader.name) + 1
        yield TournamentSection(lines=(label("cup-you-wait", language, code=view.code, place=at),))
    elif view.you_in:
        yield TournamentSection(lines=(label("cup-you-in", language, code=view.code),))
    elif view.status == TournamentStatus.OPEN:
        yield _join(view, page)
    names = [clean_name(name) for name in view.entrants]
    lines = [label("cup-field-open" if names else "cup-field-none", language, names=names, count=len(names))]
    if waiting:
        lines.append(label("cup-field-standby", language, names=waiting))
    yield TournamentSection(label("cup-section-field", language), tuple(lines))


def how(view: TournamentView, language: str) -> Iterator[str]:
    """Game and format in words."""
    yield label("cup-game", language, game=say("name", language, view.game))
    code = f"cup-format-{of(view).words}{of(view).described(view.rounds, view.legs)}"
    yield label(code, language, rounds=view.rounds, seats=view.seats, reach=view.reach, size=view.division)
    if view.legs == 2 and view.starter is not None:
        yield label("cup-each-starts", language)


def _join(view: TournamentView, page: Page) -> TournamentSection:
    language = page.reader.language
    lines = [label("cup-join", language, code=view.code)]
    if view.places:
        full = len(view.entrants) >= view.places
        lines.append(label("cup-places-full" if full else "cup-places", language, places=view.places))
    heading, link = label("cup-section-join", language), _answer("cup-join-body", view, page)
    return TournamentSection(heading, tuple(lines), link=link, button=label("cup-join-button", language))


def _answer(code: str, view: TournamentView, page: Page) -> str:
    """A mail that says this line and nothing else; "" where none can be answered."""
    if page.reply is None:
        return ""
    language = page.reader.language
    body = f"{label(code, language, code=view.code)}\n\n{label('marker', language)}\n"
    return mailto(Reply(page.reply.address, "", body), f"{clean_name(view.name)} ({view.code})", language)


# ---- while it runs ----


def _challenged(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    """The two answers to a challenge, of which the first lines of the mail tell."""
    for answer in ("accept", "refuse"):
        link = _answer(f"cup-{answer}-body", view, page)
        yield TournamentSection(link=link, button=label(f"cup-{answer}-button", page.reader.language))


def _pairings(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    language = page.reader.language
    if view.yours:
        yield _yours(view.yours, page, "cup-section-yours", _what_then(view, page))
    if view.at_once:
        yield _field(view, page)
    elif view.games:
        items = tuple(tournament_lines.pairing(game, view, language) for game in view.games)
        yield TournamentSection(label("cup-section-pairings", language), items=items)


def _what_then(view: TournamentView, page: Page) -> tuple[str, ...]:
    """What the reader has to do, and what happens to games that take too long."""
    language = page.reader.language
    still = sum(not game.points for game in view.yours)
    if not still:
        last = "-last" if view.rounds and view.round >= view.rounds else ""
        return (label(f"cup-nothing-to-do{last}", language),) if not view.at_once else ()
    return (
        label("cup-mail-one" if still == 1 else "cup-mail-each", language),
        label(f"cup-after-{view.adjudicate}", language),
    )


def _yours(
    games: tuple[TournamentGameLine, ...], page: Page, heading: str, after: tuple[str, ...] = ()
) -> TournamentSection:
    language = page.reader.language
    items = tuple(tournament_lines.own(game, tournament_lines.about(page), language) for game in games)
    one = "-one" if len(items) == 1 and heading == "cup-section-yours" else ""
    return TournamentSection(label(heading + one, language), items=items, after=after)


def _field(view: TournamentView, page: Page) -> TournamentSection:
    """Who takes part, where everybody meets everybody or there are too many games to list; the reader's own division
    first."""
    language = page.reader.language
    heading = label("cup-section-field", language)
    fields = [(n, [clean_name(name) for name in names]) for n, names in enumerate(view.fields, 1)]
    if len(fields) < 2:
        names = fields[0][1] if fields else []
        return TournamentSection(heading, (label("cup-field", language, names=names, count=len(names)),))
    fields.sort(key=lambda one: (one[0] != view.own, one[0]))
    return TournamentSection(
        heading, items=tuple(label("cup-field-division", language, division=n, names=x) for n, x in fields)
    )


def _still_open(view: TournamentView, page: Page) -> TournamentSection:
    games = tuple(game for game in view.yours if not game.points)
    return _yours(games, page, "cup-section-still-open", _what_then(view, page))


# ---- results ----


def _report(view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    """What was played, the table, the others' tables, pictures."""
    language = page.reader.language
    if view.topic == "table" and view.status == TournamentStatus.RUNNING:
        games = tuple(game for game in view.yours if not game.points)
        if games:
            yield _yours(games, page, "cup-section-yours")
    own = tournament_lines.own_table(view)
    bracket = own is not None and isinstance(own.table, TournamentBracket)  # which has the results
    if view.topic == "report" and view.games and not bracket:
        items = tuple(tournament_lines.pairing(game, view, language) for game in _own_first(view, page.reader.name))
        yield TournamentSection(label("cup-section-results", language), items=items)
    if own is not None:
        yield from _table(own, view, page)
    for table in view.tables:
        if table is not own and table.cross is not None:
            yield _other(table, language)


def _own_first(view: TournamentView, name: str) -> list[TournamentGameLine]:
    return sorted(view.games, key=lambda game: name not in game.names)


def _table(table: TournamentTable, view: TournamentView, page: Page) -> Iterator[TournamentSection]:
    match table.table:
        case TournamentRungs():
            yield from _rungs(table, table.table, view, page)
        case TournamentBracket():
            yield from _bracket(table, table.table, view, page)
        case Crosstable():
            yield _points(table, table.table, view, page)


def _points(table: TournamentTable, cross: Crosstable, view: TournamentView, page: Page) -> TournamentSection:
    language = page.reader.language
    last = view.topic == "final" or view.status == TournamentStatus.FINISHED
    heading = label("cup-section-table-final" if last else "cup-section-table", language)
    if len(view.tables) > 1:
        heading = label("cup-section-division", language, division=table.division)
    grid, left = tournament_tables.whole(table, language)
    small = (label(f"cup-legend-{cross.kind}", language),) if grid.heads else ()
    after = [label("cup-table-rest", language, count=left)] if left else []
    after += filter(None, [tournament_tables.tie_breaks_told(cross, language)])
    after += [label("cup-per-move-means", language)] if tournament_tables.tells_of_moves(cross) else []
    after += _movers(table, cross, language)
    text = tournament_tables.lines(table, language)
    return TournamentSection(heading, grid=grid, text=text, small=small, after=tuple(after), pictures=pictures(page))


def _movers(table: TournamentTable, cross: Crosstable, language: str) -> list[str]:
    """Who goes up and down, if they play again."""
    names = [clean_name(line.name) for line in cross.lines]
    found = [label("cup-up", language, names=names[: table.up])] if table.up else []
    return found + ([label("cup-down", language, names=names[-table.down :])] if table.down else [])


def _other(table: TournamentTable, language: str) -> TournamentSection:
    grid, left = tournament_tables.short(table, language)
    rest = (label("cup-table-rest", language, count=left),) if left else ()
    heading = label("cup-section-division", language, division=table.division)
    return TournamentSection(heading, grid=grid, text=tournament_tables.short_lines(grid), after=rest)


def _bracket(
    table: TournamentTable, bracket: TournamentBracket, view: TournamentView, page: Page
) -> Iterator[TournamentSection]:
    """The ties by round, the latest first; at the end the places, too."""
    language = page.reader.language
    stages: dict[tuple[int, bool], list[str]] = {}
    headings: dict[tuple[int, bool], str] = {}
    for tie in bracket.ties:
        key = (-tie.round, tie.third)
        headings[key] = tournament_lines.stage(tie, view, language)
        stages.setdefault(key, []).append(tournament_lines.tie(tie, view, language))
    for key in sorted(stages):
        yield TournamentSection(headings[key], items=tuple(stages[key]))
    if bracket.order:
        grid = tournament_tables.order(table, "cup-place-row", page.reader.name, language)
        text = tournament_tables.short_lines(grid)
        yield TournamentSection(label("cup-section-places", language), grid=grid, text=text)


def _rungs(
    table: TournamentTable, rungs: TournamentRungs, view: TournamentView, page: Page
) -> Iterator[TournamentSection]:
    language = page.reader.language
    grid = tournament_tables.order(table, "cup-ladder-row", page.reader.name, language)
    yield TournamentSection(label("cup-section-ladder", language), grid=grid, text=tournament_tables.short_lines(grid))
    if rungs.challenges:
        items = tuple(
            label(f"cup-challenge-{'played' if taken else 'open'}", language, one=clean_name(a), other=clean_name(b))
            for a, b, taken in rungs.challenges
        )
        yield TournamentSection(label("cup-section-challenges", language), items=items)
    if view.challengeable:
        names = [clean_name(name) for name in view.challengeable]
        yield TournamentSection(lines=(label("cup-challenge-how", language, names=names, code=view.code),))


# ---- in the daily mail ----


def _daily(view: TournamentView, page: Page) -> TournamentSection:
    language, table = page.reader.language, tournament_lines.own_table(view)
    assert table is not None
    heading = label("cup-digest-heading", language, name=clean_name(view.name))
    where = " ".join(tournament_lines.standing(page, view))
    more = (label("cup-digest-more", language, code=view.code),)
    lines = (where,) if where else ()
    if isinstance(table.table, TournamentBracket):
        ties = (tie for tie in table.table.ties if tie.round == view.round)
        items = tuple(tournament_lines.tie(tie, view, language) for tie in ties)
        return TournamentSection(heading, lines, items, after=more)
    if tournament_lines.on_rungs(table):
        grid = tournament_tables.order(table, "cup-ladder-row", page.reader.name, language)
    else:
        grid, _ = tournament_tables.short(table, language)
    return TournamentSection(heading, lines, grid=grid, text=tournament_tables.short_lines(grid), after=more)


# ---- the pictures of a tournament's final report; each is drawn once, however many readers it has ----


MOST: Final = 20
"""With more entrants nothing could be read on a phone, and the pictures weigh too much."""


@dataclass(frozen=True)
class Picture:
    cid: str
    alt: str
    width: int
    svg: str


def pictures(page: Page) -> tuple[Picture, ...]:
    """Crosstable and progress of the reader's division, for those who want pictures; () in other mails."""
    found: list[Picture] = []
    for view in tournaments(page.content):
        table = _own_table(view)
        if view.topic != "final" or page.reader.board != BoardForm.PNG or table is None or table.cross is None:
            continue
        if len(table.cross.lines) > MOST:
            continue
        language = page.reader.language
        found.append(_picture(page, view, "table", _cross(table.cross, language), label("cup-alt-cross", language)))
        if table.progress and max(map(len, table.progress.values())) > 1:
            svg = _progress(_places(table), _names(table.cross), language)
            found.append(_picture(page, view, "progress", svg, _spoken(table.cross, language)))
    return tuple(found)


def _own_table(view: TournamentView) -> TournamentTable | None:
    own = [table for table in view.tables if table.division == (view.own or 1)]
    return own[0] if own else None


def _picture(page: Page, view: TournamentView, what: str, svg: str, alt: str) -> Picture:
    domain = re.sub(r"[^A-Za-z0-9.-]", "", page.reply.address.rpartition("@")[2]) if page.reply else ""
    code = re.sub(r"[^a-z0-9]+", "", view.code.lower())
    width = re.search(r'width="([\d.]+)"', svg)
    assert width is not None
    return Picture(f"{code}-{what}@{domain or 'moderator.invalid'}", alt, round(float(width[1])), svg)


def _places(table: TournamentTable) -> tuple[tuple[int, tuple[int | None, ...]], ...]:
    return tuple((number, tuple(places)) for number, places in (table.progress or {}).items())


def _names(table: Crosstable) -> tuple[tuple[int, str], ...]:
    return tuple((line.number, line.name) for line in table.lines)


def _spoken(table: Crosstable, language: str) -> str:
    places = [
        label("cup-alt-place", language, place=line.place, name=clean_name(line.name))
        for line in table.lines
        if line.place
    ]
    return label("cup-alt-progress", language, places=places)


@lru_cache(maxsize=16)
def _cross(table: Crosstable, language: str) -> str:
    from moderator.pages.crosstable_pictures import crosstable_svg

    return crosstable_svg(table, language)


@lru_cache(maxsize=16)
def _progress(
    places: tuple[tuple[int, tuple[int | None, ...]], ...], names: tuple[tuple[int, str], ...], language: str
) -> str:
    from moderator.pages.crosstable_pictures import progress_svg

    return progress_svg(dict(places), dict(names), language)
