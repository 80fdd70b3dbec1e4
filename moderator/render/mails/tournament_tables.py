"""What a mail about a tournament says below its headline, as sections: how it is played, the pairings of others, a
short table. Everything else stands on its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from moderator.common.enums import MailKind, TournamentStatus
from moderator.common.text import clean_name
from moderator.language.messages import render_code, render_label
from moderator.notifications.content import TournamentBracket, TournamentRungs, TournamentTable, TournamentView
from moderator.notifications.pages import Page, list_tournament_views
from moderator.render.document import Action, Block, Heading, Items, Para
from moderator.render.mails import tournament
from moderator.render.mails.headline import format_name_list
from moderator.render.mails.match_sections import render_option, show_agreed_options
from moderator.render.mails.sections import show_buttons, show_links, write_label
from moderator.render.mails.tournament_news import BEFORE_START, list_own_results
from moderator.render.text import build_mailto
from moderator.tournaments.formats import get_format

MOST_PAIRS = MOST_RESULTS = MOST_ROWS = 8


def show_tournaments(page: Page) -> Iterator[Block]:
    """Yield what there is to say about tournaments; in a daily mail a short table of each."""
    for view in list_tournament_views(page.content):
        if page.kind != MailKind.DIGEST:
            yield from _iter_sections(view, page)
        elif (table := tournament.find_own_table(view)) is not None:
            language = page.reader.language
            name = tournament.render_tournament_name(view, language)
            yield Heading(write_label(page, "cup-digest-heading", name=name))
            yield Para((tournament.render_reader_standing(page, view),))
            if isinstance(table.table, TournamentBracket):
                ties = (tie for tie in table.table.ties if tie.round == view.round)
                yield Items(tuple(tournament.render_tie(tie, view, language) for tie in ties)[:MOST_PAIRS], "list")
            elif tournament.is_ladder(table):
                yield tournament.build_order_table(table, "cup-ladder-row", page.reader.name, language, MOST_ROWS)
            else:
                yield tournament.build_short_table(table, language, MOST_ROWS)[0]
            yield Para((write_label(page, "cup-digest-more", code=view.code),))


def show_round(page: Page) -> Iterator[Block]:
    """Yield of the tournament whose round begins for the reader with this match what the others play, and the
    table."""
    for view in list_tournament_views(page.content):
        yield from _iter_round_sections(view, page)


def show_terms(page: Page) -> Iterator[Block]:
    """Yield what was agreed for the match, unless the first round of its tournament has said so already."""
    if all(view.round <= 1 for view in list_tournament_views(page.content)):
        yield from show_agreed_options(page)


def _iter_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    asked = next((note.code for note in page.notes if note.code in BUTTONS), "")
    if asked:
        yield show_buttons(page, *(_build_action(view, page, *one) for one in BUTTONS[asked]))
    if view.topic == "news":
        return
    if view.status in BEFORE_START:
        yield from _iter_invitation_sections(view, page)
    elif view.topic == "pairings":
        yield from _iter_own_games(view, page)
        yield from _iter_round_sections(view, page)
    elif view.topic == "warning":
        yield from _iter_own_games(view, page)
    else:
        yield from _iter_report_sections(view, page)


BUTTONS: dict[str, tuple[tuple[str, Literal["main", "plain", "danger"]], ...]] = {
    "cup-challenged": (("accept", "main"), ("refuse", "plain")),
    "cup-challenged-free": (("accept", "main"), ("refuse", "plain")),
    "cups-leave-asks": (("leave-for-good", "danger"),),
    "cups-leave-asks-none": (("leave-for-good", "danger"),),
    "cups-leave-asks-place": (("leave-for-good", "danger"),),
    "cups-joined": (("leave", "plain"),),
    "cups-joined-undated": (("leave", "plain"),),
    "cups-standby": (("leave", "plain"),),
    "cups-standby-undated": (("leave", "plain"),),
}
"""What can be answered to the news of a note, and how its button looks."""


def _build_action(
    view: TournamentView, page: Page, code: str, look: Literal["main", "plain", "danger"] = "plain", name: str = ""
) -> Action:
    """Return a button whose answer is one line about the tournament."""
    line = write_label(page, f"cup-{code}-body", code=view.code, name=name)
    return Action(write_label(page, f"cup-{code}-button", name=name), _build_answer_link(view, page, line), line, look)


def _build_answer_link(view: TournamentView, page: Page, line: str) -> str:
    """Return the address of an answer with this line; an empty text where none is wanted."""
    about = f"{clean_name(view.name)} ({view.code})"
    return build_mailto(replace(page.reply, subject="", body=line), about) if page.reply else ""


# ---- before it begins ----


def _iter_invitation_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    language = page.reader.language
    if view.status == TournamentStatus.OPEN and not view.you_in:
        yield show_buttons(page, _build_action(view, page, "join", "main"))
    yield Para((" ".join(iter_format_lines(view, language)),))
    yield Para((" ".join(_iter_terms(view, page)),))
    names = format_name_list(view.entrants, language, MOST_NAMES)
    if view.places:
        full = len(view.entrants) >= view.places
        code = "cup-places-full" if full else "cup-places" if names else "cup-places-none"
        yield Para((write_label(page, code, places=view.places, taken=len(view.entrants), names=names),))
    else:
        code = "cup-field-open" if names else "cup-field-none"
        yield Para((write_label(page, code, names=names, count=len(view.entrants)),))
    if view.you_in:
        yield show_buttons(page, _build_action(view, page, "leave"))
    else:
        yield Para((write_label(page, "cup-leaving"),))
    rules = write_label(page, "line-rules", game=render_code("name", language, view.game))
    ways = (("link-rules", rules), ("link-question", write_label(page, "line-question")))
    yield show_links(page, *(_build_link(view, page, *one) for one in ways))


MOST_NAMES = 12


def _build_link(view: TournamentView, page: Page, code: str, line: str) -> Action:
    return Action(write_label(page, code), _build_answer_link(view, page, line), line)


def iter_format_lines(view: TournamentView, language: str) -> Iterator[str]:
    """Yield the format in words."""
    code = f"cup-format-{get_format(view).words}{get_format(view).describe_variant(view.rounds, view.legs)}"
    yield render_label(code, language, rounds=view.rounds, seats=view.seats, reach=view.reach, size=view.division)
    if view.legs == 2 and view.starter is not None:
        yield render_label("cup-each-starts", language)


def _iter_terms(view: TournamentView, page: Page) -> Iterator[str]:
    """Yield days of a round and of a move, to how many points, how many are needed."""
    language, form = page.reader.language, get_format(view)
    if view.round_days and form.in_rounds:
        code = "cup-days-at-once" if view.at_once or form.round_robin else "cup-days"
        yield write_label(page, code, days=view.round_days)
    if view.move_days:
        yield write_label(page, "cup-move-days", days=view.move_days)
    for name, value in view.options.items():
        if text := render_option(name, value, language, view.game):
            yield f"{text.rstrip('.')}."
    if view.least > 2:
        yield write_label(page, "cup-least", least=view.least)


# ---- while it runs ----


def _iter_own_games(view: TournamentView, page: Page) -> Iterator[Block]:
    """Yield the reader's open games, where there are several."""
    games = tournament.list_open_games(view)
    if len(games) > 1:
        lines = tuple(tournament.render_own_game(game, view, page.reader.language) for game in games)
        yield Items(lines[:MOST_PAIRS], "list")


def _iter_round_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    if view.at_once:
        yield from _iter_field(view, page)
    else:
        yield from _iter_other_pairs(view, page)
    table = tournament.find_own_table(view)
    if table is not None and table.cross is not None:
        yield from _iter_short_table(table, view, page)


def _iter_other_pairs(view: TournamentView, page: Page) -> Iterator[Block]:
    """Yield who else plays in this round, once where two play several games; of a large field nothing."""
    others = [game for game in view.games if page.reader.name not in game.names]
    pairs = dict.fromkeys(frozenset(game.names) for game in others)
    first = [next(game for game in others if frozenset(game.names) == pair) for pair in pairs]
    if not first or len(first) > MOST_PAIRS:
        return
    said = " · ".join(tournament.render_pairing(game, view, page.reader.language) for game in first)
    yield Para((write_label(page, "cup-others" if view.yours else "cup-all", pairs=said),))


def _iter_field(view: TournamentView, page: Page) -> Iterator[Block]:
    """Yield the players, the reader's own division first."""
    fields = [(n, format_name_list(names, page.reader.language, MOST_NAMES)) for n, names in enumerate(view.fields, 1)]
    if len(fields) < 2:
        count = len(view.fields[0]) if view.fields else 0
        yield Para((write_label(page, "cup-field", names=fields[0][1] if fields else "", count=count),))
        return
    fields.sort(key=lambda one: (one[0] != view.own, one[0]))
    yield Items(tuple(write_label(page, "cup-field-division", division=n, names=names) for n, names in fields), "list")


# ---- results ----


def _iter_report_sections(view: TournamentView, page: Page) -> Iterator[Block]:
    """Yield own games, the table, the rungs or the latest ties."""
    final = view.topic == "final"
    if final and (results := list_own_results(page, view)):
        yield Items(results[:MOST_RESULTS], "list")
    elif view.topic == "table" and view.status == TournamentStatus.RUNNING:
        yield from _iter_own_games(view, page)
    table = tournament.find_own_table(view)
    if table is None:
        return
    match table.table:
        case TournamentRungs() as rungs:
            yield from _iter_ladder_sections(table, rungs, view, page)
        case TournamentBracket() as bracket:
            yield from _iter_bracket_sections(table, bracket, view, page)
        case _:
            yield from _iter_short_table(table, view, page)
    for other in view.tables if final else ():
        if other is not table and other.cross is not None and len(view.tables) > 1:
            first = [line.name for line in other.cross.lines if line.place == "1"]
            names = format_name_list(first, page.reader.language)
            yield Para((write_label(page, "cup-other-division", division=other.division, names=names),))


def _iter_short_table(table: TournamentTable, view: TournamentView, page: Page) -> Iterator[Block]:
    whole = view.topic == "table" and not page.archive  # somebody has asked for it, and no page shows it
    grid, left = tournament.build_short_table(table, page.reader.language, None if whole else MOST_ROWS)
    yield grid
    if left:
        yield Para((write_label(page, "cup-table-rest", count=left),), "item m")
    if left and not page.archive and page.kind != MailKind.START:
        yield show_links(page, _build_action(view, page, "table"))


def _iter_bracket_sections(
    table: TournamentTable, bracket: TournamentBracket, view: TournamentView, page: Page
) -> Iterator[Block]:
    """Yield the ties of the latest round; at the end the places, too."""
    language = page.reader.language
    latest = max((tie.round for tie in bracket.ties), default=0)
    if view.topic != "final":
        shown = [tie for tie in bracket.ties if tie.round == latest][:MOST_PAIRS]
        for third in (False, True):
            ties = [tie for tie in shown if tie.third == third]
            if ties:
                yield Heading(tournament.render_stage(ties[0], view, language))
                yield Items(tuple(tournament.render_tie(tie, view, language) for tie in ties), "list")
    if bracket.order:
        yield tournament.build_order_table(table, "cup-row", page.reader.name, language, MOST_ROWS)


def _iter_ladder_sections(
    table: TournamentTable, rungs: TournamentRungs, view: TournamentView, page: Page
) -> Iterator[Block]:
    language = page.reader.language
    answered = any(note.code in BUTTONS for note in page.notes)
    if not answered and view.challengeable and view.topic != "final":
        names = [clean_name(name) for name in view.challengeable][:MOST_BUTTONS]
        yield show_buttons(page, *(_build_action(view, page, "challenge", "plain", name) for name in names))
    yield tournament.build_order_table(table, "cup-ladder-row", page.reader.name, language, MOST_ROWS)
    items = tuple(
        render_label(f"cup-challenge-{'played' if taken else 'open'}", language, one=clean_name(a), other=clean_name(b))
        for a, b, taken in rungs.challenges
    )
    yield Items(items[:MOST_PAIRS], "list")


MOST_BUTTONS = 3


# ---- in the daily mail ----
