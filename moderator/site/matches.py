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

from moderator.club.live_match import Suspended, log_of, record_of, rules_of
from moderator.match import replay, rng
from moderator.pages import boards as forms
from moderator.pages.aftermath import chapters
from moderator.pages.content import Turn
from moderator.site import board, review
from moderator.site.board import Frame, frames
from moderator.site.feed_entries import line
from moderator.site.site import Listed, Site, Sitting, View, masked
from moderator.site.tree import File
from moderator.store import press
from moderator.store.db import Session
from moderator.store.models import Match


def files(site: Site) -> Iterator[File]:
    """``matches/CODE.html`` in each language; the same as plain text; the board as it lies as a picture; of those that
    are over the record, too; which entry the page shows last, for a page to lay tiles on that has an older position."""
    for match in site.matches:
        shown = _Shown(site, match)
        names = (tournament.name for tournament in site.tournaments if tournament.id == match.tournament)
        key = site.key("match", match, site.reviews.get(match.id), *names)
        for language in site.languages:
            page = f"matches/{match.code}.html"
            yield site.file(page, language, key, shown.page)
            page = f"matches/{match.code}.txt"
            yield site.file(page, language, key, shown.text)
        drawn = site.key("picture", match.id, match.game, match.status, match.entries)
        yield File(f"matches/{match.code}.svg", drawn, shown.svg)
        yield File(f"matches/{match.code}.now.json", drawn, shown.now)
        if site.config.site.url:  # for messengers, which find it by its whole address only
            yield File(f"matches/{match.code}.png", drawn, shown.png)
        if match.over:
            yield File(f"matches/{match.code}.json", key, shown.record)


UNSAID = ("drew", "passed")
"""Beginnings of codes of notes that the list of moves does without: draws (see match/contract.py), and a pass, which
the move says itself."""


@dataclass(frozen=True)
class Row:
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
class Moment:
    """What the script puts into the page for a moment."""

    says: str
    scores: str
    """By seat, with spaces."""
    unseen: str
    """``E×3 R``."""
    racks: str
    """JSON list of strings, by seat; "" while they are hidden."""


class _Shown:
    """A match that is read when one of its files is really made."""

    def __init__(self, site: Site, match: Listed) -> None:
        self.site, self.match = site, match

    @cached_property
    def row(self) -> Match:
        return self.site.desk.session.get_one(Match, self.match.id)

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """() for a match whose log does not fit: the moderator knows."""
        try:
            return frames(self.site.desk, self.row)
        except Suspended:
            return ()

    @cached_property
    def boards(self) -> tuple[board.Board, ...]:
        return board.boards([frame.scene for frame in self.frames])

    @property
    def defs(self) -> tuple[str, ...]:
        """Drawings that the boards refer to, each once."""
        return tuple(dict.fromkeys(part for one in self.boards for part in one.defs))

    def text(self, page: str, language: str) -> bytes:
        scene = self.frames[-1].scene if self.frames else None
        lines = forms.lines(scene, language) if scene else ()
        rows = self._all_rows(View(self.site, page, language))
        return self.site.render("match.txt.j2", page, language, m=self.match, rows=rows, lines=lines)

    def svg(self) -> bytes:
        """The last position; the club's sign where the match cannot be shown."""
        return board.alone(self.frames[-1].scene) if self.frames else board.sign()

    def png(self) -> bytes:
        """The same for messengers, which draw no SVG."""
        return forms.png(self.frames[-1].scene) if self.frames else board.sign_png()

    def now(self) -> bytes:
        """Of what the page shows: an order that is only stored has a number in the log, too, and is nobody's business.
        0 for a match that cannot be shown."""
        return json.dumps({"entry": self.frames[-1].entry if self.frames else 0}).encode()

    def _all_rows(self, view: View) -> tuple[Row, ...]:
        return tuple(row for frame in self.frames for row in self._rows(frame, view))

    def page(self, page: str, language: str) -> bytes:
        view = View(self.site, page, language)
        return self.site.render(
            "match.html.j2",
            page,
            language,
            m=self.match,
            picture=f"matches/{self.match.code}.png",
            frames=self.frames,
            boards=self.boards,
            defs=self.defs,
            rows=self._all_rows(view),
            told=tuple(self._told(frame, view) for frame in self.frames),
            graph=scores([frame.scores for frame in self.frames], self.match.seats),
            lists=forms.lists(self.frames[-1].scene, language) if self.frames else (),
            proof=self._proof(),
            review=review.shown(self.site, self.match, view),
            moved_in=replay.moved_in(log_of(self.site.desk.session, self.row)) is not None,
            letters=self._letters(),
        )

    def _rows(self, frame: Frame, view: View) -> Iterator[Row]:
        game, names = self.match.game, tuple(seat.name for seat in self.match.seats)
        for number, said in enumerate(frame.lines):
            first = number == 0
            if not isinstance(said, Turn):
                yield Row(frame.n, first, None, view.say(said, game, names), None, None)
                continue
            told = said.report
            words = tuple((word.word, word.points) for word in told.words)
            notes = tuple(view.say(note, game, names) for note in told.notes if not note.code.startswith(UNSAID))
            text = view.move(told.played, game)
            yield Row(frame.n, first, told.seat, text, told.points, said.total, words, notes)
        for chapter in chapters(frame.after, view.lang, game, names):
            sums = (f"{one.name}: {' '.join((*one.lines, one.total))}" for one in chapter.sums)
            for text in (chapter.heading, *chapter.before, *sums, *chapter.after):
                if text:
                    yield Row(frame.n, False, None, text, None, None, heading=text == chapter.heading)

    def _told(self, frame: Frame, view: View) -> Moment:
        game = self.match.game
        unseen = " ".join(f"{view.tile(t, game)}×{n}" if n > 1 else view.tile(t, game) for t, n in frame.unseen)
        racks = [" ".join(view.tile(tile, game) for tile in rack) for rack in frame.racks]
        hands = json.dumps(racks, ensure_ascii=False) if racks else ""
        return Moment(self._says(frame, view), " ".join(map(str, frame.scores)), unseen, hands)

    def _says(self, frame: Frame, view: View) -> str:
        """``Zug 11: Jörg D5 s RATTE, 21 Punkte``."""
        if not frame.n:
            return view.t("site.says-deal")
        told = (one.report if isinstance(one, Turn) else one for one in frame.lines)
        what = "; ".join(line(view, self.match, one) for one in told)
        return view.t("site.says", n=frame.n, what=what)

    def _proof(self) -> tuple[tuple[int, str, str], ...]:
        """(round or 0 for all, hash that was mailed before, seed or "" while it is secret)."""
        game, _ = rules_of(self.row)
        master = bytes.fromhex(self.row.seed)
        if not game.seeded_rounds:
            return ((0, rng.commit(master), master.hex() if self.match.over else ""),)
        seed = rng.round_seeds(master)
        first = min((frame.round for frame in self.frames), default=1)
        last = max((frame.round for frame in self.frames), default=0)
        return tuple(
            (number, rng.commit(seed(number)), seed(number).hex() if self.match.over or number < last else "")
            for number in range(first, last + 1)
        )

    def _letters(self) -> tuple[Letter, ...]:
        """What the players said to all; the end makes it public."""
        return tuple(letters_to_all(self.site.desk.session, self.match)) if self.match.over else ()

    def record(self) -> bytes:
        """The record, as `moderator export` gives it, without any mail address that somebody wrote."""
        made = record_of(self.site.desk.session, self.row, [seat.name for seat in self.match.seats])
        return (masked(json.dumps(made, ensure_ascii=False, indent=1)) + "\n").encode()


# ---- the graph of points ----
#
# Curves as SVG, in the page's colours: the scores of a match over its moments.


WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 96, 14, 26
APART = 17
"""Between two names at the right edge, at least."""


@dataclass(frozen=True)
class Scale:
    """From moments and points to the picture."""

    last: int
    low: int
    high: int

    def x(self, moment: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * moment / max(1, self.last)

    def y(self, points: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (points - self.low) / max(1, self.high - self.low)


def scores(moments: Sequence[Sequence[int]], seats: Sequence[Sitting]) -> str:
    """A line per seat with its colour, its shape and its name; "" where nobody has scored."""
    every = [points for moment in moments for points in moment]
    if len(moments) < 2 or len(set(every)) < 2:
        return ""
    scale = Scale(len(moments) - 1, min(0, *every), max(every))
    names = _spread([scale.y(points) for points in moments[-1]])
    lines = "".join(_line([moment[s.number] for moment in moments], s, scale, names[s.number]) for s in seats)
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" data-x0="{LEFT}" '
        f'data-dx="{(WIDTH - LEFT - RIGHT) / max(1, scale.last):.3f}">{_axes(scale)}{lines}'
        f'<line class="now" x1="{scale.x(scale.last):g}" x2="{scale.x(scale.last):g}" y1="{TOP}" '
        f'y2="{HEIGHT - BOTTOM}"/></svg>'
    )


def _axes(scale: Scale) -> str:
    step = _step(scale.high - scale.low)
    first = -(-scale.low // step) * step
    rungs = "".join(
        f'<line class="rung" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{scale.y(at):.1f}" y2="{scale.y(at):.1f}"/>'
        f'<text class="tick" x="{LEFT - 7}" y="{scale.y(at) + 4.5:.1f}" text-anchor="end">{at}</text>'
        for at in range(first, scale.high + 1, step)
    )
    ends = "".join(
        f'<text class="tick" x="{scale.x(moment):.1f}" y="{HEIGHT - 7}" text-anchor="middle">{moment}</text>'
        for moment in sorted({0, scale.last // 2, scale.last})
    )
    return rungs + ends


def _step(span: int) -> int:
    """A round distance that gives at most five lines."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if span / (size * factor) <= 5:
                return size * factor
        size *= 10


def _line(points: Sequence[int], seat: Sitting, scale: Scale, name_at: float) -> str:
    path = f"M{scale.x(0):.1f} {scale.y(points[0]):.1f}" + "".join(
        f"L{scale.x(moment):.1f} {scale.y(now):.1f}"
        for moment, (before, now) in enumerate(pairwise(points), 1)
        if now != before or moment == len(points) - 1 or points[moment + 1] != now
    )
    right = WIDTH - RIGHT + 8
    return (
        f'<g class="{seat.colour}"><path d="{path}"/><text x="{right}" y="{name_at + 5:.1f}">{seat.shape} '
        f"{escape(_short(seat.name))}</text></g>"
    )


def _short(name: str) -> str:
    return name if len(name) <= 9 else f"{name[:8]}…"


def _spread(heights: Sequence[float]) -> list[float]:
    """The same, moved until no two are nearer than ``APART``."""
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
class Letter:
    name: str
    text: str
    at: datetime


def letters_to_all(session: Session, match: Listed) -> Iterator[Letter]:
    """The oldest first."""
    for row, name in press.delivered(session, match.id):
        if not row.seats:
            yield Letter(masked(name), masked(row.text), row.at)
