"""The page of a match: its board at every moment, its moves and scores; after the end the racks, the press, and what
proves how it was dealt."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from html import escape
from itertools import pairwise

from moderator.notifications.content import HistoryTurn
from moderator.render import boards as forms
from moderator.render.mails.report import build_event_chapters
from moderator.rules import replay, shuffling
from moderator.rules.scenes import Scene
from moderator.site import board, puzzles
from moderator.site.board import ReplayFrame, build_replay_frames
from moderator.site.feeds import render_feed_line
from moderator.site.layout import ListedMatch, PageView, SeatHolder, SiteContent, mask_addresses
from moderator.site.standing import get_match_standing
from moderator.site.tree import SiteFile
from moderator.store import questions
from moderator.store.database import Session
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended, build_match_record, load_log_entries, load_match_rules


def iter_match_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``matches/CODE.html`` in each language; the same as plain text; the board as a picture; of finished matches
    the record, too; and which entry the page shows last, for a touch board that has an older position."""
    for match in site.matches:
        shown = _MatchPage(site, match)
        names = (tournament.name for tournament in site.tournaments if tournament.id == match.tournament)
        key = site.compute_key("match", match, site.reviews.get(match.id), *names)
        for language in site.languages:
            page = f"matches/{match.code}.html"
            yield site.build_page_file(page, language, key, shown.render_html)
            page = f"matches/{match.code}.txt"
            yield site.build_page_file(page, language, key, shown.render_text)
        drawn = site.compute_key("picture", match.id, match.game, match.status, match.entries)
        yield SiteFile(f"matches/{match.code}.svg", drawn, shown.render_svg)
        yield SiteFile(f"matches/{match.code}.now.json", drawn, shown.encode_last_entry)
        if site.config.site.url:  # for messengers, which find it by its whole address only
            yield SiteFile(f"matches/{match.code}.png", drawn, shown.render_png)
        if match.over:
            yield SiteFile(f"matches/{match.code}.json", key, shown.encode_record)


UNSAID = ("drew", "passed")
"""Beginnings of codes of notes that the list of moves does without: draws (see rules/game.py), and a pass, which
the move says itself."""


@dataclass(frozen=True)
class MoveRow:
    """A line in the list of moves."""

    n: int
    """The moment that it leads to."""
    first: bool
    """The first line of that moment, which bears its anchor and what the script needs."""
    seat: int | None
    """None for what no seat has moved."""
    text: str
    """The move, or a sentence."""
    points: int | None
    total: int | None
    words: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    heading: bool = False
    """Of the end of a round."""


@dataclass(frozen=True)
class ScriptMoment:
    """The values that the script puts into the page for a moment."""

    says: str
    how: str
    """Which move of how many it is, and what brought its points."""
    scores: str
    """By seat, with spaces."""
    unseen: str
    """``E×3 R``."""
    racks: str
    """JSON list of strings, by seat; "" while they are hidden."""


class _MatchPage:
    """A match that is read when one of its files is really made."""

    def __init__(self, site: SiteContent, match: ListedMatch) -> None:
        self.site, self.match = site, match

    @cached_property
    def row(self) -> MatchRow:
        return self.site.work.session.get_one(MatchRow, self.match.id)

    @cached_property
    def frames(self) -> tuple[ReplayFrame, ...]:
        """The moments of the match; () if its log does not fit (the moderator knows of that)."""
        try:
            return build_replay_frames(self.site.work, self.row)
        except MatchSuspended:
            return ()

    @cached_property
    def boards(self) -> tuple[board.ReplayBoard, ...]:
        return board.build_replay_boards([self._show_scene(frame) for frame in self.frames])

    def _show_scene(self, frame: ReplayFrame) -> Scene:
        """Return the board; of a match that is over without what is drawn for orders alone."""
        return frame.scene.close() if self.match.over else frame.scene

    @property
    def defs(self) -> tuple[str, ...]:
        """Drawings that the boards refer to, each once."""
        return tuple(dict.fromkeys(part for one in self.boards for part in one.defs))

    def render_text(self, page: str, language: str) -> bytes:
        scene = self.frames[-1].scene if self.frames else None
        lines = forms.render_board_lines(scene, language) if scene else ()
        rows = self._list_all_rows(PageView(self.site, page, language))
        return self.site.render_page("match.txt.j2", page, language, m=self.match, rows=rows, lines=lines)

    def render_svg(self) -> bytes:
        """Return the last position; the club's sign where the match cannot be shown."""
        return board.render_board_file(self._show_scene(self.frames[-1])) if self.frames else board.read_club_sign()

    def render_png(self) -> bytes:
        """Return the same as PNG for messengers, which draw no SVG."""
        return (
            forms.render_board_png(self._show_scene(self.frames[-1])) if self.frames else board.render_club_sign_png()
        )

    def encode_last_entry(self) -> bytes:
        """Encode the number of the last entry that the page shows: an order that is only stored has a number in the
        log, too, and is a secret. 0 for a match that cannot be shown."""
        return json.dumps({"entry": self.frames[-1].entry if self.frames else 0}).encode()

    def _list_all_rows(self, view: PageView) -> tuple[MoveRow, ...]:
        return tuple(row for frame in self.frames for row in self._iter_rows(frame, view))

    def render_html(self, page: str, language: str) -> bytes:
        view = PageView(self.site, page, language)
        return self.site.render_page(
            "match.html.j2",
            page,
            language,
            m=self.match,
            picture=f"matches/{self.match.code}.png",
            frames=self.frames,
            boards=self.boards,
            defs=self.defs,
            rows_of_moves=self._list_all_rows(view),
            awaited=() if self.match.over else get_match_standing(self.site, self.match).awaited,
            told=tuple(self._build_script_moment(frame, view) for frame in self.frames),
            graph=render_score_graph([frame.scores for frame in self.frames], self.match.seats),
            lists=forms.describe_board_lines(self.frames[-1].scene, language) if self.frames else (),
            proof=self._list_shuffle_proofs(),
            review=puzzles.find_review_view(self.site, self.match, view),
            moved_in=replay.find_import_entry(load_log_entries(self.site.work.session, self.row)) is not None,
            letters=self._list_letters(),
        )

    def _iter_rows(self, frame: ReplayFrame, view: PageView) -> Iterator[MoveRow]:
        game, names = self.match.game, tuple(seat.name for seat in self.match.seats)
        for number, said in enumerate(frame.lines):
            first = number == 0
            if not isinstance(said, HistoryTurn):
                yield MoveRow(frame.n, first, None, view.say(said, game, names), None, None)
                continue
            told = said.report
            words = tuple((word.word, word.points) for word in told.words)
            notes = tuple(view.say(note, game, names) for note in told.notes if not note.code.startswith(UNSAID))
            text = view.write_move(told.played, game)
            yield MoveRow(frame.n, first, told.seat, text, told.points, said.total, words, notes)
        for chapter in build_event_chapters(frame.after, view.lang, game, names):
            sums = (f"{one.name}: {' '.join((*one.lines, one.total))}" for one in chapter.sums)
            for text in (chapter.heading, *chapter.before, *sums, *chapter.after):
                if text:
                    yield MoveRow(frame.n, False, None, text, None, None, heading=text == chapter.heading)

    def _build_script_moment(self, frame: ReplayFrame, view: PageView) -> ScriptMoment:
        game = self.match.game
        unseen = " ".join(f"{view.tile(t, game)}×{n}" if n > 1 else view.tile(t, game) for t, n in frame.unseen)
        racks = [" ".join(view.tile(tile, game) for tile in rack) for rack in frame.racks]
        hands = json.dumps(racks, ensure_ascii=False) if racks else ""
        scores = " ".join(map(str, frame.scores))
        return ScriptMoment(self._describe_frame(frame, view), self._explain_frame(frame, view), scores, unseen, hands)

    def _describe_frame(self, frame: ReplayFrame, view: PageView) -> str:
        """Return ``Jörg D5 s RATTE, 21 Punkte``."""
        if not frame.n:
            return view.t("site.says-deal")
        told = (one.report if isinstance(one, HistoryTurn) else one for one in frame.lines)
        return "; ".join(render_feed_line(view, self.match, one) for one in told)

    def _explain_frame(self, frame: ReplayFrame, view: PageView) -> str:
        """Return ``Zug 11 von 24 · RATTE 14 + ER 7``."""
        if not frame.n:
            return ""
        rows = [row for row in self._iter_rows(frame, view) if row.seat is not None]
        words = (" + ".join(f"{word} {points}" for word, points in row.words) for row in rows)
        notes = (note for row in rows for note in row.notes)
        parts = (view.t("site.move-of", n=frame.n, of=self.frames[-1].n), *words, *notes)
        return " · ".join(part for part in parts if part)

    def _list_shuffle_proofs(self) -> tuple[tuple[int, str, str], ...]:
        """Return (round or 0 for all, hash that was mailed before, seed or an empty text while it is secret)."""
        game, _ = load_match_rules(self.row)
        master = bytes.fromhex(self.row.seed)
        if not game.seeded_rounds:
            return ((0, shuffling.commit_seed(master), master.hex() if self.match.over else ""),)
        seed = shuffling.build_round_seeds(master)
        first = min((frame.round for frame in self.frames), default=1)
        last = max((frame.round for frame in self.frames), default=0)
        return tuple(
            (
                number,
                shuffling.commit_seed(seed(number)),
                seed(number).hex() if self.match.over or number < last else "",
            )
            for number in range(first, last + 1)
        )

    def _list_letters(self) -> tuple[MatchLetter, ...]:
        """Return the players' letters to all; they become public with the end."""
        return tuple(iter_public_letters(self.site.work.session, self.match)) if self.match.over else ()

    def encode_record(self) -> bytes:
        """Return the record, as `moderator export` gives it, without any mail address that somebody wrote."""
        made = build_match_record(self.site.work.session, self.row, [seat.name for seat in self.match.seats])
        return (mask_addresses(json.dumps(made, ensure_ascii=False, indent=1)) + "\n").encode()


# ---- the graph of points ----
#
# Curves as SVG, in the page's colours: the scores of a match over its moments.


WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 96, 14, 26
APART = 17
"""Between two names at the right edge, at least."""


@dataclass(frozen=True)
class GraphScale:
    """The scale from moments and points to the picture."""

    last: int
    low: int
    high: int

    def compute_x(self, moment: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * moment / max(1, self.last)

    def compute_y(self, points: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (points - self.low) / max(1, self.high - self.low)


def render_score_graph(moments: Sequence[Sequence[int]], seats: Sequence[SeatHolder]) -> str:
    """Draw a line per seat with its colour, its shape and its name; an empty text where nobody has scored."""
    every = [points for moment in moments for points in moment]
    if len(moments) < 2 or len(set(every)) < 2:
        return ""
    scale = GraphScale(len(moments) - 1, min(0, *every), max(every))
    names = _distribute_heights([scale.compute_y(points) for points in moments[-1]])
    lines = "".join(
        _render_seat_line([moment[s.number] for moment in moments], s, scale, names[s.number]) for s in seats
    )
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" data-x0="{LEFT}" '
        f'data-dx="{(WIDTH - LEFT - RIGHT) / max(1, scale.last):.3f}">{_render_axes(scale)}{lines}'
        f'<line class="now" x1="{scale.compute_x(scale.last):g}" x2="{scale.compute_x(scale.last):g}" y1="{TOP}" '
        f'y2="{HEIGHT - BOTTOM}"/></svg>'
    )


def _render_axes(scale: GraphScale) -> str:
    step = _choose_step(scale.high - scale.low)
    first = -(-scale.low // step) * step
    rungs = "".join(
        f'<line class="rung" x1="{LEFT}" x2="{WIDTH - RIGHT}" '
        f'y1="{scale.compute_y(at):.1f}" y2="{scale.compute_y(at):.1f}"/>'
        f'<text class="tick" x="{LEFT - 7}" y="{scale.compute_y(at) + 4.5:.1f}" text-anchor="end">{at}</text>'
        for at in range(first, scale.high + 1, step)
    )
    ends = "".join(
        f'<text class="tick" x="{scale.compute_x(moment):.1f}" y="{HEIGHT - 7}" text-anchor="middle">{moment}</text>'
        for moment in sorted({0, scale.last // 2, scale.last})
    )
    return rungs + ends


def _choose_step(span: int) -> int:
    """Return a round distance that gives at most five lines."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if span / (size * factor) <= 5:
                return size * factor
        size *= 10


def _render_seat_line(points: Sequence[int], seat: SeatHolder, scale: GraphScale, name_at: float) -> str:
    path = f"M{scale.compute_x(0):.1f} {scale.compute_y(points[0]):.1f}" + "".join(
        f"L{scale.compute_x(moment):.1f} {scale.compute_y(now):.1f}"
        for moment, (before, now) in enumerate(pairwise(points), 1)
        if now != before or moment == len(points) - 1 or points[moment + 1] != now
    )
    right = WIDTH - RIGHT + 8
    return (
        f'<g class="{seat.colour}"><path d="{path}"/><text x="{right}" y="{name_at + 5:.1f}">{seat.shape} '
        f"{escape(_shorten_name(seat.name))}</text></g>"
    )


def _shorten_name(name: str) -> str:
    return name if len(name) <= 9 else f"{name[:8]}…"


def _distribute_heights(heights: Sequence[float]) -> list[float]:
    """Return the heights, moved until no two are nearer than ``APART``."""
    order = sorted(range(len(heights)), key=lambda seat: heights[seat])
    placed = [0.0] * len(heights)
    lowest = float(TOP)
    for seat in order:
        placed[seat] = lowest = max(heights[seat], lowest)
        lowest += APART
    over = placed[order[-1]] - (HEIGHT - BOTTOM)
    for seat in reversed(order):
        if over <= 0:
            break
        placed[seat] -= over
        below = [placed[other] for other in order if heights[other] < heights[seat]]
        over = max(below, default=-APART) + APART - placed[seat]
    return placed


# ---- letters to all ----
#
# Press letters to all players of a match, as they become public with its end.


@dataclass(frozen=True)
class MatchLetter:
    name: str
    text: str
    at: datetime


def iter_public_letters(session: Session, match: ListedMatch) -> Iterator[MatchLetter]:
    """Yield the letters to all, the oldest first."""
    for row, name in questions.list_delivered_letters(session, match.id):
        if not row.seats:
            yield MatchLetter(mask_addresses(name), mask_addresses(row.text), row.at)
