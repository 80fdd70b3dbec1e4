"""The puzzles of the week: those whose solution was told, who has found it, and the table of each year. Of the one that
runs nothing but that it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from heapq import nlargest

from moderator.common.enums import MatchStatus
from moderator.notifications.content import build_review_text
from moderator.review.review import Reviewed, decode_turn_comparison
from moderator.rules.game import Note
from moderator.settings import Config
from moderator.site.layout import PUZZLES, ListedMatch, PageView, SiteContent
from moderator.site.tree import SiteFile
from moderator.store import reviews
from moderator.store.database import Session
from moderator.store.tables import MatchRow
from moderator.views import puzzles
from moderator.views.puzzles import PuzzleTableLine, iter_solution_notes, iter_solver_notes
from moderator.views.unit_of_work import UnitOfWork

MATTERED = 6
"""So many turns of a match are shown for what they lost."""


@dataclass(frozen=True)
class SolvedPuzzle:
    """A puzzle whose solution was published, from a match that is still finished."""

    number: int
    year: int
    told: datetime
    game: str
    match: str
    """Code."""
    said: tuple[Note, ...]
    """The solution, and who found it."""


@dataclass(frozen=True)
class RunningPuzzle:
    number: int
    game: str
    until: datetime


def iter_puzzle_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``puzzles.html`` in each language, from the first puzzle on."""
    if PUZZLES not in site.menu:
        return
    over, now = list_solved_puzzles(site.work.session, site.work.config), find_running_puzzle(site.work)
    tables = {
        year: puzzles.build_puzzle_table(site.work.session, site.work.config, year)
        for year in dict.fromkeys(one.year for one in over)
    }
    for language in site.languages:
        make = partial(_render_puzzle_page, site, over, tables, now)
        yield site.build_page_file(f"{PUZZLES}.html", language, site.compute_key("puzzles", over, tables, now), make)


def list_solved_puzzles(session: Session, config: Config) -> tuple[SolvedPuzzle, ...]:
    """Return the puzzles whose solution was published, the newest first."""
    found = []
    for puzzle, who in puzzles.list_resolved_puzzles(session):
        match = session.get_one(MatchRow, puzzle.match_id)
        if match.status == MatchStatus.FINISHED and puzzle.told_at is not None:
            said = (*iter_solution_notes(session, puzzle), *iter_solver_notes(who))
            year = puzzles.compute_puzzle_year(config, puzzle)
            found.append(SolvedPuzzle(puzzle.number, year, puzzle.told_at, match.game, match.code, said))
    return tuple(found)


def find_running_puzzle(work: UnitOfWork) -> RunningPuzzle | None:
    """Return the puzzle that takes answers now, with nothing that helps to solve it; None if there is none."""
    puzzle = puzzles.find_current_puzzle(work.session, work.written_at)
    if puzzle is None:
        return None
    match = work.session.get_one(MatchRow, puzzle.match_id)
    return RunningPuzzle(puzzle.number, match.game, puzzle.until) if match.status == MatchStatus.FINISHED else None


def list_puzzles_solved_between(
    session: Session, config: Config, since: datetime, until: datetime
) -> tuple[SolvedPuzzle, ...]:
    """Return the puzzles whose solution was published in that time, the oldest first."""
    return tuple(one for one in reversed(list_solved_puzzles(session, config)) if since <= one.told < until)


def _render_puzzle_page(
    site: SiteContent,
    over: Sequence[SolvedPuzzle],
    tables: Mapping[int, Sequence[PuzzleTableLine]],
    now: RunningPuzzle | None,
    page: str,
    language: str,
) -> bytes:
    years = [(year, table, [one for one in over if one.year == year]) for year, table in tables.items()]
    return site.render_page("puzzles.html.j2", page, language, years=years, running=now)


# ---- The review of a finished match as its page shows it: the whole in a few sentences, a table of its turns, and
# how that was worked out.


@dataclass(frozen=True)
class ReviewRow:
    """A turn in the table of the review."""

    number: int
    seat: int
    played: str
    worth: int
    best: str
    """What brought most, if it was more; "" = nothing did."""
    most: int
    better: str
    """What was worth more with what may follow, if it is another one than ``best``; "" = nothing was."""
    left: str
    """Points by what may follow, in tenths; where nobody knows that, by what the turn brought."""
    place: str
    """``3 of 422``; "" where not everything was searched."""
    telling: bool
    """A turning point, or the find."""


@dataclass(frozen=True)
class ReviewView:
    summary: tuple[str, ...]
    rows: tuple[ReviewRow, ...]
    """The turns that mattered."""
    quiet: tuple[ReviewRow, ...]
    """The other ones."""
    explained: tuple[str, ...]


def find_review_view(site: SiteContent, match: ListedMatch, view: PageView) -> ReviewView | None:
    """Return the review for the match's page; None while the match runs, and before its review is complete."""
    if not match.over or match.id not in site.reviews:
        return None
    found = puzzles.find_complete_review(site.work.session, site.work.session.get_one(MatchRow, match.id))
    if found is None:
        return None
    names, said = tuple(seat.name for seat in match.seats), build_review_text(found)
    summary = tuple(view.say(note, match.game, names) for note in said.summary)
    explained = tuple(view.say(note, match.game, names) for note in said.explained)
    telling = {found.turning and found.turning.turn, found.find}
    turns = [] if found.is_silent() else [(at, one) for at, one in enumerate(found.turns) if one.has_choice()]
    losing = nlargest(MATTERED, ((one.loss, -at) for at, one in turns if one.loss > 0))
    mattered = telling | {-at for _, at in losing}
    rows = [(at in mattered, _build_row(found.game, at, one, at in telling, view)) for at, one in turns]
    shown, quiet = (tuple(row for is_shown, row in rows if is_shown is kind) for kind in (True, False))
    return ReviewView(summary, shown, quiet, explained)


def _build_row(game: str, at: int, one: Reviewed, telling: bool, view: PageView) -> ReviewRow:
    best = view.write_move(one.best, game) if one.left and one.best else ""
    if best and one.scope == "some":
        best = view.t("site.review-found", move=best)
    better = view.write_move(one.better, game) if one.better not in ("", one.best if one.left else "") else ""
    left = str(one.left) if one.equity is None else view.number(f"{one.loss:.1f}".removesuffix(".0"))
    # The place counts what a turn brought: it says nothing of one that lost by what followed.
    foreseen = one.equity is not None and one.loss > 0
    place = "" if one.rank is None or foreseen else view.t("site.review-place-of", rank=one.rank, of=one.of)
    played = view.write_move(one.played, game)
    return ReviewRow(at + 1, one.seat, played, one.worth, best, one.most, better, left, place, telling)


def render_best_find(view: PageView, matches: Sequence[ListedMatch]) -> str:
    """Return a sentence on the best find of these matches: the one that was the best of most moves, of equals the one
    with more points. Returns an empty text where none of them has a find."""
    session, found = view.site.work.session, []
    for match in matches:
        at: int | None = view.site.reviews.get(match.id, {}).get("find")
        turn = None if at is None else reviews.find_turn_review(session, match.id, at + 1)
        if at is not None and turn is not None:
            one = decode_turn_comparison(turn)
            found.append((one.of, one.worth, match.code, at + 1, match, one))
    if not found:
        return ""
    *_, number, match, one = max(found, key=lambda entry: entry[:4])
    title = view.t("site.quoted", name=match.title)
    values = {"name": match.seats[one.seat].name, "move": view.write_move(one.played, match.game), "turn": number}
    values |= {"title": f"{view.game(match.game)} {title} ({match.code})", "of": one.of}
    return view.t("site.letter-find-said", **values)
