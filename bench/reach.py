"""How long a mail of each kind may be, and real mails of each. ``python -m bench.screens`` prints the
figures, tests/pages/test_design.py holds the mails to them."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from moderator.common.disk import LANGUAGES
from moderator.common.mails import RenderedMail
from moderator.notifications.pages import Page
from moderator.render.mail import render_mail
from tests.club import evening
from tests.pages.all_pages import pages

ANYWHERE = 640
"""CSS pixels: lower than this no first button ends."""


@dataclass(frozen=True)
class Reach:
    """The most that half the mails of a kind may have."""

    words: int
    """Of the text part, between white space, board included."""
    screens: float
    """Of a telephone."""
    button: int = ANYWHERE
    """CSS pixels at which the first button ends; where it is less than ANYWHERE there must be one."""

    def is_met_by_button(self, end: float | None) -> bool:
        return self.button == ANYWHERE if end is None else end <= self.button


REACH: Mapping[str, Reach] = {
    "first": Reach(200, 1.2),
    "turn": Reach(230, 1.1, 560),
    "round": Reach(230, 1.1),
    "round-over": Reach(230, 1.1),
    "played": Reach(70, 0.7),
    "stored": Reach(70, 0.7),
    "refused-word": Reach(70, 0.6, 260),
    "refused-near": Reach(70, 0.6, 260),
    "ask-leave": Reach(110, 0.8, 260),
    "ask-resign": Reach(110, 0.8, 260),
    "ask-buy": Reach(110, 0.8, 260),
    "ask-undo": Reach(110, 0.8, 260),
    "ask-unsure": Reach(110, 0.8, 260),
    "confirm": Reach(60, 0.6, 260),
    "question": Reach(60, 0.6),
    "reminder": Reach(90, 0.9, 560),
    "end": Reach(110, 1.0),
    "help": Reach(190, 1.5),
    "outage": Reach(130, 0.7),
    "digest": Reach(110, 0.9),
    "organiser": Reach(100, 0.8),
    "cup-invite": Reach(90, 0.9),
    "cup-pairings": Reach(90, 1.0),
    "cup-report": Reach(90, 1.0),
    "cup-final": Reach(90, 1.0),
}
"""By kind."""
SAMPLES: Mapping[str, tuple[str, ...]] = {
    "round-over": ("*-round",),
    "end": ("end", "*-end", "end-cup"),
    "organiser": ("notice*", "boss-*", "ruling", "protest"),
    "cup-invite": ("cup-invite-*",),
    "cup-pairings": ("cup-pairings-*",),
    "cup-report": ("cup-report-*",),
    "cup-final": ("cup-final-*",),
}
"""Kinds of which there are few in an evening -> their pages in tests/pages/all_pages.py."""
FEW = 3
"""So many mails of an evening that are alike by kind, game and language are looked at."""
HOURS = 12
"""Of the evening."""


@dataclass(frozen=True)
class Sample:
    """A mail to be looked at."""

    kind: str
    name: str
    """Its game and pace, or that of its page."""
    language: str
    mail: RenderedMail


def count_words(text: str) -> int:
    return len(text.split())


@cache
def play_evening() -> tuple[evening.Sent, ...]:
    """The mails of a whole evening, always the same."""
    with tempfile.TemporaryDirectory() as folder:
        return tuple(evening.play(Path(folder), HOURS))


def collect(kinds: Collection[str] = (), few: int = FEW) -> list[Sample]:
    """Mails of these kinds; of all for (). ``few``: of an evening no more of those that are alike, the last."""
    wanted = [kind for kind in REACH if not kinds or kind in kinds]
    alike = defaultdict[tuple[str, str, str], list[Sample]](list)
    for sent in play_evening() if set(wanted) - SAMPLES.keys() else ():
        if sent.kind in wanted and sent.kind not in SAMPLES:
            key = sent.kind, sent.name, sent.language
            alike[key].append(Sample(*key, sent.mail))
    found = [one for some in alike.values() for one in some[-few:]]
    return found + [one for kind in wanted for one in _iter_pages(kind)]


def _iter_pages(kind: str) -> Iterator[Sample]:
    for language in LANGUAGES if kind in SAMPLES else ():
        for name, page in pages(language).items():  # type: ignore[arg-type]
            if any(fnmatch(name, pattern) for pattern in SAMPLES[kind]):
                yield Sample(kind, name, language, render_mail(with_links(page)))


def with_links(page: Page) -> Page:
    """The page as a club sends it that is on the web."""
    if page.table is None or page.match is None or page.ending is not None:
        return page
    return replace(page, board_page=f"https://club.example/zug/{page.match.game}.html")


def by_kind(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """The mails, sorted by language and name, by kind."""
    ordered = sorted(samples, key=lambda one: (one.language, one.name))
    return {kind: [one for one in ordered if one.kind == kind] for kind in REACH}
